"""The PettingZoo modules of the games."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from cardenvs import get_game


def module_of(game: str) -> Any:
    """The PettingZoo module of a game, such as `cardenvs.euchre_v0`."""
    return importlib.import_module(f"cardenvs.{get_game(game).module}")


def first_legal(masks: Any) -> Any:
    """The first legal action of a mask, or of each mask."""
    return np.asarray(masks).argmax(-1)
