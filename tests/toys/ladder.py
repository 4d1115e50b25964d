"""Ladder: three seats, a hundred actions, cards shuffled again in mid-deal, and no end that must come.

Of the cards 00 to 98 each seat is dealt six, one is turned up as the pile, nine lie face down as the stock, and the rest
stay out of play. The seat to act puts a card on the pile that is one of the 49 above the pile's top card, where 00 follows
on 98; or it takes a card of the stock, any, as all look alike. When the stock has run out, the pile but for its top card is
shuffled and becomes the stock. Who has no card left wins the deal and a point. A deal in which the stock cannot be made a
third time, or from no card, is nobody's. An episode is deals until somebody has two points, or one deal.

A seat knows of the cards of each shuffle, and of those before the first, how many each other seat holds: as many as that
seat was dealt or has taken, less those that it has put on the pile. Which ones they are, nothing tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount, read_bits, write_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below, drawn, new_stream
from cardenvs.contract import loops
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games, Part
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.options import Option
from cardenvs.contract.spec import GameSpec

CARDS = tuple(f"{card:02}" for card in range(99))
ACTIONS = (*CARDS, "draw")
DRAW = 99
HAND, STOCK, DEALT, TARGET = 6, 9, 28, 2
MOST = DEALT - 1 - 3  # the most cards that can be shuffled: all but the top card and one in each hand
_TAKEN = STOCK + 2 * MOST  # the most cards that can be taken from the stock
MAX_STEPS = 3 * HAND + 2 * _TAKEN + 1  # each card dealt or taken is played once; the last seat finds no stock

# A set of cards has two words: cards 0 to 49 and cards 50 to 98.
STATE = np.dtype(
    [
        ("episode", np.int64),  # option: 0 game, 1 deal
        ("score", np.int64, (3,)),  # points of each seat at the start of the deal, and after it once it is over
        ("first", np.int64),  # the seat that acts first
        # the deal, all 0 in views
        ("deck", np.int8, (DEALT,)),  # card + 1 of each hand, the card turned up, and the stock in the order of taking
        ("chance", np.uint64),  # the random stream at the start of the deal
        # play
        ("hands", np.int64, (3, 2)),  # the set that each seat holds; in views only seat 0's
        ("opened", np.int64),  # the card turned up
        ("top", np.int64),  # the top card of the pile
        ("pile", np.int64, (2,)),  # the set of the cards below it
        ("fresh", np.int64, (2, 2)),  # for each shuffle the set of cards that were in it, and in none since
        ("shuffles", np.int64),  # how many there were, 0 to 2
        ("held", np.int64, (3, 3)),  # how many cards each seat has from the deal, the first and the second shuffle
        ("stock", np.int8, (MOST,)),  # card + 1, the next to be taken last; 0 behind them, and in views
        ("left", np.int64),  # how many there are
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("over", np.int64),  # loops.RUNNING, DEAL_OVER or EPISODE_OVER
        ("stream", np.uint64),  # the random stream; 0 in views
        ("moves", np.int64),  # actions so far in this deal
        ("history", np.int8, (MAX_STEPS,)),  # these actions, in order
        ("taken", np.int8, (MAX_STEPS,)),  # card + 1 that each of them took; in views 0, but for own ones that are recalled
    ],
    align=True,
)

OPTIONS = (Option("episode", ("game", "deal"), "an episode is deals until a seat has two points, or one deal"),)

_SEATS = ("self", "left", "right")
_COUNTS = tuple(str(k + 1) for k in range(MOST))
OBSERVATION = (
    Part("hand", CARDS, "the own hand"),
    Part("pile", CARDS, "the pile but for its top card"),
    Part("fresh_1", CARDS, "the cards that were shuffled first, and not again"),
    Part("fresh_2", CARDS, "the cards that were shuffled second"),
    Part("top", CARDS, "the top card of the pile"),
    Part("opened", CARDS, "the card that was turned up first"),
    *(
        Part(
            f"held_{seat}_{k}", _COUNTS, f"cards that {seat} has from {('the deal', 'shuffle 1', 'shuffle 2')[k]}, up to it"
        )
        for seat in _SEATS[1:]
        for k in range(3)
    ),
    Part("left", _COUNTS, "cards of the stock, up to it"),
    Part("shuffles", ("1", "2"), "how often the pile was shuffled, up to it"),
    Part("to_act", _SEATS, "whose turn it is"),
    Part("first", _SEATS, "who acted first"),
    *(Part(f"score_{seat}", ("1", "2"), f"points of {seat}, up to it") for seat in _SEATS),
    Part("episode", ("deal",), "option: the episode is one deal"),
    Part("deal_over", ("yes",), "the deal is over"),
    Part("episode_over", ("yes",), "the episode is over"),
)
RECALL = tuple(
    Part(
        f"move_{k + 1}",
        tuple("01234567"),
        f"bits of move {k + 1}: 1 to 99 a card played, 100 a draw, 101 to 199 an own one",
    )
    for k in range(MAX_STEPS)
)
HIDDEN = (
    Part("hand_left", CARDS, "the hand of left"),
    Part("hand_right", CARDS, "the hand of right"),
    Part("next", CARDS, "the card to be taken next"),
    Part("stock", CARDS, "the cards of the stock"),
)

_NAMES = [part.name for part in OBSERVATION]
_HISTORY = len(_NAMES)
_HAND, _PILE, _FRESH, _TOP, _OPENED, _HELD, _LEFT, _SHUFFLES, _TO_ACT, _FIRST, _SCORE, _EPISODE, _DEAL_OVER = (
    _NAMES.index(name)
    for name in (
        "hand", "pile", "fresh_1", "top", "opened", "held_left_0", "left", "shuffles", "to_act", "first", "score_self",
        "episode", "deal_over",
    )
)  # fmt: skip

_LOW, _HIGH = 50, 49  # cards in the two words of a set
_ALL = np.array([(1 << _LOW) - 1, (1 << _HIGH) - 1], np.int64)
_FITS = np.zeros((99, 2), np.int64)  # by the top card of the pile: the set of cards that can be put on it
for _top in range(99):
    for _above in range(1, 50):
        _card = (_top + _above) % 99
        _FITS[_top, _card // _LOW] |= 1 << _card % _LOW


@helper
def _bit(card: int) -> int:
    """A card in its word of a set, which is ``card // 50``."""
    return np.int64(1) << card % _LOW


