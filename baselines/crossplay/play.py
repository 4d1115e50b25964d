"""Who plays well with whom: every policy as every other's partner, and policies with partners that they do not know.

A *couple* is two policies that hold the two seats of one side, against fixed opponents. All couples play the same duplicate
deals, in both orders of their seats, by the machinery of the tournaments (`cardenvs.baselines.tournament`): on all cores,
resumable, with results that depend on the settings only.

*Cross-play* is the matrix of all couples of some policies: the diagonal is self-play, the rest tells whether policies that
play well with themselves play well with each other. Policies trained apart, from other seeds of one recipe, often do not:
their conventions are arbitrary. Source: Hu, Lerer, Peysakhovich and Foerster, "'Other-Play' for zero-shot coordination",
ICML 2020, section 5 (cross-play).

*Ad-hoc teamwork* is to play with partners that one has not met before and cannot agree with. The benchmark puts each policy
with each of a fixed set of partners, `HELD_OUT`. Source: Stone, Kaminka, Kraus and Rosenschein, "Ad hoc autonomous agent
teams: collaboration without pre-coordination", AAAI 2010, section 3 (an agent is judged by its mean over partners).

All intervals are over deals, with the policies as they are: another training seed is another policy, and how far recipes
differ is told by several seeds of each, not by more deals.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.match.play import DealResults, Side, Tally, interval, play_chunk, split_names
from cardenvs.baselines.observers.cooperation import METRICS, CooperationObserver, double_dummy_cost
from cardenvs.baselines.tournament.play import Progress, Settings, Store, files_of, play_all
from cardenvs.files import finite
from cardenvs.spec import GameSpec, get_game

Array = npt.NDArray[np.float64]

OPPONENTS = ("hybrid",)
"""Whom the couples play against unless told otherwise: a strong and fast hand-coded agent of both games."""

HELD_OUT = dict.fromkeys(("euchre", "whist"), ("random", "high-low", "coop-high-low", "markov2", "card-counting", "poe"))
"""The partners of the ad-hoc benchmark, by game.

They differ in what a partner can count on, not in strength alone. ``random``: nothing. ``high-low``: wins what it can, from
its partner too. ``coop-high-low``: leaves the trick to the partner who holds it. ``markov2``: wins or throws away by the
strength of its own hand. ``card-counting``: plays to where its partner is strong. ``poe``: no rule, a sampling search.

All are fast, play both games and need no file, so that the score means the same everywhere. ``hybrid`` is not among them
because it is the opponent; variants of one agent (``markov2-published``, ``hybrid2``) are left out so that no style counts
twice. The set is held out only if a policy was neither trained beside these agents nor taught by them: that is for its
trainer to see to.
"""


# --- settings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CountedResults(DealResults):
    """Results with the metrics of cooperation, summed; the first dimension is the side.

    Attributes:
        counts: int64 (2, metrics, 2), times done and possible.
        judged: int64 (2, metrics), times done whose cost is known.
        lost: float64 (2, metrics, 2), the tricks and points they cost.
    """

    counts: npt.NDArray[np.int64]
    judged: npt.NDArray[np.int64]
    lost: Array


@dataclass(frozen=True)
class CrossSettings(Settings):
    """What the results of cross-play depend on; attributes as in `cardenvs.baselines.tournament.Settings`, and

    Attributes:
        policies: the policies to be measured, each alone.
        partners: whom they are put with: in cross-play each other.
        opponents: the sides that all couples play against.
        costs: whether what the counted decisions cost is worked out, too.
    """

    partners: list[str] = field(default_factory=list)
    opponents: list[str] = field(default_factory=list)
    costs: bool = False

    kind: ClassVar[str] = "cross-play"
    results: ClassVar[type[DealResults]] = CountedResults

    @property
    def couples(self) -> list[tuple[str, str]]:
        """Each policy with each partner in both orders of the seats, every couple once."""
        both = (couple for a in self.policies for b in self.partners for couple in ((a, b), (b, a)))
        return list(dict.fromkeys(both))

    @property
    def sides(self) -> list[list[str]]:
        """The couples, then the opponents."""
        return [*map(list, self.couples), *map(split_names, self.opponents)]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each couple against each opponent, as numbers of sides."""
        n = len(self.couples)
        return list(itertools.product(range(n), range(n, n + len(self.opponents))))

    def differences(self, stored: dict[str, Any]) -> list[str]:
        """How these settings differ from ``stored`` ones, in words."""
        found = super().differences(stored)
        for key in ("partners", "opponents"):
            one_list = key == "partners" and self.partners == self.policies and stored[key] == stored["policies"]
            if stored[key] != getattr(self, key) and not one_list:
                found.append(f"the {key} {', '.join(stored[key])}, not {', '.join(getattr(self, key))}")
        if stored["costs"] != self.costs:
            found.append("costs, not without" if stored["costs"] else "no costs, not with them")
        return found

    def play(self, game: GameSpec, first: Side, second: Side, deals: range) -> DealResults:
        """Plays some deals of a couple against an opponent, counting."""
        observer = CooperationObserver(game, double_dummy_cost() if self.costs else None)
        tally = Tally()
        play_chunk(game, (first, second), deals.start, len(deals), 2, self.seed, self.options, tally, observer)
        return CountedResults(
            tally.game_points[0], tally.game_tricks[0], tally.decisions, tally.seconds,
            observer._counts, observer._judged, observer._lost,
        )  # fmt: skip


