"""Cross-play and the ad-hoc benchmark: what is measured of partnerships against fixed opponents."""

import functools
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.crossplay import report
from cardenvs.baselines.crossplay.settings import AdHocSettings, CountedResults, CrossSettings, held_out, seed_groups
from cardenvs.baselines.observers.cooperation import CooperationSums
from cardenvs.baselines.observers.taking import GAMES
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
from cardenvs.baselines.reports.statistics import Interval, margin_interval, sample_interval, share_interval
from cardenvs.baselines.runs.forfeits import FORFEITS, forfeited_pairings
from cardenvs.baselines.runs.pairings import Progress, play_all
from cardenvs.baselines.runs.plan import SETTINGS
from cardenvs.baselines.runs.store import PairingStore

Array = npt.NDArray[np.float64]
ABOVE = "points a deal above the opponents; in a game of one side the team's points a deal"

Cell = Columns(
    "Cell",
    names_column("policies", "both policies; the same name twice for a policy with itself", "partnership"),
    count_column("games", "games played: for each deal, opponent and order of the seats as many as the game has sides"),
    points_column("points_margin", ABOVE),
    share_column("win_rate", "share of the games won, a draw counting half; none in a game of one side", optional=True),
    Column("cooperation", "how often the two took tricks from each other: a `Metric` of this side by name (`METRICS`)"),
)  # fmt: skip
"""The figures of two policies as partners."""

Gap = Columns(
    "Gap",
    name_column("name", "the group's name", "policies"),
    Column("policies", "the policies in the group", "how many", lambda those: str(len(those))),
    points_column("self_play", "mean over the policies as their own partners, the diagonal of the matrix", "self-play"),
    points_column("cross_play", "mean over the partnerships of two policies; none in a group of one", "cross-play"),
    points_column("gap", "self-play less cross-play, on the same deals; none in a group of one", "gap", default=None),
    points_column(
        "gap_over_teams",
        "in a game of one side the gap with an interval over the policies (jackknife), without ends where all are alike; "
        "none elsewhere and below three policies",
        "gap, over policies", optional=True, default=None,
    ),
)  # fmt: skip
"""Self-play against cross-play in a group of policies, in points a deal above the opponents."""

Between = Columns(
    "Between",
    names_column("groups", "the names of both groups", "groups", " with "),
    points_column("points_margin", "mean over all partnerships of one policy from either group"),
)
"""Policies of one group with partners of another."""

BestPartner = Columns(
    "BestPartner",
    name_column("policy", "the policy"),
    name_column("partner", "the partner with whom it scored most, which may be the policy itself"),
    points_column("points_margin", "points a deal above the opponents with that partner", ends=""),
    name_column("runner_up", "the second best partner"),
    points_column(
        "lead", "lead over the second best, paired on the same deals; not corrected for picking the best of several"
    ),
    computed_column(
        "significant", lambda row: row.lead.low > 0, json=None, meaning="whether the lead's interval is above 0"
    ),
)
"""The best partner of a policy."""

CrossplayResult = Columns(
    "CrossplayResult",
    *SETTINGS,
    Column("points_margins", json=""),  # by row and column, symmetric
    Column("cells", "the partnerships, each once: a policy with itself and with those after it (`Cell`)"),
    Column("gap", "self-play against cross-play over all policies (`Gap`)"),
    Column("groups", "self-play against cross-play within each group (`Gap`)"),
    Column("between", "the policies of each group with partners of each other group (`Between`)"),
    Column("best_partners", "the best partner of each policy (`BestPartner`)"),
    FORFEITS,
    computed_column("points", lambda row: [[one.mean for one in those] for those in row.points_margins], json=None,
             meaning="points a deal above the opponents, by row and column"),
    computed_column("points_ci95", lambda row: [[one.ci95 for one in those] for those in row.points_margins], json=None),
    computed_column("cell", lambda row: functools.partial(_find_cell, row)),
    document=report.crossplay_document,
)  # fmt: skip
"""The results of cross-play."""

AdHocScore = Columns(
    "AdHocScore",
    name_column("policy", "the policy"),
    points_column("score", f"{ABOVE}: the mean over the partners, in both orders of the seats", "score"),
    share_column("win_rate", "the same of the share of games won; none in a game of one side", optional=True),
    Column("held_out", "whether the policy is none of the partners"),
    points_column("lead", "the score less that of the next policy, paired on the same deals; none for the last",
           "ahead of the next", cell=report.describe_lead),
    Column("partners", "the partnerships with each partner (`Cell`)"),
)  # fmt: skip
"""The score of a policy with partners that it does not know."""

