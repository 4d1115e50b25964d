"""Exact play with all cards open ("double dummy") in Euchre, lone hands included, and in Whist's endings.

`solve` and `solve_cards` take games as every shell keeps them; `euchre_cards` and its kin are the same as kernels.

The search asks one question, "does the leader's side take at least so many of the tricks left?", and asks it again with
another number until the value is known. What keeps it small:

- cards that are neighbours among the cards still in play count as one (*gaps* are places whose card is gone);
- tricks that are plainly safe, top trumps and winners to be cashed, decide most positions without a search;
- a table of positions, with the cards renumbered so that only their order counts. Its key is a 64-bit hash of the whole
  position seen from its leader, so all deals, seats and trumps may share a table; a wrong hit has the chance 2**-64.

Inside, trump is always the highest of four *lanes* of 16 bits, a suit's cards lie in order of strength from bit 1 of their
lane, and a card is its bit: among the cards of the led suit and the trumps the greatest number wins. A trick's four seats
are counted from its leader, *plies* 0 to 3; the leader's side has plies 0 and 2.

The search keeps its own stack instead of calling itself: one function serves all games and sizes, and numba caches it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.cards import Ints, highest, lowest, popcount
from cardenvs.drivers import RUNNING
from cardenvs.games import euchre, whist
from cardenvs.jit import driver, helper, kernel
from cardenvs.spec import Games, GameSpec

MAX_CARDS = 10
"""Most cards a hand for which Whist is solved here; further from the end it takes `cardenvs.baselines.search.dds`."""

# --- cards as bits -------------------------------------------------------------------------------------------------

_LANE: Any = np.int64(0x3FFE)
_TRUMPS = _LANE << np.int64(48)
_RANKS = _LANE | _LANE << np.int64(16) | _LANE << np.int64(32) | _TRUMPS
_NO_CARD: Any = np.int64(1) << np.int64(62)
"""What a seat that sits out plays."""


def _places(suit_of: Ints, strength: Ints) -> tuple[Ints, Ints]:
    """The bit of each card, int64 (4, cards) by trump, and the card of each bit, int64 (4, 64)."""
    cards = suit_of.shape[1] - 1
    place = np.zeros((4, cards), np.int64)
    card_at = np.full((4, 64), -1, np.int64)
    for trump in range(4):
        suits = [suit for suit in range(4) if suit != trump] + [trump]
        for lane, suit in enumerate(suits):
            members = [card for card in range(cards) if suit_of[trump, card] == suit]
            for rank, card in enumerate(sorted(members, key=lambda c: int(strength[trump, c]))):
                place[trump, card] = 16 * lane + 1 + rank
                card_at[trump, 16 * lane + 1 + rank] = card
    return place, card_at


EUCHRE_PLACE, EUCHRE_CARD = _places(euchre.SUIT_OF, euchre.STRENGTH)
WHIST_PLACE, WHIST_CARD = _places(whist.SUIT_OF, whist.STRENGTH)


def _upper(width: int) -> Any:
    """All bits but the ``width`` lowest of each lane: what a lane shifted up by ``width`` may fill."""
    return np.array([0xFFFF << width & 0xFFFF] * 4, np.uint16).view(np.int64)[0]


_UPPER1, _UPPER2, _UPPER4, _UPPER8 = (_upper(width) for width in (1, 2, 4, 8))
_HASH0, _HASH1, _HASH2, _HASH3 = np.array(
    [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93], np.uint64
).view(np.int64)


@helper
def _lane(card: int) -> int:
    """The lane that ``card`` lies in, as a mask."""
    return _LANE << (lowest(card) & 48)


@helper
def _above(cards: int) -> int:
    """All bits above the highest of ``cards``; all but the lowest if there is none."""
    return -(np.int64(2) << highest(cards | 1))


@helper
def _distinct(cards: int, gaps: int) -> int:
    """The lowest card of each run of neighbours in ``cards``, which only ``gaps`` separate."""
    # A card's bit, shifted up and added, runs through the gaps above it to the next card in play.
    return cards & ~(((cards << 1) + gaps) & ~gaps)


@helper
def _fill_ways(holes: int) -> int:
    """The places with an odd number of ``holes`` at or below them in their lane."""
    holes ^= (holes << 1) & _UPPER1
    holes ^= (holes << 2) & _UPPER2
    holes ^= (holes << 4) & _UPPER4
    return holes ^ ((holes << 8) & _UPPER8)


@helper
def _drop(cards: int, moving: int, by: int) -> int:
    moved = cards & moving
    return (cards ^ moved) | (moved >> by)


@helper
def _close_gaps(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """Renumbers each lane's cards from the bottom: four hands of which only the order of the cards counts."""
    cards = a | b | c | d
    # Bit by bit of the number of gaps below a card, as in the parallel-suffix compression of Warren, Hacker's Delight 7-4.
    holes = (_RANKS & ~cards) << 1
    odd = _fill_ways(holes)
    moving = odd & cards
    a, b, c, d = _drop(a, moving, 1), _drop(b, moving, 1), _drop(c, moving, 1), _drop(d, moving, 1)
    cards = _drop(cards, moving, 1)
    holes &= ~odd
    odd = _fill_ways(holes)
    moving = odd & cards
    a, b, c, d = _drop(a, moving, 2), _drop(b, moving, 2), _drop(c, moving, 2), _drop(d, moving, 2)
    cards = _drop(cards, moving, 2)
    holes &= ~odd
    odd = _fill_ways(holes)
    moving = odd & cards
    a, b, c, d = _drop(a, moving, 4), _drop(b, moving, 4), _drop(c, moving, 4), _drop(d, moving, 4)
    cards = _drop(cards, moving, 4)
    holes &= ~odd
    moving = _fill_ways(holes) & cards
    return _drop(a, moving, 8), _drop(b, moving, 8), _drop(c, moving, 8), _drop(d, moving, 8)


