"""All ways by which a seat is told of a deal: for `cardenvs.telling.counts`, which compares the information on two deals.

Beside what a game tells itself these are the page and the terminal of a table (`cardenvs.play`), the messages to programs
and prompts (`cardenvs.programs`), and what OpenSpiel gets (`cardenvs.openspiel`, which need not be installed for that).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.openspiel import plays
from cardenvs.play.players import HUMAN
from cardenvs.play.seatview import seat_view
from cardenvs.play.table import Table
from cardenvs.programs.protocol import FORMS, Wording
from cardenvs.telling.counts import OWN, Ways


class Page:
    """The message "state" of a table at which people play; nothing when the deal is over, as all cards are open then."""

    def __init__(self, spec: GameSpec, start: Games) -> None:
        self._table = Table(spec, [HUMAN] * spec.seats, line=spec.text(start[0]))

    def go_on(self, action: int) -> None:
        """Plays an action."""
        self._table.act(int(self._table.state[0]["to_act"]), action)

    def told(self, seat: int) -> dict[str, Any]:
        """Information that a seat is given now."""
        return {"the page": seat_view(self._table, seat)} if self._table.over == RUNNING else {}


class Messages:
    """Messages to a program that decides, with the order of play where the game knows it."""

    def __init__(self, spec: GameSpec, start: Games) -> None:
        self._spec, self._games = spec, start.copy()
        self._eyes = spec.recalling if spec.recall_parts else spec
        self._wording = Wording(self._eyes)

    def go_on(self, action: int) -> None:
        """Plays an action."""
        self._spec.kernels.step(self._games, 0, action)

    def told(self, seat: int) -> dict[str, Any]:
        """Information that a seat is given now: none unless it decides."""
        if self._games[0]["to_act"] != seat:
            return {}
        row, mask = self._eyes.observation(self._games, seat), self._spec.mask(self._spec.legal(self._games))
        forms = [form for form in FORMS if form != "prompt-no-legal"]  # all of that is in "prompt"
        return {f"the message ({form})": self._wording.decide_message(1, row, mask, form, 0) for form in forms}


class Spiel:
    """OpenSpiel's strings and tensors; in a game without recall, all information so far is in them, event by event."""

    def __init__(self, spec: GameSpec, start: Games) -> None:
        options = tuple(spec.options_of(start[0]).items())
        self._play = plays.Play(plays.rules(spec, options, plays.SCORE, 0))
        self._play.set_deal(start)

    def go_on(self, action: int) -> None:
        """Plays an action; what it draws is drawn as the deal has it."""
        self._play.act(action)
        if self._play.phase == plays.DRAWING:
            self._play.apply_chance(0, lambda: int(self._play.games[0]["stream"]))

    def told(self, seat: int) -> dict[str, Any]:
        """Information that a seat is given now."""
        play = self._play
        return {
            "OpenSpiel's tensor": np.flatnonzero(play.observation(seat)).tolist(),
            "OpenSpiel's observation": play.observation_text(seat),
            "OpenSpiel's information state": play.information_text(seat).split("; "),
        }


EVERY: Ways = (*OWN, Page, Messages, Spiel)
"""All ways."""
