"""The search that settles the rest of a trick game with all cards open, for any trick game of four seats.

The search asks one question, "does the leader's side take at least so many of the tricks left?", and asks it again with
another number until the value is known. What keeps it small:

- cards that are neighbours among the cards still in play count as one (*gaps* are bits whose card is gone);
- tricks that are plainly safe, top trumps and winners to be cashed, decide most positions without a search;
- a transposition table, with the cards renumbered so that only their order counts. Its key is a 64-bit hash of the whole
  position seen from its leader, so all deals, seats and trumps may share one; a wrong hit has the chance 2**-64.

Trump is always the highest of four *lanes* of 16 bits, a suit's cards lie in order of strength from bit 1 of their lane,
and a card is its bit: among the cards of the led suit and the trumps the greatest number wins. A trick's four seats are
counted from its leader, *plies* 0 to 3; the leader's side has plies 0 and 2. ``left`` counts incomplete tricks, 1 to 13,
``fixed`` the plies of the current trick that play the card which ``stack`` names; later plies play any legal card.

The search keeps its own stack instead of calling itself: one function serves all games and sizes, and numba caches it.
"""

from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints, borrowed, highest, lowest, popcount
from cardenvs.compiled.jit import helper, kernel

# --- cards as bits -------------------------------------------------------------------------------------------------

_LANE: Any = np.int64(0x3FFE)
_TRUMPS = _LANE << np.int64(48)
_RANKS = _LANE | _LANE << np.int64(16) | _LANE << np.int64(32) | _TRUMPS
NO_CARD: Any = np.int64(1) << np.int64(62)  # no card: of a seat that sits out, or not yet played


def bit_lookups(suit_of: Ints, strength: Ints) -> tuple[Ints, Ints]:
    """Lookups from a game's cards to their bits and back, by ``suit_of`` and ``strength`` of `SuitLookups`.

    Returns the bit of each card under each trump, int64 (4, cards), and the card of each bit, int64 (4, 64), or -1.
    """
    cards = suit_of.shape[1] - 1
    bit_of = np.zeros((4, cards), np.int64)
    card_at = np.full((4, 64), -1, np.int64)
    for trump in range(4):
        suits = [suit for suit in range(4) if suit != trump] + [trump]
        for lane, suit in enumerate(suits):
            members = [card for card in range(cards) if suit_of[trump, card] == suit]
            for rank, card in enumerate(sorted(members, key=lambda c: int(strength[trump, c]))):
                bit_of[trump, card] = 16 * lane + 1 + rank
                card_at[trump, 16 * lane + 1 + rank] = card
    return bit_of, card_at


def _upper_bits(width: int) -> Any:
    """All bits above the ``width`` lowest of each lane: those that a lane shifted up by ``width`` may fill."""
    return np.array([0xFFFF << width & 0xFFFF] * 4, np.uint16).view(np.int64)[0]


_UPPER1, _UPPER2, _UPPER4, _UPPER8 = (_upper_bits(width) for width in (1, 2, 4, 8))
_HASH0, _HASH1, _HASH2, _HASH3 = np.array(
    [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93], np.uint64
).view(np.int64)


@helper
def _lane_of(card: int) -> int:
    """The lane that ``card`` lies in, as a mask."""
    return _LANE << (lowest(card) & 48)


@helper
def _bits_above(cards: int) -> int:
    """All bits above the highest of ``cards``; all but the lowest if there is none."""
    return -(np.int64(2) << highest(cards | 1))


@helper
def _distinct_cards(cards: int, gaps: int) -> int:
    """The lowest card of each run of neighbours in ``cards``, which only ``gaps`` separate."""
    # A card's bit, shifted up and added, runs through the gaps above it to the next card in play.
    return cards & ~(((cards << 1) + gaps) & ~gaps)


@helper
def _fill_ways(holes: int) -> int:
    """The bits with an odd number of ``holes`` at or below them in their lane."""
    holes ^= (holes << 1) & _UPPER1
    holes ^= (holes << 2) & _UPPER2
    holes ^= (holes << 4) & _UPPER4
    return holes ^ ((holes << 8) & _UPPER8)


@helper
def _shift_down(cards: int, moving: int, by: int) -> int:
    """``cards``, those of ``moving`` among them shifted down ``by`` bits."""
    moved = cards & moving
    return (cards ^ moved) | (moved >> by)


