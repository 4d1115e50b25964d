"""The report's sections on Table III: everybody against everybody, greedy1's fault, the non-transitive cycle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.reproduce.five_o.cells import (
    Figures,
    ordinal,
    rank_of,
    rate_of,
    rate_text,
    rates_of_pairs,
    short_name,
    verdict,
)
from cardenvs.baselines.reproduce.five_o.paper import AGENTS, paper
from cardenvs.baselines.reproduce.five_o.settings import EXTRA
from cardenvs.printing import table_lines

GREEDY1_CAUSE = (
    "The paper's `getPackExpect` gives equal ranks the greatest weight. The authors' program looks for equal *cards* "
    "instead, of which a deck has none: pairs, threes and full houses count nothing, and any straight draw counts more. "
    "`greedy1` is the agent in the paper's words, `greedy1-published` the one with the fault."
)


def _cross_table(figures: Figures) -> list[str]:
    """Every agent's win rate against every other, the paper's wins of ten in brackets."""
    rates, printed = rates_of_pairs(figures), paper()["table3"]["wins"]
    every = [*AGENTS, *EXTRA]

    def cell(a: str, b: str) -> str:
        if a == b:
            return ""
        wins = printed[AGENTS.index(a)][AGENTS.index(b)] if a in AGENTS and b in AGENTS else None
        return rate_text(rates[a, b]) + ("" if wins is None else f" ({wins})")

    return table_lines(["", *map(short_name, every)], [[a, *(cell(a, b) for b in every)] for a in every])


def _ladder(figures: Figures) -> list[str]:
    """The paper's eight agents by wins, the paper's figures beside ours."""
    table = figures["table3"]
    order = sorted(zip(AGENTS, paper()["table3"]["totals"], strict=True), key=lambda item: -item[1][0])
    printed_ranks = {agent: k for k, (agent, _) in enumerate(order, 1)}
    totals = {row["agent"]: row for row in table["comparison"]["totals"]}
    faulty = {row["agent"]: row for row in table["comparison_with_greedy1_published"]["totals"]}
    faulty_ranks = {}
    for k, row in enumerate(table["standings_with_greedy1_published"], 1):
        faulty_ranks[{"greedy1-published": "greedy1"}.get(row["agent"], row["agent"])] = k
    ladder = []
    for k, row in enumerate(table["standings"], 1):
        agent = row["agent"]
        won, lost = totals[agent]["paper"]
        ladder.append(
            [
                agent, f"{printed_ranks[agent]}", f"{won}-{lost}", f"{k}",
                f"{row['wins_of_70']:.1f}-{70 - row['wins_of_70']:.1f}",
                f"{row['won']:,}-{row['lost']:,}", rate_text(rate_of(row)), f"{totals[agent]['z']:+z.1f}",
                f"{faulty_ranks[agent]}", f"{faulty[agent]['z']:+z.1f}",
            ]
        )  # fmt: skip
    return table_lines(
        ["agent", "rank, paper", "W-L, paper", "rank, ours", "of 70", "W-L, ours", "won, %", "z", "rank", "z"], ladder
    )


def table3_section(figures: Figures) -> list[str]:
    """Table III, everybody against everybody, as lines of Markdown."""
    table, settings = figures["table3"], figures["settings"]
    extra = [
        [row["agent"], f"{row['won']:,}-{row['lost']:,}", rate_text(rate_of(row)), f"{row['columns']:+z.2f}"]
        for row in table["extra"]
    ]
    values = {row["agent"]: row["values"] for row in figures["figure3"]}
    return [
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
        *_cross_table(figures),
        "Among the paper's eight, by wins; *of 70* is what 70 games, ten a pair, would bring on average, and *z* how far",
        "the paper's wins are from that in standard errors. The last two columns are with `greedy1-published` in the place",
        "of `greedy1`. In the win rate, and so in ranks, all pairs count alike; W-L are the games played.",
        "",
        *_ladder(figures),
        "Agents that the paper's table does not have, against its eight:",
        "",
        *table_lines(["agent", "W-L", "won, %", "columns a game"], extra),
        f"reflex3 wins {rate_text(rates_of_pairs(figures)['reflex3', 'greedy2'])}%",
        "against greedy2, at which the paper wonders, since both use `eval`.",
        "The other's columns cancel out of greedy2's choice, so that the two differ in one thing only: reflex3 takes",
        "the greatest rise of a column's value, greedy2 that of its logarithm. By ratios a better high card in a poor",
        "column counts as much as three of a kind made of a pair, and greedy2 ends with lower columns: a mean value of",
        f"{np.mean(values['greedy2']):,.0f} against {np.mean(values['reflex3']):,.0f} (Figure 3). The",
        "expectiminimax agents search with the same logarithms.",
        "",
        *_comparison(figures),
        *_unlikely_pairs(figures),
    ]


def _comparison(figures: Figures) -> list[str]:
    """Lines that compare the paper's Table III with ours and check the paper's claims."""
    table = figures["table3"]
    same, faulty = table["comparison"], table["comparison_with_greedy1_published"]
    claims = ("monte-carlo", "expectiminimax fast-greedy2", "reflex3", "reflex2")
    rows = [{row["agent"]: row for row in table[which]} for which in ("standings_with_greedy1_published", "standings")]

    def claimed(agent: str) -> str:
        rates = [rate_of(row[agent]) for row in rows]
        published, worded = (f"{verdict(rate)}, {rate_text(rate)}%" for rate in rates)
        return f"- {agent}: {published} (with `greedy1` as worded: {worded})"

    best, rates = "expectiminimax fast-greedy2", rates_of_pairs(figures)
    off = next(row for row in faulty["totals"] if row["agent"] == "expectiminimax greedy2")
    few = min((row for row in figures["figure2"]["decks"] if row["evaluation"] == "greedy2"), key=lambda row: row["decks"])
    ladder = [row["agent"] for row in table["standings_with_greedy1_published"]]
    last = "last" if ladder[-1] == "greedy1-published" else f"not last: {ordinal(1 + ladder.index('greedy1-published'))}"
    return [
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
        f"{rate_text(rates[best, 'monte-carlo'])}% against monte-carlo (8-2 in the paper) and "
        f"{rate_text(rates[best, 'reflex3'])}% against reflex3 (2-8).",
        "",
        f"The expectiminimax agent with greedy2 won {off['paper'][0]} of 70 in the paper, {off['expected']:.1f} would be",
        f"expected here (z {off['z']:+z.1f}). With {few['decks']} deck a decision instead of",
        f"{figures['settings']['decks']} it wins {rate_text(rate_of(few))}% against",
        "greedy2 (Figure 2); the paper's lost 3-7.",
        "",
    ]


def _unlikely_pairs(figures: Figures) -> list[str]:
    """The pairs whose ten games in the paper our win rates hardly allow."""
    table = figures["table3"]
    unlikely = [row for row in table["pairings"] if row["p"] is not None and row["p"] < 0.05]
    if not unlikely:
        return []
    lines = [
        "Pairs in which ten games of ours would be as far off as the paper's in less than 5% of cases (with "
        f"{table['comparison']['pairs']} pairs, one or two are to be expected), `greedy1` being the agent as worded:",
        "",
    ]
    for row in sorted(unlikely, key=lambda row: float(row["p"])):
        a, b = row["sides"]
        lines.append(
            f"- {a} - {b}: {row['paper']}-{10 - row['paper']} in the paper, {rate_text(rate_of(row))}% here "
            f"(p = {row['p']:.3f})"
        )
    return [*lines, ""]


def greedy1_section(figures: Figures) -> list[str]:
    """The effect of the fault in the paper's greedy1, as lines of Markdown."""
    table = figures["table3"]
    named, faulty = table["standings"], table["standings_with_greedy1_published"]
    own = next(row for row in named if row["agent"] == "greedy1")
    other = next(row for row in faulty if row["agent"] == "greedy1-published")
    size = len(AGENTS)

    def rank(rows: Sequence[Figures], agent: str) -> str:
        k = rank_of(rows, agent)
        return "last" if k == size else f"{ordinal(k)} of {size}"

    won = rate_text(rates_of_pairs(figures)["greedy1", "greedy1-published"])
    return [
        "## greedy1: the paper's words and its program",
        "",
        f"{GREEDY1_CAUSE}",
        "",
        f"- As worded, `greedy1` comes {rank(named, 'greedy1')}: {rate_text(rate_of(own))}% of its games.",
        f"- As programmed, `greedy1-published` in its place comes {rank(faulty, 'greedy1-published')}: "
        f"{rate_text(rate_of(other))}%; in the paper it is last with 21 of 70, 30%.",
        f"- `greedy1` wins {won}% against `greedy1-published`.",
        "",
        "So the paper's explanation, that greedyEval1's narrow range cannot tell states apart, is not the cause of its",
        "last place: the range is the same in both.",
        "",
    ]


