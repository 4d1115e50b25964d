"""Forfeited pairings of a tournament or of cross-play: their finished deals, and their lines in reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.match.results import DealResults, Forfeited, Summary, summarise
from cardenvs.baselines.reporting import plus_minus
from cardenvs.baselines.tournament.store import Store
from cardenvs.printing import table_lines


@dataclass(frozen=True)
class ForfeitedPairing:
    """A pairing that was forfeited, and the deals of it that were finished before.

    Attributes:
        sides: the names of its two sides.
        forfeit: who could not go on, and why.
        deals: how many deals were finished.
        figures: their figures, the pairing's first side first; None without any.
    """

    sides: list[str]
    forfeit: Forfeited
    deals: int
    figures: Summary | None

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        figures = {} if self.figures is None else self.figures.figures()
        return {"sides": self.sides, "forfeit": self.forfeit.as_dict(), "deals": self.deals, **figures}


def forfeited_pairings(store: Store, played: DealResults) -> list[ForfeitedPairing]:
    """The forfeited pairings of a folder.

    Args:
        store: the folder.
        played: what it holds (`Store.load`).
    """
    listed = []
    for number, forfeit in sorted(store.forfeits.items()):
        done = store.done[number]
        figures = summarise(played.of_pairing(number).of_deals(done), store.settings.most) if done.any() else None
        listed.append(ForfeitedPairing(store.names(number), forfeit, int(done.sum()), figures))
    return listed


def forfeit_text(pairing: ForfeitedPairing) -> str:
    """A forfeited pairing in a line."""
    first, second = pairing.sides
    forfeit = pairing.forfeit
    return f"{first} - {second}: {forfeit.policy} has forfeited after {pairing.deals:,} finished deals: {forfeit.why}"


def forfeit_lines(pairings: Sequence[ForfeitedPairing], remark: str = "") -> list[str]:
    """The section of a report in Markdown that names forfeited pairings, empty where there are none.

    Args:
        pairings: the forfeited pairings.
        remark: a sentence on what the forfeits mean for the rest of the report.
    """
    if not pairings:
        return []
    rows = [
        [
            " - ".join(pairing.sides),
            pairing.forfeit.policy,
            f"{pairing.deals:,}",
            "" if pairing.figures is None else plus_minus(pairing.figures.win_rate, percent=True),
            pairing.forfeit.why,
        ]
        for pairing in pairings
    ]
    return [
        "## Forfeits",
        "",
        f"A policy could not go on in these pairings; their finished deals are counted nowhere else. {remark}".strip(),
        "",
        *table_lines(["pairing", "forfeited by", "deals", "wins of the first, %", "why"], rows, 2, foreign=True),
    ]
