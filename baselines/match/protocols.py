"""Protocols of matches: duplicate deals, or whole games as the Euchre paper played them."""

from __future__ import annotations

from typing import Any

from cardenvs.baselines.match.side import has_like_sides
from cardenvs.contract.spec import GameSpec

PROTOCOLS = ("duplicate", "published")
"""``duplicate``: each deal once with the first policy on each of the game's sides; with two sides it is played twice. In a
game of one side each team plays each deal.
``published``: whole games with a random first dealer, for games of two like sides."""

PUBLISHED_GAMES = 10_001  # games of a pairing in the Euchre paper


def check_protocol(protocol: str) -> None:
    """Raises ValueError for an unknown protocol; the message names the known ones."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(map(repr, PROTOCOLS))}, not {protocol!r}")


def protocol_options(spec: GameSpec, protocol: str, options: dict[str, Any]) -> dict[str, Any]:
    """The rule options of a protocol, ``options`` included; ValueError for an option or a game that contradicts it."""
    return published_options(spec, options) if protocol == "published" else options


def published_options(spec: GameSpec, options: dict[str, Any]) -> dict[str, Any]:
    """The rule options of the published protocol, ``options`` included: whole games; in Euchre without bidding.

    Raises:
        ValueError: an option that contradicts the protocol, or a game without two like sides.
    """
    if not has_like_sides(spec):
        raise ValueError(
            f"the published protocol is for games of two like sides, which {spec.name} has not: use 'duplicate'"
        )
    known = {option.name for option in spec.options}
    wanted = {"episode": "game"} if "episode" in known else {}
    if spec.bids_trump:
        wanted["bidding"] = "forced-spades"
    for name, value in wanted.items():
        if options.get(name, value) != value:
            raise ValueError(f"the published protocol plays with {name}={value}, not {options[name]}")
    return {**options, **wanted}


def copies_of(spec: GameSpec, protocol: str) -> int:
    """Number of times that each deal (game) is played in a protocol."""
    return spec.num_sides if protocol == "duplicate" else 1
