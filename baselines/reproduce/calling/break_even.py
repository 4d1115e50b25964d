"""The break-even of calling in Euchre: points of calls less those of passes, by the strength of the hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.heuristics.standard_calling import call_surplus, goes_alone, lone_worth, playing_hand, standard_call
from cardenvs.baselines.heuristics.trick_taking import TrickTakingPolicy, agents_in
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
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


def _mean_gains(row: Row) -> dict[str, dict[str, list[float | None]]]:
    """The mean gains by call and position, in each of `SURPLUS_BINS`."""
    return {
        call: {
            position: _means(row.counts[k, p], row.gains[k, p], SURPLUS_BINS, -SPAN) for p, position in enumerate(POSITIONS)
        }
        for k, call in enumerate(CALLS)
    }


BreakEven = Columns(
    "BreakEven",
    Column("plays", "the policy that plays the cards"),
    Column("deals", "number of deals that were followed"),
    Column("counts", "int64 (3, 4, 2 * SPAN + 1), decisions by call, position and surplus", json=""),
    Column("gains", "float64 of that shape, points of calling less those of passing, added up over these", json=""),
    Column("lone_counts", "int64 (60,), hands worth calling, by `standard_calling.lone_worth`", json=""),
    Column("lone_gains", "float64 (60,), points of going alone less those of calling, added up over these", json=""),
    computed_column("surplus", lambda row: SURPLUS_BINS, json=None),
    computed_column("mean_gains", _mean_gains, json="gains"),
    computed_column("lone_worth", lambda row: LONE_BINS, json=None),
    computed_column(
        "mean_lone_gains", lambda row: _means(row.lone_counts, row.lone_gains, LONE_BINS, 0), json="lone_gains"
    ),
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
    """Deals once for each stream and tries every call at every decision of the bidding."""
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
    totals = np.zeros(_SHAPE, np.int64), np.zeros(_SHAPE), np.zeros(60, np.int64), np.zeros(60)
    _follow(spec.new_games(2), player.agent, player.threshold, seed_streams(seed, deals), *totals)
    return BreakEven(plays, deals, *totals)


def _means(counts: Ints, gains: Sums, bins: Bins, first: int) -> list[float | None]:
    """The mean gain in each range of values; None where fewer than `FEWEST` decisions came up."""
    means: list[float | None] = []
    for low, high in bins:
        part = slice(low - first, high - first + 1)
        number = int(counts[part].sum())
        means.append(float(gains[part].sum()) / number if number >= FEWEST else None)
    return means
