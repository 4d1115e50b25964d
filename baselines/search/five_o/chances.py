"""Chances in Five-O: of a column against the opposing one, and of a game, if nobody looked at the cards it places.

As in the Five-O paper (S. Aharon and M. Mandel, "Five-O Poker", I.B and II.B.4 to 5), a *random completion* fills the
columns with cards drawn from those a seat has not seen; the other's face-down cards are among these. ``put`` is a
column's chance to beat the opposing one with the card in hand in it, ``wait`` the one without it. A tie is no win, as the
rules have it; the paper's look-up table, unlike its text, counts ties as won.

The paper multiplies the chances of columns as if they were independent (`win_probability`). They share a deck, so they are
not quite: `game_chances` has the same completions without that assumption, `independence_cost` what it costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.cards import Bytes, Ints, RandomSource, Streams, as_streams, below, lowest, popcount
from cardenvs.checks import check_int, check_rows
from cardenvs.games import five_o
from cardenvs.jit import helper, kernel
from cardenvs.poker import HIGHEST_VALUE, hand_value
from cardenvs.policy import mask_bits

Chances = npt.NDArray[np.float64]

PUT, WAIT = 0, 1
WIN, DRAW, LOSS = 0, 1, 2

SAMPLES = 10_000
"""Random completions drawn where nothing else is said. The paper draws 100,000."""

_MOST_DRAWN = 4  # cards missing in a column, at most
_MOST_UNSEEN = 47
_MOST_LAST = 11  # unseen cards while the last row is filled, the rows before it lying face up


# --- equation 3 ----------------------------------------------------------------------------------------------------


@helper
def three_of_five(p0: float, p1: float, p2: float, p3: float, p4: float) -> float:
    """The chance that three or more of five independent events happen."""
    # Of the first four: a none, b one, c two, d three or more.
    none, both = (1.0 - p0) * (1.0 - p1), p0 * p1
    one = 1.0 - none - both
    none2, both2 = (1.0 - p2) * (1.0 - p3), p2 * p3
    one2 = 1.0 - none2 - both2
    two = both * none2 + one * one2 + none * both2
    more = both * (one2 + both2) + one * both2
    return more + two * p4


def win_probability(chances: npt.ArrayLike) -> Any:
    """The chance to win three or more of five columns, taken as independent: equation 3 of the paper (I.B).

    Args:
        chances: of winning each column, 0 to 1, numbers of shape (..., 5). Whatever else a column may bring, a tie or a
            loss, is no win.

    Returns:
        float64 of shape (...), a float for one game.

    Raises:
        ValueError: not five columns, or a chance outside 0 to 1.
    """
    p = np.asarray(chances, np.float64)
    if p.ndim == 0 or p.shape[-1] != 5:
        raise ValueError(f"chances must have the shape (..., 5), not {p.shape}")
    outside = ~((p >= 0) & (p <= 1))
    if outside.any():
        raise ValueError(f"chances must be 0 to 1, not {p[outside][0]}")
    won = three_of_five(*np.moveaxis(p, -1, 0))
    return np.clip(won, 0.0, 1.0)[()]


# --- sampled -------------------------------------------------------------------------------------------------------


@kernel
def sample_row(
    views: Any, i: int, actions: int, samples: int, joint: bool, streams: Streams, s: int, wins: Ints, games: Ints
) -> None:
    """Counts what ``samples`` more random completions bring the seat to act.

    One shuffle of the unseen cards fills all ten columns, so that every completion serves all columns, put and wait alike;
    for each of them alone its cards are a uniform draw all the same.

    Args:
        views: array of `five_o.STATE`, of which number ``i`` is a view with the seat to act.
        actions: the legal columns.
        samples: how many.
        joint: whether to count games, too.
        streams: from which stream ``s`` is used.
        wins: int64 (5, 2), added to: columns won with the card put there and without it; put of legal columns only.
        games: int64 (5, 3), added to: games won, drawn and lost after putting the card into each legal column.
    """
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    total = popcount(unseen)
    cards = np.empty(_MOST_UNSEEN, np.int64)
    for k in range(total):
        cards[k] = unseen & -unseen
        unseen &= unseen - 1
    own, other, needed = np.empty(5, np.int64), np.empty(5, np.int64), np.empty((2, 5), np.int64)
    drawn = 0
    for column in range(5):
        own[column], other[column] = v.columns[0, column], v.columns[1, column]
        needed[0, column] = 5 - popcount(own[column])
        needed[1, column] = 5 - popcount(other[column])
        drawn += needed[0, column] + needed[1, column]
    hand = v.card
    for _ in range(samples):
        for k in range(drawn):
            j = k + below(streams, s, total - k)
            cards[k], cards[j] = cards[j], cards[k]
        k = 0
        won, lost, put_won, put_lost = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for column in range(5):
            theirs, mine = other[column], own[column]
            for _ in range(needed[1, column]):
                theirs |= cards[k]
                k += 1
            value = hand_value(theirs)
            if actions >> column & 1:
                for _ in range(needed[0, column] - 1):
                    mine |= cards[k]
                    k += 1
                put = hand_value(mine | hand)
                put_won |= np.int64(put > value) << column
                put_lost |= np.int64(put < value) << column
                mine |= cards[k]
                k += 1
            else:
                for _ in range(needed[0, column]):
                    mine |= cards[k]
                    k += 1
            wait = hand_value(mine)
            won |= np.int64(wait > value) << column
            lost |= np.int64(wait < value) << column
        for column in range(5):
            wins[column, PUT] += put_won >> column & 1
            wins[column, WAIT] += won >> column & 1
        if joint:
            rest = actions
            while rest != 0:
                bit = rest & -rest
                rest ^= bit
                if popcount(won & ~bit | put_won & bit) >= 3:
                    games[lowest(bit), WIN] += 1
                elif popcount(lost & ~bit | put_lost & bit) >= 3:
                    games[lowest(bit), LOSS] += 1
                else:
                    games[lowest(bit), DRAW] += 1


# --- exact ---------------------------------------------------------------------------------------------------------
#
# Both columns draw from the same cards, so the pairs to count are those of disjoint draws A and B with the better hand in
# A. Pairs are too many to list; but the draws B that lie apart from a given A are those that contain none of its cards, by
# inclusion and exclusion a sum over the subsets S of A of (-1)**|S| times the number of draws B that contain S. So the
# draws of both sides are gone through in the order of their hands' values. B adds 1 to the counter of each of its subsets,
# A reads the counters of its own.


def _build_choose() -> Ints:
    """Binomial coefficients ``[n, k]``, k up to 4."""
    choose = np.zeros((_MOST_UNSEEN + 1, _MOST_DRAWN + 1), np.int64)
    choose[:, 0] = 1
    for n in range(1, len(choose)):
        choose[n, 1:] = choose[n - 1, 1:] + choose[n - 1, :-1]
    return choose


_SETS = _build_choose()
_SIZES = np.bitwise_count(np.arange(1 << _MOST_DRAWN)).astype(np.int64)


@kernel
def _list_draws(cards: Ints, total: int, count: int, column: int, places: Ints, values: Ints, starts: Ints) -> int:
    """Lists all draws of ``count`` cards by the value of the hand that they make of ``column``.

    Args:
        cards: the cards, ``total`` of them.
        places: gets the draws, the numbers of their cards ascending, a byte each.
        values: work space, as long.
        starts: int64 (HIGHEST_VALUE + 2,), gets where the draws of each value start.

    Returns:
        How many there are.
    """
    n = _SETS[total, count]
    unordered = np.empty(n, np.int64)
    starts[:] = 0
    at = np.empty(_MOST_DRAWN + 1, np.int64)
    for k in range(count):
        at[k] = k
    at[count] = total
    for k in range(n):
        hand, packed = column, np.int64(0)
        for j in range(count):
            hand |= cards[at[j]]
            packed |= at[j] << (8 * j)
        unordered[k] = packed
        value = hand_value(hand)
        values[k] = value
        starts[value + 1] += 1
        # The next draw in colexicographic order.
        j = 0
        while j < count - 1 and at[j] + 1 == at[j + 1]:
            at[j] = j
            j += 1
        at[j] += 1
    for value in range(1, HIGHEST_VALUE + 2):
        starts[value] += starts[value - 1]
    for k in range(n):
        value = values[k]
        places[starts[value]] = unordered[k]
        starts[value] += 1
    for value in range(HIGHEST_VALUE + 1, 0, -1):
        starts[value] = starts[value - 1]
    starts[0] = 0
    return n


@helper
def _subsets(packed: int, count: int, offsets: Ints, numbers: Ints) -> None:
    """The numbers of all subsets of a draw, one for each set of the bits of its ``count`` cards."""
    numbers[0] = 0
    for k in range(count):
        place = packed >> (8 * k) & 0xFF
        for part in range(1 << k):
            numbers[1 << k | part] = numbers[part] + _SETS[place, _SIZES[part] + 1]
    for part in range(1 << count):
        numbers[part] += offsets[_SIZES[part]]


@helper
def _apart(places: Ints, start: int, stop: int, count: int, most: int, offsets: Ints, numbers: Ints, holding: Any) -> int:
    """How many pairs there are of one of these draws and a counted one with no card in both."""
    pairs = np.int64(0)
    for k in range(start, stop):
        _subsets(places[k], count, offsets, numbers)
        for part in range(1 << count):
            size = _SIZES[part]
            if size <= most:
                found = np.int64(holding[numbers[part]])
                pairs += -found if size & 1 else found
    return pairs


@kernel
def exact_row(views: Any, i: int, actions: int, chances: Chances, row: int) -> None:
    """The exact chances of the columns to beat the opposing ones, over all random completions.

    Args:
        views: array of `five_o.STATE`, of which number ``i`` is a view with the seat to act.
        actions: the legal columns.
        chances: float64 (n, 5, 2), of which ``row`` gets put and wait; put of legal columns only.
    """
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    total = popcount(unseen)
    cards = np.empty(_MOST_UNSEEN, np.int64)
    for k in range(total):
        cards[k] = unseen & -unseen
        unseen &= unseen - 1
    most = 1
    for column in range(5):
        most = max(most, 5 - popcount(v.columns[0, column]), 5 - popcount(v.columns[1, column]))
    places = np.empty((3, _SETS[total, most]), np.int64)
    values = np.empty(_SETS[total, most], np.int64)
    starts = np.empty((3, HIGHEST_VALUE + 3), np.int64)
    offsets = np.zeros(_MOST_DRAWN + 1, np.int64)
    for k in range(_MOST_DRAWN):
        offsets[k + 1] = offsets[k] + _SETS[total, k]
    holding = np.empty(offsets[most] + _SETS[total, most], np.int32)
    numbers = np.empty(1 << _MOST_DRAWN, np.int64)
    for column in range(5):
        own, other = v.columns[0, column], v.columns[1, column]
        waiting, against = 5 - popcount(own), 5 - popcount(other)
        putting = waiting - 1 if actions >> column & 1 else np.int64(-1)
        _list_draws(cards, total, against, other, places[2], values, starts[2])
        _list_draws(cards, total, waiting, own, places[WAIT], values, starts[WAIT])
        if putting >= 0:
            _list_draws(cards, total, putting, own | v.card, places[PUT], values, starts[PUT])
        holding[:] = 0
        put_pairs, wait_pairs = np.int64(0), np.int64(0)
        for value in range(1, HIGHEST_VALUE + 1):
            # Before the draws of the same value are counted: those are ties.
            start, stop = starts[WAIT, value], starts[WAIT, value + 1]
            if start < stop:
                wait_pairs += _apart(places[WAIT], start, stop, waiting, against, offsets, numbers, holding)
            if putting >= 0:
                start, stop = starts[PUT, value], starts[PUT, value + 1]
                if start < stop:
                    put_pairs += _apart(places[PUT], start, stop, putting, against, offsets, numbers, holding)
            for k in range(starts[2, value], starts[2, value + 1]):
                _subsets(places[2, k], against, offsets, numbers)
                for part in range(1 << against):
                    if _SIZES[part] <= waiting:
                        holding[numbers[part]] += 1
        chances[row, column, WAIT] = wait_pairs / (_SETS[total, waiting] * _SETS[total - waiting, against])
        if putting >= 0:
            chances[row, column, PUT] = put_pairs / (_SETS[total, putting] * _SETS[total - putting, against])


@kernel
def exact_games_row(views: Any, i: int, actions: int, games: Chances, row: int) -> bool:
    """The exact chances to win, draw and lose the game over all random completions, in the last row.

    Column by column, counts by the set of cards drawn so far, the columns won and those lost.

    Args:
        views: array of `five_o.STATE`, of which number ``i`` is a view with the seat to act.
        actions: the legal columns.
        games: float64 (n, 5, 3), of which ``row`` gets win, draw and loss after putting the card into each legal column.

    Returns:
        False, and nothing is written, if a column lacks more than one card.
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


