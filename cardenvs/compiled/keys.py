"""Keys of compiled functions: hashes of their code, all that it calls, and all that it uses.

A kernel's key is a hash of the code of every function that it can reach, without docstrings, lines and names of files, of
the values that these functions use, and of the compiler. So an edit without effect on the result recompiles nothing, and
stale code is never found.
"""

import dis
import enum
import functools
import hashlib
import opcode
import platform
import sys
import types
from collections.abc import Iterator
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic  # type: ignore[attr-defined]

from cardenvs.compiled import linking

_VERSIONED = frozenset({"builtins", "llvmlite", "numba", "numpy", *sys.stdlib_module_names})
"""Packages that count by version, not by code."""
_LOAD_GLOBAL = opcode.opmap["LOAD_GLOBAL"]
_HAS_DOCSTRING = 0x4000000
"""Flag of code with a docstring, from Python 3.13 on."""
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), type(...)})


def _compiler() -> str:
    """Returns versions and settings of compiler and linker on this machine; numba itself adds the processor."""
    config: Any = numba.config
    settings = [getattr(config, name, None) for name in ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE")]
    versions = (module.__version__ for module in (numba, llvmlite, np))
    linked = linking.LINKED if linking.ENABLED else None
    return repr([platform.python_implementation(), sys.version_info[:3], *versions, settings, linked])


def key_of(function: Any) -> str:
    """Returns the key of a compiled function, 24 hex digits; raises TypeError for a value that cannot be identified."""
    digest = hashlib.sha256(_compiler().encode())
    reached = reach(function)
    numbers = {one: number for number, one in enumerate(reached)}
    for one in reached:
        own, called = _own_digest(one)
        digest.update(own)
        digest.update(repr([numbers[other] for other in called]).encode())
    return digest.hexdigest()[:24]


def reach(function: Any) -> list[Any]:
    """Returns a compiled function and all functions that it can reach, in the order of their discovery."""
    reached = [function]
    found = {function}
    for one in reached:  # which grows meanwhile
        for other in _own_digest(one)[1]:
            if other not in found:
                found.add(other)
                reached.append(other)
    return reached


@functools.cache
def _own_digest(function: Any) -> tuple[bytes, tuple[Any, ...]]:
    """Returns a hash of the code, options and values of one function alone, and the functions that it uses, in order."""
    called: list[Any] = []
    compiled = isinstance(function, Dispatcher)
    by_type = "get_call_template" in getattr(function, "__dict__", {})  # see `cardenvs.compiled.jit.helper`
    tokens: list[str] = [repr(sorted(getattr(function, "targetoptions", {}).items())), str(by_type)]
    python = getattr(function, "py_func", function)

    def add_tokens(name: str, value: Any) -> None:
        tokens.append(name)
        try:
            tokens.extend(_tokens(value, called, compiled))
        except TypeError as error:
            where = f"{python.__module__}.{python.__qualname__}"
            raise TypeError(f"{where} is compiled, and cannot be told from others by its {name}: {error}") from None

    code = python.__code__
    tokens.extend(_of_code(code))
    for number, value in enumerate(python.__defaults__ or ()):
        add_tokens(f"default {number}", value)
    for name, value in (python.__kwdefaults__ or {}).items():
        add_tokens(name, value)
    for name, cell in zip(code.co_freevars, python.__closure__ or (), strict=True):
        add_tokens(name, cell.cell_contents if cell != types.CellType() else None)
    for path in sorted(set(_global_paths(code, python.__globals__))):
        add_tokens(".".join(path), _resolve_path(path, python.__globals__))
    return hashlib.sha256("\n".join(tokens).encode()).digest(), tuple(called)


def _of_code(code: types.CodeType) -> Iterator[str]:
    """Yields texts of a function's code, and of the functions in it, without names of files, lines and docstrings."""
    yield code.co_code.hex()
    yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & ~_HAS_DOCSTRING))
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    for value in code.co_consts[_has_docstring(code) :]:
        if isinstance(value, types.CodeType):
            yield from _of_code(value)
        else:
            yield from _tokens(value, [])


def _has_docstring(code: types.CodeType) -> bool:
    """Returns whether the first constant of a function's code is its docstring, or None before Python 3.13."""
    if sys.version_info >= (3, 13):
        return bool(code.co_flags & _HAS_DOCSTRING)
    return not code.co_name.startswith("<")


