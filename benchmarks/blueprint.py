"""What a search on a blueprint wins from its blueprint: ``python benchmarks/blueprint.py [--report FILE] [--json]``.

One seat of the first side searches and takes all others to play the blueprint, which they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
from measuring import Timed, count_option, hand_over, in_same_deals, tell, written_by

from cardenvs import cli, policy
from cardenvs.baselines.reports.document import Code, Document, Estimate, Table, marked, said
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.registry import get_game


class LowestCard(policy.Policy):
    """The legal action of the lowest number: in Agram the lowest card, as high ones are kept for the last trick."""

    can_be_foretold = True

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The actions, as `Policy.choose` returns them."""
        del observations, streams
        return action_masks.argmax(1)


class Case(NamedTuple):
    """A game with a blueprint, and how many percent of the deals it is played in."""

    game: str
    blueprint: str
    share: int


CASES = (Case("euchre", "markov2", 100), Case("whist", "card-counting", 8), Case("agram.rcy", "lowest-card", 20))


@dataclass(frozen=True, repr=False)
class Won(Result):
    """What a search wins.

    Attributes:
        game: the game.
        blueprint: the policy that it searches on, that its partners play, and from which it wins.
        deals: duplicate deals.
        points: points a deal above the blueprint.
        seconds: processor time of a decision in the mean, those without a search included.
    """

    game: str
    blueprint: str
    deals: int
    points: Interval
    seconds: float


def measure(case: Case, rollouts: int, candidates: int, deals: int, seed: int) -> Won:
    """Plays a search against its blueprint."""
    spec = get_game(case.game)
    search = Timed(policy.make(spec, "search", blueprint=case.blueprint, rollouts=rollouts, candidates=candidates))
    count = max(2, deals * case.share // 100)
    won, _ = in_same_deals(spec.name, {"search": search}, case.blueprint, count, seed)["search"]
    tell(f"{case.game}: {won}")
    return Won(case.game, case.blueprint, count, won, search.mean)


def document(won: list[Won], **command: int) -> Document:
    """The report, written by a command with some options."""
    meaning = said(
        f"""{written_by(__file__, **command)}. Duplicate deals, 95% intervals. One side plays `search` on a blueprint with
        `rollouts={command["rollouts"]}` and `candidates={command["candidates"]}`, the others play the blueprint. The search
        looks for moves in the last seat alone, counted from the one that begins, and the sides change seats in every second
        play of a deal. `lowest-card` is a policy of the benchmark's own for Agram, a described game."""
    )
    head = ["game", "blueprint", "deals", "wins, points a deal", "ms a decision"]
    rows = [
        [Code(one.game), Code(one.blueprint), f"{one.deals:,}", Estimate(one.points), f"{1000 * one.seconds:.1f}"]
        for one in won
    ]
    return Document(marked("What `search` wins from its blueprint"), [meaning, Table(head, rows)])


@click.command()
@count_option("--rollouts", 1000, "Play-outs of a decision at most.")
@count_option("--candidates", 2000, "Worlds that are replayed for a decision at most.")
@count_option("--deals", 1000, "Duplicate deals of Euchre; of the other games there are fewer.", least=2)
@cli.report_option
@cli.seed_option
@cli.json_option
def main(rollouts: int, candidates: int, deals: int, report: Path | None, seed: int, as_json: bool) -> None:
    """What a search on a blueprint wins from its blueprint."""
    policy.register("lowest-card", LowestCard)
    won = [measure(case, rollouts, candidates, deals, seed) for case in CASES]
    told = document(won, rollouts=rollouts, candidates=candidates, deals=deals, seed=seed)
    hand_over({"won": plain(won)}, told, report, as_json)


if __name__ == "__main__":
    main()
