"""The 45 tables of the Euchre paper played again: ``cardenvs reproduce euchre``.

The paper: T. Mychaskiw, "Cooperative Agents in Euchre", 2015, Tables 1 to 45, of 10,001 games each. A second, precise
reference holds the same pairings over 100,000 games each. Both are in ``data/euchre_tables.json``.

Figures are compared by *z-scores*: the difference to the reference in standard errors, of which both samples have one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from cardenvs import cli
from cardenvs.baselines.match import Side, play_deals
from cardenvs.files import write_whole
from cardenvs.spec import get_game

LIMIT = 4.0
"""A pairing agrees with its reference if no figure differs by more standard errors."""

MISPRINT = 36
"""The paper's Table 36, Hybrid against CardCounting, repeats the figures of Table 35."""

MISPRINT_REMARK = "misprint: the paper repeats Table 35's figures here, so there is nothing to compare with"
DESCRIBED_REMARK = "as described: markov2 without the slip behind the printed figures"
UNKNOWN_REMARK = "no reference"

MARKOV2_CAUSE = (
    "The printed figures of Markov2 are far below what its description gives. The original's table of values is indexed "
    "past its end for a fourth card when the trick was led by any king or ace or by the queen of hearts, diamonds or "
    "clubs; it reads zeros there, zero over zero is not at least the threshold, and the agent throws its worst card. "
    "`markov2-published` has this slip and is compared with the print; `markov2` is the agent as described."
)

FIGURES = ("games won", "tricks, first", "tricks, second", "points, first", "points, second")
"""What z-scores are made for, in order: of the first side the games won, of both sides tricks and points a game."""

_ALL_COLUMNS = 180
_CHUNK = 4000
_SEEDS = 1000


@dataclass(frozen=True)
class Figures:
    """What a pairing brought, over all its games; lists have an entry for each side.

    Attributes:
        games: how many games.
        games_won: by each side.
        tricks_won: by each side.
        points: of each side.
    """

    games: int
    games_won: list[int]
    tricks_won: list[int]
    points: list[int]


@dataclass(frozen=True)
class Sample(Figures):
    """A pairing that was played here.

    Attributes:
        seed: ``cardenvs match euchre FIRST SECOND --protocol published --seed SEED`` plays the same games.
        tricks_deviation: standard deviation of a game's tricks, of each side.
        points_deviation: of its points.
        decisions_per_s: of both sides together, on one core.
    """

    seed: int
    tricks_deviation: list[float]
    points_deviation: list[float]
    decisions_per_s: float


@dataclass(frozen=True)
class Comparison:
    """A pairing beside its reference.

    Attributes:
        table: the paper's number, None for other pairings.
        sides: the agents that played here.
        reference: the figures to compare with, None if there are none.
        ours: the figures from here.
        z: z-scores in the order of FIGURES; None without a reference.
        agrees: whether all of them are within LIMIT; None where there is nothing to judge.
        remark: anything to know about it.
    """

    table: int | None
    sides: list[str]
    reference: Figures | None
    ours: Sample
    z: list[float] | None
    agrees: bool | None
    remark: str = ""

    @property
    def short_remark(self) -> str:
        """The remark up to its colon, for tables."""
        return self.remark.partition(":")[0]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Drift:
    """Whether a set of comparisons leans to one side.

    Attributes:
        pairings: how many.
        largest: the largest z-score by its size, in the order of FIGURES.
        mean: the mean z-score; without any difference its standard error is ``1 / sqrt(pairings)``.
        mean_in_errors: the mean in units of that error.
    """

    pairings: int
    largest: list[float]
    mean: list[float]
    mean_in_errors: list[float]


@dataclass(frozen=True)
class Reference:
    """A pairing in the data.

    Attributes:
        sides: policy names, as `Side` takes them.
        figures: what it brought.
        table: the paper's number, if it is one of its tables.
    """

    sides: list[str]
    figures: Figures
    table: int | None


def references(kind: str) -> list[Reference]:
    """The data: ``"published"``, the paper's tables in order, or ``"precise"``, 100,000 games for each pairing."""
    text = resources.files("cardenvs.baselines.reproduce").joinpath("data/euchre_tables.json").read_text("utf-8")
    part = json.loads(text)[kind]
    return [
        Reference(
            pairing["sides"],
            Figures(part["games"], pairing["games_won"], pairing["tricks_won"], pairing["points"]),
            pairing.get("table"),
        )
        for pairing in part["pairings"]
    ]


