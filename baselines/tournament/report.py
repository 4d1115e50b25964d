"""The report of a tournament: tables for the terminal, Markdown, plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from cardenvs.baselines.reporting import (
    draw_heatmap,
    new_figure,
    options_text,
    picture_lines,
    plus_minus,
    png,
    short_label,
    short_names,
    terminal_table,
)
from cardenvs.baselines.statistics import Interval
from cardenvs.baselines.tournament.forfeits import forfeit_lines, forfeit_text
from cardenvs.baselines.tournament.results import Cycles, Pairing, SeatResults, Standing, TournamentResult, Triple
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import escaped, printable, table_lines

_ROUNDING = 1e-9
_LISTED = 20
"""Maximum number of non-transitive triples that a report spells out."""


# --- pieces of text ------------------------------------------------------------------------------------------------


def _unit(game: str) -> str:
    """The unit of margins: ``"columns"`` in Five-O, whose points only say who won, else ``"points"``."""
    return "columns" if named_game(game).tricks_word == "columns" else "points"


def _margin(figures: Pairing | SeatResults | Standing, unit: str) -> Interval:
    """The margin in points or in columns, as `_unit` says."""
    return figures.points_margin if unit == "points" else figures.tricks_margin


def _first_seat_text(first: SeatResults, unit: str) -> str:
    """Whether it is better to move first, in words."""
    rate = first.win_rate
    verdict = "an advantage" if rate.low > 0.5 else "a disadvantage" if rate.high < 0.5 else "no significant difference"
    return (
        f"player_0, who moves first, won {first.wins:,}, drew {first.draws:,} and lost {first.losses:,} of {first.games:,} "
        f"games: {plus_minus(rate, percent=True)}%, {verdict}; "
        f"{plus_minus(_margin(first, unit))} {unit} a deal."
    )


def _truncated_text(truncated: int) -> str:
    """The number of games that were cut off, in words."""
    return f"{truncated:,} games were cut off before their end: nobody won anything in them"


def _cross(result: TournamentResult, cell: Callable[[Pairing, bool], str]) -> list[list[str]]:
    """The cells of a cross-table; ``cell(pairing, mirrored)`` makes one, mirrored if the row is the second side's.

    Where two policies are paired both ways, each pairing is the cell of its first side.
    """
    rank = {name: k for k, name in enumerate(result.policies)}
    cells = [[""] * len(rank) for _ in rank]
    for pairing in result.pairings:
        a, b = (rank[side] for side in pairing.sides)
        cells[a][b] = cell(pairing, False)
        if result.num_sides == 2:
            cells[b][a] = cell(pairing, True)
    return cells


def _columns(result: TournamentResult, unit: str) -> list[str]:
    """The heads of the columns of standings behind the policy's name, for `_figures`."""
    ranks = ["rank"] if result.num_sides > 2 else []
    return ["rating", "wins, %", *ranks, f"{unit} a deal", "decisions/s"]


def _figures(standing: Standing, unit: str) -> list[str]:
    """A policy's figures under the heads of `_columns`."""
    ranks = [] if standing.rank is None else [plus_minus(standing.rank, digits=2).removeprefix("+")]
    return [
        plus_minus(standing.rating, digits=0),
        plus_minus(standing.win_rate, percent=True),
        *ranks,
        plus_minus(_margin(standing, unit)),
        f"{standing.decisions_per_s:,.0f}",
    ]


def win_rates(result: TournamentResult) -> npt.NDArray[np.float64]:
    """The win rate of each policy (row) against each other one (column), best rated first: float64 (k, k), nan diagonal."""
    rank = {name: k for k, name in enumerate(result.policies)}
    rates = np.full((len(rank), len(rank)), np.nan)
    for pairing in result.pairings:
        a, b = (rank[side] for side in pairing.sides)
        rates[a, b] = pairing.win_rate.mean
        if result.num_sides == 2:
            rates[b, a] = pairing.win_rate_of(1).mean
    return rates


def _win_cell(pairing: Pairing, mirrored: bool) -> str:
    """The win rate of a pairing's first side, or of its second if mirrored, as text."""
    return plus_minus(pairing.win_rate_of(int(mirrored)), percent=True)


def _cycle_text(cycles: Cycles, by: str) -> str:
    """The numbers of non-transitive triples, in words."""
    what = "win rate" if by == "win_rate" else "points a deal"
    return (
        f"By {what}: {len(cycles.significant)} significant and {cycles.not_significant} not significant "
        f"of {cycles.triples} triples."
    )


# --- the terminal --------------------------------------------------------------------------------------------------


