"""The most that a side without opponents can score in given deals, all cards open: a search to the end.

All cards and all chance to come are known from a full state, so the result is a line of play. The search is depth first,
the lowest action first; where the game has a kernel ``key`` it skips positions behind which nothing better was found. Its
result is exact unless two positions share a key of 62 bits by chance.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import as_records, helper
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernel, Kernels
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec

POSITIONS = 10_000_000  # default number of positions of a deal after which its search is given up
_MOST_KNOWN = 1 << 24  # the most keys that a search has room for; three in four of them are used
NONE, GIVEN_UP = -(1 << 62), -(1 << 62) + 1  # results of a search that has found no line, and of one that was given up


class Reached(NamedTuple):
    """Results of open cards in some deals.

    Attributes:
        points: int64 (n,), the most points that were found; `NONE` where no line was.
        exact: bool (n,), whether there is no better line.
        positions: int64 (n,), number of positions searched.
    """

    points: Ints
    exact: np.ndarray[Any, np.dtype[np.bool_]]
    positions: Ints


def most_points(
    spec: GameSpec,
    games: Games,
    *,
    best: int | None = None,
    positions: int = POSITIONS,
    progress: Callable[[int], None] | None = None,
) -> Reached:
    """The most points that the only side can reach from some states, all cards and all chance being known.

    Args:
        spec: a game of one side.
        games: full states, a structured array of shape (n,), none of which is over.
        best: the highest possible score, which ends the search of a state; None where that is not known.
        positions: positions of a state after which its search is given up, at least 1.
        progress: called with the number of states finished since the last call.
    """
    found = Reached(np.full(len(games), NONE), np.zeros(len(games), np.bool_), np.zeros(len(games), np.int64))
    search = OpenHands(spec, positions)
    for row in range(len(games)):
        found.points[row], found.exact[row] = search.most_from(games[row : row + 1], best)
        found.positions[row] = search.looked
        if progress is not None:
            progress(1)
    return found


class OpenHands:
    """Searches the lines of play of states, each until ``positions`` positions; ``looked``: those of the latest state."""

    def __init__(self, spec: GameSpec, positions: int) -> None:
        self._positions, self.looked = positions, 0
        depth, sides = spec.max_steps + 1, spec.num_sides
        states: Any = np.zeros(depth, spec.dtype)
        self._states = as_records(states)
        self._room = (np.zeros((depth, spec.mask_words), np.int64), np.zeros(depth, np.int64))
        self._outcome = (np.zeros((depth, sides), np.int64), np.zeros((depth, spec.seats), np.int64))
        self._find = make_search_kernel(spec.kernels)

    def most_from(self, game: Games, best: int | None) -> tuple[int, bool]:
        """The most points that were found from a state, shape (1,), and whether there are no more."""
        self.looked, above, points = 0, NONE if best is None else best - 1, NONE
        while True:
            found = self._search_above(game, above)
            if found == GIVEN_UP:
                return points, False
            if found == NONE and above == NONE:
                return points, True  # no line comes to an end
            if found == NONE and points == NONE:
                best, above = above, NONE  # not the best: then anything, and from there on
                continue
            points = max(points, found)
            if found in (NONE, best):
                return points, True
            above = points

    def _search_above(self, game: Games, above: int) -> int:
        """Points of more than ``above`` that can be reached; `NONE` for none, `GIVEN_UP` where the search is given up."""
        left = self._positions - self.looked
        known = np.zeros(min(1 << (2 * left).bit_length(), _MOST_KNOWN), np.int64)
        counted = np.zeros(1, np.int64)
        self._states[:1] = game
        found = int(self._find(self._states, *self._room, known, above, left, *self._outcome, counted))
        self.looked += int(counted[0])
        return found


@helper
def _is_known(known: Ints, key: Any) -> Any:
    """Whether a key is in a table, an open-addressing hash table in which 0 is an empty entry."""
    at = key & (len(known) - 1)
    while known[at] != 0 and known[at] != key:
        at = (at + 1) & (len(known) - 1)
    return known[at] == key


@helper
def _add_key(known: Ints, key: Any) -> None:
    at = key & (len(known) - 1)
    while known[at] != 0 and known[at] != key:
        at = (at + 1) & (len(known) - 1)
    known[at] = key


@helper
def _lowest_action(pending: Any, top: Any, words: Any) -> Any:
    """The lowest of the actions that are left at a depth; -1 for none."""
    for word in range(words):
        bits = pending[top, word]
        for bit in range(64 if bits != 0 else 0):
            if bits >> bit & 1:
                return np.int64(64 * word + bit)
    return np.int64(-1)


@functools.cache
def make_search_kernel(kernels: Kernels) -> Kernel:
    """The compiled search of a game."""
    legal, step, outcome, words = kernels.legal, kernels.step, kernels.outcome, kernels.words
    key, keyed = kernels.key or _no_key, kernels.key is not None

    @kernels.loop("ceiling.search")
    def search(
        states: Any, pending: Any, keys: Ints, known: Ints, above: Any, most: Any, points: Ints, tricks: Ints, counted: Ints
    ) -> Any:
        """Looks for a line of play from ``states[0]`` that brings the only side more than ``above`` points.

        Work arrays for each depth are ``states``, ``pending`` (int64 (depth, words), the actions left), ``keys``,
        ``points`` and ``tricks``. ``known``, zeros, a power of 2 of them, takes the keys of states behind which nothing was
        found. ``counted[0]`` becomes the number of positions searched, ``most`` at most.

        Returns:
            Points of the line that was found; `NONE` for none, `GIVEN_UP` after too many positions.
        """
        top, count, room = np.int64(0), np.int64(0), np.int64(3 * len(known) // 4)
        for word in range(words):
            pending[0, word] = legal(states, 0, word)
        while top >= 0:
            action = _lowest_action(pending, top, words)
            if action < 0:
                if top > 0 and keyed and room > 0:
                    _add_key(known, keys[top])
                    room -= 1
                top -= 1
                continue
            pending[top, action >> 6] &= ~(np.int64(1) << (action & 63))
            if count == most:
                counted[0] = count
                return np.int64(GIVEN_UP)
            count += 1
            below = top + 1
            states[below] = states[top]
            step(states, below, action)
            if states[below].over != RUNNING:
                outcome(states, below, points, tricks)
                if points[below, 0] > above:
                    counted[0] = count
                    return points[below, 0]
                continue
            keys[below] = key(states, below) + 1
            if below + 1 == len(states) or (keyed and _is_known(known, keys[below])):
                continue
            for word in range(words):
                pending[below, word] = legal(states, below, word)
            top = below
        counted[0] = count
        return np.int64(NONE)

    return search


@helper
def _no_key(games: Any, i: Any) -> Any:
    return np.int64(0)
