"""Evaluation of one policy: against several opponents, to a wanted precision, with checks of the evaluation itself.

*Stopping.* With a wanted precision a match is looked at after pre-set numbers of deals (`looks`) and ends when the half
width of its 95% interval is small enough, or at the most deals allowed. Whether to stop is decided by the spread of the
results alone, never by their mean, so there is nothing to gain by stopping at a lucky moment: as the precision gets finer,
the interval's coverage tends to 95% and the bias of the mean to 0 (Chow and Robbins, "On the Asymptotic Theory of
Fixed-Width Sequential Confidence Intervals for the Mean", Annals of Mathematical Statistics 36, 1965). What is asymptotic
there is met in four ways: no look before `FIRST_LOOK` deals; few looks, each half as many deals again as the last; as in
that paper, 1/n added to the variance; and no end before `FEWEST_DIFFERENT` deals came out otherwise than the commonest
result, for nearly equal policies draw most deals, and the spread of a few others is not known. Simulations in
``tests/test_evaluation.py`` hold the coverage.

*Self-check.* The policy against itself must score 0. Two figures are formed, for either can fail where the other cannot:

- ``sides``: the first side's points less the second's, by duplicate deal. The sides hold the same cards in turn, so a
  policy without randomness must come to exactly 0, on every deal; one with randomness to 0 within its error, for the
  copies draw from different streams. Fails if the match treats the two sides differently (seats not exchanged, results
  credited to the wrong side, a policy that carries something over from one side to the other).
- ``seats``: the points of the even seats less those of the odd ones, by deal. The exchange of the sides does not cancel
  this one: it has all the luck of the deal, and 0 is expected because the dealer is drawn at random. Fails if the game or
  the policy favours some seats. Where moving first is part of the game (Five-O) it is no check, and says what the first
  seat is worth.

A check passes if 0 is within the 99.9% interval (Student's t): a sound program fails one in a thousand times.

*Control variates* are in `cardenvs.baselines.observers.control`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from cardenvs.baselines.match.play import (
    PROTOCOLS,
    Z95,
    MatchResult,
    Observer,
    Side,
    interval,
    play_deals,
    play_match,
    published_options,
)
from cardenvs.baselines.observers.bidding import Bidding, BiddingObserver, CallerFigures
from cardenvs.baselines.observers.control import Controlled, DoubleDummyControl, check_control
from cardenvs.baselines.observers.cooperation import Cooperation, CooperationObserver
from cardenvs.spec import Games, GameSpec, get_game

FIRST_LOOK = 128
"""Deals (games) before which no match is stopped."""

FEWEST_DIFFERENT = 30
"""Deals with another than the commonest result without which no match is stopped."""

FEWEST_TO_CHECK = 30
"""Deals below which the self-check says nothing."""

STANDARD = "coop-high-low"
"""Whose calls, the standard caller's, stand beside a policy's; against itself."""

_PASS_CHANCE = 0.999
_SELF_CHECK_BATCH = 512  # deals


# --- sequential stopping -------------------------------------------------------------------------------------------


def looks(most: int) -> list[int]:
    """After how many deals a match is looked at: `FIRST_LOOK`, half as many again each time, and ``most`` at last.

    Raises:
        ValueError: ``most`` is below 1.
    """
    if most < 1:
        raise ValueError(f"most must be at least 1, not {most}")
    found = []
    at = FIRST_LOOK
    while at < most:
        found.append(at)
        at += at // 2
    return [*found, most]


def precise_enough(values: npt.NDArray[np.float64], precision: float) -> bool:
    """Whether the 95% interval of the mean of ``values`` is at most ``precision`` on each side.

    Args:
        values: float64 (n,), independent.
        precision: half width, in the unit of the values.

    1/n is added to the variance (Chow and Robbins 1965). Never with fewer than `FEWEST_DIFFERENT` values that are not the
    commonest one.
    """
    n = len(values)
    if n - int(np.unique(values, return_counts=True)[1].max(initial=0)) < FEWEST_DIFFERENT:
        return False
    return Z95 * math.sqrt((float(values.var(ddof=1)) + 1 / n) / n) <= precision


def is_slow(side: Side) -> bool:
    """Whether a side has a policy that takes its time (`cardenvs.policy.Policy.slow`)."""
    return any(player.slow for player in side.policies)


# --- one opponent --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluated:
    """What one opponent brought.

    Attributes:
        match: the figures of the match.
        half_width: of the 95% interval of the points a deal (game), in points; of the controlled one where there is one.
        precise: whether that is the precision asked for, by the rule of `precise_enough`; None if none was.
        bidding: Euchre with full bidding: statistics of both sides' calls; else None.
        cooperation: trick games: how often partners take from each other; else None.
        controlled: the same figures with less noise; None without a control variate.
    """

    match: MatchResult
    half_width: float
    precise: bool | None
    bidding: Bidding | None
    cooperation: Cooperation | None
    controlled: Controlled | None

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON: those of the match, and the others beside them."""
        return self.match.as_dict() | {
            "half_width": self.half_width,
            "precise": self.precise,
            "bidding": None if self.bidding is None else self.bidding.as_dict(),
            "cooperation": None if self.cooperation is None else self.cooperation.as_dict(),
            "controlled": None if self.controlled is None else asdict(self.controlled),
        }


