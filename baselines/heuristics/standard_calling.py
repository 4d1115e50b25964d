"""``standard``: calling and discarding in Euchre by the value of the hand, the seat, the turned card and the score.

Its form is the literature's, the numbers were tuned (``docs/results/calling.md``). Sources:

- *Card points*: the "point system" of the Euchre Universe columns (2006), in which ten points are one trick, a card is
  worth its measured chance of a trick, and the points a call needs depend on seat and round: 21 against the other side's
  deal, 11 beside the dealer, 16 in the second round. The worth of a third and fourth trump and of the seats is as in
  the "bidding point system" of the Ohio Euchre forum (2020), which counts quarter tricks. See `hand_worth` and `REQUIRED`.
- *Position*: "next" for the dealer's left and the other colour for the dealer's partner in the second round (*The Laws
  of Euchre as adopted by the Somerset Club of Boston*, 1888; the lessons of ohioeuchre.com); bowers and aces turned
  count against those who would order them into the other side's hand (the point table of euchrestrategy.info).
- *Going alone*: a count of winners (`lone_worth`); not with two points or fewer to go, when a march with the partner does
  as well (Euchre Universe).
- *Score* (`SCORE`, in games): the "Columbus coup" or donation at 9 to 6 and 9 to 7 (Natty Bumppo, *The Columbus Book of
  Euchre*), stronger hands when the other side needs two points, weaker ones when it needs one (Euchre Universe).
- *Discard*: a void first, no aces, no trumps (Euchre Universe; euchreinfo.com).
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.games import euchre
from cardenvs.games.tricks import NO_TRUMP_YET

_JACK, _KING, _ACE = 2, 4, 5  # ranks in Euchre's deck, of which the nine is 0

WORTH = np.array([0, 0, 0, 0, 0, 1, 4, 5, 5, 5, 5, 6, 7, 10], np.int64)  # points by strength number: plain cards, trumps

LENGTH_WORTH = np.array([0, 0, 0, 6, 10, 10, 10], np.int64)  # points for the number of trumps

REQUIRED = np.array([[26, 17, 26, 17], [15, 19, 15, 15], [21, 14, 15, 15]], np.int64)
"""Points needed by the dealer's left, its partner, its right and the dealer itself: in the first round; in the second for
the next suit (the other suit of the turned card's colour); in the second for another suit."""

AGAINST_BOWER, AGAINST_ACE = 13, 3  # more points needed to order a bower or an ace into the other side's hand

NEXT_TO_BOWER = 4  # fewer points needed for the next suit when its left bower lies turned down

LONE_WORTH = np.array([0, 0, 0, 0, 0, 2, 5, 5, 5, 6, 6, 7, 8, 10], np.int64)  # points towards going alone

LONE_LENGTH = np.array([0, 0, 0, -2, -5, -5, -5], np.int64)
"""Points towards going alone for the number of trumps: the fourth and fifth win what the third would have won."""

LONE_SUITS = np.array([0, 4, 4, 2, 0], np.int64)  # points towards going alone for the number of suits in the hand

ALONE = 27  # points of `lone_worth` needed to go alone

SCORE = np.array(
    [
        [[0, 0], [-8, -7], [2, -3], [-7, -4], [-7, -4], [-4, -6]],
        [[0, 0], [-4, 0], [2, 2], [0, 0], [0, 0], [0, 0]],
    ],
    np.int64,
)
"""More points needed in a game, by the points that the own side needs to win it (1; more), those that the other side needs
(0 to 5, or more), and whether the own side deals (no; yes)."""


@kernel
def hand_worth(hand: int, trump: int) -> int:
    """Value of a hand under a trump in tenths of a trick: its cards' points, and more for three trumps or more."""
    points = LENGTH_WORTH[popcount(hand & euchre.SUIT_SETS[trump, trump])]
    while hand != 0:
        points += WORTH[euchre.STRENGTH[trump, lowest(hand)]]
        hand &= hand - 1
    return points


@kernel
def lone_worth(hand: int, trump: int) -> int:
    """Value of a hand that goes alone under a trump: its likely winners, and voids to ruff in."""
    suits = 0
    for suit in range(4):
        if hand & euchre.SUIT_SETS[trump, suit] != 0:
            suits += 1
    points = LONE_SUITS[suits] + LONE_LENGTH[popcount(hand & euchre.SUIT_SETS[trump, trump])]
    while hand != 0:
        points += LONE_WORTH[euchre.STRENGTH[trump, lowest(hand)]]
        hand &= hand - 1
    return points


@kernel
def choose_discard(hand: int, trump: int) -> int:
    """The card that a dealer with six cards discards.

    The lowest singleton other than an ace, so as to be void. Without one the lowest plain card, but not from a king and one
    other card if there is another choice, and no ace unless all other cards are trumps; of equally weak cards that of the
    next suit is kept. The lowest trump only from six trumps.
    """
    chosen = -1
    least = 1 << 30
    rest = hand
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        suit = euchre.SUIT_OF[trump, card]
        rank = card % 6
        company = popcount(hand & euchre.SUIT_SETS[trump, suit])
        keep = 2 * euchre.STRENGTH[trump, card]
        if suit == trump:
            keep += 1000
        elif rank == _ACE:
            keep += 100
        elif company == 1:
            keep -= 50
        elif company == 2 and hand >> (6 * suit + _KING) & 1 and rank != _KING:
            keep += 3
        if suit == 3 - trump:
            keep += 1
        if keep < least:
            chosen, least = card, keep
    return chosen


@helper
def _own_deal(games: Any, i: int) -> int:
    return 1 - ((games[i].dealer - games[i].to_act) & 1)


@helper
def _points_to_go(games: Any, i: int) -> tuple[int, int]:
    g = games[i]
    side = g.to_act & 1
    return g.target - g.score[side], g.target - g.score[1 - side]


@kernel
def playing_hand(games: Any, i: int, suit: int) -> int:
    """The hand that the seat to act would play if it called ``suit``: a dealer takes the turned card and discards."""
    g = games[i]
    hand = g.hands[g.to_act]
    if g.phase == euchre.ORDERING and g.dealer == g.to_act:
        hand |= g.turned
        hand ^= np.int64(1) << choose_discard(hand, suit)
    return hand


@kernel
def call_surplus(games: Any, i: int, suit: int) -> int:
    """The points above those that the seat to act needs in order to call ``suit``, the score left out."""
    g = games[i]
    turned = lowest(g.turned)
    rank = turned % 6
    position = (g.to_act - g.dealer - 1) & 3
    points = hand_worth(playing_hand(games, i, suit), suit)
    if g.phase == euchre.ORDERING:
        points -= REQUIRED[0, position]
        if not _own_deal(games, i):
            points -= AGAINST_BOWER if rank == _JACK else AGAINST_ACE if rank == _ACE else 0
        return points
    if suit != 3 - euchre.SUIT_OF[NO_TRUMP_YET, turned]:
        return points - REQUIRED[2, position]
    return points - REQUIRED[1, position] + (NEXT_TO_BOWER if rank == _JACK else 0)


@kernel
def score_shift(games: Any, i: int) -> int:
    own, other = _points_to_go(games, i)
    return SCORE[0 if own == 1 else 1, min(other, 5), _own_deal(games, i)]


@kernel
def should_donate(games: Any, i: int, suit: int) -> bool:
    """Whether to order up with any hand, so that the dealer's side cannot win the game by going alone.

    At 9 to 6 or 7, with no bower against a lone hand, losing the two points of a euchre is the lesser evil.
    """
    g = games[i]
    own, other = _points_to_go(games, i)
    bowers = np.int64(1) << (6 * suit + _JACK) | np.int64(1) << (6 * (3 - suit) + _JACK)
    return own == 1 and (other == 3 or other == 4) and not _own_deal(games, i) and g.hands[g.to_act] & bowers == 0


@kernel
def goes_alone(games: Any, i: int, suit: int, minds_score: bool) -> bool:
    """Whether the seat to act, if it calls ``suit``, goes alone; with ``minds_score`` not where two points win the game."""
    required = ALONE
    if minds_score:
        own, other = _points_to_go(games, i)
        if own <= 2:
            return False
        if own <= 4 and other <= 2:
            required -= 2
    return lone_worth(playing_hand(games, i, suit), suit) >= required


@kernel
def standard_call(games: Any, i: int, actions: int, minds_score: bool) -> int:
    """The bid or discard of ``standard``; in the second round the suit with the greatest surplus."""
    g = games[i]
    if g.phase == euchre.DISCARDING:
        return choose_discard(g.hands[g.to_act], g.trump)
    minds_score = minds_score and g.episode == 1
    required = score_shift(games, i) if minds_score else 0
    if g.phase == euchre.ORDERING:
        suit = euchre.SUIT_OF[NO_TRUMP_YET, lowest(g.turned)]
        if call_surplus(games, i, suit) >= required:
            return euchre.ORDER_UP_ALONE if goes_alone(games, i, suit, minds_score) else euchre.ORDER_UP
        return euchre.ORDER_UP if minds_score and should_donate(games, i, suit) else euchre.PASS
    best = -1
    most = 0
    for suit in range(4):
        if actions >> (euchre.CALL + suit) & 1:
            points = call_surplus(games, i, suit)
            if best < 0 or points > most:
                best, most = suit, points
    if most < required and actions >> euchre.PASS & 1:
        return np.int64(euchre.PASS)
    return (euchre.CALL_ALONE if goes_alone(games, i, best, minds_score) else euchre.CALL) + best
