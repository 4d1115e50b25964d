"""Values that are no collection: numbers, strings, conditions, cards, players, teams; indices of places and bins."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from cardenvs.recycle.compiler.layout import Layout, Slots
from cardenvs.recycle.compiler.lines import Lines, as_argument
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import LEAST
from cardenvs.recycle.language.cursor import list_names
from cardenvs.recycle.language.symbols import Owned
from cardenvs.recycle.language.syntax import Kind

MOST_OPERANDS = 8  # the most operands of a condition that are written inside each other
BIN_BITS, MOST_BITS = 31, 63  # the bits of a number in a bin or a map and of any number, the sign left out
_LITERAL = re.compile(r"(?:np\.int64\()?-?(\d+)\)?")


class Telling(Protocol):
    """A writer of ``(tell ..)``: `cardenvs.recycle.compiler.tells.Tells`."""

    known_to: dict[str, set[int]]
    claims: list[tuple[int, Owned, int]]

    def write_tell(self, writer: Any, act: syntax.Tell) -> None:
        """Writes an act."""


@dataclass(frozen=True)
class List:
    """A collection in ``H``: its start and its number of entries (atoms)."""

    start: str
    count: str


class Values(Lines):
    """Writes the statements that work out a value that is no collection; each method returns its atom.

    ``depths`` are the numbers of stages over players and over teams around the text.
    """

    def __init__(self, layout: Layout, depths: tuple[int, int]) -> None:
        super().__init__(layout)
        self.seat_depth, self.side_depth = depths
        self.tells: Telling | None = None  # the writer of acts that tell; None where none is written
        self.lists: dict[int, List] = {}  # by the number of a binding whose value is a collection, the collection
        self.alias: dict[int, str] = {}  # by the number of a binding whose value is no collection, its atom
        self.bits: dict[str, int] = {}  # by atom, the most bits that it has, its sign left out, where that is known

    # --- what `Collections` writes ---

    def write_collection(self, expression: syntax.Expression) -> List:
        raise NotImplementedError

    def bind_item(self, variable: syntax.Binding, items: List, index: str) -> str:
        raise NotImplementedError

    def write_loop(self, expression: syntax.Expression, body: Callable[[str], None], stop: str = "") -> None:
        raise NotImplementedError

    # --- numbers ---

    def write_number(self, expression: syntax.Expression) -> str:
        known = self.layout.constant(expression)
        if isinstance(known, int) and not isinstance(known, bool):
            return f"np.int64({known})" if known >= 0 else f"np.int64(-{-known})"
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.NumberBin():
                return self._assign_short(f"g.numbers[{self.write_bin(expression)}]")
            case syntax.Setting(_, name):
                return self._assign_short(f"np.int64(g.{name.lower()})")
            case syntax.Arithmetic(_, operator, left, right):
                return self._write_arithmetic(expression, operator, self.write_number(left), self.write_number(right))
            case syntax.Size(_, of):
                return self._write_size(of)
            case syntax.Sum(_, cards, using):
                scores = self.write_map(using)
                total = self.assign("np.int64(0)")
                self.write_loop(cards, lambda card: self.emit(f"{total} += g.maps[{scores}, {card}]"))
                return total
            case syntax.Score(_, card, using):
                one = self.write_card(card)
                return self._assign_short(f"g.maps[{self.write_map(using)}, {one}]")
            case syntax.Random(_, low, high):
                a = "np.int64(0)" if low is None else self.write_number(low)
                b = self.write_number(high)
                self.guard(f"{b} < {a}", "there is no number between the two", expression)
                self.guard(f"{b} - {a} >= 1 << 31", "the two numbers are too far from each other", expression)
                return self.assign(f"{a} + drawn(games, i, {b} - {a} + 1)")
            case syntax.Triangular(_, number):
                n = self.write_number(number)
                self.guard(f"abs({n}) > 3_000_000_000", "the result is too great: numbers have 64 bits", expression)
                return self.assign(f"{n} * ({n} + 1) // 2")
            case syntax.Fibonacci(_, number):
                n = self.write_number(number)
                self.guard(f"{n} < 0 or {n} > 92", "fib takes a number from 0 to 92", expression)
                return self.assign(f"FIBONACCI[{n}]")
        raise AssertionError(expression)

    def _write_arithmetic(self, node: syntax.Node, operator: str, a: str, b: str) -> str:
        too_great = "the result is too great: numbers have 64 bits"
        if operator in "+-":
            result = self.assign(f"{a} {operator} {b}")
            bits = 1 + max(self._bit_bound(a), self._bit_bound(b))
            if bits < MOST_BITS:
                self.bits[result] = bits
                return result
            sign = f"({a} ^ {result}) & ({b} ^ {result})" if operator == "+" else f"({a} ^ {b}) & ({a} ^ {result})"
            self.guard(f"{sign} < 0", too_great, node)
            return result
        if operator == "*":
            bits = self._bit_bound(a) + self._bit_bound(b)
            if bits < MOST_BITS:
                result = self.assign(f"{a} * {b}")
                self.bits[result] = bits
                return result
            self.guard(f"abs(float({a}) * float({b})) >= 9.2e18", too_great, node)
            return self.assign(f"{a} * {b}")
        if operator == "^":
            self.guard(f"{b} < 0", "powers start at 0", node)
            result = self.assign(f"power({a}, {b})")
            self.guard(f"{result} == {LEAST}", too_great, node)
            return result
        self.guard(f"{b} == 0", f"{operator} divides by 0", node)
        return self.assign(f"{'quotient' if operator == '//' else 'remainder'}({a}, {b})")

    def _assign_short(self, text: str) -> str:
        name = self.assign(text)
        self.bits[name] = BIN_BITS
        return name

    def _bit_bound(self, atom: str) -> int:
        """Returns n such that a number is from -2**n to 2**n."""
        written = _LITERAL.fullmatch(atom)
        return int(written[1]).bit_length() if written else self.bits.get(atom, MOST_BITS)

    def _write_size(self, of: syntax.Expression) -> str:
        match of:
            case syntax.Place():
                return self._assign_short(f"np.int64(g.sizes[{self.write_place(of)}])")
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
            return self.write_collection(of).count
        count = self.assign("np.int64(0)")
        self.write_loop(of, lambda _: self.emit(f"{count} += 1"))
        return count

    # --- strings ---

    def write_string(self, expression: syntax.Expression) -> str:
        known = self.layout.constant(expression)
        if isinstance(known, str):
            return str(self.layout.code[known])
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.Numeral(_, number):
                n, code, k = self.write_number(number), self.assign("np.int64(0)"), self.fresh_name("k")
                with self.block(f"for {k} in range(len(NUMERALS)):"), self.block(f"if NUMERALS[{k}] == {n}:"):
                    self.emit(f"{code} = NUMERAL_CODES[{k}]")
                return code
            case syntax.StringBin():
                return self.assign(f"np.int64(g.texts[{self.write_bin(expression)}])")
            case syntax.CardAttribute(_, attribute, card):
                name = self.write_string(attribute)
                match card:
                    case syntax.CardAt(_, "top" | "bottom" as end, syntax.Place() as place):
                        p = self.write_place(place)
                        index = f"g.sizes[{p}] - 1" if end == "top" else "0"
                        result = self.assign("np.int64(0)")
                        with self.block(f"if g.sizes[{p}] > 0:"):
                            self.emit(f"{result} = VALUES[{name}, g.cards[{p}, {index}] - 1]")
                        return result
                return self.assign(f"VALUES[{name}, {self.write_card(card)}]")
        raise AssertionError(expression)

    # --- conditions ---

    def write_condition(self, expression: syntax.Expression) -> str:
        self.near = expression
        known = self.layout.constant(expression)
        if known is not None:
            return str(bool(known))
        match expression:
            case syntax.Logic(_, operator, operands):
                result = self.assign(str(operator == "and"), "t")
                test = result if operator == "and" else f"not {result}"
                if len(operands) > MOST_OPERANDS:
                    for operand in operands:
                        with self.block(f"if {test}:"):
                            self.emit(f"{result} = {self.write_condition(operand)}")
                    return result
                depth = 0
                for operand in operands:
                    if depth:
                        self.emit(f"if {test}:")
                        self.indent += 1
                    self.emit(f"{result} = {self.write_condition(operand)}")
                    depth += 1
                self.indent -= depth - 1
                return result
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.Not(_, operand):
                return self.assign(f"not {self.write_condition(operand)}", "t")
            case syntax.Quantified(_, quantifier, over, variable, condition):
                result = self.assign("False", "t")  # an item was found that decides

                def test_item(item: str) -> None:
                    self.alias[variable.number] = item
                    with self.block(f"if not {result}:"), self.scope():
                        holds = self.write_condition(condition)
                        self.emit(f"{result} = {holds if quantifier == 'any' else f'not {holds}'}")

                if over.kind is Kind.SETS:
                    sets = self.write_collection(over)
                    k = self.fresh_name("k")
                    with self.block(f"for {k} in range({sets.count}):"):
                        self.bind_item(variable, sets, k)
                        test_item(variable.name)
                else:
                    self.write_loop(over, test_item, result)
                return result if quantifier == "any" else self.assign(f"not {result}", "t")
            case syntax.Comparison(_, operator, left, right):
                a, b = self.write_scalar(left), self.write_scalar(right)
                return self.assign(f"{a} {operator} {b}", "t")
        raise AssertionError(expression)

    def write_scalar(self, expression: syntax.Expression) -> str:
        write = {
            Kind.NUMBER: self.write_number,
            Kind.STRING: self.write_string,
            Kind.BOOLEAN: self.write_condition,
            Kind.CARD: self.write_card,
            Kind.SEAT: self.write_owner,
            Kind.SIDE: self.write_owner,
        }
        return write[expression.kind](expression)

    # --- cards ---

    def write_card(self, expression: syntax.Expression) -> str:
        return self.locate_card(expression)[0]

    def locate_card(self, expression: syntax.Expression) -> tuple[str, str, str]:
        """Writes a card; returns a statement that takes it out of its variable's list, and who knows its index, too.

        The latter is KNOWN_TO_ALL for the top, the bottom or an index of a place, or if all cards of a place are moved in
        sequence, KNOWN_TO_CHOOSER if the actor chose it by its index, else KNOWN_TO_NONE.
        """
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number], "", self._known_to(binding.number)
            case syntax.Actual(_, card):
                return self.locate_card(card)
            case syntax.CardAt(_, index, cards):
                number = self.write_number(index) if isinstance(index, syntax.Expression) else ""
                missing = "there is no such card" if number else "there is no card: the collection is empty"
                if isinstance(cards, syntax.Place):
                    place = self.write_place(cards)
                    number = number or (f"g.sizes[{place}] - 1" if index == "top" else "0")
                    number = self.assign(f"np.int64({number})")
                    self.guard(f"{number} < 0 or {number} >= g.sizes[{place}]", missing, expression)
                    return self.assign(f"np.int64(g.cards[{place}, {number}]) - 1"), "", "KNOWN_TO_ALL"
                among = self.write_collection(cards)
                number = number or (f"{among.count} - 1" if index == "top" else "np.int64(0)")
                number = self.assign(number)
                self.guard(f"{number} < 0 or {number} >= {among.count}", missing, expression)
                one = self.assign(f"H[{among.start} + {number}]")
                out = ""
                if isinstance(cards, syntax.Variable):
                    out = f"{among.count} = remove_item(H, {among.start}, {among.count}, {number})"
                return one, out, "KNOWN_TO_NONE"
            case syntax.Extreme(_, which, cards, using):
                scores = self.write_map(using)
                best, tied = self.assign("np.int64(-1)"), self.assign("np.int64(0)")
                found = self.write_collection(cards)
                sign = ">" if which == "max" else "<"
                k = self.fresh_name("k")
                with self.block(f"for {k} in range({found.count}):"):
                    one = f"H[{found.start} + {k}]"
                    with self.block(f"if {k} == 0 or g.maps[{scores}, {one}] {sign} g.maps[{scores}, {best}]:"):
                        self.emit(f"{best} = {one}")
                        self.emit(f"{tied} = 1")
                    with self.block(f"elif g.maps[{scores}, {one}] == g.maps[{scores}, {best}]:"):
                        self.emit(f"{tied} += 1")
                self.guard(f"{found.count} == 0", "there is no card: the collection is empty", expression)
                with self.block(f"if {tied} > 1:"):
                    self.emit(
                        f"{best} = tied_card(g.maps, {as_argument(scores)}, H, {found.start}, {found.count}, {best}, "
                        f"drawn(games, i, {tied}))"
                    )
                return best, "", "KNOWN_TO_NONE"
        raise AssertionError(expression)

    def _known_to(self, number: int) -> str:
        """Returns the constant for who knows the index of a variable's card, see `locate_card`."""
        if self.tells is None:
            return "KNOWN_TO_ALL" if number in self.layout.whole_place_variables else "KNOWN_TO_NONE"
        return next((word for word, those in self.tells.known_to.items() if number in those), "KNOWN_TO_NONE")

    # --- seats and sides ---

    def write_owner(self, expression: syntax.Expression) -> str:
        """Writes a player or a team."""
        what = "player" if expression.kind is Kind.SEAT else "team"
        match expression:
            case syntax.Variable(_, binding):
                return self.alias[binding.number]
            case syntax.CycleSeat(_, which):
                return self._write_turn("seat", which)
            case syntax.CycleSide(_, which):
                return self._write_turn("side", which)
            case syntax.NumberedSeat(_, number) | syntax.NumberedSide(_, number):
                n, count = self.write_number(number), self.layout.owner_count(what)
                self.guard(f"{n} < 0 or {n} >= {count}", f"there is no such {what}", expression)
                return self.assign(f"({n} + zero) % {count}") if what == "player" else n
            case syntax.OwnerOfCard(_, card):
                one = self.write_card(card)
                owner = self.assign(f"OWNERS[g.where[{one}]]")
                self.guard(f"{owner} < 0", "the card lies in no player's place", expression)
                return owner
            case syntax.SideOfSeat(_, seat):
                return self.assign(f"TEAM_OF[({self.write_owner(seat)} - zero) % {self.layout.seats}]")
        raise AssertionError(expression)

    def _write_turn(self, of: str, which: str) -> str:
        depth = self.seat_depth if of == "seat" else self.side_depth
        count = self.layout.seats if of == "seat" else len(self.layout.teams)
        current = f"np.int64(g.{of}_turn[{depth}])"
        if which == "current":
            return self.assign(current)
        if which == "previous":
            return self.assign(f"({current} + {count - 1}) % {count}")
        return self.assign(f"next_turn(g.{of}_turn, g.{of}_queue, {depth}, {count})")

    # --- where things lie ---

    def _write_slot(
        self,
        slots: Mapping[Owned, Slots],
        table: str,
        node: syntax.Place | syntax.NumberBin | syntax.StringBin | syntax.PointMap,
        storage: str,
    ) -> str:
        owner: Literal["game", "player", "team"] = "game"
        offset = ""
        if isinstance(node.owner, syntax.Expression):
            owner = "player" if node.owner.kind is Kind.SEAT else "team"
            offset = self.write_owner(node.owner)
        name = self.layout.constant(node.name)
        if isinstance(name, str):
            begin = slots[Owned(owner, storage, name)].first
            return str(begin) if not offset else self.assign(f"{begin} + {offset}") if begin else offset
        code = self.write_string(node.name)
        first = self.assign(f"{table}_{owner}_{storage}[{code}]")
        there = list_names(one.name for one in slots if (one.owner, one.storage) == (owner, storage))
        self.guard(f"{first} < 0", f"nothing in the description has this name: there are {there}", node)
        return first if not offset else self.assign(f"{first} + {offset}")

    def write_place(self, node: syntax.Place) -> str:
        return self._write_slot(self.layout.place_slots, "PLACES", node, node.visibility)

    def write_bin(self, node: syntax.NumberBin | syntax.StringBin) -> str:
        if isinstance(node, syntax.NumberBin):
            return self._write_slot(self.layout.number_slots, "NUMBERS", node, "sto")
        return self._write_slot(self.layout.text_slots, "TEXTS", node, "str")

    def write_map(self, node: syntax.PointMap) -> str:
        return self._write_slot(self.layout.map_slots, "MAPS", node, "points")
