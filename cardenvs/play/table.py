"""A table: a game whose seats are people and policies, without a word about how people reach it.

The web server and the terminal stand on this. A table deals, takes actions of people, computes those of policies (in any
thread), and is written to text and read from it exactly. What a seat may be shown is `cardenvs.play.seatview`'s business.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardenvs import policy
from cardenvs.cards import Bytes, seed_streams
from cardenvs.drivers import DEAL_OVER, RUNNING
from cardenvs.policy import Explanation, Policy
from cardenvs.record import Deal, parse_record, seats_line
from cardenvs.spec import Games, GameSpec, get_game

HUMAN = "human"
"""Stands for a person where a policy's name could stand."""

_IDLE = 16
"""Policies of so many names are kept for their next move."""

_SEED = "# seed:"
_VERSION = "# version:"
_DEALT = "# deals dealt:"
_NUMBER = "# deal:"
_DEAL_SEED = "# seed of the deal:"
_LEFT = "# left unfinished:"


class PolicyFailed(RuntimeError):
    """A policy raised, or chose what is illegal. The table is as it was, and `Table.failed` says so too."""


class Event(NamedTuple):
    """An action as everybody at the table saw it.

    Attributes:
        seat: whose it was.
        action: its number; `cardenvs.games.euchre.HIDDEN_DISCARD` for a card put away face down.
        drawn: in a game that hands out cards one by one, the card that the action placed, else -1; not public.
        winner: the seat that won the trick which the action completed, else None.
    """

    seat: int
    action: int
    drawn: int
    winner: int | None


@dataclass(frozen=True)
class Snapshot:
    """What a policy needs for one decision.

    Attributes:
        version: of the table when it was taken.
        seat: whose decision it is.
        observation: int8 (observation_size,).
        action_mask: int8 (num_actions,).
        seed: of the random numbers: the same position of the same deal has the same.
    """

    version: int
    seat: int
    observation: Bytes
    action_mask: Bytes
    seed: int

    def as_observation(self) -> dict[str, Any]:
        """As a PettingZoo environment would return it."""
        return {"observation": self.observation, "action_mask": self.action_mask}


@dataclass(frozen=True)
class Kept:
    """A deal of a table as its text has it.

    Attributes:
        number: which deal of the table, from 1.
        seats: who played.
        seed: by which it was asked for, if it was.
        line: the deal with its actions; it names all cards.
        over: whether it was played to its end.
    """

    number: int
    seats: tuple[str, ...]
    seed: int | None
    line: str
    over: bool

    @property
    def remarks(self) -> str:
        """The lines that stand before it in a record."""
        seed = "" if self.seed is None else f"{_DEAL_SEED} {self.seed}\n"
        players = f"{seats_line(self.seats)}\n" if self.seats else ""
        return f"{players}{_NUMBER} {self.number}\n{seed}"

    @property
    def text(self) -> str:
        """It and its remarks."""
        return f"{self.remarks}{self.line}\n"


