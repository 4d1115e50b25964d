"""How far judged points agree with matches, and how many deals they need; writes docs/results/judge_GAME.md.

    python benchmarks/judge.py --game euchre --report docs/results/judge_euchre.md

Every policy is judged in few deals, and plays a match of many others: in each it holds one seat, and a reference, `learned`
or in Hanabi `smartbot`, all others. The figures agree if they differ by at most two joint standard errors.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from measuring import hand_over, tell, written_by
from scipy.stats import spearmanr

from cardenvs import cli
from cardenvs.baselines.judge.settings import REFERENCE, JudgedDeals, judge_settings
from cardenvs.baselines.match import play_deals
from cardenvs.baselines.match.side import largest_side
from cardenvs.baselines.reports.document import Document, Estimate, Name, Table, Text, said
from cardenvs.baselines.reports.statistics import Interval, interval
from cardenvs.baselines.runs.pairings import play_all
from cardenvs.contract.registry import full_title, get_game
from cardenvs.files import name_in_path

HAND_CODED = (
    "random", "low", "high", "high-low", "high-low-corrected", "coop-high-low", "hybrid", "hybrid2", "markov", "markov2",
    "card-counting", "poe",
)  # fmt: skip
POLICIES = {
    "euchre": (
        *HAND_CODED, "monte-carlo", "split", "pimc:worlds=10", "ismcts:simulations=100", "learned:generation=1",
        "learned:generation=2", "learned:sample=yes", "learned-search:worlds=100",
    ),
    "whist": (
        *HAND_CODED, "monte-carlo", "pimc:worlds=5", "pimc:worlds=20", "ismcts:simulations=100", "learned:generation=1",
        "learned:sample=yes", "learned-search:worlds=10", "learned-search:worlds=25",
    ),
    "hanabi:mini": (
        "random", "flawed", "internal", "outer", "cautious", "iggi", "piers", "van-den-bergh", "hat-information",
        "search:seat=0,rollouts=200",
    ),
}  # fmt: skip
"""The policies that are judged, by game."""
REFERENCES = {"hanabi:mini": "smartbot"}
"""The policies in all other seats, by game; elsewhere `REFERENCE`."""


def standard_error(values: npt.NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values))


@click.command()
@click.option("--game", type=click.Choice([*POLICIES]), default="euchre", show_default=True, help="The game.")
@click.option(
    "--policies", multiple=True, type=cli.Several(), callback=cli.flat, help="Policies in place of the usual ones."
)
@click.option("--reference", metavar="NAME", help="The policy in all other seats. [learned; in Hanabi smartbot]")
@click.option("--deals", default=100, show_default=True, help="Deals that are judged.")
@click.option("--match-deals", default=4000, show_default=True, help="Deals of each match.")
@click.option("--out", type=Path, help="Folder for finished deals. [runs/judged-GAME]")
@click.option("--report", type=Path, help="Also write a report to this Markdown file.")
@click.option("--workers", type=int, default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def main(
    game: str, policies: Sequence[str], reference: str | None, deals: int, match_deals: int, out: Path | None,
    report: Path | None, workers: int, as_json: bool,
) -> None:  # fmt: skip
    """Judge policies, and play matches of the same ones."""
    given = {name: value for name, value in (("reference", reference), ("policies", ",".join(policies))) if value}
    folder = out or Path("runs", "-".join(["judged", name_in_path(game), *([reference] if reference else [])]))
    reference, spec = reference or REFERENCES.get(game, REFERENCE), get_game(game)
    rows: list[list[Text]] = []
    found: list[dict[str, Any]] = []
    for name in policies or POLICIES[game]:
        own = folder / "".join(c if c.isalnum() else "-" for c in name)
        plan = judge_settings(game, [name], reference=reference, deals=deals, seed=1)
        judged = play_all(plan, own / "judged", workers=workers).finished(0)
        assert isinstance(judged, JudgedDeals)
        values, margins = judged.advantages, matched(own, spec, name, reference, match_deals)
        errors = standard_error(values), standard_error(margins)
        apart = float(values.mean() - margins.mean()) / math.hypot(*errors)
        fewer = float(margins.var() / values.var())
        one: dict[str, Any] = {
            "name": name, "judged": interval(values), "match": interval(margins), "apart": apart, "fewer_deals": fewer,
            "bias": interval(judged.advantages - judged.match),
        }  # fmt: skip
        found.append(one)
        rows.append([Name(name), *map(Estimate, (one["judged"], one["match"])), f"{apart:+z.1f}", f"{fewer:.1f}"])
        tell(f"{name}: judged {one['judged']}, match {one['match']}, {apart:+z.1f} joint errors, {fewer:.1f} times")
    agree = sum(abs(one["apart"]) <= 2 for one in found)
    order = float(spearmanr([one["judged"].mean for one in found], [one["match"].mean for one in found]).statistic)
    near = [one["fewer_deals"] for one in found if abs(one["match"].mean) <= 0.15]
    nearest = f"; of the {len(near)} within 0.15 points of {reference} at least {min(near):.1f}" if near else ""
    words = said(
        f"""{written_by(__file__, game=game, **given, deals=deals, match_deals=match_deals)}: {deals:,} judged deals and
        matches of {match_deals:,} other duplicate deals, one seat beside {"" if spec.one_sided else "and against "}{
            reference}, 95% intervals. {agree} of {len(found)} agree within two joint standard errors; rank correlation
        {order:.3f}. A match needs so many times the deals: median {
            np.median([one["fewer_deals"] for one in found]):.1f}{nearest}."""
    )  # fmt: skip
    head = ["", "judged, points above", "match, points above", "apart, joint errors", "deals of a match, times"]
    told = {"agree": agree, "spearman": order, "policies": [plain_row(one) for one in found]}
    hand_over(told, Document(f"Judged and played: {full_title(spec)}", [words, Table(head, rows)]), report, as_json)


def plain_row(one: dict[str, Any]) -> dict[str, Any]:
    """The row with its intervals as lists."""
    return {key: [value.mean, *value.ci95] if isinstance(value, Interval) else value for key, value in one.items()}


def matched(folder: Path, spec: Any, name: str, reference: str, deals: int, **options: Any) -> npt.NDArray[np.float64]:
    """Margins of a match's deals, which a file keeps."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "match.npy"
    kept = np.load(file) if file.exists() else np.zeros(0)
    while len(kept) < deals:
        part = range(len(kept), min(len(kept) + 250, deals))
        played = play_deals(spec, [name, *[reference] * (largest_side(spec) - 1)], reference, part, seed=2, **options)
        kept = np.append(kept, played.points_margins)
        np.save(file, kept)
    return np.asarray(kept[:deals])


if __name__ == "__main__":
    main()
