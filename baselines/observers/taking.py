"""Counts of tricks that partners take from each other, over finished deals.

The deals' histories are replayed. Each metric is counted over its opportunities, the decisions in which the seat could do
what is counted and could avoid it.
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import Ints, lowest, popcount
from cardenvs.compiled.jit import closure, helper, kernel
from cardenvs.contract import loops
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre, whist
from cardenvs.games.tricks import SuitLookups, void_sets

METRICS = {
    "overtakes": "overtakes the partner",
    "ruffs": "ruffs the partner's winner",
    "void_leads": "leads the partner's void",
    "void_leads_ruffable": "... which it may ruff",
    "void_leads_unruffable": "... which it cannot ruff",
}
"""The metrics by name, in order, each with a label for tables.

- ``overtakes``: takes the trick from the partner who is winning it;
- ``ruffs``: takes the trick from the partner who is winning it with a trump, unable to follow suit;
- ``void_leads``: leads a suit of which the partner has shown out;
- ``void_leads_ruffable``: leads such a suit while the partner, by all the leader knows, could still hold a trump;
- ``void_leads_unruffable``: leads such a suit while the partner cannot hold a trump, leads of trumps included."""

OVERTAKES, RUFFS, VOID_LEADS, RUFFABLE, UNRUFFABLE = range(5)
"""The metrics' numbers, in the order of `METRICS`."""


@helper
def _winning_cards(g: Any, cards: int, suit_sets: Ints, suit_of: Ints, strength: Ints) -> int:
    """The members of the set ``cards`` that beat the card that is winning the trick."""
    best = strength[g.trump, lowest(g.trick[g.winner])]
    led = suit_of[g.trump, lowest(g.trick[g.leader])]
    left = cards & (suit_sets[g.trump, led] | suit_sets[g.trump, g.trump])
    higher: Any = np.int64(0)
    while left != 0:
        card = lowest(left)
        left &= left - 1
        if strength[g.trump, card] > best:
            higher |= np.int64(1) << card
    return higher


def _make_counting_loop(game: ModuleType, absent: Kernel) -> Kernel:
    legal, step, suit_sets, suit_of, strength = game.legal, game.step, game.SUIT_SETS, game.SUIT_OF, game.STRENGTH
    most, turn, could_hold, unseen_cards = len(METRICS), game.view, game.could_hold, game.unseen_cards
    voids = void_sets(SuitLookups(suit_sets, suit_of, strength))

    @closure(f"{__name__}:{game.SPEC.name}.count")
    def count_acts(
        states: Any, owners: Ints, scratch: Any, counts: Ints, positions: Any, actions: Ints, whose: Ints, kinds: Ints
    ) -> int:
        """Replays the deals and counts; writes as many of the decisions as there is room for, and returns their number."""
        kept = 0
        for i in range(len(states)):
            cards = 0
            for seat in range(4):
                cards += popcount(states[i].played[seat])
            if cards == 0:  # everybody passed
                continue
            # The start of the play: game 0 of the scratch.
            scratch[0] = states[i]
            g = scratch[0]
            for seat in range(4):
                g.hands[seat] |= g.played[seat]
                g.played[seat] = 0
                g.trick[seat] = 0
                g.voids[seat] = 0
                g.tricks[seat] = 0
            out = absent(scratch, 0)
            g.winner = -1
            g.leader = (g.dealer + 1) & 3
            if g.leader == out:
                g.leader = (g.leader + 1) & 3
            g.to_act = g.leader
            g.over = loops.RUNNING
            g.moves = states[i].moves - cards
            for k in range(states[i].moves - cards, states[i].moves):
                card = np.int64(states[i].history[k])
                seat = g.to_act
                partner = (seat + 2) & 3
                side = owners[i, seat]
                playable = legal(scratch, 0)
                done, possible = np.int64(0), np.int64(0)  # whether it did what is counted; a bit for each metric
                if g.winner == partner:
                    over = _winning_cards(g, playable, suit_sets, suit_of, strength)
                    if over != 0 and over != playable:
                        done = over >> card & 1
                        led = suit_of[g.trump, lowest(g.trick[g.leader])]
                        possible = np.int64(1) << OVERTAKES
                        if playable & suit_sets[g.trump, led] == 0:
                            possible |= np.int64(1) << RUFFS
                elif g.winner < 0 and partner != out:
                    into = playable & voids[g.trump, g.voids[partner]]
                    if into != 0 and into != playable:
                        done = into >> card & 1
                        turn(scratch, 0, seat, scratch, 1)  # the trumps that the partner could hold, by the seat's view
                        trumps = could_hold(scratch, 1, 2, unseen_cards(scratch, 1)) & suit_sets[g.trump, g.trump]
                        possible = np.int64(1) << VOID_LEADS | np.int64(1) << (RUFFABLE if trumps != 0 else UNRUFFABLE)
                for metric in range(most):
                    counts[side, metric, 1] += possible >> metric & 1
                    counts[side, metric, 0] += possible >> metric & done
                if done != 0:
                    if kept < len(positions):
                        positions[kept], actions[kept], whose[kept], kinds[kept] = scratch[0], card, side, possible
                    kept += 1
                step(scratch, 0, card)
        return kept

    return count_acts


@kernel
def _euchre_absent(games: Any, i: int) -> int:
    """The seat that sits out, -1 if none; sets the game to its phase of play."""
    games[i].phase = euchre.PLAYING
    return euchre.sitting_out(games, i)


@kernel
def _whist_absent(games: Any, i: int) -> int:
    return -1


_COUNTERS = {
    "euchre": _make_counting_loop(euchre, _euchre_absent),
    "whist": _make_counting_loop(whist, _whist_absent),
}

GAMES = tuple(_COUNTERS)
"""Names of the games in which the metrics can be counted."""


class Taken(NamedTuple):
    """Decisions in which a counted act was done."""

    positions: Games  # before the decisions, (k,)
    actions: Ints  # (k,), the cards played
    sides: Ints  # (k,), the deciding sides
    kinds: Ints  # (k,), a bit for each metric in the order of `METRICS`


def count_taking(spec: GameSpec, states: Games, owners: Ints, counts: Ints, keep: bool = True) -> Taken:
    """Counts tricks that partners take from each other in finished deals of a game of `GAMES`, and returns the decisions.

    Args:
        states: the deals, (k,), with histories.
        owners: int64 (k, 4), the side that held each seat.
        counts: int64 (2, metrics, 2), by side and metric, increased by times done and times possible.
        keep: whether decisions are returned, which takes a second replay.
    """
    games, scratch = spec.new_games(len(states)), spec.new_games(2)
    games[:] = states
    count = _COUNTERS[spec.name]

    def make_room(size: int) -> Taken:
        return Taken(spec.new_games(size), *np.zeros((3, size), np.int64))

    nothing = make_room(0)
    done = count(games, owners, scratch, counts, *nothing)
    if not keep or not done:
        return nothing
    taken = make_room(done)
    count(games, owners, scratch, np.zeros_like(counts), *taken)
    return taken
