"""``exec``: a program in any language as a policy."""

from typing import Any, ClassVar

import numpy as np

from cardenvs.checks import check_bool, check_number, is_int, short
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.programs.program import Program, ProgramError
from cardenvs.programs.protocol import FORMS, Wording

_STEP = 0x9E3779B97F4A7C15
"""Increment of a stream for each number that is drawn from it (`cardenvs.compiled.streams.below`)."""


class ProgramPolicy(Policy):
    """``exec``: a program in any language, ``exec:COMMAND``; it is asked over stdin and stdout, a line of JSON a decision.

    The program is started at the first decision, in one process for each seat that it plays, so that each memory is that of
    one seat; each question has all that its seat knows. Its command is split as a shell would, but no shell runs it; a
    comma in it must be quoted.

    Args:
        command: the command.
        seconds: maximum time for an answer.
        start: maximum time until the program is ready, in seconds.
        recall: whether observations have the order of play (`GameSpec.recalling`).
        one_process: whether one process decides for all seats of a side, so that partners see each other's cards; not in
            games of one side, nor where sides are dealt.

    Raises:
        ValueError: a wrong parameter. `choose` raises a `ProgramError`, a `cardenvs.policy.Forfeit`: the program does not
            start, has ended, is late, or does not answer with a legal action.
    """

    leading: ClassVar[str] = "command"
    by_default = False
    runs_code = True
    can_forfeit = True
    slow = True
    remembers = True

    def __init__(
        self,
        game: str | GameSpec,
        command: str = "",
        seconds: float = 10.0,
        start: float = 30.0,
        recall: bool = False,
        one_process: bool = False,
    ) -> None:
        super().__init__(get_game(game).with_recall(True) if check_bool("recall", recall) else game)
        if not isinstance(command, str) or not command.strip():
            raise ValueError(f"command must be the command of a program, as in exec:python agent.py, not {short(command)}")
        self.command = command
        self.seconds = check_number("seconds", seconds, above=True)
        self.start = check_number("start", start, above=True)
        self.shares_side = check_bool("one_process", one_process)
        if one_process and (self.game.one_sided or self.game.kernels.side is not None):
            why = "all are one side" if self.game.one_sided else "sides are dealt"
            raise ValueError(f"one_process must be no in {self.game.name}, where {why}: one seat would see another's cards")
        self._wording = Wording(self.game)
        self._numbers = {name: number for number, name in enumerate(self.game.actions)}
        self._program: Program | None = None
        self._form = "parts"
        self._asked = 0

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the running program: another process starts its own."""
        return self.__dict__ | {"_program": None}

    def begin(self) -> None:
        """Starts the program, if it is not running; raises `ProgramError` if it does not start."""
        self._running_program()

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns the program's answers, int64 (n,), asked for row by row.

        Raises:
            ProgramError: no legal answer in time; the program has been ended, and the next decision starts it anew.
        """
        out = np.empty(len(observations), np.int64)
        for row in range(len(out)):
            try:
                out[row] = self._ask_program(observations[row], action_masks[row], streams, row)
            except ProgramError as error:
                error.policy, error.row = self.name, row
                self.close()
                raise
            except BaseException:  # such as Ctrl-C: a late answer would be taken for that to the next question
                self.close()
                raise
        return out

    def _ask_program(self, observation: Bytes, mask: Bytes, streams: Streams, row: int) -> int:
        program = self._running_program()
        self._asked += 1
        place = (None, None) if self.asked is None else (int(self.asked.seats[row]), int(self.asked.games[row]))
        question = self._wording.decide_message(self._asked, observation, mask, self._form, int(streams[row]), *place)
        answer = program.ask(question)
        action, number = answer.get("action"), answer.get("number", self._asked)
        if number != self._asked:
            raise ProgramError(f"{program.label} has answered question {short(number)}, not question {self._asked}")
        chosen = self._numbers.get(action, -1) if isinstance(action, str) else -1
        if chosen < 0 or not mask[chosen]:
            legal = ", ".join(self.game.actions[k] for k in np.flatnonzero(mask)[:12])
            raise ProgramError(f"{program.label} has answered {short(action)}, which is not legal there: legal are {legal}")
        seed = answer.get("seed")
        if is_int(seed) and 0 <= seed < 1 << 64:
            streams[row] = seed
        else:
            streams[row] = (int(streams[row]) + _STEP) % (1 << 64)  # the next decision of the game has another seed
        return chosen

    @property
    def introduced(self) -> object:
        """The program's own name, unchecked; None if it has given none."""
        return None if self._program is None else self._program.ready.get("name")

    def _running_program(self) -> Program:
        if self._program is not None and self._program.mine:
            return self._program
        hello = self._wording.hello_message(None if self.asked is None else self.asked.held)
        self._program = Program(self.command, hello, self.seconds, self.start)
        form = self._program.ready.get("observation", "parts")
        if form not in FORMS:
            raise ProgramError(f"{self._program.label} wants observations as {short(form)}: there are {', '.join(FORMS)}")
        self._form = form
        return self._program

    def close(self) -> None:
        """Ends the program; the next decision starts it anew."""
        program, self._program = self._program, None
        if program is not None:
            program.close()

    def __del__(self) -> None:
        if getattr(self, "_program", None) is not None:
            self.close()
