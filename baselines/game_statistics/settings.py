"""The settings of statistics of a game: all that their figures depend on, checked before anything is played."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardenvs import policy
from cardenvs.checks import check_int
from cardenvs.contract.options import show
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.randomness import given_seed

DEFAULT_AI = "pipmc"
"""The player whose games are compared with random ones, as in published statistics."""
GAMES = 100
"""Default number of games of each experiment."""


@dataclass(frozen=True)
class StatisticsSettings:
    """The settings of statistics.

    Attributes:
        spec: the game.
        options: all rule options.
        games: how many games each experiment has.
        ai: the AI's name or path.
        seed: the seed of the deals and of the players' random choices.
        files: SHA-256 hash of the AI's file by path, if it is loaded from one.
        rules: a hash of the game's rules, by which it is noticed that they were edited; empty where they are in no file.
    """

    spec: GameSpec
    options: dict[str, Any]
    games: int
    ai: str
    seed: int
    files: dict[str, str] = field(default_factory=dict)
    rules: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The settings for JSON, the game by its name."""
        return {
            "game": self.spec.name,
            "options": self.options,
            "games": self.games,
            "ai": self.ai,
            "seed": self.seed,
            "files": self.files,
            "rules": self.rules,
        }

    def differences(self, stored: dict[str, Any]) -> list[str]:
        """The differences from the settings ``stored`` in a folder, a phrase for each."""
        mine = self.as_dict()
        changes = [
            f"{key} {stored[key]}, not {mine[key]}" for key in ("game", "games", "ai", "seed") if stored[key] != mine[key]
        ]
        if stored["game"] == mine["game"]:
            if stored["rules"] != self.rules:
                changes.append("other rules of the game")
            for name, value in self.options.items():
                if stored["options"].get(name) != value:
                    changes.append(f"{name} {show(stored['options'].get(name))}, not {show(value)}")
        for path in sorted(set(stored["files"]) & set(self.files)):
            if stored["files"][path] != self.files[path]:
                changes.append(f"another content of {path}")
        return changes


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
        seed: an int of at least 0, or ``"random"``.
        random_only: whether the AI need not be one that plays the game, as it will not play.
        options: rule options.

    Raises:
        ValueError: unknown game, policy or option, ``games`` below 1, or no seed.
        OSError: the AI's file cannot be read.
    """
    spec = get_game(game).plain
    codes = spec.option_codes(options)
    chosen = {option.name: option.decode(codes[option.name]) for option in spec.options}
    check_int("games", games, 1)
    seed = given_seed(seed)
    if not random_only:
        policy.make(spec, ai)
    path = policy.path_of(ai)
    files = {} if path is None else {path: hashlib.sha256(Path(path).read_bytes()).hexdigest()}
    return StatisticsSettings(spec, chosen, games, ai, seed, files, _rules_hash(spec))


def _rules_hash(spec: GameSpec) -> str:
    """A hash, 16 hex digits, of the file that a game's rules stand in and of when its episodes are cut off; or empty."""
    if spec.digest:
        return spec.digest
    step: Any = spec.kernels.step
    path = Path(getattr(step, "py_func", step).__code__.co_filename)
    if not path.is_file():
        return ""
    return hashlib.sha256(path.read_bytes() + f"\n{spec.max_decisions}".encode()).hexdigest()[:16]
