"""The report of the Five-O paper's tables and figures; Table III has a file of its own."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from cardenvs.baselines.reports.document import (
    Block,
    Document,
    Estimate,
    Heading,
    Name,
    Only,
    Picture,
    Table,
    Text,
    in_file,
    said,
)
from cardenvs.baselines.reproduce.five_o.plots import PLOTS, Figures
from cardenvs.baselines.reproduce.five_o.settings import AGENTS, DEPTH, EVALUATIONS, JOINT_SAMPLES, SAMPLES
from cardenvs.baselines.reproduce.five_o.table3_report import (
    cycle_section,
    greedy1_section,
    rate_of,
    rate_text,
    ratio_text,
    table3_section,
)
from cardenvs.baselines.reproduce.papers import written_by

_REFLEX = ("reflex1", "reflex2", "reflex3")


def document(figures: Figures, command: str = "") -> Document:
    """The report.

    Args:
        figures: all figures, as JSON has them.
        command: the command line that measures the figures again.
    """
    source = said(
        """Source: S. Aharon and M. Mandel, "Five-O Poker". Intervals are 95% confidence intervals from the spread between
        deals."""
    )
    parts: list[Block | Only] = [
        in_file(written_by(command), source),
        *_table2(figures),
        *table3_section(figures),
        in_file(*greedy1_section(figures)),
        *cycle_section(figures),
        in_file(*_figure2(figures), *_figure3(figures), *_figure4(figures), *_independence(figures), *_exact(figures)),
    ]
    return Document("Five-O: the paper's tables and figures again", parts)


def _picture(title: str, name: str, figures: Figures) -> Picture:
    """A plot."""
    return Picture(title, name, functools.partial(PLOTS[name], figures))


def _table2(figures: Figures) -> list[Block | Only]:
    """Table II: simulated and exact chances."""
    errors = {
        "mean error": "mean_absolute", "expected": "expected_mean_absolute", "std": "deviation",
        "std expected": "expected_deviation", "largest": "largest", "win: mean error": "win_mean_absolute",
        "win: largest": "win_largest",
    }  # fmt: skip
    choices = ("another choice, %", "given away, %")

    def cells(row: str, of: Figures) -> list[str]:
        """The errors of a number of samples."""
        line = [row, f"{of['samples']:,}", *(f"{of[key]:.4f}" for key in errors.values())]
        return [
            *line,
            *(["", ""] if row == "paper" else [f"{100 * of['choices_differ']:.0f}", f"{100 * of['given_away']:.3f}"]),
        ]

    lines = [cells("paper", of) for of in figures["table2"]["paper"]]
    lines += [cells(str(row["row"]), of) for row in figures["table2"]["rows"] for of in row["samples"]]
    stds = ", ".join(f"{of['deviation']:.4f}" for of in figures["table2"]["paper"])
    meaning = said(
        f"""How far simulated column chances are from the exact ones. The paper shows one position (put and wait of five
        columns); here are {figures["settings"]["positions"]} of each row from games of `greedy2` against itself, each the
        first turn of its row, when all five columns are open as in the paper's. **Expected**: what independent draws give,
        with a standard error of sqrt(p (1 - p) / samples) for each chance. **Win**: the chance to win the game after a
        placement, by equation 3. **Another choice**: how often the agent would put its card elsewhere than by the exact
        chances, and **given away**: how much of the chance to win (equation 3, exact) that costs on average."""
    )
    finding = said(
        f"""The paper's errors ({stds} in standard deviation) are those of binomial draws, and so are ours: they fall
        tenfold for a hundred times the samples. From the paper's printed put and wait chances equation 3 gives its printed
        win chances, but for the rounding of the sixth digit."""
    )
    return [
        Heading("Table II: simulated and exact chances"),
        in_file(meaning, _picture("Errors of simulated chances", "table2", figures)),
        Table(["row", "samples", *errors, *choices], lines, spare=[*list(errors)[2:], *choices]),
        in_file(finding),
    ]


def _figure2(figures: Figures) -> list[Block]:
    """Figure 2, the depth of expectiminimax."""
    settings = figures["settings"]

    def table(key: str) -> Table:
        """The matches by depth or by decks."""
        rows = sorted(figures["figure2"][key], key=lambda row: (EVALUATIONS.index(row["evaluation"]), row[key]))
        cells: list[list[Text]] = [
            [
                f"{row[key]:,}", row["evaluation"], Estimate(rate_of(row), percent=True), f"{row['columns']:+z.2f}",
                f"{row['ms_a_decision']:.2f}",
            ]
            for row in rows
        ]  # fmt: skip
        return Table([key, "evaluation", "won, %", "columns a game", "ms a decision"], cells)

    return [
        Heading("Figure 2: the depth of expectiminimax"),
        said(
            f"""Expectiminimax against `greedy2`, {settings["depth_games"]:,} games of the same deals each,
            {settings["decks"]:,} decks a decision at every depth. (The paper: ten games a depth at equal time, up to depth
            ten, with a fall there that it puts down to too few decks. It does not print its figure's values.)"""
        ),
        _picture("Strength by depth and decks", "figure2", figures),
        table("depth"),
        said(
            """What counts is the agent's own placements, the first, third and fifth: both state values are sums of what
            each player's columns are worth by themselves, so that before the end of the game an own placement is as good
            whatever the other does, and a last ply that is the other's adds next to nothing."""
        ),
        said(f"And at depth {DEPTH} by the number of decks:"),
        table("decks"),
    ]


