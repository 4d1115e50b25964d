"""What each seat sees of a described game, by the interpreter, and all that it must think possible then.

A seat sees every act as it is done: from where to where a card goes, its face if the seat may look at either place, what
changes in bins that are not hidden from it (a value that is written once more is no change), whose turn it is, and what it
can do itself. Of a choice it sees which
alternative was taken and the words, numbers and seats that were named, unless the choice can write private bins. Nothing
here is taken from the compiled game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cardenvs.recycle.language import syntax
from tests.naive.recycle import Bound, Card, Game, Key, Option, Owner, Seat, Side

Sight = tuple[Any, ...]
"""All that a seat has seen, in order."""


class Undrawn(Exception):
    """Chance is asked for a number that has not been decided."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.n = n


class Tape:
    """Chance whose draws are decided beforehand; it asks for those that are not."""

    def __init__(self, draws: tuple[int, ...] = ()) -> None:
        self.left = list(draws)

    def below(self, n: int) -> int:
        if not self.left:
            raise Undrawn(n)
        return self.left.pop(0)

    def of_decision(self, number: int) -> Tape:
        return Tape()


def may_look(key: Key, seat: int) -> bool:
    """Whether a seat may look at the cards of a place."""
    owner, kind, _ = key
    if kind in ("vloc", "mem"):
        return True
    if kind == "oloc":
        return owner != Seat(seat)
    return kind == "iloc" and owner == Seat(seat)


class Witnessed(Game):
    """A game of which each seat keeps what it sees, in ``seen``, by seat."""

    def __init__(self, description: syntax.Description, chance: Any) -> None:
        self.seen: list[list[Any]] = [[] for _ in range(description.players)]
        self.looking = True
        self.private = {(str(one.storage), one.name) for one in description.private}
        super().__init__(description, chance)
        self.note_turn()

    # --- seeing ---

    def note(self, what: Any) -> None:
        """Everybody sees something."""
        for seen in self.seen:
            seen.append(what)

    def note_card(self, word: str, card: Card, keys: list[Key], at: int = -1) -> None:
        """A face is seen by who may look at one of the places; the card's index in the first one, by who may look there."""
        for seat, seen in enumerate(self.seen):
            looked = any(may_look(key, seat) for key in keys)
            seen.append((word, *keys, repr(card) if looked else None, at if may_look(keys[0], seat) else None))

    def note_bin(self, key: Key, value: Any) -> None:
        """A bin has changed: seen by all, of a private one by its owner."""
        for seat, seen in enumerate(self.seen):
            if (key[1], key[2]) not in self.private or self.owns(key[0], seat):
                seen.append(("bin", key, value))

    def owns(self, owner: Owner, seat: int) -> bool:
        """Whether a private bin of an owner is known to a seat."""
        if isinstance(owner, Side):
            return seat in self.description.teams[owner.number]
        return owner == Seat(seat)

    def note_turn(self) -> None:
        """Whose turn it is, and, for that seat, what it can do."""
        if self.over:
            self.note("over")
            return
        self.note(("turn", self.current, self.choice.number))
        self.seen[self.current].append(tuple(sorted(map(str, map(self.named, self.options())))))

    def named(self, option: Option) -> tuple[Any, ...]:
        """An option as its chooser knows it: cards by their faces, unseen ones by their places."""
        return option.alternative, *self.names[option.alternative, option.path]

    def named_value(self, value: Any, index: int) -> str:
        """A value that has just been bound in an option, as the chooser knows it."""
        cards = value if isinstance(value, list) else [value]
        if not all(isinstance(card, Card) for card in cards):
            return str(value)
        blind = any(not may_look(self.lies(card), self.current) for card in cards)
        return f"no{index}" if blind else "+".join(sorted(map(repr, cards)))

    def told(self, option: Option) -> Any:
        """What all others hear of an option."""
        alternatives = self.choice.alternatives
        writes = (syntax.SetNumber, syntax.SetString, syntax.Change)
        for node in (node for one in alternatives for node in syntax.walk(one) if isinstance(node, writes)):
            kind = "str" if isinstance(node, syntax.SetString) else "sto"
            if any(kind == storage for storage, _ in self.private):
                name = node.bin.name
                if not isinstance(name, syntax.Name) or (kind, name.text) in self.private:
                    return "secret"
        words = [value for value in option.values if not isinstance(value, Card | list)]
        return option.alternative, *map(str, words)

    def heard(self, option: Option, seat: int) -> Any:
        """What a seat sees first of an option that is taken."""
        return "took", self.named(option) if seat == self.current else self.told(option)

    # --- the interpreter, noting ---

    def options(self) -> list[Option]:
        if self._options is None:
            self.names: dict[tuple[int, tuple[int, ...]], list[str]] = {}
        return super().options()

    def follow(self, alternative: int, path: tuple[int, ...]) -> tuple[int, list[Any]]:
        self.bound: list[str] = []
        followed = super().follow(alternative, path)
        self.names[alternative, path] = self.bound
        return followed

    def act(self, act: syntax.Act, bound: Bound) -> None:
        if self.choosing is not None and len(self.bound) < len(self.choosing.values):
            self.bound.append(self.named_value(self.choosing.values[-1], self.choosing.path[len(self.bound)]))
        super().act(act, bound)

    def tell(self, act: syntax.Tell, who: syntax.Expression | None, bound: Bound, holds: bool) -> None:
        """Those who are told hear by which act, and whether its test holds."""
        told = None if who is None else self.value(who, bound)
        for seat, seen in enumerate(self.seen):
            member = isinstance(told, Side) and seat in self.description.teams[told.number]
            if self.looking and (told is None or told == Seat(seat) or member):
                seen.append(("told", act.at, holds))

    def expand(self, alternative: int, path: tuple[int, ...], found: list[Option]) -> None:
        before, self.looking = self.looking, False
        super().expand(alternative, path, found)
        self.looking = before

    def prim(self, act: syntax.Prim, bound: Bound) -> None:
        if not self.looking or isinstance(act, syntax.Repeat | syntax.RepeatAll | syntax.CreateDeck):
            super().prim(act, bound)
            return
        match act:
            case syntax.Move(_, card, to):
                moved = self.card(card, bound)
                keys = [self.lies(moved), self.place_key(to.place, bound)]
                at = self.memory.places[keys[0]].index(moved)
                super().prim(act, bound)
                self.note_card("move", moved, keys, at)
            case syntax.Remember(_, card, to):
                copied = self.card(card, bound)
                super().prim(act, bound)
                self.note_card("copy", copied, [self.place_key(to.place, bound), self.lies(copied)])
            case syntax.Forget(_, card, place):
                copied = self.card(card, bound)
                super().prim(act, bound)
                self.note_card("drop", copied, [self.place_key(place, bound)])
            case syntax.SetNumber() | syntax.SetString() | syntax.Change():
                key = self.key(act.bin, bound)
                stored: Any = self.memory.strings if key[1] == "str" else self.memory.numbers
                before = stored.get(key, "" if key[1] == "str" else 0)
                super().prim(act, bound)
                if stored[key] != before:
                    self.note_bin(key, stored[key])
            case syntax.SetMap(_, point_map, _):
                key = self.key(point_map, bound)
                super().prim(act, bound)
                self.note(("map", key, str(self.memory.maps[key])))
            case syntax.Shuffle(_, place):
                super().prim(act, bound)
                key = self.place_key(place, bound)
                order = tuple(map(repr, self.memory.places.get(key, [])))
                for seat, seen in enumerate(self.seen):
                    seen.append(("shuffle", key, order if may_look(key, seat) else None))
            case _:
                super().prim(act, bound)

    def play(self, index: int) -> None:
        option = self.options()[index]
        for seat, seen in enumerate(self.seen):
            seen.append(self.heard(option, seat))
        super().play(index)
        self.note_turn()

    def copy(self) -> Witnessed:
        other: Any = super().copy()
        other.__class__ = type(self)
        other.seen = [list(seen) for seen in self.seen]
        return other  # type: ignore[no-any-return]

    def sight(self, seat: int) -> Sight:
        """All that a seat has seen so far."""
        return tuple(self.seen[seat])