class Table:
    """A game being played.

    One thread changes the table; `policy_move` and `hint` may run in others meanwhile.

    Args:
        game: name or spec.
        seats: who plays each seat: ``"human"`` or a policy's name.
        seed: of the first deal, which is the one that every shell deals for it, and of all that is random later. None:
            nobody can know it.
        line: the first deal as a line of text instead, with any actions played.
        make: makes a policy of a name.
        options: rule options.

    Attributes:
        game: the spec.
        seats: as above; changed by `set_seat`.
        state: the current deal, shape (1,). Not to be written to.
        version: goes up by one with everything that happens; never goes back.
        events: the current deal's actions so far.
        opening: the current deal before its first action, shape (1,).
        earlier: the deals before the current one in which something was done, those left unfinished included.
        failed: what went wrong at seats whose policy failed.

    Raises:
        ValueError: not a name for each seat, an unknown policy or option, a wrong line; says what is allowed.
        OSError: a policy's file cannot be read.
    """

    def __init__(
        self,
        game: str | GameSpec,
        seats: Sequence[str],
        *,
        seed: int | None = None,
        line: str | None = None,
        make: Callable[[GameSpec, str], Policy] = policy.make,
        **options: Any,
    ) -> None:
        self.game = get_game(game)
        if len(seats) != self.game.seats:
            raise ValueError(f"{self.game.name} has {self.game.seats} seats, not {len(seats)}: {', '.join(seats)}")
        if seed is not None and line is not None:
            raise ValueError("a deal is given by a seed or by a line of text, not by both")
        self._make = make
        self._lock = threading.RLock()
        self._idle: dict[str, list[Policy]] = {}
        seats_line(seats)
        for name in seats:
            self.check_player(name)
        self.seats = list(seats)
        self._options = dict(options)
        self._seed = secrets.randbits(63) if seed is None else seed
        self._dealt = 0
        self._deal_seed: int | None = None
        self.version = 0
        self.events: list[Event] = []
        self.earlier: list[Kept] = []
        self.failed: dict[int, str] = {}
        self.opening: Games = self.game.new_games(1)
        self.state: Games = self.game.new_games(1)
        self._open(seed=seed, line=line)

    # --- what is going on ---

    @property
    def options(self) -> dict[str, Any]:
        """The rule options of the current deal."""
        return self.game.options_of(self.state[0])

    @property
    def to_act(self) -> int | None:
        """Whose turn it is; None when the deal is over."""
        seat = int(self.state["to_act"][0])
        return seat if seat >= 0 else None

    @property
    def over(self) -> int:
        """RUNNING, DEAL_OVER or EPISODE_OVER of `cardenvs.drivers`."""
        return int(self.state["over"][0])

    @property
    def people(self) -> list[int]:
        """The seats that people play."""
        return [seat for seat, name in enumerate(self.seats) if name == HUMAN]

    @property
    def policy_to_act(self) -> int | None:
        """The seat to act if a policy plays it that has not failed."""
        seat = self.to_act
        return seat if seat is not None and self.seats[seat] != HUMAN and seat not in self.failed else None

    @property
    def line(self) -> str:
        """The current deal with its actions as one line of text. It names all cards."""
        return self.game.text(self.state[0])

    def legal(self) -> list[int]:
        """The legal actions of the seat to act."""
        actions = int(self.game.kernels.legal(self.state, 0))
        return [action for action in range(self.game.num_actions) if actions >> action & 1]

    # --- actions ---

    def act(self, seat: int, action: int | str) -> None:
        """Plays an action for ``seat``.

        Args:
            seat: whose it is.
            action: number or name.

        Raises:
            ValueError: the deal is over, another seat's turn, no such action, an illegal one. Nothing has changed then.
        """
        with self._lock:
            if self.to_act is None:
                raise ValueError("the deal is over")
            if seat != self.to_act:
                raise ValueError(f"it is the turn of player {self.to_act}, not of player {seat}")
            number_of_one = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
            if not isinstance(action, str) and not (number_of_one and 0 <= action < self.game.num_actions):
                raise ValueError(f"unknown action {action!r} in {self.game.name}")
            number = self.game.action(action) if isinstance(action, str) else int(action)
            legal = int(self.game.kernels.legal(self.state, 0))
            if not legal >> number & 1:
                names = self.game.legal_names(legal)
                raise ValueError(f"{self.game.actions[number]} is illegal there: legal are {names}")
            self._step(number)
            self.version += 1

    def apply(self, version: int, seat: int, action: int) -> bool:
        """Plays an action that was computed for ``version``; False, and nothing has changed, if that has passed.

        Raises:
            ValueError: as `act`.
        """
        with self._lock:
            if version != self.version:
                return False
            self.act(seat, action)
            return True

    def _step(self, action: int) -> None:
        seat = int(self.state["to_act"][0])
        names = self.game.dtype.names or ()
        drawn = int(self.state["card"][0]).bit_length() - 1 if "card" in names else -1
        before = self.state["tricks"][0].copy() if "tricks" in names else None
        self.game.kernels.step(self.state, 0, action)
        winner = None
        if before is not None:
            won = np.flatnonzero(self.state["tricks"][0] - before)
            winner = int(won[0]) if len(won) else None
        # As the history has it, which hides what is not for all eyes.
        public = int(self.state["history"][0][int(self.state["moves"][0]) - 1])
        self.events.append(Event(seat, public, drawn, winner))

    # --- policies ---

    def check_player(self, name: str) -> None:
        """Makes sure that a name can sit down; slow the first time, as the policy is loaded.

        Raises:
            ValueError: no policy of that name, or it does not play the game.
            OSError: its file cannot be read.
        """
        if name != HUMAN:
            self._give_back(name, self._take(name))

    def _take(self, name: str) -> Policy:
        """A policy that nobody else uses: policies keep work space, so two threads must not share one."""
        with self._lock:
            idle = self._idle.get(name)
            if idle:
                return idle.pop()
        return self._make(self.game, name)

    def _give_back(self, name: str, player: Policy) -> None:
        with self._lock:
            # Hints may ask for any number of names; only the latest few are worth their memory.
            if name not in self._idle and len(self._idle) >= _IDLE:
                self._idle.pop(next(iter(self._idle)))
            self._idle.setdefault(name, []).append(player)

    def snapshot(self) -> Snapshot:
        """What the seat to act sees.

        Raises:
            ValueError: the deal is over.
        """
        with self._lock:
            seat = self.to_act
            if seat is None:
                raise ValueError("the deal is over")
            legal = int(self.game.kernels.legal(self.state, 0))
            mask = np.array([legal >> action & 1 for action in range(self.game.num_actions)], np.int8)
            seed = self._derive("move", self._dealt, len(self.events))
            return Snapshot(self.version, seat, self.game.observation(self.state, seat), mask, seed)

    def policy_move(self, snapshot: Snapshot | None = None) -> tuple[int, int]:
        """What the policy to act would do; nothing is played (see `apply`).

        Args:
            snapshot: the position; None takes one now.

        Returns:
            The seat and the action's number.

        Raises:
            ValueError: no policy is to act.
            PolicyFailed: it raised, or chose what is illegal; unless the table has moved on, its seat is in `failed` then.
        """
        shot = snapshot or self.snapshot()
        name = self.seats[shot.seat]
        if name == HUMAN:
            raise ValueError(f"it is the turn of player {shot.seat}, who is a person")
        try:
            player = self._take(name)
            action = int(player.act(shot.as_observation(), rng=np.random.default_rng(shot.seed)))
            if not 0 <= action < self.game.num_actions or not shot.action_mask[action]:
                raise ValueError(f"chose action {action}, which is illegal there")
        except Exception as error:  # whatever it is, the game is kept
            message = f"{name} failed: {' '.join(str(error).split()) or type(error).__name__}"[:300]
            self.fail(shot.version, shot.seat, message)
            raise PolicyFailed(message) from error
        self._give_back(name, player)
        return shot.seat, action

    def fail(self, version: int, seat: int, message: str) -> bool:
        """Notes that the policy at ``seat`` failed at ``version``; False if that has passed."""
        with self._lock:
            if version != self.version:
                return False
            self.failed[seat] = message
            self.version += 1
            return True

    def retry(self) -> None:
        """Lets the policies that failed try again.

        Raises:
            ValueError: none failed.
        """
        with self._lock:
            if not self.failed:
                raise ValueError("no policy has failed")
            self.failed.clear()
            self.version += 1

    def set_seat(self, seat: int, name: str) -> None:
        """Gives a seat to a policy or a person, in the middle of a deal if need be.

        Raises:
            ValueError: no such seat, no such policy.
            OSError: a policy's file cannot be read.
        """
        if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < self.game.seats:
            raise ValueError(f"the seats of {self.game.name} are 0 to {self.game.seats - 1}, not {seat!r}")
        seats_line([name])
        self.check_player(name)
        with self._lock:
            self.seats[seat] = name
            self.failed.pop(seat, None)
            self.version += 1

    def hint(self, seat: int, name: str, snapshot: Snapshot | None = None) -> Explanation:
        """What a policy makes of the position of ``seat``, from what that seat sees alone.

        Args:
            seat: who asks; the seat to act.
            name: a policy's name.
            snapshot: the position; None takes one now.

        Returns:
            Its explanation of the legal actions, best first.

        Raises:
            ValueError: not that seat's turn, an unknown policy, or one that cannot play there.
            OSError: a policy's file cannot be read.
        """
        shot = snapshot or self.snapshot()
        if shot.seat != seat:
            raise ValueError(f"it is the turn of player {shot.seat}, not of player {seat}")
        player = self._take(name)
        rng = np.random.default_rng(shot.seed)
        seen = shot.as_observation()
        explained = player.explain(seen, rng)
        self._give_back(name, player)
        return explained

    # --- deals ---

    def new_deal(self, seed: int | None = None, line: str | None = None) -> None:
        """A new deal, and in games of several deals a new game; the current one is left as it stands.

        Args:
            seed: the deal that every shell deals first for it; None: the next of this table.
            line: a deal as text, with any actions played; options that it names become the table's.

        Raises:
            ValueError: both are given, a wrong seed, or a line that is no deal; says why. Nothing has changed then.
        """
        if seed is not None and line is not None:
            raise ValueError("a deal is given by a seed or by a line of text, not by both")
        self._replace(seed=seed, line=line)

    def same_deal(self) -> None:
        """The current deal again from its first action."""
        self._replace(line=self.game.text(self.state[0], actions=False), seed_of_line=self._deal_seed)

    def next_deal(self) -> None:
        """The next deal of a game of several deals, the score kept; after a game's last deal, a new game.

        Raises:
            ValueError: the deal is not over.
        """
        if self.over == RUNNING:
            raise ValueError("the deal is not over yet")
        if self.over != DEAL_OVER:
            self.new_deal()
            return
        with self._lock:
            following = self.state.copy()
            self._keep(self._current())
            self._deal_seed = None
            self.game.kernels.deal(following, 0, seed_streams(self._derive("deal", self._dealt), 1), 0)
            self._begin(following)
            self.version += 1

    def _replace(self, seed: int | None = None, line: str | None = None, seed_of_line: int | None = None) -> None:
        with self._lock:
            left = self._current()
            self._open(seed, line, seed_of_line)
            self._keep(left)

    def _open(self, seed: int | None = None, line: str | None = None, seed_of_line: int | None = None) -> None:
        """Begins a deal; changes nothing if it raises."""
        if line is not None:
            state, used = self.game.parse(line, **self._options), seed_of_line
        else:
            if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64):
                raise ValueError("seed must be an int from 0 to 2**64 - 1")
            state = self.game.deal(self._derive("deal", self._dealt) if seed is None else seed, **self._options)
            used = seed
        self._begin(state)
        self._deal_seed = used
        self._options = self.options
        self.version += 1

    def _begin(self, state: Games) -> None:
        """Takes a state as the current deal and replays it, so that the events are there."""
        names = self.game.history(state[0])
        self.opening = self.game.parse(self.game.text(state[0], actions=False))
        self.state = self.opening.copy()
        self.events = []
        self.failed = {}
        self._dealt += 1
        for name in names:
            self._step(self.game.action(name))

    def _current(self) -> Kept:
        return Kept(self._dealt, tuple(self.seats), self._deal_seed, self.line, self.over != RUNNING)

    def _keep(self, deal: Kept) -> None:
        if not deal.line.endswith("actions="):
            self.earlier.append(deal)

    def _derive(self, *what: Any) -> int:
        """A seed for one purpose, from which neither the table's seed nor another purpose's can be told."""
        text = "/".join(map(str, (self._seed, *what)))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1

    # --- text ---

    def to_text(self) -> str:
        """The table as a record (`cardenvs.record`): the earlier deals, then the current one. It names all cards."""
        head = f"{_SEED} {self._seed}\n{_VERSION} {self.version}\n{_DEALT} {self._dealt}\n"
        return head + "".join(deal.text for deal in (*self.earlier, self._current()))

    def public_text(self, place: str = "") -> str:
        """What a person may take home: the finished deals as a record, of the others only that there was one.

        Args:
            place: a word that names the table in the remarks on unfinished deals; `unfinished` finds them again.
        """
        deals = [deal.text if deal.over else deal.remarks for deal in self.earlier]
        for k, deal in enumerate(self.earlier):
            if not deal.over:
                deals[k] += f"{_LEFT} {place} {deal.number} {_moves(deal.line)}\n"
        current = self._current()
        if current.over or not self.people:
            return "".join(deals) + current.text
        return "".join(deals) + f"{current.remarks}{_LEFT} {place} {current.number} {len(self.events)}\n"

    def unfinished(self, text: str, place: str = "") -> str | None:
        """The deal, cards and all, with which a text of `public_text` ends if that is one of this table left unfinished.

        Returns:
            Its line, or None if the text ends with a deal that it spells out.

        Raises:
            ValueError: the text ends with an unfinished deal that this table does not know.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not lines or not lines[-1].startswith(_LEFT):
            return None
        words = lines[-1].removeprefix(_LEFT).split()
        if len(words) == 3 and words[0] == place and all(word.isdecimal() and len(word) < 10 for word in words[1:]):
            number, moves = int(words[1]), int(words[2])
            for deal in (*self.earlier, self._current()):
                if deal.number == number and moves <= _moves(deal.line):
                    start, _, actions = deal.line.rpartition("actions=")
                    return f"{start}actions={','.join(actions.split(',')[:moves])}"
        raise ValueError("that deal was left unfinished, and only the table that dealt it knows its cards: load it there")

    @classmethod
    def from_text(
        cls,
        text: str,
        seats: Sequence[str] | None = None,
        *,
        make: Callable[[GameSpec, str], Policy] = policy.make,
        source: str = "record",
    ) -> Table:
        """The table that `to_text` wrote, to go on exactly; or a table with any record's last deal as the current one.

        Args:
            text: of a record.
            seats: who plays instead of those named in it.
            make: as for the table.
            source: what to call the text in errors.

        Raises:
            ValueError: no deal in it, a wrong line, seats that nobody is named for, unknown policies.
        """
        deals = parse_record(text, source)
        if not deals:
            raise ValueError(f"{source}: there is no deal in it")
        players = list(seats) if seats is not None else list(deals[-1].players)
        if not players:
            raise ValueError(f"{source}: it does not say who plays; name the seats")
        table = cls(deals[-1].game, players, line=deals[-1].line, make=make)
        table._fill(text, deals)
        return table

    def load(self, text: str, source: str = "record", place: str = "") -> None:
        """Goes on with a record's last deal at this table; who sits where stays, and so do the table's own deals.

        Args:
            text: of any record, or of `public_text`, with its ``place``.
            source: what to call it in errors.

        Raises:
            ValueError: no deal in it, a wrong line, another game. Nothing has changed then.
        """
        line = self.unfinished(text, place)
        if line is None:
            deals = parse_record(text, source)
            if not deals:
                raise ValueError(f"{source}: there is no deal in it")
            if deals[-1].game.name != self.game.name:
                raise ValueError(f"{source}: it is a record of {deals[-1].game.name}; here {self.game.name} is played")
            line = deals[-1].line
        self.new_deal(line=line)

    def _fill(self, text: str, deals: list[Deal]) -> None:
        """Takes the seeds, counts and earlier deals of a record whose last deal is the current one."""
        lines = text.splitlines()
        numbers = {_SEED: self._seed, _VERSION: 0, _DEALT: len(deals)}
        for line in lines:
            key, value = _remark(line)
            if key in numbers:
                numbers[key] = value
        kept: list[Kept] = []
        last = 0
        for deal in deals:
            found = dict(_remark(line) for line in lines[last : deal.number - 1])
            last = deal.number
            over = bool(deal.state["over"][0] != RUNNING)
            number = found.get(_NUMBER, len(kept) + 1)
            kept.append(Kept(number, deal.players, found.get(_DEAL_SEED), deal.line, over))
        for one, deal in zip(kept[:-1], deals[:-1], strict=True):
            if deal.game.name == self.game.name:
                self._keep(one)
        self._deal_seed = kept[-1].seed
        self._seed, self._dealt = numbers[_SEED], max(numbers[_DEALT], *(deal.number for deal in kept))
        self.version = max(self.version, numbers[_VERSION])


def _moves(line: str) -> int:
    """How many actions a deal's line has."""
    actions = line.rpartition("actions=")[2]
    return len(actions.split(",")) if actions else 0


def _remark(line: str) -> tuple[str, int]:
    """The key and the number of a remark; no key where it is something else."""
    key, _, value = line.partition(":")
    number = value.strip()
    return (f"{key}:", int(number)) if number.isdecimal() and len(number) < 30 else ("", 0)
