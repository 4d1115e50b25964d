"""Parses brackets as acts, choices and stages."""

from collections import Counter
from dataclasses import replace
from typing import Any

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.cursor import Parts
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.expressions import Expressions, Facts, Scope, older_map
from cardenvs.recycle.language.grammar import ACTS, EXPRESSIONS, PRIMS, STATEMENTS, Forms, forms_of
from cardenvs.recycle.language.reader import Atom, AtomKind, Bracket, Item
from cardenvs.recycle.language.setup import Setup
from cardenvs.recycle.language.syntax import Kind

GUARDED = forms_of(syntax.Guarded)
AWARD = "((ATTRIBUTE : VALUE) .. NUMBER)"

MOST_OF = {"stage": 100, "choice": 40, "tell": 100}
MOST_ALTERNATIVES, MOST_ALTERNATIVES_IN_ALL = 100, 120
"""The most stages, choices and tells of a game, and alternatives of a choice and of all: each is compiled code."""


class Script(Expressions):
    """Parses statements and acts. Each method raises a RecycleError where the text is none."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.setup = Setup(self)
        self.counts: Counter[str] = Counter()  # of stages, choices, tells and alternatives so far
        self.readers |= {
            "ACT": self.take_act,
            "ACTS": self.take_acts,
            "AWARDS": self.take_awards,
            "DECK": self.setup.take_deck,
            "END": self.take_end,
            "'NAME": lambda parts, _: older_map(parts.take_variable()),
            "PRIM": lambda parts, scope: self.parse_act(parts.take_item("an act"), scope, PRIMS),
            "STATEMENT": lambda parts, scope: self.parse_statement(parts.take_item("a statement"), scope),
            "TARGET": self.take_target,
        }
        self.checks |= {
            syntax.Move: self.check_move,
            syntax.Remember: self.check_remember,
            syntax.Scoring: lambda node, _: self.facts.constant(node.points),
        }
        self.makers |= {
            syntax.CreateDeck: lambda bracket, deck: deck,
            syntax.Forget: self.make_forget,
            syntax.Repeat: self.make_repeat,
            syntax.RepeatAll: self.make_repeat_all,
            syntax.SetCycle: self.make_set_cycle,
        }

    def parse_statement(self, item: Item, scope: Scope) -> syntax.Statement:
        """Parses a stage, a choice or an act."""
        if not isinstance(item, Bracket) or item.head not in ("stage", "choice"):
            return self.parse_act(item, scope, STATEMENTS)
        number = self.count(item.head, item)
        form = self.parse_form(item, STATEMENTS[item.head], scope)
        statement: syntax.Stage | syntax.Choice = replace(form, number=number)
        if isinstance(statement, syntax.Choice):
            _at_most(len(statement.alternatives), MOST_ALTERNATIVES, "alternatives in a choice", item)
            self.counts["alternative"] += len(statement.alternatives)
            _at_most(self.counts["alternative"], MOST_ALTERNATIVES_IN_ALL, "alternatives in a game", item)
        return statement

    def count(self, head: str, bracket: Bracket) -> int:
        """Counts a bracket of which a game may have only so many; returns its number, from 0."""
        self.counts[head] += 1
        _at_most(self.counts[head], MOST_OF[head], f"{head}s in a game", bracket)
        return self.counts[head] - 1

    def parse_act(self, item: Item, scope: Scope, known: dict[str, Forms]) -> syntax.Act:
        """Parses an act; ``known`` has the forms of what may stand here, by first word."""
        if not isinstance(item, Bracket):
            raise RecycleError(f"{item} is no act: {_list_acts(known)}", item.at)
        if not item.items:
            raise RecycleError(f"an empty bracket is no act: {_list_acts(known)}", item.at)
        head = item.items[0]
        if isinstance(head, Bracket):
            return self.parse_guarded(item, head, scope)
        if head.text in ("choice", "stage"):
            raise RecycleError(f"({head} ..) stands directly in (game ..) or (stage ..), not in an act", item.at)
        if (head.text in EXPRESSIONS or head.text == "game") and head.text not in ACTS:
            raise RecycleError(f"{item} is a value where an act must stand: a guarded act is (CONDITION ACT)", head.at)
        if head.text not in ACTS:
            raise RecycleError(f"{item} is no act: {_list_acts(known)}{did_you_mean(head.text, known)}", head.at)
        if head.text == "tell":
            self.count("tell", item)
        act: syntax.Act = self.parse_form(item, ACTS[head.text], scope)
        return act

    def parse_guarded(self, bracket: Bracket, head: Bracket, scope: Scope) -> syntax.Act:
        """Parses ``(CONDITION ACT)``."""
        if head.head in ACTS and head.head not in ("any", "all"):
            raise RecycleError(
                f"{head} is an act where a condition must stand: acts in a bracket of their own need do, (do (ACT ..))",
                head.at,
            )
        guarded: syntax.Guarded = self.parse_form(bracket, GUARDED, scope)
        return guarded

    def take_act(self, parts: Parts, scope: Scope) -> syntax.Act:
        act = self.parse_act(parts.take_item("an act"), scope, ACTS)
        item = parts.peek()
        if isinstance(item, Bracket):
            raise RecycleError(f"{item} is a second act, where one stands: several are (do (ACT ACT ..))", item.at)
        return act

    def take_acts(self, parts: Parts, scope: Scope) -> tuple[syntax.Act, ...]:
        """Takes a bracket with one act or more."""
        bracket = parts.take_bracket("a bracket with acts")
        if not bracket.items:
            raise RecycleError(f"there must be an act in here: it is written {parts.usage}", bracket.closed)
        if bracket.head:
            raise RecycleError(
                f"an act stands here, where a bracket with acts must stand: it is written {parts.usage}", bracket.at
            )
        return tuple(self.parse_act(item, scope, ACTS) for item in bracket.items)

    def take_end(self, parts: Parts, scope: Scope) -> syntax.Expression:
        """Takes ``(end CONDITION)`` of a stage."""
        ending = Parts(parts.take_bracket("(end CONDITION)"), "(end CONDITION)", taken=0)
        ending.take_word("end")
        end = self.parse_of_kind(ending.take_item("a condition"), scope, Kind.BOOLEAN)
        ending.expect_end()
        return end

    def take_awards(self, parts: Parts, scope: Scope) -> tuple[syntax.Award, ...]:
        """Takes ``(AWARD AWARD ..)``."""
        bracket = parts.take_bracket("awards")
        if not bracket.items:
            raise RecycleError(f"there must be an award in here, {AWARD}", bracket.closed)
        awards = []
        for item in bracket.items:
            if not isinstance(item, Bracket):
                raise RecycleError(f"an award, {AWARD}, must stand here, not {item}", item.at)
            inside = Parts(item, AWARD, taken=0)
            keys: list[syntax.Key] = []
            while not keys or inside.left > 1:
                keys.append(self.parse_key(inside.take_bracket("a key, (ATTRIBUTE : VALUE)"), scope))
            points = self.parse_of_kind(inside.take_item("a number"), scope, Kind.NUMBER)
            awards.append(syntax.Award(item.at, tuple(keys), points))
        return tuple(awards)

    def parse_key(self, bracket: Bracket, scope: Scope) -> syntax.Key:
        """Parses ``(ATTRIBUTE : VALUE)`` or the older ``(ATTRIBUTE (VALUE))`` and ``(ATTRIBUTE (cardatt ..))``."""
        parts = Parts(bracket, "(ATTRIBUTE : VALUE)", taken=0)
        attribute = self.take_attribute(parts, scope)
        item = parts.peek()
        if isinstance(item, Bracket):
            parts.take_item("a value")
            if len(item.items) == 1 and item.head.isupper():
                item = item.items[0]
            elif item.head != "cardatt":
                raise parts.mismatch_error(item, ":")
        else:
            parts.take_word(":")
            item = parts.take_item("a value")
        value = self.parse_of_kind(item, scope, Kind.STRING)
        parts.expect_end()
        return syntax.Key(bracket.at, attribute, value)

    def take_target(self, parts: Parts, scope: Scope) -> syntax.Target:
        """Takes the position to which a card goes: ``(top PLACE)``, ``(bottom PLACE)`` or ``(NUMBER PLACE)``."""
        item = parts.take_item("(top PLACE)")
        usage = "(top PLACE), (bottom PLACE) or (NUMBER PLACE)"
        if not isinstance(item, Bracket) or len(item.items) != 2:
            hint = ". Did you forget top ?" if isinstance(item, Bracket) and len(item.items) == 3 else ""
            raise RecycleError(f"a card goes to {usage}, not to {item}{hint}", item.at)
        first, second = item.items
        index: Any
        if isinstance(first, Atom) and first.kind is AtomKind.WORD:
            index = Parts(item, usage, taken=0).take_word("top", "bottom")
        else:
            index = self.parse_of_kind(first, scope, Kind.NUMBER)
        place = self.parse_place(second, scope, ": cards go to places, not to what is computed")
        return syntax.Target(item.at, index, place)

    def check_move(self, node: syntax.Move, _: Bracket) -> None:
        memory = _collection_of(node.card)
        if isinstance(memory, syntax.Place) and memory.visibility == "mem":
            raise RecycleError("a mem holds copies, which do not move: forget drops one", node.card.at)
        if node.to.place.visibility == "mem":
            raise RecycleError("a mem holds copies, no cards move there: remember adds a copy", node.to.at)

    def check_remember(self, node: syntax.Remember, bracket: Bracket) -> None:
        if node.to.place.visibility != "mem":
            raise RecycleError(f"remember adds to a mem, (top (OWNER mem NAME)), not to {bracket.items[2]}", node.to.at)

    def make_forget(self, bracket: Bracket, card: syntax.Expression) -> syntax.Forget:
        memory = _collection_of(card)
        while isinstance(memory, syntax.Filter | syntax.Sort | syntax.Take | syntax.EndRun):
            memory = memory.over if isinstance(memory, syntax.Filter) else memory.cards
        if not isinstance(memory, syntax.Place) or memory.visibility != "mem":
            item = bracket.items[1]
            raise RecycleError(f"forget drops a copy from a mem, such as (top (OWNER mem NAME)), not {item}", item.at)
        return syntax.Forget(bracket.at, card, memory)

    def make_repeat(self, bracket: Bracket, times: syntax.Expression, act: syntax.Act) -> syntax.Act:
        """Makes a repeated act; a compound act becomes a loop over a range."""
        at = bracket.at
        if isinstance(act, syntax.Prim):
            return syntax.Repeat(at, times, act)
        counted = self.facts.new_binding(Atom(at, AtomKind.VARIABLE, "TIME"), Kind.NUMBER)
        return syntax.ForEach(at, "all", syntax.Range(at, syntax.Number(at, 1), times), counted, act)

    def make_repeat_all(self, bracket: Bracket, act: syntax.Act) -> syntax.RepeatAll:
        if not isinstance(act, syntax.Move | syntax.Forget):
            raise RecycleError(f"repeat all takes (move ..) or (forget ..), not {bracket.items[2]}", act.at)
        cards = _collection_of(act.card)
        if cards is None:
            raise RecycleError("repeat all needs a card of a collection, such as (top PLACE), not one card", act.card.at)
        return syntax.RepeatAll(bracket.at, cards, act)

    def make_set_cycle(self, bracket: Bracket, which: Any, who: Any) -> syntax.SetCycle:
        seat = who if isinstance(who, syntax.Expression) else syntax.CycleSeat(bracket.items[2].at, who)
        return syntax.SetCycle(bracket.at, which, seat)


def _list_acts(known: dict[str, Forms]) -> str:
    return "allowed are " + ", ".join(f"({word} ..)" for word in known if word != "put") + " and (CONDITION ACT)"


def _at_most(count: int, most: int, what: str, bracket: Bracket) -> None:
    if count > most:
        raise RecycleError(f"{count} {what}: at most {most} are allowed", bracket.at)


def _collection_of(card: syntax.Expression) -> syntax.Expression | None:
    card = syntax.strip_actual(card)
    return card.cards if isinstance(card, syntax.CardAt | syntax.Extreme) else None
