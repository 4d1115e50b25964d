"""Choices of actions in a tree by a *selection*: UCB, or PUCT by the decider's choice or a network's probabilities.

A selection makes from the decider's kernel ``pick`` a function that is compiled into the search::

    by_ucb(pick)(games, w, nodes, counts, bounds, node, left, veiled, hidden, rules, streams, s) -> edge

It takes the worlds and the number of the current one, the tree, how many of its rows are in use, the bounds of rewards and
the row of the node. ``left`` has the legal actions that the tree's seat sees, and may be overwritten; ``veiled`` has those
that it does not see, ``hidden`` of them. ``rules`` are the search's `SearchRules`, ``s`` is the number of the random
stream. The result is the row of the edge to take, which may be a new one; 0 if there is no more room; WAIT if the world
waits at the node for a network's probabilities.
"""

from typing import Any

import numpy as np

from cardenvs.baselines.search.tree.nodes import (
    HIDDEN,
    HIGH,
    LOW,
    SearchRules,
    add_edge,
    any_action,
    edge_of,
    has_action,
    size_of,
    take_out,
)
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import helper
from cardenvs.contract.kernels import Kernel

FAVOURITE, ANOTHER = -1, -2  # results of `_best_by_priors` for an action without an edge: the decider's choice, another
WAIT = -1  # the result of a selection where a network is to be asked first


@helper
def _best_by_ucb(nodes: Any, node: int, left: Ints, hidden: bool, bounds: Any, c: float) -> int:
    """The edge to take out of a node by UCB, 0 if the node has none that the world allows.

    An edge's score is ``mean + c * sqrt(log(available) / visits)``, means scaled to 0 .. 1 by the bounds of rewards.
    """
    low = bounds[LOW]
    scale = 1.0 / (bounds[HIGH] - low) if bounds[HIGH] > low else 0.0
    best, best_score = np.int64(0), -np.inf
    edge = nodes[node].child
    while edge != 0:
        n = nodes[edge]
        action = n.action
        if hidden if action < 0 else has_action(left, action):
            if action >= 0:
                take_out(left, action)
            n.available += 1
            score = np.inf
            if n.visits > 0:
                score = (n.total / n.visits - low) * scale + c * np.sqrt(np.log(n.available) / n.visits)
            if score > best_score:
                best, best_score = edge, score
        edge = n.sibling
    return best


@helper
def _best_by_priors(
    nodes: Any, node: int, left: Ints, hidden: int, bounds: Any, c: float, favourite: int, trust: float, options: int
) -> int:
    """The edge to take out of a node by PUCT; FAVOURITE or ANOTHER for an action that has no edge yet.

    The score of an action is ``mean + c * prior * sqrt(all visits) / (1 + visits)``, means scaled to 0 .. 1 by the bounds
    of rewards; an action without visits has the mean of all others.
    """
    low = bounds[LOW]
    scale = 1.0 / (bounds[HIGH] - low) if bounds[HIGH] > low else 0.0
    visits, total = 0, 0.0
    edge = nodes[node].child
    while edge != 0:
        n = nodes[edge]
        if hidden > 0 if n.action < 0 else has_action(left, n.action):
            visits += n.visits
            total += n.total
        edge = n.sibling
    others = (total / visits - low) * scale if visits > 0 else 0.0
    spread = c * np.sqrt(max(visits, 1))
    even = (1.0 - trust) / options
    best, best_score = np.int64(0), -np.inf
    unseen = hidden > 0
    edge = nodes[node].child
    while edge != 0:
        n = nodes[edge]
        action = n.action
        if hidden > 0 if action < 0 else has_action(left, action):
            if action >= 0:
                take_out(left, action)
            else:
                unseen = False
            n.available += 1
            prior = n.prior
            if trust >= 0.0:
                prior = even * (hidden if action < 0 else 1) + (trust if action == favourite else 0.0)
            mean = (n.total / n.visits - low) * scale if n.visits > 0 else others
            score = mean + spread * prior / (1 + n.visits)
            if score > best_score:
                best, best_score = edge, score
        edge = n.sibling
    if trust < 0.0:
        return best
    untried = size_of(left) + (1 if unseen else 0)
    if unseen if favourite < 0 else has_action(left, favourite):
        untried -= 1
        if others + spread * (even * (hidden if favourite < 0 else 1) + trust) > best_score:
            return np.int64(FAVOURITE)
    if untried > 0 and others + spread * even > best_score:
        return np.int64(ANOTHER)
    return best


