"""The figures of card games that CardStock's site has published, from ``data/recycle_statistics.json``.

They are of 100 games an experiment. Behind each stands how far it was rounded, and whether it can be trusted: whether a
program that shares nothing with ours has had it from the rules again.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.game_statistics import STATISTICS
from cardenvs.baselines.reproduce.papers import paper_data
from cardenvs.recycle import shipped


@dataclass(frozen=True)
class Figure:
    """A published figure.

    Attributes:
        table: the title of the published table.
        game: the game's name.
        seats: the number of players.
        of: what it is: a key of `STATISTICS`, or what a mean is of.
        value: the figure.
        rounding: by how much rounding can have changed it.
        doubt: why it is not to be trusted; empty for one that is.
    """

    table: str
    game: str
    seats: int
    of: str
    value: float
    rounding: float
    doubt: str = ""


@functools.cache
def published() -> dict[str, Any]:
    """The whole content of ``data/recycle_statistics.json``."""
    return paper_data("recycle_statistics")


LIMIT = 3.0
"""A figure agrees with the published one if they differ by at most so many joint standard errors."""
GAMES_PUBLISHED = int(published()["games"])
"""Number of games of each published experiment."""

TABLES: dict[str, tuple[str, ...]] = {table["title"]: tuple(table["games"]) for table in published()["statistics"]}
"""The games of each published table of statistics, by its title."""


@functools.cache
def players(game: str) -> int:
    """The number of players of a game as it is described here, with which its statistics were published."""
    return shipped(game).players


def _doubt(game: str, statistic: str) -> str:
    """The reason why a statistic of a game is not to be trusted; empty if it is."""
    if game in published()["trusted"].get(statistic, ()):
        return ""
    doubts: dict[str, str] = published()["doubts"]
    return doubts.get(f"{game}, {statistic}") or doubts.get(statistic) or doubts.get(game) or doubts[""]


def statistics_figures() -> list[Figure]:
    """The published statistics, one behind the other by statistic, then in the order of the tables."""
    return [
        Figure(
            table["title"],
            game,
            players(game),
            name,
            values[table["columns"].index(name)],
            table["rounding"][name],
            _doubt(game, name),
        )
        for name in STATISTICS
        for table in published()["statistics"]
        if name in table["columns"]
        for game, values in table["games"].items()
    ]


def decision_figures() -> list[Figure]:
    """The published numbers of decisions a game; `of` is the experiment, a key of `EXPERIMENTS`."""
    return [
        Figure("Decisions", row["game"], row["seats"], row["players"], row["figure"], row["rounding"], row.get("doubt", ""))
        for row in published()["decisions"]
    ]


def option_figures() -> list[tuple[Figure, Figure]]:
    """The published options of a decision in random games, the leader's and those of the others, for each trick."""
    curve = published()["options"]
    return [
        (
            Figure("Options", curve["game"], players(curve["game"]), "leader", leader, curve["rounding"]),
            Figure("Options", curve["game"], players(curve["game"]), "others", others, curve["rounding"]),
        )
        for leader, others in zip(curve["leader"], curve["others"], strict=True)
    ]


def all_games() -> tuple[str, ...]:
    """The names of all games of which something is published, sorted."""
    of_tables = {game for games in TABLES.values() for game in games}
    return tuple(sorted(of_tables | {row["game"] for row in published()["decisions"]} | {published()["options"]["game"]}))