def _loaded_globals(code: types.CodeType) -> Iterator[tuple[str, int]]:
    """Yields the names of the globals that a function's code loads, each with the place behind it in the code."""
    extended = 0
    for at in range(0, len(code.co_code), 2):
        operation, argument = code.co_code[at], code.co_code[at + 1] | extended
        extended = argument << 8 if operation == opcode.EXTENDED_ARG else 0
        if operation == _LOAD_GLOBAL:
            yield code.co_names[argument >> 1], at + 2  # the lowest bit says that a call follows


def _global_paths(code: types.CodeType, names: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields paths of the globals used by a function and those in it; of a module whose code counts, with the attribute."""
    for name, behind in _loaded_globals(code):
        value = names.get(name)
        if isinstance(value, types.ModuleType) and not _is_versioned(value.__name__):
            after = (one for one in dis.get_instructions(code) if one.offset >= behind and one.opname.startswith("LOAD_"))
            yield name, str(next(after).argval)
        else:
            yield (name,)
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            yield from _global_paths(value, names)


def _resolve_path(path: tuple[str, ...], names: dict[str, Any]) -> Any:
    """Returns the value of a path of names in a function; of a built-in its name."""
    value = names.get(path[0], path[0])
    return functools.reduce(lambda one, name: getattr(one, name, None), path[1:], value)


def _is_versioned(module: str | None) -> bool:
    """Returns whether an object of a module is identified by its name and the versions of packages."""
    return module is not None and module.partition(".")[0] in _VERSIONED


def _tokens(value: Any, called: list[Any], compiled: bool = True) -> Iterator[str]:
    """Yields texts that identify a value, the same in every process; adds functions to ``called``."""
    kind = type(value)
    if kind in _PLAIN:
        yield f"{kind.__name__} {value!r}"
    elif isinstance(value, (Dispatcher, types.FunctionType)):
        if isinstance(value, types.FunctionType) and _is_versioned(value.__module__):
            yield f"{value.__module__}.{value.__qualname__}"
        elif compiled and isinstance(value, types.FunctionType):
            raise TypeError(f"{value.__qualname__} is no compiled function")
        else:
            called.append(value)
            yield "function"
    elif isinstance(value, _Intrinsic):
        called.append(value._defn)
        yield f"intrinsic {value._prefer_literal} {value._ctor_kwargs}"
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield f"array {value.dtype!r} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    elif isinstance(value, enum.Enum):
        yield f"{kind.__qualname__}.{value.name}"
        yield from _tokens(value.value, called, compiled)
    elif isinstance(value, np.generic):
        yield f"{value.dtype!r} {value.tobytes().hex()}"
    elif isinstance(value, (np.dtype, numba.types.Type)):
        yield repr(value)
    elif isinstance(value, (tuple, list, frozenset)):
        yield f"{kind.__qualname__} {len(value)} {getattr(kind, '_fields', '')}"
        for one in sorted(value, key=repr) if isinstance(value, frozenset) else value:
            yield from _tokens(one, called, compiled)
    elif isinstance(value, dict):
        yield f"dict {len(value)}"
        for one in value.items():
            yield from _tokens(one, called, compiled)
    elif isinstance(value, types.ModuleType):
        yield f"module {value.__name__}"
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        yield f"enum {value.__qualname__}"
        for member in value:
            yield from _tokens(member, called, compiled)
    elif isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        yield f"named tuple {value.__qualname__} {value._fields}"
    elif isinstance(value, type) and issubclass(value, BaseException):
        yield f"exception {value.__module__}.{value.__qualname__}"
    elif _is_known(value):
        yield f"{kind.__name__} {getattr(value, '__module__', None)}.{value.__name__}"
    else:
        raise TypeError(f"a compiled function cannot use {value!r}")


def _is_known(value: Any) -> bool:
    """Returns whether a value is a class or function of a versioned package, not made by numba of others' code."""
    if isinstance(value, type):
        return _is_versioned(value.__module__)
    made_by_numba = type(value).__module__.partition(".")[0] == "numba"
    module = getattr(value, "__module__", None) or type(value).__module__
    return hasattr(value, "__name__") and _is_versioned(module) and not made_by_numba
