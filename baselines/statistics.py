"""Means with their 95% confidence intervals, wherever a figure is told: one small type, and how JSON has it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Standard errors from the mean to the end of a 95% interval of a normal distribution."""


@dataclass(frozen=True)
class Interval:
    """A mean with its 95% confidence interval.

    Attributes:
        mean: the estimate.
        low: the interval's lower end; minus infinity where a single value tells nothing of the spread.
        high: the interval's upper end; infinity where a single value tells nothing of the spread.
    """

    mean: float
    low: float
    high: float

    @property
    def ci95(self) -> list[float]:
        """Both ends, as JSON results have them."""
        return [self.low, self.high]

    @property
    def half_width(self) -> float:
        """Half of the distance between the ends, as in "mean ± half width"."""
        return (self.high - self.low) / 2

    def __neg__(self) -> Interval:
        """The interval of the negated values: the same margin seen from the other side."""
        return Interval(-self.mean, -self.high, -self.low)

    def complement(self) -> Interval:
        """The interval of one minus the values: the other side's share."""
        return Interval(1.0 - self.mean, 1.0 - self.high, 1.0 - self.low)

    def __contains__(self, value: float) -> bool:
        """Whether a value lies between the ends: whether the data leave it possible."""
        return self.low <= value <= self.high


def interval(values: npt.NDArray[np.float64]) -> Interval:
    """The mean of independent values and its 95% interval by the normal approximation.

    Args:
        values: float64 (n,), at least one.
    """
    mean = float(values.mean())
    half = Z95 * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return Interval(mean, mean - half, mean + half)


def share_interval(values: npt.NDArray[np.float64]) -> Interval:
    """The mean of independent shares and its 95% interval by the normal approximation, which is kept between 0 and 1.

    Args:
        values: float64 (n,), each between 0 and 1.
    """
    plain = interval(values)
    return Interval(plain.mean, max(0.0, plain.low), min(1.0, plain.high))


def interval_fields(name: str, value: Interval | None, ends: str = "") -> dict[str, Any]:
    """An interval as JSON results have it: the mean under a name, and both ends as a list.

    Args:
        name: the mean's key.
        value: the interval; None: both entries are None.
        ends: the key of the ends; empty: the mean's with ``_ci95`` behind it.
    """
    key = ends or f"{name}_ci95"
    return {name: None, key: None} if value is None else {name: value.mean, key: value.ci95}
