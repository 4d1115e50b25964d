"""What a described game tells of hidden cards, judged from outside: by the interpreter, which knows what each has seen.

The faults that are looked for:

- ``dies``: the compiled game ends with an error where the interpreter plays on, except for a ``mem`` that is full;
- ``false``: a seat is told something that is not so;
- ``secret``: a seat is told something in one of two games in which it has seen the same;
- ``mask``: a re-dealt world has other actions than those that its seat is offered, or none for who is to act;
- ``recalled``: a world that was re-dealt for who recalls the order of play could not have led to what its seat has seen;
- ``impossible``: the same without recall, where an observation cannot tell all that was seen;
- ``unfound``: no world was found.
"""

import random
from collections import Counter
from typing import Any

import numpy as np

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import Description, RecycleError
from cardenvs.recycle.compiler.privacy import Privacy
from tests.helpers.twins import SplitMix, Twins
from tests.naive.recycle import Key, Seat, Side
from tests.naive.witness import Possible, Sight, TooMany, Witnessed, openings, whole_key

FAULTS = ("dies", "false", "secret", "mask", "recalled", "impossible", "unfound")
"""The faults, by name."""
MOST_DECISIONS = 24
"""How far a game is played."""


class Dies(Exception):
    """A compiled game has ended with an error where the interpreter plays on."""


class Pair:
    """A compiled game beside a witnessed one, which take the same options; `Dies` where it cannot be dealt."""

    def __init__(self, twins: Twins, seed: int) -> None:
        self.twins = twins
        self.eyes = twins.spec.recalling if twins.spec.recall_parts else twins.spec
        self.witness = Witnessed(twins.description, SplitMix(seed))
        self.games = twins.games = twins.spec.new_games(1)
        self._safely(lambda: twins.spec.set_deal(self.games, 0, {"chance": f"{seed:016x}"}))
        twins.compare(self.witness)

    def _safely(self, call: Any) -> None:
        try:
            call()
        except RecycleError as error:
            raise Dies(str(error)) from error

    def take(self, index: int) -> None:
        """Takes an option of the interpreter's."""
        twins = self.twins
        twins.games = self.games
        rows = twins.rows(self.witness)
        self._safely(lambda: twins.take(rows, rows[index]))
        self.witness.play(rows.index(rows[index]))  # of options that are one to the compiled game the first is taken
        twins.compare(self.witness)

    def observation(self, seat: int) -> bytes:
        """What a seat is told, with the order of play where the game knows it."""
        spec = self.eyes
        views, rows = spec.new_games(1), np.zeros((1, spec.observation_size), np.int8)
        spec.kernels.view(self.games, 0, seat, views, 0)
        spec.kernels.observe(views, 0, rows, 0)
        return bytes(rows[0])


