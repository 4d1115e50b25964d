"""Zip files from untrusted sources: refused by their directories, also zips within zips, before anything is unfolded."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_MEMBERS = 10_000
_MOST_BYTES = 4 << 30
_FREE_BYTES = 64 << 20  # so much may be unfolded however small the zip is
_MOST_RATIO = 100  # beyond that, a member may take so many times its packed size
_KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def check_directory(archive: zipfile.ZipFile) -> None:
    """Raises ValueError unless a zip has few enough members, of reasonable size and a known kind of compression."""
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise ValueError(f"it has {len(members)} members, more than {_MOST_MEMBERS}")
    total = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if total > min(_MOST_BYTES, _FREE_BYTES + _MOST_RATIO * packed):
        raise ValueError(f"it would unfold from {packed:,} to {total:,} bytes")
    for member in members:
        if member.compress_type not in _KINDS or member.flag_bits & 1:
            raise ValueError(f"its member {member.filename[:80]!r} is packed in a way that is not read")


def read_member(archive: zipfile.ZipFile, name: str, most: int = _MOST_BYTES) -> bytes:
    """Reads a member of a zip that passed `check_directory`, at most ``most`` bytes and no more than the directory says.
    Raises KeyError if it is missing, ValueError if it is larger, and what `zipfile` raises for damaged ones."""
    member = archive.getinfo(name)
    if member.file_size > most:
        raise ValueError(f"its member {name!r} has {member.file_size:,} bytes, more than {most:,}")
    with archive.open(member) as file:
        # Asked for a number of bytes, zipfile unfolds no more than that.
        content = file.read(member.file_size)
        if len(content) != member.file_size or file.read(1):
            raise ValueError(f"its member {name!r} has another size than its directory says")
    return content


def read_arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Reads the arrays of an ``.npz`` file by name. Raises ValueError for arrays of objects or other than their header
    says, and what `zipfile` and NumPy raise for damage."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_directory(archive)
        return {name.removesuffix(".npy"): _read_array(name, read_member(archive, name)) for name in archive.namelist()}


def _read_array(name: str, content: bytes) -> npt.NDArray[Any]:
    """Reads an ``.npy`` file, checking the size in its header before allocating."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    readers: Mapping[tuple[int, int], Any] = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise ValueError(f"the array {name!r} is of a version that is not read")
    shape, fortran, dtype = readers[version](file)
    if dtype.hasobject:
        raise ValueError(f"the array {name!r} holds objects")
    if not all(size >= 0 for size in shape) or math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"the array {name!r} is not of the size that its header says")
    flat = np.frombuffer(content, dtype, offset=file.tell()) if math.prod(shape) else np.zeros(0, dtype)
    return flat.reshape(shape, order="F" if fortran else "C").copy()
