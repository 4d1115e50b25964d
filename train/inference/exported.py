"""Exported policies as files: what is in a ``.safetensors`` file of `cardenvs.train.export`, read and checked.

The file holds the actor's weights, nothing of the optimizer, and in its header a JSON record: game, rule options, settings,
seed, learning curve, a fingerprint of the rules and one of the weights. Reading it runs no code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.spec import GameSpec
from cardenvs.train.fingerprints import layout_hash, rules_hash, weights_hash
from cardenvs.train.inference.columns import features_hash

SUFFIX = ".safetensors"
"""The ending of an exported policy's file name."""
FORMAT = 1
"""Version of the record."""
RECORD = "cardenvs"
"""The entry of the file's header that holds the record, as JSON."""


def read_export(path: str | os.PathLike[str]) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, Any]]:
    """Reads an exported policy.

    Args:
        path: the ``.safetensors`` file.

    Returns:
        The weights by name, float32, and the record.

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
        record = json.loads(header[RECORD])
        stored, format_ = record["weights_sha256"], int(record["format"])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{name!r} is no exported policy, or a damaged one: {' '.join(str(error).split())}") from error
    if format_ > FORMAT:
        raise ValueError(f"{name!r} has format {format_}: this version reads formats up to {FORMAT}")
    if stored != weights_hash(weights):
        raise ValueError(f"{name!r} is damaged or was edited: its weights are not those that were exported")
    return weights, record


def check_export(path: str | os.PathLike[str], record: Mapping[str, Any], game: GameSpec) -> None:
    """Makes sure that an exported policy plays a game as this version of the package has it.

    Args:
        path: the policy's file, for the message.
        record: the policy's record, from `read_export`.
        game: the game to play.

    Raises:
        ValueError: the policy plays another game; or the game's observations, actions or rules, or the features of
            Five-O's columns, have changed since the policy was trained.
    """
    name = os.fspath(path)
    if record["game"] != game.name:
        raise ValueError(f"the policy {name!r} plays {record['game']}, not {game.name}")
    changed = None
    if record["layout_hash"] != layout_hash(game):
        changed = "observation or set of actions"
    elif record["rules_hash"] != rules_hash(game, record["options"]):
        changed = "set of rules"
    elif "features_hash" in record and record["features_hash"] != features_hash():
        changed = "set of a column's features"
    if changed is not None:
        raise ValueError(
            f"the policy {name!r} was trained by cardenvs {record['version']} for another {changed} of {game.name} "
            f"than version {metadata.version('cardenvs')} has: train it anew"
        )
