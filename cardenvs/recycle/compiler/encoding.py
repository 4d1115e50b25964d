"""Observations of described games: their parts, most of them declared with a source, and tables for the other ones.

A place has an entry for each card, sorted by face: as many ones as the seat knows copies there. Where the script asks for
the top or the bottom card, its face has a part of its own; where it asks for the order, every card has; a ``mem`` that can
have a card twice has the face of each. Places that not all seats see have their size. Numbers that are only set to
constants are one-hot, others have 20 bits; strings are one-hot. A private bin has an entry for "hidden", and its publicly
possible values.
"""

import itertools
from collections import Counter
from typing import Any

import numpy as np

from cardenvs.contract.board import owner_text
from cardenvs.contract.fields import Part
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.sources import BitSet, OneHot, Source, UpTo
from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.inference import InferenceWriter
from cardenvs.recycle.compiler.labels import display_name
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.ordering import loses_sight, ordered_places
from cardenvs.recycle.compiler.privacy import MOST_VALUES, Privacy, held_values
from cardenvs.recycle.compiler.sources import Listed, PrivateValue, Signed, Words
from cardenvs.recycle.compiler.tells import Tells
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import RecycleError
from cardenvs.recycle.language.symbols import Owned, owned_of
from cardenvs.recycle.language.syntax import Kind
from cardenvs.recycle.running.tables import BACKS, BOTTOM, CARDS, MEM, ORDER, PERHAPS, PLACE_COLUMNS, SECRET, SLOTS, TOP

MOST_RECALLED = 4000  # the most decisions of a game whose order of play can be recalled
MOST_TRACED = 63  # maximum number of places of a game with traces of lost cards: one bit each
BITS = 20  # the bits of a number that can be anything


