"""The report of an evaluation, as Markdown and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.table import Table

from cardenvs.baselines.evaluation.results import Evaluated, Evaluation
from cardenvs.baselines.evaluation.self_check import FEWEST_TO_CHECK, SelfCheck
from cardenvs.baselines.match.side import has_like_sides
from cardenvs.baselines.observers.bidding import CallerFigures
from cardenvs.baselines.observers.cooperation import Metric
from cardenvs.baselines.observers.taking import METRICS
from cardenvs.baselines.reports.terminal import printed_table
from cardenvs.baselines.reports.text import options_text, plus_minus, short_names
from cardenvs.contract.registry import named_game
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import code, escaped, table_lines

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
"""Minimum width of a terminal, in characters, for the tricks and the opponent's speed in the table of results."""


def _unit(evaluation: Evaluation) -> str:
    """The unit of the figures: ``"deal"``, in the published protocol ``"game"``."""
    return "deal" if evaluation.protocol == "duplicate" else "game"


def result_heads(evaluation: Evaluation) -> list[str]:
    """The names of the columns of the table of results."""
    unit, tricks = _unit(evaluation), named_game(evaluation.game).tricks_word
    heads = ["opponent", f"{unit}s", "games won, %", f"points a {unit} above the opponent", f"{tricks} a {unit} above"]
    sides = named_game(evaluation.game).num_sides
    if sides > 2:
        heads[2:3] = [f"games won, % ({100 / sides:.1f} for equals)", f"rank, 1 to {sides}"]
    if evaluation.precision is not None:
        heads.append(f"±{evaluation.precision:g} reached")
    return [*heads, "decisions/s", "the opponent's"]


def result_row(result: Evaluated, shown: Callable[[str], str] = str) -> list[str]:
    """One opponent's row under `result_heads`.

    Args:
        result: the results against the opponent.
        shown: how the opponent's name is shown, such as `cardenvs.printing.code`.
    """
    match = result.match
    row = [
        shown(match.sides[1]),
        f"{match.deals if match.protocol == 'duplicate' else match.games:,}",
        plus_minus(result.win_rate, percent=True),
        plus_minus(result.points_margin),
        plus_minus(match.tricks_margin),
    ]
    if match.num_sides > 2:
        row.insert(3, plus_minus(match.rank, digits=2).removeprefix("+"))
    if result.precise is not None:
        row.append("yes" if result.precise else "no")
    return [*row, *(f"{rate:,.0f}" for rate in match.decisions_per_s)]


def bidding_rows(evaluation: Evaluation) -> list[list[str]]:
    """The rows of the bidding table: the policy and its opponent for every match, then the standard caller."""

    def row(against: str, figures: CallerFigures) -> list[str]:
        """One caller's figures under `BIDDING_HEADS`."""
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
        return [against, figures.caller, f"{figures.calls:,}", *cells, *lone, f"{figures.points_per_call:+z.3f}"]

    rows = []
    for result in evaluation.results:
        if result.bidding is not None:
            own, other = result.bidding.sides
            rows += [row(other.caller, own), row("", other)]
    if evaluation.standard_caller is not None:
        rows.append(row("itself", evaluation.standard_caller))
    return rows


def cooperation_rows(evaluation: Evaluation) -> list[list[str]]:
    """The rows of the cooperation table: each metric of the policy, and of the opponent, for every match."""

    def cell(metric: Metric, side: int) -> str:
        """One side's rate of a metric in percent, and the change in points a deal that it made."""
        rate, lost = metric.rate[side], metric.points_lost_per_deal[side]
        if rate is None:
            return ""
        return f"{100 * rate:.1f}" + ("" if lost is None else f" ({-lost:+z.3f})")

    rows = []
    for result in evaluation.results:
        if result.cooperation is not None:
            metrics = result.cooperation.metrics
            for side in (0, 1):
                against = result.match.sides[1] if side == 0 else ""
                rows.append([against, result.match.sides[side], *(cell(metrics[name], side) for name in METRICS)])
    return rows


def self_check_lines(evaluation: Evaluation) -> list[str]:
    """The self-check's results as lines of text; empty without a self-check."""
    check = evaluation.self_check
    if check is None:
        return []
    game = named_game(evaluation.game)
    two, times = game.num_sides == 2, "twice" if game.num_sides == 2 else f"{game.num_sides} times"
    lines = [
        f"Against itself, {check.deals:,} deals played {times}: {_verdict(check)}.",
        f"- First side less {'second' if two else 'the others'}: {plus_minus(check.sides.margin)} points a deal.",
    ]
    seats = plus_minus(check.seats.margin)
    if not has_like_sides(game):
        lines.append(f"- The game's first side is worth {seats} points a deal above the rest (part of the game, no check).")
    elif game.team:
        lines.append(f"- Even seats less odd ones, the luck of the deal included: {seats} points a deal.")
    else:
        lines.append(f"- Moving first is worth {seats} points a deal (part of the game, no check).")
    return lines


def truncated_lines(evaluation: Evaluation) -> list[str]:
    """Number of truncated games, as a line of text; empty in a game that is never truncated."""
    counts = [result.match.truncated for result in evaluation.results if result.match.truncated is not None]
    return [f"{sum(counts):,} games were cut off before their end: nobody won anything in them."] if counts else []


def passed_out_lines(evaluation: Evaluation) -> list[str]:
    """Number of deals that all seats passed, as a line of text; empty in a game in which they cannot."""
    counts = [result.match.passed_out for result in evaluation.results if result.match.passed_out is not None]
    return [f"{sum(counts):,} deals were passed out: nothing was played in them, and nobody scored."] if counts else []


