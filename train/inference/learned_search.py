"""``learned-search``: beliefs by replaying a policy, and play-outs in which the policy plays every seat.

Worlds that fit what the seat knows are believed as far as the policy would have acted in them as the others did
(`cardenvs.train.inference.replay`). In those that are drawn by their beliefs every legal action is tried, and the policy's
network plays the deal to its end: each seat decides by what it sees there, so that no result rests on knowledge that nobody
will have. The policy's own preference is added to the scores, against the chance that remains in them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.base import SearchPolicy, check_seconds
from cardenvs.checks import MOST_DRAWN, check_int, check_number
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.waiting import clock
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Scores
from cardenvs.policy.registry import make, path_of
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.shipped import Learned, by_rules


class Effort(NamedTuple):
    """Default size of a search; see `LearnedSearch`."""

    worlds: int
    candidates: int


_LEANING = 0.005
"""Default points for a factor of e in the policy's probability, with the default number of worlds."""

EFFORT = {"euchre": Effort(2000, 4), "whist": Effort(250, 20)}
"""Default size of a search, by game."""
_BLOCK = 25
"""Worlds that are tried between two tests for a clear choice; between blocks Python may be interrupted."""
_CLEAR = 3.0
"""Standard errors by which an action must be behind the best to be given up."""
_LEAST = 1e-8  # chances count as at least so much
_MOST_LOG = 500.0  # a block counts at most e to this times as much as the first


@dataclass
class Tally:
    """Gains of actions in the worlds where they were tried, and the actions that can still be the best.

    Attributes:
        leaning: float64 (k,), what is added to each action's mean; may be changed between blocks.
        weights: what each world counts, arrays of float64, one a block.
        gains: what each action brought there, float64 (worlds, k), nan for what was given up before; one a block.
        alive: bool (k,), the actions that are not given up.
    """

    leaning: Scores
    weights: list[Scores] = field(default_factory=list)
    gains: list[Scores] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.alive: npt.NDArray[np.bool_] = np.ones(len(self.leaning), np.bool_)

    def add(self, weights: Scores, gains: Scores) -> None:
        """Adds a block of worlds, and gives up actions that are clearly not the best.

        Args:
            weights: float64 (worlds,), above 0, what each world counts.
            gains: float64 (worlds, alive), what the actions that are not given up brought.
        """
        whole = np.full((len(weights), len(self.leaning)), np.nan)
        whole[:, self.alive] = gains
        self.weights.append(weights)
        self.gains.append(whole)
        weights, everything = np.concatenate(self.weights), np.concatenate(self.gains)[:, self.alive]
        means = weights @ everything / weights.sum()
        totals = means + self.leaning[self.alive]
        best = int(totals.argmax())
        behind = totals[best] - totals
        spread = (everything[:, [best]] - everything) - (means[best] - means)
        errors = np.sqrt((weights[:, None] ** 2 * spread**2).sum(0)) / weights.sum()
        self.alive[np.flatnonzero(self.alive)[behind > _CLEAR * errors]] = False

    @property
    def clear(self) -> bool:
        """Whether one action is left."""
        return int(self.alive.sum()) == 1

    def totals(self) -> tuple[Scores, Scores, Ints]:
        """Scores of the actions, with their errors and their numbers of worlds.

        Returns:
            Each action's mean with its leaning, float64 (k,): of one that was given up the best action's, less what it was
            behind in the worlds where both were tried, so that the best is among those that were not; the standard error of
            its mean, float64 (k,); in how many worlds it was tried, int64 (k,).
        """
        weights, gains = np.concatenate(self.weights)[:, None], np.concatenate(self.gains)
        tried = np.isfinite(gains)
        weights, gains = np.where(tried, weights, 0.0), np.where(tried, gains, 0.0)
        sums = weights.sum(0)
        means = (weights * gains).sum(0) / sums
        errors = np.sqrt((weights**2 * (gains - means) ** 2).sum(0)) / sums
        totals = means + self.leaning
        best = int(np.where(self.alive, totals, -np.inf).argmax())
        behind = (weights * (gains[:, [best]] - gains)).sum(0) / sums + self.leaning[best] - self.leaning
        below = np.nextafter(totals[best], -np.inf)
        totals = np.where(self.alive, totals, np.minimum(totals[best] - behind, below))
        return totals, errors, tried.sum(0)


