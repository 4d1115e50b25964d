"""The report of a tournament, and its plots."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reports.columns import Column, Row
from cardenvs.baselines.reports.document import (
    Block,
    Command,
    Document,
    Estimate,
    Items,
    Name,
    Picture,
    Table,
    Text,
    Words,
    joined,
)
from cardenvs.baselines.reports.pictures import heatmap_png, new_figure, png, reach
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text, plus_minus, short_label
from cardenvs.baselines.runs.forfeits import forfeit_parts
from cardenvs.contract.registry import full_title
from cardenvs.contract.spec import GameSpec

_LISTED = 20
"""Maximum number of non-transitive triples that a report spells out."""


def document(result: Row, command: str = "") -> Document:
    """The report of a tournament; ``command``, the command line that repeats it, is quoted if it is not empty."""
    game, first = result.spec, result.first_seat
    # In Five-O, whose points only say who won, margins are in columns.
    unit, margin, left_out = "points", "points_margin", "tricks_margin"
    if game.tricks_word == "columns":
        unit, margin, left_out = "columns", left_out, margin
    rank = {name: k for k, name in enumerate(result.policies, 1)}
    name = Column("", title="policy", cell=lambda standing: (f"{rank[standing.policy]} ", Name(standing.policy)))
    standings, cross = result.standings, functools.partial(_cross_table, result)
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=Command(command),
        title=full_title(game),
        number=len(result.policies),
        options=options_text(result.options),
        one_sided=game.one_sided,
        two=result.num_sides == 2,
        unit=unit,
        columns=unit == "columns",
        misfit=100 * result.misfit,
        cut_off=result.truncated is not None,
        ladder=Picture("Ratings", "ladder", functools.partial(ladder_png, result)),
        teams=_team_points(standings, name) if game.one_sided else None,
        standings=standings[0].columns.table(standings, before=[name], titles={"policy": "", left_out: ""}),
        heatmap=Picture("Win rates", "heatmap", functools.partial(win_rates_png, result)),
        win_rates=cross(lambda pairing, side: Estimate(pairing.win_rate_of(side), percent=True, even=pairing.chance)),
        margins=cross(lambda pairing, side: Estimate(-getattr(pairing, margin) if side else getattr(pairing, margin))),
        first=first,
        first_rate=first and plus_minus(first.win_rate, percent=True),
        first_margin=first and plus_minus(getattr(first, margin)),
        first_wins=first and cross(lambda pairing, _: Estimate(pairing.first_seat.win_rate, percent=True)),
        verdict=first and _verdict(first.win_rate),
        dealt=first is None and standings[0].by_seat is not None,
        by_seat=_seat_table(result, name, left_out),
        forfeits=forfeit_parts(result.forfeits),
        triples=[*_list_triples(result)] if len(result.policies) > 2 else None,
    )


def _verdict(first: Interval) -> str:
    """Whether the win rate of the one who moves first shows an advantage."""
    return "an advantage" if first.low > 0.5 else "a disadvantage" if first.high < 0.5 else "no significant difference"


def _cross_cells(result: Row, cell: Callable[[Any, int], Any], empty: Any) -> list[list[Any]]:
    """A value ``cell(pairing, side)`` for each policy, side ``side`` of the pairing, against each other one.

    Where two policies are paired both ways, each pairing is the cell of its first side.
    """
    rank = {name: k for k, name in enumerate(result.policies)}
    cells = [[empty] * len(rank) for _ in rank]
    for pairing in result.pairings:
        a, b = (rank[side] for side in pairing.sides)
        cells[a][b] = cell(pairing, 0)
        if result.num_sides == 2:
            cells[b][a] = cell(pairing, 1)
    return cells


def _cross_table(result: Row, cell: Callable[[Any, int], Text]) -> Table:
    numbers = [str(k) for k in range(1, len(result.policies) + 1)]
    rows = zip(numbers, result.policies, _cross_cells(result, cell, ""), strict=True)
    return Table(["", *numbers], [[(f"{number} ", Name(policy)), *cells] for number, policy, cells in rows])


def _team_points(standings: list[Row], name: Column) -> Table:
    """In a game of one side the points of every policy at all seats, and those with the others."""
    heads: list[Text] = ["policy", "points a deal", "points a deal with the others"]
    points = ((Estimate(each, signed=False) for each in (one.own_points, one.points_with_others)) for one in standings)
    return Table(heads, [[name.cell(one), *cells] for one, cells in zip(standings, points, strict=True)])


def side_names(game: GameSpec) -> list[str]:
    """The names of a game's sides: by their players, or by their sizes where sides are dealt."""
    if game.kernels.side is not None:
        return [f"side {k} of {len(seats)}" for k, seats in enumerate(game.sides)]
    return [" and ".join(f"player_{seat}" for seat in seats) for seats in game.sides]


