"""Play-outs of a search on a blueprint in Hanabi: moves tried in the same worlds until one is better than the others.

Source: A. Lerer et al., "Improving Policies via Search in Cooperative Partially Observable Games" (2020).
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint, playing_kernels
from cardenvs.baselines.search.blueprint.belief import are_same, set_hand
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import closure, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.loops import RUNNING
from cardenvs.games import hanabi
from cardenvs.policy.explanation import Scores

FEWEST = 50  # worlds before moves are dropped
ERRORS = 2.5  # standard errors of the difference by which a dropped move is worse than the best one


@kernel
def draw_world(views: Any, hands: Ints, totals: Ints, left: Ints, streams: Streams, s: int, games: Any) -> int:
    """Writes to ``games[0]`` the view ``views[0]`` with a hand of a belief and any order of the other cards.

    ``totals``, int64 (n,), are cumulated weights of the hands; ``left``, int64 (25,), numbers of unseen cards of each face.
    Returns the number of the hand.
    """
    drawn = below(streams, s, totals[len(totals) - 1])
    low, high = 0, len(totals) - 1
    while low < high:
        middle = (low + high) // 2
        if totals[middle] > drawn:
            high = middle
        else:
            low = middle + 1
    games[0] = views[0]
    g = games[0]
    set_hand(games, 0, hands[low])
    for slot in range(g.sizes[0]):
        left[g.hands[0, slot] - 1] -= 1
        g.deck[g.places[0, slot] - 1] = g.hands[0, slot]
    at = g.drawn
    for face in range(g.colours * g.ranks):
        for _ in range(left[face]):
            g.deck[at] = face + 1
            at += 1
    for slot in range(g.sizes[0]):
        left[g.hands[0, slot] - 1] += 1
    for k in range(g.drawn, at - 1):
        other = k + below(streams, s, at - k)
        g.deck[k], g.deck[other] = g.deck[other], g.deck[k]
    return low


@kernel
def drop_worse(sums: Scores, products: Scores, worlds: int, alive: Ints, usual: int, threshold: float) -> int:
    """Drops the moves that are worse than the best one: 0 in ``alive``, int64 (actions,); returns the best one.

    ``sums``, (actions,), and ``products``, (actions, actions), are of the scores in ``worlds`` worlds and of their products
    for each two moves; ``threshold`` is a bonus for the blueprint's move ``usual``.
    """
    best, most = usual, sums[usual] / worlds + threshold
    for action in range(len(alive)):
        if alive[action] and sums[action] / worlds > most:
            best, most = action, sums[action] / worlds
    for action in range(len(alive)):
        if alive[action] and action != best:
            mean = (sums[best] - sums[action]) / worlds
            squares = products[best, best] - 2 * products[best, action] + products[action, action]
            behind = most - sums[action] / worlds - (threshold if action == usual else 0.0)
            if behind > ERRORS * np.sqrt(max(squares / worlds - mean * mean, 0.0) / worlds):
                alive[action] = 0
    return best


@functools.cache
def trial_of(blueprint: Blueprint, sharing: bool) -> Callable[..., int]:
    """The trial of a move; with ``sharing`` seats whose memories have become equal go on with one.

    That is faster, but after a move that misled a seat the memories could part again, in a few percent of the play-outs.
    """
    before_move, choose, learn = blueprint.before_move, blueprint.choose, blueprint.learn
    play_together = playing_kernels(blueprint).play_out

    @closure(f"{__name__}:{blueprint.name}.try_move-{sharing}")
    def try_move(games: Any, action: int, kind: int, memories: Any, own: Any, scratch: Any, words: Ints) -> int:
        """The points of a move in the world ``games[0]``, with a hand of a kind; each seat plays on by its own memory."""
        games[1] = games[0]
        g = games[1]
        scratch[0] = own[0]
        for seat in range(1, g.players):
            scratch[seat] = memories[kind * (g.players - 1) + seat - 1]
        while True:
            for seat in range(g.players):
                learn(scratch, seat, games, 1, seat, action)
            hanabi.step(games, 1, action)
            same = sharing
            for seat in range(1, g.players):
                same = same and are_same(words, 0, seat)
            if same or g.over != RUNNING:
                play_together(scratch, 0, games, 1)
                return hanabi.points_of(games, 1)
            for seat in range(g.players):
                before_move(scratch, seat, games, 1)
            action = choose(scratch, g.to_act, games, 1)

    return try_move


@functools.cache
def search_of(blueprint: Blueprint) -> Callable[..., int]:
    try_move = trial_of(blueprint, True)

    @closure(f"{__name__}:{blueprint.name}.search")
    def search(
        views: Any, hands: Ints, kinds: Ints, totals: Ints, memories: Any, own: Any, left: Ints, rollouts: int, usual: int,
        threshold: float, streams: Streams, s: int, games: Any, scratch: Any, words: Ints, alive: Ints, sums: Scores,
        products: Scores, scores: Ints,
    ) -> int:  # fmt: skip
        """Tries moves until one is left or ``rollouts`` are made; returns the best one.

        ``hands`` to ``left`` are those of a `Belief`; ``usual``, ``threshold``, ``alive``, ``sums`` and ``products`` as for
        `drop_worse`, the latter two zeros. Overwritten are two ``games``, a memory of ``scratch`` for each seat, which
        ``words``, int64 (players, numbers), has as numbers, and ``scores``, int64 (actions,).
        """
        made, worlds = 0, 0
        while made + alive.sum() <= rollouts:
            kind = kinds[draw_world(views, hands, totals, left, streams, s, games)]
            for action in range(len(alive)):
                if alive[action]:
                    scores[action] = try_move(games, action, kind, memories, own, scratch, words)
                    made += 1
            for action in range(len(alive)):
                if alive[action]:
                    sums[action] += scores[action]
                    for other in range(len(alive)):
                        if alive[other]:
                            products[action, other] += scores[action] * scores[other]
            worlds += 1
            if worlds >= FEWEST:
                best = drop_worse(sums, products, worlds, alive, usual, threshold)
                if alive.sum() == 1:
                    return best
        return drop_worse(sums, products, worlds, alive, usual, threshold) if worlds > 0 else usual

    return search
