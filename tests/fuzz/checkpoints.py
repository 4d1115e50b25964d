"""Fuzzing of checkpoints: each mutation of a training run's zip is loaded and plays, or is refused in one clear line.

Bytes of the zip are mutated, its record, its tensors and arrays, and its directories, which then lie about sizes. Needs
torch.
"""

import functools
import io
import json
import random
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cardenvs import policy
from cardenvs.train.config import Config, stored_config
from cardenvs.train.learning.self_play import Training
from cardenvs.train.models.checkpoint import read_checkpoint
from tests.fuzz.policy_files import decisions_of
from tests.fuzz.running import file_with, mutated_bytes, mutated_value, told


@functools.cache
def whole() -> dict[str, bytes]:
    """The members of a small run's checkpoint, by name."""
    with tempfile.TemporaryDirectory() as folder:
        Training(Config("euchre", games=4, rollout=2, net=(8, 8), threads=1, eval_deals=2), folder)
        with zipfile.ZipFile(Path(folder) / "policy.zip") as archive:
            return {name: archive.read(name) for name in archive.namelist()}


def packed(members: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    """A zip of members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def lying(content: bytes, size: int) -> bytes:
    """A zip whose directory and headers give the first large member's unfolded size as another one."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        member = max(archive.infolist(), key=lambda member: member.file_size)
    truth = member.file_size.to_bytes(4, "little")
    return content.replace(truth, (size % 2**32).to_bytes(4, "little"))


def _tensor(tensor: torch.Tensor, rng: random.Random) -> Any:
    """Something in the place of a tensor."""
    shape = tuple(tensor.shape)
    changed = tensor.clone()
    changed.view(-1)[rng.randrange(changed.numel())] = rng.choice((float("nan"), float("inf"), 1e30))
    return rng.choice((
        changed, tensor.half(), tensor.double(), tensor.int(), tensor.bool(), tensor.to_sparse(), tensor[:0], tensor[None],
        tensor.reshape(-1), torch.zeros(()), torch.zeros(1).expand(2**34), torch.zeros(1).expand(1, *shape),
        torch.zeros(shape, dtype=torch.complex64), torch.zeros(shape, device="meta"), None, 3, "x", [tensor], {"a": tensor},
        tensor.to(torch.bfloat16), torch.nn.Parameter(tensor),
    ))  # fmt: skip


def _mutated_tensors(content: bytes, rng: random.Random) -> bytes:
    """The content of a ``.pth`` file with one of its tensors or names changed."""
    state: Any = torch.load(io.BytesIO(content), weights_only=True)
    name = rng.choice(list(state))
    kind = rng.randrange(6)
    if kind < 3:
        state[name] = _tensor(state[name], rng)
    elif kind == 3:
        del state[name]
    elif kind == 4:
        state[rng.choice(("", "x", 5, "belief.0.weight", "mlp_extractor.policy_net.x.weight"))] = state[name]
    else:
        state = rng.choice((None, [], 5, {}, {"a": 1}, state[name], list(state.items())))
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


def _mutated_arrays(rng: random.Random) -> bytes:
    """An ``.npz`` file with odd arrays, or with one whose header lies."""
    file = io.BytesIO()
    array: Any = rng.choice((np.zeros(3), np.zeros((2, 0)), np.zeros(2, "i4,f8"), np.array(["x"]), np.zeros((), "M8[s]")))
    np.save(file, array)
    content = file.getvalue()
    if rng.random() < 0.7:
        shape = rng.choice((b"(10**9,)", b"(999999999999,)", b"(-3,)", b"(3, 3, 3)", b"'x'", b"(2.5,)", b"((((", b"[3]"))
        for before in (b"(3,)", b"(2, 0)", b"(2,)", b"(1,)", b"()"):
            content = content.replace(b"'shape': " + before, b"'shape': " + shape)
    return packed({"env_games.npy": content, "x": b"", "y.npy": mutated_bytes(content, rng)})


def _load(path: str) -> Any:
    """Opens a checkpoint in all the ways in which it is used."""
    opened = read_checkpoint(path)
    told(opened.read_resume_arrays)
    told(stored_config, opened)
    told(opened.read_tensors, "policy.optimizer")
    return policy.make("euchre", path)


def trial(rng: random.Random) -> str:
    """Mutates a checkpoint in one of several ways and loads it."""
    members = dict(whole())
    kind = rng.choice(("bytes", "member", "record", "record", "tensors", "arrays", "lying", "left out"))
    packing = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    name = rng.choice(list(members))
    if kind == "member":
        members[name] = mutated_bytes(members[name], rng)
    elif kind == "record":
        record: Any = json.loads(members["cardenvs.json"])
        members["cardenvs.json"] = json.dumps(mutated_value(record, rng)).encode()
    elif kind == "tensors":
        members["policy.pth"] = _mutated_tensors(members["policy.pth"], rng)
    elif kind == "arrays":
        members["resume.npz"] = _mutated_arrays(rng)
    elif kind == "left out":
        del members[name]
    content = packed(members, packing)
    if kind == "bytes":
        content = mutated_bytes(content, rng)
    elif kind == "lying":
        content = lying(content, rng.choice((0, 1, 100, 2**31, 2**32 - 1)))
    with file_with(content, "mutated.zip") as path:
        player = told(_load, str(path))
        if player is None:
            return f"{kind}: refused"
        decisions_of("euchre", player)
    return f"{kind}: loaded"
