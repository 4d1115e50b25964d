"""What acts do: bins, moves, copies, repeats, variables; chance; errors while a game is played."""

from collections import Counter

import pytest

from tests.helpers.descriptions import MAP, SETUP, described_by, done, game_of, shown
from tests.naive.recycle import Game, Seat, Side

STOCK = "(game iloc STOCK)"
TABLE = "(game vloc TABLE)"
ALL = AC, AH, TC, TH, HC, HH = ["ACE.CLUBS", "ACE.HEARTS", "TWO.CLUBS", "TWO.HEARTS", "THREE.CLUBS", "THREE.HEARTS"]


def test_bins_belong_to_owners_and_have_name_spaces_of_their_own():
    game = done(
        "(set (game sto X) 1)",
        "(set ((1 player) sto X) 2)",
        "(set ((1 team) sto X) 3)",
        "(set (game str X) WORD)",
        "(set (game sto Y) (+ (game sto X) ((1 player) sto X)))",
    )
    assert [game.stored(owner, "X") for owner in (None, Seat(1), Side(1), Seat(0), Side(0))] == [1, 2, 3, 0, 0]
    assert game.string_stored(None, "X") == "WORD"
    assert game.stored(None, "Y") == 3


SHOW = f"(move (top {STOCK}) (top {TABLE}))"
CLUBS = f"(filter {STOCK} 'C (== (cardatt SUIT 'C) CLUBS))"
INCREASES = "((inc (game sto X) 1) ((== (game sto X) 1) (inc (game sto X) 1)) ((== (game sto X) 1) (inc (game sto X) 9)))"
BRANCHED = "(do ((inc (game sto N) 1) ((> (game sto N) 2) (inc (game sto M) 1)) (repeat 2 (do ((inc (game sto N) 1))))))"
BINS = {
    "inc and dec": ("(inc (game sto X) 5) (dec (game sto X) 7) (inc (game sto X) (game sto X))", {"X": -4}),
    "names may be computed": (
        "(set (game str WHICH) COUNT) (inc (game sto (game str WHICH)) 3) (inc (game sto COUNT) 1)",
        {"COUNT": 4},
    ),
    "acts in do see what was done before": (f"(do {INCREASES})", {"X": 2}),
    "a card leaves the list of the variable in which it was found by its end": (
        f"""(let (bottom 3 {STOCK}) 'V
            (do ((repeat all (move (top 'V) (top {TABLE}))) (set (game sto LEFT) (size 'V)))))""",
        {"LEFT": 0},
    ),
    "a card found otherwise stays in the list": (
        f"""{MAP} (let {STOCK} 'V
            (do ((move (max 'V using (game points VALUE)) (top {TABLE})) (set (game sto LEFT) (size 'V)))))""",
        {"LEFT": 6},
    ),
    "collections are snapshots": (f"(let {STOCK} 'V (do ({SHOW} (set (game sto LEFT) (size 'V)))))", {"LEFT": 6}),
    "of variables, too": (
        f"(let {STOCK} 'V (let 'V 'W (do ((move (top 'W) (top {TABLE})) (set (game sto LEFT) (size 'V))))))",
        {"LEFT": 6},
    ),
    "repeat counts once": ("(set (game sto N) 3) (repeat (game sto N) (inc (game sto N) 2))", {"N": 9}),
    "repeats within repeats": ("(repeat 3 (repeat 2 (inc (game sto N) 1)))", {"N": 6}),
    "a repeat runs anew each time": (
        f"(repeat 3 {BRANCHED}) (repeat 0 {BRANCHED}) (repeat (- 0 3) {BRANCHED})",
        {"N": 9, "M": 2},
    ),
    "an inner binding hides an outer one": (
        "(let 1 'X (do ((let 2 'X (inc (game sto A) 'X)) (inc (game sto B) 'X))))",
        {"A": 2, "B": 1},
    ),
    "which is there again behind it": (
        "(all (range 1 .. 2) 'X (do ((all (range 10 .. 11) 'X (inc (game sto A) 'X)) (inc (game sto B) 'X))))",
        {"A": 42, "B": 3},
    ),
    "a bound value is fixed": (
        "(set (game sto X) 5) (let (game sto X) 'V (do ((set (game sto X) 6) (set (game sto Y) 'V))))",
        {"Y": 5},
    ),
}
TABLES = {
    "top": (f"{SHOW} {SHOW} (move (bottom {STOCK}) (top {TABLE}))", [HH, HC, AC]),
    "bottom": (f"{SHOW} {SHOW} (move (bottom {STOCK}) (bottom {TABLE}))", [AC, HH, HC]),
    "an index": (f"{SHOW} {SHOW} (move (bottom {STOCK}) (1 {TABLE}))", [HH, AC, HC]),
    "the last index": (f"{SHOW} {SHOW} (move (bottom {STOCK}) (2 {TABLE}))", [HH, HC, AC]),
    "of a filter": (f"(move (top {CLUBS}) (top {TABLE}))", [HC]),
    "each of a place": (f"(all {STOCK} 'C (move 'C (bottom {TABLE})))", [HH, HC, TH, TC, AH, AC]),
    "each of a snapshot": (f"(all {STOCK} 'C (move 'C (top {TABLE})))", ALL),
    "within a place": (f"{SHOW} (move (top {TABLE}) (bottom {TABLE}))", [HH]),
    "the end of a variable": (f"(let (bottom 3 {STOCK}) 'V (repeat all (move (top 'V) (top {TABLE}))))", [TC, AH, AC]),
    "a repeat": (f"(repeat 2 (move (top {CLUBS}) (top {TABLE})))", [HC, TC]),
    "no repeats": (f"(repeat 0 {SHOW}) (repeat (- 0 3) {SHOW})", []),
    "repeat all": (f"(repeat all (move (bottom {STOCK}) (top {TABLE})))", ALL),
    "repeat all of nothing": ("(repeat all (move (top (game vloc EMPTY)) (top (game vloc TABLE))))", []),
    "repeat all of a filter": (
        f"{MAP} (repeat all (move (min {CLUBS} using (game points VALUE)) (top {TABLE})))",
        [AC, TC, HC],
    ),
    "repeat all of actual cards": (f"(repeat all (move (actual (top {STOCK})) (top {TABLE})))", ALL[::-1]),
    "any outside a choice is all": (f"(any (top 2 {STOCK}) 'C (move 'C (top {TABLE})))", [HH, HC]),
}