AdHocResult = Columns(
    "AdHocResult",
    SETTINGS[0],
    Column("partners", "the partners' names"),
    Column("standard", "whether the partners are those of `held_out`"),
    *SETTINGS[2:],
    Column("scores", "the policies' scores, best first (`AdHocScore`)"),
    FORFEITS,
    document=report.adhoc_document,
)
"""The results of the ad-hoc benchmark."""


class PlayedPartnerships:
    """The results of all partnerships: means over both orders of their seats, over the opponents and over both copies.

    A policy that has forfeited anything is left out, as such, as a partner and as an opponent, so that means compare.

    Attributes:
        settings: what was played, without those who have forfeited.
        forfeits: the pairings that were forfeited.

    Raises:
        ValueError: deals are missing, or a chunk is damaged; too few policies, partners or opponents have not forfeited.
    """

    def __init__(self, store: PairingStore) -> None:
        whole: CrossSettings = store.plan
        settings = whole.without({forfeit.policy for forfeit in store.forfeits.values()})
        fewest = 2 if settings.kind == CrossSettings.kind else 1
        if store.forfeits and (
            len(settings.policies) < fewest or not settings.partners or (whole.opponents and not settings.opponents)
        ):
            raise store.nothing_left()
        played = store.load()
        assert isinstance(played, CountedResults)
        self.settings, self.forfeits = settings, forfeited_pairings(store)
        if self.forfeits:
            everything, left = ([[plan.sides[side] for side in pair] for pair in plan.pairs] for plan in (whole, settings))
            played = played.of_pairing(np.array([everything.index(pairing) for pairing in left], np.int64))
        shape = len(settings.partnerships), max(len(settings.opponents), 1)
        self._games = settings.spec.num_sides * settings.deals * shape[1]
        self._points, self._wins = (values.reshape(*shape, -1).mean(1) for values in (played.points_margins, played.wins))
        self._number = {pair: k for k, pair in enumerate(settings.partnerships)}
        # The sums of the first side alone, which is the partnership; added up over the opponents.
        self._counted = [
            sums[:, 0].reshape(*shape, *sums.shape[2:]).sum(1) for sums in (played.counts, played.judged, played.lost)
        ]

    def _rows(self, a: str, b: str) -> list[int]:
        """The numbers of the two orders of a partnership's seats; one number for a policy with itself."""
        return sorted({self._number[a, b], self._number[b, a]})

    def points(self, a: str, b: str) -> Array:
        """Points above the opponents for each deal, float64 (deals,)."""
        return np.asarray(self._points[self._rows(a, b)].mean(0))

    def wins(self, a: str, b: str) -> Array:
        """Share of the games won for each deal, a draw counting half, float64 (deals,)."""
        return np.asarray(self._wins[self._rows(a, b)].mean(0))

    def cell(self, a: str, b: str) -> Row:
        """The figures of the partnership of two policies, a `Cell`."""
        rows, spec = self._rows(a, b), self.settings.spec
        games = self._games * len(rows)
        metrics = {}
        if spec.name in GAMES:
            metrics = CooperationSums(games, *(sums[rows].sum(0)[None] for sums in self._counted)).result().metrics
        return Cell(
            policies=[a, b],
            games=games,
            points_margin=self.settings.most.points_interval(self.points(a, b)),
            win_rate=None if spec.one_sided else share_interval(self.wins(a, b)),
            cooperation={metric: {key: own for key, (own,) in one.figures().items()} for metric, one in metrics.items()},
        )


def mean_of(values: Sequence[Array]) -> Array:
    """The mean of several partnerships' values, deal by deal."""
    return np.asarray(np.mean(values, 0))


def rank_policies(values: Mapping[str, Array], widest: float) -> Iterator[tuple[str, Interval | None]]:
    """The policies, the best mean of values by deal first, each with its lead over the next, ``widest`` at most."""
    order = sorted(values, key=lambda policy: -values[policy].mean())
    for policy, behind in itertools.zip_longest(order, order[1:]):
        yield policy, None if behind is None else margin_interval(values[policy] - values[behind], widest)


def _find_cell(result: Row, a: str, b: str) -> Row:
    """The partnership of two policies, in either order."""
    found: Row = next(cell for cell in result.cells if cell.policies in ([a, b], [b, a]))
    return found


