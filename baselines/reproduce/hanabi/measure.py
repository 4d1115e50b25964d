"""Playing Hanabi's agents with themselves and with each other, resumably, and comparing with known figures.

Figures are compared in joint standard errors. Where that of the known figure is not told, it is taken to scatter as much as
ours would with as few games. What rounding can have done to the known figure is first taken off the difference.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.heuristics.hanabi_rules import AGENTS
from cardenvs.baselines.match.batches import Batches
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reproduce.hanabi import report
from cardenvs.baselines.reproduce.hanabi.games import play_alone, play_team
from cardenvs.baselines.reproduce.hanabi.published import LIMIT, Figure, figures
from cardenvs.baselines.runs.plan import Plan
from cardenvs.baselines.runs.rows import Chunk, Pieces
from cardenvs.baselines.runs.workers import MAX_CHUNK, Moved, work_through
from cardenvs.checks import check_int, check_seed
from cardenvs.compiled.bits import Ints
from cardenvs.games.hanabi import hanabi

GAMES = 20_000
"""Default number of games of each team."""
LEAST_VARIANCE = 0.1
"""The least variance of a game's score that is reckoned with: where hardly a game has one, that of ten points in 1,000."""


@functools.cache
def teams() -> list[tuple[tuple[str, ...], int]]:
    """The teams of which figures are known, each with its number of players."""
    return list(dict.fromkeys((figure.team, figure.players) for figure in figures()))


def called(team: Sequence[str], players: int) -> str:
    """The name of a team, with its number of players where one agent has all seats: ``internal, outer``, ``piers x 3``."""
    return ", ".join(team) if len(team) > 1 else f"{team[0]} x {players}"


@dataclass(frozen=True)
class PlayedGames(Pieces):
    """The figures of each of n games.

    Attributes:
        built: int64 (n,), the sum of the fireworks.
        lives: int64 (n,), the lives left.
    """

    built: Ints
    lives: Ints

    BY_PIECE: ClassVar[tuple[str, ...]] = ("built", "lives")

    @property
    def score(self) -> Ints:
        """The scores, int64 (n,): 0 where the last life was lost."""
        return np.where(self.lives > 0, self.built, 0)


@dataclass(frozen=True, kw_only=True)
class TeamsPlan(Plan):
    """The plan of a reproduction.

    Attributes:
        games: how many games each team plays.
        teams: the teams' names.
    """

    games: int
    teams: list[str]

    kind: ClassVar[str] = "reproduction"
    piece: ClassVar[str] = "game"
    rows: ClassVar[type[PlayedGames]] = PlayedGames

    def begin(self) -> Callable[[Task[int]], Chunk[PlayedGames]]:
        """Makes the function that plays tasks."""
        return _Player(self).play

    @property
    def unit_names(self) -> list[str]:
        """The teams' names."""
        return self.teams

    @property
    def units(self) -> list[str]:
        """A word for each team."""
        return [f"{'+'.join(team)}-{players}" for team, players in teams()]

    @property
    def pieces(self) -> int:
        """Number of games of each team."""
        return self.games


