"""What a search improves in a Five-O policy, row by row: ``python benchmarks/five_o_rows.py [--markdown FILE] [--json]``.

The policy with the search in its place in one row plays the policy alone: what it wins above half of the games is what the
policy leaves there. Both play the same in the rows before, so that most of the luck of a deal cancels.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass

import click
import numpy as np

from cardenvs import cli, policy
from cardenvs.baselines.match.play import play_match
from cardenvs.cards import Bytes, Ints, Streams
from cardenvs.files import write_whole
from cardenvs.policy import Policy, choose_in_rows

ROWS = ((2,), (3,), (4,), (5,), (2, 3, 4, 5))
"""Where the search plays."""


class InRows(Policy):
    """A policy with another one in its place in some rows.

    Args:
        player: who plays.
        search: who plays there instead.
        rows: of 2 to 5.
    """

    def __init__(self, player: Policy, search: Policy, rows: tuple[int, ...]) -> None:
        super().__init__(player.game)
        self.player, self.search, self.rows = player, search, rows
        self.name = f"{player.name} with {search.name} in rows {rows}"

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`."""
        there = np.isin(2 + observations[:, self.game.slices["row"]].argmax(1), self.rows)
        parts = ((self.search, np.flatnonzero(there)), (self.player, np.flatnonzero(~there)))
        return choose_in_rows(parts, observations, action_masks, streams)


@dataclass(frozen=True)
class Outcome:
    """Where the search plays, and the share of games won against the policy alone, with its 95% interval."""

    rows: tuple[int, ...]
    win_rate: float
    ci95: tuple[float, float]


def markdown(outcomes: list[Outcome], command: str, search: str, player: str, deals: int) -> str:
    """The report."""
    lines = [
        f"# Five-O: what `{search}` improves in `{player}`",
        "",
        f"Written by `{command}`. `{player}` with",
        f"`{search}` in its place in some rows against `{player}` alone: {deals:,} deals, each played twice with the sides",
        "exchanged; a draw counts half; 95% intervals.",
        "",
        "| rows of the search | games won, % |",
        "|---|---:|",
    ]
    for o in outcomes:
        lines.append(f"| {', '.join(map(str, o.rows))} | {100 * o.win_rate:.1f} ±{50 * (o.ci95[1] - o.ci95[0]):.1f} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--policy", "player", default="learned", show_default=True, help="Who is to be improved.")
@click.option("--search", default="rollout:worlds=5000", show_default=True, help="Who is to improve it.")
@click.option("--deals", type=click.IntRange(min=2), default=1500, show_default=True, help="Deals of a match.")
@click.option("--markdown", "file", type=click.Path(dir_okay=False), help="Write the report to this file.")
@cli.seed_option
@cli.json_option
def main(player: str, search: str, deals: int, file: str | None, seed: int, as_json: bool) -> None:
    """What a search improves in a Five-O policy, row by row."""
    alone, other = policy.make("five-o", player), policy.make("five-o", search)
    outcomes = []
    for rows in ROWS:
        result = play_match("five-o", InRows(alone, other, rows), alone, deals=deals, seed=seed)
        outcomes.append(Outcome(rows, result.win_rate.mean, (result.win_rate.low, result.win_rate.high)))
        print(outcomes[-1], file=sys.stderr)
    if file is not None:
        command = f"python benchmarks/five_o_rows.py --policy {player} --search {search} --deals {deals} --seed {seed}"
        write_whole(file, markdown(outcomes, command, search, player, deals))
    if as_json:
        found = {"policy": player, "search": search, "deals": deals, "seed": seed}
        cli.print_json(found | {"outcomes": [asdict(o) for o in outcomes]})


if __name__ == "__main__":
    main()
