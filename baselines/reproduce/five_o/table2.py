"""Table II of the Five-O paper: errors of simulated column chances against the exact ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reproduce.five_o.paper import paper
from cardenvs.baselines.reproduce.five_o.positions import positions
from cardenvs.baselines.reproduce.five_o.settings import SAMPLES
from cardenvs.baselines.search.five_o.chances import placement_scores
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.sampled_chances import sampled_chances
from cardenvs.compiled.streams import seed_streams

Array = npt.NDArray[np.float64]


def _errors(errors: Array, expected: Array) -> dict[str, float]:
    """Errors of simulated chances, beside those expected of independent draws.

    Args:
        errors: float64, simulated chances less the exact ones.
        expected: float64 of the same shape, the standard errors of independent draws.

    Returns:
        ``mean_absolute``, ``deviation`` (root mean square) and ``largest`` error, and what is expected of the first two.
    """
    return {
        "mean_absolute": float(np.abs(errors).mean()),
        "deviation": float(np.sqrt((errors**2).mean())),
        "largest": float(np.abs(errors).max()),
        "expected_mean_absolute": float(math.sqrt(2 / math.pi) * expected.mean()),
        "expected_deviation": float(np.sqrt((expected**2).mean())),
    }


def _binomial_errors(exact: Array, samples: int) -> Array:
    """Standard errors of the shares that independent draws give of the exact chances."""
    return np.asarray(np.sqrt(exact * (1 - exact) / samples))


def table2(row: int, count: int, seed: int) -> dict[str, Any]:
    """The spread of simulated chances around the exact ones in positions of one row.

    Args:
        row: the row that is being filled, 2 to 5.
        count: number of positions.
        seed: int >= 0.

    Returns:
        ``row``, ``positions`` and ``samples``: for each number of completions its errors in the columns' chances, in the
        chance to win the game, and what the agent gives away by them.
    """
    observations, masks = positions(row, count, seed)
    exact = exact_chances(observations, masks)
    wins = placement_scores(exact)
    best = wins.max(axis=1)
    by_samples = []
    for samples in SAMPLES:
        chances = sampled_chances(observations, masks, samples, seed_streams((seed + samples) % 2**64, count))
        scores = placement_scores(chances)
        given_away = best - wins[np.arange(count), scores.argmax(axis=1)]
        by_samples.append(
            {
                "samples": samples,
                **_errors(chances - exact, _binomial_errors(exact, samples)),
                "win_mean_absolute": float(np.abs(scores - wins).mean()),
                "win_largest": float(np.abs(scores - wins).max()),
                "choices_differ": float((given_away > 0).mean()),
                "given_away": float(given_away.mean()),
            }
        )
    return {"row": row, "positions": count, "samples": by_samples}


def printed_table2() -> list[dict[str, Any]]:
    """The errors of the paper's own Table II, which is of one position: a dict for each number of completions."""
    table = paper()["table2"]
    exact = np.array(table["put"]["exact"] + table["wait"]["exact"])
    by_samples = []
    for samples in table["samples"]:
        errors = np.array(table["put"][str(samples)] + table["wait"][str(samples)]) - exact
        wins = np.array(table["win"][str(samples)]) - np.array(table["win"]["exact"])
        by_samples.append(
            {
                "samples": samples,
                **_errors(errors, _binomial_errors(exact, samples)),
                "win_mean_absolute": float(np.abs(wins).mean()),
                "win_largest": float(np.abs(wins).max()),
            }
        )
    return by_samples
