"""Exported policies: a trained actor in one small ``.safetensors`` file, with what it is and how it came about.

The file holds the actor's weights, nothing of the optimizer, and in its header a JSON record: game, rule options, settings,
seed, learning curve, a fingerprint of the rules and one of the weights. Reading it runs no code.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.envs.batch import Batch
from cardenvs.files import write_whole
from cardenvs.spec import GameSpec, get_game
from cardenvs.train.checkpoint import layout, layout_hash, read_checkpoint

SUFFIX = ".safetensors"
FORMAT = 1
"""Version of the record."""
_RECORD = "cardenvs"
_GAMES, _STEPS = 32, 120


def rules_hash(game: str | GameSpec, options: Mapping[str, Any]) -> str:
    """16 hex digits that change when a game is dealt, seen, played or paid differently from before.

    They come from some deals between players who take any legal action: observations, masks and rewards.

    Args:
        game: name or spec.
        options: rule options.
    """
    batch = Batch(game, _GAMES, seed=20_150_001, **options)
    digest = hashlib.sha256(json.dumps(layout(batch.spec)).encode())
    for step in range(_STEPS):
        for array in (batch.observations, batch.action_masks, batch.rewards, batch.to_act):
            digest.update(array.tobytes())
        # Of the legal actions the one whose turn it is, other ones in other games.
        legal = batch.action_masks.cumsum(1)
        wanted = (np.arange(_GAMES) * 7 + step * 5) % legal[:, -1] + 1
        batch.step((legal == wanted[:, None]).argmax(1))
    return digest.hexdigest()[:16]


def _weights_hash(weights: Mapping[str, npt.NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].dtype} {weights[name].shape}".encode())
        digest.update(np.ascontiguousarray(weights[name]).tobytes())
    return digest.hexdigest()


def export(
    checkpoint: str | os.PathLike[str], path: str | os.PathLike[str], *, belief_decisions: int = 0, **notes: Any
) -> dict[str, Any]:
    """Writes the policy of a checkpoint as a ``.safetensors`` file.

    Args:
        checkpoint: a ``policy.zip`` of a training run.
        path: the file to write; its name must end in ``.safetensors``.
        belief_decisions: if above 0, so many decisions of the policy are played to fit a belief network, which goes into
            the file, too (`cardenvs.train.inference.belief`).
        notes: more entries for the record, such as ``commit="1a2b3c4"``.

    Returns:
        The record.

    Raises:
        ValueError: another suffix; no checkpoint, or one of another layout of its game; a belief network for
            a game without hidden places.
        OSError: the checkpoint cannot be read, or the file not be written.
    """
    from safetensors.numpy import save

    from cardenvs.train.inference.actors import ACTOR_PARTS
    from cardenvs.train.inference.belief import fit_belief, places
    from cardenvs.train.inference.columns import features_hash
    from cardenvs.train.inference.learned import load

    if Path(path).suffix != SUFFIX:
        raise ValueError(f"the file must end in {SUFFIX}, not {os.fspath(path)!r}")
    opened = read_checkpoint(checkpoint)
    game = get_game(opened.record["game"])
    opened.check_game(game)
    if belief_decisions and not places(game):
        raise ValueError(f"{game.name} has no places of hidden cards for a belief network")
    config = opened.record["config"]
    weights = {name: array for name, array in opened.weights().items() if name.startswith(ACTOR_PARTS)}
    if belief_decisions:
        player = load(game, checkpoint, sample=True)
        belief, losses = fit_belief(
            player, belief_decisions, canonical_suits=config["canonical_suits"], seed=config["seed"], **config["options"]
        )
        weights |= belief.weights()
        notes["belief"] = {"decisions": belief_decisions, "nats": losses}
    record = {
        "format": FORMAT,
        "game": game.name,
        "options": config["options"],
        "activation": config["activation"],
        "canonical_suits": config["canonical_suits"],
        "version": metadata.version("cardenvs"),
        "layout_hash": layout_hash(game),
        "rules_hash": rules_hash(game, config["options"]),
        "weights_sha256": _weights_hash(weights),
        "seed": config["seed"],
        "steps": opened.record["steps"],
        "hours": round(opened.record["seconds"] / 3600, 3),
        "config": config,
        "curve": opened.record["curve"],
        **({"features_hash": features_hash()} if config.get("network") == "columns" else {}),
        **notes,
    }
    write_whole(path, save(weights, {_RECORD: json.dumps(record)}))
    return record


def read_export(path: str | os.PathLike[str]) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, Any]]:
    """The weights and the record of an exported policy.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no exported policy, a truncated or an edited one, or one of a later version; says which.
    """
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    if not Path(name).is_file():
        raise FileNotFoundError(2, "no policy there", name)
    try:
        with safe_open(name, "numpy") as file:
            header = file.metadata() or {}
            weights = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  # not a mapping
        record = json.loads(header[_RECORD])
        stored, format_ = record["weights_sha256"], int(record["format"])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{name!r} is no exported policy, or a damaged one: {' '.join(str(error).split())}") from error
    if format_ > FORMAT:
        raise ValueError(f"{name!r} has format {format_}: this version reads formats up to {FORMAT}")
    if stored != _weights_hash(weights):
        raise ValueError(f"{name!r} is damaged or was edited: its weights are not those that were exported")
    return weights, record


def check_export(path: str | os.PathLike[str], record: Mapping[str, Any], game: GameSpec) -> None:
    """Makes sure that an exported policy plays ``game`` as this version has it.

    Raises:
        ValueError: another game; observations, actions or rules that have changed since.
    """
    name = os.fspath(path)
    if record["game"] != game.name:
        raise ValueError(f"the policy {name!r} plays {record['game']}, not {game.name}")
    changed = "observation or set of actions" if record["layout_hash"] != layout_hash(game) else None
    if changed is None and record["rules_hash"] != rules_hash(game, record["options"]):
        changed = "set of rules"
    if changed is None and "features_hash" in record:
        from cardenvs.train.inference.columns import features_hash

        changed = "set of a column's features" if record["features_hash"] != features_hash() else None
    if changed is not None:
        raise ValueError(
            f"the policy {name!r} was trained by cardenvs {record['version']} for another {changed} of {game.name} "
            f"than version {metadata.version('cardenvs')} has: train it anew"
        )