def tables(result: TournamentResult, console: Console) -> Iterable[Table | str]:
    """A tournament for the terminal, as tables and lines of text.

    A cross-table too wide for the console is left to the report.
    """
    title = named_game(result.game).title
    unit = _unit(result.game)
    called = short_names(result.policies)
    yield terminal_table(
        ["", "policy", *_columns(result, unit)],
        [[str(k), called(s.policy), *_figures(s, unit)] for k, s in enumerate(result.standings, 1)],
        2,
        title=title,
        caption="± are 95% intervals",
        caption_justify="left",
    )
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    cross = Table("", "", *numbers, title="wins of the row, %")
    cells = _cross(result, _short_cell)
    for k, name in enumerate(result.policies):
        cross.add_row(numbers[k], called(name), *cells[k])
    fits = console.measure(cross, options=console.options.update(width=10_000)).maximum <= console.width
    yield cross if fits else "the cross-table is wider than the terminal: it is in the report"
    yield from map(forfeit_text, result.forfeits)
    widest = max(pairing.win_rate.half_width for pairing in result.pairings)
    brackets = "in brackets: not significant; " if fits else ""
    yield f"{brackets}95% intervals: at most ±{100 * widest:.1f}; {result.games} games a pairing"
    if result.num_sides > 2:
        equal = f"{100 / result.num_sides:.1f}% for equals"
        yield f"wins: the row holds one of {result.num_sides} sides, the column all others; {equal}"
    if result.truncated is not None:
        yield _truncated_text(result.truncated)
    if result.regularised:
        yield "somebody won or lost everything: a drawn deal was added to each pairing to bound the ratings"
    if result.standings[0].by_seat is not None:
        yield _seat_table(result, unit)
    if result.first_seat is not None:
        yield _first_seat_text(result.first_seat, unit)
    for by, cycles in result.cycles.items() if len(result.policies) > 2 else ():
        yield f"non-transitive triples {_cycle_text(cycles, by)[0].lower()}{_cycle_text(cycles, by)[1:]}"
        for triple in cycles.significant[:_LISTED]:
            yield f"  {' > '.join([*triple.policies, triple.policies[0]])} (least lead {triple.z:.1f} standard errors)"


def _seat_table(result: TournamentResult, unit: str) -> Table:
    """Every policy's results on each side of the game."""
    first = result.first_seat is not None
    called, rows = short_names(result.policies), []
    sides = ("first", "second") if first else side_names(named_game(result.game))
    for k, standing in enumerate(result.standings, 1):
        cells = []
        for seat in standing.by_seat or ():
            cells += [plus_minus(seat.win_rate, percent=True), plus_minus(_margin(seat, unit))]
        rows.append([str(k), called(standing.policy), *cells])
    head = ["", "", *(title for name in sides for title in (f"{name}: wins, %", unit))]
    return terminal_table(head, rows, 2, title="moving first and second" if first else "by side of the game")


def side_names(game: GameSpec) -> list[str]:
    """The names of a game's sides: by their players, or by their sizes where sides are dealt."""
    if game.kernels.side is not None:
        return [f"side {k} of {len(seats)}" for k, seats in enumerate(game.sides)]
    return [" and ".join(f"player_{seat}" for seat in seats) for seats in game.sides]


def _short_cell(pairing: Pairing, mirrored: bool) -> str:
    """The win rate of a pairing's first side (mirrored: second) in percent; in brackets if equals are in its interval."""
    text = f"{100 * pairing.win_rate_of(int(mirrored)).mean:.1f}"
    even = pairing.win_rate.low - _ROUNDING <= pairing.chance <= pairing.win_rate.high + _ROUNDING
    return f"({text})" if even else text


# --- Markdown ------------------------------------------------------------------------------------------------------