@dataclass(frozen=True)
class AdHocSettings(CrossSettings):
    """What the results of the ad-hoc benchmark depend on; attributes as in `CrossSettings`."""

    kind: ClassVar[str] = "benchmark"


def _settings(
    kind: type[CrossSettings],
    game: str | GameSpec,
    policies: Sequence[str],
    partners: Sequence[str],
    opponents: Sequence[str],
    deals: int,
    seed: int,
    costs: bool,
    options: dict[str, Any],
) -> CrossSettings:
    spec = get_game(game)
    if not spec.team:
        raise ValueError(f"{spec.name} has no partners: {kind.kind} is for {' and '.join(HELD_OUT)}")
    codes = spec.option_codes(options)
    for what, names in (("policies", policies), ("partners", partners), ("opponents", opponents)):
        if not names:
            raise ValueError(f"{what} must name at least one policy")
        for name in names:
            if list(names).count(name) > 1:
                raise ValueError(f"{what} must differ, and {name!r} is given twice")
            if what != "opponents" and len(split_names(name)) > 1:
                raise ValueError(f"{what} are single policies, whose partners are to be others, not mixed sides: {name!r}")
    if deals < 1:
        raise ValueError(f"deals must be at least 1, not {deals}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, not {seed}")
    files = files_of(spec, [*policies, *partners, *opponents])
    values = {o.name: o.decode(codes[o.name]) for o in spec.options}
    lists = list(partners), list(opponents)
    return kind(spec.name, list(policies), deals, values, seed, files, *lists, costs)


def crossplay_settings(
    game: str | GameSpec,
    policies: Sequence[str],
    *,
    opponents: Sequence[str] = OPPONENTS,
    deals: int = 1000,
    seed: int = 0,
    costs: bool = False,
    **options: Any,
) -> CrossSettings:
    """Checks and completes the settings of cross-play.

    Args:
        game: name or spec of a game with partners.
        policies: names with parameters, or paths of trained policies; at least two.
        opponents: sides (a policy, or ``"high+low"``) that every couple plays against; results are means over them.
        deals: deals of each couple against each opponent, each played twice with the sides exchanged.
        seed: int >= 0.
        costs: also work out what the counted decisions cost with all cards open (`cooperation.double_dummy_cost`); quick
            in Euchre, slow in Whist.
        options: rule options.

    Raises:
        ValueError: a game without partners, unknown game, policy or option, fewer than two policies, one given twice or
            one that is a mixed side, no opponent, ``deals`` below 1.
        OSError: a policy's file that cannot be read.
    """
    if get_game(game).team and len(policies) < 2:
        raise ValueError(f"cross-play needs at least two policies, not {len(policies)}: {', '.join(policies) or 'none'}")
    return _settings(CrossSettings, game, policies, policies, opponents, deals, seed, costs, options)


def adhoc_settings(
    game: str | GameSpec,
    policies: Sequence[str],
    *,
    more_partners: Sequence[str] = (),
    opponents: Sequence[str] = OPPONENTS,
    deals: int = 1000,
    seed: int = 0,
    costs: bool = False,
    **options: Any,
) -> AdHocSettings:
    """Checks and completes the settings of the ad-hoc benchmark.

    Args:
        game: name or spec of a game with partners.
        policies: the policies to be judged.
        more_partners: partners beside those of `HELD_OUT`; the score is then another benchmark's.
        opponents: as in `crossplay_settings`.
        deals: likewise.
        seed: likewise.
        costs: likewise.
        options: rule options.

    Raises:
        ValueError: as `crossplay_settings`; one policy is enough.
        OSError: a policy's file that cannot be read.
    """
    partners = [*HELD_OUT.get(get_game(game).name, ()), *more_partners]
    found = _settings(AdHocSettings, game, policies, partners, opponents, deals, seed, costs, options)
    assert isinstance(found, AdHocSettings)
    return found


