"""The figures of Hanabi's agents that are known, from ``data/hanabi.json``."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.reproduce.papers import paper_data

LIMIT = 3.0
"""A figure agrees with the known one if they differ by at most so many joint standard errors."""
SELF_PLAY, PAIRS = "self-play", "pairs"
"""The tables."""


@dataclass(frozen=True)
class Figure:
    """A known figure: a mean over games of what a team scored or built.

    Attributes:
        table: `SELF_PLAY` or `PAIRS`.
        team: the agents' names: one for all seats, or two that take the seats in turns.
        players: the number of players.
        of: ``score``, 0 for a game in which the last life was lost, or ``built``, the sum of the fireworks.
        value: the figure.
        error: its standard error; None where it is not told.
        games: how many games it is of.
        rounding: by how much rounding can have changed it.
    """

    table: str
    team: tuple[str, ...]
    players: int
    of: str
    value: float
    error: float | None
    games: int
    rounding: float = 0.005


@functools.cache
def known() -> dict[str, Any]:
    """The whole content of ``data/hanabi.json``."""
    return paper_data("hanabi")


def _pair(first: str, second: str) -> tuple[str, ...]:
    """The team of two agents, which is one of one agent where they are the same."""
    return (first,) if first == second else (first, second)


@functools.cache
def figures() -> tuple[Figure, ...]:
    """All known figures: those of agents with themselves, then those of pairs of agents that follow rules."""
    rules = known()["rules"]
    alone, pairs, names = rules["self_play"], rules["pairs"], rules["agents"]
    found = [
        Figure(SELF_PLAY, (name,), players, alone["of"].get(name, "score"), value, None, alone["games"])
        for name, values in alone["means"].items()
        for players, value in enumerate(values, 2)
    ]
    found += [
        Figure(SELF_PLAY, (row["agent"],), players, of, value, error, row["games"], row["rounding"])
        for row in known()["others"]
        for of in ("score", "built")
        if of in row
        for players, (value, error) in zip(row["players"], row[of], strict=True)
    ]
    found += [
        Figure(PAIRS, _pair(first, second), 2, "score", value, None, pairs["games"])
        for k, first in enumerate(names)
        for second, value in zip(names[k:], pairs["score"][k][k:], strict=True)
    ]
    found += [
        Figure(PAIRS, _pair(*sorted((name, "flawed"), key=names.index)), 2, "built", value, None, pairs["games"])
        for name, value in zip(names, pairs["built_with_flawed"], strict=True)
    ]
    return tuple(found)
