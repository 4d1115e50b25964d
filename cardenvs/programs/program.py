"""An external policy process: start, pipes for requests and replies, time-outs, shutdown."""

from __future__ import annotations  # Windows has no `select.poll`

import atexit
import contextlib
import os
import select
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Any

from cardenvs.checks import is_number
from cardenvs.policy.contract import Forfeit
from cardenvs.printing import printable
from cardenvs.programs import protocol

GRACE = 1.0  # maximum time of a program to end after ``bye``, and again after SIGTERM, in seconds
LONGEST_START = 600.0  # maximum number of seconds that a program may request to get ready
_MOST_NEWS = 100  # maximum number of ``preparing`` messages
_LAST_WORDS = 1 << 12  # number of last bytes that are kept of a program's standard error


class ProgramError(Forfeit):
    """A program did not start, ended, was late, or gave an impossible answer."""


class Program:
    """A running program that speaks the protocol of `cardenvs.programs.protocol`.

    It ends when it is closed, and at the latest with this process, also on SIGTERM; after SIGKILL of this process the
    program has to notice the end of its standard input by itself. Raises `ProgramError` if it cannot be started, or does
    not report that it is ready.

    Args:
        command: the command with its arguments, as in a shell; no shell runs it.
        hello: the first message.
        seconds: the maximum time for an answer.
        starting: the maximum time until it is ready.

    Attributes:
        ready: its answer to ``hello``.
    """

    def __init__(self, command: str, hello: dict[str, Any], seconds: float, starting: float) -> None:
        if not hasattr(select, "poll"):
            raise ProgramError(
                "exec: is not to be had on this system, whose pipes cannot be waited for; WSL has it on Windows"
            )
        self.command = command
        self.seconds = seconds
        self._left = self._words = b""
        self._preparing: tuple[str, int] | None = None  # what it gets ready, and about how many seconds that takes
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ProgramError(f"{self.label}: {error}") from None
        if not words:
            raise ProgramError("a program needs a command, such as exec:python agent.py")
        try:
            # In a session of its own: Ctrl-C in a terminal is for this process, which then ends the program.
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        except (OSError, ValueError) as error:
            raise ProgramError(f"{self.label} cannot be started: {getattr(error, 'strerror', None) or error}") from None
        self._owner = os.getpid()
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for end in (self._in, self._out, self._err):
            os.set_blocking(end, False)
        self._reading, self._writing = select.poll(), select.poll()
        for end in (self._out, self._err):
            self._reading.register(end, select.POLLIN)
        # What it says on standard error is read while it reads, too, so that it never waits for that.
        self._writing.register(self._in, select.POLLOUT)
        self._writing.register(self._err, select.POLLIN)
        _register_program(self)
        try:
            self.ready = self._get_ready(hello, starting)
            if self.ready.get("type") != "ready":
                shown = protocol.excerpt(protocol.encode_line(self.ready))
                raise ProgramError(f'{self.label} has answered hello with {shown}, not with {{"type":"ready"}}')
        except BaseException:
            self.close()
            raise

    @property
    def label(self) -> str:
        """The program in error messages."""
        return f"the program {printable(self.command)!r}"

    @property
    def mine(self) -> bool:
        """Whether this process started it; a fork has a copy of the object, and must leave the program alone."""
        return self._owner == os.getpid()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a message and returns the answer.

        Raises:
            ProgramError: no answer in time, an invalid answer, an error of the program, its end, or a line that was not
                asked for.
        """
        self._read_out()
        if self._left:
            raise ProgramError(f"{self.label} has written what nobody had asked for: {protocol.excerpt(self._left)}")
        return self._request(message, self.seconds, "did not answer")

    def _request(self, message: dict[str, Any] | None, seconds: float, late: str) -> dict[str, Any]:
        """Returns the answer to a message; None waits for one that is still to come."""
        end = time.monotonic() + seconds
        late = f"{late} within {seconds:g} s"
        if message is not None:
            self._send(protocol.encode_line(message), end, late)
        try:
            answer = protocol.decode_line(self._read_line(end, late))
        except protocol.NoMessage as error:
            raise ProgramError(f"{self.label} has answered with {error}") from None
        if "error" in answer:
            reason = printable(" ".join(str(answer["error"]).split()))
            raise ProgramError(f"{self.label} has answered with an error: {reason[:500]}")
        return answer

    def _get_ready(self, hello: dict[str, Any], starting: float) -> dict[str, Any]:
        """Returns the answer to ``hello``; before it the program may report its preparations, and how long they take."""
        answer = self._request(hello, starting, "was not ready")
        for _ in range(_MOST_NEWS):
            if answer.get("type") != "preparing":
                break
            requested = answer.get("seconds", 0)
            seconds = round(min(max(requested, 0), LONGEST_START)) if is_number(requested) and requested == requested else 0
            what = printable(" ".join(str(answer.get("what", "")).split()))[:60]
            self._preparing = what, seconds
            answer = self._request(None, starting + seconds, "was not ready")
        self._preparing = None
        return answer

    @property
    def news(self) -> tuple[str, int] | None:
        """The preparation in progress, in words for people, and its estimated seconds; None if there is none."""
        if self._preparing is None:
            return None
        what, seconds = self._preparing
        return f"a program: {what}" if what else "a program", seconds

    def _send(self, data: bytes, end: float, late: str) -> None:
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                self._wait(self._writing, end, late)
            except OSError:
                raise self._end_error() from None

    def _read_line(self, end: float, late: str) -> bytes:
        while b"\n" not in self._left:
            if len(self._left) > protocol.LONGEST:
                raise ProgramError(f"{self.label} writes a line of more than {protocol.LONGEST} bytes")
            self._wait(self._reading, end, late)
            if self._read_out():
                raise self._end_error()
        line, _, self._left = self._left.partition(b"\n")
        return line

    def _read_out(self) -> bool:
        """Reads the program's available output; returns whether it has closed its end."""
        try:
            more = os.read(self._out, 1 << 16)
        except BlockingIOError:
            return False
        self._left += more
        return not more

    def _wait(self, poll: select.poll, end: float, late: str) -> None:
        """Waits until a pipe is ready; reads standard error meanwhile."""
        while True:
            left = end - time.monotonic()
            ready = poll.poll(max(left, 0) * 1000 + 1) if left > 0 else []
            if not ready:
                raise ProgramError(f"{self.label} {late}")
            ends = {number for number, _ in ready}
            if self._err in ends:
                self._read_words()
            if ends - {self._err}:
                return

    def _read_words(self) -> None:
        try:
            more = os.read(self._err, 1 << 16)
        except BlockingIOError:
            return
        self._words = (self._words + more)[-_LAST_WORDS:]
        if not more:
            for poll in (self._reading, self._writing):
                with contextlib.suppress(KeyError):
                    poll.unregister(self._err)

    def _end_error(self) -> ProgramError:
        try:
            status = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return ProgramError(f"{self.label} has closed its end of the line")
        for _ in range(4):  # a pipe holds no more than that
            self._read_words()
        how = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
        words = self._words.decode("utf-8", "replace").strip().splitlines()
        last = f": {printable(words[-1])[:200]}" if words else ""
        return ProgramError(f"{self.label} has ended ({how}){last}")

    def say_bye(self) -> None:
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        if self.mine and self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(OSError):
                os.write(self._in, protocol.encode_line({"type": "bye"}))
        for pipe in pipes:
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def terminate(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def has_ended(self, seconds: float) -> bool:
        """Returns whether the program ends within some seconds."""
        end = time.monotonic() + seconds
        while self._process.poll() is None:
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        return True

    def close(self) -> None:
        """Says bye, and terminates the program if it does not end."""
        _programs.discard(self)
        _end_programs([self])


_programs: weakref.WeakSet[Program] = weakref.WeakSet()  # the running programs


def getting_ready() -> list[tuple[str, int]]:
    """Returns the preparations in progress of the programs of this process, each with its estimated seconds."""
    return [news for program in list(_programs) if (news := program.news) is not None]


def _register_program(program: Program) -> None:
    """Registers a running program, so that it ends with this process, also on SIGTERM."""
    _programs.add(program)
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_terminate)


def _on_terminate(number: int, frame: FrameType | None) -> None:
    del frame
    _end_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


@atexit.register
def _end_all() -> None:
    _end_programs(list(_programs))


def _end_programs(programs: Sequence[Program]) -> None:
    """Says bye to programs, and terminates those of this process that do not end."""
    for program in programs:
        program.say_bye()
    running = [program for program in programs if program.mine]
    for number in (signal.SIGTERM, signal.SIGKILL) if running else ():  # Windows has no SIGKILL, and no program either
        end = time.monotonic() + GRACE
        running = [program for program in running if not program.has_ended(max(end - time.monotonic(), 0))]
        for program in running:
            program.terminate(number)
    for program in running:
        program.has_ended(GRACE)
