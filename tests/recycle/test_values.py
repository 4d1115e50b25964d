"""What expressions are worth: numbers, strings, conditions, cards, collections."""

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
CLUBS = f"(filter {STOCK} 'C (== (cardatt SUIT 'C) CLUBS))"
DEALT = f"(all player 'P (repeat 2 (move (top {STOCK}) (top ('P iloc HAND)))))"
GIVEN = f"(move (top {STOCK}) (top ((2 player) iloc HAND)))"
REMEMBERED = "(remember (top ((2 player) iloc HAND)) (top (game mem M)))"
THREE = f"(top 4 {STOCK}) (bottom 4 {STOCK}) {CLUBS}"
TOPS = "(all (range 1 .. 3) 'N (top 'N ((0 player) iloc HAND)))"
RANKS = f"(partition RANK {STOCK})"
SIGNED = f"(set {VALUE} (((RANK : ACE) (- 0 7)) ((RANK : TWO) (- 0 5)) ((RANK : THREE) (- 0 9))))"
PAIRED = f"(set {VALUE} (((RANK : ACE) 100) ((RANK : TWO) (- 0 3)) ((RANK : THREE) (- 0 3))))"
ADDED = f"(set {VALUE} (((RANK : ACE) 1) ((RANK : ACE) 10) ((SUIT : HEARTS) 100) ((RANK : ACE) (SUIT : HEARTS) 1000)))"
OWNED = "(set ((1 player) points VALUE) (((RANK : ACE) 1))) (set ((1 team) points VALUE) (((RANK : ACE) 2)))"
OLDER = "(put points 'VALUE (((RANK (ACE)) 4) ((SUIT (cardatt SUIT (top (game iloc STOCK)))) 10)))"
REPLACED = f"""(set (game str X) ACE) (set (game sto N) 5) (set {VALUE} (((RANK : TWO) 1)))
    (set {VALUE} (((RANK : (game str X)) (game sto N)) ((SUIT : (cardatt SUIT (top {STOCK}))) 100)))
    (set (game str X) TWO) (set (game sto N) 6)"""