def _figure3(figures: Figures) -> list[Block]:
    """Figure 3, mean column values."""
    values = {row["agent"]: row["values"] for row in figures["figure3"]}

    def mean(agents: Sequence[str], part: slice) -> str:
        """The mean over agents and some of their columns."""
        return f"{np.mean([values[agent][part] for agent in agents]):,.0f}"

    state = [agent for agent in AGENTS if agent not in _REFLEX and agent != "greedy1"]
    high, low = slice(0, 3), slice(3, 5)
    cells: list[list[Text]] = [
        [
            Name(row["agent"]),
            *(f"{value:,.0f} ±{half:.0f}" for value, half in zip(row["values"], row["half_widths"], strict=True)),
            mean([row["agent"]], high),
            mean([row["agent"]], slice(None)),
        ]
        for row in sorted(figures["figure3"], key=lambda row: -sum(row["values"][:3]))
    ]
    return [
        Heading("Figure 3: mean column values"),
        said(
            f"""The value of an agent's highest column at the end of the game, its second highest and so on (1 to 7,462, the
            mean over {figures["settings"]["value_games"]} games against each of the paper's eight agents but itself); ± is
            half of a 95% interval. The paper prints no values."""
        ),
        _picture("Mean column values", "figure3", figures),
        Table(["agent", "highest", "second", "third", "fourth", "lowest", "mean of three", "mean of all"], cells),
        said(
            f"""The paper: agents that evaluate the state as a whole raise their three highest columns, the reflex agents
            all of theirs. Here the three highest are {mean(state, high)} on average for {", ".join(state)}, and the two
            lowest {mean(state, low)}; for the reflex agents {mean(_REFLEX, high)} and {mean(_REFLEX, low)}, but for
            reflex3 alone {mean(["reflex3"], high)} and {mean(["reflex3"], low)}."""
        ),
    ]


def _figure4(figures: Figures) -> list[Block]:
    """Figure 4, win-loss ratios."""
    totals = {row["agent"]: row["paper"] for row in figures["table3"]["comparison"]["totals"]}
    lines = []
    for row in [*figures["table3"]["standings"], *figures["table3"]["extra"]]:
        won, lost = totals.get(row["agent"], (None, None))
        lines.append([row["agent"], "" if won is None else f"{won / lost:.2f}", ratio_text(row["win_loss_ratio"])])
    return [
        Heading("Figure 4: win-loss ratios"),
        said("Against the paper's eight agents but itself, all pairs counting alike and a draw half."),
        _picture("Win-loss ratios", "figure4", figures),
        Table(["agent", "paper", "ours"], lines),
    ]


def _independence(figures: Figures) -> list[Block]:
    """The cost of taking the columns for independent."""
    part = figures["independence"]
    lines = [
        [
            str(row["row"]), f"{row['positions']:,}", f"{100 * row['mean_absolute_difference']:.2f}",
            f"{100 * row['mean_difference']:+z.2f}", f"{100 * row['choices_differ']:.0f}", f"{100 * row['mean_loss']:.3f}",
        ]
        for row in part["rows"]
    ]  # fmt: skip
    return [
        Heading("What independence costs"),
        said(
            f"""Equation 3 multiplies the columns' chances as if they were independent; they share a deck. Beside it the
            share of the same completions in which three columns are won ({SAMPLES[-1]:,} completions of a position, all of
            them in the last row). Positions are of all turns with a choice, in games of `greedy2`. Percentage points of
            the chance to win:"""
        ),
        Table(
            ["row", "positions", "mean difference", "equation 3 less the other", "another choice, %", "given away"], lines
        ),
        said(
            f"""In play: `monte-carlo` that counts games (`joint=yes`) wins {rate_text(rate_of(part["match"]))}% of
            {part["match"]["games"]:,} games against the paper's, both with {JOINT_SAMPLES:,} completions."""
        ),
    ]


def _exact(figures: Figures) -> list[Block]:
    """The cost of exact chances, by row."""
    rows = figures["exact"]

    def cells(row: Figures) -> list[str]:
        """The times of a row, in milliseconds."""
        times = (row["exact_mean"], row["exact_largest"], *(row[f"sampled_{samples}"] for samples in SAMPLES))
        return [str(row["row"]), *(f"{ms:.2f}" for ms in times)]

    def first(samples: int) -> str:
        """The first row in which exact chances take no longer than so many samples."""
        fitting = [row["row"] for row in rows if row["exact_mean"] <= row[f"sampled_{samples}"]]
        return f"row {min(fitting)}" if fitting else "no row"

    small, large = SAMPLES[1:]
    return [
        Heading("From which row on exact chances are affordable"),
        said(f"Milliseconds of processor time a decision, {rows[0]['decisions']} decisions of each row, one at a time:"),
        Table(["row", "exact", "at most", *(f"{samples:,} samples" for samples in SAMPLES)], list(map(cells, rows))),
        said(
            f"""Counting all completions takes no longer than {large:,} samples from {first(large)} on and than {small:,}
            from {first(small)} on. The paper counts in the last row, and by tables held in memory in all rows but the
            first to be filled; here all rows are within reach (`exact:row=2`), and `exact` counts from row 3 on unless
            told otherwise."""
        ),
    ]
