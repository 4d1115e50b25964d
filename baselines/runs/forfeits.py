"""Forfeited pairings: their finished deals, and their part of reports."""

from collections.abc import Iterator, Sequence

from cardenvs.baselines.match.results import summarise
from cardenvs.baselines.reports.columns import (
    Column,
    Columns,
    Row,
    computed_column,
    count_column,
    names_column,
    share_column,
)
from cardenvs.baselines.reports.document import Block, Heading, Name, Only, Words, in_file, in_terminal, joined
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.runs.store import PairingStore


def _first_wins(pairing: Row) -> Interval | None:
    """The win rate of the first side of a pairing; None where nothing was played, or by a team alone."""
    played: Row | None = pairing.played
    return None if played is None or played.num_sides == 1 else played.win_rate


ForfeitedPairing = Columns(
    "ForfeitedPairing",
    names_column("sides", "the names of its two sides", "pairing", " - "),
    Column("forfeit", "who could not go on, and why (`Forfeited`)", "forfeited by", lambda one: Name(one.policy)),
    count_column("deals", "how many deals were finished before", "deals"),
    Column("played", "figures of these deals (`Summary`), the first side first; none without any", spread=True),
    share_column("first_wins", title="wins of the first, %", compute=_first_wins, json=""),
    computed_column("why", lambda pairing: pairing.forfeit.why, title="why"),
)
"""A pairing that was forfeited, and the deals of it that were finished before."""
FORFEITS = Column(
    "forfeits", "forfeited pairings; whoever forfeited one is left out of all else", optional=True, default=()
)
"""The forfeited pairings in a study's results."""


def forfeited_pairings(store: PairingStore) -> list[Row]:
    """The forfeited pairings of a folder; ValueError if a chunk is damaged."""
    listed = []
    for number, forfeit in sorted(store.forfeits.items()):
        done = int(store.done[number].sum())
        figures = summarise(store.finished(number), store.plan.most) if done else None
        listed.append(ForfeitedPairing(store.plan.names(number), forfeit, done, figures))
    return listed


def forfeit_parts(
    pairings: Sequence[Row], remark: str = "", finished: str = "are counted nowhere else"
) -> Iterator[Block | Only]:
    """The part of a report that names forfeited pairings, and says what they mean for the rest; empty without any."""
    if not pairings:
        return
    said = f"A policy could not go on in these pairings; their finished deals {finished}. {remark}".strip()
    yield in_file(Heading("Forfeits"), Words(said), ForfeitedPairing.table(pairings, left=2))
    for pairing in pairings:
        names, policy = joined(map(Name, pairing.sides), " - "), Name(pairing.forfeit.policy)
        how = f" has forfeited after {pairing.deals:,} finished deals: {pairing.forfeit.why}"
        yield in_terminal(Words((*names, ": ", policy, how)))