@pytest.mark.parametrize(("acts", "stored"), BINS.values(), ids=BINS)
def test_what_bins_hold_after_acts(acts, stored):
    game = done(acts)
    assert {name: game.stored(None, name) for name in stored} == stored


@pytest.mark.parametrize(("acts", "cards"), TABLES.values(), ids=TABLES)
def test_what_lies_on_the_table_after_acts(acts, cards):
    game = done(acts)
    assert shown(game.place(None, "vloc", "TABLE")) == cards
    assert shown(game.place(None, "iloc", "STOCK")) == [card for card in ALL if card not in cards]


def test_places_are_told_apart_by_kind_and_owner():
    acts = [
        f"(move (top {STOCK}) (top (game vloc A)))",
        f"(move (top {STOCK}) (top (game iloc A)))",
        f"(move (top {STOCK}) (top ((1 player) vloc A)))",
    ]
    game = done(*acts)
    assert shown(game.place(None, "vloc", "A")) == [HH]
    assert shown(game.place(None, "iloc", "A")) == [HC]
    assert shown(game.place(1, "vloc", "A")) == [TH]
    assert game.place(0, "vloc", "A") == game.place(None, "hloc", "A") == []


def test_mem_holds_copies():
    game = done(
        f"(remember (top {STOCK}) (top (game mem M)))",
        f"(remember (bottom {STOCK}) (bottom (game mem M)))",
        f"(move (top {STOCK}) (top {TABLE}))",
        "(set (game str TOP) (cardatt RANK (top (game mem M))))",
        f"(set (game sto SAME) (size (intersect (game mem M) {TABLE})))",
        "(forget (bottom (game mem M)))",
    )
    assert shown(game.place(None, "mem", "M")) == [HH]
    assert shown(game.place(None, "vloc", "TABLE")) == [HH]
    assert game.string_stored(None, "TOP") == "THREE"
    assert game.stored(None, "SAME") == 1


