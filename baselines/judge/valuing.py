"""Values of the actions of one seat in worlds that it believes in, where a reference policy plays all seats to the end.

By the performance difference lemma (Kakade and Langford, "Approximately Optimal Approximate Reinforcement Learning", ICML
2002) the points that a policy makes in a seat above a reference there are, in expectation, the sum over its decisions of
an *advantage*: the value of its choice less the value of the reference's, both played on by the reference. All other seats
are held by the reference, so its own acts tell which worlds are likely, by its beliefs (`cardenvs.policy.replay`), or
exactly: a reference that announces its kernels for searches, as in Hanabi, has a table of all hands that explain its acts.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint
from cardenvs.baselines.match.side import indices_in_side
from cardenvs.baselines.review.replay import moves_of
from cardenvs.baselines.search.any_game.action_values import evaluate_actions
from cardenvs.baselines.search.blueprint.belief import Believer, new_memories, words_of
from cardenvs.baselines.search.blueprint.policy import ANNOUNCED
from cardenvs.baselines.search.blueprint.rollouts import draw_world, trial_of
from cardenvs.baselines.search.blueprint.table import without_table
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


class TableValuer:
    """Values actions in worlds from the exact table of a reference's blueprint, play-outs compiled.

    The reference's acts rule hands out. The judged seat's own do not: all memories go by them as if by the reference's.
    """

    def __init__(self, spec: GameSpec, blueprint: Blueprint) -> None:
        self._spec, self._blueprint, self._believer = spec.recalling, blueprint, Believer(blueprint)

    def draw_and_value(self, row: Bytes, legal: Ints, streams: Streams, count: int) -> tuple[Games, Scores]:
        """Draws worlds by their chances, (count,), and returns them with the points of each of k actions, (count, k)."""
        views, games, worlds = self._spec.decode(row), self._spec.new_games(2), self._spec.new_games(count)
        belief, try_move = self._believer.belief_of(views), trial_of(self._blueprint, False)
        scratch, points = new_memories(self._blueprint, self._spec.seats), np.empty((count, len(legal)))
        words = words_of(scratch, self._spec.seats)
        for n in range(count):
            hand = draw_world(views, belief.hands, belief.totals, belief.left, streams, 0, games)
            worlds[n], kind = games[0], belief.kinds[hand]
            points[n] = [try_move(games, action, kind, belief.memories, belief.own, scratch, words) for action in legal]
        return worlds, points


def table_of(spec: GameSpec, reference: Policy) -> TableValuer | None:
    """The valuer by a reference's table; None for one that announces no kernels, or if the game has too many hands."""
    blueprint: Blueprint | None = getattr(type(reference), ANNOUNCED, None)
    return None if blueprint is None or without_table(spec) else TableValuer(spec, blueprint)


class Valuer:
    """Values decisions by a reference, which is called for many positions at a time.

    Args:
        worlds: number of worlds for a decision; half of them find the best action, and the other half value it.
        candidates: number of uniform worlds from which each is drawn by the reference's beliefs, if it has no table.
        steps: number of steps by which a Markov chain then moves each where the choice is not the reference's.
    """

    def __init__(self, spec: GameSpec, reference: Policy, worlds: int, candidates: int, steps: int) -> None:
        self._believes, self._table = beliefs_of(reference), table_of(spec, reference)
        self.spec, self.reference, self.worlds = spec, reference, worlds
        self.candidates, self.steps = candidates, steps
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
        halves = self._action_values(row, legal, streams, self.steps if action != usual else 0)
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

    def _action_values(self, row: Bytes, legal: Ints, streams: Streams, steps: int) -> list[Scores]:
        """The points of each legal action in each of the worlds, in two halves, float64 (n, k)."""
        count = max(1, self.worlds // 2)
        if self._table is not None:
            return np.split(self._table.draw_and_value(row, legal, streams, 2 * count)[1], 2)
        return [self._drawn_values(row, legal, streams, count, steps) for _ in range(2)]

    def _drawn_values(self, row: Bytes, legal: Ints, streams: Streams, count: int, steps: int) -> Scores:
        if self._believes is None:
            worlds = draw(self._shown, row, 0, streams, count)
        else:
            moved = {"steps": steps} if steps else {}  # a user's policy may have beliefs without steps
            worlds = self._believes(row, 0, streams, count, self.candidates, None, **moved)
        drawn = fork(streams, 0, len(worlds))  # all actions meet the same chance
        # A likely world is drawn several times, and played out once.
        records = np.ascontiguousarray(worlds).view(f"V{worlds.itemsize}")
        _, first, places = np.unique(records, return_index=True, return_inverse=True)
        same = np.repeat(drawn[first], len(legal))
        return evaluate_actions(self.spec.plain, worlds[first], legal, self.reference, self._decider, same, POINTS)[places]


def _best_action(values: Scores, chosen: int) -> int:
    """The index of the highest value; of equal ones that of the choice."""
    return chosen if values[chosen] >= values.max() - _SAME else int(values.argmax())
