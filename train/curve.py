"""Learning curves: what a policy under training wins of a fixed opponent, as a table and as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from cardenvs.baselines.match.play import play_match
from cardenvs.files import write_whole
from cardenvs.policy import Policy

EVAL_SEED = 20_150_001
"""Of the deals that every measurement is made on."""


CURVE_FILES = ("curve.csv", "curve.png")
"""What `write_curve` writes."""


@dataclass(frozen=True)
class Point:
    """One measurement.

    Attributes:
        steps: moves trained on so far.
        seconds: wall time of the run so far.
        mean: points a deal that the policy wins above its opponent.
        ci95: half the width of the mean's 95% confidence interval.
        win_rate: share of the games it wins, draws counting half.
        deals: deals played, each twice with the sides exchanged.
    """

    steps: int
    seconds: float
    mean: float
    ci95: float
    win_rate: float
    deals: int


def measure(player: Policy, opponent: Policy, deals: int, steps: int, seconds: float, **options: Any) -> Point:
    """Plays ``player`` against ``opponent`` on the first ``deals`` duplicate deals of `EVAL_SEED`."""
    result = play_match(player.game, player, opponent, deals=deals, seed=EVAL_SEED, **options)
    half = result.points_margin.half_width if deals > 1 else 0.0
    return Point(steps, round(seconds, 2), result.points_margin.mean, half, result.win_rate.mean, deals)


def curve_csv(points: Sequence[Point]) -> str:
    """The curve as comma-separated values, one line a point under a line of names."""
    names = [f.name for f in fields(Point)]
    lines = [",".join(names)]
    lines += [
        ",".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in asdict(p).values()) for p in points
    ]
    return "\n".join(lines) + "\n"


def curve_png(points: Sequence[Point], title: str, opponent: str) -> bytes:
    """The curve as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.errorbar(
        [p.steps for p in points],
        [p.mean for p in points],
        yerr=[p.ci95 for p in points],
        marker="o",
        markersize=3,
        capsize=2,
    )
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set(xlabel="moves trained on", ylabel=f"points a deal above {opponent!r}", title=title)
    axes.grid(alpha=0.3)
    if points:
        axes.set_xlim(0, max(p.steps for p in points) * 1.03 or 1)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return file.getvalue()


def write_curve(folder: Path, points: Sequence[Point], title: str, opponent: str) -> None:
    """Writes ``curve.csv`` and ``curve.png`` in ``folder``.

    Raises:
        OSError: it cannot be written.
    """
    csv, picture = CURVE_FILES
    write_whole(folder / csv, curve_csv(points))
    write_whole(folder / picture, curve_png(points, title, opponent))
