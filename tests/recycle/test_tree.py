"""The syntax tree, and what is known of a description's games before any is played."""

import pickle
from collections import Counter

import pytest

from cardenvs.recycle import Owned, statics, walk
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.expressions import Facts
from cardenvs.recycle.language.grammar import KINDS, SIGNATURES, is_literal
from cardenvs.recycle.language.parser import parse
from cardenvs.recycle.language.script import Script
from cardenvs.recycle.language.syntax import FORMS
from tests.helpers.described import NAMES, described
from tests.helpers.descriptions import described_by

STOCK = "(game iloc STOCK)"


def only(kind, description):
    """The nodes of some class."""
    return [node for node in walk(description) if isinstance(node, kind)]


def test_nodes_know_where_they_stand():
    description = described_by("(do (\n  (inc (game sto X) 1)\n  (shuffle (game iloc STOCK))))")
    (change,), (shuffle,) = only(syntax.Change, description), only(syntax.Shuffle, description)
    assert (change.at, change.bin.at, change.amount.at) == ((6, 3), (6, 8), (6, 21))
    assert (shuffle.at, shuffle.place.at, shuffle.place.name.at) == ((7, 3), (7, 12), (7, 23))


def test_variables_point_to_their_bindings():
    text = "(all player 'P (do ((inc ('P sto A) 1) (all (range 1 .. 2) 'P (inc (game sto B) 'P)) (inc ('P sto C) 1))))"
    description = described_by(f"(do ({text}))")
    outer, inner = only(syntax.ForEach, description)
    used = [variable.binding for variable in only(syntax.Variable, description)]
    assert used == [outer.variable, inner.variable, outer.variable]
    assert (outer.variable.kind, inner.variable.kind) == (syntax.Kind.SEAT, syntax.Kind.NUMBER)
    assert outer.variable.number != inner.variable.number


@pytest.mark.parametrize("name", NAMES)
def test_bindings_choices_and_stages_are_numbered(name):
    description = described(name)
    nodes = list(walk(description))
    bindings = {id(node): node for node in nodes if isinstance(node, syntax.Binding)}.values()
    assert max(Counter(binding.number for binding in bindings).values()) == 1
    assert [choice.number for choice in statics(description).choices] == list(range(len(statics(description).choices)))
    stages = [node.number for node in nodes if isinstance(node, syntax.Stage)]
    assert sorted(stages) == list(range(len(stages)))


@pytest.mark.parametrize("name", NAMES)
def test_descriptions_are_plain_data(name):
    description = described(name)
    assert parse(description.source, description.name) == description
    assert pickle.loads(pickle.dumps(description)) == description


def test_top_is_a_card_or_a_set_by_what_it_is_of():
    description = described_by(f"(do ((let (top (partition RANK {STOCK})) 'S (move (top 'S) (top (game vloc T))))))")
    assert [node.kind for node in only(syntax.SetAt, description)] == [syntax.Kind.CARDS]
    assert [node.kind for node in only(syntax.CardAt, description)] == [syntax.Kind.CARD]


def test_the_older_map_is_the_newer_one():
    older = described_by(f"(do ((put points 'X (((RANK (ACE)) 1))) (inc (game sto N) (sum {STOCK} using 'X))))")
    (award,) = only(syntax.Award, older)
    assert [(map.owner, map.name) for map in only(syntax.PointMap, older)] == [
        (syntax.GameOwner(map.at), syntax.Name(map.at, "X")) for map in only(syntax.PointMap, older)
    ]
    assert isinstance(award.keys[0].value, syntax.Name)
    assert only(syntax.SetMap, older)


def test_faces():
    cards = statics(described("enchere-avancee")).faces
    assert len(cards) == 53
    assert cards[0] == (("COLOUR", "RED"), ("RANK", "QUEEN"), ("SUIT", "HEARTS"))
    assert (("RANK", "JOKER"),) in cards
    assert len(statics(described("lama")).faces) == 7
    assert statics(described("lama")).attributes == {"RANK": ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "LLAMA")}


def test_places_bins_and_maps():
    known = statics(described("whist"))
    assert set(known.places) == {
        Owned("game", "iloc", "STOCK"),
        Owned("player", "iloc", "HAND"),
        Owned("game", "mem", "SHOWN"),
        Owned("player", "vloc", "TRICK"),
        Owned("game", "vloc", "DONE"),
    }
    assert set(known.filled) == set(known.places)
    assert set(known.bins) == {
        Owned("game", "str", "TRUMP"),
        Owned("game", "str", "LED"),
        Owned("team", "sto", "TRICKS"),
        Owned("team", "sto", "POINTS"),
    }
    assert known.maps == (Owned("game", "points", "HEIGHT"),)
    suits = {"CLUBS", "DIAMONDS", "HEARTS", "SPADES"}
    assert known.strings == {"TRUMP": suits | {""}, "LED": suits | {"", "NOTHING"}}


def test_computed_names_are_found_through_lists_and_bins():
    script = f"""(do (
      (all 'LISTED 'L (move (top {STOCK}) (top (game vloc 'L))))
      (all (filter (C, D) 'X (!= 'X C)) 'L (inc (game sto 'L) 1))
      (set (game str ONE) PAST)
      (set (game str TWO) (game str ONE))
      (let (game str TWO) 'V (set (game sto 'V) 1))
      (set (game str (cardatt SUIT (top {STOCK}))) FOUND)))"""
    known = statics(described_by(script, declared="(declare (A, B) 'LISTED)"))
    assert {place.name for place in known.places} == {"STOCK", "A", "B"}
    assert {owned.name for owned in known.bins if owned.storage == "sto"} >= {"C", "D", "PAST", "SCORE"}
    assert known.strings["TWO"] == {"", "PAST"}
    assert known.strings["HEARTS"] == {"", "FOUND"}


def test_choices():
    known = statics(described_by("(choice ((turn pass))) (stage player (end (== 1 1)) (choice ((turn pass) (turn pass))))"))
    assert [len(choice.alternatives) for choice in known.choices] == [1, 2]


def test_the_grammar_names_only_what_the_parser_can_read():
    readers = Script(Facts()).readers
    for signatures in SIGNATURES.values():
        for one in signatures:
            values = [token for token in one.tokens if not is_literal(token)]
            assert all(token in KINDS or token in readers or token == "'X" or token in FORMS.values() for token in values)
            assert not one.repeats or len(set(one.tokens[one.separate :])) == 1
