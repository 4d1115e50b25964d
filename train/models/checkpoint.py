"""Checkpoints: Stable-Baselines3's zip with a record (``cardenvs.json``) and games and random numbers (``resume.npz``).

Reading one here runs no pickled code: torch, 2.10 or later, reads weights only, arrays are without objects, and SB3's
pickled ``data`` is not read. ``MaskablePPO.load`` does unpickle it: on a zip from others it runs the code that it holds.
"""

import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import plugins
from cardenvs.contract.registry import get_game, named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.train.models import entries
from cardenvs.train.models.fingerprints import layout, layout_hash, outdated_message

FORMAT = 1  # version of `cardenvs.json` and `resume.npz`
RECORD, ARRAYS = "cardenvs.json", "resume.npz"  # members of the zip beside SB3's own
_SB3 = "_stable_baselines3_version"  # name of a member of every zip that Stable-Baselines3 saves
OLDEST_TORCH = (2, 10)  # the oldest version of torch with which weights from untrusted files are read
_MOST_MEMBERS = 10_000
_MOST_BYTES = 4 << 30
_FREE_BYTES = 64 << 20  # so much may be unfolded however small the zip is
_MOST_RATIO = 100  # beyond that, a member may take so many times its packed size
_KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MOST_RECORD = 16 << 20
_MOST_WEIGHTS = 1 << 28  # entries of a tensor, however few of them are stored
_NEEDED: dict[str, entries.Check] = {"format": entries.is_count, "game": entries.is_file_name}
_OPTIONAL: dict[str, entries.Check] = {
    "version": entries.is_text,
    "layout_hash": entries.is_text,
    "layout": entries.is_layout,
    "config": entries.is_a(dict),
    "steps": entries.is_count,
    "seconds": entries.is_time,
    "updates": entries.is_count,
    "curve": entries.is_curve,
    "torch_threads": entries.is_counts,
    "path": entries.is_path,
    "description": entries.is_text,
}


@dataclass(frozen=True)
class Checkpoint:
    """An opened checkpoint: its record, and its other members on request."""

    path: str
    record: dict[str, Any]  # content of ``cardenvs.json``: game, layout, settings (``config``), steps, curve and more

    def read_tensors(self, name: str) -> dict[str, Any]:
        """Reads a state dict of torch: ``"policy"`` for the weights, ``"policy.optimizer"`` for Adam's state. Raises
        ValueError if the member is missing or damaged, or torch is not installed or too old."""
        plugins.require("torch", "train", f"the policy {self.path!r}")
        import torch

        if tuple(map(int, torch.__version__.split(".")[:2])) < OLDEST_TORCH:
            wanted = ".".join(map(str, OLDEST_TORCH))
            raise ValueError(f"the policy {self.path!r} needs torch {wanted} or later, not {torch.__version__}")
        content = _read_member(self.path, f"{name}.pth")
        damage = f"the checkpoint {self.path!r} is damaged: {name}.pth is no state dict"
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:  # torch unfolds what its zip's directory says
                check_directory(archive)
            state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        except Exception as error:  # the unpickler raises anything on arbitrary bytes
            raise ValueError(damage) from error
        if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
            raise ValueError(damage)
        return state

    def read_weights(self) -> dict[str, npt.NDArray[np.float32]]:
        """Reads the policy's weights, float32, by their names in its state dict; raises ValueError as `read_tensors`."""
        tensors = self.read_tensors("policy")
        import torch

        for name, tensor in tensors.items():
            # A view may show a stored number a billion times over; other kinds than dense ones are no weights.
            plain = isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided and tensor.dtype == torch.float32
            if not plain or tensor.device.type != "cpu" or tensor.numel() > _MOST_WEIGHTS:
                raise ValueError(f"the checkpoint {self.path!r} is damaged: {name[:80]!r} in policy.pth are no weights")
        with _named_damage(self.path):
            return as_arrays(tensors)

    def read_resume_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Reads the arrays that the run goes on with: games, random numbers, earlier selves; ValueError for damage."""
        content = _read_member(self.path, ARRAYS)
        with _named_damage(self.path):
            return read_arrays(content)

    @property
    def recall(self) -> bool:
        """Whether the policy sees the order of play; False in checkpoints from before policies could."""
        config = self.record.get("config")
        return isinstance(config, Mapping) and config.get("recall") is True

    @property
    def trained_game(self) -> GameSpec:
        """The game of the training, a user's description read from its file if still there; ValueError if unknown."""
        name, path = self.record["game"], self.record.get("path")
        # What packages describe goes by its name, wherever the package lay; a file of the user's is called as its game.
        if path is not None and os.path.basename(path) == name and os.path.isfile(path):
            return get_game(path)
        return named_game(name)

    def check_description(self, game: GameSpec) -> None:
        """Raises ValueError if the game's description has changed since the training began."""
        if self.record.get("game") == game.name and self.record.get("description", "") != game.digest:
            raise ValueError(
                f"the run of {self.path!r} was begun with another description of {game.name}, "
                "and cannot go on: restore it, or train anew in another folder"
            )

    def check_game(self, game: GameSpec) -> None:
        """Raises ValueError if the policy plays another game, or another layout of observations or actions."""
        trained = self.record.get("game")
        if trained != game.name:
            raise ValueError(f"the policy {self.path!r} plays {trained}, not {game.name}")
        game = game.plain.with_recall(self.recall)
        if self.record.get("layout_hash") != layout_hash(game):
            raise ValueError(outdated_message(self.path, self.record.get("version"), self._changed_part(game), game))

    def _changed_part(self, game: GameSpec) -> str:
        """Names the part of the game's layout that has changed since the policy was trained."""
        now, then = layout(game), self.record.get("layout", {})
        if now["actions"] != then.get("actions"):
            return "set of actions"
        before = dict(then.get("observation", []))
        for name, size in now["observation"]:
            if before.get(name) != size:
                return f"observation (part {name!r})"
        return "observation"