# --- of observations -----------------------------------------------------------------------------------------------


@kernel
def _sample_rows(
    samples: int, joint: bool, observations: Bytes, masks: Bytes, streams: Streams, views: Any, wins: Ints, games: Ints
) -> None:
    for row in range(len(observations)):
        five_o.decode(observations, row, views, 0)
        sample_row(views, 0, mask_bits(masks, row), samples, joint, streams, row, wins[row], games[row])


@kernel
def _exact_rows(observations: Bytes, masks: Bytes, views: Any, chances: Chances) -> None:
    for row in range(len(observations)):
        five_o.decode(observations, row, views, 0)
        exact_row(views, 0, mask_bits(masks, row), chances, row)


@kernel
def _exact_games_rows(observations: Bytes, masks: Bytes, views: Any, games: Chances, done: Bytes) -> None:
    for row in range(len(observations)):
        five_o.decode(observations, row, views, 0)
        done[row] = exact_games_row(views, 0, mask_bits(masks, row), games, row)


def _put_unless_illegal(chances: Chances, masks: Bytes) -> Chances:
    chances[:, :, PUT][masks == 0] = np.nan
    return chances


def sampled_chances(
    observations: npt.ArrayLike, action_masks: npt.ArrayLike, samples: int = SAMPLES, rng: RandomSource | None = None
) -> Chances:
    """Each column's chance to beat the opposing one, from random completions: the paper's Monte Carlo (II.B.4).

    Args:
        observations: int8 (n, 720), of seats to act.
        action_masks: int8 (n, 5).
        samples: how many completions to draw for each row.
        rng: a NumPy generator or uint64 streams of shape (n,); None is unseeded.

    Returns:
        float64 (n, 5, 2): by column with the card in hand (``PUT``, nan where illegal) and without it (``WAIT``). The
        standard error of a chance p is ``sqrt(p * (1 - p) / samples)``.

    Raises:
        ValueError: wrong shapes, a mask without a legal action, ``samples`` below 1.
    """
    rows, masks = check_rows(five_o.SPEC, observations, action_masks)
    samples = check_int("samples", samples, 1)
    wins = np.zeros((len(rows), 5, 2), np.int64)
    games = np.zeros((len(rows), 5, 3), np.int64)
    _sample_rows(samples, False, rows, masks, as_streams(rng, len(rows)), five_o.SPEC.new_games(1), wins, games)
    return _put_unless_illegal(wins / samples, masks)


