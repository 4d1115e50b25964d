"""The server's log for its owner on standard error: one line for a fault, without the text of requests."""

import logging

from cardenvs.printing import printable, remark

_WIDTH = 300  # maximum number of characters of a line


def report(text: str) -> None:
    """Prints a line on standard error; control characters are spelled out."""
    remark(f"cardenvs: {printable(text[:_WIDTH])}")


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
