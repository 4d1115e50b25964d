"""The report of a measured ceiling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardenvs.baselines.reports.document import Code, Document, Estimate, Heading, Name, Table, Text, Words, in_file
from cardenvs.baselines.reports.text import options_text
from cardenvs.contract.registry import full_title, named_game

if TYPE_CHECKING:
    from cardenvs.baselines.ceiling.results import Ceiling, TeamCeiling
    from cardenvs.baselines.reports.statistics import Interval

MOST = (
    "The most: the best line against this very policy, all cards and its answers known. Nobody can win more from it in "
    "these deals (from one that draws lots, on average); to win as much one would have to see all cards and to foresee "
    "every answer."
)
LUCK = (
    "Taken: the share of the variance of two single deals' mean that exchanging the sides takes away. Games for an effect: "
    "so many that it is as large as half of its 95% interval, which then lies above 0 in half of all matches; for four "
    "matches in five it takes twice as many (2.04 times). A policy without chance plays both copies alike against itself, "
    "so that nothing is left; between equals that draw lots, what is left is these lots."
)


def document(ceiling: Ceiling, command: str = "") -> Document:
    """The report of a measured ceiling; ``command``, the command line that repeats it, is quoted if it is not empty."""
    game = named_game(ceiling.game)
    most = any(one.most is not None for one in ceiling.policies)
    tricks = f"{game.tricks_word} a deal above"
    heads = ["from", "all-seeing: games won, %", "points a deal above", tricks]
    heads += ["the most: points a deal above"] if most else []
    wins: list[Text] = [(Name(one.policy), " wins") for one in ceiling.policies]
    opened: list[list[Text]] = [
        [
            Name(one.policy),
            Estimate(one.win_rate, percent=True),
            Estimate(one.points),
            Estimate(one.tricks),
            *([Estimate(one.most)] if most else []),
            *(Estimate(_won_from(ceiling, other.policy, one.policy)) for other in ceiling.policies),
        ]
        for one in ceiling.policies
    ]
    spread = [f"{kind} games for {ceiling.effect:g}" for kind in ("single", "duplicate")]
    lucky: list[list[Text]] = [
        [
            (Name(match.sides[0]), " against ", Name(match.sides[1])),
            Estimate(match.margin),
            f"{match.single_sd:.3f}",
            f"{match.duplicate_sd:.3f}",
            "" if match.correlation is None else f"{match.correlation:+z.3f}",
            "" if match.taken is None else f"{100 * match.taken:.1f}",
            f"{match.single_games:,}",
            f"{match.duplicate_games:,}",
        ]
        for match in ceiling.matches
    ]
    written = [Words(("Written by ", Code(f"{command} --report FILE"), "."))] if command else []
    same = f"{ceiling.deals:,} duplicate deals, the same in all rows and columns; 95% intervals."
    begun = game.bids_trump or ceiling.open_cards == 13
    never = "it never loses a duplicate deal, " if begun else ""
    late = f"The cards are open with {ceiling.open_cards} cards a hand and fewer; before, both sides play as the policy"
    return Document(
        f"The ceiling in {full_title(game)}",
        [
            in_file(*written, Words(f"{full_title(game)} ({options_text(ceiling.options)}), seed {ceiling.seed}; {same}")),
            Heading(f"What open cards win, {ceiling.deals:,} duplicate deals"),
            Table([*heads, *wins], opened, spare=[tricks]),
            Words(
                "All-seeing: all four hands open, every call, discard and card by its minimax value. It takes its "
                f"opponents for perfect players that see all cards, too: {never}it wins at least what open cards are worth "
                "against these, and could win more from opponents that are weaker: a measure of what sight of all cards is "
                "worth, no proof that nobody wins more."
            ),
            *([] if begun else [Words(f"{late} does.")]),
            *([Words(MOST)] if most else []),
            Heading("The luck of the deal"),
            Table(
                ["", "points a deal above", "sd of a deal", "sd of a duplicate deal", "correlation", "taken, %", *spread],
                lucky,
                spare=["sd of a deal", "correlation"],
            ),
            Words(LUCK),
        ],
    )


def _won_from(ceiling: Ceiling, first: str, second: str) -> Interval | None:
    """Margin of a policy over another, in points a deal; None for one against itself."""
    if first == second:
        return None
    for match in ceiling.matches:
        if match.sides == [first, second]:
            return match.margin
        if match.sides == [second, first]:
            return -match.margin
    return None


OPEN_HANDS = (
    "Open hands: the best line of play in each deal, all cards and all chance to come known. No team scores more in these "
    "deals, whatever it knows, infers or has agreed on."
)


def team_document(ceiling: TeamCeiling, command: str = "") -> Document:
    """The report of a measured ceiling of a game of one side; ``command`` as for `document`."""
    game, perfect = named_game(ceiling.game), ceiling.best is not None
    heads = ["", "points a deal", *(["perfect, %", "of those that can be, %"] if perfect else [])]
    rows: list[list[Text]] = [["open hands", Estimate(ceiling.points, signed=False)]]
    rows[0] += [Estimate(ceiling.perfect, percent=True), ""] if perfect else []
    for one in ceiling.policies:
        row: list[Text] = [Name(one.policy), Estimate(one.points, signed=False)]
        rows.append(row + [Estimate(one.perfect, percent=True), Estimate(one.of_possible, percent=True)] * perfect)
    written = [Words(("Written by ", Code(f"{command} --report FILE"), "."))] if command else []
    rules = f" ({options_text(ceiling.options)})" if ceiling.options else ""
    same = f"{ceiling.deals:,} deals, the same in all rows; 95% intervals."
    given_up = (
        f"The search was given up in {ceiling.given_up:,} deals, after {ceiling.positions:,} positions: what was found "
        "there counts, and there may be more."
    )
    return Document(
        f"The ceiling in {full_title(game)}",
        [
            in_file(*written, Words(f"{full_title(game)}{rules}, seed {ceiling.seed}; {same}")),
            Heading(f"What a team can score, {ceiling.deals:,} deals"),
            Table(heads, rows),
            Words(OPEN_HANDS),
            *([Words(given_up)] if ceiling.given_up else []),
        ],
    )
