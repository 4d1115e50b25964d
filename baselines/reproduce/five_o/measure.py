"""All figures of the Five-O paper measured again; finished parts are files in a folder, so that a stopped run goes on."""

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

from cardenvs import policy
from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.columns import Column, Columns, Row
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.reproduce.five_o import report
from cardenvs.baselines.reproduce.five_o.settings import (
    AGENTS,
    EXTRA,
    JOINT_SAMPLES,
    PAPER,
    ROWS,
    SAMPLES,
    SEEDS,
    Sizes,
    searching,
)
from cardenvs.baselines.reproduce.five_o.table3 import play_table3, table3, table3_games
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.baselines.runs.store import Parts
from cardenvs.baselines.search.five_o.chances import placement_scores
from cardenvs.baselines.search.five_o.exact_chances import exact_chances
from cardenvs.baselines.search.five_o.independence import independence_cost
from cardenvs.baselines.search.five_o.sampled_chances import sampled_chances
from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.envs.batch import Batch
from cardenvs.games import five_o
from cardenvs.games.poker import hand_values

Array = npt.NDArray[np.float64]

_TURNS = 10  # turns in which a row is filled, five of each player
_FREE_TURNS = 8  # turns of a row that leave a choice: all but the last two


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
    """Measures the cost of the independence of columns that equation 3 assumes, in positions of one row.

    Returns:
        ``row``, and the fields of `cardenvs.baselines.search.five_o.independence.IndependenceCost`.
    """
    observations, masks = positions(row, count, seed, every_turn=True)
    return {"row": row, **asdict(independence_cost(observations, masks, SAMPLES[-1], seed_streams(seed, count)))}


def exact_times(row: int, count: int, seed: int) -> dict[str, Any]:
    """Measures the processor time of decisions of one row by exact and by sampled chances, in milliseconds each."""
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


Progress = Callable[[int], None]  # a function that is called with the number of games finished since the last call

_TABLE2, _VALUES, _FIGURE2, _INDEPENDENCE, _EXACT = 10, 100, 20, 30, 40  # offsets of seeds; Table III has the first
_BATCH = 64  # games of slow agents at a time: the progress bar moves, the results are the same
_PAIRS = [pair for pair in itertools.combinations([*AGENTS, *EXTRA], 2) if pair[0] in AGENTS]
"""The pairs of agents in Figure 3."""

Reproduction = Columns(
    "Reproduction",
    Column("game", "always ``five-o``"),
    Column("settings", "all that the figures depend on (`Sizes`)"),
    Column("policies", "the policies, with their parameters, that play the agents of Table III"),
    Column("table2", "errors of simulated chances, ours by ``rows`` and the ``paper``'s"),
    Column("table3", "every agent against every other"),
    Column("figure2", "matches of expectiminimax (`play_measured`), by ``depth`` and by ``decks``"),
    Column("figure3", "mean column values of each agent"),
    Column("independence", "the cost of taking columns for independent, by ``rows`` and in a ``match``"),
    Column("exact", "the cost of exact chances, by row"),
    document=report.document,
)
"""The figures of the Five-O paper measured again."""


def _play_deals(first: str, second: str, games: int, seed: int, progress: Progress, **more: Any) -> Row:
    return play_match(
        "five-o", first, second, deals=games // 2, seed=seed, batch_size=_BATCH,
        progress=lambda deals: progress(2 * deals), **more,
    )  # fmt: skip


def play_measured(first: str, second: str, games: int, seed: int, progress: Progress) -> dict[str, Any]:
    """Plays a match whose first policy is measured.

    Returns:
        ``policies``, ``games``, ``games_won``; ``win_rate``, the first's share of the games, a draw counting half, with
        ``ci95``; ``columns``, the mean of its columns less the second's, a game; ``ms_a_decision``, processor time of whole
        games for each of its decisions, in milliseconds.
    """
    play_match("five-o", first, second, deals=1, seed=seed)  # compiled or loaded before anything is timed
    began = time.process_time()
    result = _play_deals(first, second, games, seed, progress)
    return {
        "policies": [first, second],
        "games": result.games,
        "games_won": result.games_won,
        "win_rate": result.win_rate.mean,
        "ci95": result.win_rate.ci95,
        "columns": result.tricks_margin.mean,
        "ms_a_decision": 1000 * (time.process_time() - began) / result.decisions[0],
    }


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

    _play_deals(first, second, games, seed, progress, observer=observer)
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
        folder: folder of the run, for finished parts.
        progress: called with the number of games and positions finished since the last call, and what they are of.

    Raises:
        ValueError: sizes that do not make sense, or a folder that holds a run of other sizes.
        OSError: the folder cannot be written.
    """
    sizes.check()
    parts, base = Parts(folder, asdict(sizes)), SEEDS * sizes.seed

    def keep(title: str, name: str, pieces: int, make: Callable[[Progress], Any]) -> Any:
        """A part of so many games or positions; what makes it is handed a function that counts those finished."""
        with part_of(progress, title, pieces) as count:
            return parts.kept(name, lambda: make(count))

    def by_row(title: str, name: str, offset: int, measure: Callable[[int, int, int], Any]) -> list[dict[str, Any]]:
        def make(count: Progress, row: int) -> Any:
            return measure(row, sizes.positions, base + offset + row)

        return [keep(title, f"{name}-{row}", sizes.positions, partial(make, row=row)) for row in ROWS]

    tables2 = by_row("Table II", "table2", _TABLE2, table2)
    third = table3(play_table3(sizes, folder, workers, cluster, lambda games: progress(games, "Table III")))
    figure2: dict[str, list[dict[str, Any]]] = {"depth": [], "decks": []}
    for series, evaluation, depth, decks in sizes.searches():
        agent = searching(evaluation, depth, decks)
        make = partial(play_measured, agent, "greedy2", sizes.depth_games, base + _FIGURE2)
        match = keep("Figure 2", f"figure2-{evaluation}-{depth}-{decks}", sizes.depth_games, make)
        figure2[series].append({"evaluation": evaluation, "depth": depth, "decks": decks} | match)
    values: dict[str, list[Array]] = {agent: [] for agent in (*AGENTS, *EXTRA)}
    for number, (a, b) in enumerate(_PAIRS):  # each pair plays deals of its own
        measure = partial(sorted_values, sizes.policy(a), sizes.policy(b), sizes.value_games, base + _VALUES + number)
        both = np.array(keep("Figure 3", f"figure3-{number:02}", sizes.value_games, measure))
        values[a] += [both[:, 0]] if b in AGENTS else []
        values[b].append(both[:, 1])
    costs = by_row("independence", "independence", _INDEPENDENCE, independence)
    times = by_row("exact chances", "exact", _EXACT, exact_times)
    apart = f"monte-carlo:samples={JOINT_SAMPLES}"
    make = partial(play_measured, f"{apart},joint=yes", apart, sizes.search_games, base + _INDEPENDENCE)
    return Reproduction(
        game="five-o",
        settings=sizes,
        policies={agent: sizes.policy(agent) for agent in (*AGENTS, *EXTRA)},
        table2={"rows": tables2, "paper": printed_table2()},
        table3=third,
        figure2=figure2,
        figure3=[_column_values(agent, met, sizes.value_games) for agent, met in values.items()],
        independence={"rows": costs, "match": keep("independence", "independence-match", sizes.search_games, make)},
        exact=times,
    )
