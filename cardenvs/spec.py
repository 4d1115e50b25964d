"""The contract between a game and everything that runs it.

A game is one file under `cardenvs.games`: plain kernels over a record (STATE) in an array of games, called as
``kernel(games, i, ...)``. `GameSpec` lists what such a file must bring; every environment, policy, match and training in
the project works for any `GameSpec`.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt

from cardenvs.contract.board import Board, Whose
from cardenvs.cards import seed_streams
from cardenvs.checks import as_array, check_bits, check_int, check_mapping, check_seed, is_int, short
from cardenvs.contract.loops import BAD_MASK, EPISODE_OVER, NOT_TO_ACT, POINTS, RUNNING, SCORE, TRICKS, WIN
from cardenvs.guarded import TRUSTING, Guarded
from cardenvs.compiled.jit import as_records
from cardenvs.contract.kernels import Kernels
from cardenvs.suggestions import did_you_mean

_WORD = (1 << 64) - 1

Games = npt.NDArray[np.void]
"""A batch of games (or views): a structured array of a game's STATE, shape (n,)."""


@dataclass(frozen=True)
class Option:
    """A rule option, kept in the STATE field ``name``.

    Attributes:
        name: the field of the STATE, and the keyword argument of every environment.
        choices: the values that are allowed, the default first. Booleans and ints are stored in the STATE as they are,
            strings by their index here.
        meaning: one line for people.
    """

    name: str
    choices: tuple[Any, ...]
    meaning: str

    @property
    def default(self) -> Any:
        """The value of the option where none is given."""
        return self.choices[0]

    def encode(self, value: Any) -> int:
        """The int that the STATE holds for a value.

        Raises:
            ValueError: the value is not one of the choices.
        """
        for k, choice in enumerate(self.choices):
            if type(choice) is type(value) and choice == value:
                return k if isinstance(choice, str) else int(choice)
        if isinstance(value, (np.bool_, np.integer)):
            return self.encode(value.item())
        allowed = ", ".join(repr(c) for c in self.choices)
        meant = did_you_mean(value, [choice for choice in self.choices if isinstance(choice, str)])
        raise ValueError(f"{self.name} must be one of {allowed}, not {value!r}{meant}")

    def decode(self, code: int) -> Any:
        """The choice that ``code`` stands for.

        Raises:
            ValueError: it stands for none.
        """
        for choice in self.choices:
            if self.encode(choice) == code:
                return choice
        raise ValueError(f"{self.name} is none of its choices in this state, but {short(code)}")

    def parse(self, text: str) -> Any:
        """The choice named by ``text``, as `show` prints it.

        Raises:
            ValueError: the text names none of the choices.
        """
        for choice in self.choices:
            if isinstance(text, str) and text.lower() in (show(choice).lower(), str(choice).lower()):
                return choice
        shown = [show(choice) for choice in self.choices]
        meant = did_you_mean(text, shown)
        raise ValueError(f"{self.name} must be one of {', '.join(shown)}, not {text!r}{meant}")


def key_values(words: Sequence[str], where: str) -> dict[str, str]:
    """The values by key in words of the form ``key=value``.

    Args:
        words: the words of a line of text.
        where: what the line is, for messages.

    Raises:
        ValueError: a word of another form, or a key twice.
    """
    fields: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key in fields:
            raise ValueError(f"{word!r} in {where}: words are key=value, each key once")
        fields[key] = value
    return fields


