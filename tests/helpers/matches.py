"""Matches played for tests."""

from collections.abc import Callable
from typing import Any

import numpy as np


def watch(play: Callable[..., Any], *played: Any, **settings: Any) -> tuple[Any, Any, Any]:
    """Plays deals with an observer; the results, all finished deals, and the sides that held their seats."""
    seen: list[Any] = []
    result = play(*played, **settings, observer=lambda *deals: seen.append(deals))
    games, owners = map(np.concatenate, zip(*seen, strict=True))
    return result, games, owners