# --- groups --------------------------------------------------------------------------------------------------------


def seed_groups(policies: Sequence[str]) -> dict[str, list[str]]:
    """Groups the files whose paths differ in nothing but the number behind ``seed``: training seeds of one recipe.

    ``runs/a-seed-0/policy.zip`` and ``runs/a-seed-1/policy.zip`` are the group ``runs/a-seed-*/policy.zip``; a file that is
    alone is in no group.
    """
    groups: dict[str, list[str]] = {}
    for name in policies:
        if policy.path_of(name) is not None:
            groups.setdefault(re.sub(r"(?<![a-z])seed([-_=]?)\d+", r"seed\1*", name), []).append(name)
    return {key: members for key, members in groups.items() if len(members) > 1}


def parse_group(text: str, policies: Sequence[str]) -> tuple[str, list[str]]:
    """The name and the policies in ``NAME=POLICY,POLICY``.

    Raises:
        ValueError: not of that form, a policy that is not among ``policies``, or one given twice.
    """
    name, equals, listed = text.partition("=")
    if not equals or not name or not listed:
        raise ValueError(f"the group {text!r} is not NAME=POLICY,POLICY")
    members: list[str] = []
    so_far = ""
    for word in listed.split(","):
        # A policy's parameters may have commas in them, too.
        so_far = f"{so_far},{word}" if so_far else word
        if so_far in policies:
            members.append(so_far)
            so_far = ""
    if so_far:
        raise ValueError(f"the group {name!r} has {so_far!r}, which is not among the policies {', '.join(policies)}")
    if len(set(members)) < len(members):
        raise ValueError(f"the group {name!r} has a policy twice")
    return name, members


# --- results -------------------------------------------------------------------------------------------------------


class _Played:
    """What the couples brought: means over both orders of their seats, over the opponents and over both copies."""

    def __init__(self, store: Store) -> None:
        settings = store.settings
        assert isinstance(settings, CrossSettings)
        played = store.load()
        assert isinstance(played, CountedResults)
        self.settings = settings
        self.games = 2 * settings.deals * len(settings.opponents)
        shape = len(settings.couples), len(settings.opponents)
        lead = played.points[..., 0] - played.points[..., 1]  # by pairing, deal and copy

        def of_couples(values: npt.NDArray[Any]) -> Array:
            return np.asarray(values.mean(2, dtype=np.float64).reshape(*shape, -1).mean(1))

        self._points, self._wins = of_couples(lead), of_couples((np.sign(lead) + 1) / 2)
        self._number = {couple: k for k, couple in enumerate(settings.couples)}
        sums = played.counts, played.judged, played.lost
        self._counts, self._judged, self._lost = (s[:, 0].reshape(*shape, *s.shape[2:]).sum(1) for s in sums)

    def _rows(self, a: str, b: str) -> list[int]:
        return sorted({self._number[a, b], self._number[b, a]})

    def points(self, a: str, b: str) -> Array:
        """Points above the opponent for each deal, float64 (deals,)."""
        return np.asarray(self._points[self._rows(a, b)].mean(0))

    def wins(self, a: str, b: str) -> Array:
        """Share of the games won for each deal, a draw counting half, float64 (deals,)."""
        return np.asarray(self._wins[self._rows(a, b)].mean(0))

    def cooperation(self, a: str, b: str) -> dict[str, dict[str, Any]]:
        """The side's own metrics, by name; fields as in `cardenvs.baselines.observers.cooperation.Metric`."""
        rows = self._rows(a, b)
        total = CooperationObserver(self.settings.game, None)
        total.deals = self.games * len(rows)
        total._counts[0], total._judged[0], total._lost[0] = (
            sums[rows].sum(0) for sums in (self._counts, self._judged, self._lost)
        )
        metrics = total.result().metrics
        return {name: {key: value[0] for key, value in vars(metrics[name]).items()} for name in METRICS}

    def cell(self, a: str, b: str) -> Cell:
        """The figures of a couple."""
        mean, ci95 = interval(self.points(a, b))
        win_rate, (low, high) = interval(self.wins(a, b))
        return Cell(
            policies=[a, b],
            games=self.games * len(self._rows(a, b)),
            mean_points=mean,
            mean_points_ci95=ci95,
            win_rate=win_rate,
            win_rate_ci95=[max(0.0, low), min(1.0, high)],
            cooperation=self.cooperation(a, b),
        )


