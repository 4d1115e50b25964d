"""Tournaments: every policy against every other over the same duplicate deals, on all cores, resumable.

All pairings play the same deals, each twice with the sides exchanged. A deal's cards and its policies' random choices come
from the seed and the deal's number, so results depend neither on the number of workers nor on how the deals were cut into
chunks (policies that think by the clock excepted). Finished chunks are files in the tournament's folder; results are always
made from them, so a tournament that was interrupted gives what an uninterrupted one does.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import math
import multiprocessing
import os
import signal
import threading
import time
import traceback
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.match.play import DealResults, Side, interval, play_deals, split_names
from cardenvs.baselines.tournament.ratings import cycles, expected, rate
from cardenvs.files import finite, json_text, write_whole
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec, get_game

CHUNKS = "chunks"

_CHUNK_SECONDS = 5.0  # after about so long a worker hands over what it has
_MAX_CHUNK = 8192  # deals
_MAX_BATCH = 1024  # deals played at a time
_BATCH_SECONDS = 0.5  # about so long playing them takes, where there are enough
_BY_DEAL = ("points", "tricks")  # results of single deals; all others are sums

Progress = Callable[[int, int], None]
"""Called with the deals finished so far, of all pairings together, and the pairings finished."""


# --- settings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """What a tournament's results depend on.

    Other play over the same deals (`cardenvs.baselines.crossplay`) says in a subclass of this who plays whom and what is
    kept of it.

    Attributes:
        kind: what is played, in a word; names the file of the settings, too.
        results: what a chunk holds.
        game: name.
        policies: names or paths of the sides, in the order given.
        deals: deals of each pairing, each played twice.
        options: all rule options.
        seed: of the deals and of the policies' random choices.
        files: the content (SHA-256) of each trained policy's file.
    """

    game: str
    policies: list[str]
    deals: int
    options: dict[str, Any]
    seed: int
    files: dict[str, str] = field(default_factory=dict)

    kind: ClassVar[str] = "tournament"
    results: ClassVar[type[DealResults]] = DealResults

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side, one for all its seats or one for each."""
        return [split_names(name) for name in self.policies]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairings, as numbers of sides."""
        return list(itertools.combinations(range(len(self.policies)), 2))

    def play(self, game: GameSpec, first: Side, second: Side, deals: range) -> DealResults:
        """Plays some deals of a pairing; returns `results`."""
        return play_deals(game, first, second, deals, seed=self.seed, **self.options)

    def differences(self, stored: dict[str, Any]) -> list[str]:
        """How these settings differ from ``stored`` ones, in words."""
        mine = asdict(self)
        found = []
        for key in ("game", "deals", "seed"):
            if stored[key] != mine[key]:
                found.append(f"{key} {stored[key]}, not {mine[key]}")
        if stored["policies"] != mine["policies"]:
            found.append(f"the policies {', '.join(stored['policies'])}, not {', '.join(mine['policies'])}")
        if stored["game"] == mine["game"]:
            for name, value in mine["options"].items():
                if stored["options"].get(name) != value:
                    found.append(f"{name} {stored['options'].get(name)}, not {value}")
        for path in sorted(set(stored["files"]) & set(mine["files"])):
            if stored["files"][path] != mine["files"][path]:
                found.append(f"another content of {path}")
        return found


def settings_for(
    game: str | GameSpec, policies: Sequence[str] | None = None, *, deals: int = 1000, seed: int = 0, **options: Any
) -> Settings:
    """Checks and completes the settings of a tournament.

    Args:
        game: name or spec.
        policies: names with parameters, mixed sides (``"high+low"``) or paths of trained policies; None: every named one.
        deals: deals of each pairing, each played twice.
        seed: int >= 0.
        options: rule options.

    Raises:
        ValueError: unknown game, policy or option, fewer than two policies, one given twice, ``deals`` below 1.
        OSError: a policy's file that cannot be read.
    """
    spec = get_game(game)
    codes = spec.option_codes(options)
    chosen = policy.names(spec) if policies is None else list(policies)
    if len(chosen) < 2:
        raise ValueError(f"a tournament needs at least two policies, not {len(chosen)}: {', '.join(chosen) or 'none'}")
    for name in chosen:
        if chosen.count(name) > 1:
            raise ValueError(f"policies must differ, and {name!r} is given twice")
    if deals < 1:
        raise ValueError(f"deals must be at least 1, not {deals}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, not {seed}")
    values = {o.name: o.decode(codes[o.name]) for o in spec.options}
    return Settings(spec.name, chosen, deals, values, seed, files_of(spec, chosen))


def files_of(game: GameSpec, sides: Sequence[str]) -> dict[str, str]:
    """The content (SHA-256) of each file among the policies of some sides, by path; makes sure that all can be made.

    Raises:
        ValueError: unknown policy, or more policies than seats on a side.
        OSError: a file that cannot be read.
    """
    files = {}
    for name in sides:
        Side(game, name)
        for part in split_names(name):
            path = policy.path_of(part)
            if path is not None:
                files[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return files


# --- what is on disk -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Task:
    """Deals ``start .. stop - 1`` of a pairing, to be played."""

    pairing: int
    start: int
    stop: int


@dataclass(frozen=True)
class _Chunk:
    """What a worker brings back: the deals from ``start`` on that it finished, and what stopped it, if anything did."""

    pairing: int
    start: int
    results: DealResults | None
    error: str = ""
    bug: bool = False  # the error is no wrong input but a failure of the program

    @property
    def stop(self) -> int:
        return self.start + (len(self.results.points) if self.results else 0)


class Store:
    """The chunks of a tournament in its folder.

    Args:
        folder: made if there is none.
        settings: of the tournament.

    Raises:
        ValueError: the folder holds a tournament with other settings; says which differ.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: str | os.PathLike[str], settings: Settings) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"{str(folder)!r} is not a folder")
        self.settings = settings
        self._chunks = self.folder / CHUNKS
        self.done = np.zeros((len(settings.pairs), settings.deals), np.bool_)
        known = self.folder / f"{settings.kind}.json"
        if known.is_file():
            try:
                differences = settings.differences(json.loads(known.read_text()))
            except (KeyError, TypeError, json.JSONDecodeError):
                raise ValueError(f"{str(known)!r} does not hold the settings of a {settings.kind}") from None
            if differences:
                raise ValueError(
                    f"the {settings.kind} in {str(self.folder)!r} was begun with {'; '.join(differences)}: "
                    "go on with the same settings, or give another folder"
                )
            for pairing, start, stop, _ in self._files():
                self.done[pairing, start:stop] = True
        elif next(self._chunks.glob("[0-9]*.npz"), None) is not None:
            raise ValueError(f"{str(self.folder)!r} holds results, but not those of a {settings.kind}: give another folder")
        else:
            write_whole(known, json_text(asdict(settings)))
        self._chunks.mkdir(exist_ok=True)

    def _files(self) -> Iterator[tuple[int, int, int, Path]]:
        """Pairing, first deal, last deal + 1 and path of every chunk."""
        numbers = {pair: k for k, pair in enumerate(self.settings.pairs)}
        for path in sorted(self._chunks.glob("[0-9]*.npz")):
            first, second, start, stop = map(int, path.stem.split("-"))
            yield numbers[first, second], start, stop, path

    def add(self, pairing: int, start: int, results: DealResults) -> None:
        """Keeps the results of some deals, in one file, written whole."""
        stop = start + len(results.points)
        first, second = self.settings.pairs[pairing]
        content = io.BytesIO()
        arrays = {f.name: getattr(results, f.name) for f in fields(results)}
        np.savez_compressed(content, **arrays | {name: arrays[name].astype(np.int16) for name in _BY_DEAL})
        write_whole(self._chunks / f"{first:03}-{second:03}-{start:07}-{stop:07}.npz", content.getvalue())
        self.done[pairing, start:stop] = True

    def missing(self) -> Iterator[_Task]:
        """The runs of deals that have not been played."""
        for pairing, done in enumerate(self.done):
            edges = np.flatnonzero(np.diff(done, prepend=True, append=True))
            for start, stop in edges.reshape(-1, 2):
                yield _Task(pairing, int(start), int(stop))

    def load(self) -> DealResults:
        """Everything that was played, with the pairing as first dimension.

        Raises:
            ValueError: a chunk is damaged, or deals are missing.
        """
        m = len(self.settings.pairs)
        # Small numbers, many of them: 190 pairings of 100,000 deals take 300 MB.
        points: npt.NDArray[Any] = np.zeros((m, self.settings.deals, 2, 2), np.int16)
        tricks: npt.NDArray[Any] = np.zeros_like(points)
        sums: dict[str, npt.NDArray[Any]] = {}
        found = np.zeros((m, self.settings.deals), np.bool_)
        for pairing, start, stop, path in self._files():
            try:
                with np.load(path) as chunk:
                    points[pairing, start:stop] = chunk["points"]
                    tricks[pairing, start:stop] = chunk["tricks"]
                    for f in fields(self.settings.results):
                        if f.name not in _BY_DEAL:
                            total = chunk[f.name]
                            sums.setdefault(f.name, np.zeros((m, *total.shape), total.dtype))[pairing] += total
            except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
                again = f"delete it and run the {self.settings.kind} again"
                raise ValueError(f"the chunk {str(path)!r} is damaged: {again}") from None
            found[pairing, start:stop] = True
        if not found.all():
            which = f"the {self.settings.kind} in {str(self.folder)!r}"
            raise ValueError(f"{which} is not finished: {(~found).sum()} deals are missing")
        return self.settings.results(points, tricks, **sums)


