"""``pimc``: perfect-information Monte Carlo, exact search in worlds that fit what the seat knows.

The hidden cards are dealt out again many times, every such *world* is solved for every legal action with all cards open,
and the action with the best mean is chosen. The idea is Levy's for bridge ("The million pound bridge program", 1989) and
was made a champion by Ginsberg ("GIB: imperfect information in a computationally challenging game", JAIR 14, 2001); what it
cannot see, because in every world it is told where all cards lie, is described by Frank and Basin ("Search in games with
incomplete information", AIJ 100, 1998).

Worlds are drawn uniformly from all that are consistent with the view (`GameSpec`'s ``redeal``): what the others' bids and
plays tell beyond that is not used.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER, call, caller
from cardenvs.baselines.heuristics.cardplay import coop_high_low
from cardenvs.baselines.search import dds, double_dummy
from cardenvs.baselines.search.double_dummy import euchre_cards, euchre_value, whist_cards, workspace
from cardenvs.baselines.search.policy import SearchPolicy, check_choice, check_seconds, check_worlds
from cardenvs.cards import Bytes, Ints, Streams, below, lowest, popcount
from cardenvs.drivers import RUNNING
from cardenvs.games import euchre, whist
from cardenvs.games.euchre import view as euchre_view
from cardenvs.jit import helper, kernel
from cardenvs.policy import Scores, mask_bits
from cardenvs.spec import GameSpec
from cardenvs.tricks import playable

POINTS, TRICKS = 0, 1
GOALS = {"points": POINTS, "tricks": TRICKS}

_NEVER = 14
SOLVERS = {"auto": 8, "numba": _NEVER, "dds": 1}
"""From how many cards a hand on DDS solves; with 8 it becomes the faster one."""

_ROWS = 32
"""Rows searched in one call of a kernel; between calls Python may be interrupted."""

_BLOCK = 4
"""Worlds between two looks at the clock."""


@helper
def _add(sums: Any, row: int, action: int, points: int, tricks: int) -> None:
    sums[row, action, POINTS] += points
    sums[row, action, TRICKS] += tricks


@kernel
def _better(sums: Any, row: int, action: int, other: int, first: int) -> int:
    """1, 0 or -1: whether ``action`` has the greater sum, by the kind of sum ``first``, then by the other kind."""
    for kind in (first, 1 - first):
        if sums[row, action, kind] != sums[row, other, kind]:
            return 1 if sums[row, action, kind] > sums[row, other, kind] else -1
    return 0


@kernel
def _best_card(cards: int, sums: Any, row: int, first: int, trump: int, strength: Ints, streams: Streams, s: int) -> int:
    """The card with the best sums; the weakest of equals, one at random if they are equally strong."""
    chosen = lowest(cards)
    cards &= cards - 1
    ties = 1
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        order = _better(sums, row, card, chosen, first)
        if order == 0:
            order = strength[trump, chosen] - strength[trump, card]
        if order > 0:
            chosen, ties = card, 1
        elif order == 0:
            ties += 1
            if below(streams, s, ties) == 0:
                chosen = card
    return chosen


# --- Euchre --------------------------------------------------------------------------------------------------------


@kernel
def _settle(calling: int, views: Any, deals: Any, j: int, streams: Streams, s: int) -> None:
    """Bids and discards by rule for all seats of ``deals[j]``, each by its own view, until play begins or all passed."""
    while deals[j].over == RUNNING and deals[j].phase != euchre.PLAYING:
        euchre_view(deals, j, deals[j].to_act, views, 1)
        euchre.step(deals, j, call(calling, views, 1, euchre.legal(deals, j), streams, s))


@kernel
def _add_contract(deals: Any, j: int, table: Ints, stack: Ints, sums: Any, row: int, action: int) -> None:
    """Adds what side 0 gains in the play of ``deals[j]``, and by how many tricks it leads; nothing if all passed."""
    if deals[j].over == RUNNING:
        tricks = euchre_value(deals, j, table, stack)
        _add(sums, row, action, euchre.margin(tricks, deals[j].maker, deals[j].alone), 2 * tricks - 5)


@kernel
def _euchre_world(
    views: Any,
    deals: Any,
    actions: int,
    calling: int,
    streams: Streams,
    s: int,
    table: Ints,
    stack: Ints,
    tricks: Ints,
    sums: Any,
    discards: Any,
    row: int,
) -> None:
    """Deals one world for the view ``views[0]`` and adds each legal action's points and tricks in it to ``sums[row]``.

    The discards of a dealer that orders up itself are kept apart, in ``discards[2 * row + alone]``.
    """
    v = views[0]
    euchre.redeal(views, 0, streams, s, deals, 0)
    if v.phase == euchre.PLAYING:
        euchre_cards(deals, 0, table, stack, tricks)
        won = v.tricks[0] + v.tricks[2]
        for card in range(24):
            if tricks[card] >= 0:
                _add(sums, row, card, euchre.margin(won + tricks[card], v.maker, v.alone), tricks[card])
        return
    while actions != 0:
        action = lowest(actions)
        actions &= actions - 1
        deals[1] = deals[0]
        euchre.step(deals, 1, action)
        if deals[1].phase == euchre.DISCARDING and deals[1].to_act == 0:
            cards = deals[1].hands[0]
            while cards != 0:
                card = lowest(cards)
                cards &= cards - 1
                deals[2] = deals[1]
                euchre.step(deals, 2, card)
                _add_contract(deals, 2, table, stack, discards, 2 * row + action - euchre.ORDER_UP, card)
        else:
            _settle(calling, views, deals, 1, streams, s)
            _add_contract(deals, 1, table, stack, sums, row, action)


@kernel
def _euchre_search(
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    start: int,
    stop: int,
    worlds: int,
    forced: bool,
    calling: int,
    views: Any,
    deals: Any,
    table: Ints,
    stack: Ints,
    sums: Any,
    discards: Any,
) -> None:
    """Adds ``worlds`` worlds to the sums of each row; without ``forced`` not where there is nothing to choose."""
    tricks = np.empty(24, np.int64)
    for row in range(start, stop):
        actions = mask_bits(masks, row)
        if forced or popcount(actions) > 1:
            euchre.decode(observations, row, views, 0)
            for _ in range(worlds):
                _euchre_world(
                    views, deals, actions, calling, streams, row, table, stack, tricks, sums, discards, row
                )  # fmt: skip


@kernel
def _euchre_choose(
    observations: Bytes, masks: Bytes, streams: Streams, goal: int, views: Any, sums: Any, discards: Any, out: Ints
) -> None:
    """The best action of each row. Ordering up as the dealer counts with the one discard that is best over all worlds."""
    for row in range(len(out)):
        euchre.decode(observations, row, views, 0)
        v = views[0]
        actions = mask_bits(masks, row)
        if v.phase == euchre.PLAYING:
            out[row] = _best_card(actions, sums, row, goal, v.trump, euchre.STRENGTH, streams, row)
            continue
        if v.phase == euchre.DISCARDING:
            out[row] = _best_card(actions, sums, row, POINTS, v.trump, euchre.STRENGTH, streams, row)
            continue
        if v.phase == euchre.ORDERING and v.dealer == 0:
            for alone in range(2):
                kept = 2 * row + alone
                best = lowest(v.turned)
                for card in range(24):
                    if v.hands[0] >> card & 1 and _better(discards, kept, card, best, POINTS) > 0:
                        best = card
                for kind in range(2):
                    sums[row, euchre.ORDER_UP + alone, kind] = discards[kept, best, kind]
        best = lowest(actions)
        for action in range(best + 1, masks.shape[1]):
            if actions >> action & 1 and _better(sums, row, action, best, POINTS) > 0:
                best = action
        out[row] = best


# --- Whist ---------------------------------------------------------------------------------------------------------


@kernel
def _same_card(deals: Any, j: int, card: int, below_it: int) -> bool:
    """Whether no card in play lies between two cards of the seat to act, so that they are as good as one."""
    g = deals[j]
    if below_it < 0 or card // 13 != below_it // 13:
        return False
    in_play = g.hands[0] | g.hands[1] | g.hands[2] | g.hands[3]
    if g.winner >= 0:
        in_play |= g.trick[g.winner]
    between = ((np.int64(1) << card) - 1) & -(np.int64(2) << below_it)
    return in_play & between == 0


@kernel
def _play_out(deals: Any, j: int, streams: Streams, s: int) -> int:
    """Plays ``deals[j]`` to its end by coop-high-low; returns the tricks of side 0."""
    while deals[j].over == RUNNING:
        cards = playable(deals[j], whist.SUIT_SETS, whist.SUIT_OF)
        whist.step(deals, j, coop_high_low(deals[j], cards, whist.STRENGTH, streams, s))
    return deals[j].tricks[0] + deals[j].tricks[2]


@kernel
def _add_whist(won: int, tricks: Ints, sums: Any, row: int) -> None:
    for card in range(52):
        if tricks[card] >= 0:
            _add(sums, row, card, whist.margin(won + tricks[card]), tricks[card])


@kernel
def _whist_search(
    observations: Bytes,
    masks: Bytes,
    streams: Streams,
    start: int,
    stop: int,
    worlds: int,
    forced: bool,
    exact: int,
    dds_from: int,
    views: Any,
    deals: Any,
    table: Ints,
    stack: Ints,
    sums: Any,
) -> None:
    """As `_euchre_search`; solves with at most ``exact`` cards in hand, leaves those from ``dds_from`` on to DDS, and plays
    worlds with more cards out.
    """
    tricks = np.empty(52, np.int64)
    v = views[0]
    for row in range(start, stop):
        actions = mask_bits(masks, row)
        if not forced and popcount(actions) == 1:
            continue
        whist.decode(observations, row, views, 0)
        # An observation does not count the moves, by which a play-out knows its end.
        v.moves = popcount(v.played[0] | v.played[1] | v.played[2] | v.played[3])
        won = v.tricks[0] + v.tricks[2]
        cards = popcount(v.hands[0])
        if dds_from <= cards <= exact:
            continue
        for _ in range(worlds):
            whist.redeal(views, 0, streams, row, deals, 0)
            if cards <= exact:
                whist_cards(deals, 0, table, stack, tricks)
            else:
                last = -1
                for card in range(52):
                    tricks[card] = -1
                    if actions >> card & 1:
                        if _same_card(deals, 0, card, last):
                            tricks[card] = tricks[last]
                        else:
                            deals[1] = deals[0]
                            whist.step(deals, 1, card)
                            tricks[card] = _play_out(deals, 1, streams, row) - won
                        last = card
            _add_whist(won, tricks, sums, row)


@kernel
def _whist_worlds(observations: Bytes, row: int, streams: Streams, views: Any, deals: Any) -> None:
    """Fills ``deals`` with worlds of one row."""
    whist.decode(observations, row, views, 0)
    for j in range(len(deals)):
        whist.redeal(views, 0, streams, row, deals, j)


@kernel
def _add_solved(deals: Any, tricks: Ints, sums: Any, row: int) -> None:
    for j in range(len(deals)):
        _add_whist(deals[j].tricks[0] + deals[j].tricks[2], tricks[j], sums, row)


@kernel
def _whist_choose(observations: Bytes, masks: Bytes, streams: Streams, goal: int, views: Any, sums: Any, out: Ints) -> None:
    for row in range(len(out)):
        whist.decode(observations, row, views, 0)
        out[row] = _best_card(mask_bits(masks, row), sums, row, goal, views[0].trump, whist.STRENGTH, streams, row)


# --- the policy ----------------------------------------------------------------------------------------------------


class Pimc(SearchPolicy):
    """``pimc``: solves worlds that fit what it knows with all cards open, and takes the action with the best mean.

    Its `scores` are means over the worlds: the points its side will gain in the deal less the other side's, or with
    ``goal="tricks"`` the tricks its side will still take. Equal means are decided by the other of the two. What is
    equal then is decided in bidding for the lowest action, so for the pass, and of cards and discards for the weaker one,
    then at random. In a decision with one action `act` searches nothing.

    *Bidding in Euchre.* In each world every call is carried out: a dealer in another seat discards, and after a pass all
    seats (this one too) bid on, by the rules of the caller ``calling``, each from its own view; then the contract is worth
    its exact points. A deal that all pass is worth 0. So passing is worth what the rule makes of it, and each call is an
    improvement on the rule in the manner of a rollout (Tesauro and Galperin, 1996). A dealer who orders up itself counts
    with the discard that is best on average over all worlds, as it will have to choose without seeing them; going alone is
    a call like any other. Bids and discards are always chosen by points.

    *Whist.* While a hand has more than ``exact_cards`` cards, worlds are not solved but played out to the end by
    coop-high-low.

    Args:
        game: name or spec.
        worlds: how many worlds a decision takes, at least 1.
        seconds: if given, each decision deals worlds (a few at least) until so much time has gone by, instead of a fixed
            number. Then the choice depends on the machine.
        goal: ``"points"`` or ``"tricks"``.
        calling: in full Euchre, how the other seats are thought to bid and discard: a name from `calling.CALLERS`.
        exact_cards: in Whist, most cards a hand that are solved exactly, 0 to 13. At 30 worlds a lead takes about 6 ms with
            7 cards, 25 ms with 8, 40 ms with 9 and 2 s with 13.
        solver: in Whist, ``"numba"`` (`double_dummy`, at most 10 cards), ``"dds"`` (`dds`; needs the extra ``dds``) or
            ``"auto"``: the faster one that is installed. They agree on every value.

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
        self._worlds = check_worlds(worlds)
        self._seconds = None if seconds is None else check_seconds(seconds)
        self._goal = check_choice("goal", goal, GOALS)
        self._calling = caller(calling)
        whole = isinstance(exact_cards, (int, np.integer)) and not isinstance(exact_cards, bool)
        if not whole or not 0 <= exact_cards <= 13:
            raise ValueError(f"exact_cards must be an int from 0 to 13, not {exact_cards!r}")
        self._exact = int(exact_cards)
        self._dds_from = check_choice("solver", solver, SOLVERS)
        if self.game.name == "whist":
            self._choose_solver(solver)

    def _choose_solver(self, solver: str) -> None:
        if self._exact >= self._dds_from and not dds.available():
            if solver == "dds":
                raise ValueError("solver='dds' needs the package endplay: pip install cardenvs[dds]")
            self._dds_from = _NEVER
        if self._dds_from == _NEVER and self._exact > double_dummy.MAX_CARDS:
            raise ValueError(
                f"exact_cards must be at most {double_dummy.MAX_CARDS} with the numba solver, not {self._exact}; more are "
                "solved by the package endplay: pip install cardenvs[dds]"
            )

    def evaluate(
        self, observations: Bytes, action_masks: Bytes, streams: Streams, skip_forced: bool
    ) -> tuple[Scores, Ints]:
        """See `ScoredPolicy.evaluate`."""
        n = len(observations)
        views = self.game.new_games(2)
        sums = np.zeros((n, self.game.num_actions, 2), np.int64)
        out = np.empty(n, np.int64)
        kind = np.full(n, self._goal)
        if self.game.name == "euchre":
            discards = np.zeros((2 * n, 24, 2), np.int64)
            deals, (table, stack) = self.game.new_games(3), workspace(5)

            def search(start: int, stop: int, worlds: int) -> None:
                _euchre_search(
                    observations, action_masks, streams, start, stop, worlds, not skip_forced, self._calling, views, deals,
                    table, stack, sums, discards,
                )  # fmt: skip

            worlds = self._search(search, action_masks, skip_forced)
            _euchre_choose(observations, action_masks, streams, self._goal, views, sums, discards, out)
            kind[observations[:, self.game.slices["phase"]][:, euchre.PLAYING] == 0] = POINTS
        else:
            deals, (table, stack) = self.game.new_games(2), workspace(min(self._exact, double_dummy.MAX_CARDS))
            cards = observations[:, self.game.slices["hand"]].sum(1)

            def search(start: int, stop: int, worlds: int) -> None:
                _whist_search(
                    observations, action_masks, streams, start, stop, worlds, not skip_forced, self._exact, self._dds_from,
                    views, deals, table, stack, sums,
                )  # fmt: skip
                for row in range(start, stop):
                    forced = skip_forced and action_masks[row].sum() == 1
                    if self._dds_from <= cards[row] <= self._exact and not forced:
                        dealt = self.game.new_games(worlds)
                        _whist_worlds(observations, row, streams, views, dealt)
                        _add_solved(dealt, dds.solve_cards(dealt), sums, row)

            worlds = self._search(search, action_masks, skip_forced)
            _whist_choose(observations, action_masks, streams, self._goal, views, sums, out)
        rows, actions = np.arange(n)[:, None], np.arange(self.game.num_actions)
        scores = sums[rows, actions, kind[:, None]] / worlds[:, None]
        scores[action_masks == 0] = np.nan
        return scores, out

    def _search(
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
            until = time.perf_counter() + self._seconds
            if skip_forced and action_masks[row].sum() == 1:
                until = 0.0
            while worlds[row] == 0 or time.perf_counter() < until:
                search(row, row + 1, _BLOCK)
                worlds[row] += _BLOCK
        return worlds
