"""What acts do: bins, moves, copies, repeats, variables; chance; errors while a game is played."""

from __future__ import annotations

from collections import Counter

import pytest

from cardenvs.recycle import RecycleError
from tests.helpers.descriptions import MAP, SETUP, described_by, done, game_of, shown, value_of
from tests.naive.recycle import Game, Seat, Side

STOCK = "(game iloc STOCK)"
TABLE = "(game vloc TABLE)"
AC, AH, TC, TH, HC, HH = ["ACE.CLUBS", "ACE.HEARTS", "TWO.CLUBS", "TWO.HEARTS", "THREE.CLUBS", "THREE.HEARTS"]


def table(*acts, **frame):
    """What lies in the game's ``vloc TABLE`` after some acts, the bottom first."""
    return shown(done(*acts, **frame).place(None, "vloc", "TABLE"))


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


def test_inc_and_dec():
    game = done("(inc (game sto X) 5)", "(dec (game sto X) 7)", "(inc (game sto X) (game sto X))")
    assert game.stored(None, "X") == -4


def test_names_may_be_computed():
    game = done("(set (game str WHICH) COUNT)", "(inc (game sto (game str WHICH)) 3)", "(inc (game sto COUNT) 1)")
    assert game.stored(None, "COUNT") == 4


def test_acts_in_do_see_what_was_done_before():
    game = done(
        "(do ((inc (game sto X) 1) ((== (game sto X) 1) (inc (game sto X) 1)) ((== (game sto X) 1) (inc (game sto X) 9))))"
    )
    assert game.stored(None, "X") == 2


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


@pytest.mark.parametrize(
    ("where", "cards"), [("top", [HH, HC, AC]), ("bottom", [AC, HH, HC]), ("1", [HH, AC, HC]), ("2", [HH, HC, AC])]
)
def test_moves_insert_at_top_bottom_and_index(where, cards):
    start = [f"(move (top {STOCK}) (top {TABLE}))"] * 2
    assert table(*start, f"(move (bottom {STOCK}) ({where} {TABLE}))") == cards


def test_moves_take_a_card_from_where_it_lies():
    """Whatever collection it was found in."""
    assert table(f"(move (max {STOCK} using (game points VALUE)) (top {TABLE}))")[0] in (AC, AH, TC, TH, HC, HH)
    game = done(f"(move (top (filter {STOCK} 'C (== (cardatt SUIT 'C) CLUBS))) (top {TABLE}))")
    assert shown(game.place(None, "vloc", "TABLE")) == [HC]
    assert shown(game.place(None, "iloc", "STOCK")) == [AC, AH, TC, TH, HH]
    assert table(f"(all {STOCK} 'C (move 'C (bottom {TABLE})))") == [HH, HC, TH, TC, AH, AC]
    assert table(f"(move (top {STOCK}) (top {TABLE}))", f"(move (top {TABLE}) (bottom {TABLE}))") == [HH]


def test_a_card_leaves_the_list_of_the_variable_in_which_it_was_found_by_its_end():
    game = done(
        f"(let (bottom 3 {STOCK}) 'V (do ((repeat all (move (top 'V) (top {TABLE}))) (set (game sto LEFT) (size 'V)))))"
    )
    assert shown(game.place(None, "vloc", "TABLE")) == [TC, AH, AC]
    assert game.stored(None, "LEFT") == 0


def test_a_card_found_otherwise_stays_in_the_list():
    game = done(
        MAP,
        f"(let {STOCK} 'V (do ((move (max 'V using (game points VALUE)) (top {TABLE})) (set (game sto LEFT) (size 'V)))))",
    )
    assert game.stored(None, "LEFT") == 6


def test_collections_are_snapshots():
    game = done(f"(let {STOCK} 'V (do ((move (top {STOCK}) (top {TABLE})) (set (game sto LEFT) (size 'V)))))")
    assert game.stored(None, "LEFT") == 6
    game = done(f"(let {STOCK} 'V (let 'V 'W (do ((move (top 'W) (top {TABLE})) (set (game sto LEFT) (size 'V))))))")
    assert game.stored(None, "LEFT") == 6
    game = done(f"(all {STOCK} 'C (move 'C (top {TABLE})))")
    assert shown(game.place(None, "vloc", "TABLE")) == [AC, AH, TC, TH, HC, HH]


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


