"""The message "state" of a seat: all that it may see of a table, as plain data for JSON."""

from collections.abc import Collection
from typing import Any

from cardenvs.contract.loops import EPISODE_OVER, RUNNING, TRUNCATED
from cardenvs.play.names import plain_policy
from cardenvs.play.players import HUMAN
from cardenvs.play.reviewers import can_review
from cardenvs.play.seatview.boards import ranking, show_board
from cardenvs.play.seatview.five_o import show_five_o
from cardenvs.play.seatview.sentences import action_label, log_lines, plain_result, side_words, sides_seen
from cardenvs.play.seatview.sight import Sight
from cardenvs.play.seatview.trick_games import show_trick_game
from cardenvs.play.table import Table


def seat_view(
    table: Table,
    you: int | None,
    *,
    connected: Collection[int] | None = None,
    thinking: int | None = None,
    opened: bool = False,
) -> dict[str, Any]:
    """Returns the table as ``you`` may see it, as plain data for JSON: the message "state" of the pages.

    Args:
        you: a seat, or None for a spectator.
        connected: the seats at which a person's page is open; None without pages.
        thinking: the seat whose policy is at work, -1 for none; None takes the policy to act.
        opened: whether to show all cards of a finished deal at an earlier position.

    Raises:
        ValueError: no such seat.
    """
    if you is not None:
        table.check_seat(you)
    sight = Sight(table, you, opened)
    to_act = table.to_act
    busy = table.policy_to_act if thinking is None else thinking
    legal = table.legal() if you is not None and you == to_act else []
    state: dict[str, Any] = {
        "type": "state",
        "version": table.version_seen(you),
        "game": table.game.name,
        "title": table.game.title,
        "options": table.options,
        "repeatable": table.repeatable,
        "you": you,
        "phase": "",
        "to_act": to_act,
        "deal_over": table.over != RUNNING,
        "episode_over": table.over == EPISODE_OVER,
        "seats": [_seat_entry(table, you, seat, seat == busy, connected) for seat in range(table.game.seats)],
        "score": None,
        "sheet": _sheet_entry(table, you),
        "undone": table.undone,
        "can": _permissions(table, you),
        "side_tricks": [0] * table.game.num_sides,
        "hand": None,
        "hands": None,
        "legal": [action_label(table, action) for action in legal],
        "trump": None,
        "turned": None,
        "turned_down": False,
        "picked_up": False,
        "discard": None,
        "kitty": None,
        "shown": None,
        "maker": None,
        "alone": False,
        "bids": [],
        "trick": [],
        "trick_winning": None,
        "last_trick": None,
        "tricks": None,
        "five_o": None,
        "drawing": None,
        "board": None,
        "log": [],
        "readouts": None,
        "result": _result_entry(table, you),
        "text": table.line if sight.open else None,
    }
    _fill_cards(sight, state)
    state["log"] = log_lines(sight, state)
    return state


def _seat_entry(
    table: Table, you: int | None, seat: int, thinking: bool, connected: Collection[int] | None
) -> dict[str, Any]:
    name, sides = table.seats[seat], sides_seen(table)
    person = name == HUMAN
    return {
        "seat": seat,
        "name": table.display_name(seat, you),
        "given": table.names[seat],
        "policy": None if person else plain_policy(name),
        "kind": "human" if person else "policy",
        "side": None if sides is None else sides[seat],
        "cards": 0,
        "dealer": False,
        "sitting_out": False,
        "tricks": 0,
        "thinking": thinking,
        "connected": seat in connected if person and connected is not None else None,
        "failed": table.failed.get(seat),
    }


def _fill_cards(sight: Sight, state: dict[str, Any]) -> None:
    game = sight.table.game
    if game.board is not None:
        show_board(sight, state)
    elif game.trick_game is not None:
        show_trick_game(sight, state, game.trick_game)
    elif game.column_game is not None:
        show_five_o(sight, state)
    else:
        state["phase"] = "playing" if sight.table.over == RUNNING else "finished"
        if sight.open or sight.you is not None:
            state["drawing"] = game.drawing(sight.table.state[0], None if sight.open else sight.you)
        else:
            state["drawing"] = "What the players hold is not shown while people play."


def _result_entry(table: Table, you: int | None) -> dict[str, Any] | None:
    """Returns points and tricks by side, the winning side and a sentence; None while the deal runs."""
    if table.over == RUNNING:
        return None
    if table.over == TRUNCATED:
        text = f"cut off after {int(table.state['moves'][0])} actions: nobody has won"
        return {"points": None, "tricks": None, "winner": None, "text": text}
    outcome = table.game.outcome(table.state)
    best, winner = outcome.best, outcome.winner
    sides = [side_words(table, side, you) for side in range(table.game.num_sides)]
    if table.game.kind is None:
        return {
            "points": list(table.game.counted(outcome.points)),
            "tricks": list(outcome.side_tricks),
            "winner": best,
            "text": plain_result(table.game, outcome, sides),
            "ranking": ranking(table, outcome, sides),
        }
    if best is None:
        passed = table.game.trick_game is not None
        text = "all passed: no points" if passed else f"a draw, {outcome.side_tricks[0]} columns each"
    elif table.game.column_game is not None:
        text = f"{sides[best]} {'win' if sides[best] == 'You' else 'wins'}, {outcome.tricks_text}"
    else:
        text = f"{sides[best]} win {outcome.points_text}, {outcome.tricks_text}"
    names = table.game.dtype.names or ()
    if "episode" in names and table.state["episode"][0] and table.over == EPISODE_OVER:
        score = table.state["score"][0].tolist()
        text += f", and the game, {score[winner]} to {score[1 - winner]}"
    return {"points": list(outcome.points), "tricks": list(outcome.side_tricks), "winner": best, "text": text}


def _sheet_entry(table: Table, you: int | None) -> dict[str, Any] | None:
    sheet = table.sheet
    if sheet is None:
        return None
    return {
        "sides": [side_words(table, side, you) for side in range(table.game.num_sides)],
        "deals": [
            {"number": k, "dealer": row.dealer, "points": list(row.points), "score": list(score), "text": row.text}
            for k, (row, score) in enumerate(zip(sheet.rows, sheet.scores, strict=True), 1)
        ],
        "brought": list(sheet.brought),
        "total": list(sheet.total),
        "target": sheet.target,
        "next_dealer": sheet.next_dealer,
    }


def _permissions(table: Table, you: int | None) -> dict[str, bool]:
    """Returns the requests that ``you`` may make now, and whether another deal or game would leave one unfinished."""
    over = table.over != RUNNING
    return {
        "undo": you is not None and table.may_undo(you),
        "review": over and can_review(table.game.name),
        "replay": over,
        "deal_running": table.deal_running,
        "game_running": table.game_running,
    }
