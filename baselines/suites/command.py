"""The command ``cardenvs suite``."""

from __future__ import annotations

from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import against_option, command_words, engine_options
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.runs.terminal import STOPPED, Session
from cardenvs.baselines.suites.making import ResponseSettings, make_suite, suite_making
from cardenvs.baselines.suites.suite import SUFFIX
from cardenvs.cli import OutFile, OutFolder, Several, flat
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.files import json_text, name_in_path, write_whole


class _Stopped(Exception):
    """Playing was interrupted, which has been said."""


@click.command("suite")
@cli.game_argument
@click.option("--number", type=click.IntRange(min=1), default=1, show_default=True, help="The suite's number.")
@click.option(
    "--partners",
    multiple=True,
    metavar="NAME",
    type=Several(),
    callback=flat,
    help="A partner; may be repeated, a,b are two. [the fixed set of adhoc]",
)
@click.option(
    "--response",
    "responses",
    multiple=True,
    metavar="NAME",
    help="A policy to be tried with each partner beside the pool; may be repeated. {partner} in it is the partner's name, "
    "{seat} its seat's number.",
)
@click.option(
    "--response-for",
    "responses_for",
    nargs=2,
    multiple=True,
    metavar="PARTNER NAME",
    help="A response to one of the partners alone, such as one that was trained with it; may be repeated.",
)
@against_option("An opponent of all partnerships; may be repeated: results are means. [as of adhoc]")
@click.option("--deals", type=click.IntRange(min=2), default=1000, show_default=True, help="Deals of the suite.")
@click.option(
    "--pool-deals", type=click.IntRange(min=2), default=1000, show_default=True, help="Deals with each of the pool."
)
@click.option(
    "--response-deals", type=click.IntRange(min=2), default=100, show_default=True, help="Deals with each response."
)
@click.option("--file", type=OutFile(make=True), help="The suite's file. [suite.json in the folder]")
@click.option("--out", type=OutFolder(), help="Folder for results; a stopped run goes on there. [runs/suite-GAME-NUMBER]")
@engine_options("play")
@cli.report_option
@cli.rule_option
@cli.seed_option
@cli.json_option
def suite_command(
    game: GameSpec,
    number: int,
    partners: tuple[str, ...],
    responses: tuple[str, ...],
    responses_for: tuple[tuple[str, str], ...],
    against: tuple[str, ...],
    deals: int,
    pool_deals: int,
    response_deals: int,
    file: Path | None,
    out: Path | None,
    workers: int | None,
    cluster: str | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Freeze partners for `cardenvs adhoc GAME POLICY --suite FILE`, and measure the bound of each.

    The bound of a partner is the best that is found with it: by the game's fast policies, itself among them, and by each
    --response and --response-for, such as search:blueprint={partner},seat={seat}. The folder keeps what is finished: the
    same command goes on where it was stopped.
    """
    rules = cli.rule_options(game, options)
    alone: dict[str, list[str]] = {}
    for partner, name in responses_for:
        alone.setdefault(partner, []).append(name)
    making = suite_making(
        game, number, partners=partners, responses=responses, responses_for=alone, opponents=against or None,
        deals=deals, pool_deals=pool_deals, response_deals=response_deals, seed=seed, **rules,
    )  # fmt: skip
    given = {
        "--number": number, "--partners": partners, "--response": responses, "--response-for": responses_for,
        "--against": against, "--deals": deals, "--pool-deals": pool_deals, "--response-deals": response_deals,
    }  # fmt: skip
    words = command_words("suite", address(game), given=given, rules=rules, seed=seed)
    folder = out or Path("runs", f"suite-{name_in_path(game.name)}-{number}")
    file = file or folder / f"suite{SUFFIX}"
    session = Session(words, folder, workers, cluster, report, as_json=as_json)

    def play(settings: ResponseSettings, name: str) -> PairingStore:
        """Plays what is missing in a folder."""
        store = session.play(settings, folder / name)
        if store is None:
            raise _Stopped
        return store

    try:
        suite = make_suite(making, play, file.parent)
    except _Stopped:
        return STOPPED
    write_whole(file, json_text(suite.as_dict()))
    session.hand_over(suite)
    return 0
