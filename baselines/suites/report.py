"""The reports of suites and of scores with their partners, and their picture."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cardenvs.baselines.crossplay.report import LEFT_OUT, introduction, lead_text
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import (
    Block,
    Command,
    Document,
    Estimate,
    Heading,
    Name,
    Only,
    Picture,
    Table,
    Text,
    Words,
    in_file,
    joined,
    said,
)
from cardenvs.baselines.reports.pictures import draw_heatmap, new_figure, png
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.text import options_text
from cardenvs.baselines.runs.forfeits import forfeit_parts
from cardenvs.contract.registry import full_title

if TYPE_CHECKING:
    from cardenvs.baselines.suites.suite import Found, Member, Suite


def _points(value: Interval, one_sided: bool) -> Estimate:
    """Points a deal; a team's own ones have no sign."""
    return Estimate(value, signed=not one_sided)


def _share(value: Interval) -> Estimate:
    """A share of a bound, without a sign."""
    return Estimate(value, signed=False)


# --- a suite -------------------------------------------------------------------------------------------------------


def suite_document(suite: Suite, command: str = "") -> Document:
    """The report on a suite.

    Args:
        command: the command line that makes the suite again; empty: none is quoted.
    """
    one_sided = suite.spec.one_sided
    floors = any(member.floor is not None for member in suite.partners)
    against = ("against ", *joined(map(Name, suite.opponents)), ", ") if suite.opponents else ()
    rows: list[list[Text]] = [
        [
            Name(member.policy),
            _points(member.bound.points_margin, one_sided),
            Name(member.bound.policy),
            f"{member.bound.deals:,}",
            *([_floor(member, one_sided)] if floors else []),
            member.checksum,
        ]
        for member in suite.partners
    ]
    parts: list[Block | Only] = [
        Words(
            (
                f"{len(suite.partners)} partners, {suite.deals:,} deals of seed {suite.seed}, ", *against,
                f"options: {options_text(suite.options) or 'none'}. Checksum of the suite: {suite.checksum}.",
            )
        ),
        in_file(Words("Written by"), Command(command), *_on_bounds(suite)),
        Heading("Partners"),
        Table(
            ["partner", "bound", "by", "deals", *(["counts as 0"] if floors else []), "checksum"], rows,
            spare=["by", "deals", "checksum"],
        ),
        in_file(Heading("All that was tried"), Words("Points a deal, with the partner of the column."), _tried(suite)),
    ]  # fmt: skip
    return Document(f"{full_title(suite.spec)}: suite {suite.suite} of partners", parts)


def _floor(member: Member, one_sided: bool) -> Estimate:
    """The score that counts as 0 with a partner."""
    return Estimate(None) if member.floor is None else _points(member.floor.points_margin, one_sided)


def _on_bounds(suite: Suite) -> Iterator[Block]:
    """Paragraphs that say what a bound is."""
    zero = (
        "What counts as 0 is the score of a policy that plays at random beside the partner, what counts as 1 the bound."
        if any(member.floor is not None for member in suite.partners)
        else "Scores are divided by it: 0 points count as 0, the bound as 1."
    )
    yield said(
        "A **bound** is the best that was found with a partner: of all that was tried, what has the highest lower end of "
        f"its interval, so that luck in a few deals makes no bound. {zero} It is a lower one: nobody knows the best "
        "response, and whoever plays better than all that was tried scores above 1. Its interval is over deals; the deals "
        f"of bounds (seed {suite.bound_seed}) are others than those of scores. "
        "`{partner}` stands for the partner's name, `{seat}` for the number of the seat within the side."
    )