# --- the search ----------------------------------------------------------------------------------------------------
#
# `stack` holds a frame for each trick that is being searched, then the position asked about: its four hands from the leader
# on, cards of the current trick included, and the cards of the plies that are fixed.

# Columns of a frame: the four hands, then
_NEED, _LEFT, _SLOT, _KEY, _FLIP, _LED = 4, 5, 6, 7, 8, 9
# and, one for each ply: cards to try first and later, the card played, the best so far, who played that, and the gaps.
_FIRST, _LATER, _CARD, _BEST, _HOLDER, _GAPS = 10, 14, 18, 22, 26, 30
_FRAME = 34
_ROOT = 13
_FIXED = 4


def workspace(cards: int) -> tuple[Ints, Ints]:
    """What the search needs to work in: a table and a stack, int64, to be used by one thread at a time.

    Args:
        cards: most cards a hand that will be solved. The table grows with it, from 64 KiB to 16 MiB.
    """
    bits = 12 if cards <= 5 else min(2 * cards + 2, 20)
    return np.zeros(2 << bits, np.int64), np.zeros((_ROOT + 1, _FRAME), np.int64)


@helper
def _bounds(a: int, b: int, c: int, d: int, left: int) -> tuple[int, int]:
    """Fewest and most of the ``left`` tricks that the leader's side can take, from tricks that are plainly safe."""
    ta, tb, tc, td = a & _TRUMPS, b & _TRUMPS, c & _TRUMPS, d & _TRUMPS
    most = left
    top_a, top_c = 0, 0
    # A trump above all of the other side's wins its trick whenever it is played.
    if ta | tc > tb | td:
        top = _above(tb | td)
        top_a, top_c = popcount(ta & top), popcount(tc & top)
    elif tb | td > ta | tc:
        top = _above(ta | tc)
        most -= max(popcount(tb & top), popcount(td & top))
    # Plain winners that the leader can cash: as long as an opponent with trumps must follow ...
    cashed, cashed_late = 0, 0
    for lane in range(0, 48, 16):
        suit = _LANE << lane
        others = (b | c | d) & suit
        if a & suit > others:
            run = popcount(a & suit & _above(others))
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
    # Or trumps first, if the leader can draw all of the other side's and stay in the lead: then every plain winner holds.
    drawn = popcount(ta & _above(tb | tc | td)) if ta > tb | tc | td else 0
    if drawn >= popcount(tb) and drawn >= popcount(td):
        if popcount(tc) > drawn:
            cashed_late = min(cashed_late, until_ruff)
        fewest = max(fewest, top_a + cashed_late)
    return max(fewest, top_c), most