def show(value: Any) -> str:
    """An option's value in text: ``yes`` and ``no`` for booleans."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


class ActionWords(NamedTuple):
    """An action in words for people, without the seat that takes it.

    Attributes:
        label: what the seat to act is offered, as on a button: ``"order up"``, ``"play the jack of spades"``.
        told: what is told of a seat that has taken it, behind its name: ``"orders up"``, ``"plays the jack of spades"``.
    """

    label: str
    told: str


@dataclass(frozen=True)
class Outcome:
    """How a finished deal ended.

    Attributes:
        points: the points of each side in the deal.
        tricks: the tricks of each seat, in Five-O columns won.
        winners: the sides that have won the episode with the deal; several share the win, none has won while it goes on.
        tricks_word: what is counted as tricks: ``"tricks"`` or ``"columns"``.
        side_of: the side of each seat.
    """

    points: tuple[int, ...]
    tricks: tuple[int, ...]
    winners: tuple[int, ...]
    tricks_word: str
    side_of: tuple[int, ...]

    @property
    def winner(self) -> int:
        """The side that has won the episode alone, -1 for none."""
        return self.winners[0] if len(self.winners) == 1 else -1

    @property
    def best(self) -> int | None:
        """The side with the most points; None if several have as many."""
        most = max(self.points)
        return self.points.index(most) if self.points.count(most) == 1 else None

    @property
    def side_tricks(self) -> tuple[int, ...]:
        """The tricks of each side."""
        sides = range(len(self.points))
        return tuple(sum(t for t, of in zip(self.tricks, self.side_of, strict=True) if of == side) for side in sides)

    @property
    def points_text(self) -> str:
        """The points of the side with the most of them, in words: ``1 point``, ``3 points``."""
        points = max(self.points)
        return f"{points} point{'' if points == 1 else 's'}"

    @property
    def tricks_text(self) -> str:
        """The tricks of the side with the most points and those of the others, in words: ``7 tricks to 6``."""
        taken, best = self.side_tricks, self.best or 0
        others = [str(count) for side, count in enumerate(taken) if side != best]
        return f"{taken[best]} {self.tricks_word} to {' and '.join(others)}"


@dataclass(frozen=True)
class Part:
    """A named part of an observation: one int8, zero or one, for each label.

    Attributes:
        name: lower case, unique in its game.
        labels: what each entry stands for.
        meaning: one line for people.
        told: what comes before the labels that are set where a position is told in words, in a game that has a plain table
            (`GameSpec.board`); empty where that table shows the part, or where it means nothing to people.
    """

    name: str
    labels: tuple[str, ...]
    meaning: str
    told: str = ""

    @property
    def size(self) -> int:
        """The number of entries of this part."""
        return len(self.labels)


@dataclass(frozen=True)
class GameSpec:
    """A game, as everything else sees it.

    Attributes:
        name: the name on the command line, such as ``"five-o"``.
        title: the name for people, such as ``"Five-O poker"``.
        module: the name of the game's PettingZoo module, such as ``"five_o_v0"``; a described game has none, and
            its environments are named so.
        sides: the seats of each side. Every seat is on one side. Where sides are dealt (`Kernels.side`), they are those of
            some deal, for their number and sizes.
        actions: the name of each action, by its number.
        dtype: the structured dtype of the game's STATE.
        options: the rule options, which are fields of the STATE.
        rewards: the kinds of reward by name, the default first; all but ``"score"`` are zero-sum between the sides.
        parts: the parts of an observation, in order.
        hidden: the parts that `Kernels.reveal` writes, in order.
        kernels: the game's compiled functions.
        max_steps: the most actions that a deal can have, for which the STATE's ``history`` has room; of a game that need
            not end, with ``max_decisions``.
        worst_loss: ``(options, reward) -> float``: the greatest loss that an episode can bring a side, by rule options and
            kind of reward, both as environments take them. Environments charge it for an illegal action.
        deal_text: ``(state) -> {key: text}``: a deal's start in text.
        set_deal: ``(games, i, {key: text})``: the inverse of ``deal_text``; raises ValueError for what is no deal.
        drawing: ``(state, seat or None) -> str``: the position drawn in text for a person, in several lines; with a seat,
            only what that seat may see.
        words: ``(state, action) -> ActionWords`` of an action of the seat to act in a state or view; None where the
            actions' names are words enough.
        max_decisions: the actions after which environments cut an episode off that is not over; None for never.
        recall_parts: the parts that `Kernels.recall` writes behind an observation for those who recall the order of play,
            in order; empty where a game knows no recall.
        set_dealer: ``(games, i, dealer)``: gives a deal without actions another dealer; None where the game has no dealer.
        board: ``(state, seat or None) -> cardenvs.contract.board.Board``: the position as a plain table, for pages and terminals
            that show a game without a picture of its own; with a seat, only what that seat may see. None for none.
        least: whether the least of what people count wins, so that the points are the negative of it.
        history_text: ``(state) -> list``: the names of the actions so far, where the history hides some actions; None where
            it hides none.
        exchange: ``(state, card, card) -> Games``: the start of a state's deal, shape (1,), with two cards in each other's
            place, by what the STATE calls them; None where nobody asks for that.
        sights: ``() -> Sights``: deals that are watched, to check what seats are told by what they may have seen
            (`cardenvs.recycle.sights.Sights`); None where nobody asks for that.
        untrue: ``(state, seat, view) -> text``: what in a view, decoded from a seat's observation, is not so in the true
            deal, empty for nothing; None where nobody asks for that.
        told: ``(before, action, after, seat or None, whose) -> list``: what an action has told a seat of hidden cards, or
            all seats, in sentences (`cardenvs.recycle.compiler.words.ToldWords`); None where a game tells nothing.
        recall: whether observations have the order of play, as those of `recalling` have.
        path: the absolute path of the file that describes the game; None if none does.
        digest: of a described game, digits that change with its description; else empty.
        rules: the rules in brief, a few sentences for somebody who knows card games; empty where nobody has written any.
        seats: number of seats.
        num_sides: number of sides.
        side_of: the side of each seat; where sides are dealt, see ``sides``.
        team: whether a side has more than one seat, so that ``team_share`` means something.
        mask_words: how many words of 64 bits a set of actions has.
        observation_size: length of an observation.
        state_size: length of ``state()``: an observation and all that its seat cannot see.
        num_actions: number of actions.
        slices: by name, the slice of an observation that each part is.
        hidden_slices: by name, the slice of a ``state()`` that each hidden part is.
    """

    name: str
    title: str
    module: str
    sides: tuple[tuple[int, ...], ...]
    actions: tuple[str, ...]
    dtype: np.dtype[Any]
    options: tuple[Option, ...]
    rewards: tuple[str, ...]
    parts: tuple[Part, ...]
    hidden: tuple[Part, ...]
    kernels: Kernels
    max_steps: int
    worst_loss: Callable[[Mapping[str, Any], str], float]
    deal_text: Callable[[Any], dict[str, str]]
    set_deal: Callable[[Games, int, Mapping[str, str]], None]
    drawing: Callable[[Any, int | None], str]
    words: Callable[[Any, int], ActionWords] | None = None
    board: Callable[[Any, int | None], Board] | None = None
    least: bool = False
    history_text: Callable[[Any], list[str]] | None = None
    exchange: Callable[[Any, int, int], Games] | None = None
    sights: Callable[[], Any] | None = None
    untrue: Callable[[Any, int, Any], str] | None = None
    told: Callable[[Any, int, Any, int | None, Whose], list[str]] | None = None
    set_dealer: Callable[[Games, int, int], None] | None = None
    max_decisions: int | None = None
    recall_parts: tuple[Part, ...] = ()
    recall: bool = False
    path: str | None = None
    digest: str = ""
    rules: str = ""
    seats: int = field(init=False, compare=False)
    num_sides: int = field(init=False, compare=False)
    side_of: tuple[int, ...] = field(init=False, compare=False)
    team: bool = field(init=False, compare=False)
    mask_words: int = field(init=False, compare=False)
    observation_size: int = field(init=False, compare=False)
    state_size: int = field(init=False, compare=False)
    num_actions: int = field(init=False, compare=False)
    slices: dict[str, slice] = field(init=False, compare=False)
    hidden_slices: dict[str, slice] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        size = sum(part.size for part in self.parts)
        seated = sorted(seat for side in self.sides for seat in side)
        if seated != list(range(len(seated))) or not seated:
            raise ValueError(f"sides of {self.name} must have each seat from 0 on once, not {self.sides}")
        for name in self.dtype.names or ():
            if hasattr(np.ndarray, name):
                raise ValueError(f"the STATE of {self.name} cannot have a field {name!r}, which every NumPy array has")
        if self.max_decisions is not None:
            check_int("max_decisions", self.max_decisions, 1)
        derived = {
            "seats": len(seated),
            "num_sides": len(self.sides),
            "side_of": tuple(next(k for k, side in enumerate(self.sides) if seat in side) for seat in seated),
            "team": any(len(side) > 1 for side in self.sides),
            "mask_words": -(-len(self.actions) // 64),
            "observation_size": size,
            "state_size": size + sum(part.size for part in self.hidden),
            "num_actions": len(self.actions),
            "slices": _slices(self.parts, 0),
            "hidden_slices": _slices(self.hidden, size),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)
        for name in TRUSTING:
            function = getattr(self, name)
            if function is not None:
                object.__setattr__(self, name, Guarded(self, name, getattr(function, "function", function)))
        if not self.recall:
            kernels = replace(self.kernels, name=self.name, words=self.mask_words, side_of=self.side_of, recall_column=size)
            object.__setattr__(self, "kernels", kernels)

    @functools.cached_property
    def recalling(self) -> GameSpec:
        """The same game for those who recall the order of play: observations have `recall_parts` behind the other parts.

        Raises:
            ValueError: the game knows no recall.
        """
        if self.recall:
            return self
        kernels = self.kernels.recalling
        spec = replace(self, parts=self.parts + self.recall_parts, kernels=kernels, recall=True)
        spec.__dict__["plain"] = self
        return spec

    @functools.cached_property
    def plain(self) -> GameSpec:
        """The same game without recall, whose observations are the first columns of those of `recalling`."""
        return self

    def with_recall(self, recall: bool) -> GameSpec:
        """`recalling`, if ``recall`` is true, else the spec itself."""
        return self.recalling if recall else self

    def __repr__(self) -> str:
        sizes = f"seats={self.seats}, actions={self.num_actions}, observed={self.observation_size}"
        return f"GameSpec({self.name!r}, {sizes}{', recall=True' if self.recall else ''})"

    def __copy__(self) -> GameSpec:
        """The spec itself, which cannot change."""
        return self

    def __deepcopy__(self, memo: Any) -> GameSpec:
        """The spec itself, which cannot change."""
        return self

    def __reduce__(self) -> Any:
        """An installed game is pickled by its name, a described one by its file, another one by its fields."""
        if self.recall:
            return _recalling, (self.plain,)
        if _GAMES.get(self.name) is self and self.name in _entries():
            return get_game, (self.name,)
        if self.path is not None:
            return _described_alike, (self.path, self.digest)
        values = {name.name: getattr(self, name.name) for name in fields(self) if name.init}
        return _rebuilt, ({name: getattr(value, "function", value) for name, value in values.items()},)

    @property
    def address(self) -> str:
        """What `get_game` and the command line take for this game, in the current folder: its name, or its file's path."""
        if self.path is None or os.path.abspath(game_file(self.name) or "") == self.path:
            return self.name
        seen_from_here = os.path.relpath(self.path)
        return self.path if seen_from_here.startswith(os.pardir) else seen_from_here

    @property
    def tricks_word(self) -> str:
        """What is counted as tricks: ``"columns"`` in a game that is won by columns, else ``"tricks"``."""
        return "columns" if "columns" in self.rewards else "tricks"

    # --- names ---

    @property
    def word(self) -> str:
        """The game's name as the first word of a line of `text`: ``%20`` for a blank, and ``#`` written so, too."""
        return re.sub(r"[\s%#]", lambda match: quote(match[0]), self.name)

    def counted(self, points: Sequence[int]) -> tuple[int, ...]:
        """Points of the sides as people count them, which is with the other sign where the least wins."""
        return tuple(-made if self.least else made for made in points)

    def action(self, name: str) -> int:
        """The number of the action of a name, in either case.

        Raises:
            ValueError: no such action.
        """
        for k, known in enumerate(self.actions):
            if isinstance(name, str) and known.lower() == name.strip().lower():
                return k
        meant = did_you_mean(name, self.actions)
        raise ValueError(f"unknown action {short(name)} in {self.name}: the actions are {', '.join(self.actions)}{meant}")

    def legal(self, games: Games, i: int = 0) -> int:
        """The legal actions of the seat to act in game ``i``, a set with a bit for each action; 0 when the deal is over.

        Args:
            games: states or views, a structured array of shape (n,).
            i: the number of the game.

        Raises:
            ValueError: no states of the game, or no such game.
        """
        games = self._records(games, "games")
        i = check_int("i, the number of the game,", i, 0, len(games) - 1)
        return self._legal(self.check_worlds(games[i : i + 1], "games", whole=None))

    def _legal(self, games: Games) -> int:
        """The legal actions in game 0, a set, of states or views that are known to be right."""
        legal = self.kernels.legal
        return sum((int(legal(games, 0, word)) & _WORD) << 64 * word for word in range(self.mask_words))

    def mask(self, actions: int) -> npt.NDArray[np.int8]:
        """A set of actions as a mask: int8 of shape (num_actions,), 1 for each action in the set.

        Raises:
            ValueError: no set of the game's actions.
        """
        actions = self._action_set(actions)
        return np.array([actions >> action & 1 for action in range(self.num_actions)], np.int8)

    def legal_names(self, actions: int) -> str:
        """The names of a set of actions, for messages.

        Raises:
            ValueError: no set of the game's actions.
        """
        actions = self._action_set(actions)
        return ", ".join(name for k, name in enumerate(self.actions) if actions >> k & 1) or "none"

    def illegal_message(self, games: Games, i: int, action: int) -> str:
        """The message that an action is illegal for the seat to act in game ``i``, with the legal actions."""
        name = f"{action} ({self.actions[action]})" if 0 <= action < self.num_actions else str(action)
        legal = self.legal(games, i)
        numbers = [str(k) for k in range(self.num_actions) if legal >> k & 1]
        return (
            f"illegal action {name} for player_{int(games[i]['to_act'])} in {self.name}: "
            f"legal are {', '.join(numbers)} ({self.legal_names(legal)})"
        )

    def illegal_answer(self, games: Games, i: int, action: int, deal: int | None = None) -> str:
        """The message that a policy's action is illegal in game ``i``, with the deal so far, and its number if given."""
        number = "" if deal is None else f"deal {deal}, "
        return f"{self.illegal_message(games, i, action)}; {number}position: {self.text(games[i])}"

    def _action_set(self, actions: int) -> int:
        """A set of actions, checked, as a Python int.

        Raises:
            ValueError: no set of the game's actions.
        """
        return check_int("actions, a set with a bit for each action,", actions, 0, (1 << self.num_actions) - 1)

    def option(self, name: str) -> Option:
        """The rule option of that name.

        Raises:
            ValueError: no such option.
        """
        for option in self.options:
            if isinstance(name, str) and option.name == name:
                return option
        known = [o.name for o in self.options] + ["reward"] + (["team_share"] if self.team else [])
        meant = did_you_mean(name, known)
        raise ValueError(f"unknown option {short(name)} for {self.name}: the options are {', '.join(known)}{meant}")

    def option_codes(self, options: Mapping[str, Any]) -> dict[str, int]:
        """All rule options as stored in the STATE, defaults filled in.

        Raises:
            ValueError: unknown option or value, named with what is allowed.
        """
        for name in check_mapping("options", options):
            self.option(name)
        return {o.name: o.encode(options.get(o.name, o.default)) for o in self.options}

    @functools.cached_property
    def _default_codes(self) -> dict[str, int]:
        """What `option_codes` has for no options: searches make games by the million."""
        return self.option_codes({})

    def options_of(self, state: Any) -> dict[str, Any]:
        """The rule options of a state or view by name, with values as environments take them; it need not be dealt yet.

        Raises:
            ValueError: no state or view of the game.
        """
        record = self.record(state, dealt=False)
        return {o.name: o.decode(record[o.name]) for o in self.options}

    def reward_kind(self, reward: str) -> int:
        """The number of a kind of reward: POINTS, TRICKS, WIN or SCORE of `cardenvs.contract.loops`.

        Raises:
            ValueError: the game has no such kind of reward.
        """
        if not isinstance(reward, str) or reward not in self.rewards:
            meant = did_you_mean(reward, self.rewards)
            raise ValueError(f"reward must be one of {', '.join(map(repr, self.rewards))}, not {short(reward)}{meant}")
        return {"points": POINTS, "tricks": TRICKS, "columns": TRICKS, "win": WIN, "score": SCORE}[reward]

    # --- states ---

    def new_games(self, n: int = 1, **options: Any) -> Games:
        """``n`` games that `Kernels.deal` has yet to deal, with the given rule options.

        Returns:
            A structured array of `dtype`, shape (n,).

        Raises:
            ValueError: ``n`` is no int of at least 0; unknown option or value.
        """
        games: Any = np.zeros(check_int("n", n, 0), self.dtype)
        for name, code in (self.option_codes(options) if options else self._default_codes).items():
            games[name] = code
        # Without compilation, kernels reach fields as attributes of plain NumPy records.
        return as_records(games)

    def deal(self, seed: int, **options: Any) -> Games:
        """One freshly dealt game, shape (1,): the deal that every environment deals first for ``seed``.

        Raises:
            ValueError: no seed; unknown option or value.
        """
        check_seed(seed)
        games = self.new_games(1, **options)
        self.kernels.deal(games, 0, seed_streams(seed, 1), 0)
        return games

    def check_state(self, state: Any, name: str = "state", whole: bool | None = None) -> Games:
        """Checks states or views; other functions and kernels can be called safely with what has passed.

        Args:
            state: a record of `dtype`, or an array of such records of shape (n,).
            name: what the argument is called, for messages.
            whole: whether all must be states (True) or views (False); None takes an array of either.

        Returns:
            The records as a contiguous array of shape (n,); a record alone as an array of shape (1,), a copy.

        Raises:
            ValueError: another dtype or shape, or a record that no position of the game has; names what cannot be.
        """
        games = self._records(state, name)
        where = np.zeros(2, np.int64)
        wrong = self.kernels.first_flaw(games, whole is not False, where)
        if wrong and whole is None:
            wrong = self.kernels.first_flaw(games, False, where)
        if wrong:
            what = "view" if whole is False else "state"
            raise ValueError(f"{name}: number {where[0]} is no {what} of {self.name}: {self._fault(int(where[1]))}")
        return games

    def check_worlds(self, states: Any, name: str = "state", whole: bool | None = True) -> Games:
        """As `check_state`, for states whose history may be missing.

        Worlds that were drawn for an observation without recall have no history, and keep a part of it when they are played
        on. Such states are returned without any.
        """
        games = self._records(states, name)
        try:
            return self.check_state(games, name, whole)
        except ValueError:
            bare = games.copy()
            bare["moves"] = 0
            return self.check_state(bare, name, whole)

    def _records(self, state: Any, name: str) -> Games:
        """Records of `dtype` with any content as `check_state` returns them.

        Raises:
            ValueError: another dtype or shape.
        """
        if isinstance(state, np.void) and state.dtype == self.dtype:
            games: Any = self.new_games(1)
            games[0] = state
            return games
        if not isinstance(state, np.ndarray) or state.dtype != self.dtype or state.ndim != 1:
            raise ValueError(f"{name} must hold states of {self.name}, shape (n,), not {short(state)}")
        games = np.ascontiguousarray(state)
        if not games.flags.writeable:  # kernels are compiled for arrays that are
            games = games.copy()
        return as_records(games)

    def record(self, state: Any, dealt: bool = True) -> Any:
        """The record of one state or view, which may come in an array of shape (1,).

        Args:
            state: the state or view.
            dealt: whether it is checked as by `check_state`; if not, only the dtype and the shape are.

        Raises:
            ValueError: another dtype, several records, or one that no position of the game has.
        """
        games = self.check_state(state) if dealt else self._records(state, "state")
        if len(games) != 1:
            raise ValueError(f"state must be one state of {self.name}, not {len(games)} of them")
        return games[0]

    def _fault(self, part: int) -> str:
        """What a kernel `Kernels.flaw` has found, in words."""
        if part >= len(self.plain.parts):
            return "its history does not fit its cards"
        found = self.parts[part]
        return f"what it says of {found.name!r} ({found.meaning}) cannot be"

    def flawed_row(self, observations: npt.NDArray[np.int8], action_masks: npt.NDArray[np.int8]) -> str | None:
        """What is wrong with the first row that no seat to act can see, in words; None if nothing is wrong with any row.

        Args:
            observations: int8 (n, observation_size), contiguous.
            action_masks: int8 (n, num_actions), contiguous.
        """
        views, again = self.new_games(1), np.zeros((1, self.observation_size), np.int8)
        where = np.zeros(3, np.int64)
        starts = np.array([part.start for part in self.slices.values()], np.int64)
        if not self.kernels.first_flawed_row(observations, action_masks, views, again, starts, where):
            return None
        row, what, number = where.tolist()
        if what == NOT_TO_ACT:
            return f"observations: row {row} is not what the seat to act sees"
        if what == BAD_MASK and number < 0:
            return f"action_masks: row {row} has no legal action"
        if what == BAD_MASK:
            return f"action_masks: row {row} has the action {number} ({self.actions[number]}), which is illegal there"
        return f"observations: row {row} shows no position of {self.name}: {self._fault(number)}"

    def _seat(self, seat: Any) -> int:
        """A seat, checked.

        Raises:
            ValueError: no seat of the game.
        """
        return check_int("seat", seat, 0, self.seats - 1)

    # --- text ---

    def text(self, state: Any, actions: bool = True) -> str:
        """One line that gives the deal back exactly: game, options, cards and, with ``actions``, what was played.

        Raises:
            ValueError: no state of the game.
        """
        state = self.record(state)
        words = [self.word] + [f"{o.name}={show(o.decode(state[o.name]))}" for o in self.options]
        words += [f"{key}={value}" for key, value in self.deal_text(state).items()]
        if actions:
            words.append("actions=" + ",".join(self.history(state)))
        return " ".join(words)

    def history(self, state: Any) -> list[str]:
        """The names of the deal's actions in order.

        Raises:
            ValueError: no state of the game.
        """
        state = self.record(state)
        if self.history_text is not None:
            return self.history_text(state)
        return [self.actions[int(a)] for a in state["history"][: int(state["moves"])]]

    def action_words(self, state: Any, action: int) -> ActionWords:
        """An action of the seat to act in words.

        Args:
            state: the record of a full state or of a view, as it is before the action; a view tells only what its seat
                knows.
            action: 0 to ``num_actions - 1``; in Euchre also `cardenvs.games.euchre.HIDDEN_DISCARD`.

        Raises:
            ValueError: no state or view of the game, or no action of it.
        """
        if not is_int(action) or action not in (
            range(self.num_actions) if self.words is None else range(-1, self.num_actions)
        ):
            raise ValueError(f"action must be an int from 0 to {self.num_actions - 1}, not {short(action)}")
        if self.words is None:
            return ActionWords(self.actions[action], self.actions[action])
        return self.words(state, action)

    def parse(self, line: str, **options: Any) -> Games:
        """The state that a line of `text` describes.

        Args:
            line: as printed by `text`; rule options that it leaves out are taken from ``options`` or are the defaults.
            options: rule options, by name.

        Returns:
            A structured array of shape (1,): the deal with the line's actions played.

        Raises:
            ValueError: another game, an unknown key, a card missing or there twice, or an illegal action; says which.
        """
        if not isinstance(line, str):
            raise ValueError(f"a deal of {self.name} is a line of text, not {short(line)}")
        words = line.split()
        if not words or words[0] != self.word:
            raise ValueError(f"a deal of {self.name} begins with the word {self.word!r}, not {' '.join(words[:1])!r}")
        given = key_values(words[1:], f"a deal of {self.name}")
        chosen = dict(options)
        for o in self.options:
            if o.name in given:
                chosen[o.name] = o.parse(given.pop(o.name))
        actions = given.pop("actions", "")
        games = self.new_games(1, **chosen)
        self.set_deal(games, 0, given)
        for k, name in enumerate(part for part in actions.split(",") if part):
            if self.max_decisions is not None and k >= self.max_steps:
                raise ValueError(f"actions: a deal of {self.name} has at most {self.max_steps} of them")
            action, legal = self.action(name), self._legal(games)
            if not legal >> action & 1:
                raise ValueError(f"action {k + 1}, {name!r}, is illegal there: legal are {self.legal_names(legal)}")
            self.kernels.step(games, 0, action)
        return games

    # --- observations ---

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

    def _addressed(self, state: Any, seat: Any, i: Any) -> tuple[Games, int, int]:
        """Full states, a seat and the number of a game, checked.

        Raises:
            ValueError: no states of the game, no such seat or no such game.
        """
        games = self.check_state(state, whole=True)
        return games, self._seat(seat), check_int("i, the number of the game,", i, 0, len(games) - 1)

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
        # By its name: an edit there compiles nothing anew.
        text: str = importlib.import_module("cardenvs.contract.prompts").prompt(self, observation)
        return text

    def outcome(self, state: Games) -> Outcome:
        """How the deal of a state of shape (1,) ended.

        Raises:
            ValueError: no state of the game, several states, or a deal that is not over.
        """
        state = self.check_state(state, whole=True)
        if len(state) != 1 or state[0]["over"] == RUNNING:
            raise ValueError("state must be one state whose deal is over")
        points, tricks = np.zeros((1, self.num_sides), np.int64), np.zeros((1, self.seats), np.int64)
        winners = int(self.kernels.outcome(state, 0, points, tricks))
        return Outcome(
            points=tuple(points[0].tolist()),
            tricks=tuple(tricks[0].tolist()),
            winners=tuple(side for side in range(self.num_sides) if winners >> side & 1),
            tricks_word=self.tricks_word,
            side_of=self.sides_in(state),
        )

    def seat_sides(self, games: Games) -> npt.NDArray[np.int64]:
        """The side of each seat in some games, as dealt where sides are dealt: int64 (n, seats).

        Args:
            games: full states, a structured array of shape (n,).

        Raises:
            ValueError: no states of the game.
        """
        side = self.kernels.side
        if side is None:
            return np.tile(np.array(self.side_of, np.int64), (len(games), 1))
        games = self.check_worlds(games)
        rows = [[int(side(games, i, seat)) for seat in range(self.seats)] for i in range(len(games))]
        return np.array(rows, np.int64).reshape(len(games), self.seats)

    def sides_in(self, state: Any) -> tuple[int, ...]:
        """The side of each seat in a state of shape (1,): of this deal, where sides are dealt.

        Raises:
            ValueError: no state of the game, or several.
        """
        state = self.check_worlds(state)
        if len(state) != 1:
            raise ValueError(f"state must be one state of {self.name}, not {len(state)} of them")
        return tuple(self.seat_sides(state)[0].tolist())

    def is_over(self, state: Any) -> bool:
        """Whether the episode of a state is over.

        Raises:
            ValueError: no state of the game.
        """
        return bool(self.record(state)["over"] == EPISODE_OVER)


