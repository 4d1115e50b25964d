"""Means with their confidence intervals."""

import math

import numpy as np
import pytest

from cardenvs.baselines.reports.statistics import (
    Interval,
    interval,
    interval_fields,
    margin_interval,
    sample_interval,
    share_interval,
)
from cardenvs.baselines.reports.text import plus_minus


def test_an_end_is_that_of_students_t_with_one_value_more():
    """With four values it lies beyond them by twice their spread, as far as one can."""
    found = interval(np.array([1.0, 2.0, 3.0, 6.0]), 0, 18)
    below, above = np.array([1.0, 2, 3, 6, 0]), np.array([1.0, 2, 3, 6, 16])
    reach = 2.776445 / np.sqrt(5)  # the 97.5% quantile with 4 degrees of freedom
    assert found.mean == 3
    assert found.low == 0 > below.mean() - reach * below.std(ddof=1)
    assert found.high == pytest.approx(above.mean() + reach * above.std(ddof=1), rel=1e-6)
    assert found.half_width == found.high - 3 > 3 - found.low


def test_many_values_have_the_normal_interval():
    values = np.random.default_rng(1).normal(size=100_000)
    found = interval(values, -10, 10)
    assert found.half_width == pytest.approx(1.959964 * values.std() / np.sqrt(100_000), rel=0.02)


def test_a_range_that_is_not_known_bounds_nothing():
    values = np.array([1.0, 2.0, 4.0])
    assert interval(values) == interval(values, -100, 100)
    assert interval(np.full(3, 2.0)) == Interval(2, -math.inf, math.inf)
    assert interval(values, 2, 3) == interval(values, 1, 4), "what was seen can be"


def test_values_that_are_all_alike_have_an_interval():
    margin = margin_interval(np.zeros(10), 4)
    assert margin.low == -margin.high < -0.5
    assert margin_interval(np.full(10, 4.0), 4).high == 4
    assert margin_interval(np.zeros(10), 0).half_width == 0, "it cannot be anything else"


def test_a_single_value_has_no_interval():
    one = interval(np.array([0.25]), -4, 4)
    assert one == Interval(0.25, -math.inf, math.inf)
    assert share_interval(np.array([0.25])) == Interval(0.25, 0.0, 1.0)
    assert plus_minus(one) == "+0.250"


def test_a_few_that_are_alike_have_no_interval() -> None:
    """Rounding makes no difference; the values are those of seeds or teams, whose points may have no bound."""
    for values in (np.array([0.3]), np.full(3, 0.1 + 0.2), np.array([0.3, 0.1 + 0.2, 0.3]), np.zeros(4)):
        assert sample_interval(values).ci95 == [-math.inf, math.inf] and "±" not in str(sample_interval(values))
        assert interval(values).half_width == math.inf


def test_a_few_have_students_interval_within_their_bounds() -> None:
    values = np.array([0.5, 0.9, 1.0])
    half = 4.302653 * values.std(ddof=1) / np.sqrt(3)
    assert sample_interval(values).ci95 == pytest.approx([0.8 - half, 0.8 + half], rel=1e-6)
    assert sample_interval(values, 0, 1).ci95 == pytest.approx([0.8 - half, 1], rel=1e-6)


def test_shares_stay_between_0_and_1():
    share = share_interval(np.array([0.0, 0, 0, 1, 0, 0, 0, 1]))
    assert share == interval(np.array([0.0, 0, 0, 1, 0, 0, 0, 1]), 0, 1) and share.low == 0 < share.high < 1
    assert share_interval(np.array([1.0, 1, 1, 0, 1, 1, 1, 0])).low == pytest.approx(1 - share.high)


def test_the_other_side():
    margin = Interval(0.5, -0.25, 1.25)
    assert -margin == Interval(-0.5, -1.25, 0.25)
    assert Interval(0.75, 0.5, 1.0).complement() == Interval(0.25, 0.0, 0.5)
    assert 0 in margin and 1.25 in margin
    assert -0.3 not in margin and 1.3 not in margin


def test_intervals_in_json_and_in_text():
    margin = Interval(0.5, -0.25, 1.25)
    assert interval_fields("mean_points", margin) == {"mean_points": 0.5, "mean_points_ci95": [-0.25, 1.25]}
    assert interval_fields("win_rate", margin, "ci95") == {"win_rate": 0.5, "ci95": [-0.25, 1.25]}
    assert interval_fields("lead", None) == {"lead": None, "lead_ci95": None}
    assert plus_minus(margin) == "+0.500 ±0.750"
    assert plus_minus(margin, digits=1) == "+0.5 ±0.8"
    assert plus_minus(margin, percent=True) == "50.0 ±75.0"
    assert plus_minus(None) == ""


def test_what_is_rounded_to_zero_has_no_minus() -> None:
    below = Interval(-0.0001, -0.0003, 0.0001)
    assert str(below) == plus_minus(below) == "+0.000 ±0.001"
    assert plus_minus(below, percent=True) == "0.0 ±0.1"
    assert repr(-Interval(0.0, -1.0, 1.0)) == "Interval(mean=0, low=-1, high=1)"


def test_no_values_have_no_interval() -> None:
    for form in (interval, share_interval):
        with pytest.raises(ValueError, match="at least one number"):
            form(np.zeros(0))