@helper
def _size(cards: Any) -> int:
    """The number of cards in a set."""
    return popcount(cards[0]) + popcount(cards[1])


@helper
def _has(cards: Any, card: int) -> bool:
    """Whether a card is in a set."""
    return cards[card // _LOW] & _bit(card) != 0


@kernel
def _source(fresh: Any, card: int) -> int:
    """Where a card has come from last: 0 the deal, 1 the first shuffle, 2 the second one."""
    return 2 if _has(fresh[1], card) else 1 if _has(fresh[0], card) else 0


@kernel
def _open_deal(games: Any, i: int) -> None:
    """Sets all fields but the options, the deck, the score, the first seat and the stream for the start of a deal."""
    g = games[i]
    g.stream = g.chance
    g.opened = g.deck[3 * HAND] - 1
    g.top = g.opened
    g.shuffles = 0
    g.left = STOCK
    g.to_act = g.first
    g.over = loops.RUNNING
    g.moves = 0
    for word in range(2):
        g.pile[word] = 0
        for k in range(2):
            g.fresh[k, word] = 0
        for seat in range(3):
            g.hands[seat, word] = 0
    for seat in range(3):
        for k in range(3):
            g.held[seat, k] = HAND if k == 0 else 0
        for k in range(HAND * seat, HAND * seat + HAND):
            card = g.deck[k] - 1
            g.hands[seat, card // _LOW] |= _bit(card)
    for k in range(MOST):
        g.stock[k] = g.deck[DEALT - 1 - k] if k < STOCK else 0
    for k in range(MAX_STEPS):
        g.history[k] = 0
        g.taken[k] = 0


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals the next deal of an unfinished game, else a new episode."""
    g = games[i]
    first = below(streams, s, 3)
    if g.over == loops.DEAL_OVER:
        first = (g.first + 1) % 3
    else:
        for seat in range(3):
            g.score[seat] = 0
    g.first = first
    cards = np.arange(99)
    for k in range(DEALT):
        other = k + below(streams, s, 99 - k)
        cards[k], cards[other] = cards[other], cards[k]
        g.deck[k] = cards[k] + 1
    g.chance = new_stream(streams, s)
    _open_deal(games, i)


@kernel
def legal(games: Any, i: int, word: int) -> int:
    """The cards that can be put on the pile, and the draw; 0 when the deal is over."""
    g = games[i]
    if g.over != loops.RUNNING:
        return np.int64(0)
    low = g.hands[g.to_act, 0] & _FITS[g.top, 0]
    high = g.hands[g.to_act, 1] & _FITS[g.top, 1]
    if word == 0:
        return low | high << _LOW
    return high >> (64 - _LOW) | np.int64(1) << (DRAW - 64)


@kernel
def multiplicity(views: Any, i: int, action: int) -> int:
    """A draw stands for all cards of the stock, or of the pile that becomes it."""
    v = views[i]
    if action != DRAW:
        return 1
    return max(1, v.left if v.left > 0 else _size(v.pile))


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Plays a card of the seat to act, or takes one."""
    g = games[i]
    seat = g.to_act
    move = g.moves
    g.history[move] = action
    g.moves += 1
    nobody = False
    if action == DRAW:
        if g.left == 0:
            nobody = g.shuffles == 2 or (g.pile[0] == 0 and g.pile[1] == 0)
            if not nobody:
                _shuffle(games, i)
        if not nobody:
            g.left -= 1
            card = g.stock[g.left] - 1
            g.stock[g.left] = 0
            g.taken[move] = card + 1
            g.hands[seat, card // _LOW] |= _bit(card)
            g.held[seat, g.shuffles] += 1
    else:
        g.hands[seat, action // _LOW] ^= _bit(action)
        g.held[seat, _source(g.fresh, action)] -= 1
        g.pile[g.top // _LOW] |= _bit(g.top)
        g.top = action
    won = g.hands[seat, 0] == 0 and g.hands[seat, 1] == 0
    if won:
        g.score[seat] += 1
    if won or nobody:
        g.to_act = -1
        ends = g.episode == 1 or g.score[seat] == TARGET
        g.over = loops.EPISODE_OVER if ends else loops.DEAL_OVER
    else:
        g.to_act = (seat + 1) % 3


@kernel
def _shuffle(games: Any, i: int) -> None:
    """Makes all of the pile but its top card the stock."""
    g = games[i]
    for word in range(2):
        rest = g.pile[word]
        g.fresh[0, word] &= ~rest
        g.fresh[g.shuffles, word] = rest
        while rest != 0:
            g.stock[g.left] = lowest(rest) + _LOW * word + 1
            g.left += 1
            rest &= rest - 1
        g.pile[word] = 0
    g.shuffles += 1
    for k in range(g.left - 1, 0, -1):
        other = drawn(games, i, k + 1)
        g.stock[k], g.stock[other] = g.stock[other], g.stock[k]


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes the points of a finished deal; returns the seats that have won the episode, all if it was nobody's."""
    g = games[i]
    winners = np.int64(0)
    for seat in range(3):
        won = g.hands[seat, 0] == 0 and g.hands[seat, 1] == 0
        points[i, seat] = 1 if won else 0
        tricks[i, seat] = 0
        if won:
            winners |= np.int64(1) << seat
    if g.over != loops.EPISODE_OVER:
        return np.int64(0)
    return winners if winners != 0 else np.int64(0b111)


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes what ``seat`` knows to ``views[j]``, where ``seat`` is seat 0."""
    g = games[i]
    v = views[j]
    v.episode = g.episode
    v.first = (g.first - seat + 3) % 3
    v.chance = np.uint64(0)
    v.stream = np.uint64(0)
    v.opened = g.opened
    v.top = g.top
    v.shuffles = g.shuffles
    v.left = g.left
    v.to_act = (g.to_act - seat + 3) % 3 if g.to_act >= 0 else -1
    v.over = g.over
    v.moves = g.moves
    for word in range(2):
        v.pile[word] = g.pile[word]
        for k in range(2):
            v.fresh[k, word] = g.fresh[k, word]
        for k in range(3):
            v.hands[k, word] = g.hands[seat, word] if k == 0 else 0
    for k in range(3):
        v.score[k] = g.score[(seat + k) % 3]
        for source in range(3):
            v.held[k, source] = g.held[(seat + k) % 3, source]
    for k in range(DEALT):
        v.deck[k] = 0
    for k in range(MOST):
        v.stock[k] = 0
    for k in range(MAX_STEPS):
        v.history[k] = g.history[k]
        v.taken[k] = 0


@kernel
def remember(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Adds the cards that ``seat`` has taken, in order, to its view ``views[j]``."""
    g = games[i]
    for k in range((seat - g.first + 3) % 3, g.moves, 3):
        views[j].taken[k] = g.taken[k]


# --- what can be so ------------------------------------------------------------------------------------------------


@kernel
def _walk(games: Any, i: int, whole: bool, sources: Ints) -> int:
    """Follows the history of a record through all that everybody sees, -1 if that ends where the record stands.

    Args:
        games: records, of which ``_position_flaw`` has passed number ``i``.
        i: the number of the record.
        whole: whether it is to be a state; if not, a view.
        sources: int64 (MAX_STEPS,), gets for each move where the card played or taken is from, as `_source` says it.
    """
    g = games[i]
    held = np.zeros((3, 3), np.int64)
    pile = np.zeros(2, np.int64)
    fresh = np.zeros((2, 2), np.int64)
    owned = np.zeros((3, 2), np.int64)  # cards that were taken from the stock before the end, as far as is known
    top, left, shuffles = g.opened, STOCK, 0
    for seat in range(3):
        held[seat, 0] = HAND
    running = True
    for k in range(g.moves):
        seat = (g.first + k) % 3
        action, card = g.history[k], g.taken[k] - 1
        if not running or action < 0 or action > DRAW or card < -1 or card > 98:
            return _HISTORY
        if card >= 0 and (action != DRAW or not (whole or seat == 0)):
            return _HISTORY
        if action == DRAW:
            if left == 0:
                left = _size(pile)
                running = shuffles < 2 and left > 0
                if running:
                    for word in range(2):
                        fresh[0, word] &= ~pile[word]
                        fresh[shuffles, word] = pile[word]
                        pile[word] = 0
                    shuffles += 1
                else:
                    left = 0
            if running:
                left -= 1
                held[seat, shuffles] += 1
                sources[k] = shuffles
                known = card >= 0
                if known and (
                    _source(fresh, card) != shuffles or _has(pile, card) or card == top or _has(owned[seat], card)
                ):
                    return _HISTORY
                if known:
                    owned[seat, card // _LOW] |= _bit(card)
                elif whole:
                    return _HISTORY
            elif card >= 0:
                return _HISTORY
        else:
            if not _has(_FITS[top], action) or _has(pile, action):
                return _HISTORY
            sources[k] = _source(fresh, action)
            held[seat, sources[k]] -= 1
            if held[seat, sources[k]] < 0:
                return _HISTORY
            owned[seat, action // _LOW] &= ~_bit(action)
            pile[top // _LOW] |= _bit(top)
            top = action
            running = held[seat, 0] + held[seat, 1] + held[seat, 2] > 0
    same = top == g.top and left == g.left and shuffles == g.shuffles and running == (g.over == loops.RUNNING)
    for word in range(2):
        same = same and pile[word] == g.pile[word]
        for k in range(2):
            same = same and fresh[k, word] == g.fresh[k, word]
        for seat in range(3 if whole else 1):
            same = same and owned[seat, word] & ~g.hands[seat, word] == 0
    for seat in range(3):
        for k in range(3):
            same = same and held[seat, k] == g.held[seat, k]
    if running and g.to_act != (g.first + g.moves) % 3:
        return _TO_ACT
    return -1 if same else _HISTORY


@kernel
def _number_flaw(games: Any, i: int) -> int:
    """What in the numbers of a record of any content cannot be, -1 if nothing, as a part's number."""
    g = games[i]
    if g.episode < 0 or g.episode > 1:
        return _EPISODE
    if g.first < 0 or g.first > 2:
        return _FIRST
    if g.over < loops.RUNNING or g.over > loops.EPISODE_OVER:
        return _DEAL_OVER
    if g.to_act < -1 or g.to_act > 2 or (g.to_act < 0) != (g.over != loops.RUNNING):
        return _TO_ACT
    if g.opened < 0 or g.opened > 98:
        return _OPENED
    if g.top < 0 or g.top > 98:
        return _TOP
    if g.shuffles < 0 or g.shuffles > 2:
        return _SHUFFLES
    if g.left < 0 or g.left > (STOCK if g.shuffles == 0 else MOST):
        return _LEFT
    if g.moves < 0 or g.moves > MAX_STEPS:
        return _HISTORY
    for seat in range(3):
        for k in range(3):
            most = 0 if k > g.shuffles else HAND + STOCK if k == 0 else MOST
            if g.held[seat, k] < 0 or g.held[seat, k] > most:
                return _HELD + max(3 * seat - 3, 0) + k
    return -1


@kernel
def _position_flaw(games: Any, i: int, whole: bool) -> int:
    """What in the cards of a record that `_number_flaw` has passed cannot be, -1 if nothing, as a part's number."""
    g = games[i]
    for word in range(2):
        for k in range(2):
            if g.fresh[k, word] & ~_ALL[word] or (g.fresh[k, word] != 0 and k >= g.shuffles):
                return _FRESH + k
        if g.fresh[0, word] & g.fresh[1, word]:
            return _FRESH
        if g.pile[word] & ~_ALL[word]:
            return _PILE
        for seat in range(3):
            if g.hands[seat, word] & ~(_ALL[word] if whole or seat == 0 else 0):
                return _HAND
    if _has(g.pile, g.top):
        return _TOP
    out = np.zeros(2, np.int64)  # cards on the pile and in known hands
    for word in range(2):
        out[word] = g.pile[word]
    out[g.top // _LOW] |= _bit(g.top)
    lying = np.zeros(3, np.int64)  # by source: cards on the pile
    for card in range(99):
        if _has(out, card):
            lying[_source(g.fresh, card)] += 1
    for seat in range(3 if whole else 1):
        of_source = np.zeros(3, np.int64)
        for word in range(2):
            if g.hands[seat, word] & out[word]:
                return _HAND
            out[word] |= g.hands[seat, word]
        for card in range(99):
            if _has(g.hands[seat], card):
                of_source[_source(g.fresh, card)] += 1
        for k in range(3):
            if of_source[k] != g.held[seat, k]:
                return _HAND
    total = 1 + _size(g.pile) + g.left
    empty, last = 0, -1
    for seat in range(3):
        size = g.held[seat, 0] + g.held[seat, 1] + g.held[seat, 2]
        total += size
        if size == 0:
            empty += 1
            last = seat
    if total != DEALT:
        return _LEFT
    for k in range(1, 3):  # a card that was shuffled lies in the pile, in a hand, or in the stock
        stocked = g.left if k == g.shuffles else 0
        if _size(g.fresh[k - 1]) != lying[k] + g.held[0, k] + g.held[1, k] + g.held[2, k] + stocked:
            return _FRESH + k - 1
        if k == g.shuffles and _size(g.fresh[k - 1]) == 0:
            return _FRESH + k - 1
    # The card that was turned up lies on the pile until it is in the first shuffle.
    if (_source(g.fresh, g.opened) == 0) != (g.shuffles == 0):
        return _OPENED
    if g.shuffles == 0 and g.opened != g.top and not _has(g.pile, g.opened):
        return _OPENED
    if g.over == loops.RUNNING:
        if empty > 0:
            return _HELD
    elif empty > 1 or (empty == 0 and not (g.left == 0 and (g.shuffles == 2 or _size(g.pile) == 0))):
        return _DEAL_OVER
    ends = g.episode == 1
    for seat in range(3):
        gained = 1 if g.over != loops.RUNNING and seat == last else 0
        before = g.score[seat] - gained
        if before < 0 or before >= (TARGET if g.episode == 0 else 1):
            return _SCORE + seat
        if g.score[seat] == TARGET:
            ends = True
    if g.over != loops.RUNNING and g.over != (loops.EPISODE_OVER if ends else loops.DEAL_OVER):
        return _DEAL_OVER
    return -1


@helper
def _untouched(games: Any, i: int) -> bool:
    """Whether nothing was done yet in the deal of a record, whatever has become of its history."""
    g = games[i]
    return g.top == g.opened and g.left == STOCK and g.shuffles == 0


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """What in a record of any content is not so in any position, see `cardenvs.contract.kernels.Kernels.flaw`."""
    g = games[i]
    bad = _number_flaw(games, i)
    if bad < 0:
        bad = _position_flaw(games, i, whole)
    if bad >= 0:
        return bad
    told = g.moves > 0 or _untouched(games, i)
    sources = np.zeros(MAX_STEPS, np.int64)
    if told:
        bad = _walk(games, i, whole, sources)
        if bad >= 0:
            return bad
    if not whole:
        return _HISTORY if g.chance != 0 or g.stream != 0 or np.any(g.deck) or np.any(g.stock) else -1
    # The stock: cards of the last shuffle, or of none, that lie nowhere else.
    out, seen = np.zeros(2, np.int64), np.zeros(2, np.int64)
    out[g.top // _LOW] |= _bit(g.top)
    for word in range(2):
        out[word] |= g.pile[word] | g.hands[0, word] | g.hands[1, word] | g.hands[2, word]
    for k in range(MOST):
        card = g.stock[k] - 1
        if k >= g.left:
            if card != -1:
                return _LEFT
        elif card < 0 or card > 98 or _has(seen, card) or _has(out, card) or _source(g.fresh, card) != g.shuffles:
            return _LEFT
        else:
            seen[card // _LOW] |= _bit(card)
    seen[:] = 0
    for k in range(DEALT):
        card = g.deck[k] - 1
        if card < 0 or card > 98 or _has(seen, card):
            return _HISTORY
        seen[card // _LOW] |= _bit(card)
    if g.deck[3 * HAND] - 1 != g.opened:
        return _OPENED
    if not told:
        return -1
    # From the deck through all that was taken and played to the hands, and the stock before the first shuffle.
    hands = np.zeros((3, 2), np.int64)
    for k in range(3 * HAND):
        card = g.deck[k] - 1
        hands[k // HAND, card // _LOW] |= _bit(card)
    at = 3 * HAND + 1
    for k in range(g.moves):
        seat = (g.first + k) % 3
        card = g.taken[k] - 1
        if g.history[k] != DRAW:
            card = np.int64(g.history[k])
            if not _has(hands[seat], card):
                return _HISTORY
            hands[seat, card // _LOW] ^= _bit(card)
        elif card >= 0:
            if sources[k] == 0:
                if g.deck[at] - 1 != card:
                    return _HISTORY
                at += 1
            hands[seat, card // _LOW] |= _bit(card)
    for seat in range(3):
        for word in range(2):
            if hands[seat, word] != g.hands[seat, word]:
                return _HISTORY
    if g.shuffles == 0:
        for k in range(g.left):
            if g.stock[k] != g.deck[DEALT - 1 - k]:
                return _LEFT
    return -1


# --- re-deals ------------------------------------------------------------------------------------------------------


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all that are consistent with a view.

    The cards of the deal, of the first and of the second shuffle that seat 0 does not see lie, each of them as likely in
    each place as the others, with the other seats and in the stock. The deck, and the order in which cards were taken, are
    ones that fit the history. If the view has lost that, the deck is any.
    """
    games[j] = views[i]
    g = games[j]
    queues = np.zeros((3, 3, DEALT), np.int64)  # by seat and source: the cards that the seat has had, in an order of having
    lengths = np.zeros((3, 3), np.int64)
    sources = np.zeros(MAX_STEPS, np.int64)
    told = g.moves > 0 or _untouched(games, j)
    own = np.zeros(2, np.int64)  # what seat 0 recalls to have taken before the first shuffle
    if told:
        _walk(views, i, False, sources)
        for k in range(g.moves):
            if g.taken[k] > 0 and sources[k] == 0:
                own[(g.taken[k] - 1) // _LOW] |= _bit(g.taken[k] - 1)
        for k in range(g.moves):
            card = np.int64(g.history[k])
            seat = (g.first + k) % 3
            if card != DRAW and not (seat == 0 and sources[k] == 0 and _has(own, card)):
                queues[seat, sources[k], lengths[seat, sources[k]]] = card
                lengths[seat, sources[k]] += 1
    cards = np.empty(99, np.int64)
    for source in range(3):
        count = 0
        for card in range(99):
            if _source(g.fresh, card) == source:
                if _has(g.hands[0], card):
                    if not (source == 0 and _has(own, card)):
                        queues[0, source, lengths[0, source]] = card
                        lengths[0, source] += 1
                elif card != g.top and not _has(g.pile, card):
                    cards[count] = card
                    count += 1
        at = 0
        stocked = g.left if source == g.shuffles else 0
        for k in range(g.held[1, source] + g.held[2, source] + stocked):
            other = k + below(streams, s, count - k)
            cards[k], cards[other] = cards[other], cards[k]
        for seat in range(1, 3):
            for _ in range(g.held[seat, source]):
                card = cards[at]
                at += 1
                g.hands[seat, card // _LOW] |= _bit(card)
                queues[seat, source, lengths[seat, source]] = card
                lengths[seat, source] += 1
        for k in range(stocked):
            g.stock[k] = cards[at + k] + 1
    g.chance = new_stream(streams, s)
    g.stream = g.chance
    g.deck[3 * HAND] = g.opened + 1
    if not told:
        card = 0
        for k in range(DEALT):
            if k != 3 * HAND:
                card += 1 if card == g.opened else 0
                g.deck[k] = card + 1
                card += 1
        return
    # Who has had cards first holds them first: dealt ones, then those taken, are the ones that it was first to play.
    used = np.zeros((3, 3), np.int64)
    for seat in range(3):
        for k in range(HAND):
            g.deck[HAND * seat + k] = queues[seat, 0, k] + 1
        used[seat, 0] = HAND
    at = 3 * HAND + 1
    for k in range(g.moves):
        if g.history[k] == DRAW and (k < g.moves - 1 or g.over == loops.RUNNING):
            seat = (g.first + k) % 3
            if g.taken[k] == 0:
                g.taken[k] = queues[seat, sources[k], used[seat, sources[k]]] + 1
                used[seat, sources[k]] += 1
            if sources[k] == 0:
                g.deck[at] = g.taken[k]
                at += 1
    for k in range(at, DEALT):
        g.deck[k] = g.stock[DEALT - 1 - k]


# --- observations --------------------------------------------------------------------------------------------------


@helper
def _write_set(out: Bytes, row: int, column: int, low: int, high: int) -> int:
    """Writes a set of cards; returns the next column."""
    write_bits(out, row, column, low, _LOW)
    return write_bits(out, row, column + _LOW, high, _HIGH)


@helper
def _write_card(out: Bytes, row: int, column: int, card: int) -> int:
    """Writes a card as a set, -1 as the empty one; returns the next column."""
    bit = _bit(card) if card >= 0 else np.int64(0)
    return _write_set(out, row, column, bit if card < _LOW else 0, bit if card >= _LOW else 0)


@kernel
def observe(views: Any, i: int, out: Bytes, row: int) -> None:
    """Writes a view as int8 zeros and ones to ``out[row]``, part by part as listed in OBSERVATION."""
    v = views[i]
    at = _write_set(out, row, 0, v.hands[0, 0], v.hands[0, 1])
    at = _write_set(out, row, at, v.pile[0], v.pile[1])
    for k in range(2):
        at = _write_set(out, row, at, v.fresh[k, 0], v.fresh[k, 1])
    at = _write_card(out, row, at, v.top)
    at = _write_card(out, row, at, v.opened)
    one = np.int64(1)
    for seat in range(1, 3):
        for source in range(3):
            at = write_bits(out, row, at, (one << v.held[seat, source]) - 1, MOST)
    at = write_bits(out, row, at, (one << v.left) - 1, MOST)
    word = (one << v.shuffles) - 1
    word |= one << (2 + v.to_act) if v.to_act >= 0 else 0
    word |= one << (5 + v.first)
    for seat in range(3):
        word |= ((one << v.score[seat]) - 1) << (8 + 2 * seat)
    word |= v.episode << 14
    word |= one << 15 if v.over != loops.RUNNING else 0
    word |= one << 16 if v.over == loops.EPISODE_OVER else 0
    write_bits(out, row, at, word, 17)


@helper
def _read_card(observations: Bytes, row: int, column: int) -> int:
    """The card of a set of one card; the last card for the empty set."""
    low = read_bits(observations, row, column, _LOW)
    high = read_bits(observations, row, column + _LOW, _HIGH)
    return lowest(low) if low != 0 else _LOW + lowest(high | np.int64(1) << (_HIGH - 1))


@kernel
def decode(observations: Bytes, row: int, views: Any, j: int) -> None:
    """Writes the view behind an observation to ``views[j]``, without the history."""
    v = views[j]
    for word in range(2):
        width = _LOW if word == 0 else _HIGH
        at = _LOW * word
        v.hands[0, word] = read_bits(observations, row, at, width)
        v.pile[word] = read_bits(observations, row, at + 99, width)
        for k in range(2):
            v.fresh[k, word] = read_bits(observations, row, at + 198 + 99 * k, width)
        for seat in range(1, 3):
            v.hands[seat, word] = 0
    v.top = _read_card(observations, row, 396)
    v.opened = _read_card(observations, row, 495)
    at = 594
    for seat in range(1, 3):
        for source in range(3):
            v.held[seat, source] = popcount(read_bits(observations, row, at, MOST))
            at += MOST
    v.left = popcount(read_bits(observations, row, at, MOST))
    word = read_bits(observations, row, at + MOST, 17)
    v.shuffles = popcount(word & 3)
    turn = word >> 2 & 7
    v.to_act = lowest(turn) if turn != 0 else -1
    v.first = lowest(word >> 5 & 7 | 4)
    for seat in range(3):
        v.score[seat] = popcount(word >> (8 + 2 * seat) & 3)
    v.episode = word >> 14 & 1
    v.over = (word >> 15 & 1) + (word >> 16 & 1)
    for source in range(3):
        v.held[0, source] = 0
    for card in range(99):
        if _has(v.hands[0], card):
            v.held[0, _source(v.fresh, card)] += 1
    v.chance = np.uint64(0)
    v.stream = np.uint64(0)
    v.moves = 0
    for k in range(DEALT):
        v.deck[k] = 0
    for k in range(MOST):
        v.stock[k] = 0
    for k in range(MAX_STEPS):
        v.history[k] = 0
        v.taken[k] = 0


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the moves of a view in order to ``out[row, column:]``, part by part as listed in RECALL."""
    v = views[i]
    for k in range(MAX_STEPS):
        column = write_bits(out, row, column, np.int64(v.history[k] + 1 + v.taken[k] if k < v.moves else 0), 8)


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Writes the moves that `recall` has written to ``views[j]``."""
    v = views[j]
    for k in range(MAX_STEPS):
        code = read_bits(observations, row, column + 8 * k, 8)
        if code != 0:
            v.history[k] = min(code - 1, DRAW)
            v.taken[k] = min(max(code - 1 - DRAW, 0), 100)
            v.moves = k + 1


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes what ``seat`` cannot see, part by part as listed in HIDDEN, to ``out[row, column:]``."""
    g = games[i]
    for k in range(1, 3):
        other = (seat + k) % 3
        column = _write_set(out, row, column, g.hands[other, 0], g.hands[other, 1])
    column = _write_card(out, row, column, g.stock[g.left - 1] - 1 if g.left > 0 else -1)
    stock = np.zeros(2, np.int64)
    for k in range(g.left):
        stock[(g.stock[k] - 1) // _LOW] |= _bit(g.stock[k] - 1)
    _write_set(out, row, column, stock[0], stock[1])


# --- text ----------------------------------------------------------------------------------------------------------


def members(words: Any) -> list[int]:
    """The cards of a set, ascending."""
    return members_of(int(words[0])) + [_LOW + card for card in members_of(int(words[1]))]


def deal_text(state: Any) -> dict[str, str]:
    """A deal's start in text, by key: cards two digits each, the chance to come as 16 hexadecimal digits."""
    cards = [CARDS[int(code) - 1] for code in state["deck"]]
    won = [int(state["over"] != loops.RUNNING and not hand.any()) for hand in state["hands"]]
    return {
        "score": "-".join(str(int(points) - gained) for points, gained in zip(state["score"], won, strict=True)),
        "first": str(int(state["first"])),
        "hands": "/".join("".join(cards[HAND * seat : HAND * seat + HAND]) for seat in range(3)),
        "opened": cards[3 * HAND],
        "stock": "".join(cards[3 * HAND + 1 :]),
        "chance": f"{int(state['chance']):016x}",
    }


def set_deal(games: Games, i: int, fields: Mapping[str, str]) -> None:
    """Sets game ``i`` to the start of the deal that `deal_text` wrote; ``first`` and ``score`` may be left out.

    Raises:
        ValueError: an unknown key or none, or a text that is not what `deal_text` writes; says which.
    """
    needed = {"hands", "opened", "stock", "chance"}
    if not needed <= set(fields) <= needed | {"first", "score"}:
        raise ValueError(
            "a deal of ladder has hands=, opened=, stock=, chance= and optionally first= and score=, "
            f"not {' '.join(sorted(fields)) or 'nothing'}"
        )
    hands = fields["hands"].split("/")
    sizes = [len(hand) for hand in hands] + [len(fields["opened"]), len(fields["stock"])]
    if sizes != [2 * HAND] * 3 + [2, 2 * STOCK]:
        raise ValueError(f"a deal of ladder has three hands= of {HAND} cards, one card opened= and {STOCK} in the stock=")
    text = "".join(hands) + fields["opened"] + fields["stock"]
    cards = [text[k : k + 2] for k in range(0, len(text), 2)]
    if len(set(cards)) < DEALT or not set(cards) <= set(CARDS):
        raise ValueError("cards of a deal of ladder are 00 to 98, each at most once")
    chance = fields["chance"]
    if len(chance) != 16 or not set(chance) <= set("0123456789abcdef"):
        raise ValueError(f"chance={chance}: must be 16 hexadecimal digits")
    first, score = fields.get("first", "0"), fields.get("score", "0-0-0").split("-")
    if first not in ("0", "1", "2"):
        raise ValueError(f"first={first}: must be 0, 1 or 2")
    g = games[i]
    if len(score) != 3 or not set(score) <= ({"0", "1"} if g["episode"] == 0 else {"0"}):
        raise ValueError(f"score={fields['score']}: before a deal each of three seats has 0 points, or in a game 0 or 1")
    g["first"], g["chance"] = int(first), int(chance, 16)
    for seat in range(3):
        g["score"][seat] = int(score[seat])
    for k, card in enumerate(cards):
        g["deck"][k] = CARDS.index(card) + 1
    _open_deal(games, i)


def drawing(state: Any, seat: int | None = None) -> str:
    """The position drawn in text for a person; with ``seat``, only what that seat may see."""
    phase = "playing" if state["over"] == loops.RUNNING else "finished"
    lines = [f"Ladder: {phase}, top card {CARDS[int(state['top'])]}, {int(state['left'])} cards in the stock"]
    for k in range(3):
        known = seat is None or seat == k
        cards = [CARDS[card] for card in members(state["hands"][k])] if known else ["--"] * int(state["held"][k].sum())
        mark = ">" if k == state["to_act"] else " "
        lines.append(f"{mark} player_{k}  {' '.join(cards)}  points {int(state['score'][k])}")
    return "\n".join(lines)


def worst_loss(options: Mapping[str, Any], reward: str) -> float:
    """The greatest loss that an episode can bring a side, see `cardenvs.contract.spec.GameSpec.worst_loss`."""
    return 1.5 if reward == "points" and options.get("episode", "game") == "game" else 0.5


SPEC = GameSpec(
    name="ladder",
    title="Ladder",
    module="ladder_v0",
    sides=((0,), (1,), (2,)),
    actions=ACTIONS,
    dtype=STATE,
    options=OPTIONS,
    rewards=("points", "win"),
    parts=OBSERVATION,
    hidden=HIDDEN,
    kernels=Kernels(
        deal=deal,
        legal=legal,
        step=step,
        outcome=outcome,
        view=view,
        redeal=redeal,
        observe=observe,
        decode=decode,
        reveal=reveal,
        flaw=flaw,
        multiplicity=multiplicity,
        remember=remember,
        recall=recall,
        recollect=recollect,
    ),
    max_steps=MAX_STEPS,
    worst_loss=worst_loss,
    deal_text=deal_text,
    set_deal=set_deal,
    drawing=drawing,
    max_decisions=300,
    recall_parts=RECALL,
)
