"""The Five-O agents that weigh columns one by one: each column's chance after a placement, multiplied up.

Source: S. Aharon and M. Mandel, "Five-O Poker", II.B.4 (Monte-Carlo Simulation) and II.B.5 (exact probabilities).
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.baselines.search.base import SearchPolicy, check_seconds, spend_budget
from cardenvs.baselines.search.five_o.chances import SAMPLES, WIN, Chances, placement_scores
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.sampled_chances import sample_rows
from cardenvs.checks import MOST_DRAWN, check_int
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import RandomSource
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores

_CHUNK = 1_000  # completions between two looks at the clock
_CALL = 1_000_000  # completions in one call of a kernel
_ROWS = 64  # rows whose completions are counted in one call; between calls Python may be interrupted


class _ColumnPolicy(SearchPolicy):
    """An agent that puts the card where the chance to win three columns is greatest, the lowest column among equals."""

    games = ("five-o",)

    @abstractmethod
    def estimate_chances(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Chances, Scores]:
        """The columns' chances, float64 (n, 5, 2), and the placements' scores, float64 (n, 5); the streams are advanced."""

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        scores = np.where(action_masks != 0, 0.0, np.nan)
        wanted = np.flatnonzero(action_masks.sum(axis=1) > 1) if skip_forced else np.arange(len(observations))
        if len(wanted):
            part = streams[wanted]
            scores[wanted] = self.estimate_chances(observations[wanted], action_masks[wanted], part)[1]
            streams[wanted] = part
        return scores, np.nanargmax(scores, axis=1)

    def column_chances(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Chances:
        """Each own column's chance to beat the opposing one, float64 (5, 2): with the card in hand (or nan), without.

        From the same random numbers ``rng`` as a call of `scores` these are the chances behind those scores.
        """
        return self.estimate_chances(*self._check_one(observation, rng))[0][0]


class MonteCarlo(_ColumnPolicy):
    """``monte-carlo``: estimates every column's chance with and without the card, plays for three columns.

    The unseen cards are dealt ``samples`` times into the columns of both sides until all are full. How often each column
    then beats the opposing one, with the card in hand (put) and without it (wait), goes into the paper's equation 3, as if
    columns were independent; a score is the chance to win three or more.

    Source: S. Aharon and M. Mandel, "Five-O Poker", II.B.4. The paper takes 100,000 samples of each column; here one
    completion serves all columns, so 100,000 take 18 ms at most and the default 10,000 a tenth of it.

    Args:
        samples: how many completions to draw for a decision, at least 1.
        seconds: if given, time for drawing completions instead of their number (1,000 completions at least); the choice
            then depends on the machine.
        joint: count the completions in which three columns are won instead, which needs no independence; not in the paper.
    """

    def __init__(
        self, game: str | GameSpec, samples: int = SAMPLES, seconds: float | None = None, joint: bool = False
    ) -> None:
        super().__init__(game)
        self.samples = check_int("samples", samples, 1, MOST_DRAWN)
        self.seconds = check_seconds(seconds)
        if not isinstance(joint, bool):
            raise ValueError(f"joint must be yes or no, not {joint!r}")
        self.joint = joint

    def estimate_chances(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Chances, Scores]:
        n = len(observations)
        wins, games = np.zeros((n, 5, 2), np.int64), np.zeros((n, 5, 3), np.int64)
        views = self.game.new_games(1)

        def sample_more(rows: Ints, samples: int) -> None:
            sample_rows(rows, samples, self.joint, observations, action_masks, streams, views, wins, games)

        drawn = spend_budget(sample_more, np.arange(n), self.samples, self.seconds, _CHUNK, _CALL)
        chances = wins / drawn[:, None, None]
        chances[:, :, 0][action_masks == 0] = np.nan
        if not self.joint:
            return chances, placement_scores(chances)
        return chances, np.where(action_masks != 0, games[:, :, WIN] / drawn[:, None], np.nan)


class Exact(_ColumnPolicy):
    """``exact``: as ``monte-carlo``, with the columns' chances counted over all completions instead of samples.

    Source: S. Aharon and M. Mandel, "Five-O Poker", II.B.5, which counts in the last row and, by counts held in memory, in
    all rows but the first to be filled. Here the count takes 0.2 ms in the last two rows, at most 2 ms in the third and 45
    in the second, so that all rows are within reach.

    Args:
        row: the first row in which to count, 2 to 5: 5 is the last, 2 counts always. In the rows before this one, where
            counting costs most and least depends on it, chances are sampled.
        samples: how many completions to draw for a decision in the rows before ``row``.
    """

    def __init__(self, game: str | GameSpec, row: int = 3, samples: int = SAMPLES) -> None:
        super().__init__(game)
        self.row = check_int("row", row, 2, 5)
        self._sampled = MonteCarlo(game, samples)

    def estimate_chances(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Chances, Scores]:
        chances = np.empty((len(observations), 5, 2))
        rows = 2 + observations[:, self.game.slices["row"]].argmax(axis=1)
        for part, counted in ((np.flatnonzero(rows < self.row), False), (np.flatnonzero(rows >= self.row), True)):
            for start in range(0, len(part), _ROWS):
                at = part[start : start + _ROWS]
                if counted:
                    chances[at] = exact_chances(observations[at], action_masks[at])
                    continue
                drawn = streams[at]
                chances[at] = self._sampled.estimate_chances(observations[at], action_masks[at], drawn)[0]
                streams[at] = drawn
        return chances, placement_scores(chances)
