"""Statistics of games of one side: two of the six have a meaning, and the others say that they have none."""

from __future__ import annotations

import math

import pytest

from cardenvs.baselines.game_statistics import take_statistics
from cardenvs.baselines.game_statistics.games import BEATEN, STATISTICS
from cardenvs.baselines.game_statistics.settings import StatisticsSettings
from cardenvs.baselines.reports.columns import Row
from tests.helpers.one_sided import one_sided


def taken(name: str, **more: bool) -> Row:
    spec = one_sided(name)
    settings = StatisticsSettings(spec=spec, options={}, seed=0, files={}, games=5, ai="pipmc:worlds=5")
    return take_statistics(settings, workers=1, **more)


@pytest.mark.parametrize("name", ["team", "patience"])
def test_what_has_no_meaning_has_no_number(name: str) -> None:
    result = taken(name)
    assert tuple(result.statistics) == tuple(STATISTICS)
    numbers = {statistic: value.mean for statistic, value in result.statistics.items()}
    assert {statistic for statistic, mean in numbers.items() if not math.isnan(mean)} == {"convergence", "spread"}
    assert 0 < numbers["spread"] < 7
    figures = result.as_dict()
    assert figures["order"] == {"value": None, "ci95": [None, None]}
    assert figures["all_ai"]["wins"] == [None] * result.spec.seats
    assert str(result).count(BEATEN.split(":")[0]) == 4
    assert "first places" not in str(result)


def test_random_players_alone() -> None:
    result = taken("patience", random_only=True)
    assert math.isnan(result.statistics["fairness"].mean)
    assert not math.isnan(result.statistics["convergence"].mean)
