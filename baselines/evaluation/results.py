"""The results of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from cardenvs.baselines.evaluation import report
from cardenvs.baselines.evaluation.self_check import SelfCheck
from cardenvs.baselines.match.results import Forfeited, MatchResult
from cardenvs.baselines.observers.bidding import Bidding, CallerFigures
from cardenvs.baselines.observers.control import Controlled
from cardenvs.baselines.observers.cooperation import Cooperation
from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.runs.series import PlayedMatch


@dataclass(frozen=True, repr=False)
class Evaluated(Result):
    """The results of a policy against one opponent; in JSON beside the figures of the match.

    Attributes:
        match: the figures of the match.
        precise: whether the precision asked for was reached, by the rule of
            `cardenvs.baselines.evaluation.precise_enough`; None if none was asked for.
        bidding: statistics of both sides' calls, in Euchre with full bidding; else None.
        cooperation: how often partners take from each other, in trick games; None if that was not counted.
        controlled: the figures with a control variate taken out; None without a control.
        points_with_opponent: in a game of one side the points a deal of teams of both, the mean of the policy at the first
            seat and the opponent at the rest, and the other way round; None elsewhere, and where that was forfeited.
    """

    match: MatchResult
    precise: bool | None
    bidding: Bidding | None
    cooperation: Cooperation | None
    controlled: Controlled | None
    points_with_opponent: Interval | None = None

    HIDDEN = ("match",)
    OPTIONAL = ("points_with_opponent",)

    @property
    def win_rate(self) -> Interval:
        """The policy's win rate, with the control taken out where there is one."""
        return (self.controlled or self.match).win_rate

    @property
    def points_margin(self) -> Interval:
        """The policy's points a deal (game) above the opponent's, with the control taken out where there is one."""
        return (self.controlled or self.match).points_margin

    def figures(self) -> dict[str, Any]:
        """The figures as plain values: those of the match, beside them precision, bidding, cooperation and control."""
        return self.match.figures() | {"half_width": self.points_margin.half_width} | super().figures()


@dataclass(frozen=True, repr=False)
class ForfeitedMatch(Result):
    """A match of an evaluation that was forfeited.

    Attributes:
        against: the opponent's name; of the self-check the policy's own.
        deals: how many deals (games) were finished; without any the match has no other results.
        forfeit: who could not go on, and why.
    """

    against: str
    deals: int
    forfeit: Forfeited

    @classmethod
    def of(cls, against: str, played: PlayedMatch) -> Self:
        """A match that was played until it was forfeited."""
        assert played.forfeit is not None
        return cls(against, 0 if played.results is None else played.results.deals, Forfeited.by(played.forfeit))


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """The results of one policy against its opponents.

    Attributes:
        game: the game's name.
        policy: the policy's name or path.
        protocol: ``"duplicate"`` or ``"published"``.
        options: all rule options.
        seed: the seed of the matches.
        precision: the half width asked for, in points; None if none was.
        results: the results against each opponent.
        standard_caller: figures of the standard caller's bidding, in Euchre with full bidding; else None.
        self_check: the policy against itself; None if that was left out.
        forfeits: the matches that were forfeited, the self-check among them.
    """

    game: str
    policy: str
    protocol: str
    options: dict[str, Any]
    seed: int
    precision: float | None
    results: Sequence[Evaluated]
    standard_caller: CallerFigures | None
    self_check: SelfCheck | None
    forfeits: Sequence[ForfeitedMatch] = ()

    OPTIONAL = ("forfeits",)

    @property
    def unit(self) -> str:
        """The unit of the figures: ``"deal"``, in the published protocol ``"game"``."""
        return "deal" if self.protocol == "duplicate" else "game"

    def document(self, command: str = "", bidding: bool = False) -> Document:
        """The report of the evaluation.

        Args:
            command: the command line that makes the results again; empty: none is quoted.
            bidding: whether a terminal has the table of the bidding, too.
        """
        return report.document(self, command, bidding)
