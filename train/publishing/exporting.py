"""Exports the actor of a checkpoint as a ``.safetensors`` file (`cardenvs.train.inference.exported`); needs torch."""

import os
from importlib import metadata
from pathlib import Path
from typing import Any

from cardenvs.checks import check_bool
from cardenvs.files import write_whole
from cardenvs.train.config import stored_config
from cardenvs.train.inference.belief import holder_names
from cardenvs.train.inference.columns import features_hash
from cardenvs.train.inference.critic import CRITIC_PARTS
from cardenvs.train.inference.exported import SUFFIX, file_content, read_export
from cardenvs.train.inference.learned import load
from cardenvs.train.inference.plain_actor import ACTOR_PARTS
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.models.fingerprints import layout_hash, rules_hash


def export(
    checkpoint: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    belief_decisions: int = 0,
    critic: bool = False,
    **notes: Any,
) -> dict[str, Any]:
    """Writes the policy of a checkpoint as a ``.safetensors`` file and returns its record.

    Args:
        belief_decisions: decisions of the policy to fit a belief network to (`cardenvs.train.learning.belief`), which goes
            into the file, too; 0: no belief network.
        critic: whether the critic goes into the file, too, for searches that ask for values.
        notes: more entries for the record, such as ``commit="1a2b3c4"``.

    Raises:
        ValueError: another suffix; no checkpoint, or one of another layout of its game; a belief network for a game
            whose hidden cards have no holders; torch is not installed.
    """
    if Path(path).suffix != SUFFIX:
        raise ValueError(f"the file must end in {SUFFIX}, not {os.fspath(path)!r}")
    opened = read_checkpoint(checkpoint)
    game = opened.trained_game
    opened.check_game(game)
    if belief_decisions and not holder_names(game):
        raise ValueError(f"{game.name} has no holders of hidden cards for a belief network")
    settings = stored_config(opened)
    game, config = settings.spec, settings.as_dict()
    parts = (*ACTOR_PARTS, *CRITIC_PARTS) if check_bool("critic", critic) else ACTOR_PARTS
    weights = {name: array for name, array in opened.read_weights().items() if name.startswith(parts)}
    if belief_decisions:
        from cardenvs.train.learning.belief import fit_belief

        player = load(game, checkpoint, sample=True)
        belief, losses = fit_belief(
            player, belief_decisions, canonical_suits=config["canonical_suits"], seed=config["seed"], **config["options"]
        )
        weights |= belief.named_weights()
        notes["belief"] = {"decisions": belief_decisions, "nats": losses}
    record = {
        "game": game.name,
        "options": config["options"],
        "activation": config["activation"],
        "canonical_suits": config["canonical_suits"],
        "version": metadata.version("cardenvs"),
        "layout_hash": layout_hash(game),
        "rules_hash": rules_hash(game, config["options"]),
        "seed": config["seed"],
        "steps": opened.record["steps"],
        "hours": round(opened.record["seconds"] / 3600, 3),
        "config": config,
        "curve": opened.record["curve"],
        **({"torch_threads": opened.record["torch_threads"]} if "torch_threads" in opened.record else {}),
        **({"features_hash": features_hash()} if config.get("network") == "columns" else {}),
        **notes,
    }
    write_whole(path, file_content(weights, record))
    return read_export(path)[1]
