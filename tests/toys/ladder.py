"""Ladder: three seats, more than 64 actions, chance in play, and no end that must come.

Of the cards 00 to 99 each seat is dealt six, one is turned up as the pile, nine are the stock, and the rest stay out of
play. The seat to act puts a card on the pile that is one of the 49 above the pile's top card, where 00 follows on 99; or it
draws a card of the stock, each as likely as the others. When the stock has run out, the pile but for its top card becomes
the stock. Who has no card left wins the deal and a point. A deal in which the stock cannot be refilled a third time, or
with no card, is nobody's. An episode is deals until somebody has two points, or one deal.

A seat knows of the cards of each refill, and of those before the first, how many each other seat holds: as many as that
seat was dealt or has drawn, less those that it has put on the pile. Which ones they are, nothing tells.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import nth, read_bits, write_bits
from cardenvs.compiled.jit import helper
from cardenvs.contract import (
    DEAL_OVER,
    EPISODE_OVER,
    RUNNING,
    BitSet,
    Bytes,
    Dealt,
    Ints,
    OneHot,
    Option,
    Part,
    Streams,
    UpTo,
    below,
    define_game,
    drawn,
    kernel,
    new_stream,
    popcount,
    seat_names,
)

CARDS = tuple(f"{card:02}" for card in range(100))
ACTIONS = (*CARDS, "draw")
DRAW = 100
SEATS = seat_names(3)
HAND, STOCK, DEALT, TARGET = 6, 9, 28, 2
MOST = DEALT - 1 - 3  # the most cards of a refill: all but the top card and one in each hand
MAX_STEPS = 3 * HAND + 2 * (STOCK + 2 * MOST) + 1  # each card dealt or drawn is played once; the last seat finds no stock
_ALL = (1 << 50) - 1

# A set of cards has two words: cards 0 to 49 and cards 50 to 99.
STATE = np.dtype(
    [
        ("episode", np.int64),  # option: 0 game, 1 deal
        ("score", np.int64, (3,)),  # points of each seat before the deal
        ("first", np.int64),  # the seat that acts first
        ("deck", np.int8, (DEALT,)),  # card + 1 of each hand, the card turned up, and the stock; 0 in views
        ("chance", np.uint64),  # the random stream at the start of the deal, 0 in views
        ("stream", np.uint64),  # the random stream, 0 in views
        ("hands", np.int64, (3, 2)),  # the set that each seat holds; in views only seat 0's
        ("top", np.int64),  # the top card of the pile
        ("pile", np.int64, (2,)),  # the set of the cards below it
        ("refilled", np.int64, (2, 2)),  # for each refill the set of cards that were in it, and in none since
        ("refills", np.int64),  # how many there were, 0 to 2
        ("held", np.int64, (3, 3)),  # how many cards each seat has from the deal, the first and the second refill
        ("stock", np.int64, (2,)),  # the set of the cards to draw, empty in views
        ("left", np.int64),  # how many there are
        ("to_act", np.int64),
        ("over", np.int64),
        ("moves", np.int64),
        ("history", np.int8, (MAX_STEPS,)),
    ],
    align=True,
)
_SOURCES = ("deal", "refill-1", "refill-2")
OBSERVATION = (
    Part("hand", CARDS, "the own hand", source=BitSet("hands", 0), private=True),
    Part("pile", CARDS, "the pile but for its top card", source=BitSet("pile")),
    Part("refilled_1", CARDS, "the cards of the first refill that are in no other", source=BitSet("refilled", 0)),
    Part("refilled_2", CARDS, "the cards of the second refill", source=BitSet("refilled", 1)),
    Part("top", CARDS, "the top card of the pile", source=OneHot("top")),
    *(
        Part(f"held_{seat}", tuple(f"{source}:{k + 1}" for source in _SOURCES for k in range(MOST)),
             f"cards that {seat} holds, by where they are from, up to it", source=UpTo("held", number))
        for number, seat in enumerate(SEATS)
    ),
    Part("left", tuple(str(k + 1) for k in range(MOST)), "cards of the stock, up to it", source=UpTo("left")),
    Part("refills", ("1", "2"), "how often the stock was refilled, up to it", source=UpTo("refills")),
    Part("first", SEATS, "who acted first", source=OneHot("first")),
    Part("score", SEATS, "who had a point before the deal", source=UpTo("score")),
)  # fmt: skip
RECALL = tuple(
    Part(f"move_{k + 1}", tuple("0123456"), f"bits of move {k + 1}: 1 to 100 a card played, 101 a draw")
    for k in range(MAX_STEPS)
)

_FITS = np.zeros((100, 2), np.int64)  # by the top card of the pile: the set of cards that can be put on it
for _top in range(100):
    for _card in (np.arange(_top + 1, _top + 50) % 100).tolist():
        _FITS[_top, _card // 50] |= 1 << _card % 50


@helper
def _has(cards: Any, card: int) -> bool:
    """Whether a card is in a set."""
    return cards[card // 50] >> card % 50 & 1 != 0


@helper
def _toggle(cards: Any, card: int) -> None:
    """Adds a card to a set, or takes it from there."""
    cards[card // 50] ^= np.int64(1) << card % 50


@kernel
def _source(refilled: Any, card: int) -> int:
    """Where a card has come from last: 0 the deal, 1 the first refill, 2 the second one."""
    return 2 if _has(refilled[1], card) else 1 if _has(refilled[0], card) else 0


@helper
def _is_won(games: Any, i: int, seat: int) -> bool:
    """Whether a seat has no card left."""
    return games[i].held[seat].sum() == 0


@kernel
def begin(games: Any, i: int) -> None:
    """Sets all fields but the options, the deck, the score, the first seat and the chance for the start of a deal."""
    g = games[i]
    g.stream = g.chance
    g.top = g.deck[3 * HAND] - 1
    g.refills = 0
    g.left = STOCK
    g.to_act = g.first
    g.over = RUNNING
    g.moves = 0
    g.history[:] = 0
    g.pile[:] = 0
    g.refilled[:] = 0
    g.hands[:] = 0
    g.stock[:] = 0
    g.held[:] = 0
    g.held[:, 0] = HAND
    for k in range(3 * HAND):
        _toggle(g.hands[k // HAND], g.deck[k] - 1)
    for k in range(3 * HAND + 1, DEALT):
        _toggle(g.stock, g.deck[k] - 1)


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals the next deal of an unfinished game, else a new episode."""
    g = games[i]
    first = below(streams, s, 3)
    if g.over == DEAL_OVER:
        first = (g.first + 1) % 3
        for seat in range(3):
            g.score[seat] += _is_won(games, i, seat)
    else:
        g.score[:] = 0
    g.first = first
    cards = np.arange(100)
    for k in range(DEALT):
        other = k + below(streams, s, 100 - k)
        cards[k], cards[other] = cards[other], cards[k]
        g.deck[k] = cards[k] + 1
    g.chance = new_stream(streams, s) >> np.uint64(1)  # which has at most 19 digits, as lines of text need it
    begin(games, i)


