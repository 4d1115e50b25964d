"""What a search improves in a Five-O policy, row by row: ``python benchmarks/five_o_rows.py [--report FILE] [--json]``.

The policy with the search in its place in one row plays the policy alone: what it wins above half of the games is what the
policy leaves there. Both play the same in the rows before, so that most of the luck of a deal cancels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import click
import numpy as np
from measuring import count_option, hand_over, tell, written_by

from cardenvs import cli, policy
from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.document import Document, Estimate, Table, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.policy.contract import Policy, choose_in_rows

ROWS = ((2,), (3,), (4,), (5,), (2, 3, 4, 5))
"""Rows in which the search plays, for each match."""


class InRows(Policy):
    """A policy that hands its decisions in some rows to a search.

    Args:
        player: the policy that plays in the other rows.
        search: the policy that plays in ``rows``.
        rows: the numbers of the rows in which the search plays, 2 to 5.
    """

    def __init__(self, player: Policy, search: Policy, rows: tuple[int, ...]) -> None:
        super().__init__(player.game)
        self.player, self.search, self.rows = player, search, rows
        self.name = f"{player.name} with {search.name} in rows {rows}"

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The actions, int64 (n,); see `cardenvs.policy.Policy.choose`."""
        searched = np.isin(2 + observations[:, self.game.slices["row"]].argmax(1), self.rows)
        parts = ((self.search, np.flatnonzero(searched)), (self.player, np.flatnonzero(~searched)))
        return choose_in_rows(parts, observations, action_masks, streams)


@dataclass(frozen=True, repr=False)
class Outcome(Result):
    """What the search wins in some rows.

    Attributes:
        rows: the rows in which the search plays.
        win_rate: share of the games won against the policy alone.
    """

    rows: tuple[int, ...]
    win_rate: Interval

    ENDS: ClassVar[Mapping[str, str]] = {"win_rate": "ci95"}


def document(outcomes: list[Outcome], search: str, player: str, deals: int, seed: int) -> Document:
    """The report."""
    meaning = said(
        f"""{written_by(__file__, policy=player, search=search, deals=deals, seed=seed)}. `{player}` with `{search}` in its
        place in some rows against `{player}` alone: {deals:,} deals, each played twice with the sides exchanged; a draw
        counts half; 95% intervals."""
    )
    rows = [[", ".join(map(str, o.rows)), Estimate(o.win_rate, percent=True)] for o in outcomes]
    title = marked(f"Five-O: what `{search}` improves in `{player}`")
    return Document(title, [meaning, Table(["rows of the search", "games won, %"], rows)])


@click.command()
@click.option("--policy", "player", default="learned", show_default=True, help="The policy that is to be improved.")
@click.option(
    "--search", default="rollout:worlds=5000", show_default=True, help="The search that is to improve the policy."
)
@count_option("--deals", 1500, "Deals of a match.", least=2)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(player: str, search: str, deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """What a search improves in a Five-O policy, row by row."""
    alone, searching = policy.make("five-o", player), policy.make("five-o", search)
    outcomes = []
    for rows in ROWS:
        result = play_match("five-o", InRows(alone, searching, rows), alone, deals=deals, seed=seed)
        outcomes.append(Outcome(rows, result.win_rate))
        tell(outcomes[-1].figures())
    figures = {"policy": player, "search": search, "deals": deals, "seed": seed}
    told = document(outcomes, search, player, deals, seed)
    hand_over(figures | {"outcomes": plain(outcomes)}, told, report, as_json)


if __name__ == "__main__":
    main()
