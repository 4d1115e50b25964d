"""Intervals of short matches cover what they are said to: 94% at least, from 2 deals on, and never without a width."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import stdtrit
from scipy.stats import binom

from cardenvs import get_game
from cardenvs.baselines.match import play_deals
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.reports.statistics import Z95, interval, margin_interval, share_interval

DEALS = (2, 4, 10, 30, 100)
PAIRINGS = [
    ("euchre", "random", "random"),
    ("euchre", "hybrid", "random"),
    ("euchre", "hybrid", "high"),
    ("five-o", "random", "random"),
    ("five-o", "greedy1", "random"),
    ("five-o", "greedy2", "greedy1"),
]


def ends(values: npt.NDArray[np.float64], least: float, most: float) -> tuple[npt.NDArray[np.float64], ...]:
    """The ends of the intervals of many matches at once, float64 (matches, deals) -> 2 times (matches,)."""
    n = values.shape[1]
    lowest, highest = values.min(1), values.max(1)
    beyond = 8 / n * (highest - lowest)
    alike, found = beyond == 0, []
    for sign, bound in (
        (-1, np.where(alike, least, np.maximum(least, lowest - beyond))),
        (1, np.where(alike, most, np.minimum(most, highest + beyond))),
    ):
        more = np.column_stack([values, bound])
        end = more.mean(1) + sign * stdtrit(n, 0.975) * more.std(1, ddof=1) / np.sqrt(n + 1)
        found.append(np.clip(end, least, most))
    return np.minimum(found[0], values.mean(1)), np.maximum(found[1], values.mean(1))


def test_many_intervals_at_once_are_those_of_the_package() -> None:
    rng = np.random.default_rng(1)
    for least, most in ((0, 1), (-4, 4)):
        for n in DEALS:
            values = rng.choice(np.linspace(least, most, 5), (20, n))
            found = np.array([interval(row, least, most).ci95 for row in values])
            assert np.allclose(found, np.column_stack(ends(values, least, most)))


@pytest.mark.parametrize("deals", DEALS)
def test_shares_of_all_sizes_are_covered(deals: int) -> None:
    """Exactly, by the binomial distribution: games that are won or lost."""
    chances = np.linspace(0.001, 0.999, 999)
    won = np.arange(deals + 1)
    found = [share_interval(np.repeat([1.0, 0.0], [wins, deals - wins])) for wins in won]
    within = np.array([[chance in one for one in found] for chance in chances])
    covered = (within * binom.pmf(won, deals, chances[:, None])).sum(1)
    assert covered.min() >= 0.94
    assert min(one.high - one.low for one in found) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("game", "first", "second"), PAIRINGS)
def test_matches_of_few_deals_are_covered(game: str, first: str, second: str) -> None:
    """Matches drawn from 20,000 deals, whose mean is the truth; at 30 deals no wider than twice a normal interval."""
    played = play_deals(game, first, second, range(20_000), seed=5)
    most = Margins.of_game(get_game(game), {}).points
    rng = np.random.default_rng(3)
    for values, least, greatest in ((played.wins, 0.0, 1.0), (played.points_margins, -most, most)):
        for deals in DEALS:
            matches = rng.choice(values, (10_000, deals))
            low, high = ends(matches, least, greatest)
            covered = ((low <= values.mean()) & (values.mean() <= high)).mean()
            assert covered >= 0.94, (deals, covered)
            assert (high > low).all()
            if deals == 30:
                normal = 2 * Z95 * matches.std(1, ddof=1).mean() / np.sqrt(deals)
                assert (high - low).mean() <= 2 * normal


def test_one_sided_matches_of_few_deals_tell_little() -> None:
    """Two deals that are won tell of a policy that it wins something, of thirty that are alike that few are not."""
    assert share_interval(np.ones(2)).ci95 == [0, 1]
    assert 0.88 < share_interval(np.ones(30)).low < 0.92
    assert 0 < margin_interval(np.zeros(30), 4).high < 0.5
