"""Information-set Monte Carlo tree search on a game's contract alone, in compiled code.

A simulation draws a world that fits what the searching seat knows and walks down a tree whose edges are actions. Of the
edges only those count whose action is legal in the world. Where the world has an action that the tree lacks, an edge for it
is added, and the deal is played out from there. What each seat is then paid goes to the edges that it chose (Cowling,
Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on Computational Intelligence and AI in
Games 4, 2012, sections IV and V).

A tree is rows of an array of `NODE`: an edge and the node that it leads to are one row, and the edges out of a node are
chained. Row ``seat`` is the root of that seat's tree; with a single observer only row 0, the searching seat's, is used.
Simulations may also go down in *waves*, many before the first comes back, so that a network or a policy can be asked for
all of their leaves at once; a *virtual loss* on the edges that they took sends them different ways.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import Floats, Ints, Streams, nth, popcount
from cardenvs.compiled.jit import driver, helper
from cardenvs.compiled.streams import below
from cardenvs.contract import loops as drivers
from cardenvs.contract.kernels import Kernels
from cardenvs.policy.explanation import Scores

HIDDEN = -1
"""The action of an edge that stands for all actions which the tree's seat does not see."""

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

USED = 0
"""The entry of ``counts``, int64 (1,), that holds how many rows of the tree are in use."""
LOW, HIGH = 0, 1
"""The entries of ``bounds``, float64 (2,), that hold the least and the most that any seat was paid so far."""

UCB, BY_DECIDER, BY_NETWORK = 0, 1, 2
"""Selection rules for edges: UCB; PUCT with a prior that favours the decider's choice; PUCT with a network's priors."""
FAVOURITE, ANOTHER = -1, -2
"""Results of `_best_by_priors` for an action without an edge: the decider's choice, or another action."""


class Space(NamedTuple):
    """Work arrays of a search; ``wave`` is the number of simulations on their way at a time."""

    views: Any
    """Array of STATE, (1,): the searching seat's view."""
    pool: Any
    """Array of STATE, (k,): the worlds that simulations begin in, all as likely; (0,) where worlds are drawn uniformly."""
    root: Ints
    """int64 (words,): the actions that the searching seat can choose from."""
    games: Any
    """Array of STATE, (wave + 1,): the worlds; the last one keeps a world in which several actions are tried."""
    nodes: Any
    """The trees, an array of NODE."""
    counts: Ints
    """int64 (1,): how many rows of the trees are in use."""
    bounds: Scores
    """float64 (2,): the least and the most that any seat was paid so far."""
    path: Ints
    """int64 (wave, depth): the edges that a world took."""
    who: Ints
    """int64 (wave, depth): the seat that took each edge of ``path``."""
    depths: Ints
    """int64 (wave,): how many edges a world took."""
    lengths: Ints
    """int64 (wave,): how many actions were played in a world."""
    waits: Ints
    """int64 (wave,): the node at which a world waits for a network's priors, -1 for none."""
    lost: Scores
    """float64 (wave,): the virtual loss on the edges of a world."""
    points: Ints
    """int64 (wave, sides), scratch."""
    tricks: Ints
    """int64 (wave, seats), scratch."""
    rewards: Floats
    """float32 (wave, seats): what each seat was paid."""
    at: Ints
    """int64 (seats,), scratch: the node that each tree is at."""
    left: Ints
    """int64 (words,), scratch."""
    veiled: Ints
    """int64 (words,), scratch."""


class SearchRules(NamedTuple):
    """Settings of a search, as kernels take them."""

    paired: bool
    """Whether every action of the root is tried in each world, instead of one that is chosen as elsewhere in the tree."""
    multiple: bool
    """Whether each seat has a tree of its own."""
    modelled: bool
    """Whether the other seats decide as in play-outs; then ``multiple`` is false."""
    selection: int
    """UCB, BY_DECIDER or BY_NETWORK, which adds no edges by itself."""
    c: float
    """The weight of exploration."""
    trust: float
    """The decider's probability of its choice, with BY_DECIDER."""
    agent: int
    """The number of the decider's agent."""
    calling: int
    """The number of the decider's caller."""
    kind: int
    """The kind of reward, `cardenvs.contract.loops.POINTS`, TRICKS, WIN or SCORE."""
    limit: int
    """The most actions in a world."""
    valued: bool
    """Whether worlds whose deal is not over have been paid already, by a network's values."""


