"""What the searching agents share: parameters and their checks, scores, explanations."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.cards import Bytes, Ints, RandomSource, Streams, as_streams
from cardenvs.policy import Policy

Scores = npt.NDArray[np.float64]


def check_count(name: str, value: Any) -> int:
    """``value`` if it is an int of at least 1.

    Raises:
        ValueError: it is not; names the parameter.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be an int of at least 1, not {value!r}")
    return int(value)


def check_worlds(worlds: Any) -> int:
    """`check_count` of the parameter ``worlds``."""
    return check_count("worlds", worlds)


def check_seconds(seconds: Any) -> float:
    """``seconds`` as a float if it is a number above 0.

    Raises:
        ValueError: it is not.
    """
    number = isinstance(seconds, (int, float, np.integer, np.floating)) and not isinstance(seconds, bool)
    if not number or not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a number above 0, not {seconds!r}")
    return float(seconds)


def check_choice(name: str, value: Any, allowed: Mapping[str, int]) -> int:
    """The number that ``allowed`` gives to ``value``.

    Raises:
        ValueError: not one of them; names the parameter and what is allowed.
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}")
    return allowed[value]


class SearchPolicy(Policy):
    """A policy that scores every legal action and chooses the best.

    Subclasses write `evaluate`; `choose`, `scores` and `explain` stand on it.

    Attributes:
        explains: what the numbers of `explain` are, for those who show them: ``"value"`` or ``"percent"``.
    """

    explains: ClassVar[str] = "value"

    games: ClassVar[tuple[str, ...] | None] = ("euchre", "whist")

    @abstractmethod
    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """Searches in every row.

        Args:
            observations: int8 (n, observation_size), contiguous.
            action_masks: int8 (n, num_actions), contiguous, a legal action in each row.
            streams: uint64 (n,), a random stream for each row, advanced in place.
            skip_forced: rows with one legal action need no search; their score may be anything but nan.

        Returns:
            The scores, float64 (n, num_actions), nan where illegal, and the actions to choose, int64 (n,).
        """

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`."""
        return self.evaluate(observations, action_masks, streams, True)[1]

    def scores(self, observations: Bytes, action_masks: Bytes, rng: RandomSource | None = None) -> Scores:
        """What the search makes of every action; `act` chooses the best.

        Args:
            observations: int8 (n, observation_size).
            action_masks: int8 (n, num_actions).
            rng: a NumPy generator or uint64 streams of shape (n,); None is unseeded.

        Returns:
            float64 (n, num_actions), nan where illegal. What the numbers are, the class says.

        Raises:
            ValueError: shapes that are not this game's; a mask without a legal action.
        """
        return self._checked(observations, action_masks, rng)[0]

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> list[tuple[str, float]]:
        """The legal actions and their scores, best first; the first is the one that `act` chooses.

        Args:
            observation: as a PettingZoo environment returns it, with ``"observation"`` and ``"action_mask"``.
            rng: as for `scores`; the same one gives the same scores and choice.
        """
        rows, masks = np.asarray(observation["observation"])[None], np.asarray(observation["action_mask"])[None]
        scores, chosen = self._checked(rows, masks, rng)
        legal = np.flatnonzero(masks[0])
        order = sorted(legal, key=lambda action: (-scores[0, action], action != chosen[0]))
        return [(self.game.actions[action], float(scores[0, action])) for action in order]

    def _checked(self, observations: Any, action_masks: Any, rng: RandomSource | None) -> tuple[Scores, Ints]:
        rows, masks = np.ascontiguousarray(observations, np.int8), np.ascontiguousarray(action_masks, np.int8)
        for what, array, width in (
            ("observations", rows, self.game.observation_size),
            ("action_masks", masks, self.game.num_actions),
        ):
            if array.shape != (len(rows), width):
                raise ValueError(f"{what} of {self.game.name} have the shape (n, {width}), not {array.shape}")
        if not masks.any(axis=1).all():
            raise ValueError("action_masks has a row without a legal action: that seat is not to act")
        return self.evaluate(rows, masks, as_streams(rng, len(rows)), False)
