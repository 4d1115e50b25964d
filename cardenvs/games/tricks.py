"""Rules that all trick-taking games share: suits under a trump, the winning card, voids, exact re-deals.

The *effective* suit of a card is the suit it plays as (in Euchre the left bower is a trump). Lookups are indexed by trump
first, with 4 for "no trump yet". A trick game's STATE has the fields ``hands played trick voids tricks`` (int64 of shape
(4,), by seat; the first three are card sets, ``voids`` has a bit a suit) and ``leader winner to_act trump`` (int64), which
`play_card` updates. ``suit_sets``, ``suit_of`` and ``strength`` are the game's `SuitLookups`, ``g`` is its record,
``absent`` the seat that sits out (-1 for none), ``total`` the number of tricks in a deal.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount, write_bits
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.cards import SUIT_NAMES, Deck
from cardenvs.contract.fields import Part
from cardenvs.contract.lines import int_field, score_field
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING
from cardenvs.contract.sources import BitSet, Derived, FieldSource, OneHot, OneOf, UpTo

NO_TRUMP_YET = 4
"""Index of lookups while there is no trump."""


class SuitLookups(NamedTuple):
    """Lookups of the cards' strengths and suits, for each trump (4: none)."""

    suit_sets: Ints
    """int64 (5, 5): the cards of each effective suit; suit 4 is "no card", the empty set."""
    suit_of: Ints
    """int64 (5, cards + 1): each card's effective suit; 4 behind the last card, for "no card"."""
    strength: Ints
    """int64 (5, cards + 1): from 1 up; trumps above plain cards, plain cards of equal rank equal; 0 for "no card"."""