class TreeKernels(NamedTuple):
    """The loops of the search, compiled for a game and a way to play deals out."""

    search: Callable[..., int]
    """``search(simulations, space, rules, streams, s) -> int``: simulations one after the other, each played out by the
    compiled decider; returns how many there were, at least as many as asked for."""
    down: Callable[..., int]
    """``down(size, space, rules, streams, s) -> int``: takes a wave of at most ``size`` simulations, or all of one world
    if these are more, to their leaves; returns their number."""
    finish: Callable[..., None]
    """``finish(size, space, rules, streams, s)``: plays the leaves of a wave out by the compiled decider."""
    up: Callable[..., None]
    """``up(size, space, rules)``: writes what a wave was paid to the edges."""
    grow: Callable[..., None]
    """``grow(w, space, rules, chances, row)``: gives the node at which world ``w`` waits its edges, with the probabilities
    in ``chances[row]``."""


@helper
def _edge_of(nodes: Any, node: int, action: int) -> int:
    """The row of an action's edge out of a node, 0 if there is none."""
    edge = nodes[node].child
    while edge != 0 and nodes[edge].action != action:
        edge = nodes[edge].sibling
    return edge


@helper
def _add(nodes: Any, counts: Ints, node: int, action: int) -> int:
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
def _has(actions: Ints, action: int) -> Any:
    """Whether a set of actions, int64 (words,), has an action."""
    return actions[action >> 6] >> (action & 63) & 1 != 0


@helper
def _best(nodes: Any, node: int, left: Ints, hidden: bool, bounds: Any, c: float) -> int:
    """The edge to take out of a node by UCB, 0 if the node has none that the world allows.

    An edge's score is ``mean + c * sqrt(log(available) / visits)``, means scaled to 0 .. 1 by the least and the most that
    was paid so far.

    Args:
        nodes: the tree.
        node: the row of the node.
        left: int64 (words,), the legal actions; those that have an edge are taken out.
        hidden: whether the edge HIDDEN counts.
        bounds: float64 (2,).
        c: the weight of exploration.
    """
    low = bounds[LOW]
    scale = 1.0 / (bounds[HIGH] - low) if bounds[HIGH] > low else 0.0
    best, best_score = np.int64(0), -np.inf
    edge = nodes[node].child
    while edge != 0:
        n = nodes[edge]
        action = n.action
        if hidden if action < 0 else _has(left, action):
            if action >= 0:
                left[action >> 6] &= ~(np.int64(1) << (action & 63))
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

    The score of an action is ``mean + c * prior * sqrt(all visits) / (1 + visits)``, means scaled to 0 .. 1 by the least
    and the most that was paid so far; an action without visits has the mean of all others.

    Args:
        nodes: the tree.
        node: the row of the node.
        left: int64 (words,), the legal actions; those that have an edge are taken out.
        hidden: how many legal actions the tree's seat does not see; the edge HIDDEN stands for all of them.
        bounds: float64 (2,).
        c: the weight of exploration.
        favourite: what the decider would do, or HIDDEN.
        trust: the decider's probability of its favourite, beside an even share of the rest; below 0 for priors of a
            network, which the edges have.
        options: how many actions are legal.
    """
    low = bounds[LOW]
    scale = 1.0 / (bounds[HIGH] - low) if bounds[HIGH] > low else 0.0
    visits, total = 0, 0.0
    edge = nodes[node].child
    while edge != 0:
        n = nodes[edge]
        if hidden > 0 if n.action < 0 else _has(left, n.action):
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
        if hidden > 0 if action < 0 else _has(left, action):
            if action >= 0:
                left[action >> 6] &= ~(np.int64(1) << (action & 63))
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
    untried = np.int64(1) if unseen else np.int64(0)
    for word in range(len(left)):
        untried += popcount(left[word])
    if unseen if favourite < 0 else _has(left, favourite):
        untried -= 1
        if others + spread * (even * (hidden if favourite < 0 else 1) + trust) > best_score:
            return np.int64(FAVOURITE)
    if untried > 0 and others + spread * even > best_score:
        return np.int64(ANOTHER)
    return best


@helper
def _nth_of(actions: Ints, skip: int) -> int:
    """The action number ``skip``, counted from 0, of a set of more than ``skip`` actions, int64 (words,)."""
    word = 0
    here = popcount(actions[0])
    while skip >= here:
        skip -= here
        word += 1
        here = popcount(actions[word])
    return 64 * word + nth(actions[word], skip)


@driver
def _follow(seen: Any, seats: Any, space: Any, w: Any, seat: Any, action: Any) -> Any:
    """Takes the trees of all seats but ``seat`` on by its action in world ``w``; returns whether there was room."""
    roomy = True
    for other in range(seats):
        if other != seat:
            code = seen(space.games, w, other, action)
            edge = _edge_of(space.nodes, space.at[other], code)
            if edge == 0:
                edge = _add(space.nodes, space.counts, space.at[other], code)
            if edge == 0:
                roomy = False
            space.at[other] = edge
    return roomy


def _veiling(kernels: Kernels, name: str) -> Any:
    """The loop that takes from a world's actions those which the searching seat will not see."""
    seen, words = kernels.any_seen, kernels.words

    @kernels.loop(f"{name}.veil")
    def veil(space: Space, w: int) -> int:
        """Moves the actions that seat 0 will not see from ``left`` to ``veiled``; returns how many they are."""
        several = 0
        for word in range(words):
            bits = space.left[word]
            while bits != 0:
                bit = bits & -bits
                bits ^= bit
                if seen(space.games, w, 0, 64 * word + nth(bit, 0)) < 0:
                    space.veiled[word] |= bit
                    space.left[word] ^= bit
                    several += 1
        return several

    return veil


