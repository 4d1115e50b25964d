"""Evaluation of one policy: against several opponents, to a wanted precision, with checks of the evaluation itself.

When a match is long enough is decided in `cardenvs.baselines.evaluation.stopping`, the check of the policy against itself
is in `cardenvs.baselines.evaluation.self_check`, control variates are in `cardenvs.baselines.observers.control`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.evaluation.results import Evaluated, Evaluation, forfeited_matches
from cardenvs.baselines.evaluation.self_check import judged, self_check_match
from cardenvs.baselines.evaluation.settings import DEALS, SLOW_DEALS, EvaluationSettings, check_cooperation, opponents_of
from cardenvs.baselines.evaluation.stopping import looks, precise_enough
from cardenvs.baselines.match.play import match_result
from cardenvs.baselines.match.results import DealResults, Margins, forfeited_by
from cardenvs.baselines.match.side import Player, Side, as_side
from cardenvs.baselines.observers.bidding import BiddingObserver
from cardenvs.baselines.observers.control import DoubleDummyControl
from cardenvs.baselines.observers.cooperation import CooperationObserver
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.baselines.runs.series import Match, PlayedMatch, series
from cardenvs.checks import check_int
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.registry import split_names
from cardenvs.randomness import given_seed

STANDARD = "coop-high-low"
"""The policy whose bidding, the standard caller's, is shown for comparison; it plays against itself."""


class Watching:
    """Observer of a match for an evaluation: of the bidding, the cooperation and the control variate, each where wanted."""

    def __init__(self, game: str = "", bidding: bool = False, cooperation: bool = False, control: bool = False) -> None:
        self.bids = BiddingObserver() if bidding else None
        self.partners = CooperationObserver(game) if cooperation else None
        self.luck = DoubleDummyControl() if control else None

    def __call__(self, games: Games, owner: Ints) -> None:
        """Takes in finished deals, as `cardenvs.baselines.match.Observer` says."""
        for observer in vars(self).values():
            if observer is not None:
                observer(games, owner)

    def add(self, other: Self) -> None:
        """Adds the counts of another observer, made alike, over later deals."""
        for name, observer in vars(self).items():
            if observer is not None:
                observer.add(getattr(other, name))

    def margins(self, results: DealResults) -> npt.NDArray[np.float64]:
        """The first side's points above the second's by deal, with the control taken out where there is one."""
        margins = results.points_margins
        return margins if self.luck is None else self.luck.adjusted(margins)[0]


_Named = Sequence[tuple[str, Match]]  # matches, each behind its name for people


class _Player(NamedTuple):
    """A side of the matches, and what workers make it of: names are made anew where they are."""

    name: str
    side: Side
    sent: Player

    @classmethod
    def of(cls, spec: GameSpec, who: Player, alone: bool) -> Self:
        """A side; where this process is ``alone``, it plays itself."""
        side = as_side(spec, who)
        return cls(side.name, side, side if alone or not isinstance(who, str) else who)


def _match(settings: EvaluationSettings, player: Player, opponent: Player, deals: int) -> Match:
    """The match of a policy against an opponent over so many deals (games) at most, observed by a `Watching`."""
    return Match(
        player, opponent, deals, settings.seed, settings.protocol, settings.options,
        observing=functools.partial(Watching, settings.spec.name, *settings.seen) if any(settings.seen) else None,
        looks=() if settings.precision is None else looks(deals),
        until=functools.partial(_precise, settings),
    )  # fmt: skip


def _precise(settings: EvaluationSettings, results: DealResults, watching: Watching | None) -> bool:
    """Whether the results of a match are as precise as was asked for."""
    assert settings.precision is not None
    return precise_enough((watching or Watching()).margins(results), settings.precision, settings.most)


def _against(settings: EvaluationSettings, own: _Player, other: _Player, deals: int | None) -> list[tuple[str, Match]]:
    """The matches that concern an opponent, each behind its name for people."""
    spec, slow = settings.spec, own.side.slow or other.side.slow
    most = settings.deals(deals, slow)
    matches = [(f"{own.name} - {other.name}", _match(settings, own.sent, other.sent, most))]
    if not spec.one_sided or not spec.team:
        return matches
    both = [_seated(spec, who.sent) for who in (own, other)]
    fewer = min(most, SLOW_DEALS if slow else DEALS)
    for first, rest in (both, both[::-1]):
        team = Match([first[0], *rest[1:]], None, fewer, settings.seed, settings.protocol, settings.options)
        matches.append((f"{own.name} with {other.name}", team))
    return matches


def _seated(spec: GameSpec, who: Player) -> list[str | Policy]:
    """The policies of a team, one for each seat, or their names."""
    if not isinstance(who, str):
        return list(as_side(spec, who).policies)
    parts = split_names(who)
    return list(parts if len(parts) == spec.seats else parts * spec.seats)


