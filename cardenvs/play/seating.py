"""A deal being played by people and policies: the players of its seats, their names, and the policies that failed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from cardenvs.contract.record import seats_line
from cardenvs.contract.spec import GameSpec
from cardenvs.play.deal import DealInPlay
from cardenvs.play.names import check_name, display_name, introduced_name, require_distinct
from cardenvs.play.players import HUMAN, MakePolicy, PolicyPool, Snapshot

_PARTS = 1000  # step of the version for events that everybody sees, where options are chosen in parts; a part counts one


class SeatedDeal(DealInPlay):
    """A deal being played by people and policies; raises ValueError for more or fewer players than seats."""

    def __init__(self, game: GameSpec, seats: Sequence[str], make: MakePolicy) -> None:
        super().__init__(game)
        if len(seats) != game.seats:
            raise ValueError(f"{game.name} has {game.seats} seats, not {len(seats)}: {', '.join(seats)}")
        self._lock = threading.RLock()
        self._policies = PolicyPool(game, make)
        self.seats = list(seats)  # who plays each seat: ``"human"`` or a policy's name
        # Names of people, and those that programs give themselves, by seat; None without one.
        self.names: list[str | None] = [None] * game.seats
        self.version = 0  # raised by every event, never lowered; see `version_seen`
        self.failed: dict[int, str] = {}  # by seat, the reason why a policy failed
        # Seats that people held in the current deal, after `same` and `load`, too; if empty, spectators see all cards.
        self.sat: set[int] = set()

    @property
    def people(self) -> list[int]:
        return [seat for seat, name in enumerate(self.seats) if name == HUMAN]

    @property
    def policy_to_act(self) -> int | None:
        """The seat to act if a policy plays there that has not failed; else None."""
        seat = self.to_act
        return seat if seat is not None and self.seats[seat] != HUMAN and seat not in self.failed else None

    def display_name(self, seat: int, viewer: int | None = None) -> str:
        """Returns the name by which ``viewer``, a seat or None for a spectator, calls a seat (`cardenvs.play.names`)."""
        return display_name(self.seats, self.names, seat, viewer)

    def set_name(self, seat: int, name: str) -> None:
        """Sets the name of the player at a seat; an empty name removes it.

        Raises:
            ValueError: no such seat, a name that `cardenvs.play.names.check_name` refuses, or another seat's name.
        """
        self._check_seat(seat)
        with self._lock:
            others = [other for at, other in enumerate(self.names) if at != seat]
            taken_back = isinstance(name, str) and not name.strip()
            self.names[seat] = None if taken_back else require_distinct(check_name(name), others)
            self._raise_version()

    def _check_seat(self, seat: Any) -> None:
        if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < self.game.seats:
            raise ValueError(f"the seats of {self.game.name} are 0 to {self.game.seats - 1}, not {seat!r}")

    def _not_the_turn_of(self, seat: Any) -> str:
        viewer = seat if isinstance(seat, int) and 0 <= seat < self.game.seats else None
        return f"it is the turn of {self.display_name(self.to_act or 0, viewer)}, not yours"

    def set_seat(self, seat: int, name: str) -> None:
        """Gives a seat to a policy or a person, also in the middle of a deal.

        Raises:
            ValueError: no such seat, or no such policy.
            OSError: the policy's file cannot be read.
        """
        self._check_seat(seat)
        seats_line([name])
        self.check_player(name)
        with self._lock:
            if self.seats[seat] != name:
                self.names[seat] = None  # the name was another's
            self.seats[seat] = name
            if name == HUMAN:
                self.sat.add(seat)
            self.failed.pop(seat, None)
            self._raise_version()

    def check_player(self, name: str) -> None:
        """Raises ValueError or OSError for a name that cannot hold a seat; slow the first time."""
        self._policies.check_name(name)

    def _introduce(self, shot: Snapshot, name: str, told: object) -> None:
        """Sets the name that a policy gives itself, if it has none; its move announces it."""
        with self._lock:
            if told is None or shot.version != self.version or self.seats[shot.seat] != name or self.names[shot.seat]:
                return
            self.names[shot.seat] = introduced_name(told, [other for at, other in enumerate(self.names) if at != shot.seat])

    def note_failure(self, version: int, seat: int, message: str) -> bool:
        """Notes the failure of a policy asked at ``version``; returns False, and does nothing, at another version."""
        with self._lock:
            if version != self.version:
                return False
            self.failed[seat] = message
            self._raise_version()
            return True

    def retry(self) -> None:
        """Lets the policies that failed try again; raises ValueError if none failed."""
        with self._lock:
            if not self.failed:
                raise ValueError("no policy has failed")
            self.failed.clear()
            self._raise_version()

    def _raise_version(self, part: bool = False) -> None:
        """Raises the version for an event, or for a part of an option."""
        whole = 1 if self.game.kernels.begun is None else _PARTS
        self.version += 1 if part else whole - self.version % whole

    def version_seen(self, viewer: int | None) -> int:
        """Returns the version that ``viewer`` is shown, a seat or None: parts of others do not count."""
        whole = 1 if self.game.kernels.begun is None or viewer == self.to_act else _PARTS
        return self.version - self.version % whole
