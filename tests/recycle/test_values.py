"""What expressions are worth: numbers, strings, conditions, cards, collections."""

from __future__ import annotations

from collections import Counter

import pytest

from cardenvs.recycle import RecycleError
from tests.helpers.descriptions import MAP, SETUP, described_by, done, game_of, shown, value_of
from tests.naive.recycle import Game, Seat, Side

STOCK = "(game iloc STOCK)"
VALUE = "(game points VALUE)"
AC, AH, TC, TH, HC, HH = ["ACE.CLUBS", "ACE.HEARTS", "TWO.CLUBS", "TWO.HEARTS", "THREE.CLUBS", "THREE.HEARTS"]
ALL = [AC, AH, TC, TH, HC, HH]
TEAMS = SETUP.replace("(create players 3)", "(create players 4) (create teams (0, 2) (3, 1))")


def deck(text):
    """A setup of one player whose stock is a deck."""
    return {"setup": f"(setup (create players 1) (create deck {STOCK} (deck {text})))"}


def fails(expression, *acts, **frame):
    """What the error says, and where."""
    with pytest.raises(RecycleError) as caught:
        value_of(expression, *acts, **frame)
    return caught.value.message


# Decks


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("(A (X, Y)) (B (P, Q))", ["X.P", "X.Q", "Y.P", "Y.Q"]),
        ("(A (X) (Y))", ["X", "Y"]),
        ("(A (X))", ["X"]),
        (
            "(C (R (S (H, D))) (B (S (K, P)))) (N (I, J))",
            ["R.I.H", "R.J.H", "R.I.D", "R.J.D", "B.I.K", "B.J.K", "B.I.P", "B.J.P"],
        ),
        ("(A (X (B (P, Q)) (C (R))) (Y))", ["X.P", "X.Q", "X.R", "Y"]),
    ],
)
def test_decks_are_products_and_branches_are_joined(text, cards):
    assert value_of(STOCK, **deck(text)) == cards


def test_plain_decks_come_before_repeated_ones():
    two = f"(repeat 2 (create deck {STOCK} (deck (A (X, Y)))))"
    setup = f"(setup (create players 1) {two} (create deck {STOCK} (deck (A (Z)))))"
    assert value_of(STOCK, setup=setup) == ["Z", "X", "Y", "X", "Y"]
    nested = f"(setup (create players 1) (repeat 2 (repeat 2 (create deck {STOCK} (deck (A (X)))))))"
    assert value_of(STOCK, setup=nested) == ["X"] * 4


def test_decks_have_names_and_cards_are_themselves():
    setup = f"(setup (create players 1) (create deck RED {STOCK} (deck (A (X)))) (create deck {STOCK} (deck (A (X)))))"
    game = done("(turn pass)", setup=setup)
    one, other = game.place(None, "iloc", "STOCK")
    assert (one.deck, other.deck) == ("RED", "DEFAULT")
    assert one.values == other.values
    assert one != other
    assert value_of(f"(== (top {STOCK}) (bottom {STOCK}))", setup=setup) is False
    assert value_of(f"(== (top {STOCK}) (top {STOCK}))", setup=setup) is True


# Numbers


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(+ 2 3)", 5),
        ("(- 2 3)", -1),
        ("(* (- 0 2) 3)", -6),
        ("(// 7 2)", 3),
        ("(// (- 0 7) 2)", -3),
        ("(// 7 (- 0 2))", -3),
        ("(// (- 0 7) (- 0 2))", 3),
        ("(% 7 3)", 1),
        ("(% (- 0 7) 3)", -1),
        ("(% 7 (- 0 3))", 1),
        ("(^ 2 10)", 1024),
        ("(^ (- 0 1) 1001)", -1),
        ("(^ 0 0)", 1),
        ("(tri 4)", 10),
        ("(tri 0)", 0),
        ("(size (range 3 .. 5))", 3),
        ("(size (range 5 .. 3))", 0),
        ("(size player)", 3),
        ("(size (A, B))", 2),
        ("(game sto NEVER)", 0),
        ("((1 team) sto NEVER)", 0),
    ],
)
def test_numbers(expression, value):
    assert value_of(expression) == value


def test_fibonacci():
    assert [value_of(f"(fib {n})") for n in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]


