"""Metrics of cooperation: how often partners take from each other what was already theirs.

Counted over finished deals of a trick game by playing their histories again. Each metric is a rate over its opportunities,
the decisions in which the seat could do the thing and could leave it (a forced card tells nothing about its player).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import drivers
from cardenvs.baselines.search.double_dummy import deal_points, solve_cards
from cardenvs.cards import Ints, lowest, popcount
from cardenvs.games import euchre, whist
from cardenvs.jit import driver, kernel
from cardenvs.spec import Games, GameSpec, get_game
from cardenvs.tricks import SuitLookups, void_sets

METRICS = {
    "overtakes": "overtakes the partner",
    "ruffs": "ruffs the partner's winner",
    "void_leads": "leads the partner's void",
    "void_leads_ruffable": "... which it may ruff",
    "void_leads_unruffable": "... which it cannot ruff",
}
"""What is counted, in order, with a label for tables.

- ``overtakes``: takes the trick from the partner who is winning it;
- ``ruffs``: of those the ones with a trump, unable to follow suit;
- ``void_leads``: leads a suit of which the partner has shown out;
- ``void_leads_ruffable``: of those the ones while the partner, by all the leader knows, could still hold a trump;
- ``void_leads_unruffable``: the others, leads of trumps to a partner without them among them.
"""

OVERTAKES, RUFFS, VOID_LEADS, RUFFABLE, UNRUFFABLE = range(5)

_EUCHRE_VOIDS = void_sets(SuitLookups(euchre.SUIT_SETS, euchre.SUIT_OF, euchre.STRENGTH))
_WHIST_VOIDS = void_sets(SuitLookups(whist.SUIT_SETS, whist.SUIT_OF, whist.STRENGTH))
# Under these names because numba takes any ``.view`` for an array's.
_euchre_view, _whist_view = euchre.view, whist.view
_ALL_EUCHRE = np.int64(euchre.DECK.all)
_ALL_WHIST = np.int64(whist.DECK.all)


# --- counting ------------------------------------------------------------------------------------------------------


@driver
def beating(g: Any, cards: Any, suit_sets: Any, suit_of: Any, strength: Any) -> Any:
    """Those of ``cards`` that beat the card which is winning the trick."""
    best = strength[g.trump, lowest(g.trick[g.winner])]
    led = suit_of[g.trump, lowest(g.trick[g.leader])]
    left = cards & (suit_sets[g.trump, led] | suit_sets[g.trump, g.trump])
    found = np.int64(0)
    while left != 0:
        card = lowest(left)
        left &= left - 1
        if strength[g.trump, card] > best:
            found |= np.int64(1) << card
    return found


@driver
def _play_again(
    absent: Any,
    partners_trumps: Any,
    legal: Any,
    step: Any,
    suit_sets: Any,
    suit_of: Any,
    strength: Any,
    voids: Any,
    states: Any,
    owners: Any,
    scratch: Any,
    counts: Any,
    positions: Any,
    actions: Any,
    whose: Any,
    kinds: Any,
) -> Any:
    """Counts over finished deals; returns how many decisions were of any kind counted.

    The first of those, as many as there is room for, are kept: the ``positions`` before them, the ``actions``, ``whose``
    side decided and the ``kinds`` (a bit each). ``counts`` (2, metrics, 2) gets side, metric, and times done or possible.
    """
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
        g.over = drivers.RUNNING
        g.moves = states[i].moves - cards
        for k in range(states[i].moves - cards, states[i].moves):
            card = np.int64(states[i].history[k])
            seat = g.to_act
            partner = (seat + 2) & 3
            side = owners[i, seat]
            playable = legal(scratch, 0)
            kind = np.int64(0)
            if g.winner == partner:
                over = beating(g, playable, suit_sets, suit_of, strength)
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


@kernel
def _euchre_partners_trumps(games: Any, i: int) -> int:
    """The trumps that the partner of the seat to act could hold, as far as that seat knows."""
    _euchre_view(games, i, games[i].to_act, games, i + 1)
    v = games[i + 1]
    seen = v.hands[0] | v.discard | v.played[0] | v.played[1] | v.played[2] | v.played[3]
    if not v.picked_up:
        seen |= v.turned
    return euchre.could_hold(games, i + 1, 2, _ALL_EUCHRE & ~seen) & euchre.SUIT_SETS[v.trump, v.trump]


@kernel
def _whist_partners_trumps(games: Any, i: int) -> int:
    """The trumps that the partner of the seat to act could hold, as far as that seat knows."""
    _whist_view(games, i, games[i].to_act, games, i + 1)
    v = games[i + 1]
    seen = v.hands[0] | v.played[0] | v.played[1] | v.played[2] | v.played[3]
    return whist.could_hold(games, i + 1, 2, _ALL_WHIST & ~seen) & whist.SUIT_SETS[v.trump, v.trump]


@kernel
def _euchre_absent(games: Any, i: int) -> int:
    games[i].phase = euchre.PLAYING
    return euchre.sitting_out(games, i)


@kernel
def _whist_absent(games: Any, i: int) -> int:
    return -1


@kernel
def _count_euchre(
    states: Any, owners: Ints, scratch: Any, counts: Ints, positions: Any, actions: Ints, whose: Ints, kinds: Ints
) -> int:
    return _play_again(
        _euchre_absent, _euchre_partners_trumps, euchre.legal, euchre.step, euchre.SUIT_SETS, euchre.SUIT_OF,
        euchre.STRENGTH, _EUCHRE_VOIDS, states, owners, scratch, counts, positions, actions, whose, kinds,
    )  # fmt: skip


@kernel
def _count_whist(
    states: Any, owners: Ints, scratch: Any, counts: Ints, positions: Any, actions: Ints, whose: Ints, kinds: Ints
) -> int:
    return _play_again(
        _whist_absent, _whist_partners_trumps, whist.legal, whist.step, whist.SUIT_SETS, whist.SUIT_OF,
        whist.STRENGTH, _WHIST_VOIDS, states, owners, scratch, counts, positions, actions, whose, kinds,
    )  # fmt: skip


_COUNTERS = {"euchre": _count_euchre, "whist": _count_whist}


# --- what it cost --------------------------------------------------------------------------------------------------

Cost = Callable[[Games, Ints], npt.NDArray[np.float64]]
"""``(games, actions) -> float64 (n, 2)``: what each action costs the side of the seat to act in tricks and in points (the
side's less the other's), against its best action there; nan where nobody can say."""


def double_dummy_cost(most_cards: int = 8) -> Cost:
    """The cost of single cards if all hands were open and everybody played perfectly from there on.

    Args:
        most_cards: most cards a hand for which this is worked out: Euchre has five; in Whist eight take a millisecond a
            position, ten take twenty (`cardenvs.baselines.search.double_dummy.MAX_CARDS`).
    """

    def cost(games: Games, actions: Ints) -> npt.NDArray[np.float64]:
        lost = np.full((len(games), 2), np.nan)
        everyone = np.arange(len(games))
        cards = np.bitwise_count(games["hands"][everyone, games["to_act"]]).astype(np.int64)
        rows = np.flatnonzero(cards <= most_cards)
        games, left, side = games[rows], cards[rows], games["to_act"][rows] & 1
        values = solve_cards(games)
        best, taken = values.max(1), values[np.arange(len(rows)), actions[rows]]
        lost[rows, 0] = best - taken
        lost[rows, 1] = _lead(games, side, best, left) - _lead(games, side, taken, left)
        return lost

    return cost


def _lead(games: Games, side: Ints, tricks: Ints, left: Ints) -> Ints:
    """Points of ``side`` less the other's, if it takes ``tricks`` of those ``left``."""
    both = np.zeros((len(games), 2), np.int64)
    rows = np.arange(len(games))
    both[rows, side], both[rows, 1 - side] = tricks, left - tricks
    points = deal_points(games, both)
    return points[rows, side] - points[rows, 1 - side]


