"""What a search improves in a Five-O policy, row by row: ``python benchmarks/five_o_rows.py [--report FILE] [--json]``.

The policy with the search in its place in one row plays the policy alone: what it wins above half of the games is what the
policy leaves there. Both play the same in the rows before, so that most of the luck of a deal cancels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
from measuring import count_option, hand_over, rate_text, tell, written_by

from cardenvs import cli, policy
from cardenvs.baselines.match import play_match
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.policy.contract import Policy, choose_in_rows
from cardenvs.printing import table_lines

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


@dataclass(frozen=True)
class Outcome:
    """What the search wins in some rows.

    Attributes:
        rows: the rows in which the search plays.
        win_rate: share of the games won against the policy alone.
        ci95: 95% confidence interval of the win rate, low and high end.
    """

    rows: tuple[int, ...]
    win_rate: float
    ci95: list[float]


def markdown(outcomes: list[Outcome], search: str, player: str, deals: int, seed: int) -> str:
    """The report, in Markdown."""
    origin = written_by(__file__, policy=player, search=search, deals=deals, seed=seed)
    lines = [
        f"# Five-O: what `{search}` improves in `{player}`",
        "",
        f"{origin}. `{player}` with",
        f"`{search}` in its place in some rows against `{player}` alone: {deals:,} deals, each played twice with the sides",
        "exchanged; a draw counts half; 95% intervals.",
        "",
        *table_lines(
            ["rows of the search", "games won, %"],
            [[", ".join(map(str, o.rows)), rate_text(o.win_rate, o.ci95)] for o in outcomes],
        ),
    ]
    return "\n".join(lines)


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
        outcomes.append(Outcome(rows, result.win_rate.mean, result.win_rate.ci95))
        tell(outcomes[-1])
    figures = {"policy": player, "search": search, "deals": deals, "seed": seed}
    text = markdown(outcomes, search, player, deals, seed)
    hand_over(figures | {"outcomes": [asdict(o) for o in outcomes]}, text, report, as_json)


if __name__ == "__main__":
    main()
