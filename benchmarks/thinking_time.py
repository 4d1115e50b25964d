"""How long ``learned-search`` thinks: ``python benchmarks/thinking_time.py [--report FILE] [--json]``.

Decisions with more than one legal action, from games of ``learned`` against itself, each timed alone in processor time of
one thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import numpy as np
from measuring import count_option, hand_over, machine, processor_seconds, tell, written_by
from one_step import RULES, sampled

from cardenvs import cli, policy
from cardenvs.baselines.reports.document import Code, Document, Table, marked, said
from cardenvs.baselines.reports.results import plain
from cardenvs.compiled.streams import seed_streams


@dataclass(frozen=True)
class Times:
    """What decisions took, in milliseconds of processor time.

    Attributes:
        rules: the game and the values of its options.
        decisions: how many were timed.
        mean: their mean.
        median: their median.
        slow: what 95% of them do not exceed.
        slowest: the longest.
    """

    rules: str
    decisions: int
    mean: float
    median: float
    slow: float
    slowest: float


def measure(rules: str, decisions: int, seed: int) -> Times:
    """Times decisions under some rules."""
    game, options = RULES[rules]
    player = policy.make(game, "learned-search")
    observations, masks, _ = sampled(game, options, decisions, seed)
    streams = seed_streams(seed, decisions)
    player.act(observations[:1], masks[:1], streams[:1])  # compiles
    rows = [slice(k, k + 1) for k in range(decisions)]
    calls = [partial(player.act, observations[row], masks[row], streams[row]) for row in rows]
    taken = 1000 * np.array([processor_seconds(call) for call in calls])
    found = Times(rules, decisions, *(float(x) for x in (taken.mean(), *np.quantile(taken, (0.5, 0.95, 1)))))
    tell(found)
    return found


@click.command()
@count_option("--decisions", 400, "Decisions that are timed under each of the rules.")
@cli.report_option
@cli.seed_option
@cli.json_option
def main(decisions: int, report: Path | None, seed: int, as_json: bool) -> None:
    """How long learned-search thinks."""
    times = [measure(rules, decisions, seed) for rules in RULES]
    meaning = said(
        f"""{written_by(__file__, decisions=decisions, seed=seed)} on {machine()["processor"]}. {decisions:,} decisions
        with a choice under each of the rules, from games of `learned` against itself, with the usual effort; milliseconds
        of processor time, one thread."""
    )
    rows = [[Code(t.rules), *(f"{ms:,.1f}" for ms in (t.mean, t.median, t.slow, t.slowest))] for t in times]
    told = [meaning, Table(["rules", "mean", "median", "95% at most", "slowest"], rows)]
    hand_over({"times": plain(times)}, Document(marked("How long `learned-search` thinks"), told), report, as_json)


if __name__ == "__main__":
    main()
