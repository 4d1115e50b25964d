"""The command ``cardenvs reproduce calling``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli, policy
from cardenvs.baselines.commands import command_words, engine_options, or_cores
from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.reproduce.calling.break_even import break_even
from cardenvs.baselines.reproduce.calling.matches import GAMES, PAIRINGS, Reproduction, play_callers
from cardenvs.baselines.runs.terminal import Session
from cardenvs.cli import Several, flat


@click.command("calling")
@click.option("--deals", type=click.IntRange(min=2), default=20_000, show_default=True, help="Deals of each pairing.")
@click.option(
    "--plays",
    multiple=True,
    type=Several(),
    callback=flat,
    default=("coop-high-low", "hybrid"),
    show_default=True,
    metavar="POLICY",
    help="Policy that plays the cards on both sides; may be repeated, a,b are two.",
)
@click.option(
    "--caller",
    "callers",
    multiple=True,
    type=Several(),
    callback=flat,
    metavar="POLICY",
    help="Also compare this policy's calls with the standard caller's; may be repeated, a,b are two.",
)
@engine_options("play")
@cli.report_option
@cli.seed_option
@cli.json_option
def calling_command(
    deals: int,
    plays: tuple[str, ...],
    callers: tuple[str, ...],
    workers: int | None,
    cluster: str | None,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """What callers in full Euchre are worth, with the same play of the cards.

    No paper gives figures for full Euchre; these are the project's own.
    """
    for name in (*plays, *callers):
        if name not in CALLERS:
            policy.make("euchre", name)  # an unknown policy is an error before anything is played
    given = {"--plays": plays, "--caller": callers, "--deals": deals, "--seed": seed}
    words = command_words("reproduce", "calling", given=given)
    session = Session(words, None, workers, cluster, report, as_json=as_json, figures_beside=False)
    pairs = (*PAIRINGS, *(("standard", caller) for caller in callers))
    result = Reproduction(seed, [], [], [])
    with cli.progress_bar("calling", len(plays) * (len(pairs) + len(GAMES)) * deals) as count:
        for name in plays:
            played, over_games = play_callers(
                name, pairs, GAMES, deals, seed, count, workers=or_cores(workers, cluster), cluster=cluster
            )
            result.pairings.extend(played)
            result.games.extend(over_games)
            result.break_even.extend(filter(None, [break_even(name, 10 * deals, seed)]))
    session.hand_over(result)
