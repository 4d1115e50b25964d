"""The reviews that a table's pages request: computed in a thread, once a deal, and stopped when no page waits any more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from cardenvs.contract.record import parse_record
from cardenvs.play.reviewers import ReviewedDeal, review_deal
from cardenvs.play.seatview import review_view
from cardenvs.play.table import Table
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.room import Room
from cardenvs.play.web.threads import run_in_thread
from cardenvs.printing import error_text

_SECONDS = 180.0  # limit for a review, compilation included
_TELL = 0.5  # seconds between two messages on a review's progress


class _Stopped(Exception):
    """A review is not wanted any more, or has taken too long."""


class _RunningReview:
    """A review of a table's deal in its thread, and the pages that wait for it."""

    def __init__(self, table: Table) -> None:
        self.line, self._game = table.line, table.game
        self.waiting: set[Connection] = set()
        self.stop = ""  # why the review is not wanted any more
        self.progress_text = "the review begins"
        self._end = time.monotonic() + _SECONDS
        self.future: Future[ReviewedDeal] = run_in_thread(self._run_review)

    def _run_review(self) -> ReviewedDeal:
        return review_deal(parse_record(self.line, known=[self._game])[0], self._note_progress)

    def _note_progress(self, done: int, total: int) -> None:
        if self.stop or time.monotonic() > self._end:
            raise _Stopped(self.stop or f"the review took more than {_SECONDS:g} seconds")
        self.progress_text = f"{done} of {total} decisions"


class Reviews:
    def __init__(self, room: Room) -> None:
        self._room, self._table = room, room.table
        self._running: _RunningReview | None = None
        self._last: tuple[str, ReviewedDeal] | None = None

    def request(self, connection: Connection) -> None:
        """Has the current deal, which must be over, reviewed for a page; replies at once, and as the review goes on."""
        if self._last is not None and self._last[0] == self._table.line:
            self._send_review(connection, self._last[1])
            return
        self.stop_outdated()
        if self._running is None or self._running.stop:
            self._running = _RunningReview(self._table)
            self._room.keep_task(asyncio.create_task(self._follow_review(self._running)))
        self._running.waiting.add(connection)
        self._send_status([connection], "working", self._running.progress_text)

    def stop_outdated(self) -> None:
        """Stops a review whose deal is no longer the table's."""
        running = self._running
        if running is not None and running.line != self._table.line and not running.stop:
            running.stop = "another deal has begun"
            self._send_status(running.waiting, "failed", running.stop)
            running.waiting.clear()

    async def _follow_review(self, running: _RunningReview) -> None:
        """Sends the waiting pages a review's progress and its result; stops it when no page waits any more."""
        review, said = asyncio.wrap_future(running.future), ""
        try:
            while not review.done():
                await asyncio.wait({review}, timeout=_TELL)
                running.waiting &= self._room.connections
                self.stop_outdated()
                if not running.waiting:
                    running.stop = running.stop or "nobody waits for the review"
                if not review.done() and running.progress_text != said:
                    said = running.progress_text
                    self._send_status(running.waiting, "working", said)
            reviewed = review.result()
        except asyncio.CancelledError:
            running.stop = "the server ends"
            raise
        except Exception as error:  # a reviewer may raise whatever it likes
            self._send_status(running.waiting, "failed", error_text(error)[:300])
        else:
            self._last = (running.line, reviewed)
            for connection in running.waiting:
                self._send_review(connection, reviewed)
        finally:
            if self._running is running:
                self._running = None

    def _send_review(self, connection: Connection, reviewed: ReviewedDeal) -> None:
        """Sends a review, with the seats called as the page calls them."""
        viewer = connection.seat if connection.seat in self._table.people else None
        view = review_view(self._table, viewer, reviewed)
        connection.reply(type="review", version=self._table.version, status="done", **view)

    def _send_status(self, connections: Iterable[Connection], status: str, text: str) -> None:
        empty: dict[str, Any] = {"moves": [], "dearest": [], "players": []}
        for connection in connections:
            version = self._table.version
            connection.reply(type="review", version=version, status=status, text=text, by=None, unit=None, **empty)
