"""Evaluation of one policy: against several opponents, to a wanted precision, with checks of the evaluation itself.

When a match is long enough is decided in `cardenvs.baselines.evaluation.stopping`, the check of the policy against itself
is in `cardenvs.baselines.evaluation.self_check`, control variates are in `cardenvs.baselines.observers.control`.
"""

import functools
import itertools
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from typing import Any

import numpy as np

from cardenvs.baselines.evaluation.results import Evaluated, Evaluation, forfeited_matches
from cardenvs.baselines.evaluation.self_check import judged, self_check_match
from cardenvs.baselines.evaluation.settings import DEALS, SLOW_DEALS, EvaluationSettings, check_cooperation, opponents_of
from cardenvs.baselines.evaluation.stopping import looks, precise_enough
from cardenvs.baselines.match.play import Observers, match_result
from cardenvs.baselines.match.results import DealResults, forfeited_by
from cardenvs.baselines.match.side import Player, Side, as_side
from cardenvs.baselines.observers.bidding import BiddingObserver
from cardenvs.baselines.observers.control import DoubleDummyControl
from cardenvs.baselines.observers.cooperation import CooperationObserver
from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.baselines.runs.series import Match, PlayedMatch, series
from cardenvs.checks import check_int
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.registry import split_names

STANDARD = "coop-high-low"
"""The policy whose bidding, the standard caller's, is shown for comparison; it plays against itself."""


def _make_observers(game: str, bidding: bool, cooperation: bool, control: bool) -> Observers:
    """The observers of a match: of the bidding, the cooperation and the control variate, each where wanted."""
    observers = Observers()
    if bidding:
        observers["bidding"] = BiddingObserver()
    if cooperation:
        observers["cooperation"] = CooperationObserver(game)
    if control:
        observers["control"] = DoubleDummyControl()
    return observers


def _match(settings: EvaluationSettings, player: Player, opponent: Player, deals: int) -> Match:
    """The match of a policy against an opponent over so many deals (games) at most, watched by `_make_observers`."""
    seen = settings.bidding, settings.cooperation and settings.spec.name in COOPERATION_GAMES, settings.control is not None
    return Match(
        player, opponent, deals, settings.seed, settings.protocol, settings.options,
        observing=functools.partial(_make_observers, settings.spec.name, *seen) if any(seen) else None,
        looks=() if settings.precision is None else looks(deals),
        until=functools.partial(_is_precise, settings),
    )  # fmt: skip


def _is_precise(settings: EvaluationSettings, results: DealResults, observers: Observers | None) -> bool:
    """Whether the results of a match are as precise as was asked for."""
    assert settings.precision is not None
    margins = results.points_margins
    if observers is not None and "control" in observers:
        margins, _ = observers["control"].adjusted(margins)
    return precise_enough(margins, settings.precision, settings.bounds.points)


def _mixed_teams(settings: EvaluationSettings, both: tuple[Player, Player], deals: int) -> list[Match]:
    """In a game of one side the matches of teams of two policies: the first at the first seat, and the other way round."""
    spec = settings.spec
    if not spec.one_sided or not spec.team:
        return []
    seated: list[Sequence[str | Policy]] = []
    for who in both:
        own = split_names(who) if isinstance(who, str) else as_side(spec, who).policies
        seated.append(own if len(own) == spec.seats else own * spec.seats)
    return [
        Match([first[0], *rest[1:]], None, deals, settings.seed, settings.protocol, settings.options)
        for first, rest in (seated, seated[::-1])
    ]


def _evaluated(
    settings: EvaluationSettings, sides: tuple[Side, Side], played: PlayedMatch, mixed: Sequence[PlayedMatch] = ()
) -> Row:
    """The figures of a match that was played, and of teams of both policies."""
    results, seen = played.finished(), played.observer or {}
    teams = [one.results.points_margins for one in mixed if one.results is not None and one.forfeit is None]
    bounds = settings.bounds
    return Evaluated(
        match=match_result(
            settings.spec, sides, results, protocol=settings.protocol, options=settings.options, seed=settings.seed,
            seconds=played.seconds, forfeit=forfeited_by(played.forfeit),
        ),
        precise=None if settings.precision is None else _is_precise(settings, results, played.observer),
        bidding=seen["bidding"].result([side.name for side in sides]) if "bidding" in seen else None,
        cooperation=seen["cooperation"].result() if "cooperation" in seen else None,
        controlled=(
            seen["control"].result(results.wins, results.points_margins, bounds.points) if "control" in seen else None
        ),
        points_with_opponent=bounds.points_interval(np.mean(teams, 0)) if teams and len(teams) == len(mixed) else None,
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
) -> Row:
    """Plays a policy against one opponent; the figures, an `Evaluated`.

    Args:
        player: the policy, as the first side.
        opponent: the second side.
        deals: how many deals (in the published protocol games) to play; with ``precision`` the most.
        protocol: as in `evaluate`, and so are ``precision``, ``cooperation`` and ``control``.
        progress: called with the number of deals (games) finished since the last call.

    Raises:
        ValueError: unknown game, option, protocol or control, a control that does not fit, ``deals`` below 1, a precision
            that is not above 0, or an illegal action of a policy.
        Forfeit: a ValueError, too: the match was forfeited before a deal was finished.
    """
    settings = EvaluationSettings.of(
        evaluate_against, game, seed, options,
        protocol=protocol, precision=precision, cooperation=cooperation, control=control,
    )  # fmt: skip
    with series(settings.spec, [_match(settings, player, opponent, check_int("deals", deals, 1))]) as play_next:
        return _evaluated(settings, (player, opponent), play_next(progress))


