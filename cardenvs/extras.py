"""Packages that only some uses need: each comes with an extra of cardenvs, and who lacks one is told its name in one line.

A module or a package's ``__init__`` calls `require` before it imports what an extra brings; what is missing then ends a
command in one line with status 2, and a Python program in an ImportError.
"""

from __future__ import annotations

import importlib.util


class MissingPackageError(ImportError, ValueError):
    """A package that an extra brings is not installed; a ValueError too, because commands tell those in one line."""


def installed(module: str) -> bool:
    """Whether a package is installed; imports nothing.

    Args:
        module: the name it is imported by; of a name with dots the first part counts.
    """
    return importlib.util.find_spec(module.partition(".")[0]) is not None


def require(
    module: str,
    extra: str,
    purpose: str,
    *,
    package: str | None = None,
    error: type[Exception] = MissingPackageError,
) -> None:
    """Makes sure that a package is installed; imports nothing.

    Args:
        module: the name it is imported by, such as ``"PIL"``.
        extra: the extra of cardenvs that brings the package, such as ``"render"``.
        purpose: what needs the package, at the head of the message: ``"pictures in files"``.
        package: the name it is installed by, such as ``"pillow"``; None if that is ``module``.
        error: what is raised.

    Raises:
        MissingPackageError: (or ``error``) the package is not installed; names the package, the purpose and the extra.
    """
    if not installed(module):
        raise error(f'{purpose}: the package {package or module} is missing; pip install "cardenvs[{extra}]"')
