"""An episode of the PettingZoo environment as plain values, and the check that they are an episode's."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardenvs.checks import short
from cardenvs.compiled.jit import as_records
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec


class CardState(NamedTuple):
    """An episode of a `cardenvs.envs.aec.CardEnv`: plain values, which can be stored, compared and sent.

    Attributes:
        game: the game's name.
        record: the bytes of the game's state, a record of `GameSpec.dtype`.
        stream: the random stream of the next deals.
        decisions: the actions so far, -1 if the episode was truncated.
        to_act: the seat to act, -1 for none.
        agents: the agents that have not left.
        agent_selection: the agent to act.
        skipped: the agent that acts after those whose episode is over; None for none.
        rewards: the rewards of the latest step, by agent.
        cumulative: each agent's rewards since its last action.
        terminations: whether each agent's episode is over.
        truncations: whether each agent's episode was truncated.
        illegal: the message to each agent about its own illegal action; None for none.
    """

    game: str
    record: bytes
    stream: int
    decisions: int
    to_act: int
    agents: tuple[str, ...]
    agent_selection: str
    skipped: str | None
    rewards: tuple[float, ...]
    cumulative: tuple[float, ...]
    terminations: tuple[bool, ...]
    truncations: tuple[bool, ...]
    illegal: tuple[str | None, ...]


def _is_agent(agent: Any, agents: Collection[str]) -> bool:
    """Returns whether something is the name of one of some agents; an array, which cannot be compared, is not."""
    return type(agent) is str and agent in agents


def _is_tuple_of(kind: Any, values: Any, n: int) -> bool:
    return isinstance(values, tuple) and len(values) == n and all(isinstance(value, kind) for value in values)


def games_of(spec: GameSpec, octets: bytes) -> Any:
    """Returns the bytes of a state as a new array of shape (1,)."""
    return as_records(np.frombuffer(bytearray(octets), spec.dtype))


def checked_games(spec: GameSpec, agents: Sequence[str], state: Any) -> Any:
    """Returns the game in a state of `cardenvs.envs.aec.CardEnv.get_state` as a new array, shape (1,).

    Args:
        spec: the game of the environment that gets the state.
        agents: the names of that environment's agents, by seat.

    Raises:
        ValueError: a state that `get_state` cannot have returned.
    """
    message = f"state must be what get_state() of an environment of {spec.name} returned"
    if not isinstance(state, CardState) or type(state.game) is not str or state.game != spec.name:
        raise ValueError(f"{message}, not {short(state)}")
    if not isinstance(state.record, bytes) or len(state.record) != spec.dtype.itemsize:
        raise ValueError(f"{message}: its record is {short(state.record)}")
    games = games_of(spec, state.record)
    spec.check_state(games, "state", whole=True)
    game, here = games[0], state.agents
    if not (
        type(state.stream) is type(state.decisions) is type(state.to_act) is int
        and 0 <= state.stream < 2**64
        and (state.decisions == -1 or game["moves"] <= state.decisions < 2**63 or game["over"] != RUNNING)
        and state.to_act in (-1, game["to_act"])
        and isinstance(here, tuple)
        and all(_is_agent(agent, agents) and here.count(agent) == 1 for agent in here)
        and _is_agent(state.agent_selection, here or agents)
        and (state.skipped is None or _is_agent(state.skipped, agents))
        and _is_tuple_of((int, float), state.rewards, len(here))
        and _is_tuple_of((int, float), state.cumulative, len(here))
        and _is_tuple_of(bool, state.terminations, len(here))
        and _is_tuple_of(bool, state.truncations, len(here))
        and _is_tuple_of((str, type(None)), state.illegal, len(here))
    ):
        raise ValueError(f"{message}, unchanged")
    return games