def teams_plan(games: int = GAMES, seed: int = 0) -> TeamsPlan:
    """The plan of so many games of each team.

    Raises:
        ValueError: ``games`` below 2, or no seed.
    """
    check_int("games", games, 2)
    check_seed(seed)
    return TeamsPlan(spec=hanabi(), options={}, seed=seed, games=games, teams=[called(*team) for team in teams()])


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """A known figure beside ours.

    Attributes:
        figure: the known figure.
        games: how many games ours is of.
        mean: our figure.
        error: its standard error; ``se`` in JSON.
        scatter: the standard deviation of a game's figure; at least the root of `LEAST_VARIANCE` where the known figure's
            error is not told.
    """

    figure: Figure
    games: int
    mean: float
    error: float
    scatter: float

    KEYS: ClassVar[Mapping[str, str]] = {"error": "se"}
    HIDDEN = ("figure", "scatter")
    ALSO = ("difference", "z", "agrees")

    @classmethod
    def of(cls, figure: Figure, played: PlayedGames) -> Comparison:
        """A known figure beside that of games played."""
        values = played.score if figure.of == "score" else played.built
        deviation = float(values.std(ddof=1))
        scatter = max(deviation, math.sqrt(LEAST_VARIANCE)) if figure.error is None else deviation
        return cls(figure, len(values), float(values.mean()), deviation / math.sqrt(len(values)), scatter)

    @property
    def difference(self) -> float:
        """Our figure less the known one."""
        return self.mean - self.figure.value

    @property
    def z(self) -> float:
        """The difference, less what rounding can be, in joint standard errors."""
        beyond = max(abs(self.difference) - self.figure.rounding, 0.0)
        theirs = self.scatter / math.sqrt(self.figure.games) if self.figure.error is None else self.figure.error
        return math.copysign(beyond / math.hypot(self.scatter / math.sqrt(self.games), theirs), self.difference)

    @property
    def agrees(self) -> bool:
        """Whether the two agree."""
        return abs(self.z) <= LIMIT

    def figures(self) -> dict[str, Any]:
        """The figures as plain values, those of the known one under ``known``."""
        known = plain(self.figure)
        told = {key: known.pop(key) for key in ("table", "team", "players", "of")}
        known["se"] = known.pop("error")
        return told | {"known": known} | super().figures()


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """All known figures beside ours.

    Attributes:
        games: how many games each team played.
        seed: the seed.
        comparisons: the figures.
    """

    games: int
    seed: int
    comparisons: list[Comparison]

    @property
    def agree(self) -> int:
        """Number of figures that agree."""
        return sum(row.agrees for row in self.comparisons)

    def figures(self) -> dict[str, Any]:
        """The figures as plain values, and how many agree."""
        return {
            "game": "hanabi",
            "limit": LIMIT,
            "agree": self.agree,
            "compared": len(self.comparisons),
        } | super().figures()

    document = report.document


def play(team: tuple[str, ...], players: int, numbers: range, seed: int) -> PlayedGames:
    """Games of a team.

    Args:
        team: one agent's name, for all seats, or one for each seat.
        players: the number of players.
        numbers: the games' numbers, consecutive, from 0 on.
        seed: int >= 0.
    """
    spec = hanabi(players=players)
    if team[0] in AGENTS:
        out = play_team(spec, team * (players // len(team)), numbers, seed)
    else:
        out = play_alone(spec, team[0], numbers, seed)
    return PlayedGames(out[:, 0], out[:, 1])


class _Player:
    """Plays tasks in the process in which the object is made."""

    def __init__(self, plan: TeamsPlan) -> None:
        self._seed = plan.seed
        self._batches: Batches[int] = Batches()

    def play(self, task: Task[int]) -> Chunk[PlayedGames]:
        """Plays games of a task for about the time of a chunk."""
        batches = self._batches.next_batches(task, 32, MAX_CHUNK)
        return Chunk(PlayedGames.joined([play(*teams()[task.of], numbers, self._seed) for numbers in batches]))


def reproduce(
    plan: TeamsPlan,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Moved | None = None,
) -> Reproduction:
    """Plays the games that are not finished yet, and compares.

    Args:
        plan: the plan, of `teams_plan`.
        out: folder for finished games, in which an interrupted run goes on; made if there is none. None keeps no files.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called whenever games are finished, and at first.

    Raises:
        ValueError: the folder holds another plan, or a damaged chunk; ``workers`` below 1; a cluster that cannot be used.
        OSError: the folder cannot be written.
        RuntimeError: a worker process died.
    """
    store = work_through(plan, out, workers=workers, cluster=cluster, progress=progress)
    played = {team: store.load_unit(unit) for unit, team in enumerate(teams())}
    rows = [Comparison.of(figure, played[figure.team, figure.players]) for figure in figures()]
    return Reproduction(plan.games, plan.seed, rows)
