"""Whist as PettingZoo environments: ``env``, ``raw_env`` and ``parallel_env``; see `cardenvs.envs.aec.CardEnv`."""

from cardenvs.envs.aec import Constructors

_constructors = Constructors("whist")

env = _constructors.env
raw_env = _constructors.raw_env
parallel_env = _constructors.parallel_env

__all__ = ["env", "parallel_env", "raw_env"]
