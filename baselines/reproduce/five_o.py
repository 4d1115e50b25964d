"""The tables and figures of the Five-O paper played again: ``cardenvs reproduce five-o``.

The paper: S. Aharon and M. Mandel, "Five-O Poker", Tables II and III and Figures 2 to 4. What it prints is in
``data/five_o_paper.json``. Everything here is computed into one object of figures, from which JSON, report and plots are
made (`cardenvs.baselines.reproduce.five_o_report`). Finished parts are files in a folder, so that an interrupted run goes
on.
"""

from __future__ import annotations

import itertools
import json
import math
import shlex
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from cardenvs import cli, policy
from cardenvs.baselines.match.play import play_match
from cardenvs.baselines.reproduce.five_o_table3 import (
    AGENTS,
    DEPTH,
    EVALUATIONS,
    EXTRA,
    SEEDS,
    Sizes,
    paper,
    play_table3,
    table3,
    table3_games,
)
from cardenvs.baselines.search.five_o.chances import exact_chances, independence_cost, placement_scores, sampled_chances
from cardenvs.baselines.statistics import Z95
from cardenvs.cards import Bytes, seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.files import json_text, write_whole
from cardenvs.games import five_o
from cardenvs.poker import hand_values
from cardenvs.spec import Games

Array = npt.NDArray[np.float64]

SETTINGS_FILE = "reproduction.json"
SAMPLES = (1_000, 10_000, 100_000)
"""Of Table II."""
ROWS = (2, 3, 4, 5)
"""The rows that are filled during play; the first is dealt."""
DEPTHS = (1, 2, 3, 4, 5)
JOINT_SAMPLES = 10_000
_JOINT = f"monte-carlo:samples={JOINT_SAMPLES},joint=yes"
_APART = f"monte-carlo:samples={JOINT_SAMPLES}"

_TABLE2, _VALUES, _FIGURE2, _INDEPENDENCE, _EXACT = 1, 100, 2, 3, 4  # offsets of seeds; Table III has the first
_BATCH = 64  # games of slow agents at a time: the progress bar moves, the results are the same


# --- finished parts -----------------------------------------------------------------------------------------------


