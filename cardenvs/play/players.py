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
from cardenvs.policy.contract import Asked, Policy, ask_rows, wanted_columns

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
        game: the number of the deal at the table.
    """

    version: int
    seat: int
    observation: Bytes
    action_mask: Bytes
    seed: int
    game: int = 1

    def as_observation(self, player: Policy) -> dict[str, Any]:
        """The observation dict that a PettingZoo environment would return to a policy, with recall or without.

        A policy that remembers learns which seat of which deal is asked.
        """
        self._place(player)
        return {"observation": wanted_columns(player, self.observation[None])[0], "action_mask": self.action_mask}

    def asked(self, player: Policy) -> int:
        """The action that a policy chooses, legal in the position.

        Raises:
            ValueError: another answer.
        """
        self._place(player)
        return int(ask_rows(player, self.observation[None], self.action_mask[None], as_streams(self.rng(), 1))[0])

    def _place(self, player: Policy) -> None:
        """Tells a policy that remembers which seat of which deal is asked."""
        if player.remembers:
            player.asked = Asked(np.array([self.seat]), np.array([self.game]), (self.seat,))

    def rng(self) -> np.random.Generator:
        """A fresh generator for the policy's random choices."""
        return np.random.default_rng(self.seed)


class PolicyPool:
    """Policies by name, each lent to one borrower at a time; any thread may borrow.

    A policy keeps work space, so two threads must not share one: where a name is asked for twice at once, a second policy
    of that name is made. A policy that remembers is lent to one seat alone.

    Args:
        game: the spec of the game that the policies play.
        make: makes the policy of a name.

    Attributes:
        make: makes the policy of a name.
    """

    def __init__(self, game: GameSpec, make: MakePolicy = policy.make) -> None:
        self._game, self.make = game, make
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, int | None], list[Policy]] = {}

    def take(self, name: str, seat: int) -> Policy:
        """A policy of that name for a seat that nobody else uses; slow the first time, as the policy is loaded.

        Raises:
            ValueError: no policy of that name, or one that does not play the game.
            OSError: the policy's file cannot be read.
        """
        with self._lock:
            for key in ((name, None), (name, seat)):
                if self._idle.get(key):
                    return self._idle[key].pop()
        return self.make(self._game, name)

    def give_back(self, name: str, seat: int, player: Policy) -> None:
        """Returns a policy that `take` gave to a seat; one that has failed is better not returned."""
        key = name, seat if player.remembers else None
        with self._lock:
            # Hints may ask for any number of names; only the latest few are worth their memory.
            if key not in self._idle and len(self._idle) >= _IDLE_NAMES:
                self._idle.pop(next(iter(self._idle)))
            self._idle.setdefault(key, []).append(player)

    def forget(self) -> None:
        """Lets go of the policies that remember, since the position may come again."""
        with self._lock:
            for key in [key for key in self._idle if key[1] is not None]:
                for player in self._idle.pop(key):
                    player.close()

    def check(self, name: str) -> None:
        """Makes sure that a name can hold a seat: `HUMAN`, or the name of a policy that can be made.

        Raises:
            ValueError: no policy of that name, or one that does not play the game.
            OSError: the policy's file cannot be read.
        """
        if name != HUMAN:
            self.give_back(name, 0, self.take(name, 0))
