"""Calls between kernels by symbol, instead of compiling the called kernel into each caller.

Numba links the code of all that a function calls into it, and LLVM translates it again in every caller. Here the code of a
kept kernel stays apart, unless it is short: its callers refer to its symbol. What is kept of a caller lists the kernels
that it calls; they are loaded first, and if one has another symbol, the caller is recompiled.

A kernel's symbol comes from its key, so that all processes use one name for it; all other functions are numbered from a
random start. Functions that are copied into their callers get no machine code and no wrapper, unlike in numba.

This relies on the internals of numba's code libraries, so it is limited to tested releases (`KNOWN`). With others
everything is linked in, as numba does by itself.
"""

import functools
import hashlib
import itertools
import os
import secrets
import weakref
from typing import Any

import numba
from llvmlite.binding import ffi
from numba.core import bytecode
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.cpu import CPUContext
from numba.core.funcdesc import default_mangler
from numba.core.targetconfig import TargetConfig

njit: Any = numba.njit

KNOWN = ("0.67", "0.68")
"""Releases of numba with which calls between kernels have been tested."""
ENABLED: bool = numba.__version__.rpartition(".")[0] in KNOWN
"""Whether kernels that other kernels call are declared instead of linked in."""

LINKED = 300
"""Maximum number of instructions of a kernel that is linked into its callers: a call would cost more."""

_kernels: weakref.WeakKeyDictionary[Any, tuple[Any, Any]] = weakref.WeakKeyDictionary()
"""Kernel and types of its arguments, by the library of their compiled code."""


class _Library(JITCodeLibrary):
    """Code of a function: other functions are linked into it, kernels only declared."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.called: dict[Any, None] = {}
        self.copied = False

    def add_linking_library(self, library: Any) -> None:
        """Adds the code of a function that is called here."""
        library._ensure_finalized()
        if library in _kernels:
            self.called[library] = None
        else:
            super().add_linking_library(library)
            self.called.update(getattr(library, "called", {}))

    def finalize(self) -> None:
        """Links in what is called; code that is not copied becomes machine code, too."""
        if not self.copied:
            super().finalize()
            return
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _Copied(Compiler):
    """Compiler of functions that are copied into their callers; it stops before machine code."""

    def define_pipelines(self) -> Any:
        self.state.flags.no_compile = True
        return super().define_pipelines()


class _Numbers:
    """Numbers of the functions that numba compiles, from a random start. Numba names code by the function's name and a
    number that it counts from 1 in every process, and record types by a number alone. Kept code of two processes could have
    the same name, and run in place of the other in a third."""

    def __init__(self) -> None:
        self.symbols: dict[int, str] = {}
        self.next_symbol: str | None = None
        self._given: set[str] = set()
        self.begin_apart()

    def begin_apart(self) -> None:
        """Restarts at a random number."""
        self._numbers = itertools.count(secrets.randbits(62))

    def __next__(self) -> int:
        """Returns the next number; assigns it the pending symbol, if that is new."""
        number, symbol, self.next_symbol = next(self._numbers), self.next_symbol, None
        if symbol is not None and symbol not in self._given:
            self._given.add(symbol)
            self.symbols[number] = symbol
        return number


def _mangled(context: Any, name: str, types: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
    """Returns the name of a function in machine code; of a kernel, one that all processes use."""
    symbol = _numbers.symbols.get(uid)
    if symbol is not None:
        return str(default_mangler(name + symbol, ()))
    return str(default_mangler(name, types, abi_tags=abi_tags, uid=uid))


def _load_registries(context: Any) -> None:
    """Loads what numba compiles with; its look for BLAS, which loads `scipy.linalg`, takes a fifth of a process's start."""
    from numba.np import linalg

    look, linalg.ensure_blas = linalg.ensure_blas, bool
    _load_all(context)
    linalg.ensure_blas = look


_numbers = _Numbers()
_numba: Any = bytecode.FunctionIdentity
_numba._unique_ids = _numbers
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_numbers.begin_apart)
if ENABLED:
    JITCPUCodegen._library_class = _Library
    _numba = CPUContext
    _numba.mangler = _mangled
    _load_all, _numba.load_additional_registries = _numba.load_additional_registries, _load_registries
    _numba = TargetConfig  # compared at every call of a function, with each setting taken out of both first
    _same, _numba.__eq__ = _numba.__eq__, lambda a, b: a._values == getattr(b, "_values", None) or _same(a, b)
    for told in [one for one in ffi.lib._lock._cblist if one[0].__module__ == "numba.core.base"]:
        ffi.unregister_lock_callback(*told)  # events at each call of LLVM, to which nobody listens


def name_next(kernel: str, types: Any) -> None:
    """Sets the symbol of the kernel that is compiled next, from its name and key and its argument types."""
    _numbers.next_symbol = f".{kernel}.{hashlib.sha256(repr(types).encode()).hexdigest()[:16]}"


def stays_apart(kernel: Any, compiled: Any) -> None:
    """Makes callers declare the code of a kernel, compiled or loaded for some types, unless it is short."""
    if ENABLED and not _is_short(compiled):
        _kernels[compiled.library] = (kernel, compiled.signature.args)


def _is_short(compiled: Any) -> bool:
    """Returns whether compiled code, its wrapper left out, has at most `LINKED` instructions; no more are counted."""
    function = compiled.library._get_module_for_linking().get_function(compiled.fndesc.llvm_func_name)
    instructions = (1 for block in function.blocks for _ in block.instructions)
    return next(itertools.islice(instructions, LINKED, None), None) is None


def copied(function: Any, settings: dict[str, Any]) -> Any:
    """Compiles a function, with settings of numba, that is copied into its callers. Called from Python, as in tests, it is
    compiled once more, with a wrapper."""
    if not ENABLED:
        return njit(forceinline=True, **settings)(function)
    compiled = njit(forceinline=True, pipeline_class=_Copied, no_cpython_wrapper=True, **settings)(function)

    def add_overload(result: Any) -> None:
        result.library.copied = True
        result = result._replace(entry_point=object())  # by which numba finds the function in callers
        result.target_context.insert_user_function(result.entry_point, result.fndesc, [result.library])
        compiled.overloads[tuple(result.signature.args)] = result

    @functools.cache
    def with_wrapper() -> Any:
        return njit(forceinline=True, **settings)(function)

    compiled.add_overload = add_overload
    compiled._compile_for_args = lambda *args, **kws: with_wrapper()
    return compiled


def calls_of(compiled: Any) -> list[tuple[Any, Any, str]]:
    """Returns the kernels that compiled code declares, each with the types of its arguments and its symbol."""
    return [(*_kernels[library], _symbol(*_kernels[library])) for library in getattr(compiled.library, "called", ())]


def load_call(kernel: Any, types: Any, symbol: str) -> Any:
    """Returns the library of a kernel that kept code calls; raises LookupError if its symbol has changed."""
    kernel.compile(types)
    if symbol != _symbol(kernel, types):
        raise LookupError(f"{kernel.py_func.__qualname__} has been compiled anew")
    library = kernel.overloads[tuple(types)].library
    _kernels.setdefault(library, (kernel, types))  # recompiled, it may have become short
    return library


def _symbol(kernel: Any, types: Any) -> str:
    """Returns the symbol of a kernel's code for some types of arguments."""
    return str(kernel.overloads[tuple(types)].fndesc.mangled_name)
