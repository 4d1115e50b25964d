"""Chances of Five-O's columns from random completions: the paper's Monte Carlo (S. Aharon and M. Mandel, II.B.4)."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.five_o.chances import DRAW, LOSS, MOST_UNSEEN, PUT, SAMPLES, WAIT, WIN, Chances, mask_illegal
from cardenvs.checks import MOST_DRAWN, check_int
from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import RandomSource, as_streams, below
from cardenvs.contract.observed import check_rows
from cardenvs.games import five_o
from cardenvs.games.poker import hand_value
from cardenvs.policy.contract import mask_bits


@kernel
def sample_row(
    views: Any, i: int, actions: int, samples: int, joint: bool, streams: Streams, s: int, wins: Ints, games: Ints
) -> None:
    """Counts the columns, and if ``joint`` the games, that the seat to act wins in ``samples`` more random completions.

    One shuffle of the unseen cards fills all ten columns; for each column alone its cards are a uniform draw all the same.
    Added to are ``wins``, int64 (5, 2), by ``PUT`` (legal columns only) and ``WAIT``, and ``games``, int64 (5, 3), after
    each ``PUT``.
    """
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    total = popcount(unseen)
    cards = np.empty(MOST_UNSEEN, np.int64)
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


@kernel
def sample_rows(
    rows: Ints, samples: int, joint: bool, observations: Bytes, masks: Bytes, streams: Streams, views: Any, wins: Ints,
    games: Ints,
) -> None:  # fmt: skip
    """`sample_row` for the rows ``rows``; ``wins``, int64 (n, 5, 2), and ``games``, int64 (n, 5, 3), are added to."""
    for row in rows:
        five_o.decode(observations, row, views, 0)
        sample_row(views, 0, mask_bits(masks, row), samples, joint, streams, row, wins[row], games[row])


def sampled_chances(
    observations: npt.ArrayLike, action_masks: npt.ArrayLike, samples: int = SAMPLES, rng: RandomSource | None = None
) -> Chances:
    """Each column's chance to beat the opposing one, from random completions: the paper's Monte Carlo (II.B.4).

    Returns float64 (n, 5, 2): by column with the card in hand (``PUT``, nan where illegal) and without it (``WAIT``). The
    standard error of a chance p is ``sqrt(p * (1 - p) / samples)``.

    Raises:
        ValueError: wrong shapes, a mask without a legal action, ``samples`` below 1.
    """
    rows, masks = check_rows(five_o.SPEC, observations, action_masks)
    samples = check_int("samples", samples, 1, MOST_DRAWN)
    wins = np.zeros((len(rows), 5, 2), np.int64)
    games = np.zeros((len(rows), 5, 3), np.int64)
    sample_rows(
        np.arange(len(rows)), samples, False, rows, masks, as_streams(rng, len(rows)), five_o.SPEC.new_games(1), wins, games
    )  # fmt: skip
    return mask_illegal(wins / samples, masks)
