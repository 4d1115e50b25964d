"""Base classes of searching policies: one that draws worlds until a budget is spent, adds up, and chooses; its budget."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardenvs.checks import MOST_DRAWN, check_int, check_number
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.waiting import clock
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import ScoredPolicy
from cardenvs.policy.explanation import Scores

CALL = 1024  # worlds in one call of a kernel; between calls Python may be interrupted

Search = Callable[[Ints, int], None]
"""``search(rows, worlds)``: adds ``worlds`` more worlds of some rows of a batch, int64 (k,), to sums."""


def check_seconds(seconds: Any) -> float | None:
    """The parameter ``seconds`` of a search: a float above 0, or None for no budget of time; else raises ValueError."""
    return None if seconds is None else check_number("seconds", seconds, above=True)


def portions(count: int, seconds: float | None, chunk: int, call: int = CALL, began: float | None = None) -> Iterator[int]:
    """Yields how many worlds to draw next, until there are ``count``, at most ``call`` at a time.

    With ``seconds``, ``chunk`` at a time, at least once, until so much time has passed since ``began``, a time of `clock`.
    """
    if seconds is None:
        for done in range(0, count, call):
            yield min(call, count - done)
        return
    end = (clock() if began is None else began) + seconds
    yield chunk
    while clock() < end:
        yield chunk


def spend_budget(search: Search, rows: Ints, count: int, seconds: float | None, chunk: int, call: int = CALL) -> Ints:
    """Searches rows until the budget of `portions` is spent for each; returns the number of worlds of each, int64 (k,)."""
    if seconds is None and 0 < count * len(rows) <= call:
        search(rows, count)
        return np.full(len(rows), count)
    drawn = np.zeros(len(rows), np.int64)
    together = max(1, call // count) if seconds is None else 1
    for start in range(0, len(rows), together):
        some = slice(start, start + together)
        for worlds in portions(count, seconds, chunk, call):
            search(rows[some], worlds)
            drawn[some] += worlds
    return drawn


class SearchPolicy(ScoredPolicy):
    """A policy that searches: it re-deals the hidden cards, or counts their possible places, and looks ahead."""

    games: ClassVar[tuple[str, ...] | None] = ("euchre", "whist")
    slow = True


class RowSearch(SearchPolicy):
    """A search that finds the scores of the actions in rows, and the evidence for them."""

    @abstractmethod
    def search_rows(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, Scores | None, Ints]:
        """The results of `ScoredPolicy.evaluate`, and the evidence of `ScoredPolicy.weigh`; no errors if unknown."""

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        return self.search_rows(observations, action_masks, streams, skip_forced)[:2]


class WeighingSearch(RowSearch):
    """A search that tells what stands behind its scores."""

    def weigh(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> tuple[Scores, Ints, Scores | None, Ints]:
        return self.search_rows(observations, action_masks, streams, False)


class Decisions(NamedTuple):
    """The rows of a batch, and what was found in worlds of them."""

    observations: Bytes  # int8 (n, observation_size)
    masks: Bytes  # int8 (n, num_actions)
    streams: Streams  # uint64 (n,), advanced in place
    sums: Any  # of `WorldSearch.new_sums`, added to by searches
    drawn: Ints  # int64 (n, 1), numbers of worlds; 1 in rows without a search
    chosen: Ints  # int64 (n,), the lowest legal actions; for searches that write what they choose


class WorldSearch(RowSearch):
    """A search that adds up what each action brings in worlds, drawn until a budget is spent, and takes the best.

    Attributes:
        worlds: how many worlds to draw for a decision.
        seconds: time for drawing worlds instead of their number, or None.
        chunk: number of worlds between two looks at the clock.
        call: number of worlds in one call of a search.
        counted: the name of the parameter ``worlds``.
    """

    chunk: ClassVar[int] = 16
    call: ClassVar[int] = CALL
    counted: ClassVar[str] = "worlds"

    def __init__(self, game: str | GameSpec, worlds: int, seconds: float | None) -> None:
        super().__init__(game)
        self.worlds = check_int(self.counted, worlds, 1, MOST_DRAWN)
        self.seconds = check_seconds(seconds)

    def new_sums(self, count: int) -> Any:
        """Zeros for ``count`` rows, an array of shape (count, ...)."""
        return np.zeros((count, self.game.num_actions))

    @abstractmethod
    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        """Yields parts of ``rows``, and the search that adds to the sums of each, which is done before the next part."""

    def score_and_choose(self, decisions: Decisions) -> tuple[Scores, Ints | None]:
        """The scores of all actions, float64 (n, num_actions), and the actions to choose, int64 (n,).

        None in place of the latter chooses by the scores, of equal ones the lowest action's.
        """
        return decisions.sums / decisions.drawn, None

    def search_rows(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints, None, Ints]:
        count = len(action_masks)
        drawn, lowest = np.ones((count, 1), np.int64), action_masks.argmax(axis=1)
        decisions = Decisions(observations, action_masks, streams, self.new_sums(count), drawn, lowest)
        rows = (action_masks.sum(axis=1) > 1).nonzero()[0] if skip_forced else np.arange(count)
        for part, search in self.searches(rows, decisions) if len(rows) else ():
            drawn[part, 0] = spend_budget(search, part, self.worlds, self.seconds, self.chunk, self.call)
        scores, chosen = self.score_and_choose(decisions)
        scores[action_masks == 0] = np.nan
        best = np.nanargmax(scores, axis=1) if chosen is None else chosen
        return scores, best, None, np.broadcast_to(drawn, scores.shape)
