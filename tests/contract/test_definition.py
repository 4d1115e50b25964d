"""Games by the small door: declared layouts against slow ones, defaults, and what is refused."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cardenvs import testing
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.keys import key_of
from cardenvs.contract import (
    EPISODE_OVER,
    RUNNING,
    BitSet,
    Coded,
    Dealt,
    Derived,
    GameSpec,
    OneHot,
    OneOf,
    Option,
    Part,
    SideBySide,
    UpTo,
    below,
    define_game,
    drawn,
    kernel,
    new_stream,
    seat_names,
)
from cardenvs.contract.layout import Layout
from tests.helpers.paths import ROOT
from tests.refusals import check_refused
from tests.toys import kuhn

MODULE = "tests.contract.test_definition"


@kernel
def odd(views: Any, i: int) -> int:
    """The bits of the set that stand for odd numbers."""
    return np.int64(views[i].cards) & 0b1010101010


@kernel
def even(views: Any, i: int) -> int:
    """The bits of the set that stand for even numbers."""
    return np.int64(views[i].cards) & 0b0101010101


@kernel
def signed_bits(views: Any, i: int) -> int:
    """A number from -3 to 3 as its size, two bits, and its sign."""
    number = np.int64(views[i].signed)
    return abs(number) | np.int64(number < 0) << 2


@kernel
def signed_number(bits: int) -> int:
    """The number behind `signed_bits`."""
    return -(bits & 3) if bits & 4 else bits & 3


@kernel
def masked(views: Any, i: int, mask: int, bits: int) -> int:
    """Some of the bits of another set."""
    return bits & mask


@kernel
def united(views: Any, i: int, one: int, other: int) -> int:
    """Two other sets as one."""
    return one | other


@kernel
def first_code(views: Any, i: int) -> int:
    return np.int64(views[i].codes[0])


@kernel
def first_number(bits: int) -> int:
    return bits


@kernel
def second_code(views: Any, i: int) -> int:
    """A number from 0 to 3 the other way round."""
    return 3 - np.int64(views[i].codes[1])


@kernel
def second_number(bits: int) -> int:
    """The number behind `second_code`."""
    return 3 - bits


@kernel
def both_bits(views: Any, i: int, size: int) -> int:
    """Two numbers as one."""
    return np.int64(views[i].low) + size * np.int64(views[i].high)


@kernel
def low_number(bits: int, size: int) -> int:
    return bits % size


@kernel
def high_number(bits: int, size: int) -> int:
    return bits // size


RECORD = np.dtype(
    [
        ("cards", np.int64),
        ("wide", np.int64),
        ("pair", np.int8, (2,)),
        ("table", np.int16, (2, 3)),
        ("long", np.int64),
        ("count", np.int64, (3,)),
        ("few", np.int64),
        ("signed", np.int8),
        ("low", np.int64),
        ("high", np.int8),
        ("flag", np.int64),
        ("codes", np.int8, (2,)),
        ("piles", np.int64, (2,)),
        ("nothing", np.int64),
        ("late", np.int64),
        ("secret", np.int64, (2,)),
        ("moves", np.int64),
        ("history", np.int8, (4,)),
    ],
    align=True,
)
SIGNED = Coded("signed", write=signed_bits, read=signed_number, least=-3, greatest=3)
BOTH = Coded("low", write=both_bits, read=low_number, greatest=3, further=(("high", high_number, 3),), arguments=(4,))
LAYOUT = Layout(
    "toy",
    RECORD,
    (
        Part("cards", tuple("0123456789"), "a set", source=BitSet("cards")),
        Part("odd", tuple("0123456789"), "worked out", source=Derived(odd)),
        Part("wide", tuple(map(str, range(64))), "a set of 64", source=BitSet("wide")),
        Part("pair", tuple("abcABC"), "two numbers from 1 on, or none", source=OneHot("pair", first=1, none=0)),
        Part("row", tuple("xyzxyzxyz"), "a row of a table", source=OneHot("table", 1, first=-1)),
        Part("corner", tuple("xyz"), "one place of it", source=OneHot("table", (0, 2), first=-1)),
        Part("rest", tuple("xyzxyz"), "others", source=OneHot("table", (0, range(2)), first=-1)),
        Part("long", tuple(map(str, range(5, 105))), "a hundred numbers", source=OneHot("long", first=5, none=-7)),
        Part("count", tuple("34567" * 3), "counts from 2 on", source=UpTo("count", first=3)),
        Part("few", ("5", "7", "10"), "one of three", source=OneOf("few", values=(5, 7, 10))),
        Part("size", ("1", "2"), "a number by functions", source=SIGNED),
        Part("sign", ("minus",), "and its sign", source=SIGNED),
        Part("both", tuple("abcd!"), "two numbers, and a flag",
             source=SideBySide(((BOTH, 4), (OneHot("flag", first=1, none=0), 1)))),
        Part("low_odd", tuple("0123"), "some of another set", source=Derived(masked, (7, Derived(odd)))),
        Part("two_sets", tuple("0123456789" * 2), "sets by two functions",
             source=SideBySide(((Derived(odd), 10), (Derived(even), 10)))),
        Part("of_two", tuple("0123"), "two sets by one function",
             source=Derived(united, (Derived(masked, (2, Derived(odd))), Derived(masked, (8, Derived(odd)))))),
        Part("codes", tuple("abcd"), "numbers of one field by functions of their own", source=SideBySide((
            (Coded("codes", 0, write=first_code, read=first_number, greatest=3), 2),
            (Coded("codes", 1, write=second_code, read=second_number, greatest=3), 2),
        ))),
        Part("piles", ("1", "2", "1"), "counts of different sizes", source=UpTo("piles", counts=(2, 1))),
        Part("none", (), "a count without entries", source=UpTo("nothing")),
        Part("late", ("1", "2"), "a count", source=UpTo("late")),
        Part("later", ("3",), "the same, above two", source=UpTo("late")),
    ),
    {"secret": (1, 9)},
)  # fmt: skip
NUMBERS: dict[str, list[int]] = {
    "cards": list(range(1 << 10)),
    "wide": [0, 1, -1, -(1 << 63), (1 << 63) - 1, 1 << 40],
    "pair": [0, 1, 2, 3],
    "table": [-1, 0, 1],
    "long": [-7, *range(5, 105)],
    "count": [2, 3, 4, 5, 6, 7],
    "few": [5, 7, 10],
    "signed": list(range(-3, 4)),
    "low": [0, 1, 2, 3],
    "high": [0, 1, 2, 3],
    "flag": [0, 1],
    "codes": [0, 1, 2, 3],
    "piles": [0, 1],
    "late": [0, 1, 2, 3],
}
"""The numbers that a view can have, by field."""


def expected(v: Any) -> list[int]:
    """The observation of a view, entry by entry."""
    bits = [int(v["cards"]) >> k & 1 for k in range(10)]
    bits += [bit if k % 2 else 0 for k, bit in enumerate(bits)]
    bits += [int(v["wide"]) >> k & 1 for k in range(64)]
    bits += [int(number == k) for number in v["pair"] for k in (1, 2, 3)]
    order = [*v["table"][1], v["table"][0][2], v["table"][0][0], v["table"][0][1]]
    bits += [int(number == k) for number in order for k in (-1, 0, 1)]
    bits += [int(v["long"] == k) for k in range(5, 105)]
    bits += [int(number >= k) for number in v["count"] for k in range(3, 8)]
    bits += [int(v["few"] == k) for k in (5, 7, 10)]
    bits += [abs(int(v["signed"])) >> k & 1 for k in range(2)] + [int(v["signed"] < 0)]
    bits += [int(v["low"] + 4 * v["high"]) >> k & 1 for k in range(4)] + [int(v["flag"])]
    cards, codes = [int(v["cards"]) >> k & 1 for k in range(10)], (int(v["codes"][0]), 3 - int(v["codes"][1]))
    bits += [0, cards[1], 0, 0]
    bits += [bit * (k % 2) for k, bit in enumerate(cards)] + [bit * (1 - k % 2) for k, bit in enumerate(cards)]
    bits += [0, cards[1], 0, cards[3], *(code >> k & 1 for code in codes for k in range(2))]
    bits += [*(int(v["piles"][k] >= one) for k, one in ((0, 1), (0, 2), (1, 1)))]
    return bits + [int(v["late"] >= k) for k in (1, 2, 3)]


def random_view(rng: np.random.Generator) -> Any:
    """A record of any numbers that a view can have, shape (1,)."""
    views = np.zeros(1, RECORD)
    for name, numbers in NUMBERS.items():
        views[name] = rng.choice(np.array(numbers, np.int64), RECORD[name].shape or None)
    return views


def test_a_layout_is_written_and_read_as_declared() -> None:
    observe, decode, bounds = LAYOUT.observe_kernel(MODULE), LAYOUT.decode_kernel(MODULE), LAYOUT.range_kernel(MODULE)
    rng = np.random.default_rng(1)
    size = sum(part.size for part in LAYOUT.parts)
    for _ in range(300):
        views, again, rows = random_view(rng), np.ones(1, RECORD), np.full((3, size), 7, np.int8)
        observe(as_records(views), 0, rows, 1)
        assert rows[1].tolist() == expected(views[0])
        assert (rows[[0, 2]] == 7).all()
        decode(rows, 1, as_records(again), 0)
        assert again[0] == views[0]
        assert bounds(as_records(views), 0, False) == -1


def test_a_declared_piece_leaves_the_rest_to_the_game() -> None:
    """Of parts without a source no entry is written, and of numbers that no part shows none is read or checked."""
    free = [k for k, part in enumerate(LAYOUT.parts) if part.name in ("odd", "pair", "few")]
    parts = tuple(replace(part, source=None) if k in free else part for k, part in enumerate(LAYOUT.parts))
    piece = Layout("piece", RECORD, parts, ranges=None)
    observe, decode, bounds = piece.observe_kernel(MODULE), piece.decode_kernel(MODULE), piece.range_kernel(MODULE)
    owner = np.array([part.source is not None for part in parts for _ in part.labels])
    rng = np.random.default_rng(3)
    for _ in range(100):
        views, again, rows = random_view(rng), np.full(1, 1, RECORD), np.full((1, len(owner)), 7, np.int8)
        observe(as_records(views), 0, rows, 0)
        assert rows[0].tolist() == np.where(owner, expected(views[0]), 7).tolist()
        decode(rows, 0, as_records(again), 0)
        for name in RECORD.names or ():
            shown = name not in ("pair", "few", "secret", "moves", "history")
            assert (again[name] == (views[name] if shown else 1)).all()
        views["pair"] = views["secret"] = 99
        assert bounds(as_records(views), 0, False) == -1
        views["late"] = 4
        assert bounds(as_records(views), 0, False) == len(parts) - 2


def test_numbers_that_a_layout_cannot_tell_are_found() -> None:
    bounds, rng = LAYOUT.range_kernel(MODULE), np.random.default_rng(2)
    places = {"pair": (1,), "table": (1, 2), "count": (0,), "secret": (1,), "piles": (1,), "codes": (1,)}
    wrong = {"cards": 1 << 10, "pair": 4, "table": 2, "long": 4, "count": 1, "few": 6, "signed": 4, "late": 4, "secret": 3}
    wrong |= {"low": 4, "high": 4, "flag": 2, "piles": 2, "nothing": 1, "codes": 4}
    for name, number in wrong.items():
        views = random_view(rng)
        (views[name][0] if name in places else views[name])[places.get(name, 0)] = number
        part, names = bounds(as_records(views), 0, False), [p.name for p in LAYOUT.parts]
        shown_by = {"table": "row", "signed": "size", "nothing": "none", "low": "both", "high": "both", "flag": "both"}
        assert part == (len(names) + 1 if name == "secret" else names.index(shown_by.get(name, name)))
    views = random_view(rng)
    assert bounds(as_records(views), 0, True) == len(LAYOUT.parts) + 1  # a state has its secrets
    views["secret"] = 9
    assert bounds(as_records(views), 0, True) == -1


def test_some_parts_are_written_where_they_belong() -> None:
    views = as_records(random_view(np.random.default_rng(3)))
    parts = LAYOUT.parts[3:5]
    rows = np.full((2, 20), 7, np.int8)
    LAYOUT.writer_kernel(MODULE, "some", parts)(views, 0, rows, 1, 4)
    start = sum(part.size for part in LAYOUT.parts[:3])
    assert rows[1, 4:19].tolist() == expected(views[0])[start : start + 15]
    assert (rows[0] == 7).all() and (rows[1, :4] == 7).all() and rows[1, 19] == 7


@pytest.mark.compiled
def test_kernels_of_one_layout_have_one_key_and_those_of_another_another() -> None:
    made = [LAYOUT.observe_kernel(MODULE), LAYOUT.decode_kernel(MODULE), LAYOUT.range_kernel(MODULE)]
    again = [LAYOUT.observe_kernel(MODULE), LAYOUT.decode_kernel(MODULE), LAYOUT.range_kernel(MODULE)]
    assert list(map(key_of, made)) == list(map(key_of, again)) and len(set(map(key_of, made))) == 3
    others = [
        replace(LAYOUT, parts=tuple(replace(part, source=changed) if part.name == name else part for part in LAYOUT.parts))
        for name, changed in (
            ("pair", OneHot("pair", first=2, none=0)),
            ("odd", Derived(even)),
            ("few", OneOf("few", values=(5, 7, 11))),
        )
    ]
    keys = [key_of(LAYOUT.observe_kernel(MODULE)), *(key_of(other.observe_kernel(MODULE)) for other in others)]
    assert len(set(keys)) == len(keys)
    assert len({key_of(replace(LAYOUT, ranges={"secret": (1, k)}).range_kernel(MODULE)) for k in (8, 9)}) == 2


STATE = np.dtype(
    [
        ("rounds", np.int64),  # option
        ("blind", np.int64),  # option
        ("stakes", np.int64),  # option
        ("stream", np.uint64),
        ("stock", np.int64),  # a set that nobody sees
        ("sums", np.int64, (2,)),
        ("to_act", np.int64),
        ("over", np.int64),
        ("moves", np.int64),
        ("history", np.int16, (8,)),
    ],
    align=True,
)


@kernel
def deal(games: Any, i: int, streams: Any, s: int) -> None:
    """Hides a set, and draws from the game's own stream from then on."""
    g = games[i]
    g.stream = new_stream(streams, s)
    g.stock = below(streams, s, 16)
    g.sums[:] = 0
    g.to_act = 0
    g.over = RUNNING
    g.moves = 0
    g.history[:] = 0


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """One of seventy actions, the last two."""
    return np.int64(0b110000) if games[i].over == RUNNING and word == 1 else np.int64(0)


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Adds a random number to what the seat has, if it wants one."""
    g = games[i]
    if action == 69:
        g.sums[g.to_act] = min(g.sums[g.to_act] + drawn(games, i, 4), 12)
    if g.moves < len(g.history):
        g.history[g.moves] = action
    g.moves += 1
    g.to_act = 1 - g.to_act
    if g.moves >= 2 * (g.rounds + 1):
        g.to_act = -1
        g.over = EPISODE_OVER


@kernel
def outcome(games: Any, i: int, points: Any, tricks: Any) -> int:
    """The greater sum wins the stakes."""
    g = games[i]
    tricks[i, :] = 0
    for seat in range(2):
        points[i, seat] = g.stakes if g.sums[seat] > g.sums[1 - seat] else 0
    return np.int64(g.sums[0] >= g.sums[1]) | np.int64(g.sums[1] >= g.sums[0]) << 1


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """All but what is to come, and of actions the own ones."""
    views[j] = games[i]
    g, v = games[i], views[j]
    v.stream = 0
    v.stock = 0
    for k in range(2):
        v.sums[k] = g.sums[seat ^ k]
    for k in range(g.moves):
        if k % 2 != seat:
            v.history[k] = -1
    v.to_act = g.to_act ^ seat if g.to_act >= 0 else -1


@kernel
def seen(games: Any, i: int, seat: int, action: int) -> int:
    """The own actions alone."""
    return np.int64(action) if games[i].to_act == seat else np.int64(-1)


OPTIONS = (
    Option("rounds", (1, 2, 3), "rounds less one"),
    Option("blind", (False, True), "nothing"),
    Option("stakes", (2, 5, 10), "what is won"),
)
WANTED: dict[str, Any] = {
    "seats": 2, "actions": tuple(f"act-{k}" for k in range(70)), "state": STATE, "options": OPTIONS,
    "ranges": {"stock": (0, 15)},
    "observation": (Part("sums", tuple(map(str, range(1, 13))) * 2, "what each has", source=UpTo("sums")),),
    "hidden": (Part("stock", tuple("abcd"), "the stock", source=BitSet("stock")),),
    "deal": deal, "legal": legal, "step": step, "outcome": outcome, "view": view, "seen": seen, "recall_history": True,
}  # fmt: skip
DRAWS = define_game("draws", **WANTED)


@pytest.mark.parametrize("options", [{}, {"rounds": 3, "blind": True, "stakes": 10}])
@pytest.mark.parametrize("recall", [False, True])
def test_options_chance_and_hidden_actions_have_defaults(options: dict[str, Any], recall: bool) -> None:
    assert [text[:8] for text in testing.check_game(DRAWS.with_recall(recall), **options)] == ["re-deals"]


def test_parts_that_nobody_declared_are_there() -> None:
    games = DRAWS.deal(1, stakes=5, rounds=2)
    told = DRAWS.labels(DRAWS.full_state(games, 1))
    assert [part.name for part in DRAWS.parts] == ["sums", "to_act", "episode_over", "rounds", "blind", "stakes"]
    assert told["to_act"] == ["seat+1"] and told["stakes"] == ["5"] and told["rounds"] == ["2"] and told["blind"] == ["no"]
    stock = int(games[0]["stock"])
    assert told["stock"] == [card for k, card in enumerate("abcd") if stock >> k & 1]
    assert told["to_act_seat+1"] == ["self"], "no part is private, so that all parts of the other seat are in a state"
    assert DRAWS.recall_parts[0].labels[-1] == "hidden" and len(DRAWS.recall_parts) == 8


def test_the_greatest_loss_is_what_is_said_or_found() -> None:
    assert not DRAWS.loss_is_bound
    assert [DRAWS.worst_loss({"stakes": stakes}, "points") for stakes in (2, 5, 10)] == [2, 5, 10]
    said = define_game("draws", **WANTED, worst_loss={"points": 11})
    assert said.loss_is_bound and said.worst_loss({}, "points") == 11 and said.worst_loss({}, "win") == 1
    own = define_game("draws", **WANTED, worst_loss=lambda options, reward: 3.5)
    assert own.loss_is_bound and own.worst_loss({}, "win") == 3.5


def test_packed_kernels_take_the_place_of_a_layout() -> None:
    packed = define_game("draws", **WANTED, observe=DRAWS.kernels.observe, decode=DRAWS.kernels.decode)
    assert packed.kernels.observe is DRAWS.kernels.observe
    testing.check_observations(packed)


def test_own_functions_are_taken() -> None:
    def drawing(state: Any, seat: int | None = None) -> str:
        """Nothing to see."""
        return "drawn"

    spec = define_game("draws", **WANTED, drawing=drawing, module="mine", rules="Add up.", max_decisions=5)
    assert spec.drawing(spec.deal(1)[0], 0) == "drawn"
    assert (spec.module, spec.rules, spec.max_decisions) == ("mine", "Add up.", 5)


def without(*names: str) -> np.dtype[Any]:
    """The STATE without some fields."""
    return np.dtype([(name, STATE[name]) for name in STATE.names or () if name not in names])


def plain(games: Any, i: int, word: int = 0) -> int:
    """A function that is not compiled."""
    return 0


def part(source: Any, labels: str = "abcd") -> dict[str, Any]:
    """Another part behind the first."""
    return {"observation": (*WANTED["observation"], Part("more", tuple(labels), "more", source=source))}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"view": None}, "draws lacks view: what a game needs is deal, legal, step, outcome, view"),
        ({"lookup": legal}, "draws brings 'lookup', which nobody asks for.*known are deal, legal"),
        ({"redael": legal}, "brings 'redael'.*Did you mean redeal"),
        ({"observe": DRAWS.kernels.observe}, "must bring observe and decode together"),
        ({"recall": legal, "recollect": legal}, "must bring recall and recollect and recall_parts together"),
        ({"deal_text": lambda state: {}}, "must bring deal_text and set_deal together"),
        ({"redeal": legal}, "re-deals what no random stream has dealt: it must bring dealt and begin"),
        ({"dealt": (Dealt("sums"),)}, "must bring dealt and begin together"),
        ({"begin": legal}, "must bring dealt and begin together"),
        ({"dealt": (Dealt("cards"),), "begin": legal}, "dealt of draws: the STATE has no field 'cards': its fields"),
        ({"state": without("over", "stakes")}, "the STATE of draws lacks over, stakes: it needs to_act, over, moves"),
        ({"state": np.dtype([*without("history").descr, ("history", np.int8)])}, "history .* must be a row of signed"),
        ({"ranges": {}}, "no part of an observation of draws tells the field 'stock'.*ranges="),
        ({"ranges": {"stock": (3, 1)}}, "'stock' must have two ints, the least first, not .3, 1."),
        ({"ranges": {"stock": (0, 15), "stack": (0, 1)}}, "the STATE has no field 'stack': its fields are"),
        ({"untold": ("stack",)}, "untold of draws: the STATE has no field 'stack': its fields are"),
        ({"max_steps": 9}, "max_steps must be"),
        (part(None), "part 'more' of draws must have a source, such as OneHot"),
        (part(OneHot("sum")), "part 'more' of draws: the STATE has no field 'sum': its fields are rounds"),
        (part(OneHot("sums", 2)), "at=2 is no place in the field 'sums', whose shape is .2,."),
        (part(OneHot("sums", (0, 0))), "is no place in the field 'sums'"),
        (part(OneHot("sums"), "abc"), "2 numbers of 'sums' cannot share 3 labels"),
        (part(OneHot("sums"), "a"), "2 numbers of 'sums' cannot share 1 labels"),
        (part(BitSet("stock"), "x" * 65), "a set has at most 64 labels, not 65"),
        (part(Derived(odd), "x" * 65), "1 to 64 labels, not 65"),
        (part(Coded("sums", write=odd, read=even, greatest=9)), "functions write one number to 1 to 64 labels, not 2 to 4"),
        (part(OneOf("stakes", values=(2, 5, 10))), "3 values of 'stakes' have 4 labels"),
        (part(UpTo("sums", counts=(1, 2))), "2 numbers of 'sums' cannot share 4 labels"),
        (part(OneHot("sums", range(3))), r"at=range\(0, 3\) is no place in the field 'sums'"),
        (part(Coded("stakes", write=odd, read=even, greatest=9, further=(("sum", even, 9),))), "has no number 'sum'"),
        (part(SideBySide(((OneHot("sums"), 2),))), "part 'more' of draws has 4 labels, its sources others"),
        ({"observation": 2 * WANTED["observation"]}, "two observation parts are named 'sums'"),
        ({"seats": 0}, "seats must be"),
        ({"sides": ((0,),)}, "sides must have 2 seats"),
        ({"sides": ((0,), (0,))}, "must have each seat from 0 on once"),
        ({"hidden": (Part("stock", tuple("abc"), "it", source=OneHot("stok")),)}, "the STATE has no field 'stok'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(changes: dict[str, Any], message: str) -> None:
    wanted = {key: value for key, value in (WANTED | changes).items() if value is not None}
    with pytest.raises(ValueError, match=message):
        define_game("draws", **wanted)


def test_functions_of_one_name_are_refused() -> None:
    """In the text of kernels the last one would take the place of all."""

    def masks(mask: int) -> Any:
        @kernel
        def some(views: Any, i: int) -> int:
            return np.int64(views[i].cards) & mask

        return some

    source = SideBySide(((Derived(masks(1)), 10), (Derived(masks(2)), 10)))
    parts = (*LAYOUT.parts, Part("more", tuple("0123456789" * 2), "more", source=source))
    with pytest.raises(ValueError, match="part 'more' of toy: two functions are called some"):
        replace(LAYOUT, parts=parts).observe_kernel(MODULE)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Derived(3), "a source takes compiled functions, not 3: put @kernel before it"),
        (lambda: Coded("cards", write=odd, read=None, greatest=1), "compiled functions, not None"),
        (lambda: SideBySide((BOTH,)), "pairs of a source and its number of entries, not Coded"),
        (lambda: SideBySide(((BOTH, "4"),)), "pairs of a source and its number of entries"),
    ],
)
def test_what_is_no_source_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.compiled
def test_functions_must_be_compiled() -> None:
    with pytest.raises(ValueError, match="compiled functions, not <function plain"):
        Derived(plain)
    with pytest.raises(ValueError, match="legal of draws is not compiled: put @kernel before it"):
        define_game("draws", **WANTED | {"legal": plain})


def test_a_game_needs_no_more_than_the_contract() -> None:
    """Kuhn poker imports nothing else, and is short."""
    source = (ROOT / "tests" / "toys" / "kuhn.py").read_text()
    modules = re.findall(r"^(?:from|import) (\S+)", source, re.MULTILINE)
    assert modules == ["typing", "numpy", "cardenvs.contract"]
    assert source.count("\n") <= 150


def test_fields_of_a_deal_are_written_and_read() -> None:
    class_of = Dealt("cards", ("ten", "ace"), first=1)
    assert class_of.text({"cards": np.array([2, 1])}) == "ace,ten" and class_of.numbers("ace,ten", 2, 9) == [2, 1]
    assert Dealt("cards").text({"cards": np.array([0, 12])}) == "0,12" and Dealt("cards").numbers("0,12", 2, 12) == [0, 12]
    for wrong in ("ace", "ace,king", "ace,ten,ten", ""):
        check_refused("must have 2 words, each one of ten, ace", class_of.numbers, wrong, 2, 9)
    for wrong in ("-1", "x", "128", "²", "9" * 5000):
        check_refused("must have 1 word, each a number", Dealt("cards").numbers, wrong, 1, 127)


def test_seats_have_names() -> None:
    assert seat_names(3) == ("self", "seat+1", "seat+2")


def test_a_flaw_of_the_game_is_asked_of_numbers_in_range_alone() -> None:
    spec: GameSpec = kuhn.SPEC
    games = spec.deal(1)
    games[0]["cards"][0] = 1 << 40
    check_refused("'card' (the own card)", spec.check_state, games, whole=True)
    games = spec.deal(1)
    games[0]["cards"][1] = games[0]["cards"][0]
    check_refused("'card_other'", spec.check_state, games, whole=True)
