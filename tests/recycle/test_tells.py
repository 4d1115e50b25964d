"""``(tell TEST)``: who is told hears whether TEST holds, and knows what follows from it, until cards may have moved."""

import functools

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.spec import GameSpec
from cardenvs.play.seatview import seat_view
from cardenvs.play.table import Table
from cardenvs.recycle import parse
from cardenvs.recycle.game import compiled
from tests.helpers.described import Position, hands_after, place_of
from tests.helpers.pasts import check_pasts
from tests.helpers.positions import redealt, view_of

MINE = "((0 player) oloc HAND)"

HINTS = """(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (COLOUR (RED, BLUE)) (RANK (ONE, TWO, THREE)))))
 (do ((shuffle (game iloc STOCK)) (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P oloc HAND)))))))
 (stage player (end (== (game sto TURNS) 4))
  (choice (
   ;; hint
   (any (RED, BLUE) 'C (all ((next player) oloc HAND) 'X (tell (== (cardatt COLOUR 'X) 'C))))
   ;; lay
   (any ((current player) oloc HAND) 'X (move 'X (top (game vloc TABLE))))
   (tell (next player) (any ((current player) oloc HAND) 'X (== (cardatt RANK 'X) THREE)))))
  (do ((inc (game sto TURNS) 1))))
 (scoring max ((current player) sto POINTS)))"""


position = functools.partial(hands_after, "oloc")
"""Positions behind a deal and some acts."""


def can_be(found: Position, seat: int, owner: int, name: str = "HAND") -> list[str]:
    """What each card of a hand can be for a seat, from the bottom: ranks and suits, as far as slots and hand say."""
    spec, layout, games = found
    view = spec.decode(spec.observation(games, seat)[None])[0]
    place = place_of(layout, name, seat, owner)
    first = sum(int(view["sizes"][k]) for k in range(place) if layout.places[k][0].storage != "mem")
    slots = []
    for k in range(int(view["sizes"][place])):
        told = int(view["ruled"][0][first + k][0]) if view["ruled"].shape[1] > 1 else 0
        out = int(view["barred"][place][0]) | told
        faces = [dict(face[1]) for number, face in enumerate(layout.faces) if not out >> number & 1]
        slots.append("".join(sorted({face["RANK"] for face in faces})) + "/" + "".join(sorted({f["SUIT"] for f in faces})))
    return slots


def each(place: str, test: str, who: str = "") -> str:
    """Tells of each card of a place."""
    return f"(all {place} 'X (tell {who} {test}))"


SUIT, RANK = "(== (cardatt SUIT 'X) R)", "(== (cardatt RANK 'X) D)"
DOWN = "((0 player) hloc DOWN)"
NOTHING = ["ABCD/RS", "ABCD/RS"]
"""Nothing is known of two cards."""
TOLD = {
    # which seat 0 sees of seat 1: nothing is told of seen cards
    "each card by its slot": ([each(MINE, SUIT)], {(0, 0, "HAND"): ["ABCD/S", "ABCD/R"], (0, 1, "HAND"): NOTHING}),
    "to one seat alone": (
        ["(tell (1 player) (== (cardatt SUIT (top (game iloc STOCK))) S))"],
        {(0, 0, "STOCK"): NOTHING, (1, 0, "STOCK"): ["ABCD/RS", "ABCD/S"], (2, 0, "STOCK"): NOTHING},
    ),
    "a card twice": ([each(MINE, SUIT), each(MINE, RANK)], {(0, 0, "HAND"): ["D/S", "D/R"]}),
    **{
        f"by its index, {name}": ([f"(tell (== (cardatt SUIT ({name} {MINE})) S))"], {(0, 0, "HAND"): slots})
        for names, slots in ((("bottom", "0"), ["ABCD/S", "ABCD/RS"]), (("top", "1"), ["ABCD/RS", "ABCD/R"]))
        for name in names
    },
    **{
        f"what a hand has none of, {test}": ([f"(tell {test})"], {(0, 0, "HAND"): [left, left]})
        for test, left in (
            (f"(any {MINE} 'X (== (cardatt RANK 'X) A))", "BCD/RS"), (f"(all {MINE} 'X {RANK})", "D/RS"),
            (f"(not (any {MINE} 'X (== (cardatt RANK 'X) A)))", "BCD/RS"),
            (f"(> (size (filter {MINE} 'X (== (cardatt RANK 'X) A))) 0)", "BCD/RS"),
            (f"(or (any {MINE} 'X (== (cardatt RANK 'X) A)) (any {MINE} 'X (== (cardatt RANK 'X) B)))", "CD/RS"),
            (f"(any {MINE} 'X {RANK})", "ABCD/RS"), (f"(all {MINE} 'X {SUIT})", "ABCD/RS"),
        )
    },
    "moves with its card": (
        [each(MINE, SUIT), f"(move (bottom {MINE}) (top {DOWN}))"],
        {(0, 0, "DOWN"): ["ABCD/S"], (0, 0, "HAND"): ["ABCD/R"]},
    ),
    "of cards that changed places unseen only what holds for all is left": (
        ["(set (game points ORDER) (((SUIT : R) 1) ((SUIT : S) 2)))", f"(repeat all (move (top {MINE}) (top {DOWN})))",
         each(DOWN, SUIT), each(DOWN, RANK), f"(move (min {DOWN} using (game points ORDER)) (top ((0 player) hloc OUT)))"],
        {(0, 0, "DOWN"): ["D/RS"], (0, 0, "OUT"): ["D/RS"]},
    ),
    "a test that has no value for another card rules nothing out": (
        ["(set (game points N) (((RANK : D) 2)))", f"(tell (> (// 8 (score (top {MINE}) using (game points N))) 3))"],
        {(0, 0, "HAND"): NOTHING},
    ),
    "cards that a hidden rule picks": (
        [f"(all (filter {MINE} 'X {SUIT}) 'Y (tell (== (cardatt RANK 'Y) D)))"], {(0, 0, "HAND"): NOTHING},
    ),
}  # fmt: skip
"""What is told by acts, and what the cards of places can be then, from the bottom: by who looks, owner and name."""


