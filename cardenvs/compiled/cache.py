"""Cache of compiled kernels: a private folder, or none, and files that may be damaged without harm.

Numba unpickles its cache, so write access means code execution. A folder is used only if it is the user's own and others
cannot write to it. Unreadable code is recompiled; without such a folder every process compiles for itself.
"""

import contextlib
import errno
import functools
import glob
import hashlib
import os
import pickle
import re
import secrets
import stat
import tempfile
import time
import types
from pathlib import Path
from typing import Any

import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from cardenvs.compiled.keys import key_of, reach
from cardenvs.compiled.linking import calls_of, load_call, name_next, stays_apart

VARIABLE = "NUMBA_CACHE_DIR"
"""Environment variable that names the cache folder."""

_DIGEST = hashlib.sha256().digest_size
_DAY_S = 24 * 3600
_KEPT_S = 30 * _DAY_S
"""Seconds after its last use for which compiled code is kept."""


def make_private(folder: str | os.PathLike[str]) -> Path:
    """Makes a folder, if it is missing, that only the user can enter; returns its path without links. Raises OSError for
    one that cannot be made or written to, that belongs to another user, or that others can write to."""
    path = Path(os.path.realpath(folder))
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.stat()
    if hasattr(os, "geteuid"):  # users have no numbers on Windows
        if status.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "it belongs to another user")
        if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and status.st_gid != status.st_uid):
            raise PermissionError(errno.EPERM, "others can write to it")
    with tempfile.TemporaryFile(dir=path):
        return path


def print_notice(text: str) -> None:
    """Prints a line on standard error; see `cardenvs.printing.announce`."""
    from cardenvs.printing import announce  # not loaded where nothing is printed

    announce(text)


@functools.cache
def say_once(text: str) -> None:
    """Prints a line on standard error, once in this process."""
    print_notice(text)


_remarks: list[str] = []


def say_remarks() -> None:
    """Prints, once, what is wrong with the cache folder."""
    for text in _remarks:
        say_once(text)


@functools.cache
def cache_home() -> Path | None:
    """Returns the folder in which all kernels are kept: ``NUMBA_CACHE_DIR``, else the user's cache folder; None if it is
    not private or cannot be written to, which is reported when something is compiled."""
    given = os.environ.get(VARIABLE)
    folder = given or platformdirs.user_cache_dir("cardenvs")
    try:
        return make_private(folder)
    except OSError as error:
        place = f"{VARIABLE} {given!r}" if given else f"the cache folder {folder!r}"
        _remarks.append(f"{place} is not used ({error.strerror}): compiled kernels are not kept")
        return None


@functools.cache
def kernel_folder() -> Path | None:
    """Returns the folder of compiled functions; None if nothing can be kept."""
    home = cache_home()
    if home is None:
        return None
    try:
        folder = make_private(home / "kernels")
        _remove_unused(folder)
    except OSError as error:
        say_once(f"{str(home)!r} is not used ({error.strerror}): compiled kernels are not kept")
        return None
    return folder


def _remove_unused(folder: Path) -> None:
    """Removes files without a recent look-up; once a day."""
    today, now = folder / ".looked-through", time.time()
    if not today.exists() or today.stat().st_mtime < now - _DAY_S:
        today.touch()
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < now - _KEPT_S:
                    path.unlink()


def is_kept() -> bool:
    """Returns whether later processes will find the kernels that this one compiles."""
    return kernel_folder() is not None and not _unwritten


