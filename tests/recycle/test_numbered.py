"""Places, bins and maps whose names are numbers, and ``(other team)``."""

import functools

import pytest

from cardenvs import testing
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import parse
from cardenvs.recycle.game import compiled
from cardenvs.recycle.language.symbols import statics
from cardenvs.recycle.running.faults import GameError
from tests.helpers.descriptions import MAP, described_by, done, framed, game_of
from tests.helpers.twins import Twins

PILES = """(game
 (setup (create players 3) (create teams (0, 2) (1))
  (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR)) (SUIT (CLUBS, HEARTS)))))
 (do ((shuffle (game iloc STOCK))
  (all (range 1 .. 3) 'N (move (top (game iloc STOCK)) (top (game vloc 'N))))
  (all player 'P (move (top (game iloc STOCK)) (top ('P iloc 1))))))
 (stage player (end (all player 'P (== (size ('P iloc 1)) 0)))
  (do ((inc (game sto ROW) 1)))
  (choice (
   (any (range 1 .. 3) 'N (do ((move (top ((current player) iloc 1)) (bottom (game vloc 'N))) (inc (game sto 'N) 1))))
   (move (top ((current player) iloc 1)) (top (game vloc (game sto ROW))))
   (all (other team) 'T (do ((inc ('T sto WON) 1) (move (top ((current player) iloc 1)) (top (game vloc 2)))))))))
 (scoring max (+ ((team (current player)) sto WON) (size (game vloc (- 3 1))))))"""
"""A card is added to one of three piles by its number, which a variable, a bin or a sum tells."""


@functools.cache
def piles() -> GameSpec:
    return compiled(parse(PILES), "piles")


def names(script: str) -> list[str]:
    """The names of the public places of a script, in order."""
    return [place.name for place in statics(described_by(script)).places if place.storage == "vloc"]


def test_a_number_is_a_name() -> None:
    game = done("(move (top (game iloc STOCK)) (top (game vloc 3)))", "(inc (game sto 0) (size (game vloc (+ 1 2))))", MAP)
    assert [card.values["RANK"] for card in game.place(None, "vloc", "3")] == ["THREE"]
    assert game.stored(None, "0") == 1
    # Names are told apart by what they come to.
    game = done("(all (range 1 .. 3) 'N (set ((1 player) sto (* 2 'N)) 'N))", "(set (game sto X) ((1 player) sto 4))")
    assert game.stored(None, "X") == 2


@pytest.mark.parametrize(
    ("script", "known"),
    [
        ("(shuffle (game vloc 3))", ["3"]),
        ("(all (range 9 .. 11) 'N (shuffle (game vloc (- 'N 1))))", ["8", "9", "10"]),
        ("(do ((set (game sto X) 4) (shuffle (game vloc (game sto X)))))", ["0", "4"]),
        ("(do ((set (game sto X) (game sto Y)) (set (game sto Y) 2) (shuffle (game vloc (game sto X)))))", ["0", "2"]),
        ("(do ((shuffle (game vloc 7)) (inc (game sto X) 1) (shuffle (game vloc (game sto X)))))", ["7"]),
        ("(do ((set (game sto X) (+ (game sto X) 1)) (shuffle (game vloc (game sto X))) (shuffle (game vloc 5))))", ["5"]),
        ("(let (random 1 .. 2) 'N (shuffle (game vloc (// 4 (- 'N 1)))))", ["4"]),
        ("(all (filter (range 1 .. 4) 'M (> 'M (game sto X))) 'N (shuffle (game vloc 'N)))", ["1", "2", "3", "4"]),
    ],
)
def test_which_numbers_there_are_is_known_beforehand(script: str, known: list[str]) -> None:
    assert names(script) == known


def test_all_teams_but_the_current_one() -> None:
    setup = """(setup (create players 3) (create teams (1) (0) (2))
      (create deck (game iloc STOCK) (deck (RANK (ACE)))))"""
    script = """(stage team (end (== (game sto TURNS) 2)) (do ((inc (game sto TURNS) 1)
      (inc (game sto SIZES) (size (other team))) (all (other team) 'T (inc ('T sto SCORE) (game sto TURNS))))))"""
    game = game_of(script, setup=setup, scoring="(scoring max ((team (current player)) sto SCORE))")
    assert game.scores() == [1, 2, 3]  # of the players of team 1, 0 and 2
    assert game.stored(None, "SIZES") == 4


def test_compiled_they_are_as_interpreted() -> None:
    assert Twins(parse(PILES), piles()).play(20, seed=1) == 60


def test_observations_and_worlds_of_numbered_places() -> None:
    assert [part.name for part in piles().parts if part.name.startswith("vloc")] == ["vloc_1", "vloc_2", "vloc_3"]
    testing.check_observations(piles(), episodes=3)
    testing.check_redeals(piles(), episodes=3)
    testing.check_text(piles(), episodes=3)


def test_a_number_that_is_no_name_is_an_error_with_its_place() -> None:
    script = "(do ((shuffle (game vloc 1)) (inc (game sto X) 2) (shuffle (game vloc (game sto X)))))"
    spec = compiled(parse(framed(script)), "beyond")
    with pytest.raises(GameError, match=r"nothing in the description has this name: there are 1; cards lie") as caught:
        spec.deal(1)
    assert (caught.value.line, caught.value.column) == (5, 61)
