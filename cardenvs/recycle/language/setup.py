"""Parses the setup of a game (declarations, players, teams, decks) and the directives before it."""

import re
from itertools import product
from typing import Any

from cardenvs.checks import did_you_mean
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.cursor import Parts, split_commas
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.expressions import Expressions, Scope, extend_scope
from cardenvs.recycle.language.grammar import PRIMS, forms_of
from cardenvs.recycle.language.reader import Atom, AtomKind, Bracket, Directive, Item
from cardenvs.recycle.language.syntax import Kind

Teams = tuple[tuple[int, ...], ...]  # the seats of each team

MOST_PLAYERS = 32  # the most seats that a game may have
MOST_CARDS = 2000  # the most cards that a setup may make
DEFAULT_BACK = "DEFAULT"  # the name of a deck that is given none

DECLARATION = forms_of(syntax.Declaration)
SETUP = "(setup (create players NUMBER) [(create teams (0, 2) (1, 3))] (create deck PLACE (deck ..)) ..)"
DECK = PRIMS["create"].usage
ATTRIBUTE = "(ATTRIBUTE (VALUE, VALUE, ..)) or (ATTRIBUTE (VALUE [ATTRIBUTES]) (VALUE [ATTRIBUTES]) ..)"

MOST_OPTIONS = 20  # the most rule options of a game

DIRECTIVES = {
    "private": (";;! private sto NAME or ;;! private str NAME", "private (sto|str) ([A-Z]+)"),
    "max_decisions": (";;! max_decisions NUMBER", "max_decisions ([1-9][0-9]{0,6})"),
    "option": (";;! option NAME DEFAULT OTHER .. ;; MEANING", "option ([A-Z]+)((?: [0-9]{1,6}){2,})(?: ;; ?(.+))?"),
    "perfect": (";;! perfect NUMBER NAME ..", "perfect ([0-9]{1,9})((?: [A-Z]+)*)"),
    "exclusive": (";;! exclusive NUMBER ..", "exclusive((?: [1-9][0-9]{0,3})+)"),
    "tricks": (";;! tricks NAME", "tricks ([A-Z]+)"),
}
"""The syntax of each directive, for messages and as a regular expression, by its first word."""


def attributes_in(item: Item) -> frozenset[str]:
    """Returns the attributes of all decks made anywhere in a bracket, even in one with errors."""
    found: set[str] = set()
    stack = [(item, "script")]
    while stack:
        part, role = stack.pop()
        if not isinstance(part, Bracket) or not part.items:
            continue
        if role == "attribute":
            found.add(part.head)
        if part.head == "deck":
            role = "value"
        inside = {"value": "attribute", "attribute": "value"}.get(role, role)
        stack += [(inner, inside) for inner in part.items]
    return frozenset(found)


def _is_list(bracket: Bracket) -> bool:
    return not any(isinstance(item, Bracket) for item in bracket.items)


