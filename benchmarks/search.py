"""How fast and how strong the searching agents are: ``python benchmarks/search.py [--markdown FILE] [--json]``.

Speeds are for one core, warm, medians of rounds taken in turn. Strength is measured in the Euchre paper's protocol: whole
games without bidding, two seats of the searching agent against two of another.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import click
import numpy as np

from cardenvs import cli
from cardenvs.baselines.match.play import play_match
from cardenvs.baselines.search.double_dummy import euchre_cards, euchre_value, workspace
from cardenvs.baselines.search.worlds import Ways, draw, new_tables, open_euchre, open_whist
from cardenvs.cards import Ints, Streams, seed_streams
from cardenvs.drivers import RUNNING
from cardenvs.files import write_whole
from cardenvs.games import euchre, whist
from cardenvs.jit import kernel
from cardenvs.spec import Games, get_game
from cardenvs.testing import random_positions

DEALS = 2_000
WORLDS = 200
"""Re-deals of each position, of which a search draws so many or fewer."""
MATCHES = (
    ("pimc", (10, 30, 100), ""),
    ("monte-carlo", (10, 30, 100), ",playout=random"),
    ("monte-carlo", (10, 30, 100), ",playout=coop-high-low"),
)


@kernel
def _values(games: Games, table: Ints, stack: Ints) -> int:
    total = 0
    for i in range(len(games)):
        total += euchre_value(games, i, table, stack)
    return total


@kernel
def _all_cards(games: Games, table: Ints, stack: Ints, out: Ints) -> None:
    for i in range(len(games)):
        euchre_cards(games, i, table, stack, out)


@kernel
def _redeal_euchre(views: Games, worlds: int, streams: Streams, out: Games) -> None:
    for i in range(len(views)):
        for _ in range(worlds):
            euchre.redeal(views, i, streams, 0, out, 0)


@kernel
def _redeal_whist(views: Games, worlds: int, streams: Streams, out: Games) -> None:
    for i in range(len(views)):
        for _ in range(worlds):
            whist.redeal(views, i, streams, 0, out, 0)


@kernel
def _draw(tables: Any, ways: Ways, ways_discarded: Ways, worlds: int, streams: Streams) -> None:
    for _ in range(worlds):
        draw(tables, 0, ways, ways_discarded, streams, 0)


@kernel
def _draw_euchre(views: Games, worlds: int, streams: Streams, tables: Any) -> None:
    for i in range(len(views)):
        ways, ways_discarded = open_euchre(views, i, tables, 0)
        _draw(tables, ways, ways_discarded, worlds, streams)


@kernel
def _draw_whist(views: Games, worlds: int, streams: Streams, tables: Any) -> None:
    for i in range(len(views)):
        ways, ways_discarded = open_whist(views, i, tables, 0)
        _draw(tables, ways, ways_discarded, worlds, streams)


def _views(game: str, deals: int, **options: Any) -> Games:
    """Views of the seats to act in random play, cards being played; in Whist of those that know of a void."""
    spec = get_game(game)
    found = []
    for games in random_positions(spec, deals, 1, **options):
        if games[0]["over"] != RUNNING or (game == "euchre" and games[0]["phase"] != euchre.PLAYING):
            continue
        view = spec.new_games(1)
        spec.kernels.view(games, 0, int(games[0]["to_act"]), view, 0)
        if game == "euchre" or view[0]["voids"][1:].any():
            found.append(view)
    return np.concatenate(found)


def speeds(rounds: int) -> dict[str, float]:
    """The rates, each a second."""
    spec = get_game("euchre")
    games = spec.new_games(DEALS, bidding="forced-spades")
    streams = seed_streams(1, DEALS)
    for i in range(DEALS):
        spec.kernels.deal(games, i, streams, i)
    table, stack = workspace(5)
    out = np.empty(24, np.int64)
    euchre_views, whist_views = _views("euchre", 40), _views("whist", 20)
    one, tables = seed_streams(2, 1), new_tables()
    world, whist_world = spec.new_games(1), get_game("whist").new_games(1)
    measured: dict[str, tuple[int, Callable[[], Any]]] = {
        "euchre_values": (DEALS, lambda: _values(games, table, stack)),
        "euchre_all_cards": (DEALS, lambda: _all_cards(games, table, stack, out)),
        "euchre_redeals": (WORLDS * len(euchre_views), lambda: _redeal_euchre(euchre_views, WORLDS, one, world)),
        "euchre_draws": (WORLDS * len(euchre_views), lambda: _draw_euchre(euchre_views, WORLDS, one, tables)),
        "whist_redeals_with_voids": (
            WORLDS * len(whist_views), lambda: _redeal_whist(whist_views, WORLDS, one, whist_world),
        ),
        "whist_draws_with_voids": (WORLDS * len(whist_views), lambda: _draw_whist(whist_views, WORLDS, one, tables)),
    }  # fmt: skip
    taken: dict[str, list[float]] = {name: [] for name in measured}
    for k in range(rounds + 1):
        for name, (count, run) in measured.items():
            table[:] = 0  # every deal is met for the first time
            began = time.perf_counter()
            run()
            if k:
                taken[name].append(count / (time.perf_counter() - began))
    return {name: statistics.median(rates) for name, rates in taken.items()}


def matches(games: int, seed: int) -> list[dict[str, Any]]:
    """Each searching agent against coop-high-low, and pimc against Monte Carlo with three times the worlds."""
    pairs = [(f"{name}:worlds={n}{rest}", "coop-high-low") for name, counts, rest in MATCHES for n in counts]
    pairs.append(("pimc:worlds=30", "monte-carlo:worlds=100,playout=coop-high-low"))
    rows = []
    for first, second in pairs:
        with cli.counting(f"{first} - {second}", games) as count:
            result = play_match(
                "euchre", first, second, deals=games, seed=seed, protocol="published", progress=count
            )  # fmt: skip
        rows.append(
            {
                "sides": result.sides, "games": result.games,
                "win_rate": result.win_rate.mean, "ci95": result.win_rate.ci95,
                "decisions_per_s": result.decisions_per_s[0],
            }
        )  # fmt: skip
    return rows


def markdown(figures: dict[str, Any], words: str) -> str:
    """The report."""
    rate = figures["speeds"]
    lines = [
        "# Searching agents: speed and strength",
        "",
        f"Written by `{words}`. One core.",
        "",
        "| a second | |",
        "|---|---:|",
        f"| Euchre deals solved double-dummy, value | {rate['euchre_values']:,.0f} |",
        f"| Euchre deals solved double-dummy, every card of the hand to lead | {rate['euchre_all_cards']:,.0f} |",
        f"| consistent worlds, Euchre (`redeal`) | {rate['euchre_redeals']:,.0f} |",
        f"| the same as play-outs use them (`worlds.draw`, 200 a position) | {rate['euchre_draws']:,.0f} |",
        f"| consistent worlds, Whist with voids shown (`redeal`) | {rate['whist_redeals_with_voids']:,.0f} |",
        f"| the same as play-outs use them | {rate['whist_draws_with_voids']:,.0f} |",
        "",
        "Whole games of Euchre without bidding (the paper's protocol):",
        "",
        "| agent | against | games | won, % | decisions/s |",
        "|---|---|---:|---:|---:|",
    ]
    for row in figures["matches"]:
        half = 50 * (row["ci95"][1] - row["ci95"][0])
        first, second = row["sides"]
        lines.append(
            f"| `{first}` | `{second}` | {row['games']:,} | {100 * row['win_rate']:.1f} ±{half:.1f} | "
            f"{row['decisions_per_s']:,.0f} |"
        )
    lines += ["", "± is half of a 95% confidence interval. Forced cards count as decisions and cost next to nothing.", ""]
    return "\n".join(lines)


@click.command()
@click.option("--games", type=click.IntRange(min=1), default=10_000, show_default=True, help="Games of a match.")
@click.option("--rounds", type=click.IntRange(min=1), default=7, show_default=True, help="Rounds of each speed.")
@click.option("--markdown", "report", type=click.Path(dir_okay=False), help="Also write a report to this file.")
@cli.seed_option
@cli.json_option
def search_benchmark(games: int, rounds: int, report: str | None, seed: int, as_json: bool) -> None:
    """Measure the searching agents."""
    figures = {"games": games, "seed": seed, "speeds": speeds(rounds), "matches": matches(games, seed)}
    words = f"python benchmarks/search.py --games {games} --seed {seed} --markdown FILE"
    if report:
        write_whole(report, markdown(figures, words))
    if as_json:
        cli.print_json(figures)
    else:
        print(markdown(figures, words))


if __name__ == "__main__":
    sys.exit(search_benchmark())