NUMBERS = [
    ("(+ 2 3)", 5), ("(- 2 3)", -1), ("(* (- 0 2) 3)", -6), ("(// 7 2)", 3), ("(// (- 0 7) 2)", -3),
    ("(// 7 (- 0 2))", -3), ("(// (- 0 7) (- 0 2))", 3), ("(% 7 3)", 1), ("(% (- 0 7) 3)", -1), ("(% 7 (- 0 3))", 1),
    ("(^ 2 10)", 1024), ("(^ (- 0 1) 1001)", -1), ("(^ 0 0)", 1), ("(tri 4)", 10), ("(tri 0)", 0),
    *((f"(fib {n})", value) for n, value in enumerate([0, 1, 1, 2, 3, 5, 8, 13])), ("(range 3 .. 5)", [3, 4, 5]),
    ("(range (- 0 1) .. 1)", [-1, 0, 1]), ("(size (range 3 .. 5))", 3), ("(size (range 5 .. 3))", 0),
    ("(size player)", 3), ("(size (A, B))", 2), ("(game sto NEVER)", 0), ("((1 team) sto NEVER)", 0),
]  # fmt: skip
STRINGS = [
    ("(game str NEVER)", ""),
    ("(game str X)", "HELLO", "(set (game str X) HELLO)"),
    (f"(cardatt SUIT (top {STOCK}))", "HEARTS"),
    (f"(cardatt (game str X) (bottom {STOCK}))", "ACE", "(set (game str X) RANK)"),
    # the ends of empty places
    ("(cardatt RANK (top (game vloc EMPTY)))", ""),
    ("(== (cardatt RANK (top (game vloc X))) (cardatt SUIT (bottom (game mem Y))))", True),
]
CONDITIONS = [
    ("(and (== 1 1) (== 1 2))", False), ("(and (== 1 1) (== 2 2) (== 3 3))", True),
    ("(or (== 1 2) (== 1 3) (== 1 1))", True), ("(not (== 1 2))", True),
    ("(and (== 1 2) (== (// 1 (game sto X)) 1))", False), ("(or (== 1 1) (== (// 1 (game sto X)) 1))", True),
    ("(all (range 1 .. 0) 'N (== 1 2))", True), ("(any (range 1 .. 0) 'N (== 1 1))", False),
    ("(all (range 1 .. 3) 'N (< 'N 4))", True), ("(any (range 1 .. 3) 'N (>= 'N 3))", True),
    ("(any (range 1 .. 3) 'N (== (// 2 (- 2 'N)) 2))", True), ("(!= A B)", True), ("(== A A)", True), ("(<= 2 2)", True),
    ("(> 2 2)", False), ("(== (current player) (0 player))", True), ("(== (current team) (team (1 player)))", False),
    (f"(== (top {STOCK}) (actual (top (filter {STOCK} 'C (== 1 1)))))", True),
    (f"(== (top {STOCK}) (bottom {STOCK}))", False),
]  # fmt: skip
SCORES = [
    # scores add up over a table
    *((f"(score ({n} {STOCK}) using {VALUE})", value, ADDED) for n, value in enumerate([11, 1111, 0])),
    (f"(sum {STOCK} using {VALUE})", 11 + 1111 + 100 + 100, ADDED),
    (f"(sum {STOCK} using (game points NEVER))", 0),
    # a key that contradicts another fits no card
    (f"(sum {STOCK} using {VALUE})", 14, f"(set {VALUE} (((RANK : ACE) (RANK : TWO) 5) ((RANK : ACE) (RANK : ACE) 7)))"),
    # setting a map replaces it and evaluates it
    *((f"(score ({n} {STOCK}) using {VALUE})", value, REPLACED) for n, value in enumerate([5, 105, 0, 100])),
    # the older way to write maps
    (f"(sum {STOCK} using 'VALUE)", 38, OLDER),
    (f"(sum {STOCK} using {VALUE})", 38, OLDER),
    *((f"(sum {STOCK} using (({who}) points VALUE))", n, OWNED) for who, n in
      (("1 player", 2), ("1 team", 4), ("0 player", 0))),
]  # fmt: skip
CARDS = [
    # top is last, and indices count from the bottom
    (f"(top {STOCK})", HH),
    (f"(bottom {STOCK})", AC),
    *((f"({n} {STOCK})", card) for n, card in enumerate(ALL)),
    (f"((+ 1 1) {STOCK})", TC),
    (f"(max {CLUBS} using {VALUE})", HC, MAP),
    (f"(min {CLUBS} using {VALUE})", AC, MAP),
    (f"(cardatt RANK (max (top 4 {STOCK}) using {VALUE}))", "TWO", SIGNED),
    (f"(cardatt RANK (min (bottom 4 {STOCK}) using {VALUE}))", "ACE", SIGNED),
    ("(owner (top (game mem M)))", Seat(2), GIVEN, REMEMBERED),
    ("(owner (actual (top (union ((2 player) iloc HAND)))))", Seat(2), GIVEN, REMEMBERED),
]
PLAYERS = [
    ("player", [Seat(0), Seat(1), Seat(2)]), ("team", [Side(0), Side(1), Side(2)]), ("(other player)", [Seat(1), Seat(2)]),
    ("(other player)", [Seat(0), Seat(2)], "(cycle current (1 player))"), ("(next player)", Seat(1)),
    ("(previous player)", Seat(2)), ("(previous team)", Side(2)), ("(filter team 'T (!= 'T (0 team)))", [Side(1), Side(2)]),
]  # fmt: skip
COLLECTIONS = [
    (f"(union (top 1 {STOCK}) (bottom 2 {STOCK}) (top 2 {STOCK}))", [HH, AC, AH, HH, HC]),
    (f"(intersect {THREE})", [TC]),
    (f"(disjunction {THREE})", [HH, AH]),
    (f"(intersect (top 2 {STOCK}))", [HH, HC]),
    # of the cards of each item
    ("(union (all player 'P ('P iloc HAND)))", [HH, HC, TH, TC, AH, AC], DEALT),
    (f"(intersect {TOPS})", [HC], DEALT),
    (f"(disjunction {TOPS})", [], DEALT),
    ("(all player 'P (top 1 ('P iloc HAND)))", [[HC], [TC], [AC]], DEALT),
    ("(intersect (all (range 1 .. 0) 'N (game iloc STOCK)))", []),
    # filters keep the order and drop empty sets
    (f"(filter {STOCK} 'C (== (cardatt SUIT 'C) HEARTS))", [AH, TH, HH]),
    ("(filter (range 1 .. 5) 'N (== (% 'N 2) 1))", [1, 3, 5]),
    ("(filter (A, B, C) 'S (!= 'S B))", ["A", "C"]),
    (f"(filter (subsets (top 2 {STOCK})) 'S (== 1 1))", [[HH], [HC], [HH, HC]]),
    # top and bottom take cards from their end
    (f"(top 2 {STOCK})", [HH, HC]),
    (f"(bottom 2 {STOCK})", [AC, AH]),
    (f"(top 9 {STOCK})", ALL[::-1]),
    (f"(top 0 {STOCK})", []),
    (f"(sort (top 6 {STOCK}) using {VALUE})", [AH, AC, TH, TC, HH, HC], MAP),
    (f"(partition SUIT {STOCK})", [[AC, TC, HC], [AH, TH, HH]]),
    (f"(partition SUIT (top 2 {STOCK}) (bottom 1 {STOCK}))", [[HH], [HC, AC]]),
    (f"(partition RANK (all (range 1 .. 2) 'N (top 'N {STOCK})))", [[HH, HH, HC]]),
    (f"(tuples 2 {STOCK} using {VALUE})", [[TC, TH], [TC, HC], [TC, HH], [TH, HC], [TH, HH], [HC, HH], [AC, AH]], PAIRED),
    (f"(tuples 3 {STOCK} using {VALUE})", [], MAP),
    (f"(tuples 1 (bottom 2 {STOCK}) using {VALUE})", [[AC], [AH]], MAP),
    (f"(subsets (bottom 3 {STOCK}))", [[], [AC], [AH], [AC, AH], [TC], [AC, TC], [AH, TC], [AC, AH, TC]]),
    # sets by index count from the first
    (f"(top {RANKS})", [AC, AH]),
    (f"(bottom {RANKS})", [HC, HH]),
    (f"(1 {RANKS})", [TC, TH]),
    (f"(top (top {RANKS}))", AH),
]
NONE = [
    ("(// 1 (game sto X))", "(// 1 0) divides by 0"),
    ("(% 1 (game sto X))", "(% 1 0) divides by 0"),
    ("(^ 2 (- (game sto X) 1))", "powers start at 0"),
    ("(* (^ 2 62) (+ 2 (game sto X)))", "64 bits"),
    ("(fib (- (game sto X) 1))", "fib takes a number from 0 to 92, not -1"),
    ("(random 3 .. (game sto X))", "there is no number from 3 to 0"),
    ("(cardatt RANK (0 (game vloc EMPTY)))", "the collection is empty"),
    ("(cardatt RANK (top (filter (game vloc EMPTY) 'C (== 1 1))))", "the collection is empty"),
    (f"(cardatt RANK (max (game vloc EMPTY) using {VALUE}))", "the collection is empty"),
    (f"(6 {STOCK})", "there is no card 6 among 6"),
    (f"((- (game sto X) 1) {STOCK})", "there is no card -1 among 6"),
    ("(top (game vloc EMPTY))", "the collection is empty"),
    (f"(owner (top {STOCK}))", "lies in no player's place"),
    ("((+ 3 (game sto X)) player)", "there is no player 3"),
    ("((+ 3 (game sto X)) team)", "there is no team 3"),
    (f"(3 {RANKS})", "there is no set 3 among 3"),
    ("(top (partition RANK (game vloc EMPTY)))", "there is no set top among 0"),
    (f"(sum {STOCK} using {VALUE})", "64 bits", f"(set {VALUE} (((RANK : ACE) (^ 2 62)) ((RANK : TWO) (^ 2 62))))"),
    # a card of a mem cannot be dropped twice
    ("(size player)", "the collection is empty", f"(remember (top {STOCK}) (top (game mem M)))",
     "(repeat 2 (forget (top (game mem M))))"),
]  # fmt: skip


