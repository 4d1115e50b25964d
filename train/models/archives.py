"""Zip files from untrusted sources: their unfolded size is known from their directory before anything is unfolded.

A small zip can unfold to any size, and the zips within it (torch's tensors, NumPy's arrays) can, too. All are refused by
their directories; no member is read beyond the size that its directory names.
"""

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
    """Checks that a zip unfolds to a reasonable size.

    Args:
        archive: the zip, opened for reading.

    Raises:
        ValueError: too many members, too large ones, or a kind of compression that is not looked into.
    """
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
    """The content of a zip's member, no more of it than the directory says.

    Args:
        archive: the zip, which `check_directory` has passed.
        name: the member's name.
        most: the most bytes that the content may have.

    Raises:
        KeyError: there is no such member.
        ValueError: a larger member.
        Exception: what `zipfile` raises for damaged ones.
    """
    member = archive.getinfo(name)
    if member.file_size > most:
        raise ValueError(f"its member {name!r} has {member.file_size:,} bytes, more than {most:,}")
    with archive.open(member) as file:
        # Asked for a number of bytes, zipfile unfolds no more than that, whatever the member holds.
        content = file.read(member.file_size)
        if len(content) != member.file_size or file.read(1):
            raise ValueError(f"its member {name!r} has another size than its directory says")
    return content


def read_arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays in the content of an ``.npz`` file, by name; none of objects.

    Raises:
        ValueError: an array that is not what its header says, or one of objects.
        Exception: what `zipfile` and NumPy raise for damaged files.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_directory(archive)
        return {name.removesuffix(".npy"): _read_array(name, read_member(archive, name)) for name in archive.namelist()}


def _read_array(name: str, content: bytes) -> npt.NDArray[Any]:
    """The array in the content of an ``.npy`` file; nothing is made before the header is known to tell its size."""
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
