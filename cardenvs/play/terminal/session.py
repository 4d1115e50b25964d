"""A table at a terminal: the loop over turns, the person at the screen, and the log lines shown to each viewer."""

import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from cardenvs.contract.loops import DEAL_OVER
from cardenvs.contract.registry import address
from cardenvs.files import write_whole
from cardenvs.play.folders import new_file
from cardenvs.play.players import PolicyFailed
from cardenvs.play.seatview import seat_view
from cardenvs.play.table import Table
from cardenvs.play.terminal.commands import Commands, Quit
from cardenvs.play.terminal.screen import Screen, is_plain
from cardenvs.play.terminal.typed_action import parse_action
from cardenvs.play.typed_input import ask, deck_of, read_line
from cardenvs.printing import PlainConsole

PAUSE = 1.0  # seconds between moves if no person plays


def run_terminal(
    table: Table,
    *,
    pause: float = PAUSE,
    path: Path | None = None,
    console: Console | None = None,
    read: Callable[[], str] | None = None,
) -> int:
    """Plays at the terminal until a person quits, the input ends or is interrupted.

    Args:
        pause: seconds after each move if no person plays.
        path: the file in which the table is kept; None makes a new file in the user's folder.
        console: where to print; None is standard output.
        read: a function that returns a typed line and raises EOFError at the end; None reads standard input.

    Returns:
        The exit status: 0, or 130 if interrupted.

    Raises:
        ValueError: a pause below 0.
        OSError: the file cannot be written.
    """
    if not pause >= 0:
        raise ValueError(f"pause must be a number of seconds, 0 or more, not {pause}")
    file = path or new_file("terminal", table.game.word, "json")
    session = _Session(table, console or PlainConsole(), read or read_line, pause, file)
    session.save()
    status = 0
    try:
        session.run()
    except (EOFError, Quit):
        pass
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    session.save()
    again = ["cardenvs", "play", address(table.game), "--terminal", "--load", str(file)]
    session.print_line("")
    session.print_line(f"Saved. To go on: {shlex.join(again)}")
    return status


class _Session:
    def __init__(self, table: Table, console: Console, read: Callable[[], str], pause: float, path: Path) -> None:
        self._table = table
        self._screen = Screen(console)
        self.print_line = self._screen.print_line
        self._console = console
        self._path = path
        self._read = read
        self._pause = pause
        self._commands = Commands(table, self._screen, self._announce_deal, self._read_typed)
        self._deck = deck_of(table.game)
        self._told: dict[int | None, int] = {}  # by viewer, how many lines of the log have been printed
        self._present: int | None = None  # the person in front of a shared terminal

    def _read_typed(self, prompt: str) -> str:
        return ask(self._console, prompt, self._read)

    def save(self) -> None:
        write_whole(self._path, self._table.to_text(), 0o600)  # it has the secret of the deals to come

    def _show_table(self, viewer: int | None) -> None:
        self._screen.show_view(seat_view(self._table, viewer))

    def run(self) -> None:
        self.print_line(f"{self._table.game.title}. Type help for what can be typed. The table is kept in {self._path}.")
        if not self._table.people:
            self._show_table(None)
        while True:
            table, seat = self._table, self._table.to_act
            if seat is None:
                self._deal_over()
            elif seat in table.failed:
                self._ask_and_obey(
                    self._viewer(), f"{table.failed[seat]}. retry, seat {seat} POLICY, seat {seat} human or quit:"
                )
            elif table.policy_to_act is not None:
                self._policy_moves()
            else:
                self._person_moves(seat)

    def _viewer(self) -> int | None:
        """Returns the only person's seat, whose view is shown while policies move; None with no person or several."""
        people = self._table.people
        return people[0] if len(people) == 1 else None

    def _policy_moves(self) -> None:
        """Plays a policy's move, and prints it unless several people share the terminal."""
        table, seat = self._table, self._table.to_act
        version = table.version
        try:
            with self._screen.thinking(table.display_name(seat or 0, self._viewer())):
                mover, action = table.policy_move()
        except PolicyFailed:
            return  # the table has noted the failure, and `run` reports it
        try:
            table.apply(version, mover, action)
        except ValueError as error:  # a game whose description is wrong cannot go on
            table.note_failure(version, mover, str(error))
            return
        people = table.people
        if len(people) <= 1:  # else the next person to move reads of it
            self._print_news(self._viewer())
        if not people:
            self.save()
            time.sleep(self._pause)

    def _print_news(self, viewer: int | None) -> None:
        """Prints the lines of the log that are new to the viewer."""
        log = seat_view(self._table, viewer)["log"]
        for line in log[self._told.get(viewer, 0) :]:
            self.print_line(f"  {line}")
        self._told[viewer] = len(log)

    def _person_moves(self, seat: int) -> None:
        """Lets a person play; at a shared terminal the hand waits until no other person looks."""
        if len(self._table.people) > 1 and self._present != seat:
            self._screen.clear_screen()
            who = self._person_name(seat)
            self._read_typed(f"{who} is to move. {who}, press Enter when only you look at the screen.")
            self._present = seat
        self._print_news(seat)
        self._show_table(seat)
        version = self._table.version
        while self._table.version == version:
            self._ask_and_obey(seat, self._make_prompt(seat), seat_to_move=seat)

    def _make_prompt(self, seat: int) -> str:
        view = seat_view(self._table, seat)
        who = self._person_name(seat) if len(self._table.people) > 1 else "You"
        if is_plain(view):
            return f"{who}: which action?"
        if view["five_o"]:
            return f"{who}: column?"
        if view["phase"] == "discarding":
            return f"{who}: discard which card?"
        return f"{who}: which card?" if view["legal"][0]["card"] else f"{who}: what do you call?"

    def _person_name(self, seat: int) -> str:
        name = self._table.display_name(seat)
        return name[:1].upper() + name[1:]

    def _deal_over(self) -> None:
        viewer = self._viewer()
        if self._present is not None:
            self._screen.clear_screen()
            self._present = None
        self._print_news(viewer)
        self._show_table(viewer)
        if self._table.sheet is not None:
            self._screen.show_sheet(seat_view(self._table, viewer))
        self.save()
        version = self._table.version
        while self._table.version == version:
            if self._table.over == DEAL_OVER:
                over = "The deal is over. Enter for the game's next deal"
            elif self._table.options.get("episode") == "game":
                over = "The game is over. Enter for another game"
            else:
                over = "The deal is over. Enter for another"
            self._ask_and_obey(viewer, f"{over}, review, same, new, seed N, save FILE or quit:", empty="next")

    def _ask_and_obey(self, viewer: int | None, prompt: str, *, seat_to_move: int | None = None, empty: str = "") -> None:
        """Asks once and obeys the typed command or action, or prints the reason of its refusal."""
        typed = self._read_typed(prompt) or empty
        word, _, rest = typed.partition(" ")
        command, version = self._commands.find_command(word), self._table.version
        try:
            if command is not None:
                command(viewer, rest.strip())
                if self._table.version != version:
                    self.save()
            elif seat_to_move is not None and typed:
                self._table.act(seat_to_move, parse_action(seat_view(self._table, seat_to_move), typed, self._deck))
                self._print_news(seat_to_move)
                self.save()
            elif typed:
                raise ValueError(f"{word!r} is nothing that can be typed here; help lists it all")
        except (ValueError, OSError) as error:
            self.print_line(f"No: {error}.")

    def _announce_deal(self, what: str) -> None:
        """Begins another deal at the terminal, whose log is new to all viewers."""
        self._told = {}
        self._present = None
        self.print_line(what)
        self.save()
        if not self._table.people:
            self._show_table(None)