def _measure_gap(played: PlayedPartnerships, group: str, members: Sequence[str]) -> Row:
    """Self-play against cross-play among the policies of a group."""
    most, members = played.settings.most, list(members)
    own = mean_of([played.points(a, a) for a in members])
    if len(members) < 2:
        return Gap(group, members, most.points_interval(own), None)
    mixed = mean_of([played.points(a, b) for a, b in itertools.combinations(members, 2)])
    over_teams = _gap_over_teams(played, members) if played.settings.spec.one_sided and len(members) > 2 else None
    gap = margin_interval(own - mixed, 2 * most.points)
    return Gap(group, members, most.points_interval(own), most.points_interval(mixed), gap, over_teams)


def _gap_over_teams(played: PlayedPartnerships, members: Sequence[str]) -> Interval:
    """Self-play less cross-play, with a 95% interval over policies: Student's t for the jackknife's pseudo-values."""
    n, numbers = len(members), np.arange(len(members))
    means = np.array([[played.points(a, b).mean() for b in members] for a in members])

    def gap(kept: npt.NDArray[np.int64]) -> float:
        among = means[np.ix_(kept, kept)]
        own = float(np.trace(among))
        return own / len(kept) - (float(among.sum()) - own) / (len(kept) * (len(kept) - 1))

    whole = gap(numbers)
    return sample_interval(np.array([n * whole - (n - 1) * gap(numbers[numbers != left_out]) for left_out in numbers]))


def _find_best_partner(played: PlayedPartnerships, a: str) -> Row:
    """The best partner of a policy, and its lead over the second best."""
    most, values = played.settings.most, {b: played.points(a, b) for b in played.settings.policies}
    (best, lead), (second, _) = itertools.islice(rank_policies(values, 2 * most.points), 2)
    return BestPartner(a, best, most.points_interval(values[best]), second, lead)


def crossplay_results(store: PairingStore, groups: Mapping[str, Sequence[str]] | None = None) -> Row:
    """The results of finished cross-play, a `CrossplayResult`.

    Args:
        groups: policies by the name of their group; None: the groups of `seed_groups`.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = PlayedPartnerships(store)
    policies, most = played.settings.policies, played.settings.most
    chosen = {
        group: left
        for group, members in (seed_groups(store.plan.policies) if groups is None else groups).items()
        if (left := [member for member in members if member in policies or not played.forfeits])
    }
    cells = {pair: played.cell(*pair) for pair in itertools.combinations_with_replacement(policies, 2)}
    between = {
        (one, other): mean_of([played.points(a, b) for a in chosen[one] for b in chosen[other]])
        for one, other in itertools.combinations(chosen, 2)
    }
    return CrossplayResult.of(
        played.settings,
        points_margins=[[cells[(a, b) if (a, b) in cells else (b, a)].points_margin for b in policies] for a in policies],
        cells=list(cells.values()),
        gap=_measure_gap(played, "all", policies),
        groups=[_measure_gap(played, group, members) for group, members in chosen.items()],
        between=[Between([*names], most.points_interval(points)) for names, points in between.items()],
        best_partners=[_find_best_partner(played, a) for a in policies],
        forfeits=played.forfeits,
    )


def adhoc_results(store: PairingStore) -> Row:
    """The results of a finished ad-hoc benchmark, an `AdHocResult`.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = PlayedPartnerships(store)
    settings, partners, most = played.settings, played.settings.partners, played.settings.most
    values = {a: mean_of([played.points(a, b) for b in partners]) for a in settings.policies}
    scores = [
        AdHocScore(
            policy=a,
            score=most.points_interval(values[a]),
            win_rate=None if settings.spec.one_sided else share_interval(mean_of([played.wins(a, b) for b in partners])),
            held_out=a not in partners,
            lead=lead,
            partners=[played.cell(a, b) for b in partners],
        )
        for a, lead in rank_policies(values, 2 * most.points)
    ]
    standard = tuple(partners) == held_out(settings.spec)
    return AdHocResult.of(settings, standard=standard, scores=scores, forfeits=played.forfeits)


def play_crossplay(
    settings: CrossSettings,
    out: str | os.PathLike[str],
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Row:
    """Plays what is missing of cross-play in a folder, as `play_all` does; returns its `crossplay_results`."""
    return crossplay_results(play_all(settings, out, workers=workers, cluster=cluster, progress=progress), groups)


def play_adhoc(
    settings: AdHocSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    progress: Progress | None = None,
) -> Row:
    """Plays what is missing of the benchmark in a folder, as `play_all` does; returns its `AdHocResult`."""
    return adhoc_results(play_all(settings, out, workers=workers, cluster=cluster, progress=progress))
