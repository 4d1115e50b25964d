"""``split``: one policy for bids and discards, another for the play of the cards."""

import numpy as np

from cardenvs import policy
from cardenvs.baselines.search.trick.card_search import plays_card
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Asked, Policy, choose_in_rows


class Split(Policy):
    """``split``: bids and discards as one policy, plays the cards as another.

    Args:
        calls: the policy for bids and discards, or its name, with parameters if any (at most one if it is given within a
            name, as in ``"split:calls=monte-carlo:worlds=100,plays=hybrid"``).
        plays: the policy for the play of the cards, or its name, with parameters if any.

    Raises:
        ValueError: an unknown policy or one of another game.
    """

    games = ("euchre",)

    def __init__(
        self, game: str | GameSpec, calls: str | Policy = "monte-carlo", plays: str | Policy = "coop-high-low"
    ) -> None:
        spec = get_game(game)
        self.calls, self.plays = policy.make(spec, calls), policy.make(spec, plays)
        super().__init__(spec.with_recall(spec.recall or self.calls.game.recall or self.plays.game.recall))
        self.remembers = self.calls.remembers or self.plays.remembers
        self.slow = self.calls.slow or self.plays.slow
        self.can_be_foretold = self.calls.can_be_foretold and self.plays.can_be_foretold

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        playing = plays_card(self.game, observations)
        parts = ((self.plays, np.flatnonzero(playing)), (self.calls, np.flatnonzero(~playing)))
        if self.asked is not None:
            for player, rows in parts:
                player.asked = Asked(self.asked.seats[rows], self.asked.games[rows], self.asked.held)
        return choose_in_rows(parts, observations, action_masks, streams)
