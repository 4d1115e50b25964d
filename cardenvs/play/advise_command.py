"""The command ``cardenvs advise``: the adviser for a real deck, at a prompt."""

from __future__ import annotations

import shlex
import signal
import sys
from datetime import datetime
from pathlib import Path

import click
import platformdirs
from rich.console import Console

from cardenvs import cli
from cardenvs.files import write_whole
from cardenvs.play.advise import DEFAULT_POLICIES, Advice, Adviser, Question, bar
from cardenvs.policy import KINDS
from cardenvs.record import seats_line
from cardenvs.spec import GameSpec

SESSION = "# session: "
"""How the line of a session's file begins that the session goes on from."""

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


def default_session(game: str) -> Path:
    """A new file in the user's folder for what programs keep, named by the time."""
    folder = Path(platformdirs.user_state_dir("cardenvs", appauthor=False), "advise")
    stem = f"{game}-{datetime.now():%Y%m%d-%H%M%S}"
    tries = [folder / f"{stem}{more}.txt" for more in ("", *(f"-{k}" for k in range(2, 100)))]
    return next((path for path in tries if not path.exists()), tries[-1])


def read_session(text: str) -> tuple[str, list[str]]:
    """The line of a session, and the deals before it, out of a session's file or the line itself.

    Raises:
        ValueError: neither.
        OSError: a file that cannot be read.
    """
    if text.startswith("advise "):
        return text, []
    try:
        lines = Path(text).read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{text!r} is no session of the adviser: it is not text") from error
    found = [k for k, line in enumerate(lines) if line.startswith(SESSION)]
    if not found:
        raise ValueError(f"{text!r} is no session of the adviser: no line in it begins with {SESSION.strip()!r}")
    return lines[found[-1]].removeprefix(SESSION), lines[1 : found[-1]]


class _Desk:
    """The person at the keyboard: asks, tells, saves."""

    def __init__(self, adviser: Adviser, session: Path, earlier: list[str], given: dict[str, str], to: Console) -> None:
        self.adviser = adviser
        self.session = session
        self._earlier = earlier
        self._given = given
        self._console = to
        self._interactive = sys.stdin.isatty()

    def say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def save(self) -> None:
        """Writes the file: earlier deals as a record, the session as a remark in it."""
        head = f"# {self._again()} goes on here"
        write_whole(self.session, "\n".join([head, *self._earlier, SESSION + self.adviser.line()]) + "\n")

    def _again(self) -> str:
        return shlex.join(["cardenvs", "advise", self.adviser.game.name, "--resume", str(self.session)])

    def farewell(self) -> None:
        """How to go on."""
        self.say(f"Saved. To go on: {self._again()}")
        self.say(f"or with the line: {self.adviser.line()}")

    def _ask(self, prompt: str) -> str:
        """A line from the keyboard.

        Raises:
            EOFError: there is none.
        """
        self._console.print(prompt, end=" ", markup=False, highlight=False, soft_wrap=True)
        if self._interactive:
            return input()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        self.say(line.rstrip("\n"))  # so that a transcript reads as the session did
        return line

    def run(self) -> None:
        """Asks until the end.

        Raises:
            ValueError: something given with the command cannot be.
            OSError: the session cannot be saved.
        """
        self.save()
        self.say(f"Session: {self.session}. Type help for what can be typed.")
        while True:
            question = self.adviser.question()
            answer = self._given.pop(question.kind, None)
            if answer is not None:
                self._enter(answer)
                continue
            prompt = self._prompt(question)
            try:
                typed = self._ask(prompt)
            except EOFError:
                self.say("")
                return
            if not self._heed(typed):
                return

    def _prompt(self, question: Question) -> str:
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
            self.say(f"{error}. Type the move yourself.")
            return f"{question.text}:"
        self.say(advice_text(advice, self.adviser.names[advice.seat]))
        return f"{question.text} [{advice.best[0].action}]:"

    def _heed(self, typed: str) -> bool:
        """Does what was typed; False to end."""
        word = typed.strip().lower()
        try:
            if word in ("quit", "exit"):
                return False
            if word == "undo":
                entry = self.adviser.undo()
                whose = "" if entry.seat is None else f", {self.adviser.names[entry.seat]}"
                self.say(f"Taken back ({entry.kind}{whose}): {entry.text}")
                self.save()
            elif word == "show":
                self.say(self.adviser.table())
            elif word == "line":
                self.say(self.adviser.line())
            elif word in ("help", "?"):
                self.say(HELP)
            elif word == "next":
                self._next()
            else:
                self._enter(typed)
        except ValueError as error:
            self.say(f"No: {error}.")
        return True

    def _enter(self, text: str) -> None:
        for remark in self.adviser.enter(text):
            self.say(f"  {remark}.")
        self.save()

    def _next(self) -> None:
        following = self.adviser.next_deal()
        record = self.adviser.record()
        self._earlier.append(seats_line(self.adviser.names))
        self._earlier.append(record if record is not None else f"# deal: {self.adviser.line()}")
        self.adviser = following
        self.save()


