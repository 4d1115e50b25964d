"""The Euchre paper's agents in plain Python, for Euchre and for Whist: slow, obvious, and independent of the kernels.

Cards and suits are text, as in `naive.euchre`. An agent is asked for the *set* of cards it may choose from: more than one
where it breaks a tie. Values are counted by trying every trick, not by formula.
"""

import functools
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tests.naive import euchre, whist


@dataclass(frozen=True)
class Rules:
    """A game's deck, and the suit and the strength number of a card under a trump."""

    name: str
    deck: tuple[str, ...]
    suit: Callable[[str, str], str]
    strength: Callable[[str, str], int]


def _euchre_strength(card: str, trump: str) -> int:
    trumps = [rank + trump for rank in "9TQKA"] + ["J" + euchre.SAME_COLOUR[trump], "J" + trump]
    return 7 + trumps.index(card) if card in trumps else 1 + "9TJQKA".index(card[0])


def _whist_strength(card: str, trump: str) -> int:
    return 1 + whist.RANKS.index(card[0]) + (13 if card[1] == trump else 0)


EUCHRE = Rules("euchre", tuple(euchre.DECK), euchre.effective_suit, _euchre_strength)
WHIST = Rules("whist", tuple(whist.CARDS), lambda card, trump: card[1], _whist_strength)


@dataclass
class Position:
    """What the seat to act knows in the play; ``own`` are all cards dealt to it, the last trick is the current one."""

    rules: Rules
    trump: str
    seat: int
    dealer: int
    hand: list[str]
    own: list[str]
    tricks: list[list[tuple[int, str]]]
    turned: str
    taken: bool
    absent: int | None = None

    def suit(self, card: str) -> str:
        return self.rules.suit(card, self.trump)

    def strength(self, card: str) -> int:
        return self.rules.strength(card, self.trump)

    @property
    def trick(self) -> list[tuple[int, str]]:
        return self.tricks[-1]

    @property
    def partner(self) -> int:
        return (self.seat + 2) % 4

    def legal(self) -> list[str]:
        following = [card for card in self.hand if self.trick and self.suit(card) == self.suit(self.trick[0][1])]
        return following or self.hand

    def winning(self) -> tuple[int, str]:
        """Who is winning the current trick, and with which card."""
        order = [play for play in self.trick if self.suit(play[1]) in (self.suit(self.trick[0][1]), self.trump)]
        return max(order, key=lambda play: (self.suit(play[1]) == self.trump, self.strength(play[1])))

    def would_win(self, card: str) -> bool:
        """Whether a card would be winning the current trick."""
        return replace(self, tricks=[*self.tricks[:-1], [*self.trick, (self.seat, card)]]).winning()[1] == card

    def played(self) -> list[str]:
        return [card for trick in self.tricks for _, card in trick]

    def unseen(self) -> list[str]:
        seen = {*self.own, *self.played()}
        if not self.taken:
            seen.add(self.turned)
        return [card for card in self.rules.deck if card not in seen]

    def could_hold(self, seat: int) -> set[str]:
        """The cards that another seat could still play."""
        cards = set(self.unseen())
        if self.taken and seat != self.dealer:
            cards.discard(self.turned)
        for trick in self.tricks:
            for who, card in trick:
                led = self.suit(trick[0][1])
                if who == seat and self.suit(card) != led:
                    cards = {c for c in cards if self.suit(c) != led}
        return set() if seat == self.absent else cards

    def total(self, cards: Iterable[str]) -> int:
        return sum(self.strength(card) for card in cards)

    def of_suit(self, cards: Iterable[str], suit: str) -> set[str]:
        return {card for card in cards if self.suit(card) == suit}


# --- values by trying every trick ------------------------------------------------------------------------------------


def worth(rules: Rules, trump: str, led: str) -> np.ndarray:
    """Every card's power to win when ``led`` was led: its strength number, or 0 for a card that cannot."""
    suits = (rules.suit(led, trump), trump)
    return np.array([rules.strength(card, trump) if rules.suit(card, trump) in suits else 0 for card in rules.deck])


