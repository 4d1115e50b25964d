"""A seat's knowledge of a deal, by absolute seats, and sets of cards as lists of names."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.contract.cards import FULL_DECK, Deck, members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre
from cardenvs.games.tricks import SuitLookups
from cardenvs.play.table import Table

# The order in which a hand's suits lie, red and black in turn, for each trump: trump comes first.
_SUIT_ORDER = ((0, 1, 3, 2), (1, 0, 2, 3), (2, 3, 1, 0), (3, 2, 0, 1), (3, 2, 0, 1))

CARD_NAMES = {deck: tuple(deck.text(card) for card in range(deck.size)) for deck in (euchre.DECK, FULL_DECK)}
"""The two-letter names of each deck's cards, by the cards' numbers."""


class Sight:
    """View of a table's deal, by absolute seats, of a seat or of somebody who looks on.

    Args:
        you: the seat that looks, or None for somebody who looks on.
        opened: whether all cards may be shown because the deal that is looked at again is over.

    Attributes:
        table: the table.
        you: the seat that looks, or None for somebody who looks on.
        turn: the absolute seat that is seat 0 of the view.
        n: the number of seats.
        v: the view's fields by name, as plain Python values; seats are relative to ``turn``.
        open: whether all cards may be shown: the deal is over, or no person has sat in it and somebody looks on.
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
            self._forget()
        self.open = opened or table.over != RUNNING or (you is None and not table.sat)

    def _forget(self) -> None:
        """Blanks the fields of the view that only its seat 0 knows, for somebody who looks on."""
        v = self.v
        if "hands" in v:
            v["hands"][0] = 0
        if "discard" in v:
            v["discard"] = 0
        if "columns" in v:
            v["card"] = 0
            v["columns"][0] = [cards & ~v["down"][0] for cards in v["columns"][0]]
            v["down"][0] = 0

    def seat(self, relative: int) -> int | None:
        """The absolute seat that the view calls ``relative``; None if that is negative, which stands for nobody."""
        return (relative + self.turn) % self.n if relative >= 0 else None

    def by_seat(self, name: str) -> list[Any]:
        """The values, by absolute seat, of a field of the view that has a value for each seat."""
        return [self.v[name][(seat - self.turn) % self.n] for seat in range(self.n)]

    def action(self, number: int) -> int:
        """The deal's action at an index, from 0; -1 if hidden from the seat that looks or, if none looks, from any seat."""
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

    def hand(self) -> int:
        """The set of the cards in the hand of ``you``; empty for somebody who looks on."""
        return int(self.v["hands"][0])


def sorted_hand(deck: Deck, suits: SuitLookups, trump: int, cards: int) -> list[str]:
    """The names of a set of cards as a hand is held: the trump suit first, the highest card of each suit first.

    Args:
        deck: the cards' deck.
        suits: the game's suits and strengths under each trump.
        trump: the trump suit, 4 for none.
        cards: the set of cards.
    """
    order = _SUIT_ORDER[trump]

    def position(card: int) -> tuple[int, int]:
        return order.index(int(suits.suit_of[trump, card])), -int(suits.strength[trump, card])

    names = CARD_NAMES[deck]
    return [names[card] for card in sorted(members_of(cards), key=position)]


def card_names(deck: Deck, cards: int) -> list[str]:
    """The names of a set of cards, in the order of the cards' numbers."""
    names = CARD_NAMES[deck]
    return [names[card] for card in members_of(cards)]


def only_card(deck: Deck, cards: int) -> str | None:
    """The name of the card in a set of one card; None for the empty set."""
    return deck.format(cards) or None
