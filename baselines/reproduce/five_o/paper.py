"""The figures that the Five-O paper prints.

The paper: S. Aharon and M. Mandel, "Five-O Poker", Tables II and III and Figures 2 to 4.
"""

from __future__ import annotations

import itertools
from typing import Any

from cardenvs.baselines.reproduce.shared import paper_data


def paper() -> dict[str, Any]:
    """The paper's Tables II and III, from ``data/five_o_paper.json``."""
    return paper_data("five_o_paper")


def published_wins() -> dict[tuple[str, str], int | None]:
    """The first agent's wins of ten games against the second, for both orders of every pair of Table III.

    None where the paper contradicts itself: the wins of both agents do not add up to ten.
    """
    table = paper()["table3"]
    wins_of_pair: dict[tuple[str, str], int | None] = {}
    for (i, a), (j, b) in itertools.permutations(enumerate(table["agents"]), 2):
        wins, losses = table["wins"][i][j], table["wins"][j][i]
        wins_of_pair[a, b] = wins if wins + losses == table["games"] else None
    return wins_of_pair


AGENTS: tuple[str, ...] = tuple(paper()["table3"]["agents"])
"""The eight agents of the paper's Table III, in its order."""
