"""What is said on standard error without having been asked for: remarks, and a spinner."""

from __future__ import annotations

import multiprocessing
import os
import sys

from rich.errors import LiveError
from rich.live import Live
from rich.spinner import Spinner

from cardenvs.printing import printable, stderr

QUIET = "CARDENVS_QUIET"
"""The environment variable that silences `say`, if it is set to anything but nothing or 0."""


def silent() -> bool:
    """Whether remarks that nobody asked for are left out: in worker processes, under pytest, or with `QUIET`."""
    if os.environ.get(QUIET, "0") not in ("", "0") or sys.stderr is None:
        return True
    return multiprocessing.parent_process() is not None or "pytest" in sys.modules


def say(text: str) -> None:
    """Says one line on standard error, above a progress bar if there is one; nothing if `silent`."""
    if silent():
        return
    line = f"cardenvs: {printable(text)}"
    try:
        if stderr.is_terminal and not stderr.is_jupyter:
            stderr.print(line, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass  # standard error is closed: there is nobody to tell


def spinner(text: str) -> Live | None:
    """Starts a spinner with a text on standard error; ``stop()`` ends it. None if nobody would see it.

    There is none beside a progress bar, and none where standard error is no terminal.
    """
    if silent() or not stderr.is_terminal or stderr.is_jupyter:
        return None
    # Nothing is redirected: what other threads print meanwhile must go where it belongs.
    live = Live(
        Spinner("dots", text), console=stderr, transient=True, redirect_stdout=False, redirect_stderr=False
    )  # fmt: skip
    try:
        live.start()
    except LiveError:
        return None
    return live
