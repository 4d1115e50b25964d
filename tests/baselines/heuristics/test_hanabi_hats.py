"""hat-information for Hanabi: it moves as the naive version does, and scores what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.baselines.heuristics.hanabi_hats import HatInformation, choose, play_out
from cardenvs.baselines.heuristics.hanabi_hats_memory import MEMORY, before_move, begin, learn, replay
from cardenvs.games.hanabi import hanabi
from tests.helpers.hanabi_agents import FORMS, Agent, compare_all, played
from tests.helpers.positions import rows_of
from tests.naive.hanabi_hats import Bot

pytestmark = pytest.mark.slow
AGENT = Agent(MEMORY, begin, before_move, learn, replay, choose, play_out, Bot)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does(players):
    steps = compare_all(AGENT, hanabi(players=players), range(10))
    assert steps >= {"play", "hint", "useless discard", "telling discard"}


def test_moves_as_the_naive_version_does_by_observations():
    player = HatInformation(hanabi())
    compare_all(AGENT, player.game.plain, range(3), player=player)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_in_many_deals(players):
    player = HatInformation(hanabi(players=players))
    steps = compare_all(AGENT, player.game.plain, range(100, 600), player=player)
    assert len(steps) == 6  # all that can decide a move


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
    player = HatInformation(hanabi())
    testing.check_no_leak(player.game, player.act, episodes=4)


@pytest.mark.nojit
def test_takes_the_first_action_of_a_mask_that_lacks_its_move():
    player = HatInformation(hanabi())
    row, mask = rows_of(player.game, player.game.deal(0))
    mask[0, player.act(row, mask)[0]] = 0
    assert player.act(row, mask)[0] == mask[0].argmax()


@pytest.mark.nojit
@pytest.mark.parametrize("parameters", [{"information": 0}, {"hand_size": 1}], ids=str)
def test_plays_no_game_that_it_has_no_rules_for(parameters):
    with pytest.raises(
        ValueError, match="HatInformation needs an information token and hands of two cards, unlike hanabi:"
    ):
        HatInformation(hanabi(**parameters))
    with pytest.raises(ValueError, match="HatInformation plays hanabi, not whist"):
        HatInformation("whist")


REFERENCE = {
    2: ((22.525, 0.012), 0.1268, (0.995, 0.005, 0.0), 67.1),
    3: ((24.792, 0.004), 0.8417, (0.758, 0.212, 0.030), 52.0),
    4: ((24.929, 0.002), 0.9460, (0.820, 0.160, 0.021), 49.9),
    5: ((24.922, 0.002), 0.9404, (0.881, 0.106, 0.013), 45.4),
}
"""Figures of the published program in 20,000 games, by the number of players: the mean score with its standard error, the
share of perfect games, the shares of games with 0 to 2 lives lost, and moves a game. It loses no game."""


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_scores_as_the_published_program_does(players):
    """At four standard errors of the difference 24 figures raise a false alarm once in 600 seeds."""
    deals, theirs = 60_000, 20_000
    (score, error), perfect, lost, moves = REFERENCE[players]
    total, lives, lengths = played(AGENT, hanabi(players=players), deals)
    assert lives.min() > 0
    assert abs(total.mean() - score) < 4 * np.hypot(error, total.std() / deals**0.5)
    assert abs(lengths.mean() - moves) < 0.05 + 4 * lengths.std() * (1 / deals + 1 / theirs) ** 0.5  # told to 0.1
    for told, share, rounding in [
        (perfect, (total == 25).mean(), 0.00005),
        *((told, (lives == 3 - k).mean(), 0.0005) for k, told in enumerate(lost)),
    ]:
        p = min(max(told, rounding), 1 - rounding)
        assert abs(share - told) < rounding + 4 * (p * (1 - p) * (1 / deals + 1 / theirs)) ** 0.5
