"""The report of the Five-O paper's tables and figures, with its plots: a text, filled with what the figures decide."""

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Document, Estimate, Items, Name, Picture, Table, Text, marked
from cardenvs.baselines.reports.pictures import new_figure, png
from cardenvs.baselines.reports.statistics import Z95, Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.baselines.reproduce.five_o.settings import AGENTS, DEPTH, EVALUATIONS, EXTRA, JOINT_SAMPLES, PRINTED, SAMPLES


def _finish(axes: Any, xlabel: str, ylabel: str = "", **legend: Any) -> None:
    """Labels axes, and gives them a legend and a light grid without the frame's upper and right lines."""
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.legend(frameon=False, **legend)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _table2_png(result: Row) -> bytes:
    """Errors of simulated chances by the number of samples, for each row."""
    rows, figure = result.table2["rows"], new_figure(6.5, 4.0)
    axes = figure.add_subplot()
    for row in rows:
        axes.plot(SAMPLES, [of["deviation"] for of in row["samples"]], "o-", label=f"row {row['row']}")
    expected = [of["expected_deviation"] for of in rows[0]["samples"]]
    axes.plot(SAMPLES, expected, ":", color="0.4", label="binomial, row 2")
    axes.plot(SAMPLES, [of["deviation"] for of in result.table2["paper"]], "kx", markersize=9, label="paper")
    axes.set_xscale("log")
    axes.set_yscale("log")
    _finish(axes, "samples", "standard deviation of a column's chance")
    return png(figure)


def _figure2_png(result: Row) -> bytes:
    """Win rates of expectiminimax by its depth and by its decks."""
    figure = new_figure(9.0, 4.0)
    for panel, (series, label) in enumerate((("depth", "depth"), ("decks", f"decks, at depth {DEPTH}")), 1):
        axes = figure.add_subplot(1, 2, panel)
        for evaluation in EVALUATIONS:
            rows = [row for row in result.figure2[series] if row["evaluation"] == evaluation]
            rows.sort(key=lambda row: float(row[series]))
            rates = np.array([row["win_rate"] for row in rows])
            reach = np.abs(np.array([row["ci95"] for row in rows]) - rates[:, None]).T
            counts = [row[series] for row in rows]
            axes.errorbar(counts, 100 * rates, yerr=100 * reach, fmt="o-", capsize=3, label=evaluation)
        axes.axhline(50, color="0.7", linewidth=1)
        if series == "decks":
            axes.set_xscale("log")
        else:
            axes.set_xticks(sorted({row["depth"] for row in result.figure2[series]}))
        _finish(axes, label, "won against greedy2, %")
    return png(figure)


def _figure3_png(result: Row) -> bytes:
    """Mean column values of each agent, from the highest column to the lowest."""
    figure = new_figure(7.5, 4.8)
    axes = figure.add_subplot()
    colours = [*(f"C{k}" for k in range(10)), "black"]
    for row, colour, marker in zip(result.figure3, colours, "osv^D<>phP*", strict=True):
        axes.plot(range(1, 6), row["values"], marker=marker, color=colour, markersize=5, linewidth=1.2, label=row["agent"])
    axes.set_xticks(range(1, 6))
    _finish(axes, "column, the highest first", "mean value (1 to 7,462)", fontsize=8)
    return png(figure)


def _figure4_png(result: Row) -> bytes:
    """Wins for each loss of each agent, ours and the paper's."""
    table = result.table3
    totals = {row["agent"]: row["paper"] for row in table["comparison"]["totals"]}
    rows = [*table["standings"], *table["extra"]]
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    heights = np.arange(len(rows))
    ratios = [row.win_loss_ratio if math.isfinite(row.win_loss_ratio) else 0 for row in rows]
    axes.barh(heights - 0.2, ratios, 0.38, label="ours")
    known = [(k, totals[row.agent]) for k, row in enumerate(rows) if row.agent in totals]
    axes.barh([k + 0.2 for k, _ in known], [won / lost for _, (won, lost) in known], 0.38, color="0.7", label="paper")
    axes.axvline(1.0, color="0.5", linewidth=1)
    axes.set_yticks(heights, [row.agent for row in rows])
    axes.invert_yaxis()
    _finish(axes, "wins for each loss, against the paper's eight")
    return png(figure)


PLOTS = {
    "table2": ("Errors of simulated chances", _table2_png),
    "figure2": ("Strength by depth and decks", _figure2_png),
    "figure3": ("Mean column values", _figure3_png),
    "figure4": ("Win-loss ratios", _figure4_png),
}
"""The plots by name: the title, and a function from all figures to the content of a PNG file."""