def has_bidding(game: GameSpec, protocol: str, options: dict[str, Any]) -> bool:
    """Whether calls can be counted: Euchre, in which there is bidding."""
    return game.name == "euchre" and protocol == "duplicate" and options.get("bidding", "full") == "full"


def evaluate_against(
    game: str | GameSpec,
    player: Side,
    opponent: Side,
    *,
    deals: int,
    seed: int = 0,
    protocol: str = "duplicate",
    precision: float | None = None,
    cooperation: bool = True,
    control: str | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Evaluated:
    """Plays a policy against one opponent.

    Args:
        game: name or spec.
        player: the policy, as the first side.
        opponent: the other side.
        deals: how many (games in the published protocol); with ``precision`` the most.
        seed: int >= 0.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: stop when the interval of the points is at most so wide on each side; None: play all deals.
        cooperation: count the metrics of cooperation, in trick games.
        control: a control variate's name from `cardenvs.baselines.observers.control.CONTROLS`, or None.
        progress: called with the number of deals (games) finished since the last call.
        options: rule options.

    Raises:
        ValueError: unknown game, option, protocol or control, a control that does not fit, ``deals`` below 1, a precision
            that is not above 0, or an illegal action of a policy.
    """
    spec = get_game(game)
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(map(repr, PROTOCOLS))}, not {protocol!r}")
    if precision is not None and not 0 < precision < math.inf:
        raise ValueError(f"precision must be a number of points above 0, not {precision!r}")
    check_control(control, spec, protocol)
    observers: list[Observer] = []
    bids = BiddingObserver() if has_bidding(spec, protocol, options) else None
    partners = CooperationObserver(spec) if cooperation and spec.team else None
    deal_values = DoubleDummyControl() if control is not None else None
    observers += [seen for seen in (bids, partners, deal_values) if seen is not None]

    def show(games: Games, owner: npt.NDArray[np.int64]) -> None:
        for observer in observers:
            observer(games, owner)

    wins, margins = np.zeros(0), np.zeros(0)

    def until(wins_so_far: npt.NDArray[np.float64], margins_so_far: npt.NDArray[np.float64]) -> bool:
        nonlocal wins, margins
        wins, margins = wins_so_far, margins_so_far
        if precision is None:
            return False
        values = margins if deal_values is None else deal_values.adjusted(margins)[0]
        return precise_enough(values, precision)

    match = play_match(
        spec, player, opponent, deals=deals, seed=seed, protocol=protocol, progress=progress,
        observer=show if observers else None, looks=looks(deals) if precision is not None else (), until=until, **options,
    )  # fmt: skip
    controlled = None if deal_values is None else deal_values.result(wins, margins)
    ci95 = match.mean_points_ci95 if controlled is None else controlled.mean_points_ci95
    return Evaluated(
        match=match,
        half_width=(ci95[1] - ci95[0]) / 2,
        precise=None if precision is None else until(wins, margins),
        bidding=None if bids is None else bids.result((match.sides[0], match.sides[1])),
        cooperation=None if partners is None else partners.result(),
        controlled=controlled,
    )


def standard_calls(
    game: str | GameSpec, *, deals: int, seed: int = 0, progress: Callable[[int], None] | None = None, **options: Any
) -> CallerFigures:
    """The bidding statistics of the standard caller, `STANDARD` against itself over the same deals, for comparison."""
    seen = BiddingObserver()
    play_match(game, STANDARD, STANDARD, deals=deals, seed=seed, observer=seen, progress=progress, **options)
    return seen.result((f"standard ({STANDARD})", STANDARD)).sides[0]


