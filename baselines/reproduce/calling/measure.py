"""Callers in Euchre against each other, over duplicate deals and over whole games, and the break-even of calling.

Both sides play the cards alike, so that the calls alone make the difference.
"""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.heuristics.standard_calling import (
    ALONE,
    REQUIRED,
    call_surplus,
    goes_alone,
    lone_worth,
    playing_hand,
    standard_call,
)
from cardenvs.baselines.heuristics.trick_taking import TrickTakingPolicy, agents_in
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.observers.bidding import BiddingObserver
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, points_column, share_column
from cardenvs.baselines.reports.document import Block, Document, Estimate, Name, Table, Text, Words
from cardenvs.baselines.reports.statistics import margin_interval, share_interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.runs.series import Match, series
from cardenvs.baselines.search.trick.split import Split
from cardenvs.compiled.bits import Ints, Streams, lowest
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.games import euchre
from cardenvs.games.tricks import NO_TRUMP_YET

Bins = tuple[tuple[int, int], ...]
Sums = npt.NDArray[np.float64]

POSITIONS = ("dealer's left", "dealer's partner", "dealer's right", "dealer")  # the positions of a caller at the table
CALLS = ("first round", "second round, next suit", "second round, another suit")
"""Kinds of calls; the next suit is the other one of the turned card's colour."""
SURPLUS_BINS: Bins = ((-12, -7), (-6, -4), (-3, -1), (0, 2), (3, 5), (6, 12))
"""Ranges, both ends included, of how far a hand is above the points required."""
LONE_BINS: Bins = ((19, 20), (21, 22), (23, 24), (25, 26), (27, 28), (29, 30), (31, 59))
"""Ranges, both ends included, of a hand's lone count."""
FEWEST = 100  # decisions below which a mean is not shown
SPAN = 12  # greatest surplus over the points required, above or below, of calls that are followed
_SHAPE = (len(CALLS), len(POSITIONS), 2 * SPAN + 1)


def _means(counts: Ints, gains: Sums, bins: Bins, first: int) -> list[float | None]:
    """The mean gain in each range of values; None where fewer than `FEWEST` decisions came up."""
    parts = [slice(low - first, high - first + 1) for low, high in bins]
    numbers = [int(counts[part].sum()) for part in parts]
    return [float(gains[part].sum()) / n if n >= FEWEST else None for part, n in zip(parts, numbers, strict=True)]


BreakEven = Columns(
    "BreakEven",
    Column("plays", "the policy that plays the cards"),
    Column("deals", "number of deals that were followed"),
    computed_column("surplus", lambda row: SURPLUS_BINS, json=None),
    Column("gains", "mean points of calling less those of passing, by call, position and the ranges of `SURPLUS_BINS`"),
    computed_column("lone_worth", lambda row: LONE_BINS, json=None),
    Column("lone_gains", "mean points of going alone less those of calling, of hands worth calling, by `LONE_BINS`"),
)
"""Gains of ``standard`` by calling instead of passing, by the points of its hand above those required."""

_card = agents_in(euchre.SPEC).card


@kernel
def _play_on(games: Any, i: int, agent: int, threshold: float, streams: Streams, s: int) -> int:
    """Plays ``games[i]`` to the deal's end, all seats by one policy; returns the points of side 0 less those of side 1."""
    g = games[i]
    while g.over == RUNNING:
        actions = euchre.legal(games, i)
        if g.phase == euchre.PLAYING:
            action = _card(agent, threshold, games, i, actions, streams, s)
        else:
            action = standard_call(games, i, actions, False)
        euchre.step(games, i, action)
    if g.maker < 0:
        return 0
    side = g.maker & 1
    points = euchre.points_made(g.tricks[side] + g.tricks[side + 2], g.alone)
    return points if side == 0 else -points


@kernel
def _try(games: Any, action: int, agent: int, threshold: float, streams: Streams, s: int) -> int:
    """Points, less the other side's, that the side to act in ``games[0]`` gets by an action; played out in ``games[1]``."""
    games[1] = games[0]
    sign = 1 - 2 * (games[0].to_act & 1)
    euchre.step(games, 1, action)
    return sign * _play_on(games, 1, agent, threshold, streams, s)


