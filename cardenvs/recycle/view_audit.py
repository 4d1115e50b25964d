"""Record of what each seat may have seen of a described game, act by act, derived from the deal alone: for checks.

It uses no knowledge that the kernels keep. The game's module runs again as plain Python, with records that trace all moved
cards (`cardenvs.recycle.tracing`). A seat sees the way of every card, its face if the seat may look at either place, all
backs, every bin that is not private, whose turn it is, its own options, what it is told, and the words, numbers and seats
of every choice that cannot write a private bin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardenvs.compiled.jit import as_records, plain_records
from cardenvs.contract.fields import Games
from cardenvs.recycle.compiler.layout import Writing
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.language import syntax
from cardenvs.recycle.running.places import KEEP_ORDERS, NOTE_ORDERS
from cardenvs.recycle.running.tables import Tables
from cardenvs.recycle.tracing import FIELDS, MOST_TRACED, trace_module

_WRAPPING = np.errstate(over="ignore")  # random numbers wrap around on purpose, which compiled code does in silence
_WORDS = ("string", "number", "seat", "side", "alternative")
"""The kinds of public values of an action, for any chosen cards."""


class Sights:
    """Deals of a game that are watched; ``dtype`` is the game's STATE."""

    def __init__(self, module: Module, dtype: np.dtype[Any]) -> None:
        self.module, self.layout, self.plain = module, module.layout, dtype
        self.code = trace_module(module.source_text(), module.faults)
        self.dtype = np.dtype([*module.fields, *FIELDS], align=True)
        self.cards, self.face_of = len(self.layout.cards), np.array(self.layout.face_of)
        self.tables = tables = Tables.of(module.tables)
        self.backs, self.relative = np.array([0, *tables.backs]), np.argsort(tables.turned_places, axis=1)
        self.seen_by, self.depths = tables.seen_by.tolist(), tables.depths.tolist()
        self.secrets = module.privacy.secrets
        self.secret_sites = [self._writes_secrets(choice) for choice in self.layout.statics.choices]

    def _writes_secrets(self, choice: syntax.Choice) -> bool:
        writes = (node for act in choice.alternatives for node in syntax.walk(act) if isinstance(node, Writing))
        return any(self.module.privacy.written_secrets(node) for node in writes)

    def shuffles(self, state: Any) -> int:
        return int(state["shuffled"])

    def watch(self, state: Any, cards: Sequence[int] | None = None, shuffles: int = 0) -> Watched:
        """Returns the deal of a state from its start on.

        ``cards`` has, by card, the one in its place behind every shuffle except the first ``shuffles``; None changes
        nothing.
        """
        games = plain_records(np.zeros(1, self.dtype))
        for name in self.plain.names or ():
            games[name] = state[name]
        games["watcher"] = 0
        if cards is not None:
            if games[0]["ordering"] != KEEP_ORDERS:
                games["ordering"] = NOTE_ORDERS
            self._restart(games)
            for action in self.actions(state):
                self.play_action(games, action)
            mapped = np.array([0, *(card + 1 for card in cards)], games["orders"].dtype)
            games["orders"][:, shuffles:] = mapped[games["orders"][:, shuffles:]]
            games["ordering"] = KEEP_ORDERS
        self._restart(games)
        return Watched(self, games)

    @_WRAPPING
    def _restart(self, games: Any) -> None:
        games["traced"] = 0
        self.code.restart(games, 0, np.uint64(games[0]["chance"]))

    @_WRAPPING
    def play_action(self, games: Any, action: int) -> None:
        """Plays a legal action in a record; the trace has this action only."""
        games["traced"] = 0
        self.code.step(games, 0, action)

    def actions(self, state: Any) -> list[int]:
        return list(state["history"][: int(state["moves"])].tolist())

    @_WRAPPING
    def public_values(self, games: Any, action: int) -> Any:
        """Returns the public values of the option that an action completes, all its parts included."""
        if self.secret_sites[int(games[0]["site"])]:
            return "secret"
        found, keys = np.zeros(len(self.module.actions.keys), np.int64), self.module.actions.keys
        parts = found[: int(self.code.whole(games, 0, action, found))].tolist()
        return tuple(pair for part in parts for pair in keys[part] if pair[0] in _WORDS)

    def face(self, card: int) -> int:
        return self.layout.face_of[card]

    def images(self, actions: Sequence[int], cards: Sequence[int]) -> list[int]:
        """Returns actions with other cards in place of theirs, by card; equal cards count as the first one."""
        keys, faces = self.module.actions.keys, list(self.layout.face_of)
        found = []
        for action in actions:
            key = tuple((k, faces[cards[faces.index(v)]] if k == "card" else v) for k, v in keys[action])
            found.append(keys.index(key) if key in keys else action)
        return found

    def kept(self, state: Any, seat: int = 0) -> list[int]:
        """Returns the values of private bins, as a seat numbers these."""
        turned = [self.secrets[k] for k in self.tables.turned_private[seat][: len(self.secrets)].tolist()]
        return [int(state[one.field][one.slot]) for one in turned]

    def places(self, state: Any, seat: int = 0) -> list[tuple[bool, list[int]]]:
        """Returns, for each place as a seat numbers them, without copies, whether its order counts, and its cards."""
        return [
            (bool(self.tables.ordered[p]), [int(card) - 1 for card in state["cards"][p][: int(state["sizes"][p])]])
            for p in self.tables.turned_places[seat].tolist() if not self.tables.memories[p]
        ]  # fmt: skip