class LearnedSearch(SearchPolicy):
    """``learned-search``: tries every action in worlds in which a policy would have acted as was seen, and plays on by it.

    Worlds come a block at a time. ``candidates`` for each of them are drawn uniformly from those that the rules allow, and
    in each the deal is replayed: the product of the policy's chances of all that the others did, each mixed with the chance
    of an act at random, weighs the world. The worlds of the block are drawn by weight (importance resampling, Rubin 1987),
    and the block counts as much as its candidates weigh. In each world the actions are tried, and the policy's network
    plays all seats to the end of the deal. A score is the mean of the points that the side gains, less the other side's,
    plus ``prior`` times the logarithm of the policy's probability. All actions are tried in the same worlds; one that is
    clearly behind is given up, and when one is left, the search is over.

    Source: our own; a search for one seat around a policy that all follow is in Lerer et al. 2020 ("Improving Policies via
    Search in Cooperative Partially Observable Games"). The action of the best score is the likeliest after a
    step of mirror descent from the policy (Sokota et al. 2024, "The Update-Equivalence Framework for Decision-Time
    Planning").

    Args:
        worlds: how many worlds make a decision at most, at least 1; None for 2,000 in Euchre and 250 in Whist.
        seconds: if given, think for so long instead; what is chosen then depends on the machine, too.
        candidates: from how many uniform worlds each of them is drawn, at least 1; None for 4 in Euchre and 20 in Whist.
            With 1 all worlds are equally likely.
        doubt: the share of all acts that are taken to be anything legal rather than the policy's, above 0, at most 1: how
            far the others are believed to play otherwise. None: 0.02, 0.3 or 0.9, as likely as each other for the partner
            and for the other side, until what they do tells.
        prior: points for a factor of e in the policy's probability of an action, at least 0 (mirror descent: 1 over the
            step size); None for 0.005 with as many worlds as are usual, and with others in proportion to the errors of
            their means: twice as much with a quarter.
        policy: ``"learned"``, with a generation if need be, or the path of a trained policy.

    Raises:
        ValueError: a parameter that is not as described; a policy of another kind of network.
    """

    games = tuple(game for game in ("euchre", "whist") if game in Learned.games)

    def __init__(
        self,
        game: str | GameSpec,
        worlds: int | None = None,
        seconds: float | None = None,
        candidates: int | None = None,
        doubt: float | None = None,
        prior: float | None = None,
        policy: str = "learned",
    ) -> None:
        super().__init__(get_game(game).recalling)
        usual = EFFORT[self.game.name]
        self._worlds = check_int("worlds", usual.worlds if worlds is None else worlds, 1, MOST_DRAWN)
        self._seconds = check_seconds(seconds)
        self._candidates = check_int("candidates", usual.candidates if candidates is None else candidates, 1, MOST_DRAWN)
        self._doubt = None if doubt is None else check_number("doubt", doubt, 0, 1, above=True)
        self._prior = None if prior is None else check_number("prior", prior)
        if not isinstance(policy, str) or (policy.partition(":")[0] != "learned" and path_of(policy) is None):
            raise ValueError(f"policy must be 'learned' or the path of a trained policy, not {policy!r}")
        player: Policy = make(self.game.plain, policy)
        self._parts: list[TrainedPolicy] = []
        for part in player.parts if isinstance(player, Learned) else [player]:
            if not isinstance(part, TrainedPolicy) or not part.has_beliefs:
                raise ValueError(f"policy must be 'learned' or the path of a trained policy, not {policy!r}")
            self._parts.append(part)

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """Mean gains plus the policy's preferences, as `ScoredPolicy.evaluate` returns scores."""
        return self._search_rows(observations, action_masks, streams, skip_forced)[:2]

    def weigh(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Scores, Ints, Scores, Ints]:
        """Scores and actions as `ScoredPolicy.weigh` returns them, with the errors of the means and the worlds behind them.

        An action that was given up stands on fewer worlds than the others.
        """
        return self._search_rows(observations, action_masks, streams, False)

    def _search_rows(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, Scores, Ints]:
        """Scores as `weigh` returns them; rows with one legal action may be skipped."""
        scores = np.where(action_masks != 0, 0.0, np.nan)
        errors, visits = np.zeros(scores.shape), np.zeros(scores.shape, np.int64)
        wanted = action_masks.sum(1) > (1 if skip_forced else 0)
        plain = np.ascontiguousarray(observations[:, : self.game.plain.observation_size])
        for part, rows in by_rules(self._parts, plain):
            for row in rows[wanted[rows]]:
                legal = np.flatnonzero(action_masks[row])
                tally = self._search_row(part, legal, observations, action_masks, streams, row)
                scores[row, legal], errors[row, legal], visits[row, legal] = tally.totals()
        return scores, np.asarray(np.nanargmax(scores, 1)), errors, visits

    def _search_row(
        self, part: TrainedPolicy, legal: Ints, observations: Bytes, masks: Bytes, streams: Streams, row: int
    ) -> Tally:
        """Searches a row and tallies its ``legal`` actions, int64 (k,); arrays are whole batches."""
        began = clock()
        shown = np.ascontiguousarray(observations[row : row + 1, : part.game.observation_size])
        chances = part.chances_of(shown, masks[row : row + 1])[0, legal]
        log_chances = np.log(np.maximum(chances.astype(np.float64), _LEAST))
        tally = Tally(np.zeros(len(legal)))
        replay, kind = part.replay(), self.game.reward_kind(self.game.rewards[0])
        done, first_mass = 0, 0.0
        while not done or not (tally.clear or self._is_over(done, began)):
            wanted = _BLOCK if self._seconds is not None else min(_BLOCK, self._worlds - done)
            tally.leaning = self._prior_weight(done + wanted) * log_chances
            worlds, counts, mass = replay.drawn(observations, row, streams, wanted, self._candidates, self._doubt)
            first_mass = first_mass if done else mass
            # A block counts as much as its candidates are believed, as if all had been drawn from together.
            weights = np.asarray(counts * math.exp(min(mass - first_mass, _MOST_LOG)), np.float64)
            tally.add(weights, replay.gains(worlds, legal[tally.alive], kind))
            done += wanted
        return tally

    def _prior_weight(self, done: int) -> float:
        """Points for a factor of e in the policy's probability after so many worlds."""
        if self._prior is not None:
            return self._prior
        # All worlds that there will be count from the first block on, where their number is known.
        worlds = self._worlds if self._seconds is None else done
        return _LEANING * math.sqrt(EFFORT[self.game.name].worlds / worlds)

    def _is_over(self, done: int, began: float) -> bool:
        """Whether a search that began at a time of the clock is over after so many worlds."""
        return done >= self._worlds if self._seconds is None else clock() >= began + self._seconds
