"""Inferences from ``(tell TEST)`` about hidden cards.

Seats that are told hear whether TEST holds, and with recall they draw only worlds in which it does. A STATE also keeps what
follows for single cards. If TEST is about one card whose place and index all know, such as the top of a place or each card
of a hand in turn, and all else in it is public, faces with another result are ruled out. If it tells that a place has cards
of some kind, or none, the place and its cards are treated as behind a choice that shows it
(`cardenvs.recycle.compiler.inference`). If all are told that a place has cards of some kind, these faces are the act's
*claim*: one of them is there until a card leaves the place that may be it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.conditions import Shape, is_public, negated_condition, rebuilt, shape, standard_form
from cardenvs.recycle.compiler.inference import Ruling, Test, by_faces
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.lines import as_argument
from cardenvs.recycle.compiler.ordering import places_in
from cardenvs.recycle.compiler.values import List
from cardenvs.recycle.compiler.writer import Writer
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import Owned, owned_of
from cardenvs.recycle.language.syntax import Kind

HIDDEN = ("iloc", "hloc", "oloc")  # the kinds of places whose cards not all seats see


class Tells:
    """The ``(tell ..)`` acts of a game.

    Attributes:
        indexed: the variables that stand for cards whose index in their place all know.
        known_to: the variables that stand for cards whose index is known, by who knows it, see `Values.locate_card`.
        slotted: the places of whose single cards something may be told.
        barred: the places of which faces may be ruled out.
        claims: act, place and its owner's number, for each act that may tell all that a place has certain cards.
        functions: the heads and lines of the functions that the acts call, by name.
    """

    def __init__(self, layout: Layout, actions: Actions, visible: list[list[int]]) -> None:
        self.layout = layout
        self.acts = [node for node in layout.nodes if isinstance(node, syntax.Tell)]
        self.indexed = set(layout.whole_place_variables)
        self._heard = set[int]()  # the variables whose values all hear when a player chooses them: of cards their faces
        choosers = set[int]()
        for one in actions:
            blind = [domain.any for domain in one.domains if domain.blind]
            choosers |= {any_.variable.number for any_ in blind if isinstance(any_.over, syntax.Place)}
            if all(visible[one.choice.number][action] for action in one.own_actions):
                self._heard |= {domain.any.variable.number for domain in one.domains if not domain.blind}
                self.indexed |= {any_.variable.number for any_ in blind if isinstance(any_.over, syntax.Place)}
        self.known_to = {"KNOWN_TO_ALL": self.indexed, "KNOWN_TO_CHOOSER": choosers}
        self._free: dict[int, frozenset[int]] = {}
        self._bound: dict[int, syntax.Expression] = {}
        self.functions: dict[str, tuple[str, list[str]]] = {}
        for statement in syntax.flatten_statements(layout.description.body):
            for act in statement.alternatives if isinstance(statement, syntax.Choice) else (statement,):
                self._find_public_variables(act, frozenset())
        self.slotted, self.barred = self._told_places_of_acts()
        self.claims = [
            (number, one, owner) for number, act in enumerate(self.acts) for one in self._claimed_places(act)
            for owner in range(layout.owner_count(one.owner))
        ]  # fmt: skip

    def act_number(self, act: syntax.Tell) -> int:
        return next(k for k, one in enumerate(self.acts) if one is act)

    def _find_public_variables(self, act: syntax.Act, free: frozenset[int]) -> None:
        match act:
            case syntax.Tell():
                self._free[id(act)] = free
            case syntax.Guarded(_, _, inner):
                self._find_public_variables(inner, free)
            case syntax.Do(_, acts):
                for inner in acts:
                    self._find_public_variables(inner, free)
            case syntax.Let(_, value, variable, inner):
                self._bound[variable.number] = value
                self._find_public_variables(
                    inner, free | {variable.number} if is_public(self.layout, value, free) else free
                )
            case syntax.ForEach(_, quantifier, over, variable, inner):
                self._bound[variable.number] = over
                told = variable.number in self._heard or (quantifier == "all" and is_public(self.layout, over, free))
                self._find_public_variables(inner, free | {variable.number} if told else free)
            case syntax.Repeat(_, _, prim) | syntax.RepeatAll(_, _, prim):
                self._find_public_variables(prim, free)

    def told_cards(self, act: syntax.Tell) -> list[tuple[syntax.Expression, syntax.Expression, syntax.Binding]]:
        """Returns the cards about which an act tells something, each with the test of a variable in its place."""
        found: dict[Any, Any] = {}
        for node in syntax.walk(act.test):
            if isinstance(node, syntax.Expression) and node.kind is Kind.CARD and self._hidden_place(node, act) is not None:
                binding = syntax.Binding(node.at, "", -1, Kind.CARD)
                test = rebuilt(act.test, functools.partial(_replaced, shape(node), syntax.Variable(node.at, binding)))
                if by_faces(self.layout, test, self._free[id(act)] | {-1}):
                    found[shape(node)] = node, test, binding
        return list(found.values())

    def _hidden_place(self, card: syntax.Expression, act: syntax.Tell) -> syntax.Place | None:
        free, place = self._free[id(act)], None
        if isinstance(card, syntax.CardAt) and isinstance(card.cards, syntax.Place):
            if isinstance(card.index, str) or is_public(self.layout, card.index, free):
                place = card.cards
        elif isinstance(card, syntax.Variable) and card.binding.number in self.indexed:
            over = self._bound[card.binding.number]
            place = over if isinstance(over, syntax.Place) else None
        return place if place is not None and self._is_told(place, free) else None

    def _is_told(self, place: syntax.Place, free: frozenset[int]) -> bool:
        """Whether a place is hidden, and all know which one is meant."""
        where = (place.owner, place.name)
        return place.visibility in HIDDEN and all(
            is_public(self.layout, part, free) for part in where if isinstance(part, syntax.Expression)
        )

    def told_places(self, act: syntax.Tell) -> list[syntax.Place]:
        free = self._free[id(act)]
        found = {shape(node): node for node in syntax.walk(act.test)
                 if isinstance(node, syntax.Place) and self._is_told(node, free)}  # fmt: skip
        return list(found.values())

    def _told_places_of_acts(self) -> tuple[set[Owned], set[Owned]]:
        """Returns the places with cards that are told about, now or before they moved; those told to lack faces."""
        layout, strings = self.layout, self.layout.possible
        slotted, barred = set[Owned](), set[Owned]()
        for act in self.acts:
            places = [place for card, *_ in self.told_cards(act) if (place := self._hidden_place(card, act)) is not None]
            spoken = {one for place in self.told_places(act) for one in owned_of(place, strings)}
            for place in places:
                slotted.update(owned_of(place, strings))
            if act.who is None:
                barred |= spoken
            else:
                slotted |= spoken
        moves = [node for node in layout.nodes if isinstance(node, syntax.Move)] if slotted else []
        for _ in moves:
            before = len(slotted)
            for move in moves:
                homes = {one for place in places_in(layout, move.card) for one in owned_of(place, strings)}
                if homes & slotted and move.to.place.visibility in HIDDEN:
                    slotted.update(owned_of(move.to.place, strings))
            if len(slotted) == before:
                break
        return slotted, barred

    def _claimed_places(self, act: syntax.Tell) -> list[Owned]:
        """Returns the places of which an act may tell all what they have at least one of."""
        places = self.told_places(act) if act.who is None else []
        told = [place for place in places if any(self._test_of_some(act, place, test) for test in self._results(act))]
        return list(dict.fromkeys(one for place in told for one in owned_of(place, self.layout.possible)))

    def _results(self, act: syntax.Tell) -> tuple[syntax.Expression, syntax.Expression]:
        """Returns the test of an act and its negation, in the standard form."""
        test = standard_form(self.layout, act.test)
        return test, negated_condition(test)

    def _test_of_some(self, act: syntax.Tell, place: syntax.Place, test: syntax.Expression) -> Test | None:
        """Returns the test of the faces of which a place has at least one if a test holds; None for none."""
        return Ruling(Writer(self.layout), place, self._free[id(act)]).test_of_some(test)

    # --- code ---

    def write_tell(self, writer: Writer, act: syntax.Tell) -> None:
        """Writes an act; adds the functions that it calls to ``functions``."""
        number = self.act_number(act)
        holds = writer.assign(writer.write_condition(act.test), "told")
        seats = self._write_listeners(writer, act.who)
        cards, places = self.told_cards(act), self.told_places(act)
        spot = ""
        words = -(-len(self.layout.faces) // 63)
        bars = writer.assign("top", "bars")
        writer.reserve_room(str(words), act)
        writer.emit(f"top += {words}")
        for k, (card, test, variable) in enumerate(cards):
            spot = writer.write_card(card)
            rules = _RuleWriter(writer, f"rules_{number}_card_{k}", act.test)
            rules.alias[variable.number] = "other"
            rules.emit_return(f"{rules.write_condition(test)} != holds")
            self._write_bars(writer, bars, words, rules, holds)
            writer.emit(f"rule_out(games, i, {spot}, H, {bars}, {seats}, SLOTTED)")
        claimed = any(one == number for one, *_ in self.claims)
        for k, place in enumerate(places):
            all_of = as_argument(writer.write_place(place))
            rules = self._write_rules(writer, act, f"rules_{number}_place_{k}", place, Ruling.test_of)
            self._write_bars(writer, bars, words, rules, holds)
            writer.emit(f"rule_out_all(games, i, {all_of}, H, {bars}, {seats}, SLOTTED, SEEN_BY)")
            if claimed:
                rules = self._write_rules(writer, act, f"rules_{number}_some_{k}", place, Ruling.test_of_some)
                self._write_bars(writer, bars, words, rules, holds)
                writer.emit(f"note_claim(games, i, np.int64({number}), {all_of}, H, {bars}, CLAIMS)")
        told_of = spot if len(cards) == 1 else "np.int64(-1)"
        writer.emit(f"note_telling(games, i, np.int64({number}), {holds}, {told_of}, {seats})")

    def _write_rules(
        self, writer: Writer, act: syntax.Tell, name: str, place: syntax.Place, follows: Callable[..., Test | None]
    ) -> _RuleWriter:
        """Writes the function of the faces for which something follows from the test's result."""
        rules = _RuleWriter(writer, name, act.test)
        for test, so in zip(self._results(act), ("holds", "not holds"), strict=True):
            with rules.block(f"if {so}:"):
                found = follows(Ruling(rules, place, self._free[id(act)]), test)
                rules.emit_return("False" if found is None else found())
        rules.emit_return("False")
        return rules

    def _write_bars(self, writer: Writer, bars: str, words: int, rules: _RuleWriter, holds: str) -> None:
        """Writes the faces for which a function is true, as bits, to ``H``."""
        self.functions[rules.name] = rules.head, rules.lines
        with writer.block(f"for word in range({words}):"):
            writer.emit(f"H[{bars} + word] = 0")
        called = rules.call_text("FIRST_CARD[face]", holds)
        with writer.block(f"for face in range({len(self.layout.faces)}):"), writer.block(f"if {called}:"):
            writer.emit(f"H[{bars} + face // 63] |= np.int64(1) << (face % 63)")

    def _write_listeners(self, writer: Writer, who: syntax.Expression | None) -> str:
        if who is None:
            return f"np.int64({(1 << self.layout.seats) - 1})"
        if who.kind is Kind.SEAT:
            return writer.assign(f"np.int64(1) << {writer.write_owner(who)}")
        side, seats = writer.write_owner(who), writer.assign("np.int64(0)")
        with writer.block(f"for k in range(TEAM_SIZES[{side}]):"):
            writer.emit(f"{seats} |= np.int64(1) << ((TEAMS[{side}, k] + zero) % {self.layout.seats})")
        return seats