def _described_alike(path: str, digest: str) -> GameSpec:
    """The game that a file describes, as pickled.

    Raises:
        ValueError: the file describes no game any more, or another one than that which was pickled.
    """
    spec = get_game(path)
    if spec.digest != digest:
        raise ValueError(f"{path}: the description was changed since its game was pickled")
    return spec


def named_in(word: str) -> str:
    """The name that the first word of a deal's line stands for; the inverse of `GameSpec.word`."""
    return unquote(word)


def _recalling(spec: GameSpec) -> GameSpec:
    """The spec with recall."""
    return spec.recalling


def _rebuilt(values: dict[str, Any]) -> GameSpec:
    """A spec from its fields, as pickled."""
    return GameSpec(**values)


def _slices(parts: Sequence[Part], start: int) -> dict[str, slice]:
    """The slice of each part by its name, the first of which begins at ``start``.

    Raises:
        ValueError: two parts of one name.
    """
    slices: dict[str, slice] = {}
    for part in parts:
        if part.name in slices:
            raise ValueError(f"two observation parts are named {part.name!r}")
        slices[part.name] = slice(start, start + part.size)
        start += part.size
    return slices


ENTRY_POINT_GROUP = "cardenvs.games"
"""The entry-point group in which packages announce games: an entry's name is the game's, its object the `GameSpec`."""
FILE_GROUP = "cardenvs.game_files"
"""The entry-point group for games that stand in files: an entry's name is the ending of their names, such as ``rcy``, its
object a function that makes the `GameSpec` of a path."""
FOLDER_GROUP = "cardenvs.game_folders"
"""The entry-point group for folders of such files that packages bring: an entry's object is a folder's path. Each file in
it is a game that goes by the file's name without its ending; where an installed game has that name, with the ending."""

