"""Brackets as acts, choices and stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import constant
from cardenvs.recycle.language.cursor import Parts
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.expressions import COLLECTIONS, USAGES, Expressions, Facts, Scope, within
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
    """Parses statements and acts.

    Attributes:
        facts: what is known of the description.
        expressions: the parser of expressions.
        setup: the parser of decks.
        choices: how many choices there are so far.
        alternatives: how many alternatives there are so far, of all of them.
        stages: how many stages there are so far.
        tells: how many acts there are so far that tell something.
    """

    facts: Facts
    expressions: Expressions
    setup: Setup
    choices: int = 0
    alternatives: int = 0
    stages: int = 0
    tells: int = 0

    # Statements

    def statement(self, item: Item, scope: Scope) -> syntax.Statement:
        """A stage, a choice or an act.

        Raises:
            RecycleError: it is none of them.
        """
        head = _head(item)
        if isinstance(item, Bracket) and head is not None and head.is_word("stage"):
            return self.stage(item, scope)
        if isinstance(item, Bracket) and head is not None and head.is_word("choice"):
            number = self.choices
            self.choices += 1
            _at_most(self.choices, MOST_CHOICES, "choices in a game", item)
            alternatives = self.acts(Parts(item, STATEMENTS["choice"]), scope)
            _at_most(len(alternatives), MOST_ALTERNATIVES, "alternatives in a choice", item)
            self.alternatives += len(alternatives)
            _at_most(self.alternatives, MOST_ALTERNATIVES_IN_ALL, "alternatives in a game", item)
            return syntax.Choice(item.at, number, alternatives)
        return self.act(item, scope, STATEMENTS)

    def stage(self, bracket: Bracket, scope: Scope) -> syntax.Stage:
        """``(stage player (end CONDITION) STATEMENT ..)``."""
        parts = Parts(bracket, STATEMENTS["stage"])
        number = self.stages
        self.stages += 1
        _at_most(self.stages, MOST_STAGES, "stages in a game", bracket)
        of = cast('Literal["player"]', parts.word("player", "team"))
        ending = Parts(parts.brackets("(end CONDITION)"), "(end CONDITION)", taken=0)
        ending.word("end")
        end = self.expressions.condition(ending.take("a condition"), scope)
        ending.end()
        body = [self.statement(parts.take("a statement"), scope)]
        while parts.left:
            body.append(self.statement(parts.take("a statement"), scope))
        return syntax.Stage(bracket.at, number, of, end, tuple(body))

    # Acts

    def acts(self, parts: Parts, scope: Scope) -> tuple[syntax.Act, ...]:
        """``(ACT ACT ..)``, the only part of ``do`` and ``choice``."""
        bracket = parts.brackets("a bracket with acts")
        head = bracket.items[0] if bracket.items else None
        if head is None:
            raise RecycleError(f"there must be an act in here: it is written {parts.usage}", bracket.closed)
        if isinstance(head, Atom):
            raise RecycleError(
                f"an act stands here, where a bracket with acts must stand: it is written {parts.usage}", bracket.at
            )
        acts = tuple(self.act(item, scope, ACTS) for item in bracket.items)
        parts.end()
        return acts

    def act(self, item: Item, scope: Scope, known: dict[str, str]) -> syntax.Act:
        """An act.

        Args:
            item: what is written.
            scope: the variables that are bound here.
            known: what may stand here, by its first word.

        Raises:
            RecycleError: it is no act.
        """
        listed = ", ".join(f"({word} ..)" for word in known if word != "put")
        if not isinstance(item, Bracket):
            raise RecycleError(f"{item} is no act: allowed are {listed} and (CONDITION ACT)", item.at)
        if not item.items:
            raise RecycleError(f"an empty bracket is no act: allowed are {listed} and (CONDITION ACT)", item.at)
        head = item.items[0]
        if isinstance(head, Bracket):
            return self.guarded(item, head, scope)
        if head.is_word("choice", "stage"):
            raise RecycleError(f"({head} ..) stands directly in (game ..) or (stage ..), not in an act", item.at)
        if head.text in USAGES and head.text not in ACTS:
            raise RecycleError(f"{item} is a value where an act must stand: a guarded act is (CONDITION ACT)", head.at)
        if head.text not in ACTS or head.kind is not AtomKind.WORD:
            meant = did_you_mean(head.text, known)
            raise RecycleError(f"{item} is no act: allowed are {listed} and (CONDITION ACT){meant}", head.at)
        parts = Parts(item, ACTS[head.text])
        act = self.form(head.text, parts, scope)
        parts.end()
        return act

    def guarded(self, bracket: Bracket, head: Bracket, scope: Scope) -> syntax.Guarded:
        """``(CONDITION ACT)``."""
        parts = Parts(bracket, "(CONDITION ACT)", taken=0)
        first = _head(head)
        if first is not None and first.kind is AtomKind.WORD and first.text in ACTS and first.text not in ("any", "all"):
            raise RecycleError(
                f"{head} is an act where a condition must stand: acts in a bracket of their own need do, (do (ACT ..))",
                head.at,
            )
        condition = self.expressions.condition(parts.take("a condition"), scope)
        act = self.only_act(parts, scope)
        return syntax.Guarded(bracket.at, condition, act)

    def only_act(self, parts: Parts, scope: Scope) -> syntax.Act:
        """The act at the end of a bracket.

        Raises:
            RecycleError: it is none, or another act follows.
        """
        act = self.act(parts.take("an act"), scope, ACTS)
        item = parts.peek()
        if isinstance(item, Bracket):
            raise RecycleError(f"{item} is a second act, where one stands: several are (do (ACT ACT ..))", item.at)
        parts.end()
        return act

    def form(self, word: str, parts: Parts, scope: Scope) -> syntax.Act:
        """The act that starts with a word."""
        at = parts.bracket.at
        if word == "do":
            return syntax.Do(at, self.acts(parts, scope))
        if word in ("any", "all"):
            over = self.expressions.collection(parts.take("a collection"), scope)
            variable = self.expressions.item_of(over, parts)
            act = self.only_act(parts, within(scope, variable))
            return syntax.ForEach(at, cast('Literal["any"]', word), over, variable, act)
        if word == "let":
            kinds = (Kind.NUMBER, Kind.BOOLEAN, Kind.STRING, Kind.CARD, Kind.SEAT, *COLLECTIONS)
            value = self.expressions.of_kind(parts.take("a value"), scope, *kinds)
            variable = self.facts.binding(parts.variable(), value.kind)
            return syntax.Let(at, value, variable, self.only_act(parts, within(scope, variable)))
        if word == "repeat":
            return self.repeat(parts, scope)
        return self.prim(word, parts, scope)

    def prim(self, word: str, parts: Parts, scope: Scope) -> syntax.Prim:
        """The act that starts with a word and changes something itself."""
        at = parts.bracket.at
        match word:
            case "set":
                return self.set(parts, scope)
            case "inc" | "dec":
                item = parts.take("a bin")
                target = self.bin(item, parts, scope)
                if not isinstance(target, syntax.NumberBin):
                    raise RecycleError(f"{word} changes a number, (OWNER sto NAME), not {item}", item.at)
                amount = self.expressions.number(parts.take("a number"), scope)
                return syntax.Change(at, cast('Literal["inc"]', word), target, amount)
            case "put":
                parts.word("points")
                variable = parts.variable()
                name = syntax.Name(variable.at, variable.text)
                points = syntax.PointMap(variable.at, syntax.GameOwner(variable.at), name)
                return syntax.SetMap(at, points, self.awards(parts.brackets("awards"), scope))
            case "move":
                return self.move(parts, scope)
            case "shuffle":
                return syntax.Shuffle(at, self.expressions.place(parts.take("a place"), scope))
            case "turn":
                parts.word("pass")
                return syntax.TurnPass(at)
            case "cycle":
                which = cast('Literal["next"]', parts.word("next", "current"))
                return syntax.SetCycle(at, which, self.who(parts, scope))
            case "remember":
                card = self.expressions.card(parts.take("a card"), scope)
                item = parts.take("a place in a mem")
                target_place = self.target(item, scope)
                if target_place.place.visibility != "mem":
                    raise RecycleError(f"remember adds to a mem, (top (OWNER mem NAME)), not to {item}", item.at)
                return syntax.Remember(at, card, target_place)
            case "forget":
                return self.forget(parts, scope)
            case "tell":
                return self.tell(parts, scope)
            case _:
                parts.next_item = len(parts.bracket.items)
                return self.setup.new_deck(parts.bracket, scope)

    def bin(self, item: Item, parts: Parts, scope: Scope) -> syntax.NumberBin | syntax.StringBin | syntax.PointMap:
        """``(OWNER sto NAME)``, ``(OWNER str NAME)`` or ``(OWNER points NAME)``."""
        if not isinstance(item, Bracket):
            raise parts.wrong(item, "(OWNER sto NAME), (OWNER str NAME) or (OWNER points NAME)")
        storage = self.expressions.storage(item, scope)
        if isinstance(storage, syntax.Place):
            raise RecycleError(
                f"{item} is a place of cards, which is changed by move: it is written {parts.usage}", item.at
            )
        return storage

    def set(self, parts: Parts, scope: Scope) -> syntax.Prim:
        """``(set BIN VALUE)``."""
        at = parts.bracket.at
        target = self.bin(parts.take("a bin"), parts, scope)
        if isinstance(target, syntax.NumberBin):
            return syntax.SetNumber(at, target, self.expressions.number(parts.take("a number"), scope))
        if isinstance(target, syntax.StringBin):
            return syntax.SetString(at, target, self.expressions.string(parts.take("a string"), scope))
        return syntax.SetMap(at, target, self.awards(parts.brackets("awards"), scope))

    def awards(self, bracket: Bracket, scope: Scope) -> tuple[syntax.Award, ...]:
        """``(AWARD AWARD ..)``."""
        if not bracket.items:
            raise RecycleError(f"there must be an award in here, {AWARD}", bracket.closed)
        awards = []
        for item in bracket.items:
            if not isinstance(item, Bracket):
                raise RecycleError(f"an award, {AWARD}, must stand here, not {item}", item.at)
            parts = Parts(item, AWARD, taken=0)
            keys = [self.key(parts.brackets("a key, (ATTRIBUTE : VALUE)"), scope)]
            while parts.left > 1:
                keys.append(self.key(parts.brackets("a key, (ATTRIBUTE : VALUE)"), scope))
            points = self.expressions.number(parts.take("a number"), scope)
            awards.append(syntax.Award(item.at, tuple(keys), points))
        return tuple(awards)

    def key(self, bracket: Bracket, scope: Scope) -> syntax.Key:
        """``(ATTRIBUTE : VALUE)``; older are ``(ATTRIBUTE (VALUE))`` and ``(ATTRIBUTE (cardatt ..))``."""
        parts = Parts(bracket, "(ATTRIBUTE : VALUE)", taken=0)
        attribute = self.expressions.attribute(parts.take("an attribute"), scope)
        item = parts.peek()
        if isinstance(item, Bracket):
            parts.take("a value")
            head = _head(item)
            if head is not None and head.kind is AtomKind.NAME and len(item.items) == 1:
                item = head
            elif head is None or not head.is_word("cardatt"):
                raise parts.wrong(item, ":")
        else:
            parts.mark(":")
            item = parts.take("a value")
        value = self.expressions.string(item, scope)
        parts.end()
        return syntax.Key(bracket.at, attribute, value)

    def target(self, item: Item, scope: Scope) -> syntax.Target:
        """The position to which a card goes: ``(top PLACE)``, ``(bottom PLACE)`` or ``(NUMBER PLACE)``."""
        usage = "a card goes to (top PLACE), (bottom PLACE) or (NUMBER PLACE)"
        if not isinstance(item, Bracket) or len(item.items) != 2:
            hint = ". Did you forget top ?" if isinstance(item, Bracket) and len(item.items) == 3 else ""
            raise RecycleError(f"{usage}, not to {item}{hint}", item.at)
        first, second = item.items
        if isinstance(first, Atom) and first.kind is AtomKind.WORD:
            parts = Parts(item, "(top PLACE), (bottom PLACE) or (NUMBER PLACE)", taken=0)
            index: Literal["top", "bottom"] | syntax.Expression = cast('Literal["top"]', parts.word("top", "bottom"))
        else:
            index = self.expressions.number(first, scope)
        place = self.expressions.place(second, scope, ": cards go to places, not to what is computed")
        return syntax.Target(item.at, index, place)

    def move(self, parts: Parts, scope: Scope) -> syntax.Move:
        """``(move CARD TARGET)``."""
        source = parts.take("a card")
        card = self.expressions.card(source, scope)
        memory = _collection_of(card)
        if isinstance(memory, syntax.Place) and memory.visibility == "mem":
            raise RecycleError("a mem holds copies, which do not move: forget drops one", source.at)
        item = parts.take("(top PLACE)")
        to = self.target(item, scope)
        if to.place.visibility == "mem":
            raise RecycleError("a mem holds copies, no cards move there: remember adds a copy", item.at)
        return syntax.Move(parts.bracket.at, card, to)

    def tell(self, parts: Parts, scope: Scope) -> syntax.Tell:
        """``(tell TEST)``, ``(tell game TEST)`` or ``(tell WHO TEST)``."""
        who: syntax.Expression | None = None
        self.tells += 1
        _at_most(self.tells, MOST_TELLS, "(tell ..) in a game", parts.bracket)
        if parts.left > 1:
            item = parts.take("a player or a team")
            if not (isinstance(item, Atom) and item.is_word("game")):
                who = self.expressions.of_kind(item, scope, Kind.SEAT, Kind.SIDE)
        test = self.expressions.condition(parts.take("a condition"), scope)
        return syntax.Tell(parts.bracket.at, who, test)

    def forget(self, parts: Parts, scope: Scope) -> syntax.Forget:
        """``(forget CARD)``, the card found in a ``mem``."""
        item = parts.take("a card of a mem")
        card = self.expressions.card(item, scope)
        memory = _collection_of(card)
        while isinstance(memory, syntax.Filter | syntax.Sort | syntax.Take | syntax.EndRun):
            memory = memory.over if isinstance(memory, syntax.Filter) else memory.cards
        if not isinstance(memory, syntax.Place) or memory.visibility != "mem":
            raise RecycleError(f"forget drops a copy from a mem, such as (top (OWNER mem NAME)), not {item}", item.at)
        return syntax.Forget(parts.bracket.at, card, memory)

    def repeat(self, parts: Parts, scope: Scope) -> syntax.Act:
        """``(repeat NUMBER ACT)`` or ``(repeat all PRIM)``; an act made of others is done for each of so many numbers."""
        at = parts.bracket.at
        times = parts.take("a number or all")
        every = isinstance(times, Atom) and times.is_word("all")
        number = None if every else self.expressions.number(times, scope)
        item = parts.take("an act")
        act = self.act(item, scope, PRIMS if every else ACTS)
        if number is not None and isinstance(act, syntax.Prim):
            return syntax.Repeat(at, number, act)
        if number is not None:
            counted = self.facts.binding(Atom(at, AtomKind.VARIABLE, "TIME"), Kind.NUMBER)
            return syntax.ForEach(at, "all", syntax.Range(at, syntax.Number(at, 1), number), counted, act)
        if not isinstance(act, syntax.Move | syntax.Forget):
            raise RecycleError(f"repeat all takes (move ..) or (forget ..), not {item}", item.at)
        cards = _collection_of(act.card)
        if cards is None:
            raise RecycleError("repeat all needs a card of a collection, such as (top PLACE), not one card", act.card.at)
        return syntax.RepeatAll(at, cards, act)

    def who(self, parts: Parts, scope: Scope) -> syntax.Expression:
        """``current``, ``next``, ``previous`` or a player."""
        item = parts.take("a player")
        if isinstance(item, Atom) and item.is_word("current", "next", "previous"):
            return syntax.CycleSeat(item.at, cast('Literal["current"]', item.text))
        return self.expressions.of_kind(item, scope, Kind.SEAT)

    def scoring(self, bracket: Bracket, scope: Scope) -> syntax.Scoring:
        """``(scoring max NUMBER)`` or ``(scoring min NUMBER)``."""
        parts = Parts(bracket, "(scoring max NUMBER) or (scoring min NUMBER)")
        best = cast('Literal["max"]', parts.word("max", "min"))
        points = self.expressions.number(parts.take("a number"), scope)
        constant(points, self.facts.constants, self.facts.budget)
        parts.end()
        return syntax.Scoring(bracket.at, best, points)


def _at_most(count: int, most: int, what: str, bracket: Bracket) -> None:
    """Checks a count against its limit."""
    if count > most:
        raise RecycleError(f"{count} {what}: at most {most} are allowed", bracket.at)


def _head(item: Item) -> Atom | None:
    """The first item of a bracket, if it is no bracket."""
    if isinstance(item, Bracket) and item.items and isinstance(item.items[0], Atom):
        return item.items[0]
    return None


def _collection_of(card: syntax.Expression) -> syntax.Expression | None:
    """The collection in which a card is found; None if it is a variable."""
    while isinstance(card, syntax.Actual):
        card = card.card
    return card.cards if isinstance(card, syntax.CardAt | syntax.Extreme) else None
