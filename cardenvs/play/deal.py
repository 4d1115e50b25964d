"""A deal being played: its state, the seat to act, and its events as everybody has seen them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING, TRUNCATED
from cardenvs.contract.spec import GameSpec


class Event(NamedTuple):
    """An action as everybody at the table saw it.

    Attributes:
        seat: the seat that acted.
        action: the action's number; `cardenvs.games.euchre.HIDDEN_DISCARD` for a card put away face down.
        drawn: in a game that hands out cards one by one, the card that the action put down, which is not public; else -1.
        winner: the seat that won the trick which the action completed; None if the action completed no trick.
        forced: whether the seat had no other legal action.
        part: whether the action is a part of what the seat chooses, and the seat goes on with it. What others are told is
            one event, when all of it is chosen: how many parts there were tells of what is hidden.
    """

    seat: int
    action: int
    drawn: int
    winner: int | None
    forced: bool
    part: bool = False


class DealInPlay:
    """A deal being played.

    Attributes:
        game: the game's spec.
        state: the deal, a structured array of shape (1,). Not to be written to.
        opening: the deal before its first action, a structured array of shape (1,).
        events: the deal's actions so far.
    """

    def __init__(self, game: GameSpec) -> None:
        self.game = game
        self.state: Games = game.new_games(1)
        self.opening: Games = game.new_games(1)
        self.events: list[Event] = []

    @property
    def options(self) -> dict[str, Any]:
        """The rule options of the deal."""
        return self.game.options_of(self.state[0])

    @property
    def to_act(self) -> int | None:
        """The seat to act; None when the deal is over or has been cut off."""
        seat = int(self.state["to_act"][0])
        return seat if seat >= 0 and self.over == RUNNING else None

    @property
    def over(self) -> int:
        """Status of the game: RUNNING, DEAL_OVER, EPISODE_OVER or TRUNCATED of `cardenvs.contract.loops`."""
        over, limit = int(self.state["over"][0]), self.game.max_decisions
        cut_off = over == RUNNING and limit is not None and int(self.state["moves"][0]) >= limit
        return TRUNCATED if cut_off else over

    @property
    def decisions(self) -> int:
        """Number of complete decisions in the deal, as everybody can count them."""
        return sum(not event.part for event in self.events)

    @property
    def midway(self) -> bool:
        """Whether the seat to act has chosen a part of something and goes on with it."""
        return bool(self.events) and self.events[-1].part

    @property
    def line(self) -> str:
        """The deal with its actions as one line of text, which names all cards."""
        return self.game.text(self.state[0])

    def legal(self) -> list[int]:
        """The numbers of the legal actions of the seat to act, ascending; empty when the deal is over."""
        actions = self.game.legal(self.state) if self.to_act is not None else 0
        return [action for action in range(self.game.num_actions) if actions >> action & 1]

    def _checked(self, seat: int, action: int | str) -> int:
        """The number of an action that a seat may take now."""
        if self.to_act is None:
            raise ValueError("the deal is over")
        if seat != self.to_act:
            raise ValueError(self._not_the_turn_of(seat))
        is_number = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
        if not isinstance(action, str) and not (is_number and 0 <= action < self.game.num_actions):
            raise ValueError(f"unknown action {action!r} in {self.game.name}")
        number = self.game.action(action) if isinstance(action, str) else int(action)
        legal = self.game.legal(self.state)
        if not legal >> number & 1:
            names = self.game.legal_names(legal)
            raise ValueError(f"{self.game.actions[number]} is illegal there: legal are {names}")
        return number

    def _not_the_turn_of(self, seat: int) -> str:
        """Error message to a seat that acts out of turn."""
        return f"it is the turn of seat {self.to_act}, not of seat {seat}"

    def _step(self, action: int) -> None:
        """Plays a legal action and notes it as an event."""
        seat = int(self.state["to_act"][0])
        names = self.game.dtype.names or ()
        drawn = int(self.state["card"][0]).bit_length() - 1 if "card" in names else -1
        before = self.state["tricks"][0].copy() if "tricks" in names else None
        forced = self.game.legal(self.state).bit_count() == 1
        after = self.state.copy()
        self.game.kernels.step(after, 0, action)
        self.state = after
        winner = None
        if before is not None:
            won = np.flatnonzero(self.state["tricks"][0] - before)
            winner = int(won[0]) if len(won) else None
        # The history hides what not everybody may see, such as a discard.
        public = int(self.state["history"][0][int(self.state["moves"][0]) - 1])
        begun = self.game.kernels.begun
        part = begun is not None and bool(begun(self.state, 0))
        self.events.append(Event(seat, public, drawn, winner, forced, part))

    def _begin(self, state: Games) -> None:
        """Makes ``state`` the deal in play; its actions are played again from the start, which fills `events`."""
        names = self.game.history(state[0])
        self.opening = self.game.parse(self.game.text(state[0], actions=False))
        self._play_again(names)

    def _play_again(self, names: Sequence[str]) -> None:
        """Plays the deal in play again from its start, with the actions of these names."""
        self.state = self.opening.copy()
        self.events = []
        for name in names:
            self._step(self.game.action(name))
