"""The score sheet of a table: the finished deals of the game that is played, and its score."""

from dataclasses import dataclass

from cardenvs.contract.cards import SUIT_NAMES
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec

NO_TRUMP = 4  # the trump suit of a deal in which none was called


@dataclass(frozen=True)
class SheetRow:
    """A finished deal on the score sheet."""

    deal: int  # number of the deal at the table, from 1
    dealer: int | None  # None in a game without a dealer
    points: tuple[int, ...]  # of the sides; in a game of several sides without points 1 for the winner
    text: str  # the trump suit, if any, and the tricks or columns of the sides


@dataclass(frozen=True)
class ScoreSheet:
    """The score sheet of a game of several deals, or of single deals that are counted as long as the table stays."""

    rows: tuple[SheetRow, ...]
    brought: tuple[int, ...]  # points of the sides before the first of these deals
    target: int | None  # points that win the game; None without such a number
    next_dealer: int | None  # None in a game without a dealer, and once the game is won

    @property
    def scores(self) -> list[tuple[int, ...]]:
        """The points of the sides after each deal."""
        scores = [self.brought]
        for row in self.rows:
            scores.append(tuple(before + made for before, made in zip(scores[-1], row.points, strict=True)))
        return scores[1:]

    @property
    def total(self) -> tuple[int, ...]:
        """The points of the sides after the last deal."""
        return self.scores[-1] if self.rows else self.brought


def sheet_row(game: GameSpec, number: int, state: Games) -> SheetRow:
    """Returns the row of a finished deal, ``state`` of shape (1,), with its number at the table."""
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
