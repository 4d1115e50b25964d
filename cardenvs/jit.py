"""Compiling the kernels: the decorators every kernel in the project carries, and the folder of what they compile.

Numba looks at one file's content when it decides whether cached machine code is fresh, but our drivers inline kernels
from other files. The cache therefore lives in a folder named by a hash of all sources that can be compiled into a kernel:
the files with kernels in them, and whatever those import. An edit to one of them starts a new folder; an edit to a report
does not. Where such folders lie, and how they are read and written safely, is in `cardenvs.kernel_cache`.

With ``NUMBA_DISABLE_JIT=1`` the decorators leave plain Python functions behind, for debugging and for coverage.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba import config as _config
from numba import njit
from numba.core.types import unliteral

from cardenvs import compiling
from cardenvs.kernel_cache import KernelCache, cache_home, kernels_of, make_private, say_once

config: Any = _config
F = TypeVar("F", bound=Callable[..., Any])

DISABLED: bool = bool(config.DISABLE_JIT)
"""True when kernels run as plain Python (``NUMBA_DISABLE_JIT=1``)."""


_SETTINGS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""How numba compiles everything: division by zero is not looked for, and there is no wrapper for calls from C, which nobody
makes and which takes time to compile."""


class _Record(np.void):  # type: ignore[misc]
    """A record whose fields are its attributes, three times as fast as in `numpy.record`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def plain_records(games: np.ndarray[Any, Any]) -> Any:
    """A structured array as plain Python takes it where it runs in place of a kernel: fields are attributes of records."""
    return games.view(np.dtype((_Record, games.dtype)))


def as_records(games: np.ndarray[Any, Any]) -> Any:
    """A structured array as kernels take it, compiled or not."""
    return plain_records(games) if DISABLED else games


_KEPT_CACHES = 6
"""How many kernel caches are kept."""
_IN_USE_S = 4 * 3600
"""Seconds after its last use for which a kernel cache is never removed."""

if DISABLED:
    # The in-kernel random numbers wrap around modulo 2**64 on purpose; compiled code does so silently.
    np.seterr(over="ignore")


_HOME = Path(__file__).parent
_PARTS = ("baselines", "train")
"""The packages in ``cardenvs`` that build on the rest of ``cardenvs``; each also builds on the packages listed before."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([\w.]+))", re.MULTILINE
)


def sources_of(part: str | None) -> dict[str, bytes]:
    """The source files of a package by the names of their modules.

    Args:
        part: ``"baselines"`` or ``"train"``; None for ``cardenvs`` without these two.
    """
    folder, package = (_HOME, "cardenvs") if part is None else (_HOME / part, f"cardenvs.{part}")
    sources = {}
    for path in folder.rglob("*.py"):
        names = path.relative_to(folder).with_suffix("").parts
        if part is not None or names[0] not in _PARTS:
            module = ".".join([package, *names]).removesuffix(".__init__")
            sources[module] = path.read_bytes()
    return sources


def _imported(source: bytes, modules: Iterable[str]) -> set[str]:
    """Those of ``modules`` that a source file imports, or imports names from, anywhere in the file."""
    imported = set()
    for package, names, module in _IMPORT.findall(source.decode()):
        submodules = {f"{package}.{name}" for name in re.findall(r"\w+", names)}.intersection(modules)
        imported |= submodules or {module or package}
    return imported.intersection(modules)


