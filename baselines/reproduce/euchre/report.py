"""The report of the Euchre paper's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardenvs.baselines.reports.document import (
    Block,
    Document,
    Heading,
    Name,
    Only,
    Strong,
    Table,
    Text,
    Words,
    in_file,
    joined,
    said,
)
from cardenvs.baselines.reproduce.euchre.paper import FIGURES, LIMIT, MARKOV2_CAUSE, MISPRINT, MISPRINT_REMARK, Figures
from cardenvs.baselines.reproduce.papers import written_by

if TYPE_CHECKING:
    from cardenvs.baselines.reproduce.euchre.measure import Comparison, Drift, Reproduction

_PARTS = {
    "tables": ("The printed tables", "{games:,} games a table here, 10,001 in the paper."),
    "precise": ("The precise reference", "The same pairings: {games:,} games each here, 100,000 in the reference."),
    "pairings": ("Pairings", "{games:,} games each; the reference has 100,000."),
}
"""The headings of what was played and words on the numbers of games, by their keys in JSON."""


def document(result: Reproduction, command: str = "") -> Document:
    """The report.

    Args:
        result: what was played.
        command: the command line that plays all of it again.
    """
    protocol = said(
        f"""Source: T. Mychaskiw, "Cooperative Agents in Euchre", 2015. The protocol: spades are always trump, nobody bids,
        the dealer's side is the calling side, games to 10 points with a random first dealer; a side is two seats. Every
        figure is the first side's, or both sides' as first : second. z: the differences to the reference in standard errors
        of both samples, of games won, tricks and points; a pairing agrees if none of its five z-scores is beyond
        ±{LIMIT:g}."""
    )
    parts: list[Block | Only] = [in_file(written_by(command), protocol)]
    for key, (rows, lean) in result.parts().items():
        heading, games = _PARTS[key]
        parts += [
            Heading(heading),
            Words(games.format(games=rows[0].ours.games)),
            _table(rows, "print" if key == "tables" else "reference"),
        ]
        if lean is not None:
            parts += _drift(lean)
        if key == "tables":
            parts += [Words(f"Table {MISPRINT} is a {MISPRINT_REMARK}."), said(MARKOV2_CAUSE)]
    return Document("Euchre: the paper's tables again", parts)


def _table(rows: list[Comparison], reference: str) -> Table:
    """Pairings, without a column of numbers where none is a table of the paper; ``reference`` names the figures beside."""
    start = 0 if any(row.paper_table is not None for row in rows) else 1
    others = [f"{what} a game, {whose}" for what in ("tricks", "points") for whose in (reference, "ours")]
    others.append("z")
    head = ["table", "sides", f"won, %, {reference}", "ours", *others, "largest z", ""]
    return Table(head[start:], [_cells(row)[start:] for row in rows], left=2 - start, spare=others)


def _cells(row: Comparison) -> list[Text]:
    """The cells of a pairing."""

    def each(of: Figures | None, totals: str) -> str:
        """Means a game of both sides."""
        return "" if of is None else " : ".join(f"{mean:.2f}" for mean in of.per_game(getattr(of, totals)))

    both = (row.reference, row.ours)
    rates = ["" if of is None else f"{100 * of.games_won[0] / of.games:.2f}" for of in both]
    z = [] if row.z is None else [f"{score:+z.1f}" for score in row.z]
    verdict: Text = row.remark.partition(":")[0] if row.agrees is None else "agrees" if row.agrees else Strong("differs")
    return [
        "" if row.paper_table is None else str(row.paper_table),
        joined(map(Name, row.sides), " - "),
        *rates,
        *(each(of, totals) for totals in ("tricks_won", "points") for of in both),
        " ".join(filter(None, map("/".join, (z[:1], z[1:3], z[3:])))),
        "" if row.z is None else f"{max(row.z, key=abs):+z.1f}",
        verdict,
    ]


def _drift(lean: Drift) -> list[Block]:
    """The drift of the judged pairings to one side."""
    rows = [
        [name, f"{largest:+z.2f}", f"{mean:+z.2f}"]
        for name, largest, mean in zip(FIGURES, lean.largest, lean.mean, strict=True)
    ]
    return [
        Words(
            f"Over the {lean.pairings} pairings that are judged (without any drift a mean z-score is 0 ± {lean.error:.2f}):"
        ),
        Table(["figure", "largest z", "mean z"], rows),
    ]
