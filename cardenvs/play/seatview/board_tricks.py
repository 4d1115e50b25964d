"""Tricks at a plain table: games of tricks, recognised by their descriptions, and the cards and tricks played.

A game of tricks has a stage in which each player in turn puts a card face up where a trick lies, until all have; then these
cards are taken away, and a player takes them or leads next. Names of places and stages do not count.
"""

from __future__ import annotations

import functools
import hashlib
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cardenvs.contract.board import Board, Change, Face, Pile
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.play.deal import Event
from cardenvs.play.table import Table
from cardenvs.recycle.compiler.labels import display_name
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.parser import load

_Kind = tuple[str, str, str]
"""Owner, visibility (`cardenvs.recycle.language.syntax.Visibility`) and name of places, those of all players as one."""


@dataclass(frozen=True)
class TrickPlaces:
    """Places of the tricks in a described game."""

    played: _Kind  # where the cards of a trick lie
    taken: frozenset[_Kind]  # where they are taken away to
    leads: bool  # whether the next player is named, so that the seat to act after a trick has won it

    def is_played(self, pile: Pile) -> bool:
        return _is_of_kind(pile, self.played)

    def is_taken(self, pile: Pile) -> bool:
        return any(_is_of_kind(pile, kind) for kind in self.taken)

    def is_beside(self, change: Change) -> bool:
        """Whether a change is of cards elsewhere, or of a number of a player or a team: no part of a trick."""
        if change.tally is not None:
            return change.tally.owner != "game"
        ends = [pile for pile in (change.source, change.target) if pile is not None]
        return len(ends) + bool(change.cards) > 1 and not any(self.is_played(one) or self.is_taken(one) for one in ends)


def _is_of_kind(pile: Pile, kind: _Kind) -> bool:
    """Whether a pile is a place of a kind, by its owner and its name at the table."""
    owner, storage, name = kind
    return pile.owner == owner and pile.name in (display_name(name), f"{display_name(name)} ({storage})")


def trick_places(game: GameSpec) -> TrickPlaces | None:
    """Returns the places of a game's tricks; None without tricks, or if its description is gone or edited."""
    return _places_of(game.path, game.digest) if game.path is not None and game.board is not None else None


@functools.lru_cache(maxsize=64)
def _places_of(path: str, digest: str) -> TrickPlaces | None:
    """Reads the places of the tricks from a description of that digest."""
    try:
        description = load(path)
    except ValueError:
        return None
    same = hashlib.sha256(description.source.encode()).hexdigest().startswith(digest)
    return find_tricks(description) if same else None


def find_tricks(description: syntax.Description) -> TrickPlaces | None:
    """Returns the places of the tricks in the games of a description; None if it has no tricks."""
    bodies = [description.body] + [one.body for one in syntax.walk(description) if isinstance(one, syntax.Stage)]
    for body in bodies:
        for number, one in enumerate(body):
            played = _played_kind(one, description.players) if isinstance(one, syntax.Stage) else None
            places = _trick_places(played, body[number + 1 :]) if played is not None else None
            if places is not None:
                return places
    return None


def _place_kind(place: syntax.Expression) -> _Kind | None:
    """Returns the kind of a place; None for an expression that is no place with a written name."""
    if not isinstance(place, syntax.Place) or not isinstance(place.name, syntax.Name):
        return None
    owner = place.owner
    if isinstance(owner, syntax.GameOwner):
        return "game", place.visibility, place.name.text
    return ("team" if owner.kind is syntax.Kind.SIDE else "player"), place.visibility, place.name.text


def _card_moves(node: syntax.Node) -> Iterator[syntax.Move]:
    return (one for one in syntax.walk(node) if isinstance(one, syntax.Move))


