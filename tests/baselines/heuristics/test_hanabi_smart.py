"""SmartBot for Hanabi: it moves as the naive version does, and scores what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs.baselines.heuristics.hanabi_smart import choose
from cardenvs.baselines.heuristics.hanabi_smart_memory import ALL, MEMORY, before_move, begin, learn, replay
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.games.hanabi import hanabi
from tests.naive.hanabi_smart import Bot

FORMS = [
    {"players": 3, "colours": 3},
    {"players": 2, "ranks": 3, "hand_size": 3, "information": 3},
    {"players": 4, "colours": 2, "ranks": 4, "hand_size": 2, "lives": 1},
    {"players": 5, "colours": 4, "hand_size": 3, "information": 2, "lives": 5},
    {"players": 2, "colours": 1, "hand_size": 2, "lives": 2},
]
"""Games of which the source says nothing."""


def memories_of(n):
    return as_records(np.zeros(n, MEMORY))


def sets_in(memory, bot):
    """The faces that each card may be by a memory, in the form of the naive version."""
    faces = list(bot.gone)
    return [
        [{face for k, face in enumerate(faces) if int(memory["may_be"][seat][slot]) >> k & 1} for slot in range(len(hand))]
        for seat, hand in enumerate(bot.may_be)
    ]


def compare(spec, seed, noise=0):
    """Plays a deal by the naive version and compares all with it; returns what has decided its moves.

    Args:
        spec: the game.
        seed: of the deal.
        noise: one move in how many is any legal one; 0 for none.
    """
    game = spec.recalling
    games = game.deal(seed)
    state, players = games[0], game.seats
    streams = seed_streams(seed + 1, 1)
    bots = [Bot(seat, state) for seat in range(players)]
    memories, views, replayed = memories_of(players + 2), game.new_games(1), game.new_games(1)
    shared, again = players, players + 1
    for k in range(players + 1):
        begin(memories, k, games, 0)
    while state["over"] == RUNNING:
        seat = int(state["to_act"])
        game.kernels.view(games, 0, seat, views, 0)
        replay(views, 0, memories, again, replayed, 0)
        before_move(memories, again, replayed, 0)
        for k in range(players + 1):
            before_move(memories, k, games, 0)
        for k, bot in enumerate(bots):
            bot.before_move(state)
            assert sets_in(memories[k], bot) == bot.may_be
        own = memories[seat]["may_be"]
        assert (np.roll(memories[again]["may_be"][:players], seat, 0) == own[:players]).all()
        action = bots[seat].choose(state)
        assert action == choose(memories, seat, games, 0) == choose(memories, again, views, 0)
        if not noise:
            assert action == choose(memories, shared, games, 0)
            assert (memories[shared]["may_be"] == own).all()
            for k, hand in enumerate(state["hands"][:players]):
                for slot in range(int(state["sizes"][k])):
                    assert int(own[k][slot]) >> int(hand[slot]) - 1 & 1
        elif below(streams, 0, noise) == 0:
            legal = np.flatnonzero(spec.mask(spec.legal(games)))
            action = int(legal[below(streams, 0, len(legal))])
        for k, bot in enumerate(bots):
            bot.learn(state, action)
            learn(memories, k, games, 0, k, action)
        learn(memories, shared, games, 0, ALL, action)
        spec.kernels.step(games, 0, action)
    return [name for bot in bots for name in bot.steps]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does(players):
    steps = {name for seed in range(15) for name in compare(hanabi(players=players), seed)}
    assert steps >= {"warning by a play", "warning", "finesse", "known play", "hint", "worthless discard", "old discard"}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_moves_as_the_naive_version_does_in_other_forms(form):
    for seed in range(10):
        compare(hanabi(**form), seed)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_among_moves_at_random(players):
    """Sets of faces become empty here."""
    for seed in range(10):
        compare(hanabi(players=players), seed, noise=4)