def _evaluated(
    settings: EvaluationSettings, sides: tuple[Side, Side], played: PlayedMatch, mixed: Sequence[PlayedMatch] = ()
) -> Row:
    """The figures of a match that was played, and of teams of both policies."""
    results, watching = played.finished(), played.observer or Watching()
    teams = [one.results.points_margins for one in mixed if one.results is not None and one.forfeit is None]
    bounds = Margins.of_game(settings.spec, settings.rules)
    return Evaluated(
        match=match_result(
            settings.spec, sides, results, protocol=settings.protocol, options=settings.options, seed=settings.seed,
            seconds=played.seconds, forfeit=forfeited_by(played.forfeit),
        ),
        precise=None if settings.precision is None else _precise(settings, results, watching),
        bidding=None if watching.bids is None else watching.bids.result((sides[0].name, sides[1].name)),
        cooperation=None if watching.partners is None else watching.partners.result(),
        controlled=(
            None if watching.luck is None else watching.luck.result(results.wins, results.points_margins, settings.most)
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


def _standard_match(deals: int, seed: int, options: Mapping[str, Any]) -> Match:
    """The match of `STANDARD` against itself over some deals, which shows the bidding of the standard caller."""
    return Match(STANDARD, STANDARD, deals, seed, options=options, observing=BiddingObserver)


def _standard_figures(played: PlayedMatch) -> Row:
    """The bidding statistics of the standard caller, of a `_standard_match` that was played."""
    figures: Row = played.observer.result((f"standard ({STANDARD})", STANDARD)).sides[0]
    return figures


def standard_calls(
    game: str | GameSpec, *, deals: int, seed: int | str = 0, progress: Callable[[int], None] | None = None, **options: Any
) -> Row:
    """The bidding statistics of the standard caller, for comparison: `STANDARD` plays ``deals`` deals of Euchre twice."""
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
    workers = 1 if workers is None and cluster is None else workers
    alone = workers == 1 and cluster is None
    own = _Player.of(spec, player, alone)
    if isinstance(player, str):
        own = own._replace(name=player)
    opponents = [_Player.of(spec, other, alone) for other in opponents_of(spec, own.name, against)]
    deals = None if deals is None else check_int("deals", deals, 1)
    met = [(other.side, _against(settings, own, other, deals)) for other in opponents]
    planned = [match for _, matches in met for match in matches]
    self_check = self_check and not spec.one_sided
    if self_check:
        most = min(deals or DEALS, SLOW_DEALS if own.side.slow else DEALS)
        planned.append((f"{own.name} - itself", self_check_match(settings, own.sent, most)))
    if settings.bidding:
        most = min(deals or DEALS, DEALS)
        planned.append(("the standard caller", _standard_match(most, settings.seed, settings.options)))
    with contextlib.closing(_play_in_order(spec, planned, progress, workers=workers, cluster=cluster)) as plays:
        results, forfeits = _meet(settings, own.side, met, plays)
        check = standard = None
        if self_check:
            played = next(plays)
            forfeits += forfeited_matches(own.name, [played])
            if played.results is not None or not results:
                check = judged(settings, played)
        if results and settings.bidding:
            standard = _standard_figures(next(plays))
    return Evaluation.of(
        settings, game=spec.name, policy=own.name, options=settings.rules, results=results, standard_caller=standard,
        self_check=check, forfeits=forfeits,
    )  # fmt: skip


def _play_in_order(
    spec: GameSpec, planned: _Named, progress: Count | None, **engine: Any
) -> Generator[PlayedMatch, None, None]:
    """Plays matches, each behind its name for people, one after the other, as they are asked for."""
    total = sum(match.deals for _, match in planned)
    with series(spec, [match for _, match in planned], **engine) as play_next:
        for what, match in planned:
            with part_of(progress, what, match.deals, total) as count:
                played = play_next(count)
            yield played


def _meet(
    settings: EvaluationSettings, own: Side, met: Iterable[tuple[Side, _Named]], plays: Iterator[PlayedMatch]
) -> tuple[list[Row], list[Row]]:
    """The results of the matches against the opponents, and those that were forfeited; Forfeit if there are no results."""
    results: list[Row] = []
    forfeits: list[Row] = []
    errors = []
    for other, matches in met:
        played, *mixed = itertools.islice(plays, len(matches))
        if played.results is not None:
            results.append(_evaluated(settings, (own, other), played, mixed))
        forfeits += forfeited_matches(other.name, [*mixed, played])
        errors += [] if played.forfeit is None else [played.forfeit]
    if errors and not results:
        raise errors[0]
    return results, forfeits
