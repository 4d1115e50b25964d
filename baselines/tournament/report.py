"""The report of a tournament, and its plots."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import (
    Block,
    Command,
    Document,
    Estimate,
    Heading,
    Items,
    Name,
    Only,
    Picture,
    Table,
    Text,
    Words,
    in_file,
    joined,
)
from cardenvs.baselines.reports.pictures import draw_heatmap, new_figure, png, reach
from cardenvs.baselines.reports.text import options_text, plus_minus, short_label
from cardenvs.baselines.runs.forfeits import forfeit_parts
from cardenvs.contract.registry import full_title
from cardenvs.contract.spec import GameSpec

_LISTED = 20
"""Maximum number of non-transitive triples that a report spells out."""


def document(result: Row, command: str = "") -> Document:
    """The report of a tournament.

    Args:
        result: the tournament's results.
        command: the command line that makes the results again; empty: none is quoted.
    """
    game, two = result.spec, result.num_sides == 2
    unit = _unit(game)
    numbered = [(f"{k} ", Name(name)) for k, name in enumerate(result.policies, 1)]
    exchanged = (
        "each played by both teams"
        if game.one_sided
        else "each played twice with the sides exchanged"
        if two
        else f"each played {result.num_sides} times with one policy on one of the sides, each in turn, and the other on "
        "all others, and the other way round"
    )
    parts: list[Block | Only] = [
        in_file(
            Words(
                f"Every policy against every other over the same {result.deals:,} deals, {exchanged}: {result.games:,} "
                f"games a pairing{'' if two else ' and way'}. Options: {options_text(result.options)}. Seed {result.seed}. "
                "Written by"
            ),
            Command(command),
            Words(
                "Intervals are 95% confidence intervals from the spread between deals; "
                + ("a draw counts half a win." if two else "sides that are level share the win and their ranks.")
            ),
        ),
    ]
    if result.truncated is not None:
        parts.append(Words(f"{result.truncated:,} games were cut off before their end: nobody won anything in them."))
    parts += [
        Picture("Ratings", "ladder", functools.partial(ladder_png, result)),
        *_teams(result, numbered),
        Heading("Ratings"),
        in_file(Words(_ratings_text(result.num_sides, unit))),
        Table(
            ["policy", *_columns(result, unit)],
            [[name, *_figures(s, unit)] for name, s in zip(numbered, result.standings, strict=True)],
            spare=["decisions/s"],
        ),
        in_file(
            Words(
                f"The ratings predict every pairing's {'win rate' if two else 'share of sides beaten'} to within "
                f"{100 * result.misfit:.1f} percentage points."
            )
        ),
    ]
    if result.regularised:
        parts.append(
            Words(
                "Some policy won or lost everything, so that no finite ratings fit best: a drawn deal was added to each "
                "pairing, and the intervals are the model's own, which are too wide rather than too narrow."
            )
        )
    numbers = ["", *map(str, range(1, len(result.policies) + 1))]
    wins = _cross(result, _win_cell)
    margins = _cross(result, lambda pairing, mirrored: _signed(_margin(pairing, unit), mirrored))
    parts += [
        Heading("Win rates"),
        Words(
            "The row's games won against the column, %."
            + ("" if two else f" The row holds one of {result.num_sides} sides, the column all others.")
        ),
        Picture("Win rates", "heatmap", functools.partial(heatmap_png, result)),
        Table(numbers, [[name, *row] for name, row in zip(numbered, wins, strict=True)]),
        in_file(
            Heading(f"{unit.capitalize()} a deal"),
            Words(f"The row's {unit} less {'' if two else 'the mean of '}the column's, a deal."),
            Table(numbers, [[name, *row] for name, row in zip(numbered, margins, strict=True)]),
        ),
        *_by_seat(result, unit, numbered),
        *forfeit_parts(result.forfeits),
    ]
    if len(result.policies) > 2:
        parts += _triples(result)
    return Document(f"{full_title(game)}: a tournament of {len(result.policies)} policies", parts)


def _unit(game: GameSpec) -> str:
    """The unit of margins: ``"columns"`` in Five-O, whose points only say who won, else ``"points"``."""
    return "columns" if game.tricks_word == "columns" else "points"


def _margin(figures: Any, unit: str) -> Estimate:
    """The margin in points or in columns, as `_unit` says."""
    return Estimate(figures.points_margin if unit == "points" else figures.tricks_margin)


def _win_cell(pairing: Any, mirrored: bool) -> Estimate:
    """The win rate of a pairing's first side, or of its second if mirrored."""
    return Estimate(pairing.win_rate_of(int(mirrored)), percent=True, even=pairing.chance)


