"""Parts and encodings of a game's observations, and the types that every game uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.contract.loops import POINTS, SCORE, TRICKS, WIN

if TYPE_CHECKING:  # not every game brings them
    from cardenvs.contract.sources import Source

Games = npt.NDArray[np.void]
"""A batch of games (or views): a structured array of a game's STATE, shape (n,)."""

REWARD_KINDS = {"points": POINTS, "tricks": TRICKS, "columns": TRICKS, "win": WIN, "score": SCORE}
"""Numbers of the kinds of reward, by name."""


@dataclass(frozen=True)
class Part:
    """A named part of an observation: one int8, zero or one, for each label.

    Attributes:
        name: lower case, unique in its game.
        labels: the meaning of each entry.
        meaning: one line for people.
        told: text before the set labels in prompts, in a game with a board; empty where the board shows the part.
        source: source of the entries in a view; None in a game that writes and reads its observations itself.
        private: whether only its own seat sees it, so that ``state()`` repeats it for all other seats (`define_game`).
    """

    name: str
    labels: tuple[str, ...]
    meaning: str
    told: str = ""
    source: Source | None = None
    private: bool = False

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.labels)


class Encoding(NamedTuple):
    """An observation in a format of other libraries: the first entries of a game's observation.

    Attributes:
        name: the name that environments take as ``encoding``.
        size: number of entries.
        meaning: one line for people.
    """

    name: str
    size: int
    meaning: str


def slices_of(parts: Sequence[Part], start: int) -> dict[str, slice]:
    """Returns the slice of each part by its name; the first begins at ``start``."""
    slices: dict[str, slice] = {}
    for part in parts:
        if part.name in slices:
            raise ValueError(f"two observation parts are named {part.name!r}")
        slices[part.name] = slice(start, start + part.size)
        start += part.size
    return slices
