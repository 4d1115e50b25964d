"""Suits and other values that a description treats alike, as they are found and as they are played."""

import pytest

from cardenvs import testing
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import parse
from cardenvs.recycle.game import compiled, described_game
from tests.helpers.described import NAMES, file_of

HEIGHT = "(set (game points HEIGHT) ({}))"
HIGH = HEIGHT.format("((RANK : ONE) 1) ((RANK : TWO) 2)")
TEXT = """
(game
 (declare (REDS, BLUES, GREENS) 'SUITS)
 (setup (create players 2)
  (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE)) (SUIT (REDS, BLUES, GREENS)))))
 (do ({high} {shuffle} (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
  (choice (
   (any ((current player) iloc HAND) 'C
    (do ((inc ((current player) sto SCORE) (score 'C using (game points HEIGHT)))
         (move 'C (top (game vloc {place}))))))
   ((== (game str BEST) NOTHING) (any 'SUITS 'S (set (game str BEST) 'S)))))
  (do ({more})))
 (scoring max ((current player) sto SCORE)))
"""


def game(
    high: str = HIGH, shuffle: str = "(shuffle (game iloc STOCK))", place: str = "PILE", more: str = "(turn pass)"
) -> GameSpec:
    """A game for two with three suits."""
    text = TEXT.format(high=high, shuffle=shuffle, place=place, more=more)
    return compiled(parse(text, "alike"), "alike")


def said(spec: GameSpec) -> dict[str, int]:
    """The symmetries of a game with the number of their permutations."""
    return {one.name: len(one.permutations) for one in spec.symmetries}


def test_descriptions_that_ship() -> None:
    found = {name: said(described_game(file_of(name))) for name in NAMES}
    # Four suits alike, three, or two: of the others scores, calls or the deck say something of their own.
    assert [name for name, one in found.items() if one.get("suit") == 24] == [
        "beacon-relay", "beacon-relay-4", "briscola", "ninety-eight", "ninety-eight-no-king", "stealing-bundles", "whist",
    ]  # fmt: skip
    assert [name for name, one in found.items() if one.get("suit") == 6] == [
        "agram", "beacon-relay-mini", "crazy-eights", "polignac", "slobberhannes",
    ]  # fmt: skip
    assert found["hearts"] == {"suit": 2} and found["enchere"] == {"suit": 4} and found["euchre"] == {"plays": 2, "suit": 2}
    # Five cards are chosen one by one in poker, in an order of all faces.
    assert not found["knaves"] and not found["kuhn-poker"] and not found["poker"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"suit": 6}),
        ({"more": "((or (== (game str BEST) REDS) (== BLUES (game str BEST))) (turn pass))"}, {"suit": 2}),
        ({"more": "((and (!= (game str BEST) REDS) (== (game str BEST) BLUES)) (turn pass))"}, {}),
        ({"high": HEIGHT.format("((SUIT : GREENS) 1) ((SUIT : REDS) 2) ((SUIT : BLUES) 1)")}, {"rank": 6, "suit": 2}),
        ({"high": HEIGHT.format("((RANK : ONE) (SUIT : REDS) 1) ((SUIT : BLUES) (RANK : ONE) 1)")}, {"rank": 2, "suit": 2}),
        ({"shuffle": "(turn pass)"}, {}),
        ({"place": "REDS"}, {"suit": 2}),
        ({"more": "(all 'SUITS 'S ((== (game str BEST) 'S) (set (game str LAST) 'S)))"}, {}),
    ],
    ids=str,
)  # fmt: skip
def test_values_are_alike_if_the_description_is_the_same(given: dict[str, str], expected: dict[str, int]) -> None:
    assert said(game(**given)) == expected


def test_it_is_the_same_game() -> None:
    spec = game(more="((or (== (game str BEST) REDS) (== BLUES (game str BEST))) (shuffle (game iloc STOCK)))")
    testing.check_symmetries(spec, episodes=6)
    assert said(spec) == {"suit": 2}
    testing.check_symmetries(game(), episodes=6)


def test_other_cards_in_the_places_of_all() -> None:
    spec = described_game(file_of("agram"))
    testing.check_symmetries(spec, episodes=1)
    with pytest.raises(ValueError, match=r"symmetry 'suit' of .* is none of the order of play: leave out recall"):
        spec.recalling.symmetry("suit")
