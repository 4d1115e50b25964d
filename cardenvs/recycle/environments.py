"""PettingZoo environments of described games: the functions of `cardenvs.euchre_v0`, with the game in front."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from cardenvs.envs.aec import Constructors

_P = ParamSpec("_P")
_Made = TypeVar("_Made")


def _of_any_game(make: Callable[Concatenate[Constructors, _P], _Made]) -> Callable[Concatenate[str, _P], _Made]:
    """Returns a method of `Constructors` as a function of a game and of keyword arguments."""

    @functools.wraps(make)
    def made(game: str, **settings: Any) -> _Made:
        return make(Constructors(game), **settings)  # type: ignore[call-arg]

    given = inspect.signature(make)
    own = [inspect.Parameter("game", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="str")]
    for one in list(given.parameters.values())[1:]:
        own.append(one if one.kind is one.VAR_KEYWORD else one.replace(kind=one.KEYWORD_ONLY))
    made.__signature__ = given.replace(parameters=own)  # type: ignore[attr-defined]
    made.__module__, made.__qualname__ = __name__, make.__name__
    return made  # type: ignore[return-value]


raw_env = _of_any_game(Constructors.raw_env)
"""Makes the environment of a game without wrappers; an illegal action is a ValueError.

Args:
    game: the path of a description, or the name of a game as `cardenvs.get_game` takes it.
    render_mode: this and ``reward``, ``team_share``, ``illegal``, ``recall``, ``max_decisions``, ``encoding`` and the
        options of the game, each by its name, as of `cardenvs.envs.aec.CardEnv`.

Raises:
    ValueError: an unknown game, a wrong description (a `RecycleError`), or a wrong setting.
"""

env = _of_any_game(Constructors.env)
"""Makes the environment of a game in PettingZoo's order-enforcing wrapper.

An illegal action ends the episode at the greatest loss, unless ``illegal`` says otherwise. Arguments and errors: `raw_env`.
"""

parallel_env = _of_any_game(Constructors.parallel_env)
"""Makes the wrapped environment of a game in PettingZoo's parallel form; only the acting agent's action counts.

Arguments and errors: `raw_env`, and ``waiting`` of `cardenvs.envs.parallel.CardParallelEnv`.
"""
