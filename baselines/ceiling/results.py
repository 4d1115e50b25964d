"""The results of a measured ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.ceiling.luck import Luck
from cardenvs.baselines.reports.statistics import Interval, interval_fields
from cardenvs.checks import Readable


@dataclass(frozen=True, kw_only=True, repr=False)
class OpenCards(Readable):
    """Results of open cards against a policy in duplicate deals.

    Attributes:
        policy: the policy's name.
        win_rate: the share of the games that a side wins which sees all cards and plays its minimax value.
        points: the points of that side above the policy's a deal.
        tricks: the tricks of that side above the policy's a deal.
        most: the most points above the policy's that anybody could win a deal; None where that was not searched for.
    """

    policy: str
    win_rate: Interval
    points: Interval
    tricks: Interval
    most: Interval | None

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "policy": self.policy,
            **interval_fields("win_rate", self.win_rate),
            **interval_fields("points", self.points),
            **interval_fields("tricks", self.tricks),
            **interval_fields("most", self.most),
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class Ceiling(Readable):
    """Results of open cards against some policies, of these against each other, and the luck that is left in them.

    Attributes:
        game: the game's name.
        options: all rule options.
        seed: the seed.
        deals: the duplicate deals that every figure is of; the same deals for all.
        open_cards: the most cards a hand with which the side that sees all cards sees them.
        effect: the effect that the numbers of games of `Luck` are for, in points a deal.
        policies: what open cards win from each policy.
        matches: the matches between the policies, each against itself included.
        seconds: wall time.
    """

    game: str
    options: dict[str, Any]
    seed: int
    deals: int
    open_cards: int
    effect: float
    policies: list[OpenCards]
    matches: list[Luck]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "game": self.game,
            "options": self.options,
            "seed": self.seed,
            "deals": self.deals,
            "open_cards": self.open_cards,
            "effect": self.effect,
            "policies": [one.as_dict() for one in self.policies],
            "matches": [one.as_dict() for one in self.matches],
            "seconds": self.seconds,
        }