@functools.cache
def distinct(n: int, k: int) -> np.ndarray:
    """bool (n,) * k: where all indices differ."""
    index = np.indices((n,) * k)
    mask = np.ones((n,) * k, bool)
    for a, b in itertools.combinations(range(k), 2):
        mask &= index[a] != index[b]
    return mask


@functools.cache
def tricks_won(rules: Rules, trump: str) -> dict[str, int]:
    """Of all ordered four-card tricks of the deck, how many each card wins."""
    n = len(rules.deck)
    counts = np.zeros(n, np.int64)
    triples = np.argwhere(distinct(n, 3))
    for lead, led in enumerate(rules.deck):
        others = triples[(triples != lead).all(1)]
        tricks = np.concatenate([np.full((len(others), 1), lead), others], 1)
        winners = tricks[np.arange(len(tricks)), worth(rules, trump, led)[tricks].argmax(1)]
        counts += np.bincount(winners, minlength=n)
    return {card: int(count) for card, count in zip(rules.deck, counts, strict=True)}


@functools.cache
def completions(rules: Rules, trump: str, trick: tuple[str, ...], card: str, seats: int) -> int:
    """In how many ordered ways ``trick``, in which ``card`` is played next, can be completed so that ``card`` wins it."""
    power = dict(zip(rules.deck, worth(rules, trump, [*trick, card][0]), strict=True))
    if any(power[other] >= power[card] for other in trick):
        return 0
    loses = np.array([power[other] < power[card] for other in rules.deck if other not in (*trick, card)])
    later = seats - len(trick) - 1
    ways = np.ones((), bool)
    for k in range(later):
        ways = ways & loses.reshape([-1 if k == axis else 1 for axis in range(later)])
    return int((ways & distinct(len(loses), later)).sum()) if later else 1


# --- the agents ------------------------------------------------------------------------------------------------------


def worst(p: Position, cards: Iterable[str]) -> set[str]:
    cards = list(cards)
    return {card for card in cards if p.strength(card) == min(map(p.strength, cards))}


def best(p: Position, cards: Iterable[str]) -> set[str]:
    cards = list(cards)
    return {card for card in cards if p.strength(card) == max(map(p.strength, cards))}


def low(p: Position) -> set[str]:
    return worst(p, p.legal())


def high(p: Position) -> set[str]:
    return best(p, p.legal())


def high_low(p: Position) -> set[str]:
    strongest = max(map(p.strength, p.legal()))
    if not p.trick or strongest > p.strength(p.winning()[1]):
        return high(p)
    return low(p)


def high_low_corrected(p: Position) -> set[str]:
    return high(p) if any(map(p.would_win, high(p))) else low(p)


def coop_high_low(p: Position) -> set[str]:
    if p.trick and p.winning()[0] == p.partner:
        return low(p)
    return high_low(p)


def markov_is_strong(p: Position, threshold: float) -> bool:
    values = tricks_won(p.rules, p.trump)
    return enough(sum(values[card] for card in p.hand), sum(values[card] for card in p.unseen()), threshold)


def markov2_is_strong(p: Position, threshold: float) -> bool:
    seats = 4 if p.absent is None else 3
    trick = tuple(card for _, card in p.trick)
    values = {card: completions(p.rules, p.trump, trick, card, seats) for card in [*p.hand, *p.unseen()]}
    return enough(sum(values[card] for card in p.hand), sum(values[card] for card in p.unseen()), threshold)


def enough(own: int, others: int, threshold: float) -> bool:
    if others == 0:
        return own > 0
    return Fraction(own, others) >= Fraction(threshold)


def markov(p: Position, threshold: float = 0.25) -> set[str]:
    return high(p) if markov_is_strong(p, threshold) else low(p)


def markov2(p: Position, threshold: float = 0.25) -> set[str]:
    return high(p) if markov2_is_strong(p, threshold) else low(p)