def _played_kind(stage: syntax.Stage, players: int) -> _Kind | None:
    """Returns the places to which cards of a trick are played in a stage in which every player plays one; else None."""
    choices = [one for one in stage.body if isinstance(one, syntax.Choice)]
    if stage.of != "player" or len(choices) != 1 or any(isinstance(one, syntax.Stage) for one in stage.body):
        return None
    kinds = set()
    for alternative in choices[0].alternatives:
        moves = list(_card_moves(alternative))
        if len(moves) != 1 or not isinstance(moves[0].card, syntax.Variable) or not _is_own_place(moves[0].to.place):
            return None
        kinds.add(_place_kind(moves[0].to.place))
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if kind is not None and kind[1] == "vloc" and _all_have_one(stage.end, kind, players) else None


def _is_own_place(place: syntax.Place) -> bool:
    owner = place.owner
    return isinstance(owner, syntax.GameOwner) or (isinstance(owner, syntax.CycleSeat) and owner.which == "current")


def _all_have_one(end: syntax.Expression, kind: _Kind, players: int) -> bool:
    """Whether a stage ends when each player has a card in a place of a kind, or all have theirs in the game's."""
    each = 1 if kind[0] == "player" else players
    if kind[0] == "player":
        if not isinstance(end, syntax.Quantified) or end.quantifier != "all" or not isinstance(end.over, syntax.AllSeats):
            return False
        end = end.condition
    if not isinstance(end, syntax.Comparison) or end.operator != "==":
        return False
    for one, other in ((end.left, end.right), (end.right, end.left)):
        if isinstance(one, syntax.Size) and _place_kind(one.of) == kind:
            of_all = isinstance(other, syntax.Size) and isinstance(other.of, syntax.AllSeats) and each == players
            return of_all or (isinstance(other, syntax.Number) and other.value == each)
    return False


def _trick_places(played: _Kind, after: tuple[syntax.Statement, ...]) -> TrickPlaces | None:
    """Returns the places of a trick by the acts after its stage; None if nobody takes the cards or is named to lead."""
    acts = [one for one in after if isinstance(one, syntax.Act)]
    kinds = set()
    for act in acts:
        for move in _card_moves(act):
            if any(_place_kind(one) == played for one in syntax.walk(move.card) if isinstance(one, syntax.Expression)):
                kinds.add(_place_kind(move.to.place))
    leads = any(isinstance(one, syntax.SetCycle) for act in acts for one in syntax.walk(act))
    if not kinds or None in kinds or not (leads or any(kind is not None and kind[0] != "game" for kind in kinds)):
        return None
    return TrickPlaces(played, frozenset(kind for kind in kinds if kind is not None), leads)


@dataclass(frozen=True)
class PlayedCard:
    seat: int
    face: Face
    event: int  # number of the deal's action by which it was played, from 0


@dataclass(frozen=True)
class Trick:
    cards: tuple[PlayedCard, ...]  # in order
    winner: int | None  # None if that shows nowhere


class _TrickHistory:
    """The tricks of a deal, updated as the deal goes on."""

    def __init__(self, opening: Games) -> None:
        self._opening = opening.tobytes()
        self._state = opening.copy()
        self._actions: list[int] = []
        self._chosen: Face | None = None
        self.current: list[PlayedCard] = []
        self.complete: list[Trick] = []

    def leads_to(self, table: Table) -> bool:
        begun = [event.action for event in table.events[: len(self._actions)]]
        return self._opening == table.opening.tobytes() and self._actions == begun

    def update(self, table: Table, places: TrickPlaces) -> None:
        """Adds the table's actions up to its position."""
        for event in table.events[len(self._actions) :]:
            self._add_event(table.game, places, event)

    def _add_event(self, game: GameSpec, places: TrickPlaces, event: Event) -> None:
        board, state = game.board, self._state
        assert board is not None
        before, own = board(state[0], None), board(state[0], event.seat)
        spot = next((offer.card for offer in own.offers if offer.action == event.action), None)
        self._chosen = self._chosen if spot is None else own.piles[spot[0]].cards[spot[1]]
        game.kernels.step(state, 0, event.action)
        number = len(self._actions)
        self._actions.append(event.action)
        if event.part:
            return
        after, card = board(state[0], None), self._chosen
        self._chosen = None
        lay, lie = _count_cards(before, places.is_played), _count_cards(after, places.is_played)
        if lie > lay and card is not None:
            self.current.append(PlayedCard(event.seat, card, number))
        elif lie < lay and card is not None:  # the last card, by which the trick is taken away
            cards = (*self.current, PlayedCard(event.seat, card, number))
            self.complete.append(Trick(cards, _trick_winner(before, after, places, int(state["to_act"][0]))))
            self.current = []


