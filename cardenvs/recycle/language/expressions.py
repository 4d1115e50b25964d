"""Parses brackets as expressions and checks their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import Budget, constant_value
from cardenvs.recycle.language.cursor import Parts, list_names, split_commas
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.reader import Atom, AtomKind, Bracket, Item
from cardenvs.recycle.language.syntax import ITEM_KINDS, Binding, Kind

Scope = Mapping[str, Binding]  # the variables that are bound at some place, by their names

Kinds = tuple[Kind, ...]

PLACES = ("vloc", "iloc", "hloc", "oloc", "mem")
STORAGE = ("sto", "str", "points", *PLACES)

COLLECTIONS: Kinds = tuple(ITEM_KINDS)

NAMES = "a place has a name in capital letters or a number, as (game vloc PILE) or (game vloc 3)"

USAGES = {
    "and": "(and CONDITION CONDITION ..)",
    "or": "(or CONDITION CONDITION ..)",
    "not": "(not CONDITION)",
    "any": "(any COLLECTION 'X CONDITION)",
    "all": "(all COLLECTION 'X CONDITION), or with CARDS in place of the condition",
    **{operator: f"({operator} NUMBER NUMBER)" for operator in ("<", ">", "<=", ">=", "+", "-", "*", "//", "%", "^")},
    "==": "(== A B), both of one kind",
    "!=": "(!= A B), both of one kind",
    "size": "(size COLLECTION)",
    "sum": "(sum CARDS using MAP)",
    "score": "(score CARD using MAP)",
    "random": "(random NUMBER) or (random NUMBER .. NUMBER)",
    "tri": "(tri NUMBER)",
    "fib": "(fib NUMBER)",
    "cardatt": "(cardatt ATTRIBUTE CARD)",
    "union": "(union CARDS ..) or (union (all COLLECTION 'X CARDS))",
    "intersect": "(intersect CARDS ..) or (intersect (all COLLECTION 'X CARDS))",
    "disjunction": "(disjunction CARDS ..) or (disjunction (all COLLECTION 'X CARDS))",
    "filter": "(filter COLLECTION 'X CONDITION)",
    "sort": "(sort CARDS using MAP)",
    "top": "(top CARDS) or (top NUMBER CARDS)",
    "bottom": "(bottom CARDS) or (bottom NUMBER CARDS)",
    "run": "(run top NUMBER CARDS using MAP), or bottom",
    "partition": "(partition ATTRIBUTE CARDS ..) or (partition ATTRIBUTE (all COLLECTION 'X CARDS))",
    "tuples": "(tuples NUMBER CARDS using MAP)",
    "runs": "(runs largest NUMBER CARDS using MAP), or all",
    "subsets": "(subsets CARDS)",
    "range": "(range NUMBER .. NUMBER)",
    "max": "(max CARDS using MAP)",
    "min": "(min CARDS using MAP)",
    "actual": "(actual CARD)",
    "owner": "(owner CARD)",
    "current": "(current player) or (current team)",
    "next": "(next player) or (next team)",
    "previous": "(previous player) or (previous team)",
    "other": "(other player) or (other team)",
    "team": "(team PLAYER)",
    "game": f"(game KIND NAME), KIND one of {', '.join(STORAGE)}",
}
"""The syntax of each bracket that has a value, by its first word."""

ALLOWED = {
    Kind.NUMBER: "digits, (OWNER sto NAME), (+ A B) and - * // % ^, (size COLLECTION), (sum CARDS using MAP), "
    "(score CARD using MAP), (random A .. B), (tri N), (fib N) or a variable",
    Kind.STRING: "a name in capital letters, (OWNER str NAME), (cardatt ATTRIBUTE CARD) or a variable",
    Kind.BOOLEAN: "(== A B), (!= A B), (< A B), (> A B), (<= A B), (>= A B), (and ..), (or ..), (not ..), "
    "(any COLLECTION 'X CONDITION) or (all COLLECTION 'X CONDITION)",
    Kind.CARD: "(top CARDS), (bottom CARDS), (NUMBER CARDS), (max CARDS using MAP), (min CARDS using MAP), "
    "(actual CARD) or a variable",
    Kind.SEAT: "(current player), (next player), (previous player), (NUMBER player), (owner CARD) or a variable",
    Kind.SIDE: "(current team), (next team), (previous team), (NUMBER team), (team PLAYER) or a variable",
    Kind.CARDS: "a place such as (game vloc NAME), (union ..), (intersect ..), (disjunction ..), (filter ..), (sort ..), "
    "(top NUMBER CARDS), (run ..), a set of sets or a variable",
    Kind.SETS: "(partition ..), (tuples ..), (runs ..), (subsets ..), (all COLLECTION 'X CARDS), (filter ..) or a variable",
    Kind.NUMBERS: "(range A .. B)",
    Kind.NAMES: "names with commas, (A, B)",
    Kind.SEATS: "player, (other player) or a team",
    Kind.SIDES: "team or (other team)",
}
"""The expressions that can stand for a value of each kind."""

_HEADS: dict[Kind, tuple[str, ...]] = {
    Kind.NUMBER: ("size", "sum", "score", "random", "tri", "fib"),
    Kind.STRING: ("cardatt",),
    Kind.BOOLEAN: ("and", "or", "not", "any", "all"),
    Kind.CARD: ("top", "bottom", "max", "min", "actual"),
    Kind.SEAT: ("current", "next", "previous", "owner"),
    Kind.SIDE: ("current", "next", "previous", "team"),
    Kind.CARDS: ("union", "intersect", "disjunction", "filter", "sort", "top", "bottom", "run"),
    Kind.SETS: ("partition", "tuples", "runs", "subsets", "all", "filter"),
    Kind.NUMBERS: ("range",),
    Kind.SEATS: ("player", "other"),
    Kind.SIDES: ("team", "other"),
}


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


def extend_scope(scope: Scope, binding: Binding) -> Scope:
    return {**scope, binding.name: binding}


@dataclass
class Expressions:
    """Parses expressions. Each method raises a RecycleError where the text is no expression of the wanted kind."""

    facts: Facts

    def parse_of_kind(self, item: Item, scope: Scope, *wanted: Kind) -> syntax.Expression:
        expression = self.parse_expression(item, scope, wanted)
        if expression.kind not in wanted:
            words = list(dict.fromkeys(kind.value for kind in wanted))
            needed = "a collection" if wanted == COLLECTIONS else " or ".join(words)
            raise RecycleError(
                f"{item} is {expression.kind.value}, but {needed} must stand here: {allowed_forms(wanted)}", item.at
            )
        return expression

    def parse_number(self, item: Item, scope: Scope) -> syntax.Expression:
        return self.parse_of_kind(item, scope, Kind.NUMBER)

    def parse_string(self, item: Item, scope: Scope) -> syntax.Expression:
        return self.parse_of_kind(item, scope, Kind.STRING)

    def parse_condition(self, item: Item, scope: Scope) -> syntax.Expression:
        return self.parse_of_kind(item, scope, Kind.BOOLEAN)

    def parse_card(self, item: Item, scope: Scope) -> syntax.Expression:
        return self.parse_of_kind(item, scope, Kind.CARD)

    def parse_cards(self, item: Item, scope: Scope) -> syntax.Expression:
        return self.parse_of_kind(item, scope, Kind.CARDS)

    def parse_collection(self, item: Item, scope: Scope) -> syntax.Expression:
        return self.parse_of_kind(item, scope, *COLLECTIONS)

    def parse_attribute(self, item: Item, scope: Scope) -> syntax.Expression:
        """Parses the name of an attribute; if it is a constant, some deck must have it."""
        expression = self.parse_string(item, scope)
        value = constant_value(expression, self.facts.constants, self.facts.budget)
        if isinstance(value, str) and value not in self.facts.attributes:
            there = list_names(sorted(self.facts.attributes))
            meant = did_you_mean(value, self.facts.attributes)
            raise RecycleError(f"no deck has an attribute {value}: there are {there}{meant}", item.at)
        return expression

    def bind_item(self, over: syntax.Expression, parts: Parts) -> Binding:
        return self.facts.new_binding(parts.take_variable(), ITEM_KINDS[over.kind])

    def parse_place(self, item: Item, scope: Scope, why: str = "") -> syntax.Place:
        """Parses a place, possibly a ``mem``; ``why`` is appended to the error's message."""
        usage = f"a place, (OWNER KIND NAME) with KIND one of {', '.join(PLACES)}, must stand here"
        if not isinstance(item, Bracket):
            raise RecycleError(f"{usage}, not {item}{why}", item.at)
        expression = self.parse_expression(item, scope, (Kind.CARDS,))
        if not isinstance(expression, syntax.Place):
            raise RecycleError(f"{usage}, not {item}{why}", item.at)
        return expression

    def parse_point_map(self, item: Item, scope: Scope) -> syntax.PointMap:
        """Parses a point map; ``'X`` is its older form."""
        if isinstance(item, Atom) and item.kind is AtomKind.VARIABLE:
            return syntax.PointMap(item.at, syntax.GameOwner(item.at), syntax.Name(item.at, item.text))
        storage = self.parse_storage(item, scope) if isinstance(item, Bracket) and _names_storage(item) else None
        if not isinstance(storage, syntax.PointMap):
            raise RecycleError(f"a point map must stand here, not {item}: it is written (OWNER points NAME)", item.at)
        return storage

    def parse_using(self, parts: Parts, scope: Scope) -> syntax.PointMap:
        parts.take_word("using")
        return self.parse_point_map(parts.take_item("a point map"), scope)

    def parse_storage(
        self, bracket: Bracket, scope: Scope
    ) -> syntax.NumberBin | syntax.StringBin | syntax.PointMap | syntax.Place:
        """Parses ``(OWNER KIND NAME)`` of any kind."""
        at = bracket.at
        parts = Parts(bracket, "(OWNER KIND NAME)", taken=0)
        first = parts.take_item("an owner")
        kind = parts.take_word(*STORAGE)
        owner = self.parse_owner(first, scope)
        if kind in PLACES and isinstance(owner, syntax.Expression) and owner.kind is Kind.SIDE:
            raise RecycleError(f"a team has no {kind}: only the game and players have places of cards", first.at)
        name = self.parse_name(parts.take_item("a name"), scope)
        parts.expect_end()
        if kind == "sto":
            return syntax.NumberBin(at, owner, name)
        if kind == "str":
            return syntax.StringBin(at, owner, name)
        if kind == "points":
            return syntax.PointMap(at, owner, name)
        return syntax.Place(at, owner, cast(syntax.Visibility, kind), name)

    def parse_name(self, item: Item, scope: Scope) -> syntax.Expression:
        """Parses the name of a place, a bin or a map: a string, or a number, whose digits are the name."""
        if isinstance(item, Atom) and item.is_word("new"):
            raise RecycleError(f"nothing is made new while a game is played: {NAMES}", item.at)
        name = self.parse_of_kind(item, scope, Kind.STRING, Kind.NUMBER)
        if name.kind is Kind.STRING:
            return name
        value = constant_value(name, self.facts.constants, self.facts.budget)
        return syntax.Name(item.at, str(value)) if isinstance(value, int) else syntax.Numeral(item.at, name)

    def parse_owner(self, item: Item, scope: Scope) -> syntax.Owner:
        """Parses ``game``, a player or a team."""
        if isinstance(item, Atom) and item.is_word("game"):
            return syntax.GameOwner(item.at)
        if isinstance(item, Atom) and item.kind is not AtomKind.VARIABLE:
            needed = "an owner is game, a player such as (current player) or 'P, or a team"
            raise RecycleError(f"{item} owns nothing: {needed}{did_you_mean(item.text, ['game'])}", item.at)
        return self.parse_of_kind(item, scope, Kind.SEAT, Kind.SIDE)

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
        if atom.is_word("player"):
            return syntax.AllSeats(atom.at)
        if atom.is_word("team"):
            return syntax.AllSides(atom.at)
        if atom.text == "-":
            raise RecycleError("numbers have no sign: write (- 0 NUMBER)", atom.at)
        raise RecycleError(f"{atom} is no value: {allowed_forms(wanted)}{_suggest_keyword(atom, wanted)}", atom.at)

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
            return self.parse_indexed(bracket, scope)
        if head.kind is AtomKind.NAME:
            if head.text.lower() in USAGES and len(bracket.items) > 1 and str(bracket.items[1]) != ",":
                raise RecycleError(
                    f"{head} is a name: keywords are small letters. Did you mean {head.text.lower()}?", head.at
                )
            names = split_commas(bracket, AtomKind.NAME, "(A, B)")
            return syntax.NameList(bracket.at, tuple(name.text for name in names))
        usage = USAGES.get(head.text)
        if head.kind is AtomKind.MARK or usage is None:
            raise RecycleError(f"{bracket} is no value: {allowed_forms(wanted)}{_suggest_keyword(head, wanted)}", head.at)
        parts = Parts(bracket, usage)
        expression = self.parse_form(head.text, parts, scope)
        parts.expect_end()
        return expression

    def parse_indexed(self, bracket: Bracket, scope: Scope) -> syntax.Expression:
        """Parses ``(NUMBER player)``, ``(NUMBER team)``, ``(NUMBER CARDS)`` or ``(NUMBER SETS)``."""
        parts = Parts(bracket, "(NUMBER CARDS), (NUMBER player) or (NUMBER team)", taken=0)
        first = parts.take_item("a number")
        if isinstance(first, Bracket) and parts.left == 0:
            raise RecycleError(f"{bracket} has a bracket too many around its value", bracket.at)
        number = self.parse_number(first, scope)
        of = parts.take_item("cards, player or team")
        parts.expect_end()
        if isinstance(of, Atom) and of.is_word("player"):
            self.check_number(number, first, self.facts.players, "player")
            return syntax.NumberedSeat(bracket.at, number)
        if isinstance(of, Atom) and of.is_word("team"):
            self.check_number(number, first, self.facts.teams, "team")
            return syntax.NumberedSide(bracket.at, number)
        cards = self.parse_of_kind(of, scope, Kind.CARDS, Kind.SETS)
        value = constant_value(number, self.facts.constants, self.facts.budget)
        if isinstance(value, int) and value < 0:
            raise RecycleError(f"there is no card {value}: they are counted from 0, the bottom", first.at)
        return self.at_index(bracket.at, number, cards)

    def check_number(self, number: syntax.Expression, item: Item, count: int, what: str) -> None:
        value = constant_value(number, self.facts.constants, self.facts.budget)
        if count and isinstance(value, int) and not 0 <= value < count:
            raise RecycleError(f"there is no {what} {value}: {what}s are numbered from 0 to {count - 1}", item.at)

    def at_index(
        self, at: Position, index: Literal["top", "bottom"] | syntax.Expression, of: syntax.Expression
    ) -> syntax.CardAt | syntax.SetAt:
        return syntax.SetAt(at, index, of) if of.kind is Kind.SETS else syntax.CardAt(at, index, of)

    def parse_form(self, word: str, parts: Parts, scope: Scope) -> syntax.Expression:
        at = parts.bracket.at

        def take_number(what: str = "a number") -> syntax.Expression:
            return self.parse_number(parts.take_item(what), scope)

        def take_card() -> syntax.Expression:
            return self.parse_card(parts.take_item("a card"), scope)

        def take_cards() -> syntax.Expression:
            return self.parse_cards(parts.take_item("cards"), scope)

        match word:
            case "+" | "-" | "*" | "//" | "%" | "^":
                arithmetic = syntax.Arithmetic(at, cast('Literal["+"]', word), take_number(), take_number())
                constant_value(arithmetic, self.facts.constants, self.facts.budget)
                return arithmetic
            case "<" | ">" | "<=" | ">=":
                return syntax.Comparison(at, cast('Literal["<"]', word), take_number(), take_number())
            case "==" | "!=":
                return self.parse_equality(word, parts, scope)
            case "size":
                return syntax.Size(at, self.parse_collection(parts.take_item("a collection"), scope))
            case "sum":
                return syntax.Sum(at, take_cards(), self.parse_using(parts, scope))
            case "score":
                return syntax.Score(at, take_card(), self.parse_using(parts, scope))
            case "random":
                low = take_number()
                if not parts.left:
                    return syntax.Random(at, None, low)
                parts.take_mark("..")
                return syntax.Random(at, low, take_number())
            case "range":
                low = take_number()
                parts.take_mark("..")
                return syntax.Range(at, low, take_number())
            case "tri":
                return syntax.Triangular(at, take_number())
            case "fib":
                return syntax.Fibonacci(at, take_number())
            case "cardatt":
                return syntax.CardAttribute(at, self.parse_attribute(parts.take_item("an attribute"), scope), take_card())
            case "and" | "or":
                operands = [self.parse_condition(parts.take_item("a condition"), scope) for _ in range(2)]
                while parts.left:
                    operands.append(self.parse_condition(parts.take_item("a condition"), scope))
                return syntax.Logic(at, cast('Literal["and"]', word), tuple(operands))
            case "not":
                return syntax.Not(at, self.parse_condition(parts.take_item("a condition"), scope))
            case "any" | "all":
                return self.parse_quantified(word, parts, scope)
            case "filter":
                over = self.parse_collection(parts.take_item("a collection"), scope)
                variable = self.bind_item(over, parts)
                condition = self.parse_condition(parts.take_item("a condition"), extend_scope(scope, variable))
                return syntax.Filter(at, over, variable, condition)
            case "union" | "intersect" | "disjunction":
                return syntax.Combination(at, cast('Literal["union"]', word), self.parse_group(parts, scope))
            case "partition":
                attribute = self.parse_attribute(parts.take_item("an attribute"), scope)
                return syntax.Partition(at, attribute, self.parse_group(parts, scope))
            case "sort":
                return syntax.Sort(at, take_cards(), self.parse_using(parts, scope))
            case "top" | "bottom":
                end = cast('Literal["top"]', word)
                if parts.left > 1:
                    return syntax.Take(at, end, take_number(), take_cards())
                return self.at_index(at, end, self.parse_of_kind(parts.take_item("cards"), scope, Kind.CARDS, Kind.SETS))
            case "run":
                which = cast('Literal["top"]', parts.take_word("top", "bottom"))
                return syntax.EndRun(at, which, take_number(), take_cards(), self.parse_using(parts, scope))
            case "runs":
                extent = cast('Literal["all"]', parts.take_word("largest", "all"))
                return syntax.Runs(at, extent, take_number(), take_cards(), self.parse_using(parts, scope))
            case "tuples":
                return syntax.Tuples(at, take_number(), take_cards(), self.parse_using(parts, scope))
            case "subsets":
                return syntax.Subsets(at, take_cards())
            case "max" | "min":
                return syntax.Extreme(at, cast('Literal["max"]', word), take_cards(), self.parse_using(parts, scope))
            case "actual":
                return syntax.Actual(at, take_card())
            case "owner":
                return syntax.OwnerOfCard(at, take_card())
            case "team":
                seat = self.parse_of_kind(parts.take_item("a player"), scope, Kind.SEAT)
                return syntax.SideOfSeat(at, seat)
            case "other":
                return syntax.OtherSeats(at) if parts.take_word("player", "team") == "player" else syntax.OtherSides(at)
            case "game":
                kind = parts.take_word(*STORAGE)
                raise AssertionError(kind)  # a bracket with a kind of storage is no form
            case _:
                which_one = cast('Literal["current"]', word)
                if parts.take_word("player", "team") == "player":
                    return syntax.CycleSeat(at, which_one)
                return syntax.CycleSide(at, which_one)

    def parse_equality(self, operator: str, parts: Parts, scope: Scope) -> syntax.Comparison:
        kinds = (Kind.NUMBER, Kind.STRING, Kind.CARD, Kind.SEAT, Kind.SIDE)
        first, left = parts.peek(), self.parse_of_kind(parts.take_item("a value"), scope, *kinds)
        item = parts.take_item(f"another value, {left.kind.value},")
        right = self.parse_of_kind(item, scope, *kinds)
        if left.kind is not right.kind:
            raise RecycleError(
                f"{operator} compares two values of one kind: {first} is {left.kind.value}, {item} is {right.kind.value}",
                item.at,
            )
        return syntax.Comparison(parts.bracket.at, cast('Literal["=="]', operator), left, right)

    def parse_quantified(self, word: str, parts: Parts, scope: Scope) -> syntax.Quantified | syntax.Each:
        """Parses ``(any COLLECTION 'X CONDITION)``, ``(all COLLECTION 'X CONDITION)`` or ``(all COLLECTION 'X CARDS)``."""
        at = parts.bracket.at
        over = self.parse_collection(parts.take_item("a collection"), scope)
        variable = self.bind_item(over, parts)
        wanted = (Kind.BOOLEAN,) if word == "any" else (Kind.BOOLEAN, Kind.CARDS)
        body = self.parse_of_kind(parts.take_item("a condition"), extend_scope(scope, variable), *wanted)
        if body.kind is Kind.CARDS:
            return syntax.Each(at, over, variable, body)
        return syntax.Quantified(at, cast('Literal["any"]', word), over, variable, body)

    def parse_group(self, parts: Parts, scope: Scope) -> syntax.Group:
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
            member = self.parse_of_kind(item, scope, Kind.CARDS, Kind.SETS)
            if member.kind is Kind.SETS:
                raise RecycleError(
                    f"{item} is sets of cards and stands beside others: it is written {parts.usage}", item.at
                )
            members.append(member)
        return tuple(members)


def allowed_forms(wanted: Kinds) -> str:
    if wanted == COLLECTIONS:
        return "allowed are places and other cards, sets of cards, (range A .. B), (A, B), player, team or a variable"
    return "allowed are " + "; ".join(dict.fromkeys(ALLOWED[kind] for kind in wanted))


def _suggest_keyword(atom: Atom, wanted: Kinds) -> str:
    fitting = [head for kind in wanted for head in _HEADS.get(kind, ())]
    return did_you_mean(atom.text, fitting) or did_you_mean(atom.text, USAGES)


def _names_storage(bracket: Bracket) -> bool:
    """Whether a bracket looks like ``(OWNER KIND NAME)``, misspelt kinds included."""
    items = bracket.items
    if len(items) < 2 or not isinstance(items[1], Atom) or items[1].kind is not AtomKind.WORD:
        return False
    head = items[0]
    if isinstance(head, Atom) and head.is_word("game"):
        return True
    if items[1].text in STORAGE:
        return True
    spoken_for = isinstance(head, Atom) and head.kind is not AtomKind.VARIABLE
    return not spoken_for and items[1].text not in ("player", "team")