# --- an observer for matches ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Metric:
    """One metric of both sides; lists by side.

    Attributes:
        count: how often it was done.
        opportunities: how often it could have been done or left.
        rate: count / opportunities; None without opportunities.
        judged: how often it was done where the solver could say what it cost.
        tricks_lost: what it cost there on average; None if nothing was judged.
        points_lost: the same in points, the own side's less the other's.
        points_lost_per_deal: points_lost * count / deals.
    """

    count: list[int]
    opportunities: list[int]
    rate: list[float | None]
    judged: list[int]
    tricks_lost: list[float | None]
    points_lost: list[float | None]
    points_lost_per_deal: list[float | None]


@dataclass(frozen=True)
class Cooperation:
    """The metrics of a match.

    Attributes:
        deals: that were counted.
        metrics: by the names of `METRICS`.
    """

    deals: int
    metrics: dict[str, Metric]

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {"deals": self.deals} | {name: vars(metric) for name, metric in self.metrics.items()}


@dataclass
class CooperationObserver:
    """Counts over the finished deals it is shown; an observer for `cardenvs.baselines.match.play_match`.

    Args:
        game: name or spec of a trick game.
        cost: what decisions cost; None: judge nothing.

    Raises:
        ValueError: a game without partners.
    """

    game: str | GameSpec
    cost: Cost | None = field(default_factory=double_dummy_cost)
    deals: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.spec = get_game(self.game)
        if self.spec.name not in _COUNTERS:
            raise ValueError(f"cooperation is counted in {' and '.join(_COUNTERS)}, not in {self.spec.name}")
        self._count = _COUNTERS[self.spec.name]
        self._counts = np.zeros((2, len(METRICS), 2), np.int64)
        self._judged = np.zeros((2, len(METRICS)), np.int64)
        self._lost = np.zeros((2, len(METRICS), 2))

    def __call__(self, states: Games, owners: npt.NDArray[np.int64]) -> None:
        """Counts finished deals.

        Args:
            states: structured (k,), with their histories.
            owners: int64 (k, 4), the side (0 or 1) that held each seat.
        """
        self.deals += len(states)
        games, scratch = self.spec.new_games(len(states)), self.spec.new_games(2)
        games[:] = states
        nothing = np.empty(0, np.int64)
        found = self._count(games, owners, scratch, self._counts, self.spec.new_games(0), nothing, nothing, nothing)
        if self.cost is None or not found:
            return
        positions = self.spec.new_games(found)
        actions, whose, kinds = np.zeros((3, found), np.int64)
        self._count(games, owners, scratch, np.zeros_like(self._counts), positions, actions, whose, kinds)
        lost = self.cost(positions, actions)
        judged = ~np.isnan(lost[:, 0])
        for metric in range(len(METRICS)):
            for side in (0, 1):
                rows = judged & (whose == side) & (kinds >> metric & 1 == 1)
                self._judged[side, metric] += rows.sum()
                self._lost[side, metric] += lost[rows].sum(0)

    def result(self) -> Cooperation:
        """The metrics of all deals seen so far."""
        metrics = {}
        for k, name in enumerate(METRICS):
            done, possible, judged = self._counts[:, k, 0], self._counts[:, k, 1], self._judged[:, k]
            points = self._lost[:, k, 1] * done / max(self.deals, 1)
            metrics[name] = Metric(
                count=done.tolist(),
                opportunities=possible.tolist(),
                rate=_ratios(done, possible),
                judged=judged.tolist(),
                tricks_lost=_ratios(self._lost[:, k, 0], judged),
                points_lost=_ratios(self._lost[:, k, 1], judged),
                points_lost_per_deal=_ratios(points, judged),
            )
        return Cooperation(self.deals, metrics)


def _ratios(parts: npt.NDArray[Any], wholes: Ints) -> list[float | None]:
    return [float(part / whole) if whole else None for part, whole in zip(parts, wholes, strict=True)]
