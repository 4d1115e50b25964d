"""Exported policies: the content of a ``.safetensors`` file of `cardenvs.train.export`, read without running code.

The file holds the actor's weights and in its header a JSON record, with fingerprints of rules, record and weights. In
format 1 the hash is of the weights only; what decides how such a policy plays stands in its record twice.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import is_int
from cardenvs.contract.registry import game_file, named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import playing_config
from cardenvs.train.inference.columns import features_hash
from cardenvs.train.models import entries
from cardenvs.train.models.fingerprints import content_hash, layout_hash, outdated_message, rules_hash, weights_hash
from cardenvs.train.models.weights import check_weights

SUFFIX = ".safetensors"  # the ending of an exported policy's file name
FORMAT = 2  # version of the record
RECORD = "cardenvs"  # the entry of the file's header that holds the record, as JSON
HASH = "sha256"  # the record's entry for the hash of everything else in the record and of the weights
MOST_BYTES = 256 << 20  # the size of the largest file that is read
_MOST_HEADER = 16 << 20

_NEEDED: dict[str, entries.Check] = {
    "game": entries.is_file_name,
    "options": entries.is_a(dict),
    "activation": entries.is_text,
    "canonical_suits": entries.is_a(bool),
    "version": entries.is_text,
    "layout_hash": entries.is_hex(16),
    "rules_hash": entries.is_hex(16),
    "weights_sha256": entries.is_hex(64),
    "seed": entries.is_count,
    "steps": entries.is_count,
    "hours": entries.is_time,
    "config": entries.is_a(dict),
    "curve": entries.is_curve,
}
_OPTIONAL: dict[str, entries.Check] = {
    "features_hash": entries.is_hex(16),
    "belief": entries.is_belief,
    "torch_threads": entries.is_counts,
}


def file_content(weights: Mapping[str, npt.NDArray[np.float32]], record: Mapping[str, Any]) -> bytes:
    """Returns the content of an exported policy's file; format and hashes are added to the record. Raises ValueError for
    weights or a record that `read_export` would not read."""
    from safetensors.numpy import save

    whole = {"format": FORMAT} | {key: value for key, value in record.items() if key not in ("format", HASH)}
    whole["weights_sha256"] = weights_hash(weights)
    # Read back from its text, the record is what readers will see: lists instead of tuples, texts as names.
    whole = json.loads(json.dumps(whole))
    whole[HASH] = content_hash(whole, weights)
    _check_content(weights, whole)
    return save(dict(weights), {RECORD: json.dumps(whole)})


def read_export(path: str | os.PathLike[str]) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, Any]]:
    """Reads the weights by name, float32, and the record of an exported policy. Raises FileNotFoundError, OSError, or
    ValueError for no exported policy, a damaged, edited or later one."""
    name = os.fspath(path)
    if not Path(name).is_file():
        raise FileNotFoundError(2, "no policy there", name)
    with open(name, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    damaged = f"{name!r} is no exported policy, or a damaged one"
    with entries.refused_as(damaged):
        weights, record = _parse_content(content)
        if not is_int(record.get("format")) or record["format"] < 1:
            raise ValueError("its record does not say which format it is of")
    if record["format"] > FORMAT:
        later = record["format"] if record["format"] < 1e9 else "of the far future"
        raise ValueError(f"{name!r} has format {later}: this version reads formats up to {FORMAT}")
    with entries.refused_as(damaged, (ValueError, RecursionError)):  # JSON may be nested too deep
        _check_content(weights, record)
    return weights, record


def _parse_content(content: bytes) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, Any]]:
    """Parses the weights and the record in a file's content; the parsers raise anything on arbitrary bytes."""
    from safetensors.numpy import load

    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES >> 20} MiB")
    length = int.from_bytes(content[:8], "little")
    if not 2 <= length <= min(len(content) - 8, _MOST_HEADER):
        raise ValueError("it does not begin with a header of JSON")
    header = json.loads(content[8 : 8 + length])
    weights = load(content)
    texts = header.get("__metadata__") if isinstance(header, dict) else None
    if not isinstance(texts, dict) or set(texts) != {RECORD}:
        raise ValueError("its header has no record of cardenvs, or more than that")
    with entries.refused_as("its record is no JSON"):
        record = json.loads(texts[RECORD])
    return weights, record if isinstance(record, dict) else {}


def _check_content(weights: Mapping[str, npt.NDArray[np.float32]], record: Mapping[str, Any]) -> None:
    """Checks weights and entries of the record, their hashes, and that entries which the settings repeat are the same."""
    if record.get("weights_sha256") != weights_hash(weights):
        raise ValueError("its weights are not those that were exported")
    # A file of format 1 has no hash of its record; with one it is an edited file of a later format.
    hashed = {key: value for key, value in record.items() if key != HASH}
    if record.get(HASH) != (None if record["format"] == 1 else content_hash(hashed, weights)):
        raise ValueError("its record is not the one that was exported")
    check_weights(weights)
    entries.check_entries(record, _NEEDED, _OPTIONAL)
    try:
        named_game(record["game"])
    except ValueError:
        if game_file(record["game"]) is not None:
            return  # a described game whose file lies elsewhere: `check_export` will refuse it for any other
    config = playing_config(record["config"], record["game"])
    for name in ("options", "activation", "canonical_suits", "seed"):
        if record[name] != getattr(config, name):
            raise ValueError(f"its record has another {name!r} than its settings")


def check_export(path: str | os.PathLike[str], record: Mapping[str, Any], game: GameSpec) -> None:
    """Raises ValueError unless a policy fits this version's game: observations, actions, rules, column features."""
    name = os.fspath(path)
    if record["game"] != game.name:
        raise ValueError(f"the policy {name!r} plays {record['game']}, not {game.name}")
    game = game.plain.with_recall(record["config"].get("recall", False))
    changed = None
    if record["layout_hash"] != layout_hash(game):
        changed = "observation or set of actions"
    elif record["rules_hash"] != rules_hash(game, record["options"]):
        changed = "set of rules"
    elif "features_hash" in record and record["features_hash"] != features_hash():
        changed = "set of a column's features"
    if changed is not None:
        raise ValueError(outdated_message(name, record["version"], changed, game))
