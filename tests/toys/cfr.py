"""Counterfactual regret minimisation in tables, for any small game of two sides by the contract alone.

Source: M. Zinkevich et al., "Regret minimization in games with incomplete information" (2007), with the clipped regrets,
the turns and the weights of O. Tammelin, "Solving large imperfect information games using CFR+" (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec

Reach = npt.NDArray[np.float64]


@dataclass
class InformationSet:
    """What a side knows at a decision, and what it has learned: clipped regrets, and strategies by reach and iteration."""

    actions: list[int]
    regrets: npt.NDArray[np.float64] = field(init=False)
    total: npt.NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.regrets, self.total = np.zeros(len(self.actions)), np.zeros(len(self.actions))

    @property
    def strategy(self) -> npt.NDArray[np.float64]:
        """The chance of each action by the regrets."""
        return _normalised(self.regrets)

    @property
    def average(self) -> npt.NDArray[np.float64]:
        """The chance of each action over all iterations, which is what converges."""
        return _normalised(self.total)


def _normalised(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
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
        self.chance = 1 / len(deals)
        self.iterations = 0

    def _grown(self, games: Games) -> Node:
        """The tree from a position of shape (1,) on."""
        spec = self.spec
        if games[0]["over"] != RUNNING:
            first, second = spec.outcome(games).points
            return Node(gain=float(first - second))
        seat = int(games[0]["to_act"])
        side = spec.sides_in(games)[seat]
        legal = spec.legal(games)
        actions = [action for action in range(spec.num_actions) if legal >> action & 1]
        key = side, spec.observation(games, seat).tobytes()
        known = self.known.setdefault(key, InformationSet(actions))
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
                strategies = {id(known): known.strategy for known in self.known.values()}
                changes: dict[int, Reach] = {id(known): np.zeros(len(known.actions)) for known in self.known.values()}
                for root in self.roots:
                    self._learn(root, side, strategies, changes, 1.0, self.chance)
                for known in self.known.values():
                    known.regrets = np.maximum(known.regrets + changes[id(known)], 0)

    def _learn(
        self, node: Node, side: int, strategies: dict[int, Reach], changes: dict[int, Reach], own: float, others: float
    ) -> float:
        """The value of a node, reached with the chances ``own`` and ``others``, for ``side``; adds to the changes."""
        if node.known is None:
            return node.gain if side == 0 else -node.gain
        strategy = strategies[id(node.known)]
        if node.side != side:
            return sum(
                chance * self._learn(child, side, strategies, changes, own, others * chance)
                for chance, child in zip(strategy.tolist(), node.children, strict=True)
            )
        values = np.array(
            [
                self._learn(child, side, strategies, changes, own * chance, others)
                for chance, child in zip(strategy.tolist(), node.children, strict=True)
            ]
        )
        value = float(strategy @ values)
        changes[id(node.known)] += others * (values - value)
        node.known.total += self.iterations * own * strategy
        return value

    def value(self) -> float:
        """What side 0 gains in the mean if both sides play their average strategies."""

        def of(node: Node) -> float:
            if node.known is None:
                return node.gain
            return sum(p * of(child) for p, child in zip(node.known.average.tolist(), node.children, strict=True))

        return sum(map(of, self.roots)) * self.chance

    def best_response(self, side: int) -> float:
        """What ``side`` gains in the mean if it answers the other side's average strategy as well as can be."""
        reached: dict[int, list[tuple[Node, float]]] = {}

        def walk(node: Node, others: float) -> None:
            if node.known is None:
                return
            average = node.known.average.tolist()
            if node.side == side:
                reached.setdefault(id(node.known), []).append((node, others))
            for p, child in zip(average, node.children, strict=True):
                walk(child, others if node.side == side else others * p)

        for root in self.roots:
            walk(root, self.chance)
        best: dict[int, int] = {}

        def of(node: Node) -> float:
            if node.known is None:
                return node.gain if side == 0 else -node.gain
            if node.side != side:
                return sum(p * of(child) for p, child in zip(node.known.average.tolist(), node.children, strict=True))
            # With perfect recall, what is best later in this information set does not depend on this choice.
            key = id(node.known)
            if key not in best:
                nodes = reached[key]
                totals = [sum(weight * of(other.children[k]) for other, weight in nodes) for k in range(len(node.children))]
                best[key] = int(np.argmax(totals))
            return of(node.children[best[key]])

        return sum(map(of, self.roots)) * self.chance
