"""The results of a review: `MoveReview` for a move, `DealReview` for a deal, `Review` for a record with its report."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import Block, Document, Heading, Items, Name, Table, Text, Words
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.review import texts
from cardenvs.baselines.review.replay import moves_of
from cardenvs.contract.registry import full_title, named_game
from cardenvs.policy.registry import suffixes

EXPENSIVE = 3
"""Maximum number of moves of each seat that are pointed out as the most expensive."""
SHOWN_DEALS = 20
"""Maximum number of deals shown move by move; longer records get totals and so many of the most expensive moves."""

SHOWN_ACTIONS = 4  # maximum number of a policy's scored actions, from the best on


def _open_loss(move: Row) -> float | None:
    return None if move.truth is None else max(move.truth.values()) - move.truth[move.action]


def _explanations(move: Row) -> dict[str, Any]:
    found = {}
    for name, explained in move.explained.items():
        errors, visits = (values or (None,) * len(explained) for values in (explained.errors, explained.visits))
        rows = zip(explained, errors, visits, strict=True)
        actions = [{"action": a, "number": number, "error": error, "visits": count} for (a, number), error, count in rows]
        found[name] = {"kind": explained.kind, "actions": actions}
    return found


MoveReview = Columns(
    "MoveReview",
    Column("move", "number of the move in the deal, from 1"),
    Column("seat", "the seat that moved"),
    Column("player", "name of the player at that seat; `player_0` and so on if the record names none"),
    Column("action", "name of the action taken"),
    Column("legal", "names of the legal actions"),
    Column("hand", "cards the seat held, by its own view; in Five-O the card to be placed"),
    Column("drawing", "drawing in text of the position as the seat saw it", json="table"),
    Column("forced", "whether there was one legal action only, which is not searched and costs nothing"),
    Column("best", "the best action by the reviewer; the action taken if none is better"),
    Column("cost", "mean loss of the action taken against the best one, in the review's unit, at least 0"),
    Column("error", "standard error of the cost; None if no action was better, the scores are no means over worlds, or the "
           "worlds make one block only"),
    Column("worlds", "number of worlds behind the mean scores; 0 if the reviewer drew none"),
    Column("scores", "the reviewer's score of each legal action by its name, the highest first; empty if forced"),
    Column("policies", "the action that each policy would have taken, by the policy's name, the reviewer first"),
    Column("explained", "by the policy's name, the explanations (`Explanation`) of the asked policies that have numbers; "
           "empty if forced", json=""),
    computed_column("explained_values", _explanations, json="explained",
                    meaning="the explanations as plain values; errors and visits are None if unknown"),
    Column("truth", "value of each legal action with all hands open, by its name, in the review's unit; None if unknown"),
    computed_column("lost", _open_loss, json=None,
                    meaning="loss of the action against the best one with all hands open; None if unknown"),
)  # fmt: skip
"""The review of a move: its cost, and the values of the other legal actions."""


def _most_expensive(deal: Row) -> dict[int, list[Row]]:
    ranked = sorted((move for move in deal.moves if move.cost > 0), key=lambda move: -move.cost)
    return {seat: [move for move in ranked if move.seat == seat][:EXPENSIVE] for seat in range(len(deal.players))}


DealReview = Columns(
    "DealReview",
    Column("number", "number of the deal in its record, from 1"),
    Column("line", "the deal as a line of text"),
    Column("players", "names of the players, by seat"),
    Column("moves", "reviews of the moves, in the order of play (`MoveReview`)"),
    Column("result", "the deal's result, as `result_of` gives it; None if the deal is not over"),
    Column("truth_from", "number of the first move with a known truth; None if there is none"),
    Column("remarks", "sentences for people about the parts that could not be reviewed"),
    computed_column("expensive", _most_expensive,
                    meaning="by seat, the moves with a cost, the most expensive first, at most `EXPENSIVE`"),
    computed_column("expensive_numbers",
                    lambda deal: {str(seat): [move.move for move in moves] for seat, moves in deal.expensive.items()},
                    json="expensive", meaning="the numbers of these moves"),
    computed_column("pointed_out", lambda deal: [move for moves in deal.expensive.values() for move in moves],
                    meaning="these moves, seat after seat"),
)  # fmt: skip
"""A deal, move by move."""


def _sum_by_player(review: Row) -> dict[str, dict[str, Any]]:
    players = [player for deal in review.deals for player in deal.players]
    totals = {}
    for player in dict.fromkeys(players):
        moves = [move for deal in review.deals for move in deal.moves if move.player == player]
        free = [move for move in moves if not move.forced]
        hands, cost = players.count(player), sum((move.cost for move in moves), 0.0)
        totals[player] = {
            "hands": hands,
            "moves": len(moves),
            "decisions": len(free),
            "cost": cost,
            "lost": sum((move.lost or 0.0 for move in moves), 0.0),
            "cost_per_hand": cost / hands,
            "as_reviewer": sum(move.cost == 0 for move in free) / len(free) if free else None,
        }
    return totals


def document(review: Row, command: str = "") -> Document:
    """The report of a `Review`: every deal move by move, or the most expensive moves; then the totals."""
    many = len(review.deals) > SHOWN_DEALS
    if many:
        expensive = [(deal, move) for deal in review.deals for move in deal.pointed_out]
        expensive.sort(key=lambda pair: -pair[1].cost)
        blocks = _expensive_blocks(review, expensive[:SHOWN_DEALS], "The most expensive moves")
    else:
        blocks = [block for deal in review.deals for block in _deal_blocks(review, deal)]
    head, rows = texts.totals_rows(review)
    return fill_report(
        Path(__file__).with_name("report.md"),
        title=full_title(named_game(review.game)),
        reviewer=Name(review.reviewer),
        many=many,
        deals=len(review.deals),
        reviewed=blocks,
        totals=Table(head, [[_player_name(player), *cells] for player, *cells in rows]),
    )


def _player_name(name: str) -> Name | str:
    """A player: the name of a trained policy, which a terminal shortens, or a text of the record."""
    return Name(name) if name.endswith(tuple(suffixes())) else name


def _deal_blocks(review: Row, deal: Row) -> Iterator[Block]:
    yield from _move_blocks(review, deal)
    if deal.result is not None:
        yield Words(deal.result["text"])
        signs = {None: "=", 0: ">", 1: "<"}
        columns = deal.result.get("columns", ())
        yield Items([
            f"column {k}: {column['hands'][0]} {signs[column['winner']]} {column['hands'][1]}"
            for k, column in enumerate(columns, 1)
        ])  # fmt: skip
    yield from map(Words, deal.remarks)
    expensive = deal.pointed_out
    yield from _expensive_blocks(review, [(deal, move) for move in expensive], "The most expensive moves of each seat")
    for move in expensive:
        yield Words(f"What player_{move.seat} saw at move {move.move}:\n{move.drawing}\n")
        for name, explained in move.explained.items():
            rows = texts.explanation_rows(explained)[:SHOWN_ACTIONS]
            scores = "; ".join(" ".join(filter(None, row)) for row in rows)
            yield Words(("What ", Name(name), f" makes of it: {scores}\n"))


def _move_blocks(review: Row, deal: Row) -> Iterator[Block]:
    game = named_game(review.game)
    states = moves_of(game, game.parse(deal.line))[0]
    asked, truths = review.policies[1:], deal.truth_from is not None
    pointed_out = {move.move for move in deal.pointed_out}
    rows: list[list[Text]] = [
        [
            f"{move.move}{'*' if move.move in pointed_out else ''}",
            (f"{move.seat} ", _player_name(move.player)),
            *texts.move_texts(game, states, move),
            *(texts.action_text(move.policies[name]) for name in asked),
            texts.cost_text(move, review.unit),
            *([texts.lost_text(move)] if truths else []),
        ]
        for move in deal.moves
    ]
    head: list[Text] = ["", "player", "knew: hand", "table", "played", "best", *map(Name, asked)]
    head += [f"cost, {review.unit}", *(["open"] if truths else [])]
    yield Heading(f"Deal {deal.number}")
    yield Table(head, rows, left=2, spare=["table"])
    loss = f"; open: {review.unit} lost with all hands open" if truths else ""
    yield Words(f"*: the most expensive moves of each seat; ± standard error{loss}")


def _expensive_blocks(review: Row, moves: Sequence[tuple[Row, Row]], title: str) -> list[Block]:
    rows: list[list[Text]] = []
    for deal, move in moves:
        cells = texts.action_text(move.action), texts.action_text(move.best), texts.cost_text(move, review.unit)
        rows.append([str(deal.number), str(move.move), (f"{move.seat} ", _player_name(move.player)), *cells])
    return [Heading(title), Table(["deal", "move", "player", "played", "best", f"cost, {review.unit}"], rows, left=5)]


Review = Columns(
    "Review",
    Column("game", "name of the game"),
    Column("reviewer", "name of the policy with the decisive scores"),
    Column("policies", "names of all asked policies, the reviewer first"),
    Column("unit", "unit of costs and values: points, tricks or chance to win"),
    Column("worlds", "number of worlds that the reviewer draws for a decision"),
    Column("seed", "seed of the review"),
    Column("deals", "reviews of the deals, in the record's order (`DealReview`)"),
    computed_column("knows_truths", lambda review: any(deal.truth_from is not None for deal in review.deals),
                    meaning="whether the truth of any move is known"),
    computed_column(
        "totals", _sum_by_player, json=None,
        meaning="figures of each player over all deals, by its name: `hands`, seats held; `moves`; `decisions`, moves that "
        "were not forced; `cost`, the sum of the costs; `lost`, the sum of the known losses with all hands open; "
        "`cost_per_hand`; `as_reviewer`, the share of the decisions without cost, None without any",
    ),
    document=document,
)  # fmt: skip
"""A record's deals, all reviewed by one reviewer."""
