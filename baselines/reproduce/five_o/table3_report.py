"""The report's sections on Table III: everybody against everybody, greedy1's fault, the non-transitive cycle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cardenvs.baselines.reports.document import (
    Block,
    Estimate,
    Heading,
    Items,
    Name,
    Only,
    Table,
    Text,
    Words,
    in_file,
    marked,
    said,
)
from cardenvs.baselines.reports.statistics import Z95, Interval
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.baselines.reproduce.five_o.plots import Figures
from cardenvs.baselines.reproduce.five_o.settings import AGENTS, EXTRA, paper

GREEDY1_CAUSE = (
    "The paper's `getPackExpect` gives equal ranks the greatest weight. The authors' program looks for equal cards "
    "instead, of which a deck has none: pairs, threes and full houses count nothing, and any straight draw counts more. "
    "`greedy1` is the agent in the paper's words, `greedy1-published` the one with the fault."
)
_SHORT = {
    "expectiminimax greedy2": "em greedy2",
    "expectiminimax fast-greedy2": "em fast-greedy2",
    "greedy1-published": "greedy1-pub.",
}
"""Agents' names for the heads of the wide table."""


def rate_of(row: Figures) -> Interval:
    """The win rate of a row of figures with its 95% confidence interval."""
    return Interval(row["win_rate"], *row["ci95"])


def rate_text(rate: Interval) -> str:
    """A win rate in percent with half the width of its interval."""
    return plus_minus(rate, percent=True)


def ratio_text(value: float | None) -> str:
    """Wins for each loss; without losses the value is None or infinite."""
    return "∞" if value is None or math.isinf(value) else f"{value:.2f}"


def _rates_of_pairs(figures: Figures) -> dict[tuple[str, str], Interval]:
    """The first agent's win rate against the second, for both orders of every pair of Table III."""
    rates = {}
    for row in figures["table3"]["pairings"]:
        first, second = row["sides"]
        rates[first, second] = rate_of(row)
        rates[second, first] = rate_of(row).complement()
    return rates


def _ordinal(rank: int) -> str:
    """A rank in words: first, second, third, 4th."""
    return {1: "first", 2: "second", 3: "third"}.get(rank, f"{rank}th")


def _rank_of(standings: Sequence[Figures], agent: str) -> int:
    """The rank of an agent, 1 being the best, in rows that are sorted by rank."""
    return 1 + [row["agent"] for row in standings].index(agent)


def _cross_table(figures: Figures) -> Table:
    """Every agent's win rate against every other, the paper's wins of ten in brackets."""
    rates, printed = _rates_of_pairs(figures), paper()["table3"]["wins"]
    every = [*AGENTS, *EXTRA]

    def cell(a: str, b: str) -> Text:
        """A pair's win rate."""
        if a == b:
            return ""
        wins = printed[AGENTS.index(a)][AGENTS.index(b)] if a in AGENTS and b in AGENTS else None
        return (Estimate(rates[a, b], percent=True), "" if wins is None else f" ({wins})")

    return Table(["", *(_SHORT.get(agent, agent) for agent in every)], [[a, *(cell(a, b) for b in every)] for a in every])


def _ladder(figures: Figures) -> Table:
    """The paper's eight agents by wins, the paper's figures beside ours."""
    table = figures["table3"]
    order = sorted(zip(AGENTS, paper()["table3"]["totals"], strict=True), key=lambda item: -item[1][0])
    printed_ranks = {agent: k for k, (agent, _) in enumerate(order, 1)}
    totals = {row["agent"]: row for row in table["comparison"]["totals"]}
    faulty = {row["agent"]: row for row in table["comparison_with_greedy1_published"]["totals"]}
    ladder: list[list[Text]] = []
    for k, row in enumerate(table["standings"], 1):
        agent = row["agent"]
        won, lost = totals[agent]["paper"]
        in_its_place = faulty[agent]["ours"]
        ladder.append(
            [
                Name(agent), f"{printed_ranks[agent]}", f"{won}-{lost}", f"{k}",
                f"{row['wins_of_70']:.1f}-{70 - row['wins_of_70']:.1f}",
                f"{row['won']:,}-{row['lost']:,}", Estimate(rate_of(row), percent=True), f"{totals[agent]['z']:+z.1f}",
                f"{_rank_of(table['standings_with_greedy1_published'], in_its_place)}", f"{faulty[agent]['z']:+z.1f}",
            ]
        )  # fmt: skip
    head = ["agent", "rank, paper", "W-L, paper", "rank, ours", "of 70", "W-L, ours", "won, %", "z", "rank", "z"]
    return Table(head, ladder, spare=["rank, paper", "rank, ours", "W-L, ours", "z", "rank"])