_SHORT = {
    "expectiminimax greedy2": "em greedy2",
    "expectiminimax fast-greedy2": "em fast-greedy2",
    "greedy1-published": "greedy1-pub.",
}
"""Agents' names for the heads of the wide table."""
_ERRORS = {
    "mean error": "mean_absolute",
    "expected": "expected_mean_absolute",
    "std": "deviation",
    "std expected": "expected_deviation",
    "largest": "largest",
    "win: mean error": "win_mean_absolute",
    "win: largest": "win_largest",
}
"""Errors of Table II, by the heads of their columns."""
_REFLEX = ("reflex1", "reflex2", "reflex3")


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    table, decks = result.table3, result.figure2["decks"]
    won = _won_by_pair(table)
    few = min((row for row in decks if row["evaluation"] == "greedy2"), key=lambda row: int(row["decks"]))
    off = _totals(table, "_with_greedy1_published")["expectiminimax greedy2"]
    return fill_report(
        Path(__file__).with_name("report.md"),
        command=command,
        result=result,
        settings=result.settings,
        plots={name: Picture(title, name, functools.partial(draw, result)) for name, (title, draw) in PLOTS.items()},
        printed_stds=", ".join(f"{of['deviation']:.4f}" for of in result.table2["paper"]),
        table2=_table2(result.table2),
        policies=Items([marked(f"{agent}: `{name}`") for agent, name in result.policies.items() if agent != name]),
        won=won,
        cross_table=_cross_table(won),
        extra=table["extra"][0].columns.table(table["extra"]),
        means={row["agent"]: f"{np.mean(row['values']):,.0f}" for row in result.figure3},
        few=few,
        few_won=_won(few),
        off=off,
        off_won=off["paper"][0],
        **_fill_table3(table),
        **_fill_cycle(table),
        **_fill_figures(result),
        **_fill_chances(result),
    )


def _won(match: dict[str, Any]) -> Estimate:
    """The win rate of a match that was measured."""
    return Estimate(Interval(match["win_rate"], *match["ci95"]), percent=True)


def _percent(rate: Interval) -> str:
    return plus_minus(rate, percent=True)


def _totals(table: dict[str, Any], which: str = "") -> dict[str, dict[str, Any]]:
    return {row["agent"]: row for row in table[f"comparison{which}"]["totals"]}


def _table2(table2: dict[str, Any]) -> Table:
    """Errors of simulated chances, the paper's first."""
    choices = ("another choice, %", "given away, %")

    def cells(row: str, of: dict[str, Any]) -> list[str]:
        chosen = [f"{100 * of['choices_differ']:.0f}", f"{100 * of['given_away']:.3f}"] if row != "paper" else ["", ""]
        return [row, f"{of['samples']:,}", *(f"{of[key]:.4f}" for key in _ERRORS.values()), *chosen]

    lines = [cells("paper", of) for of in table2["paper"]]
    lines += [cells(str(row["row"]), of) for row in table2["rows"] for of in row["samples"]]
    return Table(["row", "samples", *_ERRORS, *choices], lines, spare=[*list(_ERRORS)[2:], *choices])


def _won_by_pair(table: dict[str, Any]) -> dict[str, dict[str, Estimate]]:
    """The win rate of each agent against each other."""
    won: dict[str, dict[str, Estimate]] = {}
    for row in table["pairings"]:
        a, b = row.sides
        won.setdefault(a, {})[b] = Estimate(row.win_rate, percent=True)
        won.setdefault(b, {})[a] = Estimate(row.win_rate.complement(), percent=True)
    return won


def _rank_of(standings: Sequence[Row], agent: str) -> int:
    return 1 + [row.agent for row in standings].index(agent)


def _place_of(standings: Sequence[Row], agent: str) -> str:
    """The rank of an agent in words: first, second, third, 4th, last."""
    rank = _rank_of(standings, agent)
    return "last" if rank == len(AGENTS) else {1: "first", 2: "second", 3: "third"}.get(rank, f"{rank}th")


def _fill_table3(table: dict[str, Any]) -> dict[str, Any]:
    """Values for Table III, the paper's claims and greedy1."""
    worded, programmed = table["standings"], table["standings_with_greedy1_published"]
    rates_worded, rates = ({row.agent: row.win_rate for row in rows} for rows in (worded, programmed))
    places = [_place_of(worded, "greedy1"), _place_of(programmed, "greedy1-published")]
    ranks = [place if place == "last" else f"{place} of {len(AGENTS)}" for place in places]
    unlikely = sorted(
        (row for row in table["pairings"] if row.p is not None and row.p < 0.05), key=lambda row: float(row.p)
    )
    pairs = [
        f"{' - '.join(row.sides)}: {row.paper}-{10 - row.paper} in the paper, {_percent(row.win_rate)}% here "
        f"(p = {row.p:.3f})"
        for row in unlikely
    ]
    return {
        "ladder": _ladder(table),
        "even": {agent: _describe_rate(rate) for agent, rate in rates.items()},
        "even_worded": {agent: _describe_rate(rate) for agent, rate in rates_worded.items()},
        "last": places[1] if places[1] == "last" else f"not last: {places[1]}",
        "unlikely": Items(pairs) if pairs else None,
        "worded": {"rank": ranks[0], "won": _percent(rates_worded["greedy1"])},
        "programmed": {"rank": ranks[1], "won": _percent(rates["greedy1-published"])},
    }


