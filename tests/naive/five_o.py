"""Slow, obvious Five-O; a card is its name, such as ``"Th"``, a column a list of them, the first row's card first."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.naive import poker
from tests.naive.whist import CARDS, RANKS, SUITS

Arrangement = tuple[tuple[frozenset[str], ...], str, tuple[str, ...]]
"""What a seat cannot see: the other's face-down cards by column, the card in its hand or "", and the rest of the deck."""


def value(column: Sequence[str]) -> int:
    """The value of five cards."""
    return poker.hand_value([SUITS.index(card[1]) * 13 + RANKS.index(card[0]) for card in column])


@dataclass
class Deal:
    """A deal in play: `put` the card into a column, 1 to 5, until `over`."""

    deck: list[str]
    hidden_rows: int = 1
    columns: list[dict[int, list[str]]] = field(default_factory=list)
    placed: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        assert sorted(self.deck) == sorted(CARDS)
        self.columns = [{k: [self.deck[k - 1]] for k in range(1, 6)}, {k: [self.deck[k + 4]] for k in range(1, 6)}]

    @property
    def over(self) -> bool:
        return len(self.placed) == 40

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return len(self.placed) % 2

    @property
    def card(self) -> str:
        """The card in the hand of the player to move."""
        return self.deck[10 + len(self.placed)]

    @property
    def row(self) -> int:
        """The row of the next card."""
        return 1 + min(len(column) for column in self.columns[self.seat].values())

    @property
    def legal(self) -> list[int]:
        return self.open_columns(self.seat)

    def open_columns(self, seat: int) -> list[int]:
        """The columns of ``seat`` that are not longer than its shortest one; none at the end."""
        heights = {k: len(column) for k, column in self.columns[seat].items()}
        return [k for k in heights if not self.over and heights[k] == min(heights.values())]

    def put(self, column: int) -> None:
        assert column in self.legal
        card = self.card
        self.columns[self.seat][column].append(card)
        self.placed.append(column)

    def face_down(self, seat: int, column: int) -> list[str]:
        """The cards that lie face down in a column."""
        return [] if self.over else self.columns[seat][column][5 - self.hidden_rows :]

    def face_up(self, seat: int, column: int) -> list[str]:
        """The cards of a column that everybody sees."""
        down = self.face_down(seat, column)
        return [card for card in self.columns[seat][column] if card not in down]

    def unseen(self, seat: int) -> set[str]:
        """The cards that ``seat`` has not seen."""
        seen = {card for column in self.columns[seat].values() for card in column}
        seen |= {card for k in range(1, 6) for card in self.face_up(1 - seat, k)}
        if not self.over and self.seat == seat:
            seen.add(self.card)
        return set(CARDS) - seen

    @property
    def won(self) -> list[int]:
        """How many columns each seat has won."""
        values = [[value(column) for column in side.values()] for side in self.columns]
        return [sum(a > b for a, b in zip(*values, strict=True)), sum(b > a for a, b in zip(*values, strict=True))]

    @property
    def winner(self) -> int | None:
        """The seat that has won, None for a draw."""
        return next((seat for seat in (0, 1) if self.won[seat] >= 3), None)

    def arrangement(self, seat: int) -> Arrangement:
        """What ``seat`` cannot see, as it is."""
        down = tuple(frozenset(self.face_down(1 - seat, k)) for k in range(1, 6))
        drawn = 10 + len(self.placed)
        if self.over or self.seat == seat:
            return down, "", tuple(self.deck[drawn + (not self.over) :])
        return down, self.card, tuple(self.deck[drawn + 1 :])

    def arrangements(self, seat: int) -> Iterator[Arrangement]:
        """What could be there instead, in all its ways; each once."""
        down, hand, _ = self.arrangement(seat)
        listed = set()
        for order in itertools.permutations(sorted(self.unseen(seat))):
            cards = iter(order)
            hidden = tuple(frozenset(next(cards) for _ in held) for held in down)
            arrangement = hidden, next(cards) if hand else "", tuple(cards)
            if arrangement not in listed:
                listed.add(arrangement)
                yield arrangement