def cycle_line(row: Figures) -> str:
    """A pair of the paper's cycle: our games, their distance from even in standard errors, and the paper's ten."""
    a, b = row["sides"]
    rate = rate_of(row)
    error = (rate.high - rate.low) / 2 / Z95
    z = f", z {(row['win_rate'] - 0.5) / error:+z.1f}" if error and math.isfinite(error) else ""
    fits = f"p {row['p']:.3f}" if row["p"] is not None else "no figure"
    return (
        f"- {a} against {b}: {rate_text(rate_of(row))}% of {row['games']:,} games{z}; "
        f"the paper {row['paper']}-{10 - row['paper']} ({fits} under our rate)"
    )


def _triples(figures: Figures, of: str) -> list[str]:
    """The non-transitive triples among some agents, ``of`` saying who they are."""
    level = len(figures["found"]) - figures["significant"]
    lines = [
        f"Of the {figures['triples']} triples among {of}, {figures['significant']} are non-transitive with each of the "
        f"three leads significant by itself (95%, two-sided), and {level} more are non-transitive, but not significantly."
    ]
    if figures["significant"]:
        lines.append("")
    for triple in figures["found"]:
        if triple["significant"]:
            a, b, c = triple["agents"]
            x, y, z = (f"{100 * rate:.1f}%" for rate in triple["win_rates"])
            least = "" if triple["z"] is None else f"; least lead {triple['z']:.1f} standard errors"
            lines.append(f"- {a} > {b} ({x}) > {c} ({y}) > {a} ({z}){least}")
    return [*lines, ""]


def cycle_section(figures: Figures) -> list[str]:
    """The non-transitive cycle, the paper's and ours, as lines of Markdown."""
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
        *map(cycle_line, rows),
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
