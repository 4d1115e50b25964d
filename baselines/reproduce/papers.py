"""Published figures and ours beside them: their differences in standard errors, and how many of them agree."""

import json
import math
from collections.abc import Callable, Iterable
from importlib import resources
from typing import Any

from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.document import Strong, Text


def paper_data(name: str) -> dict[str, Any]:
    """Reads the figures that a paper prints, from ``data/NAME.json``; notes on the data are in the file."""
    text = resources.files("cardenvs.baselines.reproduce").joinpath(f"data/{name}.json").read_text("utf-8")
    return dict(json.loads(text))


def z_score(difference: float, error: float, rounding: float = 0.0) -> float:
    """Returns a difference in standard errors, after what rounding can have added is taken off."""
    beyond = abs(difference) - rounding
    if beyond <= (1e-9 if rounding else 0.0) or math.isinf(error):
        return 0.0
    return math.copysign(beyond / error if error > 0 else math.inf, difference)


def verdict(agrees: bool | None, unknown: str = "") -> Text:
    """Returns the word for an agreement; ``unknown`` where it is not judged."""
    if agrees is None:
        return unknown
    return "agrees" if agrees else Strong("differs")


def judged(rows: Iterable[Row]) -> list[Row]:
    """Returns the comparisons whose published figures can be trusted."""
    return [row for row in rows if row.agrees is not None]


def count_agreeing(rows: Iterable[Row]) -> int:
    """Returns the number of comparisons that agree."""
    return sum(row.agrees is True for row in rows)


def describe_differences(rows: Iterable[Row], name: Callable[[Row], str]) -> str:
    """Returns a phrase for each comparison that differs, of its name, our figure and the published one."""
    differing = [row for row in rows if row.agrees is False]
    return "".join(f"; {name(row)}: {row.ours:.3f}, not {row.published:g}" for row in differing)
