"""Callers in Euchre against each other, over duplicate deals and over whole games.

Both sides play the cards alike, so that the calls alone make the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.observers.bidding import BiddingObserver
from cardenvs.baselines.reports.columns import (
    Column,
    Columns,
    Row,
    computed_column,
    name_column,
    points_column,
    share_column,
)
from cardenvs.baselines.reports.document import Name
from cardenvs.baselines.reports.statistics import margin_interval, share_interval
from cardenvs.baselines.reproduce.calling import report
from cardenvs.baselines.runs.series import Match, series
from cardenvs.baselines.search.trick.split import Split
from cardenvs.contract.registry import get_game

PAIRINGS = (("standard", "three-trumps"), ("standard", "random"), ("three-trumps", "random"))
"""Callers that meet over single deals."""
GAMES = (("standard", "three-trumps"), ("standard", "standard-by-deal"))
"""Callers that meet over whole games."""

Pairing = Columns(
    "Pairing",
    name_column("plays", "the policy that plays the cards on both sides"),
    Column("sides", "the bidding of the two callers (`CallerFigures`)"),
    Column("deals", "number of deals, each played twice"),
    Column("void", "share of the deals in which all passed twice"),
    points_column("points_margin", "the first side's points less the second's, a deal"),
)
"""Two callers over duplicate deals."""

GamePairing = Columns(
    "GamePairing",
    name_column("plays", "the policy that plays the cards on both sides", "cards played by"),
    Column("callers", "the two callers"),
    computed_column("caller", lambda row: row.callers[0], title="caller", cell=Name),
    computed_column("against", lambda row: row.callers[1], title="against", cell=Name),
    Column("games", "number of games, each played twice"),
    share_column("win_rate", "share of the games that the first side wins", "games won, %", ends="ci95"),
)
"""Two callers over duplicate whole games."""

Reproduction = Columns(
    "Reproduction",
    computed_column("game", lambda row: "euchre", json=None),
    Column("seed", "the seed"),
    Column("pairings", "callers over single deals (`Pairing`)"),
    Column("games", "callers over whole games (`GamePairing`)"),
    Column("break_even", "the `BreakEven` of each policy that plays the cards and is a heuristic agent"),
    document=report.document,
)
"""The worth of callers."""


def with_caller(plays: str, caller: str) -> Split:
    """Returns the policy that plays the cards as ``plays`` and calls and discards as ``caller``.

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
) -> tuple[list[Row], list[Row]]:
    """Plays callers against each other, and returns each `Pairing` and each `GamePairing`.

    Args:
        plays: name of the policy that plays the cards on both sides.
        pairs: names of two callers each, as `with_caller` takes them, that meet over duplicate deals.
        over_games: the same, of callers that meet over duplicate games to 10 points.
        deals: number of deals and of games of each two, each played twice.
        progress: called with the number of deals (games) finished since the last call.

    Raises:
        ValueError: unknown policy or caller, ``workers`` below 1, a cluster that cannot be used.
    """

    def match(callers: tuple[str, str], **settings: Any) -> Match:
        first, second = (with_caller(plays, caller) for caller in callers)
        return Match(first, second, deals, seed, **settings)

    matches = [match(callers, observing=BiddingObserver) for callers in pairs]
    matches += [match(callers, options={"episode": "game"}) for callers in over_games]
    most = Margins.of_game(get_game("euchre"), {}).points
    pairings, games = [], []
    with series("euchre", matches, workers=workers, cluster=cluster) as play_next:
        for callers in pairs:
            played = play_next(progress)
            bidding = played.observer.result(callers)
            margin = margin_interval(played.finished().points_margins, most)
            pairings.append(Pairing(plays, bidding.sides, deals, bidding.void, margin))
        for callers in over_games:
            games.append(GamePairing(plays, callers, deals, share_interval(play_next(progress).finished().wins)))
    return pairings, games
