"""Euchre: 24 cards, bowers, two rounds of bidding, going alone; or the "forced spades" protocol without bidding.

The rules are the numbered clauses of ``docs/rules/euchre.md``, cited here as [E..]. Sources: the variant as described by
Bicycle Cards and Pagat for the full game; for ``bidding="forced-spades"`` the protocol of the ten-agents paper (2015).

Options: ``bidding`` (full, forced-spades), ``stick_the_dealer``, ``episode`` (deal, game), ``target`` points of a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount, read_bits, write_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract import loops
from cardenvs.contract.cards import EUCHRE_DECK, SPADES, SUIT_NAMES, SUIT_SYMBOLS, card_name
from cardenvs.contract.fields import Games, Part
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.lines import check_piles, int_field, score_field
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords
from cardenvs.contract.spec import GameSpec
from cardenvs.games import tricks

# --- actions -------------------------------------------------------------------------------------------------------

DECK = EUCHRE_DECK
PASS = 24
ORDER_UP = 25
ORDER_UP_ALONE = 26
CALL = 27
"""Calls suit s: ``CALL + s``."""
CALL_ALONE = 31
"""Calls suit s and goes alone: ``CALL_ALONE + s``."""

ACTIONS = (
    *(DECK.text(card) for card in range(24)),
    "pass",
    "order-up",
    "order-up-alone",
    *(f"call-{suit}" for suit in SUIT_NAMES),
    *(f"call-{suit}-alone" for suit in SUIT_NAMES),
)

# --- the state -----------------------------------------------------------------------------------------------------

FULL, FORCED_SPADES = 0, 1
ORDERING, CALLING, DISCARDING, PLAYING, FINISHED = range(5)
PHASES = ("ordering", "calling", "discarding", "playing", "finished")
HIDDEN_DISCARD = -1
"""The dealer's discard in the history; its card is in the field ``discard``."""
MAX_STEPS = 8 + 1 + 20

OPTIONS = (
    Option("bidding", ("full", "forced-spades"), "two rounds of bidding, or spades always trump and no bidding"),
    Option("stick_the_dealer", (False, True), "the dealer must call when all others passed twice"),
    Option("episode", ("deal", "game"), "an episode is one deal, or deals until a side reaches the target"),
    Option("target", (10, 5, 7, 11, 15), "points that win a game"),
)
_TARGETS = np.array(sorted(OPTIONS[3].choices), np.int64)
_TARGET_INDEX = np.searchsorted(_TARGETS, np.arange(16))
_MAX_SCORE = 15

STATE = np.dtype(
    [
        # options
        ("bidding", np.int64),  # FULL or FORCED_SPADES
        ("stick_the_dealer", np.int64),  # 0 or 1
        ("episode", np.int64),  # 0 deal, 1 game
        ("target", np.int64),  # points that win a game
        # the game
        ("score", np.int64, (2,)),  # points of each side at the start of the deal, and after it once it is over
        ("dealer", np.int64),  # seat
        # the deal
        ("hands", np.int64, (4,)),  # card set each seat holds now
        ("turned", np.int64),  # the turned card, as a set
        ("kitty", np.int64),  # the three cards that no seat sees
        ("discard", np.int64),  # the card the dealer put away, as a set; 0 if none
        # bidding
        ("phase", np.int64),  # ORDERING .. FINISHED
        ("trump", np.int64),  # suit, NO_TRUMP_YET before
        ("maker", np.int64),  # seat that called trump (forced spades: the dealer), -1 before
        ("alone", np.int64),  # 1 if the maker goes alone
        ("picked_up", np.int64),  # 1 if the dealer took the turned card
        ("passes", np.int64),  # passes so far: 0 to 8
        # play
        ("to_act", np.int64),  # seat, -1 when the deal is over
        ("leader", np.int64),  # seat that leads the current trick, -1 before the play
        ("winner", np.int64),  # seat whose card is winning the current trick, -1 if that is empty
        ("trick", np.int64, (4,)),  # each seat's card in the current trick, as a set
        ("played", np.int64, (4,)),  # all cards each seat has played
        ("voids", np.int64, (4,)),  # a bit for each effective suit that the seat has shown out of
        ("tricks", np.int64, (4,)),  # tricks each seat has won
        ("over", np.int64),  # loops.RUNNING, DEAL_OVER or EPISODE_OVER
        # history
        ("moves", np.int64),  # actions so far in this deal; fewer where the first are not known
        ("history", np.int8, (32,)),  # these actions, in order; the discard as HIDDEN_DISCARD
    ],
    align=True,
)

_ALL_CARDS = np.int64(DECK.all)
_LOOKUPS = tricks.suit_lookups(DECK, bowers=True)
SUIT_SETS, SUIT_OF, STRENGTH = _LOOKUPS
_VOID_SETS = tricks.void_sets(_LOOKUPS)

# --- the observation -----------------------------------------------------------------------------------------------

_CARDS = tuple(DECK.text(card) for card in range(24))
_SEATS = ("self", "left", "partner", "right")
_POINTS = tuple(str(k + 1) for k in range(_MAX_SCORE + 3))  # one point short, then a lone march


def _card_part(name: str, meaning: str) -> Part:
    return Part(name, _CARDS, meaning)


OBSERVATION = (
    _card_part("hand", "the cards in the own hand"),
    *(_card_part(f"played_{seat}", f"cards played by {seat}, the current trick included") for seat in _SEATS),
    *(_card_part(f"trick_{seat}", f"the card of {seat} in the current trick") for seat in _SEATS),
    *(_card_part(f"could_hold_{seat}", f"unseen cards that {seat} could still hold") for seat in _SEATS[1:]),
    _card_part("turned", "the turned card"),
    _card_part("discard", "the card that the dealer put away, seen by the dealer only"),
    Part("picked_up", ("yes",), "the dealer took the turned card"),
    Part("phase", PHASES, "what is being decided"),
    Part("trump", SUIT_NAMES, "the trump suit"),
    Part("maker", _SEATS, "who called trump"),
    Part("alone", ("yes",), "the maker goes alone and its partner sits out"),
    Part("dealer", _SEATS, "who dealt"),
    Part("passed_once", _SEATS, "who has passed in the first round"),
    Part("passed_twice", _SEATS, "who has passed in the second round"),
    Part("to_act", _SEATS, "whose turn it is"),
    Part("leader", _SEATS, "who leads the current trick"),
    Part("winner", _SEATS, "whose card is winning the current trick"),
    *(Part(f"voids_{seat}", SUIT_NAMES, f"suits that {seat} has shown out of") for seat in _SEATS),
    Part("bidding", ("forced-spades",), "option: spades are always trump"),
    Part("stick_the_dealer", ("yes",), "option: the dealer must call at last"),
    Part("episode", ("game",), "option: deals are played until a side reaches the target"),
    Part("target", tuple(str(k) for k in _TARGETS), "option: points that win a game"),
    Part("deal_over", ("yes",), "the deal is over"),
    Part("episode_over", ("yes",), "the episode is over"),
    *(Part(f"tricks_{seat}", tuple("12345"), f"tricks won by {seat}: all numbers up to it") for seat in _SEATS),
    Part("score_own", _POINTS, "points of the own side: all numbers up to it"),
    Part("score_other", _POINTS, "points of the other side: all numbers up to it"),
)

