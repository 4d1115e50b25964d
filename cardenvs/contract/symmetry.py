"""Symmetries: exchanges of names under which the rules of a game are invariant, such as Hanabi's colours."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Ints


@dataclass(frozen=True)
class Symmetry:
    """Names that the rules treat alike: with them exchanged, a deal is another deal of the same game.

    Attributes:
        name: the things whose names are exchanged, lower case, such as ``"colours"``.
        permutations: the exchanges, each the new name's number by a name's number; the first is the identity.
        renamed: ``(text, permutation) -> text``: exchanges the names in a label of an observation's entry, the name of an
            action, or a value of `cardenvs.contract.spec.GameSpec.deal_text`.
        dealt: ``(state, permutation) -> Games``: the start of a state's deal, shape (1,), with its names exchanged; None
            where ``renamed`` exchanges them in the texts of the deal.
        recalled: whether the labels of `GameSpec.recall_parts` contain the names, too.
        canonical: whether networks by default see the names in a fixed order (`cardenvs.train.inference.symmetry`); then
            ``permutations`` are all that exchange names within some groups.
    """

    name: str
    permutations: tuple[tuple[int, ...], ...]
    renamed: Callable[[str, Sequence[int]], str]
    dealt: Callable[[Any, Sequence[int]], Any] | None = None
    recalled: bool = True
    canonical: bool = False

    def places(self, *groups: tuple[str, ...]) -> Ints:
        """Returns the place of each label after the exchange: int64 (permutations, labels), numbers of labels.

        Args:
            groups: the labels of a part of an observation, or all actions, each; labels are numbered through the groups.

        Raises:
            ValueError: a label becomes one that its group does not have, or not as often.
        """
        within = {labels: self._places_in_group(labels) for labels in dict.fromkeys(groups)}
        starts = np.cumsum([0, *map(len, groups)])
        return np.concatenate([within[labels] + start for labels, start in zip(groups, starts, strict=False)], 1)

    def _places_in_group(self, labels: tuple[str, ...]) -> Ints:
        """Returns `places` for one group."""
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
    """Returns a function `Symmetry.renamed` for names that are single letters, wherever they stand in a text.

    Args:
        letters: the letters, in the order of their numbers; they must have no other meaning in the texts.
    """

    def renamed(text: str, permutation: Sequence[int]) -> str:
        return text.translate(str.maketrans(letters, "".join(letters[k] for k in permutation)))

    return renamed


def all_permutations(count: int) -> tuple[tuple[int, ...], ...]:
    """Returns all exchanges of ``count`` names, the identity first."""
    return tuple(itertools.permutations(range(count)))
