"""Writes the functions that list the options of a described game's choices, and take them."""

from contextlib import nullcontext

from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.alternatives import MOST_OPTIONS, Alternative
from cardenvs.recycle.compiler.conditions import involves_chance
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.values import List
from cardenvs.recycle.compiler.writer import SiteWriter
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind


class OptionWriter(SiteWriter):
    """Writes the function that lists the options of a choice, or takes one."""

    def __init__(self, layout: Layout, actions: Actions, choice: int, depths: tuple[int, int]) -> None:
        super().__init__(layout, actions, choice, depths, choosing=True)
        self.head = f"options_{choice}(games, i, H, target)"
        self.words = -(-len(actions.keys) // 64)
        self.branching: Alternative | None = None

    def write_lines(self) -> list[str]:
        """Returns the lines of ``options(games, i, H, target) -> int`` at the choice.

        With a target below 0 they list options and return their number. Else they take the option and return 1, or 2 if
        more is to be chosen, or 0 if nothing is done. They return -1 in an imagined game that cannot go on.
        """
        self.emit_head()
        self.emit(f"top = np.int64({self.words + len(self.actions.keys)})")
        self.emit("listed = np.int64(0)")
        self.emit("ran = False")
        self.emit("main = g.stream")
        if self.actions.levels:
            self.emit("depth = filled = found = np.int64(0)")
        start = len(self.lines)
        for one in self.of_choice:
            self.emit(f"# alternative {one.number}")
            with self.scope() if one.marked else nullcontext():
                if one.marked:
                    self._write_listed_before(one)
                if one.in_parts:
                    self._write_in_parts(one)
                else:
                    chain = self.block("if g.partial == 0:") if self.actions.levels else nullcontext()
                    with self.scope(), chain:
                        self._write_nested(one, one.act, [])
            start = self.cut_out(start)
        self.emit("return listed")
        return self.lines

    def _write_entry(self, one: Alternative, place: int, atom: str) -> str:
        domain = one.domains[place]
        if domain.has_faces or domain.kind is Kind.STRING:
            table, numbers = f"ENTRY_{one.suffix}_{place}", {value: k for k, value in enumerate(domain.values)}
            atoms = self.layout.face_of if domain.has_faces else range(len(self.layout.strings))
            self.tables[table] = [numbers.get(value, -1) for value in atoms]
            entry = self.assign(f"{table}[{atom}]")
            if min(self.tables[table]) < 0:
                self.guard(f"{entry} < 0", "a value is chosen that has no action", domain.any)
            return entry
        if domain.kind is Kind.SEAT:
            count = self.layout.seats
            return self.assign(f"({atom} - np.int64(g.seat_turn[{self.seat_depth}]) + {count}) % {count}")
        if domain.kind is Kind.SIDE:
            return atom
        values = domain.values
        if values == tuple(range(values[0], values[0] + len(values))):
            entry = self.assign(f"{atom} - {values[0]}")
        else:
            entry = self.assign("np.int64(-1)")
            for k, value in enumerate(values):
                with self.block(f"if {atom} == {value}:"):
                    self.emit(f"{entry} = {k}")
        self.guard(
            f"{entry} < 0 or {entry} >= {len(values)}",
            f"a number is chosen that is none of {values[0]} to {values[-1]}, which have actions", domain.any,
        )  # fmt: skip
        return entry

    def _write_action(self, one: Alternative, entries: list[str]) -> str:
        if len(one.actions) == 1 and not one.domains:
            return str(one.actions[0])
        index = entries[0]
        for entry, domain in zip(entries[1:], one.domains[1:], strict=True):
            index = f"({index}) * {len(domain.values)} + {entry}"
        self.tables[f"ACTION_{one.suffix}"] = one.actions
        return self.assign(f"ACTION_{one.suffix}[{index}]", "action")

    # --- chains of conditions and anys ---

    def _write_nested(self, one: Alternative, act: syntax.Act, entries: list[str]) -> None:
        match act:
            case syntax.Guarded(_, condition, inner):
                with self.block(f"if {self.write_condition(condition)}:"):
                    self._write_nested(one, inner, entries)
            case syntax.Let(_, value, variable, inner):
                self.bind_value(value, variable)
                self._write_nested(one, inner, entries)
            case syntax.ForEach(_, "any", over, variable, inner):
                blind = one.domains[len(entries)].blind
                count = self.assign("np.int64(-1)") if blind else ""

                def body(item: str) -> None:
                    self.alias[variable.number] = item
                    if blind:
                        self.emit(f"{count} += 1")
                    with self.scope():
                        entry = self.assign(count) if blind else self._write_entry(one, len(entries), item)
                        self._write_nested(one, inner, [*entries, entry])

                self.write_loop(over, body)
            case _:
                action = self._write_action(one, entries)
                with self.block("if target < 0:"):
                    self._write_listing(one, action)
                with self.block(f"elif target == {action}:"):
                    self._write_taking(act)

    def _write_listed_before(self, one: Alternative) -> None:
        """Writes a copy of the actions that the alternatives before have listed."""
        self.reserve_room(str(self.words), one.act)
        self.emit("before = top")
        self.emit(f"top += {self.words}")
        with self.block(f"for word in range({self.words}):"):
            self.emit("H[before + word] = H[word]")

    def _write_listing(self, one: Alternative, action: str) -> None:
        if one.marked:
            lines = " or ".join(str(other.act.at.line) for other in one.marked)
            message = f"the same values are offered in line {lines}: the choice is not exclusive"
            self.guard(f"H[before + ({action} >> 6)] >> ({action} & 63) & 1 != 0", message, one.act)
        self.emit(f"H[{action} >> 6] |= np.int64(1) << ({action} & 63)")
        self.emit(f"H[{self.words} + {action}] += 1")
        self.emit("listed += 1")

    def _write_taking(self, act: syntax.Act) -> None:
        chance = involves_chance(act)
        if chance:
            self.emit("g.stream = choice_stream(games, i)")
        self.write_act(act)
        if chance:
            self.emit("g.stream = main")
        self.emit("return np.int64(1)")

    # --- everything else: option after option is done, and undone ---

    def _write_in_parts(self, one: Alternative) -> None:
        """Writes the listing or taking of options in parts: option after option is done, and undone.

        ``path`` has the indices of ``any``s, their numbers of items, and an option's actions, their groups, and the
        target's values.
        """
        most, width = one.room, one.width
        with self.scope():
            self.emit("path = top")
            self.emit(f"top += {5 * most}")
            self.guard("top > len(H)", "the collections in use at a time have too many items", one.act)
            self.emit(f"passes = 1 if target < 0 else 2 if {self.offers_table(one)}[target] else 0")
            self.emit("saved = np.empty_like(games[i : i + 1])")
            with self.block("for turn in range(passes):"):
                self.emit("found = np.int64(0)")
                with self.block(f"for d in range({most}):"):
                    self.emit("H[path + d] = 0")
                self.emit("saved[0] = games[i]")
                self.emit("more = True")
                with self.block("while more:"):
                    self.emit("depth, ran, filled = np.int64(0), False, np.int64(0)")
                    with self.block(f"for d in range({width}):"):
                        self.emit(f"H[path + {2 * most} + d] = {one.done}")
                        self.emit(f"H[path + {3 * most} + d] = -1")
                    self.emit("g.stream = choice_stream(games, i)")
                    self.branching = one
                    self.write_act(one.act)
                    self.branching = None
                    self.emit("g.stream = main")
                    if not one.domains:
                        self.emit(f"H[path + {2 * most}] = {one.actions[0]}")
                    with self.block("if ran:"):
                        self._write_met(one)
                    self.emit("games[i] = saved[0]")
                    self.emit(f"more = next_path(H, path, depth, {most})")
                with self.block("if target >= 0:"):
                    self._write_common_values(one)

    def _write_met(self, one: Alternative) -> None:
        """Writes the listing or taking of an option that has just been done in full."""
        most, width = one.room, one.width
        values, wanted = f"path + {2 * most}", f"path + {4 * most}"
        if max(one.groups, default=-1) >= 0:
            self.emit(f"sort_groups(H, {values}, path + {3 * most}, filled)")
        with self.block("if turn == 1:"), self.block(f"if has_prefix(H[{wanted}:], {width}, H, {values}):"):
            self._write_completion(values, width)
        with self.block(f"elif has_prefix(g.chosen, g.partial, H, {values}):"):
            action = self.assign(f"H[{values} + g.partial]", "action")
            with self.block("if target < 0:"):
                self._write_listing(one, action)
                self.emit("found += 1")
                self.guard(f"found > {MOST_OPTIONS}", f"more than {MOST_OPTIONS} options", one.act)
            with self.block(f"elif {action} == target:"):
                if width == 1:
                    self._write_completion(values, width)
                else:
                    self.emit(f"found = common_prefix(H, {values}, {wanted}, {width}, found)")

    def _write_completion(self, values: str, width: int) -> None:
        """Writes the end of taking an option, whose values are all noted, forced ones included."""
        with self.block(f"for d in range({width}):"):
            self.emit(f"g.chosen[d] = H[{values} + d]")
        self.emit("return np.int64(1)")

    def _write_common_values(self, one: Alternative) -> None:
        """Writes the choice of the values that all options with the target action have in common."""
        with self.block("if found == 0:"):
            self.emit("break")
        with self.block(f"if found < {one.width}:"):
            with self.block("for d in range(found):"):
                self.emit(f"g.chosen[d] = H[path + {4 * one.room} + d]")
            self.emit("g.partial = found")
            self.emit("return np.int64(2)")

    def write_act(self, act: syntax.Act) -> None:
        """Writes an act; an ``any`` takes the item of the path."""
        one = self.branching
        if one is None or not isinstance(act, syntax.ForEach) or act.quantifier != "any":
            super().write_act(act)
            return
        place = next(k for k, domain in enumerate(one.domains) if domain.any is act)
        with self.scope():
            items = self.snapshot_items(act.over)
            with self.block(f"if {items.count} > 0:"):
                self.guard(f"depth >= {one.room}", f"more than {one.room} things to choose at a time", act)
                index = self.assign("H[path + depth]")
                self.emit(f"H[path + {one.room} + depth] = {items.count}")
                self.emit("depth += 1")
                atom = self.bind_item(act.variable, items, index)
                self._write_value(one, place, act, items, index, atom)
                self.write_act(act.act)

    def _write_value(self, one: Alternative, place: int, act: syntax.ForEach, items: List, index: str, atom: str) -> None:
        values, groups = f"path + {2 * one.room}", f"path + {3 * one.room}"
        table = f"PARTS_{one.suffix}_{place}"
        self.tables[table] = one.parts[place]
        if act.variable.kind is Kind.CARDS:
            size = self.assign(f"H[{items.start} + 2 * {index} + 1]")
            self.guard(f"filled + {size} + 1 > {one.width}", f"more than {one.width - 1} cards to choose at a time", act)
            self.emit(f"put_faces(FACES, {table}, H, {values} + filled, {atom}, {size})")
            self.emit(f"H[{values} + filled + {size}] = {one.done}")
            self.emit(f"filled += {size} + 1")
            return
        entry = index if one.domains[place].blind else self._write_entry(one, place, atom)
        self.guard(f"filled >= {one.width}", f"more than {one.width} things to choose at a time", act)
        self.emit(f"H[{values} + filled] = {table}[{entry}]")
        self.emit(f"H[{groups} + filled] = {one.groups[place]}")
        self.emit("filled += 1")
