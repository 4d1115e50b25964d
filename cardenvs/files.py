"""Files that are written whole or not at all, and figures as JSON."""

import contextlib
import fnmatch
import glob
import json
import math
import os
import re
import stat
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def write_whole(path: str | os.PathLike[str], content: bytes | str, mode: int = 0o644) -> None:
    """Writes a file whole or not at all: under a temporary name beside it, which is then renamed.

    Removes temporary files of the same file that killed writers left.

    Args:
        path: the file's path; a missing folder is made.
        content: the file's content; text is written as UTF-8, lone surrogates spelled out.
        mode: the file's permissions, as the number that `os.chmod` takes.

    Raises:
        OSError: the file cannot be written; an earlier file of that name is unchanged.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    sweep(target)
    handle, name = _make_temporary(target)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode(errors="backslashreplace") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(name, mode)
            if fcntl is not None:  # still locked: it is not swept
                os.replace(name, target)
        if fcntl is None:
            os.replace(name, target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, name):
            error.filename = os.fspath(target)  # the error of a full disk names no file
        raise


def _make_temporary(target: Path) -> tuple[int, str]:
    """Returns the descriptor and path of a new temporary file beside a file, open and locked while it is written."""
    while True:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        _lock(handle, wait=True)
        with contextlib.suppress(FileNotFoundError):
            if os.stat(name).st_ino == os.fstat(handle).st_ino:
                return handle, name
        os.close(handle)  # swept between being made and being locked


def _lock(handle: int, *, wait: bool) -> bool | None:
    """Locks an open file; returns whether that succeeded, None where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # not on this kind of disk
        return None
    return True


def name_in_path(name: str) -> str:
    """Returns a game's name for paths, without ``:``, ``=`` and commas: ``hanabi-players-3`` for ``hanabi:players=3``."""
    return re.sub("[:=,]", "-", name)


def sweep(path: str | os.PathLike[str]) -> None:
    """Removes temporary files that killed `write_whole` left beside a file; those in progress stay."""
    target = Path(path)
    sweep_folder(target.parent, glob.escape(target.name))


def sweep_folder(folder: str | os.PathLike[str], *patterns: str) -> None:
    """Removes temporary files that killed `write_whole` left in a folder; those in progress stay.

    A writer's lock ends with its process. Where files cannot be locked, those that are a day old are removed.

    Args:
        folder: the folder, which need not exist.
        patterns: the names of the files that were to be written, as `fnmatch` takes them.
    """
    try:
        names = os.listdir(folder)
    except OSError:  # none there, or none that may be looked at
        return
    for name in names:
        named = _TEMPORARY.fullmatch(name)
        if named is not None and any(fnmatch.fnmatchcase(named[1], pattern) for pattern in patterns):
            with contextlib.suppress(OSError):  # of another user, or just swept by another process
                _sweep_file(os.path.join(folder, name))


_TEMPORARY = re.compile(r"\.(.+)\.[a-z0-9_]{8}", re.DOTALL)
_OLD = 86_400  # seconds after which a file is dead that cannot be locked


def _sweep_file(path: str) -> None:
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(handle)
        free = _lock(handle, wait=False)
        dead = time.time() - status.st_mtime > _OLD if free is None else free
        if dead and stat.S_ISREG(status.st_mode) and fcntl is not None:
            os.unlink(path)
    finally:
        os.close(handle)
    if dead and fcntl is None:  # an open file cannot be removed where there are no locks
        os.unlink(path)


def finite(value: Any) -> Any:
    """Converts tuples to lists, and numbers that JSON cannot hold (nan and the infinities) to None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def json_text(figures: Mapping[str, Any]) -> str:
    """Returns figures as an indented JSON object and a line end; nan and the infinities become null."""
    return json.dumps(finite(figures), indent=2, allow_nan=False).replace("\x7f", "\\u007f") + "\n"
