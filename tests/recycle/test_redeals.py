"""Re-deals of described games: the true deal is always among them, and all that are possible come equally often."""

import numpy as np
import numpy.typing as npt
import pytest

from cardenvs import get_game, testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.recycle import shipped, shipped_names
from cardenvs.recycle.compiler.layout import Layout
from tests.helpers.described import file_of
from tests.helpers.hidden_worlds import check_worlds, hidden_slots, worlds_left
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


@pytest.mark.parametrize("name", ["euchre", "kuhn-poker", "whist"])
def test_endgames_are_dealt_anew_as_often_as_they_can_be(name: str) -> None:
    """All ways to put the cards that a seat does not know into their slots, against 50 re-deals of each.

    Some 60 positions a game, each of which fails by chance once in 10,000.
    """
    spec, layout = get_game(file_of(name)), Layout(shipped(name))
    views, streams = spec.new_games(1), seed_streams(4, 1)
    tried = 0
    for games in testing.random_positions(spec, 30, 3):
        if games[0]["over"] != RUNNING or tried == 60:
            continue
        seat = int(games[0]["to_act"])
        spec.kernels.view(games, 0, seat, views, 0)
        if 2 <= len(hidden_slots(layout, views[0])) <= MOST_HIDDEN:
            possible = worlds_left(layout, views[0])
            check_worlds(spec, layout, views, streams, possible, 50 * len(possible))
            tried += len(possible) > 1
    assert tried >= (20 if name == "kuhn-poker" else 40)