class Parts:
    """Finished parts in a folder.

    Args:
        folder: made if there is none.
        sizes: of the run.

    Raises:
        ValueError: the folder holds a run of other sizes; says which differ.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{str(folder)!r} is not a folder")
        self.folder = folder
        known = folder / SETTINGS_FILE
        if not known.is_file():
            write_whole(known, json_text(asdict(sizes)))
            return
        try:
            stored = json.loads(known.read_text())
            found = [f"--{k.replace('_', '-')} {stored[k]}, not {v}" for k, v in asdict(sizes).items() if stored[k] != v]
        except (KeyError, TypeError, json.JSONDecodeError):
            raise ValueError(f"{str(known)!r} does not hold the settings of a reproduction") from None
        if found:
            raise ValueError(
                f"the reproduction in {str(folder)!r} was begun with {'; '.join(found)}: "
                "go on with the same settings, or give another folder"
            )

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """What is kept under a name; if there is nothing yet, what ``make`` returns, as JSON would give it back."""
        path = self.folder / f"{name}.json"
        if path.is_file():
            try:
                return json.loads(path.read_text())
            except json.JSONDecodeError:
                raise ValueError(f"{str(path)!r} is damaged: delete it and run the reproduction again") from None
        text = json.dumps(make())
        write_whole(path, text + "\n")
        return json.loads(text)


# --- Table II ------------------------------------------------------------------------------------------------------


def positions(row: int, count: int, seed: int, every_turn: bool = False) -> tuple[Bytes, Bytes]:
    """Positions from games of greedy2 against itself.

    Args:
        row: that is being filled, 2 to 5.
        count: of games, one position each.
        seed: of the games.
        every_turn: False: the first turn of the row, all five columns open; True: any of its turns with a choice.

    Returns:
        Observations and action masks.
    """
    batch = Batch(five_o.SPEC, count, seed=seed, restart=False)
    player, streams = policy.make(five_o.SPEC, "greedy2"), seed_streams(seed + 1, count)
    observations, masks = np.empty_like(batch.observations), np.empty_like(batch.action_masks)
    first = 10 * (row - ROWS[0])
    # The last two of a row's ten turns leave no choice.
    wanted = first + (np.arange(count) % 8 if every_turn else np.zeros(count, np.int64))
    for turn in range(first + 8):
        here = wanted == turn
        observations[here], masks[here] = batch.observations[here], batch.action_masks[here]
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
    return observations, masks


def _errors(errors: Array, expected: Array) -> dict[str, float]:
    """How far simulated chances are off, beside what independent draws would give: errors and their standard errors."""
    return {
        "mean_absolute": float(np.abs(errors).mean()),
        "deviation": float(np.sqrt((errors**2).mean())),
        "largest": float(np.abs(errors).max()),
        "expected_mean_absolute": float(math.sqrt(2 / math.pi) * expected.mean()),
        "expected_deviation": float(np.sqrt((expected**2).mean())),
    }


def table2(row: int, count: int, seed: int) -> dict[str, Any]:
    """The spread of simulated chances around the exact ones in positions of one row."""
    observations, masks = positions(row, count, seed)
    exact = exact_chances(observations, masks)
    wins = placement_scores(exact)
    best = wins.max(axis=1)
    found = []
    for samples in SAMPLES:
        chances = sampled_chances(observations, masks, samples, seed_streams(seed + samples, count))
        scores = placement_scores(chances)
        given_away = best - wins[np.arange(count), scores.argmax(axis=1)]
        found.append(
            {
                "samples": samples,
                **_errors(chances - exact, np.sqrt(exact * (1 - exact) / samples)),
                "win_mean_absolute": float(np.abs(scores - wins).mean()),
                "win_largest": float(np.abs(scores - wins).max()),
                "choices_differ": float((given_away > 0).mean()),
                "given_away": float(given_away.mean()),
            }
        )
    return {"row": row, "positions": count, "samples": found}


def printed_table2() -> list[dict[str, Any]]:
    """The same figures of the paper's own Table II, one position."""
    table = paper()["table2"]
    exact = np.array(table["put"]["exact"] + table["wait"]["exact"])
    found = []
    for samples in table["samples"]:
        errors = np.array(table["put"][str(samples)] + table["wait"][str(samples)]) - exact
        wins = np.array(table["win"][str(samples)]) - np.array(table["win"]["exact"])
        found.append(
            {
                "samples": samples,
                **_errors(errors, np.sqrt(exact * (1 - exact) / samples)),
                "win_mean_absolute": float(np.abs(wins).mean()),
                "win_largest": float(np.abs(wins).max()),
            }
        )
    return found


# --- the figures ---------------------------------------------------------------------------------------------------


