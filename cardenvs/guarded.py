"""The functions that a game's file brings, with their arguments checked before they are called.

Like kernels, these functions trust what they get; unlike kernels, they are called by whoever has a `GameSpec`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cardenvs.checks import check_int, check_mapping, is_int, short

if TYPE_CHECKING:
    from cardenvs.spec import GameSpec

TRUSTING = ("deal_text", "set_deal", "drawing", "words", "board", "history_text", "set_dealer")
"""The functions that a game's file brings; they trust their arguments, which `Guarded` checks."""


@dataclass(frozen=True)
class Guarded:
    """One of a game's functions with its arguments checked.

    Attributes:
        spec: the game.
        name: the function's name in `GameSpec`.
        function: the function as the game's file has it.
    """

    spec: GameSpec = field(repr=False, compare=False)
    name: str
    function: Callable[..., Any]

    def __call__(self, state: Any, *args: Any) -> Any:
        """Calls the function.

        Raises:
            ValueError: no state of the game, or no such seat, action or number of a game.
        """
        spec = self.spec
        if self.name.startswith("set_"):
            if not isinstance(state, np.ndarray) or state.dtype != spec.dtype or state.ndim != 1:
                raise ValueError(f"games must hold states of {spec.name}, shape (n,), not {short(state)}")
            if len(args) != 2:
                raise TypeError(f"{self.name} takes games, the number of a game and what is set")
            i = check_int("i, the number of the game,", args[0], 0, len(state) - 1)
            if self.name == "set_dealer":
                spec.check_state(state[i], whole=True)
                return self.function(state, i, check_int("dealer", args[1], 0, spec.seats - 1))
            given = check_mapping("fields", args[1])
            if not all(isinstance(value, str) for value in given.values()):
                raise ValueError("fields must be texts by their keys")
            return self.function(state, i, given)
        record = spec.record(state)
        if self.name in ("drawing", "board"):
            seat = args[0] if args else None
            return self.function(record, None if seat is None else check_int("seat", seat, 0, spec.seats - 1))
        if self.name == "words":
            if len(args) != 1 or not is_int(args[0]) or not -1 <= args[0] < spec.num_actions:
                raise ValueError(f"action must be an int from 0 to {spec.num_actions - 1}, not {short(args)}")
            return self.function(record, int(args[0]))
        return self.function(record)