def as_arrays(state: Mapping[str, Any]) -> dict[str, npt.NDArray[np.float32]]:
    """Copies the tensors of a torch state dict to float32 arrays."""
    return {name: tensor.detach().cpu().numpy().astype(np.float32) for name, tensor in state.items()}


def write_checkpoint(
    path: str | os.PathLike[str],
    model: Any,
    game: GameSpec,
    record: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Writes the checkpoint of a model of SB3, whole or not at all; an OSError leaves an earlier one as it was. ``record``
    adds entries of JSON to game, layout and versions; ``arrays`` are for `Checkpoint.read_resume_arrays`."""
    described = {} if game.path is None else {"path": game.path, "description": game.digest}
    header = {"format": FORMAT, "game": game.name, **described, "version": metadata.version("cardenvs")}
    header |= {"layout_hash": layout_hash(game), "layout": layout(game)}
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **dict(arrays))
    file = io.BytesIO()
    model.save(file)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(RECORD, json.dumps({**header, **record}, indent=2))
        archive.writestr(ARRAYS, packed.getvalue())
    write_whole(path, file.getvalue())


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Opens a checkpoint; needs no torch. Raises FileNotFoundError, or ValueError for a file that is no checkpoint, a
    damaged one, or one of a later version."""
    name = os.fspath(path)
    if not Path(name).is_file():
        raise FileNotFoundError(2, "no checkpoint there", name)
    if not zipfile.is_zipfile(name):
        raise ValueError(f"{name!r} is no checkpoint: it is not a zip file, or only the first part of one")
    with _named_damage(name), zipfile.ZipFile(name) as archive:
        check_directory(archive)
        members = archive.namelist()
    if RECORD not in members and _SB3 in members:
        raise ValueError(
            f"{name!r} is a model that Stable-Baselines3 has saved: write sb3:{name}, "
            f"in Python cardenvs.frameworks.sb3.SB3Policy({name!r}), to play it (loading it runs the code in it)"
        )
    if RECORD not in members:
        raise ValueError(f"{name!r} is no checkpoint of cardenvs, or only the first part of one: it has no {RECORD}")
    with _named_damage(name):
        record = json.loads(_read_member(name, RECORD, _MOST_RECORD))
        version = record.get("format") if isinstance(record, dict) else None
        if not isinstance(version, int) or not entries.is_count(version):
            raise ValueError(f"{RECORD} does not say which format and game it is of")
    if version > FORMAT:
        written = f", written by cardenvs {record['version']}" if entries.is_text(record.get("version")) else ""
        raise ValueError(
            f"the checkpoint {name!r} has format {version}{written}: this version reads formats up to {FORMAT}"
        )
    with _named_damage(name):
        entries.check_entries(record, _NEEDED, _OPTIONAL)
    return Checkpoint(name, record)


def _read_member(path: str, member: str, most: int = 1 << 31) -> bytes:
    """Reads a member of the zip, of at most ``most`` bytes; a ValueError names the file if it is damaged."""
    with _named_damage(path), zipfile.ZipFile(path) as archive:
        check_directory(archive)
        return read_member(archive, member, most)


def _named_damage(path: str) -> AbstractContextManager[None]:
    """Refuses all errors: zipfile, zlib, NumPy and JSON have a dozen kinds for what is none of theirs."""
    return entries.refused_as(f"the checkpoint {path!r} is damaged")


# --- zip files from untrusted sources: refused by their directories, before anything is unfolded ---


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
