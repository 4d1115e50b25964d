"""Games of Hanabi beside OpenSpiel's, resumably: legal actions, points, rewards, ends, and the vectors of every seat.

OpenSpiel is imported when its game is made.
"""

import functools
import importlib.metadata
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.heuristics import hanabi_smart
from cardenvs.baselines.heuristics.hanabi_agents import ALL, start_memory
from cardenvs.baselines.heuristics.hanabi_smart_memory import MEMORY, before_move, learn
from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column
from cardenvs.baselines.reports.document import Document, Name, Table, Text, Words
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.runs.plan import Chunk, Pieces, Plan
from cardenvs.baselines.runs.store import Store
from cardenvs.compiled.bits import Ints
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.games.hanabi import PARAMETERS, hanabi

Driver = Callable[[GameSpec, Games, list[int], random.Random], int]
"""A player that leads games into their corners.

A function of the game, its state ``games[0]``, the legal actions in order, and a source of random choices, which returns an
action. Those with a memory keep it as long as they make all moves of a game.
"""


def at_random(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
    """Any action, which ends nearly all games by the last life."""
    return rng.choice(legal)


def well(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
    """As somebody who sees the own cards, with a slip now and then: many games are perfect, or end with the deck."""
    g = games[0]
    held, ranks, seat = int(g["hand_size"]), int(g["ranks"]), int(g["to_act"])
    if rng.random() < 0.05:
        return rng.choice(legal)
    cards = {slot: (int(g["hands"][seat][slot]) - 1) for slot in range(int(g["sizes"][seat]))}
    ahead = {slot: card % ranks - int(g["fireworks"][card // ranks]) for slot, card in cards.items()}
    good = [held + slot for slot, by in ahead.items() if by == 0]
    useless = [slot for slot, by in ahead.items() if by < 0 and slot in legal]
    hints = [action for action in legal if action >= 2 * held]
    some = good or useless or (hints if rng.random() < 0.7 else []) or [a for a in legal if a < held] or hints or legal
    return rng.choice(some)


def at_length(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
    """Hints while there are tokens, which makes the longest games."""
    hints = [action for action in legal if action >= 2 * int(games[0]["hand_size"])]
    return rng.choice(hints) if hints else legal[0]


def make_smartbot() -> Driver:
    """Makes a driver that is SmartBot in all seats."""
    memory = as_records(np.zeros(1, MEMORY))

    def drive(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
        if games[0]["moves"] == 0:
            start_memory(memory, 0, games, 0)
        before_move(memory, 0, games, 0)
        action = int(hanabi_smart.choose(memory, 0, games, 0))
        learn(memory, 0, games, 0, ALL, action)
        return action

    return drive


DRIVERS: dict[str, Callable[[], Driver]] = {
    "random": lambda: at_random,
    "well": lambda: well,
    "smartbot": make_smartbot,
    "longest": lambda: at_length,
}
"""By name what makes a driver."""


def can_drive(name: str, spec: GameSpec) -> bool:
    """Whether a driver plays a game: SmartBot needs a token and hands of two cards."""
    return name != "smartbot" or not hanabi_smart.SmartBot.unfit(spec)


CHUNK_SECONDS = 5.0  # seconds, about, that a worker plays before it hands over the games that it has finished

SMALL = [
    (2, 1, 5, 2, 3, 1), (2, 2, 3, 2, 3, 2), (2, 2, 5, 2, 3, 1), (3, 3, 4, 3, 4, 2), (2, 3, 5, 5, 8, 3), (5, 2, 5, 2, 2, 3),
    (2, 1, 2, 2, 1, 1), (2, 5, 1, 1, 1, 1), (3, 1, 1, 1, 1, 1), (2, 5, 5, 8, 8, 3), (2, 5, 2, 5, 8, 3), (2, 2, 2, 4, 8, 3),
]  # fmt: skip
FORMS: list[dict[str, int]] = [
    *({"players": players} for players in range(2, 6)),
    *(dict(zip(PARAMETERS, numbers, strict=True)) for numbers in SMALL),
]
"""The forms that are compared: the standard ones of 2 to 5 players, and others, most of them small."""
THEIRS = {"colours": "colors", "information": "max_information_tokens", "lives": "max_life_tokens"}
"""OpenSpiel's names of the parameters that it calls otherwise."""


def both(form: dict[str, int]) -> tuple[GameSpec, Any]:
    """Returns a form of the game, here and as OpenSpiel's ``pyspiel.Game``."""
    import pyspiel

    return hanabi(**form), pyspiel.load_game("hanabi", {THEIRS.get(name, name): value for name, value in form.items()})


class Beside:
    """Plays games of one form here and in OpenSpiel at once, a driver making all moves.

    Raises:
        ValueError: the two games have other numbers of actions or players.
    """

    def __init__(self, form: dict[str, int], driver: Driver) -> None:
        self.spec, self.theirs = both(form)
        self.driver = driver
        sizes = (self.spec.num_actions, self.spec.seats)
        if sizes != (self.theirs.num_distinct_actions(), self.theirs.num_players()):
            raise ValueError(f"{self.spec.name} has {sizes[0]} actions of {sizes[1]} players, unlike OpenSpiel's")
        from open_spiel.python.observation import make_observation

        self.observation = make_observation(self.theirs)
        """OpenSpiel's observer, which writes an observation tensor of a seat to an array of its own."""
        self._batch, self._views = Batch(self.spec, 1, seed=0, restart=False), self.spec.new_games(1)
        self._row = np.zeros((1, self.spec.observation_size), np.int8)
        self._points, self._tricks = np.zeros((1, 1), np.int64), np.zeros((1, self.spec.seats), np.int64)

    def play(self, seed: int, number: int) -> tuple[int, str]:
        """Plays a game, whose cards and random moves follow from a seed and its number, to its end or first difference.

        Returns:
            The number of its moves, and the difference in words; empty if there is none.
        """
        spec, batch = self.spec, self._batch
        rng = random.Random(f"{seed} {number}")
        batch.deal_from(seed_streams(seed, 1, number))
        games, state, drawn, moves, what = batch.games, self.theirs.new_initial_state(), 0, 0, ""
        while True:
            while state.is_chance_node():
                state.apply_action(int(games[0]["deck"][drawn]) - 1)
                drawn += 1
            legal = np.flatnonzero(batch.action_masks[0]).tolist()
            what = what or self._difference(games, state, drawn, legal)
            if what or state.is_terminal():
                return moves, what and f"{what}: {spec.text(games[0])}"
            action = self.driver(spec, games, legal, rng)
            batch.step(np.array([action]))
            state.apply_action(action)
            if state.rewards() != batch.rewards[0].tolist():
                what = f"the rewards {state.rewards()} of move {moves}"
            moves += 1

    def _difference(self, games: Games, state: Any, drawn: int, legal: list[int]) -> str:
        """The difference in a position in words; empty if there is none."""
        spec, row = self.spec, self._row
        if drawn != games[0]["drawn"]:
            return f"{drawn} cards drawn"
        for seat in range(spec.seats):
            spec.kernels.view(games, 0, seat, self._views, 0)
            spec.kernels.observe(self._views, 0, row, 0)
            self.observation.set_from(state, seat)
            vector = self.observation.tensor
            if len(vector) != spec.shown_size("canonical") or (row[0, : len(vector)] != vector).any():
                return f"the vector of seat {seat}"
        spec.kernels.outcome(games, 0, self._points, self._tricks)
        if state.returns() != [self._points[0, 0]] * spec.seats:
            return f"the points {state.returns()}"
        if state.is_terminal() != bool(games[0]["over"]):
            return "the end"
        if state.is_terminal():
            return ""
        if state.current_player() != games[0]["to_act"]:
            return f"the turn of {state.current_player()}"
        return "" if legal == state.legal_actions() else f"the legal actions {state.legal_actions()}"


Comparison = Columns(
    "Comparison",
    Column("form", "the form's name"),
    Column("driver", "the driver's name, a key of `DRIVERS`"),
    Column("games", "number of games"),
    Column("moves", "number of moves of all games"),
    Column("longest", "number of moves of the longest game"),
    Column("different", "the numbers of the games that differ", optional=True),
    Column("first", "the first difference in the first of these; empty if there is none", optional=True),
)
"""The games of one form by one driver."""


def document(result: Row, command: str = "") -> Document:
    """Returns the report of a `Reproduction`."""
    rows = result.comparisons
    return fill_report(
        Path(__file__).with_name("report.md"),
        result=result,
        command=command,
        different=result.different or "none",
        verb="differs" if result.different == 1 else "differ",
        forms=_table(rows, "form", "game"),
        drivers=_table(rows, "driver", "moves"),
        first=[Words(f"Game {row.different[0]} of {row.form}, {row.driver}: {row.first}") for row in rows if row.different],
    )


def _table(rows: Sequence[Row], key: str, title: str) -> Table:
    """The sums over the games of each form or of each driver."""
    lines: list[list[Text]] = []
    for name in dict.fromkeys(getattr(row, key) for row in rows):
        some = [row for row in rows if getattr(row, key) == name]
        games, different = sum(row.games for row in some), sum(len(row.different) for row in some)
        moves, longest = sum(row.moves for row in some) / games, max(row.longest for row in some)
        lines.append([Name(name), f"{games:,}", f"{moves:.1f}", str(longest), str(different)])
    return Table([title, "games", "moves a game", "longest", "different"], lines)


Reproduction = Columns(
    "Reproduction",
    computed_column("game", lambda row: "hanabi", json=None),
    Column("seed", "the seed"),
    Column("openspiel", "OpenSpiel's version"),
    Column("comparisons", "the games by form and driver (`Comparison`)"),
    computed_column("games", lambda row: sum(one.games for one in row.comparisons), json=None),
    computed_column("moves", lambda row: sum(one.moves for one in row.comparisons), json=None),
    computed_column("different", lambda row: sum(len(one.different) for one in row.comparisons), json=None),
    document=document,
)
"""All games that were played beside OpenSpiel's."""


@functools.cache
def pairings() -> list[tuple[int, str]]:
    """Returns the forms, by their numbers in `FORMS`, each with every driver that can play it."""
    return [(k, name) for k, form in enumerate(FORMS) for name in DRIVERS if can_drive(name, hanabi(**form))]


@dataclass(frozen=True)
class PlayedBeside(Pieces):
    """Games that were played beside OpenSpiel's."""

    moves: Ints  # int64 (n,), number of moves of each, to its end or to the first difference
    equal: npt.NDArray[np.bool_]  # (n,), whether there was no difference

    BY_PIECE: ClassVar[tuple[str, ...]] = ("moves", "equal")


@dataclass(frozen=True, kw_only=True)
class BesidePlan(Plan):
    """The plan of games beside OpenSpiel's."""

    games: int  # number of games of each form by each driver
    drivers: list[str]  # the forms, by their parameters, with their drivers

    kind: ClassVar[str] = "comparison"
    piece: ClassVar[str] = "game"
    rows: ClassVar[type[PlayedBeside]] = PlayedBeside

    def begin(self) -> Callable[[Task[int]], Chunk[PlayedBeside]]:
        """Makes the function that plays tasks."""
        return functools.partial(_play_task, self.seed, functools.cache(_make_beside))

    @property
    def unit_names(self) -> list[str]:
        """The forms with their drivers."""
        return self.drivers

    @property
    def units(self) -> list[str]:
        """A word for each form with each of its drivers."""
        return [f"{form:02}-{driver}" for form, driver in pairings()]

    @property
    def pieces(self) -> int:
        """Number of games of each form by each driver."""
        return self.games


def _make_beside(unit: int) -> Beside:
    form, driver = pairings()[unit]
    return Beside(FORMS[form], DRIVERS[driver]())


def _play_task(seed: int, beside_of: Callable[[int], Beside], task: Task[int]) -> Chunk[PlayedBeside]:
    """Plays the first games of a task, at least one, for about `CHUNK_SECONDS`."""
    end = time.perf_counter() + CHUNK_SECONDS
    beside = beside_of(task.of)
    moves, equal = [], []
    for number in range(task.start, task.stop):
        played, difference = beside.play(seed, number)
        moves.append(played)
        equal.append(not difference)
        if time.perf_counter() > end:
            break
    return Chunk(PlayedBeside(np.array(moves), np.array(equal)))


def beside_plan(games: int, seed: int) -> BesidePlan:
    """Returns the plan of at least so many games, at least 1, shared out evenly among the forms and drivers."""
    each = -(-games // len(pairings()))
    drivers = [f"{hanabi(**FORMS[form]).name} {driver}" for form, driver in pairings()]
    return BesidePlan(spec=hanabi(), options={}, seed=seed, games=each, drivers=drivers)


def results_of(store: Store[Any]) -> Row:
    """Returns the `Reproduction` of a plan's games, which are finished."""
    rows = []
    for unit, (form, driver) in enumerate(pairings()):
        played = store.load_unit(unit)
        different = np.flatnonzero(~played.equal).tolist()
        first = _make_beside(unit).play(store.plan.seed, different[0])[1] if different else ""
        name, moves = hanabi(**FORMS[form]).name, played.moves
        rows.append(Comparison(name, driver, len(moves), int(moves.sum()), int(moves.max()), different, first))
    return Reproduction(store.plan.seed, importlib.metadata.version("open_spiel"), rows)
