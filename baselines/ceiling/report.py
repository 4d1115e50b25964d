"""The report of a measured ceiling, as Markdown and as tables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.table import Table

from cardenvs.baselines.ceiling.results import Ceiling
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import options_text, plus_minus
from cardenvs.contract.registry import named_game
from cardenvs.printing import code, table_lines

_WIDTH = 120
"""Characters of a line of running text."""

LUCK_HEADS = ("first", "second", "points a deal above", "sd of a deal", "sd of a duplicate deal", "correlation", "taken, %")
"""The names of the columns of the table of the luck of the deal, but for the last two."""


def open_heads(ceiling: Ceiling) -> list[str]:
    """The names of the columns of the table of the results of open cards."""
    tricks = named_game(ceiling.game).tricks_word
    heads = ["from", "all-seeing: games won, %", "points a deal above", f"{tricks} a deal above"]
    if any(one.most is not None for one in ceiling.policies):
        heads.append("the most: points a deal above")
    return heads + [f"{one.policy} wins" for one in ceiling.policies]


def won_from(ceiling: Ceiling, first: str, second: str) -> Interval | None:
    """Margin of a policy over another, in points a deal; None for one against itself."""
    if first == second:
        return None
    for match in ceiling.matches:
        if match.sides == [first, second]:
            return match.margin
        if match.sides == [second, first]:
            return -match.margin
    return None


def open_rows(ceiling: Ceiling) -> list[list[str]]:
    """A row for each policy under `open_heads`."""
    rows = []
    for one in ceiling.policies:
        row = [one.policy, plus_minus(one.win_rate, percent=True), plus_minus(one.points), plus_minus(one.tricks)]
        if any(other.most is not None for other in ceiling.policies):
            row.append(plus_minus(one.most))
        rows.append(row + [plus_minus(won_from(ceiling, other.policy, one.policy)) for other in ceiling.policies])
    return rows


def luck_heads(ceiling: Ceiling) -> list[str]:
    """The names of the columns of the table of the luck of the deal."""
    return [*LUCK_HEADS, f"single games for {ceiling.effect:g}", f"duplicate games for {ceiling.effect:g}"]


def luck_rows(ceiling: Ceiling) -> list[list[str]]:
    """A row for each match under `luck_heads`."""
    return [
        [
            *match.sides,
            plus_minus(match.margin),
            f"{match.single_sd:.3f}",
            f"{match.duplicate_sd:.3f}",
            "" if match.correlation is None else f"{match.correlation:+z.3f}",
            "" if match.taken is None else f"{100 * match.taken:.1f}",
            f"{match.single_games:,}",
            f"{match.duplicate_games:,}",
        ]
        for match in ceiling.matches
    ]


def remarks(ceiling: Ceiling) -> list[str]:
    """Explanations of the figures and of their limits, in sentences."""
    begun = named_game(ceiling.game).bids_trump or ceiling.open_cards == 13
    lines = [
        "All-seeing: all four hands open, every call, discard and card by its minimax value. It takes its opponents for "
        "perfect players that see all cards, too: "
        + ("it never loses a duplicate deal, " if begun else "")
        + "it wins at least what open cards are worth against these, and could win more from opponents that are weaker: "
        "a measure of what sight of all cards is worth, no proof that nobody wins more."
    ]
    if not begun:
        lines.append(
            f"The cards are open with {ceiling.open_cards} cards a hand and fewer; before, both sides play as the policy "
            "does."
        )
    if any(one.most is not None for one in ceiling.policies):
        lines.append(
            "The most: the best line against this very policy, all cards and its answers known. Nobody can win more from "
            "it in these deals (from one that draws lots, on average); to win as much one would have to see all cards and "
            "to foresee every answer."
        )
    lines.append(
        "Taken: the share of the variance of two single deals' mean that exchanging the sides takes away. Games for an "
        "effect: so many that it is as large as half of its 95% interval, which then lies above 0 in half of all matches; "
        "for four matches in five it takes twice as many (2.04 times). A policy without chance plays both copies alike "
        "against itself, so that nothing is left; between equals that draw lots, what is left is these lots."
    )
    return lines


def markdown(ceiling: Ceiling, command: str) -> str:
    """The report as Markdown.

    Args:
        ceiling: the figures.
        command: the command that makes the report again, without ``--report``.
    """
    game = named_game(ceiling.game)
    said = remarks(ceiling)
    names = [code(one.policy) for one in ceiling.policies]
    opened = [[code(row[0]), *row[1:]] for row in open_rows(ceiling)]
    heads = open_heads(ceiling)
    heads[len(heads) - len(names) :] = [f"{name} wins" for name in names]
    spread = [[code(row[0]), code(row[1]), *row[2:]] for row in luck_rows(ceiling)]
    lines = [
        f"# The ceiling in {game.title}",
        "",
        f"Written by {code(f'{command} --report FILE')}.",
        "",
        f"{game.title} ({options_text(ceiling.options)}), seed {ceiling.seed}; {ceiling.deals:,} duplicate deals, the same",
        "in all rows and columns; 95% intervals.",
        "",
        "## What open cards win",
        "",
        *table_lines(heads, opened),
    ]
    for line in said[:-1]:
        lines += [*textwrap.wrap(line, _WIDTH), ""]
    lines += ["## The luck of the deal", "", *table_lines(luck_heads(ceiling), spread, left=2)]
    lines += [*textwrap.wrap(said[-1], _WIDTH), ""]
    return "\n".join(lines)


def terminal_parts(ceiling: Ceiling) -> Iterator[Table | str]:
    """A ceiling for a terminal: two tables, and the `remarks`."""
    for title, heads, rows, left in (
        (f"what open cards win, {ceiling.deals:,} duplicate deals", open_heads(ceiling), open_rows(ceiling), 1),
        ("the luck of the deal", luck_heads(ceiling), luck_rows(ceiling), 2),
    ):
        table = Table(title=title)
        for k, head in enumerate(heads):
            table.add_column(head, justify="left" if k < left else "right")
        for row in rows:
            table.add_row(*row)
        yield table
    yield from remarks(ceiling)