def exact_chances(observations: npt.ArrayLike, action_masks: npt.ArrayLike) -> Chances:
    """Each column's chance to beat the opposing one over all random completions, exactly (II.B.5).

    Args:
        observations: int8 (n, 720), of seats to act.
        action_masks: int8 (n, 5).

    Returns:
        float64 (n, 5, 2), as `sampled_chances`.

    Raises:
        ValueError: wrong shapes, a mask without a legal action.
    """
    rows, masks = check_rows(five_o.SPEC, observations, action_masks)
    chances = np.zeros((len(rows), 5, 2))
    _exact_rows(rows, masks, five_o.SPEC.new_games(1), chances)
    return _put_unless_illegal(chances, masks)


def placement_chances(chances: Chances) -> Chances:
    """What each placement makes of the columns: the card put into one of them, the others as without it.

    Args:
        chances: float64 (..., 5, 2), as `sampled_chances` returns them.

    Returns:
        float64 (..., 5, 5): by placement, the five columns' chances; for an illegal placement nan in its own column.
    """
    placements = np.repeat(chances[..., None, :, WAIT], 5, axis=-2)
    for column in range(5):
        placements[..., column, column] = chances[..., column, PUT]
    return placements


def placement_scores(chances: Chances) -> Chances:
    """The chance to win three columns after each placement by equation 3.

    Args:
        chances: float64 (..., 5, 2), as `sampled_chances` returns them.

    Returns:
        float64 (..., 5), nan where the placement is illegal.
    """
    placements = placement_chances(chances)
    illegal = np.isnan(chances[..., PUT])
    scores = np.asarray(win_probability(np.where(np.isnan(placements), 0.0, placements)))
    return np.where(illegal, np.nan, scores)


