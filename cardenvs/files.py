"""Files that are written whole or not at all, and figures as JSON."""

from __future__ import annotations

import glob
import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_whole(path: str | os.PathLike[str], content: bytes | str, mode: int = 0o644) -> None:
    """Writes a file whole or not at all: under a temporary name beside it, which is then renamed.

    Args:
        path: the file's path; a missing folder is made.
        content: the file's content; text is written as UTF-8, lone surrogates spelled out.
        mode: the file's permissions, as the number that `os.chmod` takes.

    Raises:
        OSError: the file cannot be written; an earlier file of that name is unchanged.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode(errors="backslashreplace") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, name):
            error.filename = os.fspath(target)  # the error of a full disk names no file
        raise


def sweep(path: str | os.PathLike[str]) -> None:
    """Removes temporary files that a killed `write_whole` left beside a file, which nobody may be writing meanwhile."""
    target = Path(path)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*"):
        left.unlink(missing_ok=True)


def finite(value: Any) -> Any:
    """Plain values with tuples as lists, and None for numbers that JSON cannot hold: nan and the infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def json_text(figures: Mapping[str, Any]) -> str:
    """Figures as an indented JSON object and a line end; nan and the infinities become null."""
    return json.dumps(finite(figures), indent=2, allow_nan=False).replace("\x7f", "\\u007f") + "\n"
