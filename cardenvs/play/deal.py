"""A deal being played: its state, the seat to act, and its public events."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING, TRUNCATED
from cardenvs.contract.spec import GameSpec


class Event(NamedTuple):
    """An action as everybody at the table saw it."""

    seat: int
    action: int  # its number; `cardenvs.games.euchre.HIDDEN_DISCARD` for a card discarded face down
    drawn: int  # in a game that deals cards one by one, the card put down, which is not public; else -1
    winner: int | None  # the seat that won the trick with this action; None if it completed none
    forced: bool  # whether the seat had no other legal action
    part: bool = False  # whether it is a part of an option; others learn of all parts as one event


class DealInPlay:
    """A deal being played.

    Attributes:
        game: the game's spec.
        state: the deal, a structured array of shape (1,); read only.
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
        """Number of complete decisions in the deal."""
        return sum(not event.part for event in self.events)

    @property
    def midway(self) -> bool:
        """Whether the seat to act has chosen a part of an option and chooses on."""
        return bool(self.events) and self.events[-1].part

    @property
    def line(self) -> str:
        """The deal with its actions as one line of text, which names all cards."""
        return self.game.text(self.state[0])

    def legal(self) -> list[int]:
        """Returns the numbers of the legal actions of the seat to act, ascending; empty when the deal is over."""
        actions = self.game.legal(self.state) if self.to_act is not None else 0
        return [action for action in range(self.game.num_actions) if actions >> action & 1]

    def _play_action(self, action: int) -> None:
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

    def _begin_deal(self, state: Games) -> None:
        names = self.game.history(state[0])
        self.opening = self.game.parse(self.game.text(state[0], actions=False))
        self._replay_actions(names)

    def _replay_actions(self, names: Sequence[str]) -> None:
        self.state = self.opening.copy()
        self.events = []
        for name in names:
            self._play_action(self.game.action(name))