def test_the_range_has_both_ends():
    assert value_of("(range 3 .. 5)") == [3, 4, 5]
    assert value_of("(range (- 0 1) .. 1)") == [-1, 0, 1]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("(// 1 (game sto X))", "(// 1 0) divides by 0"),
        ("(% 1 (game sto X))", "(% 1 0) divides by 0"),
        ("(^ 2 (- (game sto X) 1))", "powers start at 0"),
        ("(* (^ 2 62) (+ 2 (game sto X)))", "64 bits"),
        ("(fib (- (game sto X) 1))", "fib takes a number from 0 to 92, not -1"),
        ("(random 3 .. (game sto X))", "there is no number from 3 to 0"),
    ],
)
def test_numbers_that_are_none(expression, said):
    assert said in fails(expression)


def test_random_numbers_have_both_ends():
    """False alarm: one in 10^12; one of four numbers is missing in 100 draws with probability 4 (3/4)^100."""
    drawn = {game_of("(do ((set (game sto X) (random 2 .. 5))))", seed).stored(None, "X") for seed in range(100)}
    assert drawn == {2, 3, 4, 5}
    drawn = {game_of("(do ((set (game sto X) (random 3))))", seed).stored(None, "X") for seed in range(100)}
    assert drawn == {0, 1, 2, 3}


# Strings


def test_strings():
    assert value_of("(game str NEVER)") == ""
    assert value_of("(game str X)", "(set (game str X) HELLO)") == "HELLO"
    assert value_of(f"(cardatt SUIT (top {STOCK}))") == "HEARTS"
    assert value_of("(cardatt (game str X) (bottom (game iloc STOCK)))", "(set (game str X) RANK)") == "ACE"


def test_missing_attributes_and_the_ends_of_empty_places_are_empty_strings():
    mixed = {
        "setup": f"(setup (create players 1) (create deck {STOCK} (deck (A (X)))) (create deck {STOCK} (deck (B (Y)))))"
    }
    assert value_of(f"(cardatt A (top {STOCK}))", **mixed) == ""
    assert value_of("(cardatt RANK (top (game vloc EMPTY)))") == ""
    assert value_of("(== (cardatt RANK (top (game vloc X))) (cardatt SUIT (bottom (game mem Y))))") is True
    assert "the collection is empty" in fails("(cardatt RANK (0 (game vloc EMPTY)))")
    assert "the collection is empty" in fails("(cardatt RANK (top (filter (game vloc EMPTY) 'C (== 1 1))))")
    assert "the collection is empty" in fails(f"(cardatt RANK (max (game vloc EMPTY) using {VALUE}))")


# Conditions


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(and (== 1 1) (== 1 2))", False),
        ("(and (== 1 1) (== 2 2) (== 3 3))", True),
        ("(or (== 1 2) (== 1 3) (== 1 1))", True),
        ("(not (== 1 2))", True),
        ("(and (== 1 2) (== (// 1 (game sto X)) 1))", False),
        ("(or (== 1 1) (== (// 1 (game sto X)) 1))", True),
        ("(all (range 1 .. 0) 'N (== 1 2))", True),
        ("(any (range 1 .. 0) 'N (== 1 1))", False),
        ("(all (range 1 .. 3) 'N (< 'N 4))", True),
        ("(any (range 1 .. 3) 'N (>= 'N 3))", True),
        ("(any (range 1 .. 3) 'N (== (// 2 (- 2 'N)) 2))", True),
        ("(!= A B)", True),
        ("(== A A)", True),
        ("(<= 2 2)", True),
        ("(> 2 2)", False),
        ("(== (current player) (0 player))", True),
        ("(== (current team) (team (1 player)))", False),
        (f"(== (top {STOCK}) (actual (top (filter {STOCK} 'C (== 1 1)))))", True),
        (f"(== (top {STOCK}) (bottom {STOCK}))", False),
    ],
)
def test_conditions(expression, value):
    assert value_of(expression) is value


# Point maps


def test_scores_add_up_over_tables():
    awards = "(((RANK : ACE) 1) ((RANK : ACE) 10) ((SUIT : HEARTS) 100) ((RANK : ACE) (SUIT : HEARTS) 1000))"
    acts = [f"(set {VALUE} {awards})"]
    scores = [value_of(f"(score ({n} {STOCK}) using {VALUE})", *acts) for n in range(3)]
    assert scores == [11, 1111, 0]
    assert value_of(f"(sum {STOCK} using {VALUE})", *acts) == 11 + 1111 + 100 + 100
    assert value_of(f"(sum {STOCK} using (game points NEVER))") == 0