def _count_cards(board: Board, which: Callable[[Pile], bool]) -> int:
    return sum(len(pile.cards) for pile in board.piles if which(pile))


def _trick_winner(before: Board, after: Board, places: TrickPlaces, to_act: int) -> int | None:
    """Returns the seat that won a trick: the one whose pile got its cards, else the one that goes on; None if unknown."""
    pairs = zip(before.piles, after.piles, strict=True)
    gained = [new for old, new in pairs if places.is_taken(new) and len(new.cards) > len(old.cards)]
    if len(gained) == 1 and gained[0].owner == "player":
        return gained[0].number
    return to_act if places.leads and to_act >= 0 else None


_HISTORIES: weakref.WeakKeyDictionary[Table, _TrickHistory] = weakref.WeakKeyDictionary()


def tricks_of(table: Table, places: TrickPlaces) -> tuple[list[PlayedCard], list[Trick]]:
    """Returns the cards of the current trick in order, and the finished tricks of a table's deal."""
    history = _HISTORIES.get(table)
    if history is None or not history.leads_to(table):
        history = _HISTORIES[table] = _TrickHistory(table.opening)
    history.update(table, places)
    return list(history.current), list(history.complete)


def trick_is_done(table: Table) -> bool:
    """Whether the last action of a table's deal has finished a trick, which stays visible for a while."""
    if not table.events or table.events[-1].winner is not None:
        return bool(table.events)
    places = trick_places(table.game)
    complete = tricks_of(table, places)[1] if places is not None else []
    return bool(complete) and complete[-1].cards[-1].event == len(table.events) - 1


def show_tricks(table: Table, board: Board, state: dict[str, Any], knows: Callable[[int], bool]) -> None:
    """Fills in the entries on tricks of the message "state" for a plain table; without tricks only those of ``board``.

    Sets ``trick``, ``last_trick``, ``tricks``, the seats' ``tricks`` and ``cards``, ``tricks`` of the board and each pile's
    ``shown``. ``knows`` says whether the viewer knows an action of the deal, by its number; other cards were not seen.
    """
    places = trick_places(table.game)
    state["board"]["tricks"] = places is not None
    for pile, told in zip(board.piles, state["board"]["piles"], strict=True):
        told["shown"] = "cards"
        if places is not None:
            told["shown"] = "trick" if places.is_played(pile) else "number" if places.is_taken(pile) else "cards"
    if places is None:
        return
    current, complete = tricks_of(table, places)

    def card_entry(one: PlayedCard) -> dict[str, Any]:
        face = one.face if knows(one.event) else None
        name = None if face is None else face.name
        return {"seat": one.seat, "card": None if face is None else face.card, "name": name}

    state["trick"] = [card_entry(one) for one in current]
    state["tricks"] = [
        {"leader": one.cards[0].seat, "cards": [card_entry(each) for each in one.cards], "winner": one.winner}
        for one in complete
    ]
    state["last_trick"] = state["tricks"][-1] if state["tricks"] else None
    for seat in state["seats"]:
        seat["tricks"] = sum(one.winner == seat["seat"] for one in complete)
        held = (pile for pile in board.piles if (pile.owner, pile.number) == ("player", seat["seat"]))
        seat["cards"] = sum(len(p.cards) for p in held if not places.is_played(p) and not places.is_taken(p))