def _tried(suite: Suite) -> Table:
    """A table of what was found with each partner: a row for each who was tried, the best in the mean first."""
    found = [{one.policy: one for one in (member.bound, *member.tried)} for member in suite.partners]
    names = list(dict.fromkeys(name for of_member in found for name in of_member))

    def mean(name: str) -> float:
        """The mean of what somebody scores with the partners."""
        values = [of_member[name].points_margin.mean for of_member in found if name in of_member]
        return sum(values) / len(values)

    def cell(found: Found | None) -> Estimate:
        """A score that was found with a partner; nothing where none was looked for."""
        return Estimate(None) if found is None else _points(found.points_margin, suite.spec.one_sided)

    rows: list[list[Text]] = [
        [Name(name), *(cell(of_member.get(name)) for of_member in found)]
        for name in sorted(names, key=lambda name: -mean(name))
    ]
    return Table(["with", *(Name(member.policy) for member in suite.partners)], rows)


# --- scores --------------------------------------------------------------------------------------------------------


def result_document(result: Row, command: str = "") -> Document:
    """The report on scores with a suite's partners.

    Args:
        command: the command line that makes the results again; empty: none is quoted.
    """
    head: list[Text] = [
        "policy",
        "score",
        "over partners",
        "points a deal",
        "worst partner",
        "its score",
        "ahead of the next",
    ]
    parts: list[Block | Only] = [
        in_file(
            said(
                f"Each policy with the partners of suite {result.suite} (checksum {result.checksum}), in each order of the "
                "seats. The **score** is the mean over the partners of points as a share of the partner's bound: 1 is the "
                "best that was found with it; who found it, and in how many deals, stands beside it. Two intervals: over "
                "deals, with partners and bounds as they are, and over partners, as drawn from all that there could be."
            )
        ),
        *introduction(result, command),
        Heading("Scores"),
        Table(
            head,
            [_score_row(k, score, result) for k, score in enumerate(result.scores, 1)],
            spare=["worst partner", "its score", "ahead of the next"],
        ),
    ]
    if not all(score.held_out for score in result.scores):
        parts.append(Words("* is itself one of the partners, so that one of them is no stranger to it."))
    parts += [
        Heading("By partner"),
        Picture("Scores by partner", "heatmap", functools.partial(result_png, result)),
        Table(
            ["partner", "bound", "by", "deals", *(Name(score.policy) for score in result.scores)],
            [_partner_row(k, member, result) for k, member in enumerate(result.members)],
            spare=["by", "deals"],
        ),
        *forfeit_parts(result.forfeits, LEFT_OUT),
    ]
    return Document(f"{full_title(result.spec)}: suite {result.suite} of partners", parts)


def _score_row(rank: int, score: Row, result: Row) -> list[Text]:
    """A policy's score, as the cells of a row; a star behind policies that are partners themselves."""
    return [
        (f"{rank} ", Name(score.policy), *([] if score.held_out else [" *"])),
        _share(score.normalised),
        _share(score.over_teams),
        _points(score.points_margin, result.spec.one_sided),
        Name(score.worst),
        _share(score.worst_share),
        lead_text(score.lead),
    ]


def _partner_row(number: int, member: Member, result: Row) -> list[Text]:
    """A partner, its bound and the scores with it, as the cells of a row."""
    return [
        Name(member.policy),
        _points(member.bound.points_margin, result.spec.one_sided),
        Name(member.bound.policy),
        f"{member.bound.deals:,}",
        *(_share(score.partners[number].normalised) for score in result.scores),
    ]


def result_png(result: Row) -> bytes:
    """The scores by policy and partner as a heat map, best policy first; a PNG file's content."""
    shares = [[one.normalised.mean for one in score.partners] for score in result.scores]
    rows, columns = [score.policy for score in result.scores], [member.policy for member in result.members]
    figure = new_figure(3.4 + 0.55 * len(columns), 2.2 + 0.45 * len(rows))
    axes = figure.add_subplot()
    draw_heatmap(axes, shares, rows, columns, number="{:.2f}", limits=_limits(shares))
    axes.set_title(f"{full_title(result.spec)}: shares of the bounds of suite {result.suite}", fontsize=9, wrap=True)
    return png(figure)


def _limits(shares: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The shares with the first and the last colour: 0 and 1, or what is beyond them."""
    every = [share for row in shares for share in row]
    return min(0.0, *every), max(1.0, *every)