@pytest.mark.parametrize("case", [*NUMBERS, *STRINGS, *CONDITIONS, *SCORES, *CARDS, *PLAYERS, *COLLECTIONS], ids=str)
def test_values(case):
    expression, value, *acts = case
    found = value_of(expression, *acts)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize("case", NONE, ids=str)
def test_what_has_no_value(case):
    expression, said, *acts = case
    with pytest.raises(RecycleError) as caught:
        value_of(expression, *acts)
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(team (3 player))", Side(1)),
        ("(size (1 team))", 2),
        ("(filter (1 team) 'P (== 1 1))", [Seat(3), Seat(1)]),
        ("(filter player 'P (== (team 'P) (team (0 player))))", [Seat(0), Seat(2)]),
    ],
)
def test_teams(expression, value):
    assert value_of(expression, setup=TEAMS) == value


def deck(*texts):
    """A setup of one player whose stock is some decks."""
    return {"setup": f"(setup (create players 1) {' '.join(f'(create deck {STOCK} (deck {text}))' for text in texts)})"}


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
    assert one.values == other.values and one != other
    assert value_of(f"(== (top {STOCK}) (bottom {STOCK}))", setup=setup) is False
    assert value_of(f"(== (top {STOCK}) (top {STOCK}))", setup=setup) is True


