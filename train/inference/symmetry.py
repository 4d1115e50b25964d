"""Symmetries of games: suits relabelled so that a network need not learn the same thing once for each suit.

The rules of Whist do not change when suits are exchanged for each other, those of Euchre when colours are kept together
(because of the bowers). Of all the ways to name the suits of a position one is chosen: trump, or in the bidding the suit of
the turned card, becomes spades; then, in Euchre, the other suit of its colour clubs; suits left over are ordered by the
cards that the seat was dealt in them. A network sees the position and chooses an action under these names, and recalls the
order of play under them if its game is one with recall.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Ints, nonzero
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.cards import CLUBS, DIAMONDS, SPADES, SUIT_NAMES, SUITS
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec

_CARD = re.compile(f"[2-9TJQKA][{SUITS}]")


@dataclass(frozen=True)
class _Rule:
    """The suits of a game that may be exchanged for each other.

    Attributes:
        keys: parts of the observation that name the suit to become spades; the first one that is not empty counts.
        paired: whether the two suits of a colour must stay of one colour.
        dealt: parts of the observation that together hold the cards dealt to the seat.
    """

    keys: tuple[str, ...]
    paired: bool
    dealt: tuple[str, ...] = ("hand", "played_self")


_RULES = {"euchre": _Rule(("trump", "turned"), paired=True), "whist": _Rule(("trump",), paired=False)}


def _suit_of(label: str) -> tuple[int, str]:
    """The suit that a label names (-1 if none), and the label with the suit left out."""
    if _CARD.fullmatch(label):
        return SUITS.index(label[1]), label[0]
    words = label.split("-")
    for suit, name in enumerate(SUIT_NAMES):
        if name in words:
            return suit, "-".join("" if word == name else word for word in words)
    return -1, label


def _columns(*groups: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """The suit of each label of some groups and the number of labels to the next suit's counterpart, int64 (2, n).

    Both numbers are 0 for a label that has no counterpart in every other suit.

    Args:
        groups: labels, such as those of one part of an observation; counterparts are looked for within a group.

    Raises:
        ValueError: a label's counterparts are not evenly spaced in the order of the suits.
    """
    suits_and_strides = []
    for labels in groups:
        named = [_suit_of(label) for label in labels]
        number_of = {name: k for k, name in enumerate(named)}
        for suit, rest in named:
            alike = [number_of.get((other, rest), -1) for other in range(4)]
            stride = alike[1] - alike[0]
            if suit < 0 or -1 in alike:
                suit = stride = 0
            elif alike != [alike[0] + other * stride for other in range(4)]:
                raise ValueError(f"the labels {labels} are not in the order of the suits")
            suits_and_strides.append((suit, stride))
    return np.array(suits_and_strides, np.int64).T.copy()


@helper
def name_suits(seen: Ints, count: int, columns: Ints, paired: bool, weights: Ints, new: Ints) -> None:
    """Writes the canonical name of each suit of a position to ``new``.

    Args:
        seen: int64, the columns of the observation that are not 0, ascending.
        count: how many entries of ``seen`` are in use.
        columns: int64 (4, state_size), from `SuitSymmetry.columns`.
        paired: from `SuitSymmetry.paired`.
        weights: int64 (4,), work space.
        new: int64 (4,), written to.
    """
    trump, key = -1, 0
    weights[:] = 0
    for k in range(count):
        column = seen[k]
        suit = columns[0, column]
        weights[suit] += columns[3, column]
        if columns[2, column] > key:
            trump, key = suit, columns[2, column]
    new[:] = -1
    if trump >= 0:
        new[trump] = SPADES
        if paired:
            new[3 - trump] = CLUBS
    name = DIAMONDS if paired else CLUBS
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
def renamed(column: int, columns: Ints, new: Ints) -> int:
    """The number of an observation's column, or of an action, under the new names of suits.

    Args:
        column: the number under the game's own names.
        columns: int64 (at least 2, n), from `SuitSymmetry.columns`, or for actions `SuitSymmetry.actions`.
        new: int64 (4,), the new name of each suit.
    """
    suit = columns[0, column]
    return column + (new[suit] - suit) * columns[1, column]


@kernel
def _relabel(
    observations: Bytes, masks: Bytes, columns: Ints, actions: Ints, paired: bool, out: Bytes, out_masks: Bytes, names: Ints
) -> None:
    """Writes positions and masks under canonical names to ``out`` and ``out_masks``, the names to ``names``.

    The shapes are those of `SuitSymmetry.apply` and of its attributes.
    """
    weights, seen = np.empty(4, np.int64), np.empty(columns.shape[1] + actions.shape[1], np.int64)
    for row in range(len(observations)):
        new = names[row]
        count = nonzero(observations, row, 0, observations.shape[1], seen, 0)
        name_suits(seen, count, columns, paired, weights, new)
        out[row] = 0
        for k in range(count):
            out[row, renamed(seen[k], columns, new)] = observations[row, seen[k]]
        out_masks[row] = 0
        for k in range(nonzero(masks, row, 0, masks.shape[1], seen, 0)):
            out_masks[row, renamed(seen[k], actions, new)] = 1


class SuitSymmetry:
    """Translates observations, action masks and actions of a game to and from canonical suit names.

    Args:
        game: name or spec; one without a known symmetry is left as it is.

    Attributes:
        game: the game's spec.
        rule: which suits may be exchanged; None if the game has no known symmetry.
        columns: int64 (4, state_size), four numbers for every entry of an observation, and behind these for every entry
            that only `state()` shows: its suit; how far away the next suit's entry is (0: there is none); whether it names
            the suit to become spades (0: no; the highest number counts); what it adds to the weight by which suits left
            over are ordered.
        actions: int64 (2, num_actions), for every action its suit and how far away the next suit's action is (0: there is
            none).
        paired: whether the two suits of a colour stay of one colour.
    """

    def __init__(self, game: str | GameSpec) -> None:
        self.game = get_game(game)
        self.rule = _RULES.get(self.game.name)
        self.paired = self.rule is not None and self.rule.paired
        self.columns = np.zeros((4, self.game.state_size), np.int64)
        self.actions = np.zeros((2, self.game.num_actions), np.int64)
        if self.rule is None:
            return
        self.actions[:] = _columns(self.game.actions)
        self.columns[:2] = _columns(*(part.labels for part in (*self.game.parts, *self.game.hidden)))
        for k, part in enumerate(reversed(self.rule.keys)):
            self.columns[2, self.game.slices[part]] = k + 1
        for part in self.rule.dealt:
            where = self.game.slices[part]
            # Cards come in the same order in each suit: a suit's cards as a number in base 2, its length ahead.
            size = where.stop - where.start
            self.columns[3, where] = (1 << 20) + (1 << np.arange(size) % (size // 4))

    def apply(self, observations: Bytes, action_masks: Bytes) -> tuple[Bytes, Bytes, Ints]:
        """Canonical observations and masks, fresh arrays, and the new name of each suit, int64 (n, 4), for `restore`.

        Args:
            observations: int8 (n, observation_size), or full states, int8 (n, state_size).
            action_masks: int8 (n, num_actions).
        """
        names = np.tile(np.arange(4), (len(observations), 1))
        if self.rule is None:
            return observations.copy(), action_masks.copy(), names
        observations, action_masks = np.ascontiguousarray(observations), np.ascontiguousarray(action_masks)
        out, out_masks = np.empty_like(observations), np.empty_like(action_masks)
        _relabel(observations, action_masks, self.columns, self.actions, self.paired, out, out_masks, names)
        return out, out_masks, names

    def rename(self, actions: npt.NDArray[np.integer[Any]], names: Ints) -> Ints:
        """Actions under canonical names, int64 (n,); `restore` turns them back.

        Args:
            actions: ints (n,), as the game calls them.
            names: int64 (n, 4), the new name of each suit, from `apply`.
        """
        if self.rule is None:
            return np.asarray(actions, np.int64)
        suits, strides = self.actions[:, actions]
        return np.asarray(actions + (names[np.arange(len(names)), suits] - suits) * strides, np.int64)

    def restore(self, actions: npt.NDArray[np.integer[Any]], names: Ints) -> Ints:
        """Actions as the game calls them, int64 (n,); `rename` turns them back.

        Args:
            actions: ints (n,), chosen under canonical names.
            names: int64 (n, 4), the new name of each suit, from `apply`.
        """
        if self.rule is None:
            return np.asarray(actions, np.int64)
        suits, strides = self.actions[:, actions]
        old = names.argsort(1)[np.arange(len(names)), suits]
        return np.asarray(actions + (old - suits) * strides, np.int64)