def table3_section(figures: Figures) -> list[Block | Only]:
    """Table III, everybody against everybody."""
    table, settings = figures["table3"], figures["settings"]
    extra: list[list[Text]] = [
        [
            Name(row["agent"]), f"{row['won']:,}-{row['lost']:,}", Estimate(rate_of(row), percent=True),
            f"{row['columns']:+z.2f}",
        ]
        for row in table["extra"]
    ]  # fmt: skip
    values = {row["agent"]: row["values"] for row in figures["figure3"]}
    against = rate_text(_rates_of_pairs(figures)["reflex3", "greedy2"])
    played = said(
        f"""{settings["games"]:,} games a pair of agents that do not search, {settings["search_games"]:,} with an
        expectiminimax agent, {settings["slow_games"]:,} with `monte-carlo` or `exact`. A deal is played twice, the sides
        exchanged, and all pairs play the same deals (the paper: ten games a pair, who moves first being drawn). A draw
        counts half; the paper shows none. The agents:"""
    )
    limits = said(
        """The paper's expectiminimax had up to a minute a decision, of which it says neither how many decks that was nor on
        what machine; Figure 2 below shows what other numbers of decks would do. Depth is 3, as in the paper."""
    )
    ladder = said(
        """Among the paper's eight, by wins; **of 70** is what 70 games, ten a pair, would bring on average, and **z** how
        far the paper's wins are from that in standard errors. The last two columns are with `greedy1-published` in the
        place of `greedy1`. In the win rate, and so in ranks, all pairs count alike; W-L are the games played."""
    )
    reflex3 = said(
        f"""reflex3 wins {against}% against greedy2, at which the paper wonders, since both use `eval`. The other's columns
        cancel out of greedy2's choice, so that the two differ in one thing only: reflex3 takes the greatest rise of a
        column's value, greedy2 that of its logarithm. By ratios a better high card in a poor column counts as much as
        three of a kind made of a pair, and greedy2 ends with lower columns: a mean value of
        {np.mean(values["greedy2"]):,.0f} against {np.mean(values["reflex3"]):,.0f} (Figure 3). The expectiminimax agents
        search with the same logarithms."""
    )
    return [
        Heading("Table III: everybody against everybody"),
        in_file(
            played,
            Items([marked(f"{agent}: `{name}`") for agent, name in figures["policies"].items() if agent != name]),
            limits,
            said("The row's games won against the column, %, ± half a 95% interval; in brackets the paper's wins of ten."),
            _cross_table(figures),
            ladder,
        ),
        _ladder(figures),
        said("Agents that the paper's table does not have, against its eight:"),
        Table(["agent", "W-L", "won, %", "columns a game"], extra),
        in_file(reflex3, *_comparison(figures), *_unlikely_pairs(figures)),
    ]


