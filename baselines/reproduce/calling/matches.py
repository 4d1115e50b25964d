"""Callers in Euchre against each other, over duplicate deals and over whole games.

Both sides play the cards alike, so that the calls alone make the difference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.heuristics.standard_calling import ALONE, REQUIRED
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.observers.bidding import BiddingObserver
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, points_column, share_column
from cardenvs.baselines.reports.document import Block, Document, Estimate, Name, Table, Text, Words
from cardenvs.baselines.reports.statistics import margin_interval, share_interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reproduce.calling.break_even import CALLS, FEWEST, LONE_BINS, POSITIONS, SURPLUS_BINS
from cardenvs.baselines.runs.series import Match, series
from cardenvs.baselines.search.trick.split import Split
from cardenvs.contract.registry import get_game

PAIRINGS = (("standard", "three-trumps"), ("standard", "random"), ("three-trumps", "random"))
"""Callers that meet over single deals."""
GAMES = (("standard", "three-trumps"), ("standard", "standard-by-deal"))  # callers that meet over whole games

Pairing = Columns(
    "Pairing",
    Column("plays", "the policy that plays the cards on both sides"),
    Column("sides", "the bidding of the two callers (`CallerFigures`)"),
    Column("deals", "number of deals, each played twice"),
    Column("void", "share of the deals in which all passed twice"),
    points_column("points_margin", "the first side's points less the second's, a deal"),
)
"""Two callers over duplicate deals."""

GamePairing = Columns(
    "GamePairing",
    Column("plays", "the policy that plays the cards on both sides", "cards played by", Name),
    Column("callers", "the two callers"),
    computed_column("caller", lambda row: row.callers[0], title="caller", cell=Name),
    computed_column("against", lambda row: row.callers[1], title="against", cell=Name),
    Column("games", "number of games, each played twice"),
    share_column("win_rate", "share of the games that the first side wins", "games won, %", ends="ci95"),
)
"""Two callers over duplicate whole games."""

_SHARES = {
    "calls, % of deals": "called",
    "in the first round, %": "first_round",
    "euchred, %": "euchred",
    "marches, %": "marches",
    "alone, %": "alone",
    "alone: march, %": "lone_marches",
    "alone: euchred, %": "lone_euchred",
}
"""Shares of a caller's deals or calls, by the heads of their columns."""
_HEAD = ("cards played by", "caller", *_SHARES, "points a call", "points a deal", "points a deal above the other")
_SPARE = tuple(head for head in _HEAD if head not in ("calls, % of deals", "euchred, %", _HEAD[-1]))


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction` with a pairing at least."""
    required = [[call, *map(str, REQUIRED[k])] for k, call in enumerate(CALLS)]
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        deals=result.pairings[0].deals,
        pairings=Table(_HEAD, list(itertools.chain(*map(_lines, result.pairings))), left=2, spare=_SPARE),
        games=result.games[0].columns.table(result.games, left=3),
        required=Table(["call", *POSITIONS], required),
        fewest=FEWEST,
        gains=list(itertools.chain(*map(_describe_gains, result.break_even))),
    )


def _lines(pairing: Row) -> list[list[Text]]:
    """A pairing as two rows of cells, one for each side, under `_HEAD`."""
    lines: list[list[Text]] = []
    for k, side in enumerate(pairing.sides):
        shares = [f"{100 * getattr(side, name):.1f}" for name in _SHARES.values()]
        if side.alone == 0:
            shares[-2:] = ["", ""]
        points = [f"{side.points_per_call:+z.3f}", f"{side.points_per_deal:.3f}"]
        plays, margin = ("", "") if k else (Name(pairing.plays), Estimate(pairing.points_margin))
        lines.append([plays, Name(side.caller), *shares, *points, margin])
    return lines


def _describe_gains(followed: Row) -> list[Block]:
    """Gains of calling instead of passing, and of going alone instead of calling with the partner."""

    def signed(values: list[float | None]) -> list[str]:
        return ["" if value is None else f"{value:+z.2f}" for value in values]

    gains = followed.mean_gains
    lone = [*(f"{low} and {high}" for low, high in LONE_BINS[:-1]), f"{LONE_BINS[-1][0]} or more"]
    rows = [[call, seat, *signed(gains[call][seat])] for call, seat in itertools.product(CALLS, POSITIONS)]
    return [
        Words(("Cards played by ", Name(followed.plays), f", {followed.deals:,} deals:")),
        Table(["call", "seat", *(f"{low:+d} to {high:+d}" for low, high in SURPLUS_BINS)], rows, left=2),
        Words(f"Points won by going alone on a hand worth calling, by its lone count ({ALONE} are required):"),
        Table(lone, [signed(followed.mean_lone_gains)], left=0),
    ]


Reproduction = Columns(
    "Reproduction",
    computed_column("game", lambda row: "euchre", json=None),
    Column("seed", "the seed"),
    Column("pairings", "callers over single deals (`Pairing`)"),
    Column("games", "callers over whole games (`GamePairing`)"),
    Column("break_even", "the `BreakEven` of each policy that plays the cards and is a heuristic agent"),
    document=document,
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
