"""The server's log for its owner on standard error: one line a fault, at a limited rate."""

from __future__ import annotations

import logging
import time

from cardenvs.printing import printable, remark

_LINES = 10
"""The most lines in a row; then one a `_REST`, with the number of those that were left out."""
_REST = 5.0
"""Seconds after which another line may be printed."""
_WIDTH = 300
"""The most characters of a line."""


class Reporter:
    """Prints lines on standard error, at a rate that nobody who floods the server can drive up."""

    def __init__(self) -> None:
        self._left, self._filled, self._kept_back = float(_LINES), time.monotonic(), 0

    def report(self, text: str) -> None:
        """Prints a line; signs that a terminal would obey are spelled out.

        Args:
            text: what to tell.
        """
        now = time.monotonic()
        self._left = min(float(_LINES), self._left + (now - self._filled) / _REST)
        self._filled = now
        if self._left < 1:
            self._kept_back += 1
            return
        self._left -= 1
        more = f" ({self._kept_back} more lines were left out)" if self._kept_back else ""
        self._kept_back = 0
        remark(f"cardenvs: {printable(text[:_WIDTH])}{more}")


_REPORTER = Reporter()


def report(text: str) -> None:
    """Prints a line on standard error, unless very many were printed just before.

    Args:
        text: what to tell.
    """
    _REPORTER.report(text)


class _OneLine(logging.Handler):
    """Makes a line of a record of the server's log; its words are left out, as it may quote a request, links and all."""

    def emit(self, record: logging.LogRecord) -> None:
        """Prints a line for a log record."""
        error = record.exc_info[1] if record.exc_info else None
        report(f"a request was refused or failed: {type(error).__name__ if error else record.levelname.lower()}")


def server_logger() -> logging.Logger:
    """A logger for the web server that prints one line, without a traceback, for each fault."""
    logger = logging.Logger("cardenvs.play.web", logging.WARNING)
    logger.addHandler(_OneLine())
    return logger
