"""The command ``cardenvs match``."""

import shlex
from pathlib import Path

import click

from cardenvs import cli
from cardenvs.baselines.commands import command_words
from cardenvs.baselines.match.options import deals_options, given_deals
from cardenvs.baselines.match.play import Observers, play_match, sides_of
from cardenvs.baselines.match.protocols import PUBLISHED_GAMES
from cardenvs.baselines.match.recording import Recorder
from cardenvs.baselines.observers.cooperation import CooperationObserver
from cardenvs.baselines.runs.terminal import Session
from cardenvs.cli import OutFile
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import remark

DEALS = 1000  # number of deals of a match unless ``--deals`` is given


@click.command("match")
@cli.game_argument
@click.argument("first")
@click.argument("second", required=False)
@click.option(
    "--cooperation", is_flag=True, help="Also count how often partners take tricks from each other (trick games)."
)
@click.option(
    "--record",
    type=OutFile(),
    help="After the match, write all deals to this file, one a line, for `cardenvs review`.",
)
@deals_options(f"Deals to play with FIRST on every side: with two sides twice (published: games). [{DEALS}]")
@cli.rule_option
@cli.seed_option
@cli.json_option
def match_command(
    game: GameSpec,
    first: str,
    second: str | None,
    cooperation: bool,
    record: Path | None,
    deals: int | None,
    games: int | None,
    protocol: str,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Play FIRST against SECOND: policies by name or file; mixed sides as one+other.

    In a game of more than two sides FIRST plays each side in turn, and SECOND all others. In a game of one side FIRST is a
    team, and SECOND, if given, another team that plays the same deals.

    If a program forfeits, the deals finished before are reported, and the exit status is 3.
    """
    number = given_deals(deals, games, protocol) or (DEALS if protocol == "duplicate" else PUBLISHED_GAMES)
    rules = cli.rule_options(game, options)
    sides = sides_of(game, first, second)
    observers = Observers()
    if cooperation:
        observers["cooperation"] = CooperationObserver(game)
    if record is not None:
        observers["record"] = Recorder(game, sides)
    names = [name for name in (first, second) if name is not None]
    with cli.progress_bar(" - ".join(names), number) as count:
        result = play_match(
            game, *sides, deals=number, seed=seed, protocol=protocol, progress=count,
            observer=observers or None, **rules,
        )  # fmt: skip
    if cooperation:
        result = result.but(cooperation=observers["cooperation"].result())
    given = {"--deals": number, "--protocol": protocol}
    words = command_words("match", address(game), *names, given=given, rules=rules, seed=seed)
    if record is not None:
        observers["record"].write(record, shlex.join(words))
        cli.stderr.print(f"record: {record}", soft_wrap=True)
    Session(words, out=None, as_json=as_json).hand_over(result)
    if result.forfeit is None:
        return 0
    remark(f"cardenvs: {result.forfeit.told(result.units, result.unit)}")
    return cli.FORFEITED
