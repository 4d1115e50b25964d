"""Means with their 95% confidence intervals: the type, how intervals are computed, and how JSON results have them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Half a 95% interval of a normal distribution, in standard errors: its 97.5% quantile."""


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

    def __str__(self) -> str:
        half = f" ±{self.half_width:.3f}" if math.isfinite(self.half_width) else ""
        return f"{self.mean:+z.3f}{half}"

    def __repr__(self) -> str:
        return f"Interval(mean={self.mean:z.4g}, low={self.low:z.4g}, high={self.high:z.4g})"

    @property
    def ci95(self) -> list[float]:
        """The lower and the upper end as a list, as JSON results have them."""
        return [self.low, self.high]

    @property
    def half_width(self) -> float:
        """Half of the interval's width, as in "mean ± half width"; infinity for an interval without finite ends."""
        return (self.high - self.low) / 2

    def __neg__(self) -> Interval:
        """The interval of the negated values, such as a margin seen from the other side."""
        return Interval(-self.mean, -self.high, -self.low)

    def taken_from(self, total: float) -> Interval:
        """The interval of ``total`` minus the values, such as what is left to the other sides."""
        return Interval(total - self.mean, total - self.high, total - self.low)

    def complement(self) -> Interval:
        """The interval of one minus the values, such as the other side's share."""
        return self.taken_from(1.0)

    def over(self, number: int) -> Interval:
        """The interval of the values divided by a number above 0, such as the mean share of so many sides."""
        return Interval(self.mean / number, self.low / number, self.high / number)

    def __contains__(self, value: float) -> bool:
        """Whether a value lies within the interval, its ends included."""
        return self.low <= value <= self.high


def interval(values: npt.NDArray[np.float64]) -> Interval:
    """The mean of independent values and its 95% interval by the normal approximation.

    Args:
        values: float64 (n,), at least one.

    Raises:
        ValueError: there are no values.
    """
    if not len(values):
        raise ValueError("values must hold at least one number: no values have no mean")
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
    """An interval as two entries of a JSON result: the mean, and the list of both ends.

    Args:
        name: the key of the mean.
        value: the interval; None: both entries are None.
        ends: the key of the list of ends; empty: ``name`` followed by ``_ci95``.
    """
    key = ends or f"{name}_ci95"
    return {name: None, key: None} if value is None else {name: value.mean, key: value.ci95}