_MOVE = (*_SEATS, *SUIT_NAMES, "rank+1", "rank+2", "rank+4", "pass", "order-up", "call", "alone", "discard")
RECALL = tuple(
    Part(
        f"move_{k}",
        _MOVE,
        "in the order of play: who did what; a card's suit and rank (1 for a nine to 6 for an ace), those of the discard "
        "where it was seen; a called suit",
    )
    for k in range(1, MAX_STEPS + 1)
)

HIDDEN = (
    *(_card_part(f"hand_{seat}", f"the cards in {seat}'s hand") for seat in _SEATS[1:]),
    _card_part("kitty", "the three cards nobody sees"),
    _card_part("hidden_discard", "the card that the dealer put away"),
)

# --- rules ---------------------------------------------------------------------------------------------------------


@kernel
def _open_deal(games: Any, i: int) -> None:
    """Sets all fields except cards, dealer, score and options for the start of a deal."""
    g = games[i]
    g.discard = 0
    g.alone = 0
    g.picked_up = 0
    g.winner = -1
    g.over = loops.RUNNING
    g.passes = 0
    g.moves = 0
    for k in range(32):
        g.history[k] = 0
    for seat in range(4):
        g.trick[seat] = 0
        g.played[seat] = 0
        g.voids[seat] = 0
        g.tricks[seat] = 0
    g.to_act = (g.dealer + 1) & 3
    if g.bidding == FORCED_SPADES:  # [E30 E31]
        g.phase = PLAYING
        g.trump = SPADES
        g.maker = g.dealer
        g.leader = g.to_act
    else:
        g.phase = ORDERING
        g.trump = tricks.NO_TRUMP_YET
        g.maker = -1
        g.leader = -1


@kernel
def deal(games: Any, i: int, streams: Streams, s: int) -> None:
    """Deals the next deal of an unfinished game, else a new episode [E2 E3]."""
    g = games[i]
    first = below(streams, s, 4)
    if g.over == loops.DEAL_OVER:
        g.dealer = (g.dealer + 1) & 3
    else:
        g.dealer = first
        g.score[0] = 0
        g.score[1] = 0
    cards = np.arange(24)
    for k in range(21):
        other = k + below(streams, s, 24 - k)
        cards[k], cards[other] = cards[other], cards[k]
    for seat in range(4):
        hand = np.int64(0)
        for k in range(5):
            hand |= np.int64(1) << cards[5 * seat + k]
        g.hands[seat] = hand
    g.turned = np.int64(1) << cards[20]
    g.kitty = (np.int64(1) << cards[21]) | (np.int64(1) << cards[22]) | (np.int64(1) << cards[23])
    _open_deal(games, i)


@kernel
def legal(games: Any, i: int, word: int = 0) -> int:
    """Returns the legal actions of the seat to act, a bit each."""
    g = games[i]
    if g.phase == PLAYING:  # [E20 E21]
        return tricks.playable_cards(g, SUIT_SETS, SUIT_OF)
    if g.phase == ORDERING:  # [E6]
        return np.int64(0b111) << PASS
    if g.phase == CALLING:  # [E8 E9]
        suits = np.int64(0b1111) & ~(np.int64(1) << SUIT_OF[tricks.NO_TRUMP_YET, lowest(g.turned)])
        actions = (suits << CALL) | (suits << CALL_ALONE)
        if not (g.stick_the_dealer and g.to_act == g.dealer):
            actions |= np.int64(1) << PASS
        return actions
    if g.phase == DISCARDING:  # [E12]
        return g.hands[g.dealer]
    return np.int64(0)


@helper
def sitting_out(games: Any, i: int) -> int:
    """Returns the seat that sits out because its partner goes alone, or -1 [E14]."""
    g = games[i]
    return (g.maker + 2) & 3 if g.alone else -1


@kernel
def _open_play(games: Any, i: int) -> None:
    g = games[i]
    g.phase = PLAYING
    g.leader = (g.dealer + 1) & 3  # [E18]
    if g.leader == sitting_out(games, i):  # [E19]
        g.leader = (g.leader + 1) & 3
    g.to_act = g.leader


@kernel
def points_made(made: int, alone: int) -> int:
    """Returns the points of the makers' side in a deal, or minus the other side's points if that side scores [E23 to E28].
    ``made`` is the number of tricks of the makers' side, ``alone`` 1 if the maker went alone, else 0."""
    if made < 3:
        return -2
    if made < 5:
        return 1
    return 4 if alone else 2


@kernel
def margin(tricks: int, maker: int, alone: int) -> int:
    """Returns the points of side 0 less those of side 1 if side 0 takes ``tricks`` tricks."""
    if maker & 1 == 0:
        return points_made(tricks, alone)
    return -points_made(5 - tricks, alone)


@kernel
def _finish_deal(games: Any, i: int) -> None:
    """Scores the deal; one in which all passed scores nothing [E10]."""
    g = games[i]
    g.phase = FINISHED
    g.to_act = -1
    g.leader = -1
    if g.maker >= 0:
        side = g.maker & 1
        points = points_made(g.tricks[side] + g.tricks[side + 2], g.alone)
        if points > 0:
            g.score[side] += points
        else:
            g.score[1 - side] -= points
    unfinished = g.episode == 1 and g.score[0] < g.target and g.score[1] < g.target
    g.over = loops.DEAL_OVER if unfinished else loops.EPISODE_OVER