class Encoding:
    """The parts of a game's observations, and the tables by which `cardenvs.recycle.running` writes those without a source.

    Attributes:
        hidden: the parts that a seat cannot see.
    """

    def __init__(self, layout: Layout, actions: Actions, privacy: Privacy, tells: Tells) -> None:
        self.layout, self.actions, self.privacy, self.tells = layout, actions, privacy, tells
        alike = {values for _, values in layout.faces}
        self._written = Counter(tuple(value for _, value in values) for values in alike)
        self.parts: list[Part] = []
        self.hidden: list[Part] = []
        self.tables: dict[str, Any] = {}
        seats, teams = layout.seats, len(layout.teams)
        self.seat_labels = tuple("self" if k == 0 else f"seat+{k}" for k in range(seats))
        self._add_places()
        self._add_bins()
        self._add_maps()
        self._add_part(
            "site", [f"{choice.at.line}:{choice.at.column}" for choice in layout.statics.choices], "which choice it is",
            source=OneHot("site", none=-1),
        )  # fmt: skip
        named = self.seat_labels
        for k in range(layout.seat_depth):
            shown, queued = OneHot("seat_turn", at=k), OneHot("seat_queue", at=k, none=-1)
            self._add_part(f"turn_{k}", named, f"the current player, {k} stages deep", source=shown)
            self._add_part(f"queued_{k}", named, "the player who is queued to be next", "next in turn", queued)
        named = tuple(str(k) for k in range(teams))
        for k in range(layout.side_depth):
            shown, queued = OneHot("side_turn", at=k), OneHot("side_queue", at=k, none=-1)
            self._add_part(f"team_turn_{k}", named, f"the current team, {k} stages deep", source=shown)
            told = "next in turn among the teams"
            self._add_part(f"team_queued_{k}", named, "the team that is queued to be next", told, queued)
        meaning, told = "the seat that the description calls 0", "seat 0 of the rules"
        self._add_part("zero", self.seat_labels, meaning, told, OneHot("zero"))
        self._add_part("to_act", self.seat_labels, "whose turn it is", source=OneHot("to_act", none=-1))
        over = OneHot("over", first=EPISODE_OVER, none=RUNNING)
        self._add_part("over", ["yes"], "the game is over", source=over)
        self.names = self._action_names()
        self._add_chosen_parts()
        legal = Words("legal_words")
        self._add_part("legal", self.names, "what the seat can do, if it is its turn", source=legal)
        most = max(actions.most.values(), default=1)
        bits = most.bit_length() if most > 1 else 0
        many = sorted(action for action, count in actions.most.items() if count > 1)
        column = -1
        if many:
            labels = [f"{self.names[action]}:{1 << bit}" for action in many for bit in range(bits)]
            column = self._add_part("choices", labels, "how many options an action stands for, in binary")
        self.tables |= {"MANY": many, "COUNT_BITS": bits, "COUNTS_AT": column}
        self.tables["MOST_COUNT"] = (1 << bits) - 1 if bits else 1

    def recall_parts(self, events: int, shuffles: int, check_bits: int) -> list[Part]:
        layout = self.layout
        bits = {
            "EVENT_BITS": (len(self.names) + 1).bit_length(),
            "FACE_BITS": len(layout.faces).bit_length(),
            "PLACE_BITS": (len(layout.places) + len(layout.cards) * bool(self.tells.slotted)).bit_length(),
        }
        self.tables |= bits
        named = [
            f"{what}+{1 << bit}"
            for what, count in (("action", bits["EVENT_BITS"]), ("check", check_bits))
            for bit in range(count)
        ]
        parts = [Part(f"event_{k}", tuple(named), "what was done, as far as it was seen") for k in range(events)]
        spots = (("face", bits["FACE_BITS"]), ("place", bits["PLACE_BITS"]))
        named = [
            f"{k}:{what}+{1 << bit}" for k in range(len(layout.cards)) for what, count in spots for bit in range(count)
        ]
        meaning = "what is known of the order in which a shuffle has ended, and where these cards lie or have left"
        parts += [Part(f"shuffle_{k}", tuple(named), meaning) for k in range(shuffles)]
        return [*parts, Part("digest", tuple(f"bit{k}" for k in range(62)), "a number that depends on all that was seen")]

    def _add_part(self, name: str, labels: Any, meaning: str, told: str = "", source: Source | None = None) -> int:
        """Adds a part; returns its first column. Without a source, the kernels of places write it."""
        labels, column = tuple(labels), sum(part.size for part in self.parts)
        self.parts.append(Part(name, labels, meaning, told, source if labels else None))
        return column

    def _add_chosen_parts(self) -> None:
        actions = self.actions
        parts = sorted(set().union(*(one.own_actions for one in actions if one.in_parts and one.domains), set()))
        for level in range(actions.levels):
            named = [self.names[k] for k in parts]
            meaning, told = "what the seat has chosen of an option", "chosen of an option so far"
            self._add_part(
                f"chosen_{level}", named, meaning, told, Listed("chosen", at=level, values=tuple(parts), none=-1)
            )
        self.tables["LEVELS"] = actions.levels

    # --- names ---

    def face_name(self, face: int) -> str:
        deck, values = self.layout.faces[face]
        text = "-".join(value.lower() for _, value in values) or deck.lower() or "card"
        if self._written[tuple(value for _, value in values)] > 1:
            text = "-".join(f"{name.lower()}-{value.lower()}" for name, value in values)
        alike = [back for back, other in self.layout.faces if other == values]
        return f"{text}@{deck.lower()}" if len(alike) > 1 else text

    def _action_names(self) -> list[str]:
        """Returns the names of all actions; ambiguous ones have the kinds of their values."""
        keys = range(len(self.actions.keys))
        names = [self.action_name(k) for k in keys]
        counts = Counter(names)
        return [self.action_name(k, counts[names[k]] > 1) for k in keys]

    def action_name(self, action: int, kinds: bool = False) -> str:
        words = []
        for kind, value in self.actions.keys[action]:
            if kinds and kind not in ("choice", "alternative", "done"):
                words.append(kind)
            match kind:
                case "card":
                    words.append(self.face_name(value))
                case "place":
                    words.append(f"no{value + 1}")
                case "string":
                    words.append(self.layout.strings[value].lower())
                case "seat":
                    words.append(self.seat_labels[value])
                case "choice":
                    words.append(f"choice{value}")
                case "alternative":
                    words.append(f"option{value}")
                case "done":
                    words.append("done")
                case _:
                    words.append(str(value))
        return ".".join(words)

    def owner_name(self, owner: str, number: int) -> str:
        return {"game": "", "player": f"_{number}", "team": f"_team_{number}"}[owner]

    @staticmethod
    def _describe_owned(one: Owned, number: int) -> str:
        """Describes a place or a bin, such as ``player_1's hand``."""
        return (
            display_name(one.name) if one.owner == "game" else f"{owner_text(one.owner, number)}'s {display_name(one.name)}"
        )

    # --- places ---

    def _add_places(self) -> None:
        layout = self.layout
        cards, faces = len(layout.cards), len(layout.faces)
        labels = tuple(self.face_name(face) for face in sorted(layout.face_of))
        tops, bottoms, ordered = ordered_places(layout)
        backs = list(dict.fromkeys(deck for deck, _ in layout.faces))
        heights = cards.bit_length()
        bars, repeated = self._barred_places(), self._repeated_memories()
        marks, self.tables["FACE_MARKS"] = self._face_marks()
        traced = len(layout.places) <= MOST_TRACED and loses_sight(layout, self.tells.indexed)
        self.tables["TRACED"] = int(traced)
        named = [self.face_name(face) for face in range(faces)]
        rows: list[list[int]] = []
        for place, (one, number) in enumerate(layout.places):
            name = f"{one.storage}_{one.name.lower()}{self.owner_name(one.owner, number)}"
            said = self._describe_owned(one, number)
            secret, slotted = one.storage in ("iloc", "hloc", "oloc"), one in self.tells.slotted
            again = one in repeated
            row = [-1] * PLACE_COLUMNS
            row[SECRET], row[MEM] = int(secret), (one.storage == "mem") + again
            row[CARDS] = self._add_part(name, labels, "the cards that the seat knows there")
            if secret:
                sizes, meaning = [str(k + 1) for k in range(cards)], "how many cards lie there, up to it"
                self._add_part(f"{name}_size", sizes, meaning, source=UpTo("sizes", at=place))
            if again:
                spots = [f"{k}:{mark}" for k in range(cards) for mark in marks]
                row[ORDER] = self._add_part(f"{name}_cards", spots, "what each one is, from 0 at the bottom")
            elif one in ordered or slotted:
                spots = [f"{card}:{1 << bit}" for card in labels for bit in range(heights)]
                meaning = "how high each known card lies, in binary, from 1 at the bottom"
                row[ORDER] = self._add_part(f"{name}_order", spots, meaning)
            if one in tops and row[ORDER] < 0:
                row[TOP] = self._add_part(f"{name}_top", named, "the top card, if it is known")
            if one in bottoms and row[ORDER] < 0:
                row[BOTTOM] = self._add_part(f"{name}_bottom", named, "the bottom card, if known")
            if secret and len(backs) > 1:
                spots = [f"{k}:{back.lower()}" for k in range(cards) for back in backs[1:]]
                meaning = "the backs of unknown cards, other than the first deck's"
                row[BACKS] = self._add_part(f"{name}_backs", spots, meaning, f"{meaning}, in {said}")
            if one in bars and secret:
                barred = Words("barred", at=place, bits=63)
                self._add_part(f"{name}_none", named, "what is not there", f"not in {said}", barred)
            if slotted:
                spots = [f"{k}:{face}" for k in range(cards) for face in named]
                meaning = "which card was told not to be what, from 0 at the bottom"
                row[SLOTS] = self._add_part(f"{name}_slots", spots, meaning, f"told not to be, in {said}")
            if traced and secret:
                meaning = "which cards may be there that the seat has seen and lost sight of"
                row[PERHAPS] = self._add_part(f"{name}_perhaps", labels, meaning, f"seen before, and perhaps in {said}")
            rows.append(row)
            if secret:
                self.hidden.append(Part(f"{name}_hidden", labels, "the cards that the seat does not know there"))
        for k, act in enumerate(self.tells.acts):
            told, shown = f"told by line {act.at.line}", OneHot("told", at=(0, k), first=1, none=0)
            self._add_part(f"told_{k}", ["no", "yes"], "what was told last by this act", told, shown)
        self._add_claims(named)
        self.tables["PLACE_PARTS"] = rows or [[0] * PLACE_COLUMNS]
        self.tables["ORDERED"] = [int(max(row[ORDER], row[TOP], row[BOTTOM]) >= 0) for row in rows] or [0]
        self.tables["SLOTTED"] = [int(row[SLOTS] >= 0) for row in rows] or [0]
        order = sorted(range(cards), key=lambda card: (layout.face_of[card], card))
        self.tables["BY_FACE"] = order
        self.tables["FACE_START"] = np.cumsum([0, *np.bincount(layout.face_of, minlength=faces)])
        turned = self.tables["TURNED_PLACES"] = self._turn_numbers(layout.places)
        self.tables["RELATIVE_PLACES"] = [[row.index(k) for k in range(len(row))] for row in turned]
        self.tables["TURNED_NUMBERS"] = self._turn_numbers(layout.numbers)
        self.tables["TURNED_TEXTS"] = self._turn_numbers(layout.texts)
        self.tables["TURNED_MAPS"] = self._turn_numbers(layout.maps)
        self.tables["BACKS"] = [backs.index(layout.faces[face][0]) for face in layout.face_of]
        self.tables["DECK_PLACES"] = self._deck_places() or [0]

    def _add_claims(self, named: list[str]) -> None:
        layout, rows = self.layout, []
        for k, (number, one, owner) in enumerate(self.tells.claims):
            name = f"{one.storage}_{one.name.lower()}{self.owner_name(one.owner, owner)}_some_{number}"
            told, some = f"at least one of these in {self._describe_owned(one, owner)}", Words("some", at=k, bits=63)
            self._add_part(name, named, "one of these is there, as was told", told, some)
            rows.append([number, layout.place_slots[one].first + owner])
        self.tables["CLAIMS"] = rows or np.zeros((0, 2), np.int64)
        self.tables["TURNED_CLAIMS"] = self._turn_numbers([(one, owner) for _, one, owner in self.tells.claims])

    def _deck_places(self) -> list[int]:
        layout = self.layout
        found: list[int] = []
        for deck in layout.description.decks:
            name = layout.constant(deck.create.place.name)
            place = layout.place_slots[Owned("game", deck.create.place.visibility, str(name))].first
            owner = deck.create.place.owner
            if isinstance(owner, syntax.Expression):
                raise RecycleError("the decks of the setup are put into places of the game", deck.create.at)
            found += [place] * (deck.copies * len(deck.create.faces))
        return found

    def _turn_numbers(self, listed: list[tuple[Owned, int]]) -> list[list[int]]:
        """By seat, numbers each place (bin, map) as that seat counts them: seats turn, teams do not."""
        seats = self.layout.seats
        rows = []
        for seat in range(seats):
            row = []
            for k, (one, number) in enumerate(listed):
                row.append(k - number + (number + seat) % seats if one.owner == "player" else k)
            rows.append(row or [0])
        return rows

    def _face_marks(self) -> tuple[list[str], list[list[int]]]:
        """Returns the marks (values, if need be decks) that tell faces apart, and by face its marks."""
        faces, several = self.layout.faces, len({deck for deck, _ in self.layout.faces}) > 1
        held_values: list[list[Any]] = [list(values) + [deck] * (several or not values) for deck, values in faces]
        found = list(dict.fromkeys(itertools.chain(*held_values)))
        plain_names = [(mark[1] if isinstance(mark, tuple) else mark or "card").lower() for mark in found]
        names = [
            f"{mark[0]}-{mark[1]}".lower() if isinstance(mark, tuple) and plain_names.count(name) > 1 else name
            for mark, name in zip(found, plain_names, strict=True)
        ]
        return names, [[int(mark in of_face) for mark in found] for of_face in held_values]

    def _repeated_memories(self) -> set[Owned]:
        found: set[Owned] = set()
        before: set[Owned] = set()
        in_play = {id(node) for node in self.layout.in_play}
        for node in self.layout.nodes:
            if isinstance(node, syntax.Remember):
                into = set(owned_of(node.to.place, self.layout.possible))
                found |= into if id(node) in in_play else into & before
                before |= into
        return found

    def _barred_places(self) -> set[Owned]:
        found = set(self.tells.barred)
        for choice in range(len(self.layout.statics.choices)):
            writer = InferenceWriter(self.layout, self.actions, choice)
            if writer.hidden is not None:
                found.update(owned_of(writer.hidden, self.layout.possible))
        return found

    # --- bins ---

    def _add_bins(self) -> None:
        layout = self.layout
        secrets = {(one.bin.storage, one.slot): k for k, one in enumerate(self.privacy.secrets)}
        pool: list[int] = []  # the values of private bins
        spans: list[list[int]] = []
        for place, (one, number) in enumerate([*layout.numbers, *layout.texts]):
            is_text = place >= len(layout.numbers)
            field, slot = ("texts", place - len(layout.numbers)) if is_text else ("numbers", place)
            secret = secrets.get((one.storage, slot))
            values = held_values(layout, one, MOST_VALUES) if secret is None else self.privacy.secrets[secret].values
            name = f"{one.storage}_{one.name.lower()}{self.owner_name(one.owner, number)}"
            if values is None:
                self._add_number(name, "the number, in binary, the last bit for below 0", Signed(field, slot))
                continue
            labels = [layout.strings[value] or "none" if is_text else str(value) for value in values]
            meaning = "the name" if is_text else "the number"
            if secret is None:
                self._add_part(name, labels, meaning, source=Listed(field, slot, values=tuple(values)))
                continue
            value = PrivateValue(field, slot, values=tuple(values), none=0, secret=secret)
            self._add_part(name, [*labels, "hidden"], meaning, source=value)
            told, maybe = f"{self._describe_owned(one, number)}, as far as everybody knows, one of", BitSet("maybe", secret)
            self._add_part(f"{name}_maybe", labels, f"{meaning}, as far as everybody knows", told, maybe)
            self.hidden.append(Part(f"{name}_hidden", tuple(labels), f"{meaning} that the seat does not know"))
            spans.append([len(pool), len(values)])
            pool += values
        self.tables |= {"PRIVATE_POOL": spans or [[0, 0]], "POOL": pool or [0]}
        self.tables["TURNED_PRIVATE"] = self._turn_numbers([(one.bin, one.number) for one in self.privacy.secrets])

    def _add_number(self, name: str, meaning: str, source: Source) -> None:
        self._add_part(name, [f"bit{k}" for k in range(BITS)], meaning, source=source)

    # --- point maps ---

    def _add_maps(self) -> None:
        layout, widths = self.layout, []
        setting: dict[Owned, list[int]] = {}
        for k, act in enumerate(layout.set_maps):
            for one in owned_of(act.map, layout.possible):
                setting.setdefault(one, []).append(k + 1)
        for m, (one, number) in enumerate(layout.maps):
            acts = setting.get(one, [])
            name = f"points_{one.name.lower()}{self.owner_name(one.owner, number)}"
            labels = [f"line{layout.set_maps[k - 1].at.line}" for k in acts]
            self._add_part(
                f"{name}_set", labels, "by which act it was set", source=Listed("map_made", m, values=tuple(acts), none=0)
            )
            parts = [layout.changing[act - 1] for act in acts]
            widths.append(max(map(len, parts), default=0))
            for k in range(layout.most_changing):
                told = [part[k] for part in parts if k < len(part)]
                if told and all(part.kind is Kind.STRING for part in told):
                    codes = sorted({layout.code[text] for part in told for text in layout.possible.of(part)} | {0})
                    names = Listed("map_values", (m, k), values=tuple(codes))
                    self._add_part(
                        f"{name}_{k}", [layout.strings[code] or "none" for code in codes], "a name in it", "", names
                    )
                elif told:
                    self._add_number(f"{name}_{k}", "a number in it, in binary", Signed("map_values", (m, k)))
        self.tables["MAP_WIDTHS"] = widths or [0]
