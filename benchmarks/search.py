"""How fast and how strong the searching agents are: ``python benchmarks/search.py [--report FILE] [--json]``.

Speeds are for one core, warm, medians of rounds taken in turn. Strength is measured in the Euchre paper's protocol: whole
games without bidding, two seats of the searching agent against two of another.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, in_turn, rate_text, wall_seconds, written_by

from cardenvs import cli
from cardenvs.baselines.match import play_match
from cardenvs.baselines.search.trick.double_dummy import solver_of, workspace
from cardenvs.baselines.search.trick.slots import Ways, deal_hidden, new_positions, opening_in
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.games import euchre, whist
from cardenvs.printing import table_lines
from cardenvs.testing import random_positions

DEALS = 2_000
"""Deals that are solved."""
WORLDS = 200
"""Re-deals drawn of each position; searches draw as many or fewer."""
MATCHES = (
    ("pimc", (10, 30, 100), ""),
    ("monte-carlo", (10, 30, 100), ",playout=random"),
    ("monte-carlo", (10, 30, 100), ",playout=coop-high-low"),
)
"""Searching agents that meet coop-high-low: name, numbers of worlds, further parameters."""


_open_euchre, _open_whist = opening_in(euchre.SPEC), opening_in(whist.SPEC)
_euchre_value, _euchre_cards = solver_of(euchre.SPEC)[:2]


@kernel
def _values(games: Games, table: Ints, stack: Ints) -> int:
    """Solves deal after deal; returns the sum of the double-dummy values."""
    total = 0
    for i in range(len(games)):
        total += _euchre_value(games, i, table, stack)
    return total


@kernel
def _all_cards(games: Games, table: Ints, stack: Ints, out: Ints) -> None:
    """Solves every card of the hand to lead, deal after deal."""
    for i in range(len(games)):
        _euchre_cards(games, i, table, stack, out)


@kernel
def _redeal_euchre(views: Games, worlds: int, streams: Streams, out: Games) -> None:
    """Draws consistent deals of each view of Euchre."""
    for i in range(len(views)):
        for _ in range(worlds):
            euchre.redeal(views, i, streams, 0, out, 0)


@kernel
def _redeal_whist(views: Games, worlds: int, streams: Streams, out: Games) -> None:
    """Draws consistent deals of each view of Whist."""
    for i in range(len(views)):
        for _ in range(worlds):
            whist.redeal(views, i, streams, 0, out, 0)


@kernel
def _draw(positions: Any, ways: Ways, ways_discarded: Ways, worlds: int, streams: Streams) -> None:
    """Draws worlds of a position that has been opened, as play-outs use them."""
    for _ in range(worlds):
        deal_hidden(positions, 0, ways, ways_discarded, streams, 0)


@kernel
def _draw_euchre(views: Games, worlds: int, streams: Streams, positions: Any) -> None:
    """Opens each view of Euchre and draws worlds of it."""
    for i in range(len(views)):
        ways, ways_discarded = _open_euchre(views, i, positions, 0)
        _draw(positions, ways, ways_discarded, worlds, streams)


@kernel
def _draw_whist(views: Games, worlds: int, streams: Streams, positions: Any) -> None:
    """Opens each view of Whist and draws worlds of it."""
    for i in range(len(views)):
        ways, ways_discarded = _open_whist(views, i, positions, 0)
        _draw(positions, ways, ways_discarded, worlds, streams)


def _views(game: str, deals: int, **options: Any) -> Games:
    """Views of the seats to act in random play, once cards are played; in Whist only views with a void shown."""
    spec = get_game(game)
    views = []
    for games in random_positions(spec, deals, 1, **options):
        if games[0]["over"] != RUNNING or (game == "euchre" and games[0]["phase"] != euchre.PLAYING):
            continue
        view = spec.new_games(1)
        spec.kernels.view(games, 0, int(games[0]["to_act"]), view, 0)
        if game == "euchre" or view[0]["voids"][1:].any():
            views.append(view)
    return np.concatenate(views)


def speeds(rounds: int) -> dict[str, float]:
    """By name, how many deals are solved, re-dealt or drawn in a second: medians of the rounds."""
    spec = get_game("euchre")
    games = spec.new_games(DEALS, bidding="forced-spades")
    streams = seed_streams(1, DEALS)
    for i in range(DEALS):
        spec.kernels.deal(games, i, streams, i)
    table, stack = workspace(5)
    out = np.empty(24, np.int64)
    euchre_views, whist_views = _views("euchre", 40), _views("whist", 20)
    one, positions = seed_streams(2, 1), new_positions()
    world, whist_world = spec.new_games(1), get_game("whist").new_games(1)
    measured: dict[str, tuple[int, Callable[[], Any]]] = {
        "euchre_values": (DEALS, lambda: _values(games, table, stack)),
        "euchre_all_cards": (DEALS, lambda: _all_cards(games, table, stack, out)),
        "euchre_redeals": (WORLDS * len(euchre_views), lambda: _redeal_euchre(euchre_views, WORLDS, one, world)),
        "euchre_draws": (WORLDS * len(euchre_views), lambda: _draw_euchre(euchre_views, WORLDS, one, positions)),
        "whist_redeals_with_voids": (
            WORLDS * len(whist_views), lambda: _redeal_whist(whist_views, WORLDS, one, whist_world),
        ),
        "whist_draws_with_voids": (WORLDS * len(whist_views), lambda: _draw_whist(whist_views, WORLDS, one, positions)),
    }  # fmt: skip

    def rate(count: int, run: Callable[[], Any]) -> float:
        table[:] = 0  # so that every deal is met for the first time
        return count / wall_seconds(run)

    rates = in_turn(rounds, {name: partial(rate, count, run) for name, (count, run) in measured.items()})
    return {name: statistics.median(of_rounds) for name, of_rounds in rates.items()}


def matches(games: int, seed: int) -> list[dict[str, Any]]:
    """Plays each searching agent against coop-high-low, and pimc against Monte Carlo with three times the worlds."""
    pairs = [(f"{name}:worlds={n}{rest}", "coop-high-low") for name, counts, rest in MATCHES for n in counts]
    pairs.append(("pimc:worlds=30", "monte-carlo:worlds=100,playout=coop-high-low"))
    rows = []
    for first, second in pairs:
        with cli.progress_bar(f"{first} - {second}", games) as count:
            result = play_match(
                "euchre", first, second, deals=games, seed=seed, protocol="published", progress=count
            )  # fmt: skip
        rows.append(
            {
                "sides": result.sides, "games": result.games, "win_rate": result.win_rate.mean,
                "ci95": result.win_rate.ci95, "decisions_per_s": result.decisions_per_s[0],
            }
        )  # fmt: skip
    return rows


_SPEEDS = {
    "euchre_values": "Euchre deals solved double-dummy, value",
    "euchre_all_cards": "Euchre deals solved double-dummy, every card of the hand to lead",
    "euchre_redeals": "consistent worlds, Euchre (`redeal`)",
    "euchre_draws": "the same as play-outs use them (`worlds.draw`, 200 a position)",
    "whist_redeals_with_voids": "consistent worlds, Whist with voids shown (`redeal`)",
    "whist_draws_with_voids": "the same as play-outs use them",
}
"""What the rates are called in the report."""


def markdown(figures: dict[str, Any]) -> str:
    """The report, in Markdown."""
    rows = [
        [
            *(f"`{side}`" for side in row["sides"]), f"{row['games']:,}", rate_text(row["win_rate"], row["ci95"]),
            f"{row['decisions_per_s']:,.0f}",
        ]
        for row in figures["matches"]
    ]  # fmt: skip
    lines = [
        "# Searching agents: speed and strength",
        "",
        f"{written_by(__file__, games=figures['games'], seed=figures['seed'])}. One core.",
        "",
        *table_lines(["a second", ""], [[what, f"{figures['speeds'][name]:,.0f}"] for name, what in _SPEEDS.items()]),
        "Whole games of Euchre without bidding (the paper's protocol):",
        "",
        *table_lines(["agent", "against", "games", "won, %", "decisions/s"], rows, left=2),
        "± is half of a 95% confidence interval. Forced cards count as decisions and cost next to nothing.",
        "",
    ]
    return "\n".join(lines)


@click.command()
@count_option("--games", 10_000, "Games of a match.")
@count_option("--rounds", 7, "Rounds of each speed.")
@cli.report_option
@cli.seed_option
@cli.json_option
def main(games: int, rounds: int, report: Path | None, seed: int, as_json: bool) -> None:
    """Measure the searching agents."""
    figures = {"games": games, "seed": seed, "speeds": speeds(rounds), "matches": matches(games, seed)}
    hand_over(figures, markdown(figures), report, as_json)


if __name__ == "__main__":
    main()