@kernel
def can_take(left: int, need: int, fixed: int, table: Ints, stack: Ints) -> bool:
    """Whether the leader's side takes at least ``need`` of the ``left`` tricks of the position in ``stack``.

    The first ``fixed`` plies of the current trick play the cards that ``stack`` names, the others what they like.
    """
    a, b, c, d = stack[_ROOT, 0], stack[_ROOT, 1], stack[_ROOT, 2], stack[_ROOT, 3]
    slots = len(table) // 2 - 1
    at = -1  # the current trick's frame
    while True:
        # At the start of a trick: the answer may be plain or in the table.
        answer = False
        known = True
        slot = -1
        key = 0
        if need <= 0:
            answer = True
        elif need > left:
            pass
        elif left == 1:
            wins = _TRUMPS | _lane(a)
            answer = (a | c) & wins > (b | d) & wins
        elif at < 0 and fixed > 0:
            known = False
        else:
            fewest, most = _bounds(a, b, c, d, left)
            if fewest >= need:
                answer = True
            elif most >= need:
                known = False
                if left >= 3:
                    a, b, c, d = _close_gaps(a, b, c, d)
                    key = a * _HASH0 + b * _HASH1 + c * _HASH2 + d * _HASH3
                    key = (key ^ (key >> 32)) * _HASH0
                    slot = ((key >> 36) & slots) * 2
                    if table[slot] == key:
                        entry = table[slot + 1]
                        if entry & 15 >= need:
                            known = answer = True
                        elif entry >> 4 < need:
                            known = True
        ply = 0
        if not known:
            # Search it: open a frame.
            at += 1
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
            first = _distinct(a, gaps)
            later = first & _TRUMPS
            first ^= later
            if at == 0 and fixed > 0:
                first, later = stack[_ROOT, _FIXED], 0
            stack[at, _FIRST] = first
            stack[at, _LATER] = later
        else:
            # Answered: hand it on to the trick before, as far back as that settles things.
            while True:
                if at < 0:
                    return answer
                # Who played last before the answer and does not like it tries another card. A ply without another card
                # has lost; the other side's ply before it is content, so the one before that is asked.
                ply = 3 if answer != (stack[at, _FLIP] != 0) else 2
                if stack[at, _FIRST + ply] | stack[at, _LATER + ply] != 0:
                    break
                ply -= 2
                if stack[at, _FIRST + ply] | stack[at, _LATER + ply] != 0:
                    break
                answer = ply == 1
                slot = stack[at, _SLOT]
                if slot >= 0:
                    need, key = stack[at, _NEED], stack[at, _KEY]
                    fewest, most = 0, stack[at, _LEFT]
                    if table[slot] == key:
                        fewest, most = table[slot + 1] & 15, table[slot + 1] >> 4
                    if answer:
                        fewest = max(fewest, need)
                    else:
                        most = min(most, need - 1)
                    table[slot] = key
                    table[slot + 1] = fewest | most << 4
                at -= 1
        # Play on from `ply` to the end of the trick.
        while True:
            todo = stack[at, _FIRST + ply]
            if todo == 0:
                todo = stack[at, _LATER + ply]
                stack[at, _LATER + ply] = 0
            if ply == 0:
                card = np.int64(1) << highest(todo)
                led = _lane(card)
                stack[at, _LED] = led
                best = card
                holder = 0
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
                    best = value
                    holder = ply
                else:
                    gaps |= card
            stack[at, _FIRST + ply] = todo ^ card
            stack[at, _CARD + ply] = card
            if ply == 3:
                break
            stack[at, _BEST + ply] = best
            stack[at, _HOLDER + ply] = holder
            stack[at, _GAPS + ply] = gaps
            ply += 1
            hand = stack[at, ply]
            cards = hand & led
            if cards == 0:
                cards = hand if hand != 0 else _NO_CARD
            cards = _distinct(cards, gaps)
            # Winning cards first, the cheapest first; but after the partner's best card the others.
            first = cards & (led | _TRUMPS) & -(best << 1)
            later = cards ^ first
            if ply >= 2 and holder == ply - 2:
                first, later = later, first
            if at == 0 and ply < fixed:
                first, later = stack[_ROOT, _FIXED + ply], 0
            stack[at, _FIRST + ply] = first
            stack[at, _LATER + ply] = later
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
def lead_tricks(left: int, guess: int, fixed: int, table: Ints, stack: Ints) -> int:
    """How many of the ``left`` tricks the leader's side takes in the position in ``stack``; quick if near ``guess``."""
    fewest, most = 0, left
    if fixed == 0:
        fewest, most = _bounds(stack[_ROOT, 0], stack[_ROOT, 1], stack[_ROOT, 2], stack[_ROOT, 3], left)
    need = guess
    while fewest < most:
        need = min(max(need, fewest + 1), most)
        if can_take(left, need, fixed, table, stack):
            fewest = need
            need += 1
        else:
            most = need - 1
            need -= 1
    return fewest


