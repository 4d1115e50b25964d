"""Checks of states, and of the arguments of a game's own functions, which themselves trust their input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import as_array, check_int, check_ints, check_list, check_mapping, is_int, short
from cardenvs.compiled.jit import as_records
from cardenvs.contract.fields import GameFields, Games
from cardenvs.contract.loops import BAD_MASK, NOT_TO_ACT

_WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Guard:
    """A function of a game, called after its arguments are checked."""

    game: CheckedGame = field(repr=False, compare=False)
    trusting: Callable[..., Any]  # the function as the game's file has it


class OfState(Guard):
    """A function of a state; another argument raises ValueError, as in all these classes."""

    def __call__(self, state: Any) -> Any:
        return self.trusting(self.game.record(state))


class OfSeat(Guard):
    """A function of a state, and of a seat or None."""

    def __call__(self, state: Any, seat: Any = None) -> Any:
        record = self.game.record(state)
        return self.trusting(record, None if seat is None else check_int("seat", seat, 0, self.game.seats - 1))


class OfAction(Guard):
    """A function of a state and an action, -1 for a hidden one."""

    def __call__(self, state: Any, action: Any) -> Any:
        record = self.game.record(state)
        if not is_int(action) or not -1 <= action < self.game.num_actions:
            raise ValueError(f"action must be an int from 0 to {self.game.num_actions - 1}, not {short(action)}")
        return self.trusting(record, int(action))


class OfGames(Guard):
    """A function that changes one game of an array, by its index."""

    def _check_index(self, games: Any, i: Any) -> int:
        """Returns the index of a game, checked together with the array of states."""
        if not isinstance(games, np.ndarray) or games.dtype != self.game.dtype or games.ndim != 1:
            raise ValueError(f"games must hold states of {self.game.name}, shape (n,), not {short(games)}")
        return check_int("i, the number of the game,", i, 0, len(games) - 1)


class SetDeal(OfGames):
    """A function that sets a game to the start of a deal, given as texts by key."""

    def __call__(self, games: Any, i: Any, given: Any) -> Any:
        number = self._check_index(games, i)
        words = check_mapping("fields", given)
        if not all(isinstance(value, str) for value in words.values()):
            raise ValueError("fields must be texts by their keys")
        return self.trusting(games, number, words)


class SetDealer(OfGames):
    """A function that changes the dealer of a deal without actions."""

    def __call__(self, games: Any, i: Any, dealer: Any) -> Any:
        number = self._check_index(games, i)
        self.game.check_state(games[number], whole=True)
        return self.trusting(games, number, check_int("dealer", dealer, 0, self.game.seats - 1))


class SetDeck(OfGames):
    """A function that starts a deal from a given order of the cards."""

    def __call__(self, games: Any, i: Any, cards: Any) -> Any:
        given = as_array("deck", check_list("deck", cards, "cards") if isinstance(cards, str) else cards)
        named = given.ndim == 1 and all(isinstance(card, str) for card in given)
        return self.trusting(games, self._check_index(games, i), (given if named else check_ints("deck", given)).tolist())


GUARDS: dict[str, type[Guard]] = {
    "deal_text": OfState, "history_text": OfState, "drawing": OfSeat, "board": OfSeat, "words": OfAction,
    "set_deal": SetDeal, "set_dealer": SetDealer, "set_deck": SetDeck,
}  # fmt: skip
"""Classes that check the arguments of the functions that a game brings, by field."""


class CheckedGame(GameFields):
    """A game whose states, and whose functions' arguments, are checked.

    Methods of a spec raise ValueError for a state or view, a seat, an action or an index that is not the game's.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, guard in GUARDS.items():
            function = getattr(self, name)
            if function is not None:
                object.__setattr__(self, name, guard(self, getattr(function, "trusting", function)))

    def check_state(self, state: Any, name: str = "state", whole: bool | None = None) -> Games:
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
        games = self._as_states(state, name)
        where = np.zeros(2, np.int64)
        wrong = self.kernels.first_flaw(games, whole is not False, where)
        if wrong and whole is None:
            wrong = self.kernels.first_flaw(games, False, where)
        if wrong:
            what = "view" if whole is False else "state"
            raise ValueError(f"{name}: number {where[0]} is no {what} of {self.name}: {self._describe_flaw(int(where[1]))}")
        return games

    def check_worlds(self, states: Any, name: str = "state", whole: bool | None = True) -> Games:
        """Checks states like `check_state`; returns those with an incomplete history without any history.

        Worlds drawn for an observation without recall have only the actions since they were drawn.
        """
        games = self._as_states(states, name)
        try:
            return self.check_state(games, name, whole)
        except ValueError:
            bare = games.copy()
            bare["moves"] = 0
            return self.check_state(bare, name, whole)

    def _as_states(self, state: Any, name: str) -> Games:
        """Returns records of `dtype` with any content in the form that `check_state` returns."""
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
        """Returns the record of one state or view, which may come in an array of shape (1,).

        Args:
            state: the state or view.
            dealt: whether its content is checked, too; if not, only the dtype and the shape are.

        Raises:
            ValueError: another dtype, several records, or no position of the game.
        """
        games = self.check_state(state) if dealt else self._as_states(state, "state")
        if len(games) != 1:
            raise ValueError(f"state must be one state of {self.name}, not {len(games)} of them")
        return games[0]

    def _describe_flaw(self, part: int) -> str:
        """Returns the error found by the kernel `Kernels.flaw`, in words."""
        if part > len(self.plain.parts):
            return "fields that no part of an observation tells hold what cannot be"
        if part == len(self.plain.parts):
            return "its history does not fit its cards"
        found = self.parts[part]
        return f"what it says of {found.name!r} ({found.meaning}) cannot be"

    def flawed_row(self, observations: npt.NDArray[np.int8], action_masks: npt.NDArray[np.int8]) -> str | None:
        """Returns the error of the first row that no seat to act can see, in words; None if all rows are valid.

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
        return f"observations: row {row} shows no position of {self.name}: {self._describe_flaw(number)}"

    def _check_address(self, state: Any, seat: Any, i: Any) -> tuple[Games, int, int]:
        games = self.check_state(state, whole=True)
        return games, self._check_seat(seat), check_int("i, the number of the game,", i, 0, len(games) - 1)

    def options_of(self, state: Any) -> dict[str, Any]:
        """Returns the rule options of a state or view, dealt or not, by name, with values as environments take them."""
        record = self.record(state, dealt=False)
        return {o.name: o.decode(record[o.name]) for o in self.options}

    def legal(self, games: Games, i: int = 0) -> int:
        """Returns the legal actions of the seat to act in game ``i``, a set with a bit for each; 0 after the deal."""
        games = self._as_states(games, "games")
        i = check_int("i, the number of the game,", i, 0, len(games) - 1)
        return self._legal_set(self.check_worlds(games[i : i + 1], "games", whole=None))

    def _legal_set(self, games: Games) -> int:
        """Returns the legal actions in game 0, a set, of states or views that are already checked."""
        legal = self.kernels.legal
        return sum((int(legal(games, 0, word)) & _WORD) << 64 * word for word in range(self.mask_words))

    def illegal_message(self, games: Games, i: int, action: int) -> str:
        """Returns the message that an action is illegal for the seat to act in game ``i``, with the legal actions."""
        name = f"{action} ({self.actions[action]})" if 0 <= action < self.num_actions else str(action)
        legal = self.legal(games, i)
        numbers = [str(k) for k in range(self.num_actions) if legal >> k & 1]
        return (
            f"illegal action {name} for player_{int(games[i]['to_act'])} in {self.name}: "
            f"legal are {', '.join(numbers)} ({self.legal_names(legal)})"
        )
