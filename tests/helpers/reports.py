"""What tests of written reports share."""

from __future__ import annotations

import json
from typing import Any

PNG = b"\x89PNG\r\n\x1a\n"
"""The first bytes of a PNG file."""


def strict_json(text: str) -> Any:
    """JSON without the infinities that Python's reader would let pass."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def timeless(figures: Any) -> Any:
    """The figures of a tournament, or its result, without those that are times."""
    figures = figures if isinstance(figures, dict) else figures.as_dict()
    for entry in figures["standings"] + figures["pairings"]:
        del entry["decisions_per_s"]
    return figures


def untimed(figures: Any) -> Any:
    """Figures as plain values, without those that are times or of times, at whatever depth."""
    if isinstance(figures, dict):
        return {name: untimed(value) for name, value in figures.items() if name not in ("seconds", "decisions_per_s")}
    return [untimed(value) for value in figures] if isinstance(figures, list) else figures
