"""The report of Hanabi's agents beside known figures."""

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
    said,
)
from cardenvs.baselines.reproduce.hanabi.published import LIMIT, PAIRS, SELF_PLAY, known
from cardenvs.baselines.reproduce.papers import written_by

if TYPE_CHECKING:
    from cardenvs.baselines.reproduce.hanabi.measure import Comparison, Reproduction


def document(result: Reproduction, command: str = "") -> Document:
    """The report.

    Args:
        result: all figures.
        command: the command line that plays the games again.
    """
    origins = "; ".join(f"{row['agent']}: {row['origin']}" for row in known()["others"])
    parts: list[Block | Only] = [
        in_file(
            written_by(command),
            Words(f"Known figures: agents that follow rules: {known()['rules']['origin']}; {origins}."),
        ),
        said(
            f"""{result.games:,} games a team. A figure is a mean over games with its standard error: of the score, which is
            0 where the last life was lost, or of what was built all the same. Differences are also in joint standard
            errors, with what rounding can be taken off first; where the known figure's error is not told, it is taken to
            scatter as much as ours would with as few games. A figure agrees that is within {LIMIT:g}."""
        ),
        Words(summary(result)),
    ]
    for table, of, heading in [
        (SELF_PLAY, "score", "Agents with themselves: score"),
        (SELF_PLAY, "built", "Agents with themselves: built"),
        (PAIRS, "score", "Pairs: score"),
        (PAIRS, "built", "Pairs: built"),
    ]:
        rows = [row for row in result.comparisons if (row.figure.table, row.figure.of) == (table, of)]
        head = ["team", "known", "ours", "error", "off by", "errors", "agrees"]
        parts += [Heading(heading), Table(head, [_cells(row) for row in rows], spare=["error"])]
    return Document("Hanabi's agents beside known figures", parts)


def summary(result: Reproduction) -> str:
    """The number of figures that agree, and those that do not, in words."""
    words = [f"{result.agree} of {len(result.comparisons)} known figures agree"]
    words += [
        f"{_team(row)}, {row.figure.of}: {row.mean:.3f}, not {row.figure.value:g}"
        for row in result.comparisons
        if not row.agrees
    ]
    return "; ".join(words) + "."


def _team(row: Comparison) -> str:
    """A team as its table calls it: both of a pair, or one agent and the number of players."""
    figure = row.figure
    first, last = figure.team[0], figure.team[-1]
    return f"{first}, {last}" if figure.table == PAIRS else f"{first} x {figure.players}"


def _cells(row: Comparison) -> list[Text]:
    """The cells of a comparison."""
    digits = 3 if row.figure.rounding < 0.001 else 2
    return [
        Name(_team(row)),
        f"{row.figure.value:.{digits}f}",
        f"{row.mean:.3f}",
        f"{row.error:.4f}",
        f"{row.difference:+z.3f}",
        f"{row.z:+z.1f}",
        "yes" if row.agrees else Strong("no"),
    ]
