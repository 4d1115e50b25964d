"""Policies made for tests: without randomness, breaking rules, or failing; and how they get names."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs import Policy


class First(Policy):
    """Plays the first legal action: nothing random, so duplicate deals of it against itself cancel exactly."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        return action_masks.argmax(1).astype(np.int64)


class Last(Policy):
    """Plays the last legal action: nothing random, either."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(1).astype(np.int64)


class Cheat(Policy):
    """Plays an illegal card of Whist as its second one."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        illegal = action_masks.argmin(1)
        return np.where(action_masks.sum(1) == 13, action_masks.argmax(1), illegal).astype(np.int64)


class Broken(Policy):
    """Fails when it is to choose."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        raise ZeroDivisionError


class Named:
    """An entry point whose object is at hand, as the entry-point group of the policies holds them.

    Args:
        what: the entry's object.
    """

    def __init__(self, what: Any) -> None:
        self._what = what

    def load(self) -> Any:
        """The entry's object."""
        return self._what
