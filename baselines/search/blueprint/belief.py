"""Exact beliefs in Hanabi: all hands that a seat can have if the others have moved as a blueprint would.

A belief is a table of all hands that fit the seen cards and the hints, without those with which another seat, who sees
them, would have moved otherwise. As the blueprint makes no random choice and all orders of the deck are equally likely, a
hand's weight is the number of ways to take it from the unseen cards. A hand is an int64 with five bits for each card's
face, those of the oldest card lowest. Hands that have led the others to the same memories are of one kind.

Source: A. Lerer et al., "Improving Policies via Search in Cooperative Partially Observable Games" (2020).
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import Blueprint, start_memory
from cardenvs.compiled.bits import Ints, lowest
from cardenvs.compiled.jit import as_records, closure, helper, kernel
from cardenvs.contract.fields import Games
from cardenvs.games import hanabi

_FACE_BITS = 5
_FACE = (1 << _FACE_BITS) - 1

MOST_HANDS = hanabi.MOST_FACES**5  # the most hands, by faces alone, for which beliefs are kept: those of five cards


@kernel
def set_hand(games: Any, j: int, hand: int) -> None:
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
def _extend_hands(
    hands: Ints, kinds: Ints, slot: int, faces: int, left: Ints, hidden: int, more: Ints, more_kinds: Ints
) -> int:
    """Writes all hands with one card more; returns their number, and writes none if ``more`` has no room."""
    count = 0
    writes = len(more) > 0
    for k in range(len(hands)):
        bits = faces
        while bits != 0:
            face = lowest(bits)
            bits &= bits - 1
            if not hidden >> slot & 1 or _copies_in(hands[k], hidden & ~(1 << slot), face) < left[face]:
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
def _keep_fitting(hands: Ints, kinds: Ints, faces: Ints, left: Ints, hidden: int) -> int:
    """Puts the hands first that have one of ``faces`` in each slot and possible copies; returns their number."""
    kept = 0
    for k in range(len(hands)):
        fits = True
        for slot in range(len(faces)):
            face = hands[k] >> _FACE_BITS * slot & _FACE
            fits = fits and faces[slot] >> face & 1
            if hidden >> slot & 1:
                fits = fits and _copies_in(hands[k], hidden, face) <= left[face]
        if fits:
            hands[kept], kinds[kept] = hands[k], kinds[k]
            kept += 1
    return kept


@kernel
def _cumulate_weights(hands: Ints, size: int, left: Ints, totals: Ints) -> None:
    """Writes the cumulated weights of the hands, which have ``size`` cards, to ``totals``, int64 (n,)."""
    total = 0
    for k in range(len(hands)):
        weight = 1
        for slot in range(size):
            face = hands[k] >> _FACE_BITS * slot & _FACE
            weight *= left[face] - _copies_in(hands[k], (1 << slot) - 1, face)
        total += weight
        totals[k] = total


@helper
def are_same(words: Ints, one: int, other: int) -> bool:
    same = True
    at = 0
    while same and at < words.shape[1]:
        same = words[one, at] == words[other, at]
        at += 1
    return same


class _Replay(NamedTuple):
    prepare: Callable[..., Any]
    keep: Callable[..., int]
    learn: Callable[..., int]


@functools.cache
def _replay_kernels(blueprint: Blueprint) -> _Replay:
    name = blueprint.name
    before_move, choose, learn_move = blueprint.before_move, blueprint.choose, blueprint.learn

    @closure(f"{__name__}:{name}.prepare")
    def prepare_memories(memories: Any, games: Any) -> None:
        for i in range(len(memories)):
            before_move(memories, i, games, 0)

    @closure(f"{__name__}:{name}.keep")
    def keep_consistent(hands: Ints, kinds: Ints, memories: Any, games: Any, action: int) -> int:
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
    def learn_kinds(
        hands: Ints, kinds: Ints, memories: Any, games: Any, action: int, more_kinds: Ints, more: Any, words: Ints,
        places: Ints,
    ) -> int:  # fmt: skip
        """Writes the memories after a move and the kinds of the hands; returns the number of kinds, -1 without room."""
        others = games[0].players - 1
        most = len(words) - 1
        count = 0
        for k in range(len(hands)):
            set_hand(games, 0, hands[k])
            for other in range(others):
                more[count * others + other] = memories[kinds[k] * others + other]
                learn_move(more, count * others + other, games, 0, other + 1, action)
            if k > 0 and are_same(words, more_kinds[k - 1], count):
                more_kinds[k] = more_kinds[k - 1]
                continue
            place = np.int64(0)
            for at in range(words.shape[1]):
                place = (place ^ words[count, at]) * np.int64(0x2545F4914F6CDD1D)
                place ^= place >> 29
            place &= len(places) - 1
            while places[place] != 0 and not are_same(words, places[place] - 1, count):
                place = (place + 1) & (len(places) - 1)
            if places[place] == 0:
                if count == most:
                    return -1
                count += 1
                places[place] = count
            more_kinds[k] = places[place] - 1
        return count

    return _Replay(prepare_memories, keep_consistent, learn_kinds)


@dataclass
class Belief:
    """All hands that seat 0 of a view can have."""

    hands: Ints  # the hands, int64 (n,)
    kinds: Ints  # their kinds, int64 (n,)
    totals: Ints  # the sums of the weights of the hands up to each, int64 (n,)
    memories: Any  # the memories of seats 1 and up of each kind, each prepared for the next move
    own: Any  # the memory of seat 0, likewise
    left: Ints  # numbers of cards of each face that seat 0 does not see, int64 (25,)


def new_memories(blueprint: Blueprint, n: int) -> Any:
    return as_records(np.zeros(n, blueprint.memory))


def words_of(memories: Any, rows: int) -> Ints:
    """Memories as numbers, int64 (rows, numbers), in the same storage."""
    return np.asarray(memories).view(np.int64).reshape(rows, -1)


class _Unexplained(Exception):
    """No hand explains the kept part of a past, so that it must be followed again from the start."""


class _Past:
    """A deal as seat 0 of a view follows it, with all hands that explain the moves so far.

    Cards of the hand that the view shows by now, and later hints, rule out hands early.
    """

    def __init__(self, blueprint: Blueprint, views: Games) -> None:
        self.blueprint = blueprint
        self.games = views[:1].copy()
        self.own, self.memories = new_memories(blueprint, 1), new_memories(blueprint, int(views[0]["players"]) - 1)
        self.hands, self.kinds = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.explained = True
        self.set_view(views)
        hanabi.reopen(views, 0, self.games, 0)
        for memories in (self.own, self.memories):
            for i in range(len(memories)):
                start_memory(memories, i, self.games, 0)
            self.kernels.prepare(memories, self.games)
        for slot in range(self.games[0]["sizes"][0]):
            self._draw_card(slot)

    @property
    def kernels(self) -> _Replay:
        """The blueprint's kernels, which no belief holds: in plain Python they cannot be pickled."""
        return _replay_kernels(self.blueprint)

    def set_view(self, views: Games) -> None:
        """Sets the view of the deal: the same time or a later one."""
        self.views = views
        self.left = np.zeros(hanabi.MOST_FACES, np.int64)
        hanabi.unseen_copies(views, 0, self.left)
        self.slots = {int(place): slot for slot, place in enumerate(views[0]["places"][0][: views[0]["sizes"][0]])}

    def resume_at(self, views: Games) -> None:
        """Drops the hands that a later view of the deal rules out; raises _Unexplained if it rules out all."""
        self.set_view(views)
        opened = views[:1].copy()
        hanabi.reopen(views, 0, opened, 0)
        self.games[0]["deck"] = opened[0]["deck"]
        size = int(self.games[0]["sizes"][0])
        faces = np.array([self._possible_faces(slot) for slot in range(size)])
        self._keep_first(_keep_fitting(self.hands, self.kinds, faces, self.left, self._hidden_slots(size)), anew=True)

    def go_on(self, anew: bool) -> None:
        """Follows the deal up to the view; a move without explanation raises with ``anew``, and else shows nothing."""
        game = self.games[0]
        for action in self.views[0]["history"][game["moves"] : self.views[0]["moves"]].astype(np.int64):
            seat = int(game["to_act"])
            if seat > 0:
                self._keep_first(self.kernels.keep(self.hands, self.kinds, self.memories, self.games, action), anew)
            self._learn_move(action)
            hanabi.step(self.games, 0, action)
            if seat == 0 and action < 2 * game["hand_size"]:
                _take_out(self.hands, action % game["hand_size"])
                if game["sizes"][0] == game["hand_size"]:
                    self._draw_card(int(game["hand_size"]) - 1)
            self.kernels.prepare(self.own, self.games)
            self.kernels.prepare(self.memories, self.games)

    def to_belief(self) -> Belief:
        totals = np.empty_like(self.hands)
        _cumulate_weights(self.hands, int(self.views[0]["sizes"][0]), self.left, totals)
        return Belief(self.hands, self.kinds, totals, self.memories, self.own, self.left)

    def _keep_first(self, kept: int, anew: bool) -> None:
        """Keeps the first ``kept`` hands, or all where that is 0."""
        if kept > 0:
            self.hands, self.kinds = self.hands[:kept].copy(), self.kinds[:kept].copy()
            return
        if anew:
            raise _Unexplained
        self.explained = False

    def _hidden_slots(self, size: int) -> int:
        """The slots among the first ``size`` whose cards the view does not show, a bit each."""
        places = self.games[0]["places"][0][:size]
        return sum(1 << slot for slot, place in enumerate(places) if int(place) in self.slots)

    def _possible_faces(self, slot: int) -> int:
        """The faces that the card in a slot may have by the view, a bit each."""
        place = int(self.games[0]["places"][0][slot])
        if place not in self.slots:
            return 1 << int(self.views[0]["deck"][place - 1]) - 1
        return int(hanabi.may_be(self.views, 0, 0, self.slots[place]))

    def _draw_card(self, slot: int) -> None:
        """Adds to all hands the card that now lies in a slot, the last one of its hand."""
        faces, hidden = self._possible_faces(slot), self._hidden_slots(slot + 1)
        empty = np.zeros(0, np.int64)
        size = _extend_hands(self.hands, self.kinds, slot, faces, self.left, hidden, empty, empty)
        hands, kinds = np.empty(size, np.int64), np.empty(size, np.int64)
        _extend_hands(self.hands, self.kinds, slot, faces, self.left, hidden, hands, kinds)
        self.hands, self.kinds = hands, kinds

    def _learn_move(self, action: int) -> None:
        """Adds to all memories what follows from a move."""
        others = int(self.games[0]["players"]) - 1
        room, count = 2 * len(self.memories) // others + 6, -1
        while count < 0:
            memories, kinds = new_memories(self.blueprint, (room + 1) * others), np.empty_like(self.kinds)
            words, places = words_of(memories, room + 1), np.zeros(1 << (2 * room).bit_length(), np.int64)
            count = self.kernels.learn(
                self.hands, self.kinds, self.memories, self.games, action, kinds, memories, words, places
            )
            room *= 4
        self.memories, self.kinds = memories[: count * others].copy(), kinds
        self.blueprint.learn(self.own, 0, self.games, 0, 0, action)


