"""Slow, obvious Ladder; a card is its number, a hand a list, the pile a list with its top card last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

DRAW = "draw"


@dataclass
class Deal:
    """A deal in play: `do` a card or `DRAW` until `over`."""

    hands: list[list[int]]
    pile: list[int]
    stock: list[int]
    first: int
    chance: Any  # its method `below` draws a number from 0 on
    nobody: bool = False
    acts: list[tuple[int, int | str]] = field(default_factory=list)  # seats and what they did
    refilled: list[tuple[int, list[int]]] = field(default_factory=list)  # the number of acts before it, and the cards

    @property
    def refills(self) -> int:
        return len(self.refilled)

    @property
    def over(self) -> bool:
        return self.nobody or not all(self.hands)

    @property
    def winner(self) -> int | None:
        return next((seat for seat in range(3) if not self.hands[seat]), None)

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return (self.first + len(self.acts)) % 3

    @property
    def legal(self) -> list[int | str]:
        if self.over:
            return []
        top, hand = self.pile[-1], sorted(self.hands[self.seat])
        above = [*range(top + 1, 100), *range(100)][:49]
        return [card for card in hand if card in above] + [DRAW]

    @property
    def choices(self) -> int:
        """The number of cards that a draw may take."""
        return max(1, len(self.stock or self.pile[:-1]))

    def do(self, act: int | str) -> None:
        assert act in self.legal
        hand = self.hands[self.seat]
        if isinstance(act, int):
            hand.remove(act)
            self.pile.append(act)
        elif not self.stock and (self.refills == 2 or len(self.pile) == 1):
            self.nobody = True
        else:
            if not self.stock:
                self.stock, self.pile = self.pile[:-1], self.pile[-1:]
                self.refilled.append((len(self.acts), list(self.stock)))
            self.stock.sort()
            hand.append(self.stock.pop(self.chance.below(len(self.stock))))
        self.acts.append((self.seat, act))

    def knows(self, seat: int) -> list[object]:
        """All that a seat has seen: its hand, the pile, the cards in the stock, the acts."""
        return [sorted(self.hands[seat]), self.pile, len(self.stock), self.acts]

    def could_hold(self, seat: int, other: int) -> Iterator[tuple[frozenset[int], int]]:
        """Cards of which ``seat`` knows that ``other`` has a number, but not which: the cards, and the number.

        By the last refill before the other drew them; the cards that the other was dealt come first.
        """
        for source in range(self.refills + 1):
            begins = self.refilled[source - 1][0] if source else 0
            ends = self.refilled[source][0] if source < self.refills else len(self.acts)
            count = (0 if source else 6) + sum(who == other and what == DRAW for who, what in self.acts[begins:ends])
            count -= self.nobody and source == self.refills and self.acts[-1][0] == other
            # Those it has played since, unless they were in a later refill and came back from there.
            for k, (who, what) in enumerate(self.acts):
                if who == other and isinstance(what, int) and self.source_of(what, k) == source:
                    count -= 1
            seen = {*self.hands[seat], *self.pile}
            cards = {card for card in range(100) if card not in seen and self.source_of(card, len(self.acts)) == source}
            yield frozenset(cards), count

    def source_of(self, card: int, when: int) -> int:
        """The number of the last refill before act ``when`` that a card was in, 0 if it was in none."""
        return max((k + 1 for k, (at, cards) in enumerate(self.refilled) if card in cards and at <= when), default=0)