def play(sides: Sequence[str], games: int, seed: int, progress: Callable[[int], None] | None = None) -> Sample:
    """Plays a pairing in the published protocol.

    Args:
        sides: two names of policies; mixed sides as ``"one+other"``.
        games: at least 1.
        seed: int >= 0.
        progress: called with the number of games finished since the last call.

    Raises:
        ValueError: an unknown policy.
    """
    game = get_game("euchre")
    first, second = (Side(game, name) for name in sides)
    points, tricks = np.zeros((games, 2), np.int64), np.zeros((games, 2), np.int64)
    decisions, seconds = 0, 0.0
    for start in range(0, games, _CHUNK):
        part = range(start, min(start + _CHUNK, games))
        result = play_deals(game, first, second, part, seed=seed, protocol="published")
        points[part.start : part.stop] = result.points[:, 0]
        tricks[part.start : part.stop] = result.tricks[:, 0]
        decisions += int(result.decisions.sum())
        seconds += float(result.seconds.sum())
        if progress is not None:
            progress(len(part))
    won = int((points[:, 0] > points[:, 1]).sum())
    return Sample(
        games=games,
        games_won=[won, games - won],
        tricks_won=tricks.sum(0).tolist(),
        points=points.sum(0).tolist(),
        seed=seed,
        tricks_deviation=tricks.std(0).tolist(),
        points_deviation=points.std(0).tolist(),
        decisions_per_s=decisions / seconds if seconds else 0.0,
    )


def z_scores(ours: Sample, reference: Figures) -> list[float]:
    """The differences to a reference in standard errors, in the order of FIGURES.

    The errors are those of both samples; the reference's games are taken to scatter as much as ours.
    """
    rate, other = ours.games_won[0] / ours.games, reference.games_won[0] / reference.games
    scores = [_ratio(rate - other, math.sqrt(rate * (1 - rate) / ours.games + other * (1 - other) / reference.games))]
    size = math.sqrt(1 / ours.games + 1 / reference.games)
    for mine, theirs, deviation in (
        (ours.tricks_won, reference.tricks_won, ours.tricks_deviation),
        (ours.points, reference.points, ours.points_deviation),
    ):
        for side in (0, 1):
            difference = mine[side] / ours.games - theirs[side] / reference.games
            scores.append(_ratio(difference, deviation[side] * size))
    return scores


def _ratio(difference: float, error: float) -> float:
    """``difference / error``; a sample of a single game has no scatter and says nothing."""
    return difference / error if error > 0 else 0.0


def drift(comparisons: Iterable[Comparison]) -> Drift:
    """The largest and the mean z-scores of the comparisons that are judged."""
    z = np.array([c.z for c in comparisons if c.agrees is not None])
    largest = z[np.abs(z).argmax(0), np.arange(z.shape[1])]
    mean = z.mean(0)
    return Drift(len(z), largest.tolist(), mean.tolist(), (mean * math.sqrt(len(z))).tolist())


def _compare(reference: Reference, sides: Sequence[str], ours: Sample, judged: bool, remark: str = "") -> Comparison:
    z = z_scores(ours, reference.figures)
    agrees = max(map(abs, z)) <= LIMIT if judged else None
    return Comparison(reference.table, list(sides), reference.figures, ours, z, agrees, remark)


def reproduce_tables(games: int, seed: int, progress: Callable[[int], None] | None = None) -> list[Comparison]:
    """The paper's tables in order. Those of Markov2 come twice: with its slip, and then as the paper describes it."""
    rows = []
    for reference in references("published"):
        table = reference.table or 0
        printed = [name.replace("markov2", "markov2-published") for name in reference.sides]
        ours = play(printed, games, _SEEDS * seed + table, progress)
        if table == MISPRINT:
            rows.append(Comparison(table, printed, reference.figures, ours, None, None, MISPRINT_REMARK))
            continue
        rows.append(_compare(reference, printed, ours, judged=True))
        if printed != reference.sides:
            described = play(reference.sides, games, _SEEDS * seed + 100 + table, progress)
            rows.append(_compare(reference, reference.sides, described, judged=False, remark=DESCRIBED_REMARK))
    return rows


def reproduce_precise(games: int, seed: int, progress: Callable[[int], None] | None = None) -> list[Comparison]:
    """The pairings of the precise reference, in its order."""
    return [
        _compare(reference, reference.sides, play(reference.sides, games, _SEEDS * seed + 200 + k, progress), judged=True)
        for k, reference in enumerate(references("precise"))
    ]


