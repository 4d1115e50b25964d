"""The self-check of an evaluation: the policy against itself must score 0.

Either of two figures can fail where the other cannot:

- ``sides``: the first side's points less the others', by duplicate deal: exactly 0 on each without randomness, with it
  0 within the error. It fails if the match treats the two sides differently (seats not exchanged, results credited to the
  wrong side, a policy that carries something over from one side to the other).
- ``seats``: the points of the even seats less those of the odd ones, by deal, with all the luck of the deal; 0 is expected
  because the dealer is drawn at random. It fails if the game or the policy favours some seats. Where moving first is part
  of the game (Five-O), with more than two sides, or with sides that are dealt or of different sizes, it is what the game's
  first side makes above the others, and no check.

A check passes if 0 is within the 99.9% interval (Student's t): a sound program fails one in a thousand times.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from cardenvs.baselines.evaluation.settings import EvaluationSettings
from cardenvs.baselines.match.results import DealResults, Margins, forfeited_by
from cardenvs.baselines.match.side import Player, Side, has_like_sides
from cardenvs.baselines.reports.columns import Column, Columns, Row
from cardenvs.baselines.reports.statistics import margin_interval
from cardenvs.baselines.runs.series import Match, PlayedMatch, series
from cardenvs.checks import check_int
from cardenvs.contract.spec import GameSpec

FEWEST_TO_CHECK = 30
"""Minimum number of deals for a verdict of the self-check."""

_PASS_CHANCE = 0.999
"""The chance that a sound program passes a check."""
_ROUNDING = 1e-9

Check = Columns(
    "Check",
    Column("margin", "the figure, points a deal", interval=True, json="mean", ends="ci95"),
    Column("passed", "whether 0 is within the 99.9% interval; None without a verdict: too few deals, or no check"),
)
"""A figure that should be 0."""

SelfCheck = Columns(
    "SelfCheck",
    Column("deals", "how many deals were played, each on every side"),
    Column("sides", "the first side's points less the others' (`Check`)"),
    Column("seats", "the points of the even seats less those of the odd ones (`Check`); where sides are not alike what the "
           "first is worth, which is no check"),
    Column("passed", "whether all checks passed; None with fewer than `FEWEST_TO_CHECK` deals"),
    Column("forfeit", "how the policy has forfeited (`Forfeited`); None if it has not. The figures are of the deals "
           "finished before", optional=True, default=None),
)  # fmt: skip
"""The results of a policy against itself."""


def _check(values: npt.NDArray[np.float64], most: float, checked: bool) -> Row:
    """The mean of values that should be 0, with a verdict if ``checked``."""
    margin = margin_interval(values, most)
    if not checked or len(values) < FEWEST_TO_CHECK:
        return Check(margin, None)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = float(stdtrit(len(values) - 1, (1 + _PASS_CHANCE) / 2)) * error
    return Check(margin, abs(margin.mean) <= reach + _ROUNDING)


def judge(results: DealResults, most: float, alike: bool) -> Row:
    """The figures and the verdict of a self-check, a `SelfCheck`.

    Args:
        results: a policy's duplicate deals against itself.
        most: the greatest margin in points that a deal can bring.
        alike: whether all sides of the game should make as many points; if not, ``seats`` is no check.
    """
    sides = _check(results.points_margins, most, True)
    seats = _check(first_side_leads(results), most, alike)
    verdicts = [check.passed for check in (sides, seats) if check.passed is not None]
    return SelfCheck(results.deals, sides, seats, all(verdicts) if verdicts else None)


def first_side_leads(results: DealResults) -> npt.NDArray[np.float64]:
    """The points of the game's first side less the mean of the others', the mean of each deal's copies, (deals,)."""
    copies = np.arange(results.sides)
    # In copy c the match's sides are the game's from c on.
    own = results.points[:, copies, -copies % results.sides].astype(np.float64)
    others = (results.points.sum(-1) - own) / (results.sides - 1)
    return np.asarray((own - others).mean(1))


def self_check_match(settings: EvaluationSettings, player: Player, deals: int) -> Match:
    """The match of a policy against itself: duplicate deals, also by the rules of the published protocol."""
    return Match(player, player, deals, settings.seed, options=settings.single_deals)


def judged(settings: EvaluationSettings, played: PlayedMatch) -> Row:
    """The figures and the verdict of a self-check that was played; a Forfeit if that was before a deal was finished."""
    game, most = settings.spec, Margins.of_game(settings.spec, settings.single_deals).points
    check = judge(played.finished(), most, game.team and has_like_sides(game))
    return check.but(forfeit=forfeited_by(played.forfeit))


def check_against_itself(
    game: str | GameSpec,
    player: Side,
    *,
    deals: int,
    seed: int | str = 0,
    protocol: str = "duplicate",
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Row:
    """Plays a policy against itself and checks that it scores 0; a `SelfCheck`.

    Args:
        player: the policy.
        deals: how many deals, each played on every side.
        protocol: the evaluation's protocol; for ``"published"`` its rules are used, but single deals are played.
        progress: called with the number of deals finished since the last call.

    Raises:
        ValueError: unknown game, option or protocol, ``deals`` below 1, or an illegal action of the policy.
        Forfeit: a ValueError, too: the policy could not go on before a deal was finished.
    """
    settings = EvaluationSettings.of(check_against_itself, game, seed, options, protocol=protocol)
    with series(settings.spec, [self_check_match(settings, player, check_int("deals", deals, 1))]) as play_next:
        return judged(settings, play_next(progress))
