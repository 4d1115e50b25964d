"""Forfeited pairings: their finished deals, and their part of reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.match.results import DealResults, Forfeited, Summary, summarise
from cardenvs.baselines.reports.document import (
    Block,
    Estimate,
    Heading,
    Name,
    Only,
    Table,
    Text,
    Words,
    in_file,
    in_terminal,
    joined,
)
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.runs.store import PairingStore


@dataclass(frozen=True, repr=False)
class ForfeitedPairing(Result):
    """A pairing that was forfeited, and the deals of it that were finished before.

    Attributes:
        sides: the names of its two sides.
        forfeit: who could not go on, and why.
        deals: how many deals were finished.
        played: their figures, the pairing's first side first; None without any.
    """

    sides: list[str]
    forfeit: Forfeited
    deals: int
    played: Summary | None

    HIDDEN = ("played",)

    def figures(self) -> dict[str, Any]:
        """The figures as plain values; those of the finished deals among them."""
        return super().figures() | ({} if self.played is None else self.played.figures())


def forfeited_pairings(store: PairingStore, played: DealResults) -> list[ForfeitedPairing]:
    """The forfeited pairings of a folder.

    Args:
        store: the folder.
        played: what it holds (`PairingStore.load`).
    """
    listed = []
    for number, forfeit in sorted(store.forfeits.items()):
        done = store.done[number]
        figures = summarise(played.of_pairing(number).of_deals(done), store.plan.most) if done.any() else None
        listed.append(ForfeitedPairing(store.plan.names(number), forfeit, int(done.sum()), figures))
    return listed


def _wins(played: Summary | None) -> Interval | None:
    """The win rate of the first side of a pairing; None where nothing was played, or by a team alone."""
    return None if played is None or played.num_sides == 1 else played.win_rate


def forfeit_parts(pairings: Sequence[ForfeitedPairing], remark: str = "") -> Iterator[Block | Only]:
    """The part of a report that names forfeited pairings, empty where there are none.

    Args:
        pairings: the forfeited pairings.
        remark: a sentence on what the forfeits mean for the rest of the report.
    """
    if not pairings:
        return
    rows: list[list[Text]] = [
        [
            joined(map(Name, pairing.sides), " - "),
            Name(pairing.forfeit.policy),
            f"{pairing.deals:,}",
            Estimate(_wins(pairing.played), percent=True),
            pairing.forfeit.why,
        ]
        for pairing in pairings
    ]
    said = f"A policy could not go on in these pairings; their finished deals are counted nowhere else. {remark}".strip()
    yield in_file(
        Heading("Forfeits"),
        Words(said),
        Table(["pairing", "forfeited by", "deals", "wins of the first, %", "why"], rows, 2),
    )
    for pairing in pairings:
        names, policy = joined(map(Name, pairing.sides), " - "), Name(pairing.forfeit.policy)
        how = f" has forfeited after {pairing.deals:,} finished deals: {pairing.forfeit.why}"
        yield in_terminal(Words((*names, ": ", policy, how)))