def forfeit_lines(evaluation: Evaluation) -> list[str]:
    """The forfeited matches with policy and reason, a line of text each."""
    unit = _unit(evaluation)
    return [
        f"Against {one.against}: {one.forfeit.policy} has forfeited after {one.deals:,} finished {unit}"
        f"{'' if one.deals == 1 else 's'}{', which count' if one.deals else ''}: {one.forfeit.why}"
        for one in evaluation.forfeits
    ]


def _verdict(check: SelfCheck) -> str:
    """Whether the self-check passed, in words."""
    if check.passed is None:
        return f"too few deals for a verdict (at least {FEWEST_TO_CHECK})"
    return "passed" if check.passed else "**failed**, it does not score 0"


def control_lines(evaluation: Evaluation, shown: Callable[[str], str] = "`{}`".format) -> list[str]:
    """Games that the control variate saves, as a line of text for each opponent, whose name ``shown`` formats."""
    lines = []
    for result in evaluation.results:
        c = result.controlled
        if c is not None and c.points_variance_ratio is not None:
            words = f"- {shown(result.match.sides[1])}: {result.match.games:,} games are worth "
            words += f"{c.games_without_points:,} without it in points"
            if c.games_without_win_rate is not None:
                words += f", {c.games_without_win_rate:,} in games won"
            lines.append(words + f"; mean of the control {plus_minus(c.control_mean)}, expected 0.")
    return lines


def _exchanged(game: GameSpec) -> str:
    """The copies of a duplicate deal, in words."""
    if game.num_sides == 2:
        return "each deal played twice with the sides exchanged"
    return f"each deal played {game.num_sides} times, once with the policy on each side and the opponent on all others"


def markdown(evaluation: Evaluation, command: str) -> str:
    """The report of an evaluation as Markdown.

    Args:
        evaluation: the figures.
        command: the command that makes the report again, without ``--report``.
    """
    game = named_game(evaluation.game)
    unit = _unit(evaluation)
    lines = [
        f"# {escaped(evaluation.policy)}",
        "",
        f"Written by {code(f'{command} --report FILE')}.",
        "",
        f"{game.title} ({options_text(evaluation.options)}), {evaluation.protocol}, seed {evaluation.seed}; 95% intervals"
        + (f", {_exchanged(game)}." if unit == "deal" else "."),
    ]
    if evaluation.precision is not None:
        at_most = f"±{evaluation.precision:g}"
        lines.append(f"A match ends when the interval of its points is at most {at_most}, or at the most {unit}s allowed.")
    lines += ["", *table_lines(result_heads(evaluation), [result_row(result, code) for result in evaluation.results])]
    uncounted = [*passed_out_lines(evaluation), *truncated_lines(evaluation)]
    if uncounted:
        lines += [*uncounted, ""]
    forfeits = forfeit_lines(evaluation)
    if forfeits:
        lines += ["## Forfeits", "", *(f"- {escaped(line)}" for line in forfeits), ""]
    controls = control_lines(evaluation, code)
    if controls:
        lines += ["With the double-dummy value of the deals taken out (control variate):", "", *controls, ""]
    checks = self_check_lines(evaluation)
    if checks:
        lines += ["## Self-check", "", checks[0], "", *checks[1:], ""]
    bids = bidding_rows(evaluation)
    if bids:
        lines += [
            "## Bidding",
            "",
            'Shares are of the caller\'s own calls, behind "alone:" of its calls alone; points a call are less what the',
            "other side won by euchring it. The last row is the standard caller's for comparison.",
            "",
            *table_lines(BIDDING_HEADS, bids, 2, foreign=True),
        ]
    partners = cooperation_rows(evaluation)
    if partners:
        lines += [
            "## Cooperation",
            "",
            "% of the times it could be left; in brackets what it changed, points a deal, all cards open.",
            "",
            *table_lines(("against", "side", *METRICS.values()), partners, 2, foreign=True),
        ]
    return "\n".join(lines)


def terminal_parts(evaluation: Evaluation, width: int, bidding: bool = False) -> Iterator[Table | str]:
    """An evaluation for a terminal: the table of results, and lines on the checks.

    Args:
        evaluation: the figures.
        width: characters in a line of the terminal.
        bidding: whether the table of the bidding is shown, too, where there is one.
    """
    heads = result_heads(evaluation)
    tricks = f"{named_game(evaluation.game).tricks_word} a {_unit(evaluation)} above"
    shown = [k for k in range(len(heads)) if width >= _NARROW or (k != len(heads) - 1 and heads[k] != tricks)]
    called = short_names([evaluation.policy, *(result.match.sides[1] for result in evaluation.results)])
    found = [result_row(result, called) for result in evaluation.results]
    yield printed_table(
        [heads[k] for k in shown], [[row[k] for k in shown] for row in found], title=called(evaluation.policy)
    )
    rows = bidding_rows(evaluation) if bidding else []
    if rows:
        columns = [k for k in range(len(BIDDING_HEADS)) if width >= 150 or k not in (2, 5, 9, 10)]
        bids = Table(title="bidding", box=None)
        for k in columns:
            bids.add_column(BIDDING_HEADS[k], justify="left" if k < 2 else "right")
        for row in rows:
            bids.add_row(*(row[k] for k in columns))
        yield bids
    yield from passed_out_lines(evaluation)
    yield from truncated_lines(evaluation)
    yield from forfeit_lines(evaluation)
    yield from control_lines(evaluation)
    yield from self_check_lines(evaluation)
