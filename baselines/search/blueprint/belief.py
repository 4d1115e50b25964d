"""What a seat's own hand can be in Hanabi if all other seats have moved as a blueprint would have.

A belief is exact: a table of all hands that fit what was seen and told, without those with which another seat, who sees
them, would have moved otherwise. As the blueprint has no choice at random and all orders of the deck are equally likely, a
hand's weight is the number of ways to take it from the cards that are not seen.

A hand is an int64 with five bits for each card's face, those of the oldest card lowest. Hands that have led the others to
the same memories are of one kind.

Source: A. Lerer et al., "Improving Policies via Search in Cooperative Partially Observable Games" (2020).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint, begin
from cardenvs.compiled.bits import Ints, lowest
from cardenvs.compiled.jit import as_records, closure, helper, kernel
from cardenvs.contract.fields import Games
from cardenvs.games import hanabi

_FACE_BITS = 5
_FACE = (1 << _FACE_BITS) - 1

MOST_HANDS = hanabi.MOST_FACES**5
"""The most hands, counted by faces alone, that a game may have so that beliefs are kept in memory: those of five cards."""


@kernel
def set_hand(games: Any, j: int, hand: int) -> None:
    """Gives seat 0 a hand."""
    g = games[j]
    for slot in range(g.sizes[0]):
        g.hands[0, slot] = (hand >> _FACE_BITS * slot & _FACE) + 1


@helper
def _copies_in(hand: int, slots: int, face: int) -> int:
    """Number of cards of a face in some slots of a hand."""
    count = 0
    while slots != 0:
        count += hand >> _FACE_BITS * lowest(slots) & _FACE == face
        slots &= slots - 1
    return count


@kernel
def _extend(hands: Ints, kinds: Ints, slot: int, faces: int, left: Ints, hidden: int, more: Ints, more_kinds: Ints) -> int:
    """Writes all hands with one card more; returns their number, and writes none if ``more`` has no room.

    Args:
        hands: the hands, int64 (n,).
        kinds: their kinds, int64 (n,).
        slot: the slot of the new card.
        faces: the faces that it may be.
        left: how many cards of each face there are for ``hidden`` slots, int64 (25,).
        hidden: the slots whose cards are not seen to this day, a bit each; of a card that has been seen all is known.
        more: int64, the new hands.
        more_kinds: int64, their kinds.
    """
    count = 0
    writes = len(more) > 0
    for k in range(len(hands)):
        bits = faces
        while bits != 0:
            face = lowest(bits)
            bits &= bits - 1
            if not hidden >> slot & 1 or _copies_in(hands[k], hidden & ~(np.int64(1) << slot), face) < left[face]:
                if writes:
                    more[count] = hands[k] | np.int64(face) << _FACE_BITS * slot
                    more_kinds[count] = kinds[k]
                count += 1
    return count


@kernel
def _take_out(hands: Ints, slot: int) -> None:
    """Takes a card out of all hands, whose newer cards move down."""
    below = (np.int64(1) << _FACE_BITS * slot) - 1
    for k in range(len(hands)):
        hands[k] = (hands[k] & below) | (hands[k] >> _FACE_BITS & ~below)


@kernel
def _weigh(hands: Ints, size: int, left: Ints, totals: Ints) -> None:
    """Writes the sums of the weights of the hands up to each, which have ``size`` cards, to ``totals``, int64 (n,)."""
    total = 0
    for k in range(len(hands)):
        weight = 1
        for slot in range(size):
            face = hands[k] >> _FACE_BITS * slot & _FACE
            weight *= left[face] - _copies_in(hands[k], (np.int64(1) << slot) - 1, face)
        total += weight
        totals[k] = total


class _Replay(NamedTuple):
    """The kernels of a belief that play a blueprint."""

    prepare: Callable[..., Any]
    keep: Callable[..., int]
    learn: Callable[..., int]


@functools.cache
def _replay_of(name: str, blueprint: Blueprint) -> _Replay:
    """The kernels for a blueprint, which are kept under its name."""
    before_move, choose, learn_move = blueprint.before_move, blueprint.choose, blueprint.learn

    @closure(f"{__name__}:{name}.prepare")
    def prepare(memories: Any, games: Any) -> None:
        """Prepares memories for the next move in ``games[0]``."""
        for i in range(len(memories)):
            before_move(memories, i, games, 0)

    @closure(f"{__name__}:{name}.keep")
    def keep(hands: Ints, kinds: Ints, memories: Any, games: Any, action: int) -> int:
        """Puts the hands first with which another seat moves so; returns their number.

        ``memories`` has for each kind those of seats 1 and up; seat 0 is given all hands in ``games[0]``.
        """
        g = games[0]
        kept = 0
        for k in range(len(hands)):
            set_hand(games, 0, hands[k])
            if choose(memories, kinds[k] * (g.players - 1) + g.to_act - 1, games, 0) == action:
                hands[kept], kinds[kept] = hands[k], kinds[k]
                kept += 1
        return kept

    @closure(f"{__name__}:{name}.learn")
    def learn(
        hands: Ints, kinds: Ints, memories: Any, games: Any, action: int, more_kinds: Ints, more: Any, words: Ints,
        places: Ints,
    ) -> int:  # fmt: skip
        """Writes the memories after a move and the kinds of the hands by them; returns how many kinds there are.

        Args:
            hands: the hands, int64 (n,).
            kinds: their kinds, int64 (n,).
            memories: the memories of all kinds.
            games: of which number 0 is the position; seat 0 is given all hands in it.
            action: the move of the seat to act.
            more_kinds: int64 (n,), the new kinds.
            more: the new memories, with room for kinds and one more.
            words: the same as numbers, int64 (kinds, numbers).
            places: int64 zeros, a power of two of them and more than kinds have room, to find equal ones.

        Returns:
            The number of kinds; -1 where there is no room for all.
        """
        others = games[0].players - 1
        most = len(words) - 1
        count = 0
        for k in range(len(hands)):
            set_hand(games, 0, hands[k])
            for other in range(others):
                more[count * others + other] = memories[kinds[k] * others + other]
                learn_move(more, count * others + other, games, 0, other + 1, action)
            place = np.int64(0)
            for at in range(words.shape[1]):
                place = (place ^ words[count, at]) * np.int64(0x2545F4914F6CDD1D)
                place ^= place >> 29
            place &= len(places) - 1
            found = -1
            while places[place] != 0 and found < 0:
                same = True
                for at in range(words.shape[1]):
                    if words[places[place] - 1, at] != words[count, at]:
                        same = False
                        break
                if same:
                    found = places[place] - 1
                place = (place + 1) & (len(places) - 1)
            if found < 0:
                if count == most:
                    return -1
                found = count
                count += 1
                places[place] = count
            more_kinds[k] = found
        return count

    return _Replay(prepare, keep, learn)


@dataclass
class Belief:
    """What the hand of seat 0 of a view can be.

    Attributes:
        hands: the hands, int64 (n,).
        kinds: their kinds, int64 (n,).
        totals: the sums of the weights of the hands up to each, int64 (n,).
        memories: the memories of seats 1 and up of each kind, of which each row is prepared for the next move.
        own: the memory of seat 0, likewise.
        left: numbers of cards of each face that seat 0 does not see, int64 (25,).
    """

    hands: Ints
    kinds: Ints
    totals: Ints
    memories: Any
    own: Any
    left: Ints

    def weights(self, size: int) -> dict[tuple[int, ...], int]:
        """The weight of each hand of ``size`` cards, by the faces of its cards, the oldest first."""
        each = np.diff(self.totals, prepend=0)
        return {
            tuple(int(hand) >> _FACE_BITS * slot & _FACE for slot in range(size)): int(weight)
            for hand, weight in zip(self.hands, each, strict=True)
        }


def new_memories(blueprint: Blueprint, n: int) -> Any:
    """Empty memories."""
    return as_records(np.zeros(n, blueprint.memory))


def words_of(memories: Any, rows: int) -> Ints:
    """Memories as numbers, int64 (rows, numbers), which are the same storage."""
    return np.asarray(memories).view(np.int64).reshape(rows, -1)


def believe(name: str, blueprint: Blueprint, views: Games) -> Belief:
    """The belief of seat 0 of the view ``views[0]``, which recalls the order of play.

    Where no hand explains a move, as the others do not play the blueprint, that move tells nothing of the hand.

    Args:
        name: what the blueprint is called.
        blueprint: what the other seats play.
        views: of which number 0 is looked at.
    """
    replay = _replay_of(name, blueprint)
    view, others = views[0], int(views[0]["players"]) - 1
    left = np.zeros(hanabi.MOST_FACES, np.int64)
    hanabi.unseen_copies(views, 0, left)
    games = views[:1].copy()
    hanabi.reopen(views, 0, games, 0)
    game = games[0]
    own, memories = new_memories(blueprint, 1), new_memories(blueprint, others)
    for rows in (own, memories):
        for i in range(len(rows)):
            begin(rows, i, games, 0)
        replay.prepare(rows, games)
    hands, kinds = np.zeros(1, np.int64), np.zeros(1, np.int64)
    slots = {int(place): slot for slot, place in enumerate(view["places"][0][: view["sizes"][0]])}
    some = sum(1 << face for face in range(hanabi.MOST_FACES) if left[face] > 0)

    def draw(slot: int) -> None:
        """Adds to all hands the card that now lies in a slot, the last one of its hand."""
        nonlocal hands, kinds
        places = [int(place) for place in game["places"][0][: slot + 1]]
        now = slots.get(places[-1])
        seen = int(view["deck"][places[-1] - 1])
        faces = 1 << seen - 1 if now is None else int(hanabi.may_be(views, 0, 0, now)) & some
        hidden = sum(1 << k for k, place in enumerate(places) if place in slots)
        empty = np.zeros(0, np.int64)
        size = _extend(hands, kinds, slot, faces, left, hidden, empty, empty)
        more, more_kinds = np.empty(size, np.int64), np.empty(size, np.int64)
        _extend(hands, kinds, slot, faces, left, hidden, more, more_kinds)
        hands, kinds = more, more_kinds

    for slot in range(game["sizes"][0]):
        draw(slot)
    for action in view["history"][: view["moves"]].astype(np.int64):
        seat = int(game["to_act"])
        if seat > 0:
            kept = replay.keep(hands, kinds, memories, games, action)
            if kept > 0:
                hands, kinds = hands[:kept].copy(), kinds[:kept].copy()
        room, count = 2 * len(memories) // others + 6, -1
        while count < 0:
            learned, more_kinds = new_memories(blueprint, (room + 1) * others), np.empty_like(kinds)
            places = np.zeros(1 << (2 * room).bit_length(), np.int64)
            count = replay.learn(
                hands, kinds, memories, games, action, more_kinds, learned, words_of(learned, room + 1), places
            )
            room *= 4
        memories, kinds = learned[: count * others].copy(), more_kinds
        blueprint.learn(own, 0, games, 0, 0, action)
        hanabi.step(games, 0, action)
        if seat == 0 and action < 2 * game["hand_size"]:
            _take_out(hands, action % game["hand_size"])
            if game["sizes"][0] == game["hand_size"]:
                draw(int(game["hand_size"]) - 1)
        replay.prepare(own, games)
        replay.prepare(memories, games)
    totals = np.empty_like(hands)
    _weigh(hands, int(view["sizes"][0]), left, totals)
    return Belief(hands, kinds, totals, memories, own, left)
