"""The figures of a match as tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from cardenvs.baselines.match.results import MatchResult
from cardenvs.baselines.observers.cooperation import Cooperation
from cardenvs.baselines.observers.taking import METRICS
from cardenvs.baselines.reports.terminal import printed_table
from cardenvs.baselines.reports.text import options_text, plus_minus, short_names
from cardenvs.contract.registry import named_game


def match_table(result: MatchResult) -> Table:
    """The figures of a match as a table with a column for each side; with more than two sides, for one and the others."""
    game = named_game(result.game)
    several = result.num_sides > 2
    title = f"{game.title}, {result.protocol}: {result.games} games"
    if result.options:
        title += f" ({options_text(result.options)})"
    first, second = map(short_names(result.sides), result.sides)
    rows: list[list[str]] = []
    tricks = game.tricks_word
    unit = "deal" if result.protocol == "duplicate" else "game"
    chance = f", {100 * result.chance:.1f} for equals" if several else ""
    rows.append([f"win rate, % (95%{chance})", *(plus_minus(result.win_rate_of(side), percent=True) for side in (0, 1))])
    if several:
        ranks = (plus_minus(result.rank_of(side), digits=2).removeprefix("+") for side in (0, 1))
        rows.append([f"rank, 1 to {result.num_sides} (95%)", *ranks])
    won = "games won alone, and by others" if several else "games won"
    totals: list[tuple[str, Sequence[float]]] = [(won, result.games_won)]
    margins = [("points", result.points_margin)]
    if tricks in game.rewards:
        totals.append((f"{tricks} won", result.tricks_won))
        margins.append((tricks, result.tricks_margin))
    for name, values in (*totals, ("points", result.points)):
        rows.append([name, *(f"{value:z,.1f}" if isinstance(value, float) else f"{value:,}" for value in values)])
    for name, margin in margins:
        above = f"{name} a {unit} above the other{'s' if several else ''} (95%)"
        rows.append([above, plus_minus(margin), plus_minus((-margin).over(result.num_sides - 1))])
    rows.append(["decisions/s", *(f"{rate:,.0f}" for rate in result.decisions_per_s)])
    if result.passed_out is not None:
        rows.append(["deals passed out, nothing played", f"{result.passed_out:,}", ""])
    if result.truncated is not None:
        rows.append(["games cut off, won by nobody", f"{result.truncated:,}", ""])
    return printed_table(
        ["", first, f"{second}, each of {result.num_sides - 1} sides" if several else second], rows, title=title
    )


def forfeit_text(result: MatchResult) -> str:
    """The policy that forfeited a match, the number of finished deals and the reason, in a line; empty if none did."""
    if result.forfeit is None:
        return ""
    several = result.protocol == "duplicate"
    played = result.deals if several else result.games
    unit = ("deal" if several else "game") + ("" if played == 1 else "s")
    return f"{result.forfeit.policy} has forfeited after {played:,} finished {unit}, which count: {result.forfeit.why}"


def cooperation_table(cooperation: Cooperation, sides: Sequence[str]) -> Table:
    """Rates at which partners take tricks from each other, as a table with a column for each side."""
    rows = []
    for name, metric in cooperation.metrics.items():
        cells = []
        for side in (0, 1):
            rate, lost = metric.rate[side], metric.points_lost[side]
            text = "-" if rate is None else f"{100 * rate:.1f}% of {metric.opportunities[side]:,}"
            cells.append(text if lost is None else f"{text}, {-lost:+z.3f}")
        rows.append([METRICS[name], *cells])
    caption = "% of the times it could be left; points lost each time, all cards open"
    head = ["", *map(short_names(sides), sides)]
    return printed_table(head, rows, title=f"cooperation, {cooperation.deals:,} deals", caption=caption)
