"""Several matches one after the other by the workers of an engine, and how a worker plays deals.

Chunks of deals are put together in the order of the matches and of their deals: the results are the same to the bit for
any workers, and for any number of them.
"""

import contextlib
import functools
import pickle
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from cardenvs.baselines.engine.work import Job, Task, work
from cardenvs.baselines.match.batches import Batches
from cardenvs.baselines.match.play import deals_at_a_time, play_deals, warm_up
from cardenvs.baselines.match.protocols import copies_of
from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.match.side import Player, Side, as_side
from cardenvs.baselines.runs.plan import Chunk
from cardenvs.baselines.runs.store import compile_ahead
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Forfeit

GAMES_AT_A_TIME = 4096  # the most games that a worker plays at a time


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
        observing: makes an observer of the match (`cardenvs.baselines.match.Observer`), whose method ``add`` adds what
            another one has counted; a function of a module, or a partial of one. None: no observer.
        looks: numbers of deals after which ``until`` is asked, in order, those that are not below ``deals`` being left out.
        until: whether, by the results so far and what was observed, the match may end.
    """

    first: Player
    second: Player | None
    deals: int
    seed: int = 0
    protocol: str = "duplicate"
    options: Mapping[str, Any] = field(default_factory=dict)
    observing: Callable[[], Any] | None = None
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
    begin = functools.partial(_begin_matches, [replace(match, looks=(), until=_play_all) for match in matches])
    if workers != 1 or cluster is not None:
        try:
            pickle.dumps(begin)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise ValueError(
                f"with several workers policies are given by their names, or can be pickled; here one cannot: {error}"
            ) from None
    ended: set[int] = set()
    ahead = functools.partial(compile_ahead, functools.partial(begin, spec), set(range(len(matches))))
    chunks = work(
        Job("match", begin, spec), _tasks(matches), lambda chunk: chunk.size, workers=workers, cluster=cluster,
        ahead=ahead, wanted=lambda task: task.of not in ended,
    )  # fmt: skip
    early: dict[tuple[int, int], Chunk[DealResults]] = {}
    left = iter(range(len(matches)))

    def next_chunk(number: int, at: int) -> Chunk[DealResults]:
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
            at, seconds, forfeit = at + chunk.size, seconds + chunk.seconds, chunk.forfeit
            if chunk.rows is not None:
                parts.append(chunk.rows)
                if observer is not None:
                    observer.add(chunk.observer)
                if progress is not None:
                    progress(chunk.size)
            if at in match.looks and match.until(DealResults.joined(parts), observer):
                break
        ended.add(number)
        for key in [key for key in early if key[0] == number]:
            del early[key]
        return PlayedMatch(DealResults.joined(parts) if parts else None, observer, seconds, forfeit)

    with contextlib.closing(chunks):
        yield play_next


class Prepared(NamedTuple):
    """The means by which a worker plays deals of a pairing."""

    sides: list[Side]  # warmed up
    play: Callable[[range], DealResults]  # plays deals, given by their numbers
    first: int  # deals of the first batch: few, where a policy may be slow, so that what it has finished is soon kept
    most: int  # the most deals at a time
    observer: Any = None  # what sees the deals


def make_player(
    prepare: Callable[[int], Prepared], name: Callable[[int], str] | None = None
) -> Callable[[Task[int]], Chunk[DealResults]]:
    """Makes the function that plays tasks in a worker, each for about the time of a chunk.

    Args:
        prepare: called with a pairing's number at the begin of each of its tasks.
        name: returns a pairing's name, for chunks with the error that ended them; None: errors are raised.
    """
    batches: Batches[int] = Batches()

    def play(task: Task[int]) -> Chunk[DealResults]:
        parts: list[DealResults] = []
        began, observer, error, forfeit = time.perf_counter(), None, None, None
        try:
            sides, play_deals, first, most, observer = prepare(task.of)
            began = time.perf_counter()
            for deals in batches.next_batches(task, first, deals_at_a_time(sides, most)):
                parts.append(play_deals(deals))
        except Forfeit as stopped_by:
            forfeit = stopped_by
        except Exception as stopped_by:
            if name is None:
                raise
            wrong_input = isinstance(stopped_by, ValueError)
            kind, text = (ValueError, stopped_by) if wrong_input else (RuntimeError, traceback.format_exc())
            error = kind(f"{name(task.of)}: {text}")
        seconds, rows = time.perf_counter() - began, parts[0].joined(parts) if parts else None
        return Chunk(rows, error, forfeit, observer, seconds)

    return play


def _begin_matches(matches: Sequence[Match], spec: GameSpec) -> Callable[[Task[int]], Chunk[DealResults]]:
    """Makes the function that plays tasks of matches in a worker."""

    @functools.cache
    def named_side(name: str) -> Side:
        """The side of a name, one object in all matches."""
        return Side(spec, name)

    @functools.cache
    def ready_sides(number: int) -> list[Side]:
        match = matches[number]
        players = [who for who in (match.first, match.second) if who is not None]
        sides = [named_side(who) if isinstance(who, str) else as_side(spec, who) for who in players]
        warm_up(spec, sides, match.protocol, match.observing is not None, **match.options)
        return sides

    def prepare(number: int) -> Prepared:
        match, sides = matches[number], ready_sides(number)
        observer = None if match.observing is None else match.observing()
        play = functools.partial(
            play_deals, spec, sides[0], sides[1] if len(sides) > 1 else None,
            seed=match.seed, protocol=match.protocol, observer=observer, **match.options,
        )  # fmt: skip
        most = max(1, GAMES_AT_A_TIME // copies_of(spec, match.protocol))
        return Prepared(sides, play, 2 if any(side.slow for side in sides) else most, most, observer)

    return make_player(prepare)


def _tasks(matches: Sequence[Match]) -> list[Task[int]]:
    """Tasks with the deals of all matches, which end where it is asked whether the match may end."""
    tasks = []
    for number, match in enumerate(matches):
        ends = sorted({*(look for look in match.looks if 0 < look < match.deals), match.deals})
        tasks += [Task(number, start, stop) for start, stop in zip([0, *ends], ends, strict=False)]
    return tasks
