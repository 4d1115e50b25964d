"""The command ``cardenvs experiment team-share``; needs the extra ``[train]``."""

import functools
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.commands import against_option, command_words, engine_options
from cardenvs.baselines.crossplay import OPPONENTS
from cardenvs.baselines.runs.terminal import Session
from cardenvs.checks import did_you_mean
from cardenvs.cli import OutFolder, Several, flat
from cardenvs.train.config import Config, parse_setting
from cardenvs.train.sweep.play import train_and_report
from cardenvs.train.sweep.settings import Measure
from cardenvs.train.sweep.team_share import FIXED, measure_all, team_share_sweep

BIDDINGS = ("forced-spades", "full")  # variants of Euchre, values of its rule option ``bidding``
SHARES = (0.0, 0.5, 1.0)  # values of ``team_share`` by default


class _SettingType(click.ParamType):
    """A training setting as ``name=value``, in the words of ``cardenvs train --set``."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """The name and the value; a value that cannot be read stays text, which `Config` refuses."""
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not name=value", param, ctx)
        key = key.replace("-", "_")
        try:
            return key, parse_setting(key, text)
        except ValueError:
            return key, text


@click.group("experiment", cls=cli.PageGroup)
def experiment_command() -> None:
    """Train and measure policies to answer one question."""


@experiment_command.command("team-share")
@click.option(
    "--bidding", "biddings", multiple=True, type=Several(click.Choice(BIDDINGS)), callback=flat,
    default=BIDDINGS, show_default=True,
    help="A variant of Euchre (rule option bidding); may be repeated.",
)  # fmt: skip
@click.option(
    "--share", "shares", multiple=True, type=Several(click.FLOAT), callback=flat, default=SHARES, show_default=True,
    help="A value of team_share; may be repeated.",
)  # fmt: skip
@click.option(
    "--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Training seeds of each share, from 0 on."
)
@click.option("--steps", type=click.IntRange(min=1), help="Moves to train each policy on. [3000000]")
@click.option(
    "--train", "training", multiple=True, type=_SettingType(),
    help="A training setting, such as net=256,128 or lr=0.001, as `cardenvs train` names it; may be repeated.",
)  # fmt: skip
@against_option(
    "An opponent of all partnerships, a policy or a mixed side; may be repeated: results are means.",
    default=OPPONENTS,
    show_default=True,
)
@click.option(
    "--deals", type=click.IntRange(min=1), default=2000, show_default=True,
    help="Deals of each partnership in each order of its seats, each played twice.",
)  # fmt: skip
@engine_options("train and measure", begins_here=True)
@click.option(
    "--out", type=OutFolder(), default=Path("runs", "team-share"), show_default=True,
    help="Folder of the experiment; a stopped one continues there.",
)  # fmt: skip
@cli.report_option
@cli.seed_option
@cli.json_option
def team_share_command(
    biddings: tuple[str, ...],
    shares: tuple[float, ...],
    seeds: int,
    steps: int | None,
    training: tuple[tuple[str, Any], ...],
    against: tuple[str, ...],
    deals: int,
    workers: int | None,
    cluster: str | None,
    out: Path,
    report: Path | None,
    seed: int,
    as_json: bool,
) -> int:
    """Train Euchre policies with team_share 0, 0.5 and 1, and compare their play together.

    Trains every share with every training seed, then measures all against the same opponents and as each other's partners.
    The folder gets results.json, report.md and (with matplotlib) team_share.png, and keeps finished parts: after a stop,
    the same command continues. --seed is the seed of the measured deals.
    """
    given = [*([("steps", steps)] if steps is not None else []), *training]
    settings = dict(given)
    if len(settings) < len(given):
        raise ValueError("a training setting is given twice")
    allowed = [field.name for field in fields(Config) if field.name not in FIXED]
    for name in settings:
        if name not in allowed:
            meant = did_you_mean(name, allowed)
            raise ValueError(f"unknown training setting {name!r}: the settings are {', '.join(allowed)}{meant}")
    if settings.get("steps", 1) is None:
        raise ValueError("steps must be an int of at least 1, not None: all runs have the same budget")
    sweep = team_share_sweep(biddings, shares, range(seeds), settings, Measure(against, deals, seed))
    asked = {
        "--bidding": biddings,
        "--share": [f"{share:g}" for share in shares],
        "--seeds": seeds,
        "--train": [f"{name}={_setting_text(value)}" for name, value in settings.items()],
        "--against": against,
        "--deals": deals,
    }
    words = command_words("experiment", "team-share", given=asked, seed=seed)
    session = Session(words, out, workers, cluster, report, as_json=as_json)
    return train_and_report(session, sweep, functools.partial(measure_all, sweep))


def _setting_text(value: Any) -> str:
    """A setting's value as `_SettingType` reads it."""
    return ",".join(map(_setting_text, value)) if isinstance(value, (tuple, list)) else str(value).lower()