def play_pairings(
    pairings: Iterable[Sequence[str]], games: int, seed: int, progress: Callable[[int], None] | None = None
) -> list[Comparison]:
    """Other pairings, mixed ones among them, beside the precise reference where it has them."""
    known = {tuple(reference.sides): reference for reference in references("precise")}
    rows = []
    for k, sides in enumerate(pairings):
        ours = play(sides, games, _SEEDS * seed + 400 + k, progress)
        found = known.get(tuple(sides))
        if found is None:
            rows.append(Comparison(None, list(sides), None, ours, None, None, UNKNOWN_REMARK))
        else:
            rows.append(_compare(found, sides, ours, judged=True))
    return rows


# --- reports ---------------------------------------------------------------------------------------------------------


def _rate(figures: Figures | None) -> str:
    return "" if figures is None else f"{100 * figures.games_won[0] / figures.games:.2f}"


def _per_game(figures: Figures | None, totals: str) -> str:
    if figures is None:
        return ""
    first, second = getattr(figures, totals)
    return f"{first / figures.games:.2f} : {second / figures.games:.2f}"


def _scores(row: Comparison, first: int, last: int) -> str:
    return "" if row.z is None else "/".join(f"{z:+.1f}" for z in row.z[first:last])


def _verdict(row: Comparison) -> str:
    return {True: "agrees", False: "**differs**", None: row.short_remark}[row.agrees]


def _heads(reference: str) -> list[str]:
    heads = ["table", "sides", f"won, %, {reference}", "ours", "z"]
    for what in ("tricks a game", "points a game"):
        heads += [f"{what}, {reference}", "ours", "z"]
    return [*heads, ""]


def _cells(row: Comparison) -> list[str]:
    """A line of a table, under `_heads`."""
    cells = ["" if row.table is None else str(row.table), " - ".join(row.sides)]
    cells += [_rate(row.reference), _rate(row.ours), _scores(row, 0, 1)]
    for totals, first in (("tricks_won", 1), ("points", 3)):
        cells += [_per_game(row.reference, totals), _per_game(row.ours, totals), _scores(row, first, first + 2)]
    return [*cells, _verdict(row)]


def _markdown_table(rows: Sequence[Comparison], reference: str) -> list[str]:
    heads = _heads(reference)
    start = 0 if any(row.table is not None for row in rows) else 1
    lines = ["| " + " | ".join(heads[start:]) + " |", "|" + "---:|" * (1 - start) + "---|" + "---:|" * 9 + "---|"]
    lines += ["| " + " | ".join(_cells(row)[start:]) + " |" for row in rows]
    return [*lines, ""]


def _markdown_drift(lean: Drift) -> list[str]:
    error = 1 / math.sqrt(lean.pairings)
    lines = [
        f"Over the {lean.pairings} pairings that are judged (without any drift a mean z-score is 0 ± {error:.2f}):",
        "",
        "| figure | largest z | mean z |",
        "|---|---:|---:|",
    ]
    for name, largest, mean in zip(FIGURES, lean.largest, lean.mean, strict=True):
        lines.append(f"| {name} | {largest:+.2f} | {mean:+.2f} |")
    return [*lines, ""]


def markdown(tables: Sequence[Comparison], precise: Sequence[Comparison], pairings: Sequence[Comparison], seed: int) -> str:
    """The report."""
    words = ["cardenvs reproduce euchre", f"--seed {seed}"]
    if tables or pairings:
        words.append(f"--games {(tables or pairings)[0].ours.games}")
    words += [f"--pairing {' '.join(row.sides)}" for row in pairings]
    if precise:
        words.append(f"--precise {precise[0].ours.games}")
    lines = [
        "# Euchre: the paper's tables again",
        "",
        f"Written by `{' '.join(words)} --markdown FILE`.",
        "",
        'Source: T. Mychaskiw, "Cooperative Agents in Euchre", 2015. The protocol: spades are always trump, nobody bids,',
        "the dealer's side is the calling side, games to 10 points with a random first dealer; a side is two seats. Every",
        "figure is the first side's, or both sides' as first : second. z: the difference to the reference in standard",
        f"errors of both samples; a pairing agrees if none of its five z-scores is beyond ±{LIMIT:g}.",
        "",
    ]
    if tables:
        games = tables[0].ours.games
        lines += ["## The printed tables", "", f"{games:,} games a table here, 10,001 in the paper.", ""]
        lines += _markdown_table(tables, "print")
        lines += _markdown_drift(drift(tables))
        lines += [f"Table {MISPRINT} is a {MISPRINT_REMARK}.", "", MARKOV2_CAUSE, ""]
    if precise:
        games = precise[0].ours.games
        lines += ["## The precise reference", ""]
        lines += [f"The same pairings: {precise[0].ours.games:,} games each here, 100,000 in the reference.", ""]
        lines += _markdown_table(precise, "reference")
        lines += _markdown_drift(drift(precise))
    if pairings:
        lines += ["## Pairings", "", f"{pairings[0].ours.games:,} games each; the reference has 100,000.", ""]
        lines += _markdown_table(pairings, "reference")
    return "\n".join(lines)


