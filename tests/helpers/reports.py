"""What tests of written reports share."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs.baselines.match import DealResults
from cardenvs.baselines.runs.pairings import PairingPlan
from cardenvs.baselines.runs.store import PairingStore

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


def made_up_store(plan: PairingPlan, folder: Path, points: Sequence[Any], truncated: int | None = None) -> PairingStore:
    """A finished folder with the points of each pairing, (deals, copies, sides), and three times as many tricks."""
    store, cut_off = PairingStore(folder, plan), None if truncated is None else np.array(truncated)
    for number, made in enumerate(np.asarray(each, np.int64) for each in points):
        store.add(number, 0, DealResults(made, 3 * made, np.array([10, 20]), np.array([1.0, 0.5]), truncated=cut_off))
    return store
