"""The reader: pieces of text, brackets, positions, what is in no description."""

import copy
import pickle
from pathlib import Path

import pytest

from cardenvs.recycle import RecycleError, load, parse
from cardenvs.recycle.language.reader import DEEPEST, GREATEST_NUMBER, MOST_CHARACTERS, Atom, Bracket, read_page
from tests.helpers.descriptions import SETUP, framed, refused
from tests.naive.recycle import Game

AS_PRINTED = Path(__file__).parent / "examples" / "poker_as_printed.rcy"
NOTHING = "(do ((turn pass)))"
OPERATORS = "== != <= >= < > + - * // % ^"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1..10", "NUMBER 1 MARK .. NUMBER 10"), ("AB 'CD player", "NAME AB VARIABLE CD WORD player"),
        (OPERATORS, "OPERATOR " + OPERATORS.replace(" ", " OPERATOR ")), ("007", "NUMBER 007"),
        ("RANK:A,B", "NAME RANK MARK : NAME A MARK , NAME B"), ("A B", "NAME A NAME B"), ("1 2", "NUMBER 1 NUMBER 2"),
        ("\u2018P \u2019P 'P", "VARIABLE P VARIABLE P VARIABLE P"),
        ("A\tB\nC\ufeffD ;; E\nF", "NAME A NAME B NAME C NAME D NAME F"),
        (str(GREATEST_NUMBER), f"NUMBER {GREATEST_NUMBER}"),
    ],
)  # fmt: skip
def test_pieces(text, found):
    """The kinds and texts of what stands in a bracket."""
    items = [item for item in read_page(f"({text})").game.items if isinstance(item, Atom)]
    assert " ".join(f"{item.kind.name} {item.text}" for item in items) == found


def test_positions():
    page = read_page(";; one\n(game\n  (a 'B))")
    inner = page.game.items[1]
    assert isinstance(inner, Bracket)
    assert page.game.at == (2, 1)
    assert page.game.closed == (3, 9)
    assert inner.at == (3, 3)
    assert inner.closed == (3, 8)
    assert [item.at for item in inner.items] == [(3, 4), (3, 6)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way(newline):
    page = read_page(f";; one{newline}{newline}(game{newline} X)")
    assert page.game.items[1].at == (4, 2)


def test_what_follows_the_game_is_not_looked_at():
    plain = parse(framed(NOTHING))
    for rest in (")", " ) and $ more ((", "\n(game", ";; text"):
        assert parse(framed(NOTHING) + rest).body == plain.body


def test_directives_stand_before_the_game():
    text = framed("(do ((set (game sto BID) 1) (set (game str ROLE) X)))")
    head = ";; text\n;;! private sto BID\n  ;;!max_decisions 7\n;;! private str ROLE\n"
    description = parse(head + text)
    assert [(one.storage, one.name, one.at) for one in description.private] == [
        ("sto", "BID", (2, 5)),
        ("str", "ROLE", (4, 5)),
    ]
    assert description.max_decisions == 7
    assert parse(text).max_decisions == 500
    assert parse(text).private == ()
    inside = text.replace("(do (", "\n;;! nothing of the kind\n(do (")
    assert parse(inside).max_decisions == 500
    assert parse(f";; text ;;! max_decisions 7\n{text}").max_decisions == 500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@", "there is no description"),
        (" ;; only a comment\n  @", "there is no description"),
        ("@game", "a description starts with (game"),
        ("\n @)", "a description starts with (game"),
        ("(game @$)", "the character $ is not part of the language"),
        ("(game @[)", "the character [ is not part of the language. Did you mean ( ?"),
        ("(game @= 1)", "the character = is not part of the language. Did you mean == ?"),
        ("(game @/ 1)", "Did you mean // ?"),
        ("(game @; comment)", "Did you mean ;; ?"),
        ("(game (range 1 @. 2))", "Did you mean .. ?"),
        ("(game @\u00a0)", "the character NO-BREAK SPACE is not"),
        ("(game @\x00)", "the character U+0000 is not"),
        ("(game @\u00c4)", "the character \u00c4 is not"),
        ("(game @Ab)", "Ab is neither a name nor a keyword nor a number: names are capital letters"),
        ("(game @A1)", "A1 is neither"),
        ("(game @2player)", "2player is neither"),
        ("(game @a_b)", "a_b is neither"),
        ("(game @'p)", "'p is no variable: a variable is ' and capital letters"),
        ("(game @'P1)", "'P1 is no variable"),
        ("(game @' P)", "' is no variable"),
        (f"(game @{GREATEST_NUMBER + 1})", f"is too great: at most {GREATEST_NUMBER}"),
        ("(game @" + "9" * 5000 + ")", "is too great"),
        ("(game @" + "A" * 65 + ")", "AAAAAAAAAAAAAAAAAAAA... is too long: names have at most 64 characters"),
        ("(game @'" + "A" * 65 + ")", "'AAAAAAAAAAAAAAAAAAAA... is too long"),
        ("@(", "the bracket that opens here is never closed: a closing bracket is missing"),
        ("(game (do @(", "3 closing brackets are missing, and () is still open where the text ends"),
        ("(" * DEEPEST + "@(", f"more than {DEEPEST} brackets are open here"),
    ],
)
def test_texts_that_are_no_brackets(text, said):
    assert said in str(refused(text))


