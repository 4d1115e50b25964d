"""Means with their 95% confidence intervals: the type, how intervals are computed, and how JSON results have them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054  # half a 95% interval of a normal distribution, in standard errors: its 97.5% quantile
BEYOND = 8  # distance of one more value beyond n that were seen, in nths of their spread
FEWEST_DIFFERENT = 30  # number of values other than the commonest one before which a spread is taken as known
ANYTIME_BEST = 256  # number of values for which `anytime_interval` is narrowest
_ROUNDING = 1e-9  # difference of values, as a share of the largest, that counts as none


@dataclass(frozen=True)
class Interval:
    """A mean with the ends of its 95% confidence interval, infinite where a single value tells nothing of the spread."""

    mean: float
    low: float
    high: float

    def text(self, digits: int = 3, percent: bool = False) -> str:
        """The mean with half the width, see `cardenvs.baselines.reports.text.plus_minus`."""
        factor, digits, sign = (100, 1, "") if percent else (1, digits, "+")
        half = factor * self.half_width
        shown = f" ±{max(half, 10.0**-digits):.{digits}f}" if 0 < half < math.inf else ""
        return f"{factor * self.mean:{sign}z.{digits}f}{shown}"

    __str__ = text

    def __repr__(self) -> str:
        return f"Interval(mean={self.mean:z.4g}, low={self.low:z.4g}, high={self.high:z.4g})"

    @property
    def ci95(self) -> list[float]:
        """The lower and the upper end as a list, as JSON results have them."""
        return [self.low, self.high]

    @property
    def half_width(self) -> float:
        """The greater distance of an end from the mean, as in "mean ± half width"; infinity without finite ends."""
        return max(self.high - self.mean, self.mean - self.low)

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


def interval(values: npt.NDArray[np.float64], least: float = -math.inf, most: float = math.inf) -> Interval:
    """The mean of independent values and its 95% interval: Student's t with one value more beyond those seen.

    Each end of the interval is that of Student's t for the values and one more, which stands for what so few have not
    shown: it lies beyond the outermost value by `BEYOND` / n times the spread of all, as far as a value can; where all are
    alike, it is the least or the most that a value can be. In ``tests/baselines/test_coverage.py`` it covers the mean of
    matches of 2 to 100 deals in 94% and more.

    Args:
        values: float64 (n,), at least one; of a single one the interval has no ends.
        least: the least that a value can be.
        most: the most that a value can be.
    """
    n = len(values)
    if not n:
        raise ValueError("values must hold at least one number: no values have no mean")
    mean, lowest, highest = float(values.mean()), float(values.min()), float(values.max())
    if n == 1:
        return Interval(mean, -math.inf, math.inf)
    least, most = min(least, lowest), max(most, highest)
    if not alike(values):
        beyond = BEYOND / n * (highest - lowest)
        below, above = max(least, lowest - beyond), min(most, highest + beyond)
    else:
        below, above = least, most
    from scipy.special import stdtrit  # a fifth of the start of a worker process, which makes no intervals

    reach = float(stdtrit(n, 0.975)) / math.sqrt(n + 1)

    def end(bound: float, sign: int) -> float:
        """The upper (1) or the lower (-1) end for the values and a bound."""
        if not math.isfinite(bound):
            return bound
        more = np.append(values, bound)
        return float(more.mean()) + sign * reach * float(more.std(ddof=1))

    return Interval(mean, max(least, min(mean, end(below, -1))), min(most, max(mean, end(above, 1))))


def anytime_interval(values: npt.NDArray[np.float64], alpha: float = 0.05) -> Interval:
    """The mean of independent values and an interval that covers the true mean at all numbers of values at once, so that
    it may be looked at after each: with a chance of ``alpha`` it ever misses it.

    Source: the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central
    limit theory and asymptotic confidence sequences" (2024), theorem 2.2, narrowest at `ANYTIME_BEST` values. The spread is
    that of the values and one more beyond each end, by `BEYOND` / n times their range, for what so few have not shown.

    Args:
        values: float64 (n,), at least one. The interval has no ends before `FEWEST_DIFFERENT` values differ from the
            commonest one: where nearly all are alike, a few others do not tell the spread.
    """
    n, mean = len(values), float(values.mean())
    if n - int(np.unique(values, return_counts=True)[1].max()) < FEWEST_DIFFERENT:
        return Interval(mean, -math.inf, math.inf)
    beyond = BEYOND / n * float(np.ptp(values))
    spread = float(np.append(values, [values.min() - beyond, values.max() + beyond]).std(ddof=1))
    log = -2 * math.log(alpha)
    scaled = n * (log + math.log(log) + 1) / ANYTIME_BEST
    half = spread * math.sqrt(2 * (scaled + 1) / (n * scaled) * math.log(math.sqrt(scaled + 1) / alpha))
    return Interval(mean, mean - half, mean + half)


def sample_interval(values: npt.NDArray[np.float64], least: float = -math.inf, most: float = math.inf) -> Interval:
    """The mean of a few independent values, such as those of training seeds, and its 95% interval by Student's t; that goes
    neither below ``least`` nor above ``most``. A single value, or several that are all `alike`, have no interval.
    """
    n, mean = len(values), float(values.mean())
    if alike(values):
        return Interval(mean, -math.inf, math.inf)
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 0.975)) * float(values.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, max(mean - half, min(least, mean)), min(mean + half, max(most, mean)))


def alike(values: npt.NDArray[np.float64]) -> bool:
    """Whether all values are the same, rounding aside, so that they tell nothing of their spread."""
    return float(np.ptp(values)) <= _ROUNDING * max(1.0, float(np.abs(values).max()))


def margin_interval(values: npt.NDArray[np.float64], most: float) -> Interval:
    """The mean of independent margins between sides, of at most ``most``, and its 95% interval, see `interval`."""
    return interval(values, -most, most)


def share_interval(values: npt.NDArray[np.float64]) -> Interval:
    """The mean of independent shares and its 95% interval, which is kept between 0 and 1, see `interval`."""
    plain = interval(values, 0.0, 1.0)
    return Interval(plain.mean, max(0.0, plain.low), min(1.0, plain.high))


def interval_fields(name: str, value: Interval | None, ends: str = "") -> dict[str, Any]:
    """An interval as two entries of JSON: the mean as ``name``, both ends as ``ends``, by default ``NAME_ci95``."""
    key = ends or f"{name}_ci95"
    return {name: None, key: None} if value is None else {name: value.mean, key: value.ci95}
