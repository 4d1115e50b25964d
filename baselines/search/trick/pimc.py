"""``pimc``: perfect-information Monte Carlo, exact search in worlds that fit what the seat knows.

In many worlds (*determinizations*), drawn uniformly from all that are consistent with the view, every legal action is
solved with all cards open; the best mean is chosen. The idea is Levy's for bridge ("The million pound bridge program",
1989) and was made a champion by Ginsberg ("GIB: imperfect information in a computationally challenging game", JAIR 14,
2001); its limits, as every world shows all cards, are described by Frank and Basin ("Search in games with incomplete
information", AIJ 100, 1998).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER, caller_number
from cardenvs.baselines.search.base import Decisions, Search, WorldSearch
from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.baselines.search.trick.card_search import plays_card
from cardenvs.baselines.search.trick.double_dummy import workspace
from cardenvs.baselines.search.trick.monte_carlo import GOALS
from cardenvs.baselines.search.trick.pimc_kernels import pimc_in
from cardenvs.checks import check_choice, check_int
from cardenvs.compiled.bits import Ints
from cardenvs.contract.loops import POINTS
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores
from cardenvs.policy.replay import draw

_NEVER = 14  # number of cards a hand for solvers without DDS: more than a hand has
SOLVERS = {"auto": 8, "numba": _NEVER, "dds": 1}  # number of cards a hand from which on DDS solves; from 8 on it is faster


class Pimc(WorldSearch):
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

    chunk = 4

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
        super().__init__(game, worlds, seconds)
        check_choice("goal", goal, GOALS)
        check_choice("solver", solver, SOLVERS)
        self._goal = GOALS[goal]
        self._calling = caller_number(calling)
        self._exact = check_int("exact_cards", exact_cards, 0, 13)
        self._dds_from = SOLVERS[solver]
        assert self.game.trick_game is not None
        self._kind = self.game.trick_game
        if self._kind.bids:  # its hands are always small enough
            self._exact, self._dds_from = self._kind.dealt, _NEVER
        else:
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

    def new_sums(self, count: int) -> Any:
        """Sums of points and of tricks, int64 (count, columns, 2), as `pimc_kernels` has them."""
        return np.zeros((count, self.game.num_actions + (2 * self._kind.deck.size if self._kind.bids else 0), 2), np.int64)

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        kernels, (observations, _, streams, sums, *_) = pimc_in(self.game), decisions
        cards = observations[:, self.game.slices["hand"]].sum(1)
        by_dds = (self._dds_from <= cards) & (cards <= self._exact)
        batch = *decisions[:3], self.game.new_games(2)
        scratch = self.game.new_games(3), *workspace(min(self._exact, self._kind.dealt, double_dummy.MAX_CARDS))

        def search(some: Ints, worlds: int) -> None:
            solved = some if self._dds_from == _NEVER else some[~by_dds[some]]
            kernels.search(solved, worlds, self._calling, self._exact, *batch, *scratch, sums)
            for row in some[by_dds[some]].tolist() if len(solved) < len(some) else ():
                dealt = draw(self.game, observations, row, streams, worlds)
                kernels.add_solved(dealt, dds.solve_cards(dealt), sums, row)

        return [(rows, search)]

    def score_and_choose(self, decisions: Decisions) -> tuple[Scores, Ints]:
        # This also gives a dealer's ordering up the sums of its best discard.
        views, chosen = self.game.new_games(1), decisions.chosen
        pimc_in(self.game).choose(*decisions[:3], self._goal, views, decisions.sums, chosen)
        sums = decisions.sums[:, : self.game.num_actions]
        by_goal = sums[:, :, self._goal]
        if self._kind.bids:
            by_goal = np.where(plays_card(self.game, decisions.observations)[:, None], by_goal, sums[:, :, POINTS])
        return by_goal / decisions.drawn, chosen