def kernel_sources(sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """The sources that can be compiled into kernels: of modules that define kernels, and of all that these import.

    Args:
        sources: the source of every module, by the module's name.

    Returns:
        The part of ``sources`` that counts, sorted by name.
    """
    wanted = {name for name, source in sources.items() if b"cardenvs.jit" in source}
    fresh = set(wanted)
    while fresh:
        fresh = set().union(*(_imported(sources[name], sources) for name in fresh)) - wanted
        wanted |= fresh
    return {name: sources[name] for name in sorted(wanted)}


def source_hash(sources: Mapping[str, bytes]) -> str:
    """A hash, 16 hex digits, of sources by the names of their modules and of Python's version."""
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for name, content in sources.items():
        digest.update(f"\n{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _drop_old_caches(home: Path, keep: Path) -> None:
    """Removes all but the most recently used kernel caches, so that edits do not fill the disk.

    A cache that was used within the last four hours stays: another process may be compiling into it.
    """
    try:
        used = {folder: folder.stat().st_mtime for folder in home.glob("kernels-*") if folder != keep}
    except OSError:
        return
    for old in sorted(used, key=lambda folder: used[folder], reverse=True)[_KEPT_CACHES - 1 :]:
        if used[old] < time.time() - _IN_USE_S:
            shutil.rmtree(old, ignore_errors=True)


@functools.cache
def cache_directory(package: str) -> Path | None:
    """The folder in which the compiled kernels of a package are kept.

    Args:
        package: ``"cardenvs"``, ``"cardenvs.baselines"``, ``"cardenvs.train"`` or a third party's top-level package.

    Returns:
        An absolute path; None if nothing can be kept. It changes with the sources that can be compiled into the package's
        kernels: those of the package itself and of ``cardenvs``, for ``cardenvs.train`` also those of
        ``cardenvs.baselines``, for a third party those of both.
    """
    part = package.removeprefix("cardenvs.")
    below = () if package == "cardenvs" else _PARTS[: _PARTS.index(part) + 1] if part in _PARTS else _PARTS
    sources = sources_of(None)
    for name in below:
        sources |= sources_of(name)
    sources = kernel_sources(sources)
    if package.partition(".")[0] != "cardenvs":
        origin = getattr(sys.modules.get(package), "__file__", None)
        # A package contributes all its files, a lone module or script only itself (by numba's own check).
        if origin and Path(origin).name == "__init__.py":
            root = Path(origin).parent
            sources |= {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.py"))}
    home = cache_home()
    if home is None:
        return None
    try:
        folder = make_private(home / f"kernels-{package}-{source_hash(sources)}")
        os.utime(folder)
    except OSError as error:
        say_once(f"{str(home)!r} is not used ({error.strerror or error}): compiled kernels are not kept")
        return None
    _drop_old_caches(home, folder)
    return folder


def package_of(module: str) -> str:
    """The package, as `cache_directory` takes it, that a module belongs to."""
    names = module.split(".")
    return ".".join(names[: 2 if names[0] == "cardenvs" and names[1:] and names[1] in _PARTS else 1])


def kernel(function: F) -> F:
    """Compiles ``function`` with numba: cached on disk, run without the interpreter lock, division by zero unchecked."""
    return _compiled(function, package_of(function.__module__))


def closure(name: str) -> Callable[[F], F]:
    """Compiles, as `kernel` does, a function that another function has made over kernels, which are its free variables.

    The loops over a game's kernels are made so. Numba alone would never find such a function again on the disk, as it looks
    at addresses; here it is known by its name, by the names of the kernels, and by their sources.

    Args:
        name: the module that the function is counted to, a colon, and what no other closure of that module is called, such
            as ``"cardenvs.games.whist:whist.batch_step"``.

    Returns:
        A decorator.

    Raises:
        ValueError: a name without a module.
        TypeError: a free variable is none of kernels, numbers, texts, booleans and arrays.
    """
    module, _, own_name = name.partition(":")
    if not module or not own_name:
        raise ValueError(f"a closure is named by its module, a colon and its own name, not {name!r}")

    def compile_(function: F) -> F:
        """The function, compiled."""
        parts = [cell.cell_contents for cell in function.__closure__ or ()]
        # What is compiled in: the code, which stands in the module that makes the function, and the kernels.
        packages = [package_of(function.__module__), *(package_of(f.__module__) for f in kernels_of(parts))]
        function.__module__, function.__qualname__ = module, re.sub(r"[^\w.-]", "_", own_name)
        # The package that builds on the others; one of a third party builds on all of ours.
        ours = ("cardenvs", *(f"cardenvs.{part}" for part in _PARTS))
        package: str | None = max(packages, key=lambda package: ours.index(package) if package in ours else len(ours))
        if DISABLED or not all(Path(f.__code__.co_filename).is_file() for f in kernels_of(parts)):
            package = None  # what is typed in at a prompt is never kept
        return _compiled(function, package)

    return compile_


def _compiled(function: F, package: str | None) -> F:
    """A function compiled by numba, kept in the cache of a package; not kept for None."""
    compiled: Any = njit(nogil=True, **_SETTINGS)(function)
    folder = None if DISABLED or package is None else cache_directory(package)
    if folder is not None:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            compiled._cache = KernelCache(function)
        except (RuntimeError, OSError):
            if Path(function.__code__.co_filename).is_file():  # what is typed in at a prompt is never kept
                say_once(f"{str(folder)!r} cannot be written: compiled kernels are not kept")
        finally:
            config.CACHE_DIR = before
    if not DISABLED:
        compiling.watch(compiled)
    return cast(F, compiled)


def helper(function: F) -> F:
    """Compiles a small ``function`` into its callers (LLVM's ``alwaysinline``), so that constant arguments fold away.

    Numba alone would compile it anew for each constant that it is called with; as it is folded into its callers anyway, one
    version for each type is enough. Where that makes callers slower, as loops over a constant do, there is `unrolled`.
    """
    compiled: Any = unrolled(function)
    if not DISABLED:
        resolve = compiled.get_call_template

        def resolve_types(args: Any, kws: Any) -> Any:
            """What a call from another kernel resolves to, whatever constants are among its arguments."""
            return resolve(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()})

        compiled.get_call_template = resolve_types
    return cast(F, compiled)


def unrolled(function: F) -> F:
    """As `helper`, but compiled anew for each constant that it is called with, so that its loops can be unrolled."""
    return cast(F, njit(forceinline=True, **_SETTINGS)(function))


def inlined(function: F) -> F:
    """A kernel as one that is compiled into its callers, which saves the time of handing over arrays."""
    if DISABLED:
        return function
    python: Any = function
    return cast(F, njit(nogil=True, forceinline=True, **_SETTINGS)(python.py_func))


def driver(function: F) -> F:
    """Marks a function that takes kernels as arguments: numba inlines it into the kernel that calls it.

    All games share such a function; `closure` compiles it for each of them.
    """
    return cast(F, njit(inline="always", **_SETTINGS)(function))