def test_a_key_that_contradicts_another_fits_no_card():
    acts = [f"(set {VALUE} (((RANK : ACE) (RANK : TWO) 5) ((RANK : ACE) (RANK : ACE) 7)))"]
    assert value_of(f"(sum {STOCK} using {VALUE})", *acts) == 14


def test_setting_a_map_replaces_it_and_evaluates_it():
    acts = [
        "(set (game str X) ACE)",
        "(set (game sto N) 5)",
        f"(set {VALUE} (((RANK : TWO) 1)))",
        f"(set {VALUE} (((RANK : (game str X)) (game sto N)) ((SUIT : (cardatt SUIT (top {STOCK}))) 100)))",
        "(set (game str X) TWO)",
        "(set (game sto N) 6)",
    ]
    assert [value_of(f"(score ({n} {STOCK}) using {VALUE})", *acts) for n in range(4)] == [5, 105, 0, 100]


def test_missing_attributes_read_as_the_empty_string():
    setup = f"(setup (create players 1) (create deck {STOCK} (deck (A (X)))) (create deck {STOCK} (deck (B (Y)))))"
    acts = [f"(set {VALUE} (((A : (game str EMPTY)) 3)))"]
    assert [value_of(f"(score ({n} {STOCK}) using {VALUE})", *acts, setup=setup) for n in range(2)] == [0, 3]


def test_the_older_ways_to_write_maps():
    acts = ["(put points 'VALUE (((RANK (ACE)) 4) ((SUIT (cardatt SUIT (top (game iloc STOCK)))) 10)))"]
    assert value_of(f"(sum {STOCK} using 'VALUE)", *acts) == 38
    assert value_of(f"(sum {STOCK} using {VALUE})", *acts) == 38


def test_players_and_teams_have_maps():
    acts = ["(set ((1 player) points VALUE) (((RANK : ACE) 1)))", "(set ((1 team) points VALUE) (((RANK : ACE) 2)))"]
    assert value_of(f"(sum {STOCK} using ((1 player) points VALUE))", *acts) == 2
    assert value_of(f"(sum {STOCK} using ((1 team) points VALUE))", *acts) == 4
    assert value_of(f"(sum {STOCK} using ((0 player) points VALUE))", *acts) == 0


# Cards


def test_top_is_last_and_indices_count_from_the_bottom():
    assert value_of(f"(top {STOCK})") == HH
    assert value_of(f"(bottom {STOCK})") == AC
    assert [value_of(f"({n} {STOCK})") for n in range(6)] == ALL
    assert value_of(f"((+ 1 1) {STOCK})") == TC
    assert "there is no card 6 among 6" in fails(f"(6 {STOCK})")
    assert "there is no card -1 among 6" in fails(f"((- (game sto X) 1) {STOCK})")
    assert "the collection is empty" in fails("(top (game vloc EMPTY))")


def test_extremes():
    clubs = f"(filter {STOCK} 'C (== (cardatt SUIT 'C) CLUBS))"
    assert value_of(f"(max {clubs} using {VALUE})", MAP) == HC
    assert value_of(f"(min {clubs} using {VALUE})", MAP) == AC


def test_extremes_below_zero():
    acts = [f"(set {VALUE} (((RANK : ACE) (- 0 7)) ((RANK : TWO) (- 0 5)) ((RANK : THREE) (- 0 9))))"]
    assert value_of(f"(max (top 4 {STOCK}) using {VALUE})", *acts).startswith("TWO")
    assert value_of(f"(min (bottom 4 {STOCK}) using {VALUE})", *acts).startswith("ACE")


def test_ties_are_broken_evenly():
    """False alarm below one in 10^6: five standard deviations of 3,000 draws of one in three."""
    setup = f"(setup (create players 1) (create deck {STOCK} (deck (A (X, Y, Z)))))"
    script = f"(do ((move (max {STOCK} using {VALUE}) (top (game vloc DRAWN)))))"
    description = described_by(script, setup=setup)
    drawn = Counter(shown(Game(description, seed).place(None, "vloc", "DRAWN"))[0] for seed in range(3000))
    assert set(drawn) == {"X", "Y", "Z"}
    assert all(abs(count - 1000) < 5 * (3000 * 2 / 9) ** 0.5 for count in drawn.values())