# --- playing -------------------------------------------------------------------------------------------------------


class _Worker:
    """Plays tasks, in this process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.spec = get_game(settings.game)
        self._policies: dict[str, Policy] = {}
        self._sides: dict[int, Side] = {}
        self._sizes: dict[int, int] = {}

    def _side(self, number: int) -> Side:
        if number not in self._sides:
            parts = self.settings.sides[number]
            for name in parts:
                if name not in self._policies:
                    self._policies[name] = policy.make(self.spec, name)
            self._sides[number] = Side(self.spec, [self._policies[name] for name in parts])
            self._sides[number].warm_up(self.spec, **self.settings.options)
        return self._sides[number]

    def play(self, task: _Task) -> _Chunk:
        """Plays deals of the task for about ``_CHUNK_SECONDS``, in batches that grow while they are quick."""
        began = time.perf_counter()
        size = self._sizes.get(task.pairing, 2)
        played: list[DealResults] = []
        at, error, bug = task.start, "", False
        try:
            first, second = map(self._side, self.settings.pairs[task.pairing])
            while at < task.stop and time.perf_counter() - began < _CHUNK_SECONDS:
                deals = range(at, min(at + size, task.stop))
                started = time.perf_counter()
                played.append(self.settings.play(self.spec, first, second, deals))
                took = time.perf_counter() - started
                at = deals.stop
                if took < _BATCH_SECONDS / 2 and len(deals) == size:
                    size = min(2 * size, _MAX_BATCH)
                elif took > 2 * _BATCH_SECONDS:
                    size = max(size // 2, 1)
        except ValueError as stopped_by:
            error = str(stopped_by)
        except Exception:
            error, bug = traceback.format_exc(), True
        self._sizes[task.pairing] = size
        return _Chunk(task.pairing, task.start, _joined(played) if played else None, error, bug)


def _joined(parts: Sequence[DealResults]) -> DealResults:
    arrays = {f.name: [getattr(part, f.name) for part in parts] for f in fields(parts[0])}
    return type(parts[0])(
        **{name: np.concatenate(some) if name in _BY_DEAL else np.sum(some, 0) for name, some in arrays.items()}
    )


def _serve(connection: Connection, settings: Settings) -> None:
    """What a worker process does: plays the tasks it is sent until there are no more."""
    worker = _Worker(settings)
    try:
        while (task := connection.recv()) is not None:
            connection.send(worker.play(task))
    except (EOFError, BrokenPipeError):
        pass  # whoever sent the tasks is gone


class _Queue:
    """Tasks still to be handed out."""

    def __init__(self, tasks: Iterator[_Task], workers: int) -> None:
        self._tasks = deque(tasks)
        self._workers = workers
        self._left = sum(task.stop - task.start for task in self._tasks)

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def take(self) -> _Task:
        """The next task, cut so that the last deals are shared among all workers."""
        task = self._tasks.popleft()
        share = max(8, math.ceil(self._left / self._workers))
        stop = min(task.stop, task.start + share, task.start + _MAX_CHUNK)
        self._left -= stop - task.start
        if stop < task.stop:
            self._tasks.appendleft(_Task(task.pairing, stop, task.stop))
        return _Task(task.pairing, task.start, stop)

    def give_back(self, task: _Task) -> None:
        """Takes back what a worker left of its task."""
        if task.start < task.stop:
            self._tasks.appendleft(task)
            self._left += task.stop - task.start


@contextmanager
def _processes(settings: Settings, count: int) -> Iterator[list[Connection]]:
    """The ends of the lines to ``count`` worker processes, which end with the context, whatever they are at."""
    context = multiprocessing.get_context("spawn")
    processes, lines = [], []
    # Ctrl-C reaches the whole group; the workers must leave it to this process, from their first moment on.
    main_thread = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if main_thread else None
    threads = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"  # for networks: the workers themselves use all cores
    try:
        for _ in range(count):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(there, settings), daemon=True)
            process.start()
            there.close()
            processes.append(process)
            lines.append(here)
    finally:
        if threads is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = threads
        if main_thread:
            signal.signal(signal.SIGINT, handler)
    try:
        yield lines
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _played_here(settings: Settings, queue: _Queue) -> Iterator[_Chunk]:
    worker = _Worker(settings)
    while queue:
        task = queue.take()
        chunk = worker.play(task)
        queue.give_back(_Task(task.pairing, chunk.stop, task.stop))
        yield chunk


def _played_by_workers(settings: Settings, queue: _Queue, workers: int) -> Iterator[_Chunk]:
    with _processes(settings, workers) as lines:
        at_work: dict[Connection, _Task] = {}
        idle = deque(lines)
        while queue or at_work:
            try:
                while queue and idle:
                    line = idle.popleft()
                    at_work[line] = queue.take()
                    line.send(at_work[line])
                ready = wait(list(at_work))
                chunks = [(line, line.recv()) for line in at_work if line in ready]
            except (EOFError, ConnectionError):
                raise RuntimeError(f"a worker process of the {settings.kind} died; finished results are kept") from None
            for line, chunk in chunks:
                task = at_work.pop(line)
                queue.give_back(_Task(task.pairing, chunk.stop, task.stop))
                idle.append(line)
                yield chunk


def default_workers() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_tournament(
    settings: Settings, out: str | os.PathLike[str], *, workers: int | None = None, progress: Progress | None = None
) -> TournamentResult:
    """Plays a tournament, or what is missing of one, in the folder ``out``; see `play_all`."""
    return results_of(play_all(settings, out, workers=workers, progress=progress))


def play_all(
    settings: Settings, out: str | os.PathLike[str], *, workers: int | None = None, progress: Progress | None = None
) -> Store:
    """Plays all pairings of some settings, or what is missing of them, in the folder ``out``; returns what is there.

    Args:
        settings: of a tournament, from `settings_for`, or of another kind.
        out: folder for the finished chunks; made if there is none.
        workers: processes that play; None: one for each core. With more than one, a script that calls this needs the usual
            ``if __name__ == "__main__":``.
        progress: called as chunks finish.

    Raises:
        ValueError: other settings in the folder; ``workers`` below 1; an illegal action of a policy, named with its seat
            and position, after what was finished has been kept.
        OSError: the folder cannot be written.
        RuntimeError: a worker failed.
    """
    workers = default_workers() if workers is None else workers
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    store = Store(out, settings)
    if progress is not None:
        progress(int(store.done.sum()), int(store.done.all(1).sum()))
    tasks = list(store.missing())
    workers = min(workers, sum(task.stop - task.start for task in tasks))
    queue = _Queue(iter(tasks), workers)
    chunks = _played_by_workers(settings, queue, workers) if workers > 1 else _played_here(settings, queue)
    try:
        for chunk in chunks:
            if chunk.results is not None:
                store.add(chunk.pairing, chunk.start, chunk.results)
                if progress is not None:
                    progress(int(store.done.sum()), int(store.done.all(1).sum()))
            if chunk.error:
                first, second = ("+".join(settings.sides[k]) for k in settings.pairs[chunk.pairing])
                message = f"{first} - {second}: {chunk.error}"
                raise RuntimeError(message) if chunk.bug else ValueError(message)
    finally:
        chunks.close()  # type: ignore[attr-defined]
    return store


# --- results -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SeatResults:
    """What one seat brought whoever sat there, in a game whose seats are not alike.

    Attributes:
        games: that count.
        wins: of them.
        draws: of them.
        losses: of them.
        win_rate: a draw counting half.
        win_rate_ci95: its 95% confidence interval, from the spread between deals.
        mean_points: points a game above the opponent.
        mean_points_ci95: its interval.
        mean_tricks: tricks (columns) above the opponent, likewise.
        mean_tricks_ci95: its interval.
    """

    games: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    win_rate_ci95: list[float]
    mean_points: float
    mean_points_ci95: list[float]
    mean_tricks: float
    mean_tricks_ci95: list[float]


@dataclass(frozen=True)
class Standing:
    """A policy's place in a tournament.

    Attributes:
        policy: name.
        rating: Bradley-Terry, on Elo's scale; the mean over all policies is 0.
        rating_ci95: its 95% confidence interval.
        win_rate: mean over all opponents, a draw counting half.
        win_rate_ci95: its interval.
        mean_points: points a deal above the opponent, mean over all opponents.
        mean_points_ci95: its interval.
        mean_tricks: tricks (columns) above the opponent, likewise.
        mean_tricks_ci95: its interval.
        decisions: made in the tournament.
        decisions_per_s: of the policy's own time.
        by_seat: its games as player_0, who moves first, and those as player_1; None where seats are alike.
    """

    policy: str
    rating: float
    rating_ci95: list[float]
    win_rate: float
    win_rate_ci95: list[float]
    mean_points: float
    mean_points_ci95: list[float]
    mean_tricks: float
    mean_tricks_ci95: list[float]
    decisions: int
    decisions_per_s: float
    by_seat: list[SeatResults] | None


@dataclass(frozen=True)
class Pairing:
    """Two policies against each other; attributes as in `cardenvs.baselines.match.MatchResult`, and

    Attributes:
        first_seat: the results of player_0, who moves first, whoever of the two it was; None where seats are alike.
    """

    sides: list[str]
    games_won: list[int]
    win_rate: list[float]
    ci95: list[float]
    tricks_won: list[int]
    points: list[int]
    mean_points: float
    mean_points_ci95: list[float]
    mean_tricks: float
    mean_tricks_ci95: list[float]
    decisions: list[int]
    decisions_per_s: list[float]
    first_seat: SeatResults | None


@dataclass(frozen=True)
class Triple:
    """A beats B beats C beats A.

    Attributes:
        policies: A, B and C.
        leads: A's lead over B, B's over C and C's over A: win rate above one half, or points a deal.
        z: the least of them in standard errors.
    """

    policies: list[str]
    leads: list[float]
    z: float


@dataclass(frozen=True)
class Cycles:
    """The non-transitive triples by one measure.

    Attributes:
        triples: how many triples there are.
        significant: those non-transitive ones in which each lead is significant by itself (95%, two-sided), surest first.
            Where one of the three is in truth level, the chance to be listed here is at most 2.5%.
        not_significant: how many more are non-transitive, but not significantly.
    """

    triples: int
    significant: list[Triple]
    not_significant: int


@dataclass(frozen=True)
class TournamentResult:
    """What a tournament brought.

    Attributes:
        game: name.
        protocol: always duplicate.
        policies: best rated first.
        deals: of each pairing.
        games: of each pairing: twice the deals.
        options: rule options.
        seed: of the tournament.
        standings: of the policies, in their order.
        pairings: each once, the better rated policy first.
        regularised: whether somebody won or lost everything, so that the ratings had to be bounded
            (see `cardenvs.baselines.tournament.ratings.rate`).
        misfit: the largest difference between a pairing's win rate and the one that the ratings predict.
        cycles: by win rate and by points.
        first_seat: the results of player_0, who moves first, over all pairings; None where seats are alike.
    """

    game: str
    protocol: str
    policies: list[str]
    deals: int
    games: int
    options: dict[str, Any]
    seed: int
    standings: list[Standing]
    pairings: list[Pairing]
    regularised: bool
    misfit: float
    cycles: dict[str, Cycles]
    first_seat: SeatResults | None

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; an interval's end that is infinite becomes None."""
        return dict(finite(asdict(self)))