@helper
def close_gaps(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """Renumbers each lane's cards from the bottom: four hands of which only the order of the cards counts."""
    cards = a | b | c | d
    # Bit by bit of the number of gaps below a card, as in the parallel-suffix compression of Warren, Hacker's Delight 7-4.
    holes = (_RANKS & ~cards) << 1
    odd = _fill_ways(holes)
    moving = odd & cards
    a, b, c, d = _shift_down(a, moving, 1), _shift_down(b, moving, 1), _shift_down(c, moving, 1), _shift_down(d, moving, 1)
    cards = _shift_down(cards, moving, 1)
    holes &= ~odd
    odd = _fill_ways(holes)
    moving = odd & cards
    a, b, c, d = _shift_down(a, moving, 2), _shift_down(b, moving, 2), _shift_down(c, moving, 2), _shift_down(d, moving, 2)
    cards = _shift_down(cards, moving, 2)
    holes &= ~odd
    odd = _fill_ways(holes)
    moving = odd & cards
    a, b, c, d = _shift_down(a, moving, 4), _shift_down(b, moving, 4), _shift_down(c, moving, 4), _shift_down(d, moving, 4)
    cards = _shift_down(cards, moving, 4)
    holes &= ~odd
    moving = _fill_ways(holes) & cards
    return _shift_down(a, moving, 8), _shift_down(b, moving, 8), _shift_down(c, moving, 8), _shift_down(d, moving, 8)


# --- the search ----------------------------------------------------------------------------------------------------
#
# `stack` holds a frame for each trick that is being searched, then the position asked about: its four hands from the leader
# on, cards of the current trick included, and the cards of the plies that are fixed.

# Columns of a frame: 0 to 3 are the four hands, then come
_NEED, _LEFT, _SLOT, _KEY, _FLIP, _LED = 4, 5, 6, 7, 8, 9
# and, one for each ply: cards to try first and later, the card played, the best so far, the ply that played it, the gaps.
_FIRST, _LATER, _CARD, _BEST, _HOLDER, _GAPS = 10, 14, 18, 22, 26, 30
_FRAME = 34
ROOT = 13  # the row of the stack that holds the position asked about
FIXED = 4  # first column of the fixed plies' cards in the row `ROOT`, behind the four hands from the leader on


def workspace(cards: int) -> tuple[Ints, Ints]:
    """Work arrays for one thread: a transposition table of 64 KiB to 16 MiB, by the most cards a hand, and a stack."""
    bits = 12 if cards <= 5 else min(2 * cards + 2, 20)
    return np.zeros(2 << bits, np.int64), np.zeros((ROOT + 1, _FRAME), np.int64)


@helper
def _trick_bounds(a: int, b: int, c: int, d: int, left: int) -> tuple[int, int]:
    """Fewest and most of the ``left`` tricks that the leader's side can take, from tricks that are plainly safe."""
    ta, tb, tc, td = a & _TRUMPS, b & _TRUMPS, c & _TRUMPS, d & _TRUMPS
    most = left
    top_a, top_c = 0, 0
    # A trump above all of the other side's wins its trick whenever it is played.
    if ta | tc > tb | td:
        top = _bits_above(tb | td)
        top_a, top_c = popcount(ta & top), popcount(tc & top)
    elif tb | td > ta | tc:
        top = _bits_above(ta | tc)
        most -= max(popcount(tb & top), popcount(td & top))
    # Plain winners that the leader can cash: as long as an opponent with trumps must follow ...
    cashed, cashed_late = 0, 0
    for lane in range(0, 48, 16):
        suit = _LANE << lane
        others = (b | c | d) & suit
        if a & suit > others:
            run = popcount(a & suit & _bits_above(others))
            cashed_late += run
            if tb != 0:
                run = min(run, popcount(b & suit))
            if td != 0:
                run = min(run, popcount(d & suit))
            cashed += run
    # ... and until the partner has nothing but trumps left, ruffs and takes over the lead.
    until_ruff = popcount(c & ~_TRUMPS) + 1
    if tc != 0:
        cashed = min(cashed, until_ruff)
    fewest = top_a + cashed
    # Or trumps first, if the leader can draw all trumps of the other side and keep the lead: then all plain winners hold.
    drawn = popcount(ta & _bits_above(tb | tc | td)) if ta > tb | tc | td else 0
    if drawn >= popcount(tb) and drawn >= popcount(td):
        if popcount(tc) > drawn:
            cashed_late = min(cashed_late, until_ruff)
        fewest = max(fewest, top_a + cashed_late)
    return max(fewest, top_c), most


@helper
def _open_frame(
    stack: Ints, at: int, a: int, b: int, c: int, d: int, need: int, left: int, slot: int, key: int, fixed: int
) -> None:
    """Writes the frame of a trick: its position, what is asked of it, and the leader's cards."""
    stack[at, 0] = a
    stack[at, 1] = b
    stack[at, 2] = c
    stack[at, 3] = d
    stack[at, _NEED] = need
    stack[at, _LEFT] = left
    stack[at, _SLOT] = slot
    stack[at, _KEY] = key
    gaps = _RANKS & ~(a | b | c | d)
    stack[at, _GAPS] = gaps
    first = _distinct_cards(a, gaps)
    later = first & _TRUMPS
    first ^= later
    if at == 0 and fixed > 0:
        first, later = stack[ROOT, FIXED], 0
    stack[at, _FIRST] = first
    stack[at, _LATER] = later


@helper
def _store_answer(transpositions: Ints, stack: Ints, at: int, answer: bool) -> None:
    """Writes the answer for a frame's position to its slot, if it has one."""
    slot = stack[at, _SLOT]
    if slot >= 0:
        need, key = stack[at, _NEED], stack[at, _KEY]
        fewest, most = 0, stack[at, _LEFT]
        if transpositions[slot] == key:
            fewest, most = transpositions[slot + 1] & 15, transpositions[slot + 1] >> 4
        if answer:
            fewest = max(fewest, need)
        else:
            most = min(most, need - 1)
        transpositions[slot] = key
        transpositions[slot + 1] = fewest | most << 4


@helper
def _playable_cards(hand: int, led: int, gaps: int) -> int:
    """The cards of a hand that may follow, one of each run; NO_CARD if the hand is empty."""
    cards = hand & led
    if cards == 0:
        cards = hand if hand != 0 else NO_CARD
    return _distinct_cards(cards, gaps)


@helper
def _stored_answer(transpositions: Ints, slot: int, key: int, need: int) -> tuple[bool, bool]:
    """Whether the slot of a position has the answer, and the answer."""
    known, answer = False, False
    if transpositions[slot] == key:
        entry = transpositions[slot + 1]
        answer = entry & 15 >= need
        known = answer or entry >> 4 < need
    return known, answer


@helper
def _hand_back(transpositions: Ints, stack: Ints, at: int, answer: bool) -> tuple[int, int, bool]:
    """Hands an answer on to the trick before ``at``, as far back as that settles things.

    Returns the frame and the ply that tries another card, and the answer; frame -1 if all is settled.
    """
    ply = 0
    while at >= 0:
        # The last ply of the side that the answer is bad for tries another card. If it has none, the other side's ply
        # before it is content with the answer, so the ply before that one is asked.
        ply = 3 if answer != (stack[at, _FLIP] != 0) else 2
        if stack[at, _FIRST + ply] | stack[at, _LATER + ply] != 0:
            break
        ply -= 2
        if stack[at, _FIRST + ply] | stack[at, _LATER + ply] != 0:
            break
        answer = ply == 1
        _store_answer(transpositions, stack, at, answer)
        at -= 1
    return at, ply, answer


@helper
def _play_trick(stack: Ints, at: int, ply: int, fixed: int) -> int:
    """Plays a frame's trick from a ply to its end, each ply its next card; returns the ply that wins it."""
    while True:
        todo = stack[at, _FIRST + ply]
        if todo == 0:
            todo = stack[at, _LATER + ply]
            stack[at, _LATER + ply] = 0
        if ply == 0:
            card = np.int64(1) << highest(todo)
            led = _lane_of(card)
            stack[at, _LED] = led
            best, holder = card, 0
            gaps = stack[at, _GAPS]
        else:
            card = todo & -todo
            led = stack[at, _LED]
            best = stack[at, _BEST + ply - 1]
            holder = stack[at, _HOLDER + ply - 1]
            gaps = stack[at, _GAPS + ply - 1]
            value = card & (led | _TRUMPS)
            # A beaten card is out of play at once.
            if value > best:
                gaps |= best
                best, holder = value, ply
            else:
                gaps |= card
        stack[at, _FIRST + ply] = todo ^ card
        stack[at, _CARD + ply] = card
        if ply == 3:
            return holder
        stack[at, _BEST + ply] = best
        stack[at, _HOLDER + ply] = holder
        stack[at, _GAPS + ply] = gaps
        ply += 1
        cards = _playable_cards(stack[at, ply], led, gaps)
        # Winning cards first, the cheapest first; but while the partner's card is winning, the losing cards first.
        first = cards & (led | _TRUMPS) & -(best << 1)
        later = cards ^ first
        if ply >= 2 and holder == ply - 2:
            first, later = later, first
        if at == 0 and ply < fixed:
            first, later = stack[ROOT, FIXED + ply], 0
        stack[at, _FIRST + ply] = first
        stack[at, _LATER + ply] = later


@kernel
def can_take(left: int, need: int, fixed: int, transpositions: Ints, stack: Ints) -> bool:
    """Whether the leader's side takes at least ``need`` of the ``left`` tricks of the position at row ROOT."""
    transpositions, stack = borrowed(transpositions), borrowed(stack)
    a, b, c, d = stack[ROOT, 0], stack[ROOT, 1], stack[ROOT, 2], stack[ROOT, 3]
    slots = len(transpositions) // 2 - 1
    at = -1  # the current trick's frame
    while True:
        # At the start of a trick: the answer may be plain or remembered.
        answer, known = False, True
        slot, key = -1, 0
        if need <= 0:
            answer = True
        elif need > left:
            pass
        elif left == 1:
            wins = _TRUMPS | _lane_of(a)
            answer = (a | c) & wins > (b | d) & wins
        elif at < 0 and fixed > 0:
            known = False
        else:
            fewest, most = _trick_bounds(a, b, c, d, left)
            if fewest >= need:
                answer = True
            elif most >= need:
                known = False
                if left >= 3:
                    a, b, c, d = close_gaps(a, b, c, d)
                    key = a * _HASH0 + b * _HASH1 + c * _HASH2 + d * _HASH3
                    key = (key ^ (key >> 32)) * _HASH0
                    slot = ((key >> 36) & slots) * 2
                    known, answer = _stored_answer(transpositions, slot, key, need)
        ply = 0
        if known:
            at, ply, answer = _hand_back(transpositions, stack, at, answer)
            if at < 0:
                return answer
        else:
            at += 1
            _open_frame(stack, at, a, b, c, d, need, left, slot, key, fixed)
        holder = _play_trick(stack, at, ply, fixed)
        # The trick is complete: the next position, seen from its winner.
        a = stack[at, 0] & ~stack[at, _CARD]
        b = stack[at, 1] & ~stack[at, _CARD + 1]
        c = stack[at, 2] & ~stack[at, _CARD + 2]
        d = stack[at, 3] & ~stack[at, _CARD + 3]
        left = stack[at, _LEFT] - 1
        need = stack[at, _NEED] - 1
        stack[at, _FLIP] = holder & 1
        if holder & 1:
            need = left - need
            a, b, c, d = b, c, d, a
        if holder & 2:
            a, b, c, d = c, d, a, b


@kernel
def lead_tricks(left: int, guess: int, fixed: int, transpositions: Ints, stack: Ints) -> int:
    """Number of the ``left`` tricks that the leader's side takes in the position in ``stack``; ``guess`` is asked first."""
    fewest, most = 0, left
    if fixed == 0:
        fewest, most = _trick_bounds(stack[ROOT, 0], stack[ROOT, 1], stack[ROOT, 2], stack[ROOT, 3], left)
    need = guess
    while fewest < most:
        need = min(max(need, fewest + 1), most)
        if can_take(left, need, fixed, transpositions, stack):
            fewest = need
            need += 1
        else:
            most = need - 1
            need -= 1
    return fewest


@kernel
def card_tricks(left: int, fixed: int, card_at: Ints, trump: int, transpositions: Ints, stack: Ints, out: Ints) -> None:
    """Writes the tricks that the side to act, at ply ``fixed``, takes with each card to ``out``, -1 if illegal."""
    for card in range(len(out)):
        out[card] = -1
    cards = stack[ROOT, fixed]
    best = 0
    in_play = 0
    if fixed > 0:
        led = _lane_of(stack[ROOT, FIXED])
        if cards & led != 0:
            cards &= led
        for ply in range(fixed):
            best = max(best, stack[ROOT, FIXED + ply] & (led | _TRUMPS))
            in_play |= stack[ROOT, ply] & ~stack[ROOT, FIXED + ply]
    for ply in range(fixed, 4):
        in_play |= stack[ROOT, ply]
    gaps = _RANKS & ~(in_play | best)
    solved = _distinct_cards(cards, gaps)
    tricks = (left + 1) >> 1
    while cards != 0:
        bit = cards & -cards
        cards ^= bit
        if solved & bit != 0:
            stack[ROOT, FIXED + fixed] = bit
            tricks = lead_tricks(left, tricks, fixed + 1, transpositions, stack)
        # Else the card is a neighbour of the card before and takes as many tricks.
        out[card_at[trump, lowest(bit)]] = left - tricks if fixed & 1 else tricks