def _describe_rate(rate: Interval) -> str:
    """A win rate, and whether it differs significantly from one half."""
    side = "above even" if rate.low > 0.5 else "below even" if rate.high < 0.5 else "not told apart from even"
    return f"{side}, {_percent(rate)}%"


def _cross_table(won: dict[str, dict[str, Estimate]]) -> Table:
    """Every agent's win rate against every other, the paper's wins of ten in brackets."""
    every = [*AGENTS, *EXTRA]

    def cell(a: str, b: str) -> Text:
        if a == b:
            return ""
        wins = PRINTED["wins"][AGENTS.index(a)][AGENTS.index(b)] if a in AGENTS and b in AGENTS else None
        return (won[a][b], "" if wins is None else f" ({wins})")

    return Table(["", *(_SHORT.get(agent, agent) for agent in every)], [[a, *(cell(a, b) for b in every)] for a in every])


def _ladder(table: dict[str, Any]) -> Table:
    """The paper's eight agents by wins, the paper's figures beside ours."""
    totals, faulty = _totals(table), _totals(table, "_with_greedy1_published")
    printed = sorted(AGENTS, key=lambda agent: -int(totals[agent]["paper"][0]))
    lines: list[list[Text]] = []
    for rank, row in enumerate(table["standings"], 1):
        agent = row.agent
        won, lost = totals[agent]["paper"]
        rank_with_fault = _rank_of(table["standings_with_greedy1_published"], faulty[agent]["ours"])
        lines.append(
            [
                Name(agent), f"{1 + printed.index(agent)}", f"{won}-{lost}", f"{rank}",
                f"{row.wins_of_70:.1f}-{70 - row.wins_of_70:.1f}", row.record, Estimate(row.win_rate, percent=True),
                f"{totals[agent]['z']:+z.1f}", f"{rank_with_fault}", f"{faulty[agent]['z']:+z.1f}",
            ]
        )  # fmt: skip
    head = ["agent", "rank, paper", "W-L, paper", "rank, ours", "of 70", "W-L, ours", "won, %", "z", "rank", "z"]
    return Table(head, lines, spare=["rank, paper", "rank, ours", "W-L, ours", "z", "rank"])


def _fill_cycle(table: dict[str, Any]) -> dict[str, Any]:
    """Values for the non-transitive cycle, the paper's and ours."""
    rows, own = table["paper_cycle"], table["paper_triples"]
    as_many = own["by_chance_as_many"]
    chance = f"{100 * as_many:.0f}% of them have as many"
    return {
        "cycle": Items([*map(_describe_leg, rows)]),
        "cycle_holds": all(row.win_rate.low > 0.5 for row in rows),
        "cycle_fails": " and ".join(f"{row.sides[1]} beats {row.sides[0]}" for row in rows if row.win_rate.high < 0.5),
        "printed_triples": len(own["found"]),
        "chance": chance + (", so that these are no evidence" if as_many > 0.05 else ""),
        "kept": sum(min(triple["win_rates"]) > 0.5 for triple in own["found"]),
        "printed_triple_lines": Items([
            " > ".join(f"{name} ({won}-{10 - won})" for name, won in zip(triple["agents"], triple["paper"], strict=True))
            + f" > {triple['agents'][0]}; here {', '.join(f'{100 * rate:.0f}%' for rate in triple['win_rates'])}"
            for triple in own["found"]
        ]),
        "of_eight": _fill_triples(table["triples"]),
        "of_all": _fill_triples(table["triples_of_all"]),
        "agents": len(AGENTS) + len(EXTRA),
    }  # fmt: skip


def _describe_leg(row: Row) -> str:
    """A pair of the paper's cycle: our games, their distance from even in standard errors, and the paper's ten."""
    a, b = row.sides
    rate = row.win_rate
    error = (rate.high - rate.low) / 2 / Z95
    z = f", z {(rate.mean - 0.5) / error:+z.1f}" if error and math.isfinite(error) else ""
    fits = f"p {row.p:.3f}" if row.p is not None else "no figure"
    return (
        f"{a} against {b}: {_percent(rate)}% of {row.games:,} games{z}; "
        f"the paper {row.paper}-{10 - row.paper} ({fits} under our rate)"
    )


