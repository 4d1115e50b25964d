from . import (
    baselines,
    euchre_v0,
    five_o_v0,
    frameworks,
    hanabi_v0,
    openspiel,
    policy,
    recycle,
    testing,
    train,
    whist_v0,
    worlds,
)
from .contract.registry import described_names, game_names, get_game, register_game
from .contract.spec import GameSpec
from .envs.batch import Batch, Ended
from .envs.seat import SeatEnv
from .envs.vector import SeatVectorEnv
from .policy import Policy

__version__: str
__all__ = [
    "Batch",
    "Ended",
    "GameSpec",
    "Policy",
    "SeatEnv",
    "SeatVectorEnv",
    "baselines",
    "described_names",
    "euchre_v0",
    "five_o_v0",
    "frameworks",
    "game_names",
    "get_game",
    "hanabi_v0",
    "openspiel",
    "policy",
    "recycle",
    "register_game",
    "testing",
    "train",
    "whist_v0",
    "worlds",
]
