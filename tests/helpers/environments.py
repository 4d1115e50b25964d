"""The PettingZoo modules of the games, and all kinds of environments by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs import SeatEnv, SeatVectorEnv, get_game
from cardenvs.envs.aec import Constructors

SHELLS: dict[str, Callable[..., Any]] = {
    "raw": lambda game, **given: Constructors(game).raw_env(**given),
    "env": lambda game, **given: Constructors(game).env(**given),
    "parallel": lambda game, **given: Constructors(game).parallel_env(**given),
    "seat": lambda game, **given: SeatEnv(game, **given),
    "vector": lambda game, **given: SeatVectorEnv(game, 3, **given),
}
"""Makers of environments, of a game and keyword arguments."""


def module_of(game: str) -> Any:
    """The PettingZoo module of a game, such as `cardenvs.euchre_v0`."""
    return importlib.import_module(f"cardenvs.{get_game(game).module}")


def first_legal(masks: Any) -> Any:
    """The first legal action of a mask, or of each mask."""
    return np.asarray(masks).argmax(-1)


def last_legal(masks: Any) -> Any:
    """The last legal action of each mask."""
    masks = np.asarray(masks)
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)
