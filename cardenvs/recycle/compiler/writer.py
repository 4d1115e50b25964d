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

from __future__ import annotations

from cardenvs.recycle.compiler.collections import MOST_ITEMS, Collections
from cardenvs.recycle.compiler.conditions import is_public
from cardenvs.recycle.compiler.layout import Layout, of_one_place
from cardenvs.recycle.compiler.lines import argument
from cardenvs.recycle.compiler.values import BIN_BITS, List
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind


class Writer(Collections):
    """Writes the body of a function: expressions and acts.

    Args:
        depths: numbers of stages over players and over teams around the text.
        choosing: whether it is inside a choice, where acts are counted (``ran``).
    """

    def __init__(self, layout: Layout, depths: tuple[int, int] = (0, 0), choosing: bool = False) -> None:
        super().__init__(layout, depths)
        self.choosing = choosing
        self.touching = False  # whether it matters when places change, see `cardenvs.recycle.compiler.origins`

    def act(self, act: syntax.Act) -> None:
        """Writes an act outside of choices, or inside where nothing is left to choose."""
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
        """Writes the current items of a collection to a list of their own."""
        found = self.listed(over)
        return self.copied(found, over) if isinstance(over, syntax.Variable) and over.kind is not Kind.SETS else found

    def let(self, value: syntax.Expression, variable: syntax.Binding) -> None:
        if value.kind in (Kind.CARDS, Kind.SETS, Kind.NUMBERS, Kind.NAMES, Kind.SEATS, Kind.SIDES):
            self.lists[variable.number] = self.snapshot(value)
            return
        name = f"v{variable.number}"
        self.put(f"{name} = {self.scalar(value)}")
        self.alias[variable.number] = name

    def prim(self, act: syntax.Prim) -> None:
        """Writes an act that changes something itself."""
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
                moved, out, told = self.found(card)
                claims = self.tells.claims if self.tells is not None else []
                home = self.kept(f"np.int64(g.where[{moved}])") if self.touching or claims else ""
                place, kind, index = self._target(to)
                if out:
                    self.put(out)
                where = f"{argument(place)}, np.int64({kind}), {argument(index)}, np.int64({told})"
                self.put(
                    f"if g.watcher: digest_move(games, i, {moved}, {argument(place)}, RELATIVE_PLACES, SEEN_BY, FACES)"
                )
                if kind == "AT_INDEX":
                    self.put(f"right = move_card(games, i, {moved}, {where}, SEEN_BY, ORDERED, FACES)")
                    self.guard("not right", "there is no such index in the place", to)
                else:
                    self.put(f"move_card(games, i, {moved}, {where}, SEEN_BY, ORDERED, FACES)")
                if claims:
                    self.put(f"drop_claims(games, i, {moved}, {home}, CLAIMS, SEEN_BY, FACES)")
                self._touch(home, place)
            case syntax.Shuffle(_, place_at):
                shuffled = self.place(place_at)
                self.put(f"shuffle_place(games, i, {argument(shuffled)}, SEEN_BY, ORDERED, FACES)")
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
        """Writes that places have changed, from which private bins may have been set."""
        for place in places if self.touching else ():
            self.put(f"clear_origins(games, i, {place}, ORIGIN_READS)")

    def _told(self, card: syntax.Expression) -> str:
        """Returns the public knowledge of the position of a card that is shown: a constant of the runtime."""
        while isinstance(card, syntax.Actual):
            card = card.card
        if isinstance(card, syntax.CardAt) and isinstance(card.cards, syntax.Place):
            return "INDEX_TOLD"
        among: syntax.Expression | None = None
        if isinstance(card, syntax.Extreme):
            among = card.cards
        elif isinstance(card, syntax.Variable):
            among = self.layout.possible.bound.get(card.binding.number)
            if isinstance(among, syntax.Take) and card.binding.number in self.layout.taken:
                return "INDEX_TOLD" if is_public(self.layout, among.count) else "PLACE_TOLD"
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
        """Writes the target of a card: place, kind of index (a constant of the runtime), index."""
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
