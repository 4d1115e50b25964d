"""The command ``cardenvs suite``."""

from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.commands import against_option
from cardenvs.baselines.runs.terminal import STOPPED, Asked, study_options
from cardenvs.baselines.suites.making import make_suite, suite_making
from cardenvs.baselines.suites.suite import SUFFIX
from cardenvs.files import json_text, name_in_path, write_whole

_OWN = {
    "number": "--number", "partners": "--partners", "responses": "--response", "responses_for": "--response-for",
    "against": "--against", "deals": "--deals", "pool_deals": "--pool-deals", "response_deals": "--response-deals",
}  # fmt: skip
"""The options that command lines quote, by the names of their parameters."""


@click.command("suite")
@study_options(
    click.option("--number", type=click.IntRange(min=1), default=1, show_default=True, help="The suite's number."),
    click.option(
        "--partners", multiple=True, metavar="NAME", type=cli.Several(), callback=cli.flat,
        help="A partner; may be repeated, a,b are two. [the fixed set of adhoc]",
    ),
    click.option(
        "--response", "responses", multiple=True, metavar="NAME",
        help="A policy to try with each partner in addition to the pool; may be repeated. {partner} is replaced by the "
        "partner's name, {seat} by its seat's number.",
    ),
    click.option(
        "--response-for", "responses_for", nargs=2, multiple=True, metavar="PARTNER NAME",
        help="A response to one partner only, such as a policy trained with it; may be repeated.",
    ),
    against_option("An opponent of all partnerships; may be repeated: results are means. [those of adhoc]"),
    click.option("--deals", type=click.IntRange(min=2), default=1000, show_default=True, help="Deals of the suite."),
    click.option(
        "--pool-deals", type=click.IntRange(min=2), default=1000, show_default=True, help="Deals with each pool policy."
    ),
    click.option(
        "--response-deals", type=click.IntRange(min=2), default=100, show_default=True, help="Deals with each response."
    ),
    click.option("--file", type=cli.OutFile(make=True), help="The suite's file. [suite.json in the folder]"),
    out="Folder for results; a stopped run continues there. [runs/suite-GAME-NUMBER]",
)  # fmt: skip
def suite_command(asked: Asked, file: Path | None, **own: Any) -> int:
    """Freeze partners for `cardenvs adhoc GAME POLICY --suite FILE`, and measure the bound of each.

    The bound of a partner is the best score found with it, by the game's fast policies, including the partner itself, and
    by each --response and --response-for, such as search:blueprint={partner},seat={seat}. The folder keeps finished deals:
    after a stop, the same command continues.
    """
    given = {option: own[name] for name, option in _OWN.items()}
    alone: dict[str, list[str]] = {}
    for partner, name in own.pop("responses_for"):
        alone.setdefault(partner, []).append(name)
    opponents = own.pop("against") or None
    making = suite_making(asked.game, responses_for=alone, opponents=opponents, seed=asked.seed, **own, **asked.rules)
    session = asked.session("suite", given, f"suite-{name_in_path(asked.game.name)}-{making.number}")
    assert session.out is not None
    folder, file = session.out, file or session.out / f"suite{SUFFIX}"
    suite = make_suite(making, lambda settings, name: session.play(settings, folder / name), file.parent)
    if suite is None:
        return STOPPED
    write_whole(file, json_text(suite.as_dict()))
    session.hand_over(suite)
    return 0
