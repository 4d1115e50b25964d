"""The trees of a search as arrays, and the work arrays and settings of a search as kernels take them.

A tree is rows of an array of `NODE`: an edge and the node that it leads to are one row, and the edges out of a node are
chained. Row ``seat`` is the root of that seat's tree; with a single observer only row 0, the searching seat's, is used.
Sets of actions are int64 (words,).
"""

from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import Floats, Ints, Streams, nth, popcount
from cardenvs.compiled.jit import helper
from cardenvs.compiled.streams import below
from cardenvs.policy.explanation import Scores

HIDDEN = -1  # the action of an edge that stands for all actions which the tree's seat does not see
SELECTED = -1  # the entry of a plan for an action of the root that is chosen as below the root

NODE = np.dtype(
    [
        ("action", np.int64),  # the edge's action, or HIDDEN
        ("sibling", np.int64),  # the row of the next edge out of the same node, 0 for none
        ("child", np.int64),  # the row of the first edge out of the node that the edge leads to, 0 for none
        ("visits", np.int64),  # simulations that took the edge
        ("available", np.int64),  # simulations that could have taken the edge
        ("total", np.float64),  # what the seat that took the edge was paid, summed over the visits
        ("prior", np.float64),  # a network's probability of the action
    ],
    align=True,
)

USED = 0  # the entry of ``counts``, int64 (1,), that holds how many rows of the tree are in use
LOW, HIGH = 0, 1  # the entries of ``bounds``, float64 (2,), that hold the least and the most that any seat was paid so far


class Space(NamedTuple):
    """Work arrays of a search; ``wave`` is the number of simulations on their way at a time."""

    views: Any  # array of STATE, (1,): the searching seat's view
    pool: Any  # array of STATE, (k,): equally likely worlds in which simulations begin; (0,): worlds are drawn uniformly
    root: Ints  # int64 (words,): the actions that the searching seat can choose from
    games: Any  # array of STATE, (wave + 1,): the worlds; the last keeps a world in which several actions are tried
    nodes: Any  # the trees, an array of NODE
    counts: Ints  # int64 (1,): how many rows of the trees are in use
    bounds: Scores  # float64 (2,): the least and the most that any seat was paid so far
    path: Ints  # int64 (wave, depth): the edges that a world took
    who: Ints  # int64 (wave, depth): the seat that took each edge of ``path``
    depths: Ints  # int64 (wave,): how many edges a world took
    lengths: Ints  # int64 (wave,): how many actions were played in a world
    waits: Ints  # int64 (wave,): the node at which a world waits for a network's priors, -1 for none
    lost: Scores  # float64 (wave,): the virtual loss on the edges of a world
    points: Ints  # int64 (wave, sides), scratch
    tricks: Ints  # int64 (wave, seats), scratch
    rewards: Floats  # float32 (wave, seats): what each seat was paid
    at: Ints  # int64 (seats,), scratch: the node that each tree is at
    left: Ints  # int64 (words,), scratch
    veiled: Ints  # int64 (words,), scratch


class SearchRules(NamedTuple):
    multiple: bool  # whether each seat has a tree of its own
    modelled: bool  # whether the other seats decide as in play-outs; then ``multiple`` is false
    c: float  # the weight of exploration
    trust: float  # the prior of the decider's choice, where edges are taken by it, beside an even share of the rest
    agent: int  # the number of the decider's agent
    calling: int  # the number of the decider's caller
    kind: int  # the kind of reward, `cardenvs.contract.loops.POINTS`, TRICKS, WIN or SCORE
    limit: int  # the most actions in a world
    valued: bool  # whether worlds whose deal is not over have been paid already, by a network's values


@helper
def edge_of(nodes: Any, node: int, action: int) -> int:
    """The row of an action's edge out of a node, 0 if there is none."""
    edge = nodes[node].child
    while edge != 0 and nodes[edge].action != action:
        edge = nodes[edge].sibling
    return edge


@helper
def add_edge(nodes: Any, counts: Ints, node: int, action: int) -> int:
    """Adds an edge for an action to a node; returns its row, 0 if there is no more room."""
    edge = counts[USED]
    if edge >= len(nodes):
        return np.int64(0)
    counts[USED] = edge + 1
    added = nodes[edge]
    added.action = action
    added.sibling = nodes[node].child
    added.child = 0
    added.visits = 0
    added.available = 0
    added.total = 0.0
    added.prior = 0.0
    nodes[node].child = edge
    return edge


@helper
def has_action(actions: Ints, action: int) -> Any:
    return actions[action >> 6] >> (action & 63) & 1 != 0


@helper
def nth_of(actions: Ints, skip: int) -> int:
    """The action number ``skip``, counted from 0, of a set of more than ``skip`` actions."""
    word = 0
    here = popcount(actions[0])
    while skip >= here:
        skip -= here
        word += 1
        here = popcount(actions[word])
    return 64 * word + nth(actions[word], skip)


@helper
def size_of(actions: Ints) -> int:
    size = np.int64(0)
    for word in range(len(actions)):
        size += popcount(actions[word])
    return size


@helper
def take_out(actions: Ints, action: int) -> None:
    """Takes an action out of a set, if it is in it."""
    actions[action >> 6] &= ~(np.int64(1) << (action & 63))


@helper
def any_action(actions: Ints, hidden: bool, streams: Streams, s: int) -> int:
    """A random one of a set of actions and, with ``hidden``, of HIDDEN; every one equally likely."""
    size = size_of(actions)
    skip = below(streams, s, size + (1 if hidden else 0))
    return np.int64(nth_of(actions, skip) if skip < size else HIDDEN)
