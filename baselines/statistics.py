"""Means with their confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Standard errors from the mean to the end of a 95% interval of a normal distribution."""


@dataclass(frozen=True)
class Interval:
    """A mean with its 95% confidence interval.

    Attributes:
        mean: the estimate.
        low: lower end of the interval, minus infinity where a single value tells nothing of the spread.
        high: upper end of it.
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


def interval(values: npt.NDArray[np.float64]) -> Interval:
    """The mean of independent values and its 95% interval by the normal approximation.

    Args:
        values: float64 (n,), at least one.
    """
    mean = float(values.mean())
    half = Z95 * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return Interval(mean, mean - half, mean + half)


def share_interval(values: npt.NDArray[np.float64]) -> Interval:
    """As `interval`, of shares between 0 and 1: the interval stays within these.

    Args:
        values: float64 (n,), each between 0 and 1.
    """
    found = interval(values)
    return Interval(found.mean, max(0.0, found.low), min(1.0, found.high))