def _comparison(figures: Figures) -> list[Block]:
    """The comparison of the paper's Table III with ours, and the paper's claims."""
    table = figures["table3"]
    same, faulty = table["comparison"], table["comparison_with_greedy1_published"]
    claims = ("monte-carlo", "expectiminimax fast-greedy2", "reflex3", "reflex2")
    rows = [{row["agent"]: row for row in table[which]} for which in ("standings_with_greedy1_published", "standings")]

    def verdict(rate: Interval) -> str:
        """Whether a win rate is told apart from one half."""
        return "above even" if rate.low > 0.5 else "below even" if rate.high < 0.5 else "not told apart from even"

    def claimed(agent: str) -> str:
        """The win rates of an agent."""
        published, worded = (f"{verdict(rate_of(row[agent]))}, {rate_text(rate_of(row[agent]))}%" for row in rows)
        return f"{agent}: {published} (with `greedy1` as worded: {worded})"

    best, rates = "expectiminimax fast-greedy2", _rates_of_pairs(figures)
    off = next(row for row in faulty["totals"] if row["agent"] == "expectiminimax greedy2")
    few = min((row for row in figures["figure2"]["decks"] if row["evaluation"] == "greedy2"), key=lambda row: row["decks"])
    rank = _rank_of(table["standings_with_greedy1_published"], "greedy1-published")
    last = "last" if rank == len(AGENTS) else f"not last: {_ordinal(rank)}"
    return [
        said(
            f"""Whether the paper's {same["pairs"]} pairs of ten games fit our win rates: chi-squared is
            {same["chi_squared"]:.1f} on {same["pairs"]} degrees of freedom (p = {same["p"]:.2g}) with `greedy1`,
            {faulty["chi_squared"]:.1f} (p = {faulty["p"]:.2g}) with `greedy1-published`. The pair of `reflex2` and
            `greedy2` is left out: both cells say 6 wins of ten, which cannot be, while both printed totals (39 and 36) fit
            a 4 in that place."""
        ),
        said(
            """The paper's claims that should come out again, with `greedy1-published` in the place of `greedy1`, since
            that is the agent that played: these four are above even, and greedy1 is last."""
        ),
        Items([*map(marked, map(claimed, claims)), f"greedy1: {last}"]),
        said(
            f"""The paper's conclusion is that expectiminimax (with fast-greedy2) outperforms all others. Here it wins
            {rate_text(rates[best, "monte-carlo"])}% against monte-carlo (8-2 in the paper) and
            {rate_text(rates[best, "reflex3"])}% against reflex3 (2-8)."""
        ),
        said(
            f"""The expectiminimax agent with greedy2 won {off["paper"][0]} of 70 in the paper, {off["expected"]:.1f} would
            be expected here (z {off["z"]:+z.1f}). With {few["decks"]} deck a decision instead of
            {figures["settings"]["decks"]} it wins {rate_text(rate_of(few))}% against greedy2 (Figure 2); the paper's lost
            3-7."""
        ),
    ]


def _unlikely_pairs(figures: Figures) -> list[Block]:
    """The pairs whose ten games in the paper our win rates hardly allow."""
    table = figures["table3"]
    unlikely = [row for row in table["pairings"] if row["p"] is not None and row["p"] < 0.05]
    if not unlikely:
        return []
    found = []
    for row in sorted(unlikely, key=lambda row: float(row["p"])):
        a, b = row["sides"]
        here = f"{rate_text(rate_of(row))}% here (p = {row['p']:.3f})"
        found.append(f"{a} - {b}: {row['paper']}-{10 - row['paper']} in the paper, {here}")
    return [
        said(
            f"""Pairs in which ten games of ours would be as far off as the paper's in less than 5% of cases (with
            {table["comparison"]["pairs"]} pairs, one or two are to be expected), `greedy1` being the agent as worded:"""
        ),
        Items(found),
    ]


def greedy1_section(figures: Figures) -> list[Block]:
    """The effect of the fault in the paper's greedy1."""
    table = figures["table3"]

    def placed(agent: str, standings: Sequence[Figures]) -> tuple[str, str]:
        """The rank of an agent in words, and its win rate."""
        rank = _rank_of(standings, agent)
        return "last" if rank == len(AGENTS) else f"{_ordinal(rank)} of {len(AGENTS)}", rate_text(
            rate_of(standings[rank - 1])
        )

    worded, won = placed("greedy1", table["standings"])
    programmed, won_so = placed("greedy1-published", table["standings_with_greedy1_published"])
    against = rate_text(_rates_of_pairs(figures)["greedy1", "greedy1-published"])
    effects = (
        f"As worded, `greedy1` comes {worded}: {won}% of its games.",
        f"As programmed, `greedy1-published` in its place comes {programmed}: {won_so}%; in the paper it is last with 21 "
        "of 70, 30%.",
        f"`greedy1` wins {against}% against `greedy1-published`.",
    )
    return [
        Heading("greedy1: the paper's words and its program"),
        said(GREEDY1_CAUSE),
        Items(list(map(marked, effects))),
        said(
            """So the paper's explanation, that greedyEval1's narrow range cannot tell states apart, is not the cause of its
            last place: the range is the same in both."""
        ),
    ]


