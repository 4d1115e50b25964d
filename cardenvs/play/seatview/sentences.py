"""Text on a deal for people: the names of sides, the labels of buttons, the result and the log."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cardenvs.contract.loops import RUNNING
from cardenvs.contract.outcome import ActionWords, Outcome
from cardenvs.contract.spec import GameSpec
from cardenvs.play.seatview.board_log import board_lines
from cardenvs.play.seatview.sight import Sight
from cardenvs.play.table import Table


def side_words(table: Table, side: int, viewer: int | None) -> str:
    """Returns the players of a side in words, the viewer first: ``You and hybrid (across)``."""
    of = sides_seen(table)
    if of is None:
        return f"side {side}"
    seats = sorted((seat for seat in range(table.game.seats) if of[seat] == side), key=lambda seat: seat != viewer)
    return " and ".join(table.display_name(seat, viewer) for seat in seats)


def sides_seen(table: Table) -> tuple[int, ...] | None:
    """Returns the side of each seat by public knowledge; None while it is a secret of the deal."""
    if table.game.kernels.side is not None and table.over == RUNNING and table.game.board is None:
        return None
    return table.game.sides_in(table.state)


def plain_result(game: GameSpec, outcome: Outcome, sides: Sequence[str]) -> str:
    """Returns the result of a deal of any game in words: the winners and each side's points, of one side its points."""
    if game.one_sided:
        made = game.counted(outcome.points)[0]
        verb = "make" if sides[0] == "You" or game.seats > 1 else "makes"
        return f"{sides[0]} {verb} {made} point{'' if made == 1 else 's'}"
    points = ", ".join(f"{side} {points}" for side, points in zip(sides, game.counted(outcome.points), strict=True))
    winners = [sides[side] for side in outcome.winners]
    if not winners or len(winners) == len(sides):
        return f"{'a draw' if winners else 'the deal is over'}: points {points}"
    verb = "win" if len(winners) > 1 or winners[0] == "You" or " and " in winners[0] else "wins"
    return f"{' and '.join(winners)} {verb}: points {points}"


def action_label(table: Table, action: int) -> dict[str, Any]:
    """Returns a legal action of the seat to act for JSON.

    Its keys are ``action``, its name; ``label`` of its button; ``card``, the card's name or None; in Five-O ``column``, 0
    to 4.
    """
    name = table.game.actions[action]
    label = {"action": name, "label": table.game.action_words(table.state[0], action).label}
    if table.game.column_game is not None:
        return {**label, "card": None, "column": action}
    return {**label, "card": name if len(name) == 2 and table.game.kind is not None else None}


def log_lines(sight: Sight, state: Mapping[str, Any]) -> list[str]:
    """Returns the log of the deal: a line a decision and a trick, the notices to all, and at the end the result.

    ``state`` is the viewer's message "state" with its ``result`` and, in Five-O, its columns, which name the visible cards.
    """
    lines = []
    table, viewer = sight.table, state["you"]
    tricks, columns = table.game.trick_game, table.game.column_game
    past = _states_before_actions(table)
    on_board = iter(board_lines(table, viewer)) if table.game.board is not None else None
    heights = [[1] * 5, [1] * 5]
    notices = deque(table.told)
    parts: list[ActionWords] = []
    for number, event in enumerate(table.events):
        while notices and notices[0][0] <= number:
            lines.append(notices.popleft()[1])
        if on_board is not None:
            lines += [] if event.part else [next(on_board)]
            continue
        if columns is not None:
            row = heights[event.seat][event.action]
            heights[event.seat][event.action] += 1
            card = state["five_o"]["columns"][event.seat][event.action][row]
            words = columns.in_words(event.action, columns.deck.parse_set(card) if card else 0)
            words = words._replace(label=words.told.replace("puts", "put", 1))
        elif tricks is not None:
            words = tricks.in_words(event.action, event.seat == int(table.state["dealer"][0]))
        else:
            action, before = sight.known_action(number), next(past)
            parts.append(table.game.action_words(before, action) if action >= 0 else ActionWords("act", "acts unseen"))
            if event.part:
                continue
            words = ActionWords(*(", ".join(dict.fromkeys(said)) for said in zip(*parts, strict=True)))
            parts = []
        lines.append(_action_sentence(table, event.seat, viewer, words))
        if event.winner is not None:
            lines.append(_action_sentence(table, event.winner, viewer, ActionWords("win the trick", "wins the trick")))
    if state["result"]:
        lines.append(state["result"]["text"])
    lines.extend(sentence for _, sentence in notices)
    return lines


def _states_before_actions(table: Table) -> Iterator[Any]:
    """Yields the records of a deal's positions before each of its actions."""
    state = table.opening.copy()
    for name in table.game.history(table.state[0]):
        yield state[0]
        table.game.kernels.step(state, 0, table.game.action(name))


def _action_sentence(table: Table, seat: int, viewer: int | None, words: ActionWords) -> str:
    """Returns a seat's action for a viewer: ``You play the two of clubs``, ``hybrid (left) wins the trick``."""
    name = table.display_name(seat, viewer)
    return f"{name} {words.label if name == 'You' else words.told}"
