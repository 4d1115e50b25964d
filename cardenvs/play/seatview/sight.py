"""A seat's knowledge of a deal, by absolute seats, and sets of cards as lists of names."""

from typing import Any

import numpy as np

from cardenvs.contract.cards import Deck, members_of
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.loops import RUNNING
from cardenvs.play.table import Table

# The order in which a hand's suits lie, red and black in turn, for each trump: trump comes first.
_SUIT_ORDER = ((0, 1, 3, 2), (1, 0, 2, 3), (2, 3, 1, 0), (3, 2, 0, 1), (3, 2, 0, 1))


class Sight:
    """View of a table's deal for ``you``, a seat or None for a spectator, by absolute seats.

    ``opened`` shows all cards of a replayed deal.
    """

    def __init__(self, table: Table, you: int | None, opened: bool = False) -> None:
        game = table.game
        views = game.new_games(1)
        game.kernels.view(table.state, 0, you or 0, views, 0)
        self.table = table
        self.you = you
        self.turn = you or 0
        self.n = game.seats
        self.v: dict[str, Any] = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in zip(game.dtype.names or (), views[0].tolist(), strict=True)
        }
        if you is None:
            self._blank_private_fields()
        self.open = opened or table.over != RUNNING or (you is None and not table.sat)

    def _blank_private_fields(self) -> None:
        """Blanks the fields of the view that only its seat 0 knows, for a spectator."""
        v = self.v
        if "hands" in v:
            v["hands"][0] = 0
        if "discard" in v:
            v["discard"] = 0
        if "columns" in v:
            v["card"] = 0
            v["columns"][0] = [cards & ~v["down"][0] for cards in v["columns"][0]]
            v["down"][0] = 0

    def absolute_seat(self, relative: int) -> int | None:
        """Returns the absolute seat of a seat of the view; None for a negative number."""
        return (relative + self.turn) % self.n if relative >= 0 else None

    def by_seat(self, name: str) -> list[Any]:
        """Returns the values, by absolute seat, of a field of the view with a value for each seat."""
        return [self.v[name][(seat - self.turn) % self.n] for seat in range(self.n)]

    def known_action(self, number: int) -> int:
        """Returns the deal's action at an index; -1 if the viewer, or for a spectator any seat, does not know it."""
        game = self.table.game
        shown = int(self.v["history"][number])
        if self.you is not None or self.open:
            return shown if not self.open else int(self.table.state["history"][0][number])
        views = game.new_games(1)
        for seat in range(game.seats):
            game.kernels.view(self.table.state, 0, seat, views, 0)
            if views[0]["history"][number] != shown:
                return -1
        return shown

    def own_hand(self) -> int:
        """Returns the set of the cards in the viewer's hand; empty for a spectator."""
        return int(self.v["hands"][0])


def sorted_hand(kind: TrickGame, trump: int, cards: int) -> list[str]:
    """Returns the names of a set of cards, trump (4 for none) first, the highest card of each suit first."""
    order = _SUIT_ORDER[trump]

    def position(card: int) -> tuple[int, int]:
        return order.index(int(kind.suit_of[trump, card])), -int(kind.strength[trump, card])

    return [kind.deck.text(card) for card in sorted(members_of(cards), key=position)]


def card_names(deck: Deck, cards: int) -> list[str]:
    return [deck.text(card) for card in members_of(cards)]


def only_card(deck: Deck, cards: int) -> str | None:
    """Returns the name of the card in a set of one card; None for the empty set."""
    return deck.format(cards) or None
