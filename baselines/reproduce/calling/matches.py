"""Callers in Euchre against each other, over duplicate deals and over whole games.

Both sides play the cards alike, so that the calls alone make the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.observers.bidding import BiddingObserver
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval, margin_interval, share_interval
from cardenvs.baselines.reproduce.calling import report
from cardenvs.baselines.reproduce.calling.break_even import BreakEven
from cardenvs.baselines.runs.series import Match, series
from cardenvs.baselines.search.trick.split import Split
from cardenvs.contract.registry import get_game

PAIRINGS = (("standard", "three-trumps"), ("standard", "random"), ("three-trumps", "random"))
"""Callers that meet over single deals."""
GAMES = (("standard", "three-trumps"), ("standard", "standard-by-deal"))
"""Callers that meet over whole games."""


@dataclass(frozen=True, repr=False)
class Pairing(Result):
    """Two callers over duplicate deals.

    Attributes:
        plays: name of the policy that plays the cards on both sides.
        sides: figures of the two callers' bidding (`CallerFigures`).
        deals: number of deals, each played twice.
        void: share of the deals in which all passed twice.
        points_margin: the first side's points less the second's, a deal; ``mean_points`` in JSON.
    """

    plays: str
    sides: tuple[Row, Row]
    deals: int
    void: float
    points_margin: Interval


@dataclass(frozen=True, repr=False)
class GamePairing(Result):
    """Two callers over duplicate whole games.

    Attributes:
        plays: name of the policy that plays the cards on both sides.
        callers: names of the two callers.
        games: number of games, each played twice.
        win_rate: share of the games that the first side wins.
    """

    plays: str
    callers: tuple[str, str]
    games: int
    win_rate: Interval

    ENDS: ClassVar[Mapping[str, str]] = {"win_rate": "ci95"}


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The worth of callers.

    Attributes:
        seed: the seed.
        pairings: callers over single deals.
        games: callers over whole games.
        break_even: where calling breaks even, for each policy that plays the cards and is a heuristic agent.
    """

    seed: int
    pairings: list[Pairing]
    games: list[GamePairing]
    break_even: list[BreakEven]

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {"game": "euchre"} | super().figures()

    document = report.document


def with_caller(plays: str, caller: str) -> Split:
    """The policy that plays the cards as ``plays`` and calls and discards as ``caller``.

    Args:
        plays: name of a policy.
        caller: a name from `CALLERS`, or the name of a policy that bids.

    Raises:
        ValueError: unknown policy or caller.
    """
    return Split("euchre", calls=f"low:calling={caller}" if caller in CALLERS else caller, plays=plays)


def play_callers(
    plays: str,
    pairs: Sequence[tuple[str, str]],
    over_games: Sequence[tuple[str, str]],
    deals: int,
    seed: int,
    progress: Callable[[int], None] | None = None,
    *,
    workers: int | None = 1,
    cluster: str | None = None,
) -> tuple[list[Pairing], list[GamePairing]]:
    """Plays callers against each other.

    Args:
        plays: name of the policy that plays the cards on both sides.
        pairs: names of two callers each, as `with_caller` takes them, that meet over duplicate deals.
        over_games: the same, of callers that meet over duplicate games to 10 points.
        deals: number of deals and of games of each two, each played twice.
        seed: int >= 0.
        progress: called with the number of deals (games) finished since the last call.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.

    Raises:
        ValueError: unknown policy or caller, ``workers`` below 1, a cluster that cannot be used.
    """

    def match(callers: tuple[str, str], **settings: Any) -> Match:
        """The match of two callers."""
        first, second = (with_caller(plays, caller) for caller in callers)
        return Match(first, second, deals, seed, **settings)

    matches = [match(callers, observing=BiddingObserver) for callers in pairs]
    matches += [match(callers, options={"episode": "game"}) for callers in over_games]
    pairings, games = [], []
    with series("euchre", matches, workers=workers, cluster=cluster) as play_next:
        for callers in pairs:
            played = play_next(progress)
            bidding = played.observer.result(callers)
            margin = margin_interval(played.finished().points_margins, Margins.of_game(get_game("euchre"), {}).points)
            pairings.append(Pairing(plays, bidding.sides, deals, bidding.void, margin))
        for callers in over_games:
            games.append(GamePairing(plays, callers, deals, share_interval(play_next(progress).finished().wins)))
    return pairings, games
