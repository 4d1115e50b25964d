"""The adviser's prompt at a terminal."""

import shlex
import sys
from pathlib import Path

from rich.console import Console

from cardenvs.contract.record import seats_line
from cardenvs.files import write_whole
from cardenvs.play.advise.adviser import Adviser
from cardenvs.play.advise.book import Question
from cardenvs.play.advise.session import SESSION
from cardenvs.play.typed_input import ask, read_line

HELP = """\
Cards are typed as rank and suit: 3 s, 10 h, a d, 3s, Th; in a hand several on a line. Bids by name or its beginning:
p, up, up alone, h, hearts alone. Columns by number; a card that is seen together with its column: 4 s 3.
For the engine's seats Enter plays the best move; anything else that is legal may be typed instead.
  undo   take the last entry back (again and again)
  show   the table as far as it is known
  line   the session as one line of text, which --resume takes
  next   when a deal is over: the same players' next deal
  help   this
  quit   end; the session is saved after every entry"""


class AdviserCli:
    """A session of the adviser at a terminal: asks, prints, saves.

    ``session`` is its file, ``earlier`` the lines of the deals before (`read_session`); ``told`` has prepared answers by
    the kind of their question.
    """

    def __init__(self, adviser: Adviser, session: Path, earlier: list[str], told: dict[str, str], to: Console) -> None:
        self.adviser = adviser
        self.session = session
        self._earlier = earlier
        self._told = told
        self._console = to
        self._interactive = sys.stdin.isatty()

    def print_line(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def save(self) -> None:
        """Writes the session's file: a record of the earlier deals, with the session in a remark."""
        head = f"# {self._resume_command()} goes on here"
        write_whole(self.session, "\n".join([head, *self._earlier, SESSION + self.adviser.line()]) + "\n")

    def _resume_command(self) -> str:
        return shlex.join(["cardenvs", "advise", self.adviser.game.name, "--resume", str(self.session)])

    def print_resume_command(self) -> None:
        self.print_line(f"Saved. To go on: {self._resume_command()}")
        self.print_line(f"or with the line: {self.adviser.line()}")

    def run(self) -> None:
        """Asks until the input ends or a person quits; raises ValueError for a wrong answer of the command line."""
        self.save()
        self.print_line(f"Session: {self.session}. Type help for what can be typed.")
        while True:
            question = self.adviser.question()
            answer = self._told.pop(question.kind, None)
            if answer is not None:
                self._enter_answer(answer)
                continue
            prompt = self._make_prompt(question)
            try:
                typed = ask(self._console, prompt, read_line)
            except EOFError:
                self.print_line("")
                return
            if not self._obey_line(typed):
                return

    def _make_prompt(self, question: Question) -> str:
        """Returns the prompt for a question; prints the engine's advice if it is to act."""
        if question.kind == "over":
            return "The deal is over: next, undo, show or quit?"
        if not question.engine:
            return f"{question.text}:"
        try:
            if self._console.is_terminal and self._interactive:
                with self._console.status(f"{self.adviser.policy} thinks"):
                    advice = self.adviser.advice()
            else:
                advice = self.adviser.advice()
        except ValueError as error:
            self.print_line(f"{error}. Type the move yourself.")
            return f"{question.text}:"
        self.print_line(advice.text(self.adviser.names[advice.seat]))
        return f"{question.text} [{advice.best[0].action}]:"

    def _obey_line(self, typed: str) -> bool:
        """Obeys a typed line; returns False if the session is to end."""
        word = typed.lower()
        try:
            if word in ("quit", "exit"):
                return False
            if word == "undo":
                entry = self.adviser.undo()
                whose = "" if entry.seat is None else f", {self.adviser.names[entry.seat]}"
                self.print_line(f"Taken back ({entry.kind}{whose}): {entry.text}")
                self.save()
            elif word == "show":
                self.print_line(self.adviser.drawing())
            elif word == "line":
                self.print_line(self.adviser.line())
            elif word in ("help", "?"):
                self.print_line(HELP)
            elif word == "next":
                self._begin_next_deal()
            else:
                self._enter_answer(typed)
        except ValueError as error:
            self.print_line(f"No: {error}.")
        return True

    def _enter_answer(self, text: str) -> None:
        for remark in self.adviser.enter(text):
            self.print_line(f"  {remark}.")
        self.save()

    def _begin_next_deal(self) -> None:
        following = self.adviser.next_deal()
        record = self.adviser.record()
        self._earlier.append(seats_line(self.adviser.names))
        self._earlier.append(record if record is not None else f"# deal: {self.adviser.line()}")
        self.adviser = following
        self.save()


_ASSUMED = {"names": "", "engine": "none", "dealer": "0"}
"""Answers, for a trial only, to questions before one that the command line answers."""


def check_told(trial: Adviser, told: dict[str, str]) -> None:
    """Tries answers of the command line, by the kind of their question, on a new adviser, so that mistakes show at once.

    Raises ValueError for a wrong answer, or an answer to a question that the game does not ask.
    """
    left = dict(told)
    while left:
        kind = trial.question().kind
        if kind not in ("names", "engine", "dealer", "card"):
            unknown = ", ".join(f"--{kind}" for kind in left)
            raise ValueError(f"{unknown}: nobody asks that in {trial.game.name} under these rules")
        answer = left.pop(kind, _ASSUMED.get(kind))
        if answer is None:
            return
        try:
            trial.enter(answer)
        except ValueError as error:
            raise ValueError(f"--{kind} {answer}: {error}" if kind in told else str(error)) from error
