"""Values of the actions of one seat in worlds that it believes in, where a reference policy plays all seats to the end.

By the performance difference lemma (Kakade and Langford, "Approximately Optimal Approximate Reinforcement Learning", ICML
2002) the points that a policy makes in a seat above a reference there are, in expectation, the sum over its decisions of
an *advantage*: the value of its choice less the value of the reference's, both played on by the reference. All other seats
are held by the reference, so its own acts tell which worlds are likely, by its beliefs (`cardenvs.policy.replay`).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cardenvs.baselines.match.side import indices_in_side
from cardenvs.baselines.review.replay import moves_of
from cardenvs.baselines.search.any_game.action_values import evaluate_actions
from cardenvs.baselines.search.tree.deciders import decider_of
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.streams import fork
from cardenvs.contract.cards import RANK_NAMES
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import POINTS
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, ask_rows, wanted_columns
from cardenvs.policy.explanation import Scores
from cardenvs.policy.replay import beliefs_of, draw
from cardenvs.randomness import hashed_streams

BLUNDER = 0.5
"""Points that a decision loses at least to be called a blunder."""
_SAME = 1e-9  # values that differ by less are the same
_MOST_MOVES = 1 << 16  # decisions of a deal whose random streams are kept apart


@dataclass(frozen=True)
class Decision:
    """A decision with a choice."""

    move: int  # number of the move in its deal, from 0
    kind: str  # such as "lead", see `kind_of_decision`
    chosen: str  # the name of the action
    usual: str  # the name of the reference's action
    best: str  # the name of the action of the highest value
    advantage: float  # value of the choice less the reference's, points
    loss: float  # value of the best action less the choice's, found and valued in separate worlds, points
    hit: float  # share of the halves of the worlds in which the best of the other half is no more than chance better
    line: str  # the position as a line of text, for a loss of `BLUNDER` or more


def kind_of_decision(spec: GameSpec, states: Games, k: int, action: int) -> str:
    """The kind of the decision in ``states[k]``, in which an action was chosen: in a trick game ``"bid"``, ``"discard"``,
    ``"lead"``, ``"follow"`` or ``"last to play"``, in other games the first word of the action, "play" for a card."""
    game, state = spec.trick_game, states[k]
    words = (spec.actions[action] if spec.words is None else spec.words(state, action).label).split()
    if game is None:
        verb = words[0] if words and words[0].isalpha() else "choose"
        return "play" if verb in RANK_NAMES else verb
    if not game.playing(states, k):
        return "discard" if words[0] == "discard" else "bid"
    played, seats = int(np.count_nonzero(state["trick"])), spec.seats - (game.sitting_out(states, k) >= 0)
    return "lead" if played == 0 else "last to play" if played == seats - 1 else "follow"


class Valuer:
    """Values decisions by a reference, which is called for many positions at a time.

    Args:
        worlds: number of worlds for a decision; half of them find the best action, and the other half value it.
        candidates: number of uniform worlds from which each is drawn by the reference's beliefs.
    """

    def __init__(self, spec: GameSpec, reference: Policy, worlds: int, candidates: int) -> None:
        self._believes = beliefs_of(reference)
        self.spec, self.reference, self.worlds, self.candidates = spec, reference, worlds, candidates
        self._shown = spec.plain.with_recall(reference.game.recall or self._believes is not None)
        self._decider = decider_of(reference)

    def decisions(self, games: Games, owners: Ints, deal: int, seed: int, whole: bool) -> Iterator[Decision]:
        """Yields the decisions with a choice of the first policy's seat in the copies of a finished deal.

        Args:
            games: the copies' last states, structured (copies,).
            owners: int64 (copies, seats), 0 where the first side holds a seat.
            deal: the number of the deal: with the seed it fixes the random streams, the same for all policies.
            whole: whether all seats of the first side are judged, and not only the first of them.
        """
        for copy, owner in enumerate(owners):
            spec, streams = self.spec, hashed_streams(seed, "judge", self.spec.max_steps, deal * _MOST_MOVES)
            index = indices_in_side(spec.seat_sides(games[copy : copy + 1]))[0]
            judged = (owner == 0) & (whole | (index == 0))
            states, actions, _ = moves_of(spec, games[copy : copy + 1])
            for k, action in enumerate(actions):
                mask = spec.mask(spec.legal(states, k))
                if judged[states[k]["to_act"]] and mask.sum() > 1:
                    yield self._decide(states, k, action, mask, streams[k : k + 1].copy())

    def _decide(self, states: Games, k: int, action: int, mask: Bytes, streams: Streams) -> Decision:
        spec, legal = self.spec, np.flatnonzero(mask)
        row = self._shown.observation(states, int(states[k]["to_act"]), k)[None]
        usual = int(ask_rows(self.reference, wanted_columns(self.reference, row), mask[None].copy(), streams)[0])
        halves = [self._action_values(row, legal, streams) for _ in range(2)]
        values = np.concatenate(halves).mean(0)
        chosen, common = (int(np.searchsorted(legal, one)) for one in (action, usual))
        loss, hit = 0.0, 0.0
        for finding, valuing in (halves, halves[::-1]):
            best = _best_action(finding.mean(0), chosen)
            lost = valuing[:, best] - valuing[:, chosen]
            loss += float(lost.mean()) / 2
            hit += float(lost.mean() <= 2 * lost.std() / math.sqrt(len(lost))) / 2
        return Decision(
            k, kind_of_decision(spec, states, k, action), spec.actions[action], spec.actions[usual],
            spec.actions[legal[_best_action(values, chosen)]], float(values[chosen] - values[common]), loss, hit,
            spec.text(states[k]) if loss >= BLUNDER else "",
        )  # fmt: skip

    def _action_values(self, row: Bytes, legal: Ints, streams: Streams) -> Scores:
        """The points of each legal action in each of half of the worlds, float64 (n, k)."""
        count = max(1, self.worlds // 2)
        if self._believes is None:
            worlds = draw(self._shown, row, 0, streams, count)
        else:
            worlds = self._believes(row, 0, streams, count, self.candidates, None)
        drawn = np.zeros(len(worlds), np.uint64)
        fork(streams, 0, drawn)  # all actions meet the same chance
        same = np.repeat(drawn, len(legal))
        return evaluate_actions(self.spec.plain, worlds, legal, self.reference, self._decider, same, POINTS)


def _best_action(values: Scores, chosen: int) -> int:
    """The index of the highest value; of equal ones that of the choice."""
    return chosen if values[chosen] >= values.max() - _SAME else int(values.argmax())
