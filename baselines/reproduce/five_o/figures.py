"""All figures of the Five-O paper measured again.

Finished parts are files in a folder, so that an interrupted run goes on.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.document import Document
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.reproduce.five_o import report
from cardenvs.baselines.reproduce.five_o.chances import exact_times, independence, printed_table2, table2
from cardenvs.baselines.reproduce.five_o.settings import (
    AGENTS,
    DEPTH,
    DEPTHS,
    EVALUATIONS,
    EXTRA,
    JOINT_SAMPLES,
    ROWS,
    SEEDS,
    Sizes,
)
from cardenvs.baselines.reproduce.five_o.table3 import play_table3, table3, table3_games
from cardenvs.baselines.runs.parts import Parts
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.contract.fields import Games
from cardenvs.games.poker import hand_values

Array = npt.NDArray[np.float64]

_JOINT = f"monte-carlo:samples={JOINT_SAMPLES},joint=yes"
_APART = f"monte-carlo:samples={JOINT_SAMPLES}"

_TABLE2, _VALUES, _FIGURE2, _INDEPENDENCE, _EXACT = 1, 100, 2, 3, 4  # offsets of seeds; Table III has the first
_BATCH = 64  # games of slow agents at a time: the progress bar moves, the results are the same


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The figures of the Five-O paper measured again, as JSON has them.

    Attributes:
        settings: all that the figures depend on.
        policies: the policies, with their parameters, that play the agents of Table III.
        table2: errors of simulated chances, ours by ``rows`` and the ``paper``'s.
        table3: the figures of `table3.table3`.
        figure2: matches of expectiminimax, by ``depth`` and by ``decks``.
        figure3: mean column values of each agent.
        independence: what it costs to take columns for independent, by ``rows`` and in a ``match``.
        exact: what exact chances cost, by row.
    """

    settings: Sizes
    policies: dict[str, str]
    table2: dict[str, Any]
    table3: dict[str, Any]
    figure2: dict[str, Any]
    figure3: list[dict[str, Any]]
    independence: dict[str, Any]
    exact: list[dict[str, Any]]

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {"game": "five-o"} | super().figures()

    def document(self, command: str = "") -> Document:
        """The report; with the command line that makes the results again, if one is given."""
        return report.document(self.figures(), command)


def _result(first: str, second: str, games: int, seed: int, progress: Callable[[int], None]) -> dict[str, Any]:
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
        progress=lambda deals: progress(2 * deals),
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


def _figure3(values: dict[str, list[Array]], games: int) -> list[dict[str, Any]]:
    """Figure 3: the mean value of each agent's highest, second, ... column over its games against the paper's agents."""
    return [
        {
            "agent": agent,
            "games": games * len(met),
            "values": np.mean([deals.mean(axis=0) for deals in met], axis=0).tolist(),
            "half_widths": (
                Z95 * np.sqrt(np.sum([deals.var(axis=0, ddof=1) / len(deals) for deals in met], axis=0)) / len(met)
            ).tolist(),
        }
        for agent, met in values.items()
    ]


def _searches(sizes: Sizes) -> list[tuple[str, str, int, int]]:
    """The searches of Figure 2: of which series each is, its evaluation, depth and decks; the usual one is in both."""
    return [
        (what, evaluation, depth, decks)
        for evaluation in EVALUATIONS
        for what, depth, decks in (
            *(("depth", depth, sizes.decks) for depth in DEPTHS),
            *(("decks", DEPTH, decks) for decks in sizes.budgets()),
        )
    ]


_PAIRS = [pair for pair in itertools.combinations([*AGENTS, *EXTRA], 2) if pair[0] in AGENTS]
"""The pairs of agents in Figure 3."""


def total(sizes: Sizes) -> int:
    """Number of games and positions that `reproduce` plays and measures."""
    games = len(_searches(sizes)) * sizes.depth_games + len(_PAIRS) * sizes.value_games + sizes.search_games
    return table3_games(sizes) + games + 3 * len(ROWS) * sizes.positions


def reproduce(
    sizes: Sizes,
    folder: Path,
    progress: Count,
    workers: int | None = None,
    cluster: str | None = None,
) -> Reproduction:
    """Measures all figures that the folder does not have yet.

    Args:
        sizes: all that the figures depend on.
        folder: folder of the run, for finished parts.
        progress: called with the number of games and positions finished since the last call, and what they are of.
        workers: processes that play Table III; None takes all cores.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.

    Raises:
        ValueError: sizes that do not make sense, or a folder that holds a run of other sizes.
        OSError: the folder cannot be written.
    """
    sizes.check()
    parts = Parts(folder, asdict(sizes))
    base = SEEDS * sizes.seed

    def kept(called: str, name: str, pieces: int, make: Callable[[Callable[[int], None]], Any]) -> Any:
        """A part of so many games or positions; what makes it is handed a function that counts those finished."""
        with part_of(progress, called, pieces) as count:
            return parts.kept(name, lambda: make(count))

    def by_row(called: str, name: str, offset: int, make: Callable[[int, int, int], Any]) -> list[Any]:
        """The figures of positions of each row."""
        found = []
        for row in ROWS:

            def of_row(count: Callable[[int], None], row: int = row) -> Any:
                """The figures of a row."""
                return make(row, sizes.positions, base + 10 * offset + row)

            found.append(kept(called, f"{name}-{row}", sizes.positions, of_row))
        return found

    tables2 = by_row("Table II", "table2", _TABLE2, table2)
    third = table3(play_table3(sizes, folder, workers, cluster, lambda games: progress(games, "Table III")))
    second: dict[str, list[dict[str, Any]]] = {"depth": [], "decks": []}
    for what, evaluation, depth, decks in _searches(sizes):
        agent = sizes.searching(evaluation, depth, decks)
        make = partial(_result, agent, "greedy2", sizes.depth_games, base + 10 * _FIGURE2)
        result = kept("Figure 2", f"figure2-{evaluation}-{depth}-{decks}", sizes.depth_games, make)
        second[what].append({"evaluation": evaluation, "depth": depth, "decks": decks, **result})
    values: dict[str, list[Array]] = {agent: [] for agent in (*AGENTS, *EXTRA)}
    for number, (a, b) in enumerate(_PAIRS):

        def of_pair(count: Callable[[int], None], a: str = a, b: str = b, seed: int = base + _VALUES + number) -> list[Any]:
            """The values of a pair's columns; each pair plays deals of its own."""
            return sorted_values(sizes.policy(a), sizes.policy(b), sizes.value_games, seed)

        both = np.array(kept("Figure 3", f"figure3-{number:02}", sizes.value_games, of_pair))
        values[a] += [both[:, 0]] if b in AGENTS else []
        values[b].append(both[:, 1])
    costs = by_row("independence", "independence", _INDEPENDENCE, independence)
    times = by_row("exact chances", "exact", _EXACT, exact_times)
    make = partial(_result, _JOINT, _APART, sizes.search_games, base + 10 * _INDEPENDENCE)
    match = kept("independence", "independence-match", sizes.search_games, make)
    return Reproduction(
        settings=sizes,
        policies={agent: sizes.policy(agent) for agent in (*AGENTS, *EXTRA)},
        table2={"rows": tables2, "paper": printed_table2()},
        table3=third,
        figure2=second,
        figure3=_figure3(values, sizes.value_games),
        independence={"rows": costs, "match": match},
        exact=times,
    )
