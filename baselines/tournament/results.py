"""The results of a tournament: pairings, standings with ratings, and non-transitive triples."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from cardenvs.baselines.match.results import DealResults, Margins, Summary, SummaryRow, per_second, summarise
from cardenvs.baselines.match.side import has_like_sides
from cardenvs.baselines.reports.columns import (
    Column,
    Columns,
    Row,
    computed_column,
    count_column,
    name_column,
    names_column,
    points_column,
    share_column,
)
from cardenvs.baselines.reports.statistics import Z95, Interval, interval, margin_interval, share_interval
from cardenvs.baselines.runs.forfeits import FORFEITS, forfeited_pairings
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.plan import SETTINGS
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.tournament import report
from cardenvs.baselines.tournament.ratings import cycles, expected, rate
from cardenvs.baselines.tournament.settings import TournamentSettings

SeatResults = Columns(
    "SeatResults",
    count_column("games", "how many games were played"),
    count_column("wins", "how many of them were won"),
    count_column("draws", "how many of them were drawn, or won together with others"),
    count_column("losses", "how many of them were lost"),
    share_column("win_rate", "share of the games won, a draw counting half; the interval is from the spread between deals"),
    points_column("points_margin", "points a game above the mean of the other sides'"),
    points_column("tricks_margin", "tricks (columns) a game above the mean of the other sides'"),
)
"""The results on one side of a game whose sides are not alike, of one policy or of all that sat there.

Sides are not alike where they have one seat each, as in Five-O, are of different sizes, are dealt, or are more than two.
"""

Standing = Columns(
    "Standing",
    name_column("policy", "the policy"),
    points_column("rating", "Bradley-Terry rating on Elo's scale; the mean over all policies is 0"),
    share_column("win_rate", "win rate, the mean over all opponents, a draw counting half"),
    points_column("points_margin", "points a deal above the opponent's, the mean over all opponents"),
    points_column("tricks_margin", "tricks (columns) a deal above the opponent's, the mean over all"),
    count_column("decisions", "decisions made in the tournament"),
    Column("decisions_per_s", "decisions a second of the policy's own time"),
    points_column("rank", "mean rank in a game, 1 for the best; none with two sides", optional=True),
    Column("by_seat", "the policy's games on each side of the game (`SeatResults`); none where sides are alike. With more "
           "than two sides, of games in which the policy holds that side alone"),
    points_column("own_points", "points a deal of a team of it, in a game of one side", optional=True, default=None),
    points_column("points_with_others", "the same with one other policy, the mean over the others and "
           "over both orders of the seats; none without others", optional=True, default=None),
)  # fmt: skip
"""A policy's standing in a tournament: its rating, and its means over all opponents.

In a game of more than two sides the rating is by all games, and the means are of those in which the policy holds one
side and the opponent all others.
"""


Pairing = Columns(
    "Pairing",
    Summary,
    Column("sides", "the policies; with more than two sides the first holds one side and the second all others"),
    Column("first_seat", "`SeatResults` of player_0, who moves first, whichever policy sat there, with two players"),
    row=SummaryRow,
)
"""Two policies against each other: the figures of a `Summary`, and the policies' names."""


Triple = Columns(
    "Triple",
    names_column("policies", "A, B and C, of which A beats B, B beats C and C beats A"),
    Column("leads", "A's lead over B, B's over C and C's over A: win rate above one half, or points a deal. With more than "
           "two sides, both ways, the share of the opponent's sides that were beaten above one half"),
    Column("z", "the least of the three leads in standard errors"),
)  # fmt: skip
"""Three policies that beat each other in a circle."""

Cycles = Columns(
    "Cycles",
    count_column("triples", "how many triples there are"),
    Column("significant", "the non-transitive triples (`Triple`) in which each lead is significant by itself (95%), "
           "surest first; one in which a pair is truly level is listed with a chance of at most 2.5%"),
    count_column("not_significant", "how many further triples are non-transitive, but not significantly"),
)  # fmt: skip
"""The non-transitive triples by one measure."""

TournamentResult = Columns(
    "TournamentResult",
    SETTINGS[0],
    Column("protocol", 'always ``"duplicate"``'),
    Column("policies", "the policies, best rated first, without those that forfeited so much that they have no rating"),
    SETTINGS[3],
    count_column("games", "games of each pairing: as many for a deal as the game has sides"),
    *SETTINGS[4:],
    Column("standings", "how each policy stands (`Standing`), best rated first"),
    Column("pairings", "each pairing once (`Pairing`), the better rated policy first; with more than two sides both ways. "
           "Those that were forfeited are left out, of two ways both"),
    Column("regularised", "whether some policy won or lost everything, so that the ratings had to be bounded (`rate`)"),
    Column("misfit", "the largest difference between a pairing's win rate and the one that the ratings predict"),
    Column("cycles", 'the non-transitive triples (`Cycles`), by ``"win_rate"`` and by ``"points"``'),
    Column("first_seat", "`SeatResults` of player_0, who moves first, over all pairings, in games of two players"),
    Column("truncated", "how many games were cut off; none in a game that is never cut off", optional=True),
    FORFEITS,
    computed_column("num_sides", lambda row: max(row.spec.num_sides, 2)),  # in a game of one side two teams are compared
    document=report.document,
)  # fmt: skip
"""The results of a tournament."""


