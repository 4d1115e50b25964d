"""Parses brackets as acts, choices and stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import constant_value
from cardenvs.recycle.language.cursor import Parts
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.expressions import COLLECTIONS, USAGES, Expressions, Facts, Scope, extend_scope
from cardenvs.recycle.language.reader import Atom, AtomKind, Bracket, Item
from cardenvs.recycle.language.setup import Setup
from cardenvs.recycle.language.syntax import Kind

PRIMS = {
    "set": "(set (OWNER sto NAME) NUMBER), (set (OWNER str NAME) STRING) or (set (OWNER points NAME) (AWARD ..))",
    "inc": "(inc (OWNER sto NAME) NUMBER)",
    "dec": "(dec (OWNER sto NAME) NUMBER)",
    "put": "(put points 'X (AWARD ..)), which is older than (set (game points X) (AWARD ..))",
    "move": "(move CARD (top PLACE)), or bottom or a number",
    "shuffle": "(shuffle PLACE)",
    "turn": "(turn pass)",
    "cycle": "(cycle next WHO) or (cycle current WHO), WHO a player or current, next or previous",
    "remember": "(remember CARD (top (OWNER mem NAME)))",
    "forget": "(forget (top (OWNER mem NAME)))",
    "tell": "(tell TEST), which all are told, or (tell WHO TEST), WHO a player or a team",
    "repeat": "(repeat NUMBER PRIM), (repeat all (move ..)) or (repeat all (forget ..))",
    "create": "(create deck [NAME] PLACE (deck ..))",
}
"""The syntax of each act that changes something, by its first word."""

ACTS = {
    **PRIMS,
    "do": "(do (ACT ACT ..)), with a bracket around the acts",
    "any": "(any COLLECTION 'X ACT)",
    "all": "(all COLLECTION 'X ACT)",
    "let": "(let VALUE 'X ACT)",
}
"""The syntax of each act, by its first word."""

STATEMENTS = {
    **ACTS,
    "stage": "(stage player (end CONDITION) STATEMENT ..), or team",
    "choice": "(choice (ACT ACT ..)), with a bracket around the alternatives",
}
"""The syntax of each statement of a game or a stage, by its first word."""

AWARD = "((ATTRIBUTE : VALUE) .. NUMBER)"

MOST_STAGES = MOST_ALTERNATIVES = MOST_TELLS = 100
MOST_CHOICES, MOST_ALTERNATIVES_IN_ALL = 40, 120
"""The most stages, tells, choices and alternatives of a game, and alternatives of a choice: each is compiled code."""


@dataclass
class Script:
    """Parses statements and acts. Each method raises a RecycleError where the text is none."""

    facts: Facts
    expressions: Expressions
    setup: Setup
    choices: int = 0  # number of each so far
    alternatives: int = 0
    stages: int = 0
    tells: int = 0

    def parse_statement(self, item: Item, scope: Scope) -> syntax.Statement:
        """Parses a stage, a choice or an act."""
        head = _head_atom(item)
        if isinstance(item, Bracket) and head is not None and head.is_word("stage"):
            return self.parse_stage(item, scope)
        if isinstance(item, Bracket) and head is not None and head.is_word("choice"):
            number = self.choices
            self.choices += 1
            _at_most(self.choices, MOST_CHOICES, "choices in a game", item)
            alternatives = self.parse_acts(Parts(item, STATEMENTS["choice"]), scope)
            _at_most(len(alternatives), MOST_ALTERNATIVES, "alternatives in a choice", item)
            self.alternatives += len(alternatives)
            _at_most(self.alternatives, MOST_ALTERNATIVES_IN_ALL, "alternatives in a game", item)
            return syntax.Choice(item.at, number, alternatives)
        return self.parse_act(item, scope, STATEMENTS)

    def parse_stage(self, bracket: Bracket, scope: Scope) -> syntax.Stage:
        parts = Parts(bracket, STATEMENTS["stage"])
        number = self.stages
        self.stages += 1
        _at_most(self.stages, MOST_STAGES, "stages in a game", bracket)
        of = cast('Literal["player"]', parts.take_word("player", "team"))
        ending = Parts(parts.take_bracket("(end CONDITION)"), "(end CONDITION)", taken=0)
        ending.take_word("end")
        end = self.expressions.parse_condition(ending.take_item("a condition"), scope)
        ending.expect_end()
        body = [self.parse_statement(parts.take_item("a statement"), scope)]
        while parts.left:
            body.append(self.parse_statement(parts.take_item("a statement"), scope))
        return syntax.Stage(bracket.at, number, of, end, tuple(body))

    def parse_acts(self, parts: Parts, scope: Scope) -> tuple[syntax.Act, ...]:
        bracket = parts.take_bracket("a bracket with acts")
        head = bracket.items[0] if bracket.items else None
        if head is None:
            raise RecycleError(f"there must be an act in here: it is written {parts.usage}", bracket.closed)
        if isinstance(head, Atom):
            raise RecycleError(
                f"an act stands here, where a bracket with acts must stand: it is written {parts.usage}", bracket.at
            )
        acts = tuple(self.parse_act(item, scope, ACTS) for item in bracket.items)
        parts.expect_end()
        return acts

    def parse_act(self, item: Item, scope: Scope, known: dict[str, str]) -> syntax.Act:
        """Parses an act; ``known`` has the usage of what may stand here, by its first word."""
        listed = ", ".join(f"({word} ..)" for word in known if word != "put")
        if not isinstance(item, Bracket):
            raise RecycleError(f"{item} is no act: allowed are {listed} and (CONDITION ACT)", item.at)
        if not item.items:
            raise RecycleError(f"an empty bracket is no act: allowed are {listed} and (CONDITION ACT)", item.at)
        head = item.items[0]
        if isinstance(head, Bracket):
            return self.parse_guarded(item, head, scope)
        if head.is_word("choice", "stage"):
            raise RecycleError(f"({head} ..) stands directly in (game ..) or (stage ..), not in an act", item.at)
        if head.text in USAGES and head.text not in ACTS:
            raise RecycleError(f"{item} is a value where an act must stand: a guarded act is (CONDITION ACT)", head.at)
        if head.text not in ACTS or head.kind is not AtomKind.WORD:
            meant = did_you_mean(head.text, known)
            raise RecycleError(f"{item} is no act: allowed are {listed} and (CONDITION ACT){meant}", head.at)
        parts = Parts(item, ACTS[head.text])
        act = self.parse_form(head.text, parts, scope)
        parts.expect_end()
        return act

    def parse_guarded(self, bracket: Bracket, head: Bracket, scope: Scope) -> syntax.Guarded:
        """Parses ``(CONDITION ACT)``."""
        parts = Parts(bracket, "(CONDITION ACT)", taken=0)
        first = _head_atom(head)
        if first is not None and first.kind is AtomKind.WORD and first.text in ACTS and first.text not in ("any", "all"):
            raise RecycleError(
                f"{head} is an act where a condition must stand: acts in a bracket of their own need do, (do (ACT ..))",
                head.at,
            )
        condition = self.expressions.parse_condition(parts.take_item("a condition"), scope)
        act = self.parse_only_act(parts, scope)
        return syntax.Guarded(bracket.at, condition, act)

    def parse_only_act(self, parts: Parts, scope: Scope) -> syntax.Act:
        act = self.parse_act(parts.take_item("an act"), scope, ACTS)
        item = parts.peek()
        if isinstance(item, Bracket):
            raise RecycleError(f"{item} is a second act, where one stands: several are (do (ACT ACT ..))", item.at)
        parts.expect_end()
        return act

    def parse_form(self, word: str, parts: Parts, scope: Scope) -> syntax.Act:
        at = parts.bracket.at
        if word == "do":
            return syntax.Do(at, self.parse_acts(parts, scope))
        if word in ("any", "all"):
            over = self.expressions.parse_collection(parts.take_item("a collection"), scope)
            variable = self.expressions.bind_item(over, parts)
            act = self.parse_only_act(parts, extend_scope(scope, variable))
            return syntax.ForEach(at, cast('Literal["any"]', word), over, variable, act)
        if word == "let":
            kinds = (Kind.NUMBER, Kind.BOOLEAN, Kind.STRING, Kind.CARD, Kind.SEAT, *COLLECTIONS)
            value = self.expressions.parse_of_kind(parts.take_item("a value"), scope, *kinds)
            variable = self.facts.new_binding(parts.take_variable(), value.kind)
            return syntax.Let(at, value, variable, self.parse_only_act(parts, extend_scope(scope, variable)))
        if word == "repeat":
            return self.parse_repeat(parts, scope)
        return self.parse_prim(word, parts, scope)

    def parse_prim(self, word: str, parts: Parts, scope: Scope) -> syntax.Prim:
        at = parts.bracket.at
        match word:
            case "set":
                return self.parse_set(parts, scope)
            case "inc" | "dec":
                item = parts.take_item("a bin")
                target = self.parse_bin(item, parts, scope)
                if not isinstance(target, syntax.NumberBin):
                    raise RecycleError(f"{word} changes a number, (OWNER sto NAME), not {item}", item.at)
                amount = self.expressions.parse_number(parts.take_item("a number"), scope)
                return syntax.Change(at, cast('Literal["inc"]', word), target, amount)
            case "put":
                parts.take_word("points")
                variable = parts.take_variable()
                name = syntax.Name(variable.at, variable.text)
                points = syntax.PointMap(variable.at, syntax.GameOwner(variable.at), name)
                return syntax.SetMap(at, points, self.parse_awards(parts.take_bracket("awards"), scope))
            case "move":
                return self.parse_move(parts, scope)
            case "shuffle":
                return syntax.Shuffle(at, self.expressions.parse_place(parts.take_item("a place"), scope))
            case "turn":
                parts.take_word("pass")
                return syntax.TurnPass(at)
            case "cycle":
                which = cast('Literal["next"]', parts.take_word("next", "current"))
                return syntax.SetCycle(at, which, self.parse_who(parts, scope))
            case "remember":
                card = self.expressions.parse_card(parts.take_item("a card"), scope)
                item = parts.take_item("a place in a mem")
                target_place = self.parse_target(item, scope)
                if target_place.place.visibility != "mem":
                    raise RecycleError(f"remember adds to a mem, (top (OWNER mem NAME)), not to {item}", item.at)
                return syntax.Remember(at, card, target_place)
            case "forget":
                return self.parse_forget(parts, scope)
            case "tell":
                return self.parse_tell(parts, scope)
            case _:
                parts.next_item = len(parts.bracket.items)
                return self.setup.parse_deck(parts.bracket, scope)

    def parse_bin(self, item: Item, parts: Parts, scope: Scope) -> syntax.NumberBin | syntax.StringBin | syntax.PointMap:
        """Parses ``(OWNER sto NAME)``, ``(OWNER str NAME)`` or ``(OWNER points NAME)``."""
        if not isinstance(item, Bracket):
            raise parts.mismatch_error(item, "(OWNER sto NAME), (OWNER str NAME) or (OWNER points NAME)")
        storage = self.expressions.parse_storage(item, scope)
        if isinstance(storage, syntax.Place):
            raise RecycleError(
                f"{item} is a place of cards, which is changed by move: it is written {parts.usage}", item.at
            )
        return storage

    def parse_set(self, parts: Parts, scope: Scope) -> syntax.Prim:
        at = parts.bracket.at
        target = self.parse_bin(parts.take_item("a bin"), parts, scope)
        if isinstance(target, syntax.NumberBin):
            return syntax.SetNumber(at, target, self.expressions.parse_number(parts.take_item("a number"), scope))
        if isinstance(target, syntax.StringBin):
            return syntax.SetString(at, target, self.expressions.parse_string(parts.take_item("a string"), scope))
        return syntax.SetMap(at, target, self.parse_awards(parts.take_bracket("awards"), scope))

    def parse_awards(self, bracket: Bracket, scope: Scope) -> tuple[syntax.Award, ...]:
        """Parses ``(AWARD AWARD ..)``."""
        if not bracket.items:
            raise RecycleError(f"there must be an award in here, {AWARD}", bracket.closed)
        awards = []
        for item in bracket.items:
            if not isinstance(item, Bracket):
                raise RecycleError(f"an award, {AWARD}, must stand here, not {item}", item.at)
            parts = Parts(item, AWARD, taken=0)
            keys = [self.parse_key(parts.take_bracket("a key, (ATTRIBUTE : VALUE)"), scope)]
            while parts.left > 1:
                keys.append(self.parse_key(parts.take_bracket("a key, (ATTRIBUTE : VALUE)"), scope))
            points = self.expressions.parse_number(parts.take_item("a number"), scope)
            awards.append(syntax.Award(item.at, tuple(keys), points))
        return tuple(awards)

    def parse_key(self, bracket: Bracket, scope: Scope) -> syntax.Key:
        """Parses ``(ATTRIBUTE : VALUE)`` or the older ``(ATTRIBUTE (VALUE))`` and ``(ATTRIBUTE (cardatt ..))``."""
        parts = Parts(bracket, "(ATTRIBUTE : VALUE)", taken=0)
        attribute = self.expressions.parse_attribute(parts.take_item("an attribute"), scope)
        item = parts.peek()
        if isinstance(item, Bracket):
            parts.take_item("a value")
            head = _head_atom(item)
            if head is not None and head.kind is AtomKind.NAME and len(item.items) == 1:
                item = head
            elif head is None or not head.is_word("cardatt"):
                raise parts.mismatch_error(item, ":")
        else:
            parts.take_mark(":")
            item = parts.take_item("a value")
        value = self.expressions.parse_string(item, scope)
        parts.expect_end()
        return syntax.Key(bracket.at, attribute, value)

    def parse_target(self, item: Item, scope: Scope) -> syntax.Target:
        """The position to which a card goes: ``(top PLACE)``, ``(bottom PLACE)`` or ``(NUMBER PLACE)``."""
        usage = "a card goes to (top PLACE), (bottom PLACE) or (NUMBER PLACE)"
        if not isinstance(item, Bracket) or len(item.items) != 2:
            hint = ". Did you forget top ?" if isinstance(item, Bracket) and len(item.items) == 3 else ""
            raise RecycleError(f"{usage}, not to {item}{hint}", item.at)
        first, second = item.items
        if isinstance(first, Atom) and first.kind is AtomKind.WORD:
            parts = Parts(item, "(top PLACE), (bottom PLACE) or (NUMBER PLACE)", taken=0)
            index: Literal["top", "bottom"] | syntax.Expression = cast('Literal["top"]', parts.take_word("top", "bottom"))
        else:
            index = self.expressions.parse_number(first, scope)
        place = self.expressions.parse_place(second, scope, ": cards go to places, not to what is computed")
        return syntax.Target(item.at, index, place)

    def parse_move(self, parts: Parts, scope: Scope) -> syntax.Move:
        """``(move CARD TARGET)``."""
        source = parts.take_item("a card")
        card = self.expressions.parse_card(source, scope)
        memory = _collection_of(card)
        if isinstance(memory, syntax.Place) and memory.visibility == "mem":
            raise RecycleError("a mem holds copies, which do not move: forget drops one", source.at)
        item = parts.take_item("(top PLACE)")
        to = self.parse_target(item, scope)
        if to.place.visibility == "mem":
            raise RecycleError("a mem holds copies, no cards move there: remember adds a copy", item.at)
        return syntax.Move(parts.bracket.at, card, to)

    def parse_tell(self, parts: Parts, scope: Scope) -> syntax.Tell:
        """``(tell TEST)``, ``(tell game TEST)`` or ``(tell WHO TEST)``."""
        who: syntax.Expression | None = None
        self.tells += 1
        _at_most(self.tells, MOST_TELLS, "(tell ..) in a game", parts.bracket)
        if parts.left > 1:
            item = parts.take_item("a player or a team")
            if not (isinstance(item, Atom) and item.is_word("game")):
                who = self.expressions.parse_of_kind(item, scope, Kind.SEAT, Kind.SIDE)
        test = self.expressions.parse_condition(parts.take_item("a condition"), scope)
        return syntax.Tell(parts.bracket.at, who, test)

    def parse_forget(self, parts: Parts, scope: Scope) -> syntax.Forget:
        item = parts.take_item("a card of a mem")
        card = self.expressions.parse_card(item, scope)
        memory = _collection_of(card)
        while isinstance(memory, syntax.Filter | syntax.Sort | syntax.Take | syntax.EndRun):
            memory = memory.over if isinstance(memory, syntax.Filter) else memory.cards
        if not isinstance(memory, syntax.Place) or memory.visibility != "mem":
            raise RecycleError(f"forget drops a copy from a mem, such as (top (OWNER mem NAME)), not {item}", item.at)
        return syntax.Forget(parts.bracket.at, card, memory)

    def parse_repeat(self, parts: Parts, scope: Scope) -> syntax.Act:
        """Parses ``(repeat NUMBER ACT)`` or ``(repeat all PRIM)``; a compound act becomes a loop over a range."""
        at = parts.bracket.at
        times = parts.take_item("a number or all")
        every = isinstance(times, Atom) and times.is_word("all")
        number = None if every else self.expressions.parse_number(times, scope)
        item = parts.take_item("an act")
        act = self.parse_act(item, scope, PRIMS if every else ACTS)
        if number is not None and isinstance(act, syntax.Prim):
            return syntax.Repeat(at, number, act)
        if number is not None:
            counted = self.facts.new_binding(Atom(at, AtomKind.VARIABLE, "TIME"), Kind.NUMBER)
            return syntax.ForEach(at, "all", syntax.Range(at, syntax.Number(at, 1), number), counted, act)
        if not isinstance(act, syntax.Move | syntax.Forget):
            raise RecycleError(f"repeat all takes (move ..) or (forget ..), not {item}", item.at)
        cards = _collection_of(act.card)
        if cards is None:
            raise RecycleError("repeat all needs a card of a collection, such as (top PLACE), not one card", act.card.at)
        return syntax.RepeatAll(at, cards, act)

    def parse_who(self, parts: Parts, scope: Scope) -> syntax.Expression:
        item = parts.take_item("a player")
        if isinstance(item, Atom) and item.is_word("current", "next", "previous"):
            return syntax.CycleSeat(item.at, cast('Literal["current"]', item.text))
        return self.expressions.parse_of_kind(item, scope, Kind.SEAT)

    def parse_scoring(self, bracket: Bracket, scope: Scope) -> syntax.Scoring:
        parts = Parts(bracket, "(scoring max NUMBER) or (scoring min NUMBER)")
        best = cast('Literal["max"]', parts.take_word("max", "min"))
        points = self.expressions.parse_number(parts.take_item("a number"), scope)
        constant_value(points, self.facts.constants, self.facts.budget)
        parts.expect_end()
        return syntax.Scoring(bracket.at, best, points)


def _at_most(count: int, most: int, what: str, bracket: Bracket) -> None:
    if count > most:
        raise RecycleError(f"{count} {what}: at most {most} are allowed", bracket.at)


def _head_atom(item: Item) -> Atom | None:
    """Returns the first item of a bracket, if it is an atom."""
    if isinstance(item, Bracket) and item.items and isinstance(item.items[0], Atom):
        return item.items[0]
    return None


def _collection_of(card: syntax.Expression) -> syntax.Expression | None:
    card = syntax.strip_actual(card)
    return card.cards if isinstance(card, syntax.CardAt | syntax.Extreme) else None
