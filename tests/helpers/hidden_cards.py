"""Positions whose hidden cards can be listed: all deals that a seat must think possible, by the naive versions."""

import random
from collections.abc import Iterator

import numpy as np

from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.games import euchre, whist
from tests.naive import euchre as naive_euchre
from tests.naive import whist as naive_whist

# --- Euchre --------------------------------------------------------------------------------------------------------


def key_of(state: naive_euchre.State, seat: int) -> tuple[int, ...]:
    """A state of the naive version as card sets: the left, the partner's and the right hand, kitty, discard."""
    *hands, kitty, discard = state
    piles = [hands[(seat + k) % 4] for k in (1, 2, 3)] + [kitty, {discard} if discard else set()]
    return tuple(sum(1 << euchre.DECK.card(card) for card in pile) for pile in piles)


ENDINGS: dict[str, tuple[str, int, int]] = {
    "forced spades, two cards left": (
        "bidding=forced-spades dealer=0 hands=TdKdKhQsAs/JcKcQd9sTs/TcJd9hThKs/QcAcAdQhJs turned=Jh "
        "actions=Ts,Ks,Js,As,Qh,Kh,9s,9h,Jc,Tc,Ad,Qs,Qd", 2, 1470,
    ),
    "forced spades, three cards left, all have shown voids": (
        "bidding=forced-spades dealer=2 hands=9dTdJdAdJh/9cAc9hKhAh/TcJcThQsAs/QcQdKdQhTs turned=Ks "
        "actions=Qd,9d,Ah,Jc,As,Ts,Jd,Ac,Tc,Qc,Td", 3, 544,
    ),
    "the turned card was turned down": (
        "dealer=3 hands=Jc9dTdKdJh/9cJdQhKhAh/QcQdTh9sKs/KcAd9hTsQs turned=Js "
        "actions=pass,pass,pass,pass,pass,call-hearts,Td,Ah,Qd,Ad,Jd,Th,9h,Jh,9d,Kh,Ks,Ts,Qh", 2, 1050,
    ),
    "turned down, three cards left": (
        "dealer=3 hands=9dJdKdJhQs/TcTdQd9sTs/9cKcAc9hAh/JcQcQhKhKs turned=Th "
        "actions=pass,pass,pass,pass,pass,call-diamonds,9d,Qd,Ah,Qc,Ts,9h,Ks,Qs,Qh,Jh", 1, 552,
    ),
    "the dealer has the turned card or discarded it": (
        "dealer=0 hands=QcAcJdJh9s/TdQdQhKhJs/9dKd9hKsAs/9cTcAdThTs turned=Qs "
        "actions=pass,pass,pass,order-up,Qs,Kh,9h,Th,Jh,Js,Ks,Ts,9s,Qh,Kd,Ad,Ac,Qd,9d", 1, 2310,
    ),
    "the same before the last trick is full": (
        "dealer=1 hands=9cJdKh9sTs/KcAcTd9hAh/Tc9dQdJsKs/JcKdAdQhAs turned=Jh "
        "actions=order-up,Jh,9d,Ad,Ts,Td,Kd,Jd,Ah,Qd,9s,9h,Ks,As,Kc,Tc,Jc,9c", 2, 220,
    ),
    "the dealer, void in trump, discarded the turned card": (
        "dealer=0 hands=AcTdQdKdKh/9cTcJhAhQs/Jc9d9hJsKs/QcKcJd9sTs turned=As "
        "actions=pass,pass,pass,order-up,As,Jh,9h,Jd,Kh,Ac,9c,Ks,Qc,9d,Ts,Qd,Tc,9s,Kd", 3, 600,
    ),
    "the same with one card left": (
        "dealer=3 hands=TdJhQhAhJs/QcQdAdThKs/9cTcKc9sQs/AcJdKd9hAs turned=Jc "
        "actions=pass,order-up,Jc,Jh,Th,9s,9h,Js,Qc,Kc,Ac,Td,Ad,9c,Jd,Tc,Kd,Ah,Ks", 2, 120,
    ),
    "the turned card has been played": (
        "dealer=0 hands=QdAd9hThQh/TcQcKcJhTs/Jc9dTdKh9s/9cAcJdJsKs turned=Kd "
        "actions=pass,order-up,Qd,Qc,Jc,Ac,Qh,Jd,Ad,Jh,9d,Js,Kd,Ts,9s,9h,Tc", 2, 1020,
    ),
    "seen from the dealer": (
        "dealer=2 hands=KcQdThTsAs/Jd9hJhJsQs/9dTdAdKhAh/TcJcQcAcQh turned=9s "
        "actions=pass,order-up,Ah,Tc,Kc,Js,Ad,Jd,9d,Qh,Qd,Ts,Qs,9s,Jc", 2, 2550,
    ),
    "seen from the dealer who discarded the turned card": (
        "dealer=0 hands=9cAc9dQdQs/9hThQhTsKs/KcJdKh9sAs/JcQcKdAdJs turned=Ah "
        "actions=pass,order-up,Ah,9h,Jd,Ad,Qs,Kc,Jc,Ac,Ts,Qd,Th,Kh", 0, 2644,
    ),
    "alone, seen by the dealer": (
        "dealer=3 hands=TcJcQc9sKs/ThJhQhAhQs/9c9dJdAdAs/AcQdKdTsJs turned=Kh "
        "actions=order-up-alone,Kd,Jc,Qh,Ac,Qs,Ts,Ks,9s,Th,Js,Jh,Kh,Tc", 3, 2184,
    ),
    "alone in a called suit, seen by the maker, whose partner keeps five cards": (
        "dealer=3 hands=AcJd9hThJh/Qc9sJsQsKs/9cKcAhTsAs/Jc9dTdQdKh turned=Qh "
        "actions=pass,pass,pass,pass,call-clubs-alone,Ac,Js,Jc,Qd,Jd,Qs,9d,Jh,Qc,Ks,Kh", 0, 2520,
    ),
    "alone, the dealer sits out with the turned card left on the table": (
        "dealer=1 hands=JcAc9hJhAs/TcJdThAhTs/QcKc9dTdKs/QdKdAdQh9s turned=Qs "
        "actions=pass,order-up-alone,Td,Ad,As,Ac,Kc,Qh,9h,Qc,Qd,Jc,Ks,9s", 0, 1680,
    ),
    "alone, seen by the dealer who sits out": (
        "dealer=3 hands=TcJc9hJsAs/9cJdKd9sKs/QcAcTdThAh/QdJhQhKhQs turned=Kc "
        "actions=pass,pass,pass,pass,pass,call-hearts-alone,Jc,9c,Qc,Th,9h,Jd,Kd,Td,Js,9s", 3, 900,
    ),
    "a lone dealer with the turned card, seen by its partner": (
        "dealer=1 hands=JcJdAdJhAh/AcQdKd9sTs/KcTd9hQsKs/9cQc9dKhAs turned=Js "
        "actions=pass,pass,pass,order-up-alone,Js,Kc,Ad,Ac,Ts,Ks,Jc,Jh,9s,9h,Kd", 3, 2070,
    ),
    "a defender with the turned card, seen by a lone maker's partner": (
        "dealer=1 hands=TcAcQdKsAs/JcKcJdKd9s/QcTdAdJhTs/9d9hThKhAh turned=Qs "
        "actions=order-up-alone,Kc,Qc,Kh,9s,Kd,Td,9d,Jd,Ad,Ah,Jh", 0, 1560,
    ),
}  # fmt: skip
"""Endings of Euchre by what is special about them: the line, the seat that looks, how many states it must allow."""

