"""Packages that only some uses need: each comes with an extra of cardenvs; where one is missing, one line names the extra.

A module or a package's ``__init__`` calls `require` before it imports what an extra brings. A missing package then ends a
command with that line and status 2, and a Python program with an ImportError.
"""

from __future__ import annotations

import importlib.util


class MissingPackageError(ImportError, ValueError):
    """A package of an extra is not installed. Also a ValueError, because commands report a ValueError in one line."""


def installed(module: str) -> bool:
    """Whether a package is installed; imports nothing.

    A folder without the package's ``__init__.py`` is what is left where one of two packages with the same files is gone.

    Args:
        module: the name by which the package is imported; of a name with dots only the first part counts.
    """
    spec = importlib.util.find_spec(module.partition(".")[0])
    return spec is not None and spec.origin is not None


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
        module: the name by which the package is imported, such as ``"PIL"``.
        extra: the extra of cardenvs that brings the package, such as ``"render"``.
        purpose: what needs the package, such as ``"pictures in files"``; the message begins with it.
        package: the name by which the package is installed, such as ``"pillow"``; None if that is ``module``.
        error: the class of the error to raise.

    Raises:
        MissingPackageError: (or ``error``) the package is not installed; the message names purpose, package and extra.
    """
    if not installed(module):
        raise error(f'{purpose}: the package {package or module} is missing; in a checkout: pip install ".[{extra}]"')