# --- what a seat must think possible ---


def whole_key(game: Game) -> Any:
    """All of a position that what follows depends on; cards by their faces."""
    memory = game.memory
    return (
        tuple(sorted((str(k), tuple(map(repr, cards))) for k, cards in memory.places.items() if cards)),
        tuple(sorted((str(k), value) for k, value in memory.numbers.items())),
        tuple(sorted((str(k), value) for k, value in memory.strings.items())),
        str(memory.maps), str(memory.seats), str(memory.sides), tuple(frame.position for frame in game.frames), game.over,
    )  # fmt: skip


class TooMany(Exception):
    """There is more to list than is allowed."""


class Possible:
    """All positions that a seat must think possible, kept up to date as a game goes on; `TooMany` above ``most``."""

    def __init__(self, openings: list[Witnessed], seat: int, sight: Sight, most: int = 600) -> None:
        self.seat, self.most = seat, most
        self.games = [game for game in openings if game.sight(seat) == sight]

    def follow(self, sight: Sight) -> None:
        """Goes on by one decision, to all positions in which the seat has seen what it has seen now."""
        found: dict[Any, Witnessed] = {}
        for game in self.games:
            if game.over:
                continue
            heard = sight[len(game.seen[self.seat])]
            for index, option in enumerate(game.options()):
                if heard != game.heard(option, self.seat):
                    continue
                for after in played(game, index):
                    if after.sight(self.seat) == sight:
                        found[whole_key(after)] = after
                        if len(found) > self.most:
                            raise TooMany
        self.games = list(found.values())


def endings(start: Callable[[Tape], Witnessed], most: int = 130) -> Iterator[Witnessed]:
    """What is begun with chance from a tape, for each way in which chance can end; `TooMany` above ``most``."""
    tapes: list[tuple[int, ...]] = [()]
    ended = 0
    while tapes:
        tape = tapes.pop()
        try:
            game = start(Tape(tape))
        except Undrawn as asked:
            tapes += [(*tape, k) for k in range(asked.n)]
            if ended + len(tapes) > most:
                raise TooMany from None
            continue
        ended += 1
        yield game


def played(game: Witnessed, index: int) -> Iterator[Witnessed]:
    """A game after an option, for each way in which chance can end."""

    def go_on(tape: Tape) -> Witnessed:
        after = game.copy()
        after.chance = tape
        after.play(index)
        return after

    return endings(go_on)


def openings(description: syntax.Description) -> list[Witnessed]:
    """A game at its first choice, for each way in which chance can end; alike ones once."""
    found = {}
    for game in endings(lambda tape: Witnessed(description, tape)):
        found[whole_key(game), tuple(map(str, game.seen))] = game
    return list(found.values())
