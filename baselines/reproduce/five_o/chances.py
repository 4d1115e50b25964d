"""Chances of columns in positions of one row: the paper's Table II, what independence costs, what exact chances cost."""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.reproduce.five_o.settings import ROWS, SAMPLES, paper
from cardenvs.baselines.search.five_o.chances import placement_scores
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.independence import independence_cost
from cardenvs.baselines.search.five_o.sampled_chances import sampled_chances
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.games import five_o

Array = npt.NDArray[np.float64]

_TURNS = 10
"""Turns in which a row is filled, five of each player."""
_FREE_TURNS = 8
"""Turns of a row that leave a choice: all but the last two."""


def positions(row: int, count: int, seed: int, every_turn: bool = False) -> tuple[Bytes, Bytes]:
    """Positions of one row, each from another game of greedy2 against itself.

    Args:
        row: the row that is being filled, 2 to 5.
        count: number of positions.
        seed: seed of the games, int >= 0.
        every_turn: False takes the first turn of the row, when all five columns are open; True takes the row's turns that
            leave a choice, one after the other.

    Returns:
        Observations, int8 (count, observation_size), and action masks, int8 (count, 5).
    """
    batch = Batch(five_o.SPEC, count, seed=seed, restart=False)
    player, streams = policy.make(five_o.SPEC, "greedy2"), seed_streams((seed + 1) % 2**64, count)
    observations, masks = np.empty_like(batch.observations), np.empty_like(batch.action_masks)
    first = _TURNS * (row - ROWS[0])
    wanted = first + (np.arange(count) % _FREE_TURNS if every_turn else np.zeros(count, np.int64))
    for turn in range(first + _FREE_TURNS):
        here = wanted == turn
        observations[here], masks[here] = batch.observations[here], batch.action_masks[here]
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return observations, masks


def _errors(errors: Array, expected: Array) -> dict[str, float]:
    """Errors of simulated chances, beside those expected of independent draws."""
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


def independence(row: int, count: int, seed: int) -> dict[str, Any]:
    """Cost, in positions of one row, of the independence of the columns' chances that equation 3 assumes.

    Args:
        row: the row that is being filled, 2 to 5.
        count: number of positions.
        seed: int >= 0.

    Returns:
        ``row`` and the fields of `cardenvs.baselines.search.five_o.independence.IndependenceCost`.
    """
    observations, masks = positions(row, count, seed, every_turn=True)
    return {"row": row, **asdict(independence_cost(observations, masks, SAMPLES[-1], seed_streams(seed, count)))}


def exact_times(row: int, count: int, seed: int) -> dict[str, Any]:
    """Milliseconds of processor time that a decision of one row takes, by exact and by sampled chances.

    Args:
        row: the row that is being filled, 2 to 5.
        count: number of decisions.
        seed: int >= 0.

    Returns:
        ``row``, ``decisions``, ``exact_mean``, ``exact_largest``, and ``sampled_N`` for each number N of completions.
    """
    observations, masks = positions(row, count, seed, every_turn=True)
    for samples in (None, 10):  # compiled or loaded before anything is timed
        _seconds(observations[:1], masks[:1], samples)
    exact = 1000 * _seconds(observations, masks, None)
    return {
        "row": row,
        "decisions": count,
        "exact_mean": float(exact.mean()),
        "exact_largest": float(exact.max()),
        **{f"sampled_{n}": float(1000 * _seconds(observations, masks, n).mean()) for n in SAMPLES},
    }


def _seconds(observations: Bytes, masks: Bytes, samples: int | None) -> Array:
    """Seconds of processor time for the chances of each position, float64 (n,); samples None takes exact chances."""
    taken = []
    for k in range(len(observations)):
        at = slice(k, k + 1)
        began = time.thread_time()
        if samples is None:
            exact_chances(observations[at], masks[at])
        else:
            sampled_chances(observations[at], masks[at], samples, seed_streams(k, 1))
        taken.append(time.thread_time() - began)
    return np.array(taken)
