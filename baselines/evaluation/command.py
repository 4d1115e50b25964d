"""The command ``cardenvs evaluate``."""

import shlex
from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.commands import against_option, command_words, engine_options, or_cores
from cardenvs.baselines.evaluation.play import evaluate
from cardenvs.baselines.evaluation.settings import DEALS, MOST_DEALS, MOST_SLOW_DEALS, SLOW_DEALS, has_bidding
from cardenvs.baselines.match.options import deals_options, given_deals
from cardenvs.baselines.match.protocols import PROTOCOLS
from cardenvs.baselines.observers.control import CONTROLS
from cardenvs.baselines.runs.terminal import Session
from cardenvs.cli import FiniteRange
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import remark


@click.command("evaluate")
@cli.game_argument
@click.argument("policy_name", metavar="POLICY")
@against_option("Play this opponent; may be repeated, a,b are two; all: every policy that needs no extra. [seven]")
@deals_options(
    "Deals to play on every side: with two sides twice (published: games); the most, with --precision. "
    f"[{DEALS}; {SLOW_DEALS} where a policy searches; with --precision {MOST_DEALS} and {MOST_SLOW_DEALS}]"
)
@click.option(
    "--precision",
    type=FiniteRange(min=0, min_open=True),
    metavar="X",
    help="End a match when the 95% interval of its points is at most ±X.",
)
@click.option(
    "--control",
    type=click.Choice(CONTROLS),
    help="Control variate that removes the luck of the deals from the results (Euchre, published protocol).",
)
@click.option("--self-check/--no-self-check", default=True, help="Also play POLICY against itself: it must score 0. [on]")
@click.option(
    "--cooperation/--no-cooperation",
    default=None,
    help="Count how often partners take tricks from each other. [on in duplicate play]",
)
@click.option("--bidding", is_flag=True, help="Also print how both sides bid (full Euchre, duplicate play).")
@engine_options("play")
@cli.report_option
@cli.rule_option
@cli.seed_option
@cli.json_option
def evaluate_command(
    game: GameSpec,
    policy_name: str,
    against: tuple[str, ...],
    deals: int | None,
    games: int | None,
    protocol: str,
    bidding: bool,
    workers: int | None,
    cluster: str | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
    **measured: Any,
) -> int:
    """Play POLICY, a name or a file, against the baselines of the game.

    In Whist, Euchre and Five-O these are seven policies, from random to the strongest; with --against all they are all
    policies. The matches use duplicate deals and have 95% intervals. --json and --report also describe cooperation in team
    games and bidding in full Euchre. POLICY must score 0 against itself, which is checked. If a program forfeits a match,
    the other matches are played, all finished deals are reported, and the exit status is 3. Processes that share cores
    make fewer decisions a second: use --workers 1 to measure speeds.
    """
    number = given_deals(deals, games, protocol)
    rules = cli.rule_options(game, options)
    if bidding and not has_bidding(game, protocol, rules):
        raise ValueError("--bidding is for Euchre with bidding=full in duplicate play: nobody bids otherwise")
    opponents = [name for name in against if name != policy_name] if against else None
    with cli.progress_bar(policy_name, 1.0, percent=True) as count:
        evaluation = evaluate(
            game, policy_name, opponents, deals=number, seed=seed, protocol=protocol, progress=count,
            workers=or_cores(workers, cluster), cluster=cluster, **measured, **rules,
        )  # fmt: skip
    precision, cooperation = measured["precision"], measured["cooperation"]
    given = {
        "--against": against,
        "--deals": deals,
        "--games": games,
        "--precision": f"{precision:g}" if precision else None,
        "--protocol": protocol if protocol != PROTOCOLS[0] else None,
        "--control": measured["control"],
        "--no-self-check": not measured["self_check"],
        "--cooperation": cooperation is True,
        "--no-cooperation": cooperation is False,
    }
    words = command_words("evaluate", address(game), policy_name, given=given, rules=rules, seed=seed)
    document = evaluation.document(shlex.join(words), bidding=bidding)
    Session(words, out=None, report=report, as_json=as_json, figures_beside=False).hand_over(evaluation, document)
    if evaluation.self_check is not None and evaluation.self_check.passed is False:
        cli.stderr.print(f"the self-check failed: {policy_name} does not score 0 against itself")
    if not evaluation.forfeits:
        return 0
    remark("cardenvs: forfeited: " + ", ".join(f"the match against {one.against}" for one in evaluation.forfeits))
    return cli.FORFEITED
