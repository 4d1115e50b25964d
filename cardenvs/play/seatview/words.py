"""What people read of a deal: the labels of buttons, and the log of what has happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardenvs.cards import FULL_DECK
from cardenvs.games import euchre, five_o, whist
from cardenvs.play.table import Table
from cardenvs.spec import ActionWords


def side_words(table: Table, side: int, viewer: int | None) -> str:
    """The players of a side in words for people, the viewer first: ``You and hybrid (across)``."""
    seats = sorted(range(side, table.game.seats, 2), key=lambda seat: seat != viewer)
    return " and ".join(table.called(seat, viewer) for seat in seats)


def action_label(table: Table, action: int) -> dict[str, Any]:
    """A legal action of the seat to act, for JSON.

    Returns:
        ``action``, the action's name; ``label``, what a button says; ``card``, the card's name if the action is one, else
        None; in Five-O also ``column``, 0 to 4.
    """
    name = table.game.actions[action]
    label = {"action": name, "label": table.game.action_words(table.state[0], action).label}
    if table.game.name == "five-o":
        return {**label, "card": None, "column": action}
    return {**label, "card": name if len(name) == 2 else None}


def log_lines(table: Table, state: Mapping[str, Any]) -> list[str]:
    """The deal so far in words, a line an event; at the end how it ended.

    Args:
        table: the table.
        state: the message "state" of a viewer with its ``result`` filled in, and in Five-O its columns, which name the
            cards that may be seen.
    """
    lines = []
    viewer = state["you"]
    heights = [[1] * 5, [1] * 5]
    for event in table.events:
        if table.game.name == "five-o":
            row = heights[event.seat][event.action]
            heights[event.seat][event.action] += 1
            card = state["five_o"]["columns"][event.seat][event.action][row]
            words = five_o.in_words(event.action, FULL_DECK.parse_set(card) if card else 0)
            words = words._replace(label=words.told.replace("puts", "put", 1))
        elif table.game.name == "euchre":
            words = euchre.in_words(event.action, by_dealer=event.seat == int(table.state["dealer"][0]))
        else:
            words = whist.in_words(event.action)
        lines.append(_sentence(table, event.seat, viewer, words))
        if event.winner is not None:
            lines.append(_sentence(table, event.winner, viewer, ActionWords("win the trick", "wins the trick")))
    if state["result"]:
        lines.append(state["result"]["text"])
    return lines


def _sentence(table: Table, seat: int, viewer: int | None, words: ActionWords) -> str:
    """What a seat did, in words for a viewer: ``You play the two of clubs``, ``hybrid (left) wins the trick``."""
    name = table.called(seat, viewer)
    return f"{name} {words.label if name == 'You' else words.told}"
