"""Results of matches: deal by deal (`DealResults`), and the figures formed from these (`Summary`, `MatchResult`).

Matches, tournaments, cross-play and evaluation all keep `DealResults` and form their figures with `summarise`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match import report
from cardenvs.baselines.match.protocols import unit_of
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, points_column, share_column
from cardenvs.baselines.reports.statistics import Interval, interval, margin_interval, share_interval
from cardenvs.checks import Readable
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Forfeit


class ForfeitRow(Row):
    """A row of `Forfeited`."""

    def told(self, finished: int, unit: str) -> str:
        """The policy that has forfeited and the reason, in a line; so many units finished before count."""
        counted = f"{finished:,} finished {unit}{'' if finished == 1 else 's'}{', which count' if finished else ''}"
        return f"{self.policy} has forfeited after {counted}: {self.why}"


Forfeited = Columns(
    "Forfeited",
    Column("side", "0 for the first side, 1 for the second"),
    Column("policy", "the name of the policy that could not go on"),
    Column("why", "the reason, in a line"),
    Column("deal", "the number of the unfinished deal (published: game), which does not count; None before the first"),
    row=ForfeitRow,
)
"""The forfeit of a match by a side that could not go on (`cardenvs.policy.Forfeit`)."""


def forfeited_by(error: Forfeit | None) -> Row | None:
    """The forfeit that an error reports, a `Forfeited`; None without an error."""
    return None if error is None else Forfeited(error.side or 0, error.policy, str(error), error.deal)


@dataclass(frozen=True, repr=False)
class DealResults(Readable):
    """The results of a first policy on one side against a second on all others, deal by deal; published: game by game.

    With more than two sides, the second policy holds every side but one, and the figures of "the second" are means over
    these sides. In a game of one side two teams that play the same deals, each by itself, are compared as if they were two
    sides. The results of several pairings over the same deals can be one object, too, with the pairing as first dimension
    of every array (`of_pairing`); all properties work on such an object.

    Attributes:
        points: int64 (deals, copies, sides), points by deal, copy and side of the match: the first's, then those of the
            second's sides in their order round the table. A duplicate deal has as many copies as the game has sides: the
            first holds the game's side c in copy c. In the published protocol there is one copy.
        tricks: int64 (deals, copies, sides), tricks (columns in Five-O).
        winners: bool (deals, copies, sides), the winning sides; all where none has won. None: those with the most points.
        decisions: int64 (2,), decisions made by the first and by the second.
        seconds: float64 (2,), seconds that these took.
        dealt: number of deals dealt, counting each copy and every deal of a whole game; None where that was not kept.
        endings: int64 (sides, ways + counts), the games of each team by how they ended and the sums of what was counted in
            them (`cardenvs.contract.outcome.Endings`); None in a game without endings.
        truncated: int64 (), number of games that were cut off and have no winner; None in a game that is never cut off.
    """

    points: npt.NDArray[np.int64]
    tricks: npt.NDArray[np.int64]
    decisions: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64]
    dealt: int | None = field(default=None, kw_only=True)
    endings: npt.NDArray[np.int64] | None = field(default=None, kw_only=True)
    truncated: npt.NDArray[np.int64] | None = field(default=None, kw_only=True)
    winners: npt.NDArray[np.bool_] = field(default=None, kw_only=True)  # type: ignore[arg-type]

    BY_PIECE: ClassVar[tuple[str, ...]] = ("points", "tricks", "winners")
    """The names of the arrays whose first dimension is the deal; all other arrays are sums over the deals."""

    def __post_init__(self) -> None:
        if self.winners is None:
            object.__setattr__(self, "winners", self.points == self.points.max(-1, keepdims=True))

    def by_side(self) -> list[str]:
        """The names of the arrays that are sums over all deals, by side."""
        names = [f.name for f in fields(self) if f.name not in (*self.BY_PIECE, "dealt", "truncated")]
        return [name for name in names if getattr(self, name) is not None]

    def sums(self) -> list[str]:
        """The names of the arrays that are sums over all deals."""
        return [*self.by_side(), *(() if self.truncated is None else ("truncated",))]

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The results of several runs of deals, at least one, as one object, in the order given."""
        arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.BY_PIECE}
        arrays |= {name: np.sum([getattr(part, name) for part in parts], 0) for name in parts[0].sums()}
        dealt = [part.dealt for part in parts if part.dealt is not None]
        return cls(**arrays, dealt=sum(dealt) if len(dealt) == len(parts) else None)

    @classmethod
    def beside(cls, teams: Sequence[Self]) -> Self:
        """The results of teams, each of one side, that have played the same deals, as those of one match."""
        first = teams[0]
        if len(teams) == 1:
            return first
        axes = {"points": -1, "tricks": -1} | dict.fromkeys(first.by_side(), first.points.ndim - 3)
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(team, name) for team in teams], axis) for name, axis in axes.items()
        }
        for name in ("dealt", "truncated"):
            arrays[name] = None if getattr(first, name) is None else sum(getattr(team, name) for team in teams)
        return cls(**arrays)

    def mirrored(self) -> Self:
        """The same results with the second side first; in games of two sides."""
        assert self.points.shape[-1] == 2, "with more sides the second holds several"
        arrays: dict[str, Any] = {name: getattr(self, name)[..., ::-1] for name in self.BY_PIECE}
        return replace(self, **arrays, **{name: getattr(self, name)[::-1] for name in self.by_side()})

    def of_pairing(self, pairing: int | npt.NDArray[np.int64]) -> Self:
        """The results of one pairing, or of an array of them, where the first dimension of every array is the pairing."""
        return replace(self, dealt=None, **{name: getattr(self, name)[pairing] for name in (*self.BY_PIECE, *self.sums())})

    def of_deals(self, deals: npt.NDArray[np.bool_]) -> Self:
        """The results of some deals of one pairing, bool (deals,), where no others were played; sums stay."""
        return replace(self, dealt=None, **{name: getattr(self, name)[deals] for name in self.BY_PIECE})

    @property
    def deals(self) -> int:
        """Number of deals (in the published protocol games) that were played; a duplicate deal counts once."""
        return self.points.shape[-3]

    @property
    def size(self) -> int:
        """Number of deals, the pieces of these results."""
        return self.deals

    @property
    def sides(self) -> int:
        """Number of sides that are compared: those of the game, in a game of one side the teams."""
        return self.points.shape[-1]

    @property
    def point_leads(self) -> npt.NDArray[Any]:
        """The first's points less the second's, the mean of its sides: int64 (deals, copies), float64 with more sides."""
        return _first_leads(self.points)

    @property
    def trick_leads(self) -> npt.NDArray[Any]:
        """The first's tricks (columns) less the second's, as `point_leads`."""
        return _first_leads(self.tricks)

    @property
    def won(self) -> npt.NDArray[np.float64]:
        """The first's share of each game, which its winners share: float64 (deals, copies)."""
        return np.asarray(self.winners[..., 0] / self.winners.sum(-1))

    @property
    def ahead(self) -> npt.NDArray[np.float64]:
        """The share of the other sides that the first was ahead of, level ones half; winners first, then by points."""
        if self.sides == 1:
            return np.ones(self.points.shape[:-1])
        won, points = self.winners.astype(np.int64), np.where(self.winners, 0, self.points)
        lead = np.sign(won[..., :1] - won[..., 1:])
        lead = np.where(lead == 0, np.sign(points[..., :1] - points[..., 1:]), lead)
        return np.asarray((lead + 1).mean(-1) / 2)

    @property
    def wins(self) -> npt.NDArray[np.float64]:
        """The mean of `won` over each deal's copies; float64 (deals,)."""
        return np.asarray(self.won.mean(-1))

    @property
    def beaten(self) -> npt.NDArray[np.float64]:
        """The mean of `ahead` over each deal's copies; float64 (deals,)."""
        return np.asarray(self.ahead.mean(-1))

    @property
    def ranks(self) -> npt.NDArray[np.float64]:
        """The first's rank, 1 for the best, level sides sharing their ranks; the mean of each deal's copies; (deals,)."""
        return np.asarray(1 + (self.sides - 1) * (1 - self.beaten))

    @property
    def points_margins(self) -> npt.NDArray[np.float64]:
        """The first's points less the second's for each deal, the mean of its copies; float64 (deals,)."""
        return np.asarray(self.point_leads.mean(-1, dtype=np.float64))

    @property
    def tricks_margins(self) -> npt.NDArray[np.float64]:
        """The first's tricks less the second's for each deal, the mean of its copies; float64 (deals,)."""
        return np.asarray(self.trick_leads.mean(-1, dtype=np.float64))