@kernel
def _follow(
    games: Any,
    agent: int,
    threshold: float,
    streams: Streams,
    counts: Ints,
    gains: Sums,
    lone_counts: Ints,
    lone_gains: Sums,
) -> None:
    """Deals once for each stream, tries every call at every decision of the bidding, and adds up decisions and gains.

    Args:
        counts, gains: of the shape `_SHAPE`, decisions, and points of calling less those of passing.
        lone_counts, lone_gains: (60,), hands worth calling by `lone_worth`, and points of going alone less of calling.
    """
    g = games[0]
    span = counts.shape[2] // 2
    for s in range(len(streams)):
        euchre.deal(games, 0, streams, s)
        while g.phase == euchre.ORDERING or g.phase == euchre.CALLING:
            actions = euchre.legal(games, 0)
            turned = euchre.SUIT_OF[NO_TRUMP_YET, lowest(g.turned)]
            position = (g.to_act - g.dealer - 1) & 3
            passed = _try(games, euchre.PASS, agent, threshold, streams, s)
            for suit in range(4):
                if g.phase == euchre.ORDERING:
                    call, alone, row = euchre.ORDER_UP, euchre.ORDER_UP_ALONE, 0
                    legal = suit == turned
                else:
                    call, alone, row = euchre.CALL + suit, euchre.CALL_ALONE + suit, 1 if suit == 3 - turned else 2
                    legal = suit != turned
                above = call_surplus(games, 0, suit) if legal else -span - 1
                if above < -span:
                    continue
                together = _try(games, call, agent, threshold, streams, s)
                single = _try(games, alone, agent, threshold, streams, s)
                if above >= 0:
                    value = lone_worth(playing_hand(games, 0, suit), suit)
                    lone_counts[value] += 1
                    lone_gains[value] += single - together
                if above <= span:
                    chosen = single if goes_alone(games, 0, suit, False) else together
                    counts[row, position, above + span] += 1
                    gains[row, position, above + span] += chosen - passed
            euchre.step(games, 0, standard_call(games, 0, actions, False))


def break_even(plays: str, deals: int, seed: int) -> Row | None:
    """Follows deals of ``standard`` against itself, and returns a `BreakEven`.

    At every decision that comes up, each call is tried and so is passing, and the deal is played on from there.

    Args:
        plays: name of the policy that plays the cards in all seats; None is returned for one that is not one of the
            heuristic agents.
        deals: number of deals to follow.

    Raises:
        ValueError: unknown policy.
    """
    spec = get_game("euchre")
    player = policy.make(spec, plays)
    if not isinstance(player, TrickTakingPolicy):
        return None
    games, streams = spec.new_games(2), seed_streams(seed, deals)
    counts, gains = np.zeros(_SHAPE, np.int64), np.zeros(_SHAPE)
    lone_counts, lone_gains = np.zeros(60, np.int64), np.zeros(60)
    _follow(games, player.agent, player.threshold, streams, counts, gains, lone_counts, lone_gains)
    means = {
        call: {name: _means(counts[k, p], gains[k, p], SURPLUS_BINS, -SPAN) for p, name in enumerate(POSITIONS)}
        for k, call in enumerate(CALLS)
    }
    return BreakEven(plays, deals, means, _means(lone_counts, lone_gains, LONE_BINS, 0))


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

    lone = [*(f"{low} and {high}" for low, high in LONE_BINS[:-1]), f"{LONE_BINS[-1][0]} or more"]
    rows = [[call, seat, *signed(followed.gains[call][seat])] for call, seat in itertools.product(CALLS, POSITIONS)]
    return [
        Words(("Cards played by ", Name(followed.plays), f", {followed.deals:,} deals:")),
        Table(["call", "seat", *(f"{low:+d} to {high:+d}" for low, high in SURPLUS_BINS)], rows, left=2),
        Words(f"Points won by going alone on a hand worth calling, by its lone count ({ALONE} are required):"),
        Table(lone, [signed(followed.lone_gains)], left=0),
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


def _with_caller(plays: str, caller: str) -> Split:
    """The policy that plays the cards as ``plays`` and calls and discards as a caller, or as another policy does."""
    return Split("euchre", calls=f"low:calling={caller}" if caller in CALLERS else caller, plays=plays)


def play_callers(
    plays: str,
    pairs: Sequence[tuple[str, str]],
    over_games: Sequence[tuple[str, str]],
    deals: int,
    seed: int,
    progress: Callable[[int], None] | None = None,
    **engine: Any,
) -> tuple[list[Row], list[Row]]:
    """Plays callers against each other, and returns each `Pairing` and each `GamePairing`.

    Args:
        plays: name of the policy that plays the cards on both sides.
        pairs: two callers each that meet over duplicate deals, by their names in `CALLERS` or of policies that bid.
        over_games: the same, of callers that meet over duplicate games to 10 points.
        deals: number of deals and of games of each two, each played twice.
        progress: called with the number of deals (games) finished since the last call.
        engine: where the matches are played, as of `series`.

    Raises:
        ValueError: unknown policy or caller, ``workers`` below 1, a cluster that cannot be used.
    """

    def match(callers: tuple[str, str], **settings: Any) -> Match:
        first, second = (_with_caller(plays, caller) for caller in callers)
        return Match(first, second, deals, seed, **settings)

    matches = [match(callers, observing=BiddingObserver) for callers in pairs]
    matches += [match(callers, options={"episode": "game"}) for callers in over_games]
    most = Margins.of_game(get_game("euchre"), {}).points
    pairings, games = [], []
    with series("euchre", matches, **engine) as play_next:
        for callers in pairs:
            played = play_next(progress)
            bidding = played.observer.result(callers)
            margin = margin_interval(played.finished().points_margins, most)
            pairings.append(Pairing(plays, bidding.sides, deals, bidding.void, margin))
        for callers in over_games:
            games.append(GamePairing(plays, callers, deals, share_interval(play_next(progress).finished().wins)))
    return pairings, games