class Believer:
    """Beliefs under a blueprint that all other seats play, continued from the seat's move before where that is still kept.

    The cache changes no belief. Where no hand explains a move, as the others do not play the blueprint, that move shows
    nothing of the hand.
    """

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self._pasts: dict[bytes, _Past] = {}

    def belief_of(self, views: Games) -> Belief:
        """The belief of seat 0 of the view ``views[0]``, which recalls the order of play."""
        moves = int(views[0]["moves"])
        past = self._pasts.pop(_past_key(views, moves - int(views[0]["players"])), None)
        if past is not None and not self._goes_on(past, views):
            past = None
        if past is None:
            past = _Past(self._blueprint, views)
            past.go_on(anew=False)
        if past.explained:
            self._pasts[_past_key(views, moves)] = past
            while sum(len(kept.hands) for kept in self._pasts.values()) > MOST_HANDS:
                del self._pasts[next(iter(self._pasts))]
        return past.to_belief()

    @staticmethod
    def _goes_on(past: _Past, views: Games) -> bool:
        """Brings a past up to a view; returns whether it is of the same deal and explains all."""
        known = past.views[0]["deck"]
        if (known != views[0]["deck"])[known > 0].any():
            return False
        try:
            past.resume_at(views)
            past.go_on(anew=True)
        except _Unexplained:
            return False
        return True


def _past_key(views: Games, moves: int) -> bytes:
    """The key of kept pasts: the seat that began, the first moves, and the other seats' cards at the start."""
    view = views[0]
    size = int(view["hand_size"])
    mine = int(-view["first"] % view["players"]) * size
    dealt = view["deck"][: view["players"] * size].copy()
    dealt[mine : mine + size] = 0
    return bytes([int(view["first"])]) + dealt.tobytes() + view["history"][: max(moves, 0)].tobytes()
