"""Infers which cards a hidden place cannot contain: from its owner's public actions, and from conditions that hold.

A card off suit, where the rules require to follow, shows that its owner cannot follow. In general, a public action can have
been offered by some alternatives of its choice. Their public conditions tell which of them. Some others have the form "none
of these cards is such a one": faces that all remaining alternatives rule out for the actor's hidden place are noted there,
until a card is put into the place. Other forms, and choices in parts, imply nothing: the inference is sound but incomplete.
With recall `cardenvs.recycle.running.past` draws only worlds in which all actions were possible.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.alternatives import Alternative
from cardenvs.recycle.compiler.conditions import is_public, negated_condition, shape, standard_form, unfold_names
from cardenvs.recycle.compiler.exclusion import contradict
from cardenvs.recycle.compiler.layout import Layout, Writing
from cardenvs.recycle.compiler.privacy import Privacy, certain_acts
from cardenvs.recycle.compiler.writer import SiteWriter, Writer
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind

Test = Callable[[], str]
"""Writes, inside a loop over faces, whether a condition that holds rules the face ``other`` out; returns an atom."""


# --- what conditions that hold tell of a place ------------------------------------------------------------------------


def by_faces(layout: Layout, condition: syntax.Expression, free: frozenset[int]) -> bool:
    """Whether all seats can work a condition out if they know the faces of the cards bound to some variables."""
    same = (syntax.Comparison, syntax.Combination)  # which ask for a card itself, not for its face
    return is_public(layout, condition, free) and not any(
        isinstance(node, same) and any(isinstance(part, syntax.Expression) and part.kind is Kind.CARD
                                       for part in syntax.child_nodes(node))
        for node in syntax.walk(condition)
    )  # fmt: skip


class Ruling:
    """Writes tests of the faces that the cards of a place cannot have where conditions in the standard form hold.

    ``free`` are the variables that stand for public values, or for cards whose faces are public.
    """

    def __init__(self, writer: Writer, hidden: syntax.Place | None, free: frozenset[int]) -> None:
        self.writer, self.hidden, self.free = writer, hidden, free

    def is_public(self, condition: syntax.Expression) -> bool:
        return by_faces(self.writer.layout, condition, self.free)

    def test_of_all(self, conditions: Iterable[syntax.Expression]) -> Test:
        """Returns the test of the faces that are ruled out where all conditions hold."""
        tests = [self.test_of(condition) for condition in conditions]
        return lambda: self._combine_tests(tests, "False", "not ")

    def test_of(self, condition: syntax.Expression) -> Test:
        """Returns the test of the faces that are ruled out where a condition holds."""
        if self.is_public(condition):
            truth = self.writer.write_condition  # what cannot have been rules everything out
            return lambda: self.writer.assign(f"not {truth(condition)}", "t")
        match condition:
            case syntax.Logic(_, "and", operands):
                return self.test_of_all(operands)
            case syntax.Logic(_, "or", operands):
                tests = [self.test_of(operand) for operand in operands]
                return lambda: self._combine_tests(tests, "True", "")
        return self._face_test("==", condition) or (lambda: "False")

    def test_of_some(self, condition: syntax.Expression) -> Test | None:
        """Returns the test of the faces of which the place has one where a condition holds; None if it tells none."""
        if isinstance(condition, syntax.Logic) and condition.operator == "and":
            return next(filter(None, map(self.test_of_some, condition.operands)), None)
        return self._face_test("!=", condition)

    def _combine_tests(self, tests: list[Test], begin: str, negation: str) -> str:
        writer = self.writer
        result = writer.assign(begin, "t")
        for test in tests:
            with writer.block(f"if {negation}{result}:"):
                writer.emit(f"{result} = {test()}")
        return result

    def _face_test(self, operator: str, condition: syntax.Expression) -> Test | None:
        """Returns the test of the faces that a condition counts in the place, if it says that there are none, or some."""
        match condition:
            case syntax.Comparison(_, found, syntax.Size(_, syntax.Filter(_, over, variable, inner)), syntax.Number(_, 0)):
                public = by_faces(self.writer.layout, inner, self.free | {variable.number})
                if found != operator or not public or shape(over) != shape(self.hidden):
                    return None
            case _:
                return None

        def write_test() -> str:
            self.writer.alias[variable.number] = "other"
            return self.writer.assign(self.writer.write_condition(inner), "t")

        return write_test


# --- what all seats see of a choice -----------------------------------------------------------------------------------


def shows_card(act: syntax.Act, variable: syntax.Binding) -> bool:
    """Whether an act, if it does anything, puts the card of a variable, or a copy, where all seats see it."""
    for node in certain_acts(act):
        if isinstance(node, syntax.Move | syntax.Remember) and node.to.place.visibility in ("vloc", "mem"):
            card = syntax.strip_actual(node.card)
            if isinstance(card, syntax.Variable) and card.binding.number == variable.number:
                return True
    return False


def visible_actions(layout: Layout, actions: Actions, privacy: Privacy, choice: int) -> list[int]:
    """Returns 1 for each action of a choice that all seats see, else 0: it changes a private bin or chooses hidden cards.

    If something can be chosen in secret, only a card that is shown tells that it was not.
    """
    shown, secret = set[int](), set[int]()
    plain = set[int]()
    for one in actions.alternatives[choice]:
        changes = any(privacy.written_secrets(node) for node in syntax.walk(one.act) if isinstance(node, Writing))
        cards = [domain.any for domain in one.domains if domain.kind in (Kind.CARD, Kind.CARDS)]
        if changes or not all(_is_shown(layout, any_) for any_ in cards):
            secret |= one.own_actions
        elif cards:
            shown |= one.own_actions
        else:
            plain |= one.own_actions
    hidden = secret | plain - shown if secret else secret
    return [int(action not in hidden) for action in range(len(actions.keys))]


def _is_shown(layout: Layout, any_: syntax.ForEach) -> bool:
    """Whether all seats see the card, or the cards of the set, of an ``any``."""
    over = syntax.strip_filters(any_.over)
    if isinstance(over, syntax.Place) and over.visibility in ("vloc", "mem"):
        return True
    if any_.variable.kind is Kind.CARD:
        return shows_card(any_.act, any_.variable) or _shown_by_cases(layout, any_)
    for node in _all_loops(any_.act):
        if isinstance(node.over, syntax.Variable) and node.over.binding.number == any_.variable.number:
            if shows_card(syntax.Do(node.at, (node.act,)), node.variable):  # each card of it, unconditionally
                return True
    return False


def _shown_by_cases(layout: Layout, any_: syntax.ForEach) -> bool:
    """Whether a card is shown by one of several conditions in sequence, of which one always holds."""
    if not isinstance(any_.act, syntax.Do):
        return False
    for shows, acts in itertools.groupby(
        any_.act.acts, lambda act: isinstance(act, syntax.Guarded) and shows_card(act.act, any_.variable)
    ):
        offer_conditions = [act.condition for act in acts if isinstance(act, syntax.Guarded)]
        if shows and contradict(layout, map(negated_condition, offer_conditions)):
            return True
    return False


def _all_loops(act: syntax.Act) -> Iterator[syntax.ForEach]:
    while isinstance(act, syntax.Guarded | syntax.Let) or (isinstance(act, syntax.ForEach) and act.quantifier == "any"):
        act = act.act
    for inner in act.acts if isinstance(act, syntax.Do) else (act,):
        if isinstance(inner, syntax.ForEach) and inner.quantifier == "all":
            yield inner
        elif isinstance(inner, syntax.Do | syntax.Let):
            yield from _all_loops(inner if isinstance(inner, syntax.Do) else syntax.Do(inner.at, (inner.act,)))


# --- what an action tells ---------------------------------------------------------------------------------------------


class InferenceWriter(SiteWriter):
    """Writes the function that notes what an action tells of a hidden place."""

    @cached_property
    def hidden(self) -> syntax.Place | None:
        """The first hidden place of the actor in the choice."""
        for one in self.of_choice:
            for node in syntax.walk(one.act):
                if isinstance(node, syntax.Place) and node.visibility in ("iloc", "hloc"):
                    owner = node.owner
                    if isinstance(owner, syntax.CycleSeat) and owner.which == "current":
                        return node
        return None

    def emit_failure(self, message: str, node: syntax.Node) -> None:
        """Writes that nothing is learned from a condition without a value, which another condition guards."""
        self.emit(self.given_up)

    def write_lines(self) -> list[str] | None:
        """Returns the lines of ``infer(games, i, H, action)`` at the choice; None if nothing is ever learned."""
        if self.hidden is None or not any(self._can_tell(one) for one in self.of_choice):
            return None
        self.emit_head()
        with self.block(f"if VISIBLE[{self.choice}, action] == 0:"):
            self.emit("return np.int64(-1)")
        self.emit("chosen = FIRST_CARD[ACTION_FACES[action]]")
        self.emit("some = False")
        tests = [self._write_offered(one) for one in self.of_choice]
        with self.block("if not some:"):
            self.emit("return np.int64(-1)")
        bars, words = self.assign("top", "bars"), -(-len(self.layout.faces) // 63)
        self.emit(f"top += {words}")
        with self.block(f"for word in range({words}):"):
            self.emit(f"H[{bars} + word] = 0")
        with self.block(f"for other_face in range({len(self.layout.faces)}):"):
            self.emit("other = FIRST_CARD[other_face]")
            ruled_out = self.assign("True", "t")
            for offered, test in tests:
                with self.block(f"if {ruled_out} and {offered}:"):
                    self.emit(f"{ruled_out} = {test()}")
            with self.block(f"if {ruled_out}:"):
                self.emit(f"H[{bars} + other_face // 63] |= np.int64(1) << (other_face % 63)")
        place = self.write_place(self.hidden)
        with self.block(f"for word in range({words}):"):
            self.emit(f"g.barred[{place}, word] |= H[{bars} + word]")
        self.emit("return np.int64(0)")
        return self.lines

    def _can_tell(self, one: Alternative) -> bool:
        return not one.in_parts and any(
            self._mentions_hidden(condition) for condition in offer_conditions(one, self.layout)[0]
        )

    def _mentions_hidden(self, condition: syntax.Expression) -> bool:
        return any(isinstance(node, syntax.Place) and shape(node) == shape(self.hidden) for node in syntax.walk(condition))

    def _write_offered(self, one: Alternative) -> tuple[str, Test]:
        """Writes whether an alternative can have offered the action, as all seats know."""
        offered = self.assign(f"{self.offers_table(one)}[action] != 0", "t")
        found, free = offer_conditions(one, self.layout)
        for number in free:
            self.alias[number] = "chosen"
        others = []
        ruling = Ruling(self, self.hidden, free)
        for condition in found:
            if ruling.is_public(condition):
                with self.block(f"if {offered}:"):
                    self.emit(f"{offered} = {self.write_condition(condition)}")
            else:
                others.append(condition)
        with self.block(f"if {offered}:"):
            if one.in_parts or not others:
                self.emit(self.given_up)
            self.emit("some = True")
        return offered, ruling.test_of_all(others)


def offer_conditions(one: Alternative, layout: Layout) -> tuple[list[syntax.Expression], frozenset[int]]:
    """Returns the conditions on which an alternative offers an option, and their variables for the chosen card.

    Names that ``let`` gives to collections and conditions are replaced by these.
    """
    found: list[syntax.Expression] = []
    free: set[int] = set()
    act = one.act
    while isinstance(act, syntax.Guarded | syntax.Let):
        if isinstance(act, syntax.Guarded):
            found.append(standard_form(layout, unfold_names(act.condition, layout)))
        act = act.act
    if isinstance(act, syntax.ForEach) and not one.in_parts and len(one.domains) == 1 and one.domains[0].has_faces:
        free.add(act.variable.number)
        over = unfold_names(act.over, layout)
        inner: list[syntax.Expression] = []
        while isinstance(over, syntax.Filter):
            free.add(over.variable.number)
            inner.insert(0, standard_form(layout, over.condition))
            over = over.over
        found += inner
    return found, frozenset(free)