@helper
def _visible_action(action: int, veiled: Ints, hidden: int) -> int:
    """The action as the tree's seat sees it: HIDDEN if it does not."""
    return np.int64(HIDDEN) if hidden > 0 and has_action(veiled, action) else np.int64(action)


@helper
def _lacks_hidden(nodes: Any, node: int, hidden: int) -> bool:
    """Whether a node lacks the edge HIDDEN that the world allows."""
    return hidden > 0 and edge_of(nodes, node, HIDDEN) == 0


@helper
def _grow_edge(nodes: Any, counts: Ints, node: int, action: int) -> int:
    """A new edge for an available action; 0 if there is no more room."""
    edge = add_edge(nodes, counts, node, action)
    if edge != 0:
        nodes[edge].available = 1
    return edge


def by_ucb(pick: Kernel) -> Kernel:
    """An action without an edge, if there is one, the decider's choice first; else the best edge by UCB."""

    @helper
    def choose(
        games: Any, w: int, nodes: Any, counts: Ints, bounds: Any, node: int, left: Ints, veiled: Ints, hidden: int,
        rules: SearchRules, streams: Streams, s: int,
    ) -> int:  # fmt: skip
        edge = _best_by_ucb(nodes, node, left, hidden > 0, bounds, rules.c)
        unseen = _lacks_hidden(nodes, node, hidden)
        if unseen or size_of(left) > 0:
            action = _visible_action(pick(games, w, rules.agent, rules.calling, streams, s), veiled, hidden)
            if not (unseen if action < 0 else has_action(left, action)):
                action = any_action(left, unseen, streams, s)
            edge = _grow_edge(nodes, counts, node, action)
        return edge

    return choose


def by_decider(pick: Kernel) -> Kernel:
    """The best action by PUCT, with or without an edge; the prior favours the decider's choice in the world."""

    @helper
    def choose(
        games: Any, w: int, nodes: Any, counts: Ints, bounds: Any, node: int, left: Ints, veiled: Ints, hidden: int,
        rules: SearchRules, streams: Streams, s: int,
    ) -> int:  # fmt: skip
        options = hidden + size_of(left)
        favourite = _visible_action(pick(games, w, rules.agent, rules.calling, streams, s), veiled, hidden)
        edge = _best_by_priors(nodes, node, left, hidden, bounds, rules.c, favourite, rules.trust, options)
        if edge < 0:
            action = favourite
            if edge == ANOTHER:
                unseen = favourite >= 0 and _lacks_hidden(nodes, node, hidden)
                if favourite >= 0:
                    take_out(left, favourite)
                action = any_action(left, unseen, streams, s)
            edge = _grow_edge(nodes, counts, node, action)
        return edge

    return choose


def by_network(pick: Kernel) -> Kernel:
    """The best edge by PUCT with a network's probabilities; WAIT where the node lacks edges."""

    @helper
    def choose(
        games: Any, w: int, nodes: Any, counts: Ints, bounds: Any, node: int, left: Ints, veiled: Ints, hidden: int,
        rules: SearchRules, streams: Streams, s: int,
    ) -> int:  # fmt: skip
        options = hidden + size_of(left)
        edge = _best_by_priors(nodes, node, left, hidden, bounds, rules.c, HIDDEN, -1.0, options)
        return np.int64(WAIT) if size_of(left) > 0 or _lacks_hidden(nodes, node, hidden) else edge

    return choose
