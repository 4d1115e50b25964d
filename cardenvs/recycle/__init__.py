"""Card games described in the ReCYCLE language: read, checked, and compiled into environments.

A file whose name ends in ``.rcy`` is a game wherever a game's name can stand: ``cardenvs.get_game("hearts.rcy")``,
``cardenvs.Batch("hearts.rcy", 1024)``, ``cardenvs match hearts.rcy ismcts random``. Here are its PettingZoo environments,
`env`, `raw_env` and `parallel_env`, and what reads descriptions: text in, a checked syntax tree out.
"""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

from cardenvs.recycle.language.errors import Position, RecycleError
from cardenvs.recycle.language.parser import load, parse
from cardenvs.recycle.language.symbols import Owned, Statics, statics
from cardenvs.recycle.language.syntax import Description, walk
from cardenvs.recycle.library import shipped, shipped_names

if TYPE_CHECKING:
    from cardenvs.recycle.environments import env, parallel_env, raw_env

# These alone need what is compiled: who only reads descriptions does not wait for it.
__getattr__, __dir__, _ = _lazy.attach(__name__, submod_attrs={"environments": ["env", "parallel_env", "raw_env"]})

__all__ = [
    "Description",
    "Owned",
    "Position",
    "RecycleError",
    "Statics",
    "env",
    "load",
    "parallel_env",
    "parse",
    "raw_env",
    "shipped",
    "shipped_names",
    "statics",
    "walk",
]
