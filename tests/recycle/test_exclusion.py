"""Which alternatives share actions: those whose conditions contradict each other, and those that the author marks."""

import random
from pathlib import Path
from typing import Any

import pytest

from cardenvs import cli
from cardenvs.recycle import RecycleError, parse
from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.game import compiled
from cardenvs.testing import check_ends
from tests.helpers.descriptions import framed, refused
from tests.naive.recycle import Game

HAND, PILE = "((current player) iloc HAND)", "(game vloc PILE)"
MOVE = f"(move 'C (top {PILE}))"


def play(condition: str = "", among: str = HAND) -> str:
    """An alternative that plays a card, perhaps on a condition."""
    chosen = f"(any {among} 'C {MOVE})"
    return f"({condition} {chosen})" if condition else chosen


def such(test: str, among: str = HAND) -> str:
    """Cards for which a test of ``'X`` holds."""
    return f"(filter {among} 'X {test})"


def word(other: str) -> str:
    """An alternative that chooses a word which is another one."""
    return f"(any (LEFT, RIGHT) 'W ((== 'W {other}) (set (game str SIDE) 'W)))"


HEART, CLUB = ("(== (cardatt SUIT 'X) HEARTS)", "(== (cardatt SUIT 'X) CLUBS)")
ACE = "(== (cardatt RANK 'X) ACE)"
LED = "(== (cardatt SUIT 'X) (cardatt SUIT (top (game vloc PILE))))"
HIGH = "(> (score 'X using (game points V)) (score (max (game vloc PILE) using (game points V)) using (game points V)))"
LOW = "(<= (score 'Y using (game points V)) (score (max (game vloc PILE) using (game points V)) using (game points V)))"
OVER = "(> (score 'X using (game points V)) (score (top (game vloc PILE)) using (game points V)))"
UNDER = "(<= (score 'Y using (game points V)) (score (top (game vloc PILE)) using (game points V)))"
A, B = "(game sto A)", "(game sto B)"

PROVED = [
    # a test and its opposite, however it is written
    (play(f"(== {A} 0)"), play(f"(!= {A} 0)")),
    (play(f"(== {A} 0)"), play(f"(not (== 0 {A}))")),
    (play(f"(< {A} 2)"), play(f"(>= {A} 2)")),
    (play(f"(< {A} {B})"), play(f"(<= {B} {A})")),
    (play(f"(== {A} 0)"), play(f"(== {A} 1)")),
    (play(f"(and (== {A} {B}) (== {B} 1))"), play(f"(== {A} 2)")),
    # any and all, filters and their sizes
    (play(f"(any {HAND} 'X {HEART})"), play(f"(all {HAND} 'Y (not {HEART.replace('X', 'Y')}))")),
    (play(f"(all {HAND} 'X {HEART})"), play(f"(any {HAND} 'Y (!= (cardatt SUIT 'Y) HEARTS))")),
    (play("", such(HEART)), play(f"(== (size {such(HEART)}) 0)")),
    (play(f"(> (size {such(HEART)}) 0)"), play(f"(== (size {such(HEART)}) 0)")),
    (play(f"(>= (size {such(HEART)}) 1)"), play(f"(not (any {HAND} 'Z {HEART.replace('X', 'Z')}))")),
    (play(f"(== (size {PILE}) 0)"), play(f"(> (size {PILE}) 0)")),
    # several conditions
    (play(f"(and (== {A} 0) (any {HAND} 'X {HEART}))"), play(f"(or (!= {A} 0) (== (size {such(HEART)}) 0))")),
    (play(f"(== {A} 0)", such(HEART)), play(f"(or (== {A} 1) (all {HAND} 'X (not {HEART})))")),
    (f"(let (size {PILE}) 'N {play('(== (quote) 0)')})".replace("(quote)", "'N"), play(f"(> (size {PILE}) 0)")),
    # the card itself
    (play("", such(HEART)), play("", such(f"(not {HEART})"))),
    (play("", such(HEART)), play("", such("(!= (cardatt SUIT 'X) HEARTS)"))),
    (play("", such(LED)), play("", such(f"(not {LED})"))),
    (play("", such(f"(or {HEART} {ACE})")), play("", such(f"(and {CLUB} (not {ACE}))"))),
    (play("", such(OVER)), play(f"(and (> (size {PILE}) 0) (all {HAND} 'Y {UNDER}))")),
    (f"(any (range 0 .. 9) 'N ((< 'N {A}) (set {B} 'N)))", f"(any (range 0 .. 9) 'N ((>= 'N {A}) (set {B} 'N)))"),
    (f"(any {HAND} 'C ((== (cardatt SUIT 'C) HEARTS) {MOVE}))", play("", such(CLUB))),
    # words and seats
    (word("LEFT"), word("RIGHT")),
    (f"(any player 'P ((== ('P sto C) 0) (set {B} 1)))", f"(any (other player) 'Q ((!= ('Q sto C) 0) (set {B} 1)))"),
]
UNSEEN = [  # pairs that exclude each other in another way
    (play(f"(> {A} 2)"), play(f"(<= {A} 1)")),
    (play("", such(HEART)), play(f"(all {HAND} 'X {CLUB})")),
    (play("", such(HIGH)), play(f"(all {HAND} 'Y {LOW})")),
    (play(f"(any {HAND} 'X {HIGH})"), play(f"(all {HAND} 'Y {LOW})")),
    (play(f"(or (== {A} 0) (== {B} 0))"), play(f"(and (!= {A} 0) (> {B} 0))")),
    (play(f"(all {HAND} 'X {HEART})"), play("", such(CLUB))),
]
OPEN = [
    (word("LEFT"), word("(game str SIDE)")),
    (play(f"(== {A} 0)"), play(f"(== {B} 0)")),
    (play(f"(< {A} 2)"), play(f"(> {A} 0)")),
    (play(f"(any {HAND} 'X {HEART})"), play(f"(any {HAND} 'X {CLUB})")),
    (play("", such(HEART)), play(f"(any {HAND} 'X {CLUB})")),
    (play("", such(HEART)), play(f"(== (size {such(CLUB)}) 0)")),
    (play(f"(all {HAND} 'X {HEART})"), play("", such("(== (cardatt RANK 'X) ACE)"))),
    (play(f"(== (size {such(HEART)}) 0)"), play("", such(HEART, PILE))),
    (play(f"(== (cardatt SUIT (top {PILE})) HEARTS)"), play(f"(== (cardatt SUIT (bottom {PILE})) CLUBS)")),
    # what is drawn anew each time
    (play("(== (random 0 .. 1) 0)"), play("(!= (random 0 .. 1) 0)")),
    (play(f"(== (cardatt SUIT (max {PILE} using (game points V))) HEARTS)"), play(
        f"(!= (cardatt SUIT (max {PILE} using (game points V))) HEARTS)")),
]  # fmt: skip