def game_chances(
    observations: npt.ArrayLike, action_masks: npt.ArrayLike, samples: int = SAMPLES, rng: RandomSource | None = None
) -> Chances:
    """The chances to win, draw and lose after each placement over random completions, the columns drawn together.

    Exact while every column lacks one card at most (the last row with ``hidden_rows`` 0 or 1), else from ``samples``.

    Args:
        observations: int8 (n, 720), of seats to act.
        action_masks: int8 (n, 5).
        samples: how many completions to draw for a row.
        rng: a NumPy generator or uint64 streams of shape (n,); None is unseeded.

    Returns:
        float64 (n, 5, 3): by placement ``WIN``, ``DRAW`` and ``LOSS``, nan where illegal.

    Raises:
        ValueError: wrong shapes, a mask without a legal action, ``samples`` below 1.
    """
    rows, masks = check_rows(five_o.SPEC, observations, action_masks)
    return _joint(rows, masks, check_int("samples", samples, 1), as_streams(rng, len(rows)))[1]


def _joint(rows: Bytes, masks: Bytes, samples: int, streams: Streams) -> tuple[Chances, Chances]:
    """Columns' and games' chances from the same completions."""
    views = five_o.SPEC.new_games(1)
    games, done = np.zeros((len(rows), 5, 3)), np.zeros(len(rows), np.int8)
    chances = np.zeros((len(rows), 5, 2))
    _exact_games_rows(rows, masks, views, games, done)
    exact, drawn = np.flatnonzero(done), np.flatnonzero(done == 0)
    if len(exact):
        chances[exact] = exact_chances(rows[exact], masks[exact])
    if len(drawn):
        wins, counts = np.zeros((len(drawn), 5, 2), np.int64), np.zeros((len(drawn), 5, 3), np.int64)
        _sample_rows(samples, True, rows[drawn], masks[drawn], streams[drawn], views, wins, counts)
        chances[drawn], games[drawn] = wins / samples, counts / samples
    games[masks == 0] = np.nan
    return _put_unless_illegal(chances, masks), games


