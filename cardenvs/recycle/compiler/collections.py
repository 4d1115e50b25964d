"""Collections in ``H``: of cards, of sets of cards, and of any other items, gone through one by one."""

from __future__ import annotations

from collections.abc import Callable

from cardenvs.recycle.compiler.lines import argument
from cardenvs.recycle.compiler.values import List, Values
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind

MOST_ITEMS = 100_000  # the most items of a collection, and the most times that an act is repeated
MOST_SUBSETS = 16  # the most cards of which there are subsets: 65,536


class Collections(Values):
    """Writes collections to ``H``, and loops over their items."""

    def room(self, count: str, node: syntax.Node) -> None:
        """Checks that ``H`` has room for more entries."""
        self.guard(f"top + {count} > len(H)", "the collections in use at a time have too many items", node)

    def listed(self, expression: syntax.Expression) -> List:
        """Writes a collection to ``H``."""
        if isinstance(expression, syntax.Variable) and expression.binding.number in self.lists:
            return self.lists[expression.binding.number]
        return self._listed(expression)

    def _append(self, count: str, item: str, node: syntax.Node) -> None:
        self.room("1", node)
        self.put(f"H[top] = {item}")
        self.put("top += 1")
        self.put(f"{count} += 1")

    def _listed(self, expression: syntax.Expression) -> List:
        """Writes a collection that is no variable."""
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
        """Writes a copy of a collection of cards, which may be changed."""
        return self._made(f"copy_items(H, top, {found.start}, {found.count})", node)

    def _made(self, call: str, node: syntax.Node) -> List:
        """Calls a function of the runtime that writes a collection to ``top`` and returns its size, -1 for no room."""
        start = self.kept("top", "start")
        count = self.kept(call, "count")
        self.guard(f"{count} < 0", "the collections in use at a time have too many items", node)
        self.put(f"top = {start} + {count}")
        return List(start, count)

    def _sets(self, expression: syntax.Expression) -> List:
        """Writes sets of cards: two entries each, the start and the size; the cards lie elsewhere in ``H``."""
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
                    f"write_partition(VALUES, {argument(name)}, H, top, {parts.start}, {parts.count})", expression
                )
            case syntax.Tuples(_, size, cards, using):
                n = self.number(size)
                found = self.listed(cards)
                scores = f"g.maps, {argument(self.map(using))}"
                return self._grouped(f"write_tuples({scores}, H, top, {found.start}, {found.count}, {n})", expression)
            case syntax.Runs(_, which, least, cards, using):
                n = self.number(least)
                found = self.listed(cards)
                scores = f"g.maps, {argument(self.map(using))}"
                return self._grouped(
                    f"write_runs({scores}, H, top, {found.start}, {found.count}, {n}, {which == 'all'})", expression
                )
            case syntax.Subsets(_, cards):
                found = self.listed(cards)
                self.guard(
                    f"{found.count} > {MOST_SUBSETS}", f"subsets are made of at most {MOST_SUBSETS} cards", expression
                )
                return self._grouped(f"write_subsets(H, top, {found.start}, {found.count})", expression)
        raise AssertionError(expression)

    def _grouped(self, call: str, node: syntax.Node) -> List:
        """Calls a function of the runtime that writes sets to ``top`` and returns their number and the new ``top``."""
        start = self.kept("top", "start")
        count = self.fresh("count")
        self.put(f"{count}, top = {call}")
        self.guard(f"{count} < 0", "the collections in use at a time have too many items", node)
        return List(start, count)

    def _group(self, group: syntax.Group) -> List:
        """Writes the parts of a union or the like, as sets."""
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
        """Binds a variable to an item of a collection; returns the item, or where the set begins."""
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
            body: writes the work on an item, an atom.
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
        """Writes the cards of several parts in sequence."""
        parts = self._group(expression.group)
        return self._made(f"unite_sets(H, top, {parts.start}, {parts.count})", expression)

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