class Watched:
    """A deal that is played on while all seats watch; ``moves`` is the trace of the latest action."""

    def __init__(self, sights: Sights, games: Any) -> None:
        self.sights, self.games = sights, games
        self.moves: list[list[int]] = []
        self._seen = [0] * sights.layout.seats
        self._faces: list[frozenset[int]] = [frozenset()] * sights.layout.seats
        self._look_around()

    def copy(self) -> Watched:
        other: Watched = object.__new__(Watched)
        other.__dict__.update(self.__dict__)
        other.games = self.games.copy()
        other._seen, other._faces = list(self._seen), list(self._faces)
        return other

    @property
    def state(self) -> Games:
        """The deal as a state of the game, shape (1,)."""
        plain: Any = as_records(np.zeros(1, self.sights.plain))
        for name in self.sights.plain.names or ():
            plain[name] = self.games[name]
        return plain

    @property
    def to_act(self) -> int:
        return int(self.games[0]["to_act"])

    @property
    def within(self) -> bool:
        return bool(self.games[0]["partial"])

    @property
    def legal(self) -> list[int]:
        words = [int(word) & (1 << 64) - 1 for word in self.games[0]["legal_words"]]
        return [k for k in range(len(self.sights.module.actions.keys)) if words[k >> 6] >> (k & 63) & 1]

    @property
    def is_told(self) -> bool:
        """Whether the trace has all moves of the latest action."""
        state = self.games[0]
        return bool(state["traced"] <= MOST_TRACED)

    def sight(self, seat: int) -> int:
        """Returns a number that two deals share if a seat has seen the same in them."""
        return self._seen[seat]

    def unseen(self, seat: int) -> list[int]:
        """Returns the cards whose faces a seat has not seen in this deal."""
        return [card for card in range(self.sights.cards) if card not in self._faces[seat]]

    def step(self, action: int) -> None:
        actor, heard = self.to_act, self.sights.public_values(self.games, action)
        self.sights.play_action(self.games, action)
        self._note_sight(actor, ("own", action))
        if self.within:
            self._look_at(actor)
            return
        for seat in range(len(self._seen)):
            if seat != actor:
                self._note_sight(seat, ("took", heard))
        self._look_around()

    def _note_sight(self, seat: int, what: Any) -> None:
        self._seen[seat] = hash((self._seen[seat], what))

    def _look_around(self) -> None:
        self.moves = self.games[0]["tracks"][: int(self.games[0]["traced"])].tolist()
        for seat in range(len(self._seen)):
            relative, sights = self.sights.relative[seat], self.sights
            for card, home, place in self.moves:
                looks = (sights.seen_by[home] | sights.seen_by[place]) >> seat & 1
                self._note_sight(seat, (relative[home], relative[place], sights.layout.face_of[card] if looks else -1))
                self._faces[seat] |= {card} if looks else set()
            self._look_at(seat)

    def _look_at(self, seat: int) -> None:
        """Notes for a seat the bins that it may see, whose turn it is, and its legal actions."""
        g, sights, t = self.games[0], self.sights, self.sights.tables
        seats, turned = sights.layout.seats, t.turned_places[seat]
        shown: Mapping[str, Any] = {name: g[name].copy() for name in ("numbers", "texts")}
        for one in sights.secrets:
            if not self._owns(one, seat):
                shown[one.field][one.slot] = 0
        own = g["to_act"] == seat
        depth = sights.depths[int(g["site"])] if g["site"] >= 0 else 0  # turns of finished stages are blank
        turns = [
            (turn - seat) % seats if turn >= 0 else -1
            for name in ("seat_turn", "seat_queue") for turn in g[name][: depth + 1].tolist()
        ]  # fmt: skip
        sizes = g["sizes"][turned].tobytes() if sights.layout.places else b""
        backs = b""
        if sights.backs.any():  # where the order does not count, how many there are of each
            found, fixed = sights.backs[g["cards"][turned]], t.ordered[turned]
            backs = np.where(fixed[:, np.newaxis], found, np.sort(found, axis=1)).tobytes()
        self._note_sight(
            seat,
            (
                backs, sizes, shown["numbers"][t.turned_numbers[seat]].tobytes(),
                shown["texts"][t.turned_texts[seat]].tobytes(),
                g["map_made"][t.turned_maps[seat]].tobytes(), g["map_values"][t.turned_maps[seat]].tobytes(), *turns,
                g["side_turn"].tobytes(), g["side_queue"].tobytes(), int(g["site"]), int(g["over"]),
                g["legal_words"].tobytes() if own else b"", g["counts"].tobytes() if own else b"",
                int(g["heard"][seat % len(g["heard"])]),
            ),
        )  # fmt: skip

    def _owns(self, one: Any, seat: int) -> bool:
        if one.bin.owner == "team":
            zero = int(self.games[0]["zero"])
            return bool(self.sights.layout.team_of[(seat - zero) % self.sights.layout.seats] == one.number)
        return bool(one.bin.owner == "player" and one.number == seat)