_GAMES: dict[str, GameSpec] = {}
_FROM_FILES: dict[str, GameSpec] = {}


@functools.cache
def _entries() -> dict[str, metadata.EntryPoint]:
    """The entry points of all installed games, by name."""
    return {entry.name: entry for entry in metadata.entry_points(group=ENTRY_POINT_GROUP)}


@functools.cache
def _file_entries() -> dict[str, metadata.EntryPoint]:
    """The entry points for games in files, by the endings of the files' names, which begin with a dot."""
    return {f".{entry.name}": entry for entry in metadata.entry_points(group=FILE_GROUP)}


@functools.cache
def _shipped_files() -> dict[str, str]:
    """The absolute paths of the files that packages bring, by their names without endings."""
    folders = [os.path.abspath(entry.load()) for entry in metadata.entry_points(group=FOLDER_GROUP)]
    files = (Path(folder, name) for folder in folders for name in sorted(os.listdir(folder)))
    return {file.stem: str(file) for file in files if file.suffix in _file_entries()}


def register_game(spec: GameSpec) -> GameSpec:
    """Makes a game known to `get_game` in this process, before any installed game of its name; returns the spec."""
    _GAMES[spec.name] = spec
    return spec


def get_game(game: str | GameSpec) -> GameSpec:
    """The spec of a game.

    Args:
        game: a name of `game_names` or `described_names`, in which underscores count as hyphens; the file that describes a
            game, as `game_file` takes it, such as ``"games/hearts.rcy"``; or a spec, which is returned as it is.

    Raises:
        ValueError: no such game; names the known games. Or the file describes none; says where and why.
    """
    if isinstance(game, GameSpec):
        return game
    if not isinstance(game, str):
        raise ValueError(f"game must be a game's name, one of {_known_games()}, or its spec, not {short(game)}")
    name = game.replace("_", "-")
    if Path(game).suffix not in _file_entries():
        if name in _GAMES:
            return _GAMES[name]
        if name in _entries():
            return register_game(_entries()[name].load())
    file = game_file(game)
    if file is None:
        meant = did_you_mean(game, game_names() + described_names())
        raise ValueError(f"unknown game {game!r}: the games are {_known_games()}{meant}")
    spec = cast(GameSpec, _file_entries()[Path(file).suffix].load()(file))
    _FROM_FILES[spec.name] = spec
    return spec


