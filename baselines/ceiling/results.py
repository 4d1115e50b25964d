"""The results of a measured ceiling, and their reports."""

from pathlib import Path

from cardenvs.baselines.reports import columns
from cardenvs.baselines.reports.columns import Column, Columns, Row, name_column, points_column, share_column
from cardenvs.baselines.reports.document import Document, Estimate, Name, Table, Text
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reports.text import options_text
from cardenvs.contract.registry import full_title, named_game


def document(result: Row, command: str = "") -> Document:
    """The report of a `Ceiling`; ``command``, the command line that repeats it, is quoted if it is not empty."""
    game = named_game(result.game)

    def wins_of(policy: str) -> Column:
        """The points of a policy above those of each row's."""
        return Column("", title=(Name(policy), " wins"), cell=lambda row: Estimate(_won_from(result, policy, row.policy)))

    opened = {"tricks": f"{game.tricks_word} a deal above"}
    games = {f"{kind}_games": f"{kind} games for {result.effect:g}" for kind in ("single", "duplicate")}
    begun = game.bids_trump or result.open_cards == 13
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        title=full_title(game),
        options=options_text(result.options),
        opened=OpenCards.table(result.policies, after=[wins_of(one.policy) for one in result.policies], titles=opened),
        never="it never loses a duplicate deal, " if begun else "",
        begun=begun,
        most=any(one.most is not None for one in result.policies),
        lucky=Luck.table(result.matches, titles=games),
    )


def _won_from(ceiling: Row, first: str, second: str) -> Interval | None:
    """Margin of a policy over another, in points a deal; None for one against itself."""
    for match in ceiling.matches:
        if first != second and {*match.sides} == {first, second}:
            margin: Interval = match.margin
            return margin if match.sides[0] == first else -margin
    return None


def team_document(result: Row, command: str = "") -> Document:
    """The report of a `TeamCeiling`; ``command`` as for `document`."""
    title = full_title(named_game(result.game))
    heads = ["", "points a deal"]
    rows: list[list[Text]] = [["open hands", Estimate(result.points, signed=False)]]
    rows += [[Name(one.policy), Estimate(one.points, signed=False)] for one in result.policies]
    if result.best is not None:
        heads += ["perfect, %", "of those that can be, %"]
        rows[0] += [Estimate(result.perfect, percent=True), ""]
        for row, one in zip(rows[1:], result.policies, strict=True):
            row += [Estimate(one.perfect, percent=True), Estimate(one.of_possible, percent=True)]
    return fill_report(
        Path(__file__).with_name("team_report.md"),
        result=result,
        command=command,
        title=title,
        rules=f" ({options_text(result.options)})" if result.options else "",
        scores=Table(heads, rows),
    )


_SETTINGS = (
    Column("game", "the game's name"),
    Column("options", "all rule options"),
    Column("seed", "the seed"),
    Column("deals", "number of deals, the same for all figures"),
)

OpenCards = Columns(
    "OpenCards",
    name_column("policy", "the policy's name", "from"),
    share_column(
        "win_rate", "share of the games won by a side that sees all cards and plays its minimax value",
        "all-seeing: games won, %",
    ),
    points_column("points", "points of that side above the policy's a deal", "points a deal above"),
    points_column("tricks", "tricks of that side above the policy's a deal", "tricks a deal above", spare=True),
    points_column(
        "most", "the most points above the policy's that any player could win a deal; None where that was not searched for",
        "the most: points a deal above",
    ),
)  # fmt: skip
"""Results of open cards against a policy in duplicate deals."""

Luck = Columns(
    "Luck",
    columns.names_column("sides", "the names of the first and of the second side", "match", " against "),
    points_column("margin", "the first's points above the second's a deal", "points a deal above"),
    Column("single_sd", "standard deviation of the margin of a deal that is played once", "sd of a deal",
           "{:.3f}".format, spare=True),
    Column("duplicate_sd", "that of the margin of a duplicate deal, the mean of its two copies",
           "sd of a duplicate deal", "{:.3f}".format),
    Column("correlation", "between the first's margins in the two copies; None where a copy has no spread", "correlation",
           lambda value: "" if value is None else f"{value:+z.3f}", spare=True),
    Column("taken", "share of the variance of two single deals' mean that duplicate play removes; None without spread",
           "taken, %", lambda value: "" if value is None else f"{100 * value:.1f}"),
    columns.count_column("single_games", "games of single deals after which an effect is as large as half of its interval",
                         "single games"),
    columns.count_column("duplicate_games", "the same number for duplicate deals, two games a deal", "duplicate games"),
)  # fmt: skip
"""The spread of the points of one side above the other's, deal by deal."""

Ceiling = Columns(
    "Ceiling",
    *_SETTINGS,
    Column("open_cards", "the most cards a hand with which the side that sees all cards sees them"),
    Column("effect", "the effect that the numbers of games of `Luck` are for, in points a deal"),
    Column("policies", "what open cards win from each policy (`OpenCards`)"),
    Column("matches", "the matches between the policies, each against itself included (`Luck`)"),
    Column("seconds", "wall time"),
    document=document,
)
"""Results of open cards against some policies, of these against each other, and the luck that is left in them."""

TeamScore = Columns(
    "TeamScore",
    name_column("policy", "the policy's name"),
    points_column("points", "the team's points a deal"),
    share_column("perfect", "share of the deals with a game's highest score; None where a game does not state it"),
    share_column("of_possible", "the same share of the deals in which open hands reach it; None where there is none"),
)
"""Results of a team in the deals that were searched with open hands."""

TeamCeiling = Columns(
    "TeamCeiling",
    *_SETTINGS,
    Column("positions", "positions of a deal after which its search is given up"),
    Column("best", "a game's highest score; None where it does not state it"),
    points_column("points", "the most points found with open hands, a deal"),
    share_column(
        "perfect", "share of the deals in which these are the highest score; None where the game does not state it"
    ),
    Column("given_up", "deals whose search was given up: their points are the least that open hands reach"),
    Column("looked", "positions searched in all deals"),
    Column("policies", "what the teams score (`TeamScore`)"),
    Column("seconds", "wall time"),
    document=team_document,
)
"""Results of open hands in a game of one side, and of teams in the same deals."""
