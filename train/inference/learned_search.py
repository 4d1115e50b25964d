"""``learned-search``: exact search in worlds that a belief network finds likely, with a policy's own preferences added.

Pimc draws worlds uniformly from all that the rules allow, and solves each with all cards open. Here a network that has seen
the learned policy play (`cardenvs.train.inference.belief`) says how likely each holder is to have each hidden card; worlds
are drawn by these chances (`cardenvs.train.inference.believed_worlds`), and the policy's own preference counts as evidence
for what open cards cannot show.
"""

from __future__ import annotations

import numpy as np

from cardenvs.baselines.search.double_dummy import MAX_CARDS, workspace
from cardenvs.baselines.search.policy import SearchPolicy
from cardenvs.cards import Bytes, Ints, Streams
from cardenvs.checks import check_int, check_number
from cardenvs.games import euchre
from cardenvs.policy import Policy, Scores, make, path_of
from cardenvs.spec import GameSpec
from cardenvs.train.inference.belief import holders
from cardenvs.train.inference.believed_worlds import add_euchre_gains, add_whist_gains
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.shipped import Learned, by_rules

_ROWS = 64
"""Rows searched in one call of a kernel; between calls Python may be interrupted."""


class LearnedSearch(SearchPolicy):
    """``learned-search``: the card with the best mean in likely worlds, solved exactly, plus the network's preference.

    The belief network that comes with a learned policy says how likely each holder is to have each hidden card.
    ``candidates`` times ``worlds`` worlds are drawn uniformly from those that the rules allow; ``worlds`` of them, chosen
    by how much likelier the beliefs make them (importance resampling, Rubin 1987), are solved with all cards open. A
    score is the mean of the points that the side will gain, less the other side's, plus ``prior`` times the logarithm of
    the policy's probability: the policy has learned what makes a play good besides its result with open cards.

    Bids and discards, and in Whist plays with more than ``exact_cards`` cards in hand, are the policy's own: there a score
    is the term of the policy alone.

    Source: our own; pimc is Ginsberg's (2001), the prior's part akin to that in AlphaZero's tree (Silver et al. 2017).

    Args:
        game: name or spec.
        worlds: how many worlds are solved in a decision, at least 1.
        prior: points for a factor of e in the policy's probability of a card, at least 0.
        candidates: from how many uniform worlds each solved world is chosen, at least 1. With 1 beliefs are not used.
        trust: the weight of the beliefs: 1 takes them as they are, 0 leaves the worlds uniform.
        exact_cards: in Whist, the most cards in hand with which plays are searched, 1 to 10.
        policy: ``"learned"``, or the path of an exported policy (`cardenvs.train.export`).

    Raises:
        ValueError: a parameter that is not as described; a policy without a belief network where ``candidates`` is above 1.
    """

    games = tuple(game for game in ("euchre", "whist") if game in Learned.games)

    def __init__(
        self,
        game: str | GameSpec,
        worlds: int = 100,
        prior: float = 0.03,
        candidates: int = 4,
        trust: float = 1.0,
        exact_cards: int = 7,
        policy: str = "learned",
    ) -> None:
        super().__init__(game)
        self._worlds = check_int("worlds", worlds, 1)
        self._prior, self._trust = check_number("prior", prior), check_number("trust", trust)
        self._candidates = check_int("candidates", candidates, 1)
        self._exact = check_int("exact_cards", exact_cards, 1, MAX_CARDS)
        if not isinstance(policy, str) or (policy != "learned" and path_of(policy) is None):
            raise ValueError(f"policy must be 'learned' or the path of an exported policy, not {policy!r}")
        self._holders = len(holders(self.game))
        self._policy: Policy = make(self.game, policy)
        parts = self._policy.parts if isinstance(self._policy, Learned) else [self._policy]
        self._parts: list[TrainedPolicy] = []
        for part in parts:
            if not isinstance(part, TrainedPolicy):
                raise ValueError(f"policy must be 'learned' or the path of an exported policy, not {policy!r}")
            if candidates > 1 and part.belief is None:
                raise ValueError(f"the policy {part.name!r} has no belief network: export it with one, or set candidates=1")
            self._parts.append(part)

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """Mean gains plus the policy's preferences, as `ScoredPolicy.evaluate` returns scores."""
        scores = np.where(action_masks != 0, 0.0, np.nan)
        wanted = action_masks.sum(1) > (1 if skip_forced else 0)
        for part, rows in by_rules(self._parts, observations):
            chosen = rows[wanted[rows]]
            for start in range(0, len(chosen), _ROWS):
                self._evaluate(part, chosen[start : start + _ROWS], observations, action_masks, streams, scores)
        return scores, np.asarray(np.nanargmax(scores, 1))

    def _evaluate(
        self, part: TrainedPolicy, rows: Ints, observations: Bytes, masks: Bytes, streams: Streams, scores: Scores
    ) -> None:
        """Writes the scores of ``rows``, int64 (k,), all under the rules of ``part``; arrays are whole batches."""
        legal = masks[rows] != 0
        leaning = np.log(np.maximum(part.chances(part.known(observations[rows]), masks[rows]), 1e-8))
        searched = self._searched(observations, rows)
        sums = np.zeros(scores.shape)
        if len(searched):
            self._add_worlds(part, searched, observations, streams, sums)
        scores[rows] = np.where(legal, sums[rows] / self._worlds + self._prior * leaning, np.nan)
        # Where nothing is searched the order is the policy's, also with a prior of 0.
        left = np.setdiff1d(rows, searched)
        if self._prior == 0 and len(left):
            index = np.searchsorted(rows, left)
            scores[left] = np.where(legal[index], leaning[index], np.nan)

    def _add_worlds(self, part: TrainedPolicy, rows: Ints, observations: Bytes, streams: Streams, sums: Scores) -> None:
        """Adds each card's gain, summed over the worlds of each of the ``rows``, to ``sums``, float64 (n, num_actions)."""
        trust = self._trust
        if part.belief is None or self._candidates == 1:
            trust = 0.0
            log_chances = np.zeros((len(rows), self._holders, len(self.game.parts[0].labels)))
        else:
            log_chances = part.belief.log_chances(part.known(observations[rows]))
        add_gains, cards = (add_euchre_gains, 5) if self.game.name == "euchre" else (add_whist_gains, self._exact)
        views, deals = self.game.new_games(1), self.game.new_games(self._worlds * self._candidates)
        add_gains(
            observations, rows, log_chances, trust, self._worlds, streams, views, deals, *workspace(cards), sums
        )  # fmt: skip

    def _searched(self, observations: Bytes, rows: Ints) -> Ints:
        """Those of the ``rows``, int64 (k,), in which worlds are solved."""
        if self.game.name == "euchre":
            playing = observations[rows, self.game.slices["phase"].start + euchre.PLAYING]
            return rows[playing != 0]
        return rows[observations[rows][:, self.game.slices["hand"]].sum(1) <= self._exact]
