"""Sequential stopping of a match of an evaluation at a wanted precision.

With a wanted precision a match is looked at after pre-set numbers of deals (`looks`) and ends when the half width of its
95% interval is small enough, or at the most deals allowed. Whether to stop is decided by the spread of the results alone,
never by their mean, so there is nothing to gain by stopping at a lucky moment: as the precision gets finer, the
interval's coverage tends to 95% and the bias of the mean to 0 (Chow and Robbins, "On the Asymptotic Theory of Fixed-Width
Sequential Confidence Intervals for the Mean", Annals of Mathematical Statistics 36, 1965). That holds in the limit; for
matches of finite length there are four precautions: no look before `FIRST_LOOK` deals; few looks, each half as many deals
again as the last; as in that paper, something added to the variance that vanishes with the number of deals: one more deal
beyond those played; and no end before `FEWEST_DIFFERENT` deals had another
result than the commonest one, for nearly equal policies draw most deals, and a few deals with another result do not tell
the spread. Simulations in ``tests/baselines/test_evaluation.py`` hold the coverage.
"""

import math

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reports.statistics import FEWEST_DIFFERENT, margin_interval
from cardenvs.checks import check_int

FIRST_LOOK = 128
"""Number of deals (games) before which no match is stopped."""


def looks(most: int, first: int = FIRST_LOOK) -> list[int]:
    """Numbers of deals after which a match is looked at: ``first``, half as many again each time, ``most`` at last.

    Args:
        most: the most deals that the match may have, at least 1.
        first: the number of the first look.

    Raises:
        ValueError: ``most`` is below 1.
    """
    check_int("most", most, 1)
    numbers = []
    at = first
    while at < most:
        numbers.append(at)
        at += at // 2
    return [*numbers, most]


def precise_enough(values: npt.NDArray[np.float64], precision: float, most: float = math.inf) -> bool:
    """Whether the 95% interval of the mean of ``values`` is at most ``precision`` on each side.

    Args:
        values: float64 (n,), independent.
        precision: half width, in the unit of the values.
        most: the greatest size of a value, see `cardenvs.baselines.reports.statistics.margin_interval`.

    The answer is False with fewer than `FEWEST_DIFFERENT` values that are not the commonest value.
    """
    n = len(values)
    if n - int(np.unique(values, return_counts=True)[1].max(initial=0)) < FEWEST_DIFFERENT:
        return False
    return margin_interval(values, most).half_width <= precision
