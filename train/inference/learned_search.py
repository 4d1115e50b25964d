"""``learned-search``: worlds by replay of a policy (`cardenvs.train.inference.replay`), and play-outs by its network."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.base import WeighingSearch, check_seconds, portions
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
    worlds: int
    candidates: int


_LEANING = 0.005  # default points for a factor of e in the policy's probability, with the default number of worlds
EFFORT = {"euchre": Effort(2000, 4), "whist": Effort(250, 20)}  # default size of a search, by game
_BLOCK = 25  # worlds that are tried between two tests for a clear choice; between blocks Python may be interrupted
_CLEAR = 3.0  # standard errors by which an action must be behind the best to be given up
_LEAST = 1e-8  # chances count as at least so much
_MOST_LOG = 500.0  # a block counts at most e to this times as much as the first


@dataclass
class Tally:
    """Gains of actions in the worlds where they were tried, and the actions that can still be the best."""

    leaning: Scores  # float64 (k,), added to each action's mean; may be changed between blocks
    weights: list[Scores] = field(default_factory=list)  # of each world, an array a block
    gains: list[Scores] = field(default_factory=list)  # float64 (worlds, k), nan for actions given up before; one a block

    def __post_init__(self) -> None:
        self.alive: npt.NDArray[np.bool_] = np.ones(len(self.leaning), np.bool_)  # actions that are not given up

    def add_block(self, weights: Scores, gains: Scores) -> None:
        """Adds a block of worlds, and gives up actions that are clearly not the best. ``weights``, float64 (worlds,), are
        above 0; ``gains``, float64 (worlds, alive), those of the actions not given up."""
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
    def is_decided(self) -> bool:
        return int(self.alive.sum()) == 1

    def total_scores(self) -> tuple[Scores, Scores, Ints]:
        """Returns the actions' scores, standard errors of their means, and numbers of worlds, each (k,). A score is a mean
        plus leaning; that of an action given up is the best one's, less what it was behind in the worlds where both were
        tried, so that the best is never among them."""
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


class LearnedSearch(WeighingSearch):
    """``learned-search``: tries every action in worlds in which a policy would have acted as was seen, and plays on by it.

    Worlds come in blocks. ``candidates`` for each of them are drawn uniformly from those that the rules allow, and in each
    the deal is replayed: its weight is the product of the policy's probabilities of all that the others did, each mixed
    with that of a random act. The worlds of the block are drawn by weight (importance resampling, Rubin 1987), and the
    block counts as much as its candidates weigh. In each world the actions are tried, and the policy's network plays all
    seats to the end of the deal. A score is the mean of the points that the side gains, less the other side's, plus
    ``prior`` times the logarithm of the policy's probability. All actions are tried in the same worlds; one that is clearly
    behind is given up, and when one is left, the search is over.

    Source: our own; a search for one seat around a policy that all follow is in Lerer et al. 2020 ("Improving Policies via
    Search in Cooperative Partially Observable Games"). The action of the best score is the likeliest after a
    step of mirror descent from the policy (Sokota et al. 2024, "The Update-Equivalence Framework for Decision-Time
    Planning").

    Args:
        worlds: maximum number of worlds for a decision, at least 1; None for 2,000 in Euchre and 250 in Whist.
        seconds: if given, thinking time instead; the choice then depends on the machine, too.
        candidates: uniform worlds from which each of them is drawn, at least 1; None for 4 in Euchre and 20 in Whist.
            With 1 all worlds are equally likely.
        doubt: the share of others' acts that are taken to be anything legal rather than the policy's, above 0, at most 1.
            None: 0.02, 0.3 or 0.9, equally likely beforehand for the partner and for the other side.
        prior: points for a factor of e in the policy's probability of an action, at least 0 (mirror descent: 1 over the
            step size); None for 0.005 with the default number of worlds, and with others in proportion to the errors of
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

    def search_rows(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, Scores, Ints]:
        """Returns mean gains plus the policy's preferences, and the errors of the means and the worlds behind them. An
        action that was given up stands on fewer worlds than the others."""
        scores = np.where(action_masks != 0, 0.0, np.nan)
        errors, visits = np.zeros(scores.shape), np.zeros(scores.shape, np.int64)
        wanted = action_masks.sum(1) > (1 if skip_forced else 0)
        plain = np.ascontiguousarray(observations[:, : self.game.plain.observation_size])
        for part, rows in by_rules(self._parts, plain):
            for row in rows[wanted[rows]]:
                legal = np.flatnonzero(action_masks[row])
                tally = self._search_row(part, legal, observations, action_masks, streams, row)
                scores[row, legal], errors[row, legal], visits[row, legal] = tally.total_scores()
        return scores, np.asarray(np.nanargmax(scores, 1)), errors, visits

    def _search_row(
        self, part: TrainedPolicy, legal: Ints, observations: Bytes, masks: Bytes, streams: Streams, row: int
    ) -> Tally:
        """Searches a row of whole batches and tallies its ``legal`` actions, int64 (k,)."""
        began = clock()
        shown = np.ascontiguousarray(observations[row : row + 1, : part.game.observation_size])
        chances = part.chances_of(shown, masks[row : row + 1])[0, legal]
        log_chances = np.log(np.maximum(chances.astype(np.float64), _LEAST))
        tally = Tally(np.zeros(len(legal)))
        replay, kind = part.replay(), self.game.reward_kind(self.game.rewards[0])
        done, first_mass = 0, 0.0
        for wanted in portions(self._worlds, self._seconds, _BLOCK, _BLOCK, began):
            tally.leaning = self._prior_weight(done + wanted) * log_chances
            worlds, counts, mass = replay.draw_believed(observations, row, streams, wanted, self._candidates, self._doubt)
            first_mass = first_mass if done else mass
            # A block counts as much as its candidates are believed, as if all had been drawn from together.
            weights = np.asarray(counts * math.exp(min(mass - first_mass, _MOST_LOG)), np.float64)
            tally.add_block(weights, replay.action_gains(worlds, legal[tally.alive], kind))
            done += wanted
            if tally.is_decided:
                break
        return tally

    def _prior_weight(self, done: int) -> float:
        """Returns points for a factor of e in the policy's probability after ``done`` worlds."""
        if self._prior is not None:
            return self._prior
        # All worlds that there will be count from the first block on, where their number is known.
        worlds = self._worlds if self._seconds is None else done
        return _LEANING * math.sqrt(EFFORT[self.game.name].worlds / worlds)
