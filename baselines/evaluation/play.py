"""Evaluation of one policy: against several opponents, to a wanted precision, with checks of the evaluation itself.

When a match is long enough is decided in `cardenvs.baselines.evaluation.stopping`, the check of the policy against itself
is in `cardenvs.baselines.evaluation.self_check`, control variates are in `cardenvs.baselines.observers.control`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from cardenvs import policy
from cardenvs.baselines.evaluation.results import Evaluated, Evaluation, ForfeitedMatch
from cardenvs.baselines.evaluation.self_check import check_against_itself
from cardenvs.baselines.evaluation.stopping import looks, precise_enough
from cardenvs.baselines.match.play import play_match, together
from cardenvs.baselines.match.protocols import PUBLISHED_GAMES, check_protocol, protocol_options
from cardenvs.baselines.match.results import DealResults, Forfeited
from cardenvs.baselines.match.side import Player, Side, as_side
from cardenvs.baselines.observers.bidding import BiddingObserver, CallerFigures
from cardenvs.baselines.observers.control import DoubleDummyControl, check_control
from cardenvs.baselines.observers.cooperation import CooperationObserver
from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.checks import check_list
from cardenvs.policy import Forfeit
from cardenvs.spec import GameSpec, get_game

STANDARD = "coop-high-low"
"""The policy whose bidding, the standard caller's, is shown for comparison; it plays against itself."""

DEALS, SLOW_DEALS = 1000, 200
"""How many deals a match has, and a match in which a policy is slow (`cardenvs.policy.Policy.slow`)."""

MOST_DEALS, MOST_SLOW_DEALS = 100_000, 2000
"""The most deals of a match with a wanted precision, and of such a match in which a policy is slow."""

