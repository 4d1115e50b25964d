"""The commands ``cardenvs crossplay`` and ``cardenvs adhoc``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cardenvs import cli
from cardenvs.baselines.commands import against_option
from cardenvs.baselines.crossplay.groups import parse_group, seed_groups
from cardenvs.baselines.crossplay.results import adhoc_results, crossplay_results
from cardenvs.baselines.crossplay.settings import (
    OPPONENTS,
    PARTNERS,
    AdHocSettings,
    CrossSettings,
    adhoc_settings,
    crossplay_settings,
    no_partners,
)
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.runs.terminal import Asked, play_and_report, study_options
from cardenvs.baselines.suites.results import suite_results
from cardenvs.baselines.suites.settings import suite_settings
from cardenvs.baselines.suites.suite import find_suite
from cardenvs.cli import Several, flat
from cardenvs.contract.spec import GameSpec
from cardenvs.files import name_in_path


class _TeamGameType(cli.GameType):
    """A game with partners, by name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> GameSpec:
        """The spec of the game; a game without partners is a usage error, whatever else is given or missing."""
        game = super().convert(value, param, ctx)
        if not game.team:
            kind = AdHocSettings if ctx is not None and ctx.info_name == "adhoc" else CrossSettings
            self.fail(no_partners(game, kind), param, ctx)
        return game


_options = functools.partial(
    study_options,
    click.argument("policies", nargs=-1, required=True, metavar="POLICY...", type=Several(), callback=flat),
    against_option(
        "An opponent of all partnerships, a policy or a mixed side; may be repeated: results are means. "
        f"[{', '.join(OPPONENTS)}]",
    ),
    click.option(
        "--deals", type=click.IntRange(min=1), default=1000, show_default=True,
        help="Deals of each partnership against each opponent in each order of its seats, each on every side.",
    ),
    click.option("--costs", is_flag=True, help="Also compute what taking from the partner costs; slow in Whist."),
    game=click.argument("game", type=_TeamGameType()),
    out="Folder for results; a stopped run goes on there. [runs/...]",
)  # fmt: skip


def _settings(asked: Asked, against: tuple[str, ...], deals: int, costs: bool) -> dict[str, Any]:
    """The settings of the play by name, as `crossplay_settings` takes them behind game and policies."""
    return {"opponents": against or None, "deals": deals, "seed": asked.seed, "costs": costs, **asked.rules}


def _play(
    name: str,
    asked: Asked,
    settings: CrossSettings,
    results: Callable[[PairingStore], Row],
    own: Mapping[str, tuple[str, ...]],
) -> int:
    """Plays and reports; returns the exit status."""
    given = {"--against": settings.opponents, **own, "--deals": settings.deals, "--costs": settings.costs}
    return play_and_report(asked.session(name, given, f"{name}-{name_in_path(settings.game)}"), settings, results)


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
    cross-play and the best partners go to results.json, report.md and (with matplotlib) heatmap.png in the folder, which
    keeps what is finished: the same command goes on where it was stopped.
    """
    settings = crossplay_settings(asked.game, asked.policies, **_settings(asked, against, deals, costs))
    chosen: dict[str, list[str]] = {}
    for text in groups:
        name, members = parse_group(text, asked.policies)
        if name in chosen:
            raise ValueError(f"the group {name!r} is given twice")
        chosen[name] = members
    results = functools.partial(crossplay_results, groups=chosen or seed_groups(asked.policies))
    return _play("crossplay", asked, settings, results, {"--group": groups})


@click.command(
    "adhoc",
    epilog=f"Games with a fixed set, which the report names: {', '.join(PARTNERS.names())}.",
)
@_options(
    click.option(
        "--partners", "more_partners", multiple=True, metavar="NAME", type=Several(), callback=flat,
        help="A partner beside those of the fixed set; may be repeated, a,b are two.",
    ),
    click.option(
        "--suite", metavar="NUMBER|FILE",
        help="Frozen partners, with scores as shares of the best that was found with each: the number of a suite that "
        "ships, or a file of `cardenvs suite`.",
    ),
)  # fmt: skip
def adhoc_command(
    asked: Asked, against: tuple[str, ...], deals: int, costs: bool, more_partners: tuple[str, ...], suite: str | None
) -> int:
    """Score each POLICY by how it plays with partners it does not know.

    The score is the mean of points a deal over a fixed set of partners, in both seats, against fixed opponents. The folder
    gets results.json, report.md and (with matplotlib) heatmap.png and keeps what is finished: the same command goes on
    where it was stopped.
    """
    if suite is not None:
        return _play_suite(asked, suite, deals, costs)
    chosen = _settings(asked, against, deals, costs)
    settings = adhoc_settings(asked.game, asked.policies, more_partners=more_partners, **chosen)
    return _play("adhoc", asked, settings, adhoc_results, {"--partners": more_partners})


_OF_SUITE = {"against": "--against", "more_partners": "--partners", "options": "-o", "seed": "--seed"}
"""The options that cannot be given with a suite, by the names of their parameters."""


def _play_suite(asked: Asked, name: str, deals: int, costs: bool) -> int:
    """Plays a suite, by number or file, and reports; returns the exit status."""

    def typed(parameter: str) -> bool:
        """Whether an option stands in the command line."""
        return click.get_current_context().get_parameter_source(parameter) is ParameterSource.COMMANDLINE

    for parameter, option in _OF_SUITE.items():
        if typed(parameter):
            raise ValueError(f"{option} cannot be given with --suite, which says who plays what with whom")
    suite, typed_deals = find_suite(asked.game, name), deals if typed("deals") else None
    settings = suite_settings(suite, asked.policies, deals=typed_deals, costs=costs)
    given = {"--suite": name, "--deals": typed_deals, "--costs": costs}
    folder = f"adhoc-{name_in_path(asked.game.name)}-suite-{Path(name).stem}"
    return play_and_report(asked.session("adhoc", given, folder, rules=None), settings, suite_results)
