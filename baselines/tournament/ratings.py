"""Statistics of round robins: Bradley-Terry ratings with intervals, and non-transitive triples.

In the Bradley-Terry model ("Rank analysis of incomplete block designs", Biometrika 1952) player i wins against j with
chance ``1 / (1 + exp(t[j] - t[i]))``; a draw counts half a win for both. In games of more than two sides a win is to end
with the better rank than another side. Strengths ``t`` are shown on Elo's scale, 400
times their decimal logarithm, with mean 0: 100 points of difference are a win rate of 64%, 200 are 76%.

The unit of all statistics is the deal, not the game: a duplicate deal's two games share their cards, and all pairings of
a tournament may share their deals. Intervals therefore come from the spread between deals (a sandwich estimate clustered
by deal: White, "Maximum likelihood estimation of misspecified models", Econometrica 1982), which also holds where the
model does not, as when some player does better against its neighbours than its rating says. One more deal with the
model's own spread is added, for what few deals have not shown, and quantiles are Student's t.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit

from cardenvs.baselines.reports.statistics import Z95

Array = npt.NDArray[np.float64]

ELO = 400.0 / math.log(10.0)
"""Rating points for a strength difference of 1."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of k players."""

    values: Array  # float64 (k,), on Elo's scale, mean 0
    covariance: Array  # float64 (k, k), covariance of the values; infinite where a single deal was played
    deals: int  # number of deals that they come from
    regularised: bool  # whether a player's strength was without bound, so that a drawn deal was added to each pairing

    @property
    def ci95(self) -> Array:
        """float64 (k, 2): 95% confidence intervals of the values."""
        quantile = float(stdtrit(self.deals - 1, 0.975)) if self.deals > 1 else Z95
        half = quantile * np.sqrt(self.covariance.diagonal())
        return np.stack([self.values - half, self.values + half], 1)


def score_matrix(wins: Array, pairs: npt.NDArray[np.int64], players: int) -> Array:
    """The deals that each player (row) won from every other, a draw counting half: float64 (k, k); see `rate`."""
    scores = np.zeros((players, players))
    won = wins.sum(1, dtype=np.float64)
    np.add.at(scores, (pairs[:, 0], pairs[:, 1]), won)
    np.add.at(scores, (pairs[:, 1], pairs[:, 0]), wins.shape[1] - won)
    return scores


def is_bounded(scores: Array) -> bool:
    """Whether the likelihood of scores (`score_matrix`) has a maximum: however players are split in two, each part scored.

    Source: Ford, "Solution of a ranking problem from binary comparisons", American Mathematical Monthly 1957.
    """
    return int(connected_components(scores > 0, directed=True, connection="strong")[0]) == 1


def information(strengths: Array, scores: Array) -> Array:
    """The observed information of strengths: float64 (k, k), singular, as an equal shift of all changes nothing."""
    chance = expit(strengths[:, None] - strengths[None, :])
    weight = (scores + scores.T) * chance * (1.0 - chance)
    return np.asarray(np.diag(weight.sum(1)) - weight)


def fit_strengths(scores: Array) -> Array:
    """Strengths of greatest likelihood, if they are bounded, by Newton's method: natural logarithms (k,), mean 0."""
    k = len(scores)
    games = scores + scores.T

    def likelihood(strengths: Array) -> float:
        return float(-(scores * np.logaddexp(0.0, strengths[None, :] - strengths[:, None])).sum())

    strengths = np.zeros(k)
    reached = likelihood(strengths)
    for _ in range(100):
        chance = expit(strengths[:, None] - strengths[None, :])
        gradient = (scores - games * chance).sum(1)
        # An equal shift of all strengths changes no likelihood: that direction is filled up, the step has none of it.
        step = np.linalg.solve(information(strengths, scores) + 1.0 / k, gradient)
        size = 1.0
        while (value := likelihood(strengths + size * step)) < reached and size > 1e-9:
            size /= 2.0
        strengths, reached = strengths + size * step, value
        if np.abs(step).max() < 1e-10:
            break
    return np.asarray(strengths - strengths.mean())


def rate(wins: Array, pairs: npt.NDArray[np.int64], players: int) -> Ratings:
    """Ratings with their uncertainty from every deal's result.

    Where a player won or lost everything no finite ratings fit best: then a drawn deal is added to each pairing, and the
    uncertainty is the model's own, each deal taken as one game, which errs towards wide intervals.

    Args:
        wins: float (m, n), the share (0 to 1) of deal d that the first of pair k won; column d is one deal in all pairs.
        pairs: int64 (m, 2), the players of each pair; they connect all players.
        players: number of players, at least 2.
    """
    n = wins.shape[1]
    scores = score_matrix(wins, pairs, players)
    regularised = not is_bounded(scores)
    if regularised:
        met = scores + scores.T > 0
        scores = scores + 0.5 * met
    strengths = fit_strengths(scores)
    inverse = np.linalg.pinv(information(strengths, scores), hermitian=True)
    if n < 2:
        covariance = np.full((players, players), math.inf)
    elif regularised:
        covariance = inverse
    else:
        chance = expit(strengths[pairs[:, 0]] - strengths[pairs[:, 1]])
        incidence = np.zeros((players, len(pairs)))
        np.add.at(incidence, (pairs[:, 0], np.arange(len(pairs))), 1.0)
        np.add.at(incidence, (pairs[:, 1], np.arange(len(pairs))), -1.0)
        of_deals = incidence @ (wins - chance[:, None])
        covariance = inverse @ (of_deals @ of_deals.T) @ inverse * n / (n - 1) + inverse / n
    return Ratings(ELO * strengths, ELO**2 * covariance, n, regularised)


def expected(values: Array) -> Array:
    """The win rates that ratings predict: float64 (k, k), row against column."""
    return np.asarray(expit((values[:, None] - values[None, :]) / ELO))


@dataclass(frozen=True)
class Cycle:
    """Three players of which each beats the next and the last the first."""

    players: tuple[int, int, int]  # the players' numbers, the lowest first
    z: float  # the least lead of the three, in standard errors

    @property
    def significant(self) -> bool:
        """Whether each of the three leads is significant at the 95% level (two-sided)."""
        return self.z > Z95


def cycles(lead: Array, error: Array) -> list[Cycle]:
    """All non-transitive triples, surest first.

    Args:
        lead: float64 (k, k), how far the row's player is ahead of the column's: positive where it wins.
        error: float64 (k, k), the standard errors of the leads.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(lead == 0, 0.0, lead / error)
    triples = (way for a, b, c in itertools.combinations(range(len(lead)), 3) for way in ((a, b, c), (a, c, b)))
    listed = [Cycle((a, b, c), float(min(z[a, b], z[b, c], z[c, a]))) for a, b, c in triples]
    return sorted((cycle for cycle in listed if cycle.z > 0), key=lambda cycle: -cycle.z)
