"""The fields of a game, and names of its actions, options and rewards."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_int, check_mapping, did_you_mean, short
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.machine import memory
from cardenvs.contract.board import Board, Whose
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.kinds import ColumnGame, TrickGame
from cardenvs.contract.loops import GAINS, POINTS, SCORE, TRICKS, WIN
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords, Endings
from cardenvs.contract.sources import Source
from cardenvs.contract.symmetry import Symmetry

Games = npt.NDArray[np.void]
"""A batch of games (or views): a structured array of a game's STATE, shape (n,)."""

REWARD_KINDS = {"points": POINTS, "tricks": TRICKS, "columns": TRICKS, "win": WIN, "score": SCORE}
"""The numbers of the kinds of reward, by name."""


@dataclass(frozen=True)
class Part:
    """A named part of an observation: one int8, zero or one, for each label.

    Attributes:
        name: lower case, unique in its game.
        labels: what each entry stands for.
        meaning: one line for people.
        told: what comes before the labels that are set where a position is told in words, in a game that has a plain table
            (`GameSpec.board`); empty where that table shows the part, or where it means nothing to people.
        source: where its entries come from in a view; None in a game that writes and reads its observations itself.
        private: whether its own seat alone sees it, so that a ``state()`` has it of all other seats, too
            (`cardenvs.contract.definition.define_game`).
    """

    name: str
    labels: tuple[str, ...]
    meaning: str
    told: str = ""
    source: Source | None = None
    private: bool = False

    @property
    def size(self) -> int:
        """The number of entries of this part."""
        return len(self.labels)


class Encoding(NamedTuple):
    """An observation of a form that others know: the first entries of a game's observation.

    Attributes:
        name: the name by which environments are asked for it.
        size: the number of entries.
        meaning: one line for people.
    """

    name: str
    size: int
    meaning: str


