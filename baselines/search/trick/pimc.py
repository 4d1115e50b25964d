"""``pimc``: perfect-information Monte Carlo, exact search in worlds that fit what the seat knows.

In many worlds (*determinizations*), drawn uniformly from all that are consistent with the view, every legal action is
solved with all cards open; the best mean is chosen. The idea is Levy's for bridge ("The million pound bridge program",
1989) and was made a champion by Ginsberg ("GIB: imperfect information in a computationally challenging game", JAIR 14,
2001); its limits, as every world shows all cards, are described by Frank and Basin ("Search in games with incomplete
information", AIJ 100, 1998).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER, caller_number
from cardenvs.baselines.search.base import SearchPolicy, check_seconds
from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.baselines.search.trick.double_dummy import workspace
from cardenvs.baselines.search.trick.pimc_kernels import (
    POINTS,
    TRICKS,
    add_solved,
    choose_euchre,
    choose_whist,
    deal_worlds,
    search_euchre,
    search_whist,
)
from cardenvs.checks import MOST_DRAWN, check_choice, check_int
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.waiting import clock
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.policy.explanation import Scores

GOALS = {"points": POINTS, "tricks": TRICKS}  # kinds of sums by the name of the goal

_NEVER = 14  # number of cards a hand for solvers without DDS: more than a hand has
SOLVERS = {"auto": 8, "numba": _NEVER, "dds": 1}  # number of cards a hand from which on DDS solves; from 8 on it is faster

_ROWS = 32  # rows searched in one call of a kernel; between calls Python may be interrupted

_BLOCK = 4  # worlds between two looks at the clock


class Pimc(SearchPolicy):
    """``pimc``: solves worlds that fit what it knows with all cards open, and takes the action with the best mean.

    Its `scores` are means over the worlds: the points its side will gain in the deal less the other side's, or with
    ``goal="tricks"`` the tricks its side will still take. Equal means of points are decided by tricks, those of tricks by
    points. Actions still equal are decided in bidding for the lowest action, so for the pass, and of cards and discards for
    the weaker one, then at random. In a decision with one action `act` searches nothing.

    *Bidding in Euchre.* In each world every call is carried out: a dealer in another seat discards, and after a pass all
    seats (this one too) bid on, by the rules of the caller ``calling``, each from its own view; then the contract is worth
    its exact points. A deal that all pass is worth 0. So passing is worth what these rules make of it, and each call is an
    improvement on the rules in the manner of a rollout (Tesauro and Galperin, 1996). A dealer's own ordering up counts with
    the discard that is best on average over all worlds, for the dealer will have to discard without seeing the hidden
    cards; going alone is a call like any other. Bids and discards are always chosen by points.

    *Whist.* While a hand has more than ``exact_cards`` cards, worlds are not solved but played out to the end by
    coop-high-low.

    Args:
        worlds: how many worlds a decision takes, at least 1.
        seconds: if given, time for drawing worlds in a decision (a few at least) instead of their number; the choice then
            depends on the machine.
        goal: ``"points"`` or ``"tricks"``.
        calling: in full Euchre, the assumed bids and discards of the other seats: a name from `calling.CALLERS`.
        exact_cards: in Whist, the largest number of cards a hand with which worlds are solved, 0 to 13. At 30 worlds a lead
            takes about 6 ms with 7 cards, 25 ms with 8, 40 ms with 9 and 2 s with 13.
        solver: in Whist, ``"numba"`` (`double_dummy`, at most 10 cards), ``"dds"`` (`dds`; needs the extra ``dds``) or
            ``"auto"``: the faster one that is installed. Both solvers agree on every value.

    Raises:
        ValueError: a parameter that is not as described; more cards than can be solved without the extra ``dds``.
    """

    def __init__(
        self,
        game: str | GameSpec,
        worlds: int = 30,
        seconds: float | None = None,
        goal: str = "points",
        calling: str = DEFAULT_CALLER,
        exact_cards: int = 7,
        solver: str = "auto",
    ) -> None:
        super().__init__(game)
        check_choice("goal", goal, GOALS)
        check_choice("solver", solver, SOLVERS)
        self._worlds = check_int("worlds", worlds, 1, MOST_DRAWN)
        self._seconds = check_seconds(seconds)
        self._goal = GOALS[goal]
        self._calling = caller_number(calling)
        self._exact = check_int("exact_cards", exact_cards, 0, 13)
        self._dds_from = SOLVERS[solver]
        if not self.game.bids_trump:
            self._choose_solver(solver)

    def _choose_solver(self, solver: str) -> None:
        """Sets the number of cards a hand from which on DDS solves: never if DDS is not installed."""
        if self._exact >= self._dds_from and not dds.is_available():
            if solver == "dds":
                raise ValueError(f"solver='dds' needs the package endplay, {dds.INSTALLING}")
            self._dds_from = _NEVER
        if self._dds_from == _NEVER and self._exact > double_dummy.MAX_CARDS:
            raise ValueError(
                f"exact_cards must be at most {double_dummy.MAX_CARDS} with the numba solver, not {self._exact}; more are "
                f"solved by the package endplay, {dds.INSTALLING}"
            )

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        n = len(observations)
        views = self.game.new_games(2)
        sums = np.zeros((n, self.game.num_actions, 2), np.int64)
        out = np.empty(n, np.int64)
        kind = np.full(n, self._goal)
        if self.game.bids_trump:
            discards = np.zeros((2 * n, 24, 2), np.int64)
            deals, (transpositions, stack) = self.game.new_games(3), workspace(5)

            def search(start: int, stop: int, worlds: int) -> None:
                search_euchre(
                    observations, action_masks, streams, start, stop, worlds, not skip_forced, self._calling, views, deals,
                    transpositions, stack, sums, discards,
                )  # fmt: skip

            worlds = self._spend_budget(search, action_masks, skip_forced)
            choose_euchre(observations, action_masks, streams, self._goal, views, sums, discards, out)
            kind[observations[:, self.game.slices["phase"]][:, euchre.PLAYING] == 0] = POINTS
        else:
            deals, (transpositions, stack) = self.game.new_games(2), workspace(min(self._exact, double_dummy.MAX_CARDS))
            cards = observations[:, self.game.slices["hand"]].sum(1)

            def search(start: int, stop: int, worlds: int) -> None:
                """Adds ``worlds`` more worlds to the rows ``start .. stop - 1``, by DDS where that is to solve them."""
                search_whist(
                    observations, action_masks, streams, start, stop, worlds, not skip_forced, self._exact, self._dds_from,
                    views, deals, transpositions, stack, sums,
                )  # fmt: skip
                for row in range(start, stop):
                    forced = skip_forced and action_masks[row].sum() == 1
                    if self._dds_from <= cards[row] <= self._exact and not forced:
                        dealt = self.game.new_games(worlds)
                        deal_worlds(observations, row, streams, views, dealt)
                        add_solved(dealt, dds.solve_cards(dealt), sums, row)

            worlds = self._spend_budget(search, action_masks, skip_forced)
            choose_whist(observations, action_masks, streams, self._goal, views, sums, out)
        rows, actions = np.arange(n)[:, None], np.arange(self.game.num_actions)
        scores = sums[rows, actions, kind[:, None]] / worlds[:, None]
        scores[action_masks == 0] = np.nan
        return scores, out

    def _spend_budget(
        self, search: Callable[[int, int, int], None], action_masks: Bytes, skip_forced: bool
    ) -> npt.NDArray[np.int64]:
        """Calls ``search(first row, row behind the last, worlds)`` until all rows are done; returns each row's worlds."""
        n = len(action_masks)
        worlds = np.full(n, self._worlds)
        if self._seconds is None:
            for start in range(0, n, _ROWS):
                search(start, min(start + _ROWS, n), self._worlds)
            return worlds
        for row in range(n):
            worlds[row] = 0
            until = clock() + self._seconds
            if skip_forced and action_masks[row].sum() == 1:
                until = 0.0
            while worlds[row] == 0 or clock() < until:
                search(row, row + 1, _BLOCK)
                worlds[row] += _BLOCK
        return worlds
