"""Hands that their owners see from behind: in a seat's view, at the terminal, in the log, in pictures."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

from cardenvs.contract.board import Face, Note, public_board
from cardenvs.games.hanabi import hanabi
from cardenvs.play import Table
from cardenvs.play.seatview import seat_view
from cardenvs.play.terminal.screen import Screen
from cardenvs.render import svg
from cardenvs.render.scene import FaceItem, scene
from tests.helpers.hanabi_tables import HANDS, table_of


def hand(view, seat):
    """The pile that is a seat's hand in a view."""
    return next(pile for pile in view["board"]["piles"] if (pile["owner"], pile["number"]) == ("player", seat))


def test_what_hints_have_told_is_noted():
    table = table_of("tell-1-R", "tell-1-1")
    own = hand(seat_view(table, 1), 1)
    assert own["cards"] == [None] * 5
    assert [note["told"] and note["told"]["name"] for note in own["notes"]] == ["red", "red", None, None, None]
    others = "yellow, green, white or blue 1 to 5"
    assert [note["words"] for note in own["notes"][:3]] == ["red 1 to 5", "red 1 to 5", others]
    assert own["notes"][2]["lines"] == ["YGWB 12345"]
    other = hand(seat_view(table, 1), 0)
    assert [card["sign"] for card in other["cards"]] == ["R1", "Y2", "R3", "G4", "W1"]
    assert other["touched"] == [0, 4], "the last hint was of ones"
    assert own["touched"] == []


def test_what_one_sees_of_all_copies_is_left_out_for_oneself_alone():
    small = hanabi(colours=2, ranks=2, hand_size=2)
    state = small.parse(f"{small.name} deck=Y2R1R1R2R1Y1Y1Y1 actions=tell-1-R")
    mine, theirs = small.board(state[0], 1), small.board(state[0], 0)
    assert theirs.piles[3].notes[0] == Note(Face("red", sign="R", tint="red"), ("R 12",), "red 1 or 2")
    assert mine.piles[3].notes[0].own_lines == (), "a red 1 is left that player_1 does not see"
    assert theirs.piles[2].notes[0].own_lines == ("R 1", "Y 12")
    assert theirs.piles[2].notes[0].own_words == "red 1; yellow 1 or 2"
    public = public_board([theirs, mine])
    assert public.piles[2].cards == (None, None) and public.piles[3].cards == (None, None)
    assert {note.own_words for pile in public.piles for note in pile.notes} == {""}


def test_every_offer_lies_at_the_cards_that_it_is_about():
    table = table_of()
    view = json.loads(json.dumps(seat_view(table, 0)))
    on = {move["action"]: move["on"] for move in view["legal"]}
    assert set(on) == {table.game.actions[action] for action in table.legal()}
    assert on["play-3"] == [[2, 2]] and on["tell-1-R"] == [[3, 0], [3, 1]]
    assert on["tell-1-1"] == [[3, 0], [3, 2], [3, 3], [3, 4]]
    assert {move["short"] for move in view["legal"]} >= {"play", "tell red", "tell 1s"}
    assert "on" not in str(seat_view(table, 1)["legal"])


def test_playing_is_offered_before_discarding():
    legal = [move["action"] for move in seat_view(table_of("tell-1-R"), 1)["legal"]]
    own = [f"{verb}-{card}" for verb in ("play", "discard") for card in range(1, 6)]
    assert legal[:10] == own and all(action.startswith("tell-1-") for action in legal[10:])


@pytest.mark.parametrize("players", [2, 3, 5])
def test_offers_are_the_legal_actions_and_hands_are_hidden(players):
    game = hanabi(players=players)
    rng = np.random.default_rng(players)
    table = Table(game, ["human"] * players, seed=7, repeatable=True)
    while table.to_act is not None:
        board = game.board(table.state[0], table.to_act)
        assert sorted(offer.action for offer in board.offers) == sorted(table.legal())
        views = game.new_games(1)
        for seat in range(players):
            shown = game.board(table.state[0], seat)
            assert not any(shown.piles[2 + seat].cards)
            assert [len(pile.cards) for pile in shown.piles[2:]] == table.state[0]["sizes"][:players].tolist()
            game.kernels.view(table.state, 0, seat, views, 0)
            turned = game.board(views[0], 0)
            same = [shown.piles[2 + (seat + k) % players] for k in range(players)]
            assert [(pile.cards, pile.notes) for pile in turned.piles[2:]] == [(pile.cards, pile.notes) for pile in same]
        table.act(table.to_act, int(rng.choice(table.legal())))


def test_the_log_says_what_was_told_and_what_became_of_a_card():
    table = table_of("tell-1-R", "play-1", "play-4", "discard-3")
    assert seat_view(table, 0)["log"] == [
        "You: tell red, player 1's cards 1, 2",
        "player 1: play card 1, the red 1, which fits",
        "You: play card 4, the green 4, which does not fit: a life is lost",
        "player 1: discard card 3, the yellow 1",
    ]
    assert seat_view(table, None)["log"][0] == "player 0: tell red, player 1's cards 1, 2"
    assert seat_view(table, 1)["board"]["last"] == "You: discard card 3, the yellow 1"


def test_at_the_terminal():
    out = io.StringIO()
    Screen(Console(file=out, width=80)).show_view(seat_view(table_of("tell-1-R", "tell-1-1"), 0))
    lines = [line.split() for line in out.getvalue().splitlines()]
    at = lines.index(["hand", "1:", "--*", "2:", "--", "3:", "--", "4:", "--", "5:", "--*"])
    assert lines[at + 1] == ["told", "1", "told", "1"]
    assert ["hand", "1:", "R1", "2:", "R2", "3:", "B1", "4:", "Y1", "5:", "G1"] in lines
    assert max(map(len, out.getvalue().splitlines())) <= 80


def test_a_picture_has_ones_own_cards_from_behind():
    table = table_of("tell-1-R")
    for seat, signs in ((1, ["R", "R", "?", "?", "?"]), (0, ["?"] * 5)):
        drawn = scene(table.game, table.state, seat)
        backs = [item for item in drawn.items if isinstance(item, FaceItem) and item.back]
        assert [item.sign for item in backs] == signs
        assert [item.tint for item in backs] == ["red" if sign == "R" else "" for sign in signs]
    faces = [item for item in scene(table.game, table.state).items if isinstance(item, FaceItem)]
    assert [item.sign for item in faces[5:] if not item.back] == HANDS[5:] + HANDS[:5]
    text = svg.picture(scene(table.game, table.state, 1), "Hanabi")
    assert ">R2<" not in text and ">Y2<" in text and text.count('class="ring"') == 2


@pytest.mark.parametrize("players", [2, 5])
def test_all_of_a_picture_lies_within_it(players):
    game = hanabi(players=players)
    table = Table(game, ["human"] * players, seed=2, repeatable=True)
    while table.to_act is not None:
        drawn = scene(game, table.state, table.to_act)
        for item in drawn.items:
            if isinstance(item, FaceItem):
                assert 0 <= item.x <= drawn.width - item.width and 0 <= item.y <= drawn.height - 1.4 * item.width
        table.act(table.to_act, table.legal()[0])
