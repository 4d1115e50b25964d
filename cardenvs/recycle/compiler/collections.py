"""Collections in ``H``: of cards, of sets of cards, and of any other items, gone through one by one."""

from collections.abc import Callable
from contextlib import nullcontext

from cardenvs.recycle.compiler.lines import as_argument
from cardenvs.recycle.compiler.values import List, Values
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind

MOST_ITEMS = 100_000  # the most items of a collection, and the most times that an act is repeated
MOST_SUBSETS = 16  # the most cards of which there are subsets: 65,536


class Collections(Values):
    """Writes collections to ``H``, and loops over their items."""

    def reserve_room(self, count: str, node: syntax.Node) -> None:
        self.guard(f"top + {count} > len(H)", "the collections in use at a time have too many items", node)

    def write_collection(self, expression: syntax.Expression) -> List:
        if isinstance(expression, syntax.Variable) and expression.binding.number in self.lists:
            return self.lists[expression.binding.number]
        return self._write_new_collection(expression)

    def _append_item(self, count: str, item: str, node: syntax.Node) -> None:
        self.reserve_room("1", node)
        self.emit(f"H[top] = {item}")
        self.emit("top += 1")
        self.emit(f"{count} += 1")

    def _write_new_collection(self, expression: syntax.Expression) -> List:
        """Writes a collection that is no variable."""
        match expression:
            case syntax.Each() | syntax.Partition() | syntax.Tuples() | syntax.Runs() | syntax.Subsets():
                return self._write_sets(expression)
            case syntax.Combination(_, operator, group) if operator != "union":
                parts = self._write_group(group)
                wanted = parts.count if operator == "intersect" else "np.int64(1)"
                return self._call_collection(f"in_sets(H, top, {parts.start}, {parts.count}, {wanted})", expression)
            case syntax.Sort(_, cards, using):
                found = self.copy_collection(self.write_collection(cards), expression)
                self.emit(f"sort_cards(g.maps, {as_argument(self.write_map(using))}, H, {found.start}, {found.count})")
                return found
            case syntax.Take(_, end, count, cards):
                n = self.write_number(count)
                found = self.write_collection(cards)
                return self._call_collection(f"take_{end}(H, top, {found.start}, {found.count}, {n})", expression)
            case syntax.EndRun(_, end, least, cards, using):
                return self._call_collection(f"end_run({self._scored(least, cards, using)}, {end == 'top'})", expression)
            case syntax.SetAt(_, index, sets):
                number = "0" if not isinstance(index, syntax.Expression) else self.write_number(index)
                among = self.write_collection(sets)
                if index == "bottom":
                    number = self.assign(f"{among.count} - 1")
                self.guard(f"{number} < 0 or {number} >= {among.count}", "there is no such set", expression)
                return self._set_of(among, number)
            case syntax.Filter(_, over, variable, condition) if expression.kind is Kind.SETS:
                among = self.write_collection(over)
                held = self.assign("np.int64(0)")
                kept = self.assign("top", "keep")
                self.reserve_room(f"2 * {among.count}", expression)
                self.emit(f"top += 2 * {among.count}")
                k = self.fresh_name("k")
                with self.block(f"for {k} in range({among.count}):"), self.scope():
                    one = self.lists[variable.number] = self._set_of(among, k)
                    holds = self.write_condition(condition)
                    with self.block(f"if {holds} and {one.count} > 0:"):
                        self.emit(f"H[{kept} + 2 * {held}] = {one.start}")
                        self.emit(f"H[{kept} + 2 * {held} + 1] = {one.count}")
                        self.emit(f"{held} += 1")
                return List(kept, held)
            case syntax.Combination():
                return self._write_union(expression)
            case syntax.Filter(_, over, variable, condition):
                among = self.copy_collection(self.write_collection(over), expression)
                kept_count = self.assign("np.int64(0)", "count")
                k = self.fresh_name("k")
                with self.block(f"for {k} in range({among.count}):"), self.scope():
                    item = self.assign(f"H[{among.start} + {k}]", "c")
                    self.alias[variable.number] = item
                    with self.block(f"if {self.write_condition(condition)}:"):
                        self.emit(f"H[{among.start} + {kept_count}] = {item}")
                        self.emit(f"{kept_count} += 1")
                return List(among.start, kept_count)
        begin, size = self.assign("top", "start"), self.assign("np.int64(0)", "count")
        self.write_loop(expression, lambda item: self._append_item(size, item, expression))
        return List(begin, size)

    def copy_collection(self, found: List, node: syntax.Node) -> List:
        """Writes a copy of a collection of cards, which may be changed."""
        return self._call_collection(f"copy_items(H, top, {found.start}, {found.count})", node)

    def _call_collection(self, call: str, node: syntax.Node) -> List:
        """Calls a function of the runtime that writes a collection to ``top`` and returns its size, -1 for no room."""
        start = self.assign("top", "start")
        count = self.assign(call, "count")
        self.guard(f"{count} < 0", "the collections in use at a time have too many items", node)
        self.emit(f"top = {start} + {count}")
        return List(start, count)

    def _write_sets(self, expression: syntax.Expression) -> List:
        """Writes sets of cards: two entries each, the start and the size; the cards lie elsewhere in ``H``."""
        match expression:
            case syntax.Each(_, over, variable, cards):
                items = self.write_collection(over)
                start = self.assign("top", "start")
                self.reserve_room(f"2 * {items.count}", expression)
                self.emit(f"top += 2 * {items.count}")
                k = self.fresh_name("k")
                with self.block(f"for {k} in range({items.count}):"):
                    self.bind_item(variable, items, k)
                    one = self.write_collection(cards)
                    # A variable's list may change; a set does not.
                    if isinstance(cards, syntax.Variable):
                        one = self.copy_collection(one, expression)
                    self.emit(f"H[{start} + 2 * {k}] = {one.start}")
                    self.emit(f"H[{start} + 2 * {k} + 1] = {one.count}")
                return List(start, items.count)
            case syntax.Partition(_, attribute, group):
                name = self.write_string(attribute)
                parts = self._write_group(group)
                return self._call_sets(
                    f"write_partition(VALUES, {as_argument(name)}, H, top, {parts.start}, {parts.count})", expression
                )
            case syntax.Tuples(_, size, cards, using):
                return self._call_sets(f"write_tuples({self._scored(size, cards, using)})", expression)
            case syntax.Runs(_, which, least, cards, using):
                return self._call_sets(f"write_runs({self._scored(least, cards, using)}, {which == 'all'})", expression)
            case syntax.Subsets(_, cards):
                found = self.write_collection(cards)
                self.guard(
                    f"{found.count} > {MOST_SUBSETS}", f"subsets are made of at most {MOST_SUBSETS} cards", expression
                )
                return self._call_sets(f"write_subsets(H, top, {found.start}, {found.count})", expression)
        raise AssertionError(expression)

    def _scored(self, number: syntax.Expression, cards: syntax.Expression, using: syntax.PointMap) -> str:
        """Writes a number, cards and a map; returns the arguments for functions of the runtime that take these."""
        n, found = self.write_number(number), self.write_collection(cards)
        return f"g.maps, {as_argument(self.write_map(using))}, H, top, {found.start}, {found.count}, {n}"

    def _set_of(self, sets: List, index: str) -> List:
        """Writes a set by its index in a collection of sets."""
        return List(self.assign(f"H[{sets.start} + 2 * {index}]"), self.assign(f"H[{sets.start} + 2 * {index} + 1]"))

    def _call_sets(self, call: str, node: syntax.Node) -> List:
        """Calls a function of the runtime that writes sets to ``top`` and returns their number and the new ``top``."""
        start = self.assign("top", "start")
        count = self.fresh_name("count")
        self.emit(f"{count}, top = {call}")
        self.guard(f"{count} < 0", "the collections in use at a time have too many items", node)
        return List(start, count)

    def _write_group(self, group: syntax.Group) -> List:
        if isinstance(group, syntax.Each):
            return self._write_sets(group)
        lists = [self.write_collection(part) for part in group]
        start = self.assign("top", "start")
        self.reserve_room(str(2 * len(lists)), group[0])
        for k, one in enumerate(lists):
            self.emit(f"H[top + {2 * k}] = {one.start}")
            self.emit(f"H[top + {2 * k + 1}] = {one.count}")
        self.emit(f"top += {2 * len(lists)}")
        return List(start, str(len(lists)))

    def bind_item(self, variable: syntax.Binding, items: List, index: str) -> str:
        """Binds a variable to an item of a collection; returns the item, or where the set begins."""
        if variable.kind is Kind.CARDS:
            one = self._set_of(items, index)
            # What is taken out of a variable's list stays in the set.
            self.lists[variable.number] = self.copy_collection(one, variable)
            return one.start
        name = f"v{variable.number}"
        self.emit(f"{name} = H[{items.start} + {index}]")
        self.alias[variable.number] = name
        return name

    def write_loop(self, expression: syntax.Expression, body: Callable[[str], None], stop: str = "") -> None:
        """Writes a loop over the items of a collection, no sets, that ``body`` does not change.

        ``body`` writes the work on an item, an atom; ``stop`` is a name that is true when the loop is to be left.
        """
        self.near = expression
        item = self.fresh_name("c")

        def visit() -> None:
            body(item)
            if stop:
                with self.block(f"if {stop}:"):
                    self.emit("break")

        match expression:
            case syntax.Variable(_, binding) if binding.number in self.layout.constants:
                values = self.layout.constants[binding.number]
                assert isinstance(values, tuple)
                self._over_constants(values, item, visit)
            case syntax.NameList(_, names):
                self._over_constants(names, item, visit)
            case syntax.Place():
                place = self.write_place(expression)
                k = self.fresh_name("k")
                with self.block(f"for {k} in range(g.sizes[{place}]):"):
                    self.emit(f"{item} = np.int64(g.cards[{place}, {k}]) - 1")
                    visit()
            case syntax.Filter(_, over, variable, condition):

                def filtered(one: str) -> None:
                    self.alias[variable.number] = one
                    with self.scope(), self.block(f"if {self.write_condition(condition)}:"):
                        body(one)

                self.write_loop(over, filtered, stop)
            case syntax.Combination(_, "union", syntax.Each(_, over, variable, cards)):

                def each(one: str) -> None:
                    self.alias[variable.number] = one
                    self.write_loop(cards, body, stop)

                if variable.kind is Kind.CARDS:
                    self._over_list(self._write_union(expression), item, visit)
                else:
                    self.write_loop(over, each, stop)
            case syntax.Combination(_, "union", group):
                assert isinstance(group, tuple)
                if len(group) == 1:
                    self.write_loop(group[0], body, stop)
                else:
                    self._over_list(self._write_union(expression), item, visit)
            case syntax.AllSeats():
                self._over_seats(item, "", visit)
            case syntax.OtherSeats():
                self._over_seats(item, f"{item} != {self._write_turn('seat', 'current')}", visit)
            case syntax.AllSides() | syntax.OtherSides():
                current = self._write_turn("side", "current") if isinstance(expression, syntax.OtherSides) else -1
                with self.block(f"for {item} in range({len(self.layout.teams)}):"), self.block(f"if {item} != {current}:"):
                    visit()
            case syntax.Range(_, low, high):
                a, b = self.write_number(low), self.write_number(high)
                self.guard(f"{b} - {a} >= {MOST_ITEMS}", f"a range has at most {MOST_ITEMS} numbers", expression)
                self.count_work(f"max({b} - {a} + 1, 0)", expression)
                with self.block(f"for {item} in range({a}, {b} + 1):"):
                    visit()
            case _ if expression.kind is Kind.SIDE:
                side = self.write_owner(expression)
                k = self.fresh_name("k")
                with self.block(f"for {k} in range(TEAM_SIZES[{side}]):"):
                    self.emit(f"{item} = (TEAMS[{side}, {k}] + zero) % {self.layout.seats}")
                    visit()
            case _:
                self._over_list(self.write_collection(expression), item, visit)

    def _write_union(self, expression: syntax.Combination) -> List:
        parts = self._write_group(expression.group)
        return self._call_collection(f"unite_sets(H, top, {parts.start}, {parts.count})", expression)

    def _over_list(self, found: List, item: str, visit: Callable[[], None]) -> None:
        k = self.fresh_name("k")
        with self.block(f"for {k} in range({found.count}):"):
            self.emit(f"{item} = H[{found.start} + {k}]")
            visit()

    def _over_constants(self, values: tuple[int | str, ...], item: str, visit: Callable[[], None]) -> None:
        codes = [self.layout.code[value] if isinstance(value, str) else value for value in values]
        if not codes:
            return
        with self.block(f"for {item} in ({', '.join(map(str, codes))},):"):
            visit()

    def _over_seats(self, item: str, condition: str, visit: Callable[[], None]) -> None:
        k = self.fresh_name("k")
        with self.block(f"for {k} in range({self.layout.seats}):"):
            self.emit(f"{item} = ({k} + zero) % {self.layout.seats}")
            with self.block(f"if {condition}:") if condition else nullcontext():
                visit()
