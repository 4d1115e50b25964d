"""A review for the terminal: printed tables of moves and players, and drawings of positions in text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.table import Table
from rich.text import Text

from cardenvs.baselines.review.replay import moves_of
from cardenvs.baselines.review.result import DealReview, MoveReview, Review
from cardenvs.baselines.review.texts import (
    cost_text,
    hand_text,
    is_card,
    lost_text,
    on_table,
    shown,
    told_rows,
    totals_rows,
)
from cardenvs.contract.registry import named_game

SHOWN_DEALS = 20
"""The most deals that the terminal shows move by move. Of longer records it shows the totals and so many of the most
expensive moves."""

SHOWN_ACTIONS = 4
"""Maximum number of an asked policy's scored actions that the terminal shows, from the best on."""

_COLOURS = {"c": "green", "d": "blue", "h": "red", "s": "default"}


def _coloured(action: str) -> Text:
    """An action for people, a card in its suit's colour."""
    text = Text(shown(action))
    if is_card(action):
        text.stylize(_COLOURS[action[1]])
    return text


def _moves_table(review: Review, deal: DealReview) -> Table:
    """A deal's moves as a printed table, one a row."""
    game = named_game(review.game)
    states = moves_of(game, game.parse(deal.line))[0]
    table = Table(title=f"deal {deal.number}", title_justify="left", caption_justify="left")
    asked = review.policies[1:]
    for head in ("", "player", "knew: hand", "table", "played", "best"):
        table.add_column(head)
    table.add_column(f"cost, {review.unit}", justify="right")
    for name in asked:
        table.add_column(name)
    truths = deal.truth_from is not None
    if truths:
        table.add_column("open", justify="right")
    expensive = {move.move for move in deal.pointed_out}
    for move in deal.moves:
        cells: list[Any] = [
            str(move.move),
            f"{move.seat} {move.player}",
            hand_text(move.hand),
            on_table(game, states, move),
        ]
        cells += [_coloured(move.action), _coloured(move.best), cost_text(move, review.unit)]
        cells += [_coloured(move.policies[name]) for name in asked]
        table.add_row(*cells, *([lost_text(move)] if truths else []), style="bold" if move.move in expensive else None)
    words = ["bold: the most expensive moves of each seat; ± standard error"]
    if truths:
        words.append(f"open: {review.unit} lost with all hands open")
    table.caption = "; ".join(words)
    return table


def _expensive_table(review: Review, moves: list[tuple[DealReview, MoveReview]], title: str) -> Table:
    """Some moves as a printed table, one a row: the action played, the best action and the cost."""
    table = Table(title=title, title_justify="left")
    for head in ("deal", "move", "player", "played", "best"):
        table.add_column(head)
    table.add_column(f"cost, {review.unit}", justify="right")
    for deal, move in moves:
        cells = [str(deal.number), str(move.move), f"{move.seat} {move.player}"]
        table.add_row(*cells, _coloured(move.action), _coloured(move.best), cost_text(move, review.unit))
    return table


def _totals_table(review: Review) -> Table:
    """The figures of each player over all deals."""
    table = Table(title=f"by {review.reviewer}", title_justify="left")
    head, rows = totals_rows(review)
    for k, name in enumerate(head):
        table.add_column(name, justify="left" if k == 0 else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _deal_parts(review: Review, deal: DealReview) -> Iterable[Table | str]:
    """The tables and lines on a deal for the terminal."""
    yield _moves_table(review, deal)
    yield "" if deal.result is None else deal.result["text"]
    if deal.result is not None and "columns" in deal.result:
        for k, column in enumerate(deal.result["columns"], 1):
            sign = {None: "=", 0: ">", 1: "<"}[column["winner"]]
            yield f"  column {k}: {column['hands'][0]} {sign} {column['hands'][1]}"
    yield from deal.remarks
    expensive = deal.pointed_out
    yield _expensive_table(review, [(deal, move) for move in expensive], "the most expensive moves of each seat")
    for move in expensive:
        yield f"What player_{move.seat} saw at move {move.move}:\n{move.drawing}\n"
        for name, explained in move.explained.items():
            rows = told_rows(explained)[:SHOWN_ACTIONS]
            yield f"What {name} makes of it: {'; '.join(' '.join(filter(None, row)) for row in rows)}\n"


def tables(review: Review) -> Iterable[Table | str]:
    """The review for the terminal, as printed tables and lines of text."""
    if len(review.deals) > SHOWN_DEALS:
        expensive = [(deal, move) for deal in review.deals for move in deal.pointed_out]
        expensive.sort(key=lambda pair: -pair[1].cost)
        yield f"{len(review.deals)} deals: --deal N shows one move by move, --html and --json have them all."
        yield _expensive_table(review, expensive[:SHOWN_DEALS], "the most expensive moves")
    else:
        for deal in review.deals:
            yield from _deal_parts(review, deal)
    yield _totals_table(review)
