"""Slow, obvious agents for Hanabi that follow rules; a face is a colour's letter and a rank, such as ``("R", 1)``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

LETTERS = "RYGWB"
Face = tuple[str, int]


@dataclass
class Card:
    """A card in a hand, of which its holder knows the colours and ranks that are possible; the own ones have no face."""

    face: Face | None
    colours: set[str]
    ranks: set[int]

    @property
    def colour(self) -> str | None:
        """The colour, if it is known."""
        return min(self.colours) if len(self.colours) == 1 else None

    @property
    def rank(self) -> int | None:
        """The rank, if it is known."""
        return min(self.ranks) if len(self.ranks) == 1 else None


@dataclass
class Position:
    """A position as the seat ``me`` sees it; seats are numbered as at the table."""

    me: int
    hands: list[list[Card]]
    colours: str
    ranks: int
    fireworks: dict[str, int]
    discards: list[Face]
    tokens: int
    lives: int

    def copies(self, rank: int) -> int:
        return 3 if rank == 1 else 1 if rank == self.ranks else 2

    @property
    def next(self) -> int:
        return (self.me + 1) % len(self.hands)

    @property
    def to_the_left(self) -> list[int]:
        """The other seats, the next one first."""
        return [(self.me + k) % len(self.hands) for k in range(1, len(self.hands))]

    @property
    def by_number(self) -> list[int]:
        """The other seats in the order of their numbers."""
        return sorted(self.to_the_left)

    def candidates(self, card: Card) -> list[Face]:
        """The cards that are not seen and fit an own card's hints."""
        cards = Counter({(c, r): self.copies(r) for c in self.colours for r in range(1, self.ranks + 1)})
        cards.subtract(self.discards)
        cards.subtract((c, r) for c in self.colours for r in range(1, self.fireworks[c] + 1))
        cards.subtract(held.face for hand in self.hands for held in hand if held.face is not None)
        assert min(cards.values()) >= 0
        return [face for face in cards.elements() if face[0] in card.colours and face[1] in card.ranks]

    @property
    def deck(self) -> int:
        """Number of cards that are not drawn."""
        drawn = sum(self.fireworks.values()) + len(self.discards) + sum(map(len, self.hands))
        return len(self.colours) * sum(map(self.copies, range(1, self.ranks + 1))) - drawn

    def playable(self, face: Face) -> bool:
        return face[1] == self.fireworks[face[0]] + 1

    def reach(self, colour: str) -> int:
        """The greatest height that a firework can still come to."""
        height = self.fireworks[colour]
        while height < self.ranks and self.discards.count((colour, height + 1)) < self.copies(height + 1):
            height += 1
        return height

    @property
    def lowest(self) -> int:
        return min(self.fireworks.values())

    def useless(self, colour: str | None, rank: int | None) -> bool:
        """Whether what is known of a card says that it is useless."""
        if colour is not None and self.fireworks[colour] == self.ranks:
            return True
        if rank is not None and rank <= self.lowest:
            return True
        if colour is None or rank is None:
            return False
        return rank <= self.fireworks[colour] or rank > self.reach(colour)

    def tell(self, seat: int, what: object) -> str:
        return f"tell-{(seat - self.me) % len(self.hands)}-{what}"


def position(state: Any) -> Position:
    """The position of a full state for its seat to act."""
    colours, ranks, me = LETTERS[: state["colours"]], int(state["ranks"]), int(state["to_act"])
    faces = [(c, r) for c in colours for r in range(1, ranks + 1)]

    def card(seat: int, slot: int) -> Card:
        return Card(
            None if seat == me else faces[state["hands"][seat, slot] - 1],
            {c for k, c in enumerate(colours) if int(state["may_colours"][seat, slot]) >> k & 1},
            {r for r in range(1, ranks + 1) if int(state["may_ranks"][seat, slot]) >> (r - 1) & 1},
        )

    hands = [[card(seat, slot) for slot in range(state["sizes"][seat])] for seat in range(state["players"])]
    fireworks = {c: int(height) for c, height in zip(colours, state["fireworks"], strict=False)}
    discards = [face for k, face in enumerate(faces) for _ in range(state["discards"][k])]
    return Position(me, hands, colours, ranks, fireworks, discards, int(state["information"]), int(state["lives"]))


# --- rules: the actions in the order in which they are tried ---------------------------------------------------------


def play_certain(p: Position) -> Iterator[str]:
    for k, card in enumerate(p.hands[p.me], 1):
        if card.colour and card.rank and p.playable((card.colour, card.rank)):
            yield f"play-{k}"


def play_safe(p: Position) -> Iterator[str]:
    for k, card in enumerate(p.hands[p.me], 1):
        candidates = p.candidates(card)
        if candidates and all(map(p.playable, candidates)):
            yield f"play-{k}"


def by_share(p: Position, wanted: Callable[[Face], bool], threshold: Fraction) -> list[int]:
    """The own cards with at least a share of wanted candidates, the largest share first, of equals the last."""
    shares = []
    for k, card in enumerate(p.hands[p.me], 1):
        candidates = p.candidates(card)
        shares.append((Fraction(sum(map(wanted, candidates)), len(candidates)), k))
    return [k for share, k in sorted(shares, reverse=True) if share >= threshold]


def play_likely(threshold: str) -> Rule:
    return lambda p: [f"play-{k}" for k in by_share(p, p.playable, Fraction(threshold))]


