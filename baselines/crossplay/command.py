"""The commands ``cardenvs crossplay`` and ``cardenvs adhoc``."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cardenvs import cli
from cardenvs.baselines.commands import against_option
from cardenvs.baselines.crossplay import settings as plans
from cardenvs.baselines.crossplay.results import adhoc_results, crossplay_results
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.runs.terminal import Asked, play_and_report, study_options
from cardenvs.baselines.suites.scores import suite_results, suite_settings
from cardenvs.baselines.suites.suite import find_suite
from cardenvs.contract.spec import GameSpec
from cardenvs.files import name_in_path


def _check_partners(ctx: click.Context, param: click.Parameter, game: GameSpec) -> GameSpec:
    """A game without partners is a usage error, whatever else is given or missing."""
    if not game.team:
        kind = plans.AdHocSettings if ctx.info_name == "adhoc" else plans.CrossSettings
        raise click.BadParameter(plans.no_partners(game, kind), ctx, param)
    return game


_options = functools.partial(
    study_options,
    click.argument("policies", nargs=-1, required=True, metavar="POLICY...", type=cli.Several(), callback=cli.flat),
    against_option(
        "An opponent of all partnerships, a policy or a mixed side; may be repeated: results are means. "
        f"[{', '.join(plans.OPPONENTS)}]",
    ),
    click.option(
        "--deals", type=click.IntRange(min=1), default=1000, show_default=True,
        help="Deals of each partnership in each order of its seats against each opponent, each played on every side.",
    ),
    click.option("--costs", is_flag=True, help="Also compute the cost of tricks taken from the partner; slow in Whist."),
    game=click.argument("game", type=cli.GameType(), callback=_check_partners),
    out="Folder for results; a stopped run continues there. [runs/...]",
)  # fmt: skip


def _play(
    name: str, asked: Asked, plan: plans.CrossSettings, results: Callable[[PairingStore], Row], own: dict[str, Any]
) -> int:
    """Plays and reports; ``own`` are options that the command alone has. Returns the exit status."""
    given = {"--against": plan.opponents, **own, "--deals": plan.deals, "--costs": plan.costs}
    return play_and_report(asked.session(name, given, f"{name}-{name_in_path(plan.game)}"), plan, results)


@click.command("crossplay")
@_options(
    click.option(
        "--group", "groups", multiple=True, metavar="NAME=POLICY,POLICY",
        help="Policies of one recipe, for the gap over its training seeds; may be repeated. [files that differ in the "
        "number behind 'seed' only]",
    ),
)  # fmt: skip
def crossplay_command(asked: Asked, against: tuple[str, ...], deals: int, costs: bool, groups: tuple[str, ...]) -> int:
    """Play every POLICY with every other as its partner against fixed opponents.

    Policies are names with parameters (pimc:worlds=30) or files. The matrix of points a deal, the gap between self-play and
    cross-play and the best partners go to results.json, report.md and (with matplotlib) heatmap.png in the folder. It
    also keeps finished deals: after a stop, the same command continues.
    """
    plan = plans.crossplay_settings(
        asked.game, asked.policies, opponents=against or None, deals=deals, seed=asked.seed, costs=costs, **asked.rules
    )
    chosen: dict[str, list[str]] = {}
    for text in groups:
        name, members = plans.parse_group(text, asked.policies)
        if name in chosen:
            raise ValueError(f"the group {name!r} is given twice")
        chosen[name] = members
    results = functools.partial(crossplay_results, groups=chosen or None)
    return _play("crossplay", asked, plan, results, {"--group": groups})


@click.command(
    "adhoc",
    epilog=f"Games with a fixed set, which the report names: {', '.join(plans.PARTNERS.names())}.",
)
@_options(
    click.option(
        "--partners", "more_partners", multiple=True, metavar="NAME", type=cli.Several(), callback=cli.flat,
        help="A partner in addition to the fixed set; may be repeated, a,b are two.",
    ),
    click.option(
        "--suite", metavar="NUMBER|FILE",
        help="Frozen partners, and scores as shares of the best known score with each: the number of a shipped "
        "suite, or a file of `cardenvs suite`.",
    ),
)  # fmt: skip
def adhoc_command(
    asked: Asked, against: tuple[str, ...], deals: int, costs: bool, more_partners: tuple[str, ...], suite: str | None
) -> int:
    """Score each POLICY by its play with unknown partners.

    The score is the mean of points a deal over a fixed set of partners, in both seats, against fixed opponents. The folder
    gets results.json, report.md and (with matplotlib) heatmap.png, and keeps finished deals: after a stop, the same
    command continues.
    """
    if suite is not None:
        return _play_suite(asked, suite, deals, costs)
    plan = plans.adhoc_settings(
        asked.game, asked.policies, more_partners=more_partners, opponents=against or None, deals=deals, seed=asked.seed,
        costs=costs, **asked.rules,
    )  # fmt: skip
    return _play("adhoc", asked, plan, adhoc_results, {"--partners": more_partners})


def _play_suite(asked: Asked, name: str, deals: int, costs: bool) -> int:
    """Plays a suite, by number or file, and reports; returns the exit status."""
    source = click.get_current_context().get_parameter_source
    theirs = {"against": "--against", "more_partners": "--partners", "options": "-o", "seed": "--seed"}
    for parameter, option in theirs.items():
        if source(parameter) is ParameterSource.COMMANDLINE:
            raise ValueError(f"{option} cannot be given with --suite, which says who plays what with whom")
    typed_deals = deals if source("deals") is ParameterSource.COMMANDLINE else None
    plan = suite_settings(find_suite(asked.game, name), asked.policies, deals=typed_deals, costs=costs)
    given = {"--suite": name, "--deals": typed_deals, "--costs": costs}
    folder = f"adhoc-{name_in_path(asked.game.name)}-suite-{Path(name).stem}"
    return play_and_report(asked.session("adhoc", given, folder, rules=None), plan, suite_results)
