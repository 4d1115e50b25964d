"""Players of a table: the name for a person, the input of a policy for a decision, and the pool of loaded policies."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import as_streams
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, ask_rows, wanted_columns

HUMAN = "human"
"""Stands for a person where a policy's name could stand."""

MakePolicy = Callable[[GameSpec, str], Policy]
"""A function that makes the policy of a name for a game, as `cardenvs.policy.make` does."""

_IDLE_NAMES = 16
"""The most names of which policies are kept for their next decision."""


class PolicyFailed(RuntimeError):
    """A policy raised an error, or chose an illegal action.

    The table's position is as it was; `cardenvs.play.table.Table.failed` tells what went wrong.
    """


@dataclass(frozen=True)
class Snapshot:
    """A policy's input for one decision.

    Attributes:
        version: the table's version when the snapshot was taken.
        seat: the seat to act.
        observation: what that seat observes, int8 (observation_size,), with the order of play where the game knows it.
        action_mask: the legal actions of that seat, int8 (num_actions,).
        seed: seed of the policy's random choices; the same position of the same deal has the same seed.
    """

    version: int
    seat: int
    observation: Bytes
    action_mask: Bytes
    seed: int

    def as_observation(self, player: Policy) -> dict[str, Any]:
        """The observation dict that a PettingZoo environment would return to a policy, with recall or without."""
        return {"observation": wanted_columns(player, self.observation[None])[0], "action_mask": self.action_mask}

    def asked(self, player: Policy) -> int:
        """The action that a policy chooses, legal in the position.

        Raises:
            ValueError: another answer.
        """
        return int(ask_rows(player, self.observation[None], self.action_mask[None], as_streams(self.rng(), 1))[0])

    def rng(self) -> np.random.Generator:
        """A fresh generator for the policy's random choices."""
        return np.random.default_rng(self.seed)


class PolicyPool:
    """Policies by name, each lent to one borrower at a time; any thread may borrow.

    A policy keeps work space, so two threads must not share one: where a name is asked for twice at once, a second policy
    of that name is made.

    Args:
        game: the spec of the game that the policies play.
        make: makes the policy of a name.

    Attributes:
        make: makes the policy of a name.
    """

    def __init__(self, game: GameSpec, make: MakePolicy = policy.make) -> None:
        self._game, self.make = game, make
        self._lock = threading.Lock()
        self._idle: dict[str, list[Policy]] = {}

    def take(self, name: str) -> Policy:
        """A policy of that name that nobody else uses; slow the first time, as the policy is loaded.

        Raises:
            ValueError: no policy of that name, or one that does not play the game.
            OSError: the policy's file cannot be read.
        """
        with self._lock:
            idle = self._idle.get(name)
            if idle:
                return idle.pop()
        return self.make(self._game, name)

    def give_back(self, name: str, player: Policy) -> None:
        """Returns a policy that `take` gave; one that has failed is better not returned."""
        with self._lock:
            # Hints may ask for any number of names; only the latest few are worth their memory.
            if name not in self._idle and len(self._idle) >= _IDLE_NAMES:
                self._idle.pop(next(iter(self._idle)))
            self._idle.setdefault(name, []).append(player)

    def check(self, name: str) -> None:
        """Makes sure that a name can hold a seat: `HUMAN`, or the name of a policy that can be made.

        Raises:
            ValueError: no policy of that name, or one that does not play the game.
            OSError: the policy's file cannot be read.
        """
        if name != HUMAN:
            self.give_back(name, self.take(name))
