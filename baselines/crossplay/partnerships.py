"""Partnerships: points of two policies on one side against fixed opponents, and rates of taking each other's tricks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.crossplay.counted import CountedResults
from cardenvs.baselines.crossplay.settings import CrossSettings
from cardenvs.baselines.observers.cooperation import CooperationSums
from cardenvs.baselines.observers.taking import GAMES
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval, share_interval
from cardenvs.baselines.runs.forfeits import forfeited_pairings
from cardenvs.baselines.runs.store import PairingStore

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Cell(Result):
    """The figures of two policies as partners.

    Attributes:
        policies: both policies' names; the same name twice for a policy with itself.
        games: games played: for each deal, opponent and order of the seats as many as the game has sides.
        points_margin: points a deal above the opponents; in a game of one side the team's points a deal.
        win_rate: share of the games won, a draw counting half; None in a game of one side.
        cooperation: how often the two took tricks from each other, by the names of `cardenvs.baselines.observers.METRICS`;
            each entry has the fields of `cardenvs.baselines.observers.Metric`, for this side alone;
            ``points_lost_per_deal`` is for each deal played. Empty in games in which this is not counted.
    """

    policies: list[str]
    games: int
    points_margin: Interval
    win_rate: Interval | None
    cooperation: dict[str, dict[str, Any]]

    OPTIONAL = ("win_rate",)


class PlayedPartnerships:
    """The results of all partnerships: means over both orders of their seats, over the opponents and over both copies.

    A policy that has forfeited anything is left out, as such, as a partner and as an opponent, so that means compare.

    Args:
        store: the folder that holds what was played.

    Attributes:
        settings: what was played, without those who have forfeited.
        forfeits: the pairings that were forfeited.

    Raises:
        ValueError: deals are missing, or a chunk is damaged; too few policies, partners or opponents have not forfeited.
    """

    def __init__(self, store: PairingStore) -> None:
        whole = store.plan
        assert isinstance(whole, CrossSettings)
        settings = whole.without({forfeit.policy for forfeit in store.forfeits.values()})
        fewest = 2 if settings.kind == CrossSettings.kind else 1
        if store.forfeits and (
            len(settings.policies) < fewest or not settings.partners or (whole.opponents and not settings.opponents)
        ):
            raise store.nothing_left()
        played = store.load()
        assert isinstance(played, CountedResults)
        self.settings = settings
        self.forfeits = forfeited_pairings(store, played)
        if self.forfeits:

            def named(settings: CrossSettings) -> list[list[list[str]]]:
                """The policies of the sides of every pairing."""
                return [[settings.sides[side] for side in pair] for pair in settings.pairs]

            everything = named(whole)
            kept = [everything.index(pairing) for pairing in named(settings)]
            played = played.of_pairing(np.array(kept, np.int64))
        against = max(len(settings.opponents), 1)
        self._games = settings.spec.num_sides * settings.deals * against
        shape = len(settings.partnerships), against

        def over_opponents(values: Array) -> Array:
            """The means over the opponents, float64 (partnerships, deals)."""
            return np.asarray(values.reshape(*shape, -1).mean(1))

        self._points, self._wins = over_opponents(played.points_margins), over_opponents(played.wins)
        self._number = {pair: k for k, pair in enumerate(settings.partnerships)}
        # The sums of the first side alone, which is the partnership; added up over the opponents.
        self._counts, self._judged, self._lost = (
            sums[:, 0].reshape(*shape, *sums.shape[2:]).sum(1) for sums in (played.counts, played.judged, played.lost)
        )

    def _rows(self, a: str, b: str) -> list[int]:
        """The numbers of the two orders of a partnership's seats; one number for a policy with itself."""
        return sorted({self._number[a, b], self._number[b, a]})

    def points(self, a: str, b: str) -> Array:
        """Points above the opponents for each deal, float64 (deals,)."""
        return np.asarray(self._points[self._rows(a, b)].mean(0))

    def wins(self, a: str, b: str) -> Array:
        """Share of the games won for each deal, a draw counting half, float64 (deals,)."""
        return np.asarray(self._wins[self._rows(a, b)].mean(0))

    def cell(self, a: str, b: str) -> Cell:
        """The figures of the partnership of two policies."""
        rows = self._rows(a, b)
        games = self._games * len(rows)
        sums = (sums[rows].sum(0)[None] for sums in (self._counts, self._judged, self._lost))
        metrics = CooperationSums(games, *sums).result().metrics if self.settings.game in GAMES else {}
        return Cell(
            policies=[a, b],
            games=games,
            points_margin=self.settings.most.points_interval(self.points(a, b)),
            win_rate=None if self.settings.spec.one_sided else share_interval(self.wins(a, b)),
            cooperation={name: {key: own for key, (own,) in vars(metric).items()} for name, metric in metrics.items()},
        )


def mean_of(values: Sequence[Array]) -> Array:
    """The mean of several partnerships' values, deal by deal."""
    return np.asarray(np.mean(values, 0))