@kernel
def _card_tricks(left: int, fixed: int, card_at: Ints, trump: int, table: Ints, stack: Ints, out: Ints) -> None:
    """Writes to ``out[card]`` what the side to act takes with each legal card, at ply ``fixed``; -1 elsewhere."""
    for card in range(len(out)):
        out[card] = -1
    cards = stack[_ROOT, fixed]
    best = 0
    in_play = 0
    if fixed > 0:
        led = _lane(stack[_ROOT, _FIXED])
        if cards & led != 0:
            cards &= led
        for ply in range(fixed):
            best = max(best, stack[_ROOT, _FIXED + ply] & (led | _TRUMPS))
            in_play |= stack[_ROOT, ply] & ~stack[_ROOT, _FIXED + ply]
    for ply in range(fixed, 4):
        in_play |= stack[_ROOT, ply]
    gaps = _RANKS & ~(in_play | best)
    solved = _distinct(cards, gaps)
    tricks = (left + 1) >> 1
    while cards != 0:
        bit = cards & -cards
        cards ^= bit
        if solved & bit != 0:
            stack[_ROOT, _FIXED + fixed] = bit
            tricks = lead_tricks(left, tricks, fixed + 1, table, stack)
        # Else a neighbour of the card before.
        out[card_at[trump, lowest(bit)]] = left - tricks if fixed & 1 else tricks


# --- games ---------------------------------------------------------------------------------------------------------


@driver
def _load(g: Any, absent: Any, place: Any, stack: Any) -> Any:
    """Writes a game's position to ``stack``; returns how many plies of the current trick have been played."""
    fixed = (g.to_act - g.leader) & 3
    for ply in range(4):
        seat = (g.leader + ply) & 3
        hand = 0
        if seat != absent:
            cards = g.hands[seat] | g.trick[seat]
            while cards != 0:
                hand |= np.int64(1) << place[g.trump, lowest(cards)]
                cards &= cards - 1
        stack[_ROOT, ply] = hand
        stack[_ROOT, _FIXED + ply] = _NO_CARD
        if g.trick[seat] != 0:
            stack[_ROOT, _FIXED + ply] = np.int64(1) << place[g.trump, lowest(g.trick[seat])]
    return fixed