def test_owner_and_actual():
    acts = [
        f"(move (top {STOCK}) (top ((2 player) iloc HAND)))",
        "(remember (top ((2 player) iloc HAND)) (top (game mem M)))",
    ]
    assert value_of("(owner (top (game mem M)))", *acts) == Seat(2)
    assert value_of("(owner (actual (top (union ((2 player) iloc HAND)))))", *acts) == Seat(2)
    assert "lies in no player's place" in fails(f"(owner (top {STOCK}))")


# Players and teams


def test_players_and_teams():
    assert value_of("player") == [Seat(0), Seat(1), Seat(2)]
    assert value_of("team") == [Side(0), Side(1), Side(2)]
    assert value_of("(other player)") == [Seat(1), Seat(2)]
    assert value_of("(other player)", "(cycle current (1 player))") == [Seat(0), Seat(2)]
    assert value_of("(next player)") == Seat(1)
    assert value_of("(previous player)") == Seat(2)
    assert value_of("(previous team)") == Side(2)
    assert value_of("(team (3 player))", setup=TEAMS) == Side(1)
    assert value_of("(size (1 team))", setup=TEAMS) == 2
    assert value_of("(filter (1 team) 'P (== 1 1))", setup=TEAMS) == [Seat(3), Seat(1)]
    assert value_of("(filter player 'P (== (team 'P) (team (0 player))))", setup=TEAMS) == [Seat(0), Seat(2)]
    assert "there is no player 3" in fails("((+ 3 (game sto X)) player)")
    assert "there is no team 3" in fails("((+ 3 (game sto X)) team)")


# Collections


def test_union_keeps_doubles():
    assert value_of(f"(union (top 1 {STOCK}) (bottom 2 {STOCK}) (top 2 {STOCK}))") == [HH, AC, AH, HH, HC]


def test_intersection_and_disjunction():
    three = f"(top 4 {STOCK}) (bottom 4 {STOCK}) (filter {STOCK} 'C (== (cardatt SUIT 'C) CLUBS))"
    assert value_of(f"(intersect {three})") == [TC]
    assert value_of(f"(disjunction {three})") == [HH, AH]
    assert value_of(f"(intersect (top 2 {STOCK}))") == [HH, HC]


def test_they_take_the_cards_of_each_item():
    acts = [f"(all player 'P (repeat 2 (move (top {STOCK}) (top ('P iloc HAND)))))"]
    assert value_of("(union (all player 'P ('P iloc HAND)))", *acts) == [HH, HC, TH, TC, AH, AC]
    tops = "(all (range 1 .. 3) 'N (top 'N ((0 player) iloc HAND)))"
    assert value_of(f"(intersect {tops})", *acts) == [HC]
    assert value_of(f"(disjunction {tops})", *acts) == []
    assert value_of("(all player 'P (top 1 ('P iloc HAND)))", *acts) == [[HC], [TC], [AC]]
    assert value_of("(intersect (all (range 1 .. 0) 'N (game iloc STOCK)))") == []


def test_filters_keep_the_order_and_drop_empty_sets():
    assert value_of(f"(filter {STOCK} 'C (== (cardatt SUIT 'C) HEARTS))") == [AH, TH, HH]
    assert value_of("(filter (range 1 .. 5) 'N (== (% 'N 2) 1))") == [1, 3, 5]
    assert value_of("(filter (A, B, C) 'S (!= 'S B))") == ["A", "C"]
    assert value_of("(filter team 'T (!= 'T (0 team)))") == [Side(1), Side(2)]
    assert value_of(f"(filter (subsets (top 2 {STOCK})) 'S (== 1 1))") == [[HH], [HC], [HH, HC]]


def test_top_and_bottom_take_cards_from_their_end():
    assert value_of(f"(top 2 {STOCK})") == [HH, HC]
    assert value_of(f"(bottom 2 {STOCK})") == [AC, AH]
    assert value_of(f"(top 9 {STOCK})") == ALL[::-1]
    assert value_of(f"(top 0 {STOCK})") == []


def test_sort_is_ascending_and_stable():
    assert value_of(f"(sort (top 6 {STOCK}) using {VALUE})", MAP) == [AH, AC, TH, TC, HH, HC]


