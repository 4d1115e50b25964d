"""Texts for people: actions in words, and the outcome of a deal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from cardenvs.compiled.bits import Ints


class ActionWords(NamedTuple):
    """An action in words for people, without the seat that takes it.

    Attributes:
        label: the text of a button: ``"order up"``, ``"play the jack of spades"``.
        told: the text behind the name of the seat in a log: ``"orders up"``, ``"plays the jack of spades"``.
    """

    label: str
    told: str


@dataclass(frozen=True)
class Endings:
    """Columns of a report on the finished games of a team, beside its points.

    Attributes:
        best: the points of a perfect game; the fewest are 0.
        words: the ways in which a game can end: ``("perfect", "lives", "deck")``.
        counted: the counts of each game: ``("lives lost",)``.
        told: ``(games) -> (ways, counts)`` of finished games, structured (n,): the index in ``words`` of each game's end,
            int64 (n,), and its counts, int64 (n, counted).
        so_far: ``(games) -> counts`` of games that may go on, int64 (n, counted); None where there are none.
    """

    best: int
    words: tuple[str, ...]
    counted: tuple[str, ...]
    told: Callable[[Any], tuple[Ints, Ints]]
    so_far: Callable[[Any], Ints] | None = None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a finished deal.

    Attributes:
        points: the points of each side in the deal.
        tricks: the tricks of each seat, in Five-O columns won.
        winners: the sides that have won the episode with the deal; several can share the win, none while it goes on.
        tricks_word: unit of ``tricks``: ``"tricks"`` or ``"columns"``.
        side_of: the side of each seat.
    """

    points: tuple[int, ...]
    tricks: tuple[int, ...]
    winners: tuple[int, ...]
    tricks_word: str
    side_of: tuple[int, ...]

    @property
    def winner(self) -> int:
        """The side that alone has won the episode, -1 for none."""
        return self.winners[0] if len(self.winners) == 1 else -1

    @property
    def best(self) -> int | None:
        """The side with the most points; None for a tie."""
        most = max(self.points)
        return self.points.index(most) if self.points.count(most) == 1 else None

    @property
    def side_tricks(self) -> tuple[int, ...]:
        """The tricks of each side."""
        sides = range(len(self.points))
        return tuple(sum(t for t, of in zip(self.tricks, self.side_of, strict=True) if of == side) for side in sides)

    @property
    def points_text(self) -> str:
        """The most points of a side, in words: ``1 point``, ``3 points``."""
        points = max(self.points)
        return f"{points} point{'' if points == 1 else 's'}"

    @property
    def tricks_text(self) -> str:
        """The tricks of the side with the most points and those of the others, in words: ``7 tricks to 6``."""
        taken, best = self.side_tricks, self.best or 0
        others = [str(count) for side, count in enumerate(taken) if side != best]
        return f"{taken[best]} {self.tricks_word} to {' and '.join(others)}"