class _RuleWriter(Writer):
    """Writes ``NAME(games, i, H, top, other, holds, ..) -> bool``: whether a test's result excludes a face."""

    def __init__(self, around: Writer, name: str, test: syntax.Expression) -> None:
        super().__init__(around.layout, (around.seat_depth, around.side_depth))
        self.name = name
        nodes = list(syntax.walk(test))
        binding = (syntax.Quantified, syntax.Filter, syntax.Each)
        inside = {node.variable.number for node in nodes if isinstance(node, binding)}
        numbers = sorted({node.binding.number for node in nodes if isinstance(node, syntax.Variable)} - inside)
        given, handed = ["games", "i", "H", "top", "other", "holds"], list[str]()
        for number in numbers:
            if number in around.lists:
                self.lists[number] = List(f"start{number}", f"count{number}")
                given += [f"start{number}", f"count{number}"]
                handed += [around.lists[number].start, around.lists[number].count]
            elif number in around.alias:
                self.alias[number] = f"given{number}"
                given.append(f"given{number}")
                handed.append(around.alias[number])
        self.head, self._handed = f"{name}({', '.join(given)})", handed
        self.emit("g = games[i]")
        self.emit("zero = np.int64(g.zero)")
        self.emit("work = np.int64(0)")

    def call_text(self, other: str, holds: str) -> str:
        return f"{self.name}({', '.join(['games', 'i', 'H', 'top', other, holds, *self._handed])})"

    def emit_return(self, atom: str) -> None:
        self.emit(f"return {atom}")

    def emit_failure(self, message: str, node: syntax.Node) -> None:
        self.emit("return False")


def _replaced(wanted: Shape, by: syntax.Expression, node: syntax.Node) -> syntax.Node:
    return by if isinstance(node, syntax.Expression) and shape(node) == wanted else node
