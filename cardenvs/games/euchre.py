"""Euchre: 24 cards, bowers, two rounds of bidding, going alone; or the "forced spades" protocol without bidding.

The rules are the numbered clauses of ``docs/rules/euchre.md``, cited here as [E..]. Sources: the variant as described by
Bicycle Cards and Pagat for the full game; for ``bidding="forced-spades"`` the protocol of the ten-agents paper (2015).

Options: ``bidding`` (full, forced-spades), ``stick_the_dealer``, ``episode`` (deal, game), ``target`` points of a game.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount, read_bits, write_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract import loops
from cardenvs.contract.cards import EUCHRE_DECK, SPADES, SUIT_NAMES, SUIT_SYMBOLS, card_name
from cardenvs.contract.definition import define_game
from cardenvs.contract.fields import Games, Part
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.lines import check_piles
from cardenvs.contract.options import Option
from cardenvs.contract.outcome import ActionWords
from cardenvs.contract.sources import BitSet, Coded, OneHot
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

# --- rules ---------------------------------------------------------------------------------------------------------


@kernel
def _open_deal(games: Any, i: int) -> None:
    """Sets all fields except cards, dealer, score and options for the start of a deal."""
    g = games[i]
    tricks.open_table(g)
    g.discard = 0
    g.alone = 0
    g.picked_up = 0
    g.passes = 0
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
    tricks.choose_dealer(g, streams, s)
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


@helper
def _side_points(games: Any, i: int, side: int) -> int:
    """Returns the points of a side in a finished deal; one in which all passed scores nothing [E10]."""
    g = games[i]
    if g.maker < 0:
        return np.int64(0)
    maker = g.maker & 1
    made = points_made(g.tricks[maker] + g.tricks[maker + 2], g.alone)
    return max(made if side == maker else -made, 0)


@kernel
def _finish_deal(games: Any, i: int) -> None:
    g = games[i]
    g.phase = FINISHED
    tricks.end_deal(g, _side_points(games, i, 0), _side_points(games, i, 1))


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
    points[i, 0] = _side_points(games, i, 0)
    points[i, 1] = _side_points(games, i, 1)
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
    tricks.view_table(g, seat, v)
    v.bidding = g.bidding
    v.stick_the_dealer = g.stick_the_dealer
    v.turned = g.turned
    v.kitty = 0
    v.discard = g.discard if seat == g.dealer else 0
    v.phase = g.phase
    v.alone = g.alone
    v.picked_up = g.picked_up
    v.passes = g.passes
    v.maker = tricks.relative_seat(g.maker, seat)


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


# --- the observation -----------------------------------------------------------------------------------------------

_CARDS = tuple(DECK.text(card) for card in range(24))


def _flag(name: str, label: str, meaning: str) -> Part:
    """Returns the part of a field that is 0 or 1."""
    return Part(name, (label,), meaning, source=OneHot(name, first=1, none=0))


@helper
def _passed(views: Any, i: int) -> int:
    """Returns the seats that have passed in the first round, four bits, and in the second."""
    v = views[i]
    first, one = (v.dealer + 1) & 3, np.int64(1)
    once, twice = ((one << min(v.passes, 4)) - 1) << first, ((one << max(v.passes - 4, 0)) - 1) << first
    return (once | once >> 4) & 15 | ((twice | twice >> 4) & 15) << 4


_PASSES = Coded("passes", write=_passed, read=popcount, greatest=8)

OBSERVATION = (
    *tricks.card_parts(__name__, _CARDS, could_hold, unseen_cards),
    Part("turned", _CARDS, "the turned card", source=BitSet("turned")),
    Part("discard", _CARDS, "the card that the dealer put away, seen by the dealer only", source=BitSet("discard")),
    _flag("picked_up", "yes", "the dealer took the turned card"),
    Part("phase", PHASES, "what is being decided", source=OneHot("phase")),
    Part("trump", SUIT_NAMES, "the trump suit", source=OneHot("trump", none=tricks.NO_TRUMP_YET)),
    tricks.seat_part("maker", "who called trump"),
    _flag("alone", "yes", "the maker goes alone and its partner sits out"),
    tricks.seat_part("dealer", "who dealt", none=None),
    Part("passed_once", tricks.SEATS, "who has passed in the first round", source=_PASSES),
    Part("passed_twice", tricks.SEATS, "who has passed in the second round", source=_PASSES),
    *tricks.turn_parts(),
    _flag("bidding", "forced-spades", "option: spades are always trump"),
    _flag("stick_the_dealer", "yes", "option: the dealer must call at last"),
    *tricks.episode_parts(sorted(OPTIONS[3].choices)),
    *tricks.score_parts(5, _MAX_SCORE + 3),  # one point short, then a lone march
)
HIDDEN = (
    *tricks.other_hands(_CARDS),
    Part("kitty", _CARDS, "the three cards nobody sees"),
    Part("hidden_discard", _CARDS, "the card that the dealer put away"),
)


@kernel
def reveal(games: Any, i: int, seat: int, out: Bytes, row: int, column: int) -> None:
    """Writes what ``seat`` cannot see to ``out[row, column:]``, in the order of HIDDEN."""
    g = games[i]
    column = tricks.reveal_hands(g, seat, out, row, column, 24)
    column = write_bits(out, row, column, g.kitty, 24)
    write_bits(out, row, column, g.discard, 24)


_NAMES = [part.name for part in OBSERVATION]
_FLAW_PARTS = tricks.flaw_parts(_NAMES)
_HISTORY = len(_NAMES)
_TURNED, _DISCARD, _PICKED_UP, _PHASE, _TRUMP, _MAKER, _ALONE, _PASSED_ONCE, _TO_ACT = (
    _NAMES.index(name)
    for name in ("turned", "discard", "picked_up", "phase", "trump", "maker", "alone", "passed_once", "to_act")
)


@kernel
def _bidding_flaw(games: Any, i: int) -> int:
    """Returns an impossible part in the bidding of a record whose numbers are in range, -1 if there is none."""
    g = games[i]
    if popcount(g.turned) != 1:
        return _TURNED
    if (g.phase == FINISHED) != (g.over != loops.RUNNING):
        return _PHASE
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


@kernel
def _unplayed_flaw(games: Any, i: int) -> int:
    """Returns an impossible part before the play of the cards, or where all passed, -1 if there is none."""
    g = games[i]
    for seat in range(4):
        if g.played[seat] != 0:
            return _FLAW_PARTS[tricks.PLAYED_FLAW + seat]
        if g.trick[seat] != 0:
            return _FLAW_PARTS[tricks.TRICK_FLAW + seat]
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
    if popcount(g.discard) != knows_discard:
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
        if popcount(g.kitty) != 3 or g.kitty & seen:
            return _TURNED
    else:
        suits, barred, sizes, in_hand, discards = _redeal_constraints(games, i)
        if g.picked_up and not seen & g.turned:
            return _FLAW_PARTS[tricks.HAND_FLAW + g.dealer] if in_hand + discards == 0 else -1
        if tricks.count_deals(suits, barred, sizes)[0, sizes[0], sizes[1], sizes[2]] == 0:
            return _FLAW_PARTS[tricks.HAND_FLAW + 1]
    return -1


@helper
def _calls_made(games: Any, i: int) -> int:
    """Counts the actions of a deal before the play of the cards: passes, the call, the discard."""
    g = games[i]
    if g.bidding == FORCED_SPADES:
        return np.int64(0)
    return g.passes + np.int64(g.maker >= 0) + np.int64(g.picked_up == 1 and g.phase != DISCARDING)


@kernel
def flaw(games: Any, i: int, whole: bool) -> int:
    """Returns an impossible part of a record whose numbers are in range, -1 if none (`Kernels.flaw`)."""
    g = games[i]
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
    bad = tricks.score_flaw(g, _side_points(games, i, 0), _side_points(games, i, 1), _MAX_SCORE)
    if bad >= 0:
        return _FLAW_PARTS[bad]
    return _HISTORY if g.moves > _calls_made(games, i) + tricks.count_played(g) else -1


# --- the order of play ---------------------------------------------------------------------------------------------

_MOVE = (*tricks.SEATS, *SUIT_NAMES, "rank+1", "rank+2", "rank+4", "pass", "order-up", "call", "alone", "discard")
RECALL = tuple(
    Part(
        f"move_{k}",
        _MOVE,
        "in the order of play: who did what; a card's suit and rank (1 for a nine to 6 for an ace), those of the discard "
        "where it was seen; a called suit",
    )
    for k in range(1, MAX_STEPS + 1)
)
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
    v.moves = min(_calls_made(views, j) + tricks.count_played(v), MAX_STEPS)
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
    if g.moves != _calls_made(games, i) + tricks.count_played(g):
        return -1
    starts[j] = games[i]
    s = starts[j]
    tricks.take_back(s, _side_points(games, i, 0), _side_points(games, i, 1))
    if g.picked_up == 1:
        s.hands[g.dealer] = (s.hands[g.dealer] | g.discard) & ~g.turned
    for k in range(g.moves):
        action = np.int64(g.history[k])
        actions[k] = lowest(g.discard) if action == HIDDEN_DISCARD else action
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


def deal_text(state: Any) -> dict[str, str]:
    """Returns a deal's start in text, by key: the score, the dealer and the cards."""
    points = [0, 0]
    if state["maker"] >= 0:
        side = int(state["maker"]) & 1
        made = int(points_made(state["tricks"][side] + state["tricks"][side + 2], state["alone"]))
        points[side], points[1 - side] = max(made, 0), max(-made, 0)
    return tricks.deal_fields(DECK, state, points, dealt_hands(state), "turned", "kitty")