@dataclass(frozen=True)
class IndependenceCost:
    """How far equation 3 is from the same completions without its assumption.

    Attributes:
        positions: how many, those with one legal placement left out.
        mean_absolute_difference: between the two chances to win, over all legal placements.
        mean_difference: equation 3 less the other.
        choices_differ: in what share of the positions they choose differently.
        mean_loss: what the choice by equation 3 gives away in chance to win as the other counts it, over all positions.
    """

    positions: int
    mean_absolute_difference: float
    mean_difference: float
    choices_differ: float
    mean_loss: float


def independence_cost(
    observations: npt.ArrayLike, action_masks: npt.ArrayLike, samples: int = 100_000, rng: RandomSource | None = None
) -> IndependenceCost:
    """What taking columns as independent changes in some positions.

    Both sides of the comparison come from the same completions: all of them in the last row, else ``samples``, of which
    the noise then makes close choices differ a little more often than they should.

    Args:
        observations: int8 (n, 720), of seats to act.
        action_masks: int8 (n, 5), a choice in one of them at least.
        samples: how many completions to draw for a row.
        rng: a NumPy generator or uint64 streams of shape (n,); None is unseeded.

    Raises:
        ValueError: wrong shapes, no position with a choice, ``samples`` below 1.
    """
    rows, masks = check_rows(five_o.SPEC, observations, action_masks)
    streams = as_streams(rng, len(rows))
    free = np.flatnonzero(masks.sum(axis=1) > 1)
    if not len(free):
        raise ValueError("action_masks must have a row with two legal actions")
    chances, games = _joint(rows[free], masks[free], check_int("samples", samples, 1), streams[free])
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
