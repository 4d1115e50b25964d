"""Names that are nearly right: what was probably meant, for the end of messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """The end of a message on an unknown name: ``. Did you mean hybrid?``, or nothing if no known name is like it.

    Args:
        name: what was given; anything but text is like no name.
        known: the names that there are.
    """
    if not isinstance(name, str):
        return ""
    as_written = {known_name.lower().replace("_", "-"): known_name for known_name in known}
    near = difflib.get_close_matches(name.strip().lower().replace("_", "-"), as_written, n=1, cutoff=0.6)
    return f". Did you mean {as_written[near[0]]}?" if near else ""
