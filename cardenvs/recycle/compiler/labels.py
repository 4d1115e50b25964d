"""Labels of a described game for people: names of its cards, and of its actions by the text of its description.

An alternative, or an act that tells, is named by a short remark alone on the line before it, such as ``;; draw``; else by
its acts, or by its test.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from cardenvs.contract.board import Face, Whose
from cardenvs.contract.cards import card_name
from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.alternatives import Alternative
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.tells import Tells
from cardenvs.recycle.language import syntax

MOST_REMARK = 40  # the most characters of a remark that is taken for the name of an alternative

_RANKS = {
    "TWO": "2", "THREE": "3", "FOUR": "4", "FIVE": "5", "SIX": "6", "SEVEN": "7", "EIGHT": "8", "NINE": "9", "TEN": "T",
    "JACK": "J", "QUEEN": "Q", "KING": "K", "ACE": "A",
}  # fmt: skip
_SUITS = {"CLUBS": "c", "DIAMONDS": "d", "HEARTS": "h", "SPADES": "s"}
_SIGNS = {"==": "is", "!=": "is not", "inc": "+", "dec": "-", "current": "now", None: "all"}
"""The words for what is no node: operators, whose turn is set, and whom something is told."""
_PHRASES: dict[type[syntax.Node], str] = {
    syntax.Number: "{value}",
    syntax.Numeral: "{number}",
    syntax.Arithmetic: "{left} {operator} {right}",
    syntax.CardAttribute: "the {attribute} of {card}",
    syntax.Actual: "{card}",
    syntax.Size: "the size of {of}",
    syntax.Score: "the points of {card}",
    syntax.Sum: "the points of {cards}",
    syntax.Comparison: "{left} {operator} {right}",
    syntax.Not: "not {operand}",
    syntax.Quantified: "for {quantifier} {variable} of {over}: {condition}",
    syntax.Filter: "the {variable} of {over} with {condition}",
    syntax.SetNumber: "{bin} = {value}",
    syntax.SetString: "{bin} = {value}",
    syntax.Change: "{bin} {operator} {amount}",
    syntax.Move: "{card} to {to}",
    syntax.Remember: "{card} to {to}",
    syntax.Target: "{place}",
    syntax.Forget: "forget {card}",
    syntax.Shuffle: "shuffle {place}",
    syntax.TurnPass: "pass",
    syntax.Tell: "tell {who} whether {test}",
    syntax.SetCycle: "{which}: {who}",
    syntax.RepeatAll: "all of {cards}",
}
"""The phrases for expressions and acts, with those for their fields in braces."""
_DONE = "done"  # the word for choosing nothing more, where an option is chosen in parts


def display_name(name: str) -> str:
    return name.lower()


def display_faces(layout: Layout, usual: bool = True) -> list[Face]:
    """Returns the faces of a game's cards for people; as in the pack of 52 if all with its ranks or suits are of it."""
    found = []
    backs: dict[syntax.Face, list[str]] = {}
    for deck, values in layout.faces:
        backs.setdefault(values, []).append(deck)
    for deck, values in layout.faces:
        attributes = dict(values)
        rank, suit = _RANKS.get(attributes.get("RANK", "")), _SUITS.get(attributes.get("SUIT", ""))
        card = rank + suit if usual and rank and suit else None
        name = (
            card_name(card)
            if card
            else " ".join(display_name(value) for _, value in values) or display_name(deck) or "card"
        )
        found.append(Face(f"{name} ({display_name(deck)})" if len(backs[values]) > 1 else name, card))
    # Cards of one name that the rules tell apart have all their values in their names.
    for describe_act in (
        lambda _, value: display_name(value),
        lambda name, value: f"{display_name(name)} {display_name(value)}",
    ):
        counts = Counter(face.name for face in found)
        for k, (_, values) in enumerate(layout.faces):
            if counts[found[k].name] > 1:
                found[k] = Face(" ".join(describe_act(name, value) for name, value in values), None)
    related = (
        face.card
        for face, (_, values) in zip(found, layout.faces, strict=True)
        if {"RANK", "SUIT"} <= dict(values).keys() and any(value in _RANKS or value in _SUITS for _, value in values)
    )
    return found if not usual or all(related) else display_faces(layout, usual=False)


