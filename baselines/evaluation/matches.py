"""The matches of an evaluation: their planning, their observers, and the figures of their results."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.evaluation.results import Evaluated
from cardenvs.baselines.evaluation.stopping import looks, precise_enough
from cardenvs.baselines.match.play import match_result
from cardenvs.baselines.match.protocols import check_protocol, protocol_options
from cardenvs.baselines.match.results import DealResults, Forfeited, Margins
from cardenvs.baselines.match.side import Player, Side
from cardenvs.baselines.observers.bidding import Bidding, BiddingObserver, CallerFigures
from cardenvs.baselines.observers.control import DoubleDummyControl, check_control
from cardenvs.baselines.observers.cooperation import CooperationObserver
from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.baselines.runs.series import Match, PlayedMatch, series
from cardenvs.checks import check_int
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.randomness import given_seed

STANDARD = "coop-high-low"
"""The policy whose bidding, the standard caller's, is shown for comparison; it plays against itself."""


@dataclass
class Watching:
    """Observer of a match for an evaluation: of the bidding, the cooperation and the control variate.

    Attributes:
        bids: how both sides bid; None where there is no bidding.
        partners: how partners cooperate; None where that is not counted.
        luck: the control variate; None without one.
    """

    bids: BiddingObserver | None
    partners: CooperationObserver | None
    luck: DoubleDummyControl | None

    @classmethod
    def of(cls, game: str, bidding: bool, cooperation: bool, control: bool) -> Self:
        """An observer that has seen nothing.

        Args:
            game: the game's name.
            bidding: whether the bidding is to be seen.
            cooperation: whether to count the metrics of cooperation.
            control: whether to collect the control variate.
        """
        return cls(
            BiddingObserver() if bidding else None,
            CooperationObserver(game) if cooperation else None,
            DoubleDummyControl() if control else None,
        )

    def __call__(self, games: Games, owner: Ints) -> None:
        """Takes in finished deals, as `cardenvs.baselines.match.Observer` says."""
        for observer in (self.bids, self.partners, self.luck):
            if observer is not None:
                observer(games, owner)

    def add(self, other: Self) -> None:
        """Adds the counts of another observer over later deals."""
        for observer, others in ((self.bids, other.bids), (self.partners, other.partners), (self.luck, other.luck)):
            if observer is not None:
                observer.add(others)  # type: ignore[arg-type]  # both have been made alike

    def margins(self, results: DealResults) -> npt.NDArray[np.float64]:
        """The first side's points above the second's by deal, with the control taken out where there is one."""
        margins = results.points_margins
        return margins if self.luck is None else self.luck.adjusted(margins)[0]


def check_precision(precision: float | None) -> None:
    """Checks that a precision is a number of points above 0, or None.

    Raises:
        ValueError: it is not; says what is allowed.
    """
    if precision is not None and not 0 < precision < math.inf:
        raise ValueError(f"precision must be a number of points above 0, not {precision!r}")


def planned_match(
    game: GameSpec,
    player: Player,
    opponent: Player,
    *,
    deals: int,
    seed: int,
    protocol: str,
    precision: float | None,
    cooperation: bool,
    control: str | None,
    options: Mapping[str, Any],
) -> Match:
    """The match of a policy against an opponent, observed by a `Watching`.

    Args:
        game: the game, without recall.
        player: the policy, as the first side.
        opponent: the second side.
        deals: how many deals (in the published protocol games) to play; with ``precision`` the most.
        seed: int >= 0.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: stop when half the width of the 95% interval of the points is at most this; None: play all deals.
        cooperation: whether to count the metrics of cooperation, in trick games.
        control: a control variate's name, or None.
        options: rule options.
    """
    seen = has_bidding(game, protocol, options), cooperation and game.name in COOPERATION_GAMES, control is not None
    return Match(
        player,
        opponent,
        deals,
        seed,
        protocol,
        options,
        functools.partial(Watching.of, game.name, *seen) if any(seen) else None,
        () if precision is None else looks(deals),
        functools.partial(_precise, precision or math.inf, _most_points(game, protocol, options)),
    )


def _most_points(game: GameSpec, protocol: str, options: Mapping[str, Any]) -> float:
    """The greatest margin in points that a deal (game) can bring."""
    return Margins.of(game, protocol_options(game, protocol, dict(options))).points


def _precise(precision: float, most: float, results: DealResults, watching: Watching | None) -> bool:
    """Whether the results of a match are as precise as was asked for."""
    return precise_enough(results.points_margins if watching is None else watching.margins(results), precision, most)


