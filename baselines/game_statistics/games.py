"""Played games of statistics: their figures, and the experiments that they are of."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.runs.plan import Pieces
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
    """The figures of each of n games; the last four are zeros where nothing was estimated, as with random players."""

    decisions: Ints  # int64 (n,), number of decisions
    options: Ints  # int64 (n,), number of options of all of them
    indexed: Ints  # int64 (n,), these options, each times its decision's index, which begins with 0
    forced: Ints  # int64 (n,), number of decisions with one option only
    ranks: Ints  # int64 (n, seats), number of seats better than each; -1 in games that were cut off
    spread: Reals  # float64 (n,), the best less the worst estimate of an option for the mover, summed over decisions
    told: Ints  # int64 (n,), decisions that count in drama and security: all of a game that has a winner among sides
    below: Ints  # int64 (n,), those of them at which the mover's estimate for the winner lay below the mark
    gaps: Reals  # float64 (n,), square roots of the distances of these estimates from the mark, summed

    BY_PIECE: ClassVar[tuple[str, ...]] = (
        "decisions", "options", "indexed", "forced", "ranks", "spread", "told", "below", "gaps",
    )  # fmt: skip

    @classmethod
    def empty(cls, n: int, seats: int) -> PlayedGames:
        """Zeros for n games, and ranks of games that were cut off."""
        reals = ("spread", "gaps")
        arrays: dict[str, Any] = {
            one.name: np.zeros(n, np.float64 if one.name in reals else np.int64) for one in fields(cls)
        }
        return cls(**(arrays | {"ranks": np.full((n, seats), -1, np.int64)}))

    @property
    def games(self) -> int:
        """Number of games."""
        return self.size

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """Mask of the games that were not cut off, bool (n,)."""
        return self.ranks[:, 0] >= 0

    @property
    def slopes(self) -> Reals:
        """The least-squares slope of the number of options over the decision's index, float64 (n,); 0 of one decision."""
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