@kernel
def legal(games: Any, i: int, word: int) -> int:
    """The cards that can be put on the pile, and the draw; 0 when the deal is over."""
    g = games[i]
    if g.over != RUNNING:
        return np.int64(0)
    low = g.hands[g.to_act, 0] & _FITS[g.top, 0]
    high = g.hands[g.to_act, 1] & _FITS[g.top, 1]
    return low | high << 50 if word == 0 else high >> 14 | np.int64(1) << (DRAW - 64)


@kernel
def multiplicity(views: Any, i: int, action: int) -> int:
    """A draw stands for all cards of the stock, or of the pile that becomes it."""
    v = views[i]
    if action != DRAW:
        return 1
    return max(1, v.left if v.left > 0 else popcount(v.pile[0]) + popcount(v.pile[1]))


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Plays a card of the seat to act, or draws one."""
    g = games[i]
    seat = g.to_act
    g.history[g.moves] = action
    g.moves += 1
    nobody = False
    if action != DRAW:
        _toggle(g.hands[seat], action)
        g.held[seat, _source(g.refilled, action)] -= 1
        _toggle(g.pile, g.top)
        g.top = action
    elif g.left == 0 and not _refill(games, i):
        nobody = True
    else:
        number, low = drawn(games, i, g.left), popcount(g.stock[0])
        card = nth(g.stock[0], number) if number < low else 50 + nth(g.stock[1], number - low)
        _toggle(g.stock, card)
        g.left -= 1
        _toggle(g.hands[seat], card)
        g.held[seat, g.refills] += 1
    won = _is_won(games, i, seat)
    if won or nobody:
        g.to_act = -1
        g.over = EPISODE_OVER if g.episode == 1 or (won and g.score[seat] + 1 == TARGET) else DEAL_OVER
    else:
        g.to_act = (seat + 1) % 3


@kernel
def _refill(games: Any, i: int) -> bool:
    """Makes all of the pile but its top card the stock, if that may be done and there are any."""
    g = games[i]
    cards = popcount(g.pile[0]) + popcount(g.pile[1])
    if g.refills == 2 or cards == 0:
        return False
    g.left = cards
    for word in range(2):
        g.stock[word] = g.pile[word]
        g.refilled[0, word] &= ~g.pile[word]
        g.refilled[g.refills, word] = g.pile[word]
        g.pile[word] = 0
    g.refills += 1
    return True


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes the points of a finished deal; returns the seats that have won the episode, all if it was nobody's."""
    g = games[i]
    winners = np.int64(0)
    for seat in range(3):
        won = _is_won(games, i, seat)
        points[i, seat] = won
        tricks[i, seat] = 0
        winners |= np.int64(won) << seat
    if g.over != EPISODE_OVER:
        return np.int64(0)
    return winners if winners != 0 else np.int64(0b111)


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes what ``seat`` knows to ``views[j]``, where ``seat`` is seat 0."""
    views[j] = games[i]
    g, v = games[i], views[j]
    v.first = (g.first - seat) % 3
    v.to_act = (g.to_act - seat) % 3 if g.to_act >= 0 else -1
    v.chance = np.uint64(0)
    v.stream = np.uint64(0)
    v.deck[:] = 0
    v.stock[:] = 0
    v.hands[:] = 0
    v.hands[0] = g.hands[seat]
    for k in range(3):
        v.score[k] = g.score[(seat + k) % 3]
        v.held[k] = g.held[(seat + k) % 3]


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all that fit a view; its past does not replay."""
    games[j] = views[i]
    g = games[j]
    cards = np.empty(100, np.int64)
    for source in range(3):
        count = 0
        for card in range(100):
            seen = _has(g.hands[0], card) or _has(g.pile, card) or card == g.top
            if not seen and _source(g.refilled, card) == source:
                cards[count] = card
                count += 1
        at = 0
        stocked = g.left if source == g.refills else 0
        for k in range(g.held[1, source] + g.held[2, source] + stocked):
            other = k + below(streams, s, count - k)
            cards[k], cards[other] = cards[other], cards[k]
        for seat in range(1, 3):
            for _ in range(g.held[seat, source]):
                _toggle(g.hands[seat], cards[at])
                at += 1
        for k in range(stocked):
            _toggle(g.stock, cards[at + k])
    g.chance = new_stream(streams, s) >> np.uint64(1)
    g.stream = g.chance
    g.deck[:] = np.arange(1, DEALT + 1)


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the moves of a view in order to ``out[row, column:]``, part by part as listed in RECALL."""
    v = views[i]
    for k in range(MAX_STEPS):
        column = write_bits(out, row, column, np.int64(v.history[k] + 1 if k < v.moves else 0), 7)


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Writes the moves that `recall` has written to ``views[j]``."""
    v = views[j]
    for k in range(MAX_STEPS):
        code = read_bits(observations, row, column + 7 * k, 7)
        if code != 0:
            v.history[k] = min(code - 1, DRAW)
            v.moves = k + 1


def worst_loss(options: Mapping[str, Any], reward: str) -> float:
    """The greatest loss that an episode can bring a side, see `cardenvs.contract.spec.GameSpec.worst_loss`."""
    return 1.5 if reward == "points" and options.get("episode", "game") == "game" else 0.5


SPEC = define_game(
    "ladder", seats=3, actions=ACTIONS, state=STATE, observation=OBSERVATION,
    options=(Option("episode", ("game", "deal"), "an episode is deals until a seat has two points, or one deal"),),
    ranges={"hands": (0, _ALL), "stock": (0, _ALL), "deck": (1, 100)},
    hidden=(Part("stock", CARDS, "the cards of the stock", source=BitSet("stock")),),
    deal=deal, legal=legal, step=step, outcome=outcome, view=view, redeal=redeal,
    multiplicity=multiplicity, begin=begin,
    dealt=(Dealt("first"), Dealt("score"), Dealt("deck", CARDS, first=1), Dealt("chance")),
    recall=recall, recollect=recollect, recall_parts=RECALL, worst_loss=worst_loss, max_decisions=300,
)  # fmt: skip
