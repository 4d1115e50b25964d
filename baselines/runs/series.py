"""Several matches one after the other by the workers of an engine: this process, processes, or a Ray cluster.

Workers play chunks of deals, which are put together in the order of the matches and of their deals: the results are the
same to the bit for any workers, and for any number of them.
"""

from __future__ import annotations

import contextlib
import functools
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, Self

from cardenvs.baselines.engine.job import Job
from cardenvs.baselines.engine.tasks import Task
from cardenvs.baselines.engine.work import work
from cardenvs.baselines.match.batches import Batches
from cardenvs.baselines.match.play import deals_at_a_time, play_deals, warm_up
from cardenvs.baselines.match.protocols import copies_of
from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.match.side import Player, Side, as_side
from cardenvs.baselines.runs.workers import compile_ahead
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Forfeit

GAMES_AT_A_TIME = 4096  # the most games that a worker plays at a time
MOST_DEALS = 8192  # the most deals of a chunk


class Observing(Protocol):
    """An observer of finished deals whose counts over several runs of deals can be put together."""

    def __call__(self, games: Games, owner: Ints) -> None:
        """Takes in finished deals, as `cardenvs.baselines.match.Observer` says."""

    def add(self, other: Self) -> None:
        """Adds the counts of an observer of the same kind over later deals."""


def _play_all(results: DealResults, observer: Any) -> bool:
    """Ends no match."""
    return False


@dataclass(frozen=True)
class Match:
    """A match that is to be played.

    Attributes:
        first: the first side.
        second: the second side, or what holds each of the other sides; None for a team alone in a game of one side.
        deals: the most deals (in the published protocol games).
        protocol: ``"duplicate"`` or ``"published"``.
        observing: makes an observer of the match; a function of a module, or a partial of one. None: no observer.
        looks: numbers of deals after which ``until`` is asked, in order, those that are not below ``deals`` being left out.
        until: whether, by the results so far and what was observed, the match may end.
    """

    first: Player
    second: Player | None
    deals: int
    seed: int = 0
    protocol: str = "duplicate"
    options: Mapping[str, Any] = field(default_factory=dict)
    observing: Callable[[], Observing] | None = None
    looks: Sequence[int] = ()
    until: Callable[[DealResults, Any], bool] = _play_all


class PlayedMatch(NamedTuple):
    """A match that was played."""

    results: DealResults | None  # None if the match was forfeited before a deal was finished
    observer: Any  # what has seen these deals, made by `Match.observing`; None where there is none
    seconds: float  # wall time that playing took, of all workers together
    forfeit: Forfeit | None  # how the match was forfeited; None if it was not

    def finished(self) -> DealResults:
        """The results; raises the `Forfeit` of a match that was forfeited before a deal was finished."""
        if self.results is None:
            assert self.forfeit is not None
            raise self.forfeit
        return self.results


Next = Callable[[Callable[[int], None] | None], PlayedMatch]
"""A function that plays the next match to its end: takes a function that is called with the number of deals finished since
the last call, or None."""