def test_partition():
    assert value_of(f"(partition SUIT {STOCK})") == [[AC, TC, HC], [AH, TH, HH]]
    assert value_of(f"(partition SUIT (top 2 {STOCK}) (bottom 1 {STOCK}))") == [[HH], [HC, AC]]
    assert value_of(f"(partition RANK (all (range 1 .. 2) 'N (top 'N {STOCK})))") == [[HH, HH, HC]]


def test_tuples():
    awards = f"(set {VALUE} (((RANK : ACE) 100) ((RANK : TWO) (- 0 3)) ((RANK : THREE) (- 0 3))))"
    assert value_of(f"(tuples 2 {STOCK} using {VALUE})", awards) == [
        [TC, TH],
        [TC, HC],
        [TC, HH],
        [TH, HC],
        [TH, HH],
        [HC, HH],
        [AC, AH],
    ]
    assert value_of(f"(tuples 3 {STOCK} using {VALUE})", MAP) == []
    assert value_of(f"(tuples 1 (bottom 2 {STOCK}) using {VALUE})", MAP) == [[AC], [AH]]


def test_subsets_count_in_binary():
    assert value_of(f"(subsets (bottom 3 {STOCK}))") == [[], [AC], [AH], [AC, AH], [TC], [AC, TC], [AH, TC], [AC, AH, TC]]


RUNS = "(V (A, B, C, D, E, F, G))"
RUN_MAP = f"(set {VALUE} (((V : A) 1) ((V : B) 2) ((V : C) 2) ((V : D) 3) ((V : E) 5) ((V : F) 6) ((V : G) 9)))"


def test_runs():
    """Scores 1 2 2 3, 5 6, 9."""
    frame = deck(RUNS)
    largest = value_of(f"(runs largest 2 {STOCK} using {VALUE})", RUN_MAP, **frame)
    assert largest == [["A", "B", "D"], ["A", "C", "D"], ["E", "F"]]
    assert value_of(f"(runs largest 3 {STOCK} using {VALUE})", RUN_MAP, **frame) == largest[:2]
    assert value_of(f"(runs largest 4 {STOCK} using {VALUE})", RUN_MAP, **frame) == []
    every = value_of(f"(runs all 2 {STOCK} using {VALUE})", RUN_MAP, **frame)
    assert every == [["A", "B"], ["A", "C"], ["A", "B", "D"], ["A", "C", "D"], ["B", "D"], ["C", "D"], ["E", "F"]]


def test_runs_at_an_end():
    frame = deck("(V (D, C, G, A, F, B, E))")
    awards = f"(set {VALUE} (((V : A) 1) ((V : B) 2) ((V : C) 3) ((V : D) 4) ((V : E) 5) ((V : F) 6) ((V : G) 9)))"
    assert value_of(f"(run top 2 {STOCK} using {VALUE})", awards, **frame) == []
    assert value_of(f"(run bottom 2 {STOCK} using {VALUE})", awards, **frame) == ["C", "D"]
    shorter = f"(filter {STOCK} 'C (!= (cardatt V 'C) G))"
    assert value_of(f"(run top 2 {shorter} using {VALUE})", awards, **frame) == ["A", "B", "C", "D", "E", "F"]
    assert value_of(f"(run top 7 {shorter} using {VALUE})", awards, **frame) == []
    assert value_of(f"(run top 1 {STOCK} using {VALUE})", awards, **frame) == ["E"]
    assert value_of(f"(run top 2 (union {shorter} {shorter}) using {VALUE})", awards, **frame) == [
        "A",
        "B",
        "C",
        "D",
        "E",
        "F",
    ]


def test_sets_by_index_count_from_the_first():
    sets = f"(partition RANK {STOCK})"
    assert value_of(f"(top {sets})") == [AC, AH]
    assert value_of(f"(bottom {sets})") == [HC, HH]
    assert value_of(f"(1 {sets})") == [TC, TH]
    assert value_of(f"(top (top {sets}))") == AH
    assert "there is no set 3 among 3" in fails(f"(3 {sets})")
    assert "there is no set top among 0" in fails("(top (partition RANK (game vloc EMPTY)))")


def test_a_variable_decides_what_top_is():
    game = done(
        f"(let {STOCK} 'V (set (game str CARD) (cardatt RANK (top 'V))))",
        f"(let (partition RANK {STOCK}) 'V (set (game sto COUNT) (size (top 'V))))",
    )
    assert (game.string_stored(None, "CARD"), game.stored(None, "COUNT")) == ("THREE", 2)
