"""Described games beside the same games written by hand: the same deals, masks, winners and points, and the same value."""

from collections.abc import Callable
from typing import Any

import pytest

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from tests.helpers.described import file_of
from tests.toys.cfr import Solver


def deals(spec: GameSpec, count: int, key: Callable[[Games], Any]) -> list[Games]:
    """So many different deals of a game, all that there are, each of shape (1,)."""
    streams = seed_streams(1, 1)
    found: dict[Any, Games] = {}
    for _ in range(100 * count):
        games = spec.new_games(1)
        spec.kernels.deal(games, 0, streams, 0)
        found.setdefault(key(games), games)
    assert len(found) == count
    return list(found.values())


@pytest.mark.slow
def test_the_value_of_described_kuhn_poker() -> None:
    """-1/18 for the first seat, found as in the toy that is written by hand; its observation tells all that was done."""
    spec = get_game(file_of("kuhn-poker"))
    solver = Solver(spec, deals(spec, 6, lambda games: games[0]["where"].tobytes()))
    assert len(solver.known) == 12
    solver.run(400)
    assert solver.value() / 2 == pytest.approx(-1 / 18, abs=0.001)
    assert -1 / 18 - 1e-9 <= solver.best_response(0) / 2 < -1 / 18 + 0.01
    assert 1 / 18 - 1e-9 <= solver.best_response(1) / 2 < 1 / 18 + 0.01
