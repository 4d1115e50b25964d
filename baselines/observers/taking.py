"""Counts of tricks that partners take from each other, over finished deals.

The deals' histories are replayed. Each metric is counted over its opportunities, the decisions in which the seat could do
what is counted and could avoid it.
"""

from __future__ import annotations

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

# Under these names because numba takes any ``.view`` for an array's.
_euchre_view, _whist_view = euchre.view, whist.view


@helper
def _winning_cards(g: Any, cards: int, suit_sets: Ints, suit_of: Ints, strength: Ints) -> int:
    """Returns the members of the set ``cards`` that beat the card that is winning the trick."""
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


def _make_counting_loop(absent: Kernel, partners_trumps: Kernel, game: ModuleType) -> Kernel:
    legal, step, suit_sets, suit_of, strength = game.legal, game.step, game.SUIT_SETS, game.SUIT_OF, game.STRENGTH
    voids = void_sets(SuitLookups(suit_sets, suit_of, strength))

    @closure(f"{__name__}:{game.SPEC.name}.count")
    def count_acts(
        states: Any, owners: Ints, scratch: Any, counts: Ints, positions: Any, actions: Ints, whose: Ints, kinds: Ints
    ) -> int:
        """Replays the deals and counts; returns the number of decisions in which a counted act was done. The first of them,
        as many as there is room for, are written: ``positions``, ``actions``, the deciding side in ``whose``, and in
        ``kinds`` a bit for each metric. ``counts``, int64 (2, metrics, 2), by side and metric, is increased by times done
        and times possible."""
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
                kind = np.int64(0)
                if g.winner == partner:
                    over = _winning_cards(g, playable, suit_sets, suit_of, strength)
                    if over != 0 and over != playable:
                        done = over >> card & 1
                        counts[side, OVERTAKES, 1] += 1
                        counts[side, OVERTAKES, 0] += done
                        kind = done << OVERTAKES
                        led = suit_of[g.trump, lowest(g.trick[g.leader])]
                        if playable & suit_sets[g.trump, led] == 0:
                            counts[side, RUFFS, 1] += 1
                            counts[side, RUFFS, 0] += done
                            kind |= done << RUFFS
                elif g.winner < 0 and partner != out:
                    into = playable & voids[g.trump, g.voids[partner]]
                    if into != 0 and into != playable:
                        done = into >> card & 1
                        which = RUFFABLE if partners_trumps(scratch, 0) != 0 else UNRUFFABLE
                        counts[side, VOID_LEADS, 1] += 1
                        counts[side, VOID_LEADS, 0] += done
                        counts[side, which, 1] += 1
                        counts[side, which, 0] += done
                        kind = done << VOID_LEADS | done << which
                if kind != 0:
                    if kept < len(positions):
                        positions[kept] = scratch[0]
                        actions[kept] = card
                        whose[kept] = side
                        kinds[kept] = kind
                    kept += 1
                step(scratch, 0, card)
        return kept

    return count_acts


@kernel
def _euchre_partners_trumps(games: Any, i: int) -> int:
    """Returns the trumps that the partner of the seat to act could hold, by its view."""
    _euchre_view(games, i, games[i].to_act, games, i + 1)
    trump = games[i].trump
    return euchre.could_hold(games, i + 1, 2, euchre.unseen_cards(games, i + 1)) & euchre.SUIT_SETS[trump, trump]


@kernel
def _whist_partners_trumps(games: Any, i: int) -> int:
    """Returns the trumps that the partner of the seat to act could hold, by its view."""
    _whist_view(games, i, games[i].to_act, games, i + 1)
    trump = games[i].trump
    return whist.could_hold(games, i + 1, 2, whist.unseen_cards(games, i + 1)) & whist.SUIT_SETS[trump, trump]


@kernel
def _euchre_absent(games: Any, i: int) -> int:
    """Returns the seat that sits out, -1 if none; sets the game to its phase of play."""
    games[i].phase = euchre.PLAYING
    return euchre.sitting_out(games, i)


@kernel
def _whist_absent(games: Any, i: int) -> int:
    return -1


_COUNTERS = {
    "euchre": _make_counting_loop(_euchre_absent, _euchre_partners_trumps, euchre),
    "whist": _make_counting_loop(_whist_absent, _whist_partners_trumps, whist),
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
    ``owners`` is int64 (k, 4), the side that held each seat; ``counts``, int64 (2, metrics, 2), is increased by times done
    and times possible. Without ``keep`` no decisions are returned, which saves a second replay."""
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
