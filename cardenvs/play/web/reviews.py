"""The reviews that a table's pages request: computed in a thread, once a deal, and stopped when no page waits any more."""

import asyncio
import time
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
_TELL = 0.2  # seconds between two looks at a review's progress


class _Stopped(Exception):
    """A review is not wanted any more, or has taken too long."""


class _Review:
    """A review of a table's deal in its thread, and the pages that wait for it."""

    def __init__(self, table: Table) -> None:
        self.line = table.line
        self.waiting: set[Connection] = set()
        self.stop = ""  # why the review is not wanted any more
        self.progress_text = "the review begins"
        self._end = time.monotonic() + _SECONDS
        deal = parse_record(self.line, known=[table.game])[0]
        self.future: Future[ReviewedDeal] = run_in_thread(lambda: review_deal(deal, self._note_progress))

    def _note_progress(self, done: int, total: int) -> None:
        if self.stop or time.monotonic() > self._end:
            raise _Stopped(self.stop or f"the review took more than {_SECONDS:g} seconds")
        self.progress_text = f"{done} of {total} decisions"

    @property
    def has_failed(self) -> bool:
        return bool(self.stop) or (self.future.done() and self.future.exception() is not None)


class Reviews:
    def __init__(self, room: Room) -> None:
        self._room, self._table = room, room.table
        self._review: _Review | None = None

    def request(self, connection: Connection) -> None:
        """Has the current deal, which must be over, reviewed for a page; replies at once, and as the review goes on."""
        review = self._review
        if review is None or review.line != self._table.line or review.has_failed:
            self._review = review = _Review(self._table)
        if connection not in review.waiting:
            review.waiting.add(connection)
            self._room.keep_task(asyncio.create_task(self._follow_review(review, connection)))

    async def _follow_review(self, review: _Review, connection: Connection) -> None:
        """Sends a page a review's progress and its result; stops a review that is not wanted any more."""
        said = ""
        try:
            while not review.future.done() and not self._is_outdated(review):
                if review.progress_text != said:
                    said = review.progress_text
                    self._send_status(connection, "working", said)
                await asyncio.sleep(_TELL)
        except asyncio.CancelledError:
            review.stop = "the server ends"
            raise
        outdated = self._is_outdated(review)
        review.waiting.discard(connection)
        if outdated:
            self._send_status(connection, "failed", review.stop)
        elif (error := review.future.exception()) is not None:  # a reviewer may raise whatever it likes
            self._send_status(connection, "failed", error_text(error)[:300])
        else:  # with the seats called as the page calls them
            viewer = connection.seat if connection.seat in self._table.people else None
            view = review_view(self._table, viewer, review.future.result())
            connection.reply(type="review", version=self._table.version, status="done", **view)

    def _is_outdated(self, review: _Review) -> bool:
        """Whether a review is not wanted any more, which it learns then."""
        review.waiting &= self._room.connections
        if review.line != self._table.line:
            review.stop = "another deal has begun"
        elif not review.waiting:
            review.stop = "nobody waits for the review"
        return bool(review.stop)

    def _send_status(self, connection: Connection, status: str, text: str) -> None:
        empty: dict[str, Any] = {"moves": [], "dearest": [], "players": [], "by": None, "unit": None}
        connection.reply(type="review", version=self._table.version, status=status, text=text, **empty)
