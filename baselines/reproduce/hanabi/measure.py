"""Hanabi's agents with themselves and with each other, played resumably, beside the figures that ``data/hanabi.json`` has.

Figures are compared in joint standard errors. Where that of the known figure is not published, it is taken to scatter as
much as ours would with as few games. What rounding can have done to the known figure is first taken off the difference.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.work import MAX_CHUNK, Task
from cardenvs.baselines.heuristics.hanabi_agents import playing_kernels, start_memory
from cardenvs.baselines.heuristics.hanabi_hats import HatInformation
from cardenvs.baselines.heuristics.hanabi_recommendation import HatRecommendation
from cardenvs.baselines.heuristics.hanabi_rules import AGENTS, agent_action
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot
from cardenvs.baselines.match.batches import Batches
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import Document, Name, Strong, Table
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.reproduce.papers import count_agreeing, describe_differences, paper_data, z_score
from cardenvs.baselines.runs.plan import Chunk, Pieces, Plan
from cardenvs.baselines.runs.store import Store
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import as_records, kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract import loops
from cardenvs.contract.spec import GameSpec
from cardenvs.games.hanabi import built, hanabi, legal, shuffled_deal, step, view

REMEMBERING = {agent.blueprint.name: agent.blueprint for agent in (SmartBot, HatInformation, HatRecommendation)}
"""The agents that keep a memory of the deal, by name."""
LIMIT = 3.0  # a figure agrees with the known one if they differ by at most so many joint standard errors
LEAST_VARIANCE = 0.1
"""The least variance of a game's score that is assumed: where few games have one, that of ten points in 1,000."""
SELF_PLAY, PAIRS = "self-play", "pairs"
"""The tables."""

Known = Columns(
    "Known",
    Column("value", "the figure"),
    Column("games", "number of games it is of"),
    Column("rounding", "by how much rounding can have changed it", default=0.005),
    Column("error", "its standard error; None where it is not published", json="se", default=None),
)
"""A known figure: a mean over games."""

Figure = Columns(
    "Figure",
    Column("table", "`SELF_PLAY` or `PAIRS`"),
    Column("team", "the agents' names: one for all seats, or two that take the seats in turns"),
    Column("players", "the number of players"),
    Column("of", "``score``, 0 for a game in which the last life was lost, or ``built``, the sum of the fireworks"),
    Column("known", "the figure (`Known`)"),
)
"""A known figure, with what it is of."""


def _z(row: Row) -> float:
    theirs = row.scatter / math.sqrt(row.known.games) if row.known.error is None else row.known.error
    return z_score(row.difference, math.hypot(row.scatter / math.sqrt(row.games), theirs), row.known.rounding)


Comparison = Columns(
    "Comparison",
    *Figure,
    Column("games", "number of games that our figure is of"),
    Column("ours", "our figure", json="mean"),
    Column("error", "its standard error", json="se"),
    Column("scatter", "the standard deviation of a game's figure, at least the root of `LEAST_VARIANCE` where the known "
           "figure's error is not published", json=""),
    computed_column("published", lambda row: row.known.value, meaning="the known figure"),
    computed_column("difference", lambda row: row.ours - row.published, json=None, meaning="ours less the known one"),
    computed_column("z", _z, json=None, meaning="the difference in joint standard errors"),
    computed_column("agrees", lambda row: abs(row.z) <= LIMIT, json=None, meaning="whether the two agree"),
)  # fmt: skip
"""A known figure beside ours."""

FIGURES = [
    Figure(table, tuple(team), players, of, Known(*known))
    for table, team, players, of, *known in paper_data("hanabi")["figures"]
]
"""All known figures: those of agents with themselves, then those of pairs of agents that follow rules."""
TEAMS: list[tuple[tuple[str, ...], int]] = list(dict.fromkeys((figure.team, figure.players) for figure in FIGURES))
"""The teams with known figures, each with its number of players."""


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    tables = {
        f"{of}_{name}": _table([row for row in result.comparisons if (row.table, row.of) == (table, of)])
        for name, table in (("alone", SELF_PLAY), ("pairs", PAIRS))
        for of in ("score", "built")
    }
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        origins="; ".join(f"{row['agent']}: {row['origin']}" for row in paper_data("hanabi")["origins"]),
        differences=describe_differences(result.comparisons, lambda row: f"{_name_team(row)}, {row.of}"),
        **tables,
    )


def _name_team(row: Row) -> str:
    """A team as its table calls it: both of a pair, or one agent and the number of players."""
    return f"{row.team[0]}, {row.team[-1]}" if row.table == PAIRS else f"{row.team[0]} x {row.players}"


def _table(rows: Sequence[Row]) -> Table:
    cells = [
        [
            Name(_name_team(row)), f"{row.published:.{3 if row.known.rounding < 0.001 else 2}f}", f"{row.ours:.3f}",
            f"{row.error:.4f}", f"{row.difference:+z.3f}", f"{row.z:+z.1f}", "yes" if row.agrees else Strong("no"),
        ]
        for row in rows
    ]  # fmt: skip
    return Table(["team", "known", "ours", "error", "off by", "errors", "agrees"], cells, spare=["error"])


Reproduction = Columns(
    "Reproduction",
    computed_column("game", lambda row: "hanabi", json=None),
    computed_column("limit", lambda row: LIMIT, json=None),
    computed_column("agree", lambda row: count_agreeing(row.comparisons), json=None),
    computed_column("compared", lambda row: len(row.comparisons), json=None),
    Column("games", "number of games of each team"),
    Column("seed", "the seed"),
    Column("comparisons", "the figures (`Comparison`)"),
    document=document,
)
"""All known figures beside ours."""


