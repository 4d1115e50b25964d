"""A deal being played by people and policies: the players of its seats, their names, and the policies that failed."""

import hashlib
import secrets
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from cardenvs.contract.record import seats_line
from cardenvs.contract.spec import GameSpec
from cardenvs.play import hints
from cardenvs.play.deal import DealInPlay
from cardenvs.play.names import check_name, display_name, introduced_name, plain_policy, require_distinct
from cardenvs.play.players import HUMAN, MakePolicy, PolicyFailed, PolicyPool, Snapshot
from cardenvs.policy.explanation import Explanation
from cardenvs.printing import error_text

_PARTS = 1000  # step of the version for events that everybody sees, where options are chosen in parts; a part counts one


class SeatedDeal(DealInPlay):
    """A deal being played by people and policies.

    Attributes:
        seats: who plays each seat: ``"human"`` or a policy's name.
        names: names of people, and those that programs give themselves, by seat; None without one.
        version: raised by every event, never lowered.
        failed: by seat, the reason why a policy failed.
        sat: the seats that people held in the current deal, also when it was begun before at this table; if empty,
            spectators see all cards.

    Raises:
        ValueError: more or fewer players than seats.
    """

    def __init__(self, game: GameSpec, seats: Sequence[str], make: MakePolicy) -> None:
        super().__init__(game)
        if len(seats) != game.seats:
            raise ValueError(f"{game.name} has {game.seats} seats, not {len(seats)}: {', '.join(seats)}")
        self._lock = threading.RLock()
        self._policies = PolicyPool(game, make)
        self.seats = list(seats)
        self.names: list[str | None] = [None] * game.seats
        self.version = 0
        self.failed: dict[int, str] = {}
        self.sat: set[int] = set()
        self._dealt = 0  # number of deals dealt at the table
        self._secret = secrets.token_hex(32)  # never the seed of a deal, which would reveal the deals to come

    @property
    def people(self) -> list[int]:
        """The seats of people."""
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
        self.check_seat(seat)
        with self._lock:
            others = [other for at, other in enumerate(self.names) if at != seat]
            taken_back = isinstance(name, str) and not name.strip()
            self.names[seat] = None if taken_back else require_distinct(check_name(name), others)
            self._raise_version()

    def check_seat(self, seat: Any) -> None:
        """Raises ValueError unless there is such a seat."""
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
        self.check_seat(seat)
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

    def act(self, seat: int, action: int | str) -> None:
        """Plays an action, a number or a name, for a seat.

        Raises:
            ValueError: the deal is over, it is another seat's turn, or the action is unknown or illegal. Nothing has
                changed then.
        """
        with self._lock:
            self._play_action(self._check_action(seat, action))
            self._raise_version(self.midway)

    def _check_action(self, seat: int, action: int | str) -> int:
        """Returns the number of an action; raises ValueError unless the seat may take it now."""
        if self.to_act is None:
            raise ValueError("the deal is over")
        if seat != self.to_act:
            raise ValueError(self._not_the_turn_of(seat))
        is_number = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
        if not isinstance(action, str) and not (is_number and 0 <= action < self.game.num_actions):
            raise ValueError(f"unknown action {action!r} in {self.game.name}")
        number = self.game.action(action) if isinstance(action, str) else int(action)
        legal = self.game.legal(self.state)
        if not legal >> number & 1:
            names = self.game.legal_names(legal)
            raise ValueError(f"{self.game.actions[number]} is illegal there: legal are {names}")
        return number

    def apply(self, version: int, seat: int, action: int) -> bool:
        """Plays an action computed for a version of the table; at another version does nothing and returns False.

        Raises:
            ValueError: the deal is over, it is another seat's turn, or the action is illegal.
        """
        with self._lock:
            if version != self.version:
                return False
            self.act(seat, action)
            return True

    def snapshot(self) -> Snapshot:
        """Returns the position as the seat to act observes it.

        Raises:
            ValueError: the deal is over.
        """
        with self._lock:
            seat = self.to_act
            if seat is None:
                raise ValueError("the deal is over")
            legal = self.game.legal(self.state)
            seed = self._derive_seed("move", self._dealt, len(self.events))
            shown = self.game.with_recall(bool(self.game.recall_parts)).observation(self.state, seat)
            return Snapshot(self.version, seat, shown, self.game.mask(legal), seed, self._dealt)

    def policy_move(self, snapshot: Snapshot | None = None) -> tuple[int, int]:
        """Asks the policy to act for an action, which is not played (`apply` does that).

        Returns:
            The seat and the action's number.

        Raises:
            ValueError: no policy is to act.
            PolicyFailed: the policy raised an error, or chose an illegal action; its seat is in `failed` then, unless the
                table has moved on.
        """
        shot = snapshot or self.snapshot()
        name = self.seats[shot.seat]
        if name == HUMAN:
            raise ValueError(f"it is the turn of {self.display_name(shot.seat)}, who is a person")
        try:
            player = self._policies.borrow(name, shot.seat)
            action = shot.asked(player)
        except Exception as error:  # a policy may fail in any way; the game is kept
            message = f"{plain_policy(name)} failed: {error_text(error)}"[:300]
            self.note_failure(shot.version, shot.seat, message)
            raise PolicyFailed(message) from error
        self._introduce(shot, name, getattr(player, "introduced", None))
        self._policies.give_back(name, shot.seat, player)
        return shot.seat, action

    def hint(self, seat: int, name: str, snapshot: Snapshot | None = None) -> Explanation:
        """Returns a policy's explanation of the legal actions of ``seat``, from that seat's observation alone.

        Args:
            seat: the seat that asks; it must be the seat to act.
            name: a policy's name.
            snapshot: the position; None takes the current one.

        Raises:
            ValueError: another seat's turn, an unknown policy, or a policy that cannot play the game.
            OSError: the policy's file cannot be read.
        """
        shot = snapshot or self.snapshot()
        if shot.seat != seat:
            raise ValueError(self._not_the_turn_of(seat))
        player = self._policies.borrow(name, seat)
        # From what the seat sees anyway, so that a hint tells nothing of the table's secret.
        shown = shot.as_observation(player)
        seen = hashlib.blake2b(shown["observation"].tobytes(), digest_size=8, person=b"cardenvs hint").digest()
        explained = hints.hint(player, shown, np.random.default_rng(int.from_bytes(seen, "little")))
        self._policies.give_back(name, seat, player)
        return explained

    def _derive_seed(self, *what: Any) -> int:
        """Derives a seed for one purpose; it reveals neither the table's secret nor the seed of another purpose."""
        text = "/".join(map(str, (self._secret, *what)))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1

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
