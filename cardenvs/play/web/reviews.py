"""The reviews that a table's pages request: computed in a thread, once a deal, and stopped when no page waits any more."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from typing import Any

from cardenvs.contract.record import parse_record
from cardenvs.contract.spec import GameSpec
from cardenvs.play.reviewers import ReviewedDeal, review_deal
from cardenvs.play.seatview import review_view
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.room import Room
from cardenvs.play.web.threads import run_in_thread
from cardenvs.printing import error_text

_SECONDS = 180.0  # limit for a review, compilation included
_TELL = 0.5  # seconds between two messages on a review's progress


class _Stopped(Exception):
    """A review is not wanted any more, or has taken too long."""


class _RunningReview:
    def __init__(self, line: str, game: GameSpec) -> None:
        self.line, self._game = line, game
        self.waiting: set[Connection] = set()
        self.stop: str | None = None
        self.future: Future[ReviewedDeal]
        self._begun: float | None = None
        self._told = (0, 0)

    @property
    def progress_text(self) -> str:
        done, total = self._told
        return f"{done} of {total} decisions" if total else "the review begins"

    def note_progress(self, done: int, total: int) -> None:
        """Notes the review's progress, in the review's thread."""
        if self._begun is None:
            self._begun = time.monotonic()
        if time.monotonic() - self._begun > _SECONDS:
            raise _Stopped(f"the review took more than {_SECONDS:g} seconds")
        if self.stop is not None:
            raise _Stopped(self.stop)
        self._told = (done, total)

    def run_review(self) -> ReviewedDeal:
        """Reviews the deal, in the review's thread."""
        self.note_progress(0, 0)
        return review_deal(parse_record(self.line, known=[self._game])[0], self.note_progress)


class Reviews:
    def __init__(self, room: Room) -> None:
        self._room, self._table = room, room.table
        self._running: _RunningReview | None = None
        self._last: tuple[str, ReviewedDeal] | None = None

    def request(self, connection: Connection) -> None:
        """Has the current deal, which must be over, reviewed for a page; replies at once, and as the review goes on."""
        line = self._table.line
        if self._last is not None and self._last[0] == line:
            self._send_review(connection, self._last[1])
            return
        self.stop_outdated()
        if self._running is None or self._running.stop is not None:
            self._running = running = _RunningReview(line, self._table.game)
            running.future = run_in_thread(running.run_review)
            self._room.keep_task(asyncio.create_task(self._follow_review(running)))
        self._running.waiting.add(connection)
        self._send_status(connection, "working", self._running.progress_text)

    def stop_outdated(self) -> None:
        """Stops a review whose deal is no longer the table's."""
        running = self._running
        if running is not None and running.line != self._table.line:
            running.stop = "another deal has begun"
            self._send_failure(running, running.stop)
            running.waiting.clear()

    async def _follow_review(self, running: _RunningReview) -> None:
        """Sends the waiting pages a review's progress and its result; stops it when no page waits any more."""
        waiting, said = asyncio.wrap_future(running.future), ""
        try:
            while not waiting.done():
                await asyncio.wait({waiting}, timeout=_TELL)
                running.waiting &= self._room.connections
                self.stop_outdated()
                if not running.waiting and running.stop is None:
                    running.stop = "nobody waits for the review"
                if not waiting.done() and running.progress_text != said and running.stop is None:
                    said = running.progress_text
                    for connection in running.waiting:
                        self._send_status(connection, "working", said)
            reviewed = waiting.result()
        except asyncio.CancelledError:
            if not waiting.cancelled():
                running.stop = "the server ends"
                raise
            self._send_failure(running, running.stop or "the review was stopped")
        except Exception as error:  # a reviewer may raise whatever it likes
            self._send_failure(running, error_text(error))
        else:
            if running.stop is not None:
                self._send_failure(running, running.stop)
                return
            self._last = (running.line, reviewed)
            for connection in running.waiting:
                self._send_review(connection, reviewed)
        finally:
            if self._running is running:
                self._running = None

    def _send_failure(self, running: _RunningReview, why: str) -> None:
        for connection in running.waiting:
            self._send_status(connection, "failed", why[:300])

    def _send_review(self, connection: Connection, reviewed: ReviewedDeal) -> None:
        """Sends a review, with the seats called as the page calls them."""
        viewer = connection.seat if connection.seat in self._table.people else None
        view = review_view(self._table, viewer, reviewed)
        connection.reply(type="review", version=self._table.version, status="done", **view)

    def _send_status(self, connection: Connection, status: str, text: str) -> None:
        empty: dict[str, Any] = {"moves": [], "dearest": [], "players": []}
        connection.reply(type="review", version=self._table.version, status=status, text=text, by=None, unit=None, **empty)
