"""What the commands print for fixed seeds is what they printed when their outputs were taken down."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.figures.commands import COMMANDS, figures, kept


def alike(one: Any, other: Any) -> bool:
    """Whether two figures are the same but for the last digits of floats: a library's vectors differ by processor."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if type(one) is type(other) is float:
        return math.isclose(one, other, rel_tol=1e-12)
    return type(one) is type(other) and one == other


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_figures_are_as_before(name: str) -> None:
    now, before = figures(name), kept(name)
    assert alike(now, before) or now == before
