"""All channels by which a seat gets information on a deal, for `cardenvs.information_audit.counts`.

Beside those of a game itself these are the page and the terminal of a table (`cardenvs.play`), the messages to programs
and prompts (`cardenvs.programs`), and OpenSpiel's (`cardenvs.openspiel`, which need not be installed for that).
"""

from typing import Any

import numpy as np

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.information_audit.counts import OWN_CHANNELS, Channels
from cardenvs.openspiel import plays
from cardenvs.play.players import HUMAN
from cardenvs.play.seatview import seat_view
from cardenvs.play.table import Table
from cardenvs.programs.protocol import FORMS, Wording


class PageChannel:
    """The message "state" of a table for people; nothing when the deal is over, as all cards are open then."""

    def __init__(self, spec: GameSpec, start: Games) -> None:
        self._table = Table(spec, [HUMAN] * spec.seats, line=spec.text(start[0]))

    def go_on(self, action: int) -> None:
        self._table.act(int(self._table.state[0]["to_act"]), action)

    def information(self, seat: int) -> dict[str, Any]:
        return {"the page": seat_view(self._table, seat)} if self._table.over == RUNNING else {}


class ProgramChannel:
    """Messages to a program that decides, with the order of play where the game has recall."""

    def __init__(self, spec: GameSpec, start: Games) -> None:
        self._spec, self._games = spec, start.copy()
        self._spec_shown = spec.recalling if spec.recall_parts else spec
        self._wording = Wording(self._spec_shown)

    def go_on(self, action: int) -> None:
        self._spec.kernels.step(self._games, 0, action)

    def information(self, seat: int) -> dict[str, Any]:
        """Returns the present information of a seat: none unless it decides."""
        if self._games[0]["to_act"] != seat:
            return {}
        row, mask = self._spec_shown.observation(self._games, seat), self._spec.mask(self._spec.legal(self._games))
        forms = [form for form in FORMS if form != "prompt-no-legal"]  # all of that is in "prompt"
        return {f"the message ({form})": self._wording.decide_message(1, row, mask, form, 0) for form in forms}


class OpenSpielChannel:
    """OpenSpiel's strings and tensors; in a game without recall they contain all information so far, event by event."""

    def __init__(self, spec: GameSpec, start: Games) -> None:
        options = tuple(spec.options_of(start[0]).items())
        self._play = plays.Play(plays.rules(spec, options, plays.SCORE, 0))
        self._play.set_deal(start)

    def go_on(self, action: int) -> None:
        """Plays an action, with chance as in the deal."""
        self._play.act(action)
        if self._play.phase == plays.DRAWING:
            self._play.apply_chance(0, lambda: int(self._play.games[0]["stream"]))

    def information(self, seat: int) -> dict[str, Any]:
        play = self._play
        return {
            "OpenSpiel's tensor": np.flatnonzero(play.observation(seat)).tolist(),
            "OpenSpiel's observation": play.observation_text(seat),
            "OpenSpiel's information state": play.information_text(seat).split("; "),
        }


ALL_CHANNELS: Channels = (*OWN_CHANNELS, PageChannel, ProgramChannel, OpenSpielChannel)
"""All channels."""
