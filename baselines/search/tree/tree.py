"""Information-set Monte Carlo tree search on a game's contract alone, in compiled code.

A simulation draws a world that fits what the searching seat knows and walks down a tree along edges of legal actions. An
action that the tree lacks becomes an edge, and the deal is played out from there. The rewards of each seat go to the edges
that it chose (Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on Computational
Intelligence and AI in Games 4, 2012, sections IV and V). Simulations may also go down in *waves*, many before the first
comes back, so that a network or a policy can be asked for all of their leaves at once; a *virtual loss* on the edges that
they took sends them different ways.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.search.tree.nodes import HIGH, LOW, USED, SearchRules, Space, add_edge, edge_of, has_action, nth_of
from cardenvs.baselines.search.tree.selection import WAIT
from cardenvs.compiled.bits import Floats, Ints, Streams, nth
from cardenvs.compiled.jit import helper
from cardenvs.compiled.streams import below
from cardenvs.contract import loops
from cardenvs.contract.kernels import Kernel, Kernels
from cardenvs.policy.explanation import Scores


class TreeKernels(NamedTuple):
    """The loops of the search, compiled for a game, a way to play deals out and a selection.

    ``plan``, int64 (k,), has the actions of the root that are tried in each world; SELECTED for one chosen as below.
    ``search(simulations, plan, space, rules, streams, s)`` runs simulations one after the other, played out by the compiled
    decider, until the plan is done in the last world, and returns their number.
    ``down(size, plan, space, rules, streams, s)`` takes a wave of at most ``size`` simulations, or all of one world if
    these are more, to their leaves, and returns their number; ``finish(size, space, rules, streams, s)`` plays the leaves
    out by the compiled decider; ``up(size, space, rules)`` adds a wave's rewards to the edges.
    ``grow(w, space, rules, chances, row)`` gives the node at which world ``w`` waits its edges, with the probabilities in
    ``chances[row]``.
    """

    search: Callable[..., int]
    down: Callable[..., int]
    finish: Callable[..., None]
    up: Callable[..., None]
    grow: Callable[..., None]


@helper
def _edge_for(nodes: Any, counts: Ints, node: int, action: int) -> int:
    """The row of an action's edge out of a node, added if there is none; 0 if there is no more room."""
    edge = edge_of(nodes, node, action)
    return edge if edge != 0 else add_edge(nodes, counts, node, action)


def _make_veil_loop(kernels: Kernels, name: str) -> Any:
    """The loop that takes the actions that the searching seat will not see from a world's actions."""
    seen, words = kernels.any_seen, kernels.words

    @kernels.loop(f"{name}.veil")
    def veil_actions(space: Space, w: int) -> int:
        """Moves the actions that seat 0 will not see from ``left`` to ``veiled``; returns their number."""
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

    return veil_actions


def _make_descend_loop(kernels: Kernels, name: str, pick: Kernel, choose: Kernel) -> Any:
    legal, step, seen, words = kernels.legal, kernels.step, kernels.any_seen, kernels.words
    hides, seats, veil = kernels.seen is not None, len(kernels.side_of), _make_veil_loop(kernels, name)

    @kernels.loop(f"{name}.descend")
    def descend(space: Space, rules: SearchRules, streams: Streams, s: int, w: int, first: int) -> None:
        """Takes world ``w`` to a leaf, by the action ``first`` if that is not SELECTED."""
        games, nodes, counts, bounds = space.games, space.nodes, space.counts, space.bounds
        at, root, left, veiled, path, who = space.at, space.root, space.left, space.veiled, space.path, space.who
        for seat in range(seats if rules.multiple else 1):
            at[seat] = seat
        depth, length = 0, 0
        growing = True
        space.waits[w] = -1
        loss = bounds[LOW]
        space.lost[w] = loss
        while growing and games[w].over == loops.RUNNING and length < rules.limit and depth < path.shape[1]:
            seat = games[w].to_act
            if rules.modelled and seat != 0:
                action = pick(games, w, rules.agent, rules.calling, streams, s)
                edge = _edge_for(nodes, counts, at[0], seen(games, w, 0, action))
                if edge == 0:
                    break
                at[0] = edge
                step(games, w, action)
                length += 1
                continue
            tree = seat if rules.multiple else np.int64(0)
            node = at[tree]
            hidden: Any = np.int64(0)  # actions that the tree's seat does not see: one edge stands for all of them
            if depth == 0 and first >= 0:
                edge = _edge_for(nodes, counts, node, first)
                if edge != 0:
                    nodes[edge].available += 1
            else:
                for word in range(words):
                    left[word] = legal(games, w, word)
                    if depth == 0:
                        left[word] &= root[word]
                    veiled[word] = 0
                if hides and not rules.multiple and seat != 0:
                    hidden = veil(space, w)
                used = counts[USED]
                edge = choose(games, w, nodes, counts, bounds, node, left, veiled, hidden, rules, streams, s)
                growing = edge < used
                if edge == WAIT:
                    space.waits[w] = node
            if edge <= 0:
                break
            action = nodes[edge].action
            if action < 0:  # one of those that are hidden: the decider's choice, or else a random one
                action = pick(games, w, rules.agent, rules.calling, streams, s)
                if not has_action(veiled, action):
                    action = nth_of(veiled, below(streams, s, hidden))
            nodes[edge].visits += 1
            nodes[edge].total += loss
            path[w, depth] = edge
            who[w, depth] = seat
            depth += 1
            if rules.multiple:  # the trees of all other seats go on by what these see of the action
                for other in range(seats):
                    if other != seat:
                        at[other] = _edge_for(nodes, counts, at[other], seen(games, w, other, action))
                        growing = growing and at[other] != 0
            at[tree] = edge
            step(games, w, action)
            length += 1
        space.depths[w] = depth
        space.lengths[w] = length

    return descend