def named_game(name: str) -> GameSpec:
    """The game of a spec's name, as settings, results and stored networks have it.

    Args:
        name: `GameSpec.name`. A file may lie anywhere: this is the one of that name that `get_game` was asked for last in
            this process; if it was asked for none, ``name`` is taken as `get_game` takes it.

    Raises:
        ValueError: no such game.
    """
    made = _FROM_FILES.get(name) if isinstance(name, str) else None
    return get_game(name) if made is None else made


def game_file(game: str) -> str | None:
    """The file that describes a game: a path; None where ``game`` names none.

    Args:
        game: the path of a file whose ending is known (`FILE_GROUP`), which need not be there; the name of such a file
            without a folder, which is that in the current folder if there is one, else the one that ships with a package;
            or the name of a file that ships, without its ending, in which underscores count as hyphens.

    Raises:
        ValueError: ``game`` is no text.
    """
    if not isinstance(game, str):
        raise ValueError(f"game must be the name or the path of a described game, not {short(game)}")
    path = Path(game)
    if path.suffix not in _file_entries():
        return _shipped_files().get(game.replace("_", "-"))
    shipped = _shipped_files().get(path.stem)
    if shipped is not None and os.path.basename(shipped) == game and not os.path.lexists(game):
        return shipped
    return game


def file_game_name(path: str) -> str:
    """The name of the game that a file describes: the file's name, without its ending where it can be had by that name.

    Args:
        path: the file's absolute path.
    """
    name, stem = os.path.basename(path), Path(path).stem
    return stem if _shipped_files().get(stem) == path and stem not in game_names() else name


def game_names() -> list[str]:
    """The names of all games that are written in Python, sorted: installed ones and those of `register_game`.

    These are what tests and commands mean by all games. Those that ship as descriptions are apart (`described_names`): a
    program that went through them, too, would first wait a quarter of a minute for each to be compiled.
    """
    return sorted({*_GAMES, *_entries()})


def described_names() -> list[str]:
    """The names of the games that ship as descriptions, sorted; each is read and compiled when it is first asked for.

    A description of a game that is also written in Python is not among them: it goes by its file's name
    (``"whist.rcy"``).
    """
    return sorted({*_shipped_files()} - {*game_names()})


def _known_games() -> str:
    """What a game's name can be, for messages."""
    endings = " or ".join(sorted(_file_entries()))
    described = ", ".join(described_names())
    return f"{', '.join(game_names())}; as descriptions {described}; and files whose names end in {endings}"