@dataclass(frozen=True)
class Cell:
    """Two policies as partners.

    Attributes:
        policies: both; with itself, the same twice.
        games: played: two for each deal, opponent and order of the seats.
        mean_points: points a deal above the opponents.
        mean_points_ci95: its 95% confidence interval.
        win_rate: games won, a draw counting half.
        win_rate_ci95: its interval.
        cooperation: what the side did, by the names of `cardenvs.baselines.observers.cooperation.METRICS`; the fields are
            those of `cardenvs.baselines.observers.cooperation.Metric`, and ``points_lost_per_deal`` is for each deal
            played.
    """

    policies: list[str]
    games: int
    mean_points: float
    mean_points_ci95: list[float]
    win_rate: float
    win_rate_ci95: list[float]
    cooperation: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Gap:
    """Self-play against cross-play in a group of policies. All in points a deal; None where the group is one policy.

    Attributes:
        name: of the group.
        policies: in it.
        self_play: mean of the diagonal.
        self_play_ci95: its 95% confidence interval.
        cross_play: mean of the rest.
        cross_play_ci95: its interval.
        gap: self_play less cross_play.
        gap_ci95: its interval, paired on the same deals.
    """

    name: str
    policies: list[str]
    self_play: float
    self_play_ci95: list[float]
    cross_play: float | None
    cross_play_ci95: list[float] | None
    gap: float | None
    gap_ci95: list[float] | None


@dataclass(frozen=True)
class Between:
    """Policies of one group with partners of another.

    Attributes:
        groups: their names.
        mean_points: points a deal, mean over all couples of one policy from either.
        mean_points_ci95: its 95% confidence interval.
    """

    groups: list[str]
    mean_points: float
    mean_points_ci95: list[float]


@dataclass(frozen=True)
class BestPartner:
    """The partner with whom a policy scored most; it may be the policy itself.

    Attributes:
        policy: name.
        partner: the best one.
        mean_points: points a deal with it.
        runner_up: the second best.
        lead: points a deal by which the best is ahead of it.
        lead_ci95: its 95% confidence interval, paired on the same deals; not corrected for picking the best of several.
        significant: whether that interval is above 0.
    """

    policy: str
    partner: str
    mean_points: float
    runner_up: str
    lead: float
    lead_ci95: list[float]
    significant: bool


@dataclass(frozen=True)
class CrossplayResult:
    """What cross-play brought.

    Attributes:
        game: name.
        policies: in the order given.
        opponents: of all couples.
        deals: of each couple against each opponent, in each order of the seats.
        options: rule options.
        seed: of the deals and the policies' random choices.
        points: by row and column, points a deal above the opponents; symmetric.
        points_ci95: their 95% confidence intervals.
        cells: the couples, each once: a policy with itself and with those after it.
        gap: over all policies.
        groups: the same for each group.
        between: each two groups.
        best_partners: of each policy.
    """

    game: str
    policies: list[str]
    opponents: list[str]
    deals: int
    options: dict[str, Any]
    seed: int
    points: list[list[float]]
    points_ci95: list[list[list[float]]]
    cells: list[Cell]
    gap: Gap
    groups: list[Gap]
    between: list[Between]
    best_partners: list[BestPartner]

    def cell(self, a: str, b: str) -> Cell:
        """The couple of two policies, in either order."""
        return next(cell for cell in self.cells if cell.policies in ([a, b], [b, a]))

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; an interval's end that is infinite becomes None."""
        return dict(finite(asdict(self)))


def _mean(values: Sequence[Array]) -> Array:
    return np.asarray(np.mean(values, 0))


def _gap(played: _Played, name: str, members: Sequence[str]) -> Gap:
    own = _mean([played.points(a, a) for a in members])
    self_play, self_play_ci95 = interval(own)
    if len(members) < 2:
        return Gap(name, list(members), self_play, self_play_ci95, None, None, None, None)
    others = _mean([played.points(a, b) for a, b in itertools.combinations(members, 2)])
    return Gap(name, list(members), self_play, self_play_ci95, *interval(others), *interval(own - others))


def _best_partner(played: _Played, a: str) -> BestPartner:
    values = {b: played.points(a, b) for b in played.settings.policies}
    best, second = sorted(values, key=lambda b: -values[b].mean())[:2]
    lead, ci95 = interval(values[best] - values[second])
    return BestPartner(a, best, float(values[best].mean()), second, lead, ci95, math.isfinite(ci95[0]) and ci95[0] > 0)


