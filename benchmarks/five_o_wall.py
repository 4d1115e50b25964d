"""The wall in Five-O: what is to be won from ``exact`` in the last row, exactly, and in the last two, at most.

    python benchmarks/five_o_wall.py --report docs/results/five_o_wall.md --json > docs/results/five_o_wall.json

``exact`` is ``monte-carlo`` with all completions counted, and in the last row its play is known to the full. Positions are
those in which `monte-carlo` has played both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from measuring import count_option, hand_over, tell, written_by

from cardenvs import cli, policy
from cardenvs.baselines.ceiling.five_o import SOLVED
from cardenvs.baselines.ceiling.five_o import two_rows as bound_two_rows
from cardenvs.baselines.match import match_deals
from cardenvs.baselines.reports.document import Document, Heading, Table, Text, marked, said
from cardenvs.baselines.reports.statistics import Interval, interval, interval_fields
from cardenvs.baselines.reports.text import plus_minus
from cardenvs.baselines.search.five_o.last_row_answer import DEALS, OTHERS, LastRow, solve_last_row
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.games import five_o
from cardenvs.randomness import seat_streams
from cardenvs.worlds import decide, play_on

PLAYER = "monte-carlo"
"""Who plays the rows before."""
LAST, FOURTH = 30, 20
"""Placements before the last row and before the fourth."""


def over_seats(values: Sequence[Sequence[float]]) -> Interval:
    """The interval of a figure, by deal the mean of both seats."""
    return interval(np.array(values, np.float64).mean(1))


def agreement(games: Games, seed: int) -> tuple[int, int]:
    """How often ``monte-carlo`` puts a card of the last row where ``exact`` puts it, and in how many decisions.

    Args:
        games: states before the last row, structured (n,), which are played to the end.
        seed: the random seed.
    """
    sampled, counted = policy.make(five_o.SPEC, PLAYER), policy.make(five_o.SPEC, "exact:row=2")
    streams, same, made = seat_streams(seed_streams(seed + 2, len(games)), five_o.SPEC.seats), 0, 0
    rows = np.arange(len(games))
    for placed in range(10):
        exact = decide(five_o.SPEC, games, rows, [counted] * 2, streams.copy())
        chosen = decide(five_o.SPEC, games, rows, [sampled] * 2, streams)
        if placed < 8:  # the last card of each side has one place
            same, made = same + int((exact == chosen).sum()), made + len(games)
        for row in rows:
            five_o.step(games, row, chosen[row])
    return same, made


def last_row_figures(solved: Sequence[Sequence[LastRow]]) -> dict[str, Interval]:
    """The figures of the last row, over positions, by name.

    Args:
        solved: by position what each seat wins, seat 0 first, which fills the row first.
    """
    return {
        "gain": over_seats([[one.best - one.exact for one in pair] for pair in solved]),
        "gain_first": interval(np.array([pair[0].best - pair[0].exact for pair in solved])),
        "gain_second": interval(np.array([pair[1].best - pair[1].exact for pair in solved])),
        "gain_blind": over_seats([[one.blind - one.exact for one in pair] for pair in solved]),
        "gain_reading": over_seats([[one.best - one.blind for one in pair] for pair in solved]),
        "gain_columns": over_seats([[one.best_columns - one.exact_columns for one in pair] for pair in solved]),
        "first_exact": interval(np.array([pair[0].exact for pair in solved])),
        # Perfect play of both: no seat gets more than its best answer to a known player, and none less than what the
        # other's best answer leaves.
        "first_at_least": interval(np.array([1 - pair[1].best for pair in solved])),
        "first_at_most": interval(np.array([pair[0].best for pair in solved])),
    }


def document(figures: dict[str, Any], rows: dict[str, Interval], two: dict[str, Interval]) -> Document:
    """The report."""
    origin = written_by(__file__, deals=figures["deals"], two_rows=figures["two_rows"], seed=figures["seed"])
    same, made = figures["agreement"]

    def table(what: str, head: str, lines: dict[str, Interval], signed: bool = True) -> Table:
        """Intervals in percent by what they are of."""
        cells: list[list[Text]] = []
        for name, value in lines.items():
            text = plus_minus(Interval(100 * value.mean, 100 * value.low, 100 * value.high), 2)
            cells.append([marked(name), text if signed else text.removeprefix("+")])
        return Table([marked(what), head], cells)

    parts = [
        said(
            f"""{origin}. What can be won from `exact`, which is `monte-carlo` with all completions counted, in positions in
            which `monte-carlo` has played both sides. Gains are in percent of the games above what `exact` wins in the same
            place against itself, a draw counting half; 95% intervals over positions."""
        ),
        Heading("The last row, exactly"),
        said(
            f"""{figures["deals"]} positions, each from both sides. Twelve cards are unseen, ten will be drawn:
            {DEALS * OTHERS:,} deals a position, every one of them counted. A face-down card tells `exact` nothing, so what
            it does is a tree over its own cards, and the best answer to it is found backwards from the last card; it reads
            the order in which `exact` fills its columns. `monte-carlo` put {100 * same / made:.1f}% of {made:,} cards of
            the last row where `exact` puts them."""
        ),
        table(
            "what the best answer wins",
            "% of the games",
            {
                "above `exact`": rows["gain"],
                "the same, if it fills the row first": rows["gain_first"],
                "the same, if it comes second": rows["gain_second"],
                "without reading the other's columns, above `exact`": rows["gain_blind"],
                "by reading them, above that": rows["gain_reading"],
            },
        ),
        said(f"An answer that wants columns wins {plus_minus(rows['gain_columns'], 2)} columns a deal above `exact`."),
        said(
            """Perfect play of both sides lies between: no side gets more than the best answer to `exact`, nor less than the
            best answer of the other side leaves it."""
        ),
        table(
            "games won by the side that fills the row first",
            "%",
            {
                "at least, both sides perfect": rows["first_at_least"],
                "`exact` on both sides": rows["first_exact"],
                "at most, both sides perfect": rows["first_at_most"],
            },
            signed=False,
        ),
        Heading("The last two rows, at most"),
        said(
            f"""Before the fourth row 22 cards are unseen. 22! / 12! or 2.3 million million orders of ten of them lead to
            last rows such as those above, by up to 120 ways for either side: too many to try. So the fourth row is bounded
            from above, deal by deal: a side is told the ten cards and charged for their luck by equation 3
            (`cardenvs.baselines.ceiling.five_o`). Of its 120 ways the {figures["solved"]} with the best appraisals are
            solved to the end, without reading the other's columns in the last row; what reading wins comes on top.
            {figures["two_rows"]} deals, each from both sides."""
        ),
        table(
            "what anybody can win above `exact`",
            "% of the games",
            {
                "in the last two rows, at most": two["gain"],
                "of that in the last row, `exact` having played the fourth": two["last_row"],
                "of that in the fourth row, at most": two["fourth_row"],
            },
        ),
    ]
    return Document("Five-O: the wall", parts)


@click.command()
@count_option("--deals", 40, "Positions before the last row.", least=2)
@count_option("--two-rows", 40, "Positions before the fourth row.", least=2)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(deals: int, two_rows: int, report: Path | None, seed: int, as_json: bool) -> None:
    """What is to be won from exact in Five-O's last row, and in its last two at most."""
    count = max(deals, two_rows)
    games, _ = match_deals(five_o.SPEC, 0, count, seed, {})
    player = policy.make(five_o.SPEC, PLAYER)
    streams = seed_streams(seed + 1, count)
    play_on(five_o.SPEC, games, [player] * 2, streams, FOURTH)
    fourth = games[:two_rows].copy()
    play_on(five_o.SPEC, games, [player] * 2, streams, LAST - FOURTH)
    last = games[:deals].copy()
    solved = []
    for k in range(deals):
        solved.append([solve_last_row(last[k : k + 1], seat) for seat in range(2)])
        tell(f"last row {k + 1}/{deals}: {solved[-1]}")
    bounds = []
    for k in range(two_rows):
        bounds.append([bound_two_rows(fourth[k : k + 1], seat) for seat in range(2)])
        tell(f"two rows {k + 1}/{two_rows}: {bounds[-1]}")
    rows = last_row_figures(solved)
    two = {
        "gain": over_seats([[one.gain for one in pair] for pair in bounds]),
        "last_row": over_seats([[one.last_row for one in pair] for pair in bounds]),
        "fourth_row": over_seats([[one.gain - one.last_row for one in pair] for pair in bounds]),
    }
    figures: dict[str, Any] = {
        "deals": deals,
        "two_rows": two_rows,
        "seed": seed,
        "solved": SOLVED,
        "agreement": agreement(last, seed),
    }
    told = document(figures, rows, two)
    figures["last_row"] = {key: value for name, v in rows.items() for key, value in interval_fields(name, v).items()}
    figures["last_two_rows"] = {key: value for name, v in two.items() for key, value in interval_fields(name, v).items()}
    hand_over(figures, told, report, as_json)


if __name__ == "__main__":
    main()
