"""Euchre by the clauses of ``docs/rules/euchre.md`` in plain Python: slow, obvious, and independent of the kernels.

A card is a string such as ``"Th"``, a suit one of ``"cdhs"``, an action the name it has in a deal's line of text.
"""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

RANKS = "9TJQKA"
SUITS = "cdhs"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
SUIT_NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
SAME_COLOUR = {"c": "s", "s": "c", "d": "h", "h": "d"}


def effective_suit(card: str, trump: str | None) -> str:
    """[E5] The suit a card belongs to."""
    if trump is not None and card == "J" + SAME_COLOUR[trump]:
        return trump
    return card[1]


def winning_order(trump: str, led: str) -> list[str]:
    """[E22] The cards that can win a trick in which the effective suit ``led`` was led, the best first."""
    trumps = ["J" + trump, "J" + SAME_COLOUR[trump], *(rank + trump for rank in "AKQT9")]
    followers = [rank + led for rank in "AKQJT9" if effective_suit(rank + led, trump) == led]
    return trumps if led == trump else trumps + followers


def trick_winner(plays: Sequence[tuple[int, str]], trump: str) -> int:
    """The seat that wins a trick, or is winning it so far; ``plays`` are (seat, card), the lead first."""
    order = winning_order(trump, effective_suit(plays[0][1], trump))
    return min((play for play in plays if play[1] in order), key=lambda play: order.index(play[1]))[0]


def legal_cards(hand: Collection[str], plays: Sequence[tuple[int, str]], trump: str) -> set[str]:
    """[E20 E21] What may be played from ``hand``."""
    if plays:
        led = effective_suit(plays[0][1], trump)
        following = {card for card in hand if effective_suit(card, trump) == led}
        if following:
            return following
    return set(hand)


def points_of(makers_tricks: int, alone: bool) -> tuple[int, int]:
    """[E24 to E28] What the makers and the defenders score."""
    if makers_tricks < 3:
        return 0, 2
    if makers_tricks < 5:
        return 1, 0
    return (4 if alone else 2), 0


@dataclass
class Deal:
    """One deal, from the bidding to its points."""

    hands: list[list[str]]
    turned: str
    kitty: list[str]
    dealer: int
    bidding: str = "full"
    stick_the_dealer: bool = False

    phase: str = "ordering"
    to_act: int | None = None
    trump: str | None = None
    maker: int | None = None
    alone: bool = False
    picked_up: bool = False
    discard: str | None = None
    trick: list[tuple[int, str]] = field(default_factory=list)
    past_tricks: list[list[tuple[int, str]]] = field(default_factory=list)
    tricks: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    points: list[int] = field(default_factory=lambda: [0, 0])
    log: list[tuple[int, str, str]] = field(default_factory=list)
    """(seat, phase, action) in order."""

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.to_act = (self.dealer + 1) % 4
        if self.bidding == "forced-spades":  # [E30 E31]
            self.trump = "s"
            self.maker = self.dealer
            self.phase = "playing"

    def absent(self) -> int | None:
        """[E14] The seat that sits out."""
        if self.alone and self.maker is not None:
            return (self.maker + 2) % 4
        return None

    def next_seat(self, seat: int) -> int:
        """The next seat to the left that takes part."""
        seat = (seat + 1) % 4
        return (seat + 1) % 4 if seat == self.absent() else seat

    def legal(self) -> set[str]:
        """The names of the legal actions."""
        if self.phase == "ordering":  # [E6]
            return {"pass", "order-up", "order-up-alone"}
        if self.phase == "calling":  # [E8 E9]
            names = {SUIT_NAMES[suit] for suit in SUITS if suit != self.turned[1]}
            actions = {f"call-{name}" for name in names} | {f"call-{name}-alone" for name in names}
            if self.to_act != self.dealer or not self.stick_the_dealer:
                actions.add("pass")
            return actions
        if self.phase == "discarding":  # [E12]
            return set(self.hands[self.dealer])
        if self.phase == "playing":
            assert self.to_act is not None and self.trump is not None
            return legal_cards(self.hands[self.to_act], self.trick, self.trump)
        return set()

    def play(self, action: str) -> None:
        """Takes a legal action."""
        seat = self.to_act
        assert seat is not None
        self.log.append((seat, self.phase, action))
        if self.phase == "ordering":
            self._order(seat, action)
        elif self.phase == "calling":
            self._call(seat, action)
        elif self.phase == "discarding":
            self.hands[seat].remove(action)
            self.discard = action
            self._begin_play()
        else:
            self._play_card(seat, action)

    def _order(self, seat: int, action: str) -> None:
        if action == "pass":
            if seat == self.dealer:
                self.phase = "calling"
            self.to_act = (seat + 1) % 4
            return
        self.maker = seat  # [E7]
        self.trump = self.turned[1]
        self.alone = action == "order-up-alone"
        if self.absent() == self.dealer:  # [E15]
            self._begin_play()
        else:  # [E11]
            self.picked_up = True
            self.hands[self.dealer].append(self.turned)
            self.phase = "discarding"
            self.to_act = self.dealer

    def _call(self, seat: int, action: str) -> None:
        if action == "pass":
            self.to_act = (seat + 1) % 4
            if seat == self.dealer:  # [E10]
                self.phase = "finished"
                self.to_act = None
            return
        words = action.split("-")
        self.maker = seat
        self.trump = words[1][0]
        self.alone = words[-1] == "alone"
        self._begin_play()

    def _begin_play(self) -> None:
        self.phase = "playing"
        self.to_act = self.next_seat(self.dealer)  # [E18 E19]

    def _play_card(self, seat: int, card: str) -> None:
        assert self.trump is not None and self.maker is not None
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        if len(self.trick) < (3 if self.alone else 4):
            self.to_act = self.next_seat(seat)
            return
        winner = trick_winner(self.trick, self.trump)
        self.tricks[winner] += 1
        self.past_tricks.append(self.trick)
        self.trick = []
        self.to_act = winner
        if len(self.past_tricks) == 5:  # [E23]
            self.phase = "finished"
            self.to_act = None
            side = self.maker % 2
            made, lost = points_of(self.tricks[side] + self.tricks[side + 2], self.alone)
            self.points[side] = made
            self.points[1 - side] = lost