def _share(values: npt.NDArray[np.float64]) -> tuple[float, list[float]]:
    """The mean of shares of 1 and its interval, which stays within 0 and 1."""
    mean, (low, high) = interval(values)
    return mean, [max(0.0, low), min(1.0, high)]


def _per_second(decisions: int, seconds: float) -> float:
    return float(decisions / seconds) if seconds > 0 else 0.0


@dataclass(frozen=True)
class _Leads:
    """Results of single games for the first side of each pairing, by pairing, deal and copy.

    Attributes:
        won: 1, 0 or 1/2.
        points: more than the other side's.
        tricks: likewise.
    """

    won: npt.NDArray[np.float64]
    points: npt.NDArray[np.int16]
    tricks: npt.NDArray[np.int16]

    def in_seat(self, seat: int, as_first: npt.NDArray[np.int64], as_second: npt.NDArray[np.int64]) -> SeatResults:
        """The results in a seat (0 or 1) of the first sides of some pairings and the second sides of others."""

        def of(leads: npt.NDArray[Any], whole: int) -> npt.NDArray[Any]:
            # In copy 0 the first side has seat 0, in copy 1 the other.
            return np.concatenate([leads[as_first, :, seat], whole - leads[as_second, :, 1 - seat]])

        won, points, tricks = of(self.won, 1), of(self.points, 0), of(self.tricks, 0)
        wins, draws = int((won == 1).sum()), int((won == 0.5).sum())
        win_rate, win_rate_ci95 = _share(won.mean(0))
        mean_points, mean_points_ci95 = interval(points.mean(0))
        mean_tricks, mean_tricks_ci95 = interval(tricks.mean(0))
        return SeatResults(
            games=won.size,
            wins=wins,
            draws=draws,
            losses=won.size - wins - draws,
            win_rate=win_rate,
            win_rate_ci95=win_rate_ci95,
            mean_points=mean_points,
            mean_points_ci95=mean_points_ci95,
            mean_tricks=mean_tricks,
            mean_tricks_ci95=mean_tricks_ci95,
        )


