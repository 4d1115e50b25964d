"""One page that is open at a table: the messages to the page, and their sending."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

_REPLIES = 64
"""The most replies that may wait for a slow page; beyond that the page's own messages are left unread."""
_NEWS = 4
"""Maximum number of replies that may wait for a page that is told of a preparation; a slow page misses such news."""
_BYTES = 4 * 1024 * 1024
"""The most bytes of replies that may wait for a slow page, one reply apart."""
_RATE = 200.0
"""The most messages of a page in a second that are read, beyond the first `_BURST`; the others wait."""
_BURST = 400.0
_SHARE = 4
"""Seconds that a page is made to wait for each second that its messages take of the server, beyond the first few."""
ENDED = 4001
"""The code with which a WebSocket is closed whose link has ended: to connect again is of no use."""


class Socket(Protocol):
    """Channel through which a connection sends text, such as a WebSocket of aiohttp."""

    async def send_str(self, data: str) -> None:
        """Sends a text.

        Raises:
            ConnectionError: the page is gone.
        """

    async def close(self, *, code: int, message: bytes) -> Any:
        """Closes the socket.

        Args:
            code: the code of a WebSocket's end.
            message: the reason, for people, at most 123 bytes.
        """


class Connection:
    """One page that is open at a table.

    Args:
        seat: the seat whose page it is; None for somebody who looks on.
        socket: the socket through which text is sent to the page.
        clean: takes out of a text what pages are not to be told.

    Attributes:
        seat: the seat whose page it is, or None for somebody who looks on.
        ended: why the page's link has ended, "" while it has not; an ended page is sent nothing new and not listened to.
    """

    def __init__(self, seat: int | None, socket: Socket, clean: Callable[[str], str] = str) -> None:
        self.seat = seat
        self.ended = ""
        self._clean = clean
        self._socket = socket
        self._state: str | None = None
        self._shown = ""
        self._preparing: tuple[str, int | None] = "", None
        self._replies: deque[str] = deque()
        self._news = asyncio.Event()
        self._read = asyncio.Event()
        self._bytes = 0
        self._budget, self._filled = _BURST, time.monotonic()

    @property
    def waiting(self) -> int:
        """The number of replies that have not been sent yet."""
        return len(self._replies)

    def show(self, state: str, again: bool = True) -> None:
        """Sends a state; an earlier state that has not been sent yet is out of date and left out.

        Args:
            state: the state as text.
            again: whether it is sent, too, if it is what the page was sent last.
        """
        if self.ended or (state == self._shown and not again):
            return
        self._shown, self._state = state, self._clean(state)
        self._news.set()

    def say(self, **message: Any) -> None:
        """Sends a reply: a JSON object of the given fields."""
        if self.ended:
            return
        text = self._clean(json.dumps(message))
        self._replies.append(text)
        self._bytes += len(text)
        self._news.set()

    def prepare(self, what: str, seconds: int | None) -> None:
        """Tells the page of the preparation under way, if it has not been told of it yet.

        Args:
            what: what is being prepared, in words; empty for nothing.
            seconds: about how many seconds that takes from now on; None where nobody knows.
        """
        if (what, seconds) != self._preparing and self.waiting <= _NEWS:
            self._preparing = what, seconds
            self.say(type="preparing", what=what or None, seconds=seconds)

    def end(self, reason: str) -> None:
        """Closes the page once it has its replies; no state is sent any more.

        Args:
            reason: why, for people, at most 123 bytes.
        """
        self.ended, self._state = reason, None
        self._news.set()
        self._read.set()

    async def ready(self) -> None:
        """Waits until the page has read most of its replies: a page that does not read them is not listened to."""
        while (self.waiting > _REPLIES or self._bytes > _BYTES) and not self.ended:
            self._read.clear()
            await self._read.wait()

    async def pace(self, spent: float = 0.0) -> None:
        """Waits where a page sends more messages than anybody can click, or such as keep the server busy.

        Args:
            spent: the seconds that the last message has taken.
        """
        now = time.monotonic()
        self._budget = min(_BURST, self._budget + (now - self._filled) * _RATE) - 1 - spent * _RATE * _SHARE
        self._filled = now
        if self._budget < 0:
            await asyncio.sleep(-self._budget / _RATE)

    async def send(self) -> None:
        """Sends replies and states as they come, until the page is gone."""
        with contextlib.suppress(ConnectionError):
            while True:
                await self._news.wait()
                self._news.clear()
                while self._replies or self._state is not None:
                    if self._replies:
                        text = self._replies.popleft()
                        self._bytes -= len(text)
                        self._read.set()
                    else:
                        text, self._state = str(self._state), None
                    await self._socket.send_str(text)
                if self.ended:
                    await self._socket.close(code=ENDED, message=self.ended.encode()[:123])
                    return