def _signed(margin: Estimate, mirrored: bool) -> Estimate:
    """A margin, of the other side if mirrored."""
    return Estimate(-margin.value) if mirrored and margin.value is not None else margin


def _cross(result: Row, cell: Callable[[Any, bool], Text]) -> list[list[Text]]:
    """The cells of a cross-table; ``cell(pairing, mirrored)`` makes one, mirrored if the row is the second side's.

    Where two policies are paired both ways, each pairing is the cell of its first side.
    """
    rank = {name: k for k, name in enumerate(result.policies)}
    cells: list[list[Text]] = [[""] * len(rank) for _ in rank]
    for pairing in result.pairings:
        a, b = (rank[side] for side in pairing.sides)
        cells[a][b] = cell(pairing, False)
        if result.num_sides == 2:
            cells[b][a] = cell(pairing, True)
    return cells


def _columns(result: Row, unit: str) -> list[str]:
    """The heads of the columns of standings behind the policy's name, for `_figures`."""
    ranks = ["rank"] if result.num_sides > 2 else []
    return ["rating", "wins, %", *ranks, f"{unit} a deal", "decisions/s"]


def _figures(standing: Row, unit: str) -> list[Text]:
    """A policy's figures under the heads of `_columns`."""
    ranks = [] if standing.rank is None else [Estimate(standing.rank, digits=2, signed=False)]
    return [
        Estimate(standing.rating, digits=0),
        Estimate(standing.win_rate, percent=True),
        *ranks,
        _margin(standing, unit),
        f"{standing.decisions_per_s:,.0f}",
    ]


def _teams(result: Row, numbered: Sequence[Text]) -> list[Block | Only]:
    """In a game of one side the points of every policy at all seats, and those with the others."""
    if not result.spec.one_sided:
        return []
    said = (
        "At all seats, and with one other policy: the mean over the others, with the policy at the first seat and the "
        "other at the rest, and the other way round."
    )
    rows: list[list[Text]] = [
        [name, Estimate(s.own_points, signed=False), Estimate(s.points_with_others, signed=False)]
        for name, s in zip(numbered, result.standings, strict=True)
    ]
    compared = "Below, teams of one policy are compared on the same deals: a win is a deal that brought more points."
    table = Table(["policy", "points a deal", "points a deal with the others"], rows)
    return [Heading("Points of the team"), in_file(Words(said)), table, in_file(Words(compared))]


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


def side_names(game: GameSpec) -> list[str]:
    """The names of a game's sides: by their players, or by their sizes where sides are dealt."""
    if game.kernels.side is not None:
        return [f"side {k} of {len(seats)}" for k, seats in enumerate(game.sides)]
    return [" and ".join(f"player_{seat}" for seat in seats) for seats in game.sides]


def _by_seat(result: Row, unit: str, numbered: Sequence[Text]) -> Iterator[Block | Only]:
    """Every policy's results moving first and second, or by the side of the game that it held."""
    if result.standings[0].by_seat is None:
        return
    first = result.first_seat
    if first is not None:
        yield Heading("Moving first and second")
        yield Words(_first_seat_text(first, unit))
        yield in_file(Words("Each policy against all others as player_0, who moves first, and as player_1:"))
        names, head = ["first", "second"], ["won, drawn, lost", "wins, %", f"{unit} a deal"]
    else:
        yield Heading("By side")
        others = ":" if result.num_sides == 2 else ", the others holding the rest:"
        yield in_file(Words(f"Each policy against all others by the side of the game that it held{others}"))
        names, head = side_names(result.spec), ["wins, %", f"{unit} a deal"]
    rows = [
        [name, *(cell for seat in standing.by_seat or () for cell in _seat_cells(seat, unit)[-len(head) :])]
        for name, standing in zip(numbered, result.standings, strict=True)
    ]
    heads = [f"{name}: {text}" for name in names for text in head]
    yield Table(["policy", *heads], rows, spare=[one for one in heads if one.endswith("lost")])
    if first is not None:
        cells = _cross(result, lambda pairing, _: _first_seat_cell(pairing))
        numbers = map(str, range(1, len(result.policies) + 1))
        yield in_file(
            Words("Wins of player_0 by pairing, whoever of the two it was, %:"),
            Table(["", *numbers], [[name, *row] for name, row in zip(numbered, cells, strict=True)]),
        )


def _first_seat_text(first: Row, unit: str) -> str:
    """Whether it is better to move first, in words."""
    rate = first.win_rate
    verdict = "an advantage" if rate.low > 0.5 else "a disadvantage" if rate.high < 0.5 else "no significant difference"
    return (
        f"player_0, who moves first, won {first.wins:,}, drew {first.draws:,} and lost {first.losses:,} of {first.games:,} "
        f"games: {plus_minus(rate, percent=True)}%, {verdict}; "
        f"{_margin(first, unit).text()} {unit} a deal."
    )


