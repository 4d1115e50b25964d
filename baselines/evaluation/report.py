"""The report of an evaluation, as Markdown and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from cardenvs.baselines.evaluation.evaluate import FEWEST_TO_CHECK, Evaluated, Evaluation, SelfCheck
from cardenvs.baselines.match.command import plus_minus
from cardenvs.baselines.observers.bidding import CallerFigures
from cardenvs.baselines.observers.cooperation import METRICS, Metric
from cardenvs.spec import get_game, show

BIDDING_HEADS = (
    "against",
    "caller",
    "calls",
    "% of deals",
    "first round, %",
    "second round, %",
    "euchred, %",
    "marches, %",
    "alone, %",
    "alone: march, %",
    "alone: euchred, %",
    "points a call",
)

_NARROW = 100
"""Columns of a terminal below which the results' table leaves out the tricks and the opponent's speed."""


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> list[str]:
    rule = "|" + "---|" * text_columns + "---:|" * (len(heads) - text_columns)
    return ["| " + " | ".join(heads) + " |", rule, *("| " + " | ".join(row) + " |" for row in rows), ""]


def _unit(found: Evaluation) -> str:
    return "deal" if found.protocol == "duplicate" else "game"


def result_heads(found: Evaluation) -> list[str]:
    """The heads of the results' table."""
    unit, taken = _unit(found), "columns" if "columns" in get_game(found.game).rewards else "tricks"
    heads = ["opponent", f"{unit}s", "games won, %", f"points a {unit} above the opponent", f"{taken} a {unit} above"]
    if found.precision is not None:
        heads.append(f"±{found.precision:g} reached")
    return [*heads, "decisions/s", "the opponent's"]


def result_row(result: Evaluated, ticks: str = "") -> list[str]:
    """One opponent's row; ``ticks`` stands around its name."""
    match = result.match
    shown = match if result.controlled is None else result.controlled
    row = [
        f"{ticks}{match.sides[1]}{ticks}",
        f"{match.deals if match.protocol == 'duplicate' else match.games:,}",
        plus_minus(shown.win_rate[0], shown.ci95, percent=True),
        plus_minus(shown.mean_points, shown.mean_points_ci95),
        plus_minus(match.mean_tricks, match.mean_tricks_ci95),
    ]
    if result.precise is not None:
        row.append("yes" if result.precise else "no")
    return [*row, *(f"{rate:,.0f}" for rate in match.decisions_per_s)]


def bidding_rows(found: Evaluation) -> list[list[str]]:
    """The rows of the bidding table: the policy and its opponent for every match, then the standard caller."""

    def row(against: str, figures: CallerFigures) -> list[str]:
        shares = (
            figures.called,
            figures.first_round,
            figures.second_round,
            figures.euchred,
            figures.marches,
            figures.alone,
        )
        cells = [f"{100 * share:.1f}" for share in shares]
        lone = [f"{100 * share:.1f}" if figures.alone > 0 else "" for share in (figures.lone_marches, figures.lone_euchred)]
        return [against, figures.caller, f"{figures.calls:,}", *cells, *lone, f"{figures.points_per_call:+.3f}"]

    rows = []
    for result in found.results:
        if result.bidding is not None:
            own, other = result.bidding.sides
            rows += [row(other.caller, own), row("", other)]
    if found.standard_caller is not None:
        rows.append(row("itself", found.standard_caller))
    return rows


def cooperation_rows(found: Evaluation) -> list[list[str]]:
    """The rows of the cooperation table: each metric of the policy, and of the opponent, for every match."""

    def cell(metric: Metric, side: int) -> str:
        rate, lost = metric.rate[side], metric.points_lost_per_deal[side]
        if rate is None:
            return ""
        return f"{100 * rate:.1f}" + ("" if lost is None else f" ({-lost:+.3f})")

    rows = []
    for result in found.results:
        if result.cooperation is not None:
            metrics = result.cooperation.metrics
            for side in (0, 1):
                against = result.match.sides[1] if side == 0 else ""
                rows.append([against, result.match.sides[side], *(cell(metrics[name], side) for name in METRICS)])
    return rows