@kernel
def step(games: Any, i: int, action: int) -> None:
    """Plays a legal action of the seat to act."""
    g = games[i]
    g.history[g.moves] = action
    if g.phase == PLAYING:
        complete = tricks.play_card(g, action, sitting_out(games, i), SUIT_OF, STRENGTH)
        if complete and g.tricks[0] + g.tricks[1] + g.tricks[2] + g.tricks[3] == 5:
            _finish_deal(games, i)
    elif g.phase == DISCARDING:
        bit = np.int64(1) << action
        g.hands[g.dealer] ^= bit
        g.discard = bit
        g.history[g.moves] = HIDDEN_DISCARD  # [E13]
        _open_play(games, i)
    elif action == PASS:
        g.passes += 1
        if g.to_act == g.dealer:
            if g.phase == CALLING:
                _finish_deal(games, i)
            else:
                g.phase = CALLING
                g.to_act = (g.dealer + 1) & 3
        else:
            g.to_act = (g.to_act + 1) & 3
    else:
        g.maker = g.to_act  # [E7]
        if g.phase == ORDERING:
            g.trump = SUIT_OF[tricks.NO_TRUMP_YET, lowest(g.turned)]
            g.alone = 1 if action == ORDER_UP_ALONE else 0
            if sitting_out(games, i) == g.dealer:  # [E15]
                _open_play(games, i)
            else:
                g.picked_up = 1  # [E11]
                g.hands[g.dealer] |= g.turned
                g.phase = DISCARDING
                g.to_act = g.dealer
        else:
            g.alone = 1 if action >= CALL_ALONE else 0
            g.trump = action - (CALL_ALONE if g.alone else CALL)
            _open_play(games, i)
    g.moves += 1


@kernel
def outcome(games: Any, i: int, points: Ints, tricks: Ints) -> int:
    """Writes the points and tricks of a finished deal; returns the sides that have won the episode, a bit each."""
    g = games[i]
    for seat in range(4):
        tricks[i, seat] = g.tricks[seat]
    points[i, 0] = 0
    points[i, 1] = 0
    if g.maker >= 0:
        side = g.maker & 1
        made = points_made(g.tricks[side] + g.tricks[side + 2], g.alone)
        points[i, side] = max(made, 0)
        points[i, 1 - side] = max(-made, 0)
    if g.over != loops.EPISODE_OVER:
        return 0
    if g.episode == 1:
        return 1 if g.score[0] >= g.target else 2
    if points[i, 0] == points[i, 1]:
        return 3
    return 1 if points[i, 0] > points[i, 1] else 2


# --- views and re-deals --------------------------------------------------------------------------------------------


@kernel
def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    """Writes the view of ``seat`` to ``views[j]``, turned so that it is seat 0; what it cannot know is 0 [E35 E36]."""
    g = games[i]
    v = views[j]
    for k in range(4):
        source = (k + seat) & 3
        v.hands[k] = g.hands[source] if k == 0 else 0
        v.trick[k] = g.trick[source]
        v.played[k] = g.played[source]
        v.voids[k] = g.voids[source]
        v.tricks[k] = g.tricks[source]
    # Field by field: a copy of the whole record would wait for the stores of the step before.
    v.bidding = g.bidding
    v.stick_the_dealer = g.stick_the_dealer
    v.episode = g.episode
    v.target = g.target
    v.score[0] = g.score[seat & 1]
    v.score[1] = g.score[1 - (seat & 1)]
    v.turned = g.turned
    v.kitty = 0
    v.discard = g.discard if seat == g.dealer else 0
    v.phase = g.phase
    v.trump = g.trump
    v.alone = g.alone
    v.picked_up = g.picked_up
    v.passes = g.passes
    v.over = g.over
    v.moves = g.moves
    for k in range(32):
        v.history[k] = g.history[k]
    v.dealer = tricks.relative_seat(g.dealer, seat)
    v.maker = tricks.relative_seat(g.maker, seat)
    v.to_act = tricks.relative_seat(g.to_act, seat)
    v.leader = tricks.relative_seat(g.leader, seat)
    v.winner = tricks.relative_seat(g.winner, seat)


@helper
def unseen_cards(views: Any, i: int) -> int:
    """Returns the cards that seat 0 of a view cannot locate, with the turned card from its pick-up until it is played."""
    v = views[i]
    seen = v.hands[0] | v.discard | v.played[0] | v.played[1] | v.played[2] | v.played[3]
    if not v.picked_up:
        seen |= v.turned
    return _ALL_CARDS & ~seen


@helper
def _hand_size(views: Any, i: int, seat: int) -> int:
    v = views[i]
    size = 5 - popcount(v.played[seat])
    return size + 1 if v.phase == DISCARDING and seat == v.dealer else size


@helper
def could_hold(views: Any, i: int, seat: int, unseen: int) -> int:
    """Returns those of the ``unseen`` cards that ``seat`` (1 to 3 of a view) could still hold."""
    v = views[i]
    if _hand_size(views, i, seat) == 0:
        return np.int64(0)
    unseen &= ~_VOID_SETS[v.trump, v.voids[seat]]
    if v.picked_up and seat != v.dealer:
        unseen &= ~v.turned
    return unseen


@helper
def _discard_is_hidden(views: Any, i: int) -> bool:
    """Returns whether the dealer of a view has a discard that seat 0 has not seen."""
    v = views[i]
    return v.picked_up == 1 and v.dealer != 0 and v.phase != DISCARDING


@kernel
def _redeal_constraints(views: Any, i: int) -> Any:
    """Returns constraints on a re-deal to the holders of a view: the three other hands and the cards out of play. They are
    ``suits``, ``barred`` and ``sizes`` of `count_deals`, with the turned card and the discard counted in sizes, but not in
    suits if another seat picked it up and has not played it; then the number of ways to deal with the turned card in the
    dealer's hand, and with it as the discard; both 0 if it is not hidden."""
    v = views[i]
    suits = np.empty(4, np.int64)
    barred = np.zeros(4, np.int64)
    sizes = np.empty(4, np.int64)
    unseen = unseen_cards(views, i)
    for seat in range(1, 4):
        sizes[seat - 1] = _hand_size(views, i, seat)
        barred[seat - 1] = v.voids[seat]
    hidden_discard = _discard_is_hidden(views, i)
    sizes[3] = 4 if hidden_discard else 3
    turned_loose = v.picked_up == 1 and unseen & v.turned != 0
    unseen_rest = unseen & ~v.turned if turned_loose else unseen
    for suit in range(4):
        suits[suit] = unseen_rest & SUIT_SETS[v.trump, suit]
    in_hand = np.int64(0)
    discarded = np.int64(0)
    if turned_loose:
        # Only a dealer other than seat 0 can have the turned card: seat 0 knows its own hand and discard.
        dealer = v.dealer - 1
        if sizes[dealer] > 0 and not barred[dealer] >> v.trump & 1:
            sizes[dealer] -= 1
            in_hand = tricks.count_deals(suits, barred, sizes)[0, sizes[0], sizes[1], sizes[2]]
            sizes[dealer] += 1
        if hidden_discard:
            sizes[3] = 3
            discarded = tricks.count_deals(suits, barred, sizes)[0, sizes[0], sizes[1], sizes[2]]
            sizes[3] = 4
    return suits, barred, sizes, in_hand, discarded


