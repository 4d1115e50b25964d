"""Counterfactual regret minimisation in tables, for any small game of two sides by the contract alone.

Source: M. Zinkevich et al., "Regret minimization in games with incomplete information" (2007), with the clipped regrets
and the weights of O. Tammelin, "Solving large imperfect information games using CFR+" (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec

Chances = npt.NDArray[np.float64]


class InformationSet:
    """What a side knows at a decision, and what it has learned: clipped regrets, and strategies by reach and iteration."""

    def __init__(self, actions: list[int]) -> None:
        self.actions = actions
        self.regrets, self.changes, self.total = np.zeros((3, len(actions)))

    @property
    def average(self) -> Chances:
        """The chance of each action over all iterations, which is what converges."""
        return _normalised(self.total)


def _normalised(weights: Chances) -> Chances:
    """Weights as chances; all alike if there are none."""
    return weights / weights.sum() if weights.any() else np.full(len(weights), 1 / len(weights))


@dataclass
class Node:
    """A position: an end with the gain of side 0, or a decision of a side."""

    gain: float = 0.0
    side: int = -1
    known: InformationSet | None = None
    children: list[Node] = field(default_factory=list)


class Solver:
    """The game tree of some deals of a game of two sides, and strategies for both; all deals are as likely.

    A side knows the recalling observation of the seat to act, or the plain one in games without recall. Side 0's gain is
    its points less the other side's. There is no chance in play, and an episode is one deal.
    """

    def __init__(self, spec: GameSpec, deals: Sequence[Games]) -> None:
        assert spec.num_sides == 2
        self.spec = spec if spec.kernels.recall is None else spec.recalling
        self.known: dict[tuple[int, bytes], InformationSet] = {}
        self.roots = [self._grown(deal) for deal in deals]
        self.iterations = 0

    def _grown(self, games: Games) -> Node:
        """The tree from a position of shape (1,) on."""
        spec = self.spec
        if games[0]["over"] != RUNNING:
            first, second = spec.outcome(games).points
            return Node(gain=float(first - second))
        seat = int(games[0]["to_act"])
        side, actions = spec.sides_in(games)[seat], members_of(spec.legal(games))
        known = self.known.setdefault((side, spec.observation(games, seat).tobytes()), InformationSet(actions))
        assert known.actions == actions
        node = Node(side=side, known=known)
        for action in actions:
            child = games.copy()
            spec.kernels.step(child, 0, action)
            node.children.append(self._grown(child))
        return node

    def run(self, iterations: int) -> None:
        """Plays so many more iterations, in each of which both sides learn, one after the other."""
        for _ in range(iterations):
            self.iterations += 1
            for side in (0, 1):
                # All deals are played with the same strategies; what is learned counts from the next iteration on.
                for root in self.roots:
                    self._learn(root, side, 1.0, 1.0)
                for known in self.known.values():
                    known.regrets = np.maximum(known.regrets + known.changes, 0)
                    known.changes = np.zeros(len(known.actions))

    def _learn(self, node: Node, side: int, own: float, others: float) -> float:
        """The value of a node, reached with the chances ``own`` and ``others``, for ``side``; adds to the changes."""
        if node.known is None:
            return node.gain if side == 0 else -node.gain
        strategy = _normalised(node.known.regrets)
        mine = node.side == side
        values = np.array([
            self._learn(child, side, own * chance if mine else own, others if mine else others * chance)
            for chance, child in zip(strategy.tolist(), node.children, strict=True)
        ])  # fmt: skip
        value = float(strategy @ values)
        if mine:
            node.known.changes += others * (values - value)
            node.known.total += self.iterations * own * strategy
        return value

    def value(self) -> float:
        """What side 0 gains in the mean if both sides play their average strategies."""
        return self._mean_gain(0, {})

    def best_response(self, side: int) -> float:
        """What ``side`` gains in the mean if it answers the other side's average strategy as well as can be."""
        reached: dict[InformationSet, list[tuple[Node, float]]] = {}

        def walk(node: Node, others: float) -> None:
            if node.known is None:
                return
            if node.side == side:
                reached.setdefault(node.known, []).append((node, others))
            for p, child in zip(node.known.average.tolist(), node.children, strict=True):
                walk(child, others if node.side == side else others * p)

        for root in self.roots:
            walk(root, 1.0)
        best: dict[InformationSet, Chances] = {}
        # With perfect recall, what is best later in an information set does not depend on the choice here.
        for known, nodes in reversed(reached.items()):
            totals = [
                sum(weight * self._gain(node.children[k], side, best) for node, weight in nodes)
                for k in range(len(known.actions))
            ]
            best[known] = np.eye(len(totals))[int(np.argmax(totals))]
        return self._mean_gain(side, best)

    def _mean_gain(self, side: int, strategies: dict[InformationSet, Chances]) -> float:
        """As `_gain`, in the mean over all deals."""
        return sum(self._gain(root, side, strategies) for root in self.roots) / len(self.roots)

    def _gain(self, node: Node, side: int, strategies: dict[InformationSet, Chances]) -> float:
        """What ``side`` gains from a node on, where a strategy is not given by the average one."""
        if node.known is None:
            return node.gain if side == 0 else -node.gain
        chances = strategies.get(node.known, node.known.average).tolist()
        return sum(p * self._gain(child, side, strategies) for p, child in zip(chances, node.children, strict=True))
