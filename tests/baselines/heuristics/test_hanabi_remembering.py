"""SmartBot and hat-information for Hanabi move as their naive versions do, by memory, by replay and by observations."""

from __future__ import annotations

import pytest

from cardenvs import testing
from cardenvs.games.hanabi import hanabi
from tests.helpers.hanabi_agents import AGENTS, FORMS, compare_all
from tests.helpers.positions import rows_of

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.policy.__name__)]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does(agent, players):
    steps = compare_all(agent, hanabi(players=players), range(10))
    assert steps >= agent.often


def test_moves_as_the_naive_version_does_by_observations(agent):
    player = agent.policy(hanabi())
    compare_all(agent, player.game.plain, range(3), player=player)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_in_many_deals(agent, players):
    player = agent.policy(hanabi(players=players))
    steps = compare_all(agent, player.game.plain, range(100, 600), player=player)
    assert len(steps) == agent.steps  # all that can decide a move


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_moves_as_the_naive_version_does_in_other_forms(agent, form):
    compare_all(agent, hanabi(**form), range(8))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_as_the_naive_version_does_among_moves_at_random(agent, players):
    """What moves tell is false here, so that sets of faces become empty."""
    compare_all(agent, hanabi(players=players), range(6), noise=4)


@pytest.mark.nojit
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_moves_alike_without_compilation(agent, players):
    """Daily, by `test_as_plain_python`."""
    compare_all(agent, hanabi(players=players), range(1))


def test_chooses_from_the_observation_alone(agent):
    player = agent.policy(hanabi())
    testing.check_no_leak(player.game, player.act, episodes=4)


@pytest.mark.nojit
def test_takes_the_first_action_of_a_mask_that_lacks_its_move(agent):
    player = agent.policy(hanabi())
    row, mask = rows_of(player.game, player.game.deal(0))
    mask[0, player.act(row, mask)[0]] = 0
    assert player.act(row, mask)[0] == mask[0].argmax()


@pytest.mark.nojit
@pytest.mark.parametrize("parameters", [{"information": 0}, {"hand_size": 1}], ids=str)
def test_plays_no_game_that_it_has_no_rules_for(agent, parameters):
    name = agent.policy.__name__
    with pytest.raises(ValueError, match=f"{name} needs an information token and hands of two cards, unlike hanabi:"):
        agent.policy(hanabi(**parameters))
    with pytest.raises(ValueError, match=f"{name} plays hanabi, not whist"):
        agent.policy("whist")