_NAMES = [part.name for part in OBSERVATION]
_FLAW_PARTS = tricks.flaw_parts(_NAMES)
_HISTORY = len(_NAMES)
_TURNED, _DISCARD, _PICKED_UP, _PHASE, _TRUMP, _MAKER, _ALONE, _DEALER, _PASSED_ONCE, _TO_ACT, _SCORE = (
    _NAMES.index(name)
    for name in (
        "turned", "discard", "picked_up", "phase", "trump", "maker", "alone", "dealer", "passed_once", "to_act", "score_own"
    )
)  # fmt: skip
_BIDDING, _STICK, _EPISODE, _TARGET, _DEAL_OVER = (
    _NAMES.index(name) for name in ("bidding", "stick_the_dealer", "episode", "target", "deal_over")
)


@kernel
def _option_flaw(games: Any, i: int) -> int:
    """Returns the part of the first field with an impossible value, -1 if there is none."""
    g = games[i]
    if g.bidding < FULL or g.bidding > FORCED_SPADES:
        return _BIDDING
    if g.stick_the_dealer < 0 or g.stick_the_dealer > 1:
        return _STICK
    if g.episode < 0 or g.episode > 1:
        return _EPISODE
    if g.target < 0 or g.target >= len(_TARGET_INDEX) or _TARGETS[_TARGET_INDEX[g.target]] != g.target:
        return _TARGET
    if g.over < loops.RUNNING or g.over > loops.EPISODE_OVER:
        return _DEAL_OVER
    if g.dealer < 0 or g.dealer > 3:
        return _DEALER
    if g.phase < ORDERING or g.phase > FINISHED or (g.phase == FINISHED) != (g.over != loops.RUNNING):
        return _PHASE
    if g.trump < 0 or g.trump > tricks.NO_TRUMP_YET:
        return _TRUMP
    if g.maker < -1 or g.maker > 3:
        return _MAKER
    if g.alone < 0 or g.alone > 1:
        return _ALONE
    if g.picked_up < 0 or g.picked_up > 1:
        return _PICKED_UP
    if g.passes < 0 or g.passes > 8:
        return _PASSED_ONCE
    if g.turned & ~_ALL_CARDS or popcount(g.turned) != 1:
        return _TURNED
    if g.discard & ~_ALL_CARDS or g.discard & (g.discard - 1):
        return _DISCARD
    bad = tricks.field_flaw(g, _ALL_CARDS, 5)
    return _FLAW_PARTS[bad] if bad >= 0 else -1


@kernel
def _bidding_flaw(games: Any, i: int) -> int:
    """Returns an impossible part in the bidding of a record that has passed `_option_flaw`, -1 if there is none."""
    g = games[i]
    bid = (g.dealer + 1 + g.passes) & 3  # the seat whose turn it was, or is, after so many passes
    turned_suit = SUIT_OF[tricks.NO_TRUMP_YET, lowest(g.turned)]
    if g.bidding == FORCED_SPADES:
        if g.phase != PLAYING and g.phase != FINISHED:
            return _PHASE
        if g.passes != 0:
            return _PASSED_ONCE
        if g.maker != g.dealer:
            return _MAKER
        if g.trump != SPADES:
            return _TRUMP
        if g.alone != 0:
            return _ALONE
        return _PICKED_UP if g.picked_up != 0 else -1
    if g.phase == ORDERING or g.phase == CALLING or g.passes == 8:
        if g.phase == ORDERING and g.passes > 3:
            return _PASSED_ONCE
        if g.phase == CALLING and (g.passes < 4 or g.passes > 7):
            return _PASSED_ONCE
        if g.passes == 8 and (g.phase != FINISHED or g.stick_the_dealer != 0):
            return _PASSED_ONCE
        if g.maker != -1:
            return _MAKER
        if g.trump != tricks.NO_TRUMP_YET:
            return _TRUMP
        if g.alone != 0:
            return _ALONE
        if g.to_act != (bid if g.over == loops.RUNNING else -1):
            return _TO_ACT
        return _PICKED_UP if g.picked_up != 0 else -1
    if g.maker != bid:
        return _MAKER
    if g.passes > 3:
        if g.phase == DISCARDING:
            return _PASSED_ONCE
        if g.trump == turned_suit or g.trump == tricks.NO_TRUMP_YET:
            return _TRUMP
        return _PICKED_UP if g.picked_up != 0 else -1
    if g.trump != turned_suit:
        return _TRUMP
    dealer_out = g.alone == 1 and (g.maker + 2) & 3 == g.dealer
    if g.picked_up != (0 if dealer_out else 1):
        return _PICKED_UP
    if g.phase == DISCARDING and g.to_act != g.dealer:
        return _TO_ACT
    return -1


@helper
def _calls_made(games: Any, i: int) -> int:
    """Counts the actions of a deal before the play of the cards: passes, the call, the discard."""
    g = games[i]
    if g.bidding == FORCED_SPADES:
        return np.int64(0)
    return g.passes + np.int64(g.maker >= 0) + np.int64(g.picked_up == 1 and g.phase != DISCARDING)


@helper
def _call_made(games: Any, i: int, k: int) -> int:
    """Returns action ``k`` of a deal, one before the play of the cards, as it stands in the history."""
    g = games[i]
    if k < g.passes:
        return np.int64(PASS)
    if k > g.passes:
        return np.int64(HIDDEN_DISCARD)
    if g.passes > 3:
        return np.int64(CALL_ALONE if g.alone else CALL) + g.trump
    return np.int64(ORDER_UP_ALONE if g.alone else ORDER_UP)


@kernel
def _unplayed_flaw(games: Any, i: int) -> int:
    """Returns an impossible part before the play of the cards, or where all passed, -1 if there is none."""
    g = games[i]
    for seat in range(4):
        if g.played[seat] != 0:
            return _FLAW_PARTS[tricks.PLAYED_FLAW + seat]
        if g.voids[seat] != 0:
            return _FLAW_PARTS[tricks.VOIDS_FLAW + seat]
        if g.tricks[seat] != 0:
            return _FLAW_PARTS[tricks.TRICKS_FLAW + seat]
    if g.leader != -1:
        return _FLAW_PARTS[tricks.LEADER_FLAW]
    return _FLAW_PARTS[tricks.WINNER_FLAW] if g.winner != -1 else -1


