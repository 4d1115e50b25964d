"""The report of an evaluation."""

from collections.abc import Callable, Iterable
from pathlib import Path

from cardenvs.baselines.evaluation.self_check import FEWEST_TO_CHECK
from cardenvs.baselines.match.side import has_like_sides
from cardenvs.baselines.observers.taking import METRICS
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Document, Estimate, Items, Name, Span, Strong, Table, Text, joined
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text, plus_minus
from cardenvs.contract.registry import full_title, named_game
from cardenvs.contract.spec import GameSpec

_EXCHANGED = {
    1: "each deal played by both teams; a win is a deal that brought more points",
    2: "each deal played twice with the sides exchanged",
    3: "each deal played {} times, once with the policy on each side and the opponent on all others",
}
"""The copies of a duplicate deal in words, by the number of sides, 3 for all larger ones."""


def document(evaluation: Row, command: str = "", bidding: bool = False) -> Document:
    """The report of an evaluation.

    Args:
        command: the command line that makes the results again, without ``--report``; empty: none is quoted.
        bidding: whether a terminal has the table of the bidding, too.
    """
    game, unit, results = named_game(evaluation.game), evaluation.unit, evaluation.results
    callers, check = _bidding(evaluation), evaluation.self_check
    forfeits = [("Against ", Name(one.against), f": {one.forfeit.told(one.deals, unit)}") for one in evaluation.forfeits]
    longest = max((one.match for one in results if one.match.teams), key=lambda match: match.units, default=None)
    team = longest and longest.teams[0]
    stopping = ""
    if evaluation.precision is not None:
        ends = f"the interval of its points is at most ±{evaluation.precision:g}"
        stopping = f" A match ends when {ends}, or at the most {unit}s allowed."
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=evaluation,
        command=command,
        policy=Name(evaluation.policy),
        title=full_title(game),
        rules=f" ({options_text(evaluation.options)})" if evaluation.options else "",
        exchanged=f", {_EXCHANGED[min(game.num_sides, 3)].format(game.num_sides)}" if unit == "deal" else "",
        stopping=stopping,
        table=_results(evaluation, game),
        verdict=_verdict(evaluation),
        passed_out=_total(one.match.passed_out for one in results),
        cut_off=_total(one.match.truncated for one in results),
        forfeits=Items(forfeits) if forfeits else None,
        controls=_controls(results),
        bidding=callers,
        bidding_shown=bidding and callers,
        cooperation=_cooperation(results),
        longest=longest,
        team_points="" if team is None else Estimate(team.points, signed=False).text(),
        perfect="" if team is None or team.perfect is None else f", {100 * team.perfect:.1f}% of the games perfect",
        check=check,
        passed=check and _self_verdict(check),
        times="twice" if game.num_sides == 2 else f"{game.num_sides} times",
        others="second" if game.num_sides == 2 else "the others",
        unlike=not has_like_sides(game),
        partners=has_like_sides(game) and game.team,
        singles=has_like_sides(game) and not game.team,
    )


def _results(evaluation: Row, game: GameSpec) -> Table:
    """The table of the results, a row for each opponent."""
    unit, sides, precision = evaluation.unit, game.num_sides, evaluation.precision
    tricks, speed = f"{game.tricks_word} a {unit} above", "the opponent's"
    columns: list[tuple[str, Callable[[Row], Text]]] = [
        ("opponent", lambda one: Name(one.match.sides[1])),
        (f"{unit}s", lambda one: f"{one.match.units:,}"),
        (f"games won, %{f' ({100 / sides:.1f} for equals)' if sides > 2 else ''}",
         lambda one: Estimate(one.win_rate, percent=True)),
    ]  # fmt: skip
    if sides > 2:
        columns.append((f"rank, 1 to {sides}", lambda one: Estimate(one.match.rank, digits=2, signed=False)))
    columns.append((f"points a {unit} above the opponent", lambda one: Estimate(one.points_margin)))
    if sides > 1:
        columns.append((tricks, lambda one: Estimate(one.match.tricks_margin)))
    elif game.team:
        columns.append((f"points a {unit} with it", lambda one: Estimate(one.points_with_opponent, signed=False)))
    if precision is not None:
        columns.append((f"±{precision:g} reached", lambda one: "yes" if one.precise else "no"))
    columns.append(("decisions/s", lambda one: f"{one.match.decisions_per_s[0]:,.0f}"))
    columns.append((speed, lambda one: f"{one.match.decisions_per_s[1]:,.0f}"))
    rows = [[cell(one) for _, cell in columns] for one in evaluation.results]
    return Table([title for title, _ in columns], rows, spare=[tricks, "decisions/s", speed])


