"""Flat Monte Carlo for trick games: deal the hidden cards, try every action, play the deals out.

Two ways to the same scores, as in `cardenvs.baselines.search.trick.playout`: *by slots* a card is played in a position of
`cardenvs.baselines.search.trick.slots`, with the simplest agents, fast; *by states* any action is taken in a game's own
state, with any agent (`cardenvs.baselines.search.playing_out`).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.calling import CALLERS, DEFAULT_CALLER
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.search.base import Decisions, Search, WorldSearch
from cardenvs.baselines.search.playing_out import new_scratch, search_kernel
from cardenvs.baselines.search.trick.card_search import choose_kernel, make_card_search, plays_card
from cardenvs.baselines.search.trick.playout import FAST_AGENTS, PLAYOUTS, play_out, playout_action
from cardenvs.baselines.search.trick.slots import deal_hidden, new_positions, slots_of, suit_of
from cardenvs.checks import check_choice
from cardenvs.compiled.bits import Floats, Ints, Streams, lowest
from cardenvs.compiled.jit import helper
from cardenvs.contract import loops
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores

GOALS = {"points": loops.POINTS, "tricks": loops.TRICKS}  # kinds of margin by the name of the goal
BY_SEARCH = "monte-carlo"  # value of the parameter ``calling`` with which bids and discards are searched, too

_TIE = 2.0**-30  # weight of the tie-break, too small to outweigh one point or trick in any number of worlds


@helper
def _margin_value(goal: int, points: int, tricks: int) -> float:
    """Value of a margin of points and one of tricks, by the goal, `loops.POINTS` or `loops.TRICKS`."""
    return points + _TIE * tricks if goal == loops.POINTS else tricks + _TIE * points


@for_trick_games
def _card_search(game: GameSpec, kind: TrickGame) -> Kernel:
    """The kernel that plays cards out by slots; its rules are the agent, one of `FAST_AGENTS`, and the goal."""
    _, card, same_suit, same_rank = slots_of(kind)
    margin, dealt = kind.margin, kind.dealt

    @game.kernels.loop("monte-carlo.add-worlds")
    def add_worlds(
        views: Any, own: int, worlds: int, rules: tuple[int, int], ways: Ints, ways_discarded: Ints, positions: Any,
        streams: Streams, row: int, sums: Scores,
    ) -> None:  # fmt: skip
        agent, goal = rules
        p, trump = positions[0], views[0].trump
        values, hands = np.empty(dealt + 1), np.empty(4, np.int64)
        before, won = np.empty(4, np.int64), np.empty(4, np.int64)
        for k in range(p.tricks + 1):
            taken = p.taken + k
            values[k] = _margin_value(goal, margin(views, 0, taken), 2 * taken - dealt)
        for _ in range(worlds):
            deal_hidden(positions, 0, ways, ways_discarded, streams, row)
            others = p.best
            for seat in range(1, 4):
                if seat != p.absent:
                    others |= p.hands[seat]
            for suit in range(4):
                before[suit] = 0
            rest = own
            while rest != 0:
                slot = lowest(rest)
                rest &= rest - 1
                # Two cards are equivalent if no card that can still meet them lies between. Random play-outs cannot tell
                # such cards apart; play-outs that compare numbers across suits almost never do.
                suit = suit_of(slot, same_suit)
                bit = np.int64(1) << slot
                if before[suit] == 0 or (bit - before[suit]) & same_suit[slot] & others != 0:
                    won[suit] = play_out(agent, positions, 0, slot, same_suit, same_rank, hands, streams, row)
                before[suit] = bit
                sums[row, card[trump, slot]] += values[won[suit]]

    return make_card_search(game, kind, "monte-carlo", add_worlds)


@for_trick_games
def _state_search(game: GameSpec, kind: TrickGame) -> Kernel:
    """The kernel that plays any action out in states, by any agent and caller."""
    outcome = game.kernels.outcome

    @game.kernels.loop("monte-carlo.lead")
    def side_lead(goal: int, games: Any, i: int, points: Ints, tricks: Ints, rewards: Floats) -> float:
        outcome(games, i, points, tricks)
        lead = tricks[i, 0] + tricks[i, 2] - tricks[i, 1] - tricks[i, 3]
        return _margin_value(goal, points[i, 0] - points[i, 1], lead)

    return search_kernel(game.kernels, "agents", playout_action(game), side_lead)


class MonteCarlo(WorldSearch):
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
        super().__init__(game, worlds, seconds)
        callers = CALLERS | {BY_SEARCH: CALLERS[DEFAULT_CALLER]}
        check_choice("playout", playout, PLAYOUTS)
        check_choice("goal", goal, GOALS)
        check_choice("calling", calling, callers)
        self._agent = PLAYOUTS[playout]
        self._goal = GOALS[goal]
        self._search_calls = calling == BY_SEARCH
        self._calling = callers[calling]

    def score_and_choose(self, decisions: Decisions) -> tuple[Scores, Ints]:
        return np.rint(decisions.sums) / decisions.drawn, decisions.chosen  # scores without what decides ties

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        batch, sums, chosen, views = decisions[:3], decisions.sums, decisions.chosen, self.game.new_games(1)
        cards, positions, rules = _card_search(self.game), new_positions(), (self._agent, self._goal)

        def search_cards(some: Ints, worlds: int) -> None:
            cards(some, worlds, self._calling, rules, *batch, views, positions, sums, chosen)

        def search_states(some: Ints, worlds: int) -> None:
            rules = self._agent, self._calling, self._goal, self.game.max_steps
            _state_search(self.game)(some, worlds, *rules, *batch, views, *new_scratch(self.game), sums)
            choose_kernel(self.game)(some, *batch[:2], views, sums, chosen)

        search = search_cards if self._agent in FAST_AGENTS else search_states
        if not self.game.bids_trump:
            yield rows, search
            return
        playing = plays_card(self.game, decisions.observations)[rows]
        yield rows[playing], search
        if self._search_calls:
            yield rows[~playing], search_states
        else:
            search_cards(rows[~playing], 0)
