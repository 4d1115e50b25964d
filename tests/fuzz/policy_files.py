"""Fuzzing of exported policies: each mutation of a file loads as the file did, or is refused in one clear line.

Bits of the header and of the weights are mutated, entries of the record with the hash left as it was, and entries with the
hash made anew, as somebody with bad intentions would: then the policy may be loaded, and must play legal actions.
"""

import functools
import json
import random
from typing import Any

import numpy as np
from safetensors.numpy import load as parse
from safetensors.numpy import save

from cardenvs import policy
from cardenvs.train.inference.exported import FORMAT, HASH, RECORD, file_content, read_export
from cardenvs.train.inference.shipped import FOLDER
from cardenvs.train.models.fingerprints import content_hash, weights_hash
from tests.fuzz.running import file_with, mutated_bytes, mutated_value, told
from tests.helpers.batches import played_on


@functools.cache
def files() -> tuple[tuple[str, bytes, int], ...]:
    """Small exported policies: game, content, and where the weights begin in it."""
    found = []
    for name in ("five-o", "euchre"):
        weights, record = read_export(FOLDER / "generation-1" / f"{name}.safetensors")
        if name == "euchre":  # as it is, it is slow to read
            weights = {key: array for key, array in weights.items() if "belief" not in key}
            weights["mlp_extractor.policy_net.0.weight"] = weights["mlp_extractor.policy_net.0.weight"][:8]
            weights["mlp_extractor.policy_net.0.bias"] = weights["mlp_extractor.policy_net.0.bias"][:8]
            weights["mlp_extractor.policy_net.2.weight"] = weights["mlp_extractor.policy_net.2.weight"][:8, :8]
            weights["mlp_extractor.policy_net.2.bias"] = weights["mlp_extractor.policy_net.2.bias"][:8]
            weights["action_net.weight"] = weights["action_net.weight"][:, :8]
            weights = {key: np.ascontiguousarray(array) for key, array in weights.items()}
        content = file_content(weights, record)
        found.append((name, content, 8 + int.from_bytes(content[:8], "little")))
    return tuple(found)


@functools.cache
def _position(game: str) -> Any:
    """Positions of a game for policies to decide, each legal mask with more than one action."""
    return played_on(game, 8, 5)


def decisions_of(game: str, player: Any) -> list[int]:
    """What a policy decides in some positions, which must be legal."""
    batch = _position(game)
    chosen = player.act(batch.observations, batch.action_masks)
    assert batch.action_masks[np.arange(len(chosen)), chosen].all(), "an illegal action"
    return chosen.tolist()


@functools.cache
def _expected(game: str, content: bytes) -> Any:
    """What the policy of an untouched file decides, and its record."""
    with file_with(content, "whole.safetensors") as path:
        return decisions_of(game, policy.make(game, str(path))), read_export(path)[1]


def sealed(weights: dict[str, Any], record: dict[str, Any], format_: Any = FORMAT) -> bytes:
    """A file with hashes that fit, whatever its record and weights say."""
    whole = {**record, "weights_sha256": weights_hash(weights)}
    whole.pop(HASH, None)
    if format_ is not None:
        whole["format"] = format_
    if format_ != 1:
        whole[HASH] = content_hash(json.loads(json.dumps(whole)), weights)
    return save(weights, {RECORD: json.dumps(whole)})


def _mutated_weights(weights: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Weights of other types, shapes, names and numbers."""
    name = rng.choice(list(weights))
    array = weights[name]
    changed = dict(weights)
    kind = rng.randrange(8)
    if kind == 0:
        changed[name] = array.copy()
        changed[name].flat[rng.randrange(array.size)] = rng.choice((np.nan, np.inf, -np.inf))
    elif kind == 1:
        changed[name] = array.astype(rng.choice((np.float64, np.float16, np.int64, np.int8, np.bool_)))
    elif kind == 2:
        changed[name] = array[: rng.randrange(len(array) + 1)]
    elif kind == 3:
        changed[name] = array.reshape(rng.choice(((-1,), (1, -1), (-1, 1), (1, 1, -1))))
    elif kind == 4:
        del changed[name]
    elif kind == 5:
        changed[rng.choice(("", "x", f"{name}.bias", "belief.0.weight", "mlp_extractor.policy_net.1.weight"))] = array
    elif kind == 6:
        changed[name] = np.zeros(rng.choice(((), (0,), (0, 5), (1,), (3, 3))), np.float32)
    else:
        changed[name] = np.full_like(array, rng.choice((3e38, -3e38, 1e-45)))
    return {key: np.ascontiguousarray(value).reshape(np.shape(value)) for key, value in changed.items()}


def trial(rng: random.Random) -> str:
    """Mutates a file in one of several ways and loads it."""
    game, content, start = rng.choice(files())
    kind = rng.choice(("header", "header", "weights", "record", "sealed", "sealed", "sealed weights", "first format"))
    if kind == "header":
        content_now = mutated_bytes(content, rng, 0, start)
    elif kind == "weights":
        content_now = mutated_bytes(content, rng, start)
    else:
        record = json.loads(json.loads(content[8:start])["__metadata__"][RECORD])
        weights = dict(parse(content))
        if kind == "record":
            content_now = save(weights, {RECORD: json.dumps(mutated_value(record, rng))})
        elif kind == "sealed weights":
            content_now = sealed(_mutated_weights(weights, rng), record)
        else:
            mutated = mutated_value(record, rng)
            if not isinstance(mutated, dict):
                mutated = {"config": mutated}
            content_now = sealed(weights, mutated, 1 if kind == "first format" else FORMAT)
    with file_with(content_now, "mutated.safetensors") as path:
        player = told(policy.make, game, str(path))
        if player is None:
            return f"{kind}: refused"
        chosen = decisions_of(game, player)
        if kind in ("header", "weights", "record", "first format"):
            decided, known = _expected(game, content)
            assert chosen == decided, f"loaded, but plays otherwise: {kind}"
            assert kind == "first format" or read_export(path)[1] == known, "loaded with another record"
    return f"{kind}: loaded"
