"""The results of a tournament: pairings, standings with ratings, and non-transitive triples."""

import itertools
import math
import os
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
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
from cardenvs.baselines.reports.document import Estimate
from cardenvs.baselines.reports.statistics import Z95, Interval, interval, margin_interval, share_interval
from cardenvs.baselines.runs.forfeits import FORFEITS, forfeited_pairings
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.plan import SETTINGS
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.tournament import report
from cardenvs.baselines.tournament.ratings import Ratings, cycles, expected, rate
from cardenvs.baselines.tournament.settings import TournamentSettings
from cardenvs.compiled.bits import Ints

SeatResults = Columns(
    "SeatResults",
    count_column("games", "how many games were played"),
    count_column("wins", "how many of them were won"),
    count_column("draws", "how many of them were drawn, or won together with others"),
    count_column("losses", "how many of them were lost"),
    computed_column(
        "record", lambda seat: f"{seat.wins:,}, {seat.draws:,}, {seat.losses:,}", title="won, drawn, lost", spare=True
    ),
    share_column("win_rate", "share of the games won, a draw counting half; the interval is from the spread between deals"),
    points_column("points_margin", "points a game above the mean of the other sides'"),
    points_column("tricks_margin", "tricks (columns) a game above the mean of the other sides'", "columns a deal"),
)
"""The results on one side of a game whose sides are not alike, of one policy or of all that sat there.

Sides are not alike where they have one seat each, as in Five-O, are of different sizes, are dealt, or are more than two.
"""

