"""What each option of training is worth: ``python benchmarks/training.py [--steps N] [--report FILE] [--json]``.

Euchre in the published protocol, trained with the shipped recipe's settings and with one of them changed, all for the same
number of decisions and on the same seeds. Every policy is judged twice, since a net can learn to beat one opponent and lose
to a similar net: against ``coop-high-low`` and against the net of the recipe with the same seed, over duplicate deals.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, tell, written_by

from cardenvs import cli
from cardenvs.baselines.match import play_match
from cardenvs.markdown import table_lines
from cardenvs.train.learning.self_play import train
from cardenvs.train.recipes import recipe

RECIPE = "euchre--forced-spades"
"""The recipe whose settings are changed."""
FORCED = {"bidding": "forced-spades"}
"""Rule options of the published protocol."""
CHANGES: dict[str, dict[str, Any]] = {
    "the recipe": {},
    "the critic sees its seat only": {"critic": "seat"},
    "suits as they are": {"canonical_suits": False},
    "no imitation": {"imitate": None},
    "imitation of coop-high-low": {"imitate": "coop-high-low"},
    "a tenth of the games with hybrid, card-counting or pimc": {
        "others": ("hybrid", "card-counting", "pimc:worlds=10"),
        "others_share": 0.1,
    },
    "a third of the games with earlier selves": {"past_share": 0.33},
    "tricks count at first": {"trick_weight": 0.2},
    "constant learning rate": {"lr_schedule": "constant"},
    "twice the entropy bonus": {"ent_coef": 0.03},
    "four epochs": {"epochs": 4},
    "network of the default size": {"net": (256, 128)},
}
"""By the name of each change in the report, the settings of the recipe that are changed."""


@dataclass(frozen=True)
class Outcome:
    """A changed setting and its figures, one for each training seed.

    Attributes:
        change: name of the change, a key of `CHANGES`.
        points: points a deal above coop-high-low, one figure for each training seed.
        against_recipe: points a deal above the recipe's net of the same seed, one figure for each training seed.
        ci95: half the width of the widest 95% interval, over deals, of a figure in ``points``.
    """

    change: str
    points: list[float]
    against_recipe: list[float]
    ci95: float


def measure(change: str, folder: Path, steps: int, seeds: int, deals: int) -> Outcome:
    """Trains with a change, or goes on where an earlier training stopped, and plays the matches.

    Args:
        change: a key of `CHANGES`.
        folder: folder of all trainings.
        steps: decisions to train on.
        seeds: number of training seeds.
        deals: number of deals of a match, each played twice.
    """
    points, against, halves = [], [], []
    for seed in range(seeds):
        config = replace(recipe(RECIPE), seed=seed, steps=steps, eval_every=0, eval_deals=100, threads=1, **CHANGES[change])
        out = folder / f"{list(CHANGES).index(change)}-seed-{seed}"
        result = train(config, out, resume=(out / "policy.zip").exists())
        played = play_match("euchre", result.policy, "coop-high-low", deals=deals, seed=1, **FORCED)
        points.append(played.points_margin.mean)
        halves.append(played.points_margin.half_width)
        first = str(folder / f"0-seed-{seed}" / "policy.zip")
        against.append(play_match("euchre", result.policy, first, deals=deals, seed=1, **FORCED).points_margin.mean)
    return Outcome(change, points, against, max(halves))


def markdown(outcomes: list[Outcome], steps: int, seeds: int, deals: int) -> str:
    """The report, in Markdown."""

    def shown(figures: list[float]) -> str:
        return f"{np.mean(figures):+.3f} ({', '.join(f'{figure:+.3f}' for figure in figures)})"

    rows = [[o.change, shown(o.points), "" if k == 0 else shown(o.against_recipe)] for k, o in enumerate(outcomes)]
    half = max(o.ci95 for o in outcomes)
    lines = [
        "# What each option of training is worth",
        "",
        f"{written_by(__file__, steps=steps, seeds=seeds, deals=deals)}. Euchre in the published protocol, the settings",
        f"of the recipe `{RECIPE}` and one change at a time, {steps:,} decisions each.",
        f"Training seeds: {seeds}, each one's figure in brackets; {deals:,} duplicate deals a match. Figures are",
        f"points a deal; their 95% interval over deals is at most ±{half:.3f}, which says nothing of how seeds differ.",
        "",
        *table_lines(["change", "above coop-high-low", "above the recipe's net"], rows),
    ]
    return "\n".join(lines)


@click.command()
@count_option("--steps", 2_000_000, "Decisions to train on.")
@count_option("--seeds", 2, "Training seeds.")
@count_option("--deals", 10_000, "Deals of a match.", least=2)
@click.option("--out", type=click.Path(path_type=Path), default=Path("runs/training"), show_default=True)
@cli.report_option
@cli.json_option
def main(steps: int, seeds: int, deals: int, out: Path, report: Path | None, as_json: bool) -> None:
    """What each option of training is worth; what is finished in the folder is not trained again."""
    outcomes = []
    for change in CHANGES:
        outcomes.append(measure(change, out, steps, seeds, deals))
        tell(outcomes[-1])
    figures = {"steps": steps, "seeds": seeds, "deals": deals, "outcomes": [asdict(o) for o in outcomes]}
    hand_over(figures, markdown(outcomes, steps, seeds, deals), report, as_json)


if __name__ == "__main__":
    main()
