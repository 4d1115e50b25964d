"""The heuristic agents for Whist and Euchre: one implementation, two strength tables.

Each decodes the observation into a view and decides on that, so none can know what its seat does not.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.heuristics.calling import three_trumps
from baselines.heuristics.cardplay import best, coop_high_low, high_low, worst
from cardenvs.cards import Bytes, Ints, Streams
from cardenvs.games import euchre, whist
from cardenvs.jit import driver, kernel
from cardenvs.policy import Policy, mask_bits

LOW, HIGH, HIGH_LOW, COOP_HIGH_LOW = range(4)


@driver
def _play(agent: Any, v: Any, cards: Any, strength: Any, streams: Any, s: Any) -> Any:
    """The card that ``agent`` plays from the legal ``cards`` in view ``v``."""
    if agent == COOP_HIGH_LOW:
        return coop_high_low(v, cards, strength, streams, s)
    if agent == HIGH_LOW:
        return high_low(v, cards, strength, streams, s)
    if agent == HIGH:
        return best(cards, v.trump, strength, streams, s)
    return worst(cards, v.trump, strength, streams, s)


@kernel
def _euchre_rows(agent: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, out: Ints) -> None:
    for row in range(len(out)):
        euchre.decode(observations, row, views, 0)
        actions = mask_bits(masks, row)
        if views[0].phase == euchre.PLAYING:
            out[row] = _play(agent, views[0], actions, euchre.STRENGTH, streams, row)
        else:
            out[row] = three_trumps(views, 0, actions, streams, row)


@kernel
def _whist_rows(agent: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, out: Ints) -> None:
    for row in range(len(out)):
        whist.decode(observations, row, views, 0)
        out[row] = _play(agent, views[0], mask_bits(masks, row), whist.STRENGTH, streams, row)


class TrickTakingPolicy(Policy):
    """An agent for trick games that decides by a kernel; in Euchre it bids by `calling.three_trumps`."""

    games = ("euchre", "whist")
    agent: ClassVar[int]

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`."""
        out = np.empty(len(observations), np.int64)
        rows = _euchre_rows if self.game.name == "euchre" else _whist_rows
        rows(self.agent, observations, action_masks, streams, self.game.new_games(1), out)
        return out


class Low(TrickTakingPolicy):
    """``low``: the worst legal card."""

    agent = LOW


class High(TrickTakingPolicy):
    """``high``: the best legal card."""

    agent = HIGH


class HighLow(TrickTakingPolicy):
    """``high-low``: tries to win the trick with its best card, else throws its worst (`cardplay.high_low`)."""

    agent = HIGH_LOW


class CoopHighLow(TrickTakingPolicy):
    """``coop-high-low``: high-low that leaves a trick to the partner who holds it (`cardplay.coop_high_low`)."""

    agent = COOP_HIGH_LOW
