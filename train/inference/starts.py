"""Initial weights of a training run: those of a trained policy, by name or file."""

from collections.abc import Mapping
from typing import Any

from cardenvs import policy
from cardenvs.contract.options import show
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import Config
from cardenvs.train.inference.columns import ALONE
from cardenvs.train.inference.learned import STANDING, StoredNetwork, read_network
from cardenvs.train.inference.shipped import shipped_files

SHIPPED = "learned"  # the name of the shipped policies


def has_weights(name: str) -> bool:
    """Whether a policy's name is ``learned`` or a file, which have weights to begin with."""
    return name.partition(":")[0] == SHIPPED or policy.path_of(name) is not None


def read_start(game: GameSpec, options: Mapping[str, Any], name: str) -> StoredNetwork:
    """Reads the network of a trained policy by name; of the shipped ones that trained with some rules, in their generation.
    Raises ValueError for a policy without weights, none trained with these rules, or a damaged one; FileNotFoundError."""
    if not has_weights(name):
        raise ValueError(f"the policy {name!r} has no weights to begin with: name {SHIPPED} or a trained policy's file")
    path = policy.path_of(name)
    if path is not None:
        return read_network(game, path)
    generation = policy.parse_name(name)[1].get("generation")
    found = [read_network(game, file) for file in shipped_files(game, generation)]
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
    """Returns the rule options that matter in a single deal, defaults included."""
    codes = game.option_codes(dict(options))
    return {option.name: option.decode(codes[option.name]) for option in game.options if option.name not in STANDING}


def network_settings(network: StoredNetwork) -> dict[str, Any]:
    """Returns the fields of `Config` that shape a new network like a stored one."""
    config = network.config
    kind = "columns" if any(f".{ALONE}." in key for key in network.weights) else "plain"
    same = ("net", "activation", "canonical_suits", "recall", "encoding")
    settings = {name: getattr(config, name) for name in same} | {"network": kind}
    return settings | ({"critic": "seat"} if kind == "columns" else {})


def find_start(name: str, config: Config) -> StoredNetwork:
    """Returns the network that a run begins with, by the name of a trained policy. Raises ValueError as `read_start`, or if
    the run shows its network something else than the stored one knows."""
    network = read_start(config.spec.plain, config.options, name)
    for field, value in network_settings(network).items():
        mine = getattr(config, field)
        if field != "critic" and mine != value:
            shown = ",".join(map(str, value)) if isinstance(value, tuple) else show(value)
            raise ValueError(
                f"start {name!r} was trained with {field}={shown}, and this run has {mine!r}: set {field}={shown}"
            )
    return network
