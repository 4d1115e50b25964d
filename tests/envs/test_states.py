"""States of environments, taken and given back: what follows is the same as in the original."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, SeatEnv, SeatVectorEnv, euchre_v0, five_o_v0, get_game, whist_v0
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import TRUNCATED
from cardenvs.envs.arguments import ResetNeeded
from cardenvs.policy.registry import make as make_policy
from tests.helpers.environments import SHELLS, module_of, tell
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

GAMES = ["whist", "euchre", "five-o", "hanabi"]
SEATED = {"seat": "random", "opponents": ["random", "high", "low"], "partner": ["high", "low"]}


def begun(env: Any, steps: int) -> Any:
    """The environment after so many steps of an episode."""
    env.reset(seed=5)
    tell(env, steps)
    return env


@pytest.mark.parametrize(
    ("shell", "settings"),
    [
        ("raw", {}), ("env", {}), ("parallel", {"waiting": "zeros"}), ("parallel", {"waiting": "noop"}),
        ("seat", {"seat": "random", "opponents": "random"}), ("vector", {"opponents": "random"}),
        ("batch", {"restart": True}), ("batch", {"restart": False}), ("batch", {"threads": 2}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("steps", [0, pytest.param(7, marks=pytest.mark.slow), 40])
@pytest.mark.parametrize("game", GAMES)
def test_what_follows_a_state_or_a_copy_is_the_same(game: str, shell: str, settings: dict[str, Any], steps: int) -> None:
    env, other, fresh = (SHELLS[shell](game, **settings) for _ in range(3))
    state = pickle.loads(pickle.dumps(begun(env, steps).get_state()))
    expected = tell(env.clone(), 70)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env):
        assert tell(twin, 70) == expected
    for again in (begun(other, 3), env, fresh):
        again.set_state(state)
        if shell in ("raw", "env"):
            assert again.unwrapped.get_state() == state
        assert tell(again, 70) == expected


def test_states_and_copies_know_who_sits_where() -> None:
    env, other = (SeatVectorEnv("euchre", 6, bidding="forced-spades", **SEATED) for _ in range(2))
    state, twins = begun(env, 8).get_state(), [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), other]
    other.set_state(state)
    expected = tell(env, 30)
    assert all(tell(twin, 30) == expected for twin in twins)
    before = env.get_state()
    for wrong in (None, state["lineups"] + 7, state["lineups"][:, 1:], state["lineups"].astype(np.int32)):
        check_refused("state must be what get_state() returned: its 'lineups'", env.set_state, state | {"lineups": wrong})
    assert all(np.array_equal(before[name], array) for name, array in env.get_state().items())


@pytest.mark.parametrize("steps", range(40, 46))
def test_states_as_agents_leave_one_by_one(steps: int) -> None:
    env = begun(five_o_v0.raw_env(), min(steps, 42))
    if steps > 42:
        with pytest.raises(ResetNeeded):
            env.last()
    other = five_o_v0.raw_env()
    other.set_state(env.get_state())
    assert (other.agents, other.rewards, other.terminations) == (env.agents, env.rewards, env.terminations)
    assert tell(other, 9) == tell(env, 9)


def test_an_illegal_end_is_part_of_the_state() -> None:
    env, other = begun(euchre_v0.env(), 0), euchre_v0.env()
    env.step(0 if not env.last()[0]["action_mask"][0] else 34)
    assert any("illegal_action" in info for info in env.infos.values())
    other.set_state(env.get_state())
    assert other.infos == env.infos and tell(other, 9) == tell(env, 9)


def test_a_picture_was_drawn_before() -> None:
    pytest.importorskip("pygame")
    env = begun(euchre_v0.raw_env(render_mode="rgb_array"), 5)
    picture = env.render()
    twin = env.clone()
    assert np.array_equal(twin.render(), picture) and tell(twin, 40) == tell(env, 40)


@pytest.mark.parametrize("name", ["game", "agent_selection", "skipped", "agents", "to_act", "stream", "rewards"])
def test_states_of_other_types_within_are_refused(name: str) -> None:
    env = begun(whist_v0.raw_env(), 2)
    state = env.get_state()
    for wrong in (np.zeros(1, [("a", int)])[0], np.zeros(2), "nobody", b"", 2.5, [], np.str_("player_0")):
        with pytest.raises(ValueError, match=r"^state must be what get_state\(\) of an environment of whist returned"):
            env.set_state(state._replace(**{name: wrong}))


@pytest.mark.parametrize("wrong", [None, 3, {}, {"games": 1}, "state", lambda: Batch("whist", 3, seed=0).get_state()])
def test_wrong_states_are_refused(wrong: Any) -> None:
    batch, seat, vector = Batch("whist", 2, seed=0), SeatEnv("whist"), SeatVectorEnv("whist", 2)
    before = batch.get_state()
    for env in (batch, seat, vector, whist_v0.raw_env(), whist_v0.env(), whist_v0.parallel_env()):
        check_refused("must be", env.set_state, wrong() if callable(wrong) else wrong)
    assert all(np.array_equal(array, before[name]) for name, array in batch.get_state().items())
    check_refused("must be what get_state", whist_v0.raw_env().set_state, begun(euchre_v0.raw_env(), 2).get_state())


@pytest.mark.parametrize("game", GAMES)
def test_every_shell_tells_a_truncation_from_an_end(game: str) -> None:
    limit = 2 if game == "hanabi" else 6  # the first action loses Hanabi in three
    settings: dict[str, Any] = {"max_decisions": limit} | ({"reward": "win"} if game == "hanabi" else {})
    env = module_of(game).env(**settings)
    env.reset(seed=1)
    for k in range(limit):
        assert not any(env.truncations.values()), k
        env.step(int(env.last()[0]["action_mask"].argmax()))
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert not any(env.rewards.values())
    while env.agents:
        assert env.last()[1:4] == (0, False, True)
        env.step(None)
    parallel = module_of(game).parallel_env(**settings)
    observations, _ = parallel.reset(seed=1)
    for _ in range(limit):
        actions = {agent: int(shown["action_mask"].argmax()) for agent, shown in observations.items()}
        observations, rewards, terminations, truncations, _ = parallel.step(actions)
    assert all(truncations.values()) and not any(terminations.values()) and not any(rewards.values())
    assert not parallel.agents
    seat = SeatEnv(game, **settings)
    seat.reset(seed=1)
    ends = []
    while not ends or not any(ends[-1][1:]):
        ends.append(seat.step(int(seat.action_masks().argmax()))[1:4])
    assert ends[-1] == (0, False, True)
    with pytest.raises(ResetNeeded):
        seat.step(0)
    vector = SeatVectorEnv(game, 3, **settings)
    _, infos = vector.reset(seed=1)
    for _ in ends:
        _, _, terminated, truncated, infos = vector.step(infos["action_mask"].argmax(1))
    assert not terminated.any() and truncated[0]
    assert infos["_final_obs"].tolist() == truncated.tolist()


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("restart", [False, True])
def test_a_batch_cuts_off(skip_forced: bool, restart: bool) -> None:
    batch = Batch("whist", 4, seed=1, max_decisions=10, skip_forced=skip_forced, restart=restart)
    made = np.zeros(4, np.int64)
    for _ in range(10):
        running = batch.decisions >= 0
        batch.step(batch.action_masks.argmax(1))
        cut = batch.ended == TRUNCATED
        assert not batch.rewards.any() and (cut <= running).all()
        made += cut
    assert (made == 1).all()
    if restart:
        assert (batch.to_act >= 0).all() and (batch.games["moves"] < 10).all()
    else:
        assert (batch.to_act == -1).all() and not batch.action_masks.any() and batch.finished.all()
        state = batch.get_state()
        batch.step(np.full(4, 99))  # any int will do
        assert all(np.array_equal(array, state[name]) for name, array in batch.get_state().items() if name != "ended")
        batch.deal(np.arange(4))
        assert (batch.decisions == 0).all() and (batch.to_act >= 0).all()


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_says_who_has_won(game: str) -> None:
    batch = Batch(game, 40, seed=3, restart=False)
    streams = seed_streams(2, 40)
    random = make_policy(game, "random")
    seen = set()
    while not batch.finished.all():
        assert not batch.winners[~batch.finished].any()
        going = ~batch.finished
        batch.step(np.where(going, random.choose(batch.observations, batch.action_masks | ~going[:, None], streams), -1))
    for i in range(40):
        winners = batch.spec.outcome(batch.games[i]).winners
        assert batch.winners[i] == sum(1 << side for side in winners)
        seen.add(winners)
    assert len(seen) > 1 or batch.spec.one_sided  # random players lose
    twin = Batch(game, 40, seed=4, restart=False)
    twin.set_state(batch.get_state())
    assert (twin.winners == batch.winners).all()
    batch.reset(seed=5)
    assert not batch.winners.any()


def test_an_end_at_the_limit_is_an_end() -> None:
    batch = Batch("whist", 3, seed=1, max_decisions=52, restart=False)
    for _ in range(52):
        batch.step(batch.action_masks.argmax(1))
    assert (batch.ended == 2).all() and batch.rewards.any(1).all()


def test_a_deal_is_put_in_below_the_limit() -> None:
    whist_v0.raw_env(max_decisions=2).reset(options={"deal": get_game("whist").text(get_game("whist").deal(0)[0])})
