"""Words and numbers from hidden cards in re-dealt worlds: what comes from the cards there, or could have been chosen."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest

from cardenvs import testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import parse
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.game import compiled
from tests.helpers.positions import redealt


def text(act: str, cards: int = 1, kind: str = "hloc", more: str = "", private: str = "str ROLE", choice: str = "") -> str:
    """A game in which seats get cards in a place ID, private bins are set from them by ``act``, and four turns follow."""
    return f""";;! private {private}
    (game (setup (create players 3) (create teams (0, 2) (1))
     (create deck (game iloc STOCK) (deck (ROLE (WOLF, SEER, CUB, OAF)) (SIZE (BIG, SMALL)))))
     (do ((set (game points WORTH) (((ROLE : WOLF) 3) ((ROLE : CUB) 1))) (shuffle (game iloc STOCK))
      (all player 'P (repeat {cards} (move (top (game iloc STOCK)) (top ('P {kind} ID)))))))
     (do ({act}))
     (stage player (end (== (game sto TURNS) 4)) (do ((inc (game sto TURNS) 1))) {more}
      (choice ({choice or "(set (game sto ASKED) 1) (set (game sto ASKED) 0)"})))
     (scoring max (size ((current player) {kind} ID))))"""


@functools.cache
def game(described: str) -> tuple[GameSpec, Layout]:
    """A description as a game, and the numbers of what it speaks of."""
    return compiled(parse(described), "origins"), Layout(parse(described))


class World:
    """What lies in a world, by the names of the description."""

    def __init__(self, layout: Layout, state: Any) -> None:
        self.layout, self.state = layout, state

    def values(self, seat: int, attribute: str = "ROLE") -> list[str]:
        """What a seat's cards have for an attribute, the bottom first."""
        place = next(k for k, (one, number) in enumerate(self.layout.places) if one.name == "ID" and number == seat)
        cards = self.state["cards"][place, : self.state["sizes"][place]]
        return [self.layout.face_value(self.layout.face_of[card - 1], attribute) for card in cards.tolist()]

    def word(self, number: int, name: str = "ROLE", kind: str = "player") -> str:
        """A word of a seat, of a team or of the game."""
        slots = next(slots for one, slots in self.layout.text_slots.items() if (one.name, one.owner) == (name, kind))
        return self.layout.strings[int(self.state["texts"][slots.first + number])]

    def number(self, seat: int, name: str) -> int:
        """A number of a seat."""
        slots = next(slots for one, slots in self.layout.number_slots.items() if one.name == name)
        return int(self.state["numbers"][slots.first + seat])


def worlds_after(described: str, steps: int = 0, draws: int = 30, seed: int = 1) -> Iterator[World]:
    """Worlds that fit what each seat observes after some random actions; the seat that looks is seat 0 in them."""
    spec, layout = game(described)
    games, streams = spec.deal(seed), seed_streams(5, 1)
    for _ in range(steps):
        spec.kernels.step(games, 0, testing.random_action(spec, games, streams))
    for seat in range(spec.seats):
        for dealt in redealt(spec, spec.decode(spec.observation(games, seat)[None]), streams, draws):
            yield World(layout, dealt[0].copy())


ROLE = "(all player 'P (set ('P str ROLE) (cardatt ROLE (top ('P hloc ID)))))"


@pytest.mark.parametrize("steps", [0, 3])
@pytest.mark.parametrize("kind", ["hloc", "iloc"])
def test_a_role_is_that_of_the_card_in_all_worlds(kind: str, steps: int) -> None:
    seen = set()
    for world in worlds_after(text(ROLE.replace("hloc", kind), kind=kind), steps, 60):
        for seat in range(3):
            assert world.values(seat) == [world.word(seat)]
            seen.add((seat, world.word(seat)))
    assert seen >= {(seat, role) for seat in (1, 2) for role in ("WOLF", "SEER", "CUB", "OAF")}