@kernel
def _pile_flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part in the places of the cards of a record that has passed all other checks, else -1."""
    g = games[i]
    absent = sitting_out(games, i)
    discarded = g.picked_up == 1 and g.phase != DISCARDING
    knows_discard = discarded and (whole or g.dealer == 0)
    if (g.discard != 0) != knows_discard:
        return _DISCARD
    seen = g.discard
    for seat in range(4):
        if g.played[seat] & seen:
            return _FLAW_PARTS[tricks.PLAYED_FLAW + seat]
        seen |= g.played[seat]
    for seat in range(4):
        known = whole or seat == 0
        size = 5 if seat == absent else _hand_size(games, i, seat)
        if g.hands[seat] & seen or popcount(g.hands[seat]) != (size if known else 0):
            return _FLAW_PARTS[tricks.HAND_FLAW + seat]
        seen |= g.hands[seat]
    # The turned card lies open, or is the dealer's since the pick-up.
    of_dealer = g.played[g.dealer] | g.hands[g.dealer] | g.discard
    if not g.picked_up:
        if seen & g.turned:
            return _TURNED
        seen |= g.turned
    elif seen & g.turned & ~of_dealer or ((whole or g.dealer == 0) and not of_dealer & g.turned):
        return _TURNED
    if whole:
        if g.kitty & ~_ALL_CARDS or popcount(g.kitty) != 3 or g.kitty & seen:
            return _TURNED
    elif g.kitty != 0:
        return _TURNED
    else:
        suits, barred, sizes, in_hand, discards = _redeal_constraints(games, i)
        if g.picked_up and not seen & g.turned:
            return _FLAW_PARTS[tricks.HAND_FLAW + g.dealer] if in_hand + discards == 0 else -1
        if tricks.count_deals(suits, barred, sizes)[0, sizes[0], sizes[1], sizes[2]] == 0:
            return _FLAW_PARTS[tricks.HAND_FLAW + 1]
    return -1


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part of a record of any content, -1 if none (`Kernels.flaw`)."""
    g = games[i]
    bad = _option_flaw(games, i)
    if bad < 0:
        bad = _bidding_flaw(games, i)
    if bad >= 0:
        return bad
    running = g.over == loops.RUNNING
    in_play = g.phase == PLAYING or (g.phase == FINISHED and g.maker >= 0)
    absent = sitting_out(games, i)
    first = (g.dealer + 1) & 3
    if first == absent:
        first = (first + 1) & 3
    if in_play:
        bad = tricks.play_flaw(g, whole, first, absent, running, 5, SUIT_SETS, SUIT_OF, STRENGTH)
        if bad >= 0:
            return _FLAW_PARTS[bad]
    else:
        bad = _unplayed_flaw(games, i)
        if bad >= 0:
            return bad
    bad = _pile_flaw(games, i, whole)
    if bad >= 0:
        return bad
    made = 0
    if not running and g.maker >= 0:
        made = points_made(g.tricks[g.maker & 1] + g.tricks[(g.maker & 1) + 2], g.alone)
    for side in range(2):
        before = g.score[side] - max(made if side == g.maker & 1 else -made, 0)
        if before < 0 or before >= (g.target if g.episode == 1 else _MAX_SCORE):
            return _SCORE + side
    if not running:
        unfinished = g.episode == 1 and g.score[0] < g.target and g.score[1] < g.target
        if g.over != (loops.DEAL_OVER if unfinished else loops.EPISODE_OVER):
            return _DEAL_OVER
    calls = _calls_made(games, i)
    made = calls + popcount(g.played[0] | g.played[1] | g.played[2] | g.played[3])
    if g.moves < 0 or g.moves > made:
        return _HISTORY
    if g.moves > 0:
        for k in range(g.moves - (made - calls)):
            if g.history[k] != _call_made(games, i, made - g.moves + k):
                return _HISTORY
        if in_play and tricks.history_flaw(g, calls, first, absent, SUIT_OF, STRENGTH):
            return _HISTORY
    return -1


@kernel
def redeal(views: Any, i: int, streams: Streams, s: int, games: Any, j: int) -> None:
    """Writes to ``games[j]`` a full state drawn uniformly from all that are consistent with a view [E37]. A full state
    places every hidden card in a hand, in the kitty or as the discard. The turned card, once picked up and not seen since,
    is in the dealer's hand or is the discard."""
    games[j] = views[i]
    v = views[i]
    g = games[j]
    hands = np.zeros(4, np.int64)
    hidden_discard = _discard_is_hidden(views, i)
    suits, barred, sizes, in_hand, discarded = _redeal_constraints(views, i)
    discard_turned = False
    if in_hand + discarded > 0:
        # If the turned card is in the hand, any of the four cards out of play can be the discard; if it is the discard, the
        # other three are the kitty.
        if hidden_discard:
            discard_turned = _draw_true(streams, s, discarded, discarded + 4 * in_hand)
        if discard_turned:
            sizes[3] = 3
        else:
            sizes[v.dealer - 1] -= 1
            hands[v.dealer - 1] |= v.turned
    ways = tricks.count_deals(suits, barred, sizes)
    tricks.draw_deal(suits, barred, sizes, ways, streams, s, hands)
    for seat in range(1, 4):
        g.hands[seat] = hands[seat - 1]
    g.kitty = hands[3]
    if discard_turned:
        g.discard = v.turned
    elif hidden_discard:
        bit = hands[3]
        for _ in range(below(streams, s, 4)):
            bit &= bit - 1
        bit &= -bit
        g.discard = bit
        g.kitty = hands[3] ^ bit


@kernel
def _draw_true(streams: Streams, s: int, part: float, whole: float) -> bool:
    """Returns true with chance ``part / whole``; both are ints below 2**60."""
    draw = (below(streams, s, np.int64(1) << 30) << 30) | below(streams, s, np.int64(1) << 30)
    return draw < part / whole * 1152921504606846976.0


