"""Re-deals of described games: the true deal is always among them, and all that are possible come equally often."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from cardenvs import get_game, testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.recycle import shipped, shipped_names
from cardenvs.recycle.compiler.layout import Layout
from tests.helpers.described import file_of
from tests.helpers.true_deals import check_true_deals

POSITIONS = 240_000
"""Positions of all games together in which the true deal must be among the re-deals."""
LONG = ("lama-full",)
"""Games of many hands, whose worlds have a long past to be replayed: a twentieth of the positions."""
MOST_HIDDEN = 6
"""The most hidden cards whose places are enumerated: 720 ways."""

pytestmark = pytest.mark.slow


def holds_what_is_barred(layout: Layout, states: Games) -> npt.NDArray[np.bool_]:
    """Of which states a place holds a card that play is said to have shown not to be there: re-deals would leave it out."""
    face = np.array([0, *layout.face_of])[np.maximum(states["cards"], 0)]
    words = np.take_along_axis(states["barred"], face // 63, 2)
    return ((words >> (face % 63) & 1 != 0) & (states["cards"] > 0)).any((1, 2))


@pytest.mark.parametrize("name", shipped_names())
def test_the_true_deal_is_among_the_redeals(name: str) -> None:
    layout = Layout(shipped(name))
    positions = -(-POSITIONS // len(shipped_names()) // (20 if name in LONG else 1))
    check_true_deals(get_game(file_of(name)), positions, 2, lambda states: holds_what_is_barred(layout, states))


def hidden(view: Any, places: list[int]) -> list[tuple[int, int]]:
    """The slots of a view, by place and index, whose cards its seat does not know."""
    return [(p, k) for p in places for k in range(int(view["sizes"][p])) if view["cards"][p][k] <= 0]


def arrangement(slots: list[tuple[int, int]], faces: list[int]) -> tuple[tuple[int, int], ...]:
    """The faces in the hidden slots with their places; their order within a place does not count."""
    return tuple(sorted((p, face) for (p, _), face in zip(slots, faces, strict=True)))


def ways(layout: Layout, view: Any, places: list[int], slots: list[tuple[int, int]]) -> Counter[Any]:
    """The arrangements of the cards that a view does not show, with how many orders of these cards make each."""
    shown = {int(card) - 1 for p in places for card in view["cards"][p] if card > 0}
    loose = [card for card in range(len(layout.cards)) if card not in shown]
    assert len(loose) == len(slots)
    found: Counter[Any] = Counter()
    for order in itertools.permutations(loose):
        faces = [layout.face_of[card] for card in order]
        if not any(int(view["barred"][p][face // 63]) >> face % 63 & 1 for (p, _), face in zip(slots, faces, strict=True)):
            found[arrangement(slots, faces)] += 1
    return found


@pytest.mark.parametrize("name", ["euchre", "kuhn-poker", "whist"])
def test_endgames_are_dealt_anew_as_often_as_they_can_be(name: str) -> None:
    """All ways to put the cards that a seat does not know into their slots, against 50 re-deals of each.

    Some 60 positions a game, each of which fails by chance once in 10,000.
    """
    spec, layout = get_game(file_of(name)), Layout(shipped(name))
    places = [p for p, (one, _) in enumerate(layout.places) if one.storage != "mem"]
    views, dealt, streams = spec.new_games(1), spec.new_games(1), seed_streams(4, 1)
    tried = 0
    for games in testing.random_positions(spec, 30, 3):
        if games[0]["over"] != RUNNING or tried == 60:
            continue
        seat = int(games[0]["to_act"])
        spec.kernels.view(games, 0, seat, views, 0)
        slots = hidden(views[0], places)
        if not 2 <= len(slots) <= MOST_HIDDEN:
            continue
        possible, drawn = ways(layout, views[0], places, slots), Counter[Any]()
        for _ in range(50 * len(possible)):
            spec.kernels.redeal(views, 0, streams, 0, dealt, 0)
            drawn[arrangement(slots, [layout.face_of[int(dealt[0]["cards"][p][k]) - 1] for p, k in slots])] += 1
        line = spec.text(games[0])
        assert set(drawn) <= set(possible), line
        if len(possible) > 1:
            share = drawn.total() / possible.total()
            counts = [(drawn[key], share * count) for key, count in possible.items()]
            assert stats.chisquare(*zip(*counts, strict=True)).pvalue > 1e-4, line
            tried += 1
    assert tried >= (20 if name == "kuhn-poker" else 40)
