"""How often does a policy take its partner's trick, and how does it fare? A study of one's own in one file.

python examples/partners_trick.py euchre high-low coop-high-low --against hybrid --deals 500
"""

import itertools
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import click
import numpy as np
import numpy.typing as npt

from cardenvs import cli
from cardenvs.baselines.commands import against_option
from cardenvs.baselines.match import DealResults, Side, play_deals
from cardenvs.baselines.match.results import summarise
from cardenvs.baselines.observers import METRICS
from cardenvs.baselines.observers.taking import GAMES, count_taking
from cardenvs.baselines.reports.columns import Column, Columns, Row, count_column, name_column, points_column
from cardenvs.baselines.reports.document import Command, Document, Heading, in_file, said
from cardenvs.baselines.runs.forfeits import FORFEITS, forfeit_parts, forfeited_pairings
from cardenvs.baselines.runs.pairings import PairingPlan
from cardenvs.baselines.runs.plan import SETTINGS
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.runs.terminal import Asked, play_and_report, study_options

OVERTAKES = list(METRICS).index("overtakes")


# --- the plan: all that the results depend on ------------------------------------------------------------------------


@dataclass(frozen=True)
class CountedDeals(DealResults):
    """Results of deals with ``taken``, int64 (2, 2): by side, the tricks taken from the partner and the chances to."""

    taken: npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TakingPlan(PairingPlan):
    """Each policy against each opponent over the same deals."""

    policies: list[str]
    opponents: list[str]

    kind: ClassVar[str] = "taking"
    rows: ClassVar[type[DealResults]] = CountedDeals

    @property
    def sides(self) -> list[list[str]]:
        return [name.split("+") for name in (*self.policies, *self.opponents)]

    @property
    def pairs(self) -> list[tuple[int, ...]]:
        first = len(self.policies)
        return list(itertools.product(range(first), range(first, len(self.sides))))

    def play(self, first: Side, second: Side | None, deals: range) -> CountedDeals:
        """Plays some deals of a pairing, and counts."""
        counts = np.zeros((2, len(METRICS), 2), np.int64)

        def observe(states: Any, owners: Any) -> None:
            count_taking(self.spec, states, owners, counts, keep=False)

        played = play_deals(self.spec, first, second, deals, seed=self.seed, observer=observe, **self.options)
        return CountedDeals(**vars(played), taken=counts[:, OVERTAKES])


# --- the results: each column declared once, for JSON and for the report ---------------------------------------------

Taking = Columns(
    "Taking",
    name_column("policy", "the policy", "policy"),
    name_column("opponent", "its opponent", "against"),
    count_column("taken", "tricks that it took from its partner", "taken"),
    count_column("chances", "decisions in which it could take the partner's trick, and could leave it", "chances"),
    Column("rate", "taken / chances; none without chances", "share", "{:.1%}".format),
    points_column("points_margin", "points a deal above the opponent"),
)


def report(result: Row, command: str) -> Document:
    """The report."""
    return Document(f"Taking the partner's trick in {result.game}", [
        Taking.table(result.pairings, left=2),
        *forfeit_parts(result.forfeits),
        in_file(Heading("How it was counted"), said(
            f"""{result.deals:,} deals of each pairing, each played on both sides, seed {result.seed}. A chance is a
            decision in which the partner is winning the trick, and the policy could both take it and leave it.
            Intervals are 95% intervals over deals. The same again:"""
        ), Command(command)),
    ])  # fmt: skip


TakingResult = Columns("TakingResult", *SETTINGS, Column("pairings", "a `Taking` each"), FORFEITS, document=report)


def results(store: PairingStore) -> Row:
    """The results of a folder in which all is played."""
    plan, played, rows = store.plan, store.load(), []
    for number in range(len(plan.pairs)):
        if number not in store.forfeits:
            deals = played.of_pairing(number)
            taken, chances = deals.taken[0].tolist()
            rate = taken / chances if chances else None
            rows.append(Taking(*plan.names(number), taken, chances, rate, summarise(deals, plan.most).points_margin))
    return TakingResult.of(plan, pairings=rows, forfeits=forfeited_pairings(store))


# --- the command -----------------------------------------------------------------------------------------------------


@click.command("partners-trick")
@study_options(
    click.argument("policies", nargs=-1, required=True, metavar="POLICY..."),
    against_option("An opponent; may be repeated.", default=["hybrid"], show_default=True),
    click.option("--deals", type=click.IntRange(min=1), default=1000, show_default=True, help="Deals of each pairing."),
    out="Folder for results; a stopped run goes on there. [runs/partners-trick]",
)
def command(asked: Asked, against: tuple[str, ...], deals: int) -> int:
    """Count how often each POLICY takes the trick that its partner is winning."""
    if asked.game.name not in GAMES:
        raise ValueError(f"tricks of partners are counted in {' and '.join(GAMES)}, not in {asked.game.name}")
    plan = TakingPlan.checked(
        asked.game, asked.rules, deals=deals, seed=asked.seed, policies=list(asked.policies), opponents=list(against)
    )
    session = asked.session("partners-trick", {"--against": against, "--deals": deals}, "partners-trick")
    return play_and_report(session, plan, results)


if __name__ == "__main__":
    sys.exit(cli.main(command=command, program=f"python {sys.argv[0]}"))