def test_missing_attributes_read_as_the_empty_string():
    mixed = deck("(A (X))", "(B (Y))")
    assert value_of(f"(cardatt A (top {STOCK}))", **mixed) == ""
    acts = [f"(set {VALUE} (((A : (game str EMPTY)) 3)))"]
    assert [value_of(f"(score ({n} {STOCK}) using {VALUE})", *acts, **mixed) for n in range(2)] == [0, 3]


@pytest.mark.parametrize(("random", "drawn"), [("(random 2 .. 5)", {2, 3, 4, 5}), ("(random 3)", {0, 1, 2, 3})])
def test_random_numbers_have_both_ends(random, drawn):
    """False alarm: one in 10^12; one of four numbers is missing in 100 draws with probability 4 (3/4)^100."""
    assert {game_of(f"(do ((set (game sto X) {random})))", seed).stored(None, "X") for seed in range(100)} == drawn


def test_ties_are_broken_evenly():
    """False alarm below one in 10^6: five standard deviations of 3,000 draws of one in three."""
    script = f"(do ((move (max {STOCK} using {VALUE}) (top (game vloc DRAWN)))))"
    description = described_by(script, **deck("(A (X, Y, Z))"))
    drawn = Counter(shown(Game(description, seed).place(None, "vloc", "DRAWN"))[0] for seed in range(3000))
    assert set(drawn) == {"X", "Y", "Z"}
    assert all(abs(count - 1000) < 5 * (3000 * 2 / 9) ** 0.5 for count in drawn.values())


def test_runs():
    """Scores 1 2 2 3, 5 6, 9."""
    frame = deck("(V (A, B, C, D, E, F, G))")
    awards = f"(set {VALUE} (((V : A) 1) ((V : B) 2) ((V : C) 2) ((V : D) 3) ((V : E) 5) ((V : F) 6) ((V : G) 9)))"
    largest = value_of(f"(runs largest 2 {STOCK} using {VALUE})", awards, **frame)
    assert largest == [["A", "B", "D"], ["A", "C", "D"], ["E", "F"]]
    assert value_of(f"(runs largest 3 {STOCK} using {VALUE})", awards, **frame) == largest[:2]
    assert value_of(f"(runs largest 4 {STOCK} using {VALUE})", awards, **frame) == []
    every = value_of(f"(runs all 2 {STOCK} using {VALUE})", awards, **frame)
    assert every == [["A", "B"], ["A", "C"], ["A", "B", "D"], ["A", "C", "D"], ["B", "D"], ["C", "D"], ["E", "F"]]


SHORTER = f"(filter {STOCK} 'C (!= (cardatt V 'C) G))"


@pytest.mark.parametrize(
    ("run", "cards"),
    [
        (f"top 2 {STOCK}", ""), (f"bottom 2 {STOCK}", "CD"), (f"top 2 {SHORTER}", "ABCDEF"), (f"top 7 {SHORTER}", ""),
        (f"top 1 {STOCK}", "E"), (f"top 2 (union {SHORTER} {SHORTER})", "ABCDEF"),
    ],
)  # fmt: skip
def test_runs_at_an_end(run, cards):
    awards = f"(set {VALUE} (((V : A) 1) ((V : B) 2) ((V : C) 3) ((V : D) 4) ((V : E) 5) ((V : F) 6) ((V : G) 9)))"
    assert value_of(f"(run {run} using {VALUE})", awards, **deck("(V (D, C, G, A, F, B, E))")) == list(cards)


def test_a_variable_decides_what_top_is():
    game = done(
        f"(let {STOCK} 'V (set (game str CARD) (cardatt RANK (top 'V))))",
        f"(let {RANKS} 'V (set (game sto COUNT) (size (top 'V))))",
    )
    assert (game.string_stored(None, "CARD"), game.stored(None, "COUNT")) == ("THREE", 2)
