"""Agents for Hanabi that remember the deal move as their naive versions do, by memory, by replay and by observations."""

from __future__ import annotations

import pytest

from cardenvs import testing
from cardenvs.baselines.heuristics.hanabi_recommendation import HatRecommendation
from cardenvs.games.hanabi import hanabi
from tests.helpers.hanabi_agents import AGENTS, compare_all
from tests.helpers.positions import rows_of

pytestmark = pytest.mark.slow


def _called(one):
    """The name of a test's argument."""
    return str(one) if isinstance(one, dict) else one.policy.__name__


EACH = pytest.mark.parametrize("agent", AGENTS, ids=_called)
STANDARD = pytest.mark.parametrize(
    ("agent", "form"), [(agent, {"players": players}) for agent in AGENTS for players in agent.players], ids=_called
)
OTHERS = pytest.mark.parametrize(
    ("agent", "form"), [(agent, form) for agent in AGENTS for form in agent.forms], ids=_called
)


@STANDARD
def test_moves_as_the_naive_version_does(agent, form):
    steps = compare_all(agent, hanabi(**form), range(10))
    assert steps >= agent.often


@EACH
def test_moves_as_the_naive_version_does_by_observations(agent):
    player = agent.policy(hanabi(players=agent.players[0]))
    compare_all(agent, player.game.plain, range(3), player=player)


@STANDARD
def test_moves_as_the_naive_version_does_in_many_deals(agent, form):
    player = agent.policy(hanabi(**form))
    steps = compare_all(agent, player.game.plain, range(100, 600), player=player)
    assert len(steps) == agent.steps  # all that can decide a move


@OTHERS
def test_moves_as_the_naive_version_does_in_other_forms(agent, form):
    compare_all(agent, hanabi(**form), range(8))


@STANDARD
def test_moves_as_the_naive_version_does_among_moves_at_random(agent, form):
    """What moves tell is false here, so that sets of faces become empty."""
    compare_all(agent, hanabi(**form), range(6), noise=4)


@pytest.mark.nojit
@STANDARD
def test_moves_alike_without_compilation(agent, form):
    """Daily, by `test_as_plain_python`."""
    compare_all(agent, hanabi(**form), range(1))


@EACH
def test_chooses_from_the_observation_alone(agent):
    player = agent.policy(hanabi(players=agent.players[0]))
    testing.check_no_leak(player.game, player.act, episodes=4)


@EACH
@pytest.mark.nojit
def test_takes_the_first_action_of_a_mask_that_lacks_its_move(agent):
    player = agent.policy(hanabi(players=agent.players[0]))
    row, mask = rows_of(player.game, player.game.deal(0))
    mask[0, player.act(row, mask)[0]] = 0
    assert player.act(row, mask)[0] == mask[0].argmax()


@EACH
@pytest.mark.nojit
@pytest.mark.parametrize("parameters", [{"information": 0}, {"hand_size": 1}], ids=str)
def test_plays_no_game_that_it_has_no_rules_for(agent, parameters):
    name = agent.policy.__name__
    with pytest.raises(ValueError, match=f"{name} needs an information token and hands of two cards, unlike hanabi:"):
        agent.policy(hanabi(**parameters))
    with pytest.raises(ValueError, match=f"{name} plays hanabi, not whist"):
        agent.policy("whist")


@pytest.mark.nojit
@pytest.mark.parametrize("parameters", [{"players": 4}, {"players": 5, "hand_size": 5}], ids=str)
def test_hat_recommendation_plays_five_with_four_cards(parameters):
    with pytest.raises(ValueError, match="HatRecommendation plays hanabi of 5 with 4 cards each, not hanabi:"):
        HatRecommendation(hanabi(**parameters))