def markdown(result: TournamentResult, command: str, heatmap: str | None, ladder: str | None) -> str:
    """The report in Markdown.

    Args:
        result: the tournament's results.
        command: the command line that makes the results again.
        heatmap: file name of the plot of the win rates; None: there is none.
        ladder: file name of the plot of the ratings; None: there is none.
    """
    game = named_game(result.game)
    unit = _unit(result.game)
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    numbered = [f"{k} {name}" for k, name in zip(numbers, result.policies, strict=True)]
    lines = [
        f"# {game.title}: a tournament of {len(result.policies)} policies",
        "",
        f"Every policy against every other over the same {result.deals:,} deals, {_exchanged_text(result.num_sides)}: "
        f"{result.games:,} games a pairing{'' if result.num_sides == 2 else ' and way'}. "
        f"Options: {options_text(result.options)}. Seed {result.seed}. Written by",
        "",
        f"    {printable(command)}",
        "",
        "Intervals are 95% confidence intervals from the spread between deals; "
        + ("a draw counts half a win." if result.num_sides == 2 else "sides that are level share the win and their ranks."),
        "",
        *([] if result.truncated is None else [f"{_truncated_text(result.truncated).capitalize()}.", ""]),
        *picture_lines("Ratings", ladder),
        "## Ratings",
        "",
        _ratings_text(result.num_sides, unit),
        "",
        *table_lines(
            ["policy", *_columns(result, unit)],
            ([f"{k} {s.policy}", *_figures(s, unit)] for k, s in enumerate(result.standings, 1)),
            foreign=True,
        ),
        f"The ratings predict every pairing's {_rated(result.num_sides)} to within {100 * result.misfit:.1f} "
        "percentage points.",
        "",
    ]
    if result.regularised:
        lines += [
            "Some policy won or lost everything, so that no finite ratings fit best: a drawn deal was added to each "
            "pairing, and the intervals are the model's own, which are too wide rather than too narrow.",
            "",
        ]
    lines += [
        "## Win rates",
        "",
        "The row's games won against the column, %."
        + ("" if result.num_sides == 2 else " The row holds one side, the column all others."),
        "",
        *picture_lines("Win rates", heatmap),
        *table_lines(
            ["", *numbers],
            ([name, *cells] for name, cells in zip(numbered, _cross(result, _win_cell), strict=True)),
            foreign=True,
        ),
        f"## {unit.capitalize()} a deal",
        "",
        f"The row's {unit} less {'' if result.num_sides == 2 else 'the mean of '}the column's, a deal.",
        "",
        *table_lines(
            ["", *numbers],
            (
                [name, *cells]
                for name, cells in zip(
                    numbered,
                    _cross(result, lambda pairing, mirrored: _margin_cell(pairing, mirrored, unit)),
                    strict=True,
                )
            ),
            foreign=True,
        ),
    ]
    lines += [*_by_seat_lines(result, unit, numbers, numbered), *forfeit_lines(result.forfeits)]
    if len(result.policies) > 2:
        lines += _triples_lines(result)
    return "\n".join(lines).rstrip() + "\n"


def _by_seat_lines(result: TournamentResult, unit: str, numbers: list[str], numbered: list[str]) -> list[str]:
    """Every policy's results moving first and second, or by the side of the game that it held."""
    if result.first_seat is not None:
        seat_cells = _cross(result, lambda pairing, _: _seat_cell(pairing))
        head = ["won, drawn, lost", "wins, %", f"{unit} a deal"]
        return [
            "## Moving first and second",
            "",
            _first_seat_text(result.first_seat, unit),
            "",
            "Each policy against all others as player_0, who moves first, and as player_1:",
            "",
            *table_lines(
                ["policy", *(f"{seat}: {text}" for seat in ("first", "second") for text in head)],
                (
                    [name, *(cell for seat in standing.by_seat or () for cell in _seat_cells(seat, unit))]
                    for name, standing in zip(numbered, result.standings, strict=True)
                ),
                foreign=True,
            ),
            "Wins of player_0 by pairing, whoever of the two it was, %:",
            "",
            *table_lines(
                ["", *numbers], ([name, *cells] for name, cells in zip(numbered, seat_cells, strict=True)), foreign=True
            ),
        ]
    if result.standings[0].by_seat is not None:
        names = side_names(named_game(result.game))
        return [
            "## By side",
            "",
            "Each policy against all others by the side of the game that it held"
            + (":" if result.num_sides == 2 else ", the others holding the rest:"),
            "",
            *table_lines(
                ["policy", *(f"{name}: {text}" for name in names for text in ("wins, %", f"{unit} a deal"))],
                (
                    [name, *(cell for seat in standing.by_seat or () for cell in _seat_cells(seat, unit)[1:])]
                    for name, standing in zip(numbered, result.standings, strict=True)
                ),
                foreign=True,
            ),
        ]
    return []


def _triples_lines(result: TournamentResult) -> list[str]:
    """The non-transitive triples."""
    lines = [
        "## Non-transitive triples",
        "",
        "A beats B, B beats C and C beats A. A triple is significant if each of the three leads is by itself (95%, "
        "two-sided); the chance that one with a truly level pair is counted so is at most 2.5%.",
        "",
    ]
    for by, cycles in result.cycles.items():
        lines += [_cycle_text(cycles, by), ""]
        lines += [f"- {escaped(_triple_text(triple, by))}" for triple in cycles.significant[:_LISTED]]
        if len(cycles.significant) > _LISTED:
            lines.append(f"- and {len(cycles.significant) - _LISTED} more, in results.json")
        if cycles.significant:
            lines.append("")
    return lines