def discard_likely(threshold: str) -> Rule:
    return lambda p: [f"discard-{k}" for k in by_share(p, lambda face: p.useless(*face), Fraction(threshold))]


def discard_useless(p: Position) -> Iterator[str]:
    for k, card in enumerate(p.hands[p.me], 1):
        if p.useless(card.colour, card.rank):
            yield f"discard-{k}"
    for k, card in enumerate(p.hands[p.me], 1):
        if card.colour:
            least = min(rank for _, rank in p.candidates(card))
            if (card.rank and card.rank > p.reach(card.colour)) or least > p.reach(card.colour):
                yield f"discard-{k}"


def discard_oldest(p: Position) -> list[str]:
    return [f"discard-{k}" for k in range(1, len(p.hands[p.me]) + 1)]


def discard_random(p: Position) -> set[str]:
    return set(discard_oldest(p))


def useful(p: Position, seats: list[int]) -> Iterator[str]:
    for seat in seats:
        for card in p.hands[seat]:
            if p.playable(card.face):
                if card.rank is None:
                    yield p.tell(seat, card.face[1])
                elif card.colour is None:
                    yield p.tell(seat, card.face[0])


def tell_useful(p: Position) -> Iterator[str]:
    return useful(p, p.to_the_left)


def tell_next_useful(p: Position) -> Iterator[str]:
    return useful(p, [p.next])


def tell_next_playable(p: Position) -> Counter[str]:
    for card in p.hands[p.next]:
        if p.playable(card.face):
            return Counter(p.tell(p.next, what) for what in card.face)
    return Counter()


def tell_next_unknown(p: Position) -> Iterator[str]:
    for card in p.hands[p.next]:
        if card.colour is None:
            yield p.tell(p.next, card.face[0])
        elif card.rank is None:
            yield p.tell(p.next, card.face[1])


def tell_next_random(p: Position) -> Counter[str]:
    return Counter(p.tell(p.next, what) for card in p.hands[p.next] for what in card.face)


def tell_dispensable(p: Position) -> Iterator[str]:
    for seat in p.by_number:
        for card in p.hands[seat]:
            colour, rank = card.face
            if card.colour is None and p.fireworks[colour] == p.ranks:
                yield p.tell(seat, colour)
            elif card.rank is None and rank <= p.lowest:
                yield p.tell(seat, rank)
            elif card.colour is None and card.rank is not None and rank <= p.fireworks[colour]:
                yield p.tell(seat, colour)
            elif card.rank is None and card.colour is not None and rank <= p.fireworks[colour]:
                yield p.tell(seat, rank)


def tell_most(p: Position) -> list[str]:
    found = []
    for seat in p.by_number:
        for rank in range(1, p.ranks + 1):
            new = sum(card.face[1] == rank and card.rank is None for card in p.hands[seat])
            found.append((new, p.tell(seat, rank)))
        for colour in p.colours:
            new = sum(card.face[0] == colour and card.colour is None for card in p.hands[seat])
            found.append((new, p.tell(seat, colour)))
    return [action for new, action in sorted(found, key=lambda one: -one[0]) if new > 0]


def only(condition: Callable[[Position], bool], rule: Rule) -> Rule:
    """A rule that applies under a condition alone."""
    return lambda p: rule(p) if condition(p) else []


Rule = Callable[[Position], Iterator[str] | list[str] | set[str] | Counter[str]]
"""A rule gives actions in the order in which they are tried; a set, of which all that may be taken are equally likely; or a
count of each, to which its chance is proportional, whether it may be taken or not."""

AGENTS: dict[str, list[Rule]] = {
    "legal-random": [],
    "internal": [play_safe, discard_useless, tell_next_playable, tell_next_random, discard_random],
    "outer": [play_safe, discard_useless, tell_next_useful, tell_next_unknown, discard_random],
    "cautious": [play_certain, play_safe, tell_useful, discard_useless, discard_random, tell_next_random],
    "iggi": [play_certain, play_safe, tell_useful, discard_useless, discard_oldest, tell_next_random],
    "piers": [
        only(lambda p: p.lives > 1 and p.deck == 0, play_likely("0")),
        play_safe,
        only(lambda p: p.lives > 1, play_likely("0.6")),
        tell_useful,
        only(lambda p: p.tokens < 4, tell_dispensable),
        discard_useless,
        discard_oldest,
        tell_next_random,
        discard_random,
    ],
    "flawed": [play_safe, play_likely("0.25"), tell_next_random, discard_useless, discard_oldest, discard_random],
    "van-den-bergh": [
        only(lambda p: p.lives > 1, play_likely("0.6")),
        only(lambda p: p.lives <= 1, play_safe),
        discard_likely("1.0"),
        tell_useful,
        tell_most,
        discard_likely("0"),
    ],
}


def chances(agent: str, p: Position, allowed: Collection[str]) -> dict[str, Fraction]:
    """The chance of each action of an agent that may take some of the legal ones."""
    found: Counter[str] = Counter()
    left = Fraction(1)
    for rule in AGENTS[agent]:
        options = rule(p)
        if isinstance(options, Counter):
            taken = {action: left * count / options.total() for action, count in options.items() if action in allowed}
        else:
            open_ = [action for action in options if action in allowed]
            drawn = open_ if isinstance(options, set) else open_[:1]
            taken = {action: left / len(drawn) for action in drawn}
        found.update(taken)
        left -= sum(taken.values())
    for action in allowed:
        found[action] += left / len(allowed)
    return {action: chance for action, chance in found.items() if chance > 0}
