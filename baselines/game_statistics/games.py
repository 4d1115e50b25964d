"""Played games of statistics: their figures, and the experiments that they are of."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.runs.rows import Pieces
from cardenvs.compiled.bits import Ints

Reals = npt.NDArray[np.float64]

RANDOM, ONE_AI, ALL_AI = "random", "one_ai", "all_ai"
EXPERIMENTS = {RANDOM: "all random", ONE_AI: "one AI against random", ALL_AI: "all AI"}
"""The experiments by their names in results, with their titles for people. The one AI has seat 0."""
STATISTICS = {
    "order": "how far one AI is ahead of random players: 0 not at all, 1 in every game",
    "fairness": "how close seat 0 is to its share of the wins in random play: 1 is even",
    "convergence": "above 0.5, options become fewer in the course of a game",
    "spread": "what lies between the best and the worst option of a decision",
    "drama": "how badly off winners looked, where they did",
    "security": "the share of decisions at which the winner looked safe",
}
"""The six statistics in their order, with their meanings."""
BEATEN = "does not exist: a game of one side has nobody to beat"
OF_ONE_SIDE = {
    **dict.fromkeys(STATISTICS, BEATEN),
    "convergence": STATISTICS["convergence"],
    "spread": "points that lie between the best and the worst option of a decision",
}
"""The meanings of the six statistics in a game of one side."""


@dataclass(frozen=True)
class PlayedGames(Pieces):
    """The figures of each of n games.

    Attributes:
        decisions: int64 (n,), how many decisions there were.
        options: int64 (n,), the options of all of them.
        indexed: int64 (n,), these options, each times its decision's index, which begins with 0.
        forced: int64 (n,), how many decisions had one option only.
        ranks: int64 (n, seats), how many seats were better than each; -1 in games that were cut off.
        spread: float64 (n,), the best less the worst estimate of an option for the mover, summed over decisions.
        told: int64 (n,), the decisions that tell of drama and security: all of them in games that have a winner among
            several sides.
        below: int64 (n,), those of them at which the mover thought badly of the winner's chances.
        gaps: float64 (n,), the square roots of how far these estimates lay below the mark, summed.

    The last four are zeros where nothing was estimated, as in games with random players.
    """

    decisions: Ints
    options: Ints
    indexed: Ints
    forced: Ints
    ranks: Ints
    spread: Reals
    told: Ints
    below: Ints
    gaps: Reals

    BY_PIECE: ClassVar[tuple[str, ...]] = (
        "decisions", "options", "indexed", "forced", "ranks", "spread", "told", "below", "gaps",
    )  # fmt: skip
    """The names of the arrays, each of which has a row for each game."""

    @classmethod
    def empty(cls, n: int, seats: int) -> PlayedGames:
        """Zeros for n games."""
        names, reals = [f.name for f in fields(cls)], ("spread", "gaps")
        arrays: dict[str, Any] = {name: np.zeros(n, np.float64 if name in reals else np.int64) for name in names}
        return cls(**(arrays | {"ranks": np.full((n, seats), -1, np.int64)}))

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.decisions)

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """Mask of the games that were not cut off, bool (n,)."""
        return self.ranks[:, 0] >= 0

    @property
    def slopes(self) -> Reals:
        """The least-squares slope of the number of options over the decision's index in each game, float64 (n,).

        It is 0 where there was one decision only.
        """
        n = self.decisions.astype(np.float64)
        indices = n * (n - 1) / 2
        spread = n * (n * (n - 1) * (2 * n - 1) / 6) - indices**2
        product = n * self.indexed - indices * self.options
        return np.divide(product, spread, out=np.zeros(len(n)), where=spread > 0)

    @property
    def firsts(self) -> Reals:
        """Each seat's share of the first place, which seats that are level share, float64 (n, seats); 0 if cut off."""
        first = self.ranks == 0
        return first / np.maximum(first.sum(1, keepdims=True), 1)