def _print_rows(title: str, rows: Sequence[Comparison], reference: str) -> None:
    """Prints every column where there is room for it, else those of the games won and the z-scores."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_ALL_COLUMNS)
    shown = range(len(_heads(reference))) if console.width >= _ALL_COLUMNS else (0, 1, 2, 3, 4, 7, 10, 11)
    heads = _heads(reference)
    if len(shown) < len(heads):
        heads[7], heads[10] = "z tricks", "z points"
    table = Table(title=title, box=None)
    for k in shown:
        table.add_column(heads[k], justify="left" if k in (1, 11) else "right", no_wrap=True)
    for row in rows:
        cells = _cells(row)
        table.add_row(*(cells[k].replace("**", "") for k in shown))
    console.print(table)


def _print_drift(lean: Drift) -> None:
    error = 1 / math.sqrt(lean.pairings)
    means = ", ".join(f"{name} {mean:+.2f}" for name, mean in zip(FIGURES, lean.mean, strict=True))
    Console().print(
        f"{lean.pairings} pairings, largest |z| {max(map(abs, lean.largest)):.2f}; mean z (0 ± {error:.2f}): {means}"
    )


# --- the command -----------------------------------------------------------------------------------------------------


@click.command("euchre")
@click.option("--games", type=click.IntRange(min=1), default=10_001, show_default=True, help="Games of each table.")
@click.option(
    "--precise",
    type=click.IntRange(min=1),
    is_flag=False,
    flag_value=100_000,
    default=None,
    metavar="[GAMES]",
    help="Also play the pairings of the precise reference, 100,000 games each unless another number is given.",
)
@click.option(
    "--pairing",
    "pairings",
    nargs=2,
    multiple=True,
    metavar="FIRST SECOND",
    help="Play this pairing instead of the tables, mixed sides as one+other; may be repeated.",
)
@click.option("--markdown", "report", type=click.Path(dir_okay=False), help="Also write a report to this file.")
@cli.seed_option
@cli.json_option
def euchre_command(
    games: int,
    precise: int | None,
    pairings: tuple[tuple[str, str], ...],
    report: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """The 45 tables of the Euchre paper, side by side with ours."""
    game = get_game("euchre")
    for name in (name for sides in pairings for name in sides):
        Side(game, name)  # an unknown one is named before anything is played
    described = sum("markov2" in reference.sides for reference in references("published"))
    total = len(pairings) * games if pairings else (len(references("published")) + described) * games
    total += precise * len(references("precise")) if precise else 0
    with cli.counting("euchre", total) as count:
        played = play_pairings(pairings, games, seed, count)
        tables = [] if pairings else reproduce_tables(games, seed, count)
        exact = reproduce_precise(precise, seed, count) if precise else []
    if report:
        write_whole(report, markdown(tables, exact, played, seed))
    if as_json:
        figures: dict[str, Any] = {"game": "euchre", "protocol": "published", "seed": seed, "figures": list(FIGURES)}
        for key, rows in (("tables", tables), ("precise", exact), ("pairings", played)):
            if rows:
                figures[key] = [row.as_dict() for row in rows]
                if any(row.agrees is not None for row in rows):
                    figures[f"{key}_drift"] = asdict(drift(rows))
        figures["markov2"] = MARKOV2_CAUSE
        cli.print_json(figures)
        return
    for title, rows, reference in (
        ("The paper's tables", tables, "print"),
        ("The precise reference", exact, "reference"),
        ("Pairings", played, "reference"),
    ):
        if rows:
            _print_rows(title, rows, reference)
        if any(row.agrees is not None for row in rows):
            _print_drift(drift(rows))
    if tables:
        Console().print(f"Table {MISPRINT} is a {MISPRINT_REMARK}.\n{MARKOV2_CAUSE}")
