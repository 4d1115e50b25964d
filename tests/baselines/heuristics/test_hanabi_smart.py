"""SmartBot for Hanabi: it moves as the naive version does, and scores what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.baselines.heuristics.hanabi_agents import ALL
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot, choose, play_out
from cardenvs.baselines.heuristics.hanabi_smart_memory import MEMORY, before_move, begin, learn, replay
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import below, random_member, seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.games import hanabi
from cardenvs.games.hanabi import hanabi as made
from tests.helpers.positions import rows_of
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


def compare(spec, seed, noise=0, player=None):
    """Plays a deal by the naive version and compares all with it; returns what has decided its moves.

    Args:
        spec: the game.
        seed: of the deal.
        noise: one move in how many is any legal one; 0 for none.
        player: the policy, to be compared, too; None for none.
    """
    games = spec.deal(seed)
    state, players = games[0], spec.seats
    streams = seed_streams(seed + 1, 1)
    bots = [Bot(seat, state) for seat in range(players)]
    memories, views, replayed = memories_of(players + 2), spec.new_games(1), spec.new_games(1)
    shared, again = players, players + 1
    for k in range(players + 1):
        begin(memories, k, games, 0)
    while state["over"] == RUNNING:
        seat = int(state["to_act"])
        hanabi.view(games, 0, seat, views, 0)
        hanabi.remember(games, 0, seat, views, 0)
        replay(views, 0, memories, again, replayed, 0)
        for k in range(players + 1):
            before_move(memories, k, games, 0)
        for k, bot in enumerate(bots):
            bot.before_move(state)
            assert sets_in(memories[k], bot) == bot.may_be
        own = memories[seat]["may_be"]
        assert (np.roll(memories[again]["may_be"][:players], seat, 0) == own[:players]).all()
        action = bots[seat].choose(state)
        assert action == choose(memories, seat, games, 0) == choose(memories, again, views, 0)
        if player is not None:
            assert action == player.act(*rows_of(player.game, games))[0]
        if not noise:
            assert action == choose(memories, shared, games, 0)
            assert (memories[shared]["may_be"] == own).all()
            for k, hand in enumerate(state["hands"][:players]):
                for slot in range(int(state["sizes"][k])):
                    assert int(own[k][slot]) >> int(hand[slot]) - 1 & 1
        elif below(streams, 0, noise) == 0:
            action = random_member(streams, 0, hanabi.legal(games, 0))
        for k, bot in enumerate(bots):
            bot.learn(state, action)
            learn(memories, k, games, 0, k, action)
        learn(memories, shared, games, 0, ALL, action)
        hanabi.step(games, 0, action)
    return {name for bot in bots for name in bot.steps}


def check_moves(spec, deals, **how):
    """Compares all with the naive version in some deals; returns what has decided the naive version's moves."""
    return set().union(*(compare(spec, seed, **how) for seed in deals))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does(players):
    steps = check_moves(made(players=players), range(10))
    assert steps >= {"warning by a play", "warning", "finesse", "known play", "hint", "worthless discard", "old discard"}


def test_moves_as_the_naive_version_does_by_observations():
    player = SmartBot(made())
    check_moves(player.game.plain, range(3), player=player)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_in_many_deals(players):
    player = SmartBot(made(players=players))
    steps = check_moves(player.game.plain, range(100, 600), player=player)
    assert len(steps) == 12  # all that can decide a move


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_moves_as_the_naive_version_does_in_other_forms(form):
    check_moves(made(**form), range(8))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_among_moves_at_random(players):
    """What moves tell is false here, so that sets of faces become empty."""
    check_moves(made(players=players), range(6), noise=4)


@pytest.mark.nojit
def test_moves_alike_without_compilation():
    check_moves(made(players=3), range(2))


def test_chooses_from_the_observation_alone():
    player = SmartBot(made())
    testing.check_no_leak(player.game, player.act, episodes=4)


def test_takes_the_first_action_of_a_mask_that_lacks_its_move():
    player = SmartBot(made())
    row, mask = rows_of(player.game, player.game.deal(0))
    mask[0, player.act(row, mask)[0]] = 0
    assert player.act(row, mask)[0] == mask[0].argmax()


@pytest.mark.parametrize("parameters", [{"information": 0}, {"hand_size": 1}], ids=str)
def test_plays_no_game_that_it_has_no_rules_for(parameters):
    with pytest.raises(ValueError, match="SmartBot needs an information token and hands of two cards, unlike hanabi:"):
        SmartBot(made(**parameters))
    with pytest.raises(ValueError, match="SmartBot plays hanabi, not whist"):
        SmartBot("whist")


def played(players, deals):
    """Sums of fireworks, lives left and moves of deals that SmartBot has played with itself, int64 (deals,) each."""
    spec = made(players=players)
    games, memories, streams = spec.new_games(deals), memories_of(1), seed_streams(players, deals)
    for k in range(deals):
        spec.kernels.deal(games, k, streams, k)
        begin(memories, 0, games, k)
        play_out(memories, 0, games, k)
    return games["fireworks"].sum(1), games["lives"], games["moves"]


REFERENCE = {
    2: (
        (23.091, 0.006), (22.990, 0.008), 63.9,
        (1.05, 1.39, 2.69, 4.89, 9.14, 13.47, 16.82, 20.94, 29.61), (49.1, 35.7, 14.7, 0.5),
    ),
    3: (
        (23.309, 0.004), (22.934, 0.010), 59.3,
        (0.11, 0.29, 0.85, 2.23, 6.48, 14.29, 25.10, 30.90, 19.75), (52.3, 34.6, 11.4, 1.7),
    ),
    4: (
        (22.434, 0.004), (21.852, 0.012), 59.9,
        (0.23, 0.55, 1.92, 5.77, 14.29, 25.95, 28.69, 18.04, 4.55), (49.0, 35.5, 12.7, 2.8),
    ),
    5: (
        (20.684, 0.004), (19.067, 0.019), 55.0,
        (1.93, 4.67, 12.14, 23.77, 28.79, 20.11, 7.29, 1.21, 0.09), (34.3, 36.9, 20.2, 8.5),
    ),
}  # fmt: skip
"""Figures of the published program in 100,000 games, by the number of players: the mean sum of fireworks, the mean score (0
after the last life), both with standard errors; moves a game; percent of games with sums up to 17, of 18 to 25, and with
0 to 3 lives lost."""


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_scores_as_the_published_program_does(players):
    """At four standard errors of the difference 68 figures raise a false alarm once in 200 seeds."""
    deals = 100_000
    (built, built_error), (score, score_error), moves, sums, lost = REFERENCE[players]
    total, lives, lengths = played(players, deals)
    scores = np.where(lives > 0, total, 0)
    assert abs(total.mean() - built) < 4 * np.hypot(built_error, total.std() / deals**0.5)
    assert abs(scores.mean() - score) < 4 * np.hypot(score_error, scores.std() / deals**0.5)
    assert abs(lengths.mean() - moves) < 0.05 + 4 * 2**0.5 * lengths.std() / deals**0.5  # which is told to 0.1
    shares = [(total <= 17).mean(), *((total == k).mean() for k in range(18, 26))]
    for told, share, rounding in [
        *((told, share, 0.00005) for told, share in zip(sums, shares, strict=True)),
        *((told, (lives == 3 - k).mean(), 0.0005) for k, told in enumerate(lost)),
    ]:
        p = told / 100
        assert abs(share - p) < rounding + 4 * (2 * p * (1 - p) / deals) ** 0.5
