"""``cardenvs reproduce poe``: POE's agent in Whist against the simple agents.

POE's author publishes no results; these are the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from cardenvs import cli
from cardenvs.baselines.match import MatchResult, Side, play_match
from cardenvs.baselines.reporting import plus_minus
from cardenvs.baselines.statistics import Interval
from cardenvs.files import write_whole
from cardenvs.spec import get_game

OPPONENTS = ("random", "low", "high-low", "coop-high-low")
TRICKS = 13

HEADS = ("opponent", "tricks a deal", "won, %", "points a deal", "lead")
NOTE = (
    "POE's figures are the first of two. ± is half of a 95% confidence interval, reckoned from deals with both their "
    "games. A deal is won with seven tricks or more, and each trick above six is a point; the lead is in points."
)


def reproduce(deals: int, seed: int, worlds: int, opponents: Sequence[str] = OPPONENTS) -> list[MatchResult]:
    """Plays POE's agent against each opponent over duplicate deals of Whist.

    Args:
        deals: deals a pairing, each played twice.
        seed: int >= 0; every pairing plays the same deals.
        worlds: how many deals the agent draws for a decision.
        opponents: names of policies.

    Returns:
        A result a pairing, the agent's side first.

    Raises:
        ValueError: an unknown opponent, before anything is played; ``deals`` or ``worlds`` below 1.
    """
    whist = get_game("whist")
    sides = [(Side(whist, f"poe:worlds={worlds}"), Side(whist, name)) for name in opponents]
    results = []
    for poe, other in sides:
        with cli.counting(f"{poe.name} - {other.name}", deals) as count:
            results.append(play_match(whist, poe, other, deals=deals, seed=seed, progress=count))
    return results


def figures(result: MatchResult) -> dict[str, Any]:
    """A match by the deal: what each side took, and the first side's share and lead with their confidence intervals."""
    tricks = [(TRICKS + bound) / 2 for bound in (result.tricks_margin.mean, *result.tricks_margin.ci95)]
    return {
        "opponent": result.sides[1],
        "deals": result.deals,
        "tricks_per_deal": [tricks[0], TRICKS - tricks[0]],
        "tricks_per_deal_ci95": tricks[1:],
        "win_rate": result.win_rate.mean,
        "win_rate_ci95": result.win_rate.ci95,
        "points_per_deal": [points / result.games for points in result.points],
        "mean_points": result.points_margin.mean,
        "mean_points_ci95": result.points_margin.ci95,
        "decisions_per_s": result.decisions_per_s[0],
    }


def _cells(result: MatchResult) -> list[str]:
    row = figures(result)
    own, other = row["tricks_per_deal"]
    half = (row["tricks_per_deal_ci95"][1] - row["tricks_per_deal_ci95"][0]) / 2
    return [
        row["opponent"],
        f"{own:.2f} : {other:.2f} ±{half:.2f}",
        plus_minus(Interval(row["win_rate"], *row["win_rate_ci95"]), percent=True),
        " : ".join(f"{points:.2f}" for points in row["points_per_deal"]),
        plus_minus(Interval(row["mean_points"], *row["mean_points_ci95"])),
    ]


def markdown(results: Sequence[MatchResult], deals: int, seed: int, worlds: int) -> str:
    """The report."""
    words = [f"cardenvs reproduce poe --deals {deals} --worlds {worlds} --seed {seed}"]
    names = tuple(result.sides[1] for result in results)
    words += [f"--opponent {name}" for name in names] if names != OPPONENTS else []
    lines = [
        "# Whist: POE against the simple agents",
        "",
        f"Written by `{' '.join(words)} --markdown FILE`.",
        "",
        "Source: J. Diamond, POE, a Whist engine for MATLAB, version 1.0.6, 2019. Its author publishes no results; these",
        f"are the first. The agent is `poe`: for each card it plays it deals the unseen cards {worlds} times, solves the",
        "current trick in each deal with all cards open, and plays the card with the most points. (POE repairs a deal by",
        "swaps until it fits the suits shown out; here all fitting deals are equally likely.) Two seats of it face two of",
        "the opponent.",
        "",
        f"{deals:,} deals a pairing, the same ones for all, each played twice with the sides exchanged. {NOTE}",
        "",
        "| " + " | ".join(HEADS) + " |",
        "|" + "---|" + "---:|" * (len(HEADS) - 1),
        *("| " + " | ".join(_cells(result)) + " |" for result in results),
        "",
    ]
    return "\n".join(lines)


@click.command("poe")
@click.option("--deals", type=click.IntRange(min=1), default=1000, show_default=True, help="Deals of a pairing.")
@click.option("--worlds", type=click.IntRange(min=1), default=100, show_default=True, help="Deals drawn for a decision.")
@click.option(
    "--opponent", "opponents", multiple=True, default=OPPONENTS, show_default=True, help="Whom to play; may be repeated."
)
@click.option("--markdown", "report", type=click.Path(dir_okay=False), help="Also write a report to this file.")
@cli.seed_option
@cli.json_option
def poe_command(deals: int, worlds: int, opponents: tuple[str, ...], report: str | None, seed: int, as_json: bool) -> None:
    """POE's agent in Whist, against the simple agents."""
    results = reproduce(deals, seed, worlds, opponents)
    if report:
        write_whole(report, markdown(results, deals, seed, worlds))
    if as_json:
        rows = [figures(result) for result in results]
        cli.print_json({"game": "whist", "policy": "poe", "worlds": worlds, "deals": deals, "seed": seed, "results": rows})
        return
    table = Table(title=f"POE's agent in Whist: {deals:,} deals a pairing, each played twice")
    for k, head in enumerate(HEADS):
        table.add_column(head, justify="right" if k else "left", no_wrap=True)
    for result in results:
        table.add_row(*_cells(result))
    Console().print(table)
    cli.stderr.print(NOTE)
