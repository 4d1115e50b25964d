"""Chances of games of Five-O without equation 3's assumption that columns are independent, and that assumption's cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.five_o.chances import DRAW, LOSS, WIN, Chances, mask_illegal, placement_scores
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.sampled_chances import sample_rows
from cardenvs.checks import MOST_DRAWN, check_int
from cardenvs.compiled.bits import Bytes, Streams, popcount
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import RandomSource, as_streams
from cardenvs.contract.observed import check_rows
from cardenvs.games import five_o
from cardenvs.games.poker import hand_value
from cardenvs.policy.contract import mask_bits

_MOST_LAST = 11  # unseen cards while the last row is filled, the rows before it lying face up


@kernel
def exact_games_row(views: Any, i: int, actions: int, games: Chances, row: int) -> bool:
    """The exact chances to win, draw and lose the game in the last row: ``games[row]``, (5, 3), by legal column.

    Completions are counted column by column, by the set of cards drawn so far and the numbers of columns won and lost.
    Returns False, and writes nothing, if a column lacks more than one card.
    """
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    total = popcount(unseen)
    for column in range(5):
        if popcount(v.columns[0, column]) < 4 or popcount(v.columns[1, column]) < 4 or total > _MOST_LAST:
            return False
    cards = np.zeros(_MOST_LAST + 1, np.int64)  # the one after the last is no card
    for k in range(total):
        cards[k] = unseen & -unseen
        unseen &= unseen - 1
    cards[total] = 0
    before = np.empty((1 << total, 6, 6))
    after = np.empty((1 << total, 6, 6))
    for action in range(5):
        if actions >> action & 1 == 0:
            continue
        before[:] = 0
        before[0, 0, 0] = 1
        for column in range(5):
            own, other = v.columns[0, column], v.columns[1, column]
            if column == action:
                own |= v.card
            after[:] = 0
            own_first = total if popcount(own) == 5 else np.int64(0)
            own_last = total + 1 if popcount(own) == 5 else total
            other_first = total if popcount(other) == 5 else np.int64(0)
            other_last = total + 1 if popcount(other) == 5 else total
            for x in range(own_first, own_last):
                mine = hand_value(own | cards[x])
                taken = np.int64(1) << x if x < total else np.int64(0)
                for y in range(other_first, other_last):
                    if y == x and x < total:
                        continue
                    theirs = hand_value(other | cards[y])
                    drawn = taken | (np.int64(1) << y if y < total else np.int64(0))
                    won, lost = np.int64(mine > theirs), np.int64(mine < theirs)
                    for used in range(1 << total):
                        if used & drawn == 0:
                            for w in range(column + 1):
                                for n in range(column + 1 - w):
                                    after[used | drawn, w + won, n + lost] += before[used, w, n]
            before, after = after, before
        sums = np.zeros(3)
        for used in range(1 << total):
            for w in range(6):
                for n in range(6 - w):
                    result = WIN if w >= 3 else LOSS if n >= 3 else DRAW
                    sums[result] += before[used, w, n]
        for k in range(3):
            games[row, action, k] = sums[k] / (sums[0] + sums[1] + sums[2])
    return True


@kernel
def _exact_games_rows(observations: Bytes, masks: Bytes, views: Any, games: Chances, done: Bytes) -> None:
    """`exact_games_row` for all rows; ``done``, int8 (n,), gets 1 where the chances were counted, else 0."""
    for row in range(len(observations)):
        five_o.decode(observations, row, views, 0)
        done[row] = exact_games_row(views, 0, mask_bits(masks, row), games, row)


def joint_chances(rows: Bytes, masks: Bytes, samples: int, streams: Streams) -> tuple[Chances, Chances]:
    """The chances of columns and of games after each placement, from the same random completions.

    Exact while every column lacks one card at most (the last row with ``hidden_rows`` 0 or 1), else from ``samples``.
    Returns those of columns, float64 (n, 5, 2), as `exact_chances`, and of games, float64 (n, 5, 3), by placement ``WIN``,
    ``DRAW`` and ``LOSS``, nan where illegal.
    """
    views = five_o.SPEC.new_games(1)
    games, done = np.zeros((len(rows), 5, 3)), np.zeros(len(rows), np.int8)
    chances = np.zeros((len(rows), 5, 2))
    _exact_games_rows(rows, masks, views, games, done)
    exact, drawn = np.flatnonzero(done), np.flatnonzero(done == 0)
    if len(exact):
        chances[exact] = exact_chances(rows[exact], masks[exact])
    if len(drawn):
        wins, counts = np.zeros((len(drawn), 5, 2), np.int64), np.zeros((len(drawn), 5, 3), np.int64)
        sample_rows(
            np.arange(len(drawn)), samples, True, rows[drawn], masks[drawn], streams[drawn], views, wins, counts
        )  # fmt: skip
        chances[drawn], games[drawn] = wins / samples, counts / samples
    games[masks == 0] = np.nan
    return mask_illegal(chances, masks), games


@dataclass(frozen=True)
class IndependenceCost:
    """Error of equation 3 (its chance to win less the counted one, by legal placement) without the assumption it makes."""

    positions: int  # number of positions that were compared; those with one legal placement are left out
    mean_absolute_difference: float
    mean_difference: float
    choices_differ: float  # share of positions in which equation 3 and the count choose differently, 0 to 1
    mean_loss: float  # the mean chance to win, counted, that choices by equation 3 lose


def independence_cost(
    observations: npt.ArrayLike, action_masks: npt.ArrayLike, samples: int = 100_000, rng: RandomSource | None = None
) -> IndependenceCost:
    """Measures the error of taking columns as independent in some positions, one of them at least with a choice.

    Both sides of the comparison come from the same completions: all of them in the last row, else ``samples``, of which
    the noise then makes close choices differ a little more often than they should.

    Raises:
        ValueError: wrong shapes, no position with a choice, ``samples`` below 1.
    """
    rows, masks = check_rows(five_o.SPEC, observations, action_masks)
    streams = as_streams(rng, len(rows))
    free = np.flatnonzero(masks.sum(axis=1) > 1)
    if not len(free):
        raise ValueError("action_masks must have a row with two legal actions")
    chances, games = joint_chances(rows[free], masks[free], check_int("samples", samples, 1, MOST_DRAWN), streams[free])
    apart, together = placement_scores(chances), games[:, :, WIN]
    difference = (apart - together)[masks[free] == 1]
    chosen, best = np.nanargmax(apart, axis=1), np.nanargmax(together, axis=1)
    every = np.arange(len(free))
    loss = together[every, best] - together[every, chosen]
    return IndependenceCost(
        positions=len(free),
        mean_absolute_difference=float(np.abs(difference).mean()),
        mean_difference=float(difference.mean()),
        choices_differ=float((loss > 0).mean()),
        mean_loss=float(loss.mean()),
    )
