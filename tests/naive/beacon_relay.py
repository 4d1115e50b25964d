"""Beacon Relay, written as its clauses read (docs/rules/beacon_relay.md).

A card is a pair of numbers, rank and suit.
"""

from dataclasses import dataclass, field

Card = tuple[int, int]
"""A card: its rank, the higher the better, and its suit."""
Beacon = tuple[Card, int]
"""A beacon: its card and its owner."""
KEEP = "keep"
"""The action of keeping one's lantern."""


def label_of(card: Card, hand: set[Card]) -> str:
    """The label that is true of a card of a hand; empty for none."""
    others = {rank for rank, suit in hand if suit == card[1]} - {card[0]}
    if not others:
        return "only"
    return "highest" if card[0] > max(others) else "lowest" if card[0] < min(others) else ""


def winner_of(trick: list[tuple[int, Card]]) -> int:
    """The seat that wins a trick of seats and cards, in the order in which they were played."""
    led = trick[0][1][1]
    return max((card[0], seat) for seat, card in trick if card[1] == led)[1]


@dataclass
class Relay:
    """A deal that is played: beacons that are not lit yet are ``dark``, lanterns that were laid open ``shown``, by seat."""

    hands: list[set[Card]]
    beacons: list[Beacon]
    ordered: bool = False
    lanterns: bool = True
    dark: list[Beacon] = field(default_factory=list)
    lost: bool = False
    leader: int = 0
    trick: list[tuple[int, Card]] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)
    shown: dict[int, tuple[Card, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.dark = list(self.beacons)

    @property
    def over(self) -> bool:
        """Whether all beacons are lit, or one is lost."""
        return self.lost or not self.dark

    @property
    def score(self) -> int:
        """1 for success, 0 for failure."""
        return int(not self.lost and not self.dark)

    @property
    def asks(self) -> int | None:
        """The seat that is asked for its lantern; None where a card is to be played."""
        order = [(self.leader + k) % len(self.hands) for k in range(len(self.hands))]
        waiting = [seat for seat in order if seat not in self.asked and seat not in self.shown]
        return waiting[0] if self.lanterns and not self.trick and waiting else None

    @property
    def to_act(self) -> int:
        """The seat to act."""
        return (self.leader + len(self.trick)) % len(self.hands) if self.asks is None else self.asks

    def legal(self) -> set[Card | str]:
        """The actions of the seat to act: cards to play, or to lay open, and `KEEP`."""
        hand = self.hands[self.to_act]
        if self.asks is not None:
            return {KEEP} | {card for card in hand if label_of(card, hand)}
        led = {card for card in hand if self.trick and card[1] == self.trick[0][1][1]}
        return set(led or hand)

    def act(self, action: Card | str) -> None:
        """Does an action of the seat to act."""
        seat = self.to_act
        if self.asks is not None:
            self.asked.add(seat)
            if not isinstance(action, str):
                self.shown[seat] = action, label_of(action, self.hands[seat])
            return
        assert not isinstance(action, str)
        self.hands[seat].remove(action)
        self.trick.append((seat, action))
        if len(self.trick) == len(self.hands):
            self.leader = winner_of(self.trick)
            cards = [card for _, card in self.trick]
            self.dark, self.lost = after_trick(self.dark, cards, self.leader, self.ordered)
            self.trick, self.asked = [], set()


def after_trick(dark: list[Beacon], cards: list[Card], winner: int, ordered: bool) -> tuple[list[Beacon], bool]:
    """The beacons that are dark after a trick, and whether one of its cards is a beacon that is lost."""
    left = list(dark)
    for beacon in dark:
        if beacon[0] in cards:
            if beacon[1] != winner or (ordered and left[0] != beacon):
                return left, True
            left.remove(beacon)
    return left, False
