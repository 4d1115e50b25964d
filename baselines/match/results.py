"""Results of matches: deal by deal (`DealResults`), and the figures formed from these (`Summary`, `MatchResult`).

Matches, tournaments, cross-play and evaluation all keep `DealResults` and form their figures with `summarise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.statistics import Interval, interval, interval_fields, share_interval


@dataclass(frozen=True)
class DealResults:
    """The results of two sides against each other, deal by deal; in the published protocol game by game.

    The results of several pairings over the same deals can be one object, too, with the pairing as first dimension of
    every array (`of_pairing`); all properties work on such an object.

    Attributes:
        points: int64 (deals, copies, 2), points by deal, copy and side. A duplicate deal has two copies: the first side
            holds the even seats in copy 0 and the odd ones in copy 1. In the published protocol there is one copy.
        tricks: int64 (deals, copies, 2), tricks by deal, copy and side (columns in Five-O).
        decisions: int64 (2,), decisions made by each side.
        seconds: float64 (2,), seconds that each side's policies took for their decisions.
        dealt: how many deals were dealt, counting each copy and every deal of a whole game; None where that was not kept.
    """

    points: npt.NDArray[np.int64]
    tricks: npt.NDArray[np.int64]
    decisions: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64]
    dealt: int | None = field(default=None, kw_only=True)

    BY_DEAL: ClassVar[tuple[str, ...]] = ("points", "tricks")
    """The names of the arrays whose first dimension is the deal; all other arrays are sums over the deals, by side."""

    @classmethod
    def sums(cls) -> list[str]:
        """The names of the arrays that are sums over all deals, by side."""
        return [f.name for f in fields(cls) if f.name not in (*cls.BY_DEAL, "dealt")]

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The results of several runs of deals as one object, in the order given.

        Args:
            parts: the results to join, at least one.
        """
        arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.BY_DEAL}
        arrays |= {name: np.sum([getattr(part, name) for part in parts], 0) for name in cls.sums()}
        dealt = [part.dealt for part in parts if part.dealt is not None]
        return cls(**arrays, dealt=sum(dealt) if len(dealt) == len(parts) else None)

    def mirrored(self) -> Self:
        """The same results with the second side first."""
        arrays: dict[str, Any] = {name: getattr(self, name)[..., ::-1] for name in self.BY_DEAL}
        arrays |= {name: getattr(self, name)[::-1] for name in self.sums()}
        return type(self)(**arrays, dealt=self.dealt)

    def of_pairing(self, pairing: int) -> Self:
        """The results of one pairing, given by its index, where the first dimension of every array is the pairing."""
        return type(self)(**{name: getattr(self, name)[pairing] for name in (*self.BY_DEAL, *self.sums())})

    @property
    def deals(self) -> int:
        """How many deals (in the published protocol games) were played; a duplicate deal counts once."""
        return self.points.shape[-3]

    @property
    def point_leads(self) -> npt.NDArray[np.int64]:
        """The first side's points less the second's, int64 (deals, copies)."""
        return np.asarray(self.points[..., 0] - self.points[..., 1])

    @property
    def trick_leads(self) -> npt.NDArray[np.int64]:
        """The first side's tricks (columns) less the second's, int64 (deals, copies)."""
        return np.asarray(self.tricks[..., 0] - self.tricks[..., 1])

    @property
    def won(self) -> npt.NDArray[np.float64]:
        """The first side's share of each game: 1 if won, 0 if lost, one half if drawn; float64 (deals, copies)."""
        return np.asarray((np.sign(self.point_leads) + 1) / 2)

    @property
    def wins(self) -> npt.NDArray[np.float64]:
        """The share of each deal's games that the first side won, a draw counting half; float64 (deals,)."""
        return np.asarray(self.won.mean(-1))

    @property
    def points_margins(self) -> npt.NDArray[np.float64]:
        """The first side's points less the second's for each deal, the mean of its copies; float64 (deals,)."""
        return np.asarray(self.point_leads.mean(-1, dtype=np.float64))

    @property
    def tricks_margins(self) -> npt.NDArray[np.float64]:
        """The first side's tricks less the second's for each deal, the mean of its copies; float64 (deals,)."""
        return np.asarray(self.trick_leads.mean(-1, dtype=np.float64))


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The figures of one side against another; every list has an entry for each side.

    Attributes:
        games_won: games won by each side; the other games are draws.
        win_rate: share of all games that the first side won, a draw counting half.
        tricks_won: tricks (columns in Five-O) that each side took in all games.
        points: points that each side made in all games.
        points_margin: the first side's points less the second's, for each deal (in the published protocol: game).
        tricks_margin: the first side's tricks (columns) less the second's, for each deal (game).
        decisions: decisions made by each side.
        decisions_per_s: decisions a second of each side's policies, counting their own time only. In the published protocol
            between heuristic agents: both sides' decisions over the processor time of the one kernel that deals, plays and
            scores the whole games.
    """

    games_won: list[int]
    win_rate: Interval
    tricks_won: list[int]
    points: list[int]
    points_margin: Interval
    tricks_margin: Interval
    decisions: list[int]
    decisions_per_s: list[float]

    def win_rate_of(self, side: int) -> Interval:
        """The win rate of the first side (0) or of the second (1)."""
        return self.win_rate.complement() if side else self.win_rate

    def figures(self) -> dict[str, Any]:
        """The figures as plain values for JSON."""
        return {
            "games_won": self.games_won,
            "win_rate": [self.win_rate.mean, 1.0 - self.win_rate.mean],
            "ci95": self.win_rate.ci95,
            "tricks_won": self.tricks_won,
            "points": self.points,
            **interval_fields("mean_points", self.points_margin),
            **interval_fields("mean_tricks", self.tricks_margin),
            "decisions": self.decisions,
            "decisions_per_s": self.decisions_per_s,
        }


def summarise(results: DealResults) -> Summary:
    """The figures of one side against another; the deal (in the published protocol the game) is the unit of all intervals.

    Args:
        results: the results of one pairing, at least one deal.
    """
    won = results.won
    return Summary(
        games_won=[int((won == share).sum()) for share in (1, 0)],
        win_rate=share_interval(results.wins),
        tricks_won=results.tricks.sum((0, 1), dtype=np.int64).tolist(),
        points=results.points.sum((0, 1), dtype=np.int64).tolist(),
        points_margin=interval(results.points_margins),
        tricks_margin=interval(results.tricks_margins),
        decisions=results.decisions.tolist(),
        decisions_per_s=[per_second(*of_side) for of_side in zip(results.decisions, results.seconds, strict=True)],
    )


def per_second(decisions: int, seconds: float) -> float:
    """Decisions a second; 0 where no time was taken."""
    return float(decisions / seconds) if seconds > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class MatchResult(Summary):
    """The figures of a match: those of a `Summary`, with the game, the sides and the settings.

    Attributes:
        game: the game's name.
        sides: the names of the two sides.
        protocol: ``"duplicate"`` or ``"published"``.
        options: all rule options.
        seed: the match's seed.
        deals: deals dealt; a duplicate deal counts once.
        games: games played: twice the deals in duplicate play.
        seconds: wall time of the match.
    """

    game: str
    sides: list[str]
    protocol: str
    options: dict[str, Any]
    seed: int
    deals: int
    games: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "game": self.game,
            "sides": self.sides,
            "protocol": self.protocol,
            "options": self.options,
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            **self.figures(),
            "seconds": self.seconds,
        }