def _verdict(evaluation: Row) -> tuple[Span, ...]:
    """The sentence about who was beaten, and by how much; empty without results."""
    parts: list[Text] = []
    margins = {one.match.sides[1]: one.points_margin for one in evaluation.results}
    for sign, verb in {1: "beats ", -1: "loses to ", 0: "has no clear lead over "}.items():
        found = {name: abs(m.mean) for name, m in margins.items() if (m.low > 0) - (m.high < 0) == sign}
        if found:
            by = " to ".join(dict.fromkeys(f"{size:.3f}" for size in (min(found.values()), max(found.values()))))
            *names, last = map(Name, found)
            listed = joined([joined(names), last] if names else [last], " and ")
            parts.append((verb, *listed, f" by {by} points a {evaluation.unit}" if sign else ""))
    return joined(parts, "; ")


def _total(numbers: Iterable[int | None]) -> str:
    """The total of numbers of deals, in a game that has such deals; else empty."""
    found = [number for number in numbers if number is not None]
    return f"{sum(found):,}" if found else ""


def _controls(results: Iterable[Row]) -> Items | None:
    """The games that the control variate saves, by opponent."""
    items: list[Text] = []
    for result in results:
        c = result.controlled
        if c is not None and c.points_variance_ratio is not None:
            words = f": {result.match.games:,} games are worth {c.games_without_points:,} without it in points"
            if c.games_without_win_rate is not None:
                words += f", {c.games_without_win_rate:,} in games won"
            words += f"; mean of the control {plus_minus(c.control_mean)}, expected 0."
            items.append((Name(result.match.sides[1]), words))
    return Items(items) if items else None


def _self_verdict(check: Row) -> Text:
    """The verdict of the self-check."""
    if check.passed is None:
        return f"too few deals for a verdict (at least {FEWEST_TO_CHECK})."
    return "passed." if check.passed else (Strong("failed"), ", it does not score 0.")


_SHARES = {
    "called": "% of deals",
    "first_round": "first round, %",
    "second_round": "second round, %",
    "euchred": "euchred, %",
    "marches": "marches, %",
    "alone": "alone, %",
}
_LONE_SHARES = {"lone_marches": "alone: march, %", "lone_euchred": "alone: euchred, %"}


def _bidding(evaluation: Row) -> Table | None:
    """The bidding of the policy and of its opponent in every match, and that of the standard caller."""
    callers: list[tuple[Row, Text]] = []
    for own, other in (result.bidding.sides for result in evaluation.results if result.bidding is not None):
        callers += [(own, (" against ", Name(other.caller))), (other, (" against ", Name(own.caller)))]
    if evaluation.standard_caller is not None:
        callers.append((evaluation.standard_caller, " against itself"))
    rows: list[list[Text]] = [
        [
            joined([Name(figures.caller), against], ""),
            f"{figures.calls:,}",
            *(f"{100 * getattr(figures, share):.1f}" for share in _SHARES),
            *(f"{100 * getattr(figures, share):.1f}" if figures.alone > 0 else "" for share in _LONE_SHARES),
            f"{figures.points_per_call:+z.3f}",
        ]
        for figures, against in callers
    ]
    heads = ["caller", "calls", *_SHARES.values(), *_LONE_SHARES.values(), "points a call"]
    return Table(heads, rows, spare=["calls", "second round, %", *_LONE_SHARES.values()]) if rows else None


def _cooperation(results: Iterable[Row]) -> Table | None:
    """Each metric of cooperation of the policy, and of the opponent, for every match."""

    def cell(metric: Row, side: int) -> str:
        """One side's rate of a metric in percent, and the change in points a deal that it made."""
        rate, lost = metric.rate[side], metric.points_lost_per_deal[side]
        return "" if rate is None else f"{100 * rate:.1f}" + ("" if lost is None else f" ({-lost:+z.3f})")

    rows: list[list[Text]] = []
    for result in results:
        if result.cooperation is not None:
            metrics, names = result.cooperation.metrics, result.match.sides
            for side in (0, 1):
                both = (Name(names[side]), " against ", Name(names[1 - side]))
                rows.append([both, *(cell(metrics[name], side) for name in METRICS)])
    return Table(["side", *METRICS.values()], rows) if rows else None