@functools.cache
def _world_loops(kernels: Kernels, name: str, pick: Kernel) -> tuple[Any, Any, Any]:
    """The loops that draw a world, play it out, and add its rewards, which all selections share."""
    redeal, step, pay_so_far, seats = kernels.redealing, kernels.step, kernels.pay_so_far, len(kernels.side_of)

    # Arrays one by one: a call that hands over all work arrays counts a reference up and down for each of them.

    @kernels.loop(f"{name}.begin")
    def start_world(views: Any, pool: Any, streams: Streams, s: int, games: Any, w: int) -> None:
        if len(pool) > 0:
            games[w] = pool[below(streams, s, len(pool))]
        else:
            redeal(views, 0, streams, s, games, w)

    @kernels.loop(f"{name}.play")
    def finish_world(games: Any, w: int, length: int, rules: SearchRules, streams: Streams, s: int) -> None:
        while games[w].over == loops.RUNNING and length < rules.limit:
            step(games, w, pick(games, w, rules.agent, rules.calling, streams, s))
            length += 1

    @kernels.loop(f"{name}.back")
    def pay_edges(
        games: Any, w: int, rules: SearchRules, points: Ints, tricks: Ints, rewards: Floats, bounds: Scores, nodes: Any,
        path: Ints, who: Ints, depth: int, loss: float,
    ) -> None:  # fmt: skip
        """Sets world ``w``'s rewards and adds them, less the virtual ``loss``, to the ``depth`` edges it took.

        They are those of the deal up to its end or to where it was truncated, unless they were set by values.
        """
        if games[w].over != loops.RUNNING or not rules.valued:
            pay_so_far(rules.kind, 1.0, games, w, points, tricks, rewards)
        for k in range(depth):
            nodes[path[w, k]].total += rewards[w, who[w, k]] - loss
        for seat in range(seats):
            bounds[LOW] = min(bounds[LOW], rewards[w, seat])
            bounds[HIGH] = max(bounds[HIGH], rewards[w, seat])

    return start_world, finish_world, pay_edges


@functools.cache
def tree_kernels(kernels: Kernels, style: str, pick: Kernel, choose: Callable[[Kernel], Kernel]) -> TreeKernels:
    """The loops of the search for a game; ``style`` and ``pick`` are of the `Decider`, ``choose`` is of a selection."""
    legal, seen, words = kernels.legal, kernels.any_seen, kernels.words
    begin, play, back = _world_loops(kernels, f"ismcts.{style}", pick)
    name = f"ismcts.{style}.{choose.__name__}"
    descend = _make_descend_loop(kernels, name, pick, choose(pick))

    @kernels.loop(f"{name}.search")
    def search(simulations: int, plan: Ints, space: Space, rules: SearchRules, streams: Streams, s: int) -> int:
        games, views, pool, lengths = space.games, space.views, space.pool, space.lengths
        points, tricks, rewards, bounds = space.points, space.tricks, space.rewards, space.bounds
        nodes, path, who, depths, lost = space.nodes, space.path, space.who, space.depths, space.lost
        kept = len(games) - 1 if len(plan) > 1 else 0
        done = 0
        while done < simulations:
            begin(views, pool, streams, s, games, kept)
            for k in range(len(plan)):
                if kept != 0:
                    games[0] = games[kept]
                descend(space, rules, streams, s, 0, plan[k])
                play(games, 0, lengths[0], rules, streams, s)
                back(games, 0, rules, points, tricks, rewards, bounds, nodes, path, who, depths[0], lost[0])
                done += 1
        return done

    @kernels.loop(f"{name}.down")
    def down(size: int, plan: Ints, space: Space, rules: SearchRules, streams: Streams, s: int) -> int:
        games, kept, views, pool = space.games, len(space.games) - 1, space.views, space.pool
        w = 0
        while w == 0 or w + len(plan) <= size:
            begin(views, pool, streams, s, games, kept)
            for k in range(len(plan)):
                games[w] = games[kept]
                descend(space, rules, streams, s, w, plan[k])
                w += 1
        return w

    @kernels.loop(f"{name}.finish")
    def finish(size: int, space: Space, rules: SearchRules, streams: Streams, s: int) -> None:
        for w in range(size):
            play(space.games, w, space.lengths[w], rules, streams, s)

    @kernels.loop(f"{name}.up")
    def up(size: int, space: Space, rules: SearchRules) -> None:
        for w in range(size):
            back(
                space.games, w, rules, space.points, space.tricks, space.rewards, space.bounds, space.nodes, space.path,
                space.who, space.depths[w], space.lost[w],
            )  # fmt: skip

    @kernels.loop(f"{name}.grow")
    def grow(w: int, space: Space, rules: SearchRules, chances: Floats, row: int) -> None:
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
                if edge_of(space.nodes, node, code) == 0:
                    edge = add_edge(space.nodes, space.counts, node, code)
                    if edge != 0:
                        space.nodes[edge].prior = chances[row, action] if code >= 0 else 1.0

    return TreeKernels(search, down, finish, up, grow)
