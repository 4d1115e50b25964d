"""The heuristic agents for Whist and Euchre: one implementation, two strength tables.

Each decodes the observation into a view and decides on that, so none can know what its seat does not.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from baselines.heuristics.calling import call, caller
from baselines.heuristics.cardplay import best, coop_high_low, high_low, worst
from cardenvs.cards import Bytes, Ints, Streams
from cardenvs.games import euchre, whist
from cardenvs.jit import driver, kernel
from cardenvs.policy import Policy, mask_bits
from cardenvs.spec import GameSpec

LOW, HIGH, HIGH_LOW, COOP_HIGH_LOW = range(4)


@driver
def _play(agent: Any, g: Any, cards: Any, strength: Any, streams: Any, s: Any) -> Any:
    """The card that ``agent`` plays from the legal ``cards`` for the seat to act in ``g``, a view or a state."""
    if agent == COOP_HIGH_LOW:
        return coop_high_low(g, cards, strength, streams, s)
    if agent == HIGH_LOW:
        return high_low(g, cards, strength, streams, s)
    if agent == HIGH:
        return best(cards, g.trump, strength, streams, s)
    return worst(cards, g.trump, strength, streams, s)


@kernel
def _euchre_rows(
    agent: int, calling: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, out: Ints
) -> None:
    for row in range(len(out)):
        euchre.decode(observations, row, views, 0)
        actions = mask_bits(masks, row)
        if views[0].phase == euchre.PLAYING:
            out[row] = _play(agent, views[0], actions, euchre.STRENGTH, streams, row)
        else:
            out[row] = call(calling, views, 0, actions, streams, row)


@kernel
def _whist_rows(agent: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, out: Ints) -> None:
    for row in range(len(out)):
        whist.decode(observations, row, views, 0)
        out[row] = _play(agent, views[0], mask_bits(masks, row), whist.STRENGTH, streams, row)


class TrickTakingPolicy(Policy):
    """An agent for trick games that decides by a kernel.

    Args:
        game: name or spec.
        calling: who bids and discards in full Euchre, a name from `calling.CALLERS`.
    """

    games = ("euchre", "whist")
    agent: ClassVar[int]

    def __init__(self, game: str | GameSpec, calling: str = "three-trumps") -> None:
        super().__init__(game)
        self._caller = caller(calling)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`."""
        out = np.empty(len(observations), np.int64)
        views = self.game.new_games(1)
        if self.game.name == "euchre":
            _euchre_rows(self.agent, self._caller, observations, action_masks, streams, views, out)
        else:
            _whist_rows(self.agent, observations, action_masks, streams, views, out)
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
