"""The properties of `cardenvs.testing`, for Whist, and the sizes and names of its observation."""

from typing import Any

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.games import whist
from cardenvs.games.whist import OBSERVATION, SPEC
from tests.naive import whist as naive

pytestmark = pytest.mark.compiled

CHECKS = (
    testing.check_ends, testing.check_text, testing.check_observations, testing.check_redeals, testing.check_rewinds,
    testing.check_no_leak, testing.check_rewards, testing.check_flaws,
)  # fmt: skip


@pytest.mark.slow
def test_properties() -> None:
    testing.check_game(SPEC)


def test_nothing_is_told_that_is_secret() -> None:
    testing.check_telling(SPEC, episodes=1)
    testing.check_secrets(SPEC, episodes=1, looks=20)


OPTIONS = [{}, {"episode": "game", "target": 7}, pytest.param({"episode": "game", "target": 10}, marks=pytest.mark.slow)]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_properties_of_games(check: Any, options: dict[str, Any]) -> None:
    check(SPEC, episodes=1 if options else 5, seed=1, **options)


def test_sizes() -> None:
    assert SPEC.observation_size == sum(part.size for part in OBSERVATION) == 802
    assert SPEC.state_size == 802 + sum(part.size for part in SPEC.hidden) == 958
    assert SPEC.num_actions == 52
    assert SPEC.dtype.itemsize == 312


def test_parts_say_what_they_mean() -> None:
    hands = "/".join("".join(rank + suit for rank in "23456789TJQKA") for suit in "cdhs")
    games = SPEC.parse(f"whist episode=game target=7 score=2-6 dealer=1 hands={hands} shown=Td actions=2h,3s,4c,5d,6d,7h")
    lines = dict(line.split(maxsplit=1) for line in SPEC.describe(SPEC.full_state(games, 3)).splitlines())
    assert lines == {
        "hand": "2s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As", "played_self": "3s", "played_left": "4c",
        "played_partner": "5d 6d", "played_right": "2h 7h", "trick_partner": "6d", "trick_right": "7h",
        "could_hold_left": " ".join(r + s for s in "cd" for r in "23456789TJQKA" if r + s not in ("4c", "5d", "6d", "Td")),
        "could_hold_partner": " ".join(r + s for s in "cd" for r in "23456789TJQKA" if r + s not in ("4c", "5d", "6d")),
        "could_hold_right": " ".join(r + s for s in "ch" for r in "23456789TJQKA" if r + s not in ("2h", "4c", "7h")),
        "shown": "Td", "trump": "diamonds", "dealer": "partner", "to_act": "self", "leader": "partner",
        "winner": "partner", "voids_self": "hearts", "voids_left": "hearts", "voids_partner": "hearts",
        "voids_right": "diamonds", "tricks_partner": "1", "score_own": "1 2 3 4 5 6", "score_other": "1 2",
        "episode": "game", "target": "7", "hand_left": "2c 3c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac",
        "hand_partner": "2d 3d 4d 7d 8d 9d Td Jd Qd Kd Ad", "hand_right": "3h 4h 5h 6h 8h 9h Th Jh Qh Kh Ah",
    }  # fmt: skip


def test_rows_of_zeros_decode() -> None:
    """A batch shows them where an episode is over."""
    view = SPEC.decode(np.zeros((1, SPEC.observation_size), np.int8))[0]
    assert not view["hands"].any()
    assert view["to_act"] == -1
    assert view["trump"] in range(4)
    assert view["target"] in SPEC.option("target").choices


def test_playouts() -> None:
    from cardenvs.compiled.streams import seed_streams

    games = SPEC.new_games(2)
    repeats = 1000
    assert SPEC.kernels.random_playouts(games, repeats, True, seed_streams(1, 1), 0) == 52 * repeats
    assert np.asarray(games[1]["tricks"]).sum() == 13


def test_actions_in_words() -> None:
    state = SPEC.deal(1)[0]
    assert SPEC.action_words(state, SPEC.action("Td")) == ("play the ten of diamonds", "plays the ten of diamonds")
    assert len({SPEC.action_words(state, action) for action in range(SPEC.num_actions)}) == 52


def test_points_of_every_number_of_tricks() -> None:
    for tricks in range(14):
        own, other = naive.points([tricks, 13 - tricks, 0, 0])
        assert whist.points_for(tricks) == own
        assert whist.margin(tricks) == own - other
