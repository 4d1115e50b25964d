"""Chances of columns in positions of one row: the paper's Table II, what independence costs, what exact chances cost."""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.reports.columns import Column, Columns, count_column
from cardenvs.baselines.reproduce.five_o.settings import PAPER, ROWS, SAMPLES
from cardenvs.baselines.search.five_o.chances import placement_scores
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.independence import independence_cost
from cardenvs.baselines.search.five_o.sampled_chances import sampled_chances
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.games import five_o

Array = npt.NDArray[np.float64]

_TURNS = 10  # turns in which a row is filled, five of each player
_FREE_TURNS = 8  # turns of a row that leave a choice: all but the last two


def _percent_column(key: str, meaning: str, title: str, digits: int) -> Column:
    return Column(key, meaning, title, lambda value: f"{100 * value:.{digits}f}")


Independence = Columns(
    "Independence",
    Column("row", "the row", "row"),
    count_column("positions", "positions compared", "positions"),
    _percent_column("mean_absolute_difference", "mean size of the difference of both chances to win", "mean difference", 2),
    Column("mean_difference", "mean of equation 3's chance to win less the other", "equation 3 less the other",
           lambda value: f"{100 * value:+z.2f}"),
    _percent_column("choices_differ", "share of the positions in which the two choose differently",
                    "another choice, %", 0),
    _percent_column("mean_loss", "mean chance to win, counted, that choices by equation 3 lose", "given away", 3),
)  # fmt: skip
"""The cost of the independence of the columns' chances that equation 3 assumes, in positions of one row."""

Times = Columns(
    "Times",
    Column("row", "the row", "row"),
    Column("decisions", "number of decisions"),
    *(
        Column(key, "milliseconds of processor time a decision", title, "{:.2f}".format)
        for key, title in (
            ("exact_mean", "exact"),
            ("exact_largest", "at most"),
            *((f"sampled_{samples}", f"{samples:,} samples") for samples in SAMPLES),
        )
    ),
)
"""The time that decisions of one row take by exact and by sampled chances."""


def positions(row: int, count: int, seed: int, every_turn: bool = False) -> tuple[Bytes, Bytes]:
    """Plays greedy2 against itself, and returns a position of one row from each game.

    Args:
        row: the row that is being filled, 2 to 5.
        count: number of positions.
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


def _errors(errors: Array, exact: Array, win_errors: Array, samples: int) -> dict[str, Any]:
    """Errors of simulated chances, beside those of independent draws, whose shares have binomial errors."""
    expected = np.sqrt(exact * (1 - exact) / samples)
    return {
        "samples": samples,
        "mean_absolute": float(np.abs(errors).mean()),
        "deviation": float(np.sqrt((errors**2).mean())),
        "largest": float(np.abs(errors).max()),
        "expected_mean_absolute": float(math.sqrt(2 / math.pi) * expected.mean()),
        "expected_deviation": float(np.sqrt((expected**2).mean())),
        "win_mean_absolute": float(np.abs(win_errors).mean()),
        "win_largest": float(np.abs(win_errors).max()),
    }


def table2(row: int, count: int, seed: int) -> dict[str, Any]:
    """Measures the spread of simulated chances around the exact ones in positions of one row.

    Returns:
        ``row``, ``positions`` and ``samples``: the errors for each number of completions.
    """
    observations, masks = positions(row, count, seed)
    exact = exact_chances(observations, masks)
    wins = placement_scores(exact)
    by_samples = []
    for samples in SAMPLES:
        chances = sampled_chances(observations, masks, samples, seed_streams((seed + samples) % 2**64, count))
        scores = placement_scores(chances)
        given_away = wins.max(axis=1) - wins[np.arange(count), scores.argmax(axis=1)]
        choices = {"choices_differ": float((given_away > 0).mean()), "given_away": float(given_away.mean())}
        by_samples.append(_errors(chances - exact, exact, scores - wins, samples) | choices)
    return {"row": row, "positions": count, "samples": by_samples}


def printed_table2() -> list[dict[str, Any]]:
    """Computes the errors of the paper's own Table II, which is of one position, for each number of completions."""
    put, wait, win = (
        {name: np.array(values) for name, values in PAPER["table2"][part].items()} for part in ("put", "wait", "win")
    )
    exact = np.concatenate([put["exact"], wait["exact"]])
    return [
        _errors(np.concatenate([put[name], wait[name]]) - exact, exact, win[name] - win["exact"], int(name))
        for name in map(str, PAPER["table2"]["samples"])
    ]


def independence(row: int, count: int, seed: int) -> dict[str, Any]:
    """Measures the cost of independence in positions of one row: the values of `Independence`."""
    observations, masks = positions(row, count, seed, every_turn=True)
    return {"row": row, **asdict(independence_cost(observations, masks, SAMPLES[-1], seed_streams(seed, count)))}


def exact_times(row: int, count: int, seed: int) -> dict[str, Any]:
    """Measures the processor time of decisions of one row: the values of `Times`."""
    observations, masks = positions(row, count, seed, every_turn=True)
    for samples in (None, 10):  # compiled or loaded before anything is timed
        _milliseconds(observations[:1], masks[:1], samples)
    exact = _milliseconds(observations, masks, None)
    return {
        "row": row,
        "decisions": count,
        "exact_mean": float(exact.mean()),
        "exact_largest": float(exact.max()),
        **{f"sampled_{n}": float(_milliseconds(observations, masks, n).mean()) for n in SAMPLES},
    }


def _milliseconds(observations: Bytes, masks: Bytes, samples: int | None) -> Array:
    """The processor time of each position's chances, float64 (n,); samples None takes exact chances."""
    taken = []
    for k in range(len(observations)):
        at = slice(k, k + 1)
        began = time.thread_time()
        if samples is None:
            exact_chances(observations[at], masks[at])
        else:
            sampled_chances(observations[at], masks[at], samples, seed_streams(k, 1))
        taken.append(time.thread_time() - began)
    return 1000 * np.array(taken)
