"""Symmetries of games: suits get canonical names, so that a network need not learn the same thing once for each suit.

Trump, or in the bidding the suit of the turned card, becomes spades; in Euchre, whose rules keep colours together, the
other suit of its colour clubs; suits left over are ordered by the cards that the seat was dealt in them. Names that a
description treats alike are ordered by the first entry of the observation in which two differ.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Ints, nonzero, overwrite
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.cards import CLUBS, DIAMONDS, SPADES, SUIT_NAMES, SUITS
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.contract.symmetry import Symmetry, all_permutations

_CARD = re.compile(f"([2-9TJQKA])([{SUITS}])")

_Places = npt.NDArray[np.int32]


@dataclass(frozen=True)
class _Rule:
    """The suits of a game that may be exchanged for each other."""

    keys: tuple[str, ...]
    paired: bool
    dealt: tuple[str, ...] = ("hand", "played_self")


_RULES = {"euchre": _Rule(("trump", "turned"), paired=True), "whist": _Rule(("trump",), paired=False)}


def _rename_label(text: str, permutation: Sequence[int]) -> str:
    """Returns a label of a game of four suits with suit ``s`` called ``permutation[s]``."""
    card = _CARD.fullmatch(text)
    if card is not None:
        return card[1] + SUITS[permutation[SUITS.index(card[2])]]
    words = {name: SUIT_NAMES[permutation[suit]] for suit, name in enumerate(SUIT_NAMES)}
    return "-".join(words.get(word, word) for word in text.split("-"))


_SUITS = Symmetry("suits", all_permutations(4), _rename_label)


def _label_places(*groups: tuple[str, ...]) -> Ints:
    """Returns the places of labels of four suits, as `Symmetry.places`; one without a counterpart in all suits stays."""
    named = []
    for labels in groups:
        known = set(labels)
        paired = [all(_rename_label(label, p) in known for p in _SUITS.permutations) for label in labels]
        named.append(tuple(label if paired[k] else f"alone {k}" for k, label in enumerate(labels)))
    return _SUITS.places(*named)


class Naming(NamedTuple):
    """The naming of what is alike, as kernels take it; with one name alone, all stays as it is."""

    # int64 (3, state_size), for the suits of `_RULES`, by entry of an observation: its suit; whether it names the suit to
    # become spades (0: no; the highest number counts); its addition to the weight by which suits left over are ordered.
    keys: Ints
    paired: bool  # whether the two suits of a colour stay of one colour
    # int64 (names, k), for described games, by name the entries in which it is compared with the others, in order;
    # int64 (4, 0) for the suits of `_RULES`.
    compared: Ints
    first: Ints  # int64 (names,), by name the first of the places for which it and what is alike are ordered
    places: Ints  # int64 (names,), the name at each place: what stands there in order gets this name
    numbers: Ints  # int64, by the new names as digits, the first one lowest, the number of the permutation
    entries: _Places  # int32 (permutations, state_size), where each entry goes
    actions: _Places  # int32 (permutations, num_actions), where each action goes


class NamingSpace(NamedTuple):
    """Work arrays for the naming of a position."""

    new: Ints  # int64 (names,), the new name of each name
    scratch: Ints  # int64 (names,)


@helper
def _name_by_keys(seen: Ints, count: int, naming: Naming, space: NamingSpace) -> None:
    """Writes the canonical name of each suit to ``space.new``, by the keys and weights of `_RULES`."""
    keys, new, weights = naming.keys, space.new, space.scratch
    trump, key = -1, 0
    weights[:] = 0
    for k in range(count):
        column = seen[k]
        suit = keys[0, column]
        weights[suit] += keys[2, column]
        if keys[1, column] > key:
            trump, key = suit, keys[1, column]
    new[:] = -1
    if trump >= 0:
        new[trump] = SPADES
        if naming.paired:
            new[3 - trump] = CLUBS
    name = DIAMONDS if naming.paired else CLUBS
    while True:
        best = -1
        for suit in range(4):
            if new[suit] < 0 and (best < 0 or weights[suit] > weights[best]):
                best = suit
        if best < 0:
            break
        new[best] = name
        name += 1


@helper
def _name_by_order(observations: Bytes, row: int, naming: Naming, space: NamingSpace) -> None:
    """Writes the canonical name of each name to ``space.new``, by the first entries in which names differ."""
    compared, new, behind = naming.compared, space.new, space.scratch
    names = len(new)
    overwrite(new, naming.first)
    for k in range(compared.shape[1]):
        # Names that are equal so far share a place: those with less here go behind.
        apart = False
        for name in range(names):
            behind[name] = 0
            for other in range(names):
                if new[other] == new[name]:
                    behind[name] += observations[row, compared[other, k]] > observations[row, compared[name, k]]
            apart |= behind[name] > 0
        if apart:
            for name in range(names):
                new[name] += behind[name]
    for name in range(names):  # names that are equal to the end keep their order
        behind[name] = 0
        for other in range(name):
            behind[name] += new[other] == new[name]
    for name in range(names):
        new[name] = naming.places[new[name] + behind[name]]


@helper
def naming_number(observations: Bytes, row: int, seen: Ints, count: int, naming: Naming, space: NamingSpace) -> int:
    """Returns the number of the permutation by which a row gets its canonical names. ``seen`` has ``count`` columns of the
    observation that are not 0, ascending; ``space`` is `SuitSymmetry.naming_space`."""
    names = len(naming.first)
    if names < 2:
        return 0
    if naming.compared.shape[1]:
        _name_by_order(observations, row, naming, space)
    else:
        _name_by_keys(seen, count, naming, space)
    code = 0
    for k in range(names):
        code = code * names + space.new[names - 1 - k]
    return int(naming.numbers[code])


@helper
def move_entries(rows: Bytes, row: int, seen: Ints, count: int, places: _Places | Ints, out: Bytes) -> None:
    """Writes a row's entries to ``out`` at their ``places``; ``seen`` has the ``count`` columns that are not 0."""
    out[row] = 0
    for k in range(count):
        out[row, places[seen[k]]] = rows[row, seen[k]]


