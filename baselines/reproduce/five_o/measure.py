"""All figures of the Five-O paper measured again; finished parts are files in a folder, so that a stopped run goes on."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.columns import Column, Columns, Row, share_column
from cardenvs.baselines.reports.statistics import Z95, Interval
from cardenvs.baselines.reproduce.five_o import chances, report
from cardenvs.baselines.reproduce.five_o.settings import AGENTS, EXTRA, JOINT_SAMPLES, ROWS, SEEDS, Sizes
from cardenvs.baselines.reproduce.five_o.table3 import play_table3, table3, table3_games
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.baselines.runs.store import Parts
from cardenvs.contract.fields import Games
from cardenvs.games.poker import hand_values

Array = npt.NDArray[np.float64]
Progress = Callable[[int], None]  # a function that is called with the number of games finished since the last call

_TABLE2, _VALUES, _FIGURE2, _INDEPENDENCE, _EXACT = 1, 100, 2, 3, 4  # offsets of seeds; Table III has the first
_BATCH = 64  # games of slow agents at a time: the progress bar moves, the results are the same
_PAIRS = [pair for pair in itertools.combinations([*AGENTS, *EXTRA], 2) if pair[0] in AGENTS]
"""The pairs of agents in Figure 3."""

Match = Columns(
    "Match",
    Column("policies", "the two policies"),
    Column("games", "number of games"),
    Column("games_won", "games that each policy won"),
    share_column("win_rate", "the first policy's share of the games, a draw counting half", "won, %", ends="ci95"),
    Column("lead", "mean of the first policy's columns less the second's, a game", "columns a game", "{:+z.2f}".format,
           json="columns"),
    Column("ms_a_decision", "processor time of whole games for each of the first policy's decisions, in milliseconds",
           "ms a decision", "{:.2f}".format),
)  # fmt: skip
"""A match whose first policy is measured."""

Search = Columns(
    "Search",
    Column("evaluation", "the state value of expectiminimax"),
    Column("depth", "its depth"),
    Column("decks", "decks drawn for a decision"),
    *Match,
)
"""A match of Figure 2."""

Reproduction = Columns(
    "Reproduction",
    Column("game", "always ``five-o``"),
    Column("settings", "all that the figures depend on (`Sizes`)"),
    Column("policies", "the policies, with their parameters, that play the agents of Table III"),
    Column("table2", "errors of simulated chances, ours by ``rows`` and the ``paper``'s"),
    Column("table3", "every agent against every other"),
    Column("figure2", "matches of expectiminimax (`Search`), by ``depth`` and by ``decks``"),
    Column("figure3", "mean column values of each agent"),
    Column("independence", "the cost of taking columns for independent, by ``rows`` and in a ``match``"),
    Column("exact", "the cost of exact chances, by row (`Times`)"),
    document=report.document,
)
"""The figures of the Five-O paper measured again."""


def play_measured(first: str, second: str, games: int, seed: int, progress: Progress) -> dict[str, Any]:
    """Plays a match and returns the values of `Match` by their keys in JSON."""
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


def _match_row(kind: Columns, ci95: list[float], win_rate: float, columns: float, **values: Any) -> Row:
    return kind(**values, win_rate=Interval(win_rate, *ci95), lead=columns)


def sorted_values(first: str, second: str, games: int, seed: int, progress: Progress = lambda games: None) -> list[Any]:
    """Plays a match and returns the final values of both sides' columns, the highest column first.

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

    play_match(
        "five-o", first, second, deals=games // 2, seed=seed, batch_size=_BATCH, observer=observer,
        progress=lambda deals: progress(2 * deals),
    )  # fmt: skip
    return list(np.concatenate(by_batch).tolist())


def _column_values(agent: str, met: list[Array], games: int) -> dict[str, Any]:
    """The mean value of an agent's highest, second, ... column over its games against the paper's agents."""
    variance = np.sum([deals.var(axis=0, ddof=1) / len(deals) for deals in met], axis=0)
    return {
        "agent": agent,
        "games": games * len(met),
        "values": np.mean([deals.mean(axis=0) for deals in met], axis=0).tolist(),
        "half_widths": (Z95 * np.sqrt(variance) / len(met)).tolist(),
    }