def _result(first: str, second: str, games: int, seed: int, progress: Callable[[int], None] | None) -> dict[str, Any]:
    """A match by the figures that a report shows; time is the processor's, of the whole games for the first side."""
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
    """The final values of both sides' columns, highest first: by deal and side the five means over its two games."""
    found: list[Array] = []

    def observer(finished: Games, owner: npt.NDArray[np.int64]) -> None:
        values = hand_values(finished["columns"].reshape(-1)).reshape(-1, 2, 5)
        values = np.sort(values, axis=2)[:, :, ::-1]
        by_side = np.take_along_axis(values, owner[:, :, None], axis=1)  # exchanging the sides is its own inverse
        found.append(by_side.reshape(2, -1, 2, 5).mean(axis=0))

    play_match("five-o", first, second, deals=games // 2, seed=seed, batch_size=_BATCH, observer=observer)
    return list(np.concatenate(found).tolist())


def figure3(sizes: Sizes, parts: Parts, progress: Callable[[int], None]) -> list[dict[str, Any]]:
    """The mean of each agent's highest, second, ... column over its games against the paper's agents, others' cards each.

    The interval's half width is 1.96 standard errors, from the spread between deals.
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


# --- independence, exact chances -----------------------------------------------------------------------------------


def independence(row: int, count: int, seed: int) -> dict[str, Any]:
    """What equation 3 costs in positions of one row."""
    observations, masks = positions(row, count, seed, every_turn=True)
    return {"row": row, **asdict(independence_cost(observations, masks, SAMPLES[-1], seed_streams(seed, count)))}


def exact_times(row: int, count: int, seed: int) -> dict[str, Any]:
    """Milliseconds of processor time that a decision of one row takes, exact and sampled."""
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


# --- all of it -----------------------------------------------------------------------------------------------------


def reproduce(sizes: Sizes, folder: Path, workers: int | None = None) -> dict[str, Any]:
    """Computes all figures, or those that the folder does not have yet.

    Raises:
        ValueError: sizes that do not make sense, or a folder with other ones.
        OSError: the folder cannot be written.
    """
    sizes.check()
    parts = Parts(folder, sizes)
    base = SEEDS * sizes.seed
    with cli.counting("Table II", len(ROWS)) as count:
        tables2 = []
        for row in ROWS:
            make = partial(table2, row, sizes.positions, base + 10 * _TABLE2 + row)
            tables2.append(parts.kept(f"table2-{row}", make))
            count(1)
    with cli.counting("Table III", table3_games(sizes)) as count:
        third = table3(play_table3(sizes, folder, workers, count))
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
            result = parts.kept(f"figure2-{evaluation}-{depth}-{decks}", make)  # the usual one is in both series
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


# --- the command ---------------------------------------------------------------------------------------------------

_DEFAULT = Sizes()


def _count_option(name: str, text: str) -> Callable[[Any], Any]:
    default = getattr(_DEFAULT, name.replace("-", "_"))
    return click.option(f"--{name}", type=int, default=default, show_default=True, help=text)


@click.command("five-o")
@_count_option("games", "Games of a pair of fast agents, Table III; each deal is played twice.")
@_count_option("search-games", "Games of a pair with an expectiminimax agent.")
@_count_option("slow-games", "Games of a pair with monte-carlo or exact.")
@_count_option("depth-games", "Games of each depth, Figure 2.")
@_count_option("value-games", "Games of each pair, Figure 3.")
@_count_option("positions", "Positions of each row, Table II and the chances.")
@_count_option("samples", "Completions that monte-carlo draws for a decision.")
@_count_option("decks", "Decks that expectiminimax draws for a decision.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes that play Table III. [all cores]")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("runs", "reproduce-five-o"), show_default=True,
    help="Folder for what is finished; the same command goes on there.",
)  # fmt: skip
@click.option(
    "--markdown", "report", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write a report to this file, its plots and a JSON file beside it.",
)  # fmt: skip
@cli.seed_option
@cli.json_option
def five_o_command(workers: int | None, out: Path, report: Path | None, as_json: bool, **given: int) -> int:
    """Tables II and III and Figures 2 to 4 of the Five-O paper, beside ours.

    With the defaults it takes about half an hour on one core. What is finished is kept in a folder.
    """
    from cardenvs.baselines.reproduce import five_o_report

    sizes = replace(_DEFAULT, **given)
    changed = [f"--{k.replace('_', '-')} {v}" for k, v in asdict(sizes).items() if v != getattr(_DEFAULT, k)]
    command = shlex.join(["cardenvs", "reproduce", "five-o", *" ".join(changed).split()])
    try:
        figures = reproduce(sizes, out, workers)
    except KeyboardInterrupt:
        print(
            f"cardenvs: interrupted; what is finished is kept in {str(out)!r}, the same command goes on there",
            file=sys.stderr,
        )
        return 128 + signal.SIGINT
    if report is not None:
        five_o_report.write_report(figures, report, command)
    if as_json:
        cli.print_json(figures)
        return 0
    five_o_report.show(figures)
    return 0
