"""What Five-O's ``rollout`` wins at equal time: ``python benchmarks/five_o_rollout.py [--report FILE] [--json]``.

Duplicate matches against every agent of the paper. Agents that search get a budget with which they take about as long as
``rollout``, or longer; agents that do not search have no use for time. Time is processor time of one thread in the
agents' choices, moves without a choice included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import click
from measuring import Timed, count_option, hand_over, machine, tell, written_by

from cardenvs import cli, policy
from cardenvs.baselines.match import play_match
from cardenvs.baselines.reports.document import Code, Document, Estimate, Table, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval

PAIRS = (
    ("rollout:worlds=50", "monte-carlo:samples=3500"),
    ("rollout", "monte-carlo:samples=6000"),
    ("rollout:worlds=5000", "monte-carlo:samples=50000"),
    ("rollout", "exact:row=3"),
    ("rollout", "exact:row=2"),
    ("rollout", "expectiminimax:evaluation=fast-greedy2,decks=700"),
    ("rollout:worlds=5000", "expectiminimax:evaluation=fast-greedy2,decks=5000"),
    ("rollout", "expectiminimax:evaluation=greedy2,decks=700"),
    *(("rollout", name) for name in ("reflex1", "reflex2", "reflex3", "greedy1", "greedy1-published", "greedy2")),
    ("rollout", "fast-greedy2"),
)
"""The two players of each match, with budgets that were once measured to take equal time."""
SLOW = 0.002
"""Seconds: where a decision of either player takes as long or longer, only a fifth of the deals is played."""


@dataclass(frozen=True, repr=False)
class Pairing(Result):
    """A match at equal time.

    Attributes:
        first: name of the first player.
        second: name of the second player.
        deals: number of deals, each played twice.
        win_rate: share of the games that the first player won.
        milliseconds: processor time of a decision of the first and of the second player.
    """

    first: str
    second: str
    deals: int
    win_rate: Interval
    milliseconds: tuple[float, float]

    ENDS: ClassVar[Mapping[str, str]] = {"win_rate": "ci95"}


def play(first: str, second: str, deals: int, seed: int) -> Pairing:
    """Plays one match of ``deals`` duplicate deals, or of a fifth of them if a decision takes `SLOW` seconds or longer."""
    players = [Timed(policy.make("five-o", name)) for name in (first, second)]
    play_match("five-o", *players, deals=2, seed=seed + 1)
    for player in players:
        player.restart()
    play_match("five-o", *players, deals=5, seed=seed + 1)
    if max(player.mean for player in players) >= SLOW:
        deals = max(1, deals // 5)
    result = play_match("five-o", *players, deals=deals, seed=seed)
    times = (1000 * players[0].mean, 1000 * players[1].mean)
    return Pairing(first, second, deals, result.win_rate, times)


def document(pairings: list[Pairing], deals: int, seed: int) -> Document:
    """The report."""
    rows = [
        [
            Code(p.first), Code(p.second), f"{2 * p.deals:,}", Estimate(p.win_rate, percent=True),
            f"{p.milliseconds[0]:.2f}", f"{p.milliseconds[1]:.4g}",
        ]
        for p in pairings
    ]  # fmt: skip
    meaning = said(
        f"""{written_by(__file__, deals=deals, seed=seed)} on {machine()["processor"]}. Each deal is played twice with the
        sides exchanged; a draw counts half; 95% intervals from the spread between deals. Time is processor time of one
        thread a decision, moves without a choice included. The agents that do not search take no more time whatever they
        are given."""
    )
    head = ["rollout", "against", "games", "games won, %", "ms a decision", "the other's"]
    return Document(marked("Five-O: what `rollout` wins at equal time"), [meaning, Table(head, rows, left=2)])


@click.command()
@count_option("--deals", 1000, "Deals of a match.", least=5)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """What Five-O's rollout wins at equal time."""
    pairings = []
    for first, second in PAIRS:
        pairings.append(play(first, second, deals, seed))
        tell(pairings[-1].figures())
    hand_over({"pairings": plain(pairings)}, document(pairings, deals, seed), report, as_json)


if __name__ == "__main__":
    main()
