"""Upper bounds of collections' sizes, and ranges of numbers, that follow from the text.

A place holds no more cards than the deal puts there, if play puts none there, else no more than can come there by any
moves. Numbers that are not known are unbounded.
"""

import math
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from cardenvs.recycle.compiler.conditions import conjuncts
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.ordering import places_in
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import Owned, owned_of
from cardenvs.recycle.language.syntax import Kind

MOST_DEALT = 20_000  # the most acts of a deal that are followed
ROUNDS = 4  # passes over all bins before one that still grows is taken as unbounded
Span = tuple[float, float]  # the least and the greatest number that there can be
ANY_NUMBER: Span = (-math.inf, math.inf)


def count_turns(layout: Layout, stage: syntax.Stage) -> float:
    """Returns the number of turns of a stage that counts a bin to a fixed end; infinity for other stages."""
    end, acts = stage.end, [act for one in stage.body for act in (one.acts if isinstance(one, syntax.Do) else (one,))]
    if not isinstance(end, syntax.Comparison) or end.operator == "!=" or not isinstance(end.left, syntax.NumberBin):
        return math.inf
    found = owned_of(end.left, layout.possible)
    writes = [write for one in found for write in layout.writes.get(one, ())]
    changes = [write for write in writes if isinstance(write, syntax.Change)]
    begun = [layout.constant(write.value) for write in writes if isinstance(write, syntax.SetNumber)] or [0]
    inside = {id(node) for node in syntax.walk(stage)}
    if len(changes) != 1 or len(found) != 1 or found[0].owner != "game":
        return math.inf
    last, by = layout.constant(end.right), layout.constant(changes[0].amount)
    reset = any(id(write) in inside and write is not changes[0] for write in writes)
    if reset or not any(act is changes[0] for act in acts) or not isinstance(last, int) or not isinstance(by, int):
        return math.inf
    by = by if changes[0].operator == "inc" else -by
    counts = [-((first - last) // by) if isinstance(first, int) and by else math.inf for first in begun]
    return max(counts) if min(counts) > 0 else math.inf


class _NotFollowedError(Exception):
    """A deal depends on more than the sizes of places."""


class Deal:
    """Sizes of places before the first decision, by place and owner's number; None if they depend on chance or numbers."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.left = MOST_DEALT
        self.seats: dict[int, int] = {}
        self.sizes: Counter[tuple[Owned, int]] | None = Counter()
        try:
            for deck in layout.description.decks:
                self._add_cards(deck.create.place, deck.copies * len(deck.create.faces))
            for act in layout.opening:
                self._follow_act(act)
        except _NotFollowedError:
            self.sizes = None

    def place_size(self, place: syntax.Place) -> int:
        try:
            return self.sizes[self._place_slot(place)] if self.sizes is not None else 0
        except _NotFollowedError:
            return 0

    def _place_slot(self, place: syntax.Place) -> tuple[Owned, int]:
        found = owned_of(place, self.layout.possible)
        if len(found) != 1:
            raise _NotFollowedError
        return found[0], 0 if isinstance(place.owner, syntax.GameOwner) else self._seat_number(place.owner)

    def _seat_number(self, owner: syntax.Node) -> int:
        match owner:
            case syntax.Variable(_, binding) if binding.number in self.seats:
                return self.seats[binding.number]
            case syntax.CycleSeat(_, which):
                return {"current": 0, "next": 1, "previous": -1}[which] % self.layout.seats
            case syntax.NumberedSeat(_, number):
                seat = self.layout.constant(number)
                if isinstance(seat, int):
                    return seat
        raise _NotFollowedError

    def _add_cards(self, place: syntax.Place, count: int) -> None:
        assert self.sizes is not None
        self.sizes[self._place_slot(place)] += count

    def _follow_act(self, act: syntax.Act) -> None:
        self.left -= 1
        if self.left < 0:
            raise _NotFollowedError
        match act:
            case syntax.Do(_, acts):
                for inner in acts:
                    self._follow_act(inner)
            case syntax.ForEach(_, _, syntax.AllSeats(), variable, inner):
                for seat in range(self.layout.seats):
                    self.seats[variable.number] = seat
                    self._follow_act(inner)
            case syntax.ForEach(_, _, syntax.Range() as over, _, inner):
                numbers = self.layout.constant(over)
                for _ in range(self._known_count(len(numbers) if isinstance(numbers, tuple) else None)):
                    self._follow_act(inner)
            case syntax.Repeat(_, times, prim):
                count = self.layout.constant(times)
                for _ in range(self._known_count(count)):
                    self._follow_act(prim)
            case syntax.RepeatAll(_, syntax.Place() as place, prim):
                for _ in range(self.place_size(place)):
                    self._follow_act(prim)
            case syntax.Move(_, syntax.CardAt(_, _, syntax.Place() as place), to):
                self._add_cards(place, -1)
                self._add_cards(to.place, 1)
            case syntax.Remember(_, _, to):
                self._add_cards(to.place, 1)
            case syntax.CreateDeck(_, _, place, faces):
                self._add_cards(place, len(faces))
            case _ if any(isinstance(node, syntax.Move | syntax.Remember | syntax.SetCycle) for node in syntax.walk(act)):
                raise _NotFollowedError

    @staticmethod
    def _known_count(count: syntax.Constant | None) -> int:
        if not isinstance(count, int):
            raise _NotFollowedError
        return min(count, MOST_DEALT)


class Bounds:
    """Bounds of a game's collections and numbers."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.deal = Deal(layout)
        self._cards: dict[int, int] = {}
        self._spans: dict[int, Span] = {}
        self._bins: dict[Owned, Span] = {}

    # --- cards ---

    def most_in_place(self, place: syntax.Place) -> int:
        return max((self._place_bounds[one] for one in owned_of(place, self.layout.possible)), default=0)

    @cached_property
    def _place_bounds(self) -> dict[Owned, int]:
        layout, most = self.layout, len(self.layout.cards)
        if self.deal.sizes is None:
            return dict.fromkeys(layout.place_slots, most)
        totals: Counter[Owned] = Counter()
        for (one, _), size in self.deal.sizes.items():
            totals[one] += size
        sources: dict[Owned, set[Owned]] = {}
        for node in layout.in_play:
            for target, among in self._card_moves(node):
                sources.setdefault(target, {target}).update(among)
            if isinstance(node, syntax.CreateDeck):
                for target in owned_of(node.place, layout.possible):
                    sources.setdefault(target, {target})
                    totals[target] += len(node.faces)
        found = {}
        for one in layout.place_slots:
            if one.storage == "mem" or one not in sources:
                dealt = max((size for (place, _), size in self.deal.sizes.items() if place == one), default=0)
                found[one] = dealt if one not in sources else most
            else:
                found[one] = min(sum(totals[place] for place in _source_places(one, sources)), most)
        return found

    def _card_moves(self, node: syntax.Node) -> Iterable[tuple[Owned, set[Owned]]]:
        if isinstance(node, syntax.Move | syntax.Remember):
            strings = self.layout.possible
            places = places_in(self.layout, node.card)
            among = {one for place in places for one in owned_of(place, strings)}
            for target in owned_of(node.to.place, strings):
                yield target, among

    def most_cards(self, expression: syntax.Expression) -> int:
        """Returns the maximum size of a collection, repeated cards included."""
        if id(expression) not in self._cards:
            self._cards[id(expression)] = self._find_most_cards(expression)
        return self._cards[id(expression)]

    def most_in_set(self, sets: syntax.Expression) -> int:
        if id(sets) not in self._cards:
            self._cards[id(sets)] = self._find_most_in_set(sets)
        return self._cards[id(sets)]

    def _find_most_cards(self, expression: syntax.Expression) -> int:
        match expression:
            case syntax.Place():
                return self.most_in_place(expression)
            case syntax.Variable(_, binding):
                value = self.layout.possible.bound[binding.number]
                return self.most_cards(value) if value.kind is Kind.CARDS else self.most_in_set(value)
            case syntax.Filter(_, over, variable, condition):
                return self._narrow_by_size(condition, variable, self.most_cards(over))
            case syntax.Sort(_, cards) | syntax.EndRun(_, _, _, cards):
                return self.most_cards(cards)
            case syntax.Take(_, _, count, cards):
                return int(max(min(self.number_span(count)[1], self.most_cards(cards)), 0))
            case syntax.SetAt(_, _, sets):
                return self.most_in_set(sets)
            case syntax.Combination(_, operator, group):
                most = self._most_in_group(group)
                return most if operator == "union" else min(most, len(self.layout.cards))
        raise AssertionError(expression)

    def _most_in_group(self, group: syntax.Group) -> int:
        if isinstance(group, tuple):
            return sum(map(self.most_cards, group))
        return int(min(self.most_items(group.over), len(self.layout.cards))) * self.most_cards(group.cards)

    def _find_most_in_set(self, sets: syntax.Expression) -> int:
        match sets:
            case syntax.Each(_, _, _, cards) | syntax.Subsets(_, cards) | syntax.Runs(_, _, _, cards):
                return self.most_cards(cards)
            case syntax.Partition(_, _, group):
                return self._most_in_group(group)
            case syntax.Tuples(_, size, cards):
                return int(max(min(self.number_span(size)[1], self.most_cards(cards)), 0))
            case syntax.Filter(_, over, variable, condition):
                return self._narrow_by_size(condition, variable, self.most_in_set(over))
            case syntax.Variable(_, binding):
                return self.most_in_set(self.layout.possible.bound[binding.number])
        raise AssertionError(sets)

    def _narrow_by_size(self, condition: syntax.Expression, variable: syntax.Binding, most: int) -> int:
        """Narrows the maximum size of a set by a filter's conditions on its size."""
        for part in conjuncts(condition):
            match part:
                case syntax.Comparison(_, "==" | "<=" | "<" as operator, syntax.Size(_, syntax.Variable(_, one)), limit):
                    if one == variable:
                        most = int(max(min(most, self.number_span(limit)[1] - (operator == "<")), 0))
        return most

    def most_items(self, expression: syntax.Expression) -> float:
        layout = self.layout
        match expression.kind:
            case Kind.CARDS:
                return self.most_cards(expression)
            case Kind.SEATS | Kind.SIDE:
                return layout.seats
            case Kind.SIDES:
                return len(layout.teams)
        known = layout.constant(expression)
        return len(known) if isinstance(known, tuple) else math.inf

    # --- numbers ---

    def number_span(self, expression: syntax.Expression) -> Span:
        if id(expression) not in self._spans:
            self._spans[id(expression)] = self._find_span(expression)
        return self._spans[id(expression)]

    def _find_span(self, expression: syntax.Expression) -> Span:
        value = self.layout.constant(expression)
        if value is not None:
            values = [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, int)]
            return (min(values), max(values)) if values else (0, -1)
        match expression:
            case syntax.Variable(_, binding):
                return self.number_span(self.layout.possible.bound[binding.number])
            case syntax.Filter(_, over):
                return self.number_span(over)
            case syntax.Range(_, low, high):
                return self.number_span(low)[0], self.number_span(high)[1]
            case syntax.Random(_, low, high):
                return 0 if low is None else self.number_span(low)[0], self.number_span(high)[1]
            case syntax.Size(_, of):
                return 0, self.most_items(of)
            case syntax.NumberBin():
                spans = [self.bin_span(one) for one in owned_of(expression, self.layout.possible)]
                return min(low for low, _ in spans), max(high for _, high in spans)
            case syntax.Arithmetic(_, operator, left, right):
                return _combine_spans(operator, self.number_span(left), self.number_span(right))
            case syntax.Setting(_, _, choices):
                return min(choices), max(choices)
        return ANY_NUMBER

    def bin_span(self, one: Owned) -> Span:
        return self._bin_spans.get(one, ANY_NUMBER)

    @property
    def _bin_spans(self) -> dict[Owned, Span]:
        if not self._bins:
            self._bins = dict.fromkeys(self.layout.number_slots, (0, 0))
            for number in range(2 * ROUNDS):
                before = self._bins
                self._bins = {one: self._grow_span(one, number >= ROUNDS) for one in before}
                self._spans = {}
                if before == self._bins:
                    return self._bins
            self._bins = dict.fromkeys(self._bins, ANY_NUMBER)
        return self._bins

    def _grow_span(self, one: Owned, endless: bool) -> Span:
        """Widens the range of a bin by each act on it; if ``endless``, an end that still grows becomes infinite."""
        span = self._bins[one]
        for node in self.layout.writes.get(one, ()):
            low, high = self._span_behind(self._bins[one], node)
            span = min(span[0], low), max(span[1], high)
        if not endless or span == self._bins[one]:
            return span
        now = self._bins[one]
        return now[0] if span[0] == now[0] else -math.inf, now[1] if span[1] == now[1] else math.inf

    def _span_behind(self, span: Span, node: syntax.Node) -> Span:
        if isinstance(node, syntax.SetNumber):
            return self.number_span(node.value)
        assert isinstance(node, syntax.Change)
        return _combine_spans("+" if node.operator == "inc" else "-", span, self.number_span(node.amount))


def _source_places(start: Owned, sources: dict[Owned, set[Owned]]) -> set[Owned]:
    found, waiting = {start}, [start]
    while waiting:
        new = sources.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _combine_spans(operator: str, left: Span, right: Span) -> Span:
    match operator:
        case "+":
            return left[0] + right[0], left[1] + right[1]
        case "-":
            return left[0] - right[1], left[1] - right[0]
        case "*":
            corners = [a * b if a and b else 0 for a in left for b in right]
            return min(corners), max(corners)
        case "//" if right[0] > 0:
            return min(left[0], 0), max(left[1], 0)
        case "%" if math.isfinite(right[0]) and math.isfinite(right[1]):
            most = max(abs(right[0]), abs(right[1]), 1) - 1
            return (0 if left[0] >= 0 else -most), (0 if left[1] <= 0 else most)
    return ANY_NUMBER
