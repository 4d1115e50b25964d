"""Versions that must be the same on all machines for results to be the same to the bit."""

from __future__ import annotations

import hashlib
import os
import platform
from importlib import metadata, resources
from pathlib import Path

_KINDS = {".py", ".rcy", ".safetensors"}  # endings of the files that determine results: programs, described games, policies


def package_versions() -> dict[str, str]:
    """Returns the versions of Python and of the packages that results depend on, and a hash of this package's files."""
    found = {"python": ".".join(platform.python_version_tuple()[:2])}
    found |= {name: metadata.version(name) for name in ("numpy", "numba", "cardenvs")}
    return found | {"cardenvs files": _files_hash()}


def _files_hash() -> str:
    """Returns a hash, 12 hex digits, of all files of the package that determine results."""
    digest = hashlib.sha256()
    root = Path(str(resources.files("cardenvs")))
    paths = []
    for folder, folders, names in os.walk(root, followlinks=True):  # in a checkout some folders are links
        folders[:] = [name for name in folders if not name.startswith(("_", "."))]
        paths += [Path(folder, name) for name in names if Path(name).suffix in _KINDS]
    for path in sorted(paths):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def version_differences(here: dict[str, str], there: dict[str, str]) -> list[str]:
    """Returns a text for each difference of another machine's `package_versions` from those of this one."""
    names = [name for name in (here | there) if here.get(name) != there.get(name)]
    return [f"{name} {there.get(name, 'of none')}, here {here.get(name, 'none')}" for name in names]
