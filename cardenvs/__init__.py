"""Multi-agent reinforcement learning environments for Whist, Euchre and Five-O poker.

``from cardenvs import euchre_v0`` for PettingZoo, ``gymnasium.make("cardenvs/EuchreSeat-v0")`` for one seat,
`cardenvs.Batch` for speed, `cardenvs.policy.make` for opponents.
"""

import gymnasium as _gymnasium
import pettingzoo as _pettingzoo

from cardenvs import euchre_v0, five_o_v0, policy, whist_v0
from cardenvs.envs.batch import Batch
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec, game_names, get_game

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "GameSpec",
    "Policy",
    "euchre_v0",
    "five_o_v0",
    "game_names",
    "get_game",
    "policy",
    "whist_v0",
]


def _register() -> None:
    for game, module, title in (
        ("whist", "whist_v0", "Whist"),
        ("euchre", "euchre_v0", "Euchre"),
        ("five-o", "five_o_v0", "FiveO"),
    ):
        _pettingzoo.register("aec", f"cardenvs/{game}-v0", entry_point=f"cardenvs.{module}:env")
        _pettingzoo.register("parallel", f"cardenvs/{game}-v0", entry_point=f"cardenvs.{module}:parallel_env")
        _gymnasium.register(
            id=f"cardenvs/{title}Seat-v0",
            entry_point="cardenvs.envs.seat:SeatEnv",
            vector_entry_point="cardenvs.envs.vector:SeatVectorEnv",
            kwargs={"game": game},
        )


_register()
