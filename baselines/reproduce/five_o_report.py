"""What ``cardenvs reproduce five-o`` shows: Markdown, plots and tables on the terminal, all from one object of figures."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from cardenvs.baselines.reporting import new_figure, png, table_lines
from cardenvs.baselines.reproduce.five_o import JOINT_SAMPLES, SAMPLES
from cardenvs.baselines.reproduce.five_o_table3 import AGENTS, DEPTH, EVALUATIONS, EXTRA, paper
from cardenvs.baselines.statistics import Z95
from cardenvs.files import json_text, write_whole

Figures = dict[str, Any]

SHORT = {
    "expectiminimax greedy2": "em greedy2",
    "expectiminimax fast-greedy2": "em fast-greedy2",
    "greedy1-published": "greedy1-pub.",
}
"""Names for the heads of wide tables."""

GREEDY1_CAUSE = (
    "The paper's `getPackExpect` gives equal ranks the greatest weight. The authors' program looks for equal *cards* "
    "instead, of which a deck has none: pairs, threes and full houses count nothing, and any straight draw counts more. "
    "`greedy1` is the agent in the paper's words, `greedy1-published` the one with the fault."
)


def _short(agent: str) -> str:
    return SHORT.get(agent, agent)


def _rate(rate: float, ci95: Sequence[float]) -> str:
    return f"{100 * rate:.1f} ±{50 * (ci95[1] - ci95[0]):.1f}"


def _ratio(value: float | None) -> str:
    return "∞" if value is None or math.isinf(value) else f"{value:.2f}"


def _ordinal(place: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(place, f"{place}th")


def _verdict(row: Figures) -> str:
    low, high = row["ci95"]
    return "above even" if low > 0.5 else "below even" if high < 0.5 else "not told apart from even"


def _place(standings: Sequence[Figures], agent: str) -> int:
    return 1 + [row["agent"] for row in standings].index(agent)


# --- sections ------------------------------------------------------------------------------------------------------


def _table2(figures: Figures) -> list[str]:
    heads = ["row", "samples", "mean error", "expected", "std", "expected", "largest", "win: mean error", "largest"]
    heads += ["another choice, %", "given away, %"]

    def cells(row: str, of: Figures) -> list[str]:
        line = [row, f"{of['samples']:,}"]
        line += [f"{of[key]:.4f}" for key in ("mean_absolute", "expected_mean_absolute", "deviation", "expected_deviation")]
        line += [f"{of['largest']:.4f}", f"{of['win_mean_absolute']:.4f}", f"{of['win_largest']:.4f}"]
        if "choices_differ" not in of:
            return [*line, "", ""]
        return [*line, f"{100 * of['choices_differ']:.0f}", f"{100 * of['given_away']:.3f}"]

    lines = [cells("paper", of) for of in figures["table2"]["paper"]]
    lines += [cells(str(row["row"]), of) for row in figures["table2"]["rows"] for of in row["samples"]]
    count = figures["settings"]["positions"]
    stds = ", ".join(f"{of['deviation']:.4f}" for of in figures["table2"]["paper"])
    return [
        "## Table II: simulated and exact chances",
        "",
        "How far simulated column chances are from the exact ones. The paper shows one position (put and wait of five",
        f"columns); here are {count} of each row from games of `greedy2` against itself, each the first turn of its row,",
        "when all five columns are open as in the paper's. *Expected*: what independent draws give, with a standard error",
        "of sqrt(p (1 - p) / samples) for each chance. *Win*: the chance to win the game after a placement, by equation 3.",
        "*Another choice*: how often the agent would put its card elsewhere than by the exact chances, and *given away*:",
        "how much of the chance to win (equation 3, exact) that costs on average.",
        "",
        "![Errors of simulated chances]({table2})",
        "",
        *table_lines(heads, lines),
        f"The paper's errors ({stds} in standard deviation) are those of binomial draws, and so are",
        "ours: they fall tenfold for a hundred times the samples. From the paper's printed put and wait chances equation 3",
        "gives its printed win chances, but for the rounding of the sixth digit.",
        "",
    ]


def _pairings(figures: Figures) -> dict[tuple[str, str], tuple[Figures, bool]]:
    found = {}
    for row in figures["table3"]["pairings"]:
        a, b = row["sides"]
        found[a, b], found[b, a] = (row, False), (row, True)
    return found


def _cell(row: Figures, mirrored: bool, printed: int | None) -> str:
    rate = 1 - row["win_rate"] if mirrored else row["win_rate"]
    text = _rate(rate, row["ci95"])
    return text if printed is None else f"{text} ({printed})"


def _table3(figures: Figures) -> list[str]:
    table, settings = figures["table3"], figures["settings"]
    pairings, printed = _pairings(figures), paper()["table3"]
    every = [*AGENTS, *EXTRA]
    cross = []
    for a in every:
        line = [a]
        for b in every:
            if a == b:
                line.append("")
                continue
            wins = printed["wins"][AGENTS.index(a)][AGENTS.index(b)] if a in AGENTS and b in AGENTS else None
            line.append(_cell(*pairings[a, b], wins))
        cross.append(line)
    order = sorted(zip(AGENTS, printed["totals"], strict=True), key=lambda item: -item[1][0])
    ranks = {agent: k for k, (agent, _) in enumerate(order, 1)}
    totals = {row["agent"]: row for row in table["comparison"]["totals"]}
    faulty = {row["agent"]: row for row in table["comparison_with_greedy1_published"]["totals"]}
    places = {}
    for k, row in enumerate(table["standings_with_greedy1_published"], 1):
        places[{"greedy1-published": "greedy1"}.get(row["agent"], row["agent"])] = k
    ladder = []
    for k, row in enumerate(table["standings"], 1):
        agent = row["agent"]
        won, lost = totals[agent]["paper"]
        ladder.append(
            [
                agent, f"{ranks[agent]}", f"{won}-{lost}", f"{k}", f"{row['wins_of_70']:.1f}-{70 - row['wins_of_70']:.1f}",
                f"{row['won']:,}-{row['lost']:,}", _rate(row["win_rate"], row["ci95"]), f"{totals[agent]['z']:+.1f}",
                f"{places[agent]}", f"{faulty[agent]['z']:+.1f}",
            ]
        )  # fmt: skip
    extra = [
        [row["agent"], f"{row['won']:,}-{row['lost']:,}", _rate(row["win_rate"], row["ci95"]), f"{row['columns']:+.2f}"]
        for row in table["extra"]
    ]
    lines = [
        "## Table III: everybody against everybody",
        "",
        f"{settings['games']:,} games a pair of agents that do not search, {settings['search_games']:,} with an",
        f"expectiminimax agent, {settings['slow_games']:,} with `monte-carlo` or `exact`. A deal is played twice, the",
        "sides exchanged, and all pairs play the same deals (the paper: ten games a pair, who moves first being drawn). A",
        "draw counts half; the paper shows none. The agents:",
        "",
        *(f"- {agent}: `{name}`" for agent, name in figures["policies"].items() if agent != name),
        "",
        "The paper's expectiminimax had up to a minute a decision, of which it says neither how many decks that was nor",
        "on what machine; Figure 2 below shows what other numbers of decks would do. Depth is 3, as in the paper.",
        "",
        "The row's games won against the column, %, ± half a 95% interval; in brackets the paper's wins of ten.",
        "",
        *table_lines(["", *map(_short, every)], cross),
        "Among the paper's eight, by wins; *of 70* is what 70 games, ten a pair, would bring on average, and *z* how far",
        "the paper's wins are from that in standard errors. The last two columns are with `greedy1-published` in the place",
        "of `greedy1`. In the win rate, and so in ranks, all pairs count alike; W-L are the games played.",
        "",
        *table_lines(
            ["agent", "rank, paper", "W-L, paper", "rank, ours", "of 70", "W-L, ours", "won, %", "z", "rank", "z"], ladder
        ),
        "Agents that the paper's table does not have, against its eight:",
        "",
        *table_lines(["agent", "W-L", "won, %", "columns a game"], extra),
    ]
    row, mirrored = pairings["reflex3", "greedy2"]
    values = {of["agent"]: of["values"] for of in figures["figure3"]}
    lines += [
        f"reflex3 wins {_cell(row, mirrored, None)}% against greedy2, at which the paper wonders, since both use `eval`.",
        "The other's columns cancel out of greedy2's choice, so that the two differ in one thing only: reflex3 takes",
        "the greatest rise of a column's value, greedy2 that of its logarithm. By ratios a better high card in a poor",
        "column counts as much as three of a kind made of a pair, and greedy2 ends with lower columns: a mean value of",
        f"{np.mean(values['greedy2']):,.0f} against {np.mean(values['reflex3']):,.0f} (Figure 3). The",
        "expectiminimax agents search with the same logarithms.",
        "",
    ]
    return [*lines, *_table3_text(figures)]


def _table3_text(figures: Figures) -> list[str]:
    table = figures["table3"]
    same, faulty = table["comparison"], table["comparison_with_greedy1_published"]
    claims = ("monte-carlo", "expectiminimax fast-greedy2", "reflex3", "reflex2")
    rows = [{row["agent"]: row for row in table[which]} for which in ("standings_with_greedy1_published", "standings")]

    def claimed(agent: str) -> str:
        published, worded = (
            f"{_verdict(row[agent])}, {_rate(row[agent]['win_rate'], row[agent]['ci95'])}%" for row in rows
        )
        return f"- {agent}: {published} (with `greedy1` as worded: {worded})"

    best, pairings = "expectiminimax fast-greedy2", _pairings(figures)
    off = next(row for row in faulty["totals"] if row["agent"] == "expectiminimax greedy2")
    few = min((row for row in figures["figure2"]["decks"] if row["evaluation"] == "greedy2"), key=lambda row: row["decks"])
    ladder = [row["agent"] for row in table["standings_with_greedy1_published"]]
    last = "last" if ladder[-1] == "greedy1-published" else f"not last: {_ordinal(1 + ladder.index('greedy1-published'))}"
    unlikely = [row for row in table["pairings"] if row["p"] is not None and row["p"] < 0.05]
    unlikely.sort(key=lambda row: float(row["p"]))
    lines = [
        f"Whether the paper's {same['pairs']} pairs of ten games fit our win rates: chi-squared is",
        f"{same['chi_squared']:.1f} on {same['pairs']} degrees of freedom (p = {same['p']:.2g}) with `greedy1`,",
        f"{faulty['chi_squared']:.1f} (p = {faulty['p']:.2g}) with `greedy1-published`. The pair of `reflex2` and",
        "`greedy2` is left out: both cells say 6 wins of ten, which cannot be, while both printed totals (39 and 36) fit",
        "a 4 in that place.",
        "",
        "The paper's claims that should come out again, with `greedy1-published` in the place of `greedy1`, since that",
        "is the agent that played: these four are above even, and greedy1 is last.",
        "",
        *map(claimed, claims),
        f"- greedy1: {last}",
        "",
        "The paper's conclusion is that expectiminimax (with fast-greedy2) outperforms all others. Here it wins "
        f"{_cell(*pairings[best, 'monte-carlo'], None)}% against monte-carlo (8-2 in the paper) and "
        f"{_cell(*pairings[best, 'reflex3'], None)}% against reflex3 (2-8).",
        "",
        f"The expectiminimax agent with greedy2 won {off['paper'][0]} of 70 in the paper, {off['expected']:.1f} would be",
        f"expected here (z {off['z']:+.1f}). With {few['decks']} deck a decision instead of",
        f"{figures['settings']['decks']} it wins {_rate(few['win_rate'], few['ci95'])}% against",
        "greedy2 (Figure 2); the paper's lost 3-7.",
        "",
    ]
    if unlikely:
        lines += [
            "Pairs in which ten games of ours would be as far off as the paper's in less than 5% of cases (with "
            f"{same['pairs']} pairs, one or two are to be expected), `greedy1` being the agent as worded:",
            "",
        ]
        for row in unlikely:
            a, b = row["sides"]
            lines.append(
                f"- {a} - {b}: {row['paper']}-{10 - row['paper']} in the paper, "
                f"{_rate(row['win_rate'], row['ci95'])}% here (p = {row['p']:.3f})"
            )
        lines.append("")
    return lines


def _greedy1(figures: Figures) -> list[str]:
    table = figures["table3"]
    named, faulty = table["standings"], table["standings_with_greedy1_published"]
    own = next(row for row in named if row["agent"] == "greedy1")
    other = next(row for row in faulty if row["agent"] == "greedy1-published")
    row, mirrored = _pairings(figures)["greedy1", "greedy1-published"]
    size = len(AGENTS)

    def place(rows: Sequence[Figures], agent: str) -> str:
        k = _place(rows, agent)
        return "last" if k == size else f"{_ordinal(k)} of {size}"

    won = _cell(row, mirrored, None)
    return [
        "## greedy1: the paper's words and its program",
        "",
        f"{GREEDY1_CAUSE}",
        "",
        f"- As worded, `greedy1` comes {place(named, 'greedy1')}: {_rate(own['win_rate'], own['ci95'])}% of its games.",
        f"- As programmed, `greedy1-published` in its place comes {place(faulty, 'greedy1-published')}: "
        f"{_rate(other['win_rate'], other['ci95'])}%; in the paper it is last with 21 of 70, 30%.",
        f"- `greedy1` wins {won}% against `greedy1-published`.",
        "",
        "So the paper's explanation, that greedyEval1's narrow range cannot tell states apart, is not the cause of its",
        "last place: the range is the same in both.",
        "",
    ]


def _cycle_line(row: Figures) -> str:
    a, b = row["sides"]
    error = (row["ci95"][1] - row["ci95"][0]) / (2 * Z95)
    z = f", z {(row['win_rate'] - 0.5) / error:+.1f}" if error and math.isfinite(error) else ""
    fits = f"p {row['p']:.3f}" if row["p"] is not None else "no figure"
    return (
        f"- {a} against {b}: {_rate(row['win_rate'], row['ci95'])}% of {row['games']:,} games{z}; "
        f"the paper {row['paper']}-{10 - row['paper']} ({fits} under our rate)"
    )


def _triples(found: Figures, of: str) -> list[str]:
    level = len(found["found"]) - found["significant"]
    lines = [
        f"Of the {found['triples']} triples among {of}, {found['significant']} are non-transitive with each of the three "
        f"leads significant by itself (95%, two-sided), and {level} more are non-transitive, but not significantly."
    ]
    if found["significant"]:
        lines.append("")
    for triple in found["found"]:
        if triple["significant"]:
            a, b, c = triple["agents"]
            x, y, z = (f"{100 * rate:.1f}%" for rate in triple["win_rates"])
            least = "" if triple["z"] is None else f"; least lead {triple['z']:.1f} standard errors"
            lines.append(f"- {a} > {b} ({x}) > {c} ({y}) > {a} ({z}){least}")
    return [*lines, ""]


def _cycle(figures: Figures) -> list[str]:
    table = figures["table3"]
    rows = table["paper_cycle"]
    holds = [row["ci95"][0] > 0.5 for row in rows]
    fails = [row for row in rows if row["ci95"][1] < 0.5]
    if all(holds):
        verdict = "The cycle is there: each of the three leads is significant."
    elif fails:
        verdict = "The cycle is not there: " + " and ".join(f"{row['sides'][1]} beats {row['sides'][0]}" for row in fails)
        verdict += " significantly, against the paper's direction."
    else:
        verdict = "The cycle is neither confirmed nor refuted: not all leads are told apart from even."
    own = table["paper_triples"]
    kept = sum(min(triple["win_rates"]) > 0.5 for triple in own["found"])
    printed = [
        "- "
        + " > ".join(f"{name} ({won}-{10 - won})" for name, won in zip(triple["agents"], triple["paper"], strict=True))
        + f" > {triple['agents'][0]}; here {', '.join(f'{100 * rate:.0f}%' for rate in triple['win_rates'])}"
        for triple in own["found"]
    ]
    many = own["by_chance_as_many"]
    chance = f"{100 * many:.0f}% of them have as many" + (", so that these are no evidence" if many > 0.05 else "")
    return [
        "## The non-transitive cycle",
        "",
        "The paper's: reflex3 beats expectiminimax with fast-greedy2, which beats greedy2, which beats reflex3. Its own",
        "Table III does not bear the last out: there reflex3 wins 6-4 against greedy2.",
        "",
        *map(_cycle_line, rows),
        "",
        verdict,
        "",
        f"The paper's table has {len(own['found'])} other triples in which each agent won more than five of ten games",
        f"against the next. Tables of ten games a pair drawn from our win rates have {own['by_chance_mean']:.1f} on",
        f"average, and {chance}. {kept} of the {len(own['found'])} have three leads in the same direction here:",
        "",
        *printed,
        "",
        *_triples(table["triples"], "the paper's eight agents"),
        *_triples(table["triples_of_all"], f"all {len(AGENTS) + len(EXTRA)}"),
        "A triple of which one pair is truly level is counted as significant with a chance of at most 2.5%.",
        "",
    ]


def _figure2(figures: Figures) -> list[str]:
    settings, second = figures["settings"], figures["figure2"]

    def lines(what: str, key: str) -> list[list[str]]:
        return [
            [
                f"{row[key]:,}", row["evaluation"], _rate(row["win_rate"], row["ci95"]), f"{row['columns']:+.2f}",
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


_REFLEX = ("reflex1", "reflex2", "reflex3")


def _figure3(figures: Figures) -> list[str]:
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


def _figure4(figures: Figures) -> list[str]:
    totals = {row["agent"]: row["paper"] for row in figures["table3"]["comparison"]["totals"]}
    lines = []
    for row in [*figures["table3"]["standings"], *figures["table3"]["extra"]]:
        won, lost = totals.get(row["agent"], (None, None))
        lines.append([row["agent"], "" if won is None else f"{won / lost:.2f}", _ratio(row["win_loss_ratio"])])
    return [
        "## Figure 4: win-loss ratios",
        "",
        "Against the paper's eight agents but itself, all pairs counting alike and a draw half.",
        "",
        "![Win-loss ratios]({figure4})",
        "",
        *table_lines(["agent", "paper", "ours"], lines),
    ]


def _independence(figures: Figures) -> list[str]:
    part = figures["independence"]
    match = part["match"]
    lines = [
        [
            str(row["row"]), f"{row['positions']:,}", f"{100 * row['mean_absolute_difference']:.2f}",
            f"{100 * row['mean_difference']:+.2f}", f"{100 * row['choices_differ']:.0f}", f"{100 * row['mean_loss']:.3f}",
        ]
        for row in part["rows"]
    ]  # fmt: skip
    return [
        "## What independence costs",
        "",
        "Equation 3 multiplies the columns' chances as if they were independent; they share a deck. Beside it the share of",
        f"the same completions in which three columns are won ({SAMPLES[-1]:,} completions of a position, all of them in",
        "the last row). Positions are of all turns with a choice, in games of `greedy2`. Points of a percent of the chance",
        "to win:",
        "",
        *table_lines(
            ["row", "positions", "mean difference", "equation 3 less the other", "another choice, %", "given away"],
            lines,
        ),
        f"In play: `monte-carlo` that counts games (`joint=yes`) wins {_rate(match['win_rate'], match['ci95'])}% of "
        f"{match['games']:,} games against the paper's, both with {JOINT_SAMPLES:,} completions.",
        "",
    ]


def _exact(figures: Figures) -> list[str]:
    rows = figures["exact"]
    lines = [
        [
            str(row["row"]), f"{row['exact_mean']:.2f}", f"{row['exact_largest']:.2f}",
            *(f"{row[f'sampled_{samples}']:.2f}" for samples in SAMPLES),
        ]
        for row in rows
    ]  # fmt: skip

    def first(samples: int) -> str:
        fitting = [row["row"] for row in rows if row["exact_mean"] <= row[f"sampled_{samples}"]]
        return f"row {min(fitting)}" if fitting else "no row"

    small, large = SAMPLES[1], SAMPLES[2]
    return [
        "## From which row on exact chances are affordable",
        "",
        f"Milliseconds of processor time a decision, {rows[0]['decisions']} decisions of each row, one at a time:",
        "",
        *table_lines(["row", "exact", "at most", *(f"{samples:,} samples" for samples in SAMPLES)], lines),
        f"Counting all completions takes no longer than {large:,} samples from {first(large)} on and than {small:,} from "
        f"{first(small)} on. The paper counts in the last row, and by tables held in memory in all rows but the first to "
        "be filled; here all rows are within reach (`exact:row=2`), and `exact` counts from row 3 on unless told",
        "otherwise.",
        "",
    ]


def _wrapped(block: str) -> str:
    """A paragraph in lines of like length; anything else as it is."""
    if block.startswith(("|", "#", "-", "!", "Written by")):
        return block
    return textwrap.fill(" ".join(block.split("\n")), 120, break_long_words=False, break_on_hyphens=False)


def markdown(figures: Figures, command: str, plots: dict[str, str]) -> str:
    """The report.

    Args:
        figures: all of them.
        command: that makes it again.
        plots: file names by part.
    """
    lines = [
        "# Five-O: the paper's tables and figures again",
        "",
        f"Written by `{command} --markdown FILE`, seed {figures['settings']['seed']}.",
        "",
        'Source: S. Aharon and M. Mandel, "Five-O Poker". Intervals are 95% confidence intervals from the spread between',
        "deals.",
        "",
    ]
    for section in (
        _table2, _table3, _greedy1, _cycle, _figure2, _figure3, _figure4, _independence, _exact,
    ):  # fmt: skip
        lines += section(figures)
    text = "\n\n".join(map(_wrapped, "\n".join(lines).strip().split("\n\n"))) + "\n"
    for name, file in plots.items():
        text = text.replace(f"({{{name}}})", f"({file})")
    return text


# --- plots ---------------------------------------------------------------------------------------------------------


def _tidy(axes: Any) -> None:
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _table2_png(figures: Figures) -> bytes:
    figure = new_figure(6.5, 4.0)
    axes = figure.add_subplot()
    for row in figures["table2"]["rows"]:
        axes.plot(SAMPLES, [of["deviation"] for of in row["samples"]], "o-", label=f"row {row['row']}")
    expected = [of["expected_deviation"] for of in figures["table2"]["rows"][0]["samples"]]
    axes.plot(SAMPLES, expected, ":", color="0.4", label="binomial, row 2")
    axes.plot(SAMPLES, [of["deviation"] for of in figures["table2"]["paper"]], "kx", markersize=9, label="paper")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("samples")
    axes.set_ylabel("standard deviation of a column's chance")
    axes.legend(frameon=False)
    _tidy(axes)
    return png(figure)


def _figure2_png(figures: Figures) -> bytes:
    figure = new_figure(9.0, 4.0)
    for place, (what, label) in enumerate((("depth", "depth"), ("decks", f"decks, at depth {DEPTH}")), 1):
        axes = figure.add_subplot(1, 2, place)
        for evaluation in EVALUATIONS:
            rows = sorted((r for r in figures["figure2"][what] if r["evaluation"] == evaluation), key=lambda r: r[what])
            rates = np.array([row["win_rate"] for row in rows])
            ends = np.array([row["ci95"] for row in rows])
            reach = np.abs(ends - rates[:, None]).T
            axes.errorbar([r[what] for r in rows], 100 * rates, yerr=100 * reach, fmt="o-", capsize=3, label=evaluation)
        axes.axhline(50, color="0.7", linewidth=1)
        axes.set_xlabel(label)
        axes.set_ylabel("won against greedy2, %")
        if what == "decks":
            axes.set_xscale("log")
        else:
            axes.set_xticks(sorted({row[what] for row in figures["figure2"][what]}))
        axes.legend(frameon=False)
        _tidy(axes)
    return png(figure)


def _figure3_png(figures: Figures) -> bytes:
    figure = new_figure(7.5, 4.8)
    axes = figure.add_subplot()
    colours = [*(f"C{k}" for k in range(10)), "black"]
    for row, colour, marker in zip(figures["figure3"], colours, "osv^D<>phP*", strict=True):
        axes.plot(range(1, 6), row["values"], marker=marker, color=colour, markersize=5, linewidth=1.2, label=row["agent"])
    axes.set_xticks(range(1, 6))
    axes.set_xlabel("column, the highest first")
    axes.set_ylabel("mean value (1 to 7,462)")
    axes.legend(frameon=False, fontsize=8)
    _tidy(axes)
    return png(figure)


def _figure4_png(figures: Figures) -> bytes:
    table = figures["table3"]
    totals = {row["agent"]: row["paper"] for row in table["comparison"]["totals"]}
    rows = [*table["standings"], *table["extra"]]
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    places = np.arange(len(rows))
    ratios = [row["win_loss_ratio"] for row in rows]
    axes.barh(places - 0.2, [x if x is not None and math.isfinite(x) else 0 for x in ratios], 0.38, label="ours")
    known = [(k, totals[row["agent"]]) for k, row in enumerate(rows) if row["agent"] in totals]
    axes.barh([k + 0.2 for k, _ in known], [won / lost for _, (won, lost) in known], 0.38, color="0.7", label="paper")
    axes.axvline(1.0, color="0.5", linewidth=1)
    axes.set_yticks(places, [row["agent"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("wins for each loss, against the paper's eight")
    axes.legend(frameon=False)
    _tidy(axes)
    return png(figure)


PLOTS = {"table2": _table2_png, "figure2": _figure2_png, "figure3": _figure3_png, "figure4": _figure4_png}


# --- files, terminal -----------------------------------------------------------------------------------------------


def write_report(figures: Figures, path: Path, command: str) -> None:
    """Writes the report, its plots and a JSON file beside it, each whole or not at all.

    Raises:
        OSError: a file cannot be written.
    """
    names = {part: f"{path.stem}_{part}.png" for part in PLOTS}
    contents: list[tuple[Path, bytes | str]] = [
        (path, markdown(figures, command, names)),
        (path.with_suffix(".json"), json_text(figures)),
        *((path.parent / names[part], draw(figures)) for part, draw in PLOTS.items()),
    ]
    for file, content in contents:
        write_whole(file, content)


def show(figures: Figures) -> None:
    """Prints the ladder, the cycle and the errors of Table II."""
    console = Console()
    table = figures["table3"]
    totals = {row["agent"]: row for row in table["comparison"]["totals"]}
    ladder = Table(title="Five-O: Table III, against the paper's eight agents", box=None)
    for k, head in enumerate(("agent", "W-L, paper", "of 70, ours", "won, %")):
        ladder.add_column(head, justify="right" if k else "left", no_wrap=True)
    for row in [*table["standings"], *table["extra"]]:
        printed = totals.get(row["agent"])
        ladder.add_row(
            row["agent"],
            "-".join(map(str, printed["paper"])) if printed else "",
            f"{row['wins_of_70']:.1f}" if printed else "",
            _rate(row["win_rate"], row["ci95"]),
        )
    console.print(ladder)
    for row in table["paper_cycle"]:
        console.print(_cycle_line(row)[2:], highlight=False)
    for of in figures["table2"]["paper"]:
        ours = [row["samples"][SAMPLES.index(of["samples"])] for row in figures["table2"]["rows"]]
        console.print(
            f"{of['samples']:,} samples: mean error {np.mean([r['mean_absolute'] for r in ours]):.4f}, "
            f"{np.mean([r['expected_mean_absolute'] for r in ours]):.4f} expected, {of['mean_absolute']:.4f} in the paper",
            highlight=False,
        )
