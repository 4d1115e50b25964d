"""Compiling the kernels: the decorators that every kernel in the project carries.

What is compiled is kept, and found again by its key, a hash of all that is compiled in: see `cardenvs.compiled.keys`. Where
it lies, and how it is read and written safely, is in `cardenvs.compiled.cache`.

With ``NUMBA_DISABLE_JIT=1`` the decorators leave plain Python functions behind, for debugging and for coverage.
"""

from __future__ import annotations

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
"""Settings of numba for all code: division by zero is not looked for, and there is no wrapper for calls from C, which
nobody makes and which takes time to compile."""


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
    """The dtype of `_Record` with some fields, which become its properties: twice as fast as by ``__getattr__``."""
    for name in dtype.names or ():
        if not hasattr(_Record, name):
            setattr(_Record, name, property(operator.itemgetter(name)))
    return np.dtype((_Record, dtype))


def plain_records(games: np.ndarray[Any, Any]) -> Any:
    """A structured array as plain Python takes it where it runs in place of a kernel: fields are attributes of records."""
    return games.view(_fields_as_attributes(games.dtype))


def as_records(games: np.ndarray[Any, Any]) -> Any:
    """A structured array as kernels take it, compiled or not."""
    return plain_records(games) if DISABLED else games


if DISABLED:
    # The in-kernel random numbers wrap around modulo 2**64 on purpose; compiled code does so silently.
    np.seterr(over="ignore")


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function."""
    return function(*arguments)


_call_with_room: Callable[..., Any] = FunctionType(_call.__code__.replace(co_stacksize=70_000), {})
"""As `_call`, with all frames of the calls within it in one piece of memory, a megabyte.

Python maps memory for frames in pieces of 16 kB. Where one ends within a loop of the compiler, it is mapped and unmapped a
quarter of a million times, a fifth of the time of compiling. A frame that asks for more gets a piece of the size it needs.
"""


def kernel(function: F) -> F:
    """Compiles ``function`` with numba: kept on disk, run without the interpreter lock, division by zero unchecked.

    Called from another kernel with constants, it is the version for their types: none is compiled for a constant alone.
    """
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
    """Compiles, as `kernel` does, a function that another function has made over kernels, which are its free variables.

    The loops over a game's kernels are made so.

    Args:
        name: the module that the function is counted to, a colon, and what no other closure of that module is called, such
            as ``"cardenvs.games.whist:whist.batch_step"``.

    Returns:
        A decorator.

    Raises:
        ValueError: a name without a module.
    """
    module, _, own_name = name.partition(":")
    if not module or not own_name:
        raise ValueError(f"a closure is named by its module, a colon and its own name, not {name!r}")

    def compile_(function: F) -> F:
        """The function, compiled."""
        function.__module__, function.__qualname__ = module, re.sub(r"[^\w.:-]", "_", own_name)
        return kernel(function)

    return compile_


def helper(function: F) -> F:
    """Compiles a small ``function`` into its callers (LLVM's ``alwaysinline``), so that constant arguments fold away.

    Numba alone would compile it anew for each constant that it is called with; as it is folded into its callers anyway, one
    version for each type is enough. Where that makes callers slower, as loops over a constant do, there is `unrolled`.
    """
    compiled: Any = unrolled(function)
    if not DISABLED:
        _drop_literal_types(compiled)
    return cast(F, compiled)


def _drop_literal_types(compiled: Any) -> None:
    """Makes calls of a compiled function from kernels use one version for each type, whatever constants are handed over."""
    resolve = compiled.get_call_template

    def resolve_types(args: Any, kws: Any) -> Any:
        """The call template for a call from another kernel, whatever constants are among its arguments."""
        return resolve(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()})

    compiled.get_call_template = resolve_types


def unrolled(function: F) -> F:
    """As `helper`, but compiled anew for each constant that it is called with, so that its loops can be unrolled."""
    return function if DISABLED else cast(F, linking.copied(function, _SETTINGS))


def inlined(function: F) -> F:
    """A kernel as one that is compiled into its callers, which saves the time of handing over arrays."""
    compiled: Any = function
    return function if DISABLED else cast(F, unrolled(compiled.py_func))
