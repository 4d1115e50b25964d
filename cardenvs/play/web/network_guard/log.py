"""The server's log for its owner on standard error: one line for a fault, at a limited rate."""

from __future__ import annotations

import logging
import time

from cardenvs.printing import printable, remark

_LINES = 10  # maximum number of lines in a row; then one each `_REST` seconds, with the number of lines left out
_REST = 5.0
_WIDTH = 300  # maximum number of characters of a line


class Reporter:
    """Prints lines on standard error at a limited rate, also under a flood of requests."""

    def __init__(self) -> None:
        self._left, self._filled, self._kept_back = float(_LINES), time.monotonic(), 0

    def report(self, text: str) -> None:
        """Prints a line; control characters are spelled out."""
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
    """Prints a line on standard error, unless very many were printed just before."""
    _REPORTER.report(text)


class _OneLine(logging.Handler):
    """Prints a line for a record of the server's log without its text, which may quote a request with its link."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        report(f"a request was refused or failed: {type(error).__name__ if error else record.levelname.lower()}")


def server_logger() -> logging.Logger:
    """Returns a logger for the web server that prints one line, without a traceback, for each fault."""
    logger = logging.Logger("cardenvs.play.web", logging.WARNING)
    logger.addHandler(_OneLine())
    return logger
