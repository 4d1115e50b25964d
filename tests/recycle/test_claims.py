"""``(tell TEST)`` that a place has some card of a kind: all know it until a card leaves that may have been it."""

import functools

import pytest

from cardenvs import testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.recycle.running import filling
from tests.helpers.described import Position, hands_after
from tests.helpers.hidden_worlds import check_worlds, worlds_left
from tests.helpers.positions import redealt, view_of

HAND = "((0 player) iloc HAND)"


position = functools.partial(hands_after, "iloc")
"""Positions behind a deal and some acts."""


def claimed(found: Position, seat: int, act: int = 0) -> set[str]:
    """The faces of which a seat knows that the hand of seat 0 has one, as an act has told."""
    spec, layout, games = found
    row = spec.observation(games, seat)
    name = f"iloc_hand_{-seat % 3}_some_{act}"
    lit = row[spec.slices[name]].nonzero()[0].tolist() if name in spec.slices else []
    return {"".join(value for _, value in layout.faces[face][1]) for face in lit}


D, R = "(== (cardatt RANK 'X) D)", "(== (cardatt SUIT 'X) R)"


@pytest.mark.parametrize(
    ("test", "some"),
    [
        (f"(any {HAND} 'X {D})", {"DR", "DS"}),
        (f"(not (all {HAND} 'X (not {D})))", {"DR", "DS"}),
        (f"(all {HAND} 'X (not {D}))", {"DR", "DS"}),  # which does not hold
        (f"(> (size (filter {HAND} 'X {D})) 0)", {"DR", "DS"}),
        (f"(== (size (filter {HAND} 'X {D})) 0)", {"DR", "DS"}),
        (f"(and (== (game sto N) 0) (any {HAND} 'X {D}))", {"DR", "DS"}),
        (f"(any {HAND} 'X (and {D} {R}))", {"DR"}),
        (f"(or (== (game sto N) 1) (any {HAND} 'X {D}))", set()),  # one of two
        (f"(> (size (filter {HAND} 'X {D})) 1)", set()),  # more than some
        (f"(any {HAND} 'X (== (cardatt RANK 'X) A))", set()),  # none
    ],
)
def test_some_card_of_a_kind_is_there(test: str, some: set[str]) -> None:
    found = position(f"(tell {test})")
    assert claimed(found, 1) == claimed(found, 2) == some
    assert not claimed(found, 0)  # who sees the hand


def test_who_is_told_alone_makes_no_claim() -> None:
    spec, _, _ = position(f"(tell (1 player) (any {HAND} 'X {D}))")
    assert not any("_some_" in name for name in spec.slices)


LAST, FIRST = f"(top {HAND})", f"(bottom {HAND})"
"""D of R, which was dealt last, and D of S."""
SHOWN, AWAY = "(top (game vloc TABLE))", "(top (game hloc AWAY))"


@pytest.mark.parametrize(
    ("acts", "left"),
    [
        (f"(move {LAST} {SHOWN})", set()),  # it was that one
        (f"(move {FIRST} {SHOWN})", {"DR"}),
        (f"(move {FIRST} {AWAY})", set()),  # it may have been that one
        (f"(move {LAST} {SHOWN}) (move {SHOWN} (top {HAND}))", set()),  # that it is back is seen by what is known there
        (f"(move (top (game iloc STOCK)) (top {HAND}))", {"DR"}),
        (f"(shuffle {HAND})", {"DR"}),
    ],
)
def test_a_claim_holds_until_its_card_may_have_left(acts: str, left: set[str]) -> None:
    assert claimed(position(f"(tell (any {HAND} 'X (and {D} {R})))", acts), 1) == left


def test_a_later_claim_of_the_act_takes_the_place_of_the_first() -> None:
    found = position(f"(all (D, B) 'N (tell (any {HAND} 'X (== (cardatt RANK 'X) 'N))))")
    assert claimed(found, 1) == {"DR", "DS"}  # there is no B: that is told by what the hand lacks
    found = position(f"(all (R, S) 'N (tell (any {HAND} 'X (== (cardatt SUIT 'X) 'N))))")
    assert claimed(found, 1) == {"AS", "BS", "CS", "DS"}


@pytest.mark.parametrize("tries", [60, 0])
@pytest.mark.parametrize(
    "tests",
    [
        ["(any @ 'X (== (cardatt RANK 'X) D))"],
        ["(any @ 'X (and (== (cardatt RANK 'X) D) (== (cardatt SUIT 'X) R)))", "(any @ 'X (== (cardatt RANK 'X) B))"],
        ["(any @ 'X (== (cardatt SUIT 'X) R))", "(all @ 'X (or (== (cardatt RANK 'X) D) (== (cardatt RANK 'X) A)))"],
    ],
)
def test_all_worlds_that_fit_claims_are_equally_likely(
    tests: list[str], tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four hundred worlds beside all that there are, drawn until one fits, or counted; fails by chance once in 10,000."""
    monkeypatch.setattr(filling, "_TRIES", tries)
    acts = [f"(tell {test.replace('@', HAND)})" for test in tests]
    spec, layout, games = position(*acts, "(tell (any ((2 player) iloc HAND) 'X (== (cardatt SUIT 'X) S)))")
    view = spec.decode(spec.observation(games, 1)[None])
    possible, streams = worlds_left(layout, view[0]), seed_streams(2, 1)
    assert 1 < len(possible) < 100
    check_worlds(spec, layout, view, streams, possible, 400)
    (dealt,) = redealt(spec, view, streams)
    assert not testing.differing_fields(spec, view[0], view_of(spec, dealt, 0)[0])
