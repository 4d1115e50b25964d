"""Five-O passes the checks that every game must pass."""

from __future__ import annotations

import pytest

from cardenvs.contract.cards import card_name
from cardenvs.contract.registry import get_game
from cardenvs.games.five_o import SPEC
from cardenvs.testing import check_game, check_observations, check_text

pytestmark = pytest.mark.compiled

DAILY, *OTHERS = SPEC.option("hidden_rows").choices


@pytest.mark.parametrize("hidden_rows", [DAILY, *(pytest.param(rows, marks=pytest.mark.slow) for rows in OTHERS)])
def test_game(hidden_rows: int) -> None:
    check_game(SPEC, hidden_rows=hidden_rows)


def test_game_without_compilation() -> None:
    check_observations(SPEC, episodes=1)
    check_text(SPEC, episodes=1, hidden_rows=2)


def test_name() -> None:
    assert get_game("five-o") is get_game("five_o") is SPEC


def test_sizes() -> None:
    assert SPEC.observation_size == 720
    assert SPEC.num_actions == 5
    assert SPEC.state_size == 720 + 46 * 52


def test_actions_in_words() -> None:
    games = SPEC.deal(1)
    card = card_name(SPEC.text(games[0]).rpartition("deck=")[2][:2])
    assert SPEC.action_words(games[0], 2) == ("column 3", f"puts the {card} in column 3")
    views = SPEC.new_games(1)
    SPEC.kernels.view(games, 0, 1, views, 0)
    assert SPEC.action_words(views[0], 2) == ("column 3", "puts a card face down in column 3")