@driver
def _value(g: Any, absent: Any, place: Any, table: Any, stack: Any) -> Any:
    fixed = _load(g, absent, place, stack)
    left = popcount(stack[_ROOT, 0])
    tricks = lead_tricks(left, (left + 1) >> 1, fixed, table, stack)
    return left - tricks if g.leader & 1 else tricks


@driver
def _cards(g: Any, absent: Any, place: Any, card_at: Any, table: Any, stack: Any, out: Any) -> None:
    fixed = _load(g, absent, place, stack)
    _card_tricks(popcount(stack[_ROOT, 0]), fixed, card_at, g.trump, table, stack, out)


@kernel
def euchre_value(games: Any, i: int, table: Ints, stack: Ints) -> int:
    """The tricks that side 0 will still take in game ``i`` of Euchre, whose cards are being played."""
    return _value(games[i], euchre.sitting_out(games, i), EUCHRE_PLACE, table, stack)


@kernel
def euchre_cards(games: Any, i: int, table: Ints, stack: Ints, out: Ints) -> None:
    """Writes to ``out[card]`` (24) the tricks that the side to act will still take with each legal card; -1 elsewhere."""
    _cards(games[i], euchre.sitting_out(games, i), EUCHRE_PLACE, EUCHRE_CARD, table, stack, out)


@kernel
def whist_value(games: Any, i: int, table: Ints, stack: Ints) -> int:
    """The tricks that side 0 will still take in game ``i`` of Whist."""
    return _value(games[i], -1, WHIST_PLACE, table, stack)


@kernel
def whist_cards(games: Any, i: int, table: Ints, stack: Ints, out: Ints) -> None:
    """Writes to ``out[card]`` (52) the tricks that the side to act will still take with each legal card; -1 elsewhere."""
    _cards(games[i], -1, WHIST_PLACE, WHIST_CARD, table, stack, out)


@kernel
def _euchre_values(games: Any, start: int, stop: int, table: Ints, stack: Ints, out: Ints) -> None:
    for i in range(start, stop):
        out[i, 0] = euchre_value(games, i, table, stack)


@kernel
def _whist_values(games: Any, start: int, stop: int, table: Ints, stack: Ints, out: Ints) -> None:
    for i in range(start, stop):
        out[i, 0] = whist_value(games, i, table, stack)


@kernel
def _euchre_all_cards(games: Any, start: int, stop: int, table: Ints, stack: Ints, out: Ints) -> None:
    for i in range(start, stop):
        euchre_cards(games, i, table, stack, out[i])


@kernel
def _whist_all_cards(games: Any, start: int, stop: int, table: Ints, stack: Ints, out: Ints) -> None:
    for i in range(start, stop):
        whist_cards(games, i, table, stack, out[i])


# --- for users -----------------------------------------------------------------------------------------------------


def solve(games: Games, *, threads: int = 1) -> npt.NDArray[np.int64]:
    """The tricks that each side will still take if all play perfectly and see all cards.

    Args:
        games: full states of Euchre or Whist (a structured array of STATE, shape (n,)), cards being played; a trick may
            be under way. In Whist at most `MAX_CARDS` cards a hand.
        threads: how many to share the games among.

    Returns:
        int64 (n, 2), sides 0 (even seats) and 1. The current trick counts, tricks already won do not.

    Raises:
        ValueError: another game's states or another shape, ``threads`` below 1; a game that is not in play, hidden hands,
            more than `MAX_CARDS` cards a hand: names the first such game.
    """
    spec, left = positions(games, MAX_CARDS)
    out = np.zeros((len(games), 2), np.int64)
    _share(_euchre_values if spec is euchre.SPEC else _whist_values, games, left, threads, out)
    out[:, 1] = left - out[:, 0]
    return out


def solve_cards(games: Games, *, threads: int = 1) -> npt.NDArray[np.int64]:
    """For each legal card, the tricks that the side to act will still take after it with perfect play of all.

    Args:
        games: as for `solve`.
        threads: how many to share the games among.

    Returns:
        int64 (n, 24) in Euchre, (n, 52) in Whist: the current trick counts; -1 where a card is not legal.

    Raises:
        ValueError: as for `solve`.
    """
    spec, left = positions(games, MAX_CARDS)
    out = np.zeros((len(games), 24 if spec is euchre.SPEC else 52), np.int64)
    _share(_euchre_all_cards if spec is euchre.SPEC else _whist_all_cards, games, left, threads, out)
    return out


