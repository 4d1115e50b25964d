"""Symmetries: what the rules of a game treat alike, such as Hanabi's colours, and where it stands under other names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints


@dataclass(frozen=True)
class Symmetry:
    """Things that the rules treat alike: where their names are exchanged, a deal is another deal of the same game.

    Attributes:
        name: what is exchanged, lower case, such as ``"colours"``.
        permutations: the ways to exchange the names, by number of a name that of its new name; the first changes nothing.
        renamed: ``(text, permutation) -> text``: a text with its names exchanged, which may be the label of an entry of an
            observation, the name of an action, or a value of `cardenvs.contract.fields.GameFields.deal_text`.
        dealt: ``(state, permutation) -> Games``: the start of a state's deal, shape (1,), with its names exchanged; None
            where ``renamed`` exchanges them in the texts of the deal.
        recalled: whether the labels of the order of play (`GameFields.recall_parts`) have the names in them, too.
        canonical: whether networks are shown the names put in order, unless they are asked not to
            (`cardenvs.train.inference.symmetry`); then ``permutations`` are all that exchange names within some groups.
    """

    name: str
    permutations: tuple[tuple[int, ...], ...]
    renamed: Callable[[str, Sequence[int]], str]
    dealt: Callable[[Any, Sequence[int]], Any] | None = None
    recalled: bool = True
    canonical: bool = False

    def places(self, *groups: tuple[str, ...]) -> Ints:
        """The place of each label once the names are exchanged: int64 (permutations, labels), numbers of labels.

        Args:
            groups: labels, each group those of one part of an observation, or all actions; numbered through the groups.

        Raises:
            ValueError: a label becomes one that its group does not have, or not as often.
        """
        within = {labels: self._within(labels) for labels in dict.fromkeys(groups)}
        starts = np.cumsum([0, *map(len, groups)])
        return np.concatenate([within[labels] + start for labels, start in zip(groups, starts, strict=False)], 1)

    def _within(self, labels: tuple[str, ...]) -> Ints:
        """The place of each label of one group once the names are exchanged: int64 (permutations, labels)."""
        numbers: dict[str, list[int]] = {}
        for k, label in enumerate(labels):
            numbers.setdefault(label, []).append(k)
        rows = []
        for permutation in self.permutations:
            named = {label: self.renamed(label, permutation) for label in numbers}
            for label, new in named.items():
                if len(numbers.get(new, ())) != len(numbers[label]):
                    shown = ", ".join(labels[:8])
                    raise ValueError(f"{self.name}: the labels {shown} do not become each other: {label!r} becomes {new!r}")
            left = {label: iter(numbers[new]) for label, new in named.items()}
            rows.append([next(left[label]) for label in labels])
        return np.array(rows, np.int64)


def exchanged_letters(letters: str) -> Callable[[str, Sequence[int]], str]:
    """A function `Symmetry.renamed` for names that are single letters, wherever these stand in a text.

    Args:
        letters: the letters, in the order of their numbers; no other meaning may be written with them.
    """

    def renamed(text: str, permutation: Sequence[int]) -> str:
        """The text with its letters exchanged."""
        return text.translate(str.maketrans(letters, "".join(letters[k] for k in permutation)))

    return renamed


def all_permutations(count: int) -> tuple[tuple[int, ...], ...]:
    """All ways to exchange ``count`` names, first the one that leaves all as they are."""
    return tuple(itertools.permutations(range(count)))
