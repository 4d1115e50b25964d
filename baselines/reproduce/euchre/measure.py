"""The pairings of the Euchre paper played again and compared.

Figures are compared by *z-scores*: the difference to the reference in standard errors, of which both samples have one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.match import DealResults
from cardenvs.baselines.match.results import per_second
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reproduce.euchre import report
from cardenvs.baselines.reproduce.euchre.paper import (
    FIGURES,
    LIMIT,
    MARKOV2_CAUSE,
    MISPRINT,
    MISPRINT_REMARK,
    Figures,
    references,
)
from cardenvs.baselines.runs.series import Match, series

DESCRIBED_REMARK = "as described: markov2 without the slip behind the printed figures"
UNKNOWN_REMARK = "no reference"

_SEEDS = 1000
"""Seeds kept for each run: a run with seed s uses seeds from ``_SEEDS * s`` up to but without ``_SEEDS * (s + 1)``."""
_DESCRIBED, _PRECISE, _OTHER = 100, 200, 400
"""Offsets of seeds; those of the paper's tables are the tables' numbers."""


@dataclass(frozen=True)
class Sample(Figures):
    """A pairing that was played here.

    Attributes:
        seed: seed with which ``cardenvs match euchre FIRST SECOND --protocol published --seed SEED`` plays the same games.
        tricks_deviation: standard deviation of each side's tricks in a game.
        points_deviation: standard deviation of each side's points in a game.
        decisions_per_s: decisions a second of both sides together, on one core.
    """

    seed: int
    tricks_deviation: list[float]
    points_deviation: list[float]
    decisions_per_s: float


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """A pairing beside its reference.

    Attributes:
        paper_table: number of the paper's table that prints the pairing, None for other pairings; ``table`` in JSON.
        sides: names of the two sides' policies that played here.
        reference: the figures to compare with, None if there are none.
        ours: the figures that were measured here.
        z: z-scores in the order of `FIGURES`; None without a reference.
        agrees: whether all z-scores are within `LIMIT`; None where there is nothing to judge.
        remark: why there is nothing to compare or to judge; empty otherwise.
    """

    paper_table: int | None
    sides: list[str]
    reference: Figures | None
    ours: Sample
    z: list[float] | None
    agrees: bool | None
    remark: str = ""

    KEYS: ClassVar[Mapping[str, str]] = {"paper_table": "table"}


@dataclass(frozen=True)
class Drift:
    """Whether a set of comparisons leans to one side.

    Attributes:
        pairings: number of comparisons that are judged.
        largest: of each of `FIGURES` the z-score that is largest in size.
        mean: of each of `FIGURES` the mean z-score, whose standard error without any drift is `error`.
        mean_in_errors: the mean z-scores in units of that error.
    """

    pairings: int
    largest: list[float]
    mean: list[float]
    mean_in_errors: list[float]

    @property
    def error(self) -> float:
        """Standard error of a mean z-score: one over the root of the number of pairings."""
        return 1 / math.sqrt(self.pairings)


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """Pairings that were played again; what was not played is empty, and JSON has it not.

    Attributes:
        seed: the seed of the run.
        tables: the paper's tables.
        precise: the pairings of the precise reference.
        pairings: other pairings.
    """

    seed: int
    tables: list[Comparison]
    precise: list[Comparison]
    pairings: list[Comparison]

    def parts(self) -> dict[str, tuple[list[Comparison], Drift | None]]:
        """The pairings that were played, by their key in JSON, with their drift if any of them is judged."""
        played = {"tables": self.tables, "precise": self.precise, "pairings": self.pairings}
        judged = {key: any(row.agrees is not None for row in rows) for key, rows in played.items()}
        return {key: (rows, drift(rows) if judged[key] else None) for key, rows in played.items() if rows}

    def figures(self) -> dict[str, Any]:
        """The figures as plain values."""
        figures: dict[str, Any] = {
            "game": "euchre", "protocol": "published", "seed": self.seed, "figures": list(FIGURES),
        }  # fmt: skip
        for key, (rows, lean) in self.parts().items():
            figures |= {key: plain(rows)} | ({} if lean is None else {f"{key}_drift": plain(lean)})
        return figures | {"markov2": MARKOV2_CAUSE}

    document = report.document


@dataclass(frozen=True)
class Plan:
    """A pairing that is to be played in the published protocol, and the reference to compare it with.

    Attributes:
        sides: names of the two sides' policies; mixed sides as ``"one+other"``.
        games: number of games, at least 1.
        seed: int >= 0.
        paper_table: number of the paper's table, None for other pairings.
        reference: the figures to compare with, None if there are none.
        judged: whether ours are to agree with them.
        remark: why there is nothing to compare or to judge; empty otherwise.
        misprinted: whether the reference is a misprint, which no figures are compared with.
    """

    sides: Sequence[str]
    games: int
    seed: int
    paper_table: int | None = None
    reference: Figures | None = None
    judged: bool = False
    remark: str = ""
    misprinted: bool = False

    def compared(self, ours: Sample) -> Comparison:
        """The pairing, as it was played here, beside its reference."""
        z = agrees = None
        if self.reference is not None and not self.misprinted:
            z = z_scores(ours, self.reference)
            agrees = max(map(abs, z)) <= LIMIT if self.judged else None
        return Comparison(self.paper_table, list(self.sides), self.reference, ours, z, agrees, self.remark)


def sample(results: DealResults, seed: int) -> Sample:
    """The figures of a pairing that was played in the published protocol.

    Args:
        results: the games.
        seed: their seed.
    """
    points, tricks = results.points[:, 0], results.tricks[:, 0]
    won = int((points[:, 0] > points[:, 1]).sum())
    return Sample(
        games=results.deals,
        games_won=[won, results.deals - won],
        tricks_won=tricks.sum(0).tolist(),
        points=points.sum(0).tolist(),
        seed=seed,
        tricks_deviation=tricks.std(0).tolist(),
        points_deviation=points.std(0).tolist(),
        decisions_per_s=per_second(int(results.decisions.sum()), float(results.seconds.sum())),
    )


def play(
    plans: Sequence[Plan],
    progress: Callable[[int], None] | None = None,
    *,
    workers: int | None = 1,
    cluster: str | None = None,
) -> list[Comparison]:
    """Plays pairings and compares them.

    Args:
        plans: the pairings.
        progress: called with the number of games finished since the last call.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.

    Raises:
        ValueError: an unknown policy, ``workers`` below 1, a cluster that cannot be used.
    """
    matches = [Match(plan.sides[0], plan.sides[1], plan.games, plan.seed, "published") for plan in plans]
    with series("euchre", matches, workers=workers, cluster=cluster) as play_next:
        return [plan.compared(sample(play_next(progress).finished(), plan.seed)) for plan in plans]


def z_scores(ours: Sample, reference: Figures) -> list[float]:
    """The differences to a reference in standard errors, in the order of FIGURES.

    The errors are those of both samples; the reference's games are taken to scatter as much as ours.
    """
    rate, known = ours.games_won[0] / ours.games, reference.games_won[0] / reference.games
    scores = [_ratio(rate - known, math.sqrt(rate * (1 - rate) / ours.games + known * (1 - known) / reference.games))]
    size = math.sqrt(1 / ours.games + 1 / reference.games)
    for totals, known_totals, deviation in (
        (ours.tricks_won, reference.tricks_won, ours.tricks_deviation),
        (ours.points, reference.points, ours.points_deviation),
    ):
        for side in (0, 1):
            difference = totals[side] / ours.games - known_totals[side] / reference.games
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


def table_plans(games: int, seed: int) -> list[Plan]:
    """The paper's tables in order. Tables with Markov2 come twice: with its slip, then as the paper describes it.

    Args:
        games: number of games of each table, at least 1.
        seed: seed of the run, int >= 0.
    """
    plans = []
    for reference in references("published"):
        number, known = reference.paper_table or 0, reference.figures
        printed = [name.replace("markov2", "markov2-published") for name in reference.sides]
        as_printed = Plan(printed, games, _SEEDS * seed + number, number, known)
        if number == MISPRINT:
            plans.append(replace(as_printed, misprinted=True, remark=MISPRINT_REMARK))
            continue
        plans.append(replace(as_printed, judged=True))
        if printed != reference.sides:
            seed_described = _SEEDS * seed + _DESCRIBED + number
            plans.append(Plan(reference.sides, games, seed_described, number, known, remark=DESCRIBED_REMARK))
    return plans


def precise_plans(games: int, seed: int) -> list[Plan]:
    """The pairings of the precise reference, in its order.

    Args:
        games: number of games of each pairing, at least 1.
        seed: seed of the run, int >= 0.
    """
    return [
        Plan(one.sides, games, _SEEDS * seed + _PRECISE + k, one.paper_table, one.figures, judged=True)
        for k, one in enumerate(references("precise"))
    ]


def pairing_plans(pairings: Iterable[Sequence[str]], games: int, seed: int) -> list[Plan]:
    """Pairings of any policies, to be compared with the precise reference if it has them.

    Args:
        pairings: names of two policies for each pairing; mixed sides as ``"one+other"``.
        games: number of games of each pairing, at least 1.
        seed: seed of the run, int >= 0.
    """
    known = {tuple(reference.sides): reference for reference in references("precise")}
    plans = []
    for k, sides in enumerate(pairings):
        reference = known.get(tuple(sides))
        number = _SEEDS * seed + _OTHER + k
        if reference is None:
            plans.append(Plan(sides, games, number, remark=UNKNOWN_REMARK))
        else:
            plans.append(Plan(sides, games, number, reference.paper_table, reference.figures, judged=True))
    return plans
