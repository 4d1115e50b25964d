"""States of a game, checked; and checks of the arguments of a game's own functions, which themselves trust their input.

Functions with a ``game`` are methods of `cardenvs.contract.spec.GameSpec`. They raise ValueError for a state or view, a
seat, an action or an index that is not the game's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import as_array, check_int, check_ints, check_list, check_mapping, is_int, short
from cardenvs.compiled.jit import as_records
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import BAD_MASK, NOT_TO_ACT

if TYPE_CHECKING:
    from cardenvs.contract.spec import GameSpec

_WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Guard:
    """A function of a game, called after its arguments are checked; a wrong one raises ValueError."""

    game: GameSpec = field(repr=False, compare=False)
    trusting: Callable[..., Any]  # the function as the game's file has it
    check: Callable[..., tuple[Any, ...]]  # returns the arguments that ``trusting`` gets

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.trusting(*self.check(self.game, *arguments, **named))


def _state_given(game: GameSpec, state: Any) -> tuple[Any, ...]:
    return (game.record(state),)


def _seat_given(game: GameSpec, state: Any, seat: Any = None) -> tuple[Any, ...]:
    return game.record(state), None if seat is None else check_int("seat", seat, 0, game.seats - 1)


def _action_given(game: GameSpec, state: Any, action: Any) -> tuple[Any, ...]:
    record = game.record(state)
    if not is_int(action) or not -1 <= action < game.num_actions:
        raise ValueError(f"action must be an int from 0 to {game.num_actions - 1}, not {short(action)}")
    return record, int(action)


def _game_given(game: GameSpec, games: Any, i: Any) -> tuple[Any, int]:
    """Checks an array of states together with the index of a game."""
    if not isinstance(games, np.ndarray) or games.dtype != game.dtype or games.ndim != 1:
        raise ValueError(f"games must hold states of {game.name}, shape (n,), not {short(games)}")
    return games, check_int("i, the number of the game,", i, 0, len(games) - 1)


def _deal_given(game: GameSpec, games: Any, i: Any, given: Any) -> tuple[Any, ...]:
    games, number = _game_given(game, games, i)
    words = check_mapping("fields", given)
    if not all(isinstance(value, str) for value in words.values()):
        raise ValueError("fields must be texts by their keys")
    return games, number, words


def _dealer_given(game: GameSpec, games: Any, i: Any, dealer: Any) -> tuple[Any, ...]:
    games, number = _game_given(game, games, i)
    game.check_state(games[number], whole=True)
    return games, number, check_int("dealer", dealer, 0, game.seats - 1)


def _deck_given(game: GameSpec, games: Any, i: Any, cards: Any) -> tuple[Any, ...]:
    given = as_array("deck", check_list("deck", cards, "cards") if isinstance(cards, str) else cards)
    named = given.ndim == 1 and all(isinstance(card, str) for card in given)
    return (*_game_given(game, games, i), (given if named else check_ints("deck", given)).tolist())


GUARDED: Mapping[str, Callable[..., tuple[Any, ...]]] = {
    "deal_text": _state_given, "history_text": _state_given, "drawing": _seat_given, "board": _seat_given,
    "words": _action_given, "set_deal": _deal_given, "set_dealer": _dealer_given, "set_deck": _deck_given,
}  # fmt: skip
"""Checks of the arguments of the functions that a game brings, by field."""


def check_state(game: GameSpec, state: Any, name: str = "state", whole: bool | None = None) -> Games:
    """Checks states or views; other functions and kernels can be called safely with what has passed.

    Args:
        state: a record of `dtype`, or an array of such records of shape (n,).
        name: the argument's name in messages.
        whole: whether all must be states (True) or views (False); None takes an array of either.

    Returns:
        The records as a contiguous array of shape (n,); a record alone as an array of shape (1,), a copy.

    Raises:
        ValueError: another dtype or shape, or a record that is no position of the game; names what is impossible.
    """
    games = _as_states(game, state, name)
    where = np.zeros(2, np.int64)
    wrong = game.kernels.first_flaw(games, whole is not False, where)
    if wrong and whole is None:
        wrong = game.kernels.first_flaw(games, False, where)
    if wrong:
        what = "view" if whole is False else "state"
        raise ValueError(f"{name}: number {where[0]} is no {what} of {game.name}: {_describe_flaw(game, int(where[1]))}")
    return games


def check_worlds(game: GameSpec, states: Any, name: str = "state", whole: bool | None = True) -> Games:
    """Checks states like `check_state`; returns those with an incomplete history without any history.

    Worlds drawn for an observation without recall have only the actions since they were drawn.
    """
    games = _as_states(game, states, name)
    try:
        return game.check_state(games, name, whole)
    except ValueError:
        bare = games.copy()
        bare["moves"] = 0
        return game.check_state(bare, name, whole)


def _as_states(game: GameSpec, state: Any, name: str) -> Games:
    """Returns records of `dtype` with any content in the form that `check_state` returns."""
    if isinstance(state, np.void) and state.dtype == game.dtype:
        return as_records(np.array(state).reshape(1))
    if not isinstance(state, np.ndarray) or state.dtype != game.dtype or state.ndim != 1:
        raise ValueError(f"{name} must hold states of {game.name}, shape (n,), not {short(state)}")
    if type(state) is not np.ndarray or not state.flags.carray:
        state = np.require(np.asarray(state), requirements=["C", "W"])  # as kernels are compiled for
    return as_records(state)


def record(game: GameSpec, state: Any, dealt: bool = True) -> Any:
    """Returns the record of one state or view, which may come in an array of shape (1,).

    Args:
        state: the state or view.
        dealt: whether its content is checked, too; if not, only the dtype and the shape are.

    Raises:
        ValueError: another dtype, several records, or no position of the game.
    """
    games = game.check_state(state) if dealt else _as_states(game, state, "state")
    if len(games) != 1:
        raise ValueError(f"state must be one state of {game.name}, not {len(games)} of them")
    return games[0]


def _describe_flaw(game: GameSpec, part: int) -> str:
    """Returns the error found by the kernel `Kernels.flaw`, in words."""
    if part > len(game.plain.parts):
        return "fields that no part of an observation tells hold what cannot be"
    if part == len(game.plain.parts):
        return "its history does not fit its cards"
    found = game.parts[part]
    return f"what it says of {found.name!r} ({found.meaning}) cannot be"


def flawed_row(game: GameSpec, observations: npt.NDArray[np.int8], action_masks: npt.NDArray[np.int8]) -> str | None:
    """Returns the error of the first row that no seat to act can see, in words; None if all rows are valid.

    Args:
        observations: int8 (n, observation_size), contiguous.
        action_masks: int8 (n, num_actions), contiguous.
    """
    views, again = game.new_games(1), np.zeros((1, game.observation_size), np.int8)
    where = np.zeros(3, np.int64)
    starts = np.array([part.start for part in game.slices.values()], np.int64)
    if not game.kernels.first_flawed_row(observations, action_masks, views, again, starts, where):
        return None
    row, what, number = where.tolist()
    if what == NOT_TO_ACT:
        return f"observations: row {row} is not what the seat to act sees"
    if what == BAD_MASK and number < 0:
        return f"action_masks: row {row} has no legal action"
    if what == BAD_MASK:
        return f"action_masks: row {row} has the action {number} ({game.actions[number]}), which is illegal there"
    return f"observations: row {row} shows no position of {game.name}: {_describe_flaw(game, number)}"


def check_address(game: GameSpec, state: Any, seat: Any, i: Any) -> tuple[Games, int]:
    """Returns state ``i``, alone in an array, and the seat."""
    games = _as_states(game, state, "state")
    i = check_int("i, the number of the game,", i, 0, len(games) - 1)
    return game.check_state(games[i : i + 1], whole=True), check_int("seat", seat, 0, game.seats - 1)


def options_of(game: GameSpec, state: Any) -> dict[str, Any]:
    """Returns the rule options of a state or view, dealt or not, by name, with values as environments take them."""
    record = game.record(state, dealt=False)
    return {o.name: o.decode(record[o.name]) for o in game.options}


def legal(game: GameSpec, games: Games, i: int = 0) -> int:
    """Returns the legal actions of the seat to act in game ``i``, a set with a bit for each; 0 after the deal."""
    games = _as_states(game, games, "games")
    i = check_int("i, the number of the game,", i, 0, len(games) - 1)
    return legal_set(game, game.check_worlds(games[i : i + 1], "games", whole=None))


def legal_set(game: GameSpec, games: Games) -> int:
    """Returns the legal actions in game 0, a set, of states or views that are already checked."""
    legal = game.kernels.legal
    return sum((int(legal(games, 0, word)) & _WORD) << 64 * word for word in range(game.mask_words))


def illegal_message(game: GameSpec, games: Games, i: int, action: int) -> str:
    """Returns the message that an action is illegal for the seat to act in game ``i``, with the legal actions."""
    name = f"{action} ({game.actions[action]})" if 0 <= action < game.num_actions else str(action)
    legal = game.legal(games, i)
    numbers = [str(k) for k in range(game.num_actions) if legal >> k & 1]
    return (
        f"illegal action {name} for player_{int(games[i]['to_act'])} in {game.name}: "
        f"legal are {', '.join(numbers)} ({game.legal_names(legal)})"
    )