def play_tournament(
    settings: TournamentSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Row:
    """Plays what is missing in a folder of the tournament of `settings_for`; its results, a `TournamentResult`.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`, which says what the arguments are.
    """
    return results_of(play_all(settings, out, workers=workers, cluster=cluster, progress=progress))


class _Seats:
    """Results by side of a game whose sides are not alike."""

    def __init__(self, played: DealResults, most: Margins) -> None:
        self._most = most
        self._won, self._points, self._tricks = played.won, played.point_leads, played.trick_leads

    def each(self, as_first: npt.NDArray[np.int64], as_second: npt.NDArray[np.int64]) -> list[Row]:
        """`results` on each side of the game."""
        return [self.results(side, as_first, as_second) for side in range(self._won.shape[-1])]

    def results(self, side: int, as_first: npt.NDArray[np.int64], as_second: npt.NDArray[np.int64]) -> Row:
        """The results on one side of the game, over the firsts of some pairings and the seconds of some pairings."""

        def in_seat(leads: npt.NDArray[Any], whole: int) -> npt.NDArray[Any]:
            """The entries of ``leads`` for the side; a second has ``whole`` less the first's entry."""
            # In copy c the first is on side c, and the second of two on the other.
            return np.concatenate([leads[as_first, :, side], whole - leads[as_second, :, 1 - side]])

        won, points, tricks = in_seat(self._won, 1), in_seat(self._points, 0), in_seat(self._tricks, 0)
        wins, losses = int((won == 1).sum()), int((won == 0).sum())
        return SeatResults(
            games=won.size,
            wins=wins,
            draws=won.size - wins - losses,
            losses=losses,
            win_rate=share_interval(won.mean(0)),
            points_margin=margin_interval(points.mean(0), self._most.points),
            tricks_margin=margin_interval(tricks.mean(0), self._most.tricks),
        )


class _Teams:
    """Points of the teams in a game of one side."""

    def __init__(self, settings: TournamentSettings, played: DealResults, lost: set[int]) -> None:
        self._settings, self._lost = settings, lost
        self._points = played.points_margins

    def own(self, player: int) -> Interval:
        """Points a deal of a policy at all seats."""
        return self._settings.most.points_interval(self._points[player])

    def with_others(self, player: int) -> Interval | None:
        """Points a deal of a policy with each other, the mean over the teams that have not forfeited; None without any."""
        teams = [
            number
            for number, pair in enumerate(self._settings.mixed, len(self._settings.policies))
            if player in pair and number not in self._lost
        ]
        return self._settings.most.points_interval(self._points[teams].mean(0)) if teams else None


def results_of(store: PairingStore) -> Row:
    """The results of a finished tournament, a `TournamentResult`.

    Raises:
        ValueError: deals are missing, or a chunk is damaged; no two policies have a pairing that was not forfeited.
    """
    settings: TournamentSettings = store.plan
    spec = settings.spec
    teams = None
    if spec.one_sided:
        players = np.array([player for player in range(len(settings.policies)) if player not in store.forfeits], np.int64)
    else:
        players, counted = _rated(store)
    if len(players) < 2:
        raise store.nothing_left()
    played = store.load()
    forfeits = forfeited_pairings(store, played)
    names = [settings.policies[player] for player in players]
    if spec.one_sided:
        teams = _Teams(settings, played, set(store.forfeits))
        pairs = np.array(list(itertools.combinations(range(len(players)), 2)), np.int64)
        played = DealResults.beside([played.of_pairing(players[pairs[:, side]]) for side in (0, 1)])
    else:
        pairs = np.searchsorted(players, np.array(settings.pairs, np.int64)[counted])
        if forfeits:
            played = played.of_pairing(counted)
    k = len(names)
    two = played.sides == 2
    # The figures of the first side of each pairing: (pairings, deals).
    wins, points, tricks, beaten = played.wins, played.points_margins, played.tricks_margins, played.beaten
    ratings = rate(beaten, pairs, k)
    # Where partners sit on two like sides, both sides sit in all positions; a single player sits first or second.
    alike = spec.one_sided or (spec.team and has_like_sides(spec))
    by_side = None if alike else _Seats(played, settings.most)
    seats = by_side if has_like_sides(spec) else None
    # A team that is compared with all others has made its decisions once.
    shared = k - 1 if teams is not None else 1

    order = np.argsort(-ratings.values, kind="stable")
    rank = np.argsort(order)
    pairings = []
    for number, (a, b) in enumerate(pairs):
        results, sides, both = played.of_pairing(number), [names[a], names[b]], np.array([number])
        if two and rank[a] > rank[b]:
            results, sides = results.mirrored(), sides[::-1]
        first_seat = None if seats is None else seats.results(0, both, both)
        pairings.append(Pairing.of(summarise(results, settings.most), sides=sides, first_seat=first_seat))
    pairings.sort(key=lambda pairing: [rank[names.index(side)] for side in pairing.sides])

    standings = []
    for player in order:
        as_first, as_second = np.flatnonzero(pairs[:, 0] == player), np.flatnonzero(pairs[:, 1] == player)
        decisions = int(played.decisions[as_first, 0].sum() + played.decisions[as_second, 1].sum())
        seconds = float(played.seconds[as_first, 0].sum() + played.seconds[as_second, 1].sum())
        # As the second of two sides a policy is what the first is on the other side; of more it holds several.
        other = as_second if two else as_second[:0]
        met = len(as_first) + len(other)
        standings.append(
            Standing(
                policy=names[player],
                rating=Interval(float(ratings.values[player]), *ratings.ci95[player].tolist()),
                win_rate=share_interval((wins[as_first].sum(0) + (1 - wins[other]).sum(0)) / met),
                points_margin=margin_interval((points[as_first].sum(0) - points[other].sum(0)) / met, settings.most.points),
                tricks_margin=margin_interval((tricks[as_first].sum(0) - tricks[other].sum(0)) / met, settings.most.tricks),
                decisions=decisions // shared,
                decisions_per_s=per_second(decisions, seconds),
                rank=None if two else interval(played.ranks[as_first].mean(0), 1, spec.num_sides),
                by_seat=None if by_side is None else by_side.each(as_first, other),
                own_points=None if teams is None else teams.own(int(players[player])),
                points_with_others=None if teams is None else teams.with_others(int(players[player])),
            )
        )

    predicted = expected(ratings.values)[pairs[:, 0], pairs[:, 1]]
    every = np.arange(len(pairs))
    return TournamentResult.of(
        settings,
        protocol="duplicate",
        policies=[names[player] for player in order],
        games=max(spec.num_sides, 2) * settings.deals,
        standings=standings,
        pairings=pairings,
        regularised=ratings.regularised,
        misfit=float(np.abs(beaten.mean(1) - predicted).max()),
        cycles={
            "win_rate": _cycles(names, pairs, beaten - 0.5, 0.5),
            "points": _cycles(names, pairs, points, settings.most.points),
        },
        first_seat=None if seats is None else seats.results(0, every, every),
        truncated=None if played.truncated is None else int(played.truncated.sum()),
        forfeits=forfeits,
    )


def _rated(store: PairingStore) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Selects the policies that are rated, and the pairings that rate them: without forfeits all.

    Else the pairings that were not forfeited (of a pairing both ways neither was), as far as they connect the most
    policies that they can.
    """
    pairs = store.plan.pairs
    lost = {pairs[number] for number in store.forfeits}
    whole = [number for number, (a, b) in enumerate(pairs) if (a, b) not in lost and (b, a) not in lost]
    k = len(store.plan.policies)
    met = np.zeros((k, k), np.bool_)
    met[tuple(np.array([pairs[number] for number in whole], np.int64).reshape(-1, 2).T)] = True
    part = connected_components(met, directed=False)[1]
    players = np.flatnonzero(part == np.bincount(part).argmax())
    return players, np.array([number for number in whole if pairs[number][0] in players], np.int64)


def _cycles(names: Sequence[str], pairs: npt.NDArray[np.int64], leads: npt.NDArray[np.float64], most: float) -> Row:
    """The non-transitive triples by one measure."""
    k = len(names)
    lead, error, met = np.zeros((k, k)), np.full((k, k), math.inf), np.zeros((k, k), np.int64)
    of_pair = dict(zip(map(tuple, pairs.tolist()), leads, strict=True))
    for a, b in itertools.combinations(range(k), 2):
        if (a, b) not in of_pair:
            continue  # forfeited
        met[a, b] = met[b, a] = 1
        # Where two are paired both ways, it is the lead over both.
        values = (of_pair[a, b] - of_pair[b, a]) / 2 if (b, a) in of_pair else of_pair[a, b]
        found = margin_interval(values, most)
        lead[a, b], lead[b, a] = found.mean, -found.mean
        # A lead is significant where the interval's end on the side of 0 does not reach it.
        error[a, b] = error[b, a] = (found.mean - found.low if found.mean > 0 else found.high - found.mean) / Z95
    listed = cycles(lead, error)
    significant = [
        Triple(
            policies=[names[player] for player in cycle.players],
            leads=[float(lead[cycle.players[i], cycle.players[(i + 1) % 3]]) for i in range(3)],
            z=cycle.z,
        )
        for cycle in listed
        if cycle.significant
    ]
    triples = int(np.trace(met @ met @ met)) // 6  # each is three closed walks either way
    return Cycles(triples, significant, len(listed) - len(significant))
