"""The results of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cardenvs.baselines.evaluation.self_check import SelfCheck
from cardenvs.baselines.match.results import Forfeited, MatchResult
from cardenvs.baselines.observers.bidding import Bidding, CallerFigures
from cardenvs.baselines.observers.control import Controlled
from cardenvs.baselines.observers.cooperation import Cooperation
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.checks import Readable


@dataclass(frozen=True, repr=False)
class Evaluated(Readable):
    """The results of a policy against one opponent.

    Attributes:
        match: the figures of the match.
        precise: whether the precision asked for was reached, by the rule of
            `cardenvs.baselines.evaluation.precise_enough`; None if none was asked for.
        bidding: statistics of both sides' calls, in Euchre with full bidding; else None.
        cooperation: how often partners take from each other, in trick games; None if that was not counted.
        controlled: the figures with a control variate taken out; None without a control.
    """

    match: MatchResult
    precise: bool | None
    bidding: Bidding | None
    cooperation: Cooperation | None
    controlled: Controlled | None

    @property
    def win_rate(self) -> Interval:
        """The policy's win rate, with the control taken out where there is one."""
        return self.match.win_rate if self.controlled is None else self.controlled.win_rate

    @property
    def points_margin(self) -> Interval:
        """The policy's points a deal (game) above the opponent's, with the control taken out where there is one."""
        return self.match.points_margin if self.controlled is None else self.controlled.points_margin

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON: those of the match, beside them bidding, cooperation, control and precision."""
        return self.match.as_dict() | {
            "half_width": self.points_margin.half_width,
            "precise": self.precise,
            "bidding": None if self.bidding is None else self.bidding.as_dict(),
            "cooperation": None if self.cooperation is None else self.cooperation.as_dict(),
            "controlled": None if self.controlled is None else self.controlled.as_dict(),
        }


@dataclass(frozen=True)
class ForfeitedMatch:
    """A match of an evaluation that was forfeited.

    Attributes:
        against: the opponent's name; of the self-check the policy's own.
        deals: how many deals (games) were finished; without any the match has no other results.
        forfeit: who could not go on, and why.
    """

    against: str
    deals: int
    forfeit: Forfeited

    def as_dict(self) -> dict[str, Any]:
        """The fields for JSON."""
        return {"against": self.against, "deals": self.deals, "forfeit": self.forfeit.as_dict()}


@dataclass(frozen=True, repr=False)
class Evaluation(Readable):
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

    def __str__(self) -> str:
        """The policy's results, a line for each opponent."""
        return "\n".join([f"{self.policy} in {self.game}", *(f"  {result.match}" for result in self.results)])

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; ``forfeits`` where there are any."""
        figures = {
            "game": self.game,
            "policy": self.policy,
            "protocol": self.protocol,
            "options": self.options,
            "seed": self.seed,
            "precision": self.precision,
            "results": [result.as_dict() for result in self.results],
            "standard_caller": None if self.standard_caller is None else asdict(self.standard_caller),
            "self_check": None if self.self_check is None else self.self_check.as_dict(),
        }
        return figures | ({"forfeits": [one.as_dict() for one in self.forfeits]} if self.forfeits else {})
