"""Control variates: less noise in a match's figures, beyond what duplicate deals remove.

A control is a figure of the same games with a known expectation of 0 that correlates with the result. The result less a
multiple of it has the same mean and less variance. The multiple is fitted by least squares on the other nine tenths of the
games (cross-fitting), so that it is independent of its control and adds no bias.

``double-dummy`` is for the published protocol in Euchre, whole games without bidding. Each deal has a value: the points of
its dealer's side less the other side's with all cards open and perfect play on both sides
(`cardenvs.baselines.search.trick.double_dummy`). Its mean over all deals is known (`DEALER_VALUE`); a game's control is the
sum over its deals of the value less that mean, counted for the first side when this side deals and against it otherwise.
Cards are shuffled independently of play, so the sum is a martingale, stopped when the game ends: its expectation is 0 for
any policies (optional stopping). An error of `DEALER_VALUE` would enter only with the difference of the two sides' deals in
a game, at most one. AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, AAAI 2018) applies the idea to other chance, too.

What it is worth is in ``docs/results/variance.md`` (written by ``benchmarks/variance.py``), with the controls of duplicate
play that were tried: none is offered, because none paid. There the value of the deal cancels, and the rest comes from the
decisions in which the sides differ.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reports.columns import Column, Columns, Row, computed_column, points_column, share_column
from cardenvs.baselines.reports.statistics import interval, margin_interval, share_interval
from cardenvs.baselines.search.trick.double_dummy import deal_points, solve
from cardenvs.checks import check_choice
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre

CONTROLS = ("double-dummy",)
"""Names of the control variates."""

DEALER_VALUE = -0.627
"""Mean double-dummy value of a deal without bidding for the dealer's side, points less the other side's: ±0.001 (95%),
10,000,000 deals; ``benchmarks/variance.py --dealer-value 10000000 --seed 20150401`` measures it again."""

FOLDS = 10
"""Number of parts of the games for fitting."""
FEWEST = 2 * FOLDS
"""Fewest games for which a multiple is fitted; with fewer the control is left out."""


Controlled = Columns(
    "Controlled",
    Column("control", "the control's name"),
    computed_column("both_win_rates", lambda row: [row.win_rate.mean, 1.0 - row.win_rate.mean], json="win_rate"),
    share_column("win_rate", "share of the games that the first side won; in JSON those of both sides", json=""),
    points_column("points_margin", "the first side's points less the other's, for each game"),
    Column("win_variance_ratio", "variance of the win rate with the control, divided by that without; None if that is 0"),
    Column("points_variance_ratio", "the same of the points' margin"),
    Column("games_without_win_rate", "number of games without the control for an interval of the win rate of the same "
           "width; None if ``win_variance_ratio`` is None or 0"),
    Column("games_without_points", "the same of the points' margin"),
    Column("coefficient", "the multiple of the control in the points' margin, the mean of the folds"),
    points_column("control_mean", "mean of the control, in points a game; its expectation is 0", ends=""),
    computed_column("win_rate_ends", lambda row: row.win_rate.ci95, json="ci95"),
    computed_column("control_ends", lambda row: row.control_mean.ci95, json="control_ci95"),
)  # fmt: skip
"""A match's figures after removing a control variate."""


def check_control(control: str | None, game: GameSpec, protocol: str) -> None:
    """Raises ValueError for an unknown control or one that does not fit the game or protocol; says what is allowed."""
    if control is None:
        return
    check_choice("control", control, CONTROLS)
    if not game.bids_trump or protocol != "published":
        raise ValueError(
            f"control {control!r} is for euchre with the published protocol, not for {game.name}, {protocol}: "
            "over duplicate deals the deal's value cancels"
        )


