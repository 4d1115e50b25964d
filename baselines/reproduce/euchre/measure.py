"""The pairings of the Euchre paper played again and compared.

Figures are compared by *z-scores*: the difference to the reference in standard errors, of which both samples have one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cardenvs.baselines.match import Side, play_deals
from cardenvs.baselines.reproduce.euchre.paper import MISPRINT, Figures, Reference, references
from cardenvs.spec import get_game

LIMIT = 4.0
"""A pairing agrees with its reference if no figure differs by more than so many standard errors."""

MISPRINT_REMARK = "misprint: the paper repeats Table 35's figures here, so there is nothing to compare with"
DESCRIBED_REMARK = "as described: markov2 without the slip behind the printed figures"
UNKNOWN_REMARK = "no reference"

FIGURES = ("games won", "tricks, first", "tricks, second", "points, first", "points, second")
"""The figures that have z-scores, in order: the first side's games won, both sides' tricks a game and points a game."""

_CHUNK = 4000
"""Games that are played at a time."""
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


@dataclass(frozen=True)
class Comparison:
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

    @property
    def short_remark(self) -> str:
        """The remark up to its colon, for tables."""
        return self.remark.partition(":")[0]

    def as_dict(self) -> dict[str, Any]:
        """The comparison for JSON."""
        figures = asdict(self)
        return {"table": figures.pop("paper_table"), **figures}


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


def play(sides: Sequence[str], games: int, seed: int, progress: Callable[[int], None] | None = None) -> Sample:
    """Plays a pairing in the published protocol.

    Args:
        sides: names of two policies; mixed sides as ``"one+other"``.
        games: number of games, at least 1.
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


def _compare(reference: Reference, sides: Sequence[str], ours: Sample, judged: bool, remark: str = "") -> Comparison:
    """The comparison of a pairing with its reference; ``judged`` says whether the two are to agree."""
    z = z_scores(ours, reference.figures)
    agrees = max(map(abs, z)) <= LIMIT if judged else None
    return Comparison(reference.paper_table, list(sides), reference.figures, ours, z, agrees, remark)


def reproduce_tables(games: int, seed: int, progress: Callable[[int], None] | None = None) -> list[Comparison]:
    """Plays the paper's tables in order. Tables with Markov2 come twice: with its slip, then as the paper describes it.

    Args:
        games: number of games of each table, at least 1.
        seed: seed of the run, int >= 0.
        progress: called with the number of games finished since the last call.
    """
    rows = []
    for reference in references("published"):
        number = reference.paper_table or 0
        printed = [name.replace("markov2", "markov2-published") for name in reference.sides]
        ours = play(printed, games, _SEEDS * seed + number, progress)
        if number == MISPRINT:
            rows.append(Comparison(number, printed, reference.figures, ours, None, None, MISPRINT_REMARK))
            continue
        rows.append(_compare(reference, printed, ours, judged=True))
        if printed != reference.sides:
            described = play(reference.sides, games, _SEEDS * seed + _DESCRIBED + number, progress)
            rows.append(_compare(reference, reference.sides, described, judged=False, remark=DESCRIBED_REMARK))
    return rows


def reproduce_precise(games: int, seed: int, progress: Callable[[int], None] | None = None) -> list[Comparison]:
    """Plays the pairings of the precise reference, in its order.

    Args:
        games: number of games of each pairing, at least 1.
        seed: seed of the run, int >= 0.
        progress: called with the number of games finished since the last call.
    """
    return [
        _compare(
            reference, reference.sides, play(reference.sides, games, _SEEDS * seed + _PRECISE + k, progress), judged=True
        )
        for k, reference in enumerate(references("precise"))
    ]


def play_pairings(
    pairings: Iterable[Sequence[str]], games: int, seed: int, progress: Callable[[int], None] | None = None
) -> list[Comparison]:
    """Plays pairings of any policies and compares those that the precise reference has with it.

    Args:
        pairings: names of two policies for each pairing; mixed sides as ``"one+other"``.
        games: number of games of each pairing, at least 1.
        seed: seed of the run, int >= 0.
        progress: called with the number of games finished since the last call.

    Raises:
        ValueError: an unknown policy.
    """
    known = {tuple(reference.sides): reference for reference in references("precise")}
    rows = []
    for k, sides in enumerate(pairings):
        ours = play(sides, games, _SEEDS * seed + _OTHER + k, progress)
        reference = known.get(tuple(sides))
        if reference is None:
            rows.append(Comparison(None, list(sides), None, ours, None, None, UNKNOWN_REMARK))
        else:
            rows.append(_compare(reference, sides, ours, judged=True))
    return rows