def shared(one: str, other: str, marked: bool = False) -> bool:
    """Whether two alternatives have actions in common, perhaps as the choice is marked."""
    script = f"(do ((set {A} (random 0 .. 3)) (inc {A} 1) (inc {B} 1))) (choice ({one} {other}))"
    text = (";;! exclusive 1\n" if marked else "") + framed(script)
    first, second = Actions(Layout(parse(text))).alternatives[0]
    return bool(first.own_actions & second.own_actions) or not second.apart


@pytest.mark.parametrize(("one", "other", "proved"), [(*pair, pair in PROVED) for pair in PROVED + UNSEEN + OPEN])
def test_what_cannot_be_offered_together_shares_actions(one: str, other: str, proved: bool) -> None:
    assert shared(one, other) == shared(other, one) == proved


@pytest.mark.parametrize(("one", "other"), UNSEEN + OPEN)
def test_an_author_may_say_that_alternatives_exclude_each_other(one: str, other: str) -> None:
    assert shared(one, other, marked=True)


BOUNDED = """;;! exclusive 2
(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR)))))
 (do ((shuffle (game iloc STOCK)) (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (game sto BIDS) 2))
  (choice ((any (LEFT, RIGHT) 'W (inc (game sto BIDS) 1)) (any (LEFT, RIGHT) 'W (inc (game sto BIDS) 1)))))
 (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
  (choice (
   ((> (game sto LAID) LIMIT) (any ((current player) iloc HAND) 'C ACT))
   ((<= (game sto LAID) 1)
    (any ((current player) iloc HAND) 'C ACT)))))
 (scoring max 0))"""
ONE_ACT = "(do ((move 'C (top (game vloc PILE))) (inc (game sto LAID) 1)))"
TWO_CARDS = f"(do ((move 'C (top (game vloc PILE))) (any {HAND} 'D {ONE_ACT.replace(chr(39) + 'C', chr(39) + 'D')})))"


