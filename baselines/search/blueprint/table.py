"""Search on a blueprint that announces its kernels: in worlds from a table of all hands that the seat can have."""

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint
from cardenvs.baselines.search.blueprint.belief import MOST_HANDS, Belief, Believer, new_memories, words_of
from cardenvs.baselines.search.blueprint.rollouts import search_of
from cardenvs.compiled.bits import Bytes, Streams
from cardenvs.contract.spec import GameSpec


def without_table(game: GameSpec) -> str:
    """The reason why a form of Hanabi has no table of all hands, for `cardenvs.policy.Policy.unfit`; "" if it has."""
    form = game.parameters
    if (form["colours"] * form["ranks"]) ** form["hand_size"] > MOST_HANDS:
        return f"needs a table of all hands, and {game.name} has too many"
    return ""


class TableSearch:
    """Finds moves in worlds from a table, in games with recall; ValueError for one with too many hands."""

    def __init__(self, game: GameSpec, blueprint: Blueprint, rollouts: int, threshold: float) -> None:
        self._game, self._blueprint, self._rollouts, self._threshold = game, blueprint, rollouts, threshold
        if why := without_table(game):
            raise ValueError(f"search {why}")
        self._believer = Believer(blueprint)

    def first_seat(self, observations: Bytes, row: int, streams: Streams) -> int:
        """The seat that began, counted from the one to act."""
        del streams
        return int(self._game.decode(observations[row : row + 1])[0]["first"])

    def belief(self, observations: Bytes) -> Belief:
        """All hands that the seat to act can have, from its observation, int8 (1, observation_size), which is checked."""
        views = self._game.decode(observations)
        return self._believer.belief_of(self._game.check_state(views, "observation", whole=False))

    def best_move(self, observations: Bytes, row: int, mask: Bytes, usual: int, streams: Streams) -> int:
        views = self._game.decode(observations[row : row + 1])
        belief = self._believer.belief_of(views)
        scratch = new_memories(self._blueprint, self._game.seats)
        actions = len(mask)
        return search_of(self._blueprint)(
            views, belief.hands, belief.kinds, belief.totals, belief.memories, belief.own, belief.left, self._rollouts,
            usual, self._threshold, streams, row, self._game.new_games(2), scratch, words_of(scratch, self._game.seats),
            mask.astype(np.int64), np.zeros(actions), np.zeros((actions, actions)), np.zeros(actions, np.int64),
        )  # fmt: skip