class ActionLabels:
    """The labels of a game's actions, distinct within each choice; ``fallback`` has the names of the actions."""

    def __init__(self, layout: Layout, actions: Actions, named: list[Face], fallback: tuple[str, ...]) -> None:
        self.layout, self.actions, self.named, self.fallback = layout, actions, named, fallback
        self._lines = layout.description.source.splitlines()
        self._told: dict[int, dict[int, int]] = {}

    def label(self, action: int, site: int, seat: Callable[[int], str]) -> str:
        """Returns the label of an action at a choice; ``seat`` names a seat, counted from the one to act."""
        if site not in self._told:
            self._told[site] = self._find_levels(site)
        return self._labels(action, site, seat)[self._told[site].get(action, 0)]

    def _find_levels(self, site: int) -> dict[int, int]:
        """Returns, by action that a choice can offer, the index of the first of its labels that is unique."""
        offered = sorted(set().union(*(one.own_actions for one in self._of_site(site)), set()))
        labels = {action: self._labels(action, site, lambda ahead: f"seat {ahead}") for action in offered}
        needed = dict.fromkeys(offered, 0)
        for _ in range(3):
            counts = Counter(labels[action][k] for action, k in needed.items())
            needed = {action: min(k + (counts[labels[action][k]] > 1), 3) for action, k in needed.items()}
        return needed

    def _labels(self, action: int, site: int, seat: Callable[[int], str]) -> tuple[str, str, str, str]:
        """Returns four labels of an action: brief; with its chosen values; with their purpose; with the action's name."""
        brief = self._brief_label(action, site, seat)
        chosen = (self._describe_value(kind, value, seat) for kind, value in self.actions.keys[action])
        said = ", ".join(value for value in chosen if value)
        of = [describe_act(one.act, {}) for one in self._of_site(site) if action in one.own_actions]
        purpose = of[0] if len(of) == 1 else ""
        return tuple(  # type: ignore[return-value]
            f"{brief} ({more})" if more and more != brief else brief for more in ("", said, purpose, self.fallback[action])
        )

    def _brief_label(self, action: int, site: int, seat: Callable[[int], str]) -> str:
        key = [(kind, value) for kind, value in self.actions.keys[action] if kind not in ("choice", "alternative")]
        values = [self._describe_value(kind, value, seat) for kind, value in key]
        if any(value is None for value in values):
            return self.fallback[action].replace(".", ", ")
        said = ", ".join(value for value in values if value is not None)
        if len(key) < len(self.actions.keys[action]) or not any(kind == "card" for kind, _ in key):
            return self._with_alternative(action, site, said, seat) or self.fallback[action]
        return said

    def _describe_value(self, kind: str, value: int, seat: Callable[[int], str]) -> str | None:
        match kind:
            case "card":
                return self.named[value].name
            case "string":
                return display_name(self.layout.strings[value])
            case "seat":
                return seat(value)
            case "side":
                return f"team {value}"
            case "number":
                return str(value)
            case "done":
                return _DONE
        return None

    def _with_alternative(self, action: int, site: int, said: str, seat: Callable[[int], str]) -> str:
        """Labels an action by the only alternative that can have it, with its values; else by the values alone."""
        found = [one for one in self._of_site(site) if action in one.own_actions]
        if len(found) != 1:
            return said
        remark = self.remark_before(found[0].act)
        if remark or said == _DONE:
            return ": ".join(part for part in (remark, said) if part)
        return describe_act(found[0].act, self.bound_values(action, site, seat)) or said

    def bound_values(self, action: int, site: int, seat: Callable[[int], str]) -> dict[int, str]:
        """Returns the values that an action gives to variables, by their numbers, if one alternative alone can have it."""
        found = [one for one in self._of_site(site) if action in one.own_actions]
        domains = found[0].domains if len(found) == 1 else []
        chosen = self.actions.keys[action][-len(domains) :] if domains else ()
        return {
            domain.any.variable.number: self._describe_value(kind, value, seat) or ".."
            for domain, (kind, value) in zip(domains, chosen, strict=False)
        }

    def _of_site(self, site: int) -> list[Alternative]:
        return self.actions.alternatives[site] if 0 <= site < len(self.actions.alternatives) else []

    def remark_before(self, act: syntax.Act) -> str:
        """Returns the short remark alone on the line before an act that begins a line; empty for none."""
        line, column = act.at
        above = [text.strip() for text in self._lines[max(line - 3, 0) : line - 1]]
        if not above or self._lines[line - 1][: column - 1].strip() or not above[-1].startswith(";;"):
            return ""
        if len(above) > 1 and above[0].startswith(";;"):
            return ""  # the end of a longer remark
        text = above[-1].lstrip(";").strip().rstrip(".")
        return text if len(text) <= MOST_REMARK and re.fullmatch(r"[\w ,'/&+-]+", text) else ""