def read(line: str) -> Deal:
    """The deal that a line of text describes [E41], its actions played."""
    words = dict(word.split("=") for word in line.split()[1:])
    hands = [cards_of(text) for text in words["hands"].split("/")]
    (turned,) = cards_of(words["turned"])
    kitty = [card for card in DECK if card != turned and not any(card in hand for hand in hands)]
    stuck = words.get("stick_the_dealer", "no") == "yes"
    deal = Deal(hands, turned, kitty, int(words.get("dealer", "0")), words.get("bidding", "full"), stuck)
    for action in words.get("actions", "").split(","):
        if action:
            assert action in deal.legal(), f"{action} in {line}"
            deal.play(action)
    return deal


def cards_of(text: str) -> list[str]:
    """The cards in a text such as ``"9cTh"``."""
    return [text[k : k + 2] for k in range(0, len(text), 2)]


@dataclass
class Game:
    """The score of a game over its deals."""

    target: int = 10
    episode: str = "game"
    score: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, points: Sequence[int]) -> None:
        """Adds what a deal brought."""
        self.score = [self.score[0] + points[0], self.score[1] + points[1]]

    def over(self) -> bool:
        """[E29 E38] Whether the episode ends with the deal just scored."""
        return self.episode == "deal" or max(self.score) >= self.target

    def winner(self, points: Sequence[int]) -> int | None:
        """The side that has won the episode with a deal that brought ``points``."""
        if self.episode == "game":
            return next((side for side in (0, 1) if self.score[side] >= self.target), None)
        return next((side for side in (0, 1) if points[side]), None)


# --- what a seat may think of ----------------------------------------------------------------------------------------

State = tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str], frozenset[str], str | None]
"""The four hands as they are now, the kitty, the discard."""


def state_of(deal: Deal) -> State:
    """The piles of the cards that nobody has played."""
    a, b, c, d = (frozenset(hand) for hand in deal.hands)
    return a, b, c, d, frozenset(deal.kitty), deal.discard


