"""A policy's explanation of its legal actions: numbers, their meaning, and their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_int, check_list, check_number
from cardenvs.compiled.bits import Bytes
from cardenvs.contract.spec import GameSpec

KINDS = {
    "percent": "its share of the points in percent",
    "probability": "its probability in percent",
    "value": "0 % the worst legal move, 100 % the best; behind it what the policy makes of it",
    "choice": "its choice",
}
"""Meaning of an `Explanation`'s numbers in words for people, by its kind; "its" in these words is a move's."""

Scores = npt.NDArray[np.float64]
"""A number for every action of every row, float64 (n, num_actions), nan where illegal."""


@dataclass(frozen=True)
class Explanation(Sequence[tuple[str, float]]):
    """A policy's numbers for its legal actions: pairs of an action's name and a number, best first.

    The first action is the choice of `Policy.act`, unless the policy draws from probabilities.

    Attributes:
        kind: meaning of the numbers, a key of `KINDS`.
        pairs: the actions and their numbers.
        errors: the standard error of each number, finite and at least 0, in the order of ``pairs``; empty if unknown.
        visits: number of worlds or simulations behind each number, in the order of ``pairs``; empty if unknown.

    Raises:
        ValueError: an unknown kind, no pairs, errors or visits of another length than ``pairs`` or out of bounds.
    """

    kind: str
    pairs: tuple[tuple[str, float], ...]
    errors: tuple[float, ...] = ()
    visits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, not {self.kind!r}")
        if not self.pairs:
            raise ValueError("pairs must hold at least one action with its number")
        errors, visits = check_list("errors", self.errors, "numbers"), check_list("visits", self.visits, "ints")
        for name, values in (("errors", errors), ("visits", visits)):
            if values and len(values) != len(self.pairs):
                raise ValueError(f"{name} must be empty or as long as pairs, which is {len(self.pairs)}, not {len(values)}")
        # Numbers of NumPy's become Python's, which JSON can hold.
        object.__setattr__(self, "errors", tuple(check_number("errors", error) for error in errors))
        object.__setattr__(self, "visits", tuple(check_int("visits", count, 0) for count in visits))

    @overload
    def __getitem__(self, index: int) -> tuple[str, float]: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[str, float], ...]: ...

    def __getitem__(self, index: int | slice) -> tuple[str, float] | tuple[tuple[str, float], ...]:
        return self.pairs[index]

    def __len__(self) -> int:
        return len(self.pairs)

    def tried(self, k: int) -> str:
        """Returns the evidence for number ``k`` in words, such as "±0.012, tried 200 times"; "" if unknown.

        The margin is that of a 95% interval, in the unit of the shown number: of values as it is, else in percent.
        """
        words = []
        if self.errors:
            margin, scale = 1.96 * self.errors[k], 1.0 if self.kind == "percent" else 100.0
            words.append(f"±{margin:.3f}" if self.kind == "value" else f"±{scale * margin:.1f} %")
        if self.visits:
            count = self.visits[k]
            words.append({0: "never tried", 1: "tried once"}.get(count, f"tried {count} times"))
        return ", ".join(words)

    @property
    def percents(self) -> list[float]:
        """The numbers as percent.

        Values have no natural zero: the worst of them is 0 % and the best 100 %, and all are 100 % if they are equal.
        """
        numbers = [number for _, number in self.pairs]
        if self.kind == "percent":
            return numbers
        if self.kind != "value":
            return [100.0 * number for number in numbers]
        low, high = min(numbers), max(numbers)
        return [100.0 * (number - low) / (high - low) if high > low else 100.0 for number in numbers]


def ranked(
    game: GameSpec,
    kind: str,
    action_mask: Bytes,
    numbers: npt.NDArray[Any],
    chosen: int = -1,
    errors: npt.NDArray[Any] | None = None,
    visits: npt.NDArray[Any] | None = None,
) -> Explanation:
    """Returns an explanation with the legal actions in the order of their numbers, highest first.

    Args:
        kind: meaning of the numbers, a key of `KINDS`.
        action_mask: int8 (num_actions,), the legal actions.
        numbers: float (num_actions,); only legal actions count.
        chosen: the first action among actions with equal numbers; -1 for none.
        errors: float (num_actions,), the numbers' standard errors; None if unknown.
        visits: int (num_actions,), number of worlds or simulations behind each number; None if unknown.

    Raises:
        ValueError: errors or visits that `Explanation` refuses.
    """
    order = sorted(np.flatnonzero(action_mask), key=lambda action: (-numbers[action], action != chosen))
    return Explanation(
        kind,
        tuple((game.actions[action], float(numbers[action])) for action in order),
        () if errors is None else tuple(errors[action] for action in order),
        () if visits is None else tuple(visits[action] for action in order),
    )