def evaluated(
    game: GameSpec, sides: tuple[Side, Side], match: Match, played: PlayedMatch, precision: float | None
) -> Evaluated:
    """The figures of a match that was played.

    Args:
        game: the game, without recall.
        sides: the policy's side and the opponent's.
        match: the match, of `planned_match`.
        played: what came of it.
        precision: the precision that was asked for, or None.

    Raises:
        Forfeit: the match was forfeited before a deal was finished.
    """
    results = played.finished()
    watching = played.observer or Watching(None, None, None)
    most = _most_points(game, match.protocol, match.options)
    forfeit = None if played.forfeit is None else Forfeited.by(played.forfeit)
    return Evaluated(
        match=match_result(
            game, sides, results,
            protocol=match.protocol, options=match.options, seed=match.seed, seconds=played.seconds, forfeit=forfeit,
        ),
        precise=None if precision is None else _precise(precision, most, results, watching),
        bidding=None if watching.bids is None else watching.bids.result((sides[0].name, sides[1].name)),
        cooperation=None if watching.partners is None else watching.partners.result(),
        controlled=None if watching.luck is None else watching.luck.result(results.wins, results.points_margins, most),
    )  # fmt: skip


def evaluate_against(
    game: str | GameSpec,
    player: Side,
    opponent: Side,
    *,
    deals: int,
    seed: int | str = 0,
    protocol: str = "duplicate",
    precision: float | None = None,
    cooperation: bool = True,
    control: str | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Evaluated:
    """Plays a policy against one opponent.

    Args:
        player: the policy, as the first side.
        opponent: the second side.
        deals: how many deals (in the published protocol games) to play; with ``precision`` the most.
        seed: an int of at least 0, or ``"random"``.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: stop when half the width of the 95% interval of the points is at most this; None: play all deals.
        cooperation: whether to count the metrics of cooperation, in trick games.
        control: a control variate's name from `cardenvs.baselines.observers.CONTROLS`, or None.
        progress: called with the number of deals (games) finished since the last call.
        options: rule options.

    Raises:
        ValueError: unknown game, option, protocol or control, a control that does not fit, ``deals`` below 1, a precision
            that is not above 0, or an illegal action of a policy.
        Forfeit: a ValueError, too: the match was forfeited before a deal was finished.
    """
    spec = get_game(game).plain
    deals, seed = check_int("deals", deals, 1), given_seed(seed)
    check_protocol(protocol)
    check_precision(precision)
    check_control(control, spec, protocol)
    spec.option_codes(protocol_options(spec, protocol, options))
    match = planned_match(
        spec, player, opponent, deals=deals, seed=seed, protocol=protocol, precision=precision,
        cooperation=cooperation, control=control, options=options,
    )  # fmt: skip
    with series(spec, [match]) as play_next:
        return evaluated(spec, (player, opponent), match, play_next(progress), precision)


def has_bidding(game: GameSpec, protocol: str, options: Mapping[str, Any]) -> bool:
    """Whether there is bidding to be counted: in duplicate play of Euchre with full bidding."""
    return game.bids_trump and protocol == "duplicate" and options.get("bidding", "full") == "full"


def standard_match(*, deals: int, seed: int, options: Mapping[str, Any]) -> Match:
    """The match of `STANDARD` against itself, which shows the bidding of the standard caller.

    Args:
        deals: how many deals, each played twice.
        seed: int >= 0.
        options: rule options of Euchre.
    """
    return Match(STANDARD, STANDARD, deals, seed, options=options, observing=BiddingObserver)


def standard_figures(played: PlayedMatch) -> CallerFigures:
    """The bidding statistics of the standard caller, of a `standard_match` that was played."""
    figures: Bidding = played.observer.result((f"standard ({STANDARD})", STANDARD))
    return figures.sides[0]


def standard_calls(
    game: str | GameSpec, *, deals: int, seed: int | str = 0, progress: Callable[[int], None] | None = None, **options: Any
) -> CallerFigures:
    """The bidding statistics of the standard caller, for comparison: `STANDARD` plays the same deals against itself.

    Args:
        game: name or spec of Euchre.
        deals: how many deals, each played twice.
        seed: an int of at least 0, or ``"random"``.
        progress: called with the number of deals finished since the last call.
        options: rule options.
    """
    deals, seed = check_int("deals", deals, 1), given_seed(seed)
    with series(game, [standard_match(deals=deals, seed=seed, options=options)]) as play_next:
        return standard_figures(play_next(progress))