def _first_seat_cell(pairing: Any) -> Text:
    """The win rate of player_0 in a pairing."""
    return Estimate(None if pairing.first_seat is None else pairing.first_seat.win_rate, percent=True)


def _seat_cells(seat: Row, unit: str) -> list[Text]:
    """The results in a seat: games won, drawn and lost, win rate, margin."""
    return [
        f"{seat.wins:,}, {seat.draws:,}, {seat.losses:,}",
        Estimate(seat.win_rate, percent=True),
        _margin(seat, unit),
    ]


def _triples(result: Row) -> Iterator[Block | Only]:
    """The non-transitive triples."""
    yield in_file(
        Heading("Non-transitive triples"),
        Words(
            "A beats B, B beats C and C beats A. A triple is significant if each of the three leads is by itself (95%, "
            "two-sided); the chance that one with a truly level pair is counted so is at most 2.5%."
        ),
    )
    for by, cycles in result.cycles.items():
        yield Words(_cycle_text(cycles, by))
        listed: list[Text] = [_triple_text(triple, by) for triple in cycles.significant[:_LISTED]]
        if len(cycles.significant) > _LISTED:
            listed.append(f"and {len(cycles.significant) - _LISTED} more, in results.json")
        if listed:
            yield Items(listed)


def _cycle_text(cycles: Row, by: str) -> str:
    """The numbers of non-transitive triples, in words."""
    what = "win rate" if by == "win_rate" else "points a deal"
    return (
        f"By {what}: {len(cycles.significant)} significant and {cycles.not_significant} not significant "
        f"of {cycles.triples} triples."
    )


def _triple_text(triple: Row, by: str) -> Text:
    """A non-transitive triple in words."""
    leads = [f"{100 * (0.5 + lead):.1f}%" if by == "win_rate" else f"{lead:+z.3f}" for lead in triple.leads]
    a, b, c = map(Name, triple.policies)
    least = f"; the least lead is {triple.z:.1f} standard errors"
    return joined(
        [a, " beats ", b, f" ({leads[0]}), which beats ", c, f" ({leads[1]}), which beats ", a, f" ({leads[2]})", least], ""
    )


# --- plots ---------------------------------------------------------------------------------------------------------


def win_rates(result: Row) -> npt.NDArray[np.float64]:
    """The win rate of each policy (row) against each other one (column), best rated first: float64 (k, k), nan diagonal."""
    rank = {name: k for k, name in enumerate(result.policies)}
    rates = np.full((len(rank), len(rank)), np.nan)
    for pairing in result.pairings:
        a, b = (rank[side] for side in pairing.sides)
        rates[a, b] = pairing.win_rate.mean
        if result.num_sides == 2:
            rates[b, a] = pairing.win_rate_of(1).mean
    return rates


def heatmap_png(result: Row) -> bytes:
    """The win rates as a heat map, best rated first; a PNG file's content."""
    rates = 100 * win_rates(result)
    k = len(rates)
    even = 100 / result.num_sides
    reach = max(10.0, float(np.nanmax(np.abs(rates - even))))
    figure = new_figure(3.2 + 0.5 * k, 2.0 + 0.45 * k)
    axes = figure.add_subplot()
    names = result.policies
    draw_heatmap(axes, rates, names, names, number="{:.1f}", colours="RdBu", limits=(even - reach, even + reach))
    axes.set_title(f"{full_title(result.spec)}: wins of the row against the column, %", fontsize=10)
    return png(figure)


def ladder_png(result: Row) -> bytes:
    """The ratings with their intervals as a plot, best first; a PNG file's content."""
    k, times = len(result.standings), "twice" if result.num_sides == 2 else f"{result.num_sides} times"
    ratings = [standing.rating for standing in result.standings]
    figure = new_figure(7.0, 1.2 + 0.32 * k)
    axes = figure.add_subplot()
    axes.axvline(0.0, color="0.8", linewidth=1)
    means = [rating.mean for rating in ratings]
    axes.errorbar(means, range(k), xerr=reach(ratings), fmt="o", markersize=5, capsize=3, color="tab:blue")
    axes.set_yticks(range(k), [short_label(standing.policy) for standing in result.standings])
    axes.set_ylim(k - 0.5, -0.5)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("rating (Elo's scale, mean 0; 95% intervals)")
    axes.set_title(f"{full_title(result.spec)}: {result.deals:,} deals a pairing, played {times}", fontsize=10)
    return png(figure)
