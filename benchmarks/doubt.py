"""How far ``learned-search`` should doubt its model of the others: ``python benchmarks/doubt.py [--report FILE] [--json]``.

The search meets opponents of several kinds, in the same duplicate deals with every doubt: the share of all acts that it
takes to be anything legal rather than the network's. With a doubt of 1 all worlds that the rules allow are equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from measuring import count_option, hand_over, in_same_deals, written_by

from cardenvs import cli
from cardenvs.baselines.reports.document import Code, Document, Estimate, Table, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval

OPPONENTS = ("learned", "learned:generation=1", "pimc:worlds=30", "poe:worlds=30", "hybrid", "random")
"""Whom the search meets: players that act as its model does, nearly so, and otherwise."""
PRIOR = 0.03
"""What all of them lean on the policy."""
DOUBTS = (0.3, 0.05, 0.1, 0.6, 1.0)
"""What is tried; the others are compared with the first."""


@dataclass(frozen=True, repr=False)
class Tried(Result):
    """What the search wins with a doubt.

    Attributes:
        opponent: the policy that it met.
        doubt: the doubt.
        deals: duplicate deals.
        points: points a deal above the opponent.
        more: points a deal more than with the first doubt in the same deals; None for the first doubt.
    """

    opponent: str
    doubt: float
    deals: int
    points: Interval
    more: Interval | None


def measure(opponent: str, worlds: int, deals: int, seed: int) -> list[Tried]:
    """Tries every doubt against an opponent."""
    variants = {doubt: f"learned-search:worlds={worlds},doubt={doubt},prior={PRIOR}" for doubt in DOUBTS}
    return [
        Tried(opponent, doubt, deals, won, None if doubt == DOUBTS[0] else more)
        for doubt, (won, more) in in_same_deals("euchre", variants, opponent, deals, seed).items()
    ]


def document(tried: list[Tried], worlds: int, **command: Any) -> Document:
    """The report, written by a command with some options."""
    meaning = said(
        f"""{written_by(__file__, worlds=worlds, **command)}. Euchre with full bidding, {tried[0].deals:,} duplicate deals
        with each opponent, the same with every doubt; 95% intervals. `learned-search:worlds={worlds}` takes so large a
        share of all acts for anything legal rather than the network's; with 1 all worlds that the rules allow are equally
        likely. `prior` is {PRIOR}."""
    )
    head = ["opponent", "doubt", "wins, points a deal", f"more than with {DOUBTS[0]:g}"]
    rows = [[Code(one.opponent), f"{one.doubt:g}", Estimate(one.points), Estimate(one.more)] for one in tried]
    return Document(marked("How far `learned-search` should doubt its model"), [meaning, Table(head, rows)])


@click.command()
@count_option("--worlds", 200, "Worlds of a decision.")
@count_option("--deals", 400, "Duplicate deals with each opponent.", least=2)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(worlds: int, deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """How far learned-search should doubt its model of the others."""
    tried = [one for opponent in OPPONENTS for one in measure(opponent, worlds, deals, seed)]
    hand_over({"tried": plain(tried)}, document(tried, worlds, deals=deals, seed=seed), report, as_json)


if __name__ == "__main__":
    main()