def advice_text(advice: Advice, name: str) -> str:
    """An advice for people, a line a move."""
    if len(advice.best) == 1 and advice.kind == "choice":
        return f"  {advice.policy}: {advice.best[0].action}"
    lines = [f"  {name}'s best moves by {advice.policy}: {KINDS[advice.kind]}"]
    width = max(len(move.action) for move in advice.best)
    for move in advice.best:
        value = f"  {move.value:+8.3f}" if advice.kind == "value" else ""
        lines.append(f"    {move.action:<{width}}  {move.percent:5.1f} %{value}  {bar(move.percent)}".rstrip())
    return "\n".join(lines)


_ASSUMED = {"names": "", "engine": "none", "dealer": "0"}
"""What to answer for the sake of trying, where a question comes before one that the command line answers."""


def _check_told(trial: Adviser, told: dict[str, str]) -> None:
    """Tries what the command line tells on an adviser of its own: a mistake there should not wait for its question.

    Raises:
        ValueError: a wrong answer, or one to a question that the game does not ask.
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


@click.command(
    "advise",
    epilog="The policies by default: " + ", ".join(f"{game} {name}" for game, name in DEFAULT_POLICIES.items()) + ".",
)
@cli.game_argument
@click.option("--names", metavar="NAME,NAME,...", help="The players, clockwise from seat 0; in Five-O seat 0 moves first.")
@click.option("--engine", metavar="SEATS", help="The seats that the engine plays, as in 0,2; all or none.")
@click.option("--policy", "name", metavar="POLICY", help="Who answers for them.")
@click.option("--dealer", metavar="SEAT", help="The dealer, by number or name.")
@click.option("--card", metavar="CARD", help="The pulled card (Whist) or the turned-up one (Euchre).")
@click.option("--score", metavar="N-N", help="Points of the sides before the deal.")
@click.option(
    "--session", type=click.Path(path_type=Path, dir_okay=False), help="Where the session is kept. [state folder]"
)
@click.option("--resume", metavar="FILE|LINE", help="Go on with a session: its file or its line of text.")
@cli.rule_option
@cli.seed_option
@cli.json_option
def advise_command(
    game: GameSpec,
    names: str | None,
    engine: str | None,
    name: str | None,
    dealer: str | None,
    card: str | None,
    score: str | None,
    session: Path | None,
    resume: str | None,
    options: tuple[tuple[str, str], ...],
    seed: int,
    as_json: bool,
) -> int:
    """Advise seats of a game with a real deck: type the hands of the engine's seats and every play as it happens.

    What is not given here is asked for. The engine answers for its seats with its five best moves in percent; a card out of
    place, one played twice and a revoke are refused. The session is saved after every entry.
    """
    given = {"names": names, "engine": engine, "dealer": dealer, "card": card}
    told = {kind: text for kind, text in given.items() if text is not None}
    earlier: list[str] = []
    if resume is not None:
        if told or name or score or options:
            raise ValueError("--resume takes everything from the session: leave the other options off")
        line, earlier = read_session(resume)
        adviser = Adviser.from_line(line)
        if adviser.game is not game:
            raise ValueError(f"that is a session of {adviser.game.name}, not of {game.name}")
        if session is None and not resume.startswith("advise "):
            session = Path(resume)
    else:
        points = (0, 0)
        if score is not None:
            parts = score.split("-")
            if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
                raise ValueError(f"--score {score}: must be two numbers with - between them, as in 3-7")
            points = (int(parts[0]), int(parts[1]))
        rules = cli.rule_options(game, options)
        adviser = Adviser(game, policy=name, score=points, seed=seed, **rules)
        _check_told(Adviser(game, policy=name, score=points, seed=seed, **rules), told)
    desk = _Desk(adviser, session or default_session(game.name), earlier, told, Console(stderr=as_json))
    status = 0
    try:
        desk.run()
    except KeyboardInterrupt:
        desk.say("")
        status = 128 + signal.SIGINT
    desk.farewell()
    if as_json:
        cli.print_json(desk.adviser.as_dict() | {"session": str(desk.session)})
    return status
