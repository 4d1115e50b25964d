"""The command ``cardenvs audit``."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.audit.openspiel import CARD_GAMES, audit_game
from cardenvs.baselines.audit.pettingzoo import audit_module
from cardenvs.baselines.audit.results import audit_games
from cardenvs.baselines.commands import command_words
from cardenvs.baselines.runs.terminal import Session, work_and_report
from cardenvs.plugins import require


@click.command("audit")
@click.argument("library", type=click.Choice(["openspiel", "pettingzoo"]))
@click.argument("games", metavar="GAME...", nargs=-1, required=True)
@click.option("--positions", type=click.IntRange(min=1), default=20_000, show_default=True, help="Positions of a game.")
@click.option("--seconds", type=cli.FiniteRange(0, min_open=True), default=60.0, show_default=True, help="Processor time.")
@click.option("--out", type=cli.OutFolder(), help="Folder for finished games; the same command continues there.")
@cli.report_option
@cli.seed_option
@cli.json_option
def audit_command(
    library: str, games: tuple[str, ...], out: Path | None, report: Path | None, as_json: bool, **settings: Any
) -> int:
    """Audit games of other libraries: re-deals, what seats are told of hidden cards, legal actions, rewards, copies.

    A GAME of openspiel is a name with parameters, such as "universal_poker(betting=nolimit)", or all for its card games;
    one of pettingzoo is a module whose function env makes an AEC environment, such as cardenvs.euchre_v0. What contradicts
    the library's own documentation is reported with the shortest history that shows it; the exit status is then 1.
    """
    openspiel, pettingzoo = ("OpenSpiel", "open_spiel", audit_game), ("PettingZoo", "pettingzoo", audit_module)
    title, package, audit = openspiel if library == "openspiel" else pettingzoo
    require(package, library, f"audits of {title}")
    names = list(dict.fromkeys(CARD_GAMES if games == ("all",) else games))
    given = {"--positions": settings["positions"], "--seconds": f"{settings['seconds']:g}"}
    words = command_words("audit", library, *games, given=given, seed=settings["seed"])
    return work_and_report(
        Session(words, out, report=report, as_json=as_json), names[0], len(names), "games",
        lambda count: audit_games(audit, f"{title} {version(package)}", names, out=out, progress=count, **settings),
        lambda result: any(game.findings for game in result.games),
    )  # fmt: skip