@pytest.mark.parametrize("act", [ONE_ACT, TWO_CARDS])
def test_a_position_in_which_marked_alternatives_are_both_open_is_an_error(act: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "bounded.rcy"
    check_ends(compiled(parse(BOUNDED.replace("ACT", act).replace("LIMIT", "1")), "bounded"), episodes=2)
    file.write_text(BOUNDED.replace("ACT", act).replace("LIMIT", "0"))
    assert cli.main(["recycle", "check", str(file), "--play", "1"]) == 2
    assert "bounded.rcy:10:4: the same values are offered in line 9: the choice is not" in capsys.readouterr().err


def test_a_mark_names_a_choice() -> None:
    text = BOUNDED.replace("ACT", ONE_ACT).replace("LIMIT", "1")
    assert "the game has no choice 3: it has 2" in str(refused(text.replace(";;! exclusive 2", ";;! @exclusive 1 3")))
    assert "written ;;! exclusive NUMBER .." in str(refused(text.replace(";;! exclusive 2", ";;! @exclusive HAND")))


def random_test(rng: random.Random, card: str, depth: int = 2) -> str:
    """A test of a card, perhaps with other cards in it."""
    kind = rng.randrange(9 if depth else 6)
    inner = lambda: random_test(rng, card, depth - 1)  # noqa: E731
    suit = rng.choice(["CLUBS", "HEARTS", "(game str LEAD)", f"(cardatt SUIT (top {PILE}))"])
    number = rng.choice([A, "0", "1", "2", f"(score (max {PILE} using (game points V)) using (game points V))"])
    match kind:
        case 0 | 1:
            return f"({rng.choice(['==', '!='])} (cardatt SUIT '{card}) {suit})"
        case 2:
            return f"({rng.choice(['==', '!='])} (cardatt RANK '{card}) {rng.choice(['ACE', 'TWO'])})"
        case 3 | 4:
            return f"({rng.choice(['<', '>', '<=', '>=', '==', '!='])} (score '{card} using (game points V)) {number})"
        case 5:
            return f"({rng.choice(['==', '!='])} '{card} (bottom {HAND}))"
        case 6:
            return f"(not {inner()})"
        case 7:
            return f"({rng.choice(['and', 'or'])} {inner()} {inner()})"
    other = f"{card}{'I' * depth}"
    return (
        f"({rng.choice(['any', 'all'])} {rng.choice([HAND, PILE])} '{other}"
        f" (== (cardatt {rng.choice(['SUIT', 'RANK'])} '{other}) (cardatt SUIT '{card})))"
    )


def random_condition(rng: random.Random, depth: int = 2) -> str:
    """A test of a position."""
    kind = rng.randrange(9 if depth else 6)
    inner = lambda: random_condition(rng, depth - 1)  # noqa: E731
    among = rng.choice([HAND, HAND, PILE])
    if kind < 6 and rng.random() < 0.3:
        among = f"(filter {among} 'F {random_test(rng, 'F', 0)})"
    operator = rng.choice(["<", ">", "<=", ">=", "==", "!="])
    match kind:
        case 0 | 1:
            return f"({operator} {rng.choice([A, B])} {rng.choice([B, '0', '1', '2'])})"
        case 2:
            return f"({operator} (size {among}) {rng.choice([A, '0', '1', '2'])})"
        case 3:
            return f"({rng.choice(['==', '!='])} (game str LEAD) {rng.choice(['CLUBS', 'HEARTS'])})"
        case 4 | 5:
            return f"({rng.choice(['any', 'all'])} {among} 'Q {random_test(rng, 'Q', 1)})"
        case 6:
            return f"(not {inner()})"
    return f"({rng.choice(['and', 'or'])} {inner()} {inner()})"


def random_alternative(rng: random.Random) -> str:
    """An alternative that plays a card."""
    among = HAND if rng.random() < 0.4 else f"(filter {HAND} 'G {random_test(rng, 'G')})"
    behind = f"({random_test(rng, 'C', 1)} {MOVE})" if rng.random() < 0.2 else MOVE
    chosen = f"(any {among} 'C {behind})"
    return f"({random_condition(rng)} {chosen})" if rng.random() < 0.7 else chosen


def trial(rng: random.Random, copies: int, positions: int) -> bool:
    """Whether two random alternatives were proved apart; no position was found then in which they offer one face."""
    decks = "(create deck (game iloc STOCK) (deck (RANK (ACE, TWO, THREE)) (SUIT (CLUBS, HEARTS))))"
    setup = f"(setup (create players 2) {f'(repeat {copies} {decks})' if copies > 1 else decks})"
    script = f"""(do ((shuffle (game iloc STOCK)) {MAP} (set {A} (random 0 .. 2)) (set {B} (random 0 .. 2))
      ((== (random 0 .. 1) 0) (set (game str LEAD) HEARTS)) ((== (game str LEAD) NONE) (set (game str LEAD) CLUBS))
      (repeat (random 1 .. 4) (move (top (game iloc STOCK)) (top ((0 player) iloc HAND))))
      (repeat (random 1 .. 2) (move (top (game iloc STOCK)) (top {PILE})))))
      (choice ({random_alternative(rng)} {random_alternative(rng)} (turn pass)))"""
    description = parse(framed(script, setup=setup))
    first, second, _ = Actions(Layout(description)).alternatives[0]
    if not first.own_actions & second.own_actions:
        return False
    for seed in range(positions):
        try:
            options = Game(description, seed).options()
        except RecycleError:
            continue  # a card of an empty place was asked for
        offered = [{str(item) for one in options if one.alternative == k for item in one.values} for k in (0, 1)]
        assert not offered[0] & offered[1], script
    return True


MAP = "(set (game points V) (((RANK : ACE) 2) ((RANK : TWO) 1) ((SUIT : HEARTS) 1)))"


@pytest.mark.parametrize("copies", [1, 2])
def test_random_alternatives_that_share_actions_are_never_offered_together(copies: int) -> None:
    rng = random.Random(copies)
    assert sum(trial(rng, copies, 6) for _ in range(90)) > 2
