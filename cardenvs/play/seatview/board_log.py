"""The log of a deal at a plain table, and the tricks of a game whose board says where a trick lies."""

import functools
import re
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from cardenvs.contract.board import Board, Change, Face, Owner, Pile, Whose, change_words, changes, public_board
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.play.deal import Event
from cardenvs.play.table import Table

OPEN, PUBLIC = -1, -2  # viewers besides the seats: one of all cards, and one of all that every seat sees


def viewed_board(table: Table, games: Games, eyes: int) -> Board:
    """Returns the board of a position of a table, for a seat or for ``OPEN`` or ``PUBLIC`` eyes."""
    board = table.game.board
    assert board is not None
    if eyes == PUBLIC:
        return public_board([board(games[0], seat) for seat in range(table.game.seats)])
    return board(games[0], None if eyes == OPEN else eyes)


def has_tricks(board: Board) -> bool:
    return any(pile.trick for pile in board.piles)


@dataclass(frozen=True)
class PlayedCard:
    seat: int
    face: Face
    event: int  # number of the deal's action by which it was played, from 0


@dataclass(frozen=True)
class Trick:
    cards: tuple[PlayedCard, ...]  # in order
    winner: int | None  # None if that shows nowhere


@dataclass(frozen=True)
class LogEntry:
    seat: int
    label: str
    changes: list[Change]
    heard: Callable[[Whose], list[str]] | None = None


class BoardLog:
    """One viewer's log of the current deal of a table, updated as the deal goes on; with ``OPEN`` eyes also its tricks.

    Attributes:
        seen: the board after the last decision, as the viewer sees it.
        entries: a log entry for each decision.
        current: the cards of the current trick, in order.
        complete: the finished tricks.
    """

    def __init__(self, table: Table, eyes: int) -> None:
        self._eyes = eyes
        self._opening = table.opening.tobytes()
        self._actions: list[int] = []
        self._labels: list[str] = []  # of the parts of what is being chosen
        self._state = table.opening.copy()
        self.seen = viewed_board(table, self._state, eyes)
        self.entries: list[LogEntry] = []
        self.current: list[PlayedCard] = []
        self.complete: list[Trick] = []
        self._chosen: Face | None = None  # the card chosen last, in the parts of an option
        self._taken: set[tuple[Owner, str]] = set()  # owner and name of the places where tricks were put

    def leads_to(self, table: Table) -> bool:
        begun = [event.action for event in table.events[: len(self._actions)]]
        return self._opening == table.opening.tobytes() and self._actions == begun

    def update(self, table: Table) -> None:
        """Adds the table's actions up to its position."""
        for event in table.events[len(self._actions) :]:
            self._add_event(table, event)

    def _add_event(self, table: Table, event: Event) -> None:
        """Adds one more action to the log as the viewer sees it; parts of an option only with the last one."""
        game, seat, before = table.game, event.seat, self.seen
        if before.spoken or self._eyes in (seat, OPEN):
            self._labels.append(game.action_words(self._state[0], event.action).label)
        own = viewed_board(table, self._state, seat) if self._eyes == OPEN and has_tricks(before) else before
        card, state = _offered_card(own, event.action), self._state.copy()
        self._chosen = card or self._chosen
        game.kernels.step(self._state, 0, event.action)
        self._actions.append(event.action)
        if event.part:
            return
        self.seen = viewed_board(table, self._state, self._eyes)
        if self._eyes == OPEN:
            self._add_to_trick(before, self.seen, seat)
            card = None
        seen, label = [] if before.spoken else changes(before, self.seen), ", ".join(self._labels)
        self._labels = []
        if seen and card is not None and card.name == label:
            label = ""  # the changes name the card
        # Of a number or a name that is new the changes tell more.
        news = tuple(f"{whose}{one.tally.name} " for one in seen if one.tally is not None for whose in ("", "your "))
        label = ", ".join(part for part in label.split(", ") if not part.startswith(news))
        self.entries.append(LogEntry(seat, label, seen, self._make_told(game, state, event.action)))

    def _make_told(self, game: GameSpec, before: Games, action: int) -> Callable[[Whose], list[str]] | None:
        """Returns a function ``(whose)`` for the viewer's sentences on an action; None if the game has none."""
        if game.told is None:
            return None
        eyes = self._eyes if self._eyes >= 0 else None
        return functools.partial(game.told, before[0], action, self._state.copy()[0], eyes)

    def _add_to_trick(self, before: Board, after: Board, seat: int) -> None:
        """Adds the chosen card to the trick if it lies there after the decision, or has finished the trick."""
        face, self._chosen = self._chosen, None
        more = sum(len(new.cards) - len(old.cards) for old, new in zip(before.piles, after.piles, strict=True) if new.trick)
        if face is None or not more:
            return
        self.current.append(PlayedCard(seat, face, len(self._actions) - 1))
        if more < 0:  # the last card, by which the trick is taken away
            faces: Counter[Face | None] = Counter(one.face for one in self.current)
            pairs = zip(before.piles, after.piles, strict=True)
            gained = [new for old, new in pairs if not new.trick and faces & (Counter(new.cards) - Counter(old.cards))]
            self._taken |= {(pile.owner, pile.name) for pile in gained}
            leader = int(self._state["to_act"][0])
            winner = gained[0].number if len(gained) == 1 and gained[0].owner == "player" else leader
            self.complete.append(Trick(tuple(self.current), winner if winner >= 0 else None))
            self.current = []

    def is_taken(self, pile: Pile) -> bool:
        """Whether a pile is a place where tricks are put."""
        return (pile.owner, pile.name) in self._taken

    def is_beside(self, change: Change) -> bool:
        """Whether a change is of cards elsewhere, or of a number of a player or a team: no part of a trick."""
        if change.tally is not None:
            return change.tally.owner != "game"
        ends = [pile for pile in (change.source, change.target) if pile is not None]
        return len(ends) + bool(change.cards) > 1 and not any(pile.trick or self.is_taken(pile) for pile in ends)


