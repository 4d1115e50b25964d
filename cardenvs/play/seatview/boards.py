"""The view of a game that has a plain table (`cardenvs.contract.board`): its piles, numbers and names, and its log.

All of it comes from the viewer's boards. A spectator at a table of people sees what all seats see.
"""

from __future__ import annotations

import functools
import re
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cardenvs.contract.board import Board, Change, Face, Note, Owner, Pile, Whose, change_words, changes, public_board
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.outcome import Outcome
from cardenvs.contract.spec import GameSpec
from cardenvs.play.deal import Event
from cardenvs.play.seatview.board_tricks import show_tricks, trick_places, tricks_of
from cardenvs.play.seatview.sight import Sight
from cardenvs.play.table import Table

OPEN, PUBLIC = -1, -2  # viewers besides the seats: one of all cards, and one of all that every seat sees


def show_board(sight: Sight, state: dict[str, Any]) -> None:
    """Fills in ``phase``, ``board`` and ``legal`` of the message "state" for a game with a plain table."""
    table = sight.table
    state["phase"] = "playing" if table.over == RUNNING else "finished"
    board = _viewed_board(table, table.state, OPEN if sight.open else PUBLIC if sight.you is None else sight.you)
    state["board"] = {
        "piles": [_pile_entry(pile) for pile in board.piles],
        "tallies": [
            {"owner": one.owner, "number": one.number, "name": one.name, "value": one.value} for one in board.tallies
        ],
        "teams": [list(team) for team in board.teams],
        "least": table.game.least,
        "chosen": [table.game.action_words(table.state[0], action).label for action in board.chosen],
    }
    if board.spoken:
        state["board"]["last"] = next(reversed(board_lines(table, sight.you)), "")
    offers = {table.game.actions[offer.action]: offer for offer in board.offers}
    for move in state["legal"]:
        offer = offers.get(move["action"])
        move["at"] = None if offer is None or offer.card is None else list(offer.card)
        if offer is not None and offer.at:
            move |= {"on": [list(spot) for spot in offer.at], "short": offer.short}
    order = {name: number for number, name in enumerate(offers)}
    state["legal"].sort(key=lambda move: order.get(move["action"], len(order)))
    show_tricks(table, board, state, lambda number: sight.known_action(number) >= 0)


def _pile_entry(pile: Pile) -> dict[str, Any]:
    """Returns a pile for JSON; ``notes`` and ``touched`` only for a hand that its owner sees from behind."""
    told: dict[str, Any] = {
        "owner": pile.owner,
        "number": pile.number,
        "name": pile.name,
        "ordered": pile.ordered,
        "cards": [None if card is None else _face_entry(card) for card in pile.cards],
    }
    if pile.notes:
        told |= {"notes": [_note_entry(note) for note in pile.notes], "touched": list(pile.touched)}
    return told


def _face_entry(face: Face) -> dict[str, Any]:
    """Returns a face for JSON; ``sign`` and ``tint`` only if a sign is printed on the card."""
    printed = {"sign": face.sign, "tint": face.tint} if face.sign else {}
    return {"name": face.name, "card": face.card, **printed}


def _note_entry(note: Note) -> dict[str, Any]:
    """Returns a note for JSON; ``best`` and ``best_words`` are its viewer's best knowledge of the card."""
    return {
        "told": None if note.told is None else _face_entry(note.told),
        "lines": list(note.lines),
        "words": note.words,
        "best": list(note.own_lines or note.lines),
        "best_words": note.own_words or note.words,
    }


def _viewed_board(table: Table, games: Games, eyes: int) -> Board:
    """Returns the board of a position of a table, for a seat or for ``OPEN`` or ``PUBLIC`` eyes."""
    board = table.game.board
    assert board is not None
    if eyes == PUBLIC:
        return public_board([board(games[0], seat) for seat in range(table.game.seats)])
    return board(games[0], None if eyes == OPEN else eyes)