def test_a_number_comes_from_two_cards() -> None:
    act = "(all player 'P (set ('P sto WORTH) (+ 1 (sum ('P iloc ID) using (game points WORTH)))))"
    worth = {"WOLF": 3, "CUB": 1, "SEER": 0, "OAF": 0}
    seen = set()
    for world in worlds_after(text(act, 2, "iloc", private="sto WORTH"), 1, 60):
        for seat in range(3):
            assert world.number(seat, "WORTH") == 1 + sum(worth[role] for role in world.values(seat))
            seen.add(world.number(seat, "WORTH"))
    assert len(seen) >= 4


SIDES = """(all player 'P (do (
  (set ('P str SIDE) GOOD)
  ((any ('P hloc ID) 'C (== (cardatt ROLE 'C) WOLF)) (set ('P str SIDE) BAD))
  ((and (any ('P hloc ID) 'C (== (cardatt ROLE 'C) SEER)) (== ('P str SIDE) GOOD)) (set ('P str SIDE) BEST)))))"""


def test_what_acts_one_behind_the_other_set_is_worked_out_together() -> None:
    act = SIDES.replace("(and ", "").replace(" (== ('P str SIDE) GOOD))", "")
    for world in worlds_after(text(act, private="str SIDE"), 1):
        for seat in range(3):
            assert world.word(seat, "SIDE") == {"WOLF": "BAD", "SEER": "BEST"}.get(world.values(seat)[0], "GOOD")


def test_a_word_comes_from_another_private_one() -> None:
    act = ROLE + " (all player 'P ((== ('P str ROLE) WOLF) (set ('P str SIDE) BAD)))"
    described = text(act).replace(";;!", ";;! private str SIDE\n;;!")
    for world in worlds_after(described, 1):
        for seat in range(3):
            assert world.values(seat) == [world.word(seat)]
            assert (world.word(seat, "SIDE") == "BAD") == (world.word(seat) == "WOLF")


def test_words_of_teams_and_of_the_game() -> None:
    act = """(all team 'T (set ('T str ROLE) (cardatt ROLE (top ((1 player) hloc ID)))))
      (set (game str ROLE) (cardatt SIZE (top ((2 player) hloc ID))))"""
    for world in worlds_after(text(act)):
        zero = int(world.state["zero"])
        other, last = (zero + 1) % 3, (zero + 2) % 3
        assert [world.word(0, kind="team")] == [world.word(1, kind="team")] == world.values(other)
        assert [world.word(0, kind="game")] == world.values(last, "SIZE")


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_card_that_has_moved_on_binds_the_words_of_others_alone(steps: int) -> None:
    """From the second turn on the first seat's card lies with the second; then their words are what they can be."""
    swap = """(do (((== (game sto TURNS) 2)
      (move (top ((0 player) hloc ID)) (top ((1 player) hloc ID))))))"""
    described = text(ROLE, more=swap)
    other = 0
    for world in worlds_after(described, steps):
        seats = [(int(world.state["zero"]) + k) % 3 for k in range(3)]
        sizes = [len(world.values(seat)) for seat in seats]
        assert sizes == ([1, 1, 1] if steps == 1 and sizes == [1, 1, 1] else [0, 2, 1])
        assert world.values(seats[2]) == [world.word(seats[2])]
        other += sizes[1] == 2 and world.word(seats[0]) != world.values(seats[1])[1]
    assert other > 0


def test_with_recall_words_are_those_of_cards_that_have_moved_on() -> None:
    swap = "(do (((== (game sto TURNS) 2) (move (top ((0 player) hloc ID)) (top ((1 player) hloc ID))))))"
    spec, layout = game(text(ROLE, more=swap))
    recalling = spec.recalling
    games, views, dealt, streams = spec.deal(1), recalling.new_games(1), spec.new_games(1), seed_streams(5, 1)
    for _ in range(2):
        spec.kernels.step(games, 0, testing.random_action(spec, games, streams))
    for _ in range(5):
        recalling.kernels.decode(recalling.observation(games, 2)[None], 0, views, 0)
        recalling.kernels.redeal(views, 0, streams, 0, dealt, 0)
        world = World(layout, dealt[0])
        zero = int(world.state["zero"])
        assert recalling.kernels.fits(dealt, 0)
        assert world.values((zero + 1) % 3) == [world.word((zero + 1) % 3), world.word(zero)]


