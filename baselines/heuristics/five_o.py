"""The agents for Five-O that look one placement ahead: they score the positions after their own placement.

Source: S. Aharon and M. Mandel, "Five-O Poker" (the paper), sections II.B.1 and II.B.2. `cardenvs.games.poker.evaluate` is
its ``eval``; the state values are in `five_o_values`.
"""

from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.heuristics.five_o_values import EVALUATIONS, column_term, column_worth, draws_left
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import below
from cardenvs.games import five_o
from cardenvs.games.poker import evaluate
from cardenvs.policy.contract import ScoredPolicy, mask_bits
from cardenvs.policy.explanation import Scores
from cardenvs.policy.replay import Foretold

REFLEX1, REFLEX2, REFLEX3 = (len(EVALUATIONS) + k for k in range(3))
"""The reflex agents by number; the greedy agents have the numbers of `EVALUATIONS`, which are smaller."""


@kernel
def score_placements(agent: int, views: Any, i: int, actions: int, scores: Scores, row: int) -> None:
    """Writes the scores of the columns by an agent, of `EVALUATIONS` or REFLEX1 to REFLEX3, to ``scores[row]``, or nan."""
    v = views[i]
    unseen = five_o.unseen_cards(views, i)
    draws = draws_left(v.drawn - 10)  # of the rows after the one that is being filled
    before = 0.0
    for k in range(5):
        own, other = v.columns[0, k], v.columns[1, k]
        score = np.nan
        if agent >= REFLEX1:
            if actions >> k & 1:
                score = evaluate(own | v.card, unseen, draws)
                if agent == REFLEX1:
                    score -= evaluate(other, unseen, draws)
                elif agent == REFLEX3:
                    score -= evaluate(own, unseen, draws)
        else:
            theirs = column_worth(agent, other, unseen, draws)
            term = column_term(agent, column_worth(agent, own, unseen, draws), theirs)
            before += term
            if actions >> k & 1:
                score = column_term(agent, column_worth(agent, own | v.card, unseen, draws), theirs) - term
        scores[row, k] = score
    for k in range(5):
        scores[row, k] += before


@kernel
def best_placement(actions: int, scores: Scores, row: int, streams: Streams, s: int) -> int:
    """The column in ``actions`` with the highest score; one at random among equals."""
    chosen = -1
    ties = 0
    for k in range(5):
        if actions >> k & 1:
            if chosen < 0 or scores[row, k] > scores[row, chosen]:
                chosen, ties = k, 1
            elif scores[row, k] == scores[row, chosen]:
                ties += 1
                if below(streams, s, ties) == 0:
                    chosen = k
    return chosen


@kernel
def _decide_rows(
    agent: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, scores: Scores, out: Ints
) -> None:
    for row in range(len(out)):
        actions = mask_bits(masks, row)
        five_o.decode(observations, row, views, 0)
        score_placements(agent, views, 0, actions, scores, row)
        out[row] = best_placement(actions, scores, row, streams, row)


class _OnePly(Foretold, ScoredPolicy):
    """An agent that chooses the placement with the best score, at random among equals."""

    games = ("five-o",)
    agent: ClassVar[int]

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        scores, chosen = np.empty(action_masks.shape), np.empty(len(observations), np.int64)
        _decide_rows(self.agent, observations, action_masks, streams, self.game.new_games(1), scores, chosen)
        return scores, chosen


class Reflex1(_OnePly):
    """``reflex1``: the column that then leads the opponent's by most, both valued by the paper's ``eval`` (II.B.1a)."""

    agent = REFLEX1


class Reflex2(_OnePly):
    """``reflex2``: the column that then has the highest value by the paper's ``eval`` (II.B.1b)."""

    agent = REFLEX2


class Reflex3(_OnePly):
    """``reflex3``: the column whose value by the paper's ``eval`` rises most (II.B.1c, where the formula is misprinted)."""

    agent = REFLEX3


class Greedy1(_OnePly):
    """``greedy1``: the placement with the best state value ``greedyEval1`` of the paper (II.A.2a, II.B.2)."""

    agent = EVALUATIONS["greedy1"]


class Greedy1Published(_OnePly):
    """``greedy1-published``: ``greedy1`` with the fault of the authors' program, which does not see equal ranks.

    With this fault (`five_o_values.published_pack_expect`) the agent comes last, as in the paper.
    """

    agent = EVALUATIONS["greedy1-published"]
    slip = True


class Greedy2(_OnePly):
    """``greedy2``: the placement with the best state value ``greedyEval2`` of the paper (II.A.2b, II.B.2).

    The opponent's columns cancel out of the comparison: the agent is ``reflex3`` with ratios instead of differences.
    """

    agent = EVALUATIONS["greedy2"]


class FastGreedy2(_OnePly):
    """``fast-greedy2``: the placement with the best state value ``fastGreedyEval2`` of the paper (II.A.2c, II.B.2)."""

    agent = EVALUATIONS["fast-greedy2"]