@pytest.mark.parametrize(("acts", "places"), TOLD.values(), ids=TOLD)
def test_what_is_told_of_cards(acts: list[str], places: dict[tuple[int, int, str], list[str]]) -> None:
    found = position(*acts)
    for (seat, owner, name), slots in places.items():
        assert can_be(found, seat, owner, name) == slots


def hints() -> GameSpec:
    return compiled(parse(HINTS), "hints")


def test_worlds_are_such_as_was_told() -> None:
    spec = hints()
    games, streams = spec.deal(2), seed_streams(1, 1)
    for name in ("red", "blue"):
        spec.kernels.step(games, 0, spec.action(name))
    for seat in range(2):
        view = spec.decode(spec.observation(games, seat)[None])
        assert view["ruled"].any()
        for dealt in redealt(spec, view, streams, 30):
            assert not testing.differing_fields(spec, view[0], view_of(spec, dealt, 0)[0])
            assert spec.untrue is not None and not spec.untrue(dealt[0], 0, view[0])


def test_worlds_with_a_past_were_told_the_same() -> None:
    tried, unfit = check_pasts(hints(), 3, 2)
    assert tried > 20 and unfit == 0


def test_what_was_told_last_is_observed() -> None:
    spec = hints()
    games = spec.deal(2)
    spec.kernels.step(games, 0, spec.action("choice0.option2"))
    told = [spec.observation(games, seat)[spec.slices["told_1"]].tolist() for seat in range(2)]
    assert told[0] == [0, 0] and sum(told[1]) == 1


def test_all_that_is_told_is_checked() -> None:
    testing.check_telling(hints(), episodes=2)


def test_the_log_says_what_was_told() -> None:
    table = Table(hints(), ["human", "human"], seed=3)
    table.act(0, "red")
    for viewer, whose in ((0, "player 1's"), (1, "your")):
        line = seat_view(table, viewer)["log"][-1]
        assert f"told whether the colour of card 2 of {whose} hand is red: " in line
    table.act(1, "choice0.option2")
    assert "THREE" not in seat_view(table, 1)["log"][-1]
    assert "told whether for any x of your hand" in seat_view(table, 0)["log"][-1].replace("player 1's", "your")


def test_the_mask_of_a_game_does_not_depend_on_what_is_told() -> None:
    spec = hints()
    games = spec.deal(5)
    before = spec.mask(spec.legal(games))
    spec.kernels.step(games, 0, spec.action("red"))
    assert np.array_equal(before, spec.mask(spec.legal(games)))