@contextlib.contextmanager
def series(
    game: str | GameSpec,
    matches: Sequence[Match],
    *,
    workers: int | None = 1,
    cluster: str | Executor | None = None,
) -> Iterator[Next]:
    """Matches of one game that are played one after the other, in their order, while the context is open.

    Args:
        workers: processes that play; None: one for each core. With more than one, a script that calls this needs the usual
            ``if __name__ == "__main__":``.

    Yields:
        The function that plays the next match.

    Raises:
        ValueError: a policy that cannot be sent to other processes, ``workers`` below 1, a cluster that cannot be used; in
            the context an illegal action of a policy.
        RuntimeError: several workers were lost at the same deals.
    """
    spec = get_game(game).plain
    begin = functools.partial(_player, [replace(match, looks=(), until=_play_all) for match in matches])
    if workers != 1 or cluster is not None:
        _check_sendable(begin)
    ended: set[int] = set()
    ahead = functools.partial(compile_ahead, functools.partial(begin, spec), set(range(len(matches))))
    chunks = work(
        Job("match", begin, spec), _tasks(matches), lambda chunk: chunk.deals, workers=workers, cluster=cluster,
        largest=MOST_DEALS, ahead=ahead, wanted=lambda task: task.of not in ended,
    )  # fmt: skip
    early: dict[tuple[int, int], _Chunk] = {}
    left = iter(range(len(matches)))

    def next_chunk(number: int, at: int) -> _Chunk:
        """The chunk of a match that begins with the deal ``at``."""
        while (number, at) not in early:
            task, chunk = next(chunks)
            if task.of not in ended:
                early[task.of, task.start] = chunk
        return early.pop((number, at))

    def play_next(progress: Callable[[int], None] | None = None) -> PlayedMatch:
        number = next(left)
        match = matches[number]
        observer = None if match.observing is None else match.observing()
        parts: list[DealResults] = []
        at, seconds, forfeit = 0, 0.0, None
        while at < match.deals and forfeit is None:
            chunk = next_chunk(number, at)
            parts += chunk.parts
            at, seconds, forfeit = at + chunk.deals, seconds + chunk.seconds, chunk.forfeit
            if observer is not None and chunk.parts:
                observer.add(chunk.observer)
            if progress is not None and chunk.parts:
                progress(chunk.deals)
            if at in match.looks and match.until(DealResults.joined(parts), observer):
                break
        ended.add(number)
        for key in [key for key in early if key[0] == number]:
            del early[key]
        return PlayedMatch(DealResults.joined(parts) if parts else None, observer, seconds, forfeit)

    with contextlib.closing(chunks):
        yield play_next


class _Chunk(NamedTuple):
    """A chunk of a match's results, which a worker hands over."""

    parts: list[DealResults]
    observer: Any
    seconds: float
    forfeit: Forfeit | None

    @property
    def deals(self) -> int:
        """Number of finished deals."""
        return sum(part.deals for part in self.parts)


def _player(matches: Sequence[Match], spec: GameSpec) -> Callable[[Task[int]], _Chunk]:
    """The function that plays tasks in a worker."""
    batches: Batches[int] = Batches()

    @functools.cache
    def named_side(name: str) -> Side:
        """The side of a name, one object in all matches."""
        return Side(spec, name)

    @functools.cache
    def ready_sides(number: int) -> list[Side]:
        """The sides of a match, warmed up once."""
        match = matches[number]
        players = [who for who in (match.first, match.second) if who is not None]
        sides = [named_side(who) if isinstance(who, str) else as_side(spec, who) for who in players]
        warm_up(spec, sides, match.protocol, match.observing is not None, **match.options)
        return sides

    def play(task: Task[int]) -> _Chunk:
        """Plays deals of a task for about the time of a chunk."""
        match = matches[task.of]
        observer = None if match.observing is None else match.observing()
        parts: list[DealResults] = []
        began, forfeit = time.perf_counter(), None
        try:
            sides = ready_sides(task.of)
            began = time.perf_counter()
            most = deals_at_a_time(sides, max(1, GAMES_AT_A_TIME // copies_of(spec, match.protocol)))
            begin_with = min(2, most) if any(side.slow for side in sides) else most
            for deals in batches.next_batches(task, begin_with, most):
                parts.append(
                    play_deals(
                        spec, sides[0], sides[1] if len(sides) > 1 else None, deals,
                        seed=match.seed, protocol=match.protocol, observer=observer, **match.options,
                    )
                )  # fmt: skip
        except Forfeit as stopped_by:
            forfeit = stopped_by
        return _Chunk(parts, observer, time.perf_counter() - began, forfeit)

    return play


def _tasks(matches: Sequence[Match]) -> list[Task[int]]:
    """Tasks with the deals of all matches, which end where it is asked whether the match may end."""
    tasks = []
    for number, match in enumerate(matches):
        ends = sorted({*(look for look in match.looks if 0 < look < match.deals), match.deals})
        tasks += [Task(number, start, stop) for start, stop in zip([0, *ends], ends, strict=False)]
    return tasks


def _check_sendable(begin: Callable[..., Any]) -> None:
    try:
        pickle.dumps(begin)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ValueError(
            f"with several workers policies are given by their names, or can be pickled; here one cannot: {error}"
        ) from None
