"""The score sheet of a table: the finished deals of the game that is played, and its score."""

from __future__ import annotations

from dataclasses import dataclass

from cardenvs.contract.cards import SUIT_NAMES
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec

NO_TRUMP = 4
"""The trump suit of a deal in which none was called."""


@dataclass(frozen=True)
class SheetRow:
    """A finished deal as the score sheet has it.

    Attributes:
        deal: which deal of the table it is, from 1.
        dealer: the seat that dealt; None in a game without a dealer.
        points: the points of the sides in the deal; in a game of several sides without points 1 for the one that has won.
        text: the trump suit, if any, and the tricks or columns of the sides.
    """

    deal: int
    dealer: int | None
    points: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class ScoreSheet:
    """The score sheet of a game of several deals, or of single deals that are counted as long as the table stays.

    Attributes:
        rows: the finished deals in order.
        brought: the points of the sides before the first of these deals.
        target: the points that win the game; None where no number does.
        next_dealer: the seat that deals next; None in a game without a dealer, and once the game is won.
    """

    rows: tuple[SheetRow, ...]
    brought: tuple[int, ...]
    target: int | None
    next_dealer: int | None

    @property
    def scores(self) -> list[tuple[int, ...]]:
        """The points of the sides after each of the deals."""
        scores = [self.brought]
        for row in self.rows:
            scores.append(tuple(before + made for before, made in zip(scores[-1], row.points, strict=True)))
        return scores[1:]

    @property
    def total(self) -> tuple[int, ...]:
        """The points of the sides after the last of the deals."""
        return self.scores[-1] if self.rows else self.brought


def sheet_row(game: GameSpec, number: int, state: Games) -> SheetRow:
    """The row of a finished deal.

    Args:
        number: which deal of the table it is.
        state: the deal, a structured array of shape (1,).
    """
    names = game.dtype.names or ()
    outcome = game.outcome(state)
    dealer = int(state["dealer"][0]) if "dealer" in names else None
    points = outcome.points
    if game.board is not None:
        points = game.counted(points)
    elif "score" not in names and not game.one_sided:
        points = tuple(int(outcome.best == side) for side in range(game.num_sides))
    text = f"{outcome.tricks_word} {' : '.join(map(str, outcome.side_tricks))}" if any(outcome.tricks) else ""
    if "trump" in names:
        trump = int(state["trump"][0])
        text = f"{SUIT_NAMES[trump]}, {text}" if trump < NO_TRUMP else "all passed"
    return SheetRow(number, dealer, points, text)