def markov2_published(p: Position, threshold: float = 0.25) -> set[str]:
    if len(p.trick) == 3 and (p.trick[0][1][0] in "KA" or p.trick[0][1] in ("Qh", "Qd", "Qc")):
        return low(p)
    return markov2(p, threshold)


def card_counting(p: Position) -> set[str]:
    left, partner, right = (p.could_hold((p.seat + k) % 4) for k in (1, 2, 3))
    if not p.trick:
        return _lead(p, left, partner, right)
    leader, led_card = p.trick[0]
    led = p.suit(led_card)
    holder, winning = p.winning()

    def strength_above(cards: set[str]) -> int:
        return p.total(c for c in p.of_suit(cards, p.suit(winning)) if p.strength(c) > p.strength(winning))

    if leader == (p.seat + 3) % 4:
        hope = strength_above(partner)
        if hope > 0 and hope > p.total(p.of_suit(left, led)):
            return low(p)
        if not p.of_suit(partner, led) and led != p.trump and p.of_suit(partner, p.trump):
            return low(p)
        return high_low(p)
    if leader == p.partner and holder == p.partner and strength_above(left) > 0:
        return high_low(p)
    return coop_high_low(p)


def _lead(p: Position, left: set[str], partner: set[str], right: set[str]) -> set[str]:
    suits = {card[1]: [c for c in p.hand if c[1] == card[1]] for card in p.hand}
    if p.of_suit(partner, p.trump):
        ruffed = [cards for suit, cards in suits.items() if not p.of_suit(partner, suit)]
        if ruffed:
            return set().union(*(worst(p, cards) for cards in ruffed))
    margins = {}
    for suit in suits:
        own = p.total(p.of_suit(partner, suit))
        if own > 0:
            margins[suit] = min(own - p.total(p.of_suit(left, suit)), own - p.total(p.of_suit(right, suit)))
    most = max(margins.values(), default=0)
    if most > 0:
        return set().union(*(worst(p, suits[suit]) for suit, margin in margins.items() if margin == most))
    return high(p)


def hybrid(p: Position, threshold: float = 0.25) -> set[str]:
    return coop_high_low(p) if markov_is_strong(p, threshold) else card_counting(p)


def hybrid2(p: Position, threshold: float = 0.25) -> set[str]:
    return coop_high_low(p) if markov2_is_strong(p, threshold) else card_counting(p)


def any_card(p: Position) -> set[str]:
    return set(p.legal())


SIMPLE: dict[str, Callable[[Position], set[str]]] = {
    "random": any_card, "low": low, "high": high, "high-low": high_low, "high-low-corrected": high_low_corrected,
    "coop-high-low": coop_high_low, "card-counting": card_counting,
}  # fmt: skip
WITH_THRESHOLD: dict[str, Callable[[Position, float], set[str]]] = {
    "markov": markov, "markov2": markov2, "markov2-published": markov2_published, "hybrid": hybrid, "hybrid2": hybrid2,
}  # fmt: skip


# --- positions -------------------------------------------------------------------------------------------------------


def euchre_position(deal: euchre.Deal) -> Position:
    """What the seat to act knows in the play of a Euchre deal."""
    assert deal.phase == "playing" and deal.to_act is not None and deal.trump is not None
    seat = deal.to_act
    tricks = [*deal.past_tricks, deal.trick]
    own = [*deal.hands[seat], *(card for trick in tricks for who, card in trick if who == seat)]
    if seat == deal.dealer and deal.discard:
        own.append(deal.discard)
    return Position(
        EUCHRE, deal.trump, seat, deal.dealer, list(deal.hands[seat]), own, tricks, deal.turned, deal.picked_up,
        deal.absent(),
    )  # fmt: skip


def whist_position(deal: whist.Deal) -> Position:
    """What the seat to act knows in a Whist deal."""
    tricks = [*(trick for _, trick in deal.won), deal.trick]
    hand = list(deal.hands[deal.seat])
    own = [*hand, *(card for trick in tricks for who, card in trick if who == deal.seat)]
    return Position(WHIST, deal.shown[1], deal.seat, deal.dealer, hand, own, tricks, deal.shown, True)