def set_deal(games: Games, i: int, fields: Mapping[str, str]) -> None:
    """Sets game ``i`` to the start of a deal of `deal_text`; ``kitty``, ``dealer`` and ``score`` may be left out."""
    tricks.check_keys("euchre", fields, ("hands", "turned"), ("kitty", "dealer", "score"))
    hands = [DECK.parse_set(text) for text in fields["hands"].split("/")]
    turned = DECK.parse_set(fields["turned"])
    rest = DECK.all & ~turned
    for hand in hands:
        rest &= ~hand
    kitty = DECK.parse_set(fields["kitty"]) if "kitty" in fields else rest
    piles = [(f"hand {seat}", hand, 5) for seat, hand in enumerate(hands)]
    piles += [("the turned card", turned, 1), ("the kitty", kitty, 3)]
    check_piles("euchre", piles, 4, DECK.all, DECK.format)
    tricks.set_table(games[i], fields, hands, _MAX_SCORE)
    games[i]["turned"], games[i]["kitty"] = turned, kitty
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


SPEC = define_game(
    "euchre",
    seats=4,
    sides=((0, 2), (1, 3)),
    actions=ACTIONS,
    state=STATE,
    observation=OBSERVATION,
    hidden=HIDDEN,
    ranges={"hands": (0, DECK.all), "kitty": (0, DECK.all)},
    options=OPTIONS,
    rewards=("points", "tricks", "win"),
    max_steps=MAX_STEPS,
    deal=deal,
    legal=legal,
    step=step,
    outcome=outcome,
    view=view,
    redeal=redeal,
    reveal=reveal,
    flaw=flaw,
    recall=recall,
    recollect=recollect,
    recall_parts=RECALL,
    rewind=rewind,
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
decode = SPEC.kernels.decode
