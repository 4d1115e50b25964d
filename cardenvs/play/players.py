"""Players of a table: people, a policy's input for a decision, and the pool of loaded policies."""

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
"""The name of a person in place of a policy's name."""

MakePolicy = Callable[[GameSpec, str], Policy]  # makes the policy of a name for a game, as `cardenvs.policy.make` does

_IDLE_NAMES = 16  # maximum number of names whose idle policies are kept


class PolicyFailed(RuntimeError):
    """A policy raised an error, or chose an illegal action.

    The table's position is unchanged; `cardenvs.play.table.Table.failed` has the reason.
    """


@dataclass(frozen=True)
class Snapshot:
    """A policy's input for one decision.

    Attributes:
        version: the table's version when the snapshot was taken.
        seat: the seat to act.
        observation: that seat's observation, int8 (observation_size,), with the history of play if the game has it.
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
        """Returns the observation dict that a PettingZoo environment would give a policy.

        A policy that remembers learns which seat of which deal is asked.
        """
        self._tell_seat(player)
        return {"observation": wanted_columns(player, self.observation[None])[0], "action_mask": self.action_mask}

    def asked(self, player: Policy) -> int:
        """Asks a policy for its action; raises ValueError if the answer is illegal."""
        self._tell_seat(player)
        return int(ask_rows(player, self.observation[None], self.action_mask[None], as_streams(self.rng(), 1))[0])

    def _tell_seat(self, player: Policy) -> None:
        if player.remembers:
            player.asked = Asked(np.array([self.seat]), np.array([self.game]), (self.seat,))

    def rng(self) -> np.random.Generator:
        """Returns a new generator for the policy's random choices."""
        return np.random.default_rng(self.seed)


class PolicyPool:
    """Idle policies by name, each lent to one borrower at a time, because policies keep work space; thread-safe.

    A policy that remembers is lent to one seat alone.
    """

    def __init__(self, game: GameSpec, make: MakePolicy = policy.make) -> None:
        self._game, self.make = game, make
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, int | None], list[Policy]] = {}

    def borrow(self, name: str, seat: int) -> Policy:
        """Returns an idle or new policy (slow the first time); raises ValueError or OSError as `policy.make` does."""
        with self._lock:
            for key in ((name, None), (name, seat)):
                if self._idle.get(key):
                    return self._idle[key].pop()
        return self.make(self._game, name)

    def give_back(self, name: str, seat: int, player: Policy) -> None:
        """Returns a borrowed policy to the pool; a policy that failed is not returned."""
        key = name, seat if player.remembers else None
        with self._lock:
            # Hints may ask for any number of names; only the latest few are worth their memory.
            if key not in self._idle and len(self._idle) >= _IDLE_NAMES:
                self._idle.pop(next(iter(self._idle)))
            self._idle.setdefault(key, []).append(player)

    def discard_remembering(self) -> None:
        """Closes the idle policies that remember, since the position may come again."""
        with self._lock:
            for key in [key for key in self._idle if key[1] is not None]:
                for player in self._idle.pop(key):
                    player.close()

    def check_name(self, name: str) -> None:
        """Raises ValueError or OSError for a name that cannot hold a seat: neither `HUMAN` nor a policy that loads."""
        if name != HUMAN:
            self.give_back(name, 0, self.borrow(name, 0))
