"""What an illegal action costs: the same in all environments, and never less than any way to play on."""

from typing import Any

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.contract.registry import get_game
from cardenvs.envs.aec import CardEnv
from cardenvs.envs.arguments import ResetNeeded
from cardenvs.envs.batch import Batch
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from tests.helpers.environments import first_legal, module_of

pytestmark = pytest.mark.compiled

WORST = [
    ("euchre", {}, 4), ("euchre", {"bidding": "forced-spades"}, 2), ("euchre", {"reward": "tricks"}, 5),
    ("euchre", {"reward": "win"}, 1), ("euchre", {"episode": "game"}, 13),
    ("euchre", {"episode": "game", "reward": "win"}, 1),
    ("euchre", {"episode": "game", "reward": "tricks", "target": 5}, 17),
    ("whist", {}, 7), ("whist", {"reward": "tricks"}, 13), ("whist", {"episode": "game", "target": 7}, 13),
    ("whist", {"episode": "game", "reward": "tricks"}, 20),
    ("five-o", {}, 1), ("five-o", {"reward": "columns"}, 5),
]  # fmt: skip


@pytest.mark.parametrize(("game", "options", "worst"), WORST)
@pytest.mark.parametrize("share", [1.0, 0.0])
def test_an_illegal_action_costs_the_greatest_loss_everywhere(game: str, options: Any, worst: float, share: float) -> None:
    if get_game(game).team:
        options = options | {"team_share": share}
    illegal = get_game(game).num_actions + 5
    for env in (module_of(game).env(**options), CardEnv(game, illegal="terminate", **options)):
        env.reset(seed=1)
        offender = int(env.agent_selection[-1])
        env.step(illegal)
        assert all(env.terminations.values())
        assert "legal are" in env.infos[f"player_{offender}"]["illegal_action"]
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
        for agent in env.agent_iter():
            assert env.last()[1] == (-worst if int(agent[-1]) % 2 == offender % 2 else worst)
            env.step(None)
    parallel = module_of(game).parallel_env(**options)
    parallel.reset(seed=1)
    _, rewards, terminated, truncated, infos = parallel.step(dict.fromkeys(parallel.agents, illegal))
    assert rewards[f"player_{offender}"] == -worst and sum(rewards.values()) == 0
    assert all(terminated.values()) and not any(truncated.values()) and not parallel.agents
    assert "illegal_action" in infos[f"player_{offender}"]
    seat = SeatEnv(game, **options)
    seat.reset(seed=1)
    _, reward, over, cut, info = seat.step(illegal)
    assert (reward, over, cut) == (-worst, True, False)
    assert "legal are" in info["illegal_action"] and not info["action_mask"].any()
    with pytest.raises(ResetNeeded):
        seat.step(0)
    _, info = seat.reset()
    assert info["action_mask"].any()


def test_an_illegal_action_of_one_game_of_many_ends_that_game_alone() -> None:
    vector, legal = SeatVectorEnv("euchre", 4), SeatVectorEnv("euchre", 4)
    _, infos = vector.reset(seed=0)
    legal.reset(seed=0)
    actions = first_legal(infos["action_mask"])
    expected = legal.step(actions)
    actions = actions.copy()
    actions[2] = 40
    rows, rewards, done, _, infos = vector.step(actions)
    assert rewards[2] == -4 and done[2]
    assert infos["_illegal_action"].tolist() == [False, False, True, False]
    assert (infos["_final_obs"] == done).all() and "illegal action 40" in infos["illegal_action"][2]
    others = [0, 1, 3]
    assert (rows[others] == expected[0][others]).all() and (rewards[others] == expected[1][others]).all()
    assert infos["action_mask"].any(axis=1).all()  # a new deal
    vector.step(first_legal(infos["action_mask"]))


@pytest.mark.parametrize(
    ("game", "options"), [(game, {k: v for k, v in options.items() if k != "reward"}) for game, options, _ in WORST]
)
def test_no_episode_loses_more_than_an_illegal_action(game: str, options: Any) -> None:
    spec, n = get_game(game), 200
    for reward in spec.rewards:
        worst = spec.worst_loss(options, reward)
        batch = Batch(game, n, seed=0, reward=reward, restart=False, **options)
        players = [policy.make(game, name) for name in (("low", "high") if spec.team else ("random", "greedy2"))]
        total = np.zeros((n, spec.seats))
        while (batch.to_act >= 0).any():
            chosen = [
                player.choose(
                    batch.observations, np.maximum(batch.action_masks, (batch.to_act < 0)[:, None]), batch.streams.copy()
                )
                for player in players
            ]
            batch.step(np.where(batch.to_act % 2 == 0, *chosen))
            total += batch.rewards
        assert -worst <= total.min() < 0
