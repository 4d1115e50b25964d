"""The words of described games: names of cards, and what options are called."""

from pathlib import Path

import pytest

from cardenvs.recycle import load, parse, shipped, shipped_names
from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.labels import ActionLabels, describe_act, display_faces
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.language import syntax
from tests.helpers.descriptions import framed

NAMED = ["ace of clubs", "ace of hearts", "two of clubs", "two of hearts", "three of clubs", "three of hearts"]
"""The cards of a frame."""


def labelled(description: syntax.Description) -> tuple[Actions, ActionLabels]:
    """The actions of a description and their labels."""
    layout = Layout(description)
    actions = Actions(layout)
    names = tuple(f"action.{k}" for k in range(len(actions.keys)))
    return actions, ActionLabels(layout, actions, display_faces(layout), names)


def options(script: str) -> list[str]:
    """The labels of all actions of a script's first choice."""
    actions, labels = labelled(parse(framed(script)))
    return [labels.label(k, 0, lambda ahead: f"seat {ahead}") for k in range(len(actions.keys))]


def told_apart(description: syntax.Description) -> list[str]:
    """All labels of the choices of a game, which are found to be different in each choice, and so are actions' names."""
    module = Module(Layout(description))
    names = module.encoding.names
    assert len(set(names)) == len(names)
    labels = ActionLabels(module.layout, module.actions, display_faces(module.layout), tuple(names))
    found = []
    for site, alternatives in enumerate(module.actions.alternatives):
        numbers = sorted({action for one in alternatives for action in one.own_actions})
        said = [labels.label(action, site, lambda ahead: f"seat {ahead}") for action in numbers]
        assert all(said) and len(set(said)) == len(said), said
        found += said
    return found


EXAMPLES = sorted(path.stem for path in (Path(__file__).parent / "examples").glob("*.rcy"))


@pytest.mark.parametrize("name", [*shipped_names(), *EXAMPLES])
def test_options_of_one_choice_are_told_apart(name: str) -> None:
    if name == "poker_as_printed":
        return  # which is no description
    told_apart(shipped(name) if name in shipped_names() else load(Path(__file__).parent / "examples" / f"{name}.rcy"))


@pytest.mark.parametrize(
    ("alternatives", "labels"),
    [
        (
            "(any (RED, BLUE) 'K (do ((inc (game sto A) 1) ((== 'K RED) (inc (game sto B) 1)))))",
            ["a + 1 (red)", "a + 1 (blue)"],
        ),
        ("((== (game sto A) 0) (turn pass)) (turn pass)", ["pass (choice0.option0)", "pass (choice0.option1)"]),
        (
            "(any (game vloc P) 'C (move 'C (top (game vloc Q)))) (any (game vloc P) 'C (move 'C (top (game vloc R))))",
            [*NAMED, *(f"{c} to r" for c in NAMED)],
        ),
        (
            "(any (subsets (game vloc P)) 'S (all 'S 'X (move 'X (top (game vloc Q)))))"
            " (any (subsets (game vloc P)) 'S (do ((inc (game sto A) 1) (all 'S 'X (move 'X (top (game vloc R)))))))",
            [*NAMED, "done", *(f"a + 1 ({c})" for c in NAMED), "done (a + 1)"],
        ),
    ],
)
def test_what_would_look_alike_says_more(alternatives: str, labels: list[str]) -> None:
    found = told_apart(parse(framed(f"(choice ({alternatives}))")))
    assert len(found) == len(labels)
    for one, other in zip(found, labels, strict=True):
        assert one == other, found


def test_a_card_and_a_word_of_one_name_are_two_actions() -> None:
    setup = "(setup (create players 2) (create deck (game vloc P) (deck (TEAM (RED, BLUE)))))"
    script = "(choice ((any (game vloc P) 'C (move 'C (top (game vloc Q)))) (any (RED, BLUE) 'K (set (game str K) 'K))))"
    module = Module(Layout(parse(framed(script, setup=setup))))
    assert module.encoding.names == ["card.red", "card.blue", "string.red", "string.blue"]
    told_apart(parse(framed(script, setup=setup)))


def test_remarks_name_alternatives() -> None:
    actions, labels = labelled(shipped("kuhn-poker"))
    assert [labels.label(k, 0, str) for k in range(len(actions.keys))] == ["check", "bet", "fold", "call"]
    lama = labelled(shipped("lama"))
    assert [lama[1].label(k, 0, str) for k in range(7, 10)] == ["draw", "quit", "has quit"]


def test_cards_have_the_usual_names() -> None:
    assert {face.card for face in display_faces(Layout(shipped("euchre")))} >= {"Jc", "9s", "Ah"}
    assert [face.name for face in display_faces(Layout(shipped("kuhn-poker")))] == ["jack", "queen", "king"]
    eights, labels = labelled(shipped("crazy-eights"))
    texts = [labels.label(k, 0, str) for k in range(len(eights.keys))]
    assert "ten of hearts" in texts and "eight of clubs, hearts" in texts


CURRENT = "(current player)"


@pytest.mark.parametrize(
    ("alternative", "label"),
    [
        (f"(inc ({CURRENT} sto PAID) 2)", "your paid + 2"),
        (f"(dec ({CURRENT} sto PAID) (- (game sto POT) 1))", "your paid - pot - 1"),
        ("(set (game str SUIT) HEARTS)", "suit = hearts"),
        (f"(move (top (game iloc STOCK)) (top ({CURRENT} iloc HAND)))", "the top of stock to your hand"),
        ("((== (game sto POT) 0) (turn pass))", "pass"),
        ("(do ((turn pass) (cycle next (0 player)) (shuffle (game iloc STOCK))))", "pass, next: .., shuffle stock"),
        ("(repeat 2 (move (top (game iloc STOCK)) (top ((next player) iloc HAND))))",
         "2 times the top of stock to the next's hand"),
        (";; a long remark that goes on for more than forty signs\n (turn pass)", "pass"),
        (";; one of two lines\n ;; draw\n (turn pass)", "pass"),
        (";; <b>draw</b>\n (turn pass)", "pass"),
        (";; draw two\n (turn pass)", "draw two"),
        (";;\n (turn pass)", "pass"),
        # values that are chosen stand in it
        ("(any (range 1 .. 3) 'N (set (game sto BID) 'N))", "bid = 1 | bid = 2 | bid = 3"),
        (";; bid\n (any (range 1 .. 2) 'N (set (game sto BID) 'N))", "bid: 1 | bid: 2"),
        ("(any player 'P (cycle next 'P))", "next: seat 0 | next: seat 1 | next: seat 2"),
    ],
)  # fmt: skip
def test_what_acts_do(alternative: str, label: str) -> None:
    assert options(f"(choice (\n {alternative}))") == label.split(" | ")


def test_acts_on_conditions_are_left_out() -> None:
    act = parse(framed("(choice ((do ((turn pass) ((== 1 1) (set (game sto A) 1))))))")).body[0]
    assert isinstance(act, syntax.Choice)
    assert describe_act(act.alternatives[0], {}) == "pass"