@kernel
def _rename_rows(
    observations: Bytes, masks: Bytes, naming: Naming, space: NamingSpace, out: Bytes, out_masks: Bytes, numbers: Ints
) -> None:
    """Writes positions and masks under canonical names to ``out`` and ``out_masks``, the permutations to ``numbers``."""
    seen = np.empty(naming.entries.shape[1] + naming.actions.shape[1], np.int64)
    for row in range(len(observations)):
        count = nonzero(observations, row, 0, observations.shape[1], seen, 0)
        number = naming_number(observations, row, seen, count, naming, space)
        numbers[row] = number
        move_entries(observations, row, seen, count, naming.entries[number], out)
        count = nonzero(masks, row, 0, masks.shape[1], seen, 0)
        move_entries(masks, row, seen, count, naming.actions[number], out_masks)


class SuitSymmetry:
    """Translates observations, action masks and actions of a game to and from canonical names of suits. A game without a
    known symmetry is left as it is, and so is any with ``names=False``."""

    def __init__(self, game: str | GameSpec, names: bool = True) -> None:
        self.game = get_game(game)
        # What is renamed (None: nothing); by number of a permutation the new name of each name; the same for kernels.
        self.symmetry, self.permutations, self.naming = _make_naming(self.game, names)
        self._original = self.naming.actions.argsort(1)

    def naming_space(self) -> NamingSpace:
        """Returns work arrays for kernels that name positions."""
        names = self.permutations.shape[1]
        return NamingSpace(np.empty(names, np.int64), np.empty(names, np.int64))

    def rename_positions(self, observations: Bytes, action_masks: Bytes) -> tuple[Bytes, Bytes, Ints]:
        """Returns canonical observations (or full states) and masks, all fresh, and each row's permutation, int64 (n,)."""
        numbers = np.zeros(len(observations), np.int64)
        if self.symmetry is None:
            return observations.copy(), action_masks.copy(), numbers
        observations, action_masks = np.ascontiguousarray(observations), np.ascontiguousarray(action_masks)
        out, out_masks = np.empty_like(observations), np.empty_like(action_masks)
        _rename_rows(observations, action_masks, self.naming, self.naming_space(), out, out_masks, numbers)
        return out, out_masks, numbers

    def rename_actions(self, actions: npt.NDArray[np.integer[Any]], numbers: Ints) -> Ints:
        """Returns actions under canonical names, int64 (n,); ``numbers`` are those of `rename_positions`."""
        return self.naming.actions[numbers, actions].astype(np.int64)

    def restore_actions(self, actions: npt.NDArray[np.integer[Any]], numbers: Ints) -> Ints:
        """Returns actions as the game calls them, int64 (n,), from canonical ones: the inverse of `rename_actions`."""
        return self._original[numbers, actions]


