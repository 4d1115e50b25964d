"""Rows of declared columns: attributes, JSON, tables, copies, wrong values."""

import copy
import math
import pickle

import pytest

from cardenvs.baselines.crossplay import BestPartner, Gap
from cardenvs.baselines.reports.columns import Column, Columns, computed_column, points_column
from cardenvs.baselines.reports.statistics import Interval

LEAD = Interval(0.5, 0.25, 0.75)


def test_a_row_has_its_values_as_attributes_and_in_json() -> None:
    best = BestPartner("low", partner="high", points_margin=LEAD, runner_up="low", lead=LEAD)
    assert (best.policy, best.partner, best.lead, best.significant) == ("low", "high", LEAD, True)
    assert best.as_dict() == {
        "policy": "low", "partner": "high", "mean_points": 0.5, "runner_up": "low",
        "lead": 0.5, "lead_ci95": [0.25, 0.75], "significant": True,
    }  # fmt: skip
    other = best.but(lead=Interval(0.5, -math.inf, math.inf))
    assert not other.significant and other.as_dict()["lead_ci95"] == [None, None] and best.significant
    assert other != best == best.but()
    assert pickle.loads(pickle.dumps(best)) == copy.deepcopy(best) == best
    assert repr(best).startswith("BestPartner(policy='low', partner='high'")
    assert isinstance(best, BestPartner) and not isinstance(best, Gap) and not isinstance(3, Gap)


def test_optional_columns_are_left_out_where_they_are_empty() -> None:
    team = Gap("all", ["a"], LEAD, None)
    assert team.as_dict()["gap"] is team.as_dict()["gap_ci95"] is None and "gap_over_teams" not in team.as_dict()
    assert "gap, over policies" not in Gap.table([team]).head
    assert "gap, over policies" in Gap.table([team, team.but(gap_over_teams=LEAD)]).head
    nested = Columns("Nested", Column("inner", spread=True), points_column("kept", json=""))
    assert nested(team, LEAD).as_dict() == team.as_dict() and nested(None, LEAD).as_dict() == {}


def test_wrong_values_are_told() -> None:
    pair = Columns("Pair", Column("a"), Column("b", default=2), computed_column("sum", lambda row: row.a + row.b))
    assert (pair(1).b, pair(1).sum, pair.of(pair(3)).sum) == (2, 3, 5)
    for arguments, named, message in (
        ((), {}, "Pair lacks a"),
        ((1, 2, 3), {}, "Pair has the columns a, b"),
        ((1,), {"c": 3}, "Pair has the columns a, b, not c"),
        ((1,), {"a": 3}, "Pair has the columns a, b, not a"),
    ):
        with pytest.raises(TypeError, match=message):
            pair(*arguments, **named)
    with pytest.raises(AttributeError, match="Pair has no 'c'"):
        _ = pair(1).c
    with pytest.raises(AttributeError, match="Pair cannot be changed"):
        pair(1).a = 3
