"""The report's sections on the paper's Figures 2 to 4."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardenvs.baselines.reproduce.five_o.cells import Figures, rate_of, rate_text, ratio_text
from cardenvs.baselines.reproduce.five_o.paper import AGENTS
from cardenvs.baselines.reproduce.five_o.settings import DEPTH, EVALUATIONS
from cardenvs.printing import table_lines

_REFLEX = ("reflex1", "reflex2", "reflex3")


def figure2_section(figures: Figures) -> list[str]:
    """Figure 2, the depth of expectiminimax, as lines of Markdown."""
    settings, second = figures["settings"], figures["figure2"]

    def lines(what: str, key: str) -> list[list[str]]:
        return [
            [
                f"{row[key]:,}", row["evaluation"], rate_text(rate_of(row)), f"{row['columns']:+z.2f}",
                f"{row['ms_a_decision']:.2f}",
            ]
            for row in sorted(second[what], key=lambda row: (EVALUATIONS.index(row["evaluation"]), row[key]))
        ]  # fmt: skip

    heads = ["evaluation", "won, %", "columns a game", "ms a decision"]
    return [
        "## Figure 2: the depth of expectiminimax",
        "",
        f"Expectiminimax against `greedy2`, {settings['depth_games']:,} games of the same deals each,",
        f"{settings['decks']:,} decks a decision at every depth. (The paper: ten games a depth at equal time, up to depth",
        "ten, with a fall there that it puts down to too few decks. It does not print its figure's values.)",
        "",
        "![Strength by depth and decks]({figure2})",
        "",
        *table_lines(["depth", *heads], lines("depth", "depth")),
        "What counts is the agent's own placements, the first, third and fifth: both state values are sums of what each",
        "player's columns are worth by themselves, so that before the end of the game an own placement is as good whatever",
        "the other does, and a last ply that is the other's adds next to nothing.",
        "",
        f"And at depth {DEPTH} by the number of decks:",
        "",
        *table_lines(["decks", *heads], lines("decks", "decks")),
    ]


def figure3_section(figures: Figures) -> list[str]:
    """Figure 3, mean column values, as lines of Markdown."""
    values = {row["agent"]: row["values"] for row in figures["figure3"]}

    def mean(agents: Sequence[str], part: slice) -> str:
        return f"{np.mean([values[agent][part] for agent in agents]):,.0f}"

    state = [agent for agent in AGENTS if agent not in _REFLEX and agent != "greedy1"]
    high, low = slice(0, 3), slice(3, 5)
    rows = sorted(figures["figure3"], key=lambda row: -sum(row["values"][:3]))
    return [
        "## Figure 3: mean column values",
        "",
        "The value of an agent's highest column at the end of the game, its second highest and so on (1 to 7,462, the mean",
        f"over {figures['settings']['value_games']} games against each of the paper's eight agents but itself); ± is half",
        "of a 95% interval. The paper prints no values.",
        "",
        "![Mean column values]({figure3})",
        "",
        *table_lines(
            ["agent", "highest", "second", "third", "fourth", "lowest", "mean of three", "mean of all"],
            [
                [
                    row["agent"],
                    *(f"{value:,.0f} ±{half:.0f}" for value, half in zip(row["values"], row["half_widths"], strict=True)),
                    f"{np.mean(row['values'][:3]):,.0f}",
                    f"{np.mean(row['values']):,.0f}",
                ]
                for row in rows
            ],
        ),
        "The paper: agents that evaluate the state as a whole raise their three highest columns, the reflex agents all of",
        f"theirs. Here the three highest are {mean(state, high)} on average for {', '.join(state)}, and the two",
        f"lowest {mean(state, low)}; for the reflex agents {mean(_REFLEX, high)} and {mean(_REFLEX, low)}, but for reflex3",
        f"alone {mean(['reflex3'], high)} and {mean(['reflex3'], low)}.",
        "",
    ]


def figure4_section(figures: Figures) -> list[str]:
    """Figure 4, win-loss ratios, as lines of Markdown."""
    totals = {row["agent"]: row["paper"] for row in figures["table3"]["comparison"]["totals"]}
    lines = []
    for row in [*figures["table3"]["standings"], *figures["table3"]["extra"]]:
        won, lost = totals.get(row["agent"], (None, None))
        lines.append([row["agent"], "" if won is None else f"{won / lost:.2f}", ratio_text(row["win_loss_ratio"])])
    return [
        "## Figure 4: win-loss ratios",
        "",
        "Against the paper's eight agents but itself, all pairs counting alike and a draw half.",
        "",
        "![Win-loss ratios]({figure4})",
        "",
        *table_lines(["agent", "paper", "ours"], lines),
    ]
