"""Play-outs: full deals played to their end by simple agents.

There are two ways. `play_out` knows only the play of the cards, in a position of `slots` where cards are numbered by how
they rank; there the simplest agents, up to `FAST_AGENTS`, choose by a few bit operations. `playout_action` acts in a game's
own states, bidding included, by any agent. (A test compares them.)
"""

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.calling import call_kernel
from cardenvs.baselines.heuristics.cardplay import COOP_HIGH_LOW, HIGH, HIGH_LOW, LOW
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.heuristics.trick_taking import (
    CARD_COUNTING,
    HIGH_LOW_CORRECTED,
    HYBRID,
    HYBRID2,
    MARKOV,
    MARKOV2,
    MARKOV2_PUBLISHED,
    RANDOM,
    agents_in,
)
from cardenvs.compiled.bits import Ints, Streams, highest, lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec

PLAYOUTS = {
    "random": RANDOM,
    "low": LOW,
    "high": HIGH,
    "high-low": HIGH_LOW,
    "high-low-corrected": HIGH_LOW_CORRECTED,
    "coop-high-low": COOP_HIGH_LOW,
    "card-counting": CARD_COUNTING,
    "markov": MARKOV,
    "markov2": MARKOV2,
    "markov2-published": MARKOV2_PUBLISHED,
    "hybrid": HYBRID,
    "hybrid2": HYBRID2,
}
"""The agents that can play a deal out, numbers by name."""

FAST_AGENTS = (RANDOM, LOW, HIGH, HIGH_LOW, COOP_HIGH_LOW)  # numbers of the agents of `play_out`

THRESHOLD = 0.25  # the paper's threshold of the agents of the Markov kind, for play-outs


# --- by slots -----------------------------------------------------------------------------------------------------


@helper
def _random_slot(cards: int, most: int, streams: Streams, s: int) -> int:
    """A random member of ``cards``, a set of at most ``most``: the same loop for every set, which is easy to predict."""
    skip = below(streams, s, popcount(cards))
    for k in range(most - 1):
        cards = cards & (cards - 1) if k < skip else cards
    return lowest(cards)


@helper
def _choose_slot(
    agent: int, cards: int, held: int, top_rank: int, partner_wins: bool, same_rank: Ints, streams: Streams, s: int
) -> int:
    """The slot of the card that ``agent`` plays of its legal ``cards``, without branches that depend on them."""
    if agent == RANDOM:
        return _random_slot(cards, held, streams, s)
    slot = lowest(cards)
    if agent != LOW:
        high = highest(cards)
        wanted: Any = agent == HIGH or (np.int64(1) << high) > top_rank
        if agent == COOP_HIGH_LOW:
            wanted = wanted & (not partner_wins)
        slot = high if wanted else slot
    return _random_slot(cards & same_rank[slot], 3, streams, s)


@kernel
def play_out(
    agent: int, positions: Any, w: int, first: int, same_suit: Ints, same_rank: Ints, hands: Ints, streams: Streams, s: int
) -> int:
    """Number of incomplete tricks that side 0 wins if seat 0 plays slot ``first`` and then all play as ``agent``.

    ``agent`` is one of `FAST_AGENTS`; position number ``w`` is not changed, ``hands``, int64 (4,), is overwritten.
    """
    p = positions[w]
    for seat in range(4):
        hands[seat] = p.hands[seat]
    absent = p.absent
    if absent >= 0:
        hands[absent] = 0
    trumps = same_suit[len(same_suit) - 1]
    led, top, winner, left = p.led, p.best, p.winner, p.left
    top_rank = same_rank[lowest(top)] if top != 0 else np.int64(0)
    seat = 0
    slot = first
    won = 0
    for held in range(p.tricks, 1, -1):
        while left > 0:
            if slot < 0:
                follow = hands[seat] & led
                cards = follow if follow != 0 else hands[seat]
                slot = _choose_slot(agent, cards, held, top_rank, winner == (seat + 2) & 3, same_rank, streams, s)
            bit = np.int64(1) << slot
            hands[seat] ^= bit
            wins = (bit > top) & (bit & (led | trumps) != 0)
            top = bit if wins else top
            top_rank = same_rank[slot] if wins else top_rank
            winner = seat if wins else winner
            led = same_suit[slot] if led < 0 else led
            slot = -1
            left -= 1
            seat = (seat + 1) & 3
            if seat == absent:
                seat = (seat + 1) & 3
        won += 1 - (winner & 1)
        seat = winner
        led, top, top_rank, winner = np.int64(-1), np.int64(0), np.int64(0), np.int64(-1)
        left = 4 if absent < 0 else 3
    # In the last trick no seat has a choice, and one that has played to it holds nothing.
    if led < 0:
        led = same_suit[lowest(hands[seat])]
    can_win = led | trumps
    ours = max(hands[0] & can_win, hands[2] & can_win)
    theirs = max(hands[1] & can_win, hands[3] & can_win)
    if winner == 1 or winner == 3:
        theirs = max(theirs, top)
    else:
        ours = max(ours, top)
    return won + np.int64(ours > theirs)


# --- by states -----------------------------------------------------------------------------------------------------


@for_trick_games
def playout_action(game: GameSpec, kind: TrickGame) -> Kernel:
    """The kernel ``action(games, j, agent, calling, streams, s)``: the action of the seat to act, without a draw if forced.

    ``agent`` plays the cards, a number from `PLAYOUTS`, ``calling`` bids and discards, a number from `calling.CALLERS`;
    each seat decides from what it may know. The deal of ``games[j]`` is not over.
    """
    legal, playing, card, call = game.kernels.legal, kind.playing, agents_in(game).card, call_kernel(kind)

    @game.kernels.loop("playout.action")
    def action(games: Any, j: int, agent: int, calling: int, streams: Streams, s: int) -> int:
        actions = legal(games, j, 0)
        if actions & (actions - 1) == 0:
            return lowest(actions)
        if playing(games, j):
            return card(agent, THRESHOLD, games, j, actions, streams, s)
        return call(calling, games, j, actions, streams, s)

    return action
