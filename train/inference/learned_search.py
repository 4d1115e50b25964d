"""``learned-search``: exact search in worlds that a learned policy finds likely, with the policy's own leanings added.

Pimc draws worlds uniformly from all that the rules allow, and takes each for the open truth. Here a network that has seen
the learned policy play (`cardenvs.train.inference.belief`) says how likely each hidden card is in each place; worlds are
drawn by that, and what the policy itself would do counts as evidence for what open cards cannot show.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardenvs.baselines.search.double_dummy import MAX_CARDS, euchre_cards, whist_cards, workspace
from cardenvs.baselines.search.policy import SearchPolicy, check_worlds
from cardenvs.cards import Bytes, Ints, Streams, below, lowest
from cardenvs.games import euchre, whist
from cardenvs.jit import helper, kernel
from cardenvs.policy import Policy, Scores, make, path_of
from cardenvs.spec import GameSpec
from cardenvs.train.inference.belief import places
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.shipped import Learned, by_rules

_ROWS = 64
"""Rows searched in one call of a kernel; between calls Python may be interrupted."""
_UNIT = 1 << 30


@helper
def _count(cards: int, place: int, found: Scores) -> None:
    """Counts that ``cards`` are in a place."""
    while cards != 0:
        found[place, lowest(cards)] += 1.0
        cards &= cards - 1


@kernel
def _odds(found: Scores, worlds: int, log_chances: Scores, row: int) -> None:
    """Turns counts over uniform worlds into how much likelier than there a card is believed to be, as a logarithm."""
    for place in range(found.shape[0]):
        for card in range(found.shape[1]):
            found[place, card] = log_chances[row, place, card] - math.log((found[place, card] + 0.5) / worlds)


@helper
def _believed(cards: int, place: int, odds: Scores) -> float:
    """The sum of the entries of ``cards`` in a place."""
    total = 0.0
    while cards != 0:
        total += odds[place, lowest(cards)]
        cards &= cards - 1
    return total


@kernel
def _resample(weights: Scores, wanted: int, streams: Streams, s: int, counts: Ints) -> None:
    """Draws ``wanted`` of the worlds by their log-weights, evenly spaced from a random start; counts how often each."""
    highest = weights.max()
    total = 0.0
    for j in range(len(weights)):
        weights[j] = math.exp(weights[j] - highest)
        total += weights[j]
    counts[:] = 0
    mark = (below(streams, s, _UNIT) + 0.5) / _UNIT
    passed = 0.0
    for j in range(len(weights)):
        passed += weights[j] / total * wanted
        while mark < passed:
            counts[j] += 1
            mark += 1.0


@kernel
def _search_euchre(
    observations: Bytes, rows: Ints, log_chances: Scores, trust: float, wanted: int, streams: Streams, views: Any,
    deals: Any, table: Ints, stack: Ints, sums: Scores,
) -> None:  # fmt: skip
    """Adds to ``sums[row]`` what each legal card gains in ``wanted`` believable worlds."""
    tricks = np.empty(24, np.int64)
    weights, counts = np.empty(len(deals)), np.empty(len(deals), np.int64)
    odds = np.empty(log_chances.shape[1:])
    for k in range(len(rows)):
        row = rows[k]
        euchre.decode(observations, row, views, 0)
        v = views[0]
        odds[:] = 0.0
        for j in range(len(deals)):
            euchre.redeal(views, 0, streams, row, deals, j)
            g = deals[j]
            _count(g.kitty, 3, odds)
            _count(g.discard, 4, odds)
            for seat in range(1, 4):
                _count(g.hands[seat], seat - 1, odds)
        _odds(odds, len(deals), log_chances, k)
        for j in range(len(deals)):
            g = deals[j]
            weights[j] = _believed(g.kitty, 3, odds)
            if v.dealer != 0:  # whose discard is known to it
                weights[j] += _believed(g.discard, 4, odds)
            for seat in range(1, 4):
                weights[j] += _believed(g.hands[seat], seat - 1, odds)
            weights[j] *= trust
        _resample(weights, wanted, streams, row, counts)
        won = v.tricks[0] + v.tricks[2]
        for j in range(len(deals)):
            if counts[j] > 0:
                euchre_cards(deals, j, table, stack, tricks)
                for card in range(24):
                    if tricks[card] >= 0:
                        taken = won + tricks[card]
                        if v.maker & 1 == 0:
                            sums[row, card] += counts[j] * euchre.points_made(taken, v.alone)
                        else:
                            sums[row, card] -= counts[j] * euchre.points_made(5 - taken, v.alone)


@kernel
def _search_whist(
    observations: Bytes, rows: Ints, log_chances: Scores, trust: float, wanted: int, streams: Streams, views: Any,
    deals: Any, table: Ints, stack: Ints, sums: Scores,
) -> None:  # fmt: skip
    """As `_search_euchre`."""
    tricks = np.empty(52, np.int64)
    weights, counts = np.empty(len(deals)), np.empty(len(deals), np.int64)
    odds = np.empty(log_chances.shape[1:])
    for k in range(len(rows)):
        row = rows[k]
        whist.decode(observations, row, views, 0)
        v = views[0]
        odds[:] = 0.0
        for j in range(len(deals)):
            whist.redeal(views, 0, streams, row, deals, j)
            for seat in range(1, 4):
                _count(deals[j].hands[seat], seat - 1, odds)
        _odds(odds, len(deals), log_chances, k)
        for j in range(len(deals)):
            weights[j] = 0.0
            for seat in range(1, 4):
                weights[j] += trust * _believed(deals[j].hands[seat], seat - 1, odds)
        _resample(weights, wanted, streams, row, counts)
        won = v.tricks[0] + v.tricks[2]
        for j in range(len(deals)):
            if counts[j] > 0:
                whist_cards(deals, j, table, stack, tricks)
                for card in range(52):
                    if tricks[card] >= 0:
                        sums[row, card] += counts[j] * whist.margin(won + tricks[card])


class LearnedSearch(SearchPolicy):
    """``learned-search``: the card that does best in likely worlds, solved exactly, and that the network leans to.

    The belief network that comes with a learned policy says how likely each hidden card is in each place. ``candidates``
    times ``worlds`` worlds are drawn uniformly from those that the rules allow; ``worlds`` of them, chosen by how much
    likelier the beliefs make them (importance resampling, Rubin 1987), are solved with all cards open. A `scores` entry is
    the mean of the points that the side will gain, less the other side's, plus ``prior`` times the logarithm of the
    policy's probability: what makes a play good besides how it fares with open cards, the policy has learned.

    Bids and discards, and in Whist plays with more than ``exact_cards`` cards in hand, are the policy's own: there a score
    is the second term alone.

    Source: our own; pimc is Ginsberg's (2001), the prior's part akin to that in AlphaZero's tree (Silver et al. 2017).

    Args:
        game: name or spec.
        worlds: how many worlds are solved in a decision, at least 1.
        prior: points that a policy e times as sure is worth, at least 0.
        candidates: of how many worlds one is chosen, at least 1. With 1 beliefs are not used.
        trust: the weight of beliefs: 1 takes them at their word, 0 leaves the worlds uniform.
        exact_cards: in Whist, most cards a hand that are solved, 1 to 10.
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
        self._worlds = check_worlds(worlds)
        for name, number in (("prior", prior), ("trust", trust)):
            if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number < math.inf:
                raise ValueError(f"{name} must be a number of at least 0, not {number!r}")
        self._prior, self._trust = float(prior), float(trust)
        for name, value, most in (("candidates", candidates, None), ("exact_cards", exact_cards, MAX_CARDS)):
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not whole or value < 1 or (most is not None and value > most):
                limits = "of at least 1" if most is None else f"from 1 to {most}"
                raise ValueError(f"{name} must be an int {limits}, not {value!r}")
        self._candidates, self._exact = int(candidates), int(exact_cards)
        if policy != "learned" and path_of(policy) is None:
            raise ValueError(f"policy must be 'learned' or the path of an exported policy, not {policy!r}")
        self._places = len(places(self.game))
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
        """See `ScoredPolicy.evaluate`."""
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
        legal = masks[rows] != 0
        leaning = np.log(np.maximum(part.chances(part.known(observations[rows]), masks[rows]), 1e-8))
        searched = self._searched(observations, rows)
        sums = np.zeros(scores.shape)
        if len(searched):
            self._add_worlds(part, searched, observations, streams, sums)
        scores[rows] = np.where(legal, sums[rows] / self._worlds + self._prior * leaning, np.nan)
        # Where nothing is searched the order is the policy's whatever the weight of its leanings.
        left = np.setdiff1d(rows, searched)
        if self._prior == 0 and len(left):
            where = np.searchsorted(rows, left)
            scores[left] = np.where(legal[where], leaning[where], np.nan)

    def _add_worlds(self, part: TrainedPolicy, rows: Ints, observations: Bytes, streams: Streams, sums: Scores) -> None:
        """Adds each card's gain over the worlds of each row to ``sums``."""
        trust = self._trust
        if part.belief is None or self._candidates == 1:
            trust = 0.0
            log_chances = np.zeros((len(rows), self._places, len(self.game.parts[0].labels)))
        else:
            log_chances = part.belief.log_chances(part.known(observations[rows]))
        search, cards = (_search_euchre, 5) if self.game.name == "euchre" else (_search_whist, self._exact)
        views, deals = self.game.new_games(1), self.game.new_games(self._worlds * self._candidates)
        search(
            observations, rows, log_chances, trust, self._worlds, streams, views, deals, *workspace(cards), sums
        )  # fmt: skip

    def _searched(self, observations: Bytes, rows: Ints) -> Ints:
        """Those of the rows in which worlds are solved."""
        if self.game.name == "euchre":
            playing = observations[rows, self.game.slices["phase"].start + euchre.PLAYING]
            return rows[playing != 0]
        return rows[observations[rows][:, self.game.slices["hand"]].sum(1) <= self._exact]