Standing = Columns(
    "Standing",
    name_column("policy", "the policy"),
    points_column("rating", "Bradley-Terry rating on Elo's scale; the mean over all policies is 0", "rating",
                  cell=lambda value: Estimate(value, digits=0)),
    share_column("win_rate", "win rate, the mean over all opponents, a draw counting half"),
    computed_column("mean_rank", lambda standing: standing.rank, title="rank",
                    cell=lambda value: Estimate(value, digits=2, signed=False)),
    points_column("points_margin", "points a deal above the opponent's, the mean over all opponents"),
    points_column("tricks_margin", "tricks (columns) a deal above the opponent's, the mean over all", "columns a deal"),
    count_column("decisions", "decisions made in the tournament"),
    Column("decisions_per_s", "decisions a second of the policy's own time", "decisions/s", "{:,.0f}".format, spare=True),
    points_column("rank", "mean rank in a game, 1 for the best; none with two sides", "", optional=True),
    Column("by_seat", "the policy's games on each side of the game (`SeatResults`); none where sides are alike. With more "
           "than two sides, of games in which the policy holds that side alone"),
    points_column("own_points", "points a deal of a team of it, in a game of one side", "", optional=True, default=None),
    points_column("points_with_others", "the same with one other policy, the mean over the others and "
                  "over both orders of the seats; none without others", "", optional=True, default=None),
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
    """Plays what is missing of a tournament in a folder, as `play_all` does; returns its `TournamentResult`."""
    return results_of(play_all(settings, out, workers=workers, cluster=cluster, progress=progress))


def results_of(store: PairingStore) -> Row:
    """The results of a finished tournament, a `TournamentResult`.

    Raises:
        ValueError: deals are missing, or a chunk is damaged; no two policies have a pairing that was not forfeited.
    """
    settings: TournamentSettings = store.plan
    games, forfeits = _select_games(store)
    pairs, played, names = games.pairs, games.played, games.names
    beaten = played.beaten
    ratings = rate(beaten, pairs, len(names))
    predicted = expected(ratings.values)[pairs[:, 0], pairs[:, 1]]
    order = np.argsort(-ratings.values, kind="stable")
    return TournamentResult.of(
        settings,
        protocol="duplicate",
        policies=[names[player] for player in order],
        games=max(settings.spec.num_sides, 2) * settings.deals,
        standings=[_find_standing(games, ratings, player) for player in order],
        pairings=_list_pairings(games, np.argsort(order)),
        regularised=ratings.regularised,
        misfit=float(np.abs(beaten.mean(1) - predicted).max()),
        cycles={
            "win_rate": _find_cycles(games, beaten - 0.5, 0.5),
            "points": _find_cycles(games, played.points_margins, settings.most.points),
        },
        first_seat=games.first_seat(np.arange(len(pairs))),
        truncated=None if played.truncated is None else int(played.truncated.sum()),
        forfeits=forfeits,
    )


@dataclass(frozen=True)
class _Games:
    """The games that rate policies, with the figures that standings, pairings and cycles share."""

    store: PairingStore
    players: Ints  # numbers of the rated policies in the settings, ascending
    pairs: Ints  # (pairings, 2), the pairings' sides as numbers in `players`
    played: DealResults  # the results of these pairings
    teams: DealResults | None = None  # in a game of one side the results of each team by itself

    @cached_property
    def names(self) -> list[str]:
        return [self.store.plan.policies[player] for player in self.players]

    @cached_property
    def most(self) -> Margins:
        return self.store.plan.most

    @cached_property
    def figures(self) -> tuple[npt.NDArray[Any], ...]:
        """The first's wins, points and tricks above the second's, each (pairings, deals, copies)."""
        return self.played.won, self.played.point_leads, self.played.trick_leads

    def by_seat(self, as_first: Ints, as_second: Ints) -> list[Row] | None:
        """The `SeatResults` on each side, of the firsts and of the seconds of some pairings; None where sides are alike."""
        spec = self.store.plan.spec
        # Where partners sit on two like sides, both sides sit in all positions; a single player sits first or second.
        if spec.one_sided or (spec.team and has_like_sides(spec)):
            return None
        return [self._in_seat(side, as_first, as_second) for side in range(self.figures[0].shape[-1])]

    def first_seat(self, pairings: Ints) -> Row | None:
        """The `SeatResults` of player_0 in some pairings; None in games that are not of two players."""
        spec = self.store.plan.spec
        return None if spec.team or not has_like_sides(spec) else self._in_seat(0, pairings, pairings)

    def _in_seat(self, side: int, as_first: Ints, as_second: Ints) -> Row:
        # In copy c the first is on side c, and the second of two on the other, where it has what the first has not.
        won, points, tricks = (
            np.concatenate([of_first[as_first, :, side], whole - of_first[as_second, :, 1 - side]])
            for of_first, whole in zip(self.figures, (1, 0, 0), strict=True)
        )
        wins, losses = int((won == 1).sum()), int((won == 0).sum())
        return SeatResults(
            games=won.size,
            wins=wins,
            draws=won.size - wins - losses,
            losses=losses,
            win_rate=share_interval(won.mean(0)),
            points_margin=margin_interval(points.mean(0), self.most.points),
            tricks_margin=margin_interval(tricks.mean(0), self.most.tricks),
        )


def _select_games(store: PairingStore) -> tuple[_Games, list[Row]]:
    """The games that rate policies, and the pairings that were forfeited."""
    settings: TournamentSettings = store.plan
    if settings.spec.one_sided:
        players = counted = np.setdiff1d(np.arange(len(settings.policies)), list(store.forfeits))
    else:
        players, counted = _select_pairings(store)
    if len(players) < 2:
        raise store.nothing_left()
    played = store.load()
    forfeits = forfeited_pairings(store)
    if settings.spec.one_sided:
        pairs = np.array(list(itertools.combinations(range(len(players)), 2)), np.int64)
        beside = DealResults.beside([played.of_pairing(players[pairs[:, side]]) for side in (0, 1)])
        return _Games(store, players, pairs, beside, played), forfeits
    pairs = np.searchsorted(players, np.array(settings.pairs, np.int64)[counted])
    return _Games(store, players, pairs, played.of_pairing(counted) if forfeits else played), forfeits


def _select_pairings(store: PairingStore) -> tuple[Ints, Ints]:
    """The policies that are rated and the pairings that rate them, by number: without forfeits all.

    Else the pairings of which neither way was forfeited, in the largest group of policies that they connect.
    """
    pairs, k = store.plan.pairs, len(store.plan.policies)
    lost = {frozenset(pairs[number]) for number in store.forfeits}
    whole = np.array([number for number, pair in enumerate(pairs) if frozenset(pair) not in lost], np.int64)
    met = np.zeros((k, k), np.bool_)
    met[tuple(np.array(pairs)[whole].T)] = True
    part = connected_components(met, directed=False)[1]
    players = np.flatnonzero(part == np.bincount(part).argmax())
    return players, whole[np.isin(np.array(pairs)[whole, 0], players)]


def _list_pairings(games: _Games, rank: Ints) -> list[Row]:
    """The pairings, the better rated policy first, in the order of the ranks; with more than two sides both ways."""
    names, listed = games.names, []
    for number, (a, b) in enumerate(games.pairs):
        results, sides = games.played.of_pairing(number), [names[a], names[b]]
        if results.sides == 2 and rank[a] > rank[b]:
            results, sides = results.mirrored(), sides[::-1]
        summary, first_seat = summarise(results, games.most), games.first_seat(np.array([number]))
        listed.append(Pairing.of(summary, sides=sides, first_seat=first_seat))
    return sorted(listed, key=lambda pairing: [rank[names.index(side)] for side in pairing.sides])


def _find_standing(games: _Games, ratings: Ratings, player: int) -> Row:
    """The standing of a rated policy."""
    played, most, two = games.played, games.most, games.played.sides == 2
    as_first, as_second = (np.flatnonzero(games.pairs[:, side] == player) for side in (0, 1))
    decisions = int(played.decisions[as_first, 0].sum() + played.decisions[as_second, 1].sum())
    seconds = float(played.seconds[as_first, 0].sum() + played.seconds[as_second, 1].sum())
    # As the second of two sides a policy is what the first is on the other side; of more it holds several.
    other = as_second if two else as_second[:0]
    wins, points, tricks = (
        (values[as_first].mean(-1).sum(0) + whole - values[other].mean(-1).sum(0)) / (len(as_first) + len(other))
        for values, whole in zip(games.figures, (len(other), 0, 0), strict=True)
    )
    return Standing(
        policy=games.names[player],
        rating=Interval(float(ratings.values[player]), *ratings.ci95[player].tolist()),
        win_rate=share_interval(wins),
        points_margin=margin_interval(points, most.points),
        tricks_margin=margin_interval(tricks, most.tricks),
        # A team that is compared with all others has made its decisions once.
        decisions=decisions // (1 if games.teams is None else len(games.players) - 1),
        decisions_per_s=per_second(decisions, seconds),
        rank=None if two else interval(played.ranks[as_first].mean(0), 1, played.sides),
        by_seat=games.by_seat(as_first, other),
        **_find_team_points(games, int(games.players[player])),
    )


def _find_team_points(games: _Games, policy: int) -> dict[str, Interval | None]:
    """In a game of one side the points of a policy at all seats, and with each other that has not forfeited."""
    if games.teams is None:
        return {}
    plan, forfeits = games.store.plan, games.store.forfeits
    teams = enumerate(plan.mixed, len(plan.policies))
    mixed = [number for number, pair in teams if policy in pair and number not in forfeits]
    points = games.teams.points_margins
    return {
        "own_points": games.most.points_interval(points[policy]),
        "points_with_others": games.most.points_interval(points[mixed].mean(0)) if mixed else None,
    }


def _find_cycles(games: _Games, leads: npt.NDArray[np.float64], most: float) -> Row:
    """The non-transitive triples by the leads of the pairings' firsts, (pairings, deals), none above ``most``."""
    k = len(games.names)
    lead, error, met = np.zeros((k, k)), np.full((k, k), math.inf), np.zeros((k, k), np.int64)
    of_pair = dict(zip(map(tuple, games.pairs.tolist()), leads, strict=True))
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
    significant = []
    for cycle in (cycle for cycle in listed if cycle.significant):
        a, b, c = cycle.players
        by = [float(lead[pair]) for pair in ((a, b), (b, c), (c, a))]
        significant.append(Triple([games.names[player] for player in cycle.players], by, cycle.z))
    triples = int(np.trace(met @ met @ met)) // 6  # each is three closed walks either way
    return Cycles(triples, significant, len(listed) - len(significant))
