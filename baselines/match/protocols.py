"""Protocols of matches: duplicate deals, or whole games as the Euchre paper played them.

All in which they differ is here: their rule options, how many times a deal is played, the first policy's side, the unit.
"""

from typing import Any

import numpy as np

from cardenvs.baselines.match.side import has_like_sides
from cardenvs.checks import SEED_BITS
from cardenvs.compiled.bits import Ints
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.spec import GameSpec

PROTOCOLS = ("duplicate", "published")
"""``duplicate``: each deal once with the first policy on each of the game's sides; with two sides it is played twice. In a
game of one side each team plays each deal.
``published``: whole games with a random first dealer, for games of two like sides."""

PUBLISHED_GAMES = 10_001  # games of a pairing in the Euchre paper


def protocol_options(spec: GameSpec, protocol: str, options: dict[str, Any]) -> dict[str, Any]:
    """The rule options of a protocol, ``options`` included: in the published whole games, in Euchre without bidding.

    Raises:
        ValueError: an option that contradicts the published protocol, or a game without two like sides.
    """
    if protocol != "published":
        return options
    if not has_like_sides(spec):
        raise ValueError(
            f"the published protocol is for games of two like sides, which {spec.name} has not: use 'duplicate'"
        )
    wanted = {"episode": "game"} if "episode" in {option.name for option in spec.options} else {}
    if spec.bids_trump:
        wanted["bidding"] = "forced-spades"
    for name, value in wanted.items():
        if options.get(name, value) != value:
            raise ValueError(f"the published protocol plays with {name}={value}, not {options[name]}")
    return {**options, **wanted}


def unit_of(protocol: str) -> str:
    """The unit of all intervals: ``"deal"``, in the published protocol ``"game"``."""
    return "deal" if protocol == "duplicate" else "game"


def copies_of(spec: GameSpec, protocol: str) -> int:
    """Number of times that each deal (game) is played in a protocol."""
    return spec.num_sides if protocol == "duplicate" else 1


def first_sides(spec: GameSpec, copies: int, seed: int, deals: range) -> Ints:
    """The side of the game that the first policy holds in each game, int64 (copies * deals,), copy by copy.

    It is another one in each copy; where whole games are played by single players, who moves first is drawn.
    """
    if copies == 1 and not spec.team and not spec.one_sided:
        return (seed_streams((seed + 1) % (1 << SEED_BITS), len(deals), deals.start) >> np.uint64(63)).astype(np.int64)
    return np.repeat(np.arange(copies), len(deals))
