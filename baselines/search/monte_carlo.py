"""Flat Monte Carlo for trick games: deal the hidden cards, try every action, play the deals out."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from baselines.heuristics.calling import CALLERS, DEFAULT_CALLER, call
from baselines.search.playout import FAST_AGENTS, PLAYOUTS, finish_euchre, finish_whist, play_out
from baselines.search.policy import Scores, SearchPolicy, check_choice, check_seconds, check_worlds
from baselines.search.worlds import EUCHRE, WHIST, best_place, draw, new_tables, open_euchre, open_whist, suit_of, to_places
from cardenvs import drivers
from cardenvs.cards import Bytes, Floats, Ints, Streams, lowest, popcount
from cardenvs.games import euchre, whist
from cardenvs.jit import driver, helper, kernel
from cardenvs.policy import mask_bits
from cardenvs.spec import GameSpec

DEFAULT_WORLDS = 30
GOALS = {"points": drivers.POINTS, "tricks": drivers.TRICKS}
"""What play-outs are counted in, by name."""
BY_SEARCH = "monte-carlo"
"""The name for ``calling`` that has bids and discards searched too."""

_CHUNK = 16
"""Worlds between two looks at the clock."""
_MOST_TRICKS = 13

_EUCHRE_PLACE, _EUCHRE_CARD, _EUCHRE_SAME_SUIT, _EUCHRE_SAME_RANK = EUCHRE
_WHIST_PLACE, _WHIST_CARD, _WHIST_SAME_SUIT, _WHIST_SAME_RANK = WHIST


@helper
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
    hands: Ints,
    streams: Streams,
    row: int,
    sums: Scores,
) -> None:
    """Adds to ``sums[row]`` what each of the ``own`` places is worth in ``worlds`` deals, by fast play-outs.

    ``values`` has the worth of a deal by the tricks that side 0 takes of those not complete.
    """
    t = tables[0]
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
            if goal == drivers.POINTS:
                sums[row, action] += points[1, 0] - points[1, 1]
            else:
                sums[row, action] += tricks[1, 0] + tricks[1, 2] - tricks[1, 1] - tricks[1, 3]


@kernel
def _euchre_rows(
    start: int,
    stop: int,
    worlds: int,
    agent: int,
    fast: bool,
    calling: int,
    search_calls: bool,
    goal: int,
    skip_forced: bool,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    games: Any,
    tables: Any,
    sums: Scores,
    chosen: Ints,
) -> bool:
    """Searches some rows in so many more worlds; False if the last one needed no search."""
    values = np.empty(_MOST_TRICKS + 1)
    hands = np.empty(4, np.int64)
    points = np.empty((2, 2), np.int64)
    tricks = np.empty((2, 4), np.int64)
    searched = False
    for row in range(start, stop):
        actions = mask_bits(masks, row)
        searched = not skip_forced or actions & (actions - 1) != 0
        if not searched:
            chosen[row] = lowest(actions)
            continue
        euchre.decode(observations, row, views, 0)
        v = views[0]
        if v.phase == euchre.PLAYING and fast:
            ways, ways_discarded = open_euchre(views, 0, tables, 0)
            for k in range(tables[0].tricks + 1):
                taken = tables[0].taken + k
                if goal == drivers.TRICKS:
                    values[k] = 2 * taken - 5
                elif v.maker & 1:
                    values[k] = -euchre.points_made(5 - taken, v.alone)
                else:
                    values[k] = euchre.points_made(taken, v.alone)
            _search_places(
                to_places(actions, v.trump, _EUCHRE_PLACE), v.trump, worlds, agent, _EUCHRE_CARD,
                _EUCHRE_SAME_SUIT, _EUCHRE_SAME_RANK, values, ways, ways_discarded, tables, hands, streams, row, sums,
            )  # fmt: skip
        elif v.phase == euchre.PLAYING or search_calls:
            _search_states(
                euchre.redeal, euchre.step, finish_euchre, euchre.outcome, actions, worlds, agent, calling, goal,
                views, games, points, tricks, streams, row, sums,
            )  # fmt: skip
        else:
            chosen[row] = call(calling, views, 0, actions, streams, row)
            sums[row, chosen[row]] += worlds
            searched = False
            continue
        if v.phase == euchre.PLAYING or v.phase == euchre.DISCARDING:
            place = best_place(to_places(actions, v.trump, _EUCHRE_PLACE), v.trump, _EUCHRE_CARD, sums, row)
            chosen[row] = _EUCHRE_CARD[v.trump, place]
        else:
            chosen[row] = _best_action(actions, sums, row)
    return searched


@helper
def _best_action(actions: int, sums: Scores, row: int) -> int:
    """The action with the best score; of equals the lowest."""
    best = lowest(actions)
    while actions != 0:
        action = lowest(actions)
        actions &= actions - 1
        if sums[row, action] > sums[row, best]:
            best = action
    return best


@kernel
def _whist_rows(
    start: int,
    stop: int,
    worlds: int,
    agent: int,
    fast: bool,
    calling: int,
    search_calls: bool,
    goal: int,
    skip_forced: bool,
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    views: Any,
    games: Any,
    tables: Any,
    sums: Scores,
    chosen: Ints,
) -> bool:
    """The same in Whist."""
    values = np.empty(_MOST_TRICKS + 1)
    hands = np.empty(4, np.int64)
    points = np.empty((2, 2), np.int64)
    tricks = np.empty((2, 4), np.int64)
    searched = False
    for row in range(start, stop):
        cards = mask_bits(masks, row)
        searched = not skip_forced or cards & (cards - 1) != 0
        if not searched:
            chosen[row] = lowest(cards)
            continue
        whist.decode(observations, row, views, 0)
        v = views[0]
        # An observation does not tell the order of play, but Whist knows the end of a deal by the number of moves.
        v.moves = popcount(v.played[0] | v.played[1] | v.played[2] | v.played[3])
        own = to_places(cards, v.trump, _WHIST_PLACE)
        if fast:
            ways, ways_discarded = open_whist(views, 0, tables, 0)
            for k in range(tables[0].tricks + 1):
                taken = tables[0].taken + k
                if goal == drivers.TRICKS:
                    values[k] = 2 * taken - 13
                else:
                    values[k] = max(taken - 6, 0) - max(7 - taken, 0)
            _search_places(
                own, v.trump, worlds, agent, _WHIST_CARD, _WHIST_SAME_SUIT, _WHIST_SAME_RANK, values, ways,
                ways_discarded, tables, hands, streams, row, sums,
            )  # fmt: skip
        else:
            _search_states(
                whist.redeal, whist.step, finish_whist, whist.outcome, cards, worlds, agent, calling, goal,
                views, games, points, tricks, streams, row, sums,
            )  # fmt: skip
        chosen[row] = _WHIST_CARD[v.trump, best_place(own, v.trump, _WHIST_CARD, sums, row)]
    return searched


class MonteCarlo(SearchPolicy):
    """``monte-carlo``: deals the hidden cards, tries every legal action in each deal, plays out, takes the best mean.

    Deals are drawn uniformly from those consistent with what the seat knows, and all actions are tried in the same ones.
    A score is the mean of what the own side makes of the deal less what the other side makes. Of equal scores the lowest
    card is played (by trump, then rank).

    Source: section 2.6 of the ten-agents Euchre paper (2015). Its agent counts tricks (``goal="tricks"``), draws until its
    time is up (``seconds=60`` there), wanders through the rest of the deal at random (``playout="random"``) with the
    actions not tried equally often, and falls back to ``coop-high-low`` while fewer than 8 cards are known. Here every
    action is tried in every world, and nothing is fallen back to.

    Args:
        game: name or spec.
        worlds: how many deals to draw for a decision; 30 if neither this nor ``seconds`` is given.
        seconds: instead of ``worlds``: draw as many as there is time for. The choice then depends on the machine.
        playout: who plays the cards in play-outs, of all seats, a name from `playout.PLAYOUTS`. The first five of the list
            in `playout.FAST_AGENTS` are many times faster than the rest.
        goal: ``"points"`` or ``"tricks"``.
        calling: who bids and discards in full Euchre: ``"monte-carlo"``, by the same search (a score is then the worth of
            the call, and the standard caller goes on from there in play-outs), or a name from `calling.CALLERS`, whose
            choice scores 1.

    Raises:
        ValueError: a wrong parameter, or both ``worlds`` and ``seconds``.
    """

    def __init__(
        self,
        game: str | GameSpec,
        worlds: int | None = None,
        seconds: float | None = None,
        playout: str = "coop-high-low",
        goal: str = "points",
        calling: str = BY_SEARCH,
    ) -> None:
        super().__init__(game)
        if worlds is not None and seconds is not None:
            raise ValueError(f"give worlds or seconds, not both: worlds={worlds!r}, seconds={seconds!r}")
        self.worlds = check_worlds(DEFAULT_WORLDS if worlds is None else worlds)
        self.seconds = None if seconds is None else check_seconds(seconds)
        self._agent = check_choice("playout", playout, PLAYOUTS)
        self._goal = check_choice("goal", goal, GOALS)
        self._search_calls = calling == BY_SEARCH
        callers = CALLERS | {BY_SEARCH: CALLERS[DEFAULT_CALLER]}
        self._calling = check_choice("calling", calling, callers)

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """See `SearchPolicy.evaluate`."""
        n = len(observations)
        sums = np.zeros(action_masks.shape)
        drawn = np.zeros((n, 1))
        chosen = np.zeros(n, np.int64)
        views, games = self.game.new_games(1), self.game.new_games(2)
        tables = new_tables()
        rows = _euchre_rows if self.game.name == "euchre" else _whist_rows

        def search(start: int, stop: int, worlds: int) -> bool:
            drawn[start:stop] += worlds
            return rows(
                start, stop, worlds, self._agent, self._agent in FAST_AGENTS, self._calling, self._search_calls,
                self._goal, skip_forced, observations, action_masks, streams, views, games, tables, sums, chosen,
            )  # fmt: skip

        if self.seconds is None:
            search(0, n, self.worlds)
        else:
            for row in range(n):
                end = time.perf_counter() + self.seconds
                while search(row, row + 1, _CHUNK) and time.perf_counter() < end:
                    pass
        scores = sums / drawn
        scores[action_masks == 0] = np.nan
        return scores, chosen