def results_of(store: Store) -> TournamentResult:
    """The results of a finished tournament.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    settings = store.settings
    spec = get_game(settings.game)
    played = store.load()
    pairs = np.array(settings.pairs, np.int64)
    k, n = len(settings.policies), settings.deals
    point_leads, trick_leads = (counted[..., 0] - counted[..., 1] for counted in (played.points, played.tricks))
    won = (np.sign(point_leads) + 1) / 2
    leads = _Leads(won, point_leads, trick_leads)
    wins: npt.NDArray[np.float64] = won.mean(2)
    ratings = rate(wins, pairs, k)
    # The margins of both copies' mean, for the first side of the pairing.
    points, tricks = point_leads.mean(2, dtype=np.float64), trick_leads.mean(2, dtype=np.float64)
    # A side of two sits all round the table; single players sit first or second.
    seats_differ = not spec.team

    order = np.argsort(-ratings.values, kind="stable")
    place = np.argsort(order)
    found = []
    for pairing, (a, b) in enumerate(pairs):
        sign = 1 if place[a] < place[b] else -1
        sides = slice(None, None, sign)
        mean, ci95 = _share(wins[pairing] if sign == 1 else 1 - wins[pairing])
        mean_points, mean_points_ci95 = interval(sign * points[pairing])
        mean_tricks, mean_tricks_ci95 = interval(sign * tricks[pairing])
        both = np.array([pairing])
        found.append(
            Pairing(
                sides=[settings.policies[a], settings.policies[b]][sides],
                games_won=[int((won[pairing] == value).sum()) for value in (1, 0)][sides],
                win_rate=[mean, 1.0 - mean],
                ci95=ci95,
                tricks_won=played.tricks[pairing].sum((0, 1), dtype=np.int64)[sides].tolist(),
                points=played.points[pairing].sum((0, 1), dtype=np.int64)[sides].tolist(),
                mean_points=mean_points,
                mean_points_ci95=mean_points_ci95,
                mean_tricks=mean_tricks,
                mean_tricks_ci95=mean_tricks_ci95,
                decisions=played.decisions[pairing][sides].tolist(),
                decisions_per_s=[
                    _per_second(*figures)
                    for figures in zip(played.decisions[pairing][sides], played.seconds[pairing][sides], strict=True)
                ],
                first_seat=leads.in_seat(0, both, both) if seats_differ else None,
            )
        )
    found.sort(key=lambda pairing: [place[settings.policies.index(side)] for side in pairing.sides])

    standings = []
    for player in order:
        as_first, as_second = np.flatnonzero(pairs[:, 0] == player), np.flatnonzero(pairs[:, 1] == player)
        win_rate, win_rate_ci95 = _share((wins[as_first].sum(0) + (1 - wins[as_second]).sum(0)) / (k - 1))
        mean_points, mean_points_ci95 = interval((points[as_first].sum(0) - points[as_second].sum(0)) / (k - 1))
        mean_tricks, mean_tricks_ci95 = interval((tricks[as_first].sum(0) - tricks[as_second].sum(0)) / (k - 1))
        decisions = int(played.decisions[as_first, 0].sum() + played.decisions[as_second, 1].sum())
        seconds = float(played.seconds[as_first, 0].sum() + played.seconds[as_second, 1].sum())
        standings.append(
            Standing(
                policy=settings.policies[player],
                rating=float(ratings.values[player]),
                rating_ci95=ratings.ci95[player].tolist(),
                win_rate=win_rate,
                win_rate_ci95=win_rate_ci95,
                mean_points=mean_points,
                mean_points_ci95=mean_points_ci95,
                mean_tricks=mean_tricks,
                mean_tricks_ci95=mean_tricks_ci95,
                decisions=decisions,
                decisions_per_s=_per_second(decisions, seconds),
                by_seat=[leads.in_seat(seat, as_first, as_second) for seat in (0, 1)] if seats_differ else None,
            )
        )

    predicted = expected(ratings.values)[pairs[:, 0], pairs[:, 1]]
    every = np.arange(len(pairs))
    return TournamentResult(
        game=spec.name,
        protocol="duplicate",
        policies=[settings.policies[player] for player in order],
        deals=n,
        games=2 * n,
        options=settings.options,
        seed=settings.seed,
        standings=standings,
        pairings=found,
        regularised=ratings.regularised,
        misfit=float(np.abs(wins.mean(1) - predicted).max()),
        cycles={"win_rate": _cycles(settings, wins - 0.5), "points": _cycles(settings, points)},
        first_seat=leads.in_seat(0, every, every) if seats_differ else None,
    )


def _cycles(settings: Settings, leads: npt.NDArray[np.float64]) -> Cycles:
    """The non-transitive triples by the leads of the first sides, by pairing and deal."""
    k, n = len(settings.policies), settings.deals
    lead, error = np.zeros((k, k)), np.full((k, k), math.inf)
    for (a, b), values in zip(settings.pairs, leads, strict=True):
        lead[a, b], lead[b, a] = values.mean(), -values.mean()
        if n > 1:
            error[a, b] = error[b, a] = values.std(ddof=1) / math.sqrt(n)
    found = cycles(lead, error)
    significant = [
        Triple(
            policies=[settings.policies[player] for player in cycle.players],
            leads=[float(lead[cycle.players[i], cycle.players[(i + 1) % 3]]) for i in range(3)],
            z=cycle.z,
        )
        for cycle in found
        if cycle.significant
    ]
    return Cycles(math.comb(k, 3), significant, len(found) - len(significant))
