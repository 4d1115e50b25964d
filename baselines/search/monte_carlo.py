"""Flat Monte Carlo for trick games: deal the hidden cards, try every action, play the deals out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs import drivers
from cardenvs.baselines.heuristics.calling import CALLERS, DEFAULT_CALLER, call
from cardenvs.baselines.search.playout import FAST_AGENTS, PLAYOUTS, finish_euchre, finish_whist, play_out
from cardenvs.baselines.search.policy import SearchPolicy, check_choice, check_seconds, check_worlds
from cardenvs.baselines.search.worlds import (
    EUCHRE,
    WHIST,
    best_place,
    draw,
    new_tables,
    open_euchre,
    open_whist,
    suit_of,
    to_places,
)
from cardenvs.cards import Bytes, Floats, Ints, Streams, lowest, popcount
from cardenvs.games import euchre, whist
from cardenvs.jit import driver, helper, kernel
from cardenvs.policy import Scores, mask_bits
from cardenvs.spec import GameSpec

GOALS = {"points": drivers.POINTS, "tricks": drivers.TRICKS}
"""What play-outs are counted in, by name."""
BY_SEARCH = "monte-carlo"
"""The name for ``calling`` that has bids and discards searched too."""

_CHUNK = 16
"""Worlds between two looks at the clock."""
_ROWS = 64
"""Rows searched in one call of a kernel; between calls Python may be interrupted."""
_MOST_TRICKS = 13
_TIE = 2.0**-30
"""Weight of what is not the goal, too small to outweigh one point or trick in any number of worlds: it decides ties."""

_EUCHRE_PLACE, _EUCHRE_CARD, _EUCHRE_SAME_SUIT, _EUCHRE_SAME_RANK = EUCHRE
_WHIST_PLACE, _WHIST_CARD, _WHIST_SAME_SUIT, _WHIST_SAME_RANK = WHIST


@helper
def _worth(goal: int, points: int, tricks: int) -> float:
    return points + _TIE * tricks if goal == drivers.POINTS else tricks + _TIE * points


@kernel
def _search_places(
    own: int,
    trump: int,
    worlds: int,
    agent: int,
    card: Ints,
    same_suit: Ints,
    same_rank: Ints,
    values: Floats,
    ways: Ints,
    ways_discarded: Ints,
    tables: Any,
    streams: Streams,
    row: int,
    sums: Scores,
) -> None:
    """Adds to ``sums[row]`` what each of the ``own`` places is worth in ``worlds`` deals, by fast play-outs.

    ``values`` has the worth of a deal by the tricks that side 0 takes of those not complete.
    """
    t = tables[0]
    hands = np.empty(4, np.int64)
    before = np.empty(4, np.int64)
    won = np.empty(4, np.int64)
    for _ in range(worlds):
        draw(tables, 0, ways, ways_discarded, streams, row)
        others = t.best
        for seat in range(1, 4):
            if seat != t.absent:
                others |= t.hands[seat]
        for suit in range(4):
            before[suit] = 0
        rest = own
        while rest != 0:
            place = lowest(rest)
            rest &= rest - 1
            # Two cards are equivalent if no card that can still meet them lies between. Random play-outs cannot tell them
            # apart; those that compare numbers across suits almost never do.
            suit = suit_of(place, same_suit)
            bit = np.int64(1) << place
            if before[suit] == 0 or (bit - before[suit]) & same_suit[place] & others != 0:
                won[suit] = play_out(agent, tables, 0, place, same_suit, same_rank, hands, streams, row)
            before[suit] = bit
            sums[row, card[trump, place]] += values[won[suit]]


@kernel
def _euchre_by_places(
    rows: Ints,
    worlds: int,
    agent: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    tables: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """Searches so many more worlds in some rows in which a card is to be played, by fast play-outs."""
    values = np.empty(_MOST_TRICKS + 1)
    for row in rows:
        euchre.decode(observations, row, views, 0)
        v, t = views[0], tables[0]
        own = to_places(mask_bits(masks, row), v.trump, _EUCHRE_PLACE)
        ways, ways_discarded = open_euchre(views, 0, tables, 0)
        for k in range(t.tricks + 1):
            taken = t.taken + k
            values[k] = _worth(goal, euchre.margin(taken, v.maker, v.alone), 2 * taken - 5)
        _search_places(
            own, v.trump, worlds, agent, _EUCHRE_CARD, _EUCHRE_SAME_SUIT, _EUCHRE_SAME_RANK, values, ways, ways_discarded,
            tables, streams, row, sums,
        )  # fmt: skip
        chosen[row] = _EUCHRE_CARD[v.trump, best_place(own, v.trump, _EUCHRE_CARD, sums, row)]


@kernel
def _whist_by_places(
    rows: Ints,
    worlds: int,
    agent: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    tables: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """The same in Whist."""
    values = np.empty(_MOST_TRICKS + 1)
    for row in rows:
        whist.decode(observations, row, views, 0)
        v, t = views[0], tables[0]
        own = to_places(mask_bits(masks, row), v.trump, _WHIST_PLACE)
        ways, ways_discarded = open_whist(views, 0, tables, 0)
        for k in range(t.tricks + 1):
            taken = t.taken + k
            values[k] = _worth(goal, whist.margin(taken), 2 * taken - 13)
        _search_places(
            own, v.trump, worlds, agent, _WHIST_CARD, _WHIST_SAME_SUIT, _WHIST_SAME_RANK, values, ways, ways_discarded,
            tables, streams, row, sums,
        )  # fmt: skip
        chosen[row] = _WHIST_CARD[v.trump, best_place(own, v.trump, _WHIST_CARD, sums, row)]


@driver
def _search_states(
    redeal: Any,
    step: Any,
    finish: Any,
    outcome: Any,
    actions: Any,
    worlds: Any,
    agent: Any,
    calling: Any,
    goal: Any,
    views: Any,
    games: Any,
    points: Any,
    tricks: Any,
    streams: Any,
    row: Any,
    sums: Any,
) -> None:
    """Adds to ``sums[row]`` what each of ``actions`` is worth in ``worlds`` deals, by play-outs of the game's states."""
    for _ in range(worlds):
        redeal(views, 0, streams, row, games, 0)
        rest = actions
        while rest != 0:
            action = lowest(rest)
            rest &= rest - 1
            games[1] = games[0]
            step(games, 1, action)
            finish(games, 1, agent, calling, streams, row)
            outcome(games, 1, points, tricks)
            margin = tricks[1, 0] + tricks[1, 2] - tricks[1, 1] - tricks[1, 3]
            sums[row, action] += _worth(goal, points[1, 0] - points[1, 1], margin)


