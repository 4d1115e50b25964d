"""Same seed and same actions, same game: in every shell."""

import numpy as np
import pytest

from cardenvs import Batch, get_game
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.seat import SeatEnv
from cardenvs.policy.contract import Policy
from tests.helpers.environments import module_of

pytestmark = pytest.mark.compiled


class Scripted(Policy):
    """Plays the legal action that a hash of the observation picks: the same in whatever shell."""

    def choose(self, observations, action_masks, streams):
        picks = []
        for row, mask in zip(observations, action_masks, strict=True):
            legal = np.flatnonzero(mask)
            picks.append(legal[int(row.astype(np.int64) @ np.arange(1, len(row) + 1)) % len(legal)])
        return np.array(picks, np.int64)


def batch_records(game, options, n, seed, steps, threads=1):
    batch = Batch(game, n, seed=seed, threads=threads, **options)
    player = Scripted(game)
    records = []
    for _ in range(steps):
        records.append((batch.observations[0].copy(), int(batch.to_act[0])))
        batch.step(player.choose(batch.observations, batch.action_masks, seed_streams(0, n)))
        records.append((batch.rewards[0].copy(), int(batch.ended[0])))
    return records


def aec_records(game, options, seed, steps, parallel):
    module, player, records = module_of(game), Scripted(game), []
    env = module.parallel_env(**options) if parallel else module.env(**options)
    aec, shown = env.unwrapped, env.reset(seed=seed)
    for _ in range(steps):
        agent = aec.agent_selection
        one = shown[0][agent] if parallel else env.observe(agent)
        records.append((one["observation"], aec.possible_agents.index(agent)))
        action = player.act(one)
        shown = env.step(dict.fromkeys(env.agents, action) if parallel else action)
        rewards = shown[1] if parallel else env.rewards
        over = any((shown[2] if parallel else env.terminations).values())
        records.append((np.array([*rewards.values()], np.float32), 2 if over else None))
        if over:
            shown = env.reset()
    return records


def same(one, two):
    for (a, x), (b, y) in zip(one, two, strict=True):
        assert np.array_equal(a, b)
        assert x == y or (y is None and x < 2)


def test_batch_does_not_depend_on_its_size_or_threads(game_and_options):
    game, options = game_and_options
    one = batch_records(game, options, 1, 9, 150)
    same(one, batch_records(game, options, 7, 9, 150))
    same(one, batch_records(game, options, 7, 9, 150, threads=3))


@pytest.mark.parametrize("parallel", [False, True])
def test_pettingzoo_plays_the_batch_games(game_and_options, parallel):
    game, options = game_and_options
    same(batch_records(game, options, 3, 21, 120), aec_records(game, options, 21, 120, parallel))


def test_seat_env_plays_the_batch_games(game_and_options):
    game, options = game_and_options
    player = Scripted(game)
    env = SeatEnv(game, seat=0, opponents=player, **options)
    observation, info = env.reset(seed=33)
    seen = []
    while len(seen) < 30:
        seen.append(observation)
        action = player.act({"observation": observation, "action_mask": info["action_mask"]})
        observation, _, over, _, info = env.step(action)
        if over:
            observation, info = env.reset()
    decisions = [o for o, seat in batch_records(game, options, 2, 33, 2000)[::2] if seat == 0]
    for mine, theirs in zip(seen, decisions, strict=False):
        assert np.array_equal(mine, theirs)


def test_replaying_the_text_gives_the_same_states(game_and_options):
    game, options = game_and_options
    rules = {k: v for k, v in options.items() if k not in ("reward", "team_share")}
    spec = get_game(game)
    batch = Batch(game, 4, seed=2, **rules)
    player = Scripted(game)
    for _ in range(40):
        batch.step(player.choose(batch.observations, batch.action_masks, seed_streams(0, 4)))
        for i in range(4):
            assert spec.parse(spec.text(batch.games[i]))[0] == batch.games[i]


def test_minus_one_passes_a_game_over():
    batch = Batch("whist", 2, seed=0, validate=True)
    before = batch.games.copy()
    batch.step(np.array([batch.action_masks[0].argmax(), -1]))
    assert batch.games[1] == before[1] and batch.games[0] != before[0]


def test_threads_and_states():
    batch = Batch("euchre", 6, seed=0)
    states = batch.states()
    spec = get_game("euchre")
    for i in range(6):
        expected = spec.full_state(batch.games, int(batch.to_act[i]), i)
        assert np.array_equal(states[i], expected)