def deal_points(games: Games, tricks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """What each side scores in the deal if it takes so many more tricks.

    Args:
        games: states of Euchre or Whist as for `solve`.
        tricks: int64 (n, 2), as `solve` returns them.

    Returns:
        int64 (n, 2) points.

    Raises:
        ValueError: another game's states.
    """
    spec = _spec(games)
    won = np.asarray(games["tricks"])
    total = tricks + np.stack([won[:, 0::2].sum(1), won[:, 1::2].sum(1)], 1)
    if spec is whist.SPEC:
        return np.array([whist.points_for(tricks) for tricks in range(14)], np.int64)[total]
    of_makers = np.array([[euchre.points_made(tricks, alone) for tricks in range(6)] for alone in (0, 1)], np.int64)
    makers = np.asarray(games["maker"]) & 1
    rows = np.arange(len(games))
    made = of_makers[np.asarray(games["alone"]), total[rows, makers]]
    points = np.zeros((len(games), 2), np.int64)
    points[rows, makers] = np.maximum(made, 0)
    points[rows, 1 - makers] = np.maximum(-made, 0)
    return points


def _spec(games: Games) -> GameSpec:
    for spec in (euchre.SPEC, whist.SPEC):
        if games.dtype.names == spec.dtype.names:
            return spec
    raise ValueError(f"games must be states of euchre or whist, not {games.dtype}")


def positions(games: Games, most: int) -> tuple[GameSpec, npt.NDArray[np.int64]]:
    """The game that ``games`` are of, and how many tricks are left in each, the current one included: int64 (n,).

    Raises:
        ValueError: another game's states or another shape, a game that is not in play, hidden hands, or more than ``most``
            cards a hand.
    """
    spec = _spec(games)
    if games.ndim != 1:
        raise ValueError(f"games must have the shape (n,), not {games.shape}")
    playing = np.asarray(games["over"]) == RUNNING
    absent = np.full(len(games), -1)
    if spec is euchre.SPEC:
        playing &= np.asarray(games["phase"]) == euchre.PLAYING
        absent = np.where(np.asarray(games["alone"]) == 1, (np.asarray(games["maker"]) + 2) & 3, -1)
    if not playing.all():
        raise ValueError(f"game {int(np.argmin(playing))} of {spec.name}: no card is being played in it")
    held = np.bitwise_count(np.asarray(games["hands"]) | np.asarray(games["trick"])).astype(np.int64)
    left = held[np.arange(len(games)), np.asarray(games["leader"])]
    # Whoever sits out sees no hand that is in play.
    known = ((held == left[:, None]) | (np.arange(4) == absent[:, None])).all(1) & (left > 0)
    if not known.all():
        raise ValueError(
            f"game {int(np.argmin(known))} of {spec.name}: its hands differ in size; a full state is needed, not a view"
        )
    if (left > most).any():
        i = int(np.argmax(left > most))
        raise ValueError(f"game {i} of {spec.name}: {left[i]} cards a hand are too many, at most {most} can be solved")
    return spec, left


def _share(run: Any, games: Games, left: npt.NDArray[np.int64], threads: int, out: npt.NDArray[np.int64]) -> None:
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    if not len(games):
        return
    edges = np.linspace(0, len(games), min(threads, len(games)) + 1).astype(int)

    def part(k: int) -> None:
        table, stack = workspace(int(left.max()))
        run(games, int(edges[k]), int(edges[k + 1]), table, stack, out)

    if len(edges) == 2:
        part(0)
    else:
        with ThreadPoolExecutor(len(edges) - 1) as pool:
            list(pool.map(part, range(len(edges) - 1)))
