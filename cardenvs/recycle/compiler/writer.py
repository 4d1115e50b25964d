"""From syntax tree to Python text: the functions of a described game's kernels, statement by statement.

`Writer` writes one function: acts are its own; `Collections`, `Values` and `Lines` below it write the rest. An expression
is written as statements that work its value out, and a short text, an *atom*, that is the value: numbers, codes of strings,
numbers of cards, seats and teams. A collection is a piece of the array ``H``, which a call of a kernel has to itself: its
start and its size; a set of sets has two entries for each set, its start and its size. ``top`` is the first free entry of
``H``.

In the functions ``g`` is the record of the game, ``zero`` the seat that the description calls 0. Events that the language
does not allow raise a `cardenvs.recycle.running.faults.GameError`, which has a number in the game's list of faults. In an
imagined game, whose parts need not fit together, the function is left instead, and the game given up.
"""

from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.alternatives import Alternative
from cardenvs.recycle.compiler.collections import MOST_ITEMS, Collections
from cardenvs.recycle.compiler.conditions import is_public
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.lines import as_argument
from cardenvs.recycle.compiler.values import BIN_BITS, List
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind


class Writer(Collections):
    """Writes the body of a function: expressions and acts; inside a choice (``choosing``) acts are counted (``ran``)."""

    def __init__(self, layout: Layout, depths: tuple[int, int] = (0, 0), choosing: bool = False) -> None:
        super().__init__(layout, depths)
        self.choosing = choosing

    def write_act(self, act: syntax.Act) -> None:
        """Writes an act outside of choices, or inside where nothing is left to choose."""
        self.near = act
        match act:
            case syntax.Guarded(_, condition, inner):
                with self.scope(), self.block(f"if {self.write_condition(condition)}:"):
                    self.write_act(inner)
            case syntax.Do(_, acts):
                start = len(self.lines)
                for inner in acts:
                    self.write_act(inner)
                    start = self.cut_out(start)
            case syntax.Let(_, value, variable, inner):
                with self.scope():
                    self.bind_value(value, variable)
                    self.write_act(inner)
            case syntax.ForEach(_, _, over, variable, inner):
                with self.scope():
                    items = self.snapshot_items(over)
                    self.count_work(items.count, act)
                    k = self.fresh_name("k")
                    with self.block(f"for {k} in range({items.count}):"), self.scope():
                        self.bind_item(variable, items, k)
                        self.write_act(inner)
            case syntax.Prim():
                with self.scope():
                    self.write_prim(act)
            case _:
                raise AssertionError(act)

    def snapshot_items(self, over: syntax.Expression) -> List:
        """Writes the current items of a collection to a list of their own."""
        found = self.write_collection(over)
        return (
            self.copy_collection(found, over) if isinstance(over, syntax.Variable) and over.kind is not Kind.SETS else found
        )

    def bind_value(self, value: syntax.Expression, variable: syntax.Binding) -> None:
        if value.kind in (Kind.CARDS, Kind.SETS, Kind.NUMBERS, Kind.NAMES, Kind.SEATS, Kind.SIDES):
            self.lists[variable.number] = self.snapshot_items(value)
            return
        name = f"v{variable.number}"
        self.emit(f"{name} = {self.write_scalar(value)}")
        self.alias[variable.number] = name

    def write_prim(self, act: syntax.Prim) -> None:
        if isinstance(act, syntax.Repeat | syntax.RepeatAll):
            times = self.write_number(act.times) if isinstance(act, syntax.Repeat) else self._write_size(act.cards)
            self.guard(f"{times} > {MOST_ITEMS}", f"repeated more than {MOST_ITEMS} times", act)
            self.count_work(f"max({times}, 0)", act)
            with self.block(f"for {self.fresh_name('k')} in range({times}):"), self.scope():
                self.write_prim(act.prim)
            return
        match act:
            case syntax.SetNumber(_, target, value):
                slot = self.write_bin(target)
                self._store_number(slot, self.write_number(value), act)
            case syntax.Change(_, operator, target, amount):
                slot = self.write_bin(target)
                before, change = self._assign_short(f"g.numbers[{slot}]"), self.write_number(amount)
                self._store_number(
                    slot, self._write_arithmetic(act, "+" if operator == "inc" else "-", before, change), act
                )
            case syntax.SetString(_, target, value):
                slot = self.write_bin(target)
                self.emit(f"g.texts[{slot}] = {self.write_string(value)}")
            case syntax.SetMap():
                self._set_map(act)
            case syntax.Move(_, card, to):
                moved, out, told = self.locate_card(card)
                claims = self.tells.claims if self.tells is not None else []
                home = self.assign(f"np.int64(g.where[{moved}])") if claims else ""
                place, kind, index = self._write_target(to)
                if out:
                    self.emit(out)
                where = f"{as_argument(place)}, np.int64({kind}), {as_argument(index)}, np.int64({told})"
                self.emit(
                    f"if g.watcher: digest_move(games, i, {moved}, {as_argument(place)}, RELATIVE_PLACES, SEEN_BY, FACES)"
                )
                if kind == "AT_INDEX":
                    self.emit(f"right = move_card(games, i, {moved}, {where}, SEEN_BY, ORDERED, FACES)")
                    self.guard("not right", "there is no such index in the place", to)
                else:
                    self.emit(f"move_card(games, i, {moved}, {where}, SEEN_BY, ORDERED, FACES)")
                if claims:
                    self.emit(f"drop_claims(games, i, {moved}, {home}, CLAIMS, SEEN_BY, FACES)")
            case syntax.Shuffle(_, place_at):
                shuffled = self.write_place(place_at)
                self.emit(f"shuffle_place(games, i, {as_argument(shuffled)}, SEEN_BY, ORDERED, FACES)")
            case syntax.TurnPass():
                pass
            case syntax.Tell():
                assert self.tells is not None
                self.tells.write_tell(self, act)
            case syntax.SetCycle(_, which, who):
                seat = self.write_owner(who)
                self.emit(f"g.seat_{'queue' if which == 'next' else 'turn'}[{self.seat_depth}] = {seat}")
            case syntax.Remember(_, card, to):
                copied = self.write_card(card)
                place, kind, index = self._write_target(to)
                where = f"{as_argument(place)}, np.int64({kind}), {as_argument(index)}"
                told = f"np.int64({self._position_knowledge(card)}), SEEN_BY, ORDERED, FACES"
                self.emit(f"right = put_copy(games, i, {copied}, {where}, {told})")
                self.guard("not right", "there is no such index in the mem, or it is full", to)
            case syntax.Forget(_, card, place_at):
                copied, place = self.write_card(card), self.write_place(place_at)
                self.emit(f"right = drop_copy(games, i, {copied}, {as_argument(place)})")
                self.guard("not right", "the card is not in the mem", act)
            case syntax.CreateDeck(_, _, place_at, faces):
                first = self.layout.deck_of[id(act)]
                place = self.write_place(place_at)
                if faces:
                    self.guard(f"g.where[{first}] >= 0", "this deck has been made already: it can be made once", act)
                self.emit(f"make_deck(games, i, np.int64({first}), np.int64({len(faces)}), {as_argument(place)}, SEEN_BY)")
            case _:
                raise AssertionError(act)
        if self.choosing:
            self.emit("ran = True")

    def _position_knowledge(self, card: syntax.Expression) -> str:
        """Returns the public knowledge of the position of a card that is shown: a constant of the runtime."""
        card = syntax.strip_actual(card)
        if isinstance(card, syntax.CardAt) and isinstance(card.cards, syntax.Place):
            return "INDEX_TOLD"
        among: syntax.Expression | None = None
        if isinstance(card, syntax.Extreme):
            among = card.cards
        elif isinstance(card, syntax.Variable):
            among = self.layout.possible.bound.get(card.binding.number)
            if isinstance(among, syntax.Take) and card.binding.number in self.layout.taken_variables:
                return "INDEX_TOLD" if is_public(self.layout, among.count) else "PLACE_TOLD"
        of_one_place = among is not None and isinstance(syntax.strip_filters(among), syntax.Place)
        return "PLACE_TOLD" if of_one_place else "NOT_TOLD"

    def _store_number(self, slot: str, value: str, node: syntax.Node) -> None:
        self._check_size(value, "a bin", node)
        self.emit(f"g.numbers[{slot}] = {value}")

    def _check_size(self, value: str, what: str, node: syntax.Node) -> None:
        if self._bit_bound(value) < BIN_BITS:
            return
        limit = 1 << BIN_BITS
        self.guard(f"{value} >= {limit} or {value} < -{limit}", f"{what} holds numbers of 32 bits", node)

    def _write_target(self, to: syntax.Target) -> tuple[str, str, str]:
        """Writes the target of a card: place, kind of index (a constant of the runtime), index."""
        place = self.write_place(to.place)
        if isinstance(to.index, syntax.Expression):
            return place, "AT_INDEX", self.write_number(to.index)
        return place, "ON_TOP" if to.index == "top" else "AT_BOTTOM", "0"

    def _set_map(self, act: syntax.SetMap) -> None:
        number = self.layout.map_numbers[id(act)]
        parts = self.layout.changing[number]
        scores = self.write_map(act.map)
        values = [self.write_scalar(part) for part in parts]
        points = {id(award.points): award for award in act.awards}
        for part, value in zip(parts, values, strict=True):
            if id(part) in points:
                self._check_size(value, "a map", points[id(part)])
        self.emit(f"g.map_made[{scores}] = {number + 1}")
        for k, value in enumerate(values):
            self.emit(f"g.map_values[{scores}, {k}] = {value}")
        with self.block(f"for {self.fresh_name('k')} in range({len(values)}, {self.layout.most_changing}):"):
            self.emit(f"g.map_values[{scores}, k{self.names}] = 0")
        self.emit(f"fill_map(games, i, {as_argument(scores)})")


class SiteWriter(Writer):
    """Writes the lines of a function at one choice; ``tables`` are those that the lines use."""

    given_up = "return np.int64(-1)"

    def __init__(
        self, layout: Layout, actions: Actions, choice: int, depths: tuple[int, int] = (0, 0), choosing: bool = False
    ) -> None:
        super().__init__(layout, depths, choosing)
        self.actions, self.choice, self.of_choice = actions, choice, actions.alternatives[choice]
        self.tables: dict[str, list[int]] = {}

    def write_lines(self) -> list[str] | None:
        """Returns the lines; None if there is nothing to be done at the choice."""
        raise NotImplementedError

    def offers_table(self, one: Alternative) -> str:
        """Returns the name of the table of the actions that an alternative has."""
        table = f"OFFERS_{one.suffix}"
        self.tables[table] = [int(action in one.own_actions) for action in range(len(self.actions.keys))]
        return table
