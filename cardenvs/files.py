"""Files that are whole or not there, and figures as JSON."""

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
    """Writes a file whole or not at all: to a temporary name beside it, then renamed.

    Args:
        path: where the file is to be; its folder is made if need be.
        content: what the file is to hold, text or bytes.
        mode: who may read and write the file, as for `os.chmod`.

    Raises:
        OSError: the folder cannot be written; a file that was there is as it was.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, name):
            error.filename = os.fspath(target)  # a full disk is reported without one
        raise


def sweep(path: str | os.PathLike[str]) -> None:
    """Removes what `write_whole` left beside a file if it was killed; nobody else may be writing the file."""
    target = Path(path)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*"):
        left.unlink(missing_ok=True)


def finite(value: Any) -> Any:
    """Plain values as JSON has them: dicts, lists (tuples become lists), and None for numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def json_text(figures: Mapping[str, Any]) -> str:
    """One JSON object, indented, with a line's end behind it; see `finite`."""
    return json.dumps(finite(figures), indent=2, allow_nan=False) + "\n"
