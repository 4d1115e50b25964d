"""One page that is open at a table: the messages to it, and their sending."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable
from typing import Any

from aiohttp import web

from cardenvs.play.commands import Asker

_REPLIES = 16  # maximum number of replies that wait for a slow page; beyond it the page's messages stay unread
_LOOK = 0.02  # seconds between two looks at whether a page has read
ENDED = 4001  # code of a closed WebSocket whose link has ended: connecting again is useless


class Connection(Asker):
    """One page that is open at a table.

    ``seat`` is None for a spectator; ``clean`` removes secrets from a text. ``ended`` is the reason why the page's link has
    ended, "" before; an ended page gets no new states or replies, and its messages are ignored.
    """

    def __init__(self, seat: int | None, socket: web.WebSocketResponse, clean: Callable[[str], str] = str) -> None:
        super().__init__(seat)
        self.ended = ""
        self._clean = clean
        self._socket = socket
        self._state: str | None = None
        self._shown = ""
        self._preparing: tuple[str, int | None] = "", None
        self._replies: deque[str] = deque()
        self._news = asyncio.Event()

    @property
    def num_waiting(self) -> int:
        return len(self._replies)

    def show_state(self, state: str, again: bool = True) -> None:
        """Sends a state in place of an unsent one; without ``again`` not if it is the last one sent."""
        if self.ended or (state == self._shown and not again):
            return
        self._shown, self._state = state, self._clean(state)
        self._news.set()

    def reply(self, **message: Any) -> None:
        """Sends a reply: a JSON object of the given fields."""
        if self.ended:
            return
        self._replies.append(self._clean(json.dumps(message)))
        self._news.set()

    def reply_preparation(self, what: str, seconds: int | None) -> None:
        """Sends news of a preparation: its name, "" for none, and its remaining seconds, None if unknown."""
        if (what, seconds) != self._preparing:
            self._preparing = what, seconds
            self.reply(type="preparing", what=what or None, seconds=seconds)

    def end_link(self, reason: str) -> None:
        """Closes the page once it has its replies; ``reason`` is for people, at most 123 bytes."""
        self.ended, self._state = reason, None
        self._news.set()

    async def close(self) -> None:
        """Closes the page as the server ends; it will connect again."""
        await self._socket.close(code=1001, message=b"the server ends")

    async def wait_until_read(self) -> None:
        """Waits until the page has read most of its replies."""
        while self.num_waiting > _REPLIES and not self.ended:
            await asyncio.sleep(_LOOK)

    async def run_sender(self) -> None:
        """Sends replies and states as they come, until the page is gone."""
        with contextlib.suppress(ConnectionError):
            while True:
                await self._news.wait()
                self._news.clear()
                while self._replies or self._state is not None:
                    if self._replies:
                        text = self._replies.popleft()
                    else:
                        text, self._state = str(self._state), None
                    await self._socket.send_str(text)
                if self.ended:
                    await self._socket.close(code=ENDED, message=self.ended.encode()[:123])
                    return