# --- Whist ---------------------------------------------------------------------------------------------------------


def as_set(cards: frozenset[str] | list[str]) -> int:
    """The names of cards as a card set."""
    return sum(1 << whist.DECK.card(card) for card in cards)


def position(
    moves: int, shown_held: bool, voids: int, viewer_deals: bool, seed: int
) -> tuple[Games, naive_whist.Deal, int, list[tuple[frozenset[str], ...]]]:
    """A random position after ``moves`` cards, one of its seats, and all deals of the other hands that seat must allow.

    ``shown_held``: whether the dealer still holds the shown card. ``voids``: at least so many suits that other seats have
    shown out of and that are still in play. There are at least six such deals.
    """
    rng = random.Random(seed)
    while True:
        games = whist.SPEC.deal(rng.randrange(10**9))
        deal = naive_whist.Deal(
            [[whist.DECK.text(card) for card in members_of(int(hand))] for hand in games[0]["hands"]],
            int(games[0]["dealer"]),
            whist.DECK.text(int(games[0]["shown"]).bit_length() - 1),
        )
        for _ in range(moves):
            card = rng.choice(deal.legal)
            deal.play(card)
            whist.SPEC.kernels.step(games, 0, whist.SPEC.action(card))
        if (deal.shown in deal.hands[deal.dealer]) != shown_held:
            continue
        seat = deal.dealer if viewer_deals else (deal.dealer + rng.randrange(1, 4)) % 4
        others = [(seat + k) % 4 for k in (1, 2, 3)]
        unseen = [card for other in others for card in deal.hands[other]]
        suits = {card[1] for card in unseen}
        shown_out = {(k, suit) for k, other in enumerate(others) for suit in suits if (other, suit) in deal.shown_out}
        if len(shown_out) < voids:
            continue
        fixed = {deal.shown: others.index(deal.dealer)} if deal.shown in unseen else {}
        deals = list(naive_whist.assignments(unseen, [len(deal.hands[other]) for other in others], shown_out, fixed))
        if len(deals) >= 6:
            return games, deal, seat, deals


POSITIONS = [
    (moves, shown_held, voids, viewer_deals)
    for moves in (40, 42, 43, 44, 45)  # three cards each, then some with two, then two each, ...
    for shown_held in (True, False)
    for voids in (0, 2)
    for viewer_deals in (False, True)
    if not (viewer_deals and (shown_held or voids == 0))  # a dealer's own shown card is no special case
]
"""Arguments of `position`: moves, shown_held, voids, viewer_deals."""

# --- both ----------------------------------------------------------------------------------------------------------


def consistent_hands(name: str, games: Games, views: Games) -> Iterator[list[int]]:
    """All four hands, from the seat to act on, in every state that it must think possible (a list, with repeats)."""
    if name == "euchre":
        seat = int(games[0]["to_act"])
        for state in naive_euchre.consistent_states(naive_euchre.read(euchre.SPEC.text(games[0])), seat):
            yield [sum(1 << euchre.DECK.card(card) for card in state[(seat + k) % 4]) for k in range(4)]
        return
    v = views[0]
    seen = int(v["hands"][0]) | int(np.bitwise_or.reduce(v["played"]))
    unseen = [whist.DECK.text(card) for card in members_of(whist.DECK.all & ~seen)]
    sizes = [13 - int(v["played"][k]).bit_count() for k in (1, 2, 3)]
    shown_out = {(k - 1, "cdhs"[suit]) for k in (1, 2, 3) for suit in range(4) if int(v["voids"][k]) >> suit & 1}
    shown = whist.DECK.format(int(v["shown"]))
    fixed = {shown: int(v["dealer"]) - 1} if shown in unseen else {}
    for hands in naive_whist.assignments(unseen, sizes, shown_out, fixed):
        yield [int(v["hands"][0]), *(sum(1 << whist.DECK.card(card) for card in hand) for hand in hands)]
