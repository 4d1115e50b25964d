"""The report of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cardenvs.baselines.evaluation.self_check import FEWEST_TO_CHECK
from cardenvs.baselines.match.side import has_like_sides
from cardenvs.baselines.observers.taking import METRICS
from cardenvs.baselines.reports.document import (
    Block,
    Code,
    Document,
    Estimate,
    Heading,
    Items,
    Name,
    Only,
    Span,
    Strong,
    Table,
    Text,
    Words,
    in_file,
    in_terminal,
    joined,
)
from cardenvs.baselines.reports.text import options_text, plus_minus
from cardenvs.contract.registry import full_title, named_game
from cardenvs.contract.spec import GameSpec

if TYPE_CHECKING:
    from cardenvs.baselines.evaluation.results import Evaluated, Evaluation
    from cardenvs.baselines.observers.bidding import CallerFigures
    from cardenvs.baselines.observers.cooperation import Metric

_BIDDING = (
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
"""The heads of the table of the bidding."""


def document(evaluation: Evaluation, command: str = "", bidding: bool = False) -> Document:
    """The report of an evaluation.

    Args:
        evaluation: the results.
        command: the command line that makes the results again, without ``--report``; empty: none is quoted.
        bidding: whether a terminal has the table of the bidding, too.
    """
    game, unit = named_game(evaluation.game), evaluation.unit
    rules = f" ({options_text(evaluation.options)})" if evaluation.options else ""
    exchanged = f", {_exchanged(game)}" if unit == "deal" else ""
    said = f"{full_title(game)}{rules}, {evaluation.protocol}, seed {evaluation.seed}; 95% intervals{exchanged}."
    if evaluation.precision is not None:
        ends = f"the interval of its points is at most ±{evaluation.precision:g}"
        said += f" A match ends when {ends}, or at the most {unit}s allowed."
    written = [Words(("Written by ", Code(f"{command} --report FILE"), "."))] if command else []
    return Document(
        (Name(evaluation.policy), f" in {full_title(game)}"),
        [
            in_file(*written, Words(said)),
            *_own_points(evaluation),
            _results(evaluation, game),
            *map(in_file, _verdict(evaluation)),
            *_uncounted(evaluation.results),
            *_forfeits(evaluation),
            *_controls(evaluation.results),
            *_self_check(evaluation, game),
            *_bidding(evaluation, bidding),
            *_cooperation(evaluation.results),
            *map(in_terminal, _verdict(evaluation)),
        ],
    )


def _exchanged(game: GameSpec) -> str:
    """The copies of a duplicate deal, in words."""
    if game.one_sided:
        return "each deal played by both teams; a win is a deal that brought more points"
    if game.num_sides == 2:
        return "each deal played twice with the sides exchanged"
    return f"each deal played {game.num_sides} times, once with the policy on each side and the opponent on all others"


def _results(evaluation: Evaluation, game: GameSpec) -> Table:
    """The table of the results, a row for each opponent."""
    unit, sides = evaluation.unit, game.num_sides
    several, precision, team = sides > 2, evaluation.precision, sides == 1
    tricks, speed = f"{game.tricks_word} a {unit} above", "the opponent's"
    won = [f"games won, % ({100 / sides:.1f} for equals)", f"rank, 1 to {sides}"] if several else ["games won, %"]
    reached = [] if precision is None else [f"±{precision:g} reached"]
    with_it = [f"points a {unit} with it"] if team and game.team else []
    compared = [f"points a {unit} above the opponent", *([] if team else [tricks])]
    heads = ["opponent", f"{unit}s", *won, *compared, *with_it, *reached, "decisions/s", speed]
    rows: list[list[Text]] = []
    for result in evaluation.results:
        match = result.match
        rows.append(
            [
                Name(match.sides[1]),
                f"{match.units:,}",
                Estimate(result.win_rate, percent=True),
                *([Estimate(match.rank, digits=2, signed=False)] if several else []),
                Estimate(result.points_margin),
                *([] if team else [Estimate(match.tricks_margin)]),
                *([Estimate(result.points_with_opponent, signed=False)] if with_it else []),
                *([] if precision is None else ["yes" if result.precise else "no"]),
                *(f"{rate:,.0f}" for rate in match.decisions_per_s),
            ]
        )
    return Table(heads, rows, spare=[tricks, "decisions/s", speed])


def _verdict(evaluation: Evaluation) -> Iterator[Words]:
    """A sentence on who was beaten, and by how much."""
    parts: list[Text] = []
    margins = {one.match.sides[1]: one.points_margin for one in evaluation.results}
    for sign, verb in {1: "beats ", -1: "loses to ", 0: "has no clear lead over "}.items():
        found = {name: abs(m.mean) for name, m in margins.items() if (m.low > 0) - (m.high < 0) == sign}
        if found:
            by = " to ".join(dict.fromkeys(f"{size:.3f}" for size in (min(found.values()), max(found.values()))))
            *names, last = map(Name, found)
            listed = joined([joined(names), last] if names else [last], " and ")
            parts.append((verb, *listed, f" by {by} points a {evaluation.unit}" if sign else ""))
    if parts:
        yield Words((Name(evaluation.policy), " ", *joined(parts, "; "), "."))


def _own_points(evaluation: Evaluation) -> Iterator[Words]:
    """In a game of one side the policy's own points, of its longest match."""
    teams = [(result.match.units, result.match.teams[0]) for result in evaluation.results if result.match.teams]
    if teams:
        units, team = max(teams, key=lambda one: one[0])
        perfect = "" if team.perfect is None else f", {100 * team.perfect:.1f}% of the games perfect"
        points = Estimate(team.points, signed=False).text()
        yield Words(
            f"As a team by itself it makes {points} points a {evaluation.unit} ({units:,} {evaluation.unit}s{perfect})."
        )


