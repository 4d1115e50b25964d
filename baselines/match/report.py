"""The report of a match."""

from collections.abc import Iterator, Sequence

from cardenvs.baselines.observers.taking import METRICS
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Block, Document, Estimate, Heading, Name, Table, Text, Words
from cardenvs.baselines.reports.text import options_text
from cardenvs.contract.registry import full_title, named_game

_MOST_SCORES = 40  # the most different scores whose frequencies a report lists


def document(result: Row, command: str = "") -> Document:
    """The report of a match: a table with a column for each side; with more than two sides, for one and the others."""
    if result.teams:
        return _team_document(result)
    game, unit, both = named_game(result.game), result.unit, (0, 1)
    several, tricks = result.num_sides > 2, game.tricks_word
    chance = f", {100 * result.chance:.1f} for equals" if several else ""
    rows: list[list[Text]] = [
        [f"win rate, % (95%{chance})", *(Estimate(result.win_rate_of(side), percent=True) for side in both)]
    ]
    if several:
        ranks = (Estimate(result.rank_of(side), digits=2, signed=False) for side in both)
        rows.append([f"rank, 1 to {result.num_sides} (95%)", *ranks])
    totals: list[tuple[str, Sequence[float]]] = [
        ("games won alone, and by others" if several else "games won", result.games_won),
        (f"{tricks} won", result.tricks_won),
        ("points", result.points),
    ]
    margins = [("points", result.points_margin), (tricks, result.tricks_margin)]
    if tricks not in game.rewards:
        del totals[1], margins[1]
    for name, values in totals:
        rows.append([name, *(f"{value:z,.1f}" if isinstance(value, float) else f"{value:,}" for value in values)])
    for name, margin in margins:
        above = f"{name} a {unit} above the other{'s' if several else ''} (95%)"
        rows.append([above, Estimate(margin), Estimate((-margin).over(result.num_sides - 1))])
    rows.append(["decisions/s", *(f"{rate:,.0f}" for rate in result.decisions_per_s)])
    if result.passed_out is not None:
        rows.append(["deals passed out, nothing played", f"{result.passed_out:,}", ""])
    if result.truncated is not None:
        rows.append(["games cut off, won by nobody", f"{result.truncated:,}", ""])
    first, second = map(Name, result.sides)
    table = Table(["", first, (second, f", each of {result.num_sides - 1} sides") if several else second], rows)
    return Document(_match_title(result), [table, *_cooperation_blocks(result.cooperation, [first, second])])


def _match_title(result: Row) -> str:
    rules = f" ({options_text(result.options)})" if result.options else ""
    title = full_title(named_game(result.game))
    return f"{title}, {result.protocol}: {result.games} games, seed {result.seed}{rules}"


def _team_document(result: Row) -> Document:
    """The report of a match in a game of one side, a column for each team, with a comparison of two teams."""
    teams = result.teams
    rows: list[list[Text]] = [["points a deal (95%)", *(Estimate(team.points, signed=False) for team in teams)]]
    if len(teams) > 1:
        leads = result.points_margin, -result.points_margin
        rows.append(["above the other, same deals (95%)", *map(Estimate, leads)])
        rates = (Estimate(result.win_rate_of(side), percent=True) for side in (0, 1))
        rows.append(["deals with more points, % (95%)", *rates])
    ways = teams[0].endings or {}
    if teams[0].perfect is not None and "perfect" not in ways:
        rows.append(["perfect games, %", *(f"{100 * (team.perfect or 0):.1f}" for team in teams)])
    for way in ways:
        rows.append([f"ended: {way}, %", *(f"{100 * (team.endings or {})[way]:.1f}" for team in teams)])
    for what in teams[0].counted or ():
        rows.append([f"{what} a game", *(f"{(team.counted or {})[what]:.3f}" for team in teams)])
    if result.truncated is not None:
        rows.append(["games cut off", f"{result.truncated:,}", *[""] * (len(teams) - 1)])
    rows.append(["decisions/s", *(f"{rate:,.0f}" for rate in result.decisions_per_s)])
    names = list(map(Name, result.sides))
    scores = sorted({int(score) for team in teams for score in team.distribution})
    parts: list[Block] = [Table(["", *names], rows)]
    if len(scores) <= _MOST_SCORES:
        spread: list[list[Text]] = [
            [str(score), *(f"{100 * team.distribution.get(str(score), 0) / result.units:.1f}" for team in teams)]
            for score in scores
        ]
        parts += [Heading("Games by points, %"), Table(["points", *names], spread)]
    return Document(_match_title(result), parts)


def _cooperation_blocks(cooperation: Row | None, sides: Sequence[Name]) -> Iterator[Block]:
    """The rates at which partners take tricks from each other, with a column for each side."""
    if cooperation is None:
        return
    rows: list[list[Text]] = []
    for name, metric in cooperation.metrics.items():
        rows.append([METRICS[name]])
        for rate, lost, possible in zip(metric.rate, metric.points_lost, metric.opportunities, strict=True):
            text = "-" if rate is None else f"{100 * rate:.1f}% of {possible:,}"
            rows[-1].append(text if lost is None else f"{text}, {-lost:+z.3f}")
    yield Heading(f"Cooperation, {cooperation.deals:,} deals")
    yield Table(["", *sides], rows)
    yield Words("% of the times it could be left; points lost each time, all cards open")