# --- the policy against itself -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """A figure that should be 0.

    Attributes:
        mean: points a deal.
        ci95: 95% interval of that, [low, high].
        passed: whether 0 is within the 99.9% interval; None where nothing is said, too few deals or no check.
    """

    mean: float
    ci95: list[float]
    passed: bool | None


@dataclass(frozen=True)
class SelfCheck:
    """The policy against itself; what the checks are, the module says.

    Attributes:
        deals: deals, each played twice.
        sides: the first side's points less the second's.
        seats: the points of the even seats less those of the odd ones; in a game without partners what the first seat is
            worth, which is no check.
        passed: whether all checks passed; None with fewer than `FEWEST_TO_CHECK` deals.
    """

    deals: int
    sides: Check
    seats: Check
    passed: bool | None


def _check(values: npt.NDArray[np.float64], checked: bool) -> Check:
    mean, ci95 = interval(values)
    if not checked or len(values) < FEWEST_TO_CHECK:
        return Check(mean, ci95, None)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = float(stats.t.ppf((1 + _PASS_CHANCE) / 2, len(values) - 1)) * error
    return Check(mean, ci95, abs(mean) <= reach)


def judge_points(points: npt.NDArray[np.int64], team: bool) -> SelfCheck:
    """The self-check's figures.

    Args:
        points: int64 (deals, 2, 2), of a policy against itself, by deal, copy and side; the first side has the even seats
            in copy 0 and the odd ones in copy 1 (`cardenvs.baselines.match.DealResults`).
        team: whether the game has partners; without, ``seats`` is no check.
    """
    by_copy = (points[..., 0] - points[..., 1]).astype(np.float64)
    sides = _check(by_copy.mean(1), True)
    seats = _check((by_copy[:, 0] - by_copy[:, 1]) / 2, team)
    said = [check.passed for check in (sides, seats) if check.passed is not None]
    return SelfCheck(len(points), sides, seats, all(said) if said else None)


def check_against_itself(
    game: str | GameSpec,
    player: Side,
    *,
    deals: int,
    seed: int = 0,
    protocol: str = "duplicate",
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> SelfCheck:
    """Plays a policy against itself and checks that it scores 0; see the module.

    Args:
        game: name or spec.
        player: the policy.
        deals: how many, each played twice.
        seed: int >= 0.
        protocol: of the evaluation: with ``"published"`` its rules, but single deals.
        progress: called with the number of deals finished since the last call.
        options: rule options.

    Raises:
        ValueError: unknown game, option or protocol, ``deals`` below 1, or an illegal action of the policy.
    """
    spec = get_game(game)
    if deals < 1:
        raise ValueError(f"deals must be at least 1, not {deals}")
    if protocol == "published":
        options = published_options(spec, options)
        options.pop("episode", None)
    parts = []
    for start in range(0, deals, _SELF_CHECK_BATCH):
        part = range(start, min(start + _SELF_CHECK_BATCH, deals))
        parts.append(play_deals(spec, player, player, part, seed=seed, **options).points)
        if progress is not None:
            progress(len(part))
    return judge_points(np.concatenate(parts), spec.team)


# --- everything ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluation:
    """One policy against its opponents.

    Attributes:
        game: name.
        policy: name or path.
        protocol: duplicate or published.
        options: rule options.
        seed: of the matches.
        precision: half width asked for, points; None if none was.
        results: one for each opponent.
        standard_caller: figures of the standard caller, Euchre with full bidding only.
        self_check: the policy against itself; None if it was left out.
    """

    game: str
    policy: str
    protocol: str
    options: dict[str, Any]
    seed: int
    precision: float | None
    results: Sequence[Evaluated]
    standard_caller: CallerFigures | None
    self_check: SelfCheck | None

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "game": self.game,
            "policy": self.policy,
            "protocol": self.protocol,
            "options": self.options,
            "seed": self.seed,
            "precision": self.precision,
            "results": [result.as_dict() for result in self.results],
            "standard_caller": None if self.standard_caller is None else asdict(self.standard_caller),
            "self_check": None if self.self_check is None else asdict(self.self_check),
        }