def test_a_word_that_was_shown_tells_the_card() -> None:
    described = text(ROLE, more="(do ((set (game str SHOWN) ((1 player) str ROLE))))")
    for world in worlds_after(described, 1):
        assert world.values((int(world.state["zero"]) + 1) % 3) == [world.word(0, "SHOWN", "game")]


def test_cards_are_drawn_by_the_words_that_are_known() -> None:
    """Of five seats whose roles were shown, each has one of two cards of its role, all equally likely."""
    shown = " ".join(f"(set (game str {name}) (({k} player) str ROLE))" for k, name in enumerate("ABCDE"))
    described = text(ROLE, more=f"(do ({shown}))").replace(
        "(create players 3) (create teams (0, 2) (1))", "(create players 5)"
    )
    described = described.replace("OAF", "OAF, ELF, CAT, DOG")
    sizes = []
    for world in worlds_after(described, 1, 12):
        sizes += world.values(2, "SIZE")
        roles = [world.values((int(world.state["zero"]) + k) % 5)[0] for k in range(5)]
        assert roles == [world.word(0, name, "game") for name in "ABCDE"]
    assert 15 < sizes.count("BIG") < 45


COUNT = """((== (game sto TURNS) 1)
   (any (range 0 .. (size (filter ((current player) iloc ID) 'C (== (cardatt SIZE 'C) BIG)))) 'N
    (set ((current player) sto BID) 'N)))
  ((> (game sto TURNS) 1) (set (game sto ASKED) 1))"""


def test_a_number_that_was_chosen_is_in_the_range_that_the_cards_allow() -> None:
    seen = set()
    for seed in range(6):
        for world in worlds_after(text("(turn pass)", 2, "iloc", private="sto BID", choice=COUNT), 1, 20, seed):
            for seat in range(3):
                big = world.values(seat, "SIZE").count("BIG")
                assert world.number(seat, "BID") <= big
                seen.add((world.number(seat, "BID"), big))
    assert {(0, 2), (1, 2), (2, 2), (1, 1)} <= seen


def test_a_word_that_was_chosen_is_that_of_a_card_that_could_be_chosen() -> None:
    choice = """((== (game sto TURNS) 1) (any ((current player) iloc ID) 'C
      (set ((current player) str ROLE) (cardatt ROLE 'C)))) ((> (game sto TURNS) 1) (set (game sto ASKED) 1))"""
    for world in worlds_after(text("(turn pass)", 2, "iloc", choice=choice), 1):
        first = int(world.state["zero"])
        assert world.word(first) in world.values(first)


@pytest.mark.slow
@pytest.mark.parametrize(
    "described",
    [text(ROLE), text(SIDES, 2, private="str SIDE"), text("(turn pass)", 2, "iloc", private="sto BID", choice=COUNT)],
)
def test_nothing_is_told_by_where_values_come_from(described: str) -> None:
    spec, _ = game(described)
    testing.check_observations(spec, episodes=2)
    testing.check_telling(spec, episodes=1)
    testing.check_secrets(spec, episodes=1)
    testing.check_flaws(spec, episodes=2)


def test_games_without_private_bins_have_nothing_of_it() -> None:
    module = Module(Layout(parse(text(ROLE).split("\n", 1)[1])))
    assert "clear_origins(games" not in module.source_text() and module.tables["ORIGIN_COUNT"] == 0
    assert not [part for part in module.encoding.parts if part.name.endswith("_origin")]
