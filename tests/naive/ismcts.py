"""Information-set Monte Carlo tree search as one would write it down: dicts, lists, one world at a time.

It draws the same random numbers in the same order as the compiled search (`cardenvs.baselines.search.tree.tree`) with
random play-outs, and so must count the same visits.
"""

from __future__ import annotations

import math

import numpy as np

from cardenvs import GameSpec
from cardenvs.compiled.bits import Streams
from cardenvs.compiled.streams import below
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING

HIDDEN = -1


class Node:
    """An edge and the node that it leads to."""

    def __init__(self) -> None:
        self.children: dict[int, Node] = {}
        self.visits = 0
        self.available = 0
        self.total = 0.0


def random_action(spec: GameSpec, games: Games, streams: Streams) -> int:
    """A random legal action."""
    legal = members_of(spec.legal(games))
    return legal[below(streams, 0, len(legal))]


def rewards_of(spec: GameSpec, games: Games) -> list[float]:
    """What each seat gains in points: those of its side less the mean of the other sides'."""
    points, tricks = np.zeros((1, spec.num_sides), np.int64), np.zeros((1, spec.seats), np.int64)
    spec.kernels.outcome(games, 0, points, tricks)
    gains = points[0].tolist()
    others = max(spec.num_sides - 1, 1)
    gained = [gain - (sum(gains) - gain) / others for gain in gains]
    return [gained[side] for side in spec.sides_in(games)]


class Search:
    """A search from the view of a seat, shape (1,); with ``multiple`` each seat has a tree of its own."""

    def __init__(
        self, spec: GameSpec, view: Games, actions: list[int], streams: Streams, c: float, multiple: bool = False
    ) -> None:
        self.spec, self.view, self.actions, self.streams, self.c = spec, view, actions, streams, c
        self.multiple = multiple
        self.roots = [Node() for _ in range(spec.seats)] if multiple else [Node()]
        self.low = self.high = 0.0

    def seen(self, games: Games, seat: int, action: int) -> int:
        """What a seat will see of an action."""
        kernel = self.spec.kernels.seen
        return action if kernel is None else int(kernel(games, 0, seat, action))

    def score(self, node: Node) -> float:
        """UCB with means scaled to 0 .. 1."""
        if not node.visits:
            return math.inf
        mean = node.total / node.visits - self.low
        mean = mean * (1.0 / (self.high - self.low)) if self.high > self.low else 0.0
        return mean + self.c * math.sqrt(math.log(node.available) / node.visits)

    def world(self) -> Games:
        """A world, shape (1,)."""
        games = self.spec.new_games(1)
        self.spec.kernels.redeal(self.view, 0, self.streams, 0, games, 0)
        return games

    def run(self, simulations: int, paired: bool) -> None:
        """So many simulations; with ``paired`` every action is tried in each world."""
        done = 0
        while done < simulations:
            games = self.world()
            for action in self.actions if paired else [None]:
                self.simulate(games.copy(), action)
                done += 1

    def simulate(self, games: Games, first: int | None) -> None:
        """One simulation in a world, by a first action if there is one."""
        spec = self.spec
        at = list(self.roots)
        taken: list[tuple[Node, int]] = []
        growing = True
        while growing and games[0]["over"] == RUNNING:
            seat = int(games[0]["to_act"])
            tree = seat if self.multiple else 0
            node = at[tree]
            options: dict[int, list[int]] = {}  # the world's actions by what the tree's seat sees of them
            for action in members_of(spec.legal(games)):
                if taken or action in self.actions:
                    code = action if self.multiple or seat == 0 else self.seen(games, 0, action)
                    options.setdefault(code, []).append(action)
            if first is not None and not taken:
                options = {first: [first]}
                node.children.setdefault(first, Node())
            allowed = [code for code in reversed(node.children) if code in options]
            for code in allowed:
                node.children[code].available += 1
            untried = sorted(code for code in options if code not in node.children and code != HIDDEN)
            unseen = HIDDEN in options and HIDDEN not in node.children
            if untried or unseen:
                picked = random_action(spec, games, self.streams)
                code = HIDDEN if picked in options.get(HIDDEN, []) else picked
                if code not in untried and not (code == HIDDEN and unseen):
                    skip = below(self.streams, 0, len(untried) + unseen)
                    code = untried[skip] if skip < len(untried) else HIDDEN
                node.children[code] = Node()
                node.children[code].available = 1
                growing = False
            else:
                code = max(allowed, key=lambda code: self.score(node.children[code]))
            action = code
            if code == HIDDEN:
                action = random_action(spec, games, self.streams)
                if action not in options[HIDDEN]:
                    action = options[HIDDEN][below(self.streams, 0, len(options[HIDDEN]))]
            taken.append((node.children[code], seat))
            if self.multiple:
                for other in range(spec.seats):
                    if other != seat:
                        at[other] = at[other].children.setdefault(self.seen(games, other, action), Node())
            at[tree] = node.children[code]
            spec.kernels.step(games, 0, action)
        while games[0]["over"] == RUNNING:
            spec.kernels.step(games, 0, random_action(spec, games, self.streams))
        rewards = rewards_of(spec, games)
        for node, seat in taken:
            node.visits += 1
            node.total += rewards[seat]
        self.low, self.high = min(self.low, *rewards), max(self.high, *rewards)

    def visits(self) -> dict[int, int]:
        """How often each action was taken at the root."""
        return {action: node.visits for action, node in self.roots[0].children.items()}