def _exchanged_text(sides: int) -> str:
    """The number of times that a deal is played, in words."""
    if sides == 2:
        return "each played twice with the sides exchanged"
    return (
        f"each played {sides} times with one policy on one of the sides, each in turn, and the other on all others, and "
        "the other way round"
    )


def _rated(sides: int) -> str:
    """The quantity that ratings predict, in words."""
    return "win rate" if sides == 2 else "share of sides beaten"


def _ratings_text(sides: int, unit: str) -> str:
    """Explanation of the ratings and of the other columns."""
    if sides == 2:
        rated, means, less = "win rate", "means over all opponents", "the opponent's"
    else:
        rated = "chance to end ahead of a side, by the ranks in all games,"
        means = "means over all opponents, of games with one side against all others"
        less = "the mean of the others'"
    return (
        f"Bradley-Terry ratings on Elo's scale, mean 0: a difference of 100 is a predicted {rated} of 64%. The other "
        f"columns are {means}; {unit} are the side's less {less}. Decisions a second "
        "are of the policy's own time, with as many processes at work as the machine was given."
    )


def _margin_cell(pairing: Pairing, mirrored: bool, unit: str) -> str:
    """The margin of a pairing's first side, or of its second if mirrored, as text."""
    margin = _margin(pairing, unit)
    return plus_minus(-margin if mirrored else margin)


def _seat_cell(pairing: Pairing) -> str:
    """The win rate of player_0 in a pairing as text."""
    return "" if pairing.first_seat is None else plus_minus(pairing.first_seat.win_rate, percent=True)


def _seat_cells(seat: SeatResults, unit: str) -> list[str]:
    """The results in a seat as text: games won, drawn and lost, win rate, margin."""
    return [
        f"{seat.wins:,}, {seat.draws:,}, {seat.losses:,}",
        plus_minus(seat.win_rate, percent=True),
        plus_minus(_margin(seat, unit)),
    ]


def _triple_text(triple: Triple, by: str) -> str:
    """A non-transitive triple in words."""
    leads = [f"{100 * (0.5 + lead):.1f}%" if by == "win_rate" else f"{lead:+z.3f}" for lead in triple.leads]
    a, b, c = triple.policies
    return (
        f"{a} beats {b} ({leads[0]}), which beats {c} ({leads[1]}), which beats {a} ({leads[2]}); "
        f"the least lead is {triple.z:.1f} standard errors"
    )


# --- plots ---------------------------------------------------------------------------------------------------------


def heatmap_png(result: TournamentResult) -> bytes:
    """The win rates as a heat map, best rated first; a PNG file's content."""
    rates = 100 * win_rates(result)
    k = len(rates)
    even = 100 / result.num_sides
    reach = max(10.0, float(np.nanmax(np.abs(rates - even))))
    figure = new_figure(3.2 + 0.5 * k, 2.0 + 0.45 * k)
    axes = figure.add_subplot()
    names = result.policies
    draw_heatmap(axes, rates, names, names, number="{:.1f}", colours="RdBu", limits=(even - reach, even + reach))
    axes.set_title(f"{named_game(result.game).title}: wins of the row against the column, %", fontsize=10)
    return png(figure)


def ladder_png(result: TournamentResult) -> bytes:
    """The ratings with their intervals as a plot, best first; a PNG file's content."""
    k, times = len(result.standings), "twice" if result.num_sides == 2 else f"{result.num_sides} times"
    values = np.array([standing.rating.mean for standing in result.standings])
    ends = np.array([standing.rating.ci95 for standing in result.standings])
    reach = np.nan_to_num(np.abs(ends - values[:, None]), posinf=0.0).T
    figure = new_figure(7.0, 1.2 + 0.32 * k)
    axes = figure.add_subplot()
    axes.axvline(0.0, color="0.8", linewidth=1)
    axes.errorbar(values, np.arange(k), xerr=reach, fmt="o", markersize=5, capsize=3, color="tab:blue")
    axes.set_yticks(range(k), [short_label(standing.policy) for standing in result.standings])
    axes.set_ylim(k - 0.5, -0.5)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("rating (Elo's scale, mean 0; 95% intervals)")
    axes.set_title(f"{named_game(result.game).title}: {result.deals:,} deals a pairing, played {times}", fontsize=10)
    return png(figure)
