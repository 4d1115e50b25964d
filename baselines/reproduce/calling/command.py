"""The command ``cardenvs reproduce calling``."""

from collections.abc import Callable
from typing import Any

import click

from cardenvs import policy
from cardenvs.baselines.heuristics.calling import CALLERS
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reproduce.calling.measure import GAMES, PAIRINGS, Reproduction, break_even, play_callers
from cardenvs.baselines.reproduce.options import Asked, reproduction_options
from cardenvs.cli import Several, flat

_NAMES: dict[str, Any] = {"multiple": True, "type": Several(), "callback": flat, "metavar": "POLICY"}


@click.command("calling")
@reproduction_options(
    click.option("--deals", type=click.IntRange(min=2), default=20_000, show_default=True, help="Deals of each pairing."),
    click.option(
        "--plays", **_NAMES, default=("coop-high-low", "hybrid"), show_default=True,
        help="Policy that plays the cards on both sides; may be repeated, a,b are two.",
    ),
    click.option(
        "--caller", "callers", **_NAMES,
        help="Also compare this policy's calls with the standard caller's; may be repeated, a,b are two.",
    ),
)  # fmt: skip
def calling_command(asked: Asked, deals: int, plays: tuple[str, ...], callers: tuple[str, ...]) -> int:
    """The value of calling methods in full Euchre, with the same card play.

    No paper gives figures for full Euchre; these are the project's own.
    """
    for name in (*plays, *callers):
        if name not in CALLERS:
            policy.make("euchre", name)  # an unknown policy is an error before anything is played
    pairs = (*PAIRINGS, *(("standard", caller) for caller in callers))

    def play(count: Callable[[int], None]) -> Row:
        result = Reproduction(asked.seed, [], [], [])
        for name in plays:
            pairings, games = play_callers(name, pairs, GAMES, deals, asked.seed, count, **asked.engine)
            result.pairings.extend(pairings)
            result.games.extend(games)
            result.break_even.extend(filter(None, [break_even(name, 10 * deals, asked.seed)]))
        return result

    return asked.reproduce(
        "calling",
        given={"--plays": plays, "--caller": callers, "--deals": deals, "--seed": asked.seed},
        total=len(plays) * (len(pairs) + len(GAMES)) * deals,
        work=play,
    )