def splits(cards: Sequence[str], sizes: Sequence[int]) -> Iterator[list[list[str]]]:
    """All ways to split ``cards`` into piles of the given sizes, which add up to their number."""
    if not sizes:
        yield []
        return
    for chosen in itertools.combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in chosen]
        for others in splits(rest, sizes[1:]):
            yield [list(chosen), *others]


def consistent_states(deal: Deal, seat: int) -> set[State]:
    """All states that ``seat`` must think possible: all deals and discards from which ``deal.log`` can be replayed."""
    played: list[set[str]] = [{a for s, phase, a in deal.log if s == k and phase == "playing"} for k in range(4)]
    dealer = deal.dealer
    mine = {*deal.hands[seat], *played[seat]}
    if seat == dealer and deal.picked_up:
        mine = (mine | ({deal.discard} if deal.discard else set())) - {deal.turned}
    known = [mine if k == seat else played[k] - {deal.turned} for k in range(4)]
    unseen = [card for card in DECK if card != deal.turned and not any(card in cards for cards in known)]
    discarded = deal.discard is not None
    states = set()
    for piles in splits(unseen, [5 - len(cards) for cards in known] + [3]):
        hands = [[*known[k], *piles[k]] for k in range(4)]
        discards: list[str | None] = [None]
        if discarded:
            six = [*hands[dealer], deal.turned]
            discards = [deal.discard] if seat == dealer else [card for card in six if card not in played[dealer]]
        for discard in discards:
            again = Deal(hands, deal.turned, piles[4], dealer, deal.bidding, deal.stick_the_dealer)
            if _could_go(again, deal.log, discard):
                states.add(state_of(again))
    return states


def _could_go(deal: Deal, log: Sequence[tuple[int, str, str]], discard: str | None) -> bool:
    """Plays the actions of ``log``, the discard being ``discard``; False as soon as one of them is illegal."""
    for _, phase, name in log:
        action = discard if phase == "discarding" else name
        if action is None or action not in deal.legal():
            return False
        deal.play(action)
    return True


def possible_holders(deal: Deal, seat: int) -> tuple[dict[str, set[str]], dict[str, int]]:
    """Where ``seat`` must think each unseen card possible (hands, kitty, discard), and how many cards lie there."""
    sizes = {f"hand {k}": len(deal.hands[k]) for k in range(4) if k != seat}
    sizes["kitty"] = 3
    secret = deal.discard is not None and seat != deal.dealer
    if secret:
        sizes["discard"] = 1
    seen = {*deal.hands[seat], *(a for _, phase, a in deal.log if phase == "playing")}
    if seat == deal.dealer and deal.discard:
        seen.add(deal.discard)
    if not deal.picked_up:
        seen.add(deal.turned)
    voids = shown_voids(deal)
    holders = {}
    for card in DECK:
        if card not in seen:
            holders[card] = {
                holder
                for holder in sizes
                if not (holder.startswith("hand") and effective_suit(card, deal.trump) in voids[int(holder[-1])])
                and (card != deal.turned or holder in (f"hand {deal.dealer}", "discard"))
            }
    return holders, sizes


def shown_voids(deal: Deal) -> list[set[str]]:
    """[E37] The effective suits that each seat has shown out of."""
    voids: list[set[str]] = [set() for _ in range(4)]
    if deal.trump is not None:
        for plays in [*deal.past_tricks, deal.trick]:
            for seat, card in plays[1:]:
                led = effective_suit(plays[0][1], deal.trump)
                if effective_suit(card, deal.trump) != led:
                    voids[seat].add(led)
    return voids


def count_fillings(holders: Mapping[str, Collection[str]], sizes: Mapping[str, int]) -> int:
    """The number of ways to give each card to one of its holders so that each has its number of cards."""
    ways: dict[tuple[int, ...], int] = {tuple(sizes.values()): 1}
    names = list(sizes)
    for allowed in holders.values():
        after: dict[tuple[int, ...], int] = {}
        for free, count in ways.items():
            for k, name in enumerate(names):
                if name in allowed and free[k]:
                    left = (*free[:k], free[k] - 1, *free[k + 1 :])
                    after[left] = after.get(left, 0) + count
        ways = after
    return ways.get((0,) * len(names), 0)
