"""How many parts a choice has tells others nothing: two choices that look alike from outside, played side by side."""

import functools
import json
from typing import Any

import numpy as np
import pytest

from cardenvs import Batch, get_game
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.play import HUMAN, Table
from cardenvs.play.seatview import seat_view
from cardenvs.policy.random import RandomPolicy
from cardenvs.programs.protocol import FORMS, Wording
from cardenvs.recycle import parse
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.game import compiled
from tests.helpers.descriptions import framed

LAYS = """(game
 (setup (create players 3) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR, FIVE, SIX)))))
 (do ((repeat 3 (move (bottom (game iloc STOCK)) (top ((0 player) iloc HAND))))
      (repeat 3 (move (bottom (game iloc STOCK)) (top ((1 player) iloc HAND))))))
 (choice (
   ;; lay away
   (any (subsets ((current player) iloc HAND)) 'S
     (do ((set (game sto LAID) (size 'S)) (all 'S 'X (move 'X (top ((current player) %s AWAY)))))))))
 (stage player (end (== (game sto LAID) 9))
  (choice ((set (game sto LAID) 9) (turn pass))))
 (scoring max (game sto LAID)))"""
"""Seat 0 has the cards one, two and three, and lays some of them away: one and two is done when it says so, two and three
is done without a word."""

WITH_DONE, WITHOUT = ("one", "two", "done"), ("two", "three")


@functools.cache
def game(place: str) -> GameSpec:
    """The game in which cards are laid into a place of a kind."""
    return compiled(parse(LAYS % place), f"lays-{place}")


def chosen(spec: GameSpec, names: tuple[str, ...]) -> Table:
    """A table of people at which these actions were taken."""
    table = Table(spec, [HUMAN] * spec.seats, seed=1)
    for name in names:
        assert table.to_act == 0
        table.act(0, name)
    assert table.to_act == 0 and not table.midway and table.over == RUNNING
    return table


def told(table: Table, viewer: int | None) -> list[Any]:
    """All that somebody else than seat 0 gets of a table."""
    spec, wording = table.game, Wording(table.game)
    found: list[Any] = [seat_view(table, viewer), table.public_text("key"), table.decisions]
    if viewer is not None:
        row, mask = spec.observation(table.state, viewer), spec.mask(0)
        found += [wording.decide_message(1, row, mask, form, 1) for form in FORMS]
        found += [spec.drawing(table.state[0], viewer), spec.board(table.state[0], viewer)]  # type: ignore[misc]
    return found


@pytest.mark.parametrize("viewer", [1, 2, None])
def test_the_number_of_parts_is_no_secret_told(viewer: int | None) -> None:
    spec = game("hloc")
    one, other = (told(chosen(spec, names), viewer) for names in (WITH_DONE, WITHOUT))
    assert json.dumps(one, default=repr) == json.dumps(other, default=repr)
    assert len(one[0]["log"]) == 1 and "2 cards" in one[0]["log"][0], "one line for the whole decision"


@pytest.mark.parametrize("viewer", [1, 2, None])
def test_others_are_told_nothing_before_all_is_chosen(viewer: int | None) -> None:
    spec = game("hloc")
    table = Table(spec, [HUMAN] * spec.seats, seed=1)
    before, own = told(table, viewer), seat_view(table, 0)["version"]
    for name in ("one", "two"):
        table.act(0, name)
        assert table.midway and json.dumps(told(table, viewer), default=repr) == json.dumps(before, default=repr)
        assert seat_view(table, 0)["version"] > own, "who chooses sees it go on"
        own = seat_view(table, 0)["version"]
    table.act(0, "done")
    assert seat_view(table, viewer)["version"] > before[0]["version"]
    assert [line[:14] for line in seat_view(table, 0)["log"]] == ["You: one, two,"], "one line to who has chosen, too"


def test_an_unfinished_deal_is_taken_up_at_a_whole_decision() -> None:
    spec = game("hloc")
    table = chosen(spec, WITH_DONE)
    table.act(0, "choice1.option1")
    assert table.public_text("key").rstrip().endswith("key 1 2")
    assert table.load(table.public_text("key"), key="key")
    assert [event.part for event in table.events] == [True, True, False, False]


def test_openspiel_tells_one_event() -> None:
    pytest.importorskip("pyspiel")
    from cardenvs.openspiel.plays import Play, rules

    def played(place: str, names: tuple[str, ...]) -> Play:
        play = Play(rules(game(place), (), "points", 0))
        play.apply_chance(0, lambda: 1)
        for name in names:
            before = [play.information_text(player) for player in (1, 2)]
            play.act(game(place).action(name))
            assert before == [play.information_text(player) for player in (1, 2)] or name == names[-1]
        return play

    one, other = played("hloc", WITH_DONE), played("hloc", WITHOUT)
    for player in (1, 2):
        assert one.information_text(player) == other.information_text(player)
        assert "p0 ?;" in one.information_text(player)
        assert np.array_equal(one.observation(player), other.observation(player))
    assert one.information_text(0) != other.information_text(0)
    assert "p0 one two;" in played("vloc", WITH_DONE).information_text(1), "done is told to nobody else"
    assert "p0 two three;" in played("vloc", WITHOUT).information_text(1)


@pytest.mark.parametrize(
    ("act", "shown"),
    [
        ("(move 'C (top (game vloc UP)))", True),
        ("(do (((== (cardatt RANK 'C) ONE) (move 'C (top (game vloc UP)))) (inc (game sto A) 1)))", False),
        ("(do (((== (game sto B) 1) (move 'C (top (game vloc UP))))"
         " ((!= (game sto B) 1) (move 'C (top (game vloc UP))))))", True),
        ("(do (((== (cardatt RANK 'C) ONE) (move 'C (top (game vloc UP))))"
         " ((!= (cardatt RANK 'C) ONE) (move 'C (top (game hloc DOWN))))))", False),
    ],
)  # fmt: skip
def test_a_card_is_told_only_if_it_is_shown_whatever_it_is(act: str, shown: bool) -> None:
    alternative = f"(any ((current player) iloc HAND) 'C {act})"
    module = Module(Layout(parse(framed(f"(do ((set (game sto B) 1))) (choice ({alternative}))"))))
    assert set(module.tables["VISIBLE"][0]) == {int(shown)}


@pytest.mark.parametrize("name", ["beacon-relay-mini", "hanabi.rcy"])
def test_states_of_a_batch_are_those_that_their_texts_lead_to(name: str) -> None:
    """Those of deals that follow others in the same place, too: else no training goes on from its checkpoint."""
    spec = get_game(name)
    batch, player, streams = Batch(spec, 3, seed=1), RandomPolicy(spec), seed_streams(2, 3)
    told = ended = 0
    for _ in range(30):
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
        ended += int(batch.ended.sum())
        for state in batch.games:
            told += int(state["sayings"])
            again = spec.parse(spec.text(state))[0]
            for field in spec.dtype.names or ():
                assert np.array_equal(again[field], state[field]), field
    assert told and (ended or name != "beacon-relay-mini")
