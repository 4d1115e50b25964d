"""The commands ``cardenvs crossplay`` and ``cardenvs adhoc``."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from cardenvs import cli
from cardenvs.baselines.commands import (
    against_option,
    command_words,
    option_words,
    print_result,
    tell_left_out,
    tell_reports,
)
from cardenvs.baselines.crossplay.adhoc import adhoc_results
from cardenvs.baselines.crossplay.groups import parse_group, seed_groups
from cardenvs.baselines.crossplay.report import adhoc_tables, crossplay_tables, write_crossplay
from cardenvs.baselines.crossplay.results import crossplay_results
from cardenvs.baselines.crossplay.settings import HELD_OUT, OPPONENTS, CrossSettings, adhoc_settings, crossplay_settings
from cardenvs.baselines.tournament.terminal import play_or_stop
from cardenvs.spec import GameSpec

Command = TypeVar("Command", bound=Callable[..., Any])


def _options(command: Command) -> Command:
    """The arguments and options that both commands share, under their help."""
    for decorate in (
        cli.json_option,
        cli.seed_option,
        cli.rule_option,
        cli.report_option,
        click.option("--out", type=click.Path(path_type=Path), help="Folder of the play; it goes on there. [runs/...]"),
        click.option("--workers", type=click.IntRange(min=1), help="Processes that play. [all cores]"),
        click.option("--costs", is_flag=True, help="Also work out what taking from the partner costs; slow in Whist."),
        click.option(
            "--deals",
            type=click.IntRange(min=1),
            default=1000,
            show_default=True,
            help="Deals of each partnership against each opponent in each order of its seats, each played twice.",
        ),
        against_option(
            "Whom all play against, a policy or a mixed side; may be repeated: results are means.",
            default=OPPONENTS,
            show_default=True,
        ),
        click.argument("policies", nargs=-1, required=True, metavar="POLICY..."),
        cli.game_argument,
    ):
        command = decorate(command)
    return command


def _words(
    name: str,
    settings: CrossSettings,
    rules: dict[str, Any],
    more: dict[str, tuple[str, ...]],
) -> list[str]:
    """The command line that makes the results again, as reports quote it.

    Args:
        name: the command.
        settings: what is played.
        rules: the rule options that were given.
        more: further options of the command.
    """
    given = {"--against": settings.opponents, **more, "--deals": settings.deals, "--costs": settings.costs}
    return command_words(name, settings.game, *settings.policies, given=given, rules=rules, seed=settings.seed)


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
    against: tuple[str, ...],
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
    cross-play and the best partners go to results.json, report.md and (with matplotlib) heatmap.png in the folder, which
    keeps what is finished: the same command goes on where it was stopped.
    """
    rules = cli.rule_options(game, options)
    settings = crossplay_settings(game, policies, opponents=against, deals=deals, seed=seed, costs=costs, **rules)
    chosen: dict[str, list[str]] = {}
    for text in groups:
        name, members = parse_group(text, policies)
        if name in chosen:
            raise ValueError(f"the group {name!r} is given twice")
        chosen[name] = members
    folder = out or Path("runs", f"crossplay-{game.name}")
    words = _words("crossplay", settings, rules, {"--group": groups})
    to_go_on = shlex.join([*words, *option_words({"--out": out, "--report": report})])
    store = play_or_stop(settings, folder, workers, to_go_on)
    if store is None:
        return 128 + signal.SIGINT
    result = crossplay_results(store, chosen or seed_groups(policies))
    written = write_crossplay(result, folder, shlex.join(words), report)
    print_result(result.as_dict(), lambda _: crossplay_tables(result), as_json)
    tell_left_out("the report's pictures are left out")
    tell_reports(written, report)
    return 0


@click.command(
    "adhoc",
    epilog="The partners: " + "; ".join(f"{game}: {', '.join(partners)}" for game, partners in HELD_OUT.items()) + ".",
)
@_options
@click.option("--partners", multiple=True, metavar="NAME", help="A partner beside those of the fixed set; may be repeated.")
def adhoc_command(
    game: GameSpec,
    policies: tuple[str, ...],
    against: tuple[str, ...],
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
    gets results.json, report.md and (with matplotlib) heatmap.png and keeps what is finished: the same command goes on
    where it was stopped.
    """
    rules = cli.rule_options(game, options)
    settings = adhoc_settings(
        game, policies, more_partners=partners, opponents=against, deals=deals, seed=seed, costs=costs, **rules
    )
    folder = out or Path("runs", f"adhoc-{game.name}")
    words = _words("adhoc", settings, rules, {"--partners": partners})
    to_go_on = shlex.join([*words, *option_words({"--out": out, "--report": report})])
    store = play_or_stop(settings, folder, workers, to_go_on)
    if store is None:
        return 128 + signal.SIGINT
    result = adhoc_results(store)
    written = write_crossplay(result, folder, shlex.join(words), report)
    print_result(result.as_dict(), lambda _: adhoc_tables(result), as_json)
    tell_left_out("the report's pictures are left out")
    tell_reports(written, report)
    return 0
