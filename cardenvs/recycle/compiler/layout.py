"""The layout of a described game's STATE: numbers of cards, places, bins, point maps and strings.

A place or a bin of every player takes a number for each seat, of every team for each team. Seats are counted from the
STATE's ``zero``, teams as in the description.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import Budget, constant_value
from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.symbols import Owned, Statics, Strings, is_numeral, owned_of, statics
from cardenvs.recycle.language.syntax import Description, Face

MOST_CARDS = 1000  # the most cards of a game
MOST_SLOTS = 200_000  # the most cards that all places together have room for
MOST_ENTRIES = 1_000_000  # the most cards times names: each card has an entry for each name that could be an attribute

Writing = syntax.SetNumber | syntax.SetString | syntax.Change  # the acts that change a bin
Back = tuple[str, Face]  # the look of a card: the name of the deck, which is on the back, and the face


@dataclass(frozen=True)
class Slots:
    """The numbers of a place, a bin or a map."""

    first: int
    count: int  # 1, or one for each seat or team


class Layout:
    """The numbers of a description's cards, places, bins, maps and strings; a RecycleError if there are too many."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.statics: Statics = statics(description)
        self.possible = Strings(description, dict(self.statics.attributes))
        self.seats = description.players
        self.teams = description.teams
        self.team_of = [next(t for t, team in enumerate(self.teams) if seat in team) for seat in range(self.seats)]
        self._budget = Budget()
        self._values: dict[int, tuple[syntax.Expression, syntax.Constant | None]] = {}
        """By ``id`` of an expression, itself and its value, which is worked out once."""
        self.faults: dict[tuple[str, int, int], int] = {}
        """By message, line and column, the numbers of the faults: events that the language does not allow."""
        self.constants = {one.variable.number: one.constant for one in description.declarations}
        self.nodes = list(syntax.walk(description))
        self._number_cards()
        self.places, self.place_slots = self._numbered(self.statics.places)
        self.numbers, self.number_slots = self._numbered(one for one in self.statics.bins if one.storage == "sto")
        self.texts, self.text_slots = self._numbered(one for one in self.statics.bins if one.storage == "str")
        self.maps, self.map_slots = self._numbered(self.statics.maps)
        self.set_maps = [node for node in self.nodes if isinstance(node, syntax.SetMap)]
        self.map_numbers = {id(act): number for number, act in enumerate(self.set_maps)}
        for things, what, short, most in (
            (self.places, "places", "places", MOST_SLOTS), (self.strings, "names", "names", MOST_ENTRIES),
            (self.set_maps, "acts that set a map", "such acts", MOST_ENTRIES),
        ):  # fmt: skip
            if len(self.cards) * len(things) > most:
                there = f"{len(self.cards)} cards and {len(things)} {what}"
                raise RecycleError(f"{there}: cards times {short} must be at most {most}", description.at)
        self.depth_of, self.seat_depth, self.side_depth = self._depths()

    # --- cards ---

    def _number_cards(self) -> None:
        """Numbers all cards in the order in which decks make them, those of the setup first."""
        self.cards: list[Back] = []
        self.deck_of: dict[int, int] = {}  # by ``id`` of a ``CreateDeck`` of the script, the number of its first card
        made = {id(deck.create) for deck in self.description.decks}
        for deck in self.description.decks:
            for _ in range(deck.copies):
                self.cards += [(deck.create.deck, face) for face in deck.create.faces]
        self.setup_cards = len(self.cards)
        for node in self.nodes:
            if isinstance(node, syntax.CreateDeck) and id(node) not in made:
                self.deck_of[id(node)] = len(self.cards)
                self.cards += [(node.deck, face) for face in node.faces]
        if not self.cards:
            self.cards = [("", ())]
        if len(self.cards) > MOST_CARDS:
            raise RecycleError(f"{len(self.cards)} cards: at most {MOST_CARDS} are allowed", self.description.at)
        self.faces: list[Back] = list(dict.fromkeys(self.cards))
        numbers = {face: number for number, face in enumerate(self.faces)}
        self.face_of = [numbers[card] for card in self.cards]

    def face_value(self, face: int, attribute: str) -> str:
        return self._values_of_faces[face].get(attribute, "")

    @cached_property
    def _values_of_faces(self) -> list[dict[str, str]]:
        return [dict(values) for _, values in self.faces]

    def _loops(self, over: type[syntax.Expression], acts: tuple[type[syntax.Act], ...]) -> Iterator[syntax.ForEach]:
        """Yields the loops over all items of a class of collections that do nothing else than some classes of acts."""
        for node in self.nodes:
            if isinstance(node, syntax.ForEach) and node.quantifier == "all" and isinstance(node.over, over):
                done = node.act.acts if isinstance(node.act, syntax.Do) else (node.act,)
                if all(isinstance(act, acts) for act in done):
                    yield node

    @cached_property
    def whole_place_variables(self) -> set[int]:
        """The numbers of the variables that stand for each card of a place, all of which are treated the same."""
        return {node.variable.number for node in self._loops(syntax.Place, (syntax.Prim,))}

    @cached_property
    def taken_variables(self) -> set[int]:
        """The numbers of the variables that stand for each card at an end of a place, none of which is moved meanwhile."""
        loops = self._loops(syntax.Take, (syntax.Remember, syntax.SetNumber, syntax.SetString))
        return {node.variable.number for node in loops if isinstance(getattr(node.over, "cards", None), syntax.Place)}

    @cached_property
    def opening(self) -> tuple[syntax.Act, ...]:
        return tuple(itertools.takewhile(lambda one: isinstance(one, syntax.Act), self.description.body))  # type: ignore

    @cached_property
    def in_play(self) -> list[syntax.Node]:
        later = self.description.body[len(self.opening) :]
        return [node for part in (*later, self.description.scoring) for node in syntax.walk(part)]

    @cached_property
    def writes(self) -> dict[Owned, list[Writing]]:
        found: dict[Owned, list[Writing]] = {}
        for node in self.nodes:
            if isinstance(node, Writing):
                for one in owned_of(node.bin, self.possible):
                    found.setdefault(one, []).append(node)
        return found

    @cached_property
    def private(self) -> dict[tuple[str, str], Position]:
        """The private bins, by storage and name, with the positions of their directives."""
        return {(one.storage, one.name): one.at for one in self.description.private}

    @cached_property
    def behind_secrets(self) -> list[syntax.Node]:
        """All nodes of values that private bins are set to, and of their conditions, which are evaluated again later."""

        def sets_private(node: syntax.Node) -> bool:
            bins = owned_of(node.bin, self.possible) if isinstance(node, syntax.SetNumber | syntax.SetString) else []
            return any((one.storage, one.name) in self.private for one in bins)

        found: list[syntax.Expression] = []
        for node in self.nodes if self.private else ():
            if isinstance(node, syntax.SetNumber | syntax.SetString | syntax.Guarded | syntax.ForEach | syntax.Let):
                if any(map(sets_private, syntax.walk(node))):
                    found += [part for part in syntax.child_nodes(node) if isinstance(part, syntax.Expression)]
        return [inner for part in found for inner in syntax.walk(part)]

    @cached_property
    def let_values(self) -> dict[int, syntax.Expression]:
        return {node.variable.number: node.value for node in self.nodes if isinstance(node, syntax.Let)}

    # --- strings ---

    @cached_property
    def strings(self) -> list[str]:
        """All strings that a game can hold, by their codes; the empty one is 0."""
        found: dict[str, None] = {"": None}
        for node in self.nodes:
            match node:
                case syntax.Name(_, text):
                    found[text] = None
                case syntax.NameList(_, names):
                    found |= dict.fromkeys(names)
                case syntax.Numeral():
                    found |= dict.fromkeys(sorted(self.possible.of(node), key=int))
        for one in self.constants.values():
            for part in one if isinstance(one, tuple) else (one,):
                if isinstance(part, str):
                    found[part] = None
        for _, face in self.faces:
            for attribute, value in face:
                found |= {attribute: None, value: None}
        return list(found)

    @cached_property
    def code(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.strings)}

    @cached_property
    def numerals(self) -> list[str]:
        return [text for text in self.strings if is_numeral(text)]

    @cached_property
    def attributes(self) -> list[str]:
        return list(dict.fromkeys(attribute for _, face in self.faces for attribute, _ in face))

    # --- places, bins, maps ---

    def owner_count(self, owner: str) -> int:
        return {"game": 1, "player": self.seats, "team": len(self.teams)}[owner]

    def _numbered(self, found: Iterable[Owned]) -> tuple[list[tuple[Owned, int]], dict[Owned, Slots]]:
        """Numbers single places (bins, maps) by owner; returns them, and the slots of each name."""
        listed: list[tuple[Owned, int]] = []
        slots: dict[Owned, Slots] = {}
        for one in found:
            slots[one] = Slots(len(listed), self.owner_count(one.owner))
            listed += [(one, owner) for owner in range(self.owner_count(one.owner))]
        return listed, slots

    @cached_property
    def changing(self) -> list[list[syntax.Expression]]:
        """By act that sets a point map, the strings and numbers that are no constants."""
        return [self._changing(act) for act in self.set_maps]

    def _changing(self, act: syntax.SetMap) -> list[syntax.Expression]:
        parts = [part for award in act.awards for key in award.keys for part in (key.attribute, key.value)]
        parts += [award.points for award in act.awards]
        return [part for part in parts if self.constant(part) is None]

    @cached_property
    def most_changing(self) -> int:
        return max(map(len, self.changing), default=0)

    # --- faults ---

    def fault_number(self, message: str, at: Position) -> int:
        """Returns the number of a fault, an event in a game that the language does not allow."""
        return self.faults.setdefault((message, *at), len(self.faults))

    # --- cycles ---

    def _depths(self) -> tuple[dict[int, tuple[int, int]], int, int]:
        """Returns the numbers of stages over players and over teams around each statement, by ``id``, and their maxima."""
        found: dict[int, tuple[int, int]] = {}
        most = [0, 0]

        def visit(statements: tuple[syntax.Statement, ...], seats: int, sides: int) -> None:
            most[0], most[1] = max(most[0], seats), max(most[1], sides)
            for statement in statements:
                found[id(statement)] = seats, sides
                if isinstance(statement, syntax.Stage):
                    visit(statement.body, seats + (statement.of == "player"), sides + (statement.of == "team"))

        visit(self.description.body, 0, 0)
        return found, most[0] + 1, most[1] + 1

    def constant(self, expression: syntax.Expression) -> syntax.Constant | None:
        """Returns the value of an expression that is the same in every game, else None."""
        found = self._values.get(id(expression))
        if found is None:
            found = self._values[id(expression)] = expression, constant_value(expression, self.constants, self._budget)
        return found[1]
