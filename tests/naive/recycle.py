"""Slow, obvious ReCYCLE: an interpreter that walks the syntax tree of a description.

Values are Python's: numbers are ints, strings are strs, cards are `Card` objects, players `Seat`, teams `Side`, collections
lists. Every order in which something is evaluated is that of the text. Chance is drawn where the text asks for it, by one
method, `Chance.below`, so that another implementation that draws alike plays alike:

- a shuffle swaps, for i from the last card down to the second, card i with card ``below(i + 1)``;
- ``(random a .. b)`` is ``a + below(b - a + 1)``;
- one of k > 1 cards of extreme score is number ``below(k)`` of them, in the order of the collection.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cardenvs.recycle import RecycleError
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.constants import arithmetic, fibonacci, in_bounds
from cardenvs.recycle.language.errors import Position

COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip

MOST_STEPS = 10_000
"""The most steps of the script without a choice."""

MOST_ITEMS = 100_000
"""The longest collection, and the most acts between two choices or in an option."""

MOST_WORK = 400_000
"""The most items of all collections together between two choices or in an option."""

MOST_OPTIONS = 10_000
"""The most options at a choice."""


@dataclass
class Chance:
    """Chance from Python's generator; `of_decision` is a new stream, the same whenever it is asked for."""

    seed: str
    stream: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.stream = random.Random(self.seed)

    def below(self, n: int) -> int:
        return self.stream.randrange(n)

    def of_decision(self, number: int) -> Chance:
        return Chance(f"{self.seed}/{number}")


@dataclass(eq=False)
class Card:
    """A card; two cards may look alike, but are equal only if they are the same one."""

    number: int
    deck: str
    values: dict[str, str]

    def __repr__(self) -> str:
        return ".".join(self.values.values())


@dataclass(frozen=True)
class Seat:
    """A player."""

    number: int


@dataclass(frozen=True)
class Side:
    """A team."""

    number: int


Owner = Seat | Side | None
"""Who a place or a bin belongs to; None is the game."""

Key = tuple[Owner, str, str]
"""A place, a bin or a map: whose it is, ``vloc`` or ``sto`` and the like, its name."""


@dataclass
class Cycle:
    """Whose turn it is, and who is queued to be next."""

    current: int = 0
    queued: int | None = None


@dataclass
class Frame:
    """A list of statements that is being done."""

    statements: tuple[syntax.Statement, ...]
    stage: syntax.Stage | None
    position: int = 0


@dataclass
class Memory:
    """All that a choice can change."""

    places: dict[Key, list[Card]] = field(default_factory=dict)
    numbers: dict[Key, int] = field(default_factory=dict)
    strings: dict[Key, str] = field(default_factory=dict)
    maps: dict[Key, list[tuple[dict[str, str], int]]] = field(default_factory=dict)
    seats: list[Cycle] = field(default_factory=lambda: [Cycle()])
    sides: list[Cycle] = field(default_factory=lambda: [Cycle()])
    cards: int = 0

    def copy(self) -> Memory:
        return Memory(
            {key: list(cards) for key, cards in self.places.items()},
            dict(self.numbers),
            dict(self.strings),
            dict(self.maps),
            [Cycle(cycle.current, cycle.queued) for cycle in self.seats],
            [Cycle(cycle.current, cycle.queued) for cycle in self.sides],
            self.cards,
        )


class Option(NamedTuple):
    """What a player may choose.

    ``values`` are what its ``any``s are bound to, in the order in which they are met; ``path`` are their indices.
    """

    alternative: int
    path: tuple[int, ...]
    values: tuple[Any, ...]


class Branching(Exception):
    """An ``any`` of a choice for which the path says nothing yet."""

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__(items)
        self.items = items


@dataclass
class Choosing:
    """Inside a choice: the indices that ``any``s take, and what they were bound to."""

    path: tuple[int, ...]
    values: list[Any] = field(default_factory=list)


Bound = dict[int, Any]
"""The values of variables, by the numbers of their bindings."""


