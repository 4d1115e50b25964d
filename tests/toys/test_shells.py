"""The toy games in every shell: the official tests, the same games everywhere, and episodes that are cut off."""

import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.test.state_test import state_test

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING, TRUNCATED
from cardenvs.contract.registry import register_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.aec import CardEnv, Constructors
from cardenvs.envs.batch import Batch
from cardenvs.envs.seat import SeatEnv
from cardenvs.envs.vector import SeatVectorEnv
from cardenvs.policy.contract import Policy
from cardenvs.policy.registry import make
from tests.helpers.toys import MARKED_TOYS
from tests.toys import climb

UNAVOIDABLE = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
"""PettingZoo warns so about every dict observation that is not on its own list of environments."""
LIMITS = {"kuhn": 2, "ladder": 25, "wolves": 9, "climb": 12}
"""Fewer actions than some episodes have, by game."""


@pytest.fixture(params=[*MARKED_TOYS, climb.SPEC], ids=lambda spec: spec.name)
def toy(request: pytest.FixtureRequest) -> GameSpec:
    """Each of the toy games, and one that brings no more than five kernels."""
    register_game(request.param)
    return request.param


@pytest.fixture(params=[False, True])
def recall(request: pytest.FixtureRequest, toy: GameSpec) -> bool:
    if request.param and not toy.recall_parts:
        pytest.skip("it knows no recall")
    return request.param


class Scripted(Policy):
    """Plays the legal action that a hash of the observation picks: the same in whatever shell."""

    def choose(self, observations: Any, action_masks: Any, streams: Any) -> Any:
        picks = []
        for row, mask in zip(observations, action_masks, strict=True):
            legal = np.flatnonzero(mask)
            picks.append(legal[zlib.crc32(row.tobytes()) % len(legal)])
        return np.array(picks, np.int64)


def test_official_tests_pass_without_avoidable_warnings(toy: GameSpec, recall: bool, capsys: Any) -> None:
    module = Constructors(toy.name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for constructor in (module.env, module.raw_env):
            api_test(constructor(recall=recall), num_cycles=60)
            seed_test(lambda constructor=constructor: constructor(recall=recall), num_cycles=60)
        parallel_api_test(module.parallel_env(recall=recall), num_cycles=60)
        state_test(module.env(recall=recall), module.parallel_env(recall=recall))
        # Other render modes are made by name from Gymnasium's registry, which no toy is in.
        check_env(SeatEnv(toy, recall=recall, max_decisions=LIMITS[toy.name]), skip_render_check=True)
        check_env(SeatEnv(toy.name, seat="random", render_mode="ansi", recall=recall), skip_render_check=True)
    assert [str(w.message) for w in caught if not str(w.message).startswith(UNAVOIDABLE)] == []


def batch_records(spec: GameSpec, options: dict[str, Any], n: int, steps: int) -> list[Any]:
    """What the seats to act in game 0 see and do, what all are paid, and what has ended, in turn."""
    batch = Batch(spec, n, seed=21, **options)
    player = Scripted(batch.spec)
    records: list[Any] = []
    for _ in range(steps):
        actions = player.choose(batch.observations, batch.action_masks, seed_streams(0, n))
        records.append((int(batch.to_act[0]), int(actions[0]), batch.observations[0].tolist()))
        batch.step(actions)
        records.append((batch.rewards[0].tolist(), int(batch.ended[0])))
    return records


def env_records(spec: GameSpec, options: dict[str, Any], steps: int, parallel: bool) -> list[Any]:
    """The same of a PettingZoo environment; a deal that is over in an episode that goes on is not told of."""
    module = Constructors(spec.name)
    env: Any = module.parallel_env(**options) if parallel else module.env(**options)
    env.reset(seed=21)
    player = Scripted(spec.with_recall(options.get("recall", False)))
    records: list[Any] = []
    for _ in range(steps):
        core = env.unwrapped
        agent = core.agent_selection
        observation = core.observe(agent)
        action = int(player.act(observation))
        records.append((core.possible_agents.index(agent), action, observation["observation"].tolist()))
        if parallel:
            _, rewards, terminations, truncations, _ = env.step(dict.fromkeys(env.agents, action))
        else:
            env.step(action)
            rewards, terminations, truncations = env.rewards, env.terminations, env.truncations
        over = set(terminations.values()), set(truncations.values())
        ended = {(False, False): RUNNING, (True, False): EPISODE_OVER, (False, True): TRUNCATED}[
            over[0].pop(), over[1].pop()
        ]
        assert over == (set(), set()), "all agents end together, in one way"
        records.append(([rewards[name] for name in core.possible_agents], ended))
        if ended != RUNNING:
            env.reset()
    return records


@pytest.mark.parametrize("cut", [False, True])
def test_batches_and_pettingzoo_play_the_same(toy: GameSpec, recall: bool, cut: bool) -> None:
    options: dict[str, Any] = {"recall": recall, "max_decisions": LIMITS[toy.name] if cut else None}
    steps = 400 if toy.name == "ladder" else 150
    records = batch_records(toy, options, 3, steps)
    assert records == batch_records(toy, options, 1, steps)
    ends = [record[1] for record in records[1::2]]
    assert (TRUNCATED in ends) == cut or toy.name == "ladder"
    assert EPISODE_OVER in ends or (toy.name == "ladder" and TRUNCATED in ends)
    told = [(rewards, RUNNING if ended == DEAL_OVER else ended) for rewards, ended in records[1::2]]
    for parallel in (False, True):
        other = env_records(toy, options, steps, parallel)
        assert other[::2] == records[::2]
        assert [(pytest.approx(rewards), ended) for rewards, ended in other[1::2]] == told


def test_what_is_cut_off_is_told_apart_in_every_shell(toy: GameSpec) -> None:
    limit = LIMITS[toy.name]
    batch = Batch(toy, 40, seed=1, restart=False, max_decisions=limit)
    player = Scripted(toy)
    seen: set[int] = set()
    for step in range(limit):
        alive = ~batch.finished
        actions = np.zeros(40, np.int64)
        if alive.any():
            actions[alive] = player.choose(batch.observations[alive], batch.action_masks[alive], seed_streams(0, 1))
        batch.step(actions)
        seen |= set(batch.ended.tolist())
        cut = batch.ended == TRUNCATED
        assert not batch.rewards[cut].any() and not batch.action_masks[cut].any()
        assert (batch.to_act[cut] == -1).all() and (batch.decisions[cut] == -1).all()
        assert not cut.any() or step == limit - 1
    assert batch.finished.all() or toy.name == "ladder"
    assert TRUNCATED in seen and (EPISODE_OVER in seen or toy.name == "ladder")

    env = CardEnv(toy, max_decisions=1)
    env.reset(seed=3)
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert all(env.truncations.values()) and not any(env.terminations.values()) and not any(env.rewards.values())
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)

    def ends(env: Any) -> set[tuple[bool, bool]]:
        """Ends and cuts of some episodes of a seat environment."""
        found = set()
        for seed in range(12):
            _, info = env.reset(seed=seed)
            terminated = truncated = False
            while not terminated and not truncated:
                action = int(np.flatnonzero(info["action_mask"])[seed % int(info["action_mask"].sum())])
                _, reward, terminated, truncated, info = env.step(action)
            assert not truncated or reward == 0
            assert not info["action_mask"].any()
            found.add((terminated, truncated))
        return found

    # In an episode of several deals, one may have been paid since the learner's last decision.
    rules = {"episode": "deal"} if toy.name == "ladder" else {}
    assert (False, True) in ends(SeatEnv(toy, max_decisions=limit, **rules))
    vector = SeatVectorEnv(toy, 5, seat="random", max_decisions=limit, **rules)
    _, infos = vector.reset(seed=0)
    cut_off = 0
    for _ in range(60):
        _, rewards, terminated, truncated, infos = vector.step(infos["action_mask"].argmax(1))
        assert not (terminated & truncated).any() and not rewards[truncated].any()
        cut_off += int(truncated.sum())
    assert cut_off > 0