def _offered_card(board: Board, action: int) -> Face | None:
    """Returns the visible card that an action of the board's own seat chooses, or None."""
    spot = next((offer.card for offer in board.offers if offer.action == action), None)
    return None if spot is None else board.piles[spot[0]].cards[spot[1]]


_LOGS: weakref.WeakKeyDictionary[Table, dict[int, BoardLog]] = weakref.WeakKeyDictionary()


def board_log(table: Table, eyes: int = OPEN) -> BoardLog:
    """Returns the log of a table's deal up to its position, for a seat or for ``OPEN`` or ``PUBLIC`` eyes."""
    logs = _LOGS.setdefault(table, {})
    if eyes not in logs or not logs[eyes].leads_to(table):
        logs[eyes] = BoardLog(table, eyes)
    logs[eyes].update(table)
    return logs[eyes]


def trick_is_done(table: Table) -> bool:
    """Whether the last action of a table's deal has finished a trick, which stays visible for a while."""
    if not table.events or table.events[-1].winner is not None:
        return bool(table.events)
    complete = [] if table.game.board is None else board_log(table).complete
    return bool(complete) and complete[-1].cards[-1].event == len(table.events) - 1


def board_lines(table: Table, viewer: int | None) -> list[str]:
    """Returns a viewer's log of the deal, a line a decision; it is the same after the deal."""
    eyes = viewer if viewer is not None else PUBLIC if table.sat else OPEN
    log, lines = board_log(table, eyes), []
    tricks = board_log(table) if has_tricks(log.seen) else log
    winners = {trick.cards[-1].event: trick.winner for trick in tricks.complete}
    played = {one.event: one.face for cards in (tricks.current, *(one.cards for one in tricks.complete)) for one in cards}
    decisions = (number for number, event in enumerate(table.events) if not event.part)
    for number, told in zip(decisions, log.entries, strict=True):
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
        seen = [one for one in told.changes if card is None or tricks.is_beside(one)]
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
