"""The contract between a game and everything that runs it.

A game is one file under `cardenvs.games`: plain kernels over a record (STATE) in an array of games, called as
``kernel(games, i, ...)``. Environments, policies, matches and trainings work for any `GameSpec`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_int, check_mapping, check_seed, did_you_mean, short
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.machine import memory
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract import checked, lines, observed
from cardenvs.contract.fields import REWARD_KINDS, Encoding, Games, Part, slices_of
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.kinds import ColumnGame, TrickGame
from cardenvs.contract.loops import EPISODE_OVER, GAINS, RUNNING
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords, Endings, Outcome

if TYPE_CHECKING:  # not every game brings them
    from cardenvs.contract.board import Board, Whose
    from cardenvs.contract.symmetry import Symmetry


@dataclass(frozen=True)
class GameSpec:
    """A game: what it brings, what is derived from it, and methods over both.

    `cardenvs.contract.definition.define_game` has defaults for all functions but the five kernels that make a game. A
    function that can be None is needed only by what its description names.

    Attributes:
        name: the name on the command line, such as ``"five-o"``.
        title: the name for people, such as ``"Five-O poker"``.
        module: name of the PettingZoo module, such as ``"five_o_v0"``; also names the environments of a described game.
        sides: the seats of each side; every seat is on one. Where sides are dealt (`Kernels.side`), those of some deal.
        actions: the name of each action, by its number.
        dtype: the structured dtype of the game's STATE.
        options: the rule options, which are fields of the STATE.
        rewards: the kinds of reward by name, the default first; all but ``"score"`` are zero-sum between the sides.
        parts: the parts of an observation, in order.
        hidden: the parts that `Kernels.reveal` writes, in order.
        kernels: the game's compiled functions.
        max_steps: the most actions of a deal, the length of the STATE's ``history``; with ``max_decisions``, of an episode.
        worst_loss: ``(options, reward) -> float``: a side's greatest loss in an episode, charged for an illegal action.
        loss_is_bound: whether no episode can lose more than ``worst_loss``; else it comes from a sample of random games.
        deal_text: ``(state) -> {key: text}``: a deal's start in text.
        set_deal: ``(games, i, {key: text})``: the inverse of ``deal_text``; raises ValueError for what is no deal.
        drawing: ``(state, seat or None) -> str``: a multi-line text of the position; with a seat, of what it may see.
        words: ``(state, action) -> ActionWords`` of an action of the seat to act; None where action names are enough.
        max_decisions: number of actions after which environments truncate an episode; None for never.
        recall_parts: the parts that `Kernels.recall` writes behind an observation, in order; empty without recall.
        no_recall: the reason why the game has no recall, in words; empty for none.
        recall_ends: the positions in which worlds are not searched for with recall, in words; empty for none.
        set_dealer: ``(games, i, dealer)``: changes the dealer of a deal without actions; None in a game without dealers.
        set_deck: ``(games, i, cards)``: starts a deal from an ordered deck, names or ints; raises ValueError; optional.
        board: ``(state, seat or None) -> Board``: the position as a plain table for pages and terminals; None for none.
        endings: report columns on finished games of a team; None for points alone.
        least: whether the lowest count wins, so that points are negated counts.
        history_text: ``(state) -> list``: action names so far, where the history hides some actions; optional.
        sights: ``() -> Sights``: deals to check what views reveal (`cardenvs.recycle.view_audit.Sights`); optional.
        untrue: ``(state, seat, view) -> text``: false claims of a decoded view, empty for none; optional.
        told: ``(before, action, after, seat or None, whose) -> list``: sentences on what an action reveals; optional.
        recall: whether observations contain the order of play, as those of `recalling` do.
        path: the absolute path of the file that describes the game; None if none does.
        digest: digits that change with the description of a described game; else empty.
        rules: the rules in a few sentences for card players; may be empty.
        kind: the kind of game, for pictures, solvers and the adviser; None for none.
        family: the name shared by all forms of the game (`cardenvs.contract.forms.Family`); ``name`` if it has no forms.
        parameters: the parameters of the form, by name; empty for a game without forms.
        encodings: other observations that environments offer, each the first entries of an observation.
        symmetries: exchanges under which the rules are invariant.
        seats: number of seats.
        num_sides: number of sides.
        side_of: the side of each seat; where sides are dealt, see ``sides``.
        team: whether a side has several seats, so that ``team_share`` has an effect.
        mask_words: number of 64-bit words in a set of actions.
        observation_size: length of an observation.
        state_size: length of ``state()``: an observation and all that its seat cannot see.
        num_actions: number of actions.
        slices: the slice of an observation for each part, by name.
        hidden_slices: the slice of a ``state()`` for each hidden part, by name.
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
            "slices": slices_of(self.parts, 0),
            "hidden_slices": slices_of(self.hidden, size),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)
        if not self.recall:
            kernels = replace(self.kernels, name=self.name, words=self.mask_words, side_of=self.side_of, recall_column=size)
            object.__setattr__(self, "kernels", kernels)
        for name, check in checked.GUARDED.items():
            function = getattr(self, name)
            if function is not None:
                object.__setattr__(self, name, checked.Guard(self, getattr(function, "trusting", function), check))

    # --- methods in files by their subject ---

    check_state = checked.check_state
    check_worlds = checked.check_worlds
    record = checked.record
    flawed_row = checked.flawed_row
    options_of = checked.options_of
    legal = checked.legal
    illegal_message = checked.illegal_message
    text = lines.text
    history = lines.history
    action_words = lines.action_words
    parse = lines.parse
    illegal_answer = lines.illegal_answer
    observation = observed.observation
    full_state = observed.full_state
    decode = observed.decode
    labels = observed.labels
    describe = observed.describe
    prompt = observed.prompt

    def __repr__(self) -> str:
        sizes = f"seats={self.seats}, actions={self.num_actions}, observed={self.observation_size}"
        return f"GameSpec({self.name!r}, {sizes}{', recall=True' if self.recall else ''})"

    def __copy__(self) -> GameSpec:
        return self

    def __deepcopy__(self, memo: Any) -> GameSpec:
        return self

    @functools.cached_property
    def recalling(self) -> GameSpec:
        """Spec of the same game with `recall_parts` behind the other parts; raises ValueError if the game has no recall."""
        if self.recall:
            return self
        if self.no_recall:
            raise ValueError(f"{self.name} knows no recall: {self.no_recall}")
        kernels = self.kernels.recalling
        spec = replace(self, parts=self.parts + self.recall_parts, kernels=kernels, recall=True)
        spec.__dict__["plain"] = self
        return spec

    @functools.cached_property
    def plain(self) -> GameSpec:
        """The same game without recall, whose observations are the first columns of those of `recalling`."""
        return self

    def with_recall(self, recall: bool) -> GameSpec:
        """Returns `recalling` if ``recall`` is true, else the spec itself."""
        return self.recalling if recall else self

    def shown_size(self, encoding: str | None) -> int:
        """Returns the number of entries of an observation that environments show, by the name of an encoding; None for all.

        Raises:
            ValueError: no such encoding, or a game with recall, which encodings do not have.
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
        """Returns the symmetry of a name; raises ValueError if the game has none of that name."""
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
        """Whether all seats are on one side: a team, or a single player."""
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
        """Unit that is counted as tricks: ``"columns"`` in a game that is won by columns, else ``"tricks"``."""
        return "columns" if "columns" in self.rewards else "tricks"

    @property
    def word(self) -> str:
        """First word of a line of `text`: the game's name with blanks and ``#`` as in URLs (``%20``)."""
        return re.sub(r"[\s%#]", lambda match: quote(match[0]), self.name)

    def counted(self, points: Sequence[int]) -> tuple[int, ...]:
        """Returns the points of the sides as people count them: negated where the lowest count wins."""
        return tuple(-made if self.least else made for made in points)

    def action(self, name: str) -> int:
        """Returns the number of the action of a name, in either case; raises ValueError for an unknown one."""
        for k, known in enumerate(self.actions):
            if isinstance(name, str) and known.lower() == name.strip().lower():
                return k
        meant = did_you_mean(name, self.actions)
        raise ValueError(f"unknown action {short(name)} in {self.name}: the actions are {', '.join(self.actions)}{meant}")

    def mask(self, actions: int) -> npt.NDArray[np.int8]:
        """Returns a set of actions as a mask: int8 of shape (num_actions,), 1 for each action in the set."""
        actions = self._action_set(actions)
        return np.array([actions >> action & 1 for action in range(self.num_actions)], np.int8)

    def legal_names(self, actions: int) -> str:
        """Returns the names of a set of actions, for messages."""
        actions = self._action_set(actions)
        return ", ".join(name for k, name in enumerate(self.actions) if actions >> k & 1) or "none"

    def _action_set(self, actions: int) -> int:
        return check_int("actions, a set with a bit for each action,", actions, 0, (1 << self.num_actions) - 1)

    def option(self, name: str) -> Option:
        """Returns the rule option of a name; raises ValueError for an unknown one."""
        for option in self.options:
            if isinstance(name, str) and option.name == name:
                return option
        known = [o.name for o in self.options] + ["reward"] + (["team_share"] if self.team else [])
        raise ValueError(self.unknown_option(name, known))

    def unknown_option(self, name: Any, known: Sequence[str]) -> str:
        """Returns the error message for an unknown option name; ``known`` are the names of the options."""
        told = f"unknown option {short(name)} for {self.name}: the options are {', '.join(known)}"
        if isinstance(name, str) and name in self.parameters:
            return f"{told}; {name} is a parameter of the form and stands in the game's name, {self.family}:{name}=NUMBER"
        return told + did_you_mean(name, [*known, *self.parameters])

    def option_codes(self, options: Mapping[str, Any]) -> dict[str, int]:
        """Returns all rule options as stored in the STATE, with defaults; raises ValueError for unknown ones."""
        for name in check_mapping("options", options):
            self.option(name)
        return {o.name: o.encode(options.get(o.name, o.default)) for o in self.options}

    @functools.cached_property
    def _default_codes(self) -> dict[str, int]:
        """Codes of the default options, cached: searches make games by the million."""
        return self.option_codes({})

    def reward_kind(self, reward: str) -> int:
        """Returns the number of a kind of reward, POINTS, TRICKS, WIN or SCORE; raises ValueError for an unknown one."""
        if not isinstance(reward, str) or reward not in self.rewards:
            meant = did_you_mean(reward, self.rewards)
            if self.one_sided and reward == "win":
                meant = f": {self.name} has one side, which beats nobody, and does not say with what points it wins"
            raise ValueError(f"reward must be one of {', '.join(map(repr, self.rewards))}, not {short(reward)}{meant}")
        return REWARD_KINDS[reward]

    def check_count(self, name: str, n: Any, least: int, each: int = 1) -> int:
        """Checks a number of games, ``each`` times, against the minimum and against memory."""
        return check_int(
            name, check_int(name, n, least), least, memory() // (each * (self.dtype.itemsize + self.observation_size))
        )

    def new_games(self, n: int = 1, **options: Any) -> Games:
        """Returns ``n`` undealt games, a structured array of `dtype`, shape (n,).

        Raises:
            ValueError: ``n`` is no int of at least 0; unknown option or value.
        """
        games: Any = np.zeros(self.check_count("n", n, 0), self.dtype)
        for name, code in (self.option_codes(options) if options else self._default_codes).items():
            games[name] = code
        # Without compilation, kernels reach fields as attributes of plain NumPy records.
        return as_records(games)

    def deal(self, seed: int, **options: Any) -> Games:
        """Deals one game, shape (1,): the first deal of every environment for ``seed``.

        Raises:
            ValueError: no seed; unknown option or value.
        """
        check_seed(seed)
        games = self.new_games(1, **options)
        self.kernels.deal(games, 0, seed_streams(seed, 1), 0)
        return games

    def outcome(self, state: Games) -> Outcome:
        """Returns the outcome of the deal in a state of shape (1,); raises ValueError if the deal is not over."""
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
        """Returns the side of each seat in full states of shape (n,), as dealt where sides are dealt: int64 (n, seats)."""
        side = self.kernels.side
        if side is None:
            return np.tile(np.array(self.side_of, np.int64), (len(games), 1))
        games = self.check_worlds(games)
        rows = [[int(side(games, i, seat)) for seat in range(self.seats)] for i in range(len(games))]
        return np.array(rows, np.int64).reshape(len(games), self.seats)

    def sides_in(self, state: Any) -> tuple[int, ...]:
        """Returns the side of each seat in a state of shape (1,): of this deal, where sides are dealt."""
        state = self.check_worlds(state)
        if len(state) != 1:
            raise ValueError(f"state must be one state of {self.name}, not {len(state)} of them")
        return tuple(self.seat_sides(state)[0].tolist())

    def is_over(self, state: Any) -> bool:
        """Returns whether the episode of a state is over."""
        return bool(self.record(state)["over"] == EPISODE_OVER)


def rewards_of(spec: GameSpec, games: Games, kind: int, share: float = 1.0) -> npt.NDArray[np.float64]:
    """Returns all payments of environments to each seat for a deal, finished or as it stands: float64 (n, seats).

    For a deal under way they are 0, except in a game that pays step by step (`GameSpec.pays_gains`).

    Args:
        kind: `cardenvs.contract.loops.POINTS`, TRICKS, WIN or SCORE.
        share: the ``team_share``, 0 to 1.
    """
    n = len(games)
    points, tricks = np.zeros((n, spec.num_sides), np.int64), np.zeros((n, spec.seats), np.int64)
    out = np.zeros((n, spec.seats), np.float32)
    spec.kernels.batch_pay(games, kind, share, points, tricks, out)
    return out.astype(np.float64)
