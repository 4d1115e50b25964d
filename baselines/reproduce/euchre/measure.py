"""The tables of the Euchre paper played again and compared.

The paper: T. Mychaskiw, "Cooperative Agents in Euchre", 2015, Tables 1 to 45, of 10,001 games each. A second, precise
reference holds the same pairings over 100,000 games each. Both are in ``data/euchre_tables.json``. Figures are compared by
*z-scores*: the difference to the reference in standard errors, of which both samples have one.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.match import DealResults
from cardenvs.baselines.match.results import per_second
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import Document, Name, Table, Text, joined, said
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reproduce.papers import judged, paper_data, verdict, z_score
from cardenvs.baselines.runs.series import Match, series

MISPRINT = 36  # the paper's Table 36, Hybrid against CardCounting, repeats the figures of Table 35
MISPRINT_REMARK = "misprint: the paper repeats Table 35's figures here, so there is nothing to compare with"
DESCRIBED_REMARK = "as described: markov2 without the slip behind the printed figures"
UNKNOWN_REMARK = "no reference"

LIMIT = 4.0  # a pairing agrees with its reference if no figure differs by more than so many standard errors
FIGURES = ("games won", "tricks, first", "tricks, second", "points, first", "points, second")
"""The figures that have z-scores, in order: the first side's games won, both sides' tricks a game and points a game."""

MARKOV2_CAUSE = (
    "The printed figures of Markov2 are far below what its description gives. The original's table of values is indexed "
    "past its end for a fourth card when the trick was led by any king or ace or by the queen of hearts, diamonds or "
    "clubs; it reads zeros there, zero over zero is not at least the threshold, and the agent throws its worst card. "
    "`markov2-published` has this slip and is compared with the print; `markov2` is the agent as described."
)
"""Explanation of the printed figures of Markov2, which are not those of the agent that the paper describes."""

_SEEDS = 1000
"""Seeds kept for each run: a run with seed s uses seeds from ``_SEEDS * s`` up to but without ``_SEEDS * (s + 1)``."""
_DESCRIBED, _PRECISE, _OTHER = 100, 200, 400
"""Offsets of seeds; those of the paper's tables are the tables' numbers."""

Figures = Columns(
    "Figures",
    Column("games", "number of games"),
    Column("games_won", "games won by each side"),
    Column("tricks_won", "tricks taken by each side in all games"),
    Column("points", "points made by each side in all games"),
)
"""The results of a pairing over all its games."""

Sample = Columns(
    "Sample",
    *Figures,
    Column("seed", "seed of ``cardenvs match euchre FIRST SECOND --protocol published`` for the same games"),
    Column("tricks_deviation", "standard deviation of each side's tricks in a game"),
    Column("points_deviation", "standard deviation of each side's points in a game"),
    Column("decisions_per_s", "decisions a second of both sides together, on one core"),
)
"""A pairing that was played here."""

Comparison = Columns(
    "Comparison",
    Column("paper_table", "number of the paper's table that prints the pairing; None for other pairings", json="table"),
    Column("sides", "the policies of the two sides, mixed ones as ``one+other``"),
    Column("reference", "the figures to compare with (`Figures`); None if there are none"),
    Column("ours", "the figures that were measured here (`Sample`); None before the pairing is played", default=None),
    Column("z", "z-scores in the order of `FIGURES`; None without a reference", default=None),
    Column("agrees", "whether all z-scores are within `LIMIT`; None where there is nothing to judge", default=None),
    Column("remark", "the reason why there is nothing to compare or to judge; empty otherwise", default=""),
)
"""A pairing beside its reference."""

Drift = Columns(
    "Drift",
    Column("pairings", "number of comparisons that are judged"),
    Column("largest", "of each of `FIGURES` the z-score that is largest in size"),
    Column("mean", "of each of `FIGURES` the mean z-score"),
    Column("mean_in_errors", "the mean z-scores in units of their standard error without any drift"),
    computed_column("error", lambda row: 1 / math.sqrt(row.pairings), meaning="that standard error"),
)
"""Whether a set of comparisons leans to one side."""


def drift(comparisons: Iterable[Row]) -> Row | None:
    """Returns the `Drift` of the comparisons that are judged; None if none is."""
    z = np.array([row.z for row in judged(comparisons)])
    if not len(z):
        return None
    largest, mean = z[np.abs(z).argmax(0), np.arange(z.shape[1])], z.mean(0)
    return Drift(len(z), largest.tolist(), mean.tolist(), (mean * math.sqrt(len(z))).tolist())


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        limit=LIMIT,
        misprint=f"Table {MISPRINT} is a {MISPRINT_REMARK}.",
        markov2=said(MARKOV2_CAUSE),
        tables=_fill_part(result.tables, result.tables_drift, "print"),
        precise=_fill_part(result.precise, result.precise_drift, "reference"),
        pairings=_fill_part(result.pairings, result.pairings_drift, "reference"),
    )


def _fill_part(rows: list[Row], lean: Row | None, reference: str) -> dict[str, Any]:
    """The values of a part of the report, whose tables call the known figures ``reference``; none without pairings.

    A table of pairings that the paper does not have lacks the column of its tables' numbers.
    """
    if not rows:
        return {"table": None, "drift": None}
    drifts = [] if lean is None else zip(FIGURES, lean.largest, lean.mean, strict=True)
    drift_lines = [[name, f"{largest:+z.2f}", f"{mean:+z.2f}"] for name, largest, mean in drifts]
    start = 0 if any(row.paper_table is not None for row in rows) else 1
    others = [f"{what} a game, {whose}" for what in ("tricks", "points") for whose in (reference, "ours")]
    others.append("z")
    head = ["table", "sides", f"won, %, {reference}", "ours", *others, "largest z", ""]
    return {
        "games": rows[0].ours.games,
        "table": Table(head[start:], [_cells(row)[start:] for row in rows], left=2 - start, spare=others),
        "drift": lean,
        "drift_table": Table(["figure", "largest z", "mean z"], drift_lines),
    }


def _cells(row: Row) -> list[Text]:
    """The cells of a pairing."""

    def per_game(of: Row | None, totals: str) -> str:
        return "" if of is None else " : ".join(f"{total / of.games:.2f}" for total in getattr(of, totals))

    both = (row.reference, row.ours)
    z = [] if row.z is None else [f"{score:+z.1f}" for score in row.z]
    return [
        "" if row.paper_table is None else str(row.paper_table),
        joined(map(Name, row.sides), " - "),
        *("" if of is None else f"{100 * of.games_won[0] / of.games:.2f}" for of in both),
        *(per_game(of, totals) for totals in ("tricks_won", "points") for of in both),
        " ".join(filter(None, map("/".join, (z[:1], z[1:3], z[3:])))),
        "" if row.z is None else f"{max(row.z, key=abs):+z.1f}",
        verdict(row.agrees, row.remark.partition(":")[0]),
    ]


Reproduction = Columns(
    "Reproduction",
    computed_column("game", lambda row: "euchre", json=None),
    computed_column("protocol", lambda row: "published", json=None),
    Column("seed", "the seed of the run"),
    computed_column("figures_compared", lambda row: FIGURES, json="figures"),
    Column("tables", "the paper's tables (`Comparison`)", optional=True),
    computed_column("tables_drift", lambda row: drift(row.tables), json=None, optional=True),
    Column("precise", "the pairings of the precise reference (`Comparison`)", optional=True),
    computed_column("precise_drift", lambda row: drift(row.precise), json=None, optional=True),
    Column("pairings", "other pairings (`Comparison`)", optional=True),
    computed_column("pairings_drift", lambda row: drift(row.pairings), json=None, optional=True),
    computed_column("markov2", lambda row: MARKOV2_CAUSE, json=None),
    document=document,
)
"""Pairings that were played again; what was not played is empty, and JSON does not have it."""


class Plan(NamedTuple):
    """A pairing that is to be played in the published protocol: its `Comparison` without our figures, games and seed."""

    known: Row
    games: int
    seed: int


def play(plans: Sequence[Plan], progress: Callable[[int], None] | None = None, **engine: Any) -> list[Row]:
    """Plays pairings and returns each `Comparison`; ``engine`` says where, as of `series`.

    Raises:
        ValueError: an unknown policy, ``workers`` below 1, a cluster that cannot be used.
    """
    matches = [Match(plan.known.sides[0], plan.known.sides[1], plan.games, plan.seed, "published") for plan in plans]
    with series("euchre", matches, **engine) as play_next:
        return [_compare(plan, play_next(progress).finished()) for plan in plans]


def _compare(plan: Plan, results: DealResults) -> Row:
    """A pairing, as it was played here, beside its reference."""
    points, tricks = results.points[:, 0], results.tricks[:, 0]
    won = int((points[:, 0] > points[:, 1]).sum())
    ours = Sample(
        games=results.deals,
        games_won=[won, results.deals - won],
        tricks_won=tricks.sum(0).tolist(),
        points=points.sum(0).tolist(),
        seed=plan.seed,
        tricks_deviation=tricks.std(0).tolist(),
        points_deviation=points.std(0).tolist(),
        decisions_per_s=per_second(int(results.decisions.sum()), float(results.seconds.sum())),
    )
    known = plan.known
    z = None if known.reference is None or known.remark == MISPRINT_REMARK else z_scores(ours, known.reference)
    agrees = None if z is None or known.remark else max(map(abs, z)) <= LIMIT
    return known.but(ours=ours, z=z, agrees=agrees)


def z_scores(ours: Row, reference: Row) -> list[float]:
    """Returns the differences to a reference in standard errors, in the order of FIGURES.

    The errors are those of both samples; the reference's games are taken to scatter as much as ours. A sample of a single
    game has no scatter, and a difference of 0.
    """
    rate, known = ours.games_won[0] / ours.games, reference.games_won[0] / reference.games
    error = math.sqrt(rate * (1 - rate) / ours.games + known * (1 - known) / reference.games)
    scores = [z_score(rate - known, error or math.inf)]
    size = math.sqrt(1 / ours.games + 1 / reference.games)
    for totals, deviation in (("tricks_won", ours.tricks_deviation), ("points", ours.points_deviation)):
        for side in (0, 1):
            difference = getattr(ours, totals)[side] / ours.games - getattr(reference, totals)[side] / reference.games
            scores.append(z_score(difference, deviation[side] * size or math.inf))
    return scores


def references(kind: str) -> list[Row]:
    """Returns the known pairings, as `Comparison` rows without our figures.

    Args:
        kind: ``"published"``, the paper's tables in order, or ``"precise"``, 100,000 games for each pairing.
    """
    data = paper_data("euchre_tables")[kind]
    return [
        Comparison(
            pairing.get("table"), pairing["sides"],
            Figures(data["games"], pairing["games_won"], pairing["tricks_won"], pairing["points"]),
        )
        for pairing in data["pairings"]
    ]  # fmt: skip


def table_plans(games: int, seed: int) -> list[Plan]:
    """Returns the paper's tables in order; those with Markov2 come twice: with its slip, then as the paper describes it."""
    plans = []
    for known in references("published"):
        number = _SEEDS * seed + known.paper_table
        printed = [name.replace("markov2", "markov2-published") for name in known.sides]
        remark = MISPRINT_REMARK if known.paper_table == MISPRINT else ""
        plans.append(Plan(known.but(sides=printed, remark=remark), games, number))
        if printed != known.sides:
            plans.append(Plan(known.but(remark=DESCRIBED_REMARK), games, number + _DESCRIBED))
    return plans


def precise_plans(games: int, seed: int) -> list[Plan]:
    """Returns the pairings of the precise reference, in its order."""
    return [Plan(known, games, _SEEDS * seed + _PRECISE + k) for k, known in enumerate(references("precise"))]


def pairing_plans(pairings: Iterable[Sequence[str]], games: int, seed: int) -> list[Plan]:
    """Returns pairings of any policies, to be compared with the precise reference if it has them."""
    known = {tuple(row.sides): row for row in references("precise")}
    unknown = Comparison(None, [], None, remark=UNKNOWN_REMARK)
    return [
        Plan(known.get(tuple(sides), unknown.but(sides=list(sides))), games, _SEEDS * seed + _OTHER + k)
        for k, sides in enumerate(pairings)
    ]
