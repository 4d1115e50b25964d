"""The worlds of a described game that a view leaves open, all of them, beside those that are drawn for it."""

import itertools
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from tests.helpers.positions import redealt

Slots = list[tuple[int, int]]
"""Places with indices."""
World = tuple[tuple[int, int], ...]
"""The faces in hidden slots with their places; their order within a place does not count."""


def hidden_slots(layout: Layout, view: Any) -> Slots:
    """The slots of a view whose cards its seat does not know."""
    places = [place for place, (one, _) in enumerate(layout.places) if one.storage != "mem"]
    return [(place, k) for place in places for k in range(int(view["sizes"][place])) if view["cards"][place][k] <= 0]


def worlds_left(layout: Layout, view: Any) -> Counter[World]:
    """All worlds that fit what a view bars and claims, with how many orders of the unseen cards make each."""
    slots, found = hidden_slots(layout, view), Counter[World]()
    claims = [(place, int(view["some"][k][0])) for k, (_, place) in enumerate(Module(layout).tables["CLAIMS"])]
    shown = {int(card) - 1 for row in view["cards"] for card in row if card > 0}
    loose = [card for card in range(len(layout.cards)) if card not in shown]
    assert len(loose) >= len(slots)
    for order in itertools.permutations(loose, len(slots)):
        world = tuple(sorted((place, layout.face_of[card]) for (place, _), card in zip(slots, order, strict=True)))
        barred = any(int(view["barred"][place][face // 63]) >> face % 63 & 1 for place, face in world)
        met = all(any(place == at and bits >> face & 1 for at, face in world) for place, bits in claims if bits)
        found[world] += met and not barred
    return +found


def check_worlds(
    spec: GameSpec, layout: Layout, view: Games, streams: npt.NDArray[np.uint64], possible: Counter[World], draws: int
) -> None:
    """Checks that all possible worlds are drawn for a view, each as often as it can be; fails by chance once in 10,000."""
    slots, drawn = hidden_slots(layout, view[0]), Counter[World]()
    for dealt in redealt(spec, view, streams, draws):
        drawn[tuple(sorted((p, layout.face_of[int(dealt[0]["cards"][p][k]) - 1]) for p, k in slots))] += 1
    assert set(drawn) <= set(possible)
    share = drawn.total() / possible.total()
    counts = [(drawn[key], share * count) for key, count in possible.items()]
    assert len(possible) == 1 or stats.chisquare(*zip(*counts, strict=True)).pvalue > 1e-4
