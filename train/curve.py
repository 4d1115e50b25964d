"""Learning curves: measurements of a policy in training against a fixed opponent, as CSV and as a picture.

In games of one side a policy is measured beside the other one, in one seat, and that by itself.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match.play import play_deals, play_match
from cardenvs.baselines.match.results import DealResults, Margins
from cardenvs.baselines.reports.pictures import can_draw, new_figure, png
from cardenvs.baselines.reports.statistics import Interval, margin_interval
from cardenvs.baselines.reports.text import short_label
from cardenvs.contract.spec import GameSpec
from cardenvs.files import write_whole
from cardenvs.policy.contract import Policy

EVAL_SEED = 20_150_001  # seed of the deals that every measurement is made on

CURVE_FILES = ("curve.csv", "curve.png")  # names of the files that `write_curve` writes: the measurements and their picture


@dataclass(frozen=True)
class Point:
    """A measurement of a policy in training against a fixed opponent."""

    steps: int  # moves trained on so far
    seconds: float  # wall time of the run so far, without compiling
    # Points a deal of the policy less the opponent's; in a game of one side of teams with it and of the opponent alone.
    mean: float
    # Half the width of the mean's 95% interval; None (0 in older files) if it has no ends, as with a single deal, or where
    # all deals are alike in a game whose points have no bounds.
    ci95: float | None
    win_rate: float  # share of games won, draws counting half; in a game of one side of deals in which its team makes more
    deals: int  # each played twice with the sides exchanged, or by both teams

    @property
    def margin(self) -> Interval:
        """The mean with its interval."""
        half = self.ci95 or math.inf
        return Interval(self.mean, self.mean - half, self.mean + half)


class TeamMargins(NamedTuple):
    """A policy measured against another, deal by deal."""

    margins: npt.NDArray[np.float64]  # (deals,), points of the policy less the other's
    wins: npt.NDArray[np.float64]  # (deals,), share of each deal's games that the policy won, a draw counting half
    decisions: list[int]  # of the policy, in a game of one side of all teams with it, and of the other


def compare_teams(teams: Sequence[DealResults], alone: DealResults) -> TeamMargins:
    """Compares teams with a policy in each seat with the team of the other policy alone; more points win a deal."""
    pairings = [DealResults.beside([team, alone]) for team in teams]
    return TeamMargins(
        np.mean([one.points_margins for one in pairings], 0),
        np.mean([one.wins for one in pairings], 0),
        [int(sum(team.decisions.sum() for team in teams)), int(alone.decisions.sum())],
    )


def measure_beside(spec: GameSpec, player: Policy, other: Policy, deals: int, seed: int, **options: Any) -> TeamMargins:
    """Compares teams on the same deals: ``player`` in each seat in turn beside ``other`` in the rest, and ``other`` alone.
    ``spec`` is a game of one side. Raises ValueError for an illegal action."""
    seats = range(spec.seats)
    teams = [[player if seat == own else other for seat in seats] for own in seats]
    *played, alone = (
        play_deals(spec, team, None, range(deals), seed=seed, **options) for team in [*teams, [other] * spec.seats]
    )
    return compare_teams(played, alone)


def measure_policy(
    player: Policy, opponent: Policy, deals: int, steps: int, seconds: float, *, beside: bool = False, **options: Any
) -> Point:
    """Plays a policy against its opponent on duplicate deals, the first ones of `EVAL_SEED`. With ``beside``, in a game of
    one side, the policy has one seat beside ``opponent``; else it has all seats of its team. ``steps`` and ``seconds`` of
    the run go into the result."""
    if beside and player.game.one_sided:
        played = measure_beside(player.game.plain, player, opponent, deals, EVAL_SEED, **options)
        margin = margin_interval(played.margins, Margins.of_game(player.game, options).points)
        wins = float(played.wins.mean())
    else:
        result = play_match(player.game, player, opponent, deals=deals, seed=EVAL_SEED, **options)
        margin, wins = result.points_margin, result.win_rate.mean
    half = margin.half_width if math.isfinite(margin.half_width) else None
    return Point(steps, round(seconds, 2), margin.mean, half, wins, deals)


def draw_points(axes: Any, points: Sequence[Point], label: str | None = None) -> None:
    """Draws measurements with their 95% intervals."""
    steps, means, errors = ([getattr(p, name) or 0 for p in points] for name in ("steps", "mean", "ci95"))
    axes.errorbar(steps, means, yerr=errors, marker="o", markersize=3, capsize=2, label=label)


def curve_png(points: Sequence[Point], title: str, opponent: str) -> bytes:
    """Draws the curve and returns the content of a PNG file; needs matplotlib."""
    figure = new_figure(7, 4)
    axes = figure.add_subplot()
    draw_points(axes, points)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set(xlabel="moves trained on", ylabel=f"points a deal above {short_label(opponent)!r}", title=title)
    axes.grid(alpha=0.3)
    if points:
        axes.set_xlim(0, max(p.steps for p in points) * 1.03 or 1)
    return png(figure)


def write_curve(folder: Path, points: Sequence[Point], title: str, opponent: str) -> None:
    """Writes ``curve.csv`` and, if matplotlib is installed, ``curve.png``. Raises OSError if a file cannot be written."""
    values, picture = CURVE_FILES
    lines = [[f.name for f in fields(Point)]]
    lines += [[f"{x:z.6g}" if isinstance(x, float) else "" if x is None else str(x) for x in astuple(p)] for p in points]
    write_whole(folder / values, "".join(f"{','.join(line)}\n" for line in lines))
    if can_draw():
        write_whole(folder / picture, curve_png(points, title, opponent))