Counting = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A function that shows progress: takes a description and the most deals (games) there can be; its context yields the
function that is called with the number of deals finished since the last call."""


def evaluate(
    game: str | GameSpec,
    player: Player,
    against: Sequence[Player] | None = None,
    *,
    deals: int | None = None,
    seed: int = 0,
    protocol: str = "duplicate",
    precision: float | None = None,
    cooperation: bool | None = None,
    control: str | None = None,
    self_check: bool = True,
    counting: Counting | None = None,
    **options: Any,
) -> Evaluation:
    """Plays a policy against opponents and, as a check, against itself.

    Args:
        game: name or spec.
        player: the policy: a name, a path, a Policy, or one for each seat of its side.
        against: the opponents; None: every named policy of the game but the policy itself.
        deals: how many deals of each match to play on every side (in the published protocol games); with ``precision`` the
            most.
            None: `DEALS` (the published protocol's `PUBLISHED_GAMES`), `SLOW_DEALS` where a policy is slow, and with
            ``precision`` `MOST_DEALS` and `MOST_SLOW_DEALS`.
        seed: int >= 0.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: end a match when half the width of the 95% interval of its points is at most this; None: play all deals.
        cooperation: count how often partners take tricks from each other, in trick games; None: in duplicate play only.
        control: name of a control variate from `cardenvs.baselines.observers.CONTROLS`, or None.
        self_check: whether the policy plays against itself.
        counting: shows how far each match is; None: no progress is shown.
        options: rule options.

    Returns:
        The results against each opponent, and those of the self-check. Where a policy forfeits, the others are played.

    Raises:
        ValueError: unknown game, policy, option, protocol or control, a control that does not fit, ``deals`` below 1, a
            precision that is not above 0, or an illegal action of a policy.
        Forfeit: a ValueError, too: every match was forfeited before a deal was finished; tells of the first.
    """
    spec = get_game(game).plain
    check_protocol(protocol)
    check_control(control, spec, protocol)
    codes = spec.option_codes(protocol_options(spec, protocol, options))
    side = as_side(spec, player)
    name = player if isinstance(player, str) else side.name
    if against is None:
        others: list[Player] = [other for other in policy.names(spec) if other != name]
    else:
        others = check_list("against", against, "opponents")
    opponents = [as_side(spec, other) for other in others]
    if cooperation and spec.name not in COOPERATION_GAMES:
        why = "which has no partners" if not spec.team else f"it is counted in {' and '.join(COOPERATION_GAMES)}"
        raise ValueError(f"cooperation must be None or False in {spec.name}, {why}")
    counted = protocol == "duplicate" if cooperation is None else cooperation
    open_count = _silent if counting is None else counting
    results: list[Evaluated] = []
    forfeits: list[ForfeitedMatch] = []
    stopped_by: list[Forfeit] = []
    for opponent in opponents:
        most = _most_deals(deals, protocol, precision, side.slow or opponent.slow)
        try:
            with open_count(f"{name} - {opponent.name}", most) as count:
                result = evaluate_against(
                    spec, side, opponent, deals=most, seed=seed, protocol=protocol, precision=precision,
                    cooperation=counted, control=control, progress=count, **options,
                )  # fmt: skip
        except Forfeit as error:
            stopped_by.append(error)
            forfeits.append(ForfeitedMatch(opponent.name, 0, Forfeited.by(error)))
            continue
        results.append(result)
        match = result.match
        if match.forfeit is not None:
            finished = match.deals if protocol == "duplicate" else match.games
            forfeits.append(ForfeitedMatch(opponent.name, finished, match.forfeit))
    if stopped_by and not results:
        raise stopped_by[0]
    check = standard = None
    if self_check:
        most = min(deals or DEALS, SLOW_DEALS if side.slow else DEALS)
        try:
            with open_count(f"{name} - itself", most) as count:
                check = check_against_itself(
                    spec, side, deals=most, seed=seed, protocol=protocol, progress=count, **options
                )
        except Forfeit as error:
            if not results:
                raise
            forfeits.append(ForfeitedMatch(name, 0, Forfeited.by(error)))
        if check is not None and check.forfeit is not None:
            forfeits.append(ForfeitedMatch(name, check.deals, check.forfeit))
    if results and has_bidding(spec, protocol, options):
        most = min(deals or DEALS, DEALS)
        with open_count("the standard caller", most) as count:
            standard = standard_calls(spec, deals=most, seed=seed, progress=count, **options)
    return Evaluation(
        game=spec.name,
        policy=name,
        protocol=protocol,
        options={o.name: o.decode(codes[o.name]) for o in spec.options},
        seed=seed,
        precision=precision,
        results=results,
        standard_caller=standard,
        self_check=check,
        forfeits=forfeits,
    )


def _silent(what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """Shows no progress: a `Counting` for when none is wanted."""
    return nullcontext(lambda done: None)


def _most_deals(given: int | None, protocol: str, precision: float | None, slow: bool) -> int:
    """How many deals (games) a match has at most."""
    if given is not None:
        return given
    if precision is not None:
        return MOST_SLOW_DEALS if slow else MOST_DEALS
    if slow:
        return SLOW_DEALS
    return DEALS if protocol == "duplicate" else PUBLISHED_GAMES


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
        opponent: the second side.
        deals: how many deals (in the published protocol games) to play; with ``precision`` the most.
        seed: int >= 0.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: stop when half the width of the 95% interval of the points is at most this; None: play all deals.
        cooperation: whether to count the metrics of cooperation, in trick games.
        control: a control variate's name from `cardenvs.baselines.observers.CONTROLS`, or None.
        progress: called with the number of deals (games) finished since the last call.
        options: rule options.

    Raises:
        ValueError: unknown game, option, protocol or control, a control that does not fit, ``deals`` below 1, a precision
            that is not above 0, or an illegal action of a policy.
    """
    spec = get_game(game).plain
    check_protocol(protocol)
    if precision is not None and not 0 < precision < math.inf:
        raise ValueError(f"precision must be a number of points above 0, not {precision!r}")
    check_control(control, spec, protocol)
    bids = BiddingObserver() if has_bidding(spec, protocol, options) else None
    partners = CooperationObserver(spec) if cooperation and spec.name in COOPERATION_GAMES else None
    deal_values = DoubleDummyControl() if control is not None else None
    played: DealResults | None = None

    def enough(results: DealResults) -> bool:
        """Whether the precision is reached; keeps the results, after the last call those of the whole match."""
        nonlocal played
        played = results
        if precision is None:
            return False
        margins = results.points_margins
        return precise_enough(margins if deal_values is None else deal_values.adjusted(margins)[0], precision)

    match = play_match(
        spec, player, opponent, deals=deals, seed=seed, protocol=protocol, progress=progress,
        observer=together(bids, partners, deal_values), looks=looks(deals) if precision is not None else (), until=enough,
        **options,
    )  # fmt: skip
    assert played is not None
    return Evaluated(
        match=match,
        precise=None if precision is None else enough(played),
        bidding=None if bids is None else bids.result((match.sides[0], match.sides[1])),
        cooperation=None if partners is None else partners.result(),
        controlled=None if deal_values is None else deal_values.result(played.wins, played.points_margins),
    )


def has_bidding(game: GameSpec, protocol: str, options: dict[str, Any]) -> bool:
    """Whether there is bidding to be counted: in duplicate play of Euchre with full bidding."""
    return game.name == "euchre" and protocol == "duplicate" and options.get("bidding", "full") == "full"


def standard_calls(
    game: str | GameSpec, *, deals: int, seed: int = 0, progress: Callable[[int], None] | None = None, **options: Any
) -> CallerFigures:
    """The bidding statistics of the standard caller, for comparison: `STANDARD` plays the same deals against itself.

    Args:
        game: name or spec of Euchre.
        deals: how many deals, each played twice.
        seed: int >= 0.
        progress: called with the number of deals finished since the last call.
        options: rule options.
    """
    observer = BiddingObserver()
    play_match(game, STANDARD, STANDARD, deals=deals, seed=seed, observer=observer, progress=progress, **options)
    return observer.result((f"standard ({STANDARD})", STANDARD)).sides[0]
