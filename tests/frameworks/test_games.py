"""What the forms for other libraries stand on: self-play beside the simulator, one seat beside the seat environment."""

import importlib
import re
import sys
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, Ended, Policy, SeatEnv, SeatVectorEnv
from cardenvs.envs.arguments import ResetNeeded
from cardenvs.frameworks.games import LibraryGames, OneSeat, SelfPlay, make_games
from cardenvs.plugins import MissingPackageError
from tests.helpers.environments import last_legal
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

OPTIONS = {"bidding": "forced-spades"}
N = 5


def begun(played: LibraryGames, rows: np.ndarray | None = None, seed: Any = None) -> None:
    played.reset(seed, rows)
    assert not (played.terminated | played.truncated)[slice(None) if rows is None else rows].any()


def test_self_play_is_the_simulator() -> None:
    for options in (OPTIONS, {"episode": "game", "target": 5, **OPTIONS}):
        played, batch = SelfPlay("euchre", N, seed=4, **options), Batch("euchre", N, seed=4, **options)
        ends = 0
        for _ in range(400):
            np.testing.assert_array_equal(played.observations, batch.observations)
            np.testing.assert_array_equal(played.action_masks, batch.action_masks)
            np.testing.assert_array_equal(played.seats, batch.to_act)
            actions = last_legal(batch.action_masks)
            played.step(actions)
            batch.step(actions)
            np.testing.assert_array_equal(played.rewards, batch.rewards)
            np.testing.assert_array_equal(played.terminated, batch.ended >= Ended.EPISODE_OVER)
            assert not played.truncated.any()
            over = np.flatnonzero(played.terminated)
            if len(over):
                ends += len(over)
                assert (played.seats[over] == -1).all()
                assert not played.observations[over].any() and not played.action_masks[over].any()
                begun(played, over)
        assert ends >= 10


def test_one_seat_is_the_seat_environment() -> None:
    settings: dict[str, Any] = {"opponents": "random", "seat": "random", **OPTIONS}
    seeds = [3, 1, 4, 1, 5]
    played, single = OneSeat("euchre", N, seed=seeds, **settings), [SeatEnv("euchre", **settings) for _ in range(N)]
    for one, seed in zip(single, seeds, strict=True):
        one.reset(seed=seed)
    for _ in range(30):
        np.testing.assert_array_equal(played.action_masks, [one.action_masks() for one in single])
        np.testing.assert_array_equal(played.seats, [one.seat_games.learner[0] for one in single])
        actions = last_legal(played.action_masks)
        stepped = [one.step(int(action)) for one, action in zip(single, actions, strict=True)]
        played.step(actions)
        np.testing.assert_array_equal(played.observations, [result[0] for result in stepped])
        np.testing.assert_array_equal(played.rewards, [result[1] for result in stepped])
        np.testing.assert_array_equal(played.terminated, [result[2] for result in stepped])
        over = np.flatnonzero(played.terminated)
        if len(over):
            begun(played, over)
            for i in over:
                np.testing.assert_array_equal(played.observations[i], single[i].reset()[0])


@pytest.mark.parametrize("opponents", [None, "random"])
def test_some_games_are_stepped_and_reset_alone(opponents: str | None) -> None:
    played = make_games("euchre", N, opponents, "terminate", seed=2, **OPTIONS)
    masks, shown = played.action_masks.copy(), played.observations.copy()
    rows = np.array([3, 1])
    played.step(last_legal(masks)[rows], rows)
    others = [0, 2, 4]
    np.testing.assert_array_equal(played.observations[others], shown[others])
    assert (played.observations[rows] != shown[rows]).any(1).all()
    begun(played, rows, seed=[2, 6])
    np.testing.assert_array_equal(played.observations[others], shown[others])
    fresh = make_games("euchre", N, opponents, "terminate", seed=[0, 6, 0, 2, 0], **OPTIONS)
    np.testing.assert_array_equal(played.observations[rows], fresh.observations[rows])
    begun(played, rows, seed=2)  # a game's own stream of the seed
    np.testing.assert_array_equal(played.observations, shown)
    while not played.terminated.all():
        played.step(last_legal(played.action_masks))
    played.step(np.zeros(N, np.int64))  # all are over, and stay over
    assert played.terminated.all() and not played.rewards.any() and not played.messages
    begun(played, np.array([0]))
    assert played.terminated[1:].all() and not played.action_masks[1:].any() and played.action_masks[0].any()