def test_forget_all():
    copies = [f"(remember ({n} {STOCK}) (top ((1 player) mem M)))" for n in range(3)]
    game = done(*copies, "(repeat all (forget (top ((1 player) mem M))))")
    assert game.place(1, "mem", "M") == []
    assert len(game.place(None, "iloc", "STOCK")) == 6
    game = done(*copies, "(forget (top (filter ((1 player) mem M) 'C (== (cardatt SUIT 'C) HEARTS))))")
    assert shown(game.place(1, "mem", "M")) == [AC, TC]


def test_let_stands_directly_in_a_game_and_takes_any_value():
    game = game_of(
        f"""(let (1 player) 'P (set ('P sto X) 1))
            (let (top {STOCK}) 'C (move 'C (top {TABLE})))
            (let (1 team) 'T (all 'T 'P (set ('P sto Y) 1)))"""
    )
    assert game.stored(Seat(1), "X") == 1
    assert game.stored(Seat(1), "Y") == 1
    assert shown(game.place(None, "vloc", "TABLE")) == [HH]


def test_constants():
    game = game_of(
        """(do ((set (game sto N) 'SIX)
                (all 'NAMES 'S (inc (game sto 'S) 1))
                (all 'FEW 'N (inc (game sto SUM) 'N))
                (set (game str W) 'WORD)))""",
        declared="""(declare 2 'TWO) (declare (* 'TWO 3) 'SIX) (declare (A, B) 'NAMES)
                    (declare (range 1 .. 'TWO) 'FEW) (declare X 'WORD)""",
        setup=SETUP.replace("players 3", "players 'TWO"),
    )
    assert [game.stored(None, name) for name in ("N", "A", "B", "SUM")] == [6, 1, 1, 3]
    assert game.string_stored(None, "W") == "X"
    assert game.players == 2


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("(tri 4)", 10), ("(fib 7)", 13), ("(size (range 2 .. 5))", 4), ("(// (- 0 7) 2)", -3),
        ("(size (filter (range 1 .. 9) 'N (== (% 'N 3) 0)))", 3),
        ("(size (filter (A, B, C) 'S (or (== 'S A) (== 'S C))))", 2), ("(and (== A A) (not (== 1 2)) (<= 1 1))", True),
        ("(or (== A B) (> 1 1) (!= 1 1))", False), ("(any (range 1 .. 3) 'N (== 'N 2))", True),
        ("(all (A, B) 'S (== 'S A))", False), ("(all (range 1 .. 0) 'N (== 1 2))", True),
        ("(filter (range 1 .. 6) 'N (> 'N 4))", (5, 6)),
    ],
)  # fmt: skip
def test_what_is_reckoned_from_constants_is_declared(declared, value):
    act = "(set (game sto X) 'X)" if type(value) is int else "(turn pass)"
    game = game_of(f"(do ({act}))", declared=f"(declare {declared} 'X)")
    constant = game.description.declarations[0].constant
    assert constant == value and type(constant) is type(value)
    assert type(value) is not int or game.stored(None, "X") == value


def test_decks_are_made_in_mid_game():
    game = done(f"(repeat 2 (create deck EXTRA {TABLE} (deck (WORD (X, Y)))))", f"(move (top {TABLE}) (bottom {STOCK}))")
    assert shown(game.place(None, "vloc", "TABLE")) == ["X", "Y", "X"]
    assert [card.deck for card in game.place(None, "iloc", "STOCK")] == ["EXTRA"] + ["DEFAULT"] * 6
    assert len({card.number for place in game.memory.places.values() for card in place}) == 10


def test_shuffles_are_uniform():
    """False alarm below one in 10^5: a chi-square of 5 degrees of freedom above 32 has probability 6 in 10^6."""
    setup = f"(setup (create players 1) (create deck {STOCK} (deck (A (X, Y, Z)))))"
    description = described_by(f"(do ((shuffle {STOCK})))", setup=setup)
    orders = Counter("".join(shown(Game(description, seed).place(None, "iloc", "STOCK"))) for seed in range(3000))
    assert len(orders) == 6
    assert sum((count - 500) ** 2 / 500 for count in orders.values()) < 32
