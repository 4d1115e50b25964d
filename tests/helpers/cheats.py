"""Policies that try for more than their move: they write to what they are handed, keep it, or bring rules of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cardenvs import Policy
from cardenvs.policy.contract import ScoredPolicy
from cardenvs.policy.explanation import Explanation
from tests.helpers.players import First


class WritesMask(Policy):
    """Makes its last action legal by writing to the mask, and takes it where it is not the only one."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        illegal = action_masks.argmin(1)
        action_masks.setflags(write=True)
        action_masks[:] = 1
        return illegal


class WritesMaskAndExplains(WritesMask):
    """Explains what it has made legal."""

    def explain(self, observation: Any, rng: Any = None) -> Explanation:
        illegal = int(observation["action_mask"].argmin())
        observation["action_mask"][:] = 1
        return Explanation("choice", ((self.game.actions[illegal], 1.0),))


class ScoresAll(ScoredPolicy):
    """Has scores for all actions, the best for an illegal one, and writes to the mask."""

    def evaluate(self, observations: Any, action_masks: Any, streams: Any, skip_forced: bool) -> Any:
        illegal = action_masks.argmin(1)
        action_masks[:] = 1
        return np.eye(action_masks.shape[1])[illegal], illegal


class WritesStreams(First):
    """Plays the first legal action, and writes to its streams and observations."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        actions = super().choose(observations, action_masks, streams)
        streams[:] = 1
        observations[:] = 1
        return actions


class Keeps(First):
    """Plays the first legal action, and changes the answer when it is asked again."""

    kept: Any = None

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        if self.kept is not None:
            self.kept[:] = 10**6
        self.kept = super().choose(observations, action_masks, streams)
        return self.kept


class Doctored(First):
    """Brings rules of its own by which a seat sees all cards, and takes note of what it is shown."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.seen: list[Any] = []
        plain = self.game.kernels

        def all_seeing(games: Any, i: int, seat: int, views: Any, j: int) -> None:
            """All that there is, from seat 0."""
            views[j] = games[i]

        self.game = replace(self.game, kernels=replace(plain, view=all_seeing))

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        self.seen.append(observations.copy())
        return super().choose(observations, action_masks, streams)


class TakesStreams(First):
    """Plays the first legal action, and takes note of all random streams that it is given."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.taken: list[int] = []

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        self.taken += streams.tolist()
        return super().choose(observations, action_masks, streams)
