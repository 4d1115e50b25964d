"""Proves that alternatives of a choice never offer the same values at one time.

The preconditions of an alternative become a formula: tests joined by "and" and "or", each of them or its opposite. A test
is ``==`` of two terms or ``<`` of two numbers in a normal form: "some card is such a one" is "the number of such cards is
not less than 1", so ``any``, ``all`` and ``(== (size (filter ..)) 0)`` are about one term. Whether two formulas can hold
together is tried case by case, with the rules of equality, order, collections, and possible words and numbers. Formulas
that are too long to be tried count as satisfiable.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.privacy import MOST_VALUES, held_values
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.symbols import owned_of
from cardenvs.recycle.language.syntax import Kind

if TYPE_CHECKING:
    from cardenvs.recycle.compiler.alternatives import Alternative

MOST_TERMS = 2_000  # the most terms of an alternative's formula
MOST_CASES = 300  # the most cases that are tried out for two alternatives and a kind of card
MOST_SIZES = 8  # the most sizes of collections whose cards are looked at one by one

Term = tuple[Any, ...]  # the term of a value: nodes of one meaning in one position have one term
Formula = Any  # true, False, ``("test", operator, left, right, truth)``, or ``("and" or "or", formula, ..)``
Domains = dict[Term, frozenset[Any]]  # the values that terms can have, where these are few


class TooLong(Exception):
    """There are more terms or cases than the limits."""


# --- formulas ---------------------------------------------------------------------------------------------------------


def conjunction(parts: Iterable[Formula]) -> Formula:
    return _join("and", parts, False)


def disjunction(parts: Iterable[Formula]) -> Formula:
    return _join("or", parts, True)


def _join(word: str, parts: Iterable[Formula], decisive: bool) -> Formula:
    found: set[Formula] = set()
    for part in parts:
        if part is decisive:
            return decisive
        if not isinstance(part, bool):
            found.update(part[1:] if part[0] == word else (part,))
    if len(found) == 1:
        return found.pop()
    return (word, *sorted(found, key=repr)) if found else not decisive


def negation(formula: Formula) -> Formula:
    if isinstance(formula, bool):
        return not formula
    if formula[0] == "test":
        return (*formula[:-1], not formula[-1])
    return (disjunction if formula[0] == "and" else conjunction)(map(negation, formula[1:]))


def make_test(operator: str, left: Term, right: Term, truth: bool) -> Formula:
    """Returns the formula of ``left == right`` or ``left < right``, or of its negation."""
    if left == right:
        return (operator == "==") is truth
    if left[0] == right[0] == "const":
        return (operator == "<" and left[1] < right[1]) is truth
    if operator == "<" and left[0] == "const":  # numbers are whole
        return make_test("<", right, ("const", left[1] + 1), not truth)
    if operator == "==":
        left, right = sorted((left, right), key=repr)
        if left == ("const", 0) and right[0] == "size":
            return make_test("<", right, ("const", 1), truth)
    return ("test", operator, left, right, truth)


def size_term(collection: Term) -> Term:
    return ("const", 0) if collection[0] == "such" and collection[2] is False else ("size", collection)


def has_item(collection: Term) -> Formula:
    return make_test("<", size_term(collection), ("const", 1), False)


def filtered_term(collection: Term, formula: Formula) -> Term:
    """Returns the term of the items of a collection for which a formula holds."""
    return collection if formula is True else ("such", collection, formula)


def rewrite(part: Any, change: Callable[[Term], Any]) -> Any:
    """Replaces terms in a formula or a term; ``change`` returns the new one, or None to keep it."""
    if not isinstance(part, tuple) or part[:1] == ("const",):
        return part
    other = change(part)
    if other is not None:
        return other
    inner = [rewrite(one, change) for one in part]
    match part[:1]:
        case ("test",):
            return make_test(*inner[1:])
        case ("and",):
            return conjunction(inner[1:])
        case ("or",):
            return disjunction(inner[1:])
        case ("such",):
            return filtered_term(*inner[1:])
        case ("size",):
            return size_term(inner[1])
    return tuple(inner)


def with_item(formula: Formula, item: Term, face: Term, itself: Term) -> Formula:
    """Replaces an item in a formula: by ``face`` where only its face matters, else by ``itself``."""

    def change(term: Term) -> Any:
        if term == item:
            return itself
        if term[0] == "face" and term[1] == item:
            return ("face", face)
        return None

    return rewrite(formula, change)


# --- from the text to formulas ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chosen:
    """A value that an alternative chooses."""

    among: Term  # its collection, without filters
    face: Term  # its term where only its face matters, or its value
    itself: Term  # its term as a single card


class Facts:
    """The preconditions of an alternative, before anything is done (``holds``), its chosen values, and the values of terms.

    ``side``, 0 or 1, distinguishes its own values from those of the other alternative; if ``same``, chosen values are
    compared. Without an alternative it makes formulas of conditions alone. Raises `TooLong`.
    """

    def __init__(self, layout: Layout, one: Alternative | None = None, side: int = 0, same: bool = True) -> None:
        self.layout, self.side = layout, side
        self.domains: Domains = {}
        self.chosen: list[Chosen] = []
        self._bound: dict[int, Term] = {}
        self._faces: dict[int, Term] = {}
        self._lets: dict[int, syntax.Expression] = {}
        self._depth = self._terms = 0
        parts: list[Formula] = []
        act = None if one is None else one.act
        while one is not None and isinstance(act, syntax.Guarded | syntax.Let | syntax.ForEach):
            if isinstance(act, syntax.Guarded):
                parts.append(self.formula_of(act.condition))
            elif isinstance(act, syntax.Let):
                self._lets[act.variable.number] = act.value
            elif act.quantifier == "any":
                parts += self._choice_formulas(act, one, same)
            else:
                break
            act = act.act
        self.holds = conjunction(parts)

    def _choice_formulas(self, act: syntax.ForEach, one: Alternative, same: bool) -> list[Formula]:
        """Returns the formulas that there is a value to choose, and of the conditions that the chosen one meets."""
        place = len(self.chosen)
        domain = one.domains[place]
        collection = self.term_of(act.over)
        number, alike = act.variable.number, same and not domain.blind and domain.kind is not Kind.CARDS
        face = ("chosen", place) if alike else ("chosen", place, self.side)
        unique = domain.kind is not Kind.CARD or len(self.layout.faces) == len(self.layout.cards)
        itself = face if unique else ("chosen", place, self.side)
        self._bound[number], self._faces[number] = itself, face
        if domain.kind in (Kind.NUMBER, Kind.STRING):
            strings = self.layout.strings
            values = (strings[v] if domain.kind is Kind.STRING else v for v in domain.values)
            self.domains[face] = frozenset(values)
        among, holds = collection[1:] if collection[0] == "such" else (collection, True)
        self.chosen.append(Chosen(among, face, itself))
        return [has_item(collection), with_item(holds, ("item", self._depth), face, itself)]

    def formula_of(self, condition: syntax.Expression) -> Formula:
        value = self.layout.constant(condition)
        if isinstance(value, bool):
            return value
        match condition:
            case syntax.Not(_, operand):
                return negation(self.formula_of(operand))
            case syntax.Logic(_, operator, operands):
                return (conjunction if operator == "and" else disjunction)(map(self.formula_of, operands))
            case syntax.Quantified(_, quantifier, over, variable, inner):
                found = has_item(self._filtered_collection(over, [(variable, inner, quantifier == "any")]))
                return found if quantifier == "any" else negation(found)
            case syntax.Comparison(_, operator, left, right):
                a, b = self.term_of(left), self.term_of(right)
                if operator in ("==", "!="):
                    return make_test("==", a, b, operator == "==")
                return make_test("<", *((a, b) if operator in ("<", ">=") else (b, a)), operator in ("<", ">"))
        return make_test("==", self.term_of(condition), ("const", True), True)

    def _filtered_collection(
        self, over: syntax.Expression, tests: list[tuple[syntax.Binding, syntax.Expression, bool]]
    ) -> Term:
        """Returns the term of the items of a collection for which all tests have the given truth."""
        while True:
            if isinstance(over, syntax.Filter):
                tests.append((over.variable, over.condition, True))
                over = over.over
            elif isinstance(over, syntax.Variable) and over.binding.number in self._lets:
                over = self._lets[over.binding.number]
                self._count_term()
            else:
                break
        collection, item = self.term_of(over), ("item", self._depth)
        self._depth += 1
        parts = []
        for variable, condition, truth in tests:
            self._bound[variable.number] = self._faces[variable.number] = item
            parts.append(self.formula_of(condition) if truth else negation(self.formula_of(condition)))
        self._depth -= 1
        return filtered_term(collection, conjunction(parts))

    def _count_term(self) -> None:
        self._terms += 1
        if self._terms > MOST_TERMS:
            raise TooLong

    def term_of(self, node: Any) -> Any:
        self._count_term()
        if isinstance(node, tuple):
            return tuple(map(self.term_of, node))
        if not isinstance(node, syntax.Node):
            return (node,)
        if isinstance(node, syntax.Expression):
            value = self.layout.constant(node)
            if value is not None:
                return ("const", value)
        match node:
            case syntax.Variable(_, binding):
                if binding.number in self._lets:
                    return self.term_of(self._lets[binding.number])
                return self._bound.get(binding.number, ("free", binding.number))
            case syntax.Actual(_, card):
                return self.term_of(card)
            case syntax.Filter():
                return self._filtered_collection(node, [])
            case syntax.Size(_, of):
                return size_term(self._filtered_collection(of, []))
            case syntax.Logic() | syntax.Not() | syntax.Quantified() | syntax.Comparison():
                return ("truth", self.formula_of(node))
            case syntax.Score(_, syntax.Extreme(_, which, cards, best), using) if self.term_of(best) == self.term_of(using):
                return ("best", which, self.term_of(cards), self.term_of(using))  # whichever of equal cards is drawn
            case syntax.Score(_, card, using):
                return ("score", self._face_term(card), self.term_of(using))
            case syntax.CardAttribute(_, attribute, card):
                found = ("value", self.term_of(attribute), self._face_term(card))
                self.domains[found] = self.layout.possible.of(node)
                return found
            case syntax.Random() | syntax.Extreme():
                return ("drawn", self.side, self._terms)  # another draw each time
            case syntax.Arithmetic(_, "+" | "*" as operator, left, right):
                return (operator, *sorted((self.term_of(left), self.term_of(right)), key=repr))
        return self._structural_term(node)

    def _structural_term(self, node: syntax.Node) -> Term:
        """Returns the term of a node that has the meaning of its parts."""
        variable = getattr(node, "variable", None)
        if isinstance(variable, syntax.Binding):
            self._bound[variable.number] = self._faces[variable.number] = ("item", self._depth)
            self._depth += 1
        parts = [self.term_of(getattr(node, f.name)) for f in fields(node) if f.name not in ("at", "variable")]
        if isinstance(variable, syntax.Binding):
            self._depth -= 1
        found = (type(node).__name__, *parts)
        if isinstance(node, syntax.StringBin):
            self.domains[found] = self.layout.possible.of(node)
        if isinstance(node, syntax.NumberBin):
            values = self._held_numbers(node)
            if values is not None:
                self.domains[found] = values
        return found

    def _held_numbers(self, node: syntax.NumberBin) -> frozenset[int] | None:
        values = [held_values(self.layout, one, MOST_VALUES) for one in owned_of(node, self.layout.possible)]
        return None if None in values else frozenset({0}.union(*(value for value in values if value)))

    def _face_term(self, card: syntax.Expression) -> Term:
        card = syntax.strip_actual(card)
        if isinstance(card, syntax.Variable) and card.binding.number in self._faces:
            return ("face", self._faces[card.binding.number])
        return ("face", self.term_of(card))


# --- what can hold ----------------------------------------------------------------------------------------------------


def _subterms(part: Any) -> Iterator[Term]:
    if isinstance(part, tuple):
        yield part
        for inner in part:
            yield from _subterms(inner)


def _all_tests(formula: Formula) -> Iterator[Formula]:
    if not isinstance(formula, bool):
        if formula[0] == "test":
            yield formula
        else:
            for part in formula[1:]:
                yield from _all_tests(part)


def _of_cards(formula: Formula, chosen: Iterable[Chosen]) -> Formula:
    """Returns consequences for the sizes in a formula: of chosen values, and of items that non-empty collections have."""
    sizes = sorted({term for one in _all_tests(formula) for term in one[2:4] if term[0] == "size"}, key=repr)
    if len(sizes) > MOST_SIZES:
        return True
    found: list[Formula] = []
    members = [(one.among, one.face, one.itself) for one in chosen]
    for number, (_, collection) in enumerate(sizes):
        among, holds = collection[1:] if collection[0] == "such" else (collection, True)
        witness = ("witness", number)
        found.append(disjunction([negation(has_item(collection)), with_item(holds, ("item", 0), witness, witness)]))
        members.append((among, witness, witness))
        if size_term(among) in sizes:
            found.append(make_test("<", size_term(among), size_term(collection), False))
    for among, face, itself in members:
        has_some = True if face[0] == "chosen" else has_item(sizes[face[1]][1])
        for _, collection in sizes:
            of, holds = collection[1:] if collection[0] == "such" else (collection, True)
            if of == among:
                fits = with_item(holds, ("item", 0), face, itself)
                found.append(disjunction([negation(has_some), negation(fits), has_item(collection)]))
    return conjunction(found)


def can_hold(formula: Formula, domains: Domains) -> bool:
    """Whether a formula can hold; True if `MOST_CASES` cases do not tell."""
    cases = itertools.count(1)

    def is_satisfiable(left: Formula, so_far: dict[Formula, bool]) -> bool:
        if next(cases) > MOST_CASES:
            raise TooLong
        while left is not True:
            if left is False or not _is_consistent(so_far, domains):
                return False
            single = [one for one in (left[1:] if left[0] == "and" else (left,)) if one[0] == "test"]
            if not single:
                break
            for one in single:
                if so_far.setdefault(one[:-1], one[-1]) is not one[-1]:
                    return False
            left = _simplify(left, so_far)
        if left is True:
            return _is_consistent(so_far, domains)
        first = next(_all_tests(left))[:-1]
        return any(
            is_satisfiable(_simplify(left, known), known) for known in ({**so_far, first: truth} for truth in (True, False))
        )

    try:
        return is_satisfiable(formula, {})
    except TooLong:
        return True


def _simplify(formula: Formula, known: dict[Formula, bool]) -> Formula:
    if isinstance(formula, bool):
        return formula
    if formula[0] == "test":
        return formula if formula[:-1] not in known else known[formula[:-1]] is formula[-1]
    return (conjunction if formula[0] == "and" else disjunction)(_simplify(part, known) for part in formula[1:])


def _is_consistent(known: dict[Formula, bool], domains: Domains) -> bool:
    leads: dict[Term, Term] = {}

    def representative(term: Term) -> Term:
        """Returns the representative of all terms that are equal to one; a constant, if any is."""
        while term in leads:
            term = leads[term]
        return term

    for (_, operator, left, right), truth in known.items():
        if operator == "==" and truth:
            a, b = representative(left), representative(right)
            if a != b:
                if a[0] == b[0] == "const":
                    return False
                leads[b if a[0] == "const" else a] = a if a[0] == "const" else b
    can_be: Domains = {}
    for term in {term for _, _, *terms in known for term in terms}:
        mine = representative(term)
        values = frozenset({mine[1]}) if mine[0] == "const" else domains.get(term)
        if values is not None:
            can_be[mine] = can_be.get(mine, values) & values
            if mine[0] == "const" and term in domains:
                can_be[mine] &= domains[term]
    bounds: dict[tuple[Term, Term], int] = {}  # by a and b: a - b is at most so much
    zero = ("const", 0)

    def at_most(a: Term, b: Term, most: int) -> None:
        """Notes that ``a - b`` is at most a number."""
        most += (b[1] if b[0] == "const" else 0) - (a[1] if a[0] == "const" else 0)
        pair = (zero if a[0] == "const" else a, zero if b[0] == "const" else b)
        bounds[pair] = min(bounds.get(pair, most), most)

    for (_, operator, left, right), truth in known.items():
        a, b = representative(left), representative(right)
        if operator == "==":
            if not truth:
                if a == b:
                    return False
                for one, other in ((a, b), (b, a)):
                    if other[0] == "const" and one in can_be:
                        can_be[one] -= {other[1]}
            continue
        at_most(*((a, b, -1) if truth else (b, a, 0)))
        for term in (left, right):
            if term[0] == "size":
                at_most(zero, representative(term), 0)
    for term, values in can_be.items():
        if not values:
            return False
        if term[0] != "const" and all(isinstance(value, int) for value in values):
            at_most(term, zero, max(values))
            at_most(zero, term, -min(values))
    return not _has_negative_cycle(bounds)


def _has_negative_cycle(bounds: dict[tuple[Term, Term], int]) -> bool:
    """Whether differences contradict each other: a circle of them that adds up to less than 0."""
    distance = dict.fromkeys(itertools.chain.from_iterable(bounds), 0)
    for _ in range(len(distance) + 1):
        changed = False
        for (a, b), most in bounds.items():
            if distance[b] + most < distance[a]:
                distance[a] = distance[b] + most
                changed = True
        if not changed:
            return False
    return True


def always_one(layout: Layout, conditions: Iterable[syntax.Expression]) -> bool:
    """Whether it is proved that one of the conditions holds in any position."""
    facts = Facts(layout)
    try:
        none = conjunction([negation(facts.formula_of(condition)) for condition in conditions])
    except TooLong:
        return False
    return not can_hold(conjunction((none, _of_cards(none, ()))), facts.domains)


# --- alternatives -----------------------------------------------------------------------------------------------------


class Exclusion:
    """Finds the alternatives of a game's choices that never offer the same values at one time."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._facts: dict[tuple[str, int, bool], Facts | None] = {}

    def excludes(self, one: Alternative, other: Alternative) -> bool:
        """Whether two alternatives with a common action certainly never offer it at one time."""
        same = not one.in_parts and not other.in_parts
        sides = [self._facts_of(one, 0, same), self._facts_of(other, 1, same)]
        first, second = sides
        if first is None or second is None:
            return False
        formula, chosen = conjunction((first.holds, second.holds)), [*first.chosen, *second.chosen]
        domains = dict(first.domains)
        for term, values in second.domains.items():
            domains[term] = domains.get(term, values) & values
        if formula is False:
            return True
        if not same:
            return not can_hold(conjunction((formula, _of_cards(formula, chosen))), domains)
        return not any(
            can_hold(conjunction((case, _of_cards(case, chosen))), domains)
            for case in self._card_cases(formula, one, other, domains)
        )

    def _facts_of(self, one: Alternative, side: int, same: bool) -> Facts | None:
        key = one.suffix, side, same
        if key not in self._facts:
            try:
                self._facts[key] = Facts(self.layout, one, side, same)
            except TooLong:
                self._facts[key] = None
        return self._facts[key]

    def _card_cases(self, formula: Formula, one: Alternative, other: Alternative, domains: Domains) -> Iterator[Formula]:
        """Yields a formula for each kind of card that both alternatives could choose first."""
        pairs = list(enumerate(zip(one.domains, other.domains, strict=True)))
        place = next((k for k, (a, b) in pairs if a.has_faces and b.has_faces), None)
        if place is None:
            yield formula
            return
        a, b = pairs[place][1]
        face = ("face", ("chosen", place))
        asked = sorted(
            {
                term[1][1]
                for term in _subterms(formula)
                if term[:1] == ("value",) and term[2] == face and term[1][0] == "const"
            }
        )
        kinds: Collection[tuple[str, ...]] = {
            tuple(self.layout.face_value(number, name) for name in asked) for number in set(a.values) & set(b.values)
        }
        for values in kinds:
            known = {("value", ("const", name), face): ("const", value) for name, value in zip(asked, values, strict=True)}
            yield rewrite(formula, known.get)
