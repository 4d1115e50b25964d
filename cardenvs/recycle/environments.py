"""PettingZoo environments of described games, with the signatures of `cardenvs.euchre_v0` behind the game's name."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv, ParallelEnv

from cardenvs.envs.aec import CardEnv, Constructors


def raw_env(
    game: str,
    *,
    render_mode: str | None = None,
    reward: str | None = None,
    team_share: float = 1.0,
    illegal: str = "raise",
    recall: bool = False,
    max_decisions: int | None = None,
    encoding: str | None = None,
    **options: Any,
) -> CardEnv:
    """Makes the environment of a game without wrappers; an illegal action is a ValueError.

    Args:
        game: the path of a description, or the name of a game as `cardenvs.get_game` takes it.
        render_mode: this and the following as of `cardenvs.envs.aec.CardEnv`.

    Raises:
        ValueError: an unknown game, a wrong description (a `RecycleError`), or a wrong setting.
    """
    return Constructors(game).raw_env(
        render_mode=render_mode, reward=reward, team_share=team_share, illegal=illegal, recall=recall,
        max_decisions=max_decisions, encoding=encoding, **options,
    )  # fmt: skip


def env(
    game: str,
    *,
    render_mode: str | None = None,
    reward: str | None = None,
    team_share: float = 1.0,
    illegal: str = "terminate",
    recall: bool = False,
    max_decisions: int | None = None,
    encoding: str | None = None,
    **options: Any,
) -> AECEnv[str, Any, Any]:
    """Makes the environment of a game in PettingZoo's order-enforcing wrapper.

    An illegal action ends the episode at the greatest loss, unless ``illegal`` says otherwise. Arguments and errors:
    `raw_env`.
    """
    return Constructors(game).env(
        render_mode=render_mode, reward=reward, team_share=team_share, illegal=illegal, recall=recall,
        max_decisions=max_decisions, encoding=encoding, **options,
    )  # fmt: skip


def parallel_env(
    game: str,
    *,
    waiting: str = "zeros",
    render_mode: str | None = None,
    reward: str | None = None,
    team_share: float = 1.0,
    illegal: str = "terminate",
    recall: bool = False,
    max_decisions: int | None = None,
    encoding: str | None = None,
    **options: Any,
) -> ParallelEnv[str, Any, Any]:
    """Makes the wrapped environment of a game in PettingZoo's parallel form; only the acting agent's action counts.

    Arguments and errors: `raw_env`, and ``waiting`` of `cardenvs.envs.parallel.CardParallelEnv`.
    """
    return Constructors(game).parallel_env(
        waiting=waiting, render_mode=render_mode, reward=reward, team_share=team_share, illegal=illegal, recall=recall,
        max_decisions=max_decisions, encoding=encoding, **options,
    )  # fmt: skip