@kernel
def _euchre_by_states(
    rows: Ints,
    worlds: int,
    agent: int,
    calling: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    games: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """Searches so many more worlds in some rows, in any phase of the game, by play-outs of any agent."""
    points = np.empty((2, 2), np.int64)
    tricks = np.empty((2, 4), np.int64)
    for row in rows:
        euchre.decode(observations, row, views, 0)
        v = views[0]
        actions = mask_bits(masks, row)
        _search_states(
            euchre.redeal, euchre.step, finish_euchre, euchre.outcome, actions, worlds, agent, calling, goal, views, games,
            points, tricks, streams, row, sums,
        )  # fmt: skip
        if v.phase == euchre.PLAYING or v.phase == euchre.DISCARDING:
            place = best_place(to_places(actions, v.trump, _EUCHRE_PLACE), v.trump, _EUCHRE_CARD, sums, row)
            chosen[row] = _EUCHRE_CARD[v.trump, place]
        else:
            best = lowest(actions)
            while actions != 0:
                action = lowest(actions)
                actions &= actions - 1
                if sums[row, action] > sums[row, best]:
                    best = action
            chosen[row] = best


@kernel
def _whist_by_states(
    rows: Ints,
    worlds: int,
    agent: int,
    calling: int,
    goal: int,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    games: Any,
    sums: Scores,
    chosen: Ints,
) -> None:
    """The same in Whist."""
    points = np.empty((2, 2), np.int64)
    tricks = np.empty((2, 4), np.int64)
    for row in rows:
        whist.decode(observations, row, views, 0)
        v = views[0]
        # An observation does not tell the order of play, but Whist knows the end of a deal by the number of moves.
        v.moves = popcount(v.played[0] | v.played[1] | v.played[2] | v.played[3])
        cards = mask_bits(masks, row)
        _search_states(
            whist.redeal, whist.step, finish_whist, whist.outcome, cards, worlds, agent, calling, goal, views, games,
            points, tricks, streams, row, sums,
        )  # fmt: skip
        place = best_place(to_places(cards, v.trump, _WHIST_PLACE), v.trump, _WHIST_CARD, sums, row)
        chosen[row] = _WHIST_CARD[v.trump, place]


@kernel
def _call_rows(
    rows: Ints, calling: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, sums: Scores, chosen: Ints
) -> None:
    """Asks a caller."""
    for row in rows:
        euchre.decode(observations, row, views, 0)
        chosen[row] = call(calling, views, 0, mask_bits(masks, row), streams, row)
        sums[row, chosen[row]] = 1


class MonteCarlo(SearchPolicy):
    """``monte-carlo``: deals the hidden cards, tries every legal action in each deal, plays out, takes the best mean.

    Deals are drawn uniformly from those consistent with what the seat knows, and all actions are tried in the same ones.
    A score is the mean of what the own side makes of the deal less what the other side makes. Equal scores are decided by
    tricks (by points, if tricks are counted), then the lowest card is played (by trump, then rank).

    Source: section 2.6 of the ten-agents Euchre paper (2015). The paper's agent draws deals for a minute (``seconds=60``),
    counts tricks (``goal="tricks"``), follows every continuation of a deal instead of samples of them, which early on are
    far too many to come to an end, and falls back to ``coop-high-low`` while fewer than 8 cards are known. It lost to
    ``coop-high-low``; play-outs sampled alike for all actions in the same deals beat it.

    Args:
        game: name or spec.
        worlds: how many deals to draw for a decision, at least 1.
        seconds: if given, draw deals until so much time has gone by (16 at least) instead of a fixed number. What is chosen
            then depends on the machine, too.
        playout: who plays the cards of all seats in play-outs, a name from `playout.PLAYOUTS`: with ``random``, ``low``,
            ``high``, ``high-low`` and ``coop-high-low`` several times faster than with the others.
        goal: ``"points"`` or ``"tricks"``.
        calling: who bids and discards in full Euchre: ``"monte-carlo"``, by the same search, the standard caller going on
            in play-outs; or a name from `calling.CALLERS`, whose choice scores 1. The search needs more worlds for calls
            than for cards: against ``"standard"`` it loses 0.068 ±0.028 points a deal with 30 worlds and 0.015 ±0.026 with
            100.

    Raises:
        ValueError: a wrong parameter.
    """

    def __init__(
        self,
        game: str | GameSpec,
        worlds: int = 30,
        seconds: float | None = None,
        playout: str = "coop-high-low",
        goal: str = "points",
        calling: str = BY_SEARCH,
    ) -> None:
        super().__init__(game)
        self.worlds = check_worlds(worlds)
        self.seconds = None if seconds is None else check_seconds(seconds)
        self._agent = check_choice("playout", playout, PLAYOUTS)
        self._goal = check_choice("goal", goal, GOALS)
        self._search_calls = calling == BY_SEARCH
        callers = CALLERS | {BY_SEARCH: CALLERS[DEFAULT_CALLER]}
        self._calling = check_choice("calling", calling, callers)

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """See `ScoredPolicy.evaluate`."""
        sums, drawn = np.zeros(action_masks.shape), np.zeros((len(observations), 1))
        chosen = action_masks.argmax(axis=1)
        views, games, tables = self.game.new_games(1), self.game.new_games(2), new_tables()
        row = observations, action_masks, streams, views
        by_places, by_states = _SEARCHES[self.game.name]

        def fast(rows: Ints, worlds: int) -> None:
            by_places(rows, worlds, self._agent, self._goal, *row, tables, sums, chosen)

        def slow(rows: Ints, worlds: int) -> None:
            by_states(rows, worlds, self._agent, self._calling, self._goal, *row, games, sums, chosen)

        wanted = action_masks.sum(axis=1) > 1 if skip_forced else np.full(len(observations), True)
        if self.game.name == "euchre":
            playing = observations[:, self.game.slices["phase"].start + euchre.PLAYING] != 0
            if not self._search_calls:
                calls = np.flatnonzero(wanted & ~playing)
                _call_rows(calls, self._calling, *row, sums, chosen)
                drawn[calls] = 1
                wanted &= playing
            elif self._agent in FAST_AGENTS:
                self._search(slow, np.flatnonzero(wanted & ~playing), drawn)
                wanted &= playing
        self._search(fast if self._agent in FAST_AGENTS else slow, np.flatnonzero(wanted), drawn)
        scores = np.rint(sums) / np.maximum(drawn, 1)
        scores[action_masks == 0] = np.nan
        return scores, chosen

    def _search(self, search: Callable[[Ints, int], None], rows: Ints, drawn: Scores) -> None:
        """Calls ``search(rows, worlds)`` as the budget says, and counts the worlds of each row."""
        if self.seconds is None:
            for start in range(0, len(rows), _ROWS):
                search(rows[start : start + _ROWS], self.worlds)
            drawn[rows] = self.worlds
            return
        for k in range(len(rows)):
            end = time.perf_counter() + self.seconds
            while drawn[rows[k]] == 0 or time.perf_counter() < end:
                search(rows[k : k + 1], _CHUNK)
                drawn[rows[k]] += _CHUNK


_SEARCHES = {
    "euchre": (_euchre_by_places, _euchre_by_states),
    "whist": (_whist_by_places, _whist_by_states),
}
