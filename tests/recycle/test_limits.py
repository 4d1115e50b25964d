"""Descriptions that nobody would write: each is a game, or an error with its place and a number, at once."""

import pytest

from cardenvs.recycle import RecycleError, parse
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from tests.helpers.descriptions import framed
from tests.refusals import check_refused

PASS = "(choice ((turn pass)))"
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAMES = [chr(65 + k // 26) + chr(65 + k % 26) for k in range(100)]


def written(script: str) -> None:
    """Writes the module of a game of a script, or of a whole text, and has Python compile it."""
    text = script if script.startswith("(game") else framed(script)
    compile(Module(Layout(parse(text))).source_text(), "module", "exec")


def nested(count: int, around: str, inner: str) -> str:
    """A text put so many times into another one, with a variable of its own each time."""
    for name in NAMES[:count]:
        inner = around.replace("NAME", name).replace("INNER", inner)
    return inner


def doubled(count: int) -> str:
    """Variables that are made of variables, of which the last is chosen from."""
    inner = f"(any '{NAMES[count - 1]} 'C (move 'C (top (game vloc SHOWN))))"
    for k in reversed(range(count)):
        value = f"(union '{NAMES[k - 1]} '{NAMES[k - 1]})" if k else "((current player) iloc HAND)"
        inner = f"(let {value} '{NAMES[k]} {inner})"
    return inner


FILTERED = nested(40, "(filter INNER 'NAME (== (cardatt RANK 'NAME) ONE))", "((current player) iloc HAND)")
LONG = " ".join(f"(!= (game sto N) {k})" for k in range(1, 500))


@pytest.mark.parametrize(
    "script",
    [
        f"(choice ((any {FILTERED} 'C (move 'C (top (game vloc SHOWN))))))",
        f"(choice ({doubled(30)}))",
        f"((and {LONG}) (inc (game sto N) 1)) {PASS}",
    ],
    ids=["filters within filters", "variables made of variables", "long conditions"],
)
def test_what_is_written_at_once(script: str) -> None:
    written(script)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (nested(20, "(all (range 1 .. 1) 'NAME INNER)", "(turn pass)") + PASS, "at most 18 loops"),
        (PASS * 41, "41 choices in a game: at most 40"),
        (f"(choice ({'(turn pass) ' * 101}))", "101 alternatives in a choice: at most 100"),
        (f"(choice ({'(turn pass) ' * 61}))" * 2, "122 alternatives in a game: at most 120"),
        ("(stage player (end (== 1 1)) (inc (game sto N) 1))" * 101 + PASS, "101 stages in a game: at most 100"),
        (f"(inc (game sto (game str T)) 1) {PASS}", "can be no name"),
    ],
)
def test_limits(script: str, message: str) -> None:
    with pytest.raises(RecycleError, match=message) as error:
        written(script)
    assert error.value.at != (1, 1)


ADDED = " ".join(f"(inc (game sto N) (* {k} (size (game iloc STOCK))))" for k in range(900))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (framed(f"(turn pass)\n (do ({ADDED}))\n {PASS}"), "code, most of them for what begins here: at most 6000 ", 6),
        (
            framed(
                "".join(f"(inc ((current player) sto {a}{b}) 1)" for a in "ABCDE" for b in ALPHABET) + PASS,
                setup="(setup (create players 32) (create deck (game iloc STOCK) (deck (RANK (ONE)))))",
            ),
            "the game has 4192 sto bins, those of all owners together: at most 3906 can be compiled for 32 seats", 1,
        ),
    ],
)  # fmt: skip
def test_what_takes_too_long_to_compile(text: str, message: str, line: int) -> None:
    with pytest.raises(RecycleError, match=message) as error:
        written(text)
    assert error.value.at is not None and error.value.at.line == line


def stock(cards: int, dealt: int, script: str, head: str = "") -> str:
    """A game of alike cards of two colours, of which each of two players is dealt so many."""
    deck = f"(repeat {cards // 2} (create deck (game iloc STOCK) (deck (COLOUR (RED, BLUE)))))"
    deal = f"(all player 'P (repeat {dealt} (move (top (game iloc STOCK)) (top ('P iloc HAND)))))"
    setup = f"(setup (create players 2) {deck})"
    return head + framed(f"(do ((shuffle (game iloc STOCK)) {deal})) {script}", setup=setup)


HAND = "((current player) iloc HAND)"
SELL = "'S (all 'S 'C (move 'C (top (game vloc SOLD))))"
DRAW = f"(move (top (game iloc STOCK)) (top {HAND}))"


def checked(text: str) -> Module:
    """What a text is compiled into."""
    return Module(Layout(parse(text)))