def _first_leads(values: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """The first side's values less the mean of the others', over the last dimension; ints with at most one other side."""
    if values.shape[-1] == 1:
        return values[..., 0]
    others = values[..., 1] if values.shape[-1] == 2 else values[..., 1:].mean(-1)
    return np.asarray(values[..., 0] - others)


class Margins(NamedTuple):
    """The greatest margins between sides that a game can end with, which bound the intervals of means."""

    points: float  # in points
    tricks: float  # in tricks (columns); infinity where the game does not say
    least: float = -math.inf  # in a game of one side the fewest points of a team; elsewhere the least margin

    def points_interval(self, values: npt.NDArray[np.float64]) -> Interval:
        """The mean of points of one side and its interval: of margins, or of a team's own points."""
        return interval(values, max(self.least, -self.points), self.points)

    @classmethod
    def of_game(cls, spec: GameSpec, options: Mapping[str, Any]) -> Margins:
        """The margins of a game; unknown where its greatest loss is that of some random games and no bound."""
        if spec.one_sided:
            return UNKNOWN_MARGINS if spec.endings is None else cls(spec.endings.best, math.inf, 0)
        if not spec.loss_is_bound:
            return UNKNOWN_MARGINS

        def worst_loss(*kinds: str) -> float:
            return next((spec.worst_loss(options, kind) for kind in kinds if kind in spec.rewards), math.inf)

        return cls(worst_loss("points", "win"), worst_loss("tricks", "columns"))


UNKNOWN_MARGINS = Margins(math.inf, math.inf)  # those of a game that does not state them


class SummaryRow(Row):
    """A row of `Summary`, or of a kind that has its columns, too."""

    def win_rate_of(self, side: int) -> Interval:
        """The win rate of the first side (0) or of the second (1), for each of the second's sides."""
        rate: Interval = self.win_rate
        return rate.complement().over(self.num_sides - 1) if side else rate

    def rank_of(self, side: int) -> Interval:
        """The rank of the first side (0) or the mean of the second's sides (1): all ranks add up to the same."""
        rank: Interval = self.rank
        total = self.num_sides * (self.num_sides + 1) / 2
        return rank.taken_from(total).over(self.num_sides - 1) if side else rank

    def figures(self) -> dict[str, Any]:
        """The figures as plain values, the kind's own before those of a `Summary`; of one side none that compare sides."""
        figures: dict[str, Any] = {}
        for column in sorted(self.columns, key=lambda column: column.key in Summary.by_key):
            figures |= column.figures(getattr(self, column.key))
        ranks = {key: figures.pop(key) for key in ("chance", "rank", "rank_ci95")}
        if self.num_sides == 1:
            return {key: value for key, value in figures.items() if key not in ("games_won", "win_rate", "ci95")}
        figures["win_rate"] = [self.win_rate_of(side).mean for side in (0, 1)]
        return figures | (ranks if self.num_sides > 2 else {})


Summary = Columns(
    "Summary",
    Column("games_won", "games won by each side; the other games are draws. With more than two sides: games that the "
           "first won alone, and games in which it has no share of the win"),
    share_column("win_rate", "share of all games that the first side won, a draw counting half; with more than two sides "
                 "the winners share a game", ends="ci95"),
    Column("tricks_won", "tricks (columns in Five-O) that each side took in all games"),
    Column("points", "points that each side made in all games"),
    points_column("points_margin", "the first side's points less the second's, for each deal (published: game)"),
    points_column("tricks_margin", "the first side's tricks (columns) less the second's, for each deal (game)"),
    Column("decisions", "decisions made by each side"),
    Column("decisions_per_s", "decisions a second of each side's policies, counting their own time only. In the published "
           "protocol between heuristic agents: both sides' decisions over the processor time of the one kernel that deals, "
           "plays and scores the whole games"),
    Column("num_sides", "how many sides the game has", json="", default=2),
    points_column("rank", "the first's rank in each game, 1 for the best; level sides share their ranks"),
    Column("truncated", "number of games that were cut off, which no side has won; None in a game that is never cut off",
           optional=True, default=None),
    computed_column("chance", lambda row: 1 / row.num_sides, json="chance"),  # the win rate of equally strong sides
    row=SummaryRow,
)  # fmt: skip
"""The figures of one side against another; every list has an entry for each.

In a game of more than two sides the first policy holds one side and the second all others; then the second's entries
are means over its sides, those of decisions its decisions for all of them.
"""


def summarise(results: DealResults, most: Margins = UNKNOWN_MARGINS) -> Row:
    """The figures of one side against another, a `Summary`; the deal (published: the game) is the unit of all intervals.

    Args:
        results: the results of one pairing, at least one deal.
        most: the greatest margins that a deal (game) can bring.
    """
    won = results.won
    return Summary(
        games_won=[int((won == share).sum()) for share in (1, 0)],
        win_rate=share_interval(results.wins),
        tricks_won=_side_totals(results.tricks),
        points=_side_totals(results.points),
        points_margin=margin_interval(results.points_margins, most.points),
        tricks_margin=margin_interval(results.tricks_margins, most.tricks),
        decisions=results.decisions.tolist(),
        decisions_per_s=[per_second(*of_side) for of_side in zip(results.decisions, results.seconds, strict=True)],
        num_sides=results.sides,
        rank=interval(results.ranks, 1, results.sides),
        truncated=None if results.truncated is None else int(results.truncated),
    )


def _side_totals(values: npt.NDArray[np.int64]) -> list[float]:
    """Totals of the first and the mean of the second's sides over all games; ints with two sides."""
    first, *others = values.sum((0, 1), dtype=np.int64).tolist()
    return [first, *(others if len(others) < 2 else [sum(others) / len(others)])]


def per_second(decisions: int, seconds: float) -> float:
    """Decisions a second; 0 where no time was taken."""
    return float(decisions / seconds) if seconds > 0 else 0.0


TeamFigures = Columns(
    "TeamFigures",
    points_column("points", "the team's points a deal", json="mean_points"),
    Column("distribution", "number of games by their points as text"),
    Column("perfect", "share of games with the game's highest score; None in a game that does not state it", optional=True),
    Column("endings", "share of games that ended in each way; None in a game without endings", optional=True),
    Column("counted", "what was counted in the games, such as lives lost, a game; None in a game without endings",
           optional=True),
)  # fmt: skip
"""The figures of a team in a game of one side."""


def team_figures(spec: GameSpec, results: DealResults, team: int) -> Row:
    """The figures of team number ``team`` in a game of one side, from results of at least one deal."""
    points, kinds = results.points[..., team], spec.endings
    values, numbers = np.unique(points, return_counts=True)
    figures = {
        "points": Margins.of_game(spec, {}).points_interval(points.mean(1, dtype=np.float64)),
        "distribution": {str(value): number for value, number in zip(values.tolist(), numbers.tolist(), strict=True)},
    }
    if kinds is None:
        return TeamFigures(**figures, perfect=None, endings=None, counted=None)
    assert results.endings is not None
    shares = (results.endings[team] / points.size).tolist()
    return TeamFigures(
        **figures,
        perfect=float((points == kinds.best).mean()),
        endings=dict(zip(kinds.words, shares, strict=False)),
        counted=dict(zip(kinds.counted, shares[len(kinds.words) :], strict=True)),
    )


class MatchRow(SummaryRow):
    """A row of `MatchResult`."""

    def figures(self) -> dict[str, Any]:
        """The figures as plain values; in a game of one side those of each team."""
        figures = super().figures()
        if not self.teams:
            return figures
        for repeated in ("tricks_won", "mean_tricks", "mean_tricks_ci95"):  # the points again
            del figures[repeated]
        teams = [team.figures() for team in self.teams]
        if len(teams) == 1:
            return figures | teams[0]
        return figures | {key.replace("mean_", "sides_"): [team[key] for team in teams] for key in teams[0]}


MatchResult = Columns(
    "MatchResult",
    Summary,
    Column("game", "the game's name"),
    Column("sides", "the names of the first and of the second"),
    Column("protocol", '``"duplicate"`` or ``"published"``'),
    Column("options", "all rule options"),
    Column("seed", "the match's seed"),
    Column("deals", "deals dealt; a duplicate deal counts once"),
    Column("games", "games played: in duplicate play as many a deal as the game has sides"),
    Column("seconds", "wall time of the match; of several workers theirs together"),
    Column("forfeit", "the forfeit of the match (`Forfeited`), if any; the figures are of the deals finished before",
           optional=True, default=None),
    Column("passed_out", "number of deals that all seats passed, each copy counted; None where they cannot",
           optional=True, default=None),
    Column("cooperation", "how often partners take tricks from each other (`Cooperation`); None if that was not counted",
           optional=True, default=None),
    Column("teams", "in a game of one side the figures of each team (`TeamFigures`); else empty", json="", default=()),
    computed_column("unit", lambda row: unit_of(row.protocol)),  # the unit of all intervals
    computed_column("units", lambda row: row.games if row.unit == "game" else row.deals),  # how many of it were played
    document=report.document,
    row=MatchRow,
)  # fmt: skip
"""The figures of a match: those of a `Summary`, with the game, the sides and the settings."""
