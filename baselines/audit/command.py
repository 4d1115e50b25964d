"""The command ``cardenvs audit``."""

import importlib.metadata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.audit.openspiel import audit_game, checked_names, openspiel_version
from cardenvs.baselines.audit.pettingzoo import audit_module
from cardenvs.baselines.audit.results import Auditor, audit_games
from cardenvs.baselines.commands import command_words
from cardenvs.baselines.runs.terminal import Session, work_and_report


@click.command("audit", cls=click.Group)
def audit_command() -> None:
    """Audit games of other libraries: re-deals, what seats are told of hidden cards, legal actions, rewards, copies."""


def _audit_options(command: Callable[..., int]) -> Callable[..., int]:
    for option in (
        cli.json_option, cli.seed_option, cli.report_option,
        click.option("--out", type=cli.OutFolder(), help="Folder for finished games; the same command continues there."),
        click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Games at a time."),
        click.option(
            "--seconds", type=cli.FiniteRange(min=0, min_open=True), default=60.0, show_default=True,
            help="Processor time for each game.",
        ),
        click.option(
            "--positions", type=click.IntRange(min=1), default=20_000, show_default=True,
            help="Positions of each game after which its audit ends before the time.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def _run_audit(
    word: str, audit: Auditor, library: str, given: Sequence[str], names: Sequence[str], *, out: Path | None,
    report: Path | None, as_json: bool, **settings: Any,
) -> int:  # fmt: skip
    options = {
        f"--{name}": f"{settings[name]:g}" if name == "seconds" else settings[name] for name in ("positions", "seconds")
    }
    words = command_words("audit", word, *given, given=options, seed=settings["seed"])
    session = Session(words, out, settings["workers"], report=report, as_json=as_json)
    return work_and_report(
        session, names[0], len(names), "games",
        lambda count: audit_games(audit, library, names, out=out, progress=count, **settings),
        lambda result: any(game.findings for game in result.games),
    )  # fmt: skip


@audit_command.command("openspiel")
@click.argument("games", metavar="GAME...", nargs=-1, required=True)
@_audit_options
def openspiel_command(games: tuple[str, ...], **options: Any) -> int:
    """Audit OpenSpiel's GAME, a name with parameters, such as "universal_poker(betting=nolimit)"; all: its card games.

    Random games are played, and what contradicts OpenSpiel's own documentation is reported with the shortest history that
    shows it. The exit status is 1 if there are findings.
    """
    library = f"OpenSpiel {openspiel_version()}"
    return _run_audit("openspiel", audit_game, library, games, checked_names(games), **options)


@audit_command.command("pettingzoo")
@click.argument("modules", metavar="MODULE...", nargs=-1, required=True, type=cli.Several(), callback=cli.flat)
@_audit_options
def pettingzoo_command(modules: tuple[str, ...], **options: Any) -> int:
    """Audit the AEC environment that the function env of MODULE makes, such as cardenvs.euchre_v0.

    Random episodes are played: seeds, masks, observations, rewards. The exit status is 1 if there are findings.
    """
    library = f"PettingZoo {importlib.metadata.version('pettingzoo')}"
    return _run_audit("pettingzoo", audit_module, library, modules, list(dict.fromkeys(modules)), **options)
