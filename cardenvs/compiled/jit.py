"""Compilation of kernels: the decorators of every kernel in the project.

Compiled code is kept (`cardenvs.compiled.cache`) under a hash of everything compiled in (`cardenvs.compiled.keys`). With
``NUMBA_DISABLE_JIT=1`` the decorators leave plain Python functions, for debugging and for coverage.
"""

import functools
import operator
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numba import config as _config
from numba import njit
from numba.core.types import unliteral

from cardenvs.compiled import linking
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.cache import KernelCache, kernel_folder

config: Any = _config
F = TypeVar("F", bound=Callable[..., Any])

DISABLED: bool = bool(config.DISABLE_JIT)
"""True when kernels run as plain Python (``NUMBA_DISABLE_JIT=1``)."""

_SETTINGS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Settings of numba for all code: no checks for division by zero, and no wrapper for calls from C, which is never used."""


class _Record(np.void):  # type: ignore[misc]
    """A record whose fields are its attributes, three times as fast as in `numpy.record`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


@functools.cache
def _fields_as_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype of `_Record` with some fields as properties: twice as fast as by ``__getattr__``."""
    for name in dtype.names or ():
        if not hasattr(_Record, name):
            setattr(_Record, name, property(operator.itemgetter(name)))
    return np.dtype((_Record, dtype))


def plain_records(games: np.ndarray[Any, Any]) -> Any:
    """Returns a structured array for kernels that run as plain Python: fields are attributes of records."""
    return games.view(_fields_as_attributes(games.dtype))


def as_records(games: np.ndarray[Any, Any]) -> Any:
    """Returns a structured array for kernels, compiled or not."""
    return plain_records(games) if DISABLED else games


if DISABLED:
    # The in-kernel random numbers wrap around modulo 2**64 on purpose; compiled code does so silently.
    np.seterr(over="ignore")


_CALL = (lambda function, *arguments: function(*arguments)).__code__
_call_with_room: Callable[..., Any] = FunctionType(_CALL.replace(co_stacksize=70_000), {})
"""Calls a function with one megabyte of memory for the frames of all calls within it.

Python maps memory for frames in pieces of 16 kB. If a piece ends within a loop of the compiler, it is mapped and unmapped a
quarter of a million times, a fifth of the compile time. A frame that needs more gets a piece of its size."""


def kernel(function: F) -> F:
    """Compiles ``function`` with numba: kept on disk, run without the interpreter lock, division by zero unchecked. Called
    from another kernel with constants, it is compiled for their types only, not for each constant."""
    compiled: Any = njit(nogil=True, **_SETTINGS)(function)
    if not DISABLED:
        _drop_literal_types(compiled)
        compiled.compile = functools.partial(_call_with_room, compiled.compile)
        folder = kernel_folder()
        if folder is not None:
            compiled._cache = KernelCache(compiled, folder)
        compiling.watch(compiled)
    return cast(F, compiled)


def closure(name: str) -> Callable[[F], F]:
    """Returns a decorator that compiles, like `kernel`, a function over kernels, which are its free variables. ``name`` is
    the module that the function is counted to, a colon, and a unique name in that module, such as
    ``"cardenvs.games.whist:whist.batch_step"``; raises ValueError for another form."""
    module, _, own_name = name.partition(":")
    if not module or not own_name:
        raise ValueError(f"a closure is named by its module, a colon and its own name, not {name!r}")

    def compile_(function: F) -> F:
        function.__module__, function.__qualname__ = module, re.sub(r"[^\w.:-]", "_", own_name)
        return kernel(function)

    return compile_


def helper(function: F) -> F:
    """Compiles a small ``function`` into its callers (LLVM's ``alwaysinline``), so that constant arguments fold away. Numba
    alone would recompile it for each constant; as it is inlined anyway, one version for each type is enough. Where that
    makes callers slower, as with loops over a constant, use `unrolled`."""
    compiled: Any = unrolled(function)
    if not DISABLED:
        _drop_literal_types(compiled)
    return cast(F, compiled)


def _drop_literal_types(compiled: Any) -> None:
    """Makes calls of a compiled function from kernels use one version for each type, also with constants."""
    resolve = compiled.get_call_template

    def resolve_types(args: Any, kws: Any) -> Any:
        return resolve(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()})

    compiled.get_call_template = resolve_types


def unrolled(function: F) -> F:
    """Compiles like `helper`, but once for each constant argument, so that loops can be unrolled."""
    return function if DISABLED else cast(F, linking.copied(function, _SETTINGS))


def inlined(function: F) -> F:
    """Returns a kernel that is compiled into its callers, which saves the time of passing arrays."""
    compiled: Any = function
    return function if DISABLED else cast(F, unrolled(compiled.py_func))