def test_subsets_of_what_is_dealt() -> None:
    script = f"(choice ((any (subsets {HAND}) {SELL})))"
    with pytest.raises(RecycleError, match="subsets are made of at most 16 cards: 17 are dealt there"):
        checked(stock(40, 17, script))
    assert not checked(stock(40, 16, script)).remarks
    in_turn = stock(
        40, 0, f"(repeat 17 (do ((all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND))))))) {script}"
    )
    check_refused("17 are dealt there", checked, in_turn, error=RecycleError)


def test_subsets_of_what_may_come() -> None:
    script = f"(choice ((any (subsets {HAND}) {SELL}) {DRAW}))"
    assert "at most 16 cards: there may be 40" in checked(stock(40, 16, script)).remarks[0][1]
    assert not checked(stock(16, 8, script)).remarks
    guarded = f"(choice (((< (size {HAND}) 17) (any (subsets {HAND}) {SELL})) (turn pass)))"
    assert checked(stock(40, 17, guarded)).remarks
    assert checked(stock(40, 17, f"{PASS} (choice ((any (subsets {HAND}) {SELL})))")).remarks


@pytest.mark.parametrize(
    ("sets", "width"),
    [
        (f"(partition COLOUR {HAND})", 21),
        (f"(filter (partition COLOUR {HAND}) 'X (== (size 'X) 18))", 19),
        (f"(filter (partition COLOUR {HAND}) 'X (< (size 'X) 18))", 18),
        (f"(partition COLOUR {HAND} (top 3 {HAND}))", 24),
        (f"(tuples 2 {HAND} using (game points M))", 16),
    ],
)
def test_sets_that_are_chosen_have_room(sets: str, width: int) -> None:
    module = checked(stock(40, 20, f"(choice ((any {sets} {SELL}) (turn pass)))"))
    assert module.actions.levels == width


@pytest.mark.parametrize(
    ("numbers", "least", "most"),
    [
        (f"(range 0 .. (size {HAND}))", 0, 5),
        ("(range (game sto LOW) .. 7)", 0, 7),
        ("(range (+ (game sto BID) 1) .. 9)", 1, 9),
        ("(range (- 0 3) .. (game sto LOW))", -3, 7),
        ("(range 2 .. (game sto COUNT))", 2, 129),
        ("(range (game sto COUNT) .. (* 2 (size player)))", 0, 4),
        ("(range (% (game sto COUNT) 4) .. (random 1 .. 6))", 0, 6),
    ],
)
def test_numbers_that_can_be_chosen(numbers: str, least: int, most: int) -> None:
    script = f"(choice ((any {numbers} 'N (set (game sto BID) 'N)) (inc (game sto COUNT) 1)))"
    module = checked(stock(20, 5, f"(choice ((set (game sto LOW) 7) (turn pass))) {script}"))
    values = module.actions.alternatives[1][0].domains[0].values
    assert (values[0], values[-1]) == (least, most)


@pytest.mark.parametrize(
    ("numbers", "values"), [("(range 0 .. 62)", 63), (f"(range 2 .. (size {HAND}))", 6), ("(range 0 .. 5)", 6)]
)
def test_private_numbers(numbers: str, values: int) -> None:
    script = f"(choice ((any {numbers} 'N (set ((current player) sto BID) 'N))))"
    module = checked(stock(20, 5, script, ";;! private sto BID\n"))
    assert {one.values for one in module.privacy.secrets} == {tuple(range(values))}
    assert not module.remarks


def test_private_numbers_that_are_too_many() -> None:
    choose = "(choice ((any {} 'N (set ((current player) sto BID) 'N))))"
    with pytest.raises(RecycleError, match="sto BID can have 101 values: a private bin has at most 63") as error:
        checked(stock(20, 5, choose.format("(range 0 .. 100)"), ";;! private sto BID\n"))
    assert error.value.at == (1, 5)
    script = choose.format("(range 0 .. (game sto N))") + "(inc (game sto N) 1)"
    (at, said), = checked(stock(20, 5, script, ";;! private sto BID\n")).remarks  # fmt: skip
    assert at == (1, 5) and "not known before play" in said


@pytest.mark.parametrize(
    "form", ["(any (range 1 .. 9999) 'NAME INNER)", "(== 1 (size (filter (range 1 .. 9999) 'NAME INNER)))"]
)
def test_constants_take_a_bounded_time(form: str) -> None:
    inner = nested(3, form, "(== 1 2)")
    check_refused("more than 300000 steps", written, f"({inner} (inc (game sto N) 1)) {PASS}", error=RecycleError)
