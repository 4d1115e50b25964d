"""Parses brackets by the grammar's forms, and expressions with checks of their kinds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import grammar, syntax
from cardenvs.recycle.language.constants import Budget, constant_value
from cardenvs.recycle.language.cursor import Parts, list_names, split_commas
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.grammar import COLLECTIONS, KINDS, STORAGE, Forms, Kinds, allowed_forms, is_literal
from cardenvs.recycle.language.reader import Atom, AtomKind, Bracket, Item
from cardenvs.recycle.language.syntax import FORMS, ITEM_KINDS, Binding, Kind

Scope = Mapping[str, Binding]  # the variables that are bound at some place, by their names

NAMES = "a place has a name in capital letters or a number, as (game vloc PILE) or (game vloc 3)"


@dataclass
class Facts:
    """The facts that are known of a description while it is parsed."""

    players: int = 0  # number of seats; 0 until it is known
    teams: int = 0  # number of teams; 0 until it is known
    attributes: frozenset[str] = frozenset()  # of all decks
    constants: dict[int, syntax.Constant] = field(default_factory=dict)  # by the numbers of declared bindings
    bindings: int = 0  # number of bindings so far
    budget: Budget = field(default_factory=Budget)  # of steps for constants

    def new_binding(self, variable: Atom, kind: Kind) -> Binding:
        self.bindings += 1
        return Binding(variable.at, variable.text, self.bindings - 1, kind)

    def constant(self, expression: syntax.Expression) -> syntax.Constant | None:
        """Returns the value of an expression that is the same in all games, else None; a RecycleError if it has none."""
        return constant_value(expression, self.constants, self.budget)


def extend_scope(scope: Scope, binding: Binding) -> Scope:
    return {**scope, binding.name: binding}


class Expressions:
    """Parses expressions. Each method raises a RecycleError where the text is no expression of the wanted kind.

    Attributes:
        readers: for words of forms that stand for no value of a kind, what takes them out of a bracket.
        checks: for nodes that need more than their form says, what raises an error if they lack it.
        makers: for nodes whose fields are not the values of their form, what makes them of these.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.readers: dict[str, Callable[[Parts, Scope], Any]] = {
            "ATTRIBUTE": self.take_attribute,
            "GROUP": self.take_group,
            "MAP": self.take_point_map,
            "NAME": self.take_storage_name,
            "OWNER": self.take_owner,
            "PLACE": self.take_place,
        }
        self.checks: dict[type[syntax.Node], Callable[[Any, Bracket], object]] = {
            syntax.Arithmetic: lambda node, _: self.facts.constant(node),
            syntax.CardAt: self.check_index,
            syntax.SetAt: self.check_index,
            syntax.Comparison: self.check_comparison,
            syntax.NumberedSeat: self.check_number,
            syntax.NumberedSide: self.check_number,
            syntax.Place: self.check_place,
        }
        self.makers: dict[type[syntax.Node], Callable[..., syntax.Node]] = {}

    def parse_form(self, bracket: Bracket, known: Forms, scope: Scope) -> Any:
        """Parses a bracket that has one of several forms; returns the node."""
        parts = Parts(bracket, known.usage, taken=1 if known.signatures[0].heads else 0)
        forms = known.fitting(parts.left)
        values: list[Any] = []
        index = 0
        while tokens := list(dict.fromkeys(token for one in forms if (token := one.token(index)) is not None)):
            if index >= len(forms[0].tokens) and not parts.left:
                break  # the last token was repeated often enough
            if tokens == ["'X"]:
                over = values[-1]
                kind = ITEM_KINDS[over.kind] if forms[0].token(index - 1) == "COLLECTION" else over.kind
                values.append(self.facts.new_binding(parts.take_variable(), kind))
                scope = extend_scope(scope, values[-1])
            else:
                token, value = self.take_token(parts, tokens, scope, values)
                forms = [one for one in forms if one.token(index) == token]
                if not is_literal(token) or "|" in token:
                    values.append(value)
            index += 1
        parts.expect_end()
        form = forms[0]
        if form.repeats:
            alone = len(values) - (index - form.separate)
            values[alone:] = [tuple(values[alone:])]
        if len(form.heads) > 1:
            values.insert(0, str(bracket.items[0]))
        if form.node in self.makers:
            return self.makers[form.node](bracket, *values)
        left_out = len(form.node.__match_args__) - 1 - len(values)
        node = form.node(bracket.at, *[None] * left_out, *values)
        if form.node in self.checks:
            self.checks[form.node](node, bracket)
        return node

    def take_token(self, parts: Parts, tokens: list[str], scope: Scope, values: list[Any]) -> tuple[str, Any]:
        """Takes what one of several tokens stands for; returns the token and the value."""
        words = {word: token for token in tokens if is_literal(token) for word in token.split("|")}
        rest = [token for token in tokens if not is_literal(token)]
        if not rest or str(parts.peek()) in words:
            word = parts.take_word(*words)
            return words[word], word
        if rest[0].startswith("("):
            return self.take_bin(parts, rest, scope)
        if rest[0] in self.readers:
            return rest[0], self.readers[rest[0]](parts, scope)
        kinds = tuple(kind for token in rest for kind in KINDS[token])
        what = " or ".join([*words, *map(grammar.describe_token, rest)])
        if rest == ["B"]:
            what = f"another value, {values[-1].kind.value},"
        value = self.parse_of_kind(parts.take_item(what), scope, *kinds)
        return next(token for token in rest if value.kind in KINDS[token]), value

    def parse_of_kind(self, item: Item, scope: Scope, *wanted: Kind) -> syntax.Expression:
        expression = self.parse_expression(item, scope, wanted)
        if expression.kind not in wanted:
            words = list(dict.fromkeys(kind.value for kind in wanted))
            needed = "a collection" if wanted == COLLECTIONS else " or ".join(words)
            raise RecycleError(
                f"{item} is {expression.kind.value}, but {needed} must stand here: {allowed_forms(wanted)}", item.at
            )
        return expression

    def parse_expression(self, item: Item, scope: Scope, wanted: Kinds) -> syntax.Expression:
        """Parses an expression of any kind; ``wanted`` are the kinds that would fit, for messages."""
        return self.parse_atom(item, scope, wanted) if isinstance(item, Atom) else self.parse_bracket(item, scope, wanted)

    def parse_atom(self, atom: Atom, scope: Scope, wanted: Kinds) -> syntax.Expression:
        """Parses a number, a name, a variable, ``player`` or ``team``."""
        if atom.kind is AtomKind.NUMBER:
            return syntax.Number(atom.at, int(atom.text))
        if atom.kind is AtomKind.NAME:
            return syntax.Name(atom.at, atom.text)
        if atom.kind is AtomKind.VARIABLE:
            if atom.text not in scope:
                bound = list_names(f"'{name}" for name in scope)
                meant = did_you_mean(atom.text, scope).replace("Did you mean ", "Did you mean '")
                raise RecycleError(f"{atom} is not bound here: bound are {bound}{meant}", atom.at)
            return syntax.Variable(atom.at, scope[atom.text])
        if atom.text in ("player", "team"):
            return syntax.AllSeats(atom.at) if atom.text == "player" else syntax.AllSides(atom.at)
        if atom.text == "-":
            raise RecycleError("numbers have no sign: write (- 0 NUMBER)", atom.at)
        raise RecycleError(
            f"{atom} is no value: {allowed_forms(wanted)}{grammar.suggest_keyword(atom.text, wanted)}", atom.at
        )

    def parse_bracket(self, bracket: Bracket, scope: Scope, wanted: Kinds) -> syntax.Expression:
        if not bracket.items:
            raise RecycleError(f"an empty bracket is no value: {allowed_forms(wanted)}", bracket.at)
        if _names_storage(bracket):
            storage = self.parse_storage(bracket, scope)
            if isinstance(storage, syntax.PointMap):
                raise RecycleError(f"a point map is no value, it stands behind using: {allowed_forms(wanted)}", bracket.at)
            return storage
        head = bracket.items[0]
        if isinstance(head, Bracket) or head.kind in (AtomKind.NUMBER, AtomKind.VARIABLE):
            if isinstance(head, Bracket) and len(bracket.items) == 1:
                raise RecycleError(f"{bracket} has a bracket too many around its value", bracket.at)
            return self.parse_form(bracket, grammar.INDEXED, scope)
        if head.kind is AtomKind.NAME:
            if head.text.lower() in grammar.EXPRESSIONS and len(bracket.items) > 1 and str(bracket.items[1]) != ",":
                raise RecycleError(
                    f"{head} is a name: keywords are small letters. Did you mean {head.text.lower()}?", head.at
                )
            names = split_commas(bracket, AtomKind.NAME, "(A, B)")
            return syntax.NameList(bracket.at, tuple(name.text for name in names))
        if head.text not in grammar.EXPRESSIONS:
            meant = grammar.suggest_keyword(head.text, wanted)
            raise RecycleError(f"{bracket} is no value: {allowed_forms(wanted)}{meant}", head.at)
        return self.parse_form(bracket, grammar.EXPRESSIONS[head.text], scope)

    def parse_storage(
        self, bracket: Bracket, scope: Scope
    ) -> syntax.NumberBin | syntax.StringBin | syntax.PointMap | syntax.Place:
        """Parses ``(OWNER KIND NAME)`` of any kind."""
        parts = Parts(bracket, STORAGE.usage, taken=0)
        parts.take_item("an owner")
        parts.take_word(*grammar.STORAGE_WORDS)
        storage: syntax.NumberBin | syntax.Place = self.parse_form(bracket, STORAGE, scope)
        return storage

    def parse_place(self, item: Item, scope: Scope, why: str = "") -> syntax.Place:
        """Parses a place, possibly a ``mem``; ``why`` is appended to the error's message."""
        place = self.parse_expression(item, scope, (Kind.CARDS,)) if isinstance(item, Bracket) else None
        if not isinstance(place, syntax.Place):
            usage = f"a place, (OWNER KIND NAME) with KIND one of {', '.join(grammar.PLACES)}, must stand here"
            raise RecycleError(f"{usage}, not {item}{why}", item.at)
        return place

    def parse_attribute(self, item: Item, scope: Scope) -> syntax.Expression:
        """Parses the name of an attribute; if it is a constant, some deck must have it."""
        expression = self.parse_of_kind(item, scope, Kind.STRING)
        value = self.facts.constant(expression)
        if isinstance(value, str) and value not in self.facts.attributes:
            there = list_names(sorted(self.facts.attributes))
            meant = did_you_mean(value, self.facts.attributes)
            raise RecycleError(f"no deck has an attribute {value}: there are {there}{meant}", item.at)
        return expression

    def take_attribute(self, parts: Parts, scope: Scope) -> syntax.Expression:
        return self.parse_attribute(parts.take_item("an attribute"), scope)

    def take_place(self, parts: Parts, scope: Scope) -> syntax.Place:
        return self.parse_place(parts.take_item("a place"), scope)

    def take_bin(self, parts: Parts, forms: list[str], scope: Scope) -> tuple[str, syntax.Node]:
        """Takes a bin or a map that is written in one of some forms; returns the form and the node."""
        item = parts.take_item("a bin")
        if not isinstance(item, Bracket):
            raise parts.mismatch_error(item, f"{', '.join(forms[:-1])}{' or ' if forms[1:] else ''}{forms[-1]}")
        storage = self.parse_storage(item, scope)
        form = FORMS[type(storage)]
        if isinstance(storage, syntax.Place):
            raise RecycleError(
                f"{item} is a place of cards, which is changed by move: it is written {parts.usage}", item.at
            )
        if form not in forms:
            raise RecycleError(f"{parts.bracket.items[0]} changes a number, {forms[0]}, not {item}", item.at)
        return form, storage

    def take_owner(self, parts: Parts, scope: Scope) -> syntax.Owner:
        """Takes ``game``, a player or a team."""
        item = parts.take_item("an owner")
        if str(item) == "game":
            return syntax.GameOwner(item.at)
        if isinstance(item, Atom) and item.kind is not AtomKind.VARIABLE:
            needed = "an owner is game, a player such as (current player) or 'P, or a team"
            raise RecycleError(f"{item} owns nothing: {needed}{did_you_mean(item.text, ['game'])}", item.at)
        return self.parse_of_kind(item, scope, Kind.SEAT, Kind.SIDE)

    def take_storage_name(self, parts: Parts, scope: Scope) -> syntax.Expression:
        """Takes the name of a place, a bin or a map: a string, or a number, whose digits are the name."""
        item = parts.take_item("a name")
        if str(item) == "new":
            raise RecycleError(f"nothing is made new while a game is played: {NAMES}", item.at)
        name = self.parse_of_kind(item, scope, Kind.STRING, Kind.NUMBER)
        if name.kind is Kind.STRING:
            return name
        value = self.facts.constant(name)
        return syntax.Name(item.at, str(value)) if isinstance(value, int) else syntax.Numeral(item.at, name)

    def take_point_map(self, parts: Parts, scope: Scope) -> syntax.PointMap:
        """Takes a point map; ``'X`` is its older form."""
        item = parts.take_item("a point map")
        if isinstance(item, Atom) and item.kind is AtomKind.VARIABLE:
            return older_map(item)
        storage = self.parse_storage(item, scope) if isinstance(item, Bracket) and _names_storage(item) else None
        if not isinstance(storage, syntax.PointMap):
            raise RecycleError(f"a point map must stand here, not {item}: it is written (OWNER points NAME)", item.at)
        return storage

    def take_group(self, parts: Parts, scope: Scope) -> syntax.Group:
        first = self.parse_of_kind(parts.take_item("cards"), scope, Kind.CARDS, Kind.SETS)
        item = parts.peek()
        if isinstance(first, syntax.Each):
            if item is not None:
                raise RecycleError(f"(all ..) stands alone in {parts.bracket}, without {item}: {parts.usage}", item.at)
            return first
        if first.kind is Kind.SETS:
            raise RecycleError(f"cards must stand here, not sets of cards: it is written {parts.usage}", first.at)
        members = [first]
        while parts.left:
            item = parts.take_item("cards")
            members.append(self.parse_of_kind(item, scope, Kind.CARDS, Kind.SETS))
            if members[-1].kind is Kind.SETS:
                raise RecycleError(
                    f"{item} is sets of cards and stands beside others: it is written {parts.usage}", item.at
                )
        return tuple(members)

    def check_comparison(self, node: syntax.Comparison, bracket: Bracket) -> None:
        if node.left.kind is not node.right.kind:
            _, left, right = bracket.items
            kinds = f"{left} is {node.left.kind.value}, {right} is {node.right.kind.value}"
            raise RecycleError(f"{node.operator} compares two values of one kind: {kinds}", right.at)

    def check_index(self, node: syntax.CardAt | syntax.SetAt, _: Bracket) -> None:
        if isinstance(node.index, syntax.Expression):
            value = self.facts.constant(node.index)
            if isinstance(value, int) and value < 0:
                raise RecycleError(f"there is no card {value}: they are counted from 0, the bottom", node.index.at)

    def check_number(self, node: syntax.NumberedSeat | syntax.NumberedSide, _: Bracket) -> None:
        of_seats = isinstance(node, syntax.NumberedSeat)
        count, what = (self.facts.players, "player") if of_seats else (self.facts.teams, "team")
        value = self.facts.constant(node.number)
        if count and isinstance(value, int) and not 0 <= value < count:
            raise RecycleError(f"there is no {what} {value}: {what}s are numbered from 0 to {count - 1}", node.number.at)

    def check_place(self, node: syntax.Place, _: Bracket) -> None:
        if isinstance(node.owner, syntax.Expression) and node.owner.kind is Kind.SIDE:
            message = f"a team has no {node.visibility}: only the game and players have places of cards"
            raise RecycleError(message, node.owner.at)


def older_map(variable: Atom) -> syntax.PointMap:
    """Returns the point map of the game that older descriptions write as a variable."""
    return syntax.PointMap(variable.at, syntax.GameOwner(variable.at), syntax.Name(variable.at, variable.text))


def _names_storage(bracket: Bracket) -> bool:
    """Whether a bracket looks like ``(OWNER KIND NAME)``, misspelt kinds included."""
    if bracket.head == "game":
        return True
    second = bracket.items[1] if len(bracket.items) > 1 else None
    if not isinstance(second, Atom) or second.kind is not AtomKind.WORD:
        return False
    may_own = not bracket.head or bracket.head.startswith("'")
    return second.text in grammar.STORAGE_WORDS or (may_own and second.text not in ("player", "team"))