class Judge:
    """Looks for faults in what a game with few cards tells: how often each was ``found``, and ``looked`` for."""

    def __init__(self, description: Description, spec: GameSpec) -> None:
        self.description, self.spec = description, spec
        self.twins = Twins(description, spec)
        self.layout = self.twins.layout
        self.secrets = Privacy(self.layout).secrets
        self.eyes = spec.recalling if spec.recall_parts else spec
        self.labels = [f"{part.name}={label}" for part in self.eyes.parts for label in part.labels]
        self.found: Counter[str] = Counter()
        self.looked: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        try:
            self.openings: list[Witnessed] | None = openings(description)
        except TooMany:
            self.openings = None

    def report(self, fault: str, wrong: Any, games: Games | None = None, seat: int = -1) -> None:
        """Counts a look, and a fault if it was one; the first of a kind is kept in words."""
        self.looked[fault] += 1
        self.found[fault] += bool(wrong)
        if wrong and fault not in self.first:
            line = "" if games is None else f": seat {seat} of {self.spec.text(games[0])}"
            self.first[fault] = f"{wrong}{line}"

    def end(self, error: Dies) -> None:
        """Counts a game that ends with an error: a fault, unless a ``mem`` is full, which the interpreter's never is."""
        self.report("dies", "it is full" not in str(error) and error)

    def play(self, seed: int) -> None:
        """Plays a game at random, in which one seat watches, and looks for all faults."""
        rng = random.Random(seed)
        try:
            pair = Pair(self.twins, rng.getrandbits(64))
        except Dies as error:
            self.end(error)
            return
        seat = rng.randrange(self.spec.seats)
        start = pair.witness.sight(seat)
        possible = None if self.openings is None else Possible(self.openings, seat, start)
        past: list[tuple[Any, Sight, bytes]] = [(None, start, pair.observation(seat))]
        try:
            while True:
                self.look(pair, seat, possible, rng)
                if pair.witness.over or pair.witness.decisions >= MOST_DECISIONS:
                    break
                index = rng.randrange(len(pair.witness.options()))
                option = pair.witness.options()[index]
                named = pair.witness.named(option) if pair.witness.current == seat else None
                pair.take(index)
                self.report("dies", False)
                past.append((named, pair.witness.sight(seat), pair.observation(seat)))
                try:
                    if possible is not None:
                        possible.follow(past[-1][1])
                        assert any(whole_key(game) == whole_key(pair.witness) for game in possible.games)
                except TooMany:
                    possible = None
        except Dies as error:
            self.end(error)
            return
        self.compare_secrets(pair, seat, past, rng)

    # --- at each position ---

    def look(self, pair: Pair, seat: int, possible: Possible | None, rng: random.Random) -> None:
        """Looks for what is false for any seat, and at re-deals of the seat that watches."""
        for one in range(self.spec.seats):
            self.report("false", self.false(pair, one), pair.games, one)
        if pair.witness.over:
            return
        keys = None if possible is None else {position(game, self.private) for game in possible.games}
        for spec in (self.spec, self.eyes) if self.eyes.recall and rng.random() < 0.4 else (self.spec,):
            fault = "recalled" if spec.recall else "impossible"
            views, dealt, streams = spec.new_games(1), spec.new_games(1), seed_streams(rng.getrandbits(32), 1)
            spec.kernels.view(pair.games, 0, seat, views, 0)
            for _ in range(1 if spec.recall else 4):
                spec.kernels.redeal(views, 0, streams, 0, dealt, 0)
                unfit = spec.kernels.fits is not None and not spec.kernels.fits(dealt, 0)
                self.report("unfound", unfit, pair.games, seat)
                if unfit:
                    continue
                self.report("mask", self.other_actions(views, dealt), pair.games, seat)
                if keys is not None:
                    world = self.world(dealt[0], seat)
                    self.report(fault, world not in keys and world, pair.games, seat)

    def false(self, pair: Pair, seat: int) -> str:
        """What a seat is told that is not so; empty for nothing."""
        views = self.spec.new_games(1)
        row = np.frombuffer(pair.observation(seat), np.int8)[None, : self.spec.observation_size]
        self.spec.kernels.decode(row, 0, views, 0)
        view, slot = views[0], 0
        for place, (one, number) in enumerate(self.layout.places):
            name = f"{one.storage} {one.name} of {self.absolute(one.owner, number, seat)}"
            cards = pair.witness.memory.places.get(self.key(one, number, seat), [])
            held = Counter(self.layout.face_of[card.number] for card in cards)
            size = int(view["sizes"][place])
            if size != len(cards):
                return f"that {size} cards are in {name}"
            known = Counter(self.layout.face_of[int(c) - 1] for c in view["cards"][place][:size] if c > 0)
            if known - held:
                return f"that {name} has {self.named(known - held)}"
            barred = [face for face in held if int(view["barred"][place][face // 63]) >> face % 63 & 1]
            if barred:
                return f"that {name} has no {self.named(barred)}"
            for k, card in enumerate(cards if one.storage != "mem" and view["ruled"].shape[1] > 1 else ()):
                face = self.layout.face_of[card.number]
                if int(view["ruled"][0][slot + k][face // 63]) >> face % 63 & 1:
                    return f"that card {k} of {name} is no {self.named([face])}"
            slot += 0 if one.storage == "mem" else size
        for k, secret in enumerate(self.secrets):
            stored = pair.witness.memory.strings if secret.bin.storage == "str" else pair.witness.memory.numbers
            value: Any = stored.get(self.key(secret.bin, secret.number, seat), "" if secret.bin.storage == "str" else 0)  # type: ignore[attr-defined]
            value = self.layout.code[value] if secret.bin.storage == "str" else value
            if not int(view["maybe"][k]) >> secret.values.index(value) & 1:
                return f"that {secret.bin.storage} {secret.bin.name} is not {value}"
        return ""

    def named(self, faces: Any) -> str:
        return ", ".join(str(dict(self.layout.faces[face][1])) for face in faces)

    def absolute(self, owner: str, number: int, seat: int) -> Any:
        """The interpreter's owner that a seat counts as ``number``."""
        return {"game": None, "player": Seat((number + seat) % self.spec.seats), "team": Side(number)}[owner]

    def key(self, one: Any, number: int, seat: int) -> Key:
        return self.absolute(one.owner, number, seat), one.storage, one.name

    def other_actions(self, views: Games, dealt: Games) -> bool:
        """Whether the actions in a world, worked out there, are none, or others than its seat is offered."""
        again = self.spec.parse(self.spec.text(dealt[0]))
        own = views[0]["to_act"] == 0
        if again[0]["over"] or not again[0]["legal_words"].any():
            return True
        return bool(own and any((again[0][name] != views[0][name]).any() for name in ("legal_words", "counts")))

    @property
    def private(self) -> set[tuple[str, str]]:
        return {(str(one.storage), one.name) for one in self.description.private}

    def world(self, record: Any, seat: int) -> Any:
        """A re-dealt world as `position` has it: cards by their faces, and what private bins hold."""
        found = []
        for place, (one, number) in enumerate(self.layout.places):
            if one.storage != "mem" and record["sizes"][place]:
                faces = [self.layout.face_of[int(c) - 1] for c in record["cards"][place][: int(record["sizes"][place])]]
                names = sorted(".".join(value for _, value in self.layout.faces[face][1]) for face in faces)
                found.append((str(self.key(one, number, seat)), *names))
        for field, listed in (("numbers", self.layout.numbers), ("texts", self.layout.texts)):
            for slot, (one, number) in enumerate(listed):
                value = int(record[field][slot])
                shown = self.layout.strings[value] if field == "texts" else value
                if (one.storage, one.name) in self.private and shown:
                    found.append((str(self.key(one, number, seat)), shown))
        return tuple(sorted(found))

    # --- games that look alike ---

    def compare_secrets(self, pair: Pair, seat: int, past: list[Any], rng: random.Random) -> None:
        """Other deals in which a seat sees the same: it must be told the same, too."""
        tried = 0
        for _number in range(80):
            try:
                other = Pair(self.twins, rng.getrandbits(64)) if tried < 3 else None
            except Dies:
                return
            if other is None:
                return
            if other.witness.sight(seat) != past[0][1] or whole_key(other.witness) == whole_key(pair.witness):
                continue
            tried += 1
            self.replay(other, seat, past, rng)

    def replay(self, other: Pair, seat: int, past: list[Any], rng: random.Random) -> None:
        """Plays a game on in which a seat sees what it has seen, as far as that goes, and compares what it is told."""
        self.compare_told(other, seat, past[0][2])
        for named, sight, told in past[1:]:
            options = other.witness.options()
            fitting = [k for k, option in enumerate(options) if named is None or other.witness.named(option) == named]
            rng.shuffle(fitting)
            for index in fitting[:12]:
                ahead = other.witness.copy()
                stream = other.witness.chance
                ahead.chance = SplitMix(stream.seed, stream.state)  # type: ignore[attr-defined]
                ahead.play(index)
                if ahead.sight(seat) == sight:
                    break
            else:
                return
            try:
                other.take(index)
            except Dies:
                return
            self.compare_told(other, seat, told)

    def compare_told(self, other: Pair, seat: int, told: bytes) -> None:
        now = other.observation(seat)
        differ = [] if now == told else [label for label, a, b in zip(self.labels, now, told, strict=True) if a != b]
        self.report("secret", differ[:4], other.games, seat)


def position(game: Witnessed, private: set[tuple[str, str]]) -> Any:
    """Where the cards of a game lie, by their faces, and what private bins hold."""
    found = [(str(k), *sorted(map(repr, cards))) for k, cards in game.memory.places.items() if cards and k[1] != "mem"]
    for stored in (game.memory.numbers, game.memory.strings):
        found += [(str(k), value) for k, value in stored.items() if (k[1], k[2]) in private and value]
    return tuple(sorted(found))