@functools.lru_cache(32)  # labels take a tenth of a second, and each network of a training needs them
def _make_naming(game: GameSpec, names: bool) -> tuple[Symmetry | None, Ints, Naming]:
    """Returns the attributes ``symmetry``, ``permutations`` and ``naming`` of `SuitSymmetry`, by its arguments."""
    rule = _RULES.get(game.name) if names else None
    # Of a described game those names are put in order that most can be exchanged, with recall if they can be there, too.
    known = [one for one in game.symmetries if names and one.canonical and (one.recalled or not game.recall)]
    most = max(known, key=lambda one: len(one.permutations), default=None)
    symmetry = _SUITS if rule is not None else most
    size, actions = game.state_size, game.num_actions
    listed: tuple[tuple[int, ...], ...]
    if symmetry is None:
        listed, moved = ((0,),), (np.arange(size)[None], np.arange(actions)[None])
    else:
        listed = symmetry.permutations
        places = symmetry.places if rule is None else _label_places
        moved = places(*(part.labels for part in (*game.parts, *game.hidden))), places(game.actions)
    permutations = np.array(listed, np.int64)
    entries, acts = (where.astype(np.int32) for where in moved)
    compared = np.zeros((permutations.shape[1], 0), np.int64)
    keys = np.zeros((3, size), np.int64)
    if rule is not None:
        keys = _suit_keys(game, rule, entries)
    elif symmetry is not None:
        compared = _compared_entries(permutations, entries[:, : game.observation_size])
    first, at = _exchangeable_groups(permutations)
    digits = permutations.shape[1] ** np.arange(permutations.shape[1])
    numbers = np.zeros(permutations.shape[1] ** permutations.shape[1], np.int64)
    numbers[permutations @ digits] = np.arange(len(permutations))
    naming = Naming(keys, rule is not None and rule.paired, compared, first, at, numbers, entries, acts)
    return symmetry, permutations, naming


def _exchangeable_groups(permutations: Ints) -> tuple[Ints, Ints]:
    """Returns names that may be exchanged for each other: `Naming.first` and `Naming.places`, each int64 (names,)."""
    groups = list(dict.fromkeys(tuple(np.unique(permutations[:, name]).tolist()) for name in range(permutations.shape[1])))
    places = np.array([name for group in groups for name in group], np.int64)
    first = np.zeros(len(places), np.int64)
    start = 0
    for group in groups:
        first[list(group)] = start
        start += len(group)
    return first, places


def _suit_keys(game: GameSpec, rule: _Rule, entries: _Places) -> Ints:
    """Returns `Naming.keys` of a game of four suits, int64 (3, state_size); ``entries`` are those of `Naming`."""
    keys = np.zeros((3, entries.shape[1]), np.int64)
    cycle = _SUITS.permutations.index((1, 2, 3, 0))
    for column in np.flatnonzero(entries[cycle] != np.arange(entries.shape[1])):
        # A suit's entry has counterparts in the others, in the order of the suits.
        around = [int(column)]
        while len(around) < 4:
            around.append(int(entries[cycle, around[-1]]))
        keys[0, column] = -np.argmin(around) % 4
    for k, part in enumerate(reversed(rule.keys)):
        keys[1, game.slices[part]] = k + 1
    for part in rule.dealt:
        where = game.slices[part]
        # Cards come in the same order in each suit: a suit's cards as a number in base 2, its length ahead.
        size = where.stop - where.start
        keys[2, where] = (1 << 20) + (1 << np.arange(size) % (size // 4))
    return keys


def _compared_entries(permutations: Ints, entries: _Places) -> Ints:
    """Returns `Naming.compared`, int64 (names, k): entries that stand for one name each, with their counterparts."""
    names, size = permutations.shape[1], entries.shape[1]
    rows = []
    done = np.zeros(size, np.bool_)
    for column in np.flatnonzero((entries != np.arange(size)).any(0)):
        # An entry stands for one name if where it goes follows from where that name goes.
        for name in () if done[column] else range(names):
            goes = {int(new): set(entries[permutations[:, name] == new, column].tolist()) for new in permutations[:, name]}
            if len(goes) > 1 and all(len(found) == 1 for found in goes.values()):
                row = np.full(names, -1)
                row[list(goes)] = [found.pop() for found in goes.values()]
                done[row[row >= 0]] = True
                rows.append(row)
                break
    columns = np.array(rows, np.int64).reshape(-1, names).T
    # Names of other groups are never compared with these: any entry will do.
    return np.ascontiguousarray(np.where(columns < 0, columns.max(0, initial=0), columns))