@dataclass(frozen=True)
class GameFields:
    """Fields that a game brings, and fields that are derived from them.

    `cardenvs.contract.definition.define_game` has defaults for all functions but the five kernels that make a game. A
    function that can be None is asked for by those alone who offer what its description names.

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
        loss_is_bound: whether no episode can bring more than ``worst_loss``; if not, it is the greatest loss of some random
            games.
        deal_text: ``(state) -> {key: text}``: a deal's start in text.
        set_deal: ``(games, i, {key: text})``: the inverse of ``deal_text``; raises ValueError for what is no deal.
        drawing: ``(state, seat or None) -> str``: the position drawn in text for a person, in several lines; with a seat,
            only what that seat may see.
        words: ``(state, action) -> ActionWords`` of an action of the seat to act in a state or view; None where the
            actions' names are words enough.
        max_decisions: the actions after which environments cut an episode off that is not over; None for never.
        recall_parts: the parts that `Kernels.recall` writes behind an observation for those who recall the order of play,
            in order; empty where a game knows no recall.
        no_recall: why a game knows no recall, in words; empty for no reason.
        recall_ends: where no world is looked for with recall, in words; empty for nowhere.
        set_dealer: ``(games, i, dealer)``: gives a deal without actions another dealer; None where the game has no dealer.
        set_deck: ``(games, i, cards)``: sets a game to the start of a deal whose cards come in a given order, a list of
            their names, or of ints as the game counts its cards; raises ValueError for what is no deck. None where a game
            takes none.
        board: ``(state, seat or None) -> cardenvs.contract.board.Board``: the position as a plain table, for pages and
            terminals that show a game without a picture of its own; with a seat, only what that seat may see. None for
            none.
        endings: what reports tell of finished games of a team; None for their points alone.
        least: whether the least of what people count wins, so that the points are the negative of it.
        history_text: ``(state) -> list``: the names of the actions so far, where the history hides some actions; None where
            it hides none.
        exchange: ``(state, card, card) -> Games``: the start of a state's deal, shape (1,), with two cards in each other's
            place, by what the STATE calls them; None where nobody asks for that.
        sights: ``() -> Sights``: deals that are watched, to check what seats are told by what they may have seen
            (`cardenvs.recycle.view_audit.Sights`); None where nobody asks for that.
        untrue: ``(state, seat, view) -> text``: what in a view, decoded from a seat's observation, is not so in the true
            deal, empty for nothing; None where nobody asks for that.
        told: ``(before, action, after, seat or None, whose) -> list``: what an action has told a seat of hidden cards, or
            all seats, in sentences (`cardenvs.recycle.compiler.labels.ToldWords`); None where a game tells nothing.
        recall: whether observations have the order of play, as those of `recalling` have.
        path: the absolute path of the file that describes the game; None if none does.
        digest: of a described game, digits that change with its description; else empty.
        rules: the rules in brief, a few sentences for somebody who knows card games; empty where nobody has written any.
        kind: what the game announces to those who show it in a form of its own or solve it; None for nothing.
        family: the name that all forms of the game share, by which policies know it; empty for ``name``, as of a game that
            has no forms (`cardenvs.contract.forms.Family`).
        parameters: the parameters that choose the form, by name; empty for a game that has no forms.
        encodings: other observations that environments offer, each the first entries of an observation.
        symmetries: what the rules treat alike, for those who learn to play with strangers.
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
    loss_is_bound: bool = True
    history_text: Callable[[Any], list[str]] | None = None
    exchange: Callable[[Any, int, int], Games] | None = None
    sights: Callable[[], Any] | None = None
    untrue: Callable[[Any, int, Any], str] | None = None
    told: Callable[[Any, int, Any, int | None, Whose], list[str]] | None = None
    set_dealer: Callable[[Games, int, int], None] | None = None
    set_deck: Callable[[Games, int, Sequence[int] | Sequence[str]], None] | None = None
    max_decisions: int | None = None
    recall_parts: tuple[Part, ...] = ()
    no_recall: str = ""
    recall_ends: str = ""
    recall: bool = False
    path: str | None = None
    digest: str = ""
    rules: str = ""
    kind: TrickGame | ColumnGame | None = None
    endings: Endings | None = None
    family: str = ""
    parameters: Mapping[str, int] = field(default_factory=dict, compare=False)
    encodings: tuple[Encoding, ...] = ()
    symmetries: tuple[Symmetry, ...] = ()
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
            "family": self.family or self.name,
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
        if not self.recall:
            kernels = replace(self.kernels, name=self.name, words=self.mask_words, side_of=self.side_of, recall_column=size)
            object.__setattr__(self, "kernels", kernels)

    @functools.cached_property
    def recalling(self) -> Self:
        """The same game for those who recall the order of play: observations have `recall_parts` behind the other parts.

        Raises:
            ValueError: the game knows no recall.
        """
        if self.recall:
            return self
        if self.no_recall:
            raise ValueError(f"{self.name} knows no recall: {self.no_recall}")
        kernels = self.kernels.recalling
        spec = replace(self, parts=self.parts + self.recall_parts, kernels=kernels, recall=True)
        spec.__dict__["plain"] = self
        return spec

    @functools.cached_property
    def plain(self) -> Self:
        """The same game without recall, whose observations are the first columns of those of `recalling`."""
        return self

    def with_recall(self, recall: bool) -> Self:
        """`recalling`, if ``recall`` is true, else the spec itself."""
        return self.recalling if recall else self

    def shown_size(self, encoding: str | None) -> int:
        """The number of entries that environments show of an observation.

        Args:
            encoding: the name of one of `encodings`; None for all entries.

        Raises:
            ValueError: the game has no such encoding, or it recalls the order of play, which is in none.
        """
        if encoding is None:
            return self.observation_size
        for known in self.encodings:
            if isinstance(encoding, str) and known.name == encoding:
                if self.recall:
                    raise ValueError(f"encoding {encoding!r} of {self.name} has no order of play: leave out recall")
                return known.size
        names = [known.name for known in self.encodings]
        allowed = f"None or {' or '.join(map(repr, names))}" if names else f"None in {self.name}, which has no others"
        raise ValueError(f"encoding must be {allowed}, not {short(encoding)}{did_you_mean(encoding, names)}")

    def symmetry(self, name: str) -> Symmetry:
        """The symmetry of that name.

        Raises:
            ValueError: the game announces no such symmetry; the message lists those that it has.
        """
        for known in self.symmetries:
            if known.name == name:
                if self.recall and not known.recalled:
                    raise ValueError(f"symmetry {name!r} of {self.name} is none of the order of play: leave out recall")
                return known
        names = [known.name for known in self.symmetries]
        allowed = f"None or {' or '.join(map(repr, names))}" if names else f"None in {self.name}, which announces none"
        raise ValueError(f"symmetry must be {allowed}, not {short(name)}{did_you_mean(name, names)}")

    @property
    def one_sided(self) -> bool:
        """Whether all seats are on one side, whose points are all that there is to gain: a team, or one who plays alone."""
        return self.num_sides == 1

    def pays_gains(self, kind: int) -> bool:
        """Whether a kind of reward, a number of `reward_kind`, is paid step by step and not at the end of each deal."""
        return self.kernels.gained is not None and kind in GAINS

    @property
    def trick_game(self) -> TrickGame | None:
        """The ``kind`` of a game of tricks; None for another game."""
        return self.kind if isinstance(self.kind, TrickGame) else None

    @property
    def column_game(self) -> ColumnGame | None:
        """The ``kind`` of a game of columns; None for another game."""
        return self.kind if isinstance(self.kind, ColumnGame) else None

    @property
    def bids_trump(self) -> bool:
        """Whether the game is one of tricks whose trump is bid for."""
        return isinstance(self.kind, TrickGame) and self.kind.bids

    @property
    def tricks_word(self) -> str:
        """Name of the unit that is counted as tricks: ``"columns"`` in a game that is won by columns, else ``"tricks"``."""
        return "columns" if "columns" in self.rewards else "tricks"

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

    def _action_set(self, actions: int) -> int:
        """A set of actions, checked, as a Python int."""
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
        raise ValueError(self.unknown_option(name, known))

    def unknown_option(self, name: Any, known: Sequence[str]) -> str:
        """The message that there is no option of a name, which says how a parameter of a form is given.

        Args:
            name: what was given.
            known: the names of the options that there are.
        """
        told = f"unknown option {short(name)} for {self.name}: the options are {', '.join(known)}"
        if isinstance(name, str) and name in self.parameters:
            return f"{told}; {name} is a parameter of the form and stands in the game's name, {self.family}:{name}=NUMBER"
        return told + did_you_mean(name, [*known, *self.parameters])

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
        """The result of `option_codes` for no options, cached: searches make games by the million."""
        return self.option_codes({})

    def reward_kind(self, reward: str) -> int:
        """The number of a kind of reward: POINTS, TRICKS, WIN or SCORE of `cardenvs.contract.loops`.

        Raises:
            ValueError: the game has no such kind of reward.
        """
        if not isinstance(reward, str) or reward not in self.rewards:
            meant = did_you_mean(reward, self.rewards)
            if self.one_sided and reward == "win":
                meant = f": {self.name} has one side, which beats nobody, and does not say with what points it wins"
            raise ValueError(f"reward must be one of {', '.join(map(repr, self.rewards))}, not {short(reward)}{meant}")
        return REWARD_KINDS[reward]

    def check_count(self, name: str, n: Any, least: int, each: int = 1) -> int:
        """Checks that an argument is a number of games, ``each`` times, that memory holds with their observations."""
        return check_int(
            name, check_int(name, n, least), least, memory() // (each * (self.dtype.itemsize + self.observation_size))
        )

    def new_games(self, n: int = 1, **options: Any) -> Games:
        """``n`` games that `Kernels.deal` has yet to deal, with the given rule options.

        Returns:
            A structured array of `dtype`, shape (n,).

        Raises:
            ValueError: ``n`` is no int of at least 0; unknown option or value.
        """
        games: Any = np.zeros(self.check_count("n", n, 0), self.dtype)
        for name, code in (self.option_codes(options) if options else self._default_codes).items():
            games[name] = code
        # Without compilation, kernels reach fields as attributes of plain NumPy records.
        return as_records(games)

    def _seat(self, seat: Any) -> int:
        """A seat, checked."""
        return check_int("seat", seat, 0, self.seats - 1)


def _slices(parts: Sequence[Part], start: int) -> dict[str, slice]:
    """The slice of each part by its name, the first of which begins at ``start``."""
    slices: dict[str, slice] = {}
    for part in parts:
        if part.name in slices:
            raise ValueError(f"two observation parts are named {part.name!r}")
        slices[part.name] = slice(start, start + part.size)
        start += part.size
    return slices
