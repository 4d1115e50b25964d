"""Games of one side by the contract: rewards are its points, and the property checks pass."""

import numpy as np
import pytest

from cardenvs.contract.registry import get_game
from cardenvs.envs.arguments import illegal_rewards
from cardenvs.envs.batch import Batch
from cardenvs.games.hanabi import hanabi
from cardenvs.testing import check_game, check_rewards
from tests.helpers.one_sided import DESCRIPTIONS, one_sided


@pytest.mark.parametrize("name", [pytest.param("patience", marks=pytest.mark.slow), "trust"])
def test_the_property_checks_pass(name: str) -> None:
    assert check_game(one_sided(name)) == []


@pytest.mark.parametrize(("reward", "share"), [("points", 1.0), ("points", 0.0), ("score", 1.0)])
def test_all_seats_are_paid_the_points(reward: str, share: float) -> None:
    check_rewards(one_sided("team"), episodes=5)
    batch, shown = Batch(one_sided("team"), 4, seed=0, reward=reward, restart=False, team_share=share), np.zeros(4)
    while not batch.finished.all():
        actions = batch.action_masks.argmax(1)
        shown += actions + 1
        batch.step(actions)
    assert batch.points[:, 0].tolist() == shown.tolist()
    assert batch.rewards.sum(1).tolist() == (4 * shown).tolist()
    assert share < 1 or batch.rewards.tolist() == [[made] * 4 for made in shown]


def test_an_illegal_action_costs_all_seats() -> None:
    spec = one_sided("team")
    games = Batch(spec, 1, seed=0).games
    assert illegal_rewards(spec, {}, "points", games, np.array([2])).tolist() == [[-1] * 4]


def test_games_know_whether_they_are_of_one_side() -> None:
    assert Batch(hanabi(), 1, reward="win").rewards.shape == (1, 2), "such games may be paid for a win"
    assert all(one_sided(name).one_sided for name in DESCRIPTIONS)
    assert hanabi().one_sided
    assert not get_game("whist").one_sided
    assert not get_game("five-o").one_sided
