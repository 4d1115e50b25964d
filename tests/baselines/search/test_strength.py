"""Searches win against the hand-coded policies."""

from __future__ import annotations

import pytest

from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.match import play_match

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

SIX = ("random", "low", "high-low", "coop-high-low", "card-counting", "hybrid")
TEN = (*SIX, "high", "hybrid2", "markov", "markov2")
EVEN = {"win_rate": 0.5, "points_margin": 0}
"""Figures of a match, and what they are of two that are as strong."""
MATCHES = [
    *(("euchre", "pimc", one, 1_000, {"protocol": "published"}, ["win_rate"]) for one in TEN),
    *(
        ("euchre", f"pimc:calling={one}", f"coop-high-low:calling={one}", 1_500, {"seed": 7}, ["points_margin"])
        for one in CALLERS
    ),
    *(("whist", "pimc", one, 300, {}, ["points_margin"]) for one in TEN),
    *((game, "monte-carlo", one, 1_000, {}, [*EVEN]) for game in ("euchre", "whist") for one in SIX),
    *(("whist", "poe", one, 1_000, {}, [*EVEN]) for one in SIX),
]


@pytest.mark.parametrize(("game", "player", "opponent", "deals", "settings", "figures"), MATCHES)
def test_beats_the_heuristics(game, player, opponent, deals, settings, figures):
    result = play_match(game, player, opponent, deals=deals, **{"seed": 6} | settings)
    for figure in figures:
        assert getattr(result, figure).low > EVEN[figure]
