"""Evaluation of one policy: against several opponents, to a wanted precision, with checks of the evaluation itself.

When a match is long enough is decided in `cardenvs.baselines.evaluation.stopping`, the check of the policy against itself
is in `cardenvs.baselines.evaluation.self_check`, control variates are in `cardenvs.baselines.observers.control`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.evaluation.results import Evaluated, Evaluation, ForfeitedMatch
from cardenvs.baselines.evaluation.self_check import judged, self_check_match
from cardenvs.baselines.evaluation.settings import (
    DEALS,
    SLOW_DEALS,
    EvaluationSettings,
    check_cooperation,
    opponents_of,
)
from cardenvs.baselines.evaluation.stopping import looks, precise_enough
from cardenvs.baselines.match.play import match_result
from cardenvs.baselines.match.results import DealResults, Forfeited, Margins
from cardenvs.baselines.match.side import Player, Side, as_side
from cardenvs.baselines.observers.bidding import BiddingObserver, CallerFigures
from cardenvs.baselines.observers.control import DoubleDummyControl
from cardenvs.baselines.observers.cooperation import CooperationObserver
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.baselines.runs.series import Match, PlayedMatch, series
from cardenvs.checks import check_int
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.policy.contract import Forfeit, Policy
from cardenvs.policy.registry import split_names
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

    bids: BiddingObserver | None = None
    partners: CooperationObserver | None = None
    luck: DoubleDummyControl | None = None

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


def _match(settings: EvaluationSettings, player: Player, opponent: Player, deals: int) -> Match:
    """The match of a policy against an opponent over so many deals (games) at most, observed by a `Watching`."""
    return Match(
        player,
        opponent,
        deals,
        settings.seed,
        settings.protocol,
        settings.options,
        functools.partial(Watching.of, settings.spec.name, *settings.seen) if any(settings.seen) else None,
        () if settings.precision is None else looks(deals),
        functools.partial(_precise, settings),
    )


def _precise(settings: EvaluationSettings, results: DealResults, watching: Watching | None) -> bool:
    """Whether the results of a match are as precise as was asked for."""
    assert settings.precision is not None
    return precise_enough((watching or Watching()).margins(results), settings.precision, settings.most)


def _against(
    settings: EvaluationSettings, player: tuple[str, Player], opponent: tuple[str, Player], deals: int | None, slow: bool
) -> list[tuple[str, Match]]:
    """The matches that concern an opponent, each behind its name for people."""
    spec, (name, own), (against, other) = settings.spec, player, opponent
    most = settings.deals(deals, slow)
    matches = [(f"{name} - {against}", _match(settings, own, other, most))]
    if not spec.one_sided or not spec.team:
        return matches
    both = [list(as_side(spec, who).policies) if not isinstance(who, str) else _seated(spec, who) for who in (own, other)]
    fewer = min(most, SLOW_DEALS if slow else DEALS)
    for first, rest in (both, both[::-1]):
        team = Match([first[0], *rest[1:]], None, fewer, settings.seed, settings.protocol, settings.options)
        matches.append((f"{name} with {against}", team))
    return matches


def _seated(spec: GameSpec, name: str) -> list[str | Policy]:
    """The names of the policies of a team, one for each seat."""
    parts = split_names(name)
    return list(parts if len(parts) == spec.seats else parts * spec.seats)


def _evaluated(
    settings: EvaluationSettings, sides: tuple[Side, Side], played: PlayedMatch, mixed: Sequence[PlayedMatch] = ()
) -> Evaluated:
    """The figures of a match that was played, and of teams of both policies."""
    results, watching = played.finished(), played.observer or Watching()
    teams = [one.results for one in mixed if one.results is not None and one.forfeit is None]
    together = None
    if teams and len(teams) == len(mixed):
        together = Margins.of_game(settings.spec, settings.rules).points_interval(
            np.mean([one.points_margins for one in teams], 0)
        )
    return Evaluated(
        match=match_result(
            settings.spec, sides, results, protocol=settings.protocol, options=settings.options, seed=settings.seed,
            seconds=played.seconds, forfeit=None if played.forfeit is None else Forfeited.by(played.forfeit),
        ),
        precise=None if settings.precision is None else _precise(settings, results, watching),
        bidding=None if watching.bids is None else watching.bids.result((sides[0].name, sides[1].name)),
        cooperation=None if watching.partners is None else watching.partners.result(),
        controlled=(
            None if watching.luck is None else watching.luck.result(results.wins, results.points_margins, settings.most)
        ),
        points_with_opponent=together,
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
    spec, options = form_of(get_game(game).plain, options, evaluate_against)
    settings = EvaluationSettings(
        spec=spec, seed=given_seed(seed), protocol=protocol, precision=precision,
        cooperation=cooperation, control=control, options=options,
    )  # fmt: skip
    with series(settings.spec, [_match(settings, player, opponent, check_int("deals", deals, 1))]) as play_next:
        return _evaluated(settings, (player, opponent), play_next(progress))


def _standard_match(deals: int, seed: int, options: dict[str, Any]) -> Match:
    """The match of `STANDARD` against itself over some deals, which shows the bidding of the standard caller."""
    return Match(STANDARD, STANDARD, deals, seed, options=options, observing=BiddingObserver)


def _standard_figures(played: PlayedMatch) -> CallerFigures:
    """The bidding statistics of the standard caller, of a `_standard_match` that was played."""
    figures: CallerFigures = played.observer.result((f"standard ({STANDARD})", STANDARD)).sides[0]
    return figures


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
    with series(game, [_standard_match(check_int("deals", deals, 1), given_seed(seed), options)]) as play_next:
        return _standard_figures(play_next(progress))


def evaluate(
    game: str | GameSpec,
    player: Player,
    against: Sequence[Player] | None = None,
    *,
    deals: int | None = None,
    seed: int | str = 0,
    protocol: str = "duplicate",
    precision: float | None = None,
    cooperation: bool | None = None,
    control: str | None = None,
    self_check: bool = True,
    progress: Count | None = None,
    workers: int | None = None,
    cluster: str | Executor | None = None,
    **options: Any,
) -> Evaluation:
    """Plays a policy against opponents and, as a check, against itself.

    Args:
        player: the policy: a name, a path, a Policy, or one for each seat of its side.
        against: the opponents, ``"all"`` among them for those of the game that play by default
            (`cardenvs.policy.default_names`); None: those of `cardenvs.baselines.evaluation.FIELD`. Of both the policy
            itself is left out.
        deals: how many deals of each match to play on every side (in the published protocol games); with ``precision`` the
            most. None: 1,000 (the published protocol's `cardenvs.baselines.match.PUBLISHED_GAMES`), 200 where a policy is
            slow, and with ``precision`` 100,000 and 2,000.
        seed: an int of at least 0, or ``"random"``.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: end a match when half the width of the 95% interval of its points is at most this; None: play all deals.
        cooperation: count how often partners take tricks from each other, in trick games; None: in duplicate play only.
        control: name of a control variate from `cardenvs.baselines.observers.CONTROLS`, or None.
        self_check: whether the policy plays against itself; in a game of one side, where nobody opposes, it does not.
        progress: called with the share of all deals that was finished since the last call, and the match that is played.
        workers: processes that play; None: this one alone, with ``cluster`` one for each of its cores. Results are the same
            but for the decisions a second, which are lower where processes share cores. With more than one, policies are
            given by names or can be pickled, and a script that calls this needs the usual ``if __name__ == "__main__":``.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        options: rule options.

    Returns:
        The results against each opponent, and those of the self-check. Where a policy forfeits, the others are played.

    Raises:
        ValueError: unknown game, policy, option, protocol or control, a control that does not fit, ``deals`` or ``workers``
            below 1, a precision that is not above 0, a cluster that cannot be used, or an illegal action of a policy.
        Forfeit: a ValueError, too: every match was forfeited before a deal was finished; tells of the first.
    """
    spec, options = form_of(get_game(game).plain, options, evaluate)
    check_cooperation(spec, cooperation)
    settings = EvaluationSettings(
        spec=spec, seed=given_seed(seed), protocol=protocol, precision=precision, control=control, options=options,
        cooperation=protocol == "duplicate" if cooperation is None else cooperation,
    )  # fmt: skip
    side = as_side(spec, player)
    name = player if isinstance(player, str) else side.name
    given = opponents_of(spec, name, against)
    opponents = [as_side(spec, other) for other in given]
    deals = None if deals is None else check_int("deals", deals, 1)
    workers = 1 if workers is None and cluster is None else workers
    alone = workers == 1 and cluster is None

    def sent(who: Player, made: Side) -> Player:
        """A side for the workers: names are made anew where they are; objects, and all of this process, are as they are."""
        return who if isinstance(who, str) and not alone else made

    itself = sent(player, side)
    met = [
        _against(settings, (name, itself), (one.name, sent(who, one)), deals, side.slow or one.slow)
        for who, one in zip(given, opponents, strict=True)
    ]
    planned = list(itertools.chain(*met))
    if self_check := self_check and not spec.one_sided:
        most = min(deals or DEALS, SLOW_DEALS if side.slow else DEALS)
        planned.append((f"{name} - itself", self_check_match(settings, itself, most)))
    if settings.bidding:
        planned.append(("the standard caller", _standard_match(min(deals or DEALS, DEALS), settings.seed, options)))
    results: list[Evaluated] = []
    forfeits: list[ForfeitedMatch] = []
    check = standard = None
    with series(spec, [match for _, match in planned], workers=workers, cluster=cluster) as play_next:
        left, most_deals = iter(planned), sum(match.deals for _, match in planned)

        def play_shown() -> PlayedMatch:
            """Plays the next match and shows its progress."""
            what, match = next(left)
            with part_of(progress, what, match.deals, most_deals) as count:
                return play_next(count)

        first: Forfeit | None = None
        for one, matches in zip(opponents, met, strict=True):
            played, *mixtures = [play_shown() for _ in matches]
            if played.results is not None:
                results.append(_evaluated(settings, (side, one), played, mixtures))
            forfeits += [ForfeitedMatch.of(one.name, mixture) for mixture in mixtures if mixture.forfeit is not None]
            if played.forfeit is not None:
                first = first or played.forfeit
                forfeits.append(ForfeitedMatch.of(one.name, played))
        if first is not None and not results:
            raise first
        if self_check:
            played = play_shown()
            if played.forfeit is not None:
                forfeits.append(ForfeitedMatch.of(name, played))
            if played.results is not None or not results:
                check = judged(settings, played)
        if results and settings.bidding:
            standard = _standard_figures(play_shown())
    return Evaluation(
        game=spec.name,
        policy=name,
        protocol=protocol,
        options=settings.rules,
        seed=settings.seed,
        precision=precision,
        results=results,
        standard_caller=standard,
        self_check=check,
        forfeits=forfeits,
    )