def _seat_table(result: Row, name: Column, left_out: str) -> Table | None:
    """Every policy's results moving first and second, or by the side of the game that it held."""
    standings = result.standings
    if standings[0].by_seat is None:
        return None
    first = result.first_seat is not None
    sides = ["first", "second"] if first else side_names(result.spec)
    titles = {left_out: ""} if first else {left_out: "", "record": ""}
    seats = [
        standings[0].by_seat[0].columns.table([one.by_seat[k] for one in standings], titles=titles)
        for k in range(len(sides))
    ]
    return Table(
        ["policy", *(f"{side}: {head}" for side, seat in zip(sides, seats, strict=True) for head in seat.head)],
        [[name.cell(one), *(cell for seat in seats for cell in seat.rows[k])] for k, one in enumerate(standings)],
        spare=[f"{side}: {head}" for side, seat in zip(sides, seats, strict=True) for head in seat.spare],
    )


def _list_triples(result: Row) -> Iterator[Block]:
    """The numbers of non-transitive triples by each measure, and the surest of them."""
    for by, cycles in result.cycles.items():
        listed, what = cycles.significant, "win rate" if by == "win_rate" else "points a deal"
        others = f"{cycles.not_significant} not significant of {cycles.triples} triples."
        yield Words(f"By {what}: {len(listed)} significant and {others}")
        more = [f"and {len(listed) - _LISTED} more, in results.json"] if len(listed) > _LISTED else []
        if listed:
            yield Items([*(_describe_triple(triple, by) for triple in listed[:_LISTED]), *more])


def _describe_triple(triple: Row, by: str) -> Text:
    leads = [f"{100 * (0.5 + lead):.1f}%" if by == "win_rate" else f"{lead:+z.3f}" for lead in triple.leads]
    a, b, c = map(Name, triple.policies)
    least = f"; the least lead is {triple.z:.1f} standard errors"
    return joined(
        [a, " beats ", b, f" ({leads[0]}), which beats ", c, f" ({leads[1]}), which beats ", a, f" ({leads[2]})", least], ""
    )


# --- plots ---------------------------------------------------------------------------------------------------------


def win_rates(result: Row) -> npt.NDArray[np.float64]:
    """The win rate of each policy (row) against each other one (column), best rated first: float64 (k, k), nan diagonal."""
    return np.array(_cross_cells(result, lambda pairing, side: pairing.win_rate_of(side).mean, np.nan))


def win_rates_png(result: Row) -> bytes:
    """The win rates as a heat map, best rated first; a PNG file's content."""
    rates, even = 100 * win_rates(result), 100 / result.num_sides
    widest = max(10.0, float(np.nanmax(np.abs(rates - even))))
    return heatmap_png(
        f"{full_title(result.spec)}: wins of the row against the column, %", rates, result.policies, result.policies,
        number="{:.1f}", colours="RdBu", limits=(even - widest, even + widest),
    )  # fmt: skip


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
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("rating (Elo's scale, mean 0; 95% intervals)")
    axes.set_title(f"{full_title(result.spec)}: {result.deals:,} deals a pairing, played {times}", fontsize=10)
    return png(figure)
