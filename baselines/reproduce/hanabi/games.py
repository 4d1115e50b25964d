"""Games of Hanabi between agents in one kernel: of those that follow rules in any team, of others with themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.hanabi_agents import playing_kernels, start_memory
from cardenvs.baselines.heuristics.hanabi_hats import HatInformation
from cardenvs.baselines.heuristics.hanabi_recommendation import HatRecommendation
from cardenvs.baselines.heuristics.hanabi_rules import AGENTS, agent_action
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import as_records, kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract import loops
from cardenvs.contract.spec import GameSpec
from cardenvs.games.hanabi import built, legal, shuffled_deal, step, view

REMEMBERING = {agent.blueprint.name: agent.blueprint for agent in (SmartBot, HatInformation, HatRecommendation)}
"""The agents that keep a memory of the deal, by name."""


@kernel
def _play(agents: Ints, first: int, games: Any, views: Any, streams: Streams, out: Ints) -> None:
    """Plays games, numbered from ``first``, in which seat k has agent ``agents[(number + k) % players]``."""
    players = games[0].players
    for game in range(len(out)):
        shuffled_deal(games, 0, streams, game)
        while games[0].over == loops.RUNNING:
            seat = games[0].to_act
            view(games, 0, seat, views, 0)
            agent = agents[(first + game + seat) % players]
            step(games, 0, agent_action(agent, views, 0, legal(games, 0), streams, game))
        out[game, 0] = built(games, 0)
        out[game, 1] = games[0].lives
        out[game, 2] = games[0].moves


def play_team(spec: GameSpec, agents: Sequence[str], numbers: range, seed: int) -> npt.NDArray[np.int64]:
    """Plays games in which agents that follow rules take the seats in turns.

    Args:
        agents: a name in `AGENTS` for each seat.
        numbers: the games' numbers, consecutive, from 0 on.

    Returns:
        int64 (games, 3): what was built, the lives left, the number of actions.
    """
    members = np.array([list(AGENTS).index(name) for name in agents])
    states, out = spec.new_games(1), np.empty((len(numbers), 3), np.int64)
    spec.kernels.deal(states, 0, seed_streams(seed, 1), 0)  # sets the game's parameters
    _play(members, numbers.start, states, spec.new_games(1), seed_streams(seed, len(out), 1 + numbers.start), out)
    return out


def play_alone(spec: GameSpec, agent: str, numbers: range, seed: int) -> npt.NDArray[np.int64]:
    """Plays games of an agent in `REMEMBERING` with itself; other arguments, and results, as of `play_team`."""
    blueprint = REMEMBERING[agent]
    games, memories = spec.new_games(1), as_records(np.zeros(1, blueprint.memory))
    out = np.empty((len(numbers), 3), np.int64)
    streams = seed_streams(seed, len(out), numbers.start)
    for k in range(len(out)):
        spec.kernels.deal(games, 0, streams, k)
        start_memory(memories, 0, games, 0)
        playing_kernels(blueprint).play_out(memories, 0, games, 0)
        out[k] = games[0]["fireworks"].sum(), games[0]["lives"], games[0]["moves"]
    return out
