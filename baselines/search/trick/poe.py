"""POE's agent: deal the hidden cards a hundred times, solve the current trick with all cards open, vote."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.calling import DEFAULT_CALLER, caller_number
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.search.base import Decisions, Search, WorldSearch
from cardenvs.baselines.search.trick.card_search import make_card_search
from cardenvs.baselines.search.trick.slots import deal_hidden, new_positions, slots_of
from cardenvs.checks import MOST_DRAWN
from cardenvs.compiled.bits import Ints, Streams, lowest
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import RandomSource
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Explanation, Scores

EXPLAINED = 5  # number of moves in an explanation, as in POE


@helper
def _best_reply(hand: int, led: int, trumps: int) -> int:
    """The highest card with which ``hand`` can win a trick of the suit ``led``, as a set of one (the greater set wins)."""
    follow = hand & led
    return follow if follow != 0 else hand & trumps


@kernel
def winning_moves(positions: Any, w: int, own: int, same_suit: Ints) -> int:
    """The slots in ``own`` with which seat 0's side wins the current trick, all cards open and every seat playing its best.

    This is the minimax over the rest of the trick, without a search: what a seat may play depends on the suit led alone, a
    higher card never hurts its own side in this trick, and so each seat plays the highest card that can win.
    """
    p = positions[w]
    trumps = same_suit[len(same_suit) - 1]
    winning = np.int64(0)
    rest = own
    while rest != 0:
        # All cards at once if a suit is led; else those of one suit.
        cards = rest if p.led >= 0 else rest & same_suit[lowest(rest)]
        led = p.led if p.led >= 0 else same_suit[lowest(rest)]
        rest ^= cards
        ours = p.best if p.winner == 2 else np.int64(0)
        theirs = p.best if p.winner == 1 or p.winner == 3 else np.int64(0)
        seat = 0
        for _ in range(p.left - 1):
            seat += 1
            if seat == p.absent:
                seat += 1
            reply = _best_reply(p.hands[seat], led, trumps)
            if seat == 2:
                ours = max(ours, reply)
            else:
                theirs = max(theirs, reply)
        while cards != 0:
            bit = cards & -cards
            cards ^= bit
            if max(ours, bit & (led | trumps)) > theirs:
                winning |= bit
    return winning


@for_trick_games
def _vote_search(game: GameSpec, kind: TrickGame) -> Kernel:
    """The kernel that adds the points that POE gives to each card; it has no rules."""
    _, card, same_suit, _ = slots_of(kind)

    @game.kernels.loop("poe.add-worlds")
    def add_worlds(
        views: Any, own: int, worlds: int, rules: int, ways: Ints, ways_discarded: Ints, positions: Any, streams: Streams,
        row: int, votes: Scores,
    ) -> None:  # fmt: skip
        trump = views[0].trump
        for _ in range(worlds):
            deal_hidden(positions, 0, ways, ways_discarded, streams, row)
            winning = winning_moves(positions, 0, own, same_suit)
            votes[row, card[trump, lowest(winning if winning != 0 else own)]] += 1
            while winning != 0:
                votes[row, card[trump, lowest(winning)]] += 1
                winning &= winning - 1

    return make_card_search(game, kind, "poe", add_worlds)


class Poe(WorldSearch):
    """``poe``: POE's agent, which looks no further than the current trick.

    It deals the hidden cards ``worlds`` times and in each deal finds the moves that win the current trick with all cards
    open, each side wanting to win it. Each winning move gets a point, and the lowest winning move one more; where no move
    wins, the lowest legal card gets a point. The move with the most points is played, the lowest among equals. Low and high
    go by trump, then rank, then suit (clubs, diamonds, hearts, spades); a discard is below any card that follows suit or
    ruffs. A score is a move's share of all points in percent.

    Source: POE, the Whist engine for MATLAB (J. Diamond, version 1.0.6, 2019), whose repair of a deal by random swaps until
    it fits the suits shown out is replaced by a uniform draw from all deals that fit. POE plays Whist; in Euchre the same
    code plays the cards, and a caller bids and discards (its choice scores 100).

    Args:
        worlds: how many deals to draw for a decision; POE's 100.
        calling: the method for bids and discards in full Euchre, a name from `calling.CALLERS`.
    """

    kind = "percent"
    call = MOST_DRAWN  # all at once: a caller is asked but once

    def __init__(self, game: str | GameSpec, worlds: int = 100, calling: str = DEFAULT_CALLER) -> None:
        super().__init__(game, worlds, None)
        self._calling = caller_number(calling)

    def score_and_choose(self, decisions: Decisions) -> tuple[Scores, Ints]:
        return 100 * decisions.sums / np.maximum(decisions.sums.sum(axis=1, keepdims=True), 1), decisions.chosen

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        search, batch, found = _vote_search(self.game), decisions[:3], (decisions.sums, decisions.chosen)
        scratch = self.game.new_games(1), new_positions()
        return [(rows, lambda some, worlds: search(some, worlds, self._calling, 0, *batch, *scratch, *found))]

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """The five best moves with their share of the points in percent, as POE prints them."""
        explained = super().explain(observation, rng)
        return Explanation(
            explained.kind, explained[:EXPLAINED], explained.errors[:EXPLAINED], explained.visits[:EXPLAINED]
        )
