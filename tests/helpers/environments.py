"""The PettingZoo modules of the games, and all kinds of environments by name."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs import Batch, SeatEnv, SeatVectorEnv, get_game
from cardenvs.envs.aec import Constructors

SHELLS: dict[str, Callable[..., Any]] = {
    "raw": lambda game, **given: Constructors(game).raw_env(**given),
    "env": lambda game, **given: Constructors(game).env(**given),
    "parallel": lambda game, **given: Constructors(game).parallel_env(**given),
    "seat": lambda game, **given: SeatEnv(game, **given),
    "vector": lambda game, **given: SeatVectorEnv(game, 3, **given),
    "batch": lambda game, **given: Batch(game, 3, **given),
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


def tell(env: Any, steps: int) -> list[Any]:
    """What an environment of any kind tells in steps of first legal actions, episode after episode."""
    return [_tell_step(env) for _ in range(steps)]


def _tell_step(env: Any) -> Any:
    if isinstance(env, Batch):
        env.step(first_legal(env.action_masks))
        return [getattr(env, name).tolist() for name in ("observations", "rewards", "ended", "points", "to_act")]
    if isinstance(env, SeatVectorEnv):
        *told, infos = env.step(first_legal(env.action_masks()))
        return [*(one.tolist() for one in told), sorted(infos), {key: v.tolist() for key, v in infos["opponents"].items()}]
    if isinstance(env, SeatEnv):
        shown, *told, info = env.step(int(first_legal(env.action_masks())))
        return shown.tolist(), told, info["opponents"], env.reset()[0].tolist() if told[1] or told[2] else None
    aec = env.aec_env if hasattr(env, "aec_env") else env
    if not env.agents:
        env.reset()
        return aec.unwrapped.deal_text()
    shown, *told, info = aec.last()
    agent, action = aec.agent_selection, None if told[1] or told[2] else int(first_legal(shown["action_mask"]))
    if aec is env:
        env.step(action)
        return agent, shown["observation"].tolist(), told, dict(info)
    observations, *told, _ = env.step({agent: action})
    return {agent: shown["observation"].tolist() for agent, shown in observations.items()}, told