class Game:
    """A game in play: ask for `options` and `play` one of them until `over`."""

    def __init__(self, description: syntax.Description, chance: Any) -> None:
        self.description = description
        self.chance: Any = Chance(str(chance)) if isinstance(chance, int) else chance
        self.memory = Memory()
        self.constants: Bound = {one.variable.number: _constant(one.constant) for one in description.declarations}
        self.frames = [Frame(description.body, None)]
        self.decisions = 0
        self.over = False
        self.done = self.work = 0
        self.choosing: Choosing | None = None
        self._options: list[Option] | None = None
        self._scores: list[int] = []
        for deck in description.decks:
            for _ in range(deck.copies):
                self.prim(deck.create, self.constants)
        self.run()

    # The machine

    def run(self) -> None:
        """Goes on to the next choice or to the end."""
        self._options = None
        self.done = self.work = 0
        for _ in range(MOST_STEPS):
            frame = self.frames[-1]
            if frame.position == len(frame.statements):
                if frame.stage is None:
                    self.over = True
                    self._scores = self.count_scores()
                    return
                self.end_of_turn(frame, frame.stage)
                continue
            statement = frame.statements[frame.position]
            if isinstance(statement, syntax.Choice):
                return
            if isinstance(statement, syntax.Stage):
                self.begin(statement)
            else:
                self.act(statement, dict(self.constants))
                frame.position += 1
        raise RecycleError(f"{MOST_STEPS} steps without a choice", self.where())

    def where(self) -> Position:
        """The innermost stage, or the game."""
        stage = self.frames[-1].stage
        return self.description.at if stage is None else stage.at

    def cycles(self, stage: syntax.Stage) -> list[Cycle]:
        return self.memory.seats if stage.of == "player" else self.memory.sides

    def begin(self, stage: syntax.Stage) -> None:
        """Comes to a stage."""
        cycles = self.cycles(stage)
        cycles.append(Cycle(cycles[-1].current))
        if self.value(stage.end, self.constants):
            cycles.pop()
            self.frames[-1].position += 1
        else:
            self.frames.append(Frame(stage.body, stage))

    def end_of_turn(self, frame: Frame, stage: syntax.Stage) -> None:
        """Comes to the end of a stage's statements."""
        cycles = self.cycles(stage)
        if self.value(stage.end, self.constants):
            cycles.pop()
            self.frames.pop()
            self.frames[-1].position += 1
            return
        count = self.players if stage.of == "player" else len(self.description.teams)
        cycles[-1] = Cycle(_next(cycles[-1], count))
        frame.position = 0

    @property
    def players(self) -> int:
        return self.description.players

    @property
    def current(self) -> int:
        """The seat whose turn it is."""
        return self.memory.seats[-1].current

    @property
    def choice(self) -> syntax.Choice:
        """The choice that the current player has."""
        frame = self.frames[-1]
        choice = frame.statements[frame.position]
        assert isinstance(choice, syntax.Choice)
        return choice

    # Options

    def options(self) -> list[Option]:
        """What the current player may choose, in order."""
        assert not self.over
        if self._options is None:
            found: list[Option] = []
            for number in range(len(self.choice.alternatives)):
                self.expand(number, (), found)
            if not found:
                raise RecycleError("nobody can do anything at this choice", self.choice.at)
            self._options = found
        return self._options

    def expand(self, alternative: int, path: tuple[int, ...], found: list[Option]) -> None:
        """All options of an alternative whose ``any``s start with a path; the memory is as it was."""
        before, self.memory = self.memory, self.memory.copy()
        try:
            done, values = self.follow(alternative, path)
            if done:
                found.append(Option(alternative, path, tuple(values)))
                if len(found) > MOST_OPTIONS:
                    raise RecycleError(f"more than {MOST_OPTIONS} options", self.choice.at)
            items: Sequence[Any] = ()
        except Branching as branching:
            items = branching.items
        finally:
            self.memory = before
        for index in range(len(items)):
            self.expand(alternative, (*path, index), found)

    def follow(self, alternative: int, path: tuple[int, ...]) -> tuple[int, list[Any]]:
        """Does an alternative with what its ``any``s take: how many acts were done, and what was bound."""
        stream, self.chance = self.chance, self.chance.of_decision(self.decisions)
        self.choosing = Choosing(path)
        self.done = self.work = 0
        try:
            self.act(self.choice.alternatives[alternative], dict(self.constants))
            return self.done, self.choosing.values
        finally:
            self.chance, self.choosing = stream, None

    def play(self, index: int) -> None:
        """Takes an option by its number, and goes on to the next choice or to the end."""
        option = self.options()[index]
        self.follow(option.alternative, option.path)
        self.decisions += 1
        self.frames[-1].position += 1
        self.run()

    # The end

    def count_scores(self) -> list[int]:
        scores = []
        cycles = self.memory.seats
        for seat in range(self.players):
            self.memory.seats = [Cycle(seat)]
            scores.append(self.value(self.description.scoring.points, self.constants))
        self.memory.seats = cycles
        return scores

    def scores(self) -> list[int]:
        """The scoring number of each seat."""
        assert self.over
        return self._scores

    def ranks(self) -> list[int]:
        """How many seats did better than each."""
        scores = self.scores()
        if self.description.scoring.best == "max":
            return [sum(other > score for other in scores) for score in scores]
        return [sum(other < score for other in scores) for score in scores]

    def copy(self) -> Game:
        """A game in the same position, with the same chance inside choices; the game's own stream is shared."""
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other.memory = self.memory.copy()
        other.frames = [Frame(frame.statements, frame.stage, frame.position) for frame in self.frames]
        return other

    # What the memory holds, for tests

    def place(self, owner: int | None, visibility: str, name: str) -> list[Card]:
        """The cards in a place of the game, which is None, or of a seat; the bottom first."""
        return list(self.memory.places.get((None if owner is None else Seat(owner), visibility, name), []))

    def stored(self, owner: Owner, name: str) -> int:
        """A ``sto`` bin."""
        return self.memory.numbers.get((owner, "sto", name), 0)

    def string_stored(self, owner: Owner, name: str) -> str:
        """A ``str`` bin."""
        return self.memory.strings.get((owner, "str", name), "")

    # Acts

    def act(self, act: syntax.Act, bound: Bound) -> None:
        """Does an act."""
        match act:
            case syntax.Guarded(_, condition, inner):
                if self.value(condition, bound):
                    self.act(inner, bound)
            case syntax.Do(_, acts):
                for inner in acts:
                    self.act(inner, bound)
            case syntax.Let(_, value, variable, inner):
                self.act(inner, {**bound, variable.number: self.value(value, bound)})
            case syntax.ForEach(_, quantifier, over, variable, inner):
                items = self.items(over, bound)
                if quantifier == "any" and self.choosing is not None:
                    if not items:
                        return
                    taken = len(self.choosing.values)
                    if taken == len(self.choosing.path):
                        raise Branching(items)
                    items = [items[self.choosing.path[taken]]]
                    self.choosing.values.append(_snapshot(items[0]))
                for item in items:
                    self.act(inner, {**bound, variable.number: _snapshot(item)})
            case syntax.Prim():
                self.prim(act, bound)
            case _:
                raise AssertionError(act)

    def prim(self, act: syntax.Prim, bound: Bound) -> None:
        """Does an act that changes something itself."""
        if isinstance(act, syntax.Repeat):
            self.repeat(self.value(act.times, bound), act.prim, bound)
            return
        if isinstance(act, syntax.RepeatAll):
            self.repeat(len(self.items(act.cards, bound)), act.prim, bound)
            return
        self.done += 1
        if self.done > MOST_ITEMS:
            raise RecycleError(f"more than {MOST_ITEMS} acts without a choice", act.at)
        memory = self.memory
        match act:
            case syntax.SetNumber(_, target, value):
                memory.numbers[self.key(target, bound)] = self.value(value, bound)
            case syntax.Change(at, operator, target, amount):
                key = self.key(target, bound)
                change = self.value(amount, bound)
                before = memory.numbers.get(key, 0)
                memory.numbers[key] = in_bounds(before + change if operator == "inc" else before - change, at)
            case syntax.SetString(_, target, value):
                memory.strings[self.key(target, bound)] = self.value(value, bound)
            case syntax.SetMap(_, point_map, awards):
                key = self.key(point_map, bound)
                memory.maps[key] = [self.award(award, bound) for award in awards]
            case syntax.Move(_, card, to):
                moved, listed = self.found(card, bound)
                spot = self.spot(to, bound)
                home = self.lies(moved)
                if home is None:
                    raise RecycleError("the card lies nowhere", act.at)
                memory.places[home].remove(moved)
                if listed is not None:
                    listed.remove(moved)
                self.insert(moved, *spot, to.at)
            case syntax.Shuffle(_, place_at):
                place = self.place_of(place_at, bound)
                for i in range(len(place) - 1, 0, -1):
                    j = self.chance.below(i + 1)
                    place[i], place[j] = place[j], place[i]
            case syntax.TurnPass():
                pass
            case syntax.Tell(_, who, test):
                self.tell(act, who, bound, self.value(test, bound))
            case syntax.SetCycle(_, which, who):
                seat = self.value(who, bound)
                if which == "next":
                    memory.seats[-1].queued = seat.number
                else:
                    memory.seats[-1].current = seat.number
            case syntax.Remember(_, card, to):
                copied = self.card(card, bound)
                self.insert(copied, *self.spot(to, bound), to.at)
            case syntax.Forget(at, card, place_at):
                copied, listed = self.found(card, bound)
                place = self.place_of(place_at, bound)
                if copied not in place:
                    raise RecycleError("the card is not in the mem", at)
                place.remove(copied)
            case syntax.CreateDeck(_, back, place_at, faces):
                place = self.place_of(place_at, bound)
                for face in faces:
                    place.append(Card(memory.cards, back, dict(face)))
                    memory.cards += 1
            case _:
                raise AssertionError(act)

    def tell(self, act: syntax.Tell, who: syntax.Expression | None, bound: Bound, holds: bool) -> None:
        """Tells whether a test holds; nobody remembers it here."""
        if who is not None:
            self.value(who, bound)

    def repeat(self, times: int, prim: syntax.Prim, bound: Bound) -> None:
        """Does an act several times, each time anew."""
        if times > MOST_ITEMS:
            raise RecycleError(f"repeated {times} times: at most {MOST_ITEMS} are allowed", prim.at)
        for _ in range(times):
            self.prim(prim, bound)

    def award(self, award: syntax.Award, bound: Bound) -> tuple[dict[str, str], int]:
        """The values that a card must have, and what it scores then."""
        values: dict[str, str] = {}
        never = False
        for key in award.keys:
            attribute, value = self.value(key.attribute, bound), self.value(key.value, bound)
            never = never or values.get(attribute, value) != value
            values[attribute] = value
        points = self.value(award.points, bound)
        return values, 0 if never else points

    def lies(self, card: Card) -> Key | None:
        """The place in which a card lies."""
        return next((key for key, cards in self.memory.places.items() if key[1] != "mem" and card in cards), None)

    def spot(self, to: syntax.Expression, bound: Bound) -> tuple[list[Card], str | int]:
        """A place, and where in it a card is to go."""
        place = self.place_of(to.place, bound)
        return place, to.index if isinstance(to.index, str) else self.value(to.index, bound)

    def insert(self, card: Card, place: list[Card], index: str | int, at: Position) -> None:
        if isinstance(index, str):
            index = len(place) if index == "top" else 0
        if not 0 <= index <= len(place):
            raise RecycleError(f"there is no index {index} in a place of {len(place)} cards", at)
        place.insert(index, card)

    # Storage

    def owner(self, owner: syntax.Owner, bound: Bound) -> Owner:
        return self.value(owner, bound) if isinstance(owner, syntax.Expression) else None

    def key(self, storage: syntax.NumberBin | syntax.StringBin | syntax.PointMap, bound: Bound) -> Key:
        word = {syntax.NumberBin: "sto", syntax.StringBin: "str", syntax.PointMap: "points"}[type(storage)]
        return self.owner(storage.owner, bound), word, self.value(storage.name, bound)

    def place_key(self, place: syntax.Place, bound: Bound) -> Key:
        return self.owner(place.owner, bound), place.visibility, self.value(place.name, bound)

    def place_of(self, place: syntax.Place, bound: Bound) -> list[Card]:
        """The place itself, which may be changed."""
        return self.memory.places.setdefault(self.place_key(place, bound), [])

    def scorer(self, point_map: syntax.PointMap, bound: Bound) -> Callable[[Card], int]:
        """What cards score in a map."""
        awards = self.memory.maps.get(self.key(point_map, bound), [])

        def score(card: Card) -> int:
            points = (
                n for values, n in awards if all(card.values.get(name, "") == value for name, value in values.items())
            )
            return in_bounds(sum(points), point_map.at)

        return score

    # Expressions

    def value(self, expression: syntax.Expression, bound: Bound) -> Any:
        """The value of any expression; collections are new lists."""
        if isinstance(expression, syntax.Variable):
            return _snapshot(bound[expression.binding.number])
        if expression.kind is syntax.Kind.CARD:
            return self.card(expression, bound)
        match expression:
            case syntax.CycleSeat(_, which):
                return Seat(_turn(self.memory.seats[-1], which, self.players))
            case syntax.CycleSide(_, which):
                return Side(_turn(self.memory.sides[-1], which, len(self.description.teams)))
            case syntax.NumberedSeat(at, number):
                return Seat(_numbered(self.value(number, bound), self.players, "player", at))
            case syntax.NumberedSide(at, number):
                return Side(_numbered(self.value(number, bound), len(self.description.teams), "team", at))
            case syntax.OwnerOfCard(at, card):
                owner = (self.lies(self.card(card, bound)) or (None,))[0]
                if owner is None:
                    raise RecycleError("the card lies in no player's place", at)
                return owner
            case syntax.SideOfSeat(_, seat):
                number = self.value(seat, bound).number
                return Side(next(t for t, team in enumerate(self.description.teams) if number in team))
            case syntax.Number(_, value) | syntax.Name(_, value):
                return value
            case syntax.Setting(_, _, choices):
                return choices[0]
            case syntax.NumberBin():
                return self.memory.numbers.get(self.key(expression, bound), 0)
            case syntax.StringBin():
                return self.memory.strings.get(self.key(expression, bound), "")
            case syntax.Arithmetic(at, operator, left, right):
                return arithmetic(operator, self.value(left, bound), self.value(right, bound), at)
            case syntax.Size(_, of):
                return len(self.items(of, bound))
            case syntax.Sum(at, cards, using):
                found = self.items(cards, bound)
                return in_bounds(sum(map(self.scorer(using, bound), found)), at)
            case syntax.Score(_, card, using):
                scored = self.card(card, bound)
                return self.scorer(using, bound)(scored)
            case syntax.Random(at, low, high):
                least = 0 if low is None else self.value(low, bound)
                most = self.value(high, bound)
                if most < least:
                    raise RecycleError(f"there is no number from {least} to {most}", at)
                return least + self.chance.below(most - least + 1)
            case syntax.Triangular(at, number):
                n = self.value(number, bound)
                return in_bounds(n * (n + 1) // 2, at)
            case syntax.Fibonacci(at, number):
                return fibonacci(self.value(number, bound), at)
            case syntax.Numeral(_, number):
                return str(self.value(number, bound))
            case syntax.CardAttribute(_, attribute, card):
                name = self.value(attribute, bound)
                match card:
                    case syntax.CardAt(_, "top" | "bottom", syntax.Place() as place) if not self.items(place, bound):
                        return ""
                return self.card(card, bound).values.get(name, "")
            case syntax.Logic(_, operator, operands):
                return (all if operator == "and" else any)(self.value(operand, bound) for operand in operands)
            case syntax.Not(_, operand):
                return not self.value(operand, bound)
            case syntax.Quantified(_, quantifier, over, variable, condition):
                return (any if quantifier == "any" else all)(
                    self.value(condition, {**bound, variable.number: _snapshot(item)}) for item in self.items(over, bound)
                )
            case syntax.Comparison(_, operator, left, right):
                return COMPARE[operator](self.value(left, bound), self.value(right, bound))
        return self.items(expression, bound)

    def card(self, expression: syntax.Expression, bound: Bound) -> Card:
        return self.found(expression, bound)[0]

    def found(self, expression: syntax.Expression, bound: Bound) -> tuple[Card, list[Card] | None]:
        """A card, and the list of the variable in which it was found by top, bottom or index, if it was."""
        match expression:
            case syntax.Variable(_, binding):
                card = bound[binding.number]
                assert isinstance(card, Card)
                return card, None
            case syntax.Actual(_, card):
                return self.found(card, bound)
            case syntax.CardAt(at, index, cards):
                position = index if isinstance(index, str) else self.value(index, bound)
                listed = bound[cards.binding.number] if isinstance(cards, syntax.Variable) else None
                among = self.items(cards, bound)
                if not among:
                    raise RecycleError("there is no card: the collection is empty", at)
                if isinstance(position, str):
                    return among[-1 if position == "top" else 0], listed
                if not 0 <= position < len(among):
                    raise RecycleError(f"there is no card {position} among {len(among)}", at)
                return among[position], listed
            case syntax.Extreme(at, which, cards, using):
                among = self.items(cards, bound)
                score = self.scorer(using, bound)
                if not among:
                    raise RecycleError("there is no card: the collection is empty", at)
                scores = [score(card) for card in among]
                best = max(scores) if which == "max" else min(scores)
                tied = [card for card, points in zip(among, scores, strict=True) if points == best]
                return tied[self.chance.below(len(tied)) if len(tied) > 1 else 0], None
        raise AssertionError(expression)

    def group(self, group: syntax.Group, bound: Bound) -> list[list[Card]]:
        """The parts of a union and its like."""
        if isinstance(group, syntax.Each):
            return self.items(group, bound)
        return [self.items(part, bound) for part in group]

    def items(self, expression: syntax.Expression, bound: Bound) -> list[Any]:
        """The items of a collection, in a new list."""
        items = self.collected(expression, bound)
        if len(items) > MOST_ITEMS:
            raise RecycleError(f"a collection of {len(items)}: at most {MOST_ITEMS} are allowed", expression.at)
        self.work += len(items)
        if self.work > MOST_WORK:
            raise RecycleError(f"more than {MOST_WORK} items without a choice", expression.at)
        return items

    def collected(self, expression: syntax.Expression, bound: Bound) -> list[Any]:
        if expression.kind is syntax.Kind.SIDE:
            return [Seat(seat) for seat in self.description.teams[self.value(expression, bound).number]]
        match expression:
            case syntax.Variable(_, binding):
                return list(bound[binding.number])
            case syntax.Place():
                return list(self.place_of(expression, bound))
            case syntax.AllSeats():
                return [Seat(seat) for seat in range(self.players)]
            case syntax.AllSides():
                return [Side(side) for side in range(len(self.description.teams))]
            case syntax.OtherSides():
                current = self.memory.sides[-1].current
                return [Side(side) for side in range(len(self.description.teams)) if side != current]
            case syntax.OtherSeats():
                return [Seat(seat) for seat in range(self.players) if seat != self.current]
            case syntax.NameList(_, names):
                return list(names)
            case syntax.Range(at, low, high):
                a, b = self.value(low, bound), self.value(high, bound)
                if b - a >= MOST_ITEMS:
                    raise RecycleError(f"a range of {b - a + 1} numbers: at most {MOST_ITEMS} are allowed", at)
                return list(range(a, b + 1))
            case syntax.Filter(_, over, variable, condition):
                kept = [
                    item
                    for item in self.items(over, bound)
                    if self.value(condition, {**bound, variable.number: _snapshot(item)})
                ]
                return [item for item in kept if item] if expression.kind is syntax.Kind.SETS else kept
            case syntax.Each(_, over, variable, cards):
                return [self.items(cards, {**bound, variable.number: _snapshot(item)}) for item in self.items(over, bound)]
            case syntax.Combination(_, operator, group):
                parts = self.group(group, bound)
                together = [card for part in parts for card in part]
                if operator == "union":
                    return together
                wanted = len(parts) if operator == "intersect" else 1
                return [card for card in dict.fromkeys(together) if sum(card in part for part in parts) == wanted]
            case syntax.Partition(_, attribute, group):
                name = self.value(attribute, bound)
                sets: dict[str, list[Card]] = {}
                for part in self.group(group, bound):
                    for card in part:
                        sets.setdefault(card.values.get(name, ""), []).append(card)
                return list(sets.values())
            case syntax.Sort(_, cards, using):
                found = self.items(cards, bound)
                return sorted(found, key=self.scorer(using, bound))
            case syntax.Take(_, end, count, cards):
                n = max(0, self.value(count, bound))
                found = self.items(cards, bound)
                return found[::-1][:n] if end == "top" else found[:n]
            case syntax.EndRun(_, end, least, cards, using):
                n = self.value(least, bound)
                found = self.items(cards, bound)
                return end_run(found[::-1] if end == "top" else found, n, self.scorer(using, bound))
            case syntax.SetAt(at, index, sets_at):
                position = index if isinstance(index, str) else self.value(index, bound)
                among = self.items(sets_at, bound)
                number = position if isinstance(position, int) else 0 if position == "top" else len(among) - 1
                if not 0 <= number < len(among):
                    raise RecycleError(f"there is no set {position} among {len(among)}", at)
                return list(among[number])
            case syntax.Subsets(at, cards):
                found = self.items(cards, bound)
                if 2 ** len(found) > MOST_ITEMS:
                    raise RecycleError(f"{len(found)} cards have more than {MOST_ITEMS} subsets", at)
                return [[card for bit, card in enumerate(found) if number >> bit & 1] for number in range(2 ** len(found))]
            case syntax.Tuples(at, size, cards, using):
                n = self.value(size, bound)
                return limited(tuples(self.items(cards, bound), n, self.scorer(using, bound)), at)
            case syntax.Runs(at, which, least, cards, using):
                n = self.value(least, bound)
                return limited(runs(self.items(cards, bound), n, self.scorer(using, bound), which == "all"), at)
        raise AssertionError(expression)


def limited(sets: itertools.chain[tuple[Card, ...]], at: Position) -> list[list[Card]]:
    """The sets, if there are not too many."""
    found = [list(one) for one in itertools.islice(sets, MOST_ITEMS + 1)]
    if len(found) > MOST_ITEMS:
        raise RecycleError(f"more than {MOST_ITEMS} sets", at)
    return found


def tuples(cards: list[Card], size: int, score: Callable[[Card], int]) -> itertools.chain[tuple[Card, ...]]:
    """All ``size`` cards of one score, for each score ascending; none of less than one card."""
    by_score = [[card for card in cards if score(card) == points] for points in sorted({score(card) for card in cards})]
    return itertools.chain.from_iterable(itertools.combinations(alike, size) for alike in by_score if size > 0)


def runs(cards: list[Card], least: int, score: Callable[[Card], int], every: bool) -> itertools.chain[tuple[Card, ...]]:
    """The longest stretches of consecutive scores, or all stretches, each way to pick one card of each score.

    Of all stretches those that start lower come first, of these the shorter ones.
    """
    ranks = {
        points: [card for card in cards if score(card) == points] for points in sorted({score(card) for card in cards})
    }
    stretches = []
    for start in ranks:
        if not every and start - 1 in ranks:
            continue
        length = 0
        while start + length in ranks:
            length += 1
            longest = start + length not in ranks
            if length >= least and (every or longest):
                stretches.append(range(start, start + length))
    ways = (itertools.product(*(ranks[points] for points in stretch)) for stretch in stretches)
    return itertools.chain.from_iterable(ways)


def end_run(cards: list[Card], least: int, score: Callable[[Card], int]) -> list[Card]:
    """The most of the first cards, but not less than ``least``, that are a run; ascending."""
    for count in range(len(cards), max(least, 1) - 1, -1):
        taken = sorted(cards[:count], key=score)
        if all(score(higher) == score(lower) + 1 for lower, higher in itertools.pairwise(taken)):
            return taken
    return []


def _constant(value: syntax.Constant) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _snapshot(value: Any) -> Any:
    """A value that no other variable shares."""
    return list(value) if isinstance(value, list) else value


def _next(cycle: Cycle, count: int) -> int:
    return (cycle.current + 1) % count if cycle.queued is None else cycle.queued


def _turn(cycle: Cycle, which: str, count: int) -> int:
    """The current, next or previous one."""
    if which == "next":
        return _next(cycle, count)
    return cycle.current if which == "current" else (cycle.current - 1) % count


def _numbered(number: int, count: int, what: str, at: Position) -> int:
    if not 0 <= number < count:
        raise RecycleError(f"there is no {what} {number}: they are numbered from 0 to {count - 1}", at)
    return number