def count_pieces(sizes: Sizes) -> int:
    """Returns the number of games and positions that `reproduce` plays and measures."""
    games = len(sizes.searches()) * sizes.depth_games + len(_PAIRS) * sizes.value_games + sizes.search_games
    return table3_games(sizes) + games + 3 * len(ROWS) * sizes.positions


def reproduce(sizes: Sizes, folder: Path, progress: Count, workers: int | None = None, cluster: str | None = None) -> Row:
    """Measures all figures that the folder does not have yet, and returns a `Reproduction`.

    Args:
        sizes: all that the figures depend on.
        folder: folder of the run, for finished parts.
        progress: called with the number of games and positions finished since the last call, and what they are of.

    Raises:
        ValueError: sizes that do not make sense, or a folder that holds a run of other sizes.
        OSError: the folder cannot be written.
    """
    sizes.check()
    parts = Parts(folder, asdict(sizes))
    base = SEEDS * sizes.seed

    def keep(title: str, name: str, pieces: int, make: Callable[[Progress], Any]) -> Any:
        """A part of so many games or positions; what makes it is handed a function that counts those finished."""
        with part_of(progress, title, pieces) as count:
            return parts.kept(name, lambda: make(count))

    def by_row(title: str, name: str, offset: int, measure: Callable[[int, int, int], Any]) -> list[dict[str, Any]]:
        def make(count: Progress, row: int) -> Any:
            return measure(row, sizes.positions, base + 10 * offset + row)

        return [keep(title, f"{name}-{row}", sizes.positions, partial(make, row=row)) for row in ROWS]

    tables2 = by_row("Table II", "table2", _TABLE2, chances.table2)
    third = table3(play_table3(sizes, folder, workers, cluster, lambda games: progress(games, "Table III")))
    second: dict[str, list[Row]] = {"depth": [], "decks": []}
    for series, evaluation, depth, decks in sizes.searches():
        agent = sizes.searching(evaluation, depth, decks)
        make = partial(play_measured, agent, "greedy2", sizes.depth_games, base + 10 * _FIGURE2)
        match = keep("Figure 2", f"figure2-{evaluation}-{depth}-{decks}", sizes.depth_games, make)
        second[series].append(_match_row(Search, evaluation=evaluation, depth=depth, decks=decks, **match))
    values: dict[str, list[Array]] = {agent: [] for agent in (*AGENTS, *EXTRA)}
    for number, (a, b) in enumerate(_PAIRS):  # each pair plays deals of its own
        values_of_pair = partial(
            sorted_values, sizes.policy(a), sizes.policy(b), sizes.value_games, base + _VALUES + number
        )
        both = np.array(keep("Figure 3", f"figure3-{number:02}", sizes.value_games, values_of_pair))
        values[a] += [both[:, 0]] if b in AGENTS else []
        values[b].append(both[:, 1])
    costs = by_row("independence", "independence", _INDEPENDENCE, chances.independence)
    times = by_row("exact chances", "exact", _EXACT, chances.exact_times)
    apart = f"monte-carlo:samples={JOINT_SAMPLES}"
    make = partial(play_measured, f"{apart},joint=yes", apart, sizes.search_games, base + 10 * _INDEPENDENCE)
    match = keep("independence", "independence-match", sizes.search_games, make)
    return Reproduction(
        game="five-o",
        settings=sizes,
        policies={agent: sizes.policy(agent) for agent in (*AGENTS, *EXTRA)},
        table2={"rows": tables2, "paper": chances.printed_table2()},
        table3=third,
        figure2=second,
        figure3=[_column_values(agent, met, sizes.value_games) for agent, met in values.items()],
        independence={
            "rows": [chances.Independence(**cost) for cost in costs],
            "match": _match_row(Match, **match),
        },
        exact=[chances.Times(**row) for row in times],
    )
