"""Hanabi as PettingZoo environments: ``env``, ``raw_env`` and ``parallel_env``; see `cardenvs.envs.aec.CardEnv`.

The parameters of a form, such as ``players=3``, stand among the rule options: `cardenvs.games.hanabi.PARAMETERS`.
"""

from cardenvs.envs.aec import Constructors

_constructors = Constructors("hanabi")

env = _constructors.env
raw_env = _constructors.raw_env
parallel_env = _constructors.parallel_env

__all__ = ["env", "parallel_env", "raw_env"]
