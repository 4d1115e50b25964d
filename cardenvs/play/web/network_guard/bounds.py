"""Limits for the policies that pages may name, and for their parameters."""

from __future__ import annotations

import math
import re
from typing import Any

from cardenvs import policy

LIMITS = {
    "worlds": 1000, "samples": 100_000, "decks": 1000, "simulations": 10_000, "seconds": 10, "depth": 4, "exact_cards": 8,
    "candidates": 52, "beliefs": 1000, "wave": 64,
}  # fmt: skip
"""Maximum value, by name, of a policy's parameter in a page's request; time in seconds."""
_OTHERS = 100  # maximum value of any other parameter that is a number
_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}(:[A-Za-z0-9_=,.+-]*)?")


def check_name(name: str) -> None:
    """Raises ValueError if a page's policy name reads a file, runs a program, or has a parameter beyond its limits."""
    if len(name) > 100 or not _NAME.fullmatch(name) or any(suffix in name for suffix in policy.suffixes()):
        raise ValueError(f"{name[:100]!r} is no policy by name; files are named when the table is made")
    if policy.runs_code(name):
        raise ValueError(f"{name!r} is run by nobody who asks on a page; programs are named when the table is made")
    for key, value in policy.parse_name(name)[1].items():
        _check_value(key, value)


def _check_value(key: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    limit = LIMITS.get(key, _OTHERS)
    if not math.isfinite(value) or abs(value) > limit:
        unit = " s" if key == "seconds" else ""
        shown = str(value) if len(str(value)) <= 20 else f"{str(value)[:20]}…"
        raise ValueError(f"{key} may be {limit}{unit} at most for a policy that is named on a page, not {shown}")
