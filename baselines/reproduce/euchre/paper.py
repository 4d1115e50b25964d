"""The figures that the Euchre paper prints, and a second, precise reference.

The paper: T. Mychaskiw, "Cooperative Agents in Euchre", 2015, Tables 1 to 45, of 10,001 games each. The precise reference
holds the same pairings over 100,000 games each. Both are in ``data/euchre_tables.json``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.reproduce.papers import paper_data

MISPRINT = 36
"""The paper's Table 36, Hybrid against CardCounting, repeats the figures of Table 35."""
MISPRINT_REMARK = "misprint: the paper repeats Table 35's figures here, so there is nothing to compare with"

LIMIT = 4.0
"""A pairing agrees with its reference if no figure differs by more than so many standard errors."""
FIGURES = ("games won", "tricks, first", "tricks, second", "points, first", "points, second")
"""The figures that have z-scores, in order: the first side's games won, both sides' tricks a game and points a game."""

MARKOV2_CAUSE = (
    "The printed figures of Markov2 are far below what its description gives. The original's table of values is indexed "
    "past its end for a fourth card when the trick was led by any king or ace or by the queen of hearts, diamonds or "
    "clubs; it reads zeros there, zero over zero is not at least the threshold, and the agent throws its worst card. "
    "`markov2-published` has this slip and is compared with the print; `markov2` is the agent as described."
)
"""Explanation of the printed figures of Markov2, which are not those of the agent that the paper describes."""


@dataclass(frozen=True)
class Figures:
    """The results of a pairing over all its games. Lists have an entry for each side.

    Attributes:
        games: number of games.
        games_won: games won by each side.
        tricks_won: tricks taken by each side in all games.
        points: points made by each side in all games.
    """

    games: int
    games_won: list[int]
    tricks_won: list[int]
    points: list[int]

    def per_game(self, totals: list[int]) -> list[float]:
        """Totals of both sides, such as `points`, divided by the number of games."""
        return [total / self.games for total in totals]


@dataclass(frozen=True)
class Reference:
    """A pairing whose figures are known.

    Attributes:
        sides: names of the two sides' policies, as `cardenvs.baselines.match.Side` takes them.
        figures: the pairing's results.
        paper_table: number of the paper's table that prints the pairing, None in the precise reference.
    """

    sides: list[str]
    figures: Figures
    paper_table: int | None


def references(kind: str) -> list[Reference]:
    """The known pairings.

    Args:
        kind: ``"published"``, the paper's tables in order, or ``"precise"``, 100,000 games for each pairing.
    """
    data: dict[str, Any] = paper_data("euchre_tables")[kind]
    return [
        Reference(
            pairing["sides"],
            Figures(data["games"], pairing["games_won"], pairing["tricks_won"], pairing["points"]),
            pairing.get("table"),
        )
        for pairing in data["pairings"]
    ]
