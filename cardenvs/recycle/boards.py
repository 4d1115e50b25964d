"""Positions of described games as plain tables (`cardenvs.contract.board`), by what a seat may see."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs.compiled.jit import as_records
from cardenvs.contract.board import Board, Face, Offer, Owner, Pile, Tally
from cardenvs.contract.cards import SUITS
from cardenvs.contract.fields import Games
from cardenvs.recycle.compiler.labels import display_faces, display_name
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from cardenvs.recycle.language.symbols import Owned
from cardenvs.recycle.running.tables import BOTTOM, ORDER, TOP

TRICK = "TRICK"  # name of the places where a trick lies in a description without the directive tricks

_OWNERS: tuple[Owner, ...] = ("game", "player", "team")


class Boards:
    """Makes the boards of a described game.

    ``view`` is its kernel `cardenvs.contract.kernels.Kernels.view`; ``faces`` are the faces of the cards for people, by
    number.
    """

    def __init__(self, layout: Layout, module: Module, dtype: np.dtype[Any], view: Callable[..., None]) -> None:
        self._layout, self._dtype, self._view = layout, dtype, view
        self.faces = display_faces(layout)
        self._ranks = _display_ranks(self.faces)
        self._parts = np.asarray(module.tables["PLACE_PARTS"])
        self._turned = np.asarray(module.tables["TURNED_PLACES"])
        self._chosen = module.tables["ACTION_FACES"]
        tricks = layout.description.tricks
        self._trick = TRICK if tricks is None else tricks.name
        self._place_names = _people_names([one for one, _ in layout.places])
        listed = [(k, "numbers", one) for k, one in enumerate(layout.numbers)]
        listed += [(k, "texts", one) for k, one in enumerate(layout.texts)]
        self._bins = [(k, field, owned, number) for k, field, (owned, number) in listed]
        self._bin_names = _people_names([owned for _, _, owned, _ in self._bins])
        self._secrets = {(one.bin.storage, one.slot): k for k, one in enumerate(module.privacy.secrets)}
        self._teams = layout.teams if any(len(team) > 1 for team in layout.teams) else ()

    def __call__(self, state: Any, seat: int | None) -> Board:
        """Returns the board of a state, or of a view, which is shown as it is, for a seat; None shows all of the record."""
        games: Games = as_records(np.zeros(1, self._dtype))
        games[0] = state
        sizes = games[0]["sizes"]
        is_view = any((games[0]["cards"][p][: int(sizes[p])] <= 0).any() for p in range(len(self._layout.places)))
        looks = None if is_view else seat
        seen = games
        if looks is not None:
            seen = as_records(np.zeros(1, self._dtype))
            self._view(games, 0, looks, seen, 0)
        piles = self._make_piles(seen[0], looks)
        knows = 0 if is_view else looks
        return Board(
            piles=tuple(self._in_order(piles)),
            tallies=tuple(self._in_order([self._make_tally(games[0], knows, k) for k in range(len(self._bins))])),
            teams=self._teams,
            offers=self._make_offers(games[0], looks, self._in_order(piles)),
            chosen=self._chosen_parts(games[0], looks),
        )

    @staticmethod
    def _in_order(items: list[Any]) -> list[Any]:
        return sorted(items, key=lambda one: (_OWNERS.index(one.owner), one.number))

    # --- piles ---

    def _make_piles(self, record: Any, looks: int | None) -> list[Pile]:
        piles: list[Pile] = []
        for place in range(len(self._layout.places)):
            source = place if looks is None else int(self._turned[looks][place])
            owned, number = self._layout.places[source]
            cards = [self._face_of(int(card)) for card in record["cards"][place][: int(record["sizes"][place])]]
            parts = self._parts[place]
            ordered = bool(parts[ORDER] >= 0 or parts[TOP] >= 0)
            if parts[ORDER] < 0:
                low, high = int(parts[BOTTOM] >= 0 and bool(cards)), len(cards) - int(parts[TOP] >= 0)
                cards[low:high] = sorted(cards[low:high], key=self._display_rank)
            trick = owned.storage == "vloc" and owned.name == self._trick
            piles.append(Pile(owned.owner, number, self._place_names[owned], tuple(cards), ordered, trick=trick))
        return piles

    def _display_rank(self, face: Face | None) -> tuple[int, ...]:
        """Sort key of a card in a pile without order; unknown ones are last."""
        return (2,) if face is None else self._ranks[face]

    def _face_of(self, card: int) -> Face | None:
        return self.faces[self._layout.face_of[card - 1]] if card > 0 else None

    # --- tallies ---

    def _make_tally(self, record: Any, knows: int | None, place: int) -> Tally:
        """Returns a number or a name as a seat knows it; None knows all."""
        k, field, owned, number = self._bins[place]
        value: int | str | None = int(record[field][k])
        if field == "texts":
            value = display_name(self._layout.strings[int(record[field][k])])
        if knows is not None and not self._knows_bin(record, knows, place):
            value = None
        return Tally(owned.owner, number, self._bin_names[owned], value)

    def _knows_bin(self, record: Any, seat: int, place: int) -> bool:
        k, _, owned, number = self._bins[place]
        secret = self._secrets.get((owned.storage, k))
        if secret is None or int(record["maybe"][secret]).bit_count() <= 1:
            return True
        if owned.owner == "team":
            return (seat - int(record["zero"])) % self._layout.seats in self._layout.teams[number]
        return owned.owner == "player" and seat == number

    # --- offers ---

    def _make_offers(self, record: Any, looks: int | None, piles: list[Pile]) -> tuple[Offer, ...]:
        actor = int(record["to_act"])
        if actor < 0 or looks != actor:
            return ()
        words = record["legal_words"]
        legal = [k for k in range(len(self._chosen)) if int(words[k >> 6]) >> (k & 63) & 1]
        return tuple(Offer(action, self._find_spot(self._chosen[action], actor, piles)) for action in legal)

    def _chosen_parts(self, record: Any, looks: int | None) -> tuple[int, ...]:
        if "partial" not in (self._dtype.names or ()) or looks is None or looks != int(record["to_act"]):
            return ()
        return tuple(int(action) for action in record["chosen"][: int(record["partial"])])

    def _find_spot(self, face: int, actor: int, piles: list[Pile]) -> tuple[int, int] | None:
        """Returns pile and index of a card of a face that the actor sees, preferably its own; None for none, as for -1."""
        if face < 0:
            return None
        wanted = self.faces[face]
        found = [(k, pile.cards.index(wanted)) for k, pile in enumerate(piles) if wanted in pile.cards]
        own = [spot for spot in found if (piles[spot[0]].owner, piles[spot[0]].number) == ("player", actor)]
        return next(iter(own + found), None)


def _people_names(owned: list[Owned]) -> dict[Owned, str]:
    """Returns the names of places or bins for people; equal names of one owner get their kind as a suffix."""
    kinds: dict[tuple[str, str], set[str]] = {}
    for one in owned:
        kinds.setdefault((one.owner, display_name(one.name)), set()).add(one.storage)
    return {
        one: display_name(one.name) + (f" ({one.storage})" if len(kinds[one.owner, display_name(one.name)]) > 1 else "")
        for one in owned
    }


def _display_ranks(named: list[Face]) -> dict[Face, tuple[int, ...]]:
    """Sort keys of faces in a hand: by suits, red and black in turn, the highest first; others in the deck's order."""
    ranks = "AKQJT98765432"
    suits = "shcd"
    assert sorted(suits) == sorted(SUITS)
    return {
        face: (0, suits.index(face.card[1]), ranks.index(face.card[0]), k) if face.card else (1, 0, 0, k)
        for k, face in enumerate(named)
    }
