"""SmartBot for Hanabi: it moves as the naive version does, and scores what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot, choose, play_out
from cardenvs.baselines.heuristics.hanabi_smart_memory import MEMORY, before_move, begin, learn, replay
from cardenvs.games.hanabi import hanabi
from tests.helpers.hanabi_agents import FORMS, Agent, compare_all, played
from tests.helpers.positions import rows_of
from tests.naive.hanabi_smart import Bot

pytestmark = pytest.mark.slow
AGENT = Agent(MEMORY, begin, before_move, learn, replay, choose, play_out, Bot)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does(players):
    steps = compare_all(AGENT, hanabi(players=players), range(10))
    assert steps >= {"warning by a play", "warning", "finesse", "known play", "hint", "worthless discard", "old discard"}


def test_moves_as_the_naive_version_does_by_observations():
    player = SmartBot(hanabi())
    compare_all(AGENT, player.game.plain, range(3), player=player)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_in_many_deals(players):
    player = SmartBot(hanabi(players=players))
    steps = compare_all(AGENT, player.game.plain, range(100, 600), player=player)
    assert len(steps) == 12  # all that can decide a move


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_moves_as_the_naive_version_does_in_other_forms(form):
    compare_all(AGENT, hanabi(**form), range(8))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_among_moves_at_random(players):
    """What moves tell is false here, so that sets of faces become empty."""
    compare_all(AGENT, hanabi(players=players), range(6), noise=4)


@pytest.mark.nojit
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_alike_without_compilation(players):
    """Daily, by `test_as_plain_python`."""
    compare_all(AGENT, hanabi(players=players), range(1))


def test_chooses_from_the_observation_alone():
    player = SmartBot(hanabi())
    testing.check_no_leak(player.game, player.act, episodes=4)


@pytest.mark.nojit
def test_takes_the_first_action_of_a_mask_that_lacks_its_move():
    player = SmartBot(hanabi())
    row, mask = rows_of(player.game, player.game.deal(0))
    mask[0, player.act(row, mask)[0]] = 0
    assert player.act(row, mask)[0] == mask[0].argmax()


@pytest.mark.nojit
@pytest.mark.parametrize("parameters", [{"information": 0}, {"hand_size": 1}], ids=str)
def test_plays_no_game_that_it_has_no_rules_for(parameters):
    with pytest.raises(ValueError, match="SmartBot needs an information token and hands of two cards, unlike hanabi:"):
        SmartBot(hanabi(**parameters))
    with pytest.raises(ValueError, match="SmartBot plays hanabi, not whist"):
        SmartBot("whist")


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


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_scores_as_the_published_program_does(players):
    """At four standard errors of the difference 68 figures raise a false alarm once in 200 seeds."""
    deals = 100_000
    (built, built_error), (score, score_error), moves, sums, lost = REFERENCE[players]
    total, lives, lengths = played(AGENT, hanabi(players=players), deals)
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
