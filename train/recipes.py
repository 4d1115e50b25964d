"""Recipes: named settings, those of the shipped policies and ways to train a team, from ``recipes.toml``."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cardenvs.checks import did_you_mean
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import Config


class Recipes(Mapping[str, Config]):
    """Settings by name, each built on first use because a described game's settings need its description to be compiled."""

    def __init__(self, path: Path) -> None:
        tables = tomllib.loads(path.read_text("utf-8"))
        self._shared, self._given = tables["shared"], tables["recipe"]
        self._made = dict[str, Config]()

    def _settings(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a table, over those of the table that it is like."""
        like = self._settings(self._shared[table["like"]]) if "like" in table else {}
        own = {name: None if value == "none" else value for name, value in table.items() if name != "like"}
        return like | own

    def __getitem__(self, name: str) -> Config:
        if name not in self._made:
            self._made[name] = Config(**self._settings(self._given[name]))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def names_for_game(self, game: GameSpec) -> list[str]:
        """Returns the names of the recipes for a game; a form of a game has those of its family."""
        return [name for name, given in self._given.items() if given["game"] == game.family]


RECIPES = Recipes(Path(__file__).with_name("recipes.toml"))
"""The settings by the name of the file that was shipped: ``GAME`` or ``GAME--RULES`` for the first generation, which is
trained from nothing, ``generation-2/GAME`` and so on for those that begin with the weights of the one before, and
``GAME/WAY`` for ways to train of which no policy was shipped."""


def recipe(name: str) -> Config:
    """Returns the settings of a recipe; those of a game with forms serve all forms.

    Args:
        name: a key of `RECIPES`.

    Raises:
        ValueError: unknown name; the message lists the known ones.
    """
    if name not in RECIPES:
        raise ValueError(f"unknown recipe {name!r}: the recipes are {', '.join(RECIPES)}{did_you_mean(name, RECIPES)}")
    return RECIPES[name]
