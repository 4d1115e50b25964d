"""All figures of the Five-O paper measured again, gathered in one object.

JSON, report and plots are made from that object. Finished parts are files in a folder, so that an interrupted run goes on.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import cli
from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.reproduce.five_o.meetings import play_table3, table3_games
from cardenvs.baselines.reproduce.five_o.paper import AGENTS
from cardenvs.baselines.reproduce.five_o.positions import positions
from cardenvs.baselines.reproduce.five_o.settings import (
    DEPTH,
    DEPTHS,
    EVALUATIONS,
    EXTRA,
    JOINT_SAMPLES,
    ROWS,
    SAMPLES,
    SEEDS,
    Sizes,
)
from cardenvs.baselines.reproduce.five_o.table2 import printed_table2, table2
from cardenvs.baselines.reproduce.five_o.table3 import table3
from cardenvs.baselines.runs.parts import Parts
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.independence import independence_cost
from cardenvs.baselines.search.five_o.sampled_chances import sampled_chances
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.games.poker import hand_values

Array = npt.NDArray[np.float64]

_JOINT = f"monte-carlo:samples={JOINT_SAMPLES},joint=yes"
_APART = f"monte-carlo:samples={JOINT_SAMPLES}"

_TABLE2, _VALUES, _FIGURE2, _INDEPENDENCE, _EXACT = 1, 100, 2, 3, 4  # offsets of seeds; Table III has the first
_BATCH = 64  # games of slow agents at a time: the progress bar moves, the results are the same


def _result(first: str, second: str, games: int, seed: int, progress: Callable[[int], None] | None) -> dict[str, Any]:
    """The figures of a match that a report shows; the time is processor time of whole games for each first-side decision.

    Args:
        first: the policy that is measured.
        second: the policy it plays.
        games: number of games, even.
        seed: int >= 0.
        progress: called with the number of games finished since the last call.
    """
    play_match("five-o", first, second, deals=1, seed=seed)  # compiled or loaded before anything is timed
    began = time.process_time()
    result = play_match(
        "five-o", first, second, deals=games // 2, seed=seed, batch_size=_BATCH,
        progress=None if progress is None else lambda deals: progress(2 * deals),
    )  # fmt: skip
    return {
        "policies": [first, second],
        "games": result.games,
        "games_won": result.games_won,
        "win_rate": result.win_rate.mean,
        "ci95": result.win_rate.ci95,
        "columns": result.tricks_margin.mean,
        "ms_a_decision": 1000 * (time.process_time() - began) / result.decisions[0],
    }


def sorted_values(first: str, second: str, games: int, seed: int) -> list[Any]:
    """The final values of both sides' columns, the highest column first.

    Args:
        first: policy of side 0.
        second: policy of side 1.
        games: number of games, even.
        seed: int >= 0.

    Returns:
        Lists in the shape (deals, 2, 5): by deal and side the value of each column, the mean over the deal's two games.
    """
    by_batch: list[Array] = []

    def observer(finished: Games, owner: npt.NDArray[np.int64]) -> None:
        """Keeps the column values of finished games by side, the mean over both copies of a deal."""
        values = hand_values(finished["columns"].reshape(-1)).reshape(-1, 2, 5)
        values = np.sort(values, axis=2)[:, :, ::-1]
        by_side = np.take_along_axis(values, owner[:, :, None], axis=1)  # exchanging the sides is its own inverse
        by_batch.append(by_side.reshape(2, -1, 2, 5).mean(axis=0))

    play_match("five-o", first, second, deals=games // 2, seed=seed, batch_size=_BATCH, observer=observer)
    return list(np.concatenate(by_batch).tolist())


def figure3(sizes: Sizes, parts: Parts, progress: Callable[[int], None]) -> list[dict[str, Any]]:
    """Figure 3: the mean value of each agent's highest, second, ... column over its games against the paper's agents.

    Args:
        sizes: numbers of games, policies and the run's seed.
        parts: finished parts; each pair of agents is one and plays deals of its own.
        progress: called with the number of games finished since the last call.

    Returns:
        For each agent ``agent``, ``games``, ``values`` (five means) and ``half_widths``: half of their 95% intervals, from
        the spread between deals.
    """
    every = [*AGENTS, *EXTRA]
    values: dict[str, list[Array]] = {agent: [] for agent in every}
    pairs = [pair for pair in itertools.combinations(every, 2) if pair[0] in AGENTS]
    for number, (a, b) in enumerate(pairs):
        seed = SEEDS * sizes.seed + _VALUES + number
        of_pair = np.array(
            parts.kept(
                f"figure3-{number:02}",
                partial(sorted_values, sizes.policy(a), sizes.policy(b), sizes.value_games, seed),
            )
        )
        values[a] += [of_pair[:, 0]] if b in AGENTS else []
        values[b].append(of_pair[:, 1])
        progress(sizes.value_games)
    return [
        {
            "agent": agent,
            "games": sizes.value_games * len(met),
            "values": np.mean([deals.mean(axis=0) for deals in met], axis=0).tolist(),
            "half_widths": (
                Z95 * np.sqrt(np.sum([deals.var(axis=0, ddof=1) / len(deals) for deals in met], axis=0)) / len(met)
            ).tolist(),
        }
        for agent, met in values.items()
    ]


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


def reproduce(sizes: Sizes, folder: Path, workers: int | None = None, cluster: str | None = None) -> dict[str, Any]:
    """Measures all figures that the folder does not have yet.

    Args:
        sizes: all that the figures depend on.
        folder: folder of the run, for finished parts.
        workers: processes that play Table III; None takes all cores.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.

    Returns:
        All figures, as JSON has them.

    Raises:
        ValueError: sizes that do not make sense, or a folder that holds a run of other sizes.
        OSError: the folder cannot be written.
    """
    sizes.check()
    parts = Parts(folder, asdict(sizes))
    base = SEEDS * sizes.seed
    with cli.counting("Table II", len(ROWS)) as count:
        tables2 = []
        for row in ROWS:
            make = partial(table2, row, sizes.positions, base + 10 * _TABLE2 + row)
            tables2.append(parts.kept(f"table2-{row}", make))
            count(1)
    with cli.counting("Table III", table3_games(sizes)) as count:
        third = table3(play_table3(sizes, folder, workers, cluster, count))
    wanted = [
        (what, evaluation, depth, decks)
        for evaluation in EVALUATIONS
        for what, depth, decks in (
            *(("depth", depth, sizes.decks) for depth in DEPTHS),
            *(("decks", DEPTH, decks) for decks in sizes.budgets()),
        )
    ]
    second: dict[str, list[dict[str, Any]]] = {"depth": [], "decks": []}
    with cli.counting("Figure 2", (len(wanted) - len(EVALUATIONS)) * sizes.depth_games) as count:
        for what, evaluation, depth, decks in wanted:
            agent = sizes.searching(evaluation, depth, decks)
            make = partial(_result, agent, "greedy2", sizes.depth_games, base + 10 * _FIGURE2, count)
            result = parts.kept(f"figure2-{evaluation}-{depth}-{decks}", make)  # the usual search is in both series
            second[what].append({"evaluation": evaluation, "depth": depth, "decks": decks, **result})
    pairs = math.comb(len(AGENTS), 2) + len(AGENTS) * len(EXTRA)
    with cli.counting("Figure 3", pairs * sizes.value_games) as count:
        values = figure3(sizes, parts, count)
    with cli.counting("chances", 2 * len(ROWS)) as count:
        costs, times = [], []
        for row in ROWS:
            make = partial(independence, row, sizes.positions, base + 10 * _INDEPENDENCE + row)
            costs.append(parts.kept(f"independence-{row}", make))
            count(1)
            make = partial(exact_times, row, sizes.positions, base + 10 * _EXACT + row)
            times.append(parts.kept(f"exact-{row}", make))
            count(1)
    with cli.counting("independence", sizes.search_games) as count:
        make = partial(_result, _JOINT, _APART, sizes.search_games, base + 10 * _INDEPENDENCE, count)
        match = parts.kept("independence-match", make)
    return {
        "game": "five-o",
        "settings": asdict(sizes),
        "policies": {agent: sizes.policy(agent) for agent in (*AGENTS, *EXTRA)},
        "table2": {"rows": tables2, "paper": printed_table2()},
        "table3": third,
        "figure2": second,
        "figure3": values,
        "independence": {"rows": costs, "match": match},
        "exact": times,
    }