@kernel
def observe(views: Any, i: int, out: Bytes, row: int) -> None:
    """Writes a view as int8 zeros and ones to ``out[row]``, in the order of OBSERVATION."""
    v = views[i]
    # A card set fills 24 of the 32 columns written at once; the next part overwrites the other eight.
    write_bits(out, row, 0, v.hands[0], 32)
    at = 24
    for seat in range(4):
        write_bits(out, row, at, v.played[seat], 32)
        at += 24
    for seat in range(4):
        write_bits(out, row, at, v.trick[seat], 32)
        at += 24
    unseen = unseen_cards(views, i)
    for seat in range(1, 4):
        write_bits(out, row, at, could_hold(views, i, seat, unseen), 32)
        at += 24
    write_bits(out, row, at, v.turned, 32)
    write_bits(out, row, at + 24, v.discard, 32)
    at += 48
    one = np.int64(1)
    # The short parts are gathered in two words and written at once.
    word = v.picked_up | (one << v.phase) << 1 | ((one << v.trump) & 15) << 6
    word |= tricks.seat_bit(v.maker) << 10 | v.alone << 14 | tricks.seat_bit(v.dealer) << 15
    first = (v.dealer + 1) & 3
    word |= _rotate_seats((one << min(v.passes, 4)) - 1, first) << 19
    word |= _rotate_seats((one << max(v.passes - 4, 0)) - 1, first) << 23
    word |= tricks.seat_bit(v.to_act) << 27
    word |= tricks.seat_bit(v.leader) << 31 | tricks.seat_bit(v.winner) << 35
    word |= v.voids[0] << 39 | v.voids[1] << 43 | v.voids[2] << 47 | v.voids[3] << 51
    word |= v.bidding << 55 | v.stick_the_dealer << 56 | v.episode << 57
    word |= one << (58 + _TARGET_INDEX[v.target])
    if v.over >= loops.DEAL_OVER:
        word |= one << 63
    at = write_bits(out, row, at, word, 64)
    word = one if v.over == loops.EPISODE_OVER else np.int64(0)
    for seat in range(4):
        word |= ((one << v.tricks[seat]) - 1) << (1 + 5 * seat)
    word |= ((one << v.score[0]) - 1) << 21 | ((one << v.score[1]) - 1) << 39
    write_bits(out, row, at, word, 57)


@helper
def _rotate_seats(seats: int, by: int) -> int:
    """Replaces every seat in a set (4 bits) by the seat ``by`` to its left."""
    return (seats << by | seats >> (4 - by)) & 15


@kernel
def decode(observations: Bytes, row: int, views: Any, j: int) -> None:
    """Writes the view behind an observation to ``views[j]``, without the history."""
    v = views[j]
    at = 24
    v.hands[0] = read_bits(observations, row, 0, 24)
    for seat in range(4):
        v.played[seat] = read_bits(observations, row, at, 24)
        at += 24
    for seat in range(4):
        v.trick[seat] = read_bits(observations, row, at, 24)
        at += 24
    at += 3 * 24
    v.turned = read_bits(observations, row, at, 24)
    v.discard = read_bits(observations, row, at + 24, 24)
    at += 48
    word = read_bits(observations, row, at, 64)
    at += 64
    v.picked_up = word & 1
    # The last bit of each choice is taken for granted, so that a row of zeros decodes to something.
    v.phase = lowest(word >> 1 & 31 | 16)
    trump = word >> 6 & 15
    v.trump = lowest(trump) if trump != 0 else tricks.NO_TRUMP_YET
    v.maker = tricks.bit_seat(word >> 10 & 15)
    v.alone = word >> 14 & 1
    v.dealer = tricks.bit_seat(word >> 15 & 15)
    v.passes = popcount(word >> 19 & 255)
    v.to_act = tricks.bit_seat(word >> 27 & 15)
    v.leader = tricks.bit_seat(word >> 31 & 15)
    v.winner = tricks.bit_seat(word >> 35 & 15)
    for seat in range(4):
        v.voids[seat] = word >> (39 + 4 * seat) & 15
    v.bidding = word >> 55 & 1
    v.stick_the_dealer = word >> 56 & 1
    v.episode = word >> 57 & 1
    v.target = _TARGETS[lowest(word >> 58 & 31 | 16)]
    v.over = word >> 63 & 1
    word = read_bits(observations, row, at, 57)
    v.over += word & 1
    for seat in range(4):
        v.tricks[seat] = popcount(word >> (1 + 5 * seat) & 31)
    v.score[0] = popcount(word >> 21 & 0x3FFFF)
    v.score[1] = popcount(word >> 39 & 0x3FFFF)
    v.kitty = 0
    v.moves = 0
    for seat in range(1, 4):
        v.hands[seat] = 0
    for k in range(32):
        v.history[k] = 0


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes what ``seat`` cannot see to ``out[row, column:]``, in the order of HIDDEN."""
    g = games[i]
    for k in range(1, 4):
        column = write_bits(out, row, column, g.hands[(seat + k) & 3], 24)
    column = write_bits(out, row, column, g.kitty, 24)
    write_bits(out, row, column, g.discard, 24)


_MOVE_BITS = len(_MOVE)
_PASS_BIT, _ORDER_BIT, _CALL_BIT, _ALONE_BIT, _DISCARD_BIT = (
    1 << _MOVE.index(name) for name in ("pass", "order-up", "call", "alone", "discard")
)


def _action_bits() -> np.ndarray[Any, np.dtype[np.int64]]:
    """Returns the bits of a move for each action, by its code in the history plus one: int64 (64,)."""
    bits = np.zeros(64, np.int64)
    bits[1 + HIDDEN_DISCARD] = _DISCARD_BIT
    for card in range(24):
        bits[1 + card] = 1 << (4 + card // 6) | (card % 6 + 1) << 8
    bits[1 + PASS] = _PASS_BIT
    bits[1 + ORDER_UP] = _ORDER_BIT
    bits[1 + ORDER_UP_ALONE] = _ORDER_BIT | _ALONE_BIT
    for suit in range(4):
        bits[1 + CALL + suit] = _CALL_BIT | 1 << (4 + suit)
        bits[1 + CALL_ALONE + suit] = _CALL_BIT | _ALONE_BIT | 1 << (4 + suit)
    return bits


_ACTION_BITS = _action_bits()


@kernel
def recall(views: Any, i: int, out: Bytes, row: int, column: int) -> None:
    """Writes the order of the actions to ``out[row, column:]``, in the order of RECALL. Zeros are written where the first
    actions of the deal are unknown."""
    v = views[i]
    end = column + _MOVE_BITS * MAX_STEPS
    for at in range(column, end - 64, 64):
        write_bits(out, row, at, 0, 64)
    write_bits(out, row, end - 64, 0, 64)
    odd = v.played[1] | v.played[3]
    high = v.played[2] | v.played[3]
    calls = _calls_made(views, i)
    if v.moves != calls + popcount(v.played[0] | odd | high):
        return
    one = np.int64(1)
    for k in range(calls):
        code = np.int64(v.history[k])
        seat = (v.dealer + 1 + k) & 3 if code != HIDDEN_DISCARD else v.dealer
        word = one << seat | _ACTION_BITS[code + 1 & 63]
        if code == HIDDEN_DISCARD and v.discard != 0:
            word |= _ACTION_BITS[lowest(v.discard) + 1]
        column = write_bits(out, row, column, word, 16)
    for k in range(calls, v.moves):
        card = np.int64(v.history[k]) & 31
        seat = (odd >> card & 1) | (high >> card & 1) << 1
        column = write_bits(out, row, column, one << seat | _ACTION_BITS[card + 1], 16)


@kernel
def recollect(observations: Bytes, row: int, column: int, views: Any, j: int) -> None:
    """Sets the history of ``views[j]``, which `decode` has written, from what `recall` wrote."""
    v = views[j]
    played = popcount(v.played[0] | v.played[1] | v.played[2] | v.played[3])
    v.moves = min(_calls_made(views, j) + played, MAX_STEPS)
    for k in range(v.moves):
        word = read_bits(observations, row, column + _MOVE_BITS * k, 16)
        suit = lowest(word >> 4 & 15 | 8)
        alone = word & _ALONE_BIT != 0
        code = 6 * suit + (word >> 8 & 7) - 1
        if word & _DISCARD_BIT:
            code = HIDDEN_DISCARD
        elif word & _PASS_BIT:
            code = PASS
        elif word & _ORDER_BIT:
            code = ORDER_UP_ALONE if alone else ORDER_UP
        elif word & _CALL_BIT:
            code = (CALL_ALONE if alone else CALL) + suit
        v.history[k] = code


@kernel
def rewind(games: Any, i: int, starts: Any, j: int, actions: Ints) -> int:
    """Writes a deal's start to ``starts[j]``, and the actions since to ``actions`` (`Kernels.rewind`)."""
    g = games[i]
    if g.moves != _calls_made(games, i) + popcount(g.played[0] | g.played[1] | g.played[2] | g.played[3]):
        return -1
    starts[j] = games[i]
    s = starts[j]
    for seat in range(4):
        s.hands[seat] = g.hands[seat] | g.played[seat]
    if g.picked_up == 1:
        s.hands[g.dealer] = (s.hands[g.dealer] | g.discard) & ~g.turned
    for k in range(g.moves):
        action = np.int64(g.history[k])
        actions[k] = lowest(g.discard) if action == HIDDEN_DISCARD else action
    if g.phase == FINISHED and g.maker >= 0:
        side = g.maker & 1
        points = points_made(g.tricks[side] + g.tricks[side + 2], g.alone)
        s.score[side] -= max(points, 0)
        s.score[1 - side] -= max(-points, 0)
    _open_deal(starts, j)
    return g.moves


