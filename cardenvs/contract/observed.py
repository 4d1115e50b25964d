"""Observations of a game: made, read, and told in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import as_array, check_bits
from cardenvs.contract import prompts
from cardenvs.contract.fields import Games
from cardenvs.contract.lines import WrittenGame


class ObservedGame(WrittenGame):
    """A game whose observations can be made, read and told in words."""

    def observation(self, state: Games, seat: int, i: int = 0) -> npt.NDArray[np.int8]:
        """What ``seat`` observes in game ``i``: int8 of shape (observation_size,).

        Raises:
            ValueError: no states of the game, no such seat or no such game.
        """
        state, seat, i = self._addressed(state, seat, i)
        out = np.zeros((1, self.observation_size), np.int8)
        views = self.new_games(1)
        self.kernels.view(state, i, seat, views, 0)
        self.kernels.observe(views, 0, out, 0)
        return out[0]

    def full_state(self, state: Games, seat: int = 0, i: int = 0) -> npt.NDArray[np.int8]:
        """What ``seat`` observes, then all that it cannot see: int8 of shape (state_size,), for critics.

        Raises:
            ValueError: no states of the game, no such seat or no such game.
        """
        state, seat, i = self._addressed(state, seat, i)
        out = np.zeros((1, self.state_size), np.int8)
        out[0, : self.observation_size] = self.observation(state, seat, i)
        self.kernels.reveal(state, i, seat, out, 0, self.observation_size)
        return out[0]

    def decode(self, observations: npt.NDArray[np.int8]) -> Games:
        """The views behind observations.

        Args:
            observations: int8 (n, observation_size).

        Returns:
            A structured array of `dtype`, shape (n,). A row that no position can show is decoded to something that is no
            view, which `check_state` finds.

        Raises:
            ValueError: another shape, or other numbers than 0 and 1.
        """
        rows = check_bits("observations", self.name, observations, self.observation_size)
        views = self.new_games(len(rows))
        for row in range(len(rows)):
            self.kernels.decode(rows, row, views, row)
        return views

    def labels(self, observation: npt.NDArray[np.int8]) -> dict[str, list[str]]:
        """An observation or a ``state()`` as Python values: by part, the labels of the entries that are 1, in their order.

        ``{"hand": ["9c", "Qc"], "trump": [], ...}``: every part is there. Of a number that is told as "all numbers up
        to it" the last label is the number.

        Args:
            observation: numbers (observation_size,) or (state_size,).

        Raises:
            ValueError: another shape.
        """
        row = as_array("observation", observation)
        if row.shape not in ((self.observation_size,), (self.state_size,)):
            raise ValueError(
                f"an observation of {self.name} has the shape ({self.observation_size},) and a state "
                f"({self.state_size},), not {row.shape}"
            )
        shown = [(part, self.slices[part.name]) for part in self.parts]
        if len(row) == self.state_size:
            shown += [(part, self.hidden_slices[part.name]) for part in self.hidden]
        return {part.name: [part.labels[k] for k in np.flatnonzero(row[where]).tolist()] for part, where in shown}

    def describe(self, observation: npt.NDArray[np.int8]) -> str:
        """An observation or a ``state()`` in text for a person: a line for each part that is not all zeros.

        Args:
            observation: int8 (observation_size,) or (state_size,).

        Raises:
            ValueError: another shape.
        """
        told = self.labels(observation)
        width = max(map(len, told))
        return "\n".join(f"{name:<{width}}  {' '.join(lit)}" for name, lit in told.items() if lit)

    def prompt(self, observation: Mapping[str, Any]) -> str:
        """All that a language model needs for a decision, in one text that ends with the legal actions by name.

        Before these stand the rules in brief and what the seat knows: the table as it sees it, and the parts of its
        observation.

        Args:
            observation: an observation dict of the seat to act, as a PettingZoo environment returns it.

        Raises:
            ValueError: an observation that `cardenvs.policy.Policy.act` refuses.
        """
        return prompts.prompt(self, observation)