class Setup:
    """Parses a setup; players, teams and constants go into ``facts``. Each method raises a RecycleError for wrong text."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions, self.facts = expressions, expressions.facts
        expressions.makers[syntax.Declaration] = self.make_declaration

    def parse_declaration(self, bracket: Bracket, scope: Scope) -> syntax.Declaration:
        """Parses ``(declare VALUE 'X)``, whose value must be the same in all games."""
        declaration: syntax.Declaration = self.expressions.parse_form(bracket, DECLARATION, scope)
        return declaration

    def make_declaration(self, bracket: Bracket, value: syntax.Expression, variable: syntax.Binding) -> syntax.Declaration:
        fixed = self.facts.constant(value)
        if fixed is None:
            item = bracket.items[1]
            allowed = "numbers, names, lists of names, ranges and what is reckoned from them"
            raise RecycleError(f"{item} depends on the game: what is declared is the same in all games, {allowed}", item.at)
        self.facts.constants[variable.number] = fixed
        return syntax.Declaration(bracket.at, variable, value, fixed)

    def parse_players(self, bracket: Bracket, scope: Scope) -> int:
        parts = Parts(bracket, "(create players NUMBER)", taken=2)
        item = parts.take_item("the number of players")
        count = self.parse_known_number(item, scope, "the number of players")
        if not 1 <= count <= MOST_PLAYERS:
            raise RecycleError(f"{count} players: there must be 1 to {MOST_PLAYERS}", item.at)
        parts.expect_end()
        return count

    def parse_known_number(self, item: Item, scope: Scope, what: str) -> int:
        value = self.facts.constant(self.expressions.parse_of_kind(item, scope, Kind.NUMBER))
        if not isinstance(value, int):
            raise RecycleError(f"{what} is the same in all games: digits or a declared number, not {item}", item.at)
        return value

    def parse_teams(self, bracket: Bracket) -> Teams:
        """Parses ``(create teams (0, 2) (1, 3))``; each seat is in one team."""
        parts = Parts(bracket, "(create teams (0, 2) (1, 3))", taken=2)
        seen: dict[int, int] = {}
        teams: list[tuple[int, ...]] = []
        while parts.left or not teams:
            team = parts.take_bracket("a team such as (0, 2)")
            within_it = next((item for item in team.items if isinstance(item, Bracket)), None)
            if within_it is not None:
                raise RecycleError("a team has no teams in it: it is the numbers of its players, as (0, 2)", within_it.at)
            members = split_commas(team, AtomKind.NUMBER, "(0, 2)")
            for member in members:
                seat = int(member.text)
                if seat >= self.facts.players:
                    last = self.facts.players - 1
                    raise RecycleError(f"there is no player {seat}: players are numbered from 0 to {last}", member.at)
                if seat in seen:
                    raise RecycleError(f"player {seat} is in team {seen[seat]} already: each is in one team", member.at)
                seen[seat] = len(teams)
            teams.append(tuple(int(member.text) for member in members))
        left_out = [seat for seat in range(self.facts.players) if seat not in seen]
        if left_out:
            raise RecycleError(f"player {left_out[0]} is in no team: each must be in one", bracket.closed)
        return tuple(teams)

    def parse_setup(self, bracket: Bracket, scope: Scope) -> tuple[Teams, tuple[syntax.DeckSetup, ...]]:
        """Parses ``(setup ..)``; returns the seats of each team, and the decks in the order in which they are made."""
        parts = Parts(bracket, SETUP)
        first = parts.take_bracket("(create players NUMBER)")
        if not _creates(first, "players"):
            raise RecycleError(f"a setup starts with (create players NUMBER), not {first}", first.at)
        self.facts.players = self.parse_players(first, scope)
        teams: Teams = tuple((seat,) for seat in range(self.facts.players))
        second = parts.peek()
        if isinstance(second, Bracket) and _creates(second, "teams"):
            teams = self.parse_teams(second)
            parts.take_item("teams")
        self.facts.teams = len(teams)
        plain: list[syntax.DeckSetup] = []
        repeated: list[syntax.DeckSetup] = []
        cards = 0
        while parts.left:
            item = parts.take_bracket("a deck")
            for what in ("players", "teams"):
                if _creates(item, what):
                    raise RecycleError(f"(create {what} ..) stands once, before the decks: {SETUP}", item.at)
            deck = self.parse_decks(item, scope)
            cards += deck.copies * len(deck.create.faces)
            if cards > MOST_CARDS:
                raise RecycleError(f"with this the decks have {cards} cards: at most {MOST_CARDS} are allowed", item.at)
            (repeated if item.head == "repeat" else plain).append(deck)
        return teams, tuple(plain + repeated)

    def parse_decks(self, bracket: Bracket, scope: Scope) -> syntax.DeckSetup:
        if bracket.head == "repeat":
            parts = Parts(bracket, "(repeat NUMBER (create deck ..))")
            item = parts.take_item("a number")
            copies = self.parse_known_number(item, scope, "the number of decks")
            if not 0 <= copies <= MOST_CARDS:
                raise RecycleError(f"{copies} decks: there must be 0 to {MOST_CARDS}", item.at)
            inner = self.parse_decks(parts.take_bracket("a deck"), scope)
            parts.expect_end()
            return syntax.DeckSetup(bracket.at, copies * inner.copies, inner.create)
        if not _creates(bracket, "deck"):
            near = did_you_mean(bracket.head, ("create", "repeat"))
            raise RecycleError(
                f"{bracket} is no deck: a setup has (create deck ..) and (repeat NUMBER ..){near}", bracket.at
            )
        parts = Parts(bracket, DECK)
        deck = self.take_deck(parts, scope)
        parts.expect_end()
        return syntax.DeckSetup(bracket.at, 1, deck)

    def take_deck(self, parts: Parts, scope: Scope) -> syntax.CreateDeck:
        """Takes what follows ``create``, in the setup or in an act."""
        made = parts.peek()
        if made is not None and str(made) in ("players", "teams"):
            raise RecycleError(f"{made} are made in the setup, once for all: the script makes decks, {DECK}", made.at)
        parts.take_word("deck")
        named = parts.peek()
        back = parts.take_name().text if isinstance(named, Atom) and named.kind is AtomKind.NAME else DEFAULT_BACK
        item = parts.take_item("a place")
        place = self.expressions.parse_place(item, scope, " for the deck")
        if place.visibility == "mem":
            raise RecycleError("a mem holds copies of cards: a deck is made in a vloc, iloc, hloc or oloc", item.at)
        cards = parts.take_bracket("(deck ..)")
        inside = Parts(cards, "(deck (ATTRIBUTE (VALUE, ..)) ..)", taken=0)
        inside.take_word("deck")
        columns: list[list[dict[str, str]]] = []
        seen: set[str] = set()
        while inside.left or not columns:
            column, names = self.parse_attribute(inside.take_bracket(ATTRIBUTE), frozenset(seen))
            columns.append(column)
            seen |= names
            count = 1
            for one in columns:
                count *= len(one)
            if count > MOST_CARDS:
                raise RecycleError(f"the deck has {count} cards or more: at most {MOST_CARDS} are allowed", cards.at)
        merged = ({name: value for part in row for name, value in part.items()} for row in product(*columns))
        return syntax.CreateDeck(parts.bracket.at, back, place, tuple(tuple(sorted(values.items())) for values in merged))

    def parse_attribute(self, bracket: Bracket, outer: frozenset[str]) -> tuple[list[dict[str, str]], set[str]]:
        """Parses an attribute of a deck; returns the attributes of each card, and the names of all attributes."""
        parts = Parts(bracket, ATTRIBUTE, taken=0)
        name = parts.take_name("an attribute")
        if name.text in outer:
            raise RecycleError(f"cards have the attribute {name} already: each attribute once", name.at)
        first = parts.take_bracket("values such as (A, B)")
        if _is_list(first) and not parts.left:
            values = split_commas(first, AtomKind.NAME, "(A, B), names in capital letters")
            return [{name.text: value.text} for value in values], {name.text}
        found: list[dict[str, str]] = []
        names = {name.text}
        branch: Bracket | None = first
        while branch is not None:
            inside = Parts(branch, "(VALUE) or (VALUE (ATTRIBUTE ..) ..)", taken=0)
            value = inside.take_name("a value")
            below: list[dict[str, str]] = []
            while inside.left:
                rows, more = self.parse_attribute(inside.take_bracket(ATTRIBUTE), outer | {name.text})
                below += rows
                names |= more
            found += [{name.text: value.text, **row} for row in below or [{}]]
            if len(found) > MOST_CARDS:
                raise RecycleError(f"the deck has too many cards: at most {MOST_CARDS} are allowed", branch.at)
            branch = parts.take_bracket("a value with its attributes") if parts.left else None
        return found, names


def _creates(bracket: Bracket, what: str) -> bool:
    return [str(item) for item in bracket.items[:2]] == ["create", what]


def parse_directives(found: tuple[Directive, ...]) -> dict[str, Any]:
    """Parses the directives before a game: fields of the description.

    Raises:
        RecycleError: a directive is unknown, wrong or repeated.
    """
    private: list[syntax.Private] = []
    options: list[syntax.RuleOption] = []
    once: dict[str, Any] = {}
    for directive in found:
        at, word = directive.at, directive.words[0] if directive.words else ""
        text = " ".join(directive.words)
        if word not in DIRECTIVES:
            usages = ", ".join(usage for usage, _ in DIRECTIVES.values())
            meant = did_you_mean(word, DIRECTIVES)
            raise RecycleError(f"{word[:40] or ';;!'} is no directive: there are {usages}{meant}", at)
        usage, pattern = DIRECTIVES[word]
        shape = re.fullmatch(pattern, text)
        if shape is None:
            raise RecycleError(f"this directive is written {usage}, not {text[:60]}", at)
        if word in once:
            raise RecycleError(f"{word} is given twice", at)
        if word == "private":
            private.append(syntax.Private(at, "sto" if shape[1] == "sto" else "str", shape[2]))
        elif word == "option":
            options.append(_parse_option(directive, shape, options))
        elif word == "perfect":
            once[word] = syntax.Perfect(at, int(shape[1]), tuple(dict.fromkeys(shape[2].split())))
        elif word == "exclusive":
            once[word] = syntax.Exclusive(at, tuple(map(int, shape[1].split())))
        elif word == "tricks":
            once[word] = syntax.Tricks(at, shape[1])
        else:
            once[word] = int(shape[1])
    return {"private": tuple(private), "options": tuple(options), **once}


def _parse_option(directive: Directive, shape: re.Match[str], before: list[syntax.RuleOption]) -> syntax.RuleOption:
    name, choices = shape[1], tuple(map(int, shape[2].split()))
    if any(one.name == name for one in before):
        raise RecycleError(f"the option {name} is given twice", directive.at)
    if len(set(choices)) < len(choices):
        raise RecycleError(f"the option {name} has a number twice: each once, the default first", directive.at)
    if len(before) == MOST_OPTIONS:
        raise RecycleError(f"more than {MOST_OPTIONS} options: at most so many are allowed", directive.at)
    return syntax.RuleOption(directive.at, name, choices, shape[3] or name.lower())


def option_acts(options: tuple[syntax.RuleOption, ...]) -> list[syntax.Act]:
    acts = []
    for one in options:
        target = syntax.NumberBin(one.at, syntax.GameOwner(one.at), syntax.Name(one.at, one.name))
        acts.append(syntax.SetNumber(one.at, target, syntax.Setting(one.at, one.name, one.choices)))
    return [syntax.Do(options[0].at, tuple(acts))] if acts else []


def with_constant(scope: Scope, declaration: syntax.Declaration) -> Scope:
    """Returns a scope with a declared constant; a RecycleError if its name is taken."""
    if declaration.variable.name in scope:
        name = declaration.variable.name
        raise RecycleError(f"'{name} is declared already, at {scope[name].at}", declaration.variable.at)
    return extend_scope(scope, declaration.variable)
