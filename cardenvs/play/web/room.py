"""A table in the browser: its links, the pages that are open at it, its file, and the policies' moves.

Policies think in threads of their own, so that no page ever waits for one, and what has happened at a table is on the
disk before anybody is shown it. A seat is sent the whole of what it may see each time, so that a slow reader misses steps
but never the outcome.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cardenvs.files import write_whole
from cardenvs.play.players import PolicyFailed
from cardenvs.play.seatview import seat_view
from cardenvs.play.start import PAUSE, check_pause
from cardenvs.play.table import Table
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.workers import MOVES
from cardenvs.printing import remark

_THINKING = 4
"""The most computations of one table at once; all but one are for positions that the table has left."""
_GATHER = 0.005
"""Seconds in which moves of quick policies, where there is no pause, are gathered to be saved and shown together."""
_WRITERS = ThreadPoolExecutor(16, "writer")


class Room:
    """A table, its links, the pages that are open at it, and its file.

    Args:
        table: the table.
        folder: the folder of the table's file; None keeps no file.
        pause: seconds between two moves, for people to follow, the time for computing a move included.
        key: the table's name in links and on the disk; None draws a name.
        tokens: a token for each seat, then a token for looking on; None draws all tokens.
        port: the port that the links name, noted in the file.

    Attributes:
        table: the table.
        folder: the folder of the table's file, or None.
        pause: seconds between two moves.
        key: the table's name in links and on the disk.
        tokens: the tokens of the seats in order, then the token for looking on.
        port: the port that the links name, 0 before there is one.
        paused: whether the policies are stopped.
        trouble: why the table could not be saved; None if all is saved.
        connections: the pages that are open at the table.

    Raises:
        ValueError: the pause is not from 0 to 60 seconds.
    """

    def __init__(
        self,
        table: Table,
        folder: Path | None = None,
        *,
        pause: float = PAUSE,
        key: str | None = None,
        tokens: Sequence[str] | None = None,
        port: int = 0,
    ) -> None:
        self.table = table
        self.folder = folder
        self.pause = check_pause(pause)
        self.key = key or secrets.token_hex(4)
        self.tokens = list(tokens or (secrets.token_urlsafe(16) for _ in range(table.game.seats + 1)))
        self.port = port
        self.paused = False
        self.trouble: str | None = None
        self.connections: set[Connection] = set()
        self._steps = 0
        self._thinking: list[Future[Any]] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._player_news, self._saver_news = asyncio.Event(), asyncio.Event()
        self._saved = ""
        self._writing: asyncio.Future[None] | None = None

    # --- links ---

    def seat_of(self, token: str) -> tuple[bool, int | None]:
        """Whether a token is one of the table's, and the token's seat, None for looking on."""
        matching: list[int] = []
        for k, known in enumerate(self.tokens):  # all tokens, so that the time taken tells nothing
            if hmac.compare_digest(token.encode("utf-8", "replace"), known.encode()):
                matching.append(k)
        if not matching:
            return False, None
        return True, matching[0] if matching[0] < self.table.game.seats else None

    def path(self, seat: int | None) -> str:
        """The path of a seat's page in links; with None, of the page for looking on."""
        return f"/t/{self.key}/{self.tokens[-1 if seat is None else seat]}"

    # --- the file ---

    @property
    def file(self) -> Path | None:
        """The file in which the table is kept; None if it is kept nowhere."""
        return None if self.folder is None else self.folder / f"{self.table.game.name}-{self.key}.txt"

    def text(self) -> str:
        """The content of the table's file: a record whose first remarks are for `read_room`."""
        head = (
            "# a table of cardenvs play; whoever can read this can see all cards and take every seat\n"
            f"# table: {self.key}\n# tokens: {' '.join(self.tokens)}\n# port: {self.port}\n# pause: {self.pause}\n"
        )
        return head + self.table.to_text()

    # --- at work ---

    def start(self) -> None:
        """Begins to play policies' moves, to save the table and to show it to its pages; call this in the event loop."""
        for work in (self._play, self._save):
            self.keep(asyncio.create_task(self._forever(work)))
        self.changed()

    async def stop(self) -> None:
        """Ends the work; what has happened is saved."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._writing is not None:  # the saver has ended, its thread may not have: an older state must not land last
            await asyncio.gather(self._writing, return_exceptions=True)
        await self._write(self.text())

    def changed(self) -> None:
        """Has the table saved and shown, and its policies go on; call this after each change."""
        self._player_news.set()
        self._saver_news.set()

    async def _forever(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does a piece of work again and again, errors or not."""
        while True:
            try:
                await work()
            except Exception as error:  # a fault of ours must not end the table
                remark(f"cardenvs: table {self.key}: {type(error).__name__}: {error}")
                await asyncio.sleep(0.5)

    async def _write(self, text: str) -> None:
        """Writes the file if it is out of date. Only one at a time: called by the saver, and at last by `stop`."""
        file = self.file
        if file is None or text == self._saved:
            return
        try:
            self._writing = asyncio.get_running_loop().run_in_executor(_WRITERS, write_whole, file, text, 0o600)
            await asyncio.shield(self._writing)
        except OSError as error:
            self.trouble = f"the table cannot be saved: {error.strerror or error}"
        else:
            self._saved, self.trouble = text, None

    async def _save(self) -> None:
        """Saves the table as it stands, then shows it as it was saved."""
        await self._saver_news.wait()
        if not self.pause and self._plays() and self.table.policy_to_act is not None:
            await asyncio.sleep(_GATHER)
        self._saver_news.clear()
        text = self.text()
        states = {seat: self._state(seat) for seat in {connection.seat for connection in self.connections}}
        trouble = self.trouble
        await self._write(text)
        if self.trouble != trouble:
            self._saver_news.set()  # so that the pages tell of the trouble
        for connection in self.connections:
            if connection.seat in states:
                connection.show(states[connection.seat])
            else:  # the page was opened while the file was being written
                self._saver_news.set()

    def _state(self, seat: int | None) -> str:
        """The message "state" as text, for the pages of a seat, or with None for the pages of people who look on."""
        connected = {connection.seat for connection in self.connections if connection.seat is not None}
        busy = self.table.policy_to_act if self._plays() else None
        state = seat_view(self.table, seat, connected=connected, thinking=-1 if busy is None else busy)
        state |= {"pause": self.pause, "paused": self.paused, "control": self.may_change(seat), "trouble": self.trouble}
        return json.dumps(state)

    def _plays(self) -> bool:
        """Whether policies are to move; a table without people waits until somebody looks."""
        held = self.paused and not self._steps
        return not held and bool(self.table.people or self.connections)

    async def _play(self) -> None:
        """One move of a policy, or a wait until there is one to make."""
        table = self.table
        self._player_news.clear()
        if table.policy_to_act is None or not self._plays():
            await self._player_news.wait()
            return
        begun, version = time.monotonic(), table.version
        shot = table.snapshot()
        self._thinking = [future for future in self._thinking if not future.done()]
        if len(self._thinking) >= _THINKING:
            table.fail(version, shot.seat, f"{table.seats[shot.seat]} is still at work on {_THINKING} earlier positions")
            self.changed()
            return
        thought = MOVES.submit(lambda: table.policy_move(shot))
        self._thinking.append(thought)
        waiting = asyncio.wrap_future(thought)
        # A move is played when it has been computed, the pause is over and nobody has stopped the table.
        while table.version == version:
            left = begun + self.pause - time.monotonic()
            if waiting.done() and (left <= 0 or self._steps) and self._plays():
                break
            news = asyncio.ensure_future(self._player_news.wait())
            timeout = left if waiting.done() and left > 0 else None
            await asyncio.wait(
                {news} if waiting.done() else {news, waiting}, timeout=timeout, return_when="FIRST_COMPLETED"
            )
            news.cancel()
            self._player_news.clear()
        if table.version != version:
            thought.cancel()  # if it has not begun
            if not waiting.done():
                waiting.add_done_callback(lambda late: late.cancelled() or late.exception())
            elif waiting.exception() is not None:
                self.changed()  # its failure is the change
            self._player_news.set()
            return
        try:
            table.apply(version, *waiting.result())
        except PolicyFailed:
            pass  # the table has noted it
        except Exception as error:
            table.fail(version, shot.seat, f"{table.seats[shot.seat]} failed: {error}")
        self._steps = max(self._steps - 1, 0)
        self.changed()

    # --- pages ---

    def join(self, connection: Connection) -> None:
        """Has a page that was opened shown what happens at the table."""
        self.connections.add(connection)
        self.changed()

    def leave(self, connection: Connection) -> None:
        """Notes that a page was closed."""
        self.connections.discard(connection)
        self.changed()

    def may_change(self, seat: int | None) -> bool:
        """Whether a page may deal, save, load and give seats away: people at the table, or anybody where there are none.

        Args:
            seat: the page's seat; None for somebody who looks on.
        """
        people = self.table.people
        return seat in people if people else True

    def hold(self, paused: bool, moves: int = 0) -> None:
        """Stops the policies, or lets them go on.

        Args:
            paused: whether the policies are to stop.
            moves: how many moves the policies make before they stop.
        """
        self.paused, self._steps = paused, moves

    def keep(self, task: asyncio.Task[Any]) -> None:
        """Keeps hold of a task, which `stop` cancels unless it has ended before."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def read_room(path: Path) -> Room:
    """The table of a file that a room wrote, to go on with the same links.

    Raises:
        ValueError: the file is not of a table, or a policy of the table can no longer be made.
        OSError: the file cannot be read.
    """
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} is no table: it is not text") from error
    remarks: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        key, _, value = line.removeprefix("#").partition(":")
        remarks.setdefault(key.strip(), value.strip())
    table = Table.from_text(text, source=repr(str(path)))
    tokens = remarks.get("tokens", "").split()
    if len(tokens) != table.game.seats + 1 or not re.fullmatch(r"[\w-]+", remarks.get("table", "")):
        raise ValueError(f"{str(path)!r} is a record, but not of a table: it has no links; load it instead")
    port, pause = remarks.get("port", "0"), remarks.get("pause", f"{PAUSE:g}")
    if not port.isdecimal() or not re.fullmatch(r"[0-9.]+", pause):
        raise ValueError(f"{str(path)!r} is damaged: port {port!r}, pause {pause!r}")
    return Room(table, path.parent, pause=float(pause), key=remarks["table"], tokens=tokens, port=int(port))