def suit_lookups(deck: Deck, bowers: bool) -> SuitLookups:
    """Returns the lookups of ``deck``; with ``bowers`` the jacks of the trump's colour are the highest trumps (Euchre)."""
    width = len(deck.ranks)
    suit_of = np.array([[card // width for card in range(deck.size)] for _ in range(5)], np.int64)
    strength = np.array([[1 + card % width for card in range(deck.size)] for _ in range(5)], np.int64)
    jack = deck.ranks.index("J")
    for trump in range(4):
        order = [trump * width + rank for rank in range(width)]
        if bowers:
            left, right = (3 - trump) * width + jack, trump * width + jack
            order.remove(right)
            order += [left, right]
            suit_of[trump, left] = trump
        for k, card in enumerate(order):
            strength[trump, card] = width + 1 + k
    suit_of = np.pad(suit_of, ((0, 0), (0, 1)), constant_values=4)
    strength = np.pad(strength, ((0, 0), (0, 1)))
    suit_sets = np.zeros((5, 5), np.int64)
    for trump in range(5):
        for card in range(deck.size):
            suit_sets[trump, suit_of[trump, card]] |= 1 << card
    return SuitLookups(suit_sets, suit_of, strength)


def void_sets(lookups: SuitLookups) -> Ints:
    """Returns the cards of each set of effective suits (a bit a suit) under each trump: int64 (5, 16)."""
    sets = np.zeros((5, 16), np.int64)
    for suits in range(16):
        for suit in range(4):
            if suits >> suit & 1:
                sets[:, suits] |= lookups.suit_sets[:, suit]
    return sets


@helper
def relative_seat(seat: int, by: int) -> int:
    """Returns ``seat`` relative to the seat ``by``: 0 is ``by`` itself, 1 its left neighbour; -1 stays -1."""
    return (seat - by) & 3 if seat >= 0 else -1


# Which card leads, follows or wins is unpredictable for a processor, so `playable_cards` and `play_card` have no branches:
# the empty card of a seat that has not played stands for the card behind the deck's last, of no suit and no strength.


@helper
def playable_cards(g: Any, suit_sets: Ints, suit_of: Ints) -> int:
    """Returns the set of cards that the seat to act may play: those of the led suit if it has any, else its whole hand."""
    hand = g.hands[g.to_act]
    no_card = np.int64(1) << (suit_of.shape[1] - 1)
    follow = hand & suit_sets[g.trump, suit_of[g.trump, lowest(g.trick[g.leader] | no_card)]]
    return follow if follow != 0 else hand


@helper
def play_card(g: Any, card: int, absent: int, suit_of: Ints, strength: Ints) -> bool:
    """Plays a card for the seat to act; returns whether that completes the trick. A complete trick is credited to its
    winner, who leads the next."""
    seat = g.to_act
    trump = g.trump
    bit = np.int64(1) << card
    no_card = np.int64(1) << (suit_of.shape[1] - 1)
    best = lowest(g.trick[g.winner & 3] | no_card)
    g.hands[seat] ^= bit
    g.played[seat] |= bit
    g.trick[seat] = bit
    suit = suit_of[trump, card]
    led = suit_of[trump, lowest(g.trick[g.leader])]
    g.voids[seat] |= np.int64(suit != led) << led
    # A plain suit other than the one led never wins, and any trump outranks every plain card.
    wins = ((suit == led) | (suit == trump)) & (strength[trump, card] > strength[trump, best])
    g.winner = seat if wins else g.winner
    following = (seat + 1) & 3
    if following == absent:
        following = (following + 1) & 3
    if following != g.leader:
        g.to_act = following
        return False
    winner = g.winner
    g.tricks[winner] += 1
    g.leader = winner
    g.to_act = winner
    g.winner = -1
    for k in range(4):
        g.trick[k] = 0
    return True


# --- partnerships --------------------------------------------------------------------------------------------------
#
# What Whist and Euchre share beyond tricks: seats 0 and 2 play against 1 and 3, deals are played for points until a side
# reaches a target or one by one. A STATE has the fields ``dealer``, ``score`` (int64 of shape (2,)), ``episode`` (1 for
# deals until a target), ``target``, ``over``, ``moves`` and ``history``, too.


@helper
def choose_dealer(g: Any, streams: Streams, s: int) -> None:
    """Passes the deal on in an unfinished game; else draws a dealer and clears the score."""
    first = below(streams, s, 4)
    if g.over == DEAL_OVER:
        g.dealer = (g.dealer + 1) & 3
    else:
        g.dealer = first
        g.score[0] = 0
        g.score[1] = 0


@helper
def open_table(g: Any) -> None:
    """Clears the table for the start of a deal, whose first turn is that of the dealer's left neighbour."""
    g.to_act = (g.dealer + 1) & 3
    g.winner = -1
    g.over = RUNNING
    g.moves = 0
    for k in range(len(g.history)):
        g.history[k] = 0
    for seat in range(4):
        g.trick[seat] = 0
        g.played[seat] = 0
        g.voids[seat] = 0
        g.tricks[seat] = 0


@helper
def end_deal(g: Any, points_0: int, points_1: int) -> None:
    """Scores a finished deal by the points of both sides."""
    g.to_act = -1
    g.leader = -1
    g.score[0] += points_0
    g.score[1] += points_1
    unfinished = g.episode == 1 and g.score[0] < g.target and g.score[1] < g.target
    g.over = DEAL_OVER if unfinished else EPISODE_OVER


@helper
def view_table(g: Any, seat: int, v: Any) -> None:
    """Copies the fields of a state that all trick games of partnerships have to the view ``v`` of ``seat``."""
    for k in range(4):
        source = (k + seat) & 3
        v.hands[k] = g.hands[source] if k == 0 else 0
        v.trick[k] = g.trick[source]
        v.played[k] = g.played[source]
        v.voids[k] = g.voids[source]
        v.tricks[k] = g.tricks[source]
    # Field by field: a copy of the whole record would wait for the stores of the step before.
    v.episode = g.episode
    v.target = g.target
    v.score[0] = g.score[seat & 1]
    v.score[1] = g.score[1 - (seat & 1)]
    v.trump = g.trump
    v.over = g.over
    v.moves = g.moves
    for k in range(len(g.history)):
        v.history[k] = g.history[k]
    v.dealer = relative_seat(g.dealer, seat)
    v.to_act = relative_seat(g.to_act, seat)
    v.leader = relative_seat(g.leader, seat)
    v.winner = relative_seat(g.winner, seat)


@helper
def count_played(g: Any) -> int:
    """Returns the number of cards played in a deal."""
    return popcount(g.played[0] | g.played[1] | g.played[2] | g.played[3])


@helper
def take_back(g: Any, points_0: int, points_1: int) -> None:
    """Returns all played cards to their hands, and the points of a finished deal."""
    for seat in range(4):
        g.hands[seat] |= g.played[seat]
    if g.over != RUNNING:
        g.score[0] -= points_0
        g.score[1] -= points_1


# --- parts of their observations -----------------------------------------------------------------------------------

SEATS = ("self", "left", "partner", "right")


def seat_parts(name: str, labels: Sequence[str], meaning: str, source: type[FieldSource]) -> tuple[Part, ...]:
    """Returns a part for each seat's number of a field, ``name``; ``meaning`` has {} for the seat."""
    return tuple(
        Part(f"{name}_{seat}", tuple(labels), meaning.format(seat), source=source(name, k)) for k, seat in enumerate(SEATS)
    )


def seat_part(name: str, meaning: str, none: int | None = -1) -> Part:
    """Returns the part of a field that is a seat; ``none`` is the number for no seat, None if there always is one."""
    return Part(name, SEATS, meaning, source=OneHot(name, none=none))


def _could_hold_kernel(module: str, could_hold: Any, unseen: Any, seat: int) -> Any:
    @closure(f"{module}:could_hold_{seat}")
    def seat_could_hold(views: Any, i: int) -> int:
        return could_hold(views, i, seat, unseen(views, i))

    return seat_could_hold


def card_parts(module: str, cards: tuple[str, ...], could_hold: Any, unseen: Any) -> tuple[Part, ...]:
    """Returns the parts on hands and played cards. ``module`` is the game's, with the kernels ``unseen(views, i)``, the
    cards that seat 0 cannot locate, and ``could_hold(views, i, seat, unseen)``, those that a seat could still hold."""
    return (
        Part("hand", cards, "the cards in the own hand", source=BitSet("hands", 0)),
        *seat_parts("played", cards, "cards played by {}, the current trick included", BitSet),
        *seat_parts("trick", cards, "the card of {} in the current trick", BitSet),
        *(
            Part(
                f"could_hold_{seat}",
                cards,
                f"unseen cards that {seat} could still hold",
                source=Derived(_could_hold_kernel(module, could_hold, unseen, k)),
            )
            for k, seat in enumerate(SEATS)
            if k > 0
        ),
    )


def other_hands(cards: tuple[str, ...]) -> tuple[Part, ...]:
    """Returns the hidden parts on the hands of the other seats, which `reveal_hands` writes."""
    return tuple(Part(f"hand_{seat}", cards, f"the cards in {seat}'s hand") for seat in SEATS[1:])


@helper
def reveal_hands(g: Any, seat: int, out: Bytes, row: int, column: int, size: int) -> int:
    """Writes the hands of the others, from the left on, ``size`` columns each; returns the next column."""
    for k in range(1, 4):
        column = write_bits(out, row, column, g.hands[(seat + k) & 3], size)
    return column


def turn_parts() -> tuple[Part, ...]:
    """Returns the parts on the current trick, and on suits that seats have shown out of."""
    return (
        seat_part("to_act", "whose turn it is"),
        seat_part("leader", "who leads the current trick"),
        seat_part("winner", "whose card is winning the current trick"),
        *seat_parts("voids", SUIT_NAMES, "suits that {} has shown out of", BitSet),
    )


def score_parts(tricks: int, most: int) -> tuple[Part, ...]:
    """Returns the parts on the tricks of each seat, and on the points of each side, at most ``most``."""
    points = tuple(str(k + 1) for k in range(most))
    return (
        *seat_parts("tricks", [str(k + 1) for k in range(tricks)], "tricks won by {}: all numbers up to it", UpTo),
        Part("score_own", points, "points of the own side: all numbers up to it", source=UpTo("score", 0)),
        Part("score_other", points, "points of the other side: all numbers up to it", source=UpTo("score", 1)),
    )


def episode_parts(targets: Sequence[int]) -> tuple[Part, ...]:
    """Returns the parts on the length and the end of an episode; ``targets`` are the choices of the option, ascending."""
    told, values = "option: deals are played until a side reaches the target", tuple(targets)
    return (
        Part("episode", ("game",), told, source=OneHot("episode", first=1, none=0)),
        Part("target", tuple(map(str, values)), "option: points that win a game", source=OneOf("target", values=values)),
        Part("deal_over", ("yes",), "the deal is over", source=UpTo("over")),
        Part("episode_over", ("yes",), "the episode is over", source=UpTo("over")),
    )


# --- their deals in text -------------------------------------------------------------------------------------------


def deal_fields(deck: Deck, state: Any, points: Sequence[int], hands: Sequence[int], *fields: str) -> dict[str, str]:
    """Returns the start of a deal in text, by key: the score before it, the dealer, hands, and ``fields`` of card sets.
    ``points`` are those of each side in the deal, if it is over."""
    made = (0, 0) if state["over"] == RUNNING else points
    return {
        "score": "-".join(str(int(state["score"][side]) - int(made[side])) for side in (0, 1)),
        "dealer": str(int(state["dealer"])),
        "hands": "/".join(deck.format(hand) for hand in hands),
        **{field: deck.format(int(state[field])) for field in fields},
    }


def check_keys(game: str, fields: Mapping[str, str], needed: Sequence[str], others: Sequence[str]) -> None:
    """Raises ValueError for a deal in text that lacks a key or has an unknown one."""
    if not set(needed) <= set(fields) <= {*needed, *others}:
        optional = [f"{key}=" for key in others]
        raise ValueError(
            f"a deal of {game} has {', '.join(f'{key}=' for key in needed)} and optionally "
            f"{', '.join(optional[:-1])} and {optional[-1]}, not {' '.join(sorted(fields)) or 'nothing'}"
        )


def set_table(g: Any, fields: Mapping[str, str], hands: Sequence[int], most: int) -> None:
    """Sets hands, dealer and score of a deal in text; ``most`` is the most points of a side in an episode of one deal."""
    g["dealer"] = int_field(fields, "dealer", range(4))
    score = score_field(fields, int(g["target"] if g["episode"] else most) - 1)
    for seat in range(4):
        g["hands"][seat] = hands[seat]
    g["score"][0], g["score"][1] = score


def table_lines(deck: Deck, state: Any, seat: int | None, width: int) -> list[str]:
    """Returns the lines of a drawing on the seats and the score; hands, ``width`` wide, are those that ``seat`` may see."""
    lines = []
    for k in range(4):
        marks = ("D" if k == state["dealer"] else " ") + (">" if k == state["to_act"] else " ")
        cards = int(state["hands"][k])
        hand = deck.format(cards, " ") if seat is None or seat == k else " ".join(["--"] * cards.bit_count())
        card = deck.format(int(state["trick"][k])) or "  "
        lead = "leads" if k == state["leader"] and state["trick"][k] else "     "
        lines.append(f"{marks} player_{k}  {hand:<{width}}  {card} {lead}  tricks {int(state['tricks'][k])}")
    return [*lines, f"score {int(state['score'][0])} : {int(state['score'][1])}  (seats 0 and 2 : seats 1 and 3)"]


# --- what cannot be ------------------------------------------------------------------------------------------------
#
# Records that are asked have numbers in the ranges of their parts: seats, suits, sets of cards.

(
    HAND_FLAW,
    PLAYED_FLAW,
    TRICK_FLAW,
    VOIDS_FLAW,
    TRICKS_FLAW,
    SCORE_FLAW,
    LEADER_FLAW,
    WINNER_FLAW,
    TO_ACT_FLAW,
    OVER_FLAW,
) = range(0, 40, 4)
"""Errors that `play_flaw` and `score_flaw` return; the seat, or the side, is added to the first six."""


def flaw_parts(names: Sequence[str]) -> Ints:
    """Returns the part of an observation for each error: int64 (40,), by the names of the game's parts."""
    parts = np.zeros(40, np.int64)
    for k, seat in enumerate(SEATS):
        parts[HAND_FLAW + k] = names.index("hand" if k == 0 else f"could_hold_{seat}")
        for flaw, name in ((PLAYED_FLAW, "played"), (TRICK_FLAW, "trick"), (VOIDS_FLAW, "voids"), (TRICKS_FLAW, "tricks")):
            parts[flaw + k] = names.index(f"{name}_{seat}")
    parts[SCORE_FLAW], parts[SCORE_FLAW + 1] = names.index("score_own"), names.index("score_other")
    for flaw, name in ((LEADER_FLAW, "leader"), (WINNER_FLAW, "winner"), (TO_ACT_FLAW, "to_act"), (OVER_FLAW, "deal_over")):
        parts[flaw] = names.index(name)
    return parts


@kernel
def score_flaw(g: Any, points_0: int, points_1: int, most: int) -> int:
    """Returns an error in the score, or in whether the episode is over, else -1. ``points_0`` and ``points_1`` are those of
    the sides if the deal is over; ``most`` is the greatest number of points of a side in an episode of one deal."""
    running = g.over == RUNNING
    for side in range(2):
        points = points_0 if side == 0 else points_1
        before = g.score[side] - (0 if running else points)
        if before < 0 or before >= (g.target if g.episode == 1 else most):
            return SCORE_FLAW + side
    if not running:
        unfinished = g.episode == 1 and g.score[0] < g.target and g.score[1] < g.target
        if g.over != (DEAL_OVER if unfinished else EPISODE_OVER):
            return OVER_FLAW
    return -1


@kernel
def play_flaw(
    g: Any, whole: bool, first: int, absent: int, running: bool, total: int, suit_sets: Ints, suit_of: Ints, strength: Ints
) -> int:
    """Returns an error in the play of a deal whose trump is known: HAND_FLAW and so on, the first five plus the seat; else
    -1. Unless the record ``g`` is ``whole``, a state, the hands of seats 1 to 3 are unknown. ``first`` leads the first
    trick; ``running`` tells whether the play goes on."""
    trump = g.trump
    seen = np.int64(0)
    for seat in range(4):
        card = g.trick[seat]
        if g.played[seat] & seen:
            return PLAYED_FLAW + seat
        if card & ~g.played[seat] or card & (card - 1):
            return TRICK_FLAW + seat
        seen |= g.played[seat]
    done = g.tricks[0] + g.tricks[1] + g.tricks[2] + g.tricks[3]
    if done > total or (done == total) == running:
        return TRICKS_FLAW
    led = np.int64(-1)
    following = np.int64(-1)
    winner = np.int64(-1)
    best = np.int64(-1)
    if running:
        if g.leader < 0 or g.leader == absent:
            return LEADER_FLAW
        if (done == 0 and g.leader != first) or (done > 0 and g.tricks[g.leader] == 0):
            return LEADER_FLAW
        for k in range(4):
            seat = (g.leader + k) & 3
            if seat == absent:
                continue
            if g.trick[seat] == 0:
                if following < 0:
                    following = seat
                continue
            if following >= 0:
                return TRICK_FLAW + seat
            card = lowest(g.trick[seat])
            suit = suit_of[trump, card]
            if led < 0:
                led = suit
            if (suit == led or suit == trump) and strength[trump, card] > best:
                best = strength[trump, card]
                winner = seat
            if suit != led and not g.voids[seat] >> led & 1:
                return VOIDS_FLAW + seat
        if following < 0:
            return TRICK_FLAW + g.leader
    elif g.leader != -1:
        return LEADER_FLAW
    if g.winner != winner:
        return WINNER_FLAW
    if g.to_act != following:
        return TO_ACT_FLAW
    for seat in range(4):
        card = g.trick[seat]
        if card != 0 and (not running or seat == absent):
            return TRICK_FLAW + seat
        turns = 0 if seat == absent else done + (card != 0)
        if popcount(g.played[seat]) != turns:
            return PLAYED_FLAW + seat
        if seat == absent and g.tricks[seat] != 0:
            return TRICKS_FLAW + seat
        for suit in range(4):
            if g.voids[seat] >> suit & 1:
                members = suit_sets[trump, suit]
                others = np.int64(0)
                for k in range(1, 4):
                    others |= g.played[(seat + k) & 3]
                # Shown out of a suit: another seat has led it, and the seat has played, and now has, only other suits.
                if others & members == 0 or g.played[seat] & ~members == 0 or card & members:
                    return VOIDS_FLAW + seat
                if (whole or seat == 0) and g.hands[seat] & members:
                    return VOIDS_FLAW + seat
    return -1


# --- exact re-deals ------------------------------------------------------------------------------------------------
#
# The unseen cards go to up to four holders (three other seats and the cards out of play) of known sizes; a holder may be
# known to hold nothing of some suits. The number of ways is counted suit by suit: how many cards of the suit each holder
# gets (a split), times the ways to choose which, times the ways to deal the suits after it. A split is then drawn in
# proportion to its count, so every consistent deal is equally likely and none is ever rejected. Suits that anybody may
# hold need no splits: together they are one free deal at the end.

_BINOMIAL = np.zeros((53, 53), np.int64)
for _n in range(53):
    _BINOMIAL[_n, 0] = 1
    for _k in range(1, _n + 1):
        _BINOMIAL[_n, _k] = _BINOMIAL[_n - 1, _k - 1] + _BINOMIAL[_n - 1, _k]


@kernel
def _multinomial(n: int, a: int, b: int, c: int) -> int:
    """Counts the ways to deal ``n`` cards as hands of ``a``, ``b`` and ``c`` cards and one of the rest."""
    return _BINOMIAL[n, a] * _BINOMIAL[n - a, b] * _BINOMIAL[n - a - b, c]


@kernel
def restricted_suits(suits: Ints, barred: Ints, sizes: Ints, order: Ints) -> int:
    """Writes the suits with cards left that some holder who still gets cards cannot hold to ``order``; returns their
    number. ``suits``, ``barred`` and ``sizes`` are those of `count_deals`, ``order`` int64 (4,)."""
    count = 0
    for suit in range(4):
        if suits[suit] != 0:
            for holder in range(4):
                if sizes[holder] > 0 and barred[holder] >> suit & 1:
                    order[count] = suit
                    count += 1
                    break
    return count


@kernel
def sum_splits(
    level: int, n: int, suit: int, barred: Ints, c0: int, c1: int, c2: int, c3: int, ways: Ints, stop_at: int, split: Ints
) -> int:
    """Sums the ways to deal over all splits of the ``n`` cards of one suit among the four holders. ``level`` is the suit's
    place in the order of `restricted_suits`; ``c0`` to ``c3`` are the cards that the holders still get; ``ways`` is the
    array of `count_deals`, filled behind ``level``. If ``stop_at`` is not negative, the sum stops at the split that makes
    it greater than ``stop_at``; ``split``, int64 (4,), gets that split."""
    total = 0
    top0 = 0 if barred[0] >> suit & 1 else min(n, c0)
    for a0 in range(top0 + 1):
        top1 = 0 if barred[1] >> suit & 1 else min(n - a0, c1)
        for a1 in range(top1 + 1):
            rest = n - a0 - a1
            top2 = 0 if barred[2] >> suit & 1 else min(rest, c2)
            top3 = 0 if barred[3] >> suit & 1 else min(rest, c3)
            for a2 in range(max(0, rest - top3), top2 + 1):
                total += _multinomial(n, a0, a1, a2) * ways[level + 1, c0 - a0, c1 - a1, c2 - a2]
                if total > stop_at >= 0:
                    split[0], split[1], split[2], split[3] = a0, a1, a2, rest - a2
                    return total
    return total


@kernel
def count_deals(suits: Ints, barred: Ints, sizes: Ints) -> Ints:
    """Counts the ways to deal the unseen cards; `draw_deal` draws from the result any number of times.

    Args:
        suits: int64 (4,), the unseen cards of each effective suit.
        barred: int64 (4,), the suits that each holder cannot hold, a bit each.
        sizes: int64 (4,), the number of cards that each holder gets; they add up to the unseen cards.

    Returns:
        int64 (levels + 1, sizes[0] + 1, sizes[1] + 1, sizes[2] + 1): the ways to deal the suits from a level on, by the
        cards that holders 0 to 2 still get. The number of deals is ``ways[0, sizes[0], sizes[1], sizes[2]]``; at most
        39! / 13!**3 < 2**57, so an int64 holds it.
    """
    order = np.empty(4, np.int64)
    split = np.empty(4, np.int64)
    levels = restricted_suits(suits, barred, sizes, order)
    ways = np.empty((levels + 1, sizes[0] + 1, sizes[1] + 1, sizes[2] + 1), np.int64)
    left = np.empty(levels + 1, np.int64)
    left[0] = sizes[0] + sizes[1] + sizes[2] + sizes[3]
    for level in range(levels):
        left[level + 1] = left[level] - popcount(suits[order[level]])
    for level in range(levels, -1, -1):
        n = left[level]
        for c0 in range(min(sizes[0], n) + 1):
            for c1 in range(min(sizes[1], n - c0) + 1):
                rest = n - c0 - c1
                for c2 in range(max(0, rest - sizes[3]), min(sizes[2], rest) + 1):
                    if level == levels:
                        ways[level, c0, c1, c2] = _multinomial(n, c0, c1, c2)
                    else:
                        suit = order[level]
                        ways[level, c0, c1, c2] = sum_splits(
                            level, popcount(suits[suit]), suit, barred, c0, c1, c2, rest - c2, ways, -1, split
                        )
    return ways


@kernel
def _deal_out(cards: int, n: int, counts: Ints, streams: Streams, s: int, hands: Ints) -> None:
    """Adds to ``hands`` the ``n`` members of ``cards``, dealt at random, ``counts[h]`` of them to holder h."""
    for holder in range(4):
        wanted = counts[holder]
        # Selection sampling: each remaining card is taken with chance wanted / remaining.
        remaining = cards
        left = n
        while wanted > 0:
            bit = remaining & -remaining
            remaining ^= bit
            if wanted == left or below(streams, s, left) < wanted:
                hands[holder] |= bit
                cards ^= bit
                n -= 1
                wanted -= 1
            left -= 1


@kernel
def below_long(streams: Streams, s: int, n: int) -> int:
    """Draws an int64 from ``0 .. n - 1`` for 1 <= n < 2**60, exactly uniform."""
    bits = 0
    while (n - 1) >> bits:
        bits += 1
    while True:
        high = below(streams, s, np.int64(1) << 30)
        value = ((high << 30) | below(streams, s, np.int64(1) << 30)) >> (60 - bits)
        if value < n:
            return value


@kernel
def draw_deal(suits: Ints, barred: Ints, sizes: Ints, ways: Ints, streams: Streams, s: int, hands: Ints) -> None:
    """Adds a deal, drawn uniformly from those that `count_deals` counted, to the holders' hands, int64 (4,) card sets.
    ``suits``, ``barred`` and ``sizes`` are as given to `count_deals`, which has returned ``ways``."""
    order = np.empty(4, np.int64)
    split = np.empty(4, np.int64)
    free = sizes.copy()
    levels = restricted_suits(suits, barred, sizes, order)
    rest = suits[0] | suits[1] | suits[2] | suits[3]
    for level in range(levels):
        suit = order[level]
        n = popcount(suits[suit])
        pick = below_long(streams, s, ways[level, free[0], free[1], free[2]])
        sum_splits(level, n, suit, barred, free[0], free[1], free[2], free[3], ways, pick, split)
        _deal_out(suits[suit], n, split, streams, s, hands)
        rest ^= suits[suit]
        for holder in range(4):
            free[holder] -= split[holder]
    _deal_out(rest, popcount(rest), free, streams, s, hands)
