"""Successor states by all actions of the seat to act, for searches over full states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardenvs.compiled.bits import Ints
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec


class Children(NamedTuple):
    games: Games  # the states, a structured array of shape (m,)
    parents: Ints  # int64 (m,), the number of the state that each comes from
    actions: Ints  # int64 (m,), the action that leads there


def expand_states(spec: GameSpec, games: Games, rows: Ints) -> Children:
    """Plays every legal action in copies of the states ``rows``, int64 (k,); the game has at most 63 actions."""
    legal = [members_of(int(spec.kernels.legal(games, row))) for row in rows.tolist()]
    parents = np.repeat(rows, [len(actions) for actions in legal])
    chosen = np.array([action for actions in legal for action in actions], np.int64)
    after = games[parents]
    play_actions(spec, after, np.arange(len(after)), chosen)
    return Children(after, parents, chosen)


def play_actions(spec: GameSpec, games: Games, rows: Ints, actions: Ints) -> None:
    """Plays ``actions``, int64 (k,), in the states with the numbers ``rows``, int64 (k,), in place."""
    step = spec.kernels.step
    for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
        step(games, row, action)