# --- for agents and searches ---------------------------------------------------------------------------------------


@helper
def _playing(games: Any, i: int) -> bool:
    return games[i].phase == PLAYING


@helper
def _unseen_by(games: Any, i: int, seat: int) -> int:
    """Returns the cards that ``seat`` has not seen, with the turned card while another dealer holds it."""
    g = games[i]
    seen = g.hands[seat] | g.played[0] | g.played[1] | g.played[2] | g.played[3]
    if seat == g.dealer:
        seen |= g.discard
    if not g.picked_up:
        seen |= g.turned
    return _ALL_CARDS & ~seen


@helper
def _taken(games: Any, i: int) -> int:
    """Returns the card that only the dealer can hold, as a set."""
    g = games[i]
    return g.turned if g.picked_up else np.int64(0)


@helper
def _margin(games: Any, i: int, tricks: int) -> int:
    g = games[i]
    return margin(tricks, g.maker, g.alone)


# --- text ----------------------------------------------------------------------------------------------------------


def dealt_hands(state: Any) -> list[int]:
    """Returns the card sets of the four hands as they were dealt."""
    hands = [int(state["hands"][seat]) | int(state["played"][seat]) for seat in range(4)]
    if state["picked_up"]:
        dealer = int(state["dealer"])
        hands[dealer] = (hands[dealer] | int(state["discard"])) & ~int(state["turned"])
    return hands


def _score_before(state: Any) -> list[int]:
    score = [int(points) for points in state["score"]]
    if state["phase"] == FINISHED and state["maker"] >= 0:
        side = int(state["maker"]) & 1
        made = int(points_made(state["tricks"][side] + state["tricks"][side + 2], state["alone"]))
        score[side] -= max(made, 0)
        score[1 - side] -= max(-made, 0)
    return score


def deal_text(state: Any) -> dict[str, str]:
    """Returns a deal's start in text, by key: the score, the dealer and the cards."""
    return {
        "score": "-".join(map(str, _score_before(state))),
        "dealer": str(int(state["dealer"])),
        "hands": "/".join(DECK.format(hand) for hand in dealt_hands(state)),
        "turned": DECK.format(int(state["turned"])),
        "kitty": DECK.format(int(state["kitty"])),
    }


def set_deal(games: Games, i: int, fields: Mapping[str, str]) -> None:
    """Sets game ``i`` to the start of a deal of `deal_text`; ``kitty``, ``dealer`` and ``score`` may be left out."""
    unknown = set(fields) - {"score", "dealer", "hands", "turned", "kitty"}
    if unknown or not {"hands", "turned"} <= set(fields):
        raise ValueError(
            "a deal of euchre has hands=, turned= and optionally kitty=, dealer= and score=, "
            f"not {' '.join(sorted(fields)) or 'nothing'}"
        )
    hands = [DECK.parse_set(text) for text in fields["hands"].split("/")]
    turned = DECK.parse_set(fields["turned"])
    rest = DECK.all & ~turned
    for hand in hands:
        rest &= ~hand
    kitty = DECK.parse_set(fields["kitty"]) if "kitty" in fields else rest
    piles = [(f"hand {seat}", hand, 5) for seat, hand in enumerate(hands)]
    piles += [("the turned card", turned, 1), ("the kitty", kitty, 3)]
    check_piles("euchre", piles, 4, DECK.all, DECK.format)
    dealer = int_field(fields, "dealer", range(4))
    score = score_field(fields, int(games[i]["target"] if games[i]["episode"] else _MAX_SCORE) - 1)
    g = games[i]
    for seat in range(4):
        g["hands"][seat] = hands[seat]
    g["turned"], g["kitty"], g["dealer"] = turned, kitty, dealer
    g["score"][0], g["score"][1] = score
    _open_deal(games, i)


def set_dealer(games: Games, i: int, dealer: int) -> None:
    """Changes the dealer of a deal without actions."""
    games[i]["dealer"] = dealer
    _open_deal(games, i)


def history_text(state: Any) -> list[str]:
    """Returns the names of the actions so far; the discard by its card where the state knows it, else ``?``."""
    names = []
    for action in state["history"][: int(state["moves"])]:
        if action == HIDDEN_DISCARD:
            names.append(DECK.format(int(state["discard"])) or "?")
        else:
            names.append(ACTIONS[int(action)])
    return names


