"""From syntax tree to Python text: what a described game's kernels do, statement by statement.

`Writer` writes one function. An expression is written as the statements that work its value out, and a short text, an
*atom*, that is the value: numbers, codes of strings, numbers of cards, seats and teams. A collection is a piece of the
array ``H``, which a call of a kernel has to itself: where it begins and how many entries it has; a set of sets has two
entries for each set, where the set begins and how many cards it has. ``top`` is the first entry of ``H`` that is free.

In the functions ``g`` is the record of the game, ``zero`` the seat that the description calls 0. What the language does
not allow raises a `cardenvs.recycle.running.faults.GameError`, which has a number in the game's list of faults. In a
game that was imagined from a view, where what was made up need not fit together, the function is left instead, and the game
given up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cardenvs.recycle.compiler.layout import Layout, Slots, of_one_place
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import LEAST
from cardenvs.recycle.language.cursor import listed
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.symbols import Owned
from cardenvs.recycle.language.syntax import Kind

if TYPE_CHECKING:
    from cardenvs.recycle.compiler.tells import Tells

MOST_WORK = 400_000
"""The most items of ranges and the most repetitions, all together, between two choices or in an option."""
MOST_ITEMS = 100_000
"""The most items of a collection, and the most times that an act is repeated."""
MOST_LOOPS, MOST_INDENT = 18, 90
"""The most loops within loops, and the deepest indentation: Python has 20 and 100."""
MOST_SUBSETS = 16
"""The most cards of which there are subsets: 65,536."""
MOST_OPERANDS = 8
"""The most operands of a condition that are written inside each other."""
MOST_LINES = 300
"""About how long a function gets before a part is put into another: numba takes more than in proportion for long ones."""
BIN_BITS, MOST_BITS = 31, 63
"""The bits of a number in a bin or a map and of any number, the sign left out."""
STATE = ("top", "work", "ran", "listed", "depth", "filled", "found")
"""The variables that acts and alternatives change for what comes behind them."""
_TARGETS = re.compile(r"\s*(?:for )?((?:\w+, )*\w+) (?:=|in) ")
_LITERAL = re.compile(r"(?:np\.int64\()?-?(\d+)\)?")
_TOP = re.compile(r"\btop\b")
_CHANGED = re.compile(r"\s*(\w+) [-+|&]= ")


@dataclass(frozen=True)
class List:
    """A collection: where it begins in ``H``, and how many entries it has (atoms)."""

    start: str
    count: str


class Writer:
    """Writes the body of a function.

    Args:
        layout: the numbers of the game's cards, places and bins.
        depths: how many stages over players and over teams are around what is written.
        choosing: whether it is inside a choice, where acts are counted (``ran``).

    Attributes:
        given_up: a statement that leaves the function where an imagined game cannot go on; that is no error.
        stop: the function that is called before.
    """

    stop = "stuck"
    given_up = "return np.int64(0)"

    def __init__(self, layout: Layout, depths: tuple[int, int] = (0, 0), choosing: bool = False) -> None:
        self.layout = layout
        self.tells: Tells | None = None
        """What acts tell; None where none is written."""
        self.touching = False
        """Whether it matters when places change, see `cardenvs.recycle.compiler.origins`."""
        self.head = ""
        """The name and the parameters of the function that is written; of one that may be long."""
        self.others: list[str] = []
        """The functions that it calls, into which a part of it was put."""
        self.seat_depth, self.side_depth = depths
        self.choosing = choosing
        self.lines: list[str] = []
        self.indent = 1
        self.loops = 0
        self.near: syntax.Node = layout.description
        """What is being written, for errors."""
        self.names = 0
        self.lists: dict[int, List] = {}
        """By the number of a binding whose value is a collection, the collection."""
        self.alias: dict[int, str] = {}
        """By the number of a binding whose value is no collection, its atom."""
        self.bits: dict[str, int] = {}
        """How many bits an atom has at most, its sign left out, where that is known."""

    # --- lines ---

    def begin(self) -> None:
        """Writes what every function begins with."""
        self.put("g = games[i]")
        self.put("zero = np.int64(g.zero)")
        self.put("top = np.int64(0)")
        self.put("work = np.int64(0)")

    def works(self, count: str, node: syntax.Node) -> None:
        """Notes that something is done so many times, so that no description goes on for ever."""
        self.put(f"work += {count}")
        self.guard(f"work > {MOST_WORK}", f"more than {MOST_WORK} items and repetitions without a choice", node)

    def put(self, line: str) -> None:
        """Writes a line."""
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Writes a line that ends in a colon; within the context, lines stand below it."""
        self.put(head)
        before = len(self.lines)
        is_loop = head.startswith(("for ", "while "))
        self.loops += is_loop
        self.indent += 1
        if self.loops > MOST_LOOPS or self.indent > MOST_INDENT:
            limits = f"at most {MOST_LOOPS} loops, and {MOST_INDENT} conditions and loops together"
            raise RecycleError(f"this is too deep in others: there can be {limits}", self.near.at)
        yield
        if len(self.lines) == before:
            self.put("pass")
        self.indent -= 1
        self.loops -= is_loop

    def fresh(self, prefix: str = "x") -> str:
        """A name that nothing has yet."""
        self.names += 1
        return f"{prefix}{self.names}"

    def kept(self, text: str, prefix: str = "x") -> str:
        """A name for what a text works out."""
        name = self.fresh(prefix)
        self.put(f"{name} = {text}")
        return name

    def fail(self, message: str, node: syntax.Node) -> None:
        """Writes that the game cannot go on, and where in the description that is."""
        self.put(f"{self.stop}(games, i, np.int64({self.layout.fault(message, node.at)}))")
        self.put(self.given_up)

    def guard(self, condition: str, message: str, node: syntax.Node) -> None:
        """Writes that the game cannot go on if a condition holds."""
        with self.block(f"if {condition}:"):
            self.fail(message, node)

    # --- long functions ---

    def function(self) -> str:
        """The function that was written, behind those that it calls."""
        return "".join([*self.others, written_function(self.head, self.lines)])

    def cut(self, start: int, only: str = "") -> int:
        """Puts the lines from a number on into a function of their own, if they are many, and its call in their place.

        Args:
            start: the number of the first line; it and the lines behind it are indented as the next one will be, or more.
            only: a condition on which the function is called, written with ``if``.

        Returns:
            The number of the first line that was not put there.
        """
        if len(self.lines) - start < MOST_LINES or not self.head:
            return start
        name, given = self.head[:-1].split("(")
        before, lines = self.lines[:start], self.lines[start:]
        known = {*given.split(", "), *(name for line in before for name in _assigned(line))}
        changed = {name for line in lines for name in _assigned(line)}
        state = [name for name in STATE if name in known & changed]
        taken = list(dict.fromkeys([*_read(lines, known), *state]))
        head = f"{name}_{len(self.others)}({', '.join(taken)})"
        answer = ", ".join(["left, value", *state])
        end = f"    return {', '.join(['False, np.int64(0)', *state])}"
        inner = [_returning(line[4 * (self.indent - 1) :], state) for line in lines]
        self.others.append(written_function(head, [*inner, end]))
        self.lines = before
        with self.block(only) if only else nullcontext():
            self.put(f"{answer} = {head}")
            with self.block("if left:"):
                self.put("return value")
        return len(self.lines)

    # --- collections ---

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Gives back what is taken of ``H`` within the context."""
        mark, start = self.kept("top", "mark"), len(self.lines)
        yield
        if any(_TOP.search(line) for line in self.lines[start:]):
            self.put(f"top = {mark}")
        else:
            del self.lines[start - 1]

    def room(self, count: str, node: syntax.Node) -> None:
        """Makes sure that ``H`` has room for so many entries more."""
        self.guard(f"top + {count} > len(H)", "the collections in use at a time have too many items", node)

    def listed(self, expression: syntax.Expression) -> List:
        """A collection, written to ``H``."""
        if isinstance(expression, syntax.Variable) and expression.binding.number in self.lists:
            return self.lists[expression.binding.number]
        made = self._listed(expression)
        return made

    def _append(self, count: str, item: str, node: syntax.Node) -> None:
        self.room("1", node)
        self.put(f"H[top] = {item}")
        self.put("top += 1")
        self.put(f"{count} += 1")

    def _listed(self, expression: syntax.Expression) -> List:
        """As `listed`, of what is no variable."""
        match expression:
            case syntax.Each() | syntax.Partition() | syntax.Tuples() | syntax.Runs() | syntax.Subsets():
                return self._sets(expression)
            case syntax.Combination(_, operator, group) if operator != "union":
                parts = self._group(group)
                function = f"in_{'all' if operator == 'intersect' else 'one'}"
                return self._made(f"{function}(H, top, {parts.start}, {parts.count})", expression)
            case syntax.Sort(_, cards, using):
                found = self.copied(self.listed(cards), expression)
                self.put(f"sort_cards(g.maps, {argument(self.map(using))}, H, {found.start}, {found.count})")
                return found
            case syntax.Take(_, end, count, cards):
                n = self.number(count)
                found = self.listed(cards)
                return self._made(f"take_{end}(H, top, {found.start}, {found.count}, {n})", expression)
            case syntax.EndRun(_, end, least, cards, using):
                n = self.number(least)
                found = self.listed(cards)
                scores = f"g.maps, {argument(self.map(using))}"
                return self._made(
                    f"end_run({scores}, H, top, {found.start}, {found.count}, {n}, {end == 'top'})", expression
                )
            case syntax.SetAt(_, index, sets):
                number = "0" if not isinstance(index, syntax.Expression) else self.number(index)
                among = self.listed(sets)
                if index == "bottom":
                    number = self.kept(f"{among.count} - 1")
                self.guard(f"{number} < 0 or {number} >= {among.count}", "there is no such set", expression)
                start = self.kept(f"H[{among.start} + 2 * {number}]")
                return List(start, self.kept(f"H[{among.start} + 2 * {number} + 1]"))
            case syntax.Filter(_, over, variable, condition) if expression.kind is Kind.SETS:
                among = self.listed(over)
                held = self.kept("np.int64(0)")
                kept = self.kept("top", "keep")
                self.room(f"2 * {among.count}", expression)
                self.put(f"top += 2 * {among.count}")
                k = self.fresh("k")
                with self.block(f"for {k} in range({among.count}):"), self.scope():
                    one = List(self.kept(f"H[{among.start} + 2 * {k}]"), self.kept(f"H[{among.start} + 2 * {k} + 1]"))
                    self.lists[variable.number] = one
                    holds = self.truth(condition)
                    with self.block(f"if {holds} and {one.count} > 0:"):
                        self.put(f"H[{kept} + 2 * {held}] = {one.start}")
                        self.put(f"H[{kept} + 2 * {held} + 1] = {one.count}")
                        self.put(f"{held} += 1")
                return List(kept, held)
        match expression:
            case syntax.Combination():
                return self._united(expression)
            case syntax.Filter(_, over, variable, condition):
                among = self.copied(self.listed(over), expression)
                kept_count = self.kept("np.int64(0)", "count")
                k = self.fresh("k")
                with self.block(f"for {k} in range({among.count}):"), self.scope():
                    item = self.kept(f"H[{among.start} + {k}]", "c")
                    self.alias[variable.number] = item
                    with self.block(f"if {self.truth(condition)}:"):
                        self.put(f"H[{among.start} + {kept_count}] = {item}")
                        self.put(f"{kept_count} += 1")
                return List(among.start, kept_count)
        begin, size = self.kept("top", "start"), self.kept("np.int64(0)", "count")
        self.loop(expression, lambda item: self._append(size, item, expression))
        return List(begin, size)

    def copied(self, found: List, node: syntax.Node) -> List:
        """A copy of a collection of cards, which may be changed."""
        return self._made(f"copied(H, top, {found.start}, {found.count})", node)

    def _made(self, call: str, node: syntax.Node) -> List:
        """A collection that a function of the runtime writes to ``top``; its answer is the count, -1 for no room."""
        start = self.kept("top", "start")
        count = self.kept(call, "count")
        self.guard(f"{count} < 0", "the collections in use at a time have too many items", node)
        self.put(f"top = {start} + {count}")
        return List(start, count)

    def _sets(self, expression: syntax.Expression) -> List:
        """Sets of cards: two entries for each, and the cards where they happen to lie."""
        match expression:
            case syntax.Each(_, over, variable, cards):
                items = self.listed(over)
                start = self.kept("top", "start")
                self.room(f"2 * {items.count}", expression)
                self.put(f"top += 2 * {items.count}")
                k = self.fresh("k")
                with self.block(f"for {k} in range({items.count}):"):
                    self.bind(variable, items, k)
                    one = self.listed(cards)
                    # A variable's list may change; a set does not.
                    if isinstance(cards, syntax.Variable):
                        one = self.copied(one, expression)
                    self.put(f"H[{start} + 2 * {k}] = {one.start}")
                    self.put(f"H[{start} + 2 * {k} + 1] = {one.count}")
                return List(start, items.count)
            case syntax.Partition(_, attribute, group):
                name = self.string(attribute)
                parts = self._group(group)
                return self._grouped(
                    f"partition(VALUES, {argument(name)}, H, top, {parts.start}, {parts.count})", expression
                )
            case syntax.Tuples(_, size, cards, using):
                n = self.number(size)
                found = self.listed(cards)
                scores = f"g.maps, {argument(self.map(using))}"
                return self._grouped(f"tuples({scores}, H, top, {found.start}, {found.count}, {n})", expression)
            case syntax.Runs(_, which, least, cards, using):
                n = self.number(least)
                found = self.listed(cards)
                scores = f"g.maps, {argument(self.map(using))}"
                return self._grouped(
                    f"runs({scores}, H, top, {found.start}, {found.count}, {n}, {which == 'all'})", expression
                )
            case syntax.Subsets(_, cards):
                found = self.listed(cards)
                self.guard(
                    f"{found.count} > {MOST_SUBSETS}", f"subsets are made of at most {MOST_SUBSETS} cards", expression
                )
                return self._grouped(f"subsets(H, top, {found.start}, {found.count})", expression)
        raise AssertionError(expression)

    def _grouped(self, call: str, node: syntax.Node) -> List:
        """Sets that a function of the runtime writes to ``top``; its answer is their number and the new ``top``."""
        start = self.kept("top", "start")
        count = self.fresh("count")
        self.put(f"{count}, top = {call}")
        self.guard(f"{count} < 0", "the collections in use at a time have too many items", node)
        return List(start, count)

    def _group(self, group: syntax.Group) -> List:
        """The parts of a union and its like, as sets."""
        if isinstance(group, syntax.Each):
            return self._sets(group)
        lists = [self.listed(part) for part in group]
        start = self.kept("top", "start")
        self.room(str(2 * len(lists)), group[0])
        for k, one in enumerate(lists):
            self.put(f"H[top + {2 * k}] = {one.start}")
            self.put(f"H[top + {2 * k + 1}] = {one.count}")
        self.put(f"top += {2 * len(lists)}")
        return List(start, str(len(lists)))

    def bind(self, variable: syntax.Binding, items: List, index: str) -> str:
        """Binds a variable to an item of a collection; returns the item, or where the set stands."""
        if variable.kind is Kind.CARDS:
            one = List(self.kept(f"H[{items.start} + 2 * {index}]"), self.kept(f"H[{items.start} + 2 * {index} + 1]"))
            # What is taken out of a variable's list stays in the set.
            self.lists[variable.number] = self.copied(one, variable)
            return one.start
        name = f"v{variable.number}"
        self.put(f"{name} = H[{items.start} + {index}]")
        self.alias[variable.number] = name
        return name

    def loop(self, expression: syntax.Expression, body: Callable[[str], None], stop: str = "") -> None:
        """Writes a loop over the items of a collection that ``body`` does not change.

        Args:
            expression: the collection; no sets.
            body: writes what is done with an item, an atom.
            stop: a name that is true when the loop is to be left.
        """
        self.near = expression
        item = self.fresh("c")

        def leave() -> None:
            if stop:
                with self.block(f"if {stop}:"):
                    self.put("break")

        match expression:
            case syntax.Variable(_, binding) if binding.number in self.layout.constants:
                values = self.layout.constants[binding.number]
                assert isinstance(values, tuple)
                self._over_constants(values, item, body, leave)
            case syntax.NameList(_, names):
                self._over_constants(names, item, body, leave)
            case syntax.Place():
                place = self.place(expression)
                k = self.fresh("k")
                with self.block(f"for {k} in range(g.sizes[{place}]):"):
                    self.put(f"{item} = np.int64(g.cards[{place}, {k}]) - 1")
                    body(item)
                    leave()
            case syntax.Filter(_, over, variable, condition):

                def filtered(one: str) -> None:
                    self.alias[variable.number] = one
                    with self.scope(), self.block(f"if {self.truth(condition)}:"):
                        body(one)

                self.loop(over, filtered, stop)
            case syntax.Combination(_, "union", syntax.Each(_, over, variable, cards)):

                def each(one: str) -> None:
                    self.alias[variable.number] = one
                    self.loop(cards, body, stop)

                if variable.kind is Kind.CARDS:
                    self._over_list(self._united(expression), item, body, leave)
                else:
                    self.loop(over, each, stop)
            case syntax.Combination(_, "union", group):
                assert isinstance(group, tuple)
                if len(group) == 1:
                    self.loop(group[0], body, stop)
                else:
                    self._over_list(self._united(expression), item, body, leave)
            case syntax.AllSeats():
                self._over_seats(item, "", body, leave)
            case syntax.OtherSeats():
                self._over_seats(item, f"{item} != {self._turn('seat', 'current')}", body, leave)
            case syntax.AllSides() | syntax.OtherSides():
                current = self._turn("side", "current") if isinstance(expression, syntax.OtherSides) else -1
                with self.block(f"for {item} in range({len(self.layout.teams)}):"), self.block(f"if {item} != {current}:"):
                    body(item)
                    leave()
            case syntax.Range(_, low, high):
                a, b = self.number(low), self.number(high)
                self.guard(f"{b} - {a} >= {MOST_ITEMS}", f"a range has at most {MOST_ITEMS} numbers", expression)
                self.works(f"max({b} - {a} + 1, 0)", expression)
                with self.block(f"for {item} in range({a}, {b} + 1):"):
                    body(item)
                    leave()
            case _ if expression.kind is Kind.SIDE:
                side = self.side(expression)
                k = self.fresh("k")
                with self.block(f"for {k} in range(TEAM_SIZES[{side}]):"):
                    self.put(f"{item} = (TEAMS[{side}, {k}] + zero) % {self.layout.seats}")
                    body(item)
                    leave()
            case _:
                self._over_list(self.listed(expression), item, body, leave)

    def _united(self, expression: syntax.Combination) -> List:
        """The cards of several parts, one behind the other, in ``H``."""
        parts = self._group(expression.group)
        return self._made(f"united(H, top, {parts.start}, {parts.count})", expression)

    def _over_list(self, found: List, item: str, body: Callable[[str], None], leave: Callable[[], None]) -> None:
        k = self.fresh("k")
        with self.block(f"for {k} in range({found.count}):"):
            self.put(f"{item} = H[{found.start} + {k}]")
            body(item)
            leave()

    def _over_constants(
        self, values: tuple[int | str, ...], item: str, body: Callable[[str], None], leave: Callable[[], None]
    ) -> None:
        codes = [self.layout.code[value] if isinstance(value, str) else value for value in values]
        if not codes:
            return
        with self.block(f"for {item} in ({', '.join(map(str, codes))},):"):
            body(item)
            leave()

    def _over_seats(self, item: str, condition: str, body: Callable[[str], None], leave: Callable[[], None]) -> None:
        k = self.fresh("k")
        with self.block(f"for {k} in range({self.layout.seats}):"):
            self.put(f"{item} = ({k} + zero) % {self.layout.seats}")
            if condition:
                with self.block(f"if {condition}:"):
                    body(item)
                    leave()
            else:
                body(item)
                leave()

    # --- numbers ---

    def number(self, expression: syntax.Expression) -> str:
        """A number."""
        known = self.layout.constant(expression)
        if isinstance(known, int) and not isinstance(known, bool):
            return f"np.int64({known})" if known >= 0 else f"np.int64(-{-known})"
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.NumberBin():
                return self._short(f"g.numbers[{self.bin(expression)}]")
            case syntax.Arithmetic(_, operator, left, right):
                return self._arithmetic(expression, operator, self.number(left), self.number(right))
            case syntax.Size(_, of):
                return self._size(of)
            case syntax.Sum(_, cards, using):
                scores = self.map(using)
                total = self.kept("np.int64(0)")
                self.loop(cards, lambda card: self.put(f"{total} += g.maps[{scores}, {card}]"))
                return total
            case syntax.Score(_, card, using):
                one = self.card(card)
                return self._short(f"g.maps[{self.map(using)}, {one}]")
            case syntax.Random(_, low, high):
                a = "np.int64(0)" if low is None else self.number(low)
                b = self.number(high)
                self.guard(f"{b} < {a}", "there is no number between the two", expression)
                self.guard(f"{b} - {a} >= 1 << 31", "the two numbers are too far from each other", expression)
                return self.kept(f"{a} + drawn(games, i, {b} - {a} + 1)")
            case syntax.Triangular(_, number):
                n = self.number(number)
                self.guard(f"abs({n}) > 3_000_000_000", "the result is too great: numbers have 64 bits", expression)
                return self.kept(f"{n} * ({n} + 1) // 2")
            case syntax.Fibonacci(_, number):
                n = self.number(number)
                self.guard(f"{n} < 0 or {n} > 92", "fib takes a number from 0 to 92", expression)
                return self.kept(f"FIBONACCI[{n}]")
        raise AssertionError(expression)

    def _arithmetic(self, node: syntax.Node, operator: str, a: str, b: str) -> str:
        too_great = "the result is too great: numbers have 64 bits"
        if operator in "+-":
            result = self.kept(f"{a} {operator} {b}")
            bits = 1 + max(self._bits(a), self._bits(b))
            if bits < MOST_BITS:
                self.bits[result] = bits
                return result
            sign = f"({a} ^ {result}) & ({b} ^ {result})" if operator == "+" else f"({a} ^ {b}) & ({a} ^ {result})"
            self.guard(f"{sign} < 0", too_great, node)
            return result
        if operator == "*":
            bits = self._bits(a) + self._bits(b)
            if bits < MOST_BITS:
                result = self.kept(f"{a} * {b}")
                self.bits[result] = bits
                return result
            self.guard(f"abs(float({a}) * float({b})) >= 9.2e18", too_great, node)
            return self.kept(f"{a} * {b}")
        if operator == "^":
            self.guard(f"{b} < 0", "powers start at 0", node)
            result = self.kept(f"power({a}, {b})")
            self.guard(f"{result} == {LEAST}", too_great, node)
            return result
        self.guard(f"{b} == 0", f"{operator} divides by 0", node)
        return self.kept(f"{'quotient' if operator == '//' else 'remainder'}({a}, {b})")

    def _short(self, text: str) -> str:
        """A name for a number that has 32 bits, sums of which need not be looked at."""
        name = self.kept(text)
        self.bits[name] = BIN_BITS
        return name

    def _bits(self, atom: str) -> int:
        """A number of bits so that a number is between the powers of two with that exponent, the negative one included."""
        written = _LITERAL.fullmatch(atom)
        return int(written[1]).bit_length() if written else self.bits.get(atom, MOST_BITS)

    def _size(self, of: syntax.Expression) -> str:
        """How many items a collection has."""
        match of:
            case syntax.Place():
                return self._short(f"np.int64(g.sizes[{self.place(of)}])")
            case syntax.AllSeats():
                return str(self.layout.seats)
            case syntax.OtherSeats():
                return str(self.layout.seats - 1)
            case syntax.AllSides():
                return str(len(self.layout.teams))
            case syntax.OtherSides():
                return str(len(self.layout.teams) - 1)
            case syntax.Variable(_, binding) if binding.number in self.lists:
                return self.lists[binding.number].count
        if of.kind is Kind.SETS:
            return self.listed(of).count
        count = self.kept("np.int64(0)")
        self.loop(of, lambda _: self.put(f"{count} += 1"))
        return count

    # --- strings ---

    def string(self, expression: syntax.Expression) -> str:
        """The code of a string."""
        known = self.layout.constant(expression)
        if isinstance(known, str):
            return str(self.layout.code[known])
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.Numeral(_, number):
                n, code, k = self.number(number), self.kept("np.int64(0)"), self.fresh("k")
                with self.block(f"for {k} in range(len(NUMERALS)):"), self.block(f"if NUMERALS[{k}] == {n}:"):
                    self.put(f"{code} = NUMERAL_CODES[{k}]")
                return code
            case syntax.StringBin():
                return self.kept(f"np.int64(g.texts[{self.bin(expression)}])")
            case syntax.CardAttribute(_, attribute, card):
                name = self.string(attribute)
                match card:
                    case syntax.CardAt(_, "top" | "bottom" as end, syntax.Place() as place):
                        p = self.place(place)
                        index = f"g.sizes[{p}] - 1" if end == "top" else "0"
                        result = self.kept("np.int64(0)")
                        with self.block(f"if g.sizes[{p}] > 0:"):
                            self.put(f"{result} = VALUES[{name}, g.cards[{p}, {index}] - 1]")
                        return result
                return self.kept(f"VALUES[{name}, {self.card(card)}]")
        raise AssertionError(expression)

    # --- conditions ---

    def truth(self, expression: syntax.Expression) -> str:
        """A condition: an atom that is True or False."""
        self.near = expression
        known = self.layout.constant(expression)
        if known is not None:
            return str(bool(known))
        match expression:
            case syntax.Logic(_, operator, operands):
                result = self.kept(str(operator == "and"), "t")
                test = result if operator == "and" else f"not {result}"
                if len(operands) > MOST_OPERANDS:
                    for operand in operands:
                        with self.block(f"if {test}:"):
                            self.put(f"{result} = {self.truth(operand)}")
                    return result
                depth = 0
                for operand in operands:
                    if depth:
                        self.put(f"if {test}:")
                        self.indent += 1
                    self.put(f"{result} = {self.truth(operand)}")
                    depth += 1
                self.indent -= depth - 1
                return result
            case syntax.Not(_, operand):
                return self.kept(f"not {self.truth(operand)}", "t")
            case syntax.Quantified(_, quantifier, over, variable, condition):
                result = self.kept("False", "t")  # an item was found that decides

                def look(item: str) -> None:
                    self.alias[variable.number] = item
                    with self.block(f"if not {result}:"), self.scope():
                        holds = self.truth(condition)
                        self.put(f"{result} = {holds if quantifier == 'any' else f'not {holds}'}")

                if over.kind is Kind.SETS:
                    sets = self.listed(over)
                    k = self.fresh("k")
                    with self.block(f"for {k} in range({sets.count}):"):
                        self.bind(variable, sets, k)
                        look(variable.name)
                else:
                    self.loop(over, look, result)
                return result if quantifier == "any" else self.kept(f"not {result}", "t")
            case syntax.Comparison(_, operator, left, right):
                a, b = self.scalar(left), self.scalar(right)
                return self.kept(f"{a} {operator} {b}", "t")
        raise AssertionError(expression)

    def scalar(self, expression: syntax.Expression) -> str:
        """A value that is no collection, whatever its kind."""
        write = {
            Kind.NUMBER: self.number,
            Kind.STRING: self.string,
            Kind.BOOLEAN: self.truth,
            Kind.CARD: self.card,
            Kind.SEAT: self.seat,
            Kind.SIDE: self.side,
        }
        return write[expression.kind](expression)

    # --- cards ---

    def card(self, expression: syntax.Expression) -> str:
        """The number of a card."""
        return self.found(expression)[0]

    def found(self, expression: syntax.Expression) -> tuple[str, str, bool]:
        """A card, how it leaves the list of the variable in which it was found, and whether its position is public.

        Returns:
            The card; a statement that takes it out of the list, or the empty string; whether it was found as the top, the
            bottom or at an index of a place, or all of a place are moved, one after the other.
        """
        match expression:
            case syntax.Variable(_, binding):
                indexed = self.layout.whole if self.tells is None else self.tells.indexed
                return self.alias[binding.number], "", binding.number in indexed
            case syntax.Actual(_, card):
                return self.found(card)
            case syntax.CardAt(_, index, cards):
                number = self.number(index) if isinstance(index, syntax.Expression) else ""
                missing = "there is no such card" if number else "there is no card: the collection is empty"
                if isinstance(cards, syntax.Place):
                    place = self.place(cards)
                    number = number or (f"g.sizes[{place}] - 1" if index == "top" else "0")
                    number = self.kept(f"np.int64({number})")
                    self.guard(f"{number} < 0 or {number} >= g.sizes[{place}]", missing, expression)
                    return self.kept(f"np.int64(g.cards[{place}, {number}]) - 1"), "", True
                among = self.listed(cards)
                number = number or (f"{among.count} - 1" if index == "top" else "np.int64(0)")
                number = self.kept(number)
                self.guard(f"{number} < 0 or {number} >= {among.count}", missing, expression)
                one = self.kept(f"H[{among.start} + {number}]")
                out = ""
                if isinstance(cards, syntax.Variable):
                    out = f"{among.count} = taken_out(H, {among.start}, {among.count}, {number})"
                return one, out, False
            case syntax.Extreme(_, which, cards, using):
                scores = self.map(using)
                best, tied = self.kept("np.int64(-1)"), self.kept("np.int64(0)")
                found = self.listed(cards)
                sign = ">" if which == "max" else "<"
                k = self.fresh("k")
                with self.block(f"for {k} in range({found.count}):"):
                    one = f"H[{found.start} + {k}]"
                    with self.block(f"if {k} == 0 or g.maps[{scores}, {one}] {sign} g.maps[{scores}, {best}]:"):
                        self.put(f"{best} = {one}")
                        self.put(f"{tied} = 1")
                    with self.block(f"elif g.maps[{scores}, {one}] == g.maps[{scores}, {best}]:"):
                        self.put(f"{tied} += 1")
                self.guard(f"{found.count} == 0", "there is no card: the collection is empty", expression)
                with self.block(f"if {tied} > 1:"):
                    self.put(
                        f"{best} = tied_card(g.maps, {argument(scores)}, H, {found.start}, {found.count}, {best}, "
                        f"drawn(games, i, {tied}))"
                    )
                return best, "", False
        raise AssertionError(expression)

    # --- seats and sides ---

    def seat(self, expression: syntax.Expression) -> str:
        """The number of a seat."""
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.CycleSeat(_, which):
                return self._turn("seat", which)
            case syntax.NumberedSeat(_, number):
                n = self.number(number)
                self.guard(f"{n} < 0 or {n} >= {self.layout.seats}", "there is no such player", expression)
                return self.kept(f"({n} + zero) % {self.layout.seats}")
            case syntax.OwnerOfCard(_, card):
                one = self.card(card)
                owner = self.kept(f"OWNERS[g.where[{one}]]")
                self.guard(f"{owner} < 0", "the card lies in no player's place", expression)
                return owner
        raise AssertionError(expression)

    def side(self, expression: syntax.Expression) -> str:
        """The number of a team."""
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.CycleSide(_, which):
                return self._turn("side", which)
            case syntax.NumberedSide(_, number):
                n = self.number(number)
                self.guard(f"{n} < 0 or {n} >= {len(self.layout.teams)}", "there is no such team", expression)
                return n
            case syntax.SideOfSeat(_, seat):
                return self.kept(f"TEAM_OF[({self.seat(seat)} - zero) % {self.layout.seats}]")
        raise AssertionError(expression)

    def _turn(self, of: str, which: str) -> str:
        """Whose turn it is, is next, or was before."""
        depth = self.seat_depth if of == "seat" else self.side_depth
        count = self.layout.seats if of == "seat" else len(self.layout.teams)
        current = f"np.int64(g.{of}_turn[{depth}])"
        if which == "current":
            return self.kept(current)
        if which == "previous":
            return self.kept(f"({current} + {count - 1}) % {count}")
        return self.kept(f"following(g.{of}_turn, g.{of}_queue, {depth}, {count})")

    # --- where things lie ---

    def _slot(
        self,
        slots: Mapping[Owned, Slots],
        table: str,
        node: syntax.Place | syntax.NumberBin | syntax.StringBin | syntax.PointMap,
        storage: str,
    ) -> str:
        """The number of a place, a bin or a map."""
        owner: Literal["game", "player", "team"] = "game"
        offset = ""
        if isinstance(node.owner, syntax.Expression):
            owner = "player" if node.owner.kind is Kind.SEAT else "team"
            offset = self.seat(node.owner) if owner == "player" else self.side(node.owner)
        name = self.layout.constant(node.name)
        if isinstance(name, str):
            begin = slots[Owned(owner, storage, name)].first
            return str(begin) if not offset else self.kept(f"{begin} + {offset}") if begin else offset
        code = self.string(node.name)
        first = self.kept(f"{table}_{owner}_{storage}[{code}]")
        there = listed(one.name for one in slots if (one.owner, one.storage) == (owner, storage))
        self.guard(f"{first} < 0", f"nothing in the description has this name: there are {there}", node)
        return first if not offset else self.kept(f"{first} + {offset}")

    def place(self, node: syntax.Place) -> str:
        """The number of a place."""
        return self._slot(self.layout.place_slots, "PLACES", node, node.visibility)

    def bin(self, node: syntax.NumberBin | syntax.StringBin) -> str:
        """The number of a bin."""
        if isinstance(node, syntax.NumberBin):
            return self._slot(self.layout.number_slots, "NUMBERS", node, "sto")
        return self._slot(self.layout.text_slots, "TEXTS", node, "str")

    def map(self, node: syntax.PointMap) -> str:
        """The number of a point map."""
        return self._slot(self.layout.map_slots, "MAPS", node, "points")

    # --- acts ---

    def act(self, act: syntax.Act) -> None:
        """What is done outside of choices, or inside where nothing is left to choose."""
        self.near = act
        match act:
            case syntax.Guarded(_, condition, inner):
                with self.scope(), self.block(f"if {self.truth(condition)}:"):
                    self.act(inner)
            case syntax.Do(_, acts):
                start = len(self.lines)
                for inner in acts:
                    self.act(inner)
                    start = self.cut(start)
            case syntax.Let(_, value, variable, inner):
                with self.scope():
                    self.let(value, variable)
                    self.act(inner)
            case syntax.ForEach(_, _, over, variable, inner):
                with self.scope():
                    items = self.snapshot(over)
                    self.works(items.count, act)
                    k = self.fresh("k")
                    with self.block(f"for {k} in range({items.count}):"), self.scope():
                        self.bind(variable, items, k)
                        self.act(inner)
            case syntax.Prim():
                with self.scope():
                    self.prim(act)
            case _:
                raise AssertionError(act)

    def snapshot(self, over: syntax.Expression) -> List:
        """The items of a collection as they are now, in a list of their own."""
        found = self.listed(over)
        return self.copied(found, over) if isinstance(over, syntax.Variable) and over.kind is not Kind.SETS else found

    def let(self, value: syntax.Expression, variable: syntax.Binding) -> None:
        """Binds a variable to a value."""
        if value.kind in (Kind.CARDS, Kind.SETS, Kind.NUMBERS, Kind.NAMES, Kind.SEATS, Kind.SIDES):
            self.lists[variable.number] = self.snapshot(value)
            return
        name = f"v{variable.number}"
        self.put(f"{name} = {self.scalar(value)}")
        self.alias[variable.number] = name

    def prim(self, act: syntax.Prim) -> None:
        """An act that changes something itself."""
        if isinstance(act, syntax.Repeat | syntax.RepeatAll):
            times = self.number(act.times) if isinstance(act, syntax.Repeat) else self._size(act.cards)
            self.guard(f"{times} > {MOST_ITEMS}", f"repeated more than {MOST_ITEMS} times", act)
            self.works(f"max({times}, 0)", act)
            with self.block(f"for {self.fresh('k')} in range({times}):"), self.scope():
                self.prim(act.prim)
            return
        match act:
            case syntax.SetNumber(_, target, value):
                slot = self.bin(target)
                self._store(slot, self.number(value), act)
            case syntax.Change(_, operator, target, amount):
                slot = self.bin(target)
                before, change = self._short(f"g.numbers[{slot}]"), self.number(amount)
                self._store(slot, self._arithmetic(act, "+" if operator == "inc" else "-", before, change), act)
            case syntax.SetString(_, target, value):
                slot = self.bin(target)
                self.put(f"g.texts[{slot}] = {self.string(value)}")
            case syntax.SetMap():
                self._set_map(act)
            case syntax.Move(_, card, to):
                moved, out, public = self.found(card)
                home = self.kept(f"np.int64(g.where[{moved}])") if self.touching else ""
                place, kind, index = self._target(to)
                if out:
                    self.put(out)
                where = f"{argument(place)}, np.int64({kind}), {argument(index)}, np.int64({int(public)})"
                if self.layout.trailing:
                    self.put(f"if g.watcher: trail(games, i, {moved}, {argument(place)}, RELATIVE_PLACES)")
                if kind == "AT_INDEX":
                    self.put(f"right = move_card(games, i, {moved}, {where}, SEEN_BY, ORDERED, FACES)")
                    self.guard("not right", "there is no such index in the place", to)
                else:
                    self.put(f"move_card(games, i, {moved}, {where}, SEEN_BY, ORDERED, FACES)")
                self._touch(home, place)
            case syntax.Shuffle(_, place_at):
                shuffled = self.place(place_at)
                self.put(f"shuffle(games, i, {argument(shuffled)}, SEEN_BY, ORDERED, FACES)")
                self._touch(shuffled)
            case syntax.TurnPass():
                pass
            case syntax.Tell():
                assert self.tells is not None
                self.tells.write(self, act)
            case syntax.SetCycle(_, which, who):
                seat = self.seat(who)
                self.put(f"g.seat_{'queue' if which == 'next' else 'turn'}[{self.seat_depth}] = {seat}")
            case syntax.Remember(_, card, to):
                copied = self.card(card)
                place, kind, index = self._target(to)
                where = f"{argument(place)}, np.int64({kind}), {argument(index)}"
                told = f"np.int64({self._told(card)}), SEEN_BY, ORDERED, FACES"
                self.put(f"right = put_copy(games, i, {copied}, {where}, {told})")
                self.guard("not right", "there is no such index in the mem, or it is full", to)
                self._touch(place)
            case syntax.Forget(_, card, place_at):
                copied, place = self.card(card), self.place(place_at)
                self.put(f"right = drop_copy(games, i, {copied}, {argument(place)})")
                self.guard("not right", "the card is not in the mem", act)
                self._touch(place)
            case syntax.CreateDeck(_, _, place_at, faces):
                first = self.layout.deck_of[id(act)]
                place = self.place(place_at)
                if faces:
                    self.guard(f"g.where[{first}] >= 0", "this deck has been made already: it can be made once", act)
                self.put(f"make_deck(games, i, np.int64({first}), np.int64({len(faces)}), {argument(place)}, SEEN_BY)")
                self._touch(place)
            case _:
                raise AssertionError(act)
        if self.choosing:
            self.put("ran = True")

    def _touch(self, *places: str) -> None:
        """Writes that places have changed, where private bins may have been set from what lies there."""
        for place in places if self.touching else ():
            self.put(f"touch(games, i, {place}, ORIGIN_READS)")

    def _told(self, card: syntax.Expression) -> str:
        """What everybody knows of where a card lies that is shown: a constant of the runtime."""
        while isinstance(card, syntax.Actual):
            card = card.card
        if isinstance(card, syntax.CardAt) and isinstance(card.cards, syntax.Place):
            return "INDEX_TOLD"
        among: syntax.Expression | None = None
        if isinstance(card, syntax.Extreme):
            among = card.cards
        elif isinstance(card, syntax.Variable):
            among = self.layout.possible.bound.get(card.binding.number)
        return "PLACE_TOLD" if of_one_place(among) else "NOT_TOLD"

    def _store(self, slot: str, value: str, node: syntax.Node) -> None:
        self._check_size(value, "a bin", node)
        self.put(f"g.numbers[{slot}] = {value}")

    def _check_size(self, value: str, what: str, node: syntax.Node) -> None:
        if self._bits(value) < BIN_BITS:
            return
        limit = 1 << BIN_BITS
        self.guard(f"{value} >= {limit} or {value} < -{limit}", f"{what} holds numbers of 32 bits", node)

    def _target(self, to: syntax.Target) -> tuple[str, str, str]:
        """The place, the kind of index (a constant of the runtime) and the index at which a card is put."""
        place = self.place(to.place)
        if isinstance(to.index, syntax.Expression):
            return place, "AT_INDEX", self.number(to.index)
        return place, "ON_TOP" if to.index == "top" else "AT_BOTTOM", "0"

    def _set_map(self, act: syntax.SetMap) -> None:
        number = self.layout.map_numbers[id(act)]
        parts = self.layout.changing[number]
        scores = self.map(act.map)
        values = [self.scalar(part) for part in parts]
        points = {id(award.points): award for award in act.awards}
        for part, value in zip(parts, values, strict=True):
            if id(part) in points:
                self._check_size(value, "a map", points[id(part)])
        self.put(f"g.map_made[{scores}] = {number + 1}")
        for k, value in enumerate(values):
            self.put(f"g.map_values[{scores}, {k}] = {value}")
        with self.block(f"for {self.fresh('k')} in range({len(values)}, {self.layout.most_changing}):"):
            self.put(f"g.map_values[{scores}, k{self.names}] = 0")
        self.put(f"fill_map(games, i, {argument(scores)})")


def argument(atom: str) -> str:
    """An atom as an argument: numba compiles a function anew for every number that is written out in a call of it."""
    return f"np.int64({atom})" if atom.isdigit() else atom


def written_function(head: str, lines: Iterable[str]) -> str:
    """The text of a kernel."""
    return "\n".join(["", "@kernel", f"def {head}:", *lines, ""])


def _assigned(line: str) -> list[str]:
    """The variables to which a line gives a value."""
    found = _TARGETS.match(line) or _CHANGED.match(line)
    return found[1].split(", ") if found else []


def _read(lines: list[str], known: set[str]) -> list[str]:
    """The variables that have a value before some lines, and are read in them before they get another."""
    found: dict[str, None] = {}
    given: set[str] = set()
    for line in lines:
        targets = _TARGETS.match(line)
        words = re.findall(r"\b[a-zH]\w*", line[targets.end() :] if targets else line)
        found |= dict.fromkeys(name for name in words if name in known and name not in given)
        given.update(_assigned(line))
    return list(found)


def _returning(line: str, state: list[str]) -> str:
    """A line of a function that is returned from in two ways: what ends its caller, too, is so marked."""
    before, mark, value = line.partition("return ")
    return f"{before}return {', '.join([f'True, {value}', *state])}" if mark and not before.strip() else line
