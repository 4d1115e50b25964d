"""A review for the terminal: tables of moves and players, and drawings of positions in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Block, Document, Heading, Items, Name, Table, Text, Words
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.review.replay import moves_of
from cardenvs.baselines.review.texts import (
    action_text,
    cost_text,
    explanation_rows,
    hand_text,
    lost_text,
    on_table,
    totals_rows,
)
from cardenvs.contract.registry import full_title, named_game
from cardenvs.policy.registry import suffixes

SHOWN_DEALS = 20
"""Maximum number of deals shown move by move; longer records get totals and so many of the most expensive moves."""

SHOWN_ACTIONS = 4  # maximum number of a policy's scored actions, from the best on


def document(review: Row, command: str = "") -> Document:
    """The report of a `Review`: every deal move by move, or the most expensive moves; then the totals."""
    many = len(review.deals) > SHOWN_DEALS
    if many:
        expensive = [(deal, move) for deal in review.deals for move in deal.pointed_out]
        expensive.sort(key=lambda pair: -pair[1].cost)
        blocks = _expensive_blocks(review, expensive[:SHOWN_DEALS], "The most expensive moves")
    else:
        blocks = [block for deal in review.deals for block in _deal_blocks(review, deal)]
    head, rows = totals_rows(review)
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
            rows = explanation_rows(explained)[:SHOWN_ACTIONS]
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
            hand_text(move.hand),
            on_table(game, states, move),
            action_text(move.action),
            action_text(move.best),
            *(action_text(move.policies[name]) for name in asked),
            cost_text(move, review.unit),
            *([lost_text(move)] if truths else []),
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
        cells = action_text(move.action), action_text(move.best), cost_text(move, review.unit)
        rows.append([str(deal.number), str(move.move), (f"{move.seat} ", _player_name(move.player)), *cells])
    return [Heading(title), Table(["deal", "move", "player", "played", "best", f"cost, {review.unit}"], rows, left=5)]
