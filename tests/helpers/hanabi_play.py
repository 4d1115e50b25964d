"""Games of Hanabi between agents that follow rules, in one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.hanabi_rules import AGENTS, decide
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract import loops
from cardenvs.contract.spec import GameSpec
from cardenvs.games.hanabi import built, legal, shuffled_deal, step, view


@kernel
def _play(agents: Ints, games: Any, views: Any, streams: Streams, out: Ints) -> None:
    """Plays a game of each stream, in which seat k has agent ``agents[(game + k) % players]``."""
    players = games[0].players
    for game in range(len(out)):
        shuffled_deal(games, 0, streams, game)
        while games[0].over == loops.RUNNING:
            seat = games[0].to_act
            view(games, 0, seat, views, 0)
            agent = agents[(game + seat) % players]
            step(games, 0, decide(agent, views, 0, legal(games, 0), streams, game))
        out[game, 0] = built(games, 0)
        out[game, 1] = games[0].lives
        out[game, 2] = games[0].moves


def play(spec: GameSpec, agents: Sequence[str], games: int, seed: int) -> npt.NDArray[np.int64]:
    """Games in which some agents, by name, take the seats in turns.

    Returns:
        int64 (games, 3): what was built, the lives left, the number of actions.
    """
    numbers = np.array([list(AGENTS).index(name) for name in agents])
    states, out = spec.new_games(1), np.empty((games, 3), np.int64)
    spec.kernels.deal(states, 0, seed_streams(seed, 1), 0)  # sets the game's parameters
    _play(numbers, states, spec.new_games(1), seed_streams(seed, games, 1), out)
    return out