def _cycle_line(row: Figures) -> str:
    """A pair of the paper's cycle: our games, their distance from even in standard errors, and the paper's ten."""
    a, b = row["sides"]
    rate = rate_of(row)
    error = (rate.high - rate.low) / 2 / Z95
    z = f", z {(row['win_rate'] - 0.5) / error:+z.1f}" if error and math.isfinite(error) else ""
    fits = f"p {row['p']:.3f}" if row["p"] is not None else "no figure"
    return (
        f"{a} against {b}: {rate_text(rate)}% of {row['games']:,} games{z}; "
        f"the paper {row['paper']}-{10 - row['paper']} ({fits} under our rate)"
    )


def _triples(figures: Figures, of: str) -> list[Block]:
    """The non-transitive triples among some agents, ``of`` saying who they are."""
    level = len(figures["found"]) - figures["significant"]
    found = []
    for triple in figures["found"]:
        if triple["significant"]:
            a, b, c = triple["agents"]
            x, y, z = (f"{100 * rate:.1f}%" for rate in triple["win_rates"])
            least = "" if triple["z"] is None else f"; least lead {triple['z']:.1f} standard errors"
            found.append(f"{a} > {b} ({x}) > {c} ({y}) > {a} ({z}){least}")
    told = said(
        f"""Of the {figures["triples"]} triples among {of}, {figures["significant"]} are non-transitive with each of the
        three leads significant by itself (95%, two-sided), and {level} more are non-transitive, but not significantly."""
    )
    return [told, *([Items(found)] if found else [])]


def cycle_section(figures: Figures) -> list[Block | Only]:
    """The non-transitive cycle, the paper's and ours."""
    table = figures["table3"]
    rows = table["paper_cycle"]
    fails = [row for row in rows if row["ci95"][1] < 0.5]
    if all(row["ci95"][0] > 0.5 for row in rows):
        verdict = "The cycle is there: each of the three leads is significant."
    elif fails:
        verdict = "The cycle is not there: " + " and ".join(f"{row['sides'][1]} beats {row['sides'][0]}" for row in fails)
        verdict += " significantly, against the paper's direction."
    else:
        verdict = "The cycle is neither confirmed nor refuted: not all leads are told apart from even."
    own = table["paper_triples"]
    kept = sum(min(triple["win_rates"]) > 0.5 for triple in own["found"])
    printed = [
        " > ".join(f"{name} ({won}-{10 - won})" for name, won in zip(triple["agents"], triple["paper"], strict=True))
        + f" > {triple['agents'][0]}; here {', '.join(f'{100 * rate:.0f}%' for rate in triple['win_rates'])}"
        for triple in own["found"]
    ]
    many = own["by_chance_as_many"]
    chance = f"{100 * many:.0f}% of them have as many" + (", so that these are no evidence" if many > 0.05 else "")
    heading = Heading("The non-transitive cycle")
    source = said(
        """The paper's: reflex3 beats expectiminimax with fast-greedy2, which beats greedy2, which beats reflex3. Its own
        Table III does not bear the last out: there reflex3 wins 6-4 against greedy2."""
    )
    by_chance = said(
        f"""The paper's table has {len(own["found"])} other triples in which each agent won more than five of ten games
        against the next. Tables of ten games a pair drawn from our win rates have {own["by_chance_mean"]:.1f} on average,
        and {chance}. {kept} of the {len(own["found"])} have three leads in the same direction here:"""
    )
    return [
        in_file(heading, source),
        Items(list(map(_cycle_line, rows))),
        Words(verdict),
        in_file(
            by_chance,
            Items(printed),
            *_triples(table["triples"], "the paper's eight agents"),
            *_triples(table["triples_of_all"], f"all {len(AGENTS) + len(EXTRA)}"),
            said("A triple of which one pair is truly level is counted as significant with a chance of at most 2.5%."),
        ),
    ]
