"""Weights that a training run begins with: those of a trained policy, by its name or its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardenvs import policy
from cardenvs.contract.options import show
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import Config
from cardenvs.train.inference.columns import ALONE
from cardenvs.train.inference.learned import STANDING, StoredNetwork, read_network
from cardenvs.train.inference.shipped import shipped

SHIPPED = "learned"
"""The name of the shipped policies."""


def has_weights(name: str) -> bool:
    """Whether a policy is a trained network, with weights to begin with: ``learned`` or a file.

    Args:
        name: the policy's name, with its parameters if any.
    """
    return name.partition(":")[0] == SHIPPED or policy.path_of(name) is not None


def read_start(game: GameSpec, options: Mapping[str, Any], name: str) -> StoredNetwork:
    """The network of a trained policy; of the shipped ones the one that was trained with some rules.

    Args:
        options: rule options; those that are not given have their defaults.
        name: the policy's name; of its parameters only the generation of the shipped ones counts.

    Raises:
        ValueError: a policy without weights, none that was trained with these rules, or a damaged one.
        FileNotFoundError: no such file.
    """
    if not has_weights(name):
        raise ValueError(f"the policy {name!r} has no weights to begin with: name {SHIPPED} or a trained policy's file")
    path = policy.path_of(name)
    if path is not None:
        return read_network(game, path)
    generation = policy.parse_name(name)[1].get("generation")
    found = [read_network(game, file) for file in shipped(game, generation)]
    wanted = _deal_rules(game, options)
    for network in found:
        if _deal_rules(game, network.config.options) == wanted:
            return network
    if not found:
        raise ValueError(f"no learned policy comes with {game.name}, whose weights a training could begin with")
    rules = ", ".join(f"{key}={show(value)}" for key, value in wanted.items())
    raise ValueError(
        f"no learned policy of {game.name} was trained with {rules}, whose weights a training could begin with"
    )


def _deal_rules(game: GameSpec, options: Mapping[str, Any]) -> dict[str, Any]:
    """The rule options that have a meaning in a single deal, defaults included."""
    codes = game.option_codes(dict(options))
    return {option.name: option.decode(codes[option.name]) for option in game.options if option.name not in STANDING}


def network_settings(network: StoredNetwork) -> dict[str, Any]:
    """The fields of `Config` by which a new network is as one that is stored: kind, widths, activation, observation.

    Args:
        network: from `read_start`.
    """
    config = network.config
    kind = "columns" if any(f".{ALONE}." in key for key in network.weights) else "plain"
    settings = {"net": config.net, "activation": config.activation, "canonical_suits": config.canonical_suits}
    settings |= {"recall": config.recall, "encoding": config.encoding, "network": kind}
    return settings | ({"critic": "seat"} if kind == "columns" else {})


def find_start(name: str, config: Config) -> StoredNetwork:
    """The network that a run begins with.

    Args:
        name: the trained policy's name.
        config: the run's settings, by which the new network is made.

    Raises:
        ValueError: as `read_start`; or the run shows its network something else than what the stored one knows.
        FileNotFoundError: no such file.
    """
    network = read_start(config.spec.plain, config.options, name)
    for field, value in network_settings(network).items():
        mine = getattr(config, field)
        if field != "critic" and mine != value:
            shown = ",".join(map(str, value)) if isinstance(value, tuple) else show(value)
            raise ValueError(
                f"start {name!r} was trained with {field}={shown}, and this run has {mine!r}: set {field}={shown}"
            )
    return network
