"""Described games that are watched: they run as plain Python, and see what a seat sees and no more."""

import numpy as np
import pytest

from cardenvs.recycle import parse
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.running import places
from cardenvs.recycle.view_audit import Sights, Watched

LAYS = """;;! max_decisions 4
(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN)))))
 (do ((shuffle (game iloc STOCK)) (all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (game sto LAID) 9))
  (choice (
   ((== (game sto LAID) 0) (any (subsets ((current player) iloc HAND)) 'S
    (do ((set (game sto LAID) 1) (all 'S 'X (move 'X (top (game %s AWAY))))))))
   ((> (game sto LAID) 0) (set (game sto LAID) 9)))))
 (scoring max (game sto LAID)))"""


def dealt(place: str, seed: int = 3) -> tuple[Sights, Watched]:
    """A deal of the game in which cards are laid into a place of a kind."""
    module = Module(Layout(parse(LAYS % place)))
    sights = Sights(module, np.dtype(module.fields, align=True))
    state = np.zeros(1, sights.plain)
    state["chance"] = seed
    return sights, sights.watch(state[0])


def test_nothing_that_is_watched_is_compiled() -> None:
    kernels = [value for value in vars(places).values() if hasattr(value, "py_func")]
    before = [len(kernel.signatures) for kernel in kernels]
    sights, watched = dealt("vloc")
    while watched.to_act >= 0:
        watched.step(watched.legal[0])
    reached = [sights.code.run, sights.code.step, sights.code.move_card]
    found = [value for function in reached for value in function.__globals__.values() if callable(value)]
    assert len(found) > 60 and not any(hasattr(value, "py_func") for value in found)
    assert [len(kernel.signatures) for kernel in kernels] == before


@pytest.mark.parametrize("place", ["vloc", "hloc"])
def test_how_many_parts_a_choice_has_is_seen_by_nobody_else(place: str) -> None:
    """A card laid away alone: with a word where the hand has a higher one, and without one where it has none."""
    sights, watched = dealt(place)
    held = sorted(sights.places(watched.state[0])[1][1])
    named = sights.module.actions.keys
    for card in held[:2]:
        action = named.index((("card", card),))
        assert action in watched.legal
    two = watched.copy()
    two.step(named.index((("card", held[1]),)))
    one = watched.copy()
    one.step(named.index((("card", held[2]),)))
    assert two.within and not one.within
    before = watched.sight(1), watched.unseen(1)
    assert (two.sight(1), two.unseen(1)) == before
    two.step(next(k for k in two.legal if named[k][-1][0] == "done"))
    assert not two.within and (two.sight(1) != one.sight(1)) == (place == "vloc")
    assert two.sight(0) != one.sight(0)
    assert (held[1] in two.unseen(1)) == (place == "hloc")
