"""Deals whose shuffles end in an order that is told, and what a deal's line says of them."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle.game import compiled
from cardenvs.recycle.library import shipped

LINES = [
    ("orders=1.2.3.4.5/1.1", "a shuffle has at most"),
    ("orders=99", "must be a number from 0 to 55"),
    ("orders=" + "/".join(["1"] * 40), "40 shuffles, where at most 16 can be told"),
    ("redrawn=5", "must be the number of an action"),
    ("zero=x", "must be a number"),
]


@pytest.fixture(scope="module")
def pairs() -> GameSpec:
    """A game in which cards are shuffled again and again."""
    return compiled(shipped("pairs"), "pairs")


def test_a_deal_with_two_cards_exchanged_is_the_deal_with_these_two_exchanged(pairs: GameSpec) -> None:
    assert pairs.exchange is not None
    *_, games = (games.copy() for games in testing.random_positions(pairs, 1, seed=2))
    start = pairs.exchange(games[0], 3, 50)
    line = pairs.text(start[0])
    assert not testing.differing_fields(pairs, pairs.parse(line)[0], start[0])
    first = pairs.parse(pairs.text(games[0], actions=False))
    exchanged = first["cards"].copy()
    exchanged[first["cards"] == 4], exchanged[first["cards"] == 51] = 51, 4
    assert np.array_equal(start["cards"], exchanged)


def test_orders_by_numbers_repeat_a_game(pairs: GameSpec) -> None:
    assert pairs.exchange is not None
    *_, games = (games.copy() for games in testing.random_positions(pairs, 1, seed=5))
    again = pairs.exchange(games[0], 0, 0)
    for action in games[0]["history"][: games[0]["moves"]].tolist():
        pairs.kernels.step(again, 0, action)
    assert set(testing.differing_fields(pairs, games[0], again[0])) == {"ordering", "orders"}


@pytest.mark.parametrize(("words", "message"), LINES)
def test_wrong_orders_are_refused(pairs: GameSpec, words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pairs.parse(f"pairs chance=0123456789abcdef {words}")