def self_check_lines(found: Evaluation) -> list[str]:
    """What the self-check found, in words."""
    check = found.self_check
    if check is None:
        return []
    team = get_game(found.game).team
    lines = [
        f"Against itself, {check.deals:,} deals played twice: {_verdict(check)}.",
        f"- First side less second: {plus_minus(check.sides.mean, check.sides.ci95)} points a deal.",
    ]
    seats = plus_minus(check.seats.mean, check.seats.ci95)
    if team:
        lines.append(f"- Even seats less odd ones, the luck of the deal included: {seats} points a deal.")
    else:
        lines.append(f"- Moving first is worth {seats} points a deal (part of the game, no check).")
    return lines


def _verdict(check: SelfCheck) -> str:
    if check.passed is None:
        return f"too few deals for a verdict (at least {FEWEST_TO_CHECK})"
    return "passed" if check.passed else "**failed**, it does not score 0"


def control_lines(found: Evaluation) -> list[str]:
    """What the control variate was worth, a line for each opponent."""
    lines = []
    for result in found.results:
        c = result.controlled
        if c is not None and c.points_variance_ratio is not None:
            words = (
                f"- `{result.match.sides[1]}`: {result.match.games:,} games are worth {c.games_without_points:,} without it"
            )
            words += " in points"
            if c.games_without_win_rate is not None:
                words += f", {c.games_without_win_rate:,} in games won"
            lines.append(words + f"; mean of the control {plus_minus(c.control_mean, c.control_ci95)}, expected 0.")
    return lines


def markdown(found: Evaluation, command: str) -> str:
    """The report of an evaluation.

    Args:
        found: the figures.
        command: the command that makes it again, without ``--markdown``.
    """
    game = get_game(found.game)
    rules = ", ".join(f"{name} {show(value)}" for name, value in found.options.items())
    unit = _unit(found)
    lines = [
        f"# {found.policy}",
        "",
        f"Written by `{command} --markdown FILE`.",
        "",
        f"{game.title} ({rules}), {found.protocol}, seed {found.seed}; 95% intervals"
        + (", each deal played twice with the sides exchanged." if unit == "deal" else "."),
    ]
    if found.precision is not None:
        at_most = f"±{found.precision:g}"
        lines.append(f"A match ends when the interval of its points is at most {at_most}, or at the most {unit}s allowed.")
    lines += ["", *_table(result_heads(found), [result_row(result, "`") for result in found.results])]
    controls = control_lines(found)
    if controls:
        lines += ["With the double-dummy value of the deals taken out (control variate):", "", *controls, ""]
    checks = self_check_lines(found)
    if checks:
        lines += ["## Self-check", "", checks[0], "", *checks[1:], ""]
    bids = bidding_rows(found)
    if bids:
        lines += [
            "## Bidding",
            "",
            'Shares are of the caller\'s own calls, behind "alone:" of its calls alone; points a call are less what the',
            "other side won by euchring it. The last row is the standard caller's for comparison.",
            "",
            *_table(BIDDING_HEADS, bids, 2),
        ]
    partners = cooperation_rows(found)
    if partners:
        lines += [
            "## Cooperation",
            "",
            "% of the times it could be left; in brackets what it changed, points a deal, all cards open.",
            "",
            *_table(("against", "side", *METRICS.values()), partners, 2),
        ]
    return "\n".join(lines)


def tables(found: Evaluation, width: int) -> list[Table]:
    """The results and the bidding for a terminal of ``width`` columns."""
    heads = result_heads(found)
    shown = [k for k in range(len(heads)) if width >= _NARROW or k not in (4, len(heads) - 1)]
    results = Table(title=found.policy)
    for k in shown:
        results.add_column(heads[k], justify="left" if k == 0 else "right")
    for result in found.results:
        row = result_row(result)
        results.add_row(*(row[k] for k in shown))
    made = [results]
    rows = bidding_rows(found)
    if rows:
        columns = [k for k in range(len(BIDDING_HEADS)) if width >= 150 or k not in (2, 5, 9, 10)]
        bids = Table(title="bidding", box=None)
        for k in columns:
            bids.add_column(BIDDING_HEADS[k], justify="left" if k < 2 else "right")
        for row in rows:
            bids.add_row(*(row[k] for k in columns))
        made.append(bids)
    return made
