"""Flat Monte Carlo for trick games: deal the hidden cards, try every action, play the deals out."""

from __future__ import annotations

import numpy as np

from cardenvs.baselines.heuristics.calling import CALLERS, DEFAULT_CALLER
from cardenvs.baselines.search.base import SearchPolicy, check_seconds, spend_budget
from cardenvs.baselines.search.trick.monte_carlo_kernels import searches_in
from cardenvs.baselines.search.trick.playout import FAST_AGENTS, PLAYOUTS
from cardenvs.baselines.search.trick.slots import new_positions
from cardenvs.checks import MOST_DRAWN, check_choice, check_int
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract import loops
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.policy.explanation import Scores

GOALS = {"points": loops.POINTS, "tricks": loops.TRICKS}  # kinds of margin by the name of the goal
BY_SEARCH = "monte-carlo"  # value of the parameter ``calling`` with which bids and discards are searched, too

_CHUNK = 16  # worlds between two looks at the clock


class MonteCarlo(SearchPolicy):
    """``monte-carlo``: deals the hidden cards, tries every legal action in each deal, plays out, takes the best mean.

    Deals are drawn uniformly from those consistent with what the seat knows, and all actions are tried in the same ones.
    A score is the mean of the own side's points (or tricks) in the deal less the other side's. Equal scores are decided by
    tricks (by points, if tricks are counted), then the lowest card is played (by trump, then rank).

    Source: section 2.6 of the ten-agents Euchre paper (2015). The paper's agent draws deals for a minute (``seconds=60``),
    counts tricks (``goal="tricks"``), follows every continuation of a deal instead of samples of them, which early on are
    far too many to come to an end, and falls back to ``coop-high-low`` while fewer than 8 cards are known. It lost to
    ``coop-high-low``; play-outs sampled alike for all actions in the same deals beat it.

    Args:
        worlds: how many deals to draw for a decision, at least 1.
        seconds: if given, time for drawing deals instead of their number (16 deals at least); the choice then depends on
            the machine.
        playout: the agent of all seats in play-outs, a name from `playout.PLAYOUTS`: with ``random``, ``low``, ``high``,
            ``high-low`` and ``coop-high-low`` several times faster than with the other agents.
        goal: ``"points"`` or ``"tricks"``.
        calling: the method for bids and discards in full Euchre: ``"monte-carlo"``, the same search, with the standard
            caller in play-outs; or a name from `calling.CALLERS`, whose choice scores 1. The search needs more worlds for
            calls than for cards: against ``"standard"`` it loses 0.068 ±0.028 points a deal with 30 worlds and
            0.015 ±0.026 with 100.
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
        self.worlds = check_int("worlds", worlds, 1, MOST_DRAWN)
        self.seconds = check_seconds(seconds)
        callers = CALLERS | {BY_SEARCH: CALLERS[DEFAULT_CALLER]}
        check_choice("playout", playout, PLAYOUTS)
        check_choice("goal", goal, GOALS)
        check_choice("calling", calling, callers)
        self._agent = PLAYOUTS[playout]
        self._goal = GOALS[goal]
        self._search_calls = calling == BY_SEARCH
        self._calling = callers[calling]

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        sums, drawn = np.zeros(action_masks.shape), np.zeros((len(observations), 1))
        chosen = action_masks.argmax(axis=1)
        views, games, positions = self.game.new_games(1), self.game.new_games(2), new_positions()
        row = observations, action_masks, streams, views
        by_slots, by_states, call_rows = searches_in(self.game)

        def search_by_slots(rows: Ints, worlds: int) -> None:
            by_slots(rows, worlds, self._agent, self._goal, *row, positions, sums, chosen)

        def search_by_states(rows: Ints, worlds: int) -> None:
            by_states(rows, worlds, self._agent, self._calling, self._goal, *row, games, sums, chosen)

        wanted = action_masks.sum(axis=1) > 1 if skip_forced else np.full(len(observations), True)
        if self.game.bids_trump:
            playing = observations[:, self.game.slices["phase"].start + euchre.PLAYING] != 0
            if not self._search_calls:
                calls = np.flatnonzero(wanted & ~playing)
                call_rows(calls, self._calling, *row, sums, chosen)
                drawn[calls] = 1
                wanted &= playing
            elif self._agent in FAST_AGENTS:
                calls = np.flatnonzero(wanted & ~playing)
                spend_budget(search_by_states, calls, self.worlds, self.seconds, _CHUNK, drawn)
                wanted &= playing
        search = search_by_slots if self._agent in FAST_AGENTS else search_by_states
        spend_budget(search, np.flatnonzero(wanted), self.worlds, self.seconds, _CHUNK, drawn)
        scores = np.rint(sums) / np.maximum(drawn, 1)
        scores[action_masks == 0] = np.nan
        return scores, chosen
