"""The properties of `cardenvs.testing` for the toy games, without recall and with it."""

from __future__ import annotations

from typing import Any

import pytest

from cardenvs import testing
from cardenvs.spec import GameSpec, get_game
from tests.toys import kuhn, ladder, wolves

CHECKS = (
    testing.check_ends,
    testing.check_text,
    testing.check_observations,
    testing.check_redeals,
    testing.check_no_leak,
    testing.check_rewards,
    testing.check_flaws,
)


@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize(
    ("spec", "options"),
    [(kuhn.SPEC, {}), (wolves.SPEC, {}), (ladder.SPEC, {"episode": "deal"})],
    ids=["kuhn", "wolves", "ladder"],
)
def test_properties(spec: GameSpec, options: dict[str, Any], recall: bool) -> None:
    testing.check_game(spec.with_recall(recall), **options)


@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_properties_of_games_of_many_deals(check: Any, recall: bool) -> None:
    check(ladder.SPEC.with_recall(recall), episodes=3, seed=1)


@pytest.mark.nojit
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("spec", [kuhn.SPEC, wolves.SPEC], ids=lambda spec: spec.name)
def test_properties_without_compilation(spec: GameSpec, check: Any) -> None:
    check(spec.recalling, episodes=1, seed=2)


@pytest.mark.nojit
@pytest.mark.parametrize("check", [testing.check_text, testing.check_redeals], ids=lambda check: check.__name__)
def test_properties_of_ladder_without_compilation(check: Any) -> None:
    check(ladder.SPEC.recalling, episodes=1, seed=4, episode="deal")


@pytest.mark.nojit
def test_the_toys_are_what_they_are_for() -> None:
    assert get_game("wolves").side_of == (0, 0, 1, 1, 1) and wolves.SPEC.team
    assert ladder.SPEC.mask_words == 2 and ladder.SPEC.num_sides == 3 and not ladder.SPEC.team
    assert "stream" in (ladder.SPEC.dtype.names or ()) and "stream" not in (kuhn.SPEC.dtype.names or ())
    assert (kuhn.SPEC.observation_size, kuhn.SPEC.recalling.observation_size) == (14, 20)
    assert (wolves.SPEC.observation_size, wolves.SPEC.recalling.observation_size) == (93, 93 + 5 * 15)
    assert ladder.SPEC.recalling.observation_size == ladder.SPEC.observation_size + 8 * ladder.MAX_STEPS