def untrue(sights: Sights, state: Any, seat: int, view: Any) -> str:
    """Returns the first false claim of the view decoded from a seat's observation, in words; empty for none."""
    layout, t, slot = sights.layout, sights.tables, 0
    for place, (one, number) in enumerate(layout.places):
        source = int(t.turned_places[seat][place])
        size = int(state["sizes"][source])
        name = f"{one.storage} {one.name}" + (f" of seat+{number}" if one.owner == "player" else "")
        if int(view["sizes"][place]) != size:
            return f"{name} has {int(view['sizes'][place])} cards"
        held = [layout.face_of[int(card) - 1] for card in state["cards"][source][:size]]
        for face in (layout.face_of[int(card) - 1] for card in view["cards"][place][:size] if card > 0):
            if face not in held:
                return f"{name} has {dict(layout.faces[face][1])}"
            held.remove(face)
        for card in state["cards"][source][:size]:
            face = layout.face_of[int(card) - 1]
            if int(view["barred"][place][face // 63]) >> face % 63 & 1:
                return f"{name} has no {dict(layout.faces[face][1])}"
        for k, card in enumerate(state["cards"][source][: size if t.slotted[place] else 0]):
            face = layout.face_of[int(card) - 1]
            if int(view["ruled"][0][slot + k][face // 63]) >> face % 63 & 1:
                return f"card {k} of {name} is no {dict(layout.faces[face][1])}"
        slot += 0 if t.memories[place] else size
    for k, (_, place) in enumerate(t.claims.tolist()):
        source, words = int(t.turned_places[seat][place]), [int(word) for word in view["some"][k]]
        faces = [layout.face_of[int(card) - 1] for card in state["cards"][source][: int(state["sizes"][source])]]
        if any(words) and not any(words[face // 63] >> face % 63 & 1 for face in faces):
            return f"{layout.places[place][0].name} of seat+{layout.places[place][1]} has none of what it was told to have"
    unseen = [
        (place, layout.face_of[int(card) - 1]) for place in range(len(layout.places)) if not t.memories[place]
        for k, card in enumerate(state["cards"][t.turned_places[seat][place]]) if card > 0
        and not int(state["known"][t.turned_places[seat][place]][k]) >> seat & 1
    ]  # fmt: skip
    traces = [(int(places), layout.face_of[card]) for card, places in enumerate(view["traces"][0]) if places]
    for places, face in traces:
        there = sum(other == face and places >> place & 1 for place, other in unseen)
        if there < sum(other == face and one & ~places == 0 for one, other in traces):
            return f"{dict(layout.faces[face][1])} is not where it may be"
    for k, secret in enumerate(sights.secrets):
        true = sights.secrets[t.turned_private[seat][k]]
        value = int(state[secret.field][true.slot])
        if not int(view["maybe"][k]) >> secret.values.index(value) & 1:
            return f"{secret.bin.storage} {secret.bin.name} {secret.number} is not what it is"
    return ""