def _descending(kernels: Kernels, name: str, pick: Callable[..., Any]) -> Any:
    """The loop that takes a world down the tree."""
    legal, step, seen, words = kernels.legal, kernels.step, kernels.any_seen, kernels.words
    hides, seats, veil = kernels.seen is not None, len(kernels.side_of), _veiling(kernels, name)

    @kernels.loop(f"{name}.descend")
    def descend(space: Space, rules: SearchRules, streams: Streams, s: int, w: int, first: int) -> None:
        """Takes world ``w`` to a leaf, by the action ``first`` if that is not negative."""
        games, nodes, counts, bounds = space.games, space.nodes, space.counts, space.bounds
        at, left, veiled = space.at, space.left, space.veiled
        for seat in range(seats if rules.multiple else 1):
            at[seat] = seat
        depth, length = 0, 0
        growing = True
        space.waits[w] = -1
        loss = bounds[LOW]
        space.lost[w] = loss
        while growing and games[w].over == drivers.RUNNING and length < rules.limit and depth < space.path.shape[1]:
            seat = games[w].to_act
            tree = seat if rules.multiple else np.int64(0)
            node = at[tree]
            if rules.modelled and seat != 0:
                action = pick(games, w, rules.agent, rules.calling, streams, s)
                code = seen(games, w, 0, action)
                edge = _edge_of(nodes, node, code)
                if edge == 0:
                    edge = _add(nodes, counts, node, code)
                if edge == 0:
                    break
                at[0] = edge
                step(games, w, action)
                length += 1
                continue
            several: Any = np.int64(0)  # options hidden from the tree's seat: one edge stands for all of them
            if depth == 0 and first >= 0:
                edge = _edge_of(nodes, node, first)
                if edge == 0:
                    edge = _add(nodes, counts, node, first)
                if edge == 0:
                    break
                nodes[edge].available += 1
            else:
                for word in range(words):
                    left[word] = legal(games, w, word)
                    if depth == 0:
                        left[word] &= space.root[word]
                    veiled[word] = 0
                if hides and not rules.multiple and seat != 0:
                    several = veil(space, w)
                favourite = np.int64(HIDDEN)
                if rules.selection == UCB:
                    edge = _best(nodes, node, left, several > 0, bounds, rules.c)
                else:
                    options = several
                    for word in range(words):
                        options += popcount(left[word])
                    trust = -1.0
                    if rules.selection == BY_DECIDER:
                        trust = rules.trust
                        favourite = np.int64(pick(games, w, rules.agent, rules.calling, streams, s))
                        if several > 0 and _has(veiled, favourite):
                            favourite = np.int64(HIDDEN)
                    edge = _best_by_priors(nodes, node, left, several, bounds, rules.c, favourite, trust, options)
                untried = np.int64(0)
                for word in range(words):
                    untried += popcount(left[word])
                unseen = several > 0 and _edge_of(nodes, node, HIDDEN) == 0
                if rules.selection == BY_NETWORK:
                    if untried > 0 or unseen:
                        space.waits[w] = node
                        break
                elif edge < 0 if rules.selection == BY_DECIDER else untried > 0 or unseen:
                    # With UCB what the decider would do comes first, if it is one of the actions that the tree lacks.
                    action = favourite
                    if rules.selection == UCB:
                        action = np.int64(pick(games, w, rules.agent, rules.calling, streams, s))
                        if several > 0 and _has(veiled, action):
                            action = np.int64(HIDDEN)
                    if edge == ANOTHER:
                        if action < 0:
                            unseen = False
                        elif _has(left, action):
                            left[action >> 6] ^= np.int64(1) << (action & 63)
                            untried -= 1
                    if edge == ANOTHER or not (unseen if action < 0 else _has(left, action)):
                        skip = below(streams, s, untried + (1 if unseen else 0))
                        action = np.int64(_nth_of(left, skip) if skip < untried else HIDDEN)
                    edge = _add(nodes, counts, node, action)
                    if edge == 0:
                        break
                    nodes[edge].available = 1
                    growing = False
            action = nodes[edge].action
            if action < 0:
                action = pick(games, w, rules.agent, rules.calling, streams, s)
                if not _has(veiled, action):
                    action = _nth_of(veiled, below(streams, s, several))
            nodes[edge].visits += 1
            nodes[edge].total += loss
            space.path[w, depth] = edge
            space.who[w, depth] = seat
            depth += 1
            if rules.multiple and not _follow(seen, seats, space, w, seat, action):
                growing = False
            at[tree] = edge
            step(games, w, action)
            length += 1
        space.depths[w] = depth
        space.lengths[w] = length

    return descend