_BIDS_IN_WORDS = {
    PASS: ActionWords("pass", "passes"),
    ORDER_UP: ActionWords("order up", "orders up"),
    ORDER_UP_ALONE: ActionWords("order up, alone", "orders up, alone"),
}
_DEALERS_BIDS_IN_WORDS = {
    PASS: ActionWords("pass", "passes"),
    ORDER_UP: ActionWords("take it up", "takes it up"),
    ORDER_UP_ALONE: ActionWords("take it up, alone", "takes it up, alone"),
}


def in_words(action: int, by_dealer: bool = False, discarding: bool = False) -> ActionWords:
    """Returns an action, 0 to 34 or HIDDEN_DISCARD for an unseen discard, in words. ``by_dealer``: the dealer takes the
    turned card up instead of ordering it up; ``discarding``: the card is a discard."""
    if action == HIDDEN_DISCARD:
        return ActionWords("discard", "discards")
    if action < PASS:
        card = card_name(DECK.text(action))
        if discarding:
            return ActionWords(f"discard the {card}", f"discards the {card}")
        return ActionWords(f"play the {card}", f"plays the {card}")
    if action >= CALL:
        alone = action >= CALL_ALONE
        suit = SUIT_NAMES[action - (CALL_ALONE if alone else CALL)] + (", alone" if alone else "")
        return ActionWords(f"call {suit}", f"calls {suit}")
    return (_DEALERS_BIDS_IN_WORDS if by_dealer else _BIDS_IN_WORDS)[action]


def _action_words(state: Any, action: int) -> ActionWords:
    return in_words(action, bool(state["to_act"] == state["dealer"]), bool(state["phase"] == DISCARDING))


def drawing(state: Any, seat: int | None = None) -> str:
    """Returns the position in text for people; with ``seat``, only what that seat may see."""
    s = state
    symbol = SUIT_SYMBOLS
    title = f"Euchre: {PHASES[int(s['phase'])]}"
    if s["trump"] < 4:
        title += f", trump {symbol[int(s['trump'])]}"
        title += f" called by player_{int(s['maker'])}" + (" alone" if s["alone"] else "")
    lines = [title, f"turned {DECK.format(int(s['turned']))}" + (" (picked up)" if s["picked_up"] else "")]
    return "\n".join(lines + tricks.table_lines(DECK, s, seat, 17))


def worst_loss(options: Mapping[str, Any], reward: str) -> float:
    """Returns the greatest loss of a side in an episode (`GameSpec.worst_loss`)."""
    if reward == "win":
        return 1
    lone_march = 2 if options.get("bidding") == "forced-spades" else 4
    most = lone_march if reward == "points" else 5
    if options.get("episode") != "game":
        return most
    # The others are a point short, and then take all. Before, they take at most three tricks more for each point.
    short = options.get("target", OPTIONS[3].default) - 1
    return short * (1 if reward == "points" else 3) + most


RULES = """\
Four players in two partnerships, seats 0 and 2 against 1 and 3, with the 24 cards from the nine to the ace. Each is
dealt five cards, and one more is turned up. From the dealer's left each may order the turned card up, alone or not;
its suit is then trump, and the dealer takes it and puts a card away. If all pass, each may call another suit, alone
or not; if all pass again, nobody scores. Who has ordered up or called is the maker; the partner of a maker who goes
alone sits out. The highest trump is the jack of trumps, then the other jack of that colour, which is a trump and no
card of its printed suit, then ace, king, queen, ten, nine. Other suits rank from ace to nine. The seat to the
dealer's left leads; the suit led must be followed, and who cannot may play anything. The highest trump, or else the
highest card of the suit led, takes the trick. The maker's side scores 1 point for three or four of the five tricks, 2
for all, 4 for all alone; with fewer the others score 2. With forced spades there is no bidding: spades are trump, and
the dealer's side counts as the makers."""
"""The rules in brief, for `GameSpec.prompt`."""

# --- for checks ----------------------------------------------------------------------------------------------------


def _make_sights() -> Any:
    from cardenvs.games._view_audit import Sights

    return Sights(SPEC, DECK, _new_sight, _card_piles)


def _new_sight(state: Any, seat: int) -> tuple[int, Any]:
    """Returns the new cards and facts that a seat sees: first its hand and the turned card, then each action [E13 E35]."""
    if state["moves"]:
        action = int(state["history"][state["moves"] - 1])
        own = int(state["discard"]) if action == HIDDEN_DISCARD and seat == state["dealer"] else 0
        return 1 << action if 0 <= action < DECK.size else own, action
    score = int(state["score"][seat & 1]), int(state["score"][1 - (seat & 1)])
    hand, turned = int(state["hands"][seat]), int(state["turned"])
    return hand | turned, (turned, (int(state["dealer"]) - seat) & 3, score)


def _card_piles(state: Any, seat: int) -> list[int | list[int]]:
    """Returns the piles: hands, then played cards, from a seat on; kitty, discard, the turned card on the table."""
    sets = [int(state[name][(seat + k) & 3]) for name in ("hands", "played") for k in range(4)]
    turned = 0 if state["picked_up"] else int(state["turned"])
    return [*sets, int(state["kitty"]), int(state["discard"]), turned]


def _false_claim(state: Any, seat: int, view: Any) -> str:
    """Returns a false claim about cards in a view decoded from an observation of ``seat``; empty if there is none."""
    from cardenvs.games._view_audit import false_claim, hands_by

    return false_claim(_card_piles(state, seat), _card_piles(view, 0), hands_by(SPEC, view, unseen_cards, could_hold))


SPEC = GameSpec(
    name="euchre",
    title="Euchre",
    module="euchre_v0",
    sides=((0, 2), (1, 3)),
    actions=ACTIONS,
    dtype=STATE,
    options=OPTIONS,
    rewards=("points", "tricks", "win"),
    parts=OBSERVATION,
    hidden=HIDDEN,
    recall_parts=RECALL,
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
        recall=recall,
        recollect=recollect,
        rewind=rewind,
    ),
    max_steps=MAX_STEPS,
    worst_loss=worst_loss,
    deal_text=deal_text,
    set_deal=set_deal,
    drawing=drawing,
    words=_action_words,
    history_text=history_text,
    set_dealer=set_dealer,
    sights=_make_sights,
    untrue=_false_claim,
    rules=RULES,
    kind=TrickGame(
        DECK,
        5,
        SUIT_SETS,
        SUIT_OF,
        STRENGTH,
        "turned",
        "turned-up",
        bids=True,
        in_words=in_words,
        playing=_playing,
        sitting_out=sitting_out,
        unseen=_unseen_by,
        taken=_taken,
        margin=_margin,
    ),
)
