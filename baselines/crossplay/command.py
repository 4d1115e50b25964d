"""The commands ``cardenvs crossplay`` and ``cardenvs adhoc``."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.table import Table

from cardenvs import cli
from cardenvs.baselines.crossplay.play import (
    HELD_OUT,
    OPPONENTS,
    AdHocResult,
    CrossplayResult,
    CrossSettings,
    adhoc_results,
    adhoc_settings,
    crossplay_results,
    crossplay_settings,
    parse_group,
    seed_groups,
)
from cardenvs.baselines.crossplay.report import adhoc_tables, crossplay_tables, write_reports
from cardenvs.baselines.tournament.command import play_or_stop
from cardenvs.spec import GameSpec, show

Command = TypeVar("Command", bound=Callable[..., Any])


def _options(command: Command) -> Command:
    """The arguments and options that both commands share, under their help."""
    for decorate in (
        cli.json_option,
        cli.seed_option,
        cli.rule_option,
        click.option(
            "--markdown",
            "report",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Also write the report to this file, its figure and JSON beside it.",
        ),
        click.option("--out", type=click.Path(path_type=Path), help="Folder of the play; it goes on there. [runs/...]"),
        click.option("--workers", type=click.IntRange(min=1), help="Processes that play. [all cores]"),
        click.option("--costs", is_flag=True, help="Also work out what taking from the partner costs; slow in Whist."),
        click.option(
            "--deals",
            type=click.IntRange(min=1),
            default=1000,
            show_default=True,
            help="Deals of each couple against each opponent in each order of its seats, each played twice.",
        ),
        click.option(
            "--opponents",
            multiple=True,
            metavar="NAME",
            default=OPPONENTS,
            show_default=True,
            help="Whom all play against, a policy or a mixed side; may be repeated: results are means.",
        ),
        click.argument("policies", nargs=-1, required=True, metavar="POLICY..."),
        cli.game_argument,
    ):
        command = decorate(command)
    return command


def _words(
    name: str, settings: CrossSettings, rules: dict[str, Any], more: Iterable[str], opponents: tuple[str, ...], costs: bool
) -> list[str]:
    """The command line, as it is given in reports."""
    words = ["cardenvs", name, settings.game, *settings.policies]
    for opponent in opponents:
        words += ["--opponents", opponent]
    words += [*more, "--deals", str(settings.deals), *(["--costs"] if costs else [])]
    words += [word for key, value in rules.items() for word in ("-o", f"{key}={show(value)}")]
    return [*words, "--seed", str(settings.seed)]


def _report(
    result: CrossplayResult | AdHocResult,
    tables: Iterable[Table | str],
    folder: Path,
    command: str,
    report: Path | None,
    as_json: bool,
) -> None:
    written = write_reports(result, folder, command, report)
    if as_json:
        cli.print_json(result.as_dict())
    else:
        console = Console()
        for part in tables:
            console.print(part, highlight=False)
    cli.stderr.print(f"report: {written[1]}" + (f", {report}" if report is not None else ""), highlight=False)


@click.command("crossplay")
@_options
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME=POLICY,POLICY",
    help="Policies of one recipe, for the gap over its training seeds; may be repeated. [files that differ in the number "
    "behind 'seed' only]",
)
def crossplay_command(
    game: GameSpec,
    policies: tuple[str, ...],
    opponents: tuple[str, ...],
    groups: tuple[str, ...],
    deals: int,
    costs: bool,
    workers: int | None,
    out: Path | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Play every POLICY with every other as its partner against fixed opponents.

    Policies are names with parameters (pimc:worlds=30) or files. The matrix of points a deal, the gap between self-play and
    cross-play and the best partners go to results.json, report.md and heatmap.png in the folder, which keeps what is
    finished: the same command goes on where it was stopped.
    """
    rules = cli.rule_options(game, options)
    settings = crossplay_settings(game, policies, opponents=opponents, deals=deals, seed=seed, costs=costs, **rules)
    chosen: dict[str, list[str]] = {}
    for text in groups:
        name, members = parse_group(text, policies)
        if name in chosen:
            raise ValueError(f"the group {name!r} is given twice")
        chosen[name] = members
    folder = out or Path("runs", f"crossplay-{game.name}")
    words = _words("crossplay", settings, rules, [w for g in groups for w in ("--group", g)], opponents, costs)
    to_go_on = shlex.join(words + _places(out, report))
    store = play_or_stop(settings, folder, workers, to_go_on)
    if store is None:
        return 128 + signal.SIGINT
    result = crossplay_results(store, chosen or seed_groups(policies))
    _report(result, crossplay_tables(result), folder, shlex.join(words), report, as_json)
    return 0


def _places(out: Path | None, report: Path | None) -> list[str]:
    return (["--out", str(out)] if out is not None else []) + (["--markdown", str(report)] if report is not None else [])


@click.command(
    "adhoc",
    epilog="The partners: " + "; ".join(f"{game}: {', '.join(partners)}" for game, partners in HELD_OUT.items()) + ".",
)
@_options
@click.option("--partners", multiple=True, metavar="NAME", help="A partner beside those of the fixed set; may be repeated.")
def adhoc_command(
    game: GameSpec,
    policies: tuple[str, ...],
    opponents: tuple[str, ...],
    partners: tuple[str, ...],
    deals: int,
    costs: bool,
    workers: int | None,
    out: Path | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Score each POLICY by how it plays with partners it does not know.

    The score is the mean of points a deal over a fixed set of partners, in both seats, against fixed opponents. The folder
    gets results.json, report.md and heatmap.png and keeps what is finished: the same command goes on where it was stopped.
    """
    rules = cli.rule_options(game, options)
    settings = adhoc_settings(
        game, policies, more_partners=partners, opponents=opponents, deals=deals, seed=seed, costs=costs, **rules
    )
    folder = out or Path("runs", f"adhoc-{game.name}")
    words = _words("adhoc", settings, rules, [w for p in partners for w in ("--partners", p)], opponents, costs)
    store = play_or_stop(settings, folder, workers, shlex.join(words + _places(out, report)))
    if store is None:
        return 128 + signal.SIGINT
    result = adhoc_results(store)
    _report(result, adhoc_tables(result), folder, shlex.join(words), report, as_json)
    return 0