def ranking(table: Table, outcome: Outcome, sides: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the sides of a finished deal, the best first, with their points as people count them, and their ranks.

    It is empty in a game of one side. ``sides`` are the players of each side in words.
    """
    if table.game.one_sided:
        return []
    counted = table.game.counted(outcome.points)
    order = sorted(range(len(sides)), key=lambda side: -outcome.points[side])
    ranks = [1 + sum(points > own for points in outcome.points) for own in outcome.points]
    return [
        {
            "side": side,
            "name": sides[side],
            "points": counted[side],
            "rank": ranks[side],
            "place": f"{_ordinal(ranks[side])} of {len(sides)}",
        }
        for side in order
    ]


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


@dataclass(frozen=True)
class _LogEntry:
    seat: int
    label: str
    changes: list[Change]
    heard: Callable[[Whose], list[str]] | None = None


class _BoardLog:
    """One viewer's log of the current deal of a table, updated as the deal goes on."""

    def __init__(self, eyes: int) -> None:
        self._eyes = eyes
        self._opening = b""
        self._actions: list[int] = []
        self._labels: list[str] = []  # of the parts of what is being chosen
        self.told: list[_LogEntry] = []

    def update(self, table: Table) -> list[_LogEntry]:
        """Returns the log entries up to the table's position."""
        actions = [event.action for event in table.events]
        opening = table.opening.tobytes()
        if self._opening != opening or self._actions != actions[: len(self._actions)]:
            self._opening, self._actions, self._labels, self.told = opening, [], [], []
        if not self._actions:
            self._state = table.opening.copy()
            self._seen = _viewed_board(table, self._state, self._eyes)
        for event in table.events[len(self._actions) :]:
            self._add_event(table, event)
        return self.told

    def _add_event(self, table: Table, event: Event) -> None:
        """Adds one more action to the log as the viewer sees it; parts of an option only with the last one."""
        seat, before = event.seat, self._seen
        if before.spoken or self._eyes in (seat, OPEN):
            self._labels.append(table.game.action_words(self._state[0], event.action).label)
        card, state = _offered_card(before, event.action), self._state.copy()
        table.game.kernels.step(self._state, 0, event.action)
        self._actions.append(event.action)
        if event.part:
            return
        self._seen = _viewed_board(table, self._state, self._eyes)
        seen, label = [] if before.spoken else changes(before, self._seen), ", ".join(self._labels)
        self._labels = []
        if seen and card is not None and card.name == label:
            label = ""  # the changes name the card
        # Of a number or a name that is new the changes tell more.
        news = tuple(f"{whose}{one.tally.name} " for one in seen if one.tally is not None for whose in ("", "your "))
        label = ", ".join(part for part in label.split(", ") if not part.startswith(news))
        self.told.append(_LogEntry(seat, label, seen, self._make_told(table.game, state, event.action)))

    def _make_told(self, game: GameSpec, before: Games, action: int) -> Callable[[Whose], list[str]] | None:
        """Returns a function ``(whose)`` for the viewer's sentences on an action; None if the game has none."""
        if game.told is None:
            return None
        eyes = self._eyes if self._eyes >= 0 else None
        return functools.partial(game.told, before[0], action, self._state.copy()[0], eyes)


def _offered_card(board: Board, action: int) -> Face | None:
    """Returns the visible card that an action of the board's own seat chooses, or None."""
    spot = next((offer.card for offer in board.offers if offer.action == action), None)
    return None if spot is None else board.piles[spot[0]].cards[spot[1]]


_BOARD_LOGS: weakref.WeakKeyDictionary[Table, dict[int, _BoardLog]] = weakref.WeakKeyDictionary()


def board_lines(table: Table, viewer: int | None) -> list[str]:
    """Returns a viewer's log of the deal, a line a decision; it is the same after the deal."""
    eyes = viewer if viewer is not None else PUBLIC if table.sat else OPEN
    entries = _BOARD_LOGS.setdefault(table, {}).setdefault(eyes, _BoardLog(eyes)).update(table)
    places, lines = trick_places(table.game), []
    current, complete = tricks_of(table, places) if places is not None else ([], [])
    winners = {trick.cards[-1].event: trick.winner for trick in complete}
    played = {one.event: one.face for cards in (current, *(trick.cards for trick in complete)) for one in cards}
    for number, told in zip((k for k, event in enumerate(table.events) if not event.part), entries, strict=True):
        card, winner = played.get(number), winners.get(number)

        def whose(owner: Owner, number: int, actor: int | None = told.seat if card is None else None) -> str:
            if owner == "game":
                return ""
            if owner == "team":
                return f"team {number}'s "
            if number == viewer:
                return "your "
            return "own " if number == actor else f"{table.display_name(number, viewer)}'s "

        def act_words(seat: int, verb: str, what: str) -> str:
            name = table.display_name(seat, viewer)
            return f"{name} {verb}{'' if name == 'You' else 's'} {what}"

        label = re.sub(r"\bseat (\d+)\b", lambda found: table.display_name(int(found[1]), viewer), told.label)
        seen = [one for one in told.changes if card is None or places is None or places.is_beside(one)]
        words = [label, change_words(seen, whose), *(told.heard(whose) if told.heard is not None else [])]
        if card is None:
            said = ", ".join(filter(None, words))
            lines.append(
                f"{table.display_name(told.seat, viewer)}: {said}" if said else act_words(told.seat, "act", "unseen")
            )
        else:
            shown = card.words if any(card in one.cards for one in told.changes) else "a card unseen"
            won = "" if winner is None else act_words(winner, "win", "the trick")
            lines.append("; ".join(filter(None, [act_words(told.seat, "play", shown), won, *words])))
    return lines
