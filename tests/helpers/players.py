"""Policies made for tests: without randomness, breaking rules, or failing; and how they get names."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs import Policy, policy
from cardenvs.policy.contract import Forfeit


class First(Policy):
    """Plays the first legal action: nothing random, so duplicate deals of it against itself cancel exactly."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        return action_masks.argmax(1).astype(np.int64)


class Last(Policy):
    """Plays the last legal action: nothing random, either."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(1).astype(np.int64)


class Cheat(Policy):
    """Takes an illegal action; in Whist it plays its first card by the rules."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        illegal = action_masks.argmin(1)
        return np.where(action_masks.sum(1) == 13, action_masks.argmax(1), illegal).astype(np.int64)


def failing(error: Exception) -> type[Policy]:
    """A kind of policy that raises an error when it is to choose."""

    class Fails(Policy):
        def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
            raise error

    return Fails


class Hangs(Policy):
    """Never answers, until the event ``release`` is set."""

    release = threading.Event()

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        assert Hangs.release.wait(60)
        return action_masks.argmax(1)


def quitting(after: int) -> type[Policy]:
    """A kind of policy that plays as `First`, and forfeits after so many decisions of one object."""

    class Quits(First):
        can_forfeit = True
        left = after

        def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
            self.left -= len(observations)
            if self.left < 0:
                raise Forfeit("it has had enough", row=len(observations) - 1)
            return super().choose(observations, action_masks, streams)

    return Quits


NO_IDEA = failing(RuntimeError("no idea\nat all"))
"""A policy that fails with a message of two lines."""


def maker(**kinds: Callable[[Any], Policy]) -> Callable[[Any, str], Policy]:
    """`cardenvs.policy.make` that knows more policies, by name."""
    return lambda game, name: kinds[name](game) if name in kinds else policy.make(game, name)


class Named:
    """An entry point whose object is at hand, as the entry-point group of the policies holds them."""

    def __init__(self, what: Any) -> None:
        self._what = what

    def load(self) -> Any:
        """The entry's object."""
        return self._what
