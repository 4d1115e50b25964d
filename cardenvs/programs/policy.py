"""``exec``: a program in any language as a policy."""

from __future__ import annotations

import atexit
import weakref
from typing import Any, ClassVar

import numpy as np

from cardenvs.cards import Bytes, Ints, Streams
from cardenvs.checks import check_number, short
from cardenvs.policy import Policy
from cardenvs.printing import printable
from cardenvs.programs.program import Program, ProgramError
from cardenvs.programs.protocol import FORMS, Wording
from cardenvs.spec import GameSpec

_running: weakref.WeakSet[ProgramPolicy] = weakref.WeakSet()


class ProgramPolicy(Policy):
    """``exec``: a program in any language, ``exec:COMMAND``; it is asked over stdin and stdout, a line of JSON a decision.

    The program is started at the first decision, once for all seats that it plays; each question tells all that its
    seat knows. Its command is split as a shell would, but no shell runs it; a command with a comma goes into a file.

    Args:
        game: name or spec; with recall (`GameSpec.recalling`) observations have the order of play.
        command: the command.
        seconds: the most time for an answer.
        start: the most time in which the program must be ready, in seconds.

    Raises:
        ValueError: a wrong parameter. `choose` raises a `ProgramError`, which is one, too: the program does not start, has
            ended, is late, or answers with what is no legal action.
    """

    leading: ClassVar[str] = "command"
    runs_code: ClassVar[bool] = True
    slow = True
    _program: Program | None = None

    def __init__(self, game: str | GameSpec, command: str = "", seconds: float = 10.0, start: float = 30.0) -> None:
        super().__init__(game)
        if not isinstance(command, str) or not command.strip():
            raise ValueError(f"command must be the command of a program, exec:python agent.py, not {short(command)}")
        self.command = command
        self.seconds = check_number("seconds", seconds, above=True)
        self.start = check_number("start", start, above=True)
        self._wording = Wording(self.game)
        self._numbers = {name: number for number, name in enumerate(self.game.actions)}
        self._form = "parts"
        self._asked = 0

    def __getstate__(self) -> dict[str, Any]:
        """All but the running program: another process starts its own."""
        return self.__dict__ | {"_program": None}

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The program's answers, int64 (n,); it is asked row by row.

        Raises:
            ProgramError: no legal answer in time.
        """
        del streams
        return np.array([self._answer(*both) for both in zip(observations, action_masks, strict=True)], np.int64)

    def _answer(self, row: Bytes, mask: Bytes) -> int:
        program = self._program or self._begin()
        self._asked += 1
        try:
            answer = program.ask(self._wording.decide(self._asked, row, mask, self._form))
            action = answer.get("action")
            number = self._numbers.get(action, -1) if isinstance(action, str) else -1
            if number < 0 or not mask[number]:
                legal = ", ".join(self.game.actions[k] for k in np.flatnonzero(mask)[:12])
                raise ProgramError(
                    f"the program {printable(self.command)!r} has answered {short(action)}, which is not legal there: "
                    f"legal are {legal}"
                )
        except ProgramError:
            self.close()
            raise
        return number

    def _begin(self) -> Program:
        """Starts the program."""
        self._program = Program(self.command, self._wording.hello(), self.seconds, self.start)
        _running.add(self)
        form = self._program.ready.get("observation", "parts")
        if form not in FORMS:
            self.close()
            raise ProgramError(
                f"the program {printable(self.command)!r} wants observations as {short(form)}: there are {', '.join(FORMS)}"
            )
        self._form = form
        return self._program

    def close(self) -> None:
        """Ends the program; the next decision starts it anew."""
        if self._program is not None:
            self._program.close()
            self._program = None

    def __del__(self) -> None:
        self.close()


@atexit.register
def _close_all() -> None:
    """Ends all programs that still run."""
    for policy in list(_running):
        policy.close()
