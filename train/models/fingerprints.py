"""Fingerprints of a stored network's game: if observations, actions or rules changed, old weights would play nonsense."""

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch

_DIGITS = 16
_GAMES, _STEPS = 32, 120  # played for `rules_hash`


def layout(game: GameSpec) -> dict[str, Any]:
    """Returns the names and sizes of the observation's parts, the names of the actions, and the symmetries put in order."""
    parts = {"observation": [[part.name, part.size] for part in game.parts], "actions": list(game.actions)}
    ordered = [symmetry.name for symmetry in game.symmetries if symmetry.canonical]
    return parts | ({"ordered": ordered} if ordered else {})


def layout_hash(game: GameSpec) -> str:
    """Returns 16 hex digits that change whenever `layout` does."""
    return hashlib.sha256(json.dumps(layout(game)).encode()).hexdigest()[:_DIGITS]


def rules_hash(game: str | GameSpec, options: Mapping[str, Any]) -> str:
    """Returns 16 hex digits that change when a game is dealt, seen, played or paid differently. They hash observations,
    masks and rewards of 32 games over 120 moves, in which the legal actions are taken in turn."""
    batch = Batch(game, _GAMES, seed=20_150_001, **options)
    digest = hashlib.sha256(json.dumps(layout(batch.spec)).encode())
    for step in range(_STEPS):
        for array in (batch.observations, batch.action_masks, batch.rewards, batch.to_act):
            digest.update(array.tobytes())
        # The legal actions are taken in turn, in each game from another one on.
        legal = batch.action_masks.cumsum(1)
        wanted = (np.arange(_GAMES) * 7 + step * 5) % legal[:, -1] + 1
        batch.step((legal == wanted[:, None]).argmax(1))
    return digest.hexdigest()[:_DIGITS]


def outdated_message(path: str, version: Any, changed: str, game: GameSpec) -> str:
    """Returns the message that a policy was trained before ``changed``, such as "set of rules", changed in a game."""
    if game.path is not None:
        return f"the policy {path!r} was trained for another {changed} than {game.path!r} describes now: train it anew"
    return (
        f"the policy {path!r} was trained by cardenvs {version} for another {changed} of {game.name} "
        f"than version {metadata.version('cardenvs')} has: train it anew"
    )


def content_hash(record: Mapping[str, Any], weights: Mapping[str, npt.NDArray[Any]]) -> str:
    """Returns 64 hex digits that change with anything in a network's record or weights."""
    written = json.dumps(record, sort_keys=True)
    return hashlib.sha256(f"{weights_hash(weights)} {written}".encode()).hexdigest()


def weights_hash(weights: Mapping[str, npt.NDArray[Any]]) -> str:
    """Returns 64 hex digits that change with any name, type, shape or entry of a network's weights."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].dtype} {weights[name].shape}".encode())
        digest.update(np.ascontiguousarray(weights[name]).tobytes())
    return digest.hexdigest()
