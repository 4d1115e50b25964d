"""The grammar as tables, made of the forms in which nodes are written: what may follow a word, usage texts, suggestions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import FORMS, ITEM_KINDS, Kind

Kinds = tuple[Kind, ...]

COLLECTIONS: Kinds = tuple(ITEM_KINDS)
COMPARED: Kinds = (Kind.NUMBER, Kind.STRING, Kind.CARD, Kind.SEAT, Kind.SIDE)

KINDS: dict[str, Kinds] = {
    "NUMBER": (Kind.NUMBER,),
    "STRING": (Kind.STRING,),
    "CONDITION": (Kind.BOOLEAN,),
    "CARD": (Kind.CARD,),
    "PLAYER": (Kind.SEAT,),
    "WHO": (Kind.SEAT, Kind.SIDE),
    "CARDS": (Kind.CARDS,),
    "SETS": (Kind.SETS,),
    "COLLECTION": COLLECTIONS,
    "A": COMPARED,
    "B": COMPARED,
    "VALUE": (Kind.NUMBER, Kind.BOOLEAN, Kind.STRING, Kind.CARD, Kind.SEAT, *COLLECTIONS),
    "CONSTANT": (Kind.NUMBER, Kind.BOOLEAN, Kind.STRING, Kind.NUMBERS, Kind.NAMES),
}
"""The kinds of value that the words of forms stand for; for other words in capital letters the parser has a method."""

_SHOWN = {
    "A": "VALUE",
    "B": "VALUE of that kind",
    "GROUP": "CARDS .. | (all COLLECTION 'X CARDS)",
    "TARGET": "(top|bottom|NUMBER PLACE)",
    "AWARDS": "(((ATTRIBUTE : VALUE) .. NUMBER) ..)",
    "ACTS": "(ACT ACT ..)",
    "END": "(end CONDITION)",
    "PRIM": "(move ..)|(forget ..)",
    "DECK": "deck [NAME] PLACE (deck (ATTRIBUTE (VALUE, ..)) ..)",
    "CONSTANT": "VALUE",
}
"""The texts of some words of forms in messages; the other words are shown as they are."""

_TOKEN = re.compile(r"\([^)]*\)|[^\s()]+")


@dataclass(frozen=True)
class Signature:
    """One form of a node.

    Attributes:
        node: the class of the node.
        text: the form for messages.
        heads: the words that it may begin with; none if it begins with a value.
        tokens: what follows: words in capital letters for values, other words with ``|`` between those allowed.
        repeats: whether the last token may stand more often.
    """

    node: type[Any]
    text: str
    heads: tuple[str, ...]
    tokens: tuple[str, ...]
    repeats: bool

    @property
    def separate(self) -> int:
        """The number of tokens before those that are one field, a tuple."""
        return self.tokens.index(self.tokens[-1]) if self.repeats else len(self.tokens)

    def token(self, index: int) -> str | None:
        """Returns the token that the item of an index must be; None behind the last."""
        if self.repeats:
            index = min(index, len(self.tokens) - 1)
        return self.tokens[index] if index < len(self.tokens) else None


@dataclass(frozen=True)
class Forms:
    """The forms that a bracket may have, all with one first word or all without, and how they are shown in messages."""

    signatures: tuple[Signature, ...]
    usage: str

    def fitting(self, items: int) -> list[Signature]:
        """Returns the forms that may have so many items behind their first word, or else the nearest ones."""
        found = [one for one in self.signatures if len(one.tokens) == items or (one.repeats and len(one.tokens) < items)]
        if found:
            return found
        lengths = sorted(len(one.tokens) for one in self.signatures)
        nearest = next((length for length in lengths if length > items), lengths[-1])
        return [one for one in self.signatures if len(one.tokens) == nearest]


@cache
def is_literal(token: str) -> bool:
    """Whether a token stands as it is, instead of for a value."""
    return not re.search("[A-Z]", token)


def describe_token(token: str) -> str:
    """Returns the words for a value that is missing."""
    if KINDS[token] == COLLECTIONS:
        return "a collection"
    return " or ".join(kind.value for kind in KINDS[token]) if len(KINDS[token]) < 3 else "a value"


def _signatures_of(node: type[Any]) -> Iterable[Signature]:
    for form in re.split(r" or (?=\()", FORMS[node]):
        if form.startswith("("):
            head, *tokens = parts = _TOKEN.findall(form[1:-1])
            text = "(" + " ".join(_SHOWN.get(part, part) for part in parts) + ")"
            repeats = tokens[-1:] == [".."]
            heads = tuple(head.split("|")) if is_literal(head) else ()
            yield Signature(node, text, heads, tuple((tokens if heads else parts)[: -1 if repeats else None]), repeats)


SIGNATURES = {node: tuple(_signatures_of(node)) for node in FORMS}
"""The forms of each class of nodes that stand in brackets."""


def forms_of(*nodes: type[Any]) -> Forms:
    """Returns the forms of classes of nodes, which have one first word or none."""
    signatures = tuple(one for node in nodes for one in SIGNATURES[node])
    return Forms(signatures, " or ".join(one.text for one in signatures))


def _by_head(base: type[Any]) -> dict[str, Forms]:
    found: dict[str, list[Signature]] = {}
    for one in (one for node in FORMS if issubclass(node, base) for one in SIGNATURES[node]):
        for head in one.heads:
            found.setdefault(head, []).append(one)
    return {
        head: Forms(tuple(forms), " or ".join(one.text.replace("|".join(one.heads), head, 1) for one in forms))
        for head, forms in found.items()
    }


EXPRESSIONS = _by_head(syntax.Expression)
ACTS = _by_head(syntax.Act)
PRIMS = _by_head(syntax.Prim)
"""The forms of brackets with a value, of acts, and of acts that change something, by their first words."""
STATEMENTS = {**ACTS, "stage": forms_of(syntax.Stage), "choice": forms_of(syntax.Choice)}
"""The forms of what stands in games and stages, by their first words."""
_numbered = [one for node in FORMS for one in SIGNATURES[node] if not one.heads and one.tokens[0] == "NUMBER"]
INDEXED = Forms(tuple(_numbered), "(NUMBER CARDS), (NUMBER player) or (NUMBER team)")
"""The forms of brackets with a value that begin with a number."""
STORAGE = Forms(forms_of(syntax.NumberBin, syntax.StringBin, syntax.PointMap, syntax.Place).signatures, "(OWNER KIND NAME)")
PLACES = SIGNATURES[syntax.Place][0].tokens[1].split("|")
STORAGE_WORDS = [word for one in STORAGE.signatures for word in one.tokens[1].split("|")]
"""The second words of places; of them, bins and point maps."""

_ATOMS = {"player": Kind.SEATS, "team": Kind.SIDES}


def _has_kind(node: type[Any], kind: Kind) -> bool:
    if node is syntax.Filter:
        return kind in COLLECTIONS and kind is not Kind.SIDE
    return issubclass(node, syntax.Expression) and node.kind is kind


def allowed_forms(wanted: Kinds) -> str:
    """The end of a message that lists what may stand for a value of some kinds."""
    if wanted == COLLECTIONS:
        return "allowed are places and other cards, sets of cards, (range A .. B), (A, B), player, team or a variable"
    lists = []
    for kind in dict.fromkeys(wanted):
        nodes = [node for node in FORMS if _has_kind(node, kind)]
        forms = [form for node in nodes for form in [one.text for one in SIGNATURES[node]] or [FORMS[node]]]
        lists.append(f"{', '.join(forms)} or a variable")
    return "allowed are " + "; ".join(lists)


def suggest_keyword(text: str, wanted: Kinds) -> str:
    """The end of a message on an unknown word, where a value of some kinds must stand."""
    fitting_words = [word for word, kind in _ATOMS.items() if kind in wanted]
    for head, forms in EXPRESSIONS.items():
        if any(_has_kind(one.node, kind) for one in forms.signatures for kind in wanted):
            fitting_words.append(head)
    return did_you_mean(text, fitting_words) or did_you_mean(text, EXPRESSIONS)
