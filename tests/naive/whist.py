"""Slow, obvious Whist; a card is its name, such as ``"Th"``, a hand a list of them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]


def may_play(hand: Sequence[str], trick: Sequence[str]) -> list[str]:
    """The cards of ``hand`` that may be played after those of ``trick``."""
    following = [card for card in hand if trick and card[1] == trick[0][1]]
    return following or list(hand)


def winning_card(trick: Sequence[str], trump: str) -> str:
    """The card that wins ``trick``, whose first card was led."""
    trumps = [card for card in trick if card[1] == trump]
    followed = [card for card in trick if card[1] == trick[0][1]]
    return max(trumps or followed, key=lambda card: RANKS.index(card[0]))


def points(tricks: Sequence[int]) -> list[int]:
    """The points of the two sides for the tricks of the four seats."""
    return [max(0, tricks[0] + tricks[2] - 6), max(0, tricks[1] + tricks[3] - 6)]


@dataclass
class Deal:
    """A deal in play: `play` cards until `over`."""

    hands: list[list[str]]
    dealer: int
    shown: str
    trick: list[tuple[int, str]] = field(default_factory=list)
    won: list[tuple[int, list[tuple[int, str]]]] = field(default_factory=list)
    next_leader: int = -1

    def __post_init__(self) -> None:
        assert sorted(itertools.chain(*self.hands)) == sorted(CARDS)
        assert self.shown in self.hands[self.dealer]
        self.next_leader = (self.dealer + 1) % 4

    @property
    def over(self) -> bool:
        return len(self.won) == 13

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return (self.trick[-1][0] + 1) % 4 if self.trick else self.next_leader

    @property
    def legal(self) -> list[str]:
        return may_play(self.hands[self.seat], [card for _, card in self.trick])

    @property
    def tricks(self) -> list[int]:
        return [sum(winner == seat for winner, _ in self.won) for seat in range(4)]

    @property
    def shown_out(self) -> set[tuple[int, str]]:
        """Seats and the suits that they did not follow."""
        played = [*(trick for _, trick in self.won), self.trick]
        return {(seat, trick[0][1][1]) for trick in played for seat, card in trick if card[1] != trick[0][1][1]}

    def winner_so_far(self) -> int:
        """The seat whose card is winning the current trick."""
        best = winning_card([card for _, card in self.trick], self.shown[1])
        return next(seat for seat, card in self.trick if card == best)

    def play(self, card: str) -> None:
        assert card in self.legal
        seat = self.seat
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        if len(self.trick) == 4:
            self.next_leader = self.winner_so_far()
            self.won.append((self.next_leader, self.trick))
            self.trick = []


def read(line: str) -> Deal:
    """The deal that a line of text describes, of whose actions none is taken."""
    words = dict(word.split("=") for word in line.split()[1:])
    hands = [[hand[k : k + 2] for k in range(0, 26, 2)] for hand in words["hands"].split("/")]
    return Deal(hands, int(words["dealer"]), words["shown"])


def assignments(
    unseen: Sequence[str], sizes: Sequence[int], shown_out: set[tuple[int, str]], fixed: dict[str, int]
) -> Iterator[tuple[frozenset[str], ...]]:
    """All ways to give cards to seats 0 to 2: each gets its number of them, no suit that it lacks, and what is fixed."""
    for first in itertools.combinations(unseen, sizes[0]):
        rest = [card for card in unseen if card not in first]
        for second in itertools.combinations(rest, sizes[1]):
            third = [card for card in rest if card not in second]
            hands = (frozenset(first), frozenset(second), frozenset(third))
            assert len(third) == sizes[2]
            if any((seat, card[1]) in shown_out for seat, hand in enumerate(hands) for card in hand):
                continue
            if all(card in hands[seat] for card, seat in fixed.items()):
                yield hands