def crossplay_results(store: Store, groups: Mapping[str, Sequence[str]] | None = None) -> CrossplayResult:
    """The results of finished cross-play.

    Args:
        store: of it.
        groups: policies by the name of their group; None: those of `seed_groups`.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = _Played(store)
    settings = played.settings
    names = settings.policies
    chosen = seed_groups(names) if groups is None else groups
    cells = {couple: played.cell(*couple) for couple in itertools.combinations_with_replacement(names, 2)}
    grid = [[cells[a, b] if (a, b) in cells else cells[b, a] for b in names] for a in names]
    between = []
    for (one, its), (other, theirs) in itertools.combinations(chosen.items(), 2):
        values = _mean([played.points(a, b) for a in its for b in theirs])
        between.append(Between([one, other], *interval(values)))
    return CrossplayResult(
        game=settings.game,
        policies=names,
        opponents=settings.opponents,
        deals=settings.deals,
        options=settings.options,
        seed=settings.seed,
        points=[[cell.mean_points for cell in row] for row in grid],
        points_ci95=[[cell.mean_points_ci95 for cell in row] for row in grid],
        cells=list(cells.values()),
        gap=_gap(played, "all", names),
        groups=[_gap(played, name, members) for name, members in chosen.items()],
        between=between,
        best_partners=[_best_partner(played, a) for a in names],
    )


def play_crossplay(
    settings: CrossSettings,
    out: str | os.PathLike[str],
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> CrossplayResult:
    """Plays cross-play, or what is missing of it, in the folder ``out``.

    Args:
        settings: from `crossplay_settings`.
        out: folder for the finished chunks; made if there is none.
        groups: as in `crossplay_results`.
        workers: as in `cardenvs.baselines.tournament.play_all`.
        progress: likewise.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    return crossplay_results(play_all(settings, out, workers=workers, progress=progress), groups)


# --- the ad-hoc benchmark ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AdHocScore:
    """How a policy plays with partners that it does not know.

    Attributes:
        policy: name.
        score: points a deal above the opponents, mean over the partners, in both orders of the seats.
        score_ci95: its 95% confidence interval.
        win_rate: likewise, games won, a draw counting half.
        win_rate_ci95: its interval.
        held_out: False if the policy is itself one of the partners: then it has met one.
        lead: its score less that of the next in the list; None for the last.
        lead_ci95: the interval of that, paired on the same deals.
        partners: the couples with each partner, in the partners' order.
    """

    policy: str
    score: float
    score_ci95: list[float]
    win_rate: float
    win_rate_ci95: list[float]
    held_out: bool
    lead: float | None
    lead_ci95: list[float] | None
    partners: list[Cell]


@dataclass(frozen=True)
class AdHocResult:
    """What the ad-hoc benchmark brought.

    Attributes:
        game: name.
        partners: the set.
        standard: whether it is `HELD_OUT` as it is.
        opponents: of all couples.
        deals: of each couple against each opponent, in each order of the seats.
        options: rule options.
        seed: of the deals and the policies' random choices.
        scores: best first.
    """

    game: str
    partners: list[str]
    standard: bool
    opponents: list[str]
    deals: int
    options: dict[str, Any]
    seed: int
    scores: list[AdHocScore]

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; an interval's end that is infinite becomes None."""
        return dict(finite(asdict(self)))


def adhoc_results(store: Store) -> AdHocResult:
    """The results of a finished ad-hoc benchmark.

    Raises:
        ValueError: deals are missing, or a chunk is damaged.
    """
    played = _Played(store)
    settings = played.settings
    partners = settings.partners
    values = {a: _mean([played.points(a, b) for b in partners]) for a in settings.policies}
    order = sorted(values, key=lambda a: -values[a].mean())
    scores = []
    for place, a in enumerate(order):
        score, score_ci95 = interval(values[a])
        win_rate, (low, high) = interval(_mean([played.wins(a, b) for b in partners]))
        behind = order[place + 1] if place + 1 < len(order) else None
        lead = (None, None) if behind is None else interval(values[a] - values[behind])
        scores.append(
            AdHocScore(
                policy=a,
                score=score,
                score_ci95=score_ci95,
                win_rate=win_rate,
                win_rate_ci95=[max(0.0, low), min(1.0, high)],
                held_out=a not in partners,
                lead=lead[0],
                lead_ci95=lead[1],
                partners=[played.cell(a, b) for b in partners],
            )
        )
    return AdHocResult(
        game=settings.game,
        partners=partners,
        standard=tuple(partners) == HELD_OUT[settings.game],
        opponents=settings.opponents,
        deals=settings.deals,
        options=settings.options,
        seed=settings.seed,
        scores=scores,
    )


def play_adhoc(
    settings: AdHocSettings,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> AdHocResult:
    """Plays the ad-hoc benchmark, or what is missing of it, in the folder ``out``; arguments as in `play_crossplay`.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    return adhoc_results(play_all(settings, out, workers=workers, progress=progress))
