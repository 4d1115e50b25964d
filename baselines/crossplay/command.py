"""The commands ``cardenvs crossplay`` and ``cardenvs adhoc``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cardenvs import cli
from cardenvs.baselines.commands import against_option, command_words, engine_options
from cardenvs.baselines.crossplay.adhoc import adhoc_results
from cardenvs.baselines.crossplay.groups import parse_group, seed_groups
from cardenvs.baselines.crossplay.results import crossplay_results
from cardenvs.baselines.crossplay.settings import (
    OPPONENTS,
    PARTNERS,
    AdHocSettings,
    CrossSettings,
    adhoc_settings,
    crossplay_settings,
    no_partners,
)
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.runs.terminal import Session, play_and_report
from cardenvs.baselines.suites.results import suite_results
from cardenvs.baselines.suites.settings import suite_settings
from cardenvs.baselines.suites.suite import find_suite
from cardenvs.cli import OutFolder, Several, flat
from cardenvs.contract.registry import address
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


@dataclass(frozen=True)
class _Given:
    """The arguments and options of both commands, by the names of the parameters of `_options`."""

    game: GameSpec
    policies: tuple[str, ...]
    against: tuple[str, ...]
    deals: int
    costs: bool
    workers: int | None
    cluster: str | None
    out: Path | None
    report: Path | None
    options: tuple[tuple[str, str], ...]
    seed: int
    as_json: bool

    @property
    def rules(self) -> dict[str, Any]:
        """The rule options by name."""
        return cli.rule_options(self.game, self.options)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the play by name, as `crossplay_settings` takes them behind game and policies."""
        return {
            "opponents": self.against or None,
            "deals": self.deals,
            "seed": self.seed,
            "costs": self.costs,
            **self.rules,
        }

    def play(
        self,
        command: str,
        settings: CrossSettings,
        results: Callable[[PairingStore], Result],
        own: Mapping[str, tuple[str, ...]],
    ) -> int:
        """Plays and reports; returns the exit status."""
        given = {"--against": settings.opponents, **own, "--deals": settings.deals, "--costs": settings.costs}
        words = self.words(command, given, rules=self.rules, seed=settings.seed)
        return play_and_report(self.session(words, f"{command}-{name_in_path(settings.game)}"), settings, results)

    def words(self, command: str, given: Mapping[str, Any], **more: Any) -> list[str]:
        """The words of the command line that reports quote; ``given`` and ``more`` as `command_words` takes them."""
        return command_words(command, address(self.game), *self.policies, given=given, **more)

    def session(self, words: Sequence[str], folder: str) -> Session:
        """The run of a command line, in a folder within ``runs`` unless another was given."""
        out = self.out or Path("runs", folder)
        return Session(words, out, self.workers, self.cluster, self.report, as_json=self.as_json)


def _options(command: Callable[..., int]) -> Callable[..., int]:
    """The arguments and options that both commands share, under their help; the command takes them as one `_Given`."""

    @functools.wraps(command)
    def bundled(**values: Any) -> int:
        given = _Given(**{field.name: values.pop(field.name) for field in fields(_Given)})
        return command(given, **values)

    for decorate in (
        cli.json_option,
        cli.seed_option,
        cli.rule_option,
        cli.report_option,
        click.option("--out", type=OutFolder(), help="Folder for results; a stopped run goes on there. [runs/...]"),
        engine_options("play"),
        click.option("--costs", is_flag=True, help="Also compute what taking from the partner costs; slow in Whist."),
        click.option(
            "--deals",
            type=click.IntRange(min=1),
            default=1000,
            show_default=True,
            help="Deals of each partnership against each opponent in each order of its seats, each on every side.",
        ),
        against_option(
            "An opponent of all partnerships, a policy or a mixed side; may be repeated: results are means. "
            f"[{', '.join(OPPONENTS)}]",
        ),
        click.argument("policies", nargs=-1, required=True, metavar="POLICY...", type=Several(), callback=flat),
        click.argument("game", type=_TeamGameType()),
    ):
        bundled = decorate(bundled)
    return bundled


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
def crossplay_command(given: _Given, groups: tuple[str, ...]) -> int:
    """Play every POLICY with every other as its partner against fixed opponents.

    Policies are names with parameters (pimc:worlds=30) or files. The matrix of points a deal, the gap between self-play and
    cross-play and the best partners go to results.json, report.md and (with matplotlib) heatmap.png in the folder, which
    keeps what is finished: the same command goes on where it was stopped.
    """
    settings = crossplay_settings(given.game, given.policies, **given.settings)
    chosen: dict[str, list[str]] = {}
    for text in groups:
        name, members = parse_group(text, given.policies)
        if name in chosen:
            raise ValueError(f"the group {name!r} is given twice")
        chosen[name] = members
    results = functools.partial(crossplay_results, groups=chosen or seed_groups(given.policies))
    return given.play("crossplay", settings, results, {"--group": groups})


@click.command(
    "adhoc",
    epilog=f"Games with a fixed set, which the report names: {', '.join(PARTNERS.names())}.",
)
@_options
@click.option(
    "--partners", "more_partners", multiple=True, metavar="NAME", type=Several(), callback=flat,
    help="A partner beside those of the fixed set; may be repeated, a,b are two.",
)  # fmt: skip
@click.option(
    "--suite", metavar="NUMBER|FILE",
    help="Frozen partners, with scores as shares of the best that was found with each: the number of a suite that ships, "
    "or a file of `cardenvs suite`.",
)  # fmt: skip
def adhoc_command(given: _Given, more_partners: tuple[str, ...], suite: str | None) -> int:
    """Score each POLICY by how it plays with partners it does not know.

    The score is the mean of points a deal over a fixed set of partners, in both seats, against fixed opponents. The folder
    gets results.json, report.md and (with matplotlib) heatmap.png and keeps what is finished: the same command goes on
    where it was stopped.
    """
    if suite is not None:
        return _play_suite(given, suite)
    settings = adhoc_settings(given.game, given.policies, more_partners=more_partners, **given.settings)
    return given.play("adhoc", settings, adhoc_results, {"--partners": more_partners})


_OF_SUITE = {"against": "--against", "more_partners": "--partners", "options": "-o", "seed": "--seed"}
"""The options that cannot be given with a suite, by the names of their parameters."""


def _play_suite(given: _Given, name: str) -> int:
    """Plays a suite, by number or file, and reports; returns the exit status."""

    def typed(parameter: str) -> bool:
        """Whether an option stands in the command line."""
        return click.get_current_context().get_parameter_source(parameter) is ParameterSource.COMMANDLINE

    for parameter, option in _OF_SUITE.items():
        if typed(parameter):
            raise ValueError(f"{option} cannot be given with --suite, which says who plays what with whom")
    suite = find_suite(given.game, name)
    deals = given.deals if typed("deals") else None
    settings = suite_settings(suite, given.policies, deals=deals, costs=given.costs)
    words = given.words("adhoc", {"--suite": name, "--deals": deals, "--costs": given.costs})
    folder = f"adhoc-{name_in_path(given.game.name)}-suite-{Path(name).stem}"
    return play_and_report(given.session(words, folder), settings, suite_results)
