"""Plug-ins: objects by name, code that is named by its location, and packages that only some uses need.

A module calls `require` before it imports a package of an extra. A missing package then ends a command with status 2 and a
line that names the extra, and a Python program with an ImportError.
"""

import ast
import functools
import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import re
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from cardenvs.contract.entries import Registry

__all__ = [
    "Code", "MissingPackageError", "Registry", "check_names_class", "installed", "load_code", "require", "split_code",
]  # fmt: skip


# --- code that is named by where it is: ``module:Name`` or ``file.py:Name`` --------------------------------------------


class Code(NamedTuple):
    """The parts of a name of code.

    Attributes:
        where: the module, or the path of the file.
        attribute: the name of the object in it.
        rest: the text behind a comma.
    """

    where: str
    attribute: str
    rest: str


def split_code(name: str, taken: Callable[[str], bool]) -> Code | None:
    """Splits a name ``module:Name,rest`` or ``file.py:Name,rest`` into its parts; None for any other name.

    ``taken`` returns whether the part before the colon means something else.
    """
    match = re.fullmatch(r"(.*\.py|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)(?:,(.*))?", name)
    if match is None or taken(match[1]):
        return None
    return Code(match[1], match[2], match[3] or "")


def load_code(where: str, attribute: str) -> Callable[..., Any]:
    """Returns the callable ``attribute`` of a module, or of a file whose path ends in ``.py``.

    Raises:
        ValueError: no such module, an error in it, or no callable of that name in it.
        FileNotFoundError: no such file.
    """
    if where.endswith(".py"):
        if not os.path.isfile(where):
            raise FileNotFoundError(f"no file {where!r}")
        module = _load_file(os.path.abspath(where), os.stat(where).st_mtime_ns)
    else:
        try:
            module = importlib.import_module(where)
        except ImportError as error:
            file = f"{where.replace('.', '/')}.py"
            if os.path.isfile(file):  # the folder in which a command runs is not among those of modules
                raise ValueError(f"{where!r} is no module that can be imported; for the file: {file}:{attribute}") from None
            raise ValueError(f"{where!r} is no policy, and no module that can be imported: {error}") from None
    found = getattr(module, attribute, None)
    if not callable(found):
        made = [
            key for key, value in vars(module).items() if isinstance(value, type) and value.__module__ == module.__name__
        ]
        raise ValueError(f"{where} has no class or function {attribute!r}: {_class_list(made)}")
    return found


def check_names_class(name: str) -> None:
    """Checks that a name is not a file of code without a class, without running it.

    Raises:
        ValueError: it is; lists the classes in the file.
        FileNotFoundError: there is no such file.
    """
    path, _, rest = name.partition(":")
    if not path.endswith(".py") or rest:
        return
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no file {path!r}")
    try:
        with open(path, "rb") as file:
            found = [node.name for node in ast.parse(file.read()).body if isinstance(node, ast.ClassDef)]
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from None
    raise ValueError(f"{path} is a file: name a class in it, as {path}:{next(iter(found), 'Class')}; {_class_list(found)}")


def _class_list(classes: list[str]) -> str:
    return f"its classes are {', '.join(classes) or 'none'}"


class _FromSource(importlib.machinery.SourceFileLoader):
    """A loader that always compiles the file's text, because cached bytecode of the same second and size may be stale."""

    def get_code(self, fullname: str) -> types.CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


@functools.lru_cache(maxsize=32)
def _load_file(path: str, changed: int) -> types.ModuleType:
    """Returns the module in a file; ``changed`` is the time of its last change, in the key of the cache."""
    del changed
    name = f"cardenvs_code_{hashlib.sha256(path.encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, path))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle finds what is in it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ValueError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


# --- packages of extras --------------------------------------------------------------------------------------------


class MissingPackageError(ImportError, ValueError):
    """A package of an extra is not installed. Also a ValueError, because commands report a ValueError in one line."""


def installed(module: str) -> bool:
    """Returns whether the package of a module is installed; imports nothing.

    A folder without ``__init__.py``, which uninstalling one of two packages with the same files can leave, is none.
    """
    spec = importlib.util.find_spec(module.partition(".")[0])
    return spec is not None and spec.origin is not None


def require(
    module: str, extra: str, purpose: str, *, package: str | None = None, error: type[Exception] = MissingPackageError
) -> None:
    """Raises ``error`` if a package is not installed, with purpose, package and extra in the message; imports nothing.

    Args:
        module: the name by which the package is imported, such as ``"PIL"``.
        extra: the extra of cardenvs that brings the package, such as ``"render"``.
        purpose: the use that needs the package, such as ``"pictures in files"``; the message begins with it.
        package: the name by which the package is installed, such as ``"pillow"``; None if that is ``module``.
    """
    if not installed(module):
        raise error(f'{purpose}: the package {package or module} is missing; in a checkout: pip install ".[{extra}]"')
