"""A program that is asked: its process, its pipes, its time."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
from typing import Any

from cardenvs.printing import printable
from cardenvs.programs import protocol


class ProgramError(ValueError):
    """A program did not start, ended, was late, or answered what cannot be."""


class Program:
    """A running program that speaks the protocol of `cardenvs.programs.protocol`.

    Args:
        command: the command with its arguments, as in a shell; no shell runs it.
        hello: the first message.
        seconds: the most time for an answer.
        starting: the most time until it is ready.

    Attributes:
        ready: what it has answered to ``hello``.

    Raises:
        ProgramError: it cannot be started, or does not say that it is ready.
    """

    def __init__(self, command: str, hello: dict[str, Any], seconds: float, starting: float) -> None:
        self.command = command
        self.seconds = seconds
        self._left = b""
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ProgramError(f"{self._name}: {error}") from None
        if not words:
            raise ProgramError("a program needs a command, such as exec:python agent.py")
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, start_new_session=True
            )
        except OSError as error:
            raise ProgramError(f"{self._name} cannot be started: {error.strerror or error}") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        try:
            self.ready = self._asked(hello, starting, "was not ready")
            if self.ready.get("type") != "ready":
                raise ProgramError(f'{self._name} has answered hello with {self.ready}, not with {{"type":"ready"}}')
        except ProgramError:
            self.close()
            raise

    @property
    def _name(self) -> str:
        """The program as messages name it."""
        return f"the program {printable(self.command)!r}"

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a message and gives the answer.

        Raises:
            ProgramError: no answer in time, an answer that is none, an error of its own, or its end.
        """
        answer = self._asked(message, self.seconds, "did not answer")
        if "error" in answer:
            raise ProgramError(f"{self._name} has answered with an error: {printable(str(answer['error']))}")
        return answer

    def _asked(self, message: dict[str, Any], seconds: float, late: str) -> dict[str, Any]:
        end = time.monotonic() + seconds
        self._send(protocol.line(message), end, f"{late} within {seconds:g} s")
        line = self._line(end, f"{late} within {seconds:g} s")
        try:
            return protocol.message(line)
        except ValueError as error:
            raise ProgramError(f"{self._name} has answered with {error}") from None

    def _send(self, data: bytes, end: float, late: str) -> None:
        """Writes to the program, which may be slow to read."""
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                self._wait(end, late, writing=True)
            except (BrokenPipeError, OSError):
                raise self._ended() from None

    def _line(self, end: float, late: str) -> bytes:
        """The next line that the program writes."""
        while b"\n" not in self._left:
            self._wait(end, late, writing=False)
            try:
                more = os.read(self._out, 1 << 16)
            except BlockingIOError:
                continue
            if not more:
                raise self._ended()
            self._left += more
            if len(self._left) > protocol.LONGEST:
                raise ProgramError(f"{self._name} writes a line of more than {protocol.LONGEST} bytes")
        line, _, self._left = self._left.partition(b"\n")
        return line

    def _wait(self, end: float, late: str, *, writing: bool) -> None:
        """Waits until a pipe is ready."""
        left = max(end - time.monotonic(), 0)
        here, there = ([], [self._in]) if writing else ([self._out], [])
        if not any(select.select(here, there, [], left)):
            raise ProgramError(f"{self._name} {late}")

    def _ended(self) -> ProgramError:
        """The error that the program has ended, with its status and its last words."""
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ProgramError(f"{self._name} has closed its end of the line")
        how = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
        self._words.seek(0)
        words = self._words.read().decode("utf-8", "replace").strip().splitlines()
        last = f": {printable(words[-1])[:200]}" if words else ""
        return ProgramError(f"{self._name} has ended ({how}){last}")

    def close(self) -> None:
        """Says bye, and sees to it that the program ends."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.write(self._in, protocol.line({"type": "bye"}))
        assert self._process.stdin is not None and self._process.stdout is not None
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._words.close()
