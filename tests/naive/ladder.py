"""Slow, obvious Ladder; a card is its number, a hand a list, the pile a list with its top card last."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

DRAW = "draw"
_WORD = 2**64


class Chance:
    """The random numbers of a deal: SplitMix64, from a stream that the deal's line of text has in hexadecimal digits."""

    def __init__(self, digits: str) -> None:
        self.state = int(digits, 16)

    def below(self, n: int) -> int:
        """A number from 0 to ``n - 1``: the upper half of the next random word, scaled."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % _WORD
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB % _WORD
        return ((z ^ z >> 31) >> 32) * n >> 32

    def shuffle(self, cards: list[int]) -> list[int]:
        """Cards in the order in which they are taken, from the last of a shuffled list to its first."""
        order = list(cards)
        for k in reversed(range(1, len(order))):
            other = self.below(k + 1)
            order[k], order[other] = order[other], order[k]
        return order[::-1]


Shuffle = Callable[[list[int]], list[int]]
"""Puts cards, which come in order, into the order in which they are taken."""


@dataclass
class Deal:
    """A deal in play: `do` a card or `DRAW` until `over`."""

    hands: list[list[int]]
    pile: list[int]
    stock: list[int]
    first: int
    shuffle: Shuffle
    shuffles: int = 0
    nobody: bool = False
    acts: list[tuple[int, int | str, int | None]] = field(default_factory=list)  # seat, act, the card that was taken
    shuffled: list[tuple[int, list[int]]] = field(default_factory=list)  # the number of acts before it, and the cards

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
        above = [*range(top + 1, 99), *range(99)][:49]
        return [card for card in hand if card in above] + [DRAW]

    @property
    def choices(self) -> int:
        """The number of cards that a draw may take."""
        return max(1, len(self.stock or self.pile[:-1]))

    def do(self, act: int | str) -> None:
        assert act in self.legal
        hand, taken = self.hands[self.seat], None
        if isinstance(act, int):
            hand.remove(act)
            self.pile.append(act)
        elif not self.stock and (self.shuffles == 2 or len(self.pile) == 1):
            self.nobody = True
        else:
            if not self.stock:
                cards = sorted(self.pile[:-1])
                self.shuffled.append((len(self.acts), cards))
                self.stock, self.pile = self.shuffle(cards), self.pile[-1:]
                self.shuffles += 1
            taken = self.stock.pop(0)
            hand.append(taken)
        self.acts.append((self.seat, act, taken))

    def knows(self, seat: int) -> list[object]:
        """All that a seat has seen: its hand, the acts, its own cards taken, the pile, what was shuffled."""
        acts = [(who, act, taken if who == seat else None) for who, act, taken in self.acts]
        return [sorted(self.hands[seat]), self.pile, len(self.stock), acts, self.shuffled]

    def could_hold(self, seat: int, other: int) -> Iterator[tuple[frozenset[int], int]]:
        """Cards of which ``seat`` knows that ``other`` has a number, but not which: the cards, and the number.

        By the last shuffle before the other took them; the cards that the other was dealt come first.
        """
        for source in range(self.shuffles + 1):
            begins = self.shuffled[source - 1][0] if source else 0
            ends = self.shuffled[source][0] if source < self.shuffles else len(self.acts)
            count = (0 if source else 6) + sum(who == other and what == DRAW for who, what, _ in self.acts[begins:ends])
            count -= self.nobody and source == self.shuffles and self.acts[-1][0] == other
            # Those it has played since, unless they were in a later shuffle and came back from there.
            for k, (who, what, _) in enumerate(self.acts):
                if who == other and isinstance(what, int) and self.source_of(what, k) == source:
                    count -= 1
            seen = {*self.hands[seat], *self.pile}
            cards = {card for card in range(99) if card not in seen and self.source_of(card, len(self.acts)) == source}
            yield frozenset(cards), count

    def source_of(self, card: int, when: int) -> int:
        """The number of the last shuffle before act ``when`` that a card was in, 0 if it was in none."""
        return max((k + 1 for k, (at, cards) in enumerate(self.shuffled) if card in cards and at <= when), default=0)

    def worlds(self, seat: int) -> Iterator[tuple[frozenset[int], frozenset[int], tuple[int, ...]]]:
        """All hands of the next two seats, and orders of the stock, that a seat must think possible; each once."""
        parts = []
        left, right = (list(self.could_hold(seat, (seat + k) % 3)) for k in (1, 2))
        for source in range(self.shuffles + 1):
            cards, stocked = sorted(left[source][0]), len(self.stock) if source == self.shuffles else 0
            ways = []
            for mine in itertools.combinations(cards, left[source][1]):
                rest = [card for card in cards if card not in mine]
                for others in itertools.combinations(rest, right[source][1]):
                    still = [card for card in rest if card not in others]
                    ways += [(mine, others, stock) for stock in itertools.permutations(still, stocked)]
            parts.append(ways)
        for world in itertools.product(*parts):
            hands = [frozenset(itertools.chain(*(way[k] for way in world))) for k in (0, 1)]
            yield hands[0], hands[1], world[-1][2]