def fit_out(values: npt.NDArray[np.float64], control: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
    """Removes a control of expectation 0 from independent values, float64 (n,); returns the result and the mean multiple.

    The multiple of each fold is fitted on the others. With fewer than two values in a fold, returns the values and 0.
    """
    n = len(values)
    if n < FEWEST:
        return values, 0.0
    fold = np.arange(n) % FOLDS
    adjusted = np.empty(n)
    multiples = []
    for k in range(FOLDS):
        own, others = fold == k, fold != k
        # Around its known mean, 0, the control needs no centring; the values do.
        square = float(control[others] @ control[others])
        multiple = float(control[others] @ (values[others] - values[others].mean())) / square if square > 0 else 0.0
        adjusted[own] = values[own] - multiple * control[own]
        multiples.append(multiple)
    return adjusted, float(np.mean(multiples))


def dealt(games: Games) -> Games:
    """Copies of finished Euchre deals without bidding, (k,), before the first card."""
    start = games.copy()
    start["hands"] |= start["played"]
    for name in ("played", "trick", "voids", "tricks"):
        start[name] = 0
    start["phase"], start["over"], start["winner"] = euchre.PLAYING, RUNNING, -1
    start["leader"] = start["to_act"] = (start["dealer"] + 1) & 3
    return start


def dealer_values(games: Games) -> Ints:
    """The double-dummy points, int64 (k,), of the dealer's side less the other's in deals of `dealt`."""
    points = deal_points(games, solve(games))
    rows, side = np.arange(len(games)), np.asarray(games["dealer"]) & 1
    return points[rows, side] - points[rows, 1 - side]


class DoubleDummyControl:
    """Collects, as a match's observer, the control ``double-dummy`` of every game."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[np.float64]] = []

    def __call__(self, games: Games, owner: npt.NDArray[np.int64]) -> None:
        """Adds finished deals of whole games, (k,), game by game; ``owner`` is int64 (k, 4), each seat's side."""
        first_deals = owner[np.arange(len(games)), games["dealer"]] == 0
        luck = np.where(first_deals, 1, -1) * (dealer_values(dealt(games)) - DEALER_VALUE)
        ends = np.flatnonzero(games["over"] == EPISODE_OVER)
        self._parts.append(np.add.reduceat(luck, np.concatenate([[0], ends[:-1] + 1])))

    def add(self, other: DoubleDummyControl) -> None:
        """Adds the games of another observer, which come after those seen here."""
        self._parts += other._parts

    @property
    def game_controls(self) -> npt.NDArray[np.float64]:
        """The control of every game so far, float64 (games,), points."""
        return np.concatenate(self._parts) if self._parts else np.zeros(0)

    def adjusted(self, values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
        """Removes the control from a figure of each game so far, see `fit_out`."""
        return fit_out(values, self.game_controls)

    def result(self, wins: npt.NDArray[np.float64], margins: npt.NDArray[np.float64], most: float) -> Row:
        """The figures of a match of which this has seen all games, a `Controlled`.

        Args:
            wins: float64 (n,), the first side's share of each win.
            margins: float64 (n,), its points less the other's.
            most: the greatest margin of a game.
        """
        clear_wins, _ = self.adjusted(wins)
        clear_margins, coefficient = self.adjusted(margins)
        win_ratio, points_ratio = _variance_ratio(clear_wins, wins), _variance_ratio(clear_margins, margins)
        return Controlled(
            control="double-dummy",
            win_rate=share_interval(clear_wins),
            points_margin=margin_interval(clear_margins, most),
            win_variance_ratio=win_ratio,
            points_variance_ratio=points_ratio,
            games_without_win_rate=math.ceil(len(wins) / win_ratio) if win_ratio else None,
            games_without_points=math.ceil(len(margins) / points_ratio) if points_ratio else None,
            coefficient=coefficient,
            control_mean=interval(self.game_controls),
        )


def _variance_ratio(clear: npt.NDArray[np.float64], plain: npt.NDArray[np.float64]) -> float | None:
    """The variance of ``clear`` divided by the variance of ``plain``; None if the latter is 0."""
    if len(plain) < 2 or plain.var() == 0:
        return None
    return float(clear.var(ddof=1) / plain.var(ddof=1))
