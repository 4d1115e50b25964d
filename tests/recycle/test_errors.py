"""The checker: what people get wrong, with the line and column at which they are told so; `@` marks where that must be."""

import re
from pathlib import Path

import pytest

from cardenvs.recycle import RecycleError, parse
from cardenvs.recycle.language.setup import MOST_CARDS, MOST_PLAYERS
from tests.helpers.descriptions import SCORING, SETUP, framed, marked, refused
from tests.naive.recycle import Game

NAMES = {
    "HAND": "((current player) iloc HAND)",
    "STOCK": "(game iloc STOCK)",
    "MAP": "(game points VALUE)",
    "TABLE": "(game vloc TABLE)",
    "SETUP": SETUP,
    "SCORING": SCORING,
    "MOST_PLAYERS": MOST_PLAYERS,
    "TOO_MANY_PLAYERS": MOST_PLAYERS + 1,
    "MOST_CARDS": MOST_CARDS,
    "TWICE_MOST_CARDS": 2 * MOST_CARDS,
}
"""What names in braces stand for."""
FRAMES = {
    "games": lambda text: text,
    "declarations": lambda text: framed("(do ((turn pass)))", declared=text),
    "setups": lambda text: framed("(do ((turn pass)))", setup=text),
    "acts": lambda text: framed(f"(do ({text}))"),
    "statements": framed,
    "directives": lambda text: f"{text}\n" + framed("(do ((set (game sto BID) 1)))"),
}
"""By section of the file, the description around a text."""


def cases(section):
    """The texts of a section of the file, each with words of its message."""
    text = (Path(__file__).parent / "wrong_descriptions.txt").read_text().partition(f"\n[{section}]\n")[2]
    text = text.partition("\n[")[0] + "\n"
    text = re.sub(r"\{([A-Z_]+)\}", lambda name: str(NAMES[name[1]]), text)
    return re.findall(r"^(\S[^\n]*(?:\n {0,3}\S[^\n]*)*)\n((?: {4}[^\n]*\n)+)", text, re.MULTILINE)


@pytest.mark.parametrize(("section", "text", "said"), [(section, *case) for section in FRAMES for case in cases(section)])
def test_what_is_wrong_is_told_with_its_place(section, text, said):
    message = refused(FRAMES[section](text)).message
    assert all(words.strip() in message for words in said.splitlines())


@pytest.mark.parametrize(("script", "said"), cases("games that are played"))
def test_errors_while_a_game_is_played_have_a_place_too(script, said):
    text, *at = marked(framed(script))
    with pytest.raises(RecycleError) as caught:
        Game(parse(text), 0).options()
    assert said.strip() in caught.value.message
    assert [caught.value.line, caught.value.column] == at


@pytest.mark.parametrize(("act", "said"), cases("remarks"))
def test_what_may_be_a_slip_is_a_remark(act, said):
    text, *at = marked(framed(f"(do ({act}))"))
    ((place, message),) = parse(text).remarks
    assert said.strip() in message
    assert [*place] == at


def test_the_first_error_is_told():
    assert "'Q is not bound" in refused(framed("(do ((inc (@'Q sto X) 1) (inc ('R sto X) 1)))")).message


def test_a_place_with_a_computed_name_counts_as_filled():
    computed = "(declare (TABLE, SIDE) 'NAMES)"
    script = "(do ((all 'NAMES 'N (move (top (game iloc STOCK)) (top (game vloc 'N)))) (shuffle (game vloc TABLE))))"
    assert parse(framed(script, declared=computed)).remarks == ()
