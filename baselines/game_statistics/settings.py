"""The settings of statistics of a game: all that their figures depend on, checked before anything is played."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from cardenvs import policy
from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.game_statistics.experiments import EXPERIMENTS, AiPlayer, PlayedGames
from cardenvs.baselines.runs.plan import Chunk, Plan, all_options
from cardenvs.checks import check_int
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.randomness import given_seed

DEFAULT_AI = "pipmc"
"""The player whose games are compared with random ones, as in published statistics."""
GAMES = 100
"""Default number of games of each experiment."""


@dataclass(frozen=True, kw_only=True)
class StatisticsSettings(Plan):
    """The settings of statistics."""

    games: int  # number of games of each experiment
    ai: str  # the AI's name or path
    rules: str = field(default="", metadata={"differs": "other rules of the game"})  # their hash; empty if in no file

    kind: ClassVar[str] = "statistics"
    piece: ClassVar[str] = "game"
    rows: ClassVar[type[PlayedGames]] = PlayedGames

    def begin(self) -> Callable[[Task[int]], Chunk[PlayedGames]]:
        """Makes the function that plays tasks of games with an AI."""
        return AiPlayer(self).play_task

    @property
    def units(self) -> list[str]:
        """The experiments' names."""
        return list(EXPERIMENTS)

    @property
    def pieces(self) -> int:
        """Number of games of each experiment."""
        return self.games


def statistics_settings(
    game: str | GameSpec,
    *,
    games: int = GAMES,
    ai: str = DEFAULT_AI,
    seed: int | str = 0,
    random_only: bool = False,
    **options: Any,
) -> StatisticsSettings:
    """Checks and completes the settings of statistics.

    Args:
        games: how many games each experiment has, at least 1.
        ai: the AI's name with parameters, or the path of a trained policy.
        random_only: whether the AI need not play the game, as it is not asked.

    Raises:
        ValueError: unknown game, policy or option, ``games`` below 1, or no seed.
        OSError: the AI's file cannot be read.
    """
    spec, options = form_of(get_game(game).plain, options, statistics_settings)
    chosen = all_options(spec, options)
    check_int("games", games, 1)
    seed = given_seed(seed)
    if not random_only:
        policy.make(spec, ai)
    path = policy.path_of(ai)
    files = {} if path is None else {path: hashlib.sha256(Path(path).read_bytes()).hexdigest()}
    return StatisticsSettings(
        spec=spec, options=chosen, seed=seed, files=files, games=games, ai=ai, rules=_rules_hash(spec)
    )


def _rules_hash(spec: GameSpec) -> str:
    """A hash of the file that a game's rules stand in and of when its episodes are cut off; empty for rules in no file."""
    if spec.digest:
        return spec.digest
    step: Any = spec.kernels.step
    path = Path(getattr(step, "py_func", step).__code__.co_filename)
    if not path.is_file():
        return ""
    return hashlib.sha256(path.read_bytes() + f"\n{spec.max_decisions}".encode()).hexdigest()[:16]