def test_seat_environments_play_the_games_of_batches(toy: GameSpec, recall: bool) -> None:
    player = Scripted(toy.with_recall(recall))
    env = SeatEnv(toy, seat=1, opponents=player, recall=recall)
    observation, info = env.reset(seed=21)
    decisions = []
    for _ in range(40):
        action = int(player.act({"observation": observation, "action_mask": info["action_mask"]}))
        decisions.append((1, action, observation.tolist()))
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            observation, info = env.reset()
    records = batch_records(toy, {"recall": recall}, 1, 500)[::2]
    assert [record for record in records if record[0] == 1][:40] == decisions


def test_states_of_environments_come_back(toy: GameSpec, recall: bool) -> None:
    """What was taken in mid-episode goes on in the same way, chance in play included."""
    rng = np.random.default_rng(4)
    env = CardEnv(toy, recall=recall)
    env.reset(seed=8)
    for _ in range(30 if toy.name == "ladder" else 1):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    kept, twin = env.get_state(), env.clone()
    player = Scripted(env.spec)

    def on(other: CardEnv) -> list[Any]:
        """The rest of the episode."""
        told = []
        while other.agents and not any(other.terminations.values()) and not any(other.truncations.values()):
            action = int(player.act(other.observe(other.agent_selection)))
            other.step(action)
            told.append((action, other.state().tolist(), dict(other.rewards)))
        return told

    first = on(env)
    assert first == on(twin)
    env.set_state(kept)
    assert first == on(env) and first


def test_random_by_name_plays(toy: GameSpec) -> None:
    for game in (toy.name, toy, *([toy.recalling] if toy.recall_parts else [])):
        player = make(game, "random")
        batch = Batch(game, 8, seed=2)
        for _ in range(60):
            actions = player.act(batch.observations, batch.action_masks, np.random.default_rng(5))
            assert batch.action_masks[np.arange(8), actions].all()
            batch.step(actions)
