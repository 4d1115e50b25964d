"""What Five-O's ``rollout`` wins at equal time: ``python benchmarks/five_o_rollout.py [--markdown FILE] [--json]``.

Duplicate matches against every agent of the paper. Those that search get a budget that takes them about as long as
``rollout`` takes, or longer; those that do not search have no use for time. Time is processor time of one thread in the
agents' choices, moves without a choice included.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass

import click

from cardenvs import cli, policy
from cardenvs.baselines.match.play import play_match
from cardenvs.bench import processor
from cardenvs.cards import Bytes, Ints, Streams
from cardenvs.files import write_whole
from cardenvs.policy import Policy

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
"""Who plays whom; measured once to find budgets that take equal time."""
SLOW = 0.002
"""Seconds a decision, of either, from which on a fifth of the deals are played."""


class _Timed(Policy):
    """A policy that counts its decisions and their processor time."""

    def __init__(self, player: Policy) -> None:
        super().__init__(player.game)
        self.player, self.name = player, player.name
        self.seconds, self.decisions = 0.0, 0

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`."""
        began = time.thread_time()
        actions = self.player.choose(observations, action_masks, streams)
        self.seconds += time.thread_time() - began
        self.decisions += len(actions)
        return actions

    @property
    def mean(self) -> float:
        """Seconds a decision."""
        return self.seconds / self.decisions


@dataclass(frozen=True)
class Pairing:
    """A match: the players, the deals, the first one's win rate with its 95% interval, milliseconds a decision of each."""

    first: str
    second: str
    deals: int
    win_rate: float
    ci95: tuple[float, float]
    milliseconds: tuple[float, float]


def play(first: str, second: str, deals: int, seed: int) -> Pairing:
    """Plays one match of ``deals`` duplicate deals, a fifth if a decision takes `SLOW` or longer."""
    players = [_Timed(policy.make("five-o", name)) for name in (first, second)]
    play_match("five-o", *players, deals=2, seed=seed + 1)
    for player in players:
        player.seconds, player.decisions = 0.0, 0
    play_match("five-o", *players, deals=5, seed=seed + 1)
    if max(player.mean for player in players) >= SLOW:
        deals = max(1, deals // 5)
    result = play_match("five-o", *players, deals=deals, seed=seed)
    low, high = result.win_rate.ci95
    times = (1000 * players[0].mean, 1000 * players[1].mean)
    return Pairing(first, second, deals, result.win_rate.mean, (low, high), times)


def markdown(pairings: list[Pairing], machine: str, command: str) -> str:
    """The report."""
    lines = [
        "# Five-O: what `rollout` wins at equal time",
        "",
        f"Written by `{command}` on {machine}. Each deal is played twice with the sides exchanged; a draw counts half; 95%",
        "intervals from the spread between deals. Time is processor time of one thread a decision, moves without a choice",
        "included. The agents that do not search take no more time whatever they are given.",
        "",
        "| rollout | against | games | games won, % | ms a decision | the other's |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for p in pairings:
        half = 50 * (p.ci95[1] - p.ci95[0])
        lines.append(
            f"| `{p.first}` | `{p.second}` | {2 * p.deals:,} | {100 * p.win_rate:.1f} ±{half:.1f} "
            f"| {p.milliseconds[0]:.2f} | {p.milliseconds[1]:.4g} |"
        )
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--deals", type=click.IntRange(min=5), default=1000, show_default=True, help="Deals of a match.")
@click.option("--markdown", "file", type=click.Path(dir_okay=False), help="Write the report to this file.")
@cli.seed_option
@cli.json_option
def main(deals: int, file: str | None, seed: int, as_json: bool) -> None:
    """What Five-O's rollout wins at equal time."""
    pairings = []
    for first, second in PAIRS:
        pairings.append(play(first, second, deals, seed))
        print(pairings[-1], file=sys.stderr)
    if file is not None:
        write_whole(file, markdown(pairings, processor(), f"python benchmarks/five_o_rollout.py --deals {deals}"))
    if as_json:
        cli.print_json({"pairings": [asdict(p) for p in pairings]})


if __name__ == "__main__":
    main()