def test_long_lines_take_no_longer():
    """A line of all characters that are allowed is read at once."""
    text = "(" + "() " * (MOST_CHARACTERS // 3 - 1) + ")"
    assert len(read_page(text).game.items) == MOST_CHARACTERS // 3 - 1


def test_the_bracket_that_was_forgotten_is_named():
    text = f"(game\n {SETUP}\n @(do ((turn pass))\n (stage player (end (== 1 1))\n  (do ((turn pass))))\n (scoring max 1))"
    assert "by its indentation (do ..) should be closed before line 5" in str(refused(text))


def test_without_indentation_the_innermost_open_bracket_is_named():
    assert "(stage ..) is still open where the text ends" in str(refused("(game\n(do ())\n@(stage player\n"))


def test_limits():
    refused("@" + "(" * (MOST_CHARACTERS + 1))
    assert read_page("(" * DEEPEST + ")" * DEEPEST).game.at == (1, 1)
    assert read_page("\ufeff(game)").game.at == (1, 1)


@pytest.mark.parametrize(
    ("opening", "inside", "closing"),
    [
        ("(not ", "(== 1 2)", ")"),
        ("(any player 'P ", "(== 1 1)", ")"),
        ("(== (size (filter (range 1 .. 1) 'P ", "(== 1 1)", ")) 1)"),
    ],
)
def test_as_deep_as_brackets_may_be(opening, inside, closing):
    """No recursion goes too deep, neither in reading nor in playing."""
    depth = (DEEPEST - 8) // (opening.count("(") - opening.count(".. 1)"))
    condition = opening * depth + inside + closing * depth
    script = f"(do (({condition} (set (game sto DONE) 1)) (set (game sto SEEN) 1)))"
    description = parse(framed(script))
    game = Game(description, 0)
    assert game.stored(None, "SEEN") == 1
    assert pickle.loads(pickle.dumps(description)) == description
    assert copy.deepcopy(description) == description
    assert len(repr(description)) > 1000


def test_acts_as_deep_as_brackets_may_be():
    acts = "(do (" * 40 + "(inc (game sto SEEN) 1)" + "))" * 40
    assert Game(parse(framed(acts)), 0).stored(None, "SEEN") == 1
    repeats = "(repeat 1 " * 80 + "(inc (game sto SEEN) 1)" + ")" * 80
    assert Game(parse(framed(repeats)), 0).stored(None, "SEEN") == 1


def test_errors_are_lines():
    with pytest.raises(RecycleError) as caught:
        parse("(game $)", "my.rcy")
    error = caught.value
    assert isinstance(error, ValueError)
    assert str(error) == "my.rcy:1:7: the character $ is not part of the language"
    assert (error.name, error.line, error.column) == ("my.rcy", 1, 7)
    assert error.message == "the character $ is not part of the language"
    assert str(error.named(None)) == "1:7: the character $ is not part of the language"


def test_files(tmp_path):
    path = tmp_path / "own.rcy"
    path.write_bytes(b"\xef\xbb\xbf" + framed(NOTHING).replace("\n", "\r\n").encode())
    assert load(path) == load(str(path))
    assert load(path).name == str(path)
    assert load(path).body == parse(framed(NOTHING)).body


def test_poker_as_it_was_printed():
    """The post prints two acts in an ``all``, and a bracket too many at its end."""
    text = AS_PRINTED.read_text()
    assert text.count(")") == text.count("(") + 1
    with pytest.raises(RecycleError) as caught:
        load(AS_PRINTED)
    line = text.splitlines().index("((>= ((current player) sto POINTS) ('P sto POINTS))") + 1
    assert (caught.value.line, caught.value.column) == (line, 1)
    assert "is a second act, where one stands: several are (do (ACT ACT ..))" in str(caught.value)


def test_poker_with_that_mended():
    """It is the older dialect then, without stages, and its maps of suits are never set."""
    text = AS_PRINTED.read_text()
    mended = text.replace("(all player 'P\n(repeat all", "(all player 'P (do (\n(repeat all")
    mended = mended.replace("(set ('P sto BET) 0))))))))", "(set ('P sto BET) 0)))))))))")
    description = parse(mended)
    assert description.players == 5
    assert len(description.decks[0].create.faces) == 52
    assert [message for _, message in description.remarks] == [
        f"no map {name} is ever set: all cards score 0" for name in ("CLUBS", "DIAMONDS", "LEARTS", "SPADES")
    ]
