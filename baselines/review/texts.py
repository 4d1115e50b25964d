"""Texts of a review that the terminal and the page share: actions, hands, costs, the cards on the table."""

from cardenvs.baselines.reports.columns import Row
from cardenvs.contract.cards import SUIT_SYMBOLS, SUITS, card_text, rank_text
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.policy.explanation import Explanation

CHANCE = "chance to win"  # unit of costs that are shares of one, printed in percent
UNITS = {"euchre": "points", "whist": "tricks", "five-o": CHANCE}
"""The unit of costs, by game; in other games it is points."""


def action_text(action: str) -> str:
    """An action for people: ``Th`` as 10♥, ``call-hearts`` as call hearts."""
    return card_text(action) if len(action) == 2 and action[1] in SUITS else action.replace("-", " ")


def cost_text(move: Row, unit: str) -> str:
    """A move's cost with its standard error, as "0.52 ±0.08"; chances to win in percent."""
    if move.forced:
        return "forced"
    if not move.cost:
        return "0"
    if unit == CHANCE:
        return f"{100 * move.cost:z.1f}%" + (f" ±{100 * move.error:.1f}" if move.error else "")
    return f"{move.cost:z.2f}" + (f" ±{move.error:.2f}" if move.error else "")


def cost_with_unit(move: Row, unit: str) -> str:
    """A move's cost as `cost_text` writes it, with its unit unless there is none."""
    text = cost_text(move, unit)
    return text if move.forced or not move.cost or unit == CHANCE else f"{text} {unit}"


def value_text(value: float, unit: str) -> str:
    """An action's value: chances to win in percent, points with a sign, tricks unsigned."""
    if unit == CHANCE:
        return f"{100 * value:.1f}%"
    return f"{value:+z.2f}" if unit == "points" else f"{value:z.2f}"


def explanation_rows(explained: Explanation) -> list[list[str]]:
    """The rows of a table of a policy's actions: action, score, size of the search."""
    numbers = [
        f"{number:+z.3f}" if explained.kind == "value" else f"{percent:.1f}%"
        for (_, number), percent in zip(explained, explained.percents, strict=True)
    ]
    return [[action_text(action), numbers[k], explained.tried(k)] for k, (action, _) in enumerate(explained)]


def hand_text(cards: list[str]) -> str:
    """Cards by suits, each suit from its highest card down: ♠AK10 ♥9."""
    by_suit = {suit: "".join(rank_text(card) for card in reversed(cards) if card[1] == suit) for suit in "shcd"}
    return " ".join(SUIT_SYMBOLS[SUITS.index(suit)] + ranks for suit, ranks in by_suit.items() if ranks)


def lost_text(move: Row) -> str:
    """The loss of a move with all hands open; empty if unknown or forced."""
    return "" if move.lost is None or move.forced else f"{move.lost:zg}"


def on_table(game: GameSpec, states: Games, move: Row) -> str:
    """The table before a move, in short: the trick, the turned card, or the row of Five-O; else nothing.

    ``states`` are those before each move of the deal, structured (n,); only the mover's view is used.
    """
    if game.kind is None:
        return ""
    views = game.new_games(1)
    game.kernels.view(states, move.move - 1, move.seat, views, 0)
    v = views[0]
    if game.column_game is not None:
        return f"row {2 + (int(v['drawn']) - 11) // 10}"
    if game.bids_trump and v["phase"] != euchre.PLAYING:
        happened = {euchre.ORDERING: "turned", euchre.DISCARDING: "picked up"}.get(int(v["phase"]), "turned down")
        return f"{action_text(game.actions[int(v['turned']).bit_length() - 1])} {happened}"
    cards = [game.actions[int(card).bit_length() - 1] if card else "" for card in v["trick"]]
    order = [(int(v["leader"]) + k) % 4 for k in range(4)] if v["leader"] >= 0 else []
    return " ".join(action_text(cards[k]) for k in order if cards[k]) or "leads"


def move_texts(game: GameSpec, states: Games, move: Row) -> tuple[str, str, str, str]:
    """The hand, the table, the action taken and the best one of a move."""
    return hand_text(move.hand), on_table(game, states, move), action_text(move.action), action_text(move.best)


def totals_rows(review: Row) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a table of each player's figures over all deals."""
    head = ["player", "hands", "decisions", "without cost", f"cost a hand, {review.unit}"]
    if review.knows_truths:
        head.append("lost a hand, all open")
    rows = []
    for player, figures in review.totals.items():
        share, cost = figures["as_reviewer"], figures["cost_per_hand"]
        cells = [player, str(figures["hands"]), str(figures["decisions"]), "-" if share is None else f"{100 * share:.0f}%"]
        cells.append(f"{100 * cost:z.1f}%" if review.unit == CHANCE else f"{cost:z.3f}")
        if review.knows_truths:
            cells.append(f"{figures['lost'] / figures['hands']:z.3f}")
        rows.append(cells)
    return head, rows