def _uncounted(results: Iterable[Evaluated]) -> Iterator[Words]:
    """Numbers of deals that all seats passed, and of truncated games, in games that have such."""
    passed = [result.match.passed_out for result in results if result.match.passed_out is not None]
    cut = [result.match.truncated for result in results if result.match.truncated is not None]
    if passed:
        yield Words(f"{sum(passed):,} deals were passed out: nothing was played in them, and nobody scored.")
    if cut:
        yield Words(f"{sum(cut):,} games were cut off before their end: nobody won anything in them.")


def _forfeits(evaluation: Evaluation) -> Iterator[Block | Only]:
    """The forfeited matches with policy and reason."""
    if evaluation.forfeits:
        yield in_file(Heading("Forfeits"))
        yield Items(
            [
                ("Against ", Name(one.against), f": {one.forfeit.told(one.deals, evaluation.unit)}")
                for one in evaluation.forfeits
            ]
        )


def _controls(results: Iterable[Evaluated]) -> Iterator[Block]:
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
    if items:
        yield Words("With the double-dummy value of the deals taken out (control variate):")
        yield Items(items)


def _self_check(evaluation: Evaluation, game: GameSpec) -> Iterator[Block | Only]:
    """The results of the policy against itself."""
    check = evaluation.self_check
    if check is None:
        return
    two = game.num_sides == 2
    verdict: Text = "passed."
    if check.passed is None:
        verdict = f"too few deals for a verdict (at least {FEWEST_TO_CHECK})."
    elif not check.passed:
        verdict = (Strong("failed"), ", it does not score 0.")
    seats = plus_minus(check.seats.margin)
    if not has_like_sides(game):
        said = f"The game's first side is worth {seats} points a deal above the rest (part of the game, no check)."
    elif game.team:
        said = f"Even seats less odd ones, the luck of the deal included: {seats} points a deal."
    else:
        said = f"Moving first is worth {seats} points a deal (part of the game, no check)."
    times = "twice" if two else f"{game.num_sides} times"
    yield in_file(Heading("Self-check"))
    yield Words(joined([f"Against itself, {check.deals:,} deals played {times}: ", verdict], ""))
    sides = f"First side less {'second' if two else 'the others'}: {plus_minus(check.sides.margin)} points a deal."
    yield Items([sides, said])


def _bidding(evaluation: Evaluation, shown: bool) -> Iterator[Only]:
    """The bidding of the policy and of its opponent in every match, and that of the standard caller."""
    rows = []
    for result in evaluation.results:
        if result.bidding is not None:
            own, other = result.bidding.sides
            rows += [_caller(own, (" against ", Name(other.caller))), _caller(other, (" against ", Name(own.caller)))]
    if evaluation.standard_caller is not None:
        rows.append(_caller(evaluation.standard_caller, (" against itself",)))
    if not rows:
        return
    heading = Heading("Bidding")
    table = Table(_BIDDING, rows, spare=["calls", "second round, %", "alone: march, %", "alone: euchred, %"])
    said = (
        'Shares are of the caller\'s own calls, behind "alone:" of its calls alone; points a call are less what the other '
        "side won by euchring it. The last row is the standard caller's for comparison."
    )
    yield in_file(heading, Words(said), table)
    if shown:
        yield in_terminal(heading, table)


def _caller(figures: CallerFigures, against: Iterable[Span]) -> list[Text]:
    """A caller's figures under the heads of `_BIDDING`."""
    shares = (figures.called, figures.first_round, figures.second_round, figures.euchred, figures.marches, figures.alone)
    lone = [figures.lone_marches, figures.lone_euchred]
    return [
        (Name(figures.caller), *against),
        f"{figures.calls:,}",
        *(f"{100 * share:.1f}" for share in shares),
        *(f"{100 * share:.1f}" if figures.alone > 0 else "" for share in lone),
        f"{figures.points_per_call:+z.3f}",
    ]


def _cooperation(results: Iterable[Evaluated]) -> Iterator[Only]:
    """Each metric of cooperation of the policy, and of the opponent, for every match."""

    def cell(metric: Metric, side: int) -> str:
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
    if rows:
        yield in_file(
            Heading("Cooperation"),
            Words("% of the times it could be left; in brackets what it changed, points a deal, all cards open."),
            Table(["side", *METRICS.values()], rows),
        )