@pytest.mark.parametrize("opponents", [None, "random"])
def test_an_illegal_action_ends_its_game_or_is_an_error(opponents: str | None) -> None:
    played = make_games("euchre", 3, opponents, "terminate", seed=2, **OPTIONS)
    seat = int(played.seats[1])
    actions = last_legal(played.action_masks)
    actions[1] = 40
    played.step(actions)
    assert played.terminated.tolist() == [False, True, False] and not played.truncated.any()
    assert list(played.messages) == [1]
    assert f"illegal action 40 for player_{seat} in euchre: legal are" in played.messages[1]
    loss = SeatVectorEnv("euchre", 1, **OPTIONS)
    _, infos = loss.reset(seed=0)
    least = loss.step(infos["action_mask"].argmin(1))[1][0]
    if opponents is None:
        paid = [least if other % 2 == seat % 2 else -least for other in range(4)]
        assert played.rewards.tolist() == [[0] * 4, paid, [0] * 4]
    else:
        assert played.rewards.tolist() == [0, least, 0]
    assert not played.action_masks[1].any()
    played.step(last_legal(played.action_masks))
    assert played.terminated[1] and not played.rewards.any() and not played.messages
    begun(played, np.array([1]))
    assert played.action_masks.any(1).all()
    strict = make_games("euchre", 3, opponents, "raise", seed=2, **OPTIONS)
    before = strict.observations.copy()
    check_refused("game 1: illegal action 40 ", strict.step, actions)
    np.testing.assert_array_equal(strict.observations, before)


@pytest.mark.parametrize("opponents", [None, "random"])
def test_what_is_cut_off_is_no_end(opponents: str | None) -> None:
    played = make_games("euchre", 3, opponents, "terminate", seed=2, max_decisions=6, **OPTIONS)
    while not played.truncated.any():
        played.step(last_legal(played.action_masks))
    cut = int(played.truncated.argmax())
    assert not played.terminated.any() and not played.rewards[cut].any() and not played.action_masks[cut].any()
    assert played.observations[cut].any() and played.seats[cut] >= 0
    if isinstance(played, SelfPlay):
        expected = played.batch.observe(cut, int(played.batch.games[cut]["to_act"]))
        np.testing.assert_array_equal(played.observations[cut], expected)
    begun(played)
    assert played.action_masks.any(1).all()


class Failing(Policy):
    """Plays the last legal card until it is told to fail."""

    failing = False

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, streams: np.ndarray) -> np.ndarray:
        return np.full(len(streams), -1) if self.failing else last_legal(action_masks)


def test_after_a_policys_error_all_games_are_reset() -> None:
    player = Failing("euchre")
    played = OneSeat("euchre", 3, opponents=player, seed=1, **OPTIONS)
    player.failing = True
    check_refused("the policy ", played.step, last_legal(played.action_masks))
    player.failing = False
    for call in (lambda: played.step([0, 0, 0]), lambda: played.reset(rows=np.array([0]))):
        check_refused("reset all games first", call, error=ResetNeeded)
    played.reset()
    played.step(last_legal(played.action_masks))


@pytest.mark.parametrize(
    ("door", "package", "command"),
    [
        ("torchrl", "torchrl", 'in a checkout: pip install ".[torchrl]"'),
        ("tianshou", "tianshou", 'pip install "tianshou>=2.0"'),
        ("rllib", "tree", 'pip install "ray[rllib]>=2.60"'),
    ],
)
def test_a_library_that_is_missing_is_named(door: str, package: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"cardenvs.frameworks.{door}", raising=False)
    with pytest.raises(MissingPackageError, match=rf"^games for \w+: the package .* is missing; {re.escape(command)}$"):
        importlib.import_module(f"cardenvs.frameworks.{door}")
