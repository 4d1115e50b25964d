"""Games that announce their kind under another name are shown and solved as the game whose kind that is."""

import dataclasses
import json

import numpy as np
import pytest

from cardenvs import GameSpec, get_game, register_game
from cardenvs.baselines.review.truth import open_values
from cardenvs.contract.loops import RUNNING
from cardenvs.information_audit import counts as audit
from cardenvs.play import HUMAN, Table, seat_view
from cardenvs.render.scene import scene
from cardenvs.render.svg import picture


@pytest.fixture(params=["euchre", "five-o", "whist"])
def twins(request: pytest.FixtureRequest) -> tuple[GameSpec, GameSpec]:
    """A game, and one of another name with its rules and its kind."""
    game = get_game(request.param)
    return game, register_game(dataclasses.replace(game, name=f"toy-{game.name}"))


def test_pictures_and_open_values_go_by_the_kind(twins: tuple[GameSpec, GameSpec]) -> None:
    game, other = twins
    states = list(audit.deal_positions(game, 5))
    for state in states[:: max(1, len(states) // 12)]:
        for seat in (None, 0, 1):
            assert picture(scene(other, state, seat), "a deal") == picture(scene(game, state, seat), "a deal")
    played = np.concatenate([state for state in states if state[0]["over"] == RUNNING][-6:])
    assert open_values(other, played) == open_values(game, played)


def test_tables_go_by_the_kind(twins: tuple[GameSpec, GameSpec]) -> None:
    shown = []
    for game in twins:
        table = Table(game, [HUMAN] * game.seats, seed=3, repeatable=True)
        rng, pages = np.random.default_rng(1), []
        while table.to_act is not None:
            pages += [seat_view(table, seat) for seat in (0, None)]
            table.act(table.to_act, int(rng.choice(table.legal())))
        pages.append(seat_view(table, 0))
        shown.append([json.dumps(page, sort_keys=True) for page in pages])
    first, second = shown
    assert len(first) > 20 and [page.replace(twins[1].name, twins[0].name) for page in second] == first
