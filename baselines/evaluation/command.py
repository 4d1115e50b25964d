"""The command ``cardenvs evaluate``."""

from __future__ import annotations

import shlex

import click
from rich.console import Console

from cardenvs import cli, policy
from cardenvs.baselines.evaluation.evaluate import (
    Evaluation,
    check_against_itself,
    evaluate_against,
    has_bidding,
    is_slow,
    standard_calls,
)
from cardenvs.baselines.evaluation.report import control_lines, markdown, self_check_lines, tables
from cardenvs.baselines.match.command import PUBLISHED_GAMES
from cardenvs.baselines.match.play import PROTOCOLS, Side, published_options
from cardenvs.baselines.observers.control import CONTROLS, check_control
from cardenvs.files import write_whole
from cardenvs.spec import GameSpec, show

DEALS, SLOW_DEALS = 1000, 200
"""Deals of a match, and where one of its policies searches."""
MOST_DEALS, MOST_SLOW_DEALS = 100_000, 2000
"""The most with --precision."""


def _number(given: int | None, protocol: str, precision: float | None, slow: bool) -> int:
    """How many deals (games) a match has at most."""
    if given is not None:
        return given
    if precision is not None:
        return MOST_SLOW_DEALS if slow else MOST_DEALS
    if slow:
        return SLOW_DEALS
    return DEALS if protocol == "duplicate" else PUBLISHED_GAMES


@click.command("evaluate")
@cli.game_argument
@click.argument("policy_name", metavar="POLICY")
@click.option("--against", multiple=True, metavar="NAME", help="Only against this opponent; may be repeated.")
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    help="Deals to play twice (published: games); the most, with --precision. "
    f"[{DEALS}; {SLOW_DEALS} where a policy searches; with --precision {MOST_DEALS} and {MOST_SLOW_DEALS}]",
)
@click.option("--games", type=click.IntRange(min=1), help=f"Games of the published protocol. [{PUBLISHED_GAMES}]")
@click.option(
    "--precision",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="End a match when the 95% interval of its points is at most ±X.",
)
@click.option("--protocol", type=click.Choice(PROTOCOLS), default=PROTOCOLS[0], show_default=True, help="How to play.")
@click.option(
    "--control",
    type=click.Choice(CONTROLS),
    help="Take the deals' double-dummy value out of the results: Euchre, published protocol.",
)
@click.option("--self-check/--no-self-check", default=True, help="Also play POLICY against itself: it must score 0. [on]")
@click.option(
    "--cooperation/--no-cooperation", default=None, help="Count how partners take from each other. [on in duplicate play]"
)
@click.option("--markdown", "report", type=click.Path(dir_okay=False), help="Also write a report to this file.")
@cli.rule_option
@cli.seed_option
@cli.json_option
def evaluate_command(
    game: GameSpec,
    policy_name: str,
    against: tuple[str, ...],
    deals: int | None,
    games: int | None,
    precision: float | None,
    protocol: str,
    control: str | None,
    self_check: bool,
    cooperation: bool | None,
    report: str | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> None:
    """Play POLICY, a name or a file, against every named baseline of the game.

    Duplicate deals with 95% intervals; in team games also how partners cooperate, in full Euchre how they bid. POLICY
    against itself must score 0, which is checked.
    """
    if games is not None and protocol != "published":
        raise click.UsageError("--games goes with --protocol published; in duplicate play give --deals")
    if games is not None and deals is not None:
        raise click.UsageError("--deals and --games cannot both be given")
    given = deals or games
    rules = cli.rule_options(game, options)
    check_control(control, game, protocol)
    codes = game.option_codes(published_options(game, rules) if protocol == "published" else rules)
    player = Side(game, policy_name)
    opponents = [Side(game, name) for name in against or policy.names(game) if name != policy_name]
    numbers = [_number(given, protocol, precision, is_slow(player) or is_slow(side)) for side in opponents]
    partners = protocol == "duplicate" if cooperation is None else cooperation
    results = []
    for opponent, number in zip(opponents, numbers, strict=True):
        with cli.counting(f"{policy_name} - {opponent.name}", number) as count:
            result = evaluate_against(
                game, player, opponent, deals=number, seed=seed, protocol=protocol, precision=precision,
                cooperation=partners, control=control, progress=count, **rules,
            )  # fmt: skip
        results.append(result)
    check = standard = None
    if self_check:
        number = min(given or DEALS, SLOW_DEALS if is_slow(player) else DEALS)
        with cli.counting(f"{policy_name} - itself", number) as count:
            check = check_against_itself(game, player, deals=number, seed=seed, protocol=protocol, progress=count, **rules)
    if results and has_bidding(game, protocol, rules):
        number = min(given or DEALS, DEALS)
        with cli.counting("the standard caller", number) as count:
            standard = standard_calls(game, deals=number, seed=seed, progress=count, **rules)
    found = Evaluation(
        game=game.name,
        policy=policy_name,
        protocol=protocol,
        options={o.name: o.decode(codes[o.name]) for o in game.options},
        seed=seed,
        precision=precision,
        results=results,
        standard_caller=standard,
        self_check=check,
    )
    if report:
        words = ["cardenvs", "evaluate", game.name, policy_name]
        words += [word for name in against for word in ("--against", name)]
        words += ["--deals", str(deals)] if deals else []
        words += ["--games", str(games)] if games else []
        words += ["--precision", f"{precision:g}"] if precision else []
        words += ["--protocol", protocol] if protocol != PROTOCOLS[0] else []
        words += ["--control", control] if control else []
        words += [] if self_check else ["--no-self-check"]
        words += [] if cooperation is None else ["--cooperation" if cooperation else "--no-cooperation"]
        words += [word for name in rules for word in ("-o", f"{name}={show(rules[name])}")]
        write_whole(report, markdown(found, shlex.join([*words, "--seed", str(seed)])))
    if as_json:
        cli.print_json(found.as_dict())
    else:
        console = Console()
        for table in tables(found, console.width):
            console.print(table)
        for line in (*control_lines(found), *self_check_lines(found)):
            console.print(line, markup=False, highlight=False)
    if check is not None and check.passed is False:
        cli.stderr.print(f"the self-check failed: {policy_name} does not score 0 against itself", highlight=False)