def _world_loops(kernels: Kernels, name: str, pick: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """The loops that draw a world, play it out, and pay it."""
    redeal, step, outcome = kernels.redealing, kernels.step, kernels.outcome
    side, seats = kernels.any_side, len(kernels.side_of)

    @kernels.loop(f"{name}.begin")
    def begin(space: Space, streams: Streams, s: int, w: int) -> None:
        """Draws a world for ``space.games[w]``."""
        if len(space.pool) > 0:
            space.games[w] = space.pool[below(streams, s, len(space.pool))]
        else:
            redeal(space.views, 0, streams, s, space.games, w)

    @kernels.loop(f"{name}.play")
    def play(space: Space, rules: SearchRules, streams: Streams, s: int, w: int) -> None:
        """Plays world ``w`` out by the decider."""
        games = space.games
        length = space.lengths[w]
        while games[w].over == drivers.RUNNING and length < rules.limit:
            step(games, w, pick(games, w, rules.agent, rules.calling, streams, s))
            length += 1

    @kernels.loop(f"{name}.back")
    def back(space: Space, rules: SearchRules, w: int) -> None:
        """Sets world ``w``'s rewards, 0 if it was truncated and not valued, and adds them to the edges that it took."""
        games, rewards = space.games, space.rewards
        if games[w].over == drivers.RUNNING:
            if not rules.valued:
                for seat in range(seats):
                    rewards[w, seat] = 0.0
        else:
            winners = outcome(games, w, space.points, space.tricks)
            drivers.pay(side, rules.kind, 1.0, winners, games, space.points, space.tricks, w, rewards)
        for k in range(space.depths[w]):
            space.nodes[space.path[w, k]].total += rewards[w, space.who[w, k]] - space.lost[w]
        for seat in range(seats):
            space.bounds[LOW] = min(space.bounds[LOW], rewards[w, seat])
            space.bounds[HIGH] = max(space.bounds[HIGH], rewards[w, seat])

    return begin, play, back


@functools.cache
def tree_kernels(kernels: Kernels, style: str, pick: Callable[..., Any]) -> TreeKernels:
    """The loops of the search for a game, compiled when they are first called.

    Args:
        kernels: the game's kernels.
        style: `Decider.style` of who plays deals out.
        pick: `Decider.pick` of who plays deals out.
    """
    legal, seen, words, name = kernels.legal, kernels.any_seen, kernels.words, f"ismcts.{style}"
    descend = _descending(kernels, name, pick)
    begin, play, back = _world_loops(kernels, name, pick)

    @kernels.loop(f"{name}.search")
    def search(simulations: int, space: Space, rules: SearchRules, streams: Streams, s: int) -> int:
        """Simulations one after the other, see `TreeKernels`."""
        games, kept = space.games, len(space.games) - 1
        done = 0
        while done < simulations:
            if not rules.paired:
                begin(space, streams, s, 0)
                descend(space, rules, streams, s, 0, -1)
                play(space, rules, streams, s, 0)
                back(space, rules, 0)
                done += 1
                continue
            begin(space, streams, s, kept)
            for word in range(words):
                bits = space.root[word]
                while bits != 0:
                    bit = bits & -bits
                    bits ^= bit
                    games[0] = games[kept]
                    descend(space, rules, streams, s, 0, 64 * word + nth(bit, 0))
                    play(space, rules, streams, s, 0)
                    back(space, rules, 0)
                    done += 1
        return done

    @kernels.loop(f"{name}.down")
    def down(size: int, space: Space, rules: SearchRules, streams: Streams, s: int) -> int:
        """A wave to its leaves, see `TreeKernels`."""
        games, kept = space.games, len(space.games) - 1
        w = 0
        while w < size:
            if not rules.paired:
                begin(space, streams, s, w)
                descend(space, rules, streams, s, w, -1)
                w += 1
                continue
            actions = np.int64(0)
            for word in range(words):
                actions += popcount(space.root[word])
            if w > 0 and w + actions > size:
                break
            begin(space, streams, s, kept)
            for word in range(words):
                bits = space.root[word]
                while bits != 0:
                    bit = bits & -bits
                    bits ^= bit
                    games[w] = games[kept]
                    descend(space, rules, streams, s, w, 64 * word + nth(bit, 0))
                    w += 1
        return w

    @kernels.loop(f"{name}.finish")
    def finish(size: int, space: Space, rules: SearchRules, streams: Streams, s: int) -> None:
        """Plays a wave out, see `TreeKernels`."""
        for w in range(size):
            play(space, rules, streams, s, w)

    @kernels.loop(f"{name}.up")
    def up(size: int, space: Space, rules: SearchRules) -> None:
        """Pays a wave, see `TreeKernels`."""
        for w in range(size):
            back(space, rules, w)

    @kernels.loop(f"{name}.grow")
    def grow(w: int, space: Space, rules: SearchRules, chances: Floats, row: int) -> None:
        """Gives a node its edges, see `TreeKernels`."""
        games, node = space.games, space.waits[w]
        seat = games[w].to_act
        for word in range(words):
            bits = legal(games, w, word)
            if node == 0:
                bits &= space.root[word]
            while bits != 0:
                bit = bits & -bits
                bits ^= bit
                action = 64 * word + nth(bit, 0)
                code = action if rules.multiple or seat == 0 else seen(games, w, 0, action)
                if _edge_of(space.nodes, node, code) == 0:
                    edge = _add(space.nodes, space.counts, node, code)
                    if edge != 0:
                        space.nodes[edge].prior = chances[row, action] if code >= 0 else 1.0

    return TreeKernels(search, down, finish, up, grow)
