"""The command ``cardenvs reproduce calling``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli, policy
from cardenvs.baselines.commands import engine_options, or_cores
from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.reproduce.calling.break_even import break_even, mean_gains
from cardenvs.baselines.reproduce.calling.matches import GAMES, PAIRINGS, GamePairing, Pairing, play_callers
from cardenvs.baselines.reproduce.calling.report import markdown, show
from cardenvs.baselines.reproduce.shared import command_line
from cardenvs.cli import Several, flat
from cardenvs.files import write_whole


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
    wanted = (*PAIRINGS, *(("standard", caller) for caller in callers))
    pairings: list[Pairing] = []
    games: list[GamePairing] = []
    gains = []
    with cli.counting("calling", len(plays) * (len(wanted) + len(GAMES)) * deals) as count:
        for name in plays:
            over_deals, over_games = play_callers(
                name, wanted, GAMES, deals, seed, count, workers=or_cores(workers, cluster), cluster=cluster
            )
            pairings += over_deals
            games += over_games
            followed = break_even(name, 10 * deals, seed)
            gains += [followed] if followed is not None else []
    if report is not None:
        words = [word for name in plays for word in ("--plays", name)]
        words += [word for name in callers for word in ("--caller", name)]
        command = command_line("calling", [*words, "--deals", str(deals), "--seed", str(seed)])
        write_whole(report, markdown(pairings, games, gains, command, seed))
    if as_json:
        cli.print_json(
            {
                "game": "euchre",
                "seed": seed,
                "pairings": [pairing.as_dict() for pairing in pairings],
                "games": [game.as_dict() for game in games],
                "break_even": [mean_gains(followed) for followed in gains],
            }
        )
    else:
        show(pairings, games, deals)