def _planned_matches(
    settings: EvaluationSettings, player: Player, own: Side, against: Sequence[Player], deals: int | None, self_check: bool
) -> tuple[list[tuple[str, Match]], list[tuple[Side, int]]]:
    """Returns the matches of `evaluate`, each behind its name for people, and the opponents with the numbers of theirs."""
    planned: list[tuple[str, Match]] = []
    met, name = [], player if isinstance(player, str) else own.name
    for opponent in against:
        other = as_side(settings.spec, opponent)
        slow = own.slow or other.slow
        most = settings.most_deals(deals, slow)
        mixed = _mixed_teams(settings, (player, opponent), min(most, SLOW_DEALS if slow else DEALS))
        met.append((other, 1 + len(mixed)))
        planned.append((f"{name} - {other.name}", _match(settings, player, opponent, most)))
        planned += ((f"{name} with {other.name}", match) for match in mixed)
    if self_check:
        most = min(deals or DEALS, SLOW_DEALS if own.slow else DEALS)
        planned.append((f"{name} - itself", self_check_match(settings, player, most)))
    if settings.bidding:
        most = min(deals or DEALS, DEALS)
        standard_match = Match(STANDARD, STANDARD, most, settings.seed, options=settings.options, observing=BiddingObserver)
        planned.append(("the standard caller", standard_match))
    return planned, met


def _play_in_turn(
    settings: EvaluationSettings,
    planned: Sequence[tuple[str, Match]],
    workers: int | None,
    cluster: str | Executor | None,
    progress: Count | None,
) -> Generator[PlayedMatch, None, None]:
    """Plays the matches of `evaluate`, each when it is asked for."""
    matches = [match for _, match in planned]
    workers = 1 if workers is None and cluster is None else workers
    with series(settings.spec, matches, workers=workers, cluster=cluster) as play_next:
        for what, match in planned:
            with part_of(progress, what, match.deals, sum(each.deals for each in matches)) as count:
                played = play_next(count)
            yield played


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
) -> Row:
    """Plays a policy against opponents and, as a check, against itself; the figures, an `Evaluation`.

    Where a policy forfeits, the other matches are played.

    Args:
        player: the policy: a name, a path, a Policy, or one for each seat of its side.
        against: the opponents, ``"all"`` among them for those of the game that play by default
            (`cardenvs.policy.default_names`); None: those of `cardenvs.baselines.evaluation.FIELD`. Of both the policy
            itself is left out.
        deals: how many deals of each match to play on every side (in the published protocol games); with ``precision`` the
            most. None: 1,000 (the published protocol's `cardenvs.baselines.match.PUBLISHED_GAMES`), 200 where a policy is
            slow, and with ``precision`` 100,000 and 2,000.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: end a match when half the width of the 95% interval of its points is at most this; None: play all deals.
        cooperation: count how often partners take tricks from each other, in trick games; None: in duplicate play only.
        control: name of a control variate from `cardenvs.baselines.observers.CONTROLS`, or None.
        self_check: whether the policy plays against itself; in a game of one side, where nobody opposes, it does not.
        progress: called with the share of all deals that was finished since the last call, and the match that is played.
        workers: processes that play; None: this one alone, with ``cluster`` one for each of its cores. Results are the same
            but for the decisions a second, which are lower where processes share cores. With more than one, policies are
            given by names or can be pickled, and a script that calls this needs the usual ``if __name__ == "__main__":``.

    Raises:
        ValueError: unknown game, policy, option, protocol or control, a control that does not fit, ``deals`` or ``workers``
            below 1, a precision that is not above 0, a cluster that cannot be used, or an illegal action of a policy.
        Forfeit: a ValueError, too: every match was forfeited before a deal was finished; tells of the first.
    """
    settings = EvaluationSettings.of(
        evaluate, game, seed, options, protocol=protocol, precision=precision, control=control,
        cooperation=protocol == "duplicate" if cooperation is None else cooperation,
    )  # fmt: skip
    spec = settings.spec
    check_cooperation(spec, cooperation)
    own = as_side(spec, player)
    name = player if isinstance(player, str) else own.name
    self_check = self_check and not spec.one_sided
    deals = None if deals is None else check_int("deals", deals, 1)
    planned, met = _planned_matches(settings, player, own, opponents_of(spec, name, against), deals, self_check)
    results, forfeits, errors, check, standard = [], [], [], None, None
    with closing(_play_in_turn(settings, planned, workers, cluster, progress)) as matches:
        for other, number in met:
            played, *teams = itertools.islice(matches, number)
            if played.results is not None:
                results.append(_evaluated(settings, (own, other), played, teams))
            forfeits += forfeited_matches(other.name, [*teams, played])
            errors += [] if played.forfeit is None else [played.forfeit]
        if errors and not results:
            raise errors[0]
        if self_check:
            played = next(matches)
            forfeits += forfeited_matches(name, [played])
            if played.results is not None or not results:
                check = judged(settings, played)
        if results and settings.bidding:
            standard = next(matches).observer.result((f"standard ({STANDARD})", STANDARD)).sides[0]
    return Evaluation.of(
        settings, game=spec.name, policy=name, results=results, standard_caller=standard, self_check=check,
        forfeits=forfeits,
    )  # fmt: skip