class _Files(IndexDataCacheFile):
    """A kernel's files, each with a checksum before its content: damaged machine code must not run."""

    def save(self, key: Any, data: Any) -> None:
        """Keeps compiled code under a key, in a file with a unique name. Numba numbers the files by the index: two
        processes that save at the same time could use one number for the code of two signatures, and readers of one index
        would run the other's code."""
        name = self._load_index().get(key) or f"{Path(self._index_path).stem}.{secrets.token_hex(8)}.nbc"
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})

    def remove_all(self) -> None:
        """Removes all files of the function."""
        index = Path(self._index_path)
        for path in (index, *index.parent.glob(f"{glob.escape(index.stem)}.*.nbc")):
            path.unlink(missing_ok=True)

    def _load_index(self) -> Any:
        """Returns the names of the files with code, by signature and processor."""
        return self._read_checked(self._index_path) if os.path.exists(self._index_path) else {}

    def _save_index(self, overloads: Any) -> None:
        self._write_checked(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return self._read_checked(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write_checked(self._data_path(name), data)

    def _write_checked(self, path: str, what: Any) -> None:
        content = self._dump(what)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(content).digest() + content)

    @staticmethod
    def _read_checked(path: str) -> Any:
        """Returns the content of a file, which counts as used now."""
        content = Path(path).read_bytes()
        if hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
            raise pickle.UnpicklingError("the checksum is wrong")
        if os.stat(path).st_mtime < time.time() - _DAY_S:
            os.utime(path)
        return pickle.loads(content[_DIGEST:])


_unwritten: set[Path] = set()


class _Impl(CompileResultCacheImpl):
    """Serializer of compiled code to files, for a kernel whose source file numba does not look for. A file begins with the
    kernels that the code calls: their numbers among all that the kernel reaches, argument types and symbols."""

    def __init__(self, kernel: Any) -> None:
        self._kernel, code = kernel, kernel.py_func.__code__
        self._locator: Any = types.SimpleNamespace(ensure_cache_path=lambda: None, _py_file=code.co_filename)
        self._lineno = code.co_firstlineno

    def reduce(self, cres: Any) -> Any:
        """Returns the compiled code in a form that can be pickled."""
        reached = reach(self._kernel)
        return [(reached.index(one), args, symbol) for one, args, symbol in calls_of(cres)], super().reduce(cres)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Returns the compiled code, ready to run, after loading the kernels that it calls."""
        calls, payload = payload
        reached = reach(self._kernel)
        called = [load_call(reached[number], args, symbol) for number, args, symbol in calls]
        compiled = super().rebuild(target_context, payload)
        if called:
            compiled.library.called.update(dict.fromkeys(called))
        return compiled


class KernelCache(FunctionCache):
    """Numba's cache of a compiled function, found by its key (`cardenvs.compiled.keys`); its files may be damaged."""

    def __init__(self, kernel: Any, folder: Path) -> None:
        self._kernel, self._py_func, self._name = kernel, kernel.py_func, repr(kernel.py_func)
        self._impl, self._cache_path = _Impl(kernel), str(folder)
        self.enable()

    @functools.cached_property
    def _cache_file(self) -> _Files:
        """Files of the function; known at its first call, since it may call functions defined after it."""
        name = re.sub(r"[^\w.-]", "", f"{self._py_func.__module__}.{self._py_func.__name__}")
        return _Files(self._cache_path, f"{name[-120:]}-{key_of(self._kernel)}", None)

    @property
    def is_kept(self) -> bool:
        """Whether compiled code of the function is kept."""
        with contextlib.suppress(TypeError):
            return os.path.exists(self._cache_file._index_path)
        return False

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Returns the key of compiled code in the function's index: its types and the processor."""
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the compiled function for a signature; None if it is not kept, or damaged: then its files are removed."""
        try:
            self._cache_file  # noqa: B018
        except TypeError as error:
            say_once(f"a kernel is compiled in every process: {error}")
            self.disable()
            return None
        try:
            kept = super().load_overload(sig, target_context)
        except Exception:
            self._remove_files()
            kept = None
        if kept is None:
            name_next(Path(self._cache_file._index_path).stem, sig)
        else:
            stays_apart(self._kernel, kept)
        return kept

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps the compiled function for a signature; failures are reported once."""
        stays_apart(self._kernel, data)
        if not self._enabled:
            return
        try:
            try:
                super().save_overload(sig, data)
            except OSError:
                raise
            except Exception:  # the list was damaged meanwhile
                self._remove_files()
                super().save_overload(sig, data)
        except Exception as error:
            why = (isinstance(error, OSError) and error.strerror) or type(error).__name__
            _unwritten.add(Path(self._cache_path))
            say_once(f"{self._cache_path!r} cannot be written ({why}): compiled kernels are not kept")

    def _remove_files(self) -> None:
        with contextlib.suppress(OSError):
            self._cache_file.remove_all()
