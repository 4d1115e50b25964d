"""The command ``cardenvs ceiling``."""

from pathlib import Path
from typing import Any

import click

from cardenvs import cli
from cardenvs.baselines.ceiling.measure import DEALS, EFFECT, measure, measure_team
from cardenvs.baselines.commands import command_words
from cardenvs.baselines.runs.terminal import Session
from cardenvs.baselines.search.any_game.open_hands import POSITIONS
from cardenvs.cli import FiniteRange, Several, flat
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec

POLICIES, TEAM_POLICIES = ("coop-high-low", "pimc", "learned"), ("random",)
"""The policies whose ceiling is measured unless some are named, and those of a game of one side."""


@click.command("ceiling")
@cli.game_argument
@click.argument("policies", metavar="[POLICY]...", nargs=-1, type=Several(), callback=flat)
@click.option(
    "--deals", type=click.IntRange(min=2), default=DEALS, show_default=True,
    help="Duplicate deals; in a game of one side, deals.",
)  # fmt: skip
@click.option(
    "--best-response/--no-best-response", default=None,
    help="Search for the most that any player could win from each policy (Euchre; asks the policy often). [on]",
)  # fmt: skip
@click.option(
    "--open-cards", type=click.IntRange(1, 13), metavar="N",
    help="Whist: open the cards with N cards a hand. [13; 10 without the extra dds]",
)  # fmt: skip
@click.option(
    "--effect", type=FiniteRange(min=0, min_open=True), default=EFFECT, show_default=True,
    help="The effect, in points a deal, for which the number of games needed is reported.",
)  # fmt: skip
@click.option(
    "--positions", type=click.IntRange(min=1), metavar="N",
    help=f"In a game of one side, number of positions after which the search of a deal stops. [{POSITIONS}]",
)  # fmt: skip
@cli.report_option
@cli.rule_option
@cli.seed_option
@cli.json_option
def ceiling_command(
    game: GameSpec,
    policies: tuple[str, ...],
    deals: int,
    best_response: bool | None,
    open_cards: int | None,
    effect: float,
    positions: int | None,
    report: Path | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Measure how much can be won at most from each POLICY in Euchre or Whist, and how much of a result is luck.

    A side that sees all cards plays against the policies; in Euchre a search finds the most that any player could win
    from them; and they play each other and themselves, all in the same duplicate deals. [coop-high-low, pimc and learned]

    In a game of one side: the score of each POLICY as a team, and the best possible score in the same deals with all hands
    open, by a complete search, for games with few lines of play. [random]
    """
    rules = cli.rule_options(game, options)
    given = {
        "--deals": deals,
        "--best-response": best_response is True,
        "--no-best-response": best_response is False,
        "--open-cards": open_cards,
        "--effect": f"{effect:g}" if effect != EFFECT else None,
        "--positions": positions,
    }
    others = ("--best-response", "--no-best-response", "--open-cards", "--effect") if game.one_sided else ("--positions",)
    for name in others:
        if given[name]:
            raise click.UsageError(
                f"{name} is for games of {'several sides' if game.one_sided else 'one side'}, not {game.name}"
            )
    with cli.progress_bar("open cards", 1.0, percent=True) as count:
        shared: dict[str, Any] = {"deals": deals, "seed": seed, "progress": count, **rules}
        if game.one_sided:
            result = measure_team(game, policies or TEAM_POLICIES, positions=positions or POSITIONS, **shared)
        else:
            result = measure(
                game, policies or POLICIES, best_response=best_response, open_cards=open_cards, effect=effect, **shared
            )
    words = command_words("ceiling", address(game), *policies, given=given, rules=rules, seed=seed)
    Session(words, out=None, report=report, as_json=as_json, figures_beside=False).hand_over(result)
    return 0
