"""Checksums of policies: of what they decide, not of how they are written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.baselines.match.side import game_for
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy, SeatMemory, ask
from cardenvs.randomness import player_streams

GAMES, SLOW_GAMES = 64, 4
"""Numbers of games in which a policy is asked: any, and one that is slow."""
_EVERY = np.array([0, 8, 2, 1])
"""In the games number k, k + 4, k + 8 and so on one action in so many is a random one; 0: none is."""
_DIGITS = 16


def checksum(game: GameSpec, player: Policy, options: Mapping[str, Any]) -> str:
    """The checksum of a policy: 16 hexadecimal digits that change when its decisions change.

    They are a digest (SHA-256) of its answers in all positions of some games. It holds all seats there, but in three games
    of four some of the actions that are played are random ones instead, in one of these all: so it is asked, too, where it
    would not have come by itself.

    Raises:
        ValueError: the policy has answered with an illegal action.
        Forfeit: the policy cannot go on.
    """
    n, digest, moves = SLOW_GAMES if player.slow else GAMES, hashlib.sha256(), 0
    strayer = policy.make(game.plain, "random")
    batch = Batch(game_for(game, [player]), n, seed=0, restart=False, validate=False, **options)
    own, strays = (player_streams(0, purpose, n, game.seats) for purpose in ("suite", "suite strays"))
    every, memory = np.resize(_EVERY, n), SeatMemory(n)
    while len(rows := np.flatnonzero(batch.to_act >= 0)):
        actions, seats, moves = np.zeros(n, np.int64), batch.to_act[rows], moves + 1
        actions[rows] = ask(player, batch.observations, batch.action_masks, own, rows, seats, memory=memory)
        digest.update(np.stack([rows, actions[rows]]).astype("<i8").tobytes())
        strayed = (every[rows] > 0) & (moves % np.maximum(every[rows], 1) == 0)
        if strayed.any():
            rows, seats = rows[strayed], seats[strayed]
            actions[rows] = ask(strayer, batch.observations, batch.action_masks, strays, rows, seats)
        batch.step(actions)
    memory.forget()
    return digest.hexdigest()[:_DIGITS]
