"""The reflex agents for Five-O, which look at their own placement alone.

Source: the Five-O paper, as made exact in the project's reference; `cardenvs.poker.evaluate` is its ``eval``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.cards import Bytes, Ints, Streams, below, popcount
from cardenvs.games import five_o
from cardenvs.jit import kernel
from cardenvs.poker import evaluate
from cardenvs.policy import Policy, mask_bits


@kernel
def reflex2(views: Any, i: int, actions: int, streams: Streams, s: int) -> int:
    """The column worth most with the card in hand added; one at random among equals."""
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    chosen = -1
    value = -1.0
    ties = 0
    for column in range(5):
        if actions >> column & 1:
            cards = v.columns[0, column] | v.card
            # Of the rows after this one, all five draws are open to the column.
            worth = evaluate(cards, unseen, 5 * (5 - popcount(cards)))
            if worth > value:
                chosen, value, ties = column, worth, 1
            elif worth == value:
                ties += 1
                if below(streams, s, ties) == 0:
                    chosen = column
    return chosen


@kernel
def _reflex2_rows(observations: Bytes, masks: Bytes, streams: Streams, views: Any, out: Ints) -> None:
    for row in range(len(out)):
        five_o.decode(observations, row, views, 0)
        out[row] = reflex2(views, 0, mask_bits(masks, row), streams, row)


class Reflex2(Policy):
    """``reflex2``: puts the card where its column is worth most by the paper's ``eval``."""

    games = ("five-o",)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`."""
        out = np.empty(len(observations), np.int64)
        _reflex2_rows(observations, action_masks, streams, self.game.new_games(1), out)
        return out
