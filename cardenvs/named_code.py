"""Objects that are named by where their code is: ``module:Name`` or ``file.py:Name``."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple


class Code(NamedTuple):
    """What a name says.

    Attributes:
        where: the module, or the path of the file.
        attribute: the name of the object in it.
        rest: what stands behind a comma.
    """

    where: str
    attribute: str
    rest: str


def split(name: str, taken: Callable[[str], bool]) -> Code | None:
    """What ``module:Name,rest`` or ``file.py:Name,rest`` says; None for any other name.

    Args:
        name: the name.
        taken: whether what stands before the colon is something else.
    """
    match = re.fullmatch(r"(.*\.py|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)(?:,(.*))?", name)
    if match is None or taken(match[1]):
        return None
    return Code(match[1], match[2], match[3] or "")


def load(where: str, attribute: str) -> Callable[..., Any]:
    """What can be called by a name in a module or a file.

    Args:
        where: the module, or the path of a file that ends in ``.py``.
        attribute: the name in it.

    Raises:
        ValueError: no such module, an error in it, or nothing of that name in it that can be called.
        FileNotFoundError: no such file.
    """
    if where.endswith(".py"):
        if not os.path.isfile(where):
            raise FileNotFoundError(f"no file {where!r}")
        module = _of_file(os.path.abspath(where), os.stat(where).st_mtime_ns)
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
        raise ValueError(f"{where} has no class or function {attribute!r}: {_listed(made)}")
    return found


def check_names_class(name: str) -> None:
    """Checks that a name is not that of a file with code alone; the file is read, and not run.

    Args:
        name: the name.

    Raises:
        ValueError: it is; names the classes in the file.
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
    raise ValueError(f"{path} is a file: name a class in it, as {path}:{next(iter(found), 'Class')}; {_listed(found)}")


def _listed(classes: list[str]) -> str:
    """What the classes of a file or module are, in words."""
    return f"its classes are {', '.join(classes) or 'none'}"


@functools.lru_cache(maxsize=32)
def _of_file(path: str, changed: int) -> types.ModuleType:
    """The module in a file that has not changed since."""
    del changed
    name = f"cardenvs_code_{hashlib.sha256(path.encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle finds what is in it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ValueError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module
