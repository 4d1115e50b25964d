"""The report of what callers in Euchre are worth."""

from __future__ import annotations

import itertools
from pathlib import Path

from cardenvs.baselines.heuristics.standard_calling import ALONE, REQUIRED
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Block, Document, Estimate, Name, Table, Text, Words
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reproduce.calling.break_even import CALLS, FEWEST, LONE_BINS, POSITIONS, SURPLUS_BINS

_SHARES = {
    "calls, % of deals": "called",
    "in the first round, %": "first_round",
    "euchred, %": "euchred",
    "marches, %": "marches",
    "alone, %": "alone",
    "alone: march, %": "lone_marches",
    "alone: euchred, %": "lone_euchred",
}
"""Shares of a caller's deals or calls, by the heads of their columns."""
_HEAD = ("cards played by", "caller", *_SHARES, "points a call", "points a deal", "points a deal above the other")
_SPARE = tuple(head for head in _HEAD if head not in ("calls, % of deals", "euchred, %", _HEAD[-1]))


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction` with a pairing at least."""
    required = [[call, *map(str, REQUIRED[k])] for k, call in enumerate(CALLS)]
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        deals=result.pairings[0].deals,
        pairings=Table(_HEAD, list(itertools.chain(*map(_lines, result.pairings))), left=2, spare=_SPARE),
        games=result.games[0].columns.table(result.games, left=3),
        required=Table(["call", *POSITIONS], required),
        fewest=FEWEST,
        gains=list(itertools.chain(*map(_describe_gains, result.break_even))),
    )


def _lines(pairing: Row) -> list[list[Text]]:
    """A pairing as two rows of cells, one for each side, under `_HEAD`."""
    lines: list[list[Text]] = []
    for k, side in enumerate(pairing.sides):
        shares = [f"{100 * getattr(side, name):.1f}" for name in _SHARES.values()]
        if side.alone == 0:
            shares[-2:] = ["", ""]
        points = [f"{side.points_per_call:+z.3f}", f"{side.points_per_deal:.3f}"]
        plays, margin = ("", "") if k else (Name(pairing.plays), Estimate(pairing.points_margin))
        lines.append([plays, Name(side.caller), *shares, *points, margin])
    return lines


def _describe_gains(followed: Row) -> list[Block]:
    """Gains of calling instead of passing, and of going alone instead of calling with the partner."""

    def signed(values: list[float | None]) -> list[str]:
        return ["" if value is None else f"{value:+z.2f}" for value in values]

    gains = followed.mean_gains
    lone = [*(f"{low} and {high}" for low, high in LONE_BINS[:-1]), f"{LONE_BINS[-1][0]} or more"]
    rows = [[call, seat, *signed(gains[call][seat])] for call, seat in itertools.product(CALLS, POSITIONS)]
    return [
        Words(("Cards played by ", Name(followed.plays), f", {followed.deals:,} deals:")),
        Table(["call", "seat", *(f"{low:+d} to {high:+d}" for low, high in SURPLUS_BINS)], rows, left=2),
        Words(f"Points won by going alone on a hand worth calling, by its lone count ({ALONE} are required):"),
        Table(lone, [signed(followed.mean_lone_gains)], left=0),
    ]