@kernel
def _play(agents: Ints, first: int, games: Any, views: Any, streams: Streams, out: Ints) -> None:
    """Plays games, numbered from ``first``, in which seat k has agent ``agents[(number + k) % players]``."""
    players = games[0].players
    for game in range(len(out)):
        shuffled_deal(games, 0, streams, game)
        while games[0].over == loops.RUNNING:
            seat = games[0].to_act
            view(games, 0, seat, views, 0)
            agent = agents[(first + game + seat) % players]
            step(games, 0, agent_action(agent, views, 0, legal(games, 0), streams, game))
        out[game, 0] = built(games, 0)
        out[game, 1] = games[0].lives
        out[game, 2] = games[0].moves


def play_team(spec: GameSpec, agents: Sequence[str], numbers: range, seed: int) -> npt.NDArray[np.int64]:
    """Plays games in which agents that follow rules take the seats in turns.

    Args:
        agents: a name in `AGENTS` for each seat.
        numbers: the games' numbers, consecutive, from 0 on.

    Returns:
        int64 (games, 3): what was built, the lives left, the number of actions.
    """
    members = np.array([list(AGENTS).index(name) for name in agents])
    states, out = spec.new_games(1), np.empty((len(numbers), 3), np.int64)
    spec.kernels.deal(states, 0, seed_streams(seed, 1), 0)  # sets the game's parameters
    _play(members, numbers.start, states, spec.new_games(1), seed_streams(seed, len(out), 1 + numbers.start), out)
    return out


def play_alone(spec: GameSpec, agent: str, numbers: range, seed: int) -> npt.NDArray[np.int64]:
    """Plays games of an agent in `REMEMBERING` with itself; other arguments, and results, as of `play_team`."""
    blueprint = REMEMBERING[agent]
    games, memories = spec.new_games(1), as_records(np.zeros(1, blueprint.memory))
    out = np.empty((len(numbers), 3), np.int64)
    streams = seed_streams(seed, len(out), numbers.start)
    for k in range(len(out)):
        spec.kernels.deal(games, 0, streams, k)
        start_memory(memories, 0, games, 0)
        playing_kernels(blueprint).play_out(memories, 0, games, 0)
        out[k] = games[0]["fireworks"].sum(), games[0]["lives"], games[0]["moves"]
    return out


@dataclass(frozen=True)
class PlayedGames(Pieces):
    """The figures of each of n games."""

    built: Ints  # int64 (n,), the sum of the fireworks
    lives: Ints  # int64 (n,), the lives left

    BY_PIECE: ClassVar[tuple[str, ...]] = ("built", "lives")

    @property
    def score(self) -> Ints:
        """The scores, int64 (n,): 0 where the last life was lost."""
        return np.where(self.lives > 0, self.built, 0)


def play(team: tuple[str, ...], players: int, numbers: range, seed: int) -> PlayedGames:
    """Plays consecutive games of a team: an agent in all seats, or one for each seat, which they take in turns."""
    spec = hanabi(players=players)
    if team[0] in AGENTS:
        out = play_team(spec, team * (players // len(team)), numbers, seed)
    else:
        out = play_alone(spec, team[0], numbers, seed)
    return PlayedGames(out[:, 0], out[:, 1])


def compare(figure: Row, played: PlayedGames) -> Row:
    """Returns the `Comparison` of a known figure with that of games played."""
    values = getattr(played, figure.of)
    deviation = float(values.std(ddof=1))
    scatter = max(deviation, math.sqrt(LEAST_VARIANCE)) if figure.known.error is None else deviation
    error = deviation / math.sqrt(len(values))
    return Comparison.of(figure, games=len(values), ours=float(values.mean()), error=error, scatter=scatter)


@dataclass(frozen=True, kw_only=True)
class TeamsPlan(Plan):
    """The plan of so many games of each of `TEAMS`."""

    games: int  # number of games of each team, at least 2
    teams: list[str]  # the teams' names

    kind: ClassVar[str] = "reproduction"
    piece: ClassVar[str] = "game"
    rows: ClassVar[type[PlayedGames]] = PlayedGames

    def begin(self) -> Callable[[Task[int]], Chunk[PlayedGames]]:
        """Makes the function that plays tasks."""
        return functools.partial(_play_task, self.seed, Batches())

    @property
    def unit_names(self) -> list[str]:
        """The teams' names."""
        return self.teams

    @property
    def units(self) -> list[str]:
        """A word for each team."""
        return [f"{'+'.join(team)}-{players}" for team, players in TEAMS]

    @property
    def pieces(self) -> int:
        """Number of games of each team."""
        return self.games


def _play_task(seed: int, batches: Batches[int], task: Task[int]) -> Chunk[PlayedGames]:
    """Plays games of a task for about the time of a chunk."""
    numbers = batches.next_batches(task, 32, MAX_CHUNK)
    return Chunk(PlayedGames.joined([play(*TEAMS[task.of], some, seed) for some in numbers]))


def teams_plan(games: int, seed: int) -> TeamsPlan:
    """Returns the plan of so many games of each team."""
    names = [", ".join(team) if len(team) > 1 else f"{team[0]} x {players}" for team, players in TEAMS]
    return TeamsPlan(spec=hanabi(), options={}, seed=seed, games=games, teams=names)


def results_of(store: Store[Any]) -> Row:
    """Returns the `Reproduction` of a plan's games, which are finished."""
    played = {team: store.load_unit(unit) for unit, team in enumerate(TEAMS)}
    rows = [compare(figure, played[figure.team, figure.players]) for figure in FIGURES]
    return Reproduction(store.plan.games, store.plan.seed, rows)