def test_repeat_counts_once_and_runs_anew_each_time():
    game = done("(set (game sto N) 3)", "(repeat (game sto N) (inc (game sto N) 2))")
    assert game.stored(None, "N") == 9
    assert table(f"(repeat 2 (move (top (filter {STOCK} 'C (== (cardatt SUIT 'C) CLUBS))) (top {TABLE})))") == [HC, TC]
    assert (
        table(f"(repeat 0 (move (top {STOCK}) (top {TABLE})))", f"(repeat (- 0 3) (move (top {STOCK}) (top {TABLE})))")
        == []
    )
    assert done("(repeat 3 (repeat 2 (inc (game sto N) 1)))").stored(None, "N") == 6
    acts = "(do ((inc (game sto N) 1) ((> (game sto N) 2) (inc (game sto M) 1)) (repeat 2 (do ((inc (game sto N) 1))))))"
    game = done(f"(repeat 3 {acts})", f"(repeat 0 {acts})", f"(repeat (- 0 3) {acts})")
    assert (game.stored(None, "N"), game.stored(None, "M")) == (9, 2)


def test_repeat_all_runs_as_often_as_there_were_cards():
    assert table(f"(repeat all (move (bottom {STOCK}) (top {TABLE})))") == [AC, AH, TC, TH, HC, HH]
    assert table("(repeat all (move (top (game vloc EMPTY)) (top (game vloc TABLE))))") == []
    clubs = f"(filter {STOCK} 'C (== (cardatt SUIT 'C) CLUBS))"
    assert table(MAP, f"(repeat all (move (min {clubs} using (game points VALUE)) (top {TABLE})))") == [AC, TC, HC]
    assert table(f"(repeat all (move (actual (top {STOCK})) (top {TABLE})))") == [HH, HC, TH, TC, AH, AC]


def test_variables_are_lexical():
    """An inner binding hides an outer one of its name, and the outer one is there again behind it."""
    game = done("(let 1 'X (do ((let 2 'X (inc (game sto A) 'X)) (inc (game sto B) 'X))))")
    assert (game.stored(None, "A"), game.stored(None, "B")) == (2, 1)
    game = done("(all (range 1 .. 2) 'X (do ((all (range 10 .. 11) 'X (inc (game sto A) 'X)) (inc (game sto B) 'X))))")
    assert (game.stored(None, "A"), game.stored(None, "B")) == (42, 3)


def test_a_bound_value_is_fixed():
    game = done("(set (game sto X) 5)", "(let (game sto X) 'V (do ((set (game sto X) 6) (set (game sto Y) 'V))))")
    assert game.stored(None, "Y") == 5


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
        ("(tri 4)", 10),
        ("(fib 7)", 13),
        ("(size (range 2 .. 5))", 4),
        ("(size (filter (range 1 .. 9) 'N (== (% 'N 3) 0)))", 3),
        ("(size (filter (A, B, C) 'S (or (== 'S A) (== 'S C))))", 2),
        ("(// (- 0 7) 2)", -3),
    ],
)
def test_what_is_reckoned_from_constants_is_declared(declared, value):
    game = game_of("(do ((set (game sto X) 'X)))", declared=f"(declare {declared} 'X)")
    assert game.stored(None, "X") == value
    assert game.description.declarations[0].constant == value


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("(and (== A A) (not (== 1 2)) (<= 1 1))", True),
        ("(or (== A B) (> 1 1) (!= 1 1))", False),
        ("(any (range 1 .. 3) 'N (== 'N 2))", True),
        ("(all (A, B) 'S (== 'S A))", False),
        ("(all (range 1 .. 0) 'N (== 1 2))", True),
        ("(filter (range 1 .. 6) 'N (> 'N 4))", (5, 6)),
    ],
)
def test_conditions_and_lists_are_declared(declared, value):
    description = described_by("(do ((turn pass)))", declared=f"(declare {declared} 'X)")
    assert description.declarations[0].constant == value


def test_any_outside_a_choice_is_all():
    assert table(f"(any (top 2 {STOCK}) 'C (move 'C (top {TABLE})))") == [HH, HC]


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


def test_seeds_decide():
    def order(seed):
        return shown(game_of(f"(do ((shuffle {STOCK})))", seed).place(None, "iloc", "STOCK"))

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(20)}) > 10


def test_a_card_of_a_mem_cannot_be_dropped_twice():
    with pytest.raises(RecycleError, match="the collection is empty"):
        done(f"(remember (top {STOCK}) (top (game mem M)))", "(repeat 2 (forget (top (game mem M))))")


def test_sums_are_bounded():
    with pytest.raises(RecycleError, match="64 bits"):
        value_of(
            f"(sum {STOCK} using (game points V))",
            "(set (game points V) (((RANK : ACE) (^ 2 62)) ((RANK : TWO) (^ 2 62))))",
        )
