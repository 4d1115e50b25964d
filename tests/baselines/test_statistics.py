"""Means with their confidence intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardenvs.baselines.reporting import plus_minus
from cardenvs.baselines.statistics import Interval, interval, interval_fields, share_interval


def test_interval_is_the_normal_approximation():
    three = interval(np.array([1.0, 2.0, 3.0, 6.0]))
    assert three.mean == 3
    assert three.high - 3 == pytest.approx(1.959964 * np.sqrt(14 / 3) / 2, rel=1e-6)
    assert 3 - three.low == pytest.approx(three.high - 3)
    assert three.half_width == pytest.approx(three.high - 3)


def test_a_single_value_has_no_interval():
    one = interval(np.array([0.25]))
    assert one == Interval(0.25, -math.inf, math.inf)
    assert share_interval(np.array([0.25])) == Interval(0.25, 0.0, 1.0)
    assert plus_minus(one) == "+0.250"


def test_shares_stay_between_0_and_1():
    plain, share = interval(np.array([0.0, 0, 0, 1])), share_interval(np.array([0.0, 0, 0, 1]))
    assert plain.low < 0
    assert share == Interval(0.25, 0.0, plain.high)
    assert share_interval(np.array([1.0, 1, 1, 0])) == Interval(0.75, 1 - plain.high, 1.0)


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
    assert str(below) == plus_minus(below) == "+0.000 ±0.000"
    assert plus_minus(below, percent=True) == "0.0 ±0.0"
    assert repr(-Interval(0.0, -1.0, 1.0)) == "Interval(mean=0, low=-1, high=1)"


def test_no_values_have_no_interval() -> None:
    for form in (interval, share_interval):
        with pytest.raises(ValueError, match="at least one number"):
            form(np.zeros(0))