class ToldWords:
    """Sentences for what ``(tell ..)`` acts have told; ``visible`` says, by choice, which actions all seats see."""

    def __init__(
        self, layout: Layout, actions: Actions, tells: Tells, labels: ActionLabels, visible: list[list[int]]
    ) -> None:
        self.layout, self.actions, self.tells, self.labels, self.visible = layout, actions, tells, labels, visible

    def __call__(self, before: Any, action: int, after: Any, seat: int | None, whose: Whose) -> list[str]:
        """Returns the sentences for what a seat, or all for None, was told behind an action, in order.

        ``before`` and ``after`` are the records around it; ``whose(kind of owner, number)`` is the prefix for an owner's
        place.
        """
        seats, actor, site = self.layout.seats, int(before["to_act"]), int(before["site"])
        known = seat == actor or bool(self.visible[site][action])
        named = {ahead: whose("player", (actor + ahead) % seats).removesuffix("'s ") for ahead in range(seats)}
        bound = self.labels.bound_values(action, site, named.__getitem__) if known else {}
        return [
            f"told whether {self._describe_telling(number, bound, place, index, whose)}: {'yes' if holds else 'no'}"
            for number, holds, place, index, hear in after["said"][: int(after["sayings"])].tolist()
            if (hear == (1 << seats) - 1 if seat is None else hear >> seat & 1)
        ]

    def _describe_telling(self, number: int, bound: Mapping[int, str], place: int, index: int, whose: Whose) -> str:
        return self.labels.remark_before(self.tells.acts[number]) or self._describe_test(number, bound, place, index, whose)

    def _describe_test(self, number: int, bound: Mapping[int, str], place: int, index: int, whose: Whose) -> str:
        """Describes a test that was told, with the card at an index of a place if it is about one card."""
        act, named = self.tells.acts[number], dict(bound)
        if place >= 0:
            one, owner = self.layout.places[place]
            card = f"card {index + 1} of {whose(one.owner, owner)}{display_name(one.name)}"
            named |= {
                found.binding.number: card for found, *_ in self.tells.told_cards(act) if isinstance(found, syntax.Variable)
            }
        return _describe_node(act.test, named)


# --- what acts do -----------------------------------------------------------------------------------------------------


def describe_act(act: syntax.Act, bound: Mapping[int, str]) -> str:
    """Describes the effect of an act briefly, without conditional and repeated parts; ``bound`` names its variables."""
    while isinstance(act, syntax.Guarded) or (isinstance(act, syntax.ForEach) and act.quantifier == "any"):
        act = act.act
    return ", ".join(_phrases(act, dict(bound)))


def _phrases(act: syntax.Act, bound: dict[int, str]) -> list[str]:
    match act:
        case syntax.Do(_, acts):
            return [phrase for one in acts for phrase in _phrases(one, bound)]
        case syntax.Let(_, value, variable, inner):
            bound[variable.number] = _describe_node(value, bound)
            return _phrases(inner, bound)
        case syntax.ForEach(_, "any", _, _, inner):
            return _phrases(inner, bound)
        case syntax.Repeat(_, times, prim):
            return [f"{_describe_node(times, bound)} times {phrase}" for phrase in _phrases(prim, bound)]
    return [_describe_node(act, bound)] if type(act) in _PHRASES else []


def _describe_node(node: syntax.Node, bound: Mapping[int, str]) -> str:
    """Describes an expression or an act; ``..`` if there is no short form."""
    match node:
        case syntax.Name(_, text):
            return display_name(text)
        case syntax.Binding():
            return display_name(node.name)
        case syntax.Variable(_, binding):
            return bound.get(binding.number) or display_name(binding.name)
        case syntax.Place(_, owner, _, name) | syntax.NumberBin(_, owner, name) | syntax.StringBin(_, owner, name):
            return f"{_owner_prefix(owner, bound)}{_describe_node(name, bound)}"
        case syntax.CardAt(_, "top" | "bottom" as end, cards):
            return f"the {end} of {_describe_node(cards, bound)}"
        case syntax.CycleSeat(_, which) | syntax.CycleSide(_, which):
            return {"current": "you", "next": "the next", "previous": "the one before"}[which]
        case syntax.Logic(_, operator, operands):
            return f" {operator} ".join(_describe_node(operand, bound) for operand in operands)

    def describe_field(found: re.Match[str]) -> str:
        part = getattr(node, found[1])
        return _describe_node(part, bound) if isinstance(part, syntax.Node) else _SIGNS.get(part, str(part))

    return re.sub(r"\{(\w+)\}", describe_field, _PHRASES.get(type(node), ".."))


def _owner_prefix(owner: syntax.Owner, bound: Mapping[int, str]) -> str:
    if isinstance(owner, syntax.GameOwner):
        return ""
    who = _describe_node(owner, bound)
    return who if who.endswith(" ") else {"you": "your ", "..": ""}.get(who, f"{who}'s ")