def _fill_triples(triples: dict[str, Any]) -> dict[str, Any]:
    """Values for the non-transitive triples among some agents."""
    lines = []
    for triple in triples["found"]:
        if triple["significant"]:
            a, b, c = triple["agents"]
            x, y, z = (f"{100 * rate:.1f}%" for rate in triple["win_rates"])
            lines.append(f"{a} > {b} ({x}) > {c} ({y}) > {a} ({z}); least lead {triple['z']:.1f} standard errors")
    return triples | {"level": len(triples["found"]) - len(lines), "lines": Items(lines) if lines else None}


def _fill_figures(result: Row) -> dict[str, Any]:
    """Values for Figures 2 to 4."""

    def searches(series: str) -> Table:
        rows = sorted(result.figure2[series], key=lambda row: (EVALUATIONS.index(row["evaluation"]), row[series]))
        head = [series, "evaluation", "won, %", "columns a game", "ms a decision"]
        lines: list[list[Text]] = [
            [f"{row[series]:,}", row["evaluation"], _won(row), f"{row['columns']:+z.2f}", f"{row['ms_a_decision']:.2f}"]
            for row in rows
        ]
        return Table(head, lines)

    values = {row["agent"]: row["values"] for row in result.figure3}

    def mean(agents: Sequence[str], part: slice) -> str:
        return f"{np.mean([values[agent][part] for agent in agents]):,.0f}"

    state = [agent for agent in AGENTS if agent not in _REFLEX and agent != "greedy1"]
    high, low = slice(0, 3), slice(3, 5)
    value_lines: list[list[Text]] = [
        [
            Name(row["agent"]),
            *(f"{value:,.0f} ±{half:.0f}" for value, half in zip(row["values"], row["half_widths"], strict=True)),
            mean([row["agent"]], high),
            mean([row["agent"]], slice(None)),
        ]
        for row in sorted(result.figure3, key=lambda row: -float(sum(row["values"][:3])))
    ]
    printed = {agent: f"{row['paper'][0] / row['paper'][1]:.2f}" for agent, row in _totals(result.table3).items()}
    ratios = [
        [row.agent, printed.get(row.agent, ""), f"{row.win_loss_ratio:.2f}" if row.win_loss_ratio < math.inf else "∞"]
        for row in (*result.table3["standings"], *result.table3["extra"])
    ]
    value_head = ["agent", "highest", "second", "third", "fourth", "lowest", "mean of three", "mean of all"]
    return {
        "depth": DEPTH,
        "depth_table": searches("depth"),
        "decks_table": searches("decks"),
        "values_table": Table(value_head, value_lines),
        "state_agents": ", ".join(state),
        "high": {"state": mean(state, high), "reflex": mean(_REFLEX, high), "reflex3": mean(["reflex3"], high)},
        "low": {"state": mean(state, low), "reflex": mean(_REFLEX, low), "reflex3": mean(["reflex3"], low)},
        "ratios_table": Table(["agent", "paper", "ours"], ratios),
    }


def _fill_chances(result: Row) -> dict[str, Any]:
    """Values for the sections on independence and on exact chances."""
    costs, times = result.independence["rows"], result.exact
    cost_head = ["row", "positions", "mean difference", "equation 3 less the other", "another choice, %", "given away"]
    cost_lines = [
        [
            str(row["row"]), f"{row['positions']:,}", f"{100 * row['mean_absolute_difference']:.2f}",
            f"{100 * row['mean_difference']:+z.2f}", f"{100 * row['choices_differ']:.0f}", f"{100 * row['mean_loss']:.3f}",
        ]
        for row in costs
    ]  # fmt: skip
    ways = {"exact_mean": "exact", "exact_largest": "at most"} | {f"sampled_{n}": f"{n:,} samples" for n in SAMPLES}
    time_lines = [[str(row["row"]), *(f"{row[way]:.2f}" for way in ways)] for row in times]

    def first_row(samples: int) -> str:
        """The first row in which exact chances take no longer than so many samples."""
        fitting = [row["row"] for row in times if row["exact_mean"] <= row[f"sampled_{samples}"]]
        return f"row {min(fitting)}" if fitting else "no row"

    return {
        "independence": Table(cost_head, cost_lines),
        "joint_won": _won(result.independence["match"]),
        "joint_samples": JOINT_SAMPLES,
        "decisions": times[0]["decisions"],
        "times": Table(["row", *ways.values()], time_lines),
        "middle_samples": SAMPLES[1],
        "most_samples": SAMPLES[2],
        "first_middle": first_row(SAMPLES[1]),
        "first_most": first_row(SAMPLES[2]),
    }
