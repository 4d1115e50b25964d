"""Evaluation of one policy: against several opponents, to a wanted precision, with checks of the evaluation itself.

When a match is long enough is decided in `cardenvs.baselines.evaluation.stopping`, the check of the policy against itself
is in `cardenvs.baselines.evaluation.self_check`, control variates are in `cardenvs.baselines.observers.control`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from cardenvs import policy
from cardenvs.baselines.evaluation.matches import (
    check_precision,
    evaluated,
    has_bidding,
    planned_match,
    standard_figures,
    standard_match,
)
from cardenvs.baselines.evaluation.results import Evaluated, Evaluation, ForfeitedMatch
from cardenvs.baselines.evaluation.self_check import judged, self_check_match
from cardenvs.baselines.match.protocols import PUBLISHED_GAMES, check_protocol, protocol_options
from cardenvs.baselines.match.results import Forfeited
from cardenvs.baselines.match.side import Player, Side, as_side
from cardenvs.baselines.observers.control import check_control
from cardenvs.baselines.observers.taking import GAMES as COOPERATION_GAMES
from cardenvs.baselines.runs.series import Match, PlayedMatch, series
from cardenvs.checks import check_int, check_list
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Forfeit
from cardenvs.randomness import given_seed

DEALS, SLOW_DEALS = 1000, 200
"""Number of deals of a match, and of a match in which a policy is slow (`cardenvs.policy.Policy.slow`)."""

MOST_DEALS, MOST_SLOW_DEALS = 100_000, 2000
"""The most deals of a match with a wanted precision, and of such a match in which a policy is slow."""

_TRICK_FIELD = ("random", "coop-high-low", "hybrid", "poe", "monte-carlo", "pimc", "learned")
FIELD: Mapping[str, Sequence[str]] = {
    "euchre": _TRICK_FIELD,
    "whist": _TRICK_FIELD,
    "five-o": ("random", "reflex2", "greedy1", "expectiminimax", "monte-carlo", "rollout", "learned"),
}
"""The opponents where none are named, by game: one of each kind, from chance to the best; in other games all named ones."""

ALL = "all"
"""Among the names of opponents, the name of all that play by default (`cardenvs.policy.default_names`)."""

Counting = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A function that shows progress: takes a description and the most deals (games) there can be; its context yields the
function that is called with the number of deals finished since the last call."""


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
    counting: Counting | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    **options: Any,
) -> Evaluation:
    """Plays a policy against opponents and, as a check, against itself.

    Args:
        player: the policy: a name, a path, a Policy, or one for each seat of its side.
        against: the opponents, ``"all"`` among them for those of the game that play by default
            (`cardenvs.policy.default_names`); None: those of `FIELD`. Of both the policy itself is left out.
        deals: how many deals of each match to play on every side (in the published protocol games); with ``precision`` the
            most.
            None: `DEALS` (the published protocol's `PUBLISHED_GAMES`), `SLOW_DEALS` where a policy is slow, and with
            ``precision`` `MOST_DEALS` and `MOST_SLOW_DEALS`.
        seed: an int of at least 0, or ``"random"``.
        protocol: ``"duplicate"`` or ``"published"``.
        precision: end a match when half the width of the 95% interval of its points is at most this; None: play all deals.
        cooperation: count how often partners take tricks from each other, in trick games; None: in duplicate play only.
        control: name of a control variate from `cardenvs.baselines.observers.CONTROLS`, or None.
        self_check: whether the policy plays against itself.
        counting: shows how far each match is; None: no progress is shown.
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
    spec = get_game(game).plain
    check_protocol(protocol)
    check_control(control, spec, protocol)
    codes = spec.option_codes(protocol_options(spec, protocol, options))
    side = as_side(spec, player)
    name = player if isinstance(player, str) else side.name
    opponents_given = None if against is None else check_list("against", against, "opponents")
    others = _opponents(spec, name, opponents_given)
    opponents = [as_side(spec, other) for other in others]
    if cooperation and spec.name not in COOPERATION_GAMES:
        why = "which has no partners" if not spec.team else f"it is counted in {' and '.join(COOPERATION_GAMES)}"
        raise ValueError(f"cooperation must be None or False in {spec.name}, {why}")
    counted = protocol == "duplicate" if cooperation is None else cooperation
    check_precision(precision)
    seed = given_seed(seed)
    deals = None if deals is None else check_int("deals", deals, 1)
    workers = 1 if workers is None and cluster is None else workers
    alone = workers == 1 and cluster is None
    # Names are made anew where the workers are; objects, and all of this process, are used as they are.
    itself = player if isinstance(player, str) and not alone else side
    named = [other if isinstance(other, str) and not alone else made for other, made in zip(others, opponents, strict=True)]
    open_count = _silent if counting is None else counting
    planned: list[tuple[str, Match]] = []
    for opponent, sent in zip(opponents, named, strict=True):
        match = planned_match(
            spec, itself, sent, deals=_most_deals(deals, protocol, precision, side.slow or opponent.slow), seed=seed,
            protocol=protocol, precision=precision, cooperation=counted, control=control, options=options,
        )  # fmt: skip
        planned.append((f"{name} - {opponent.name}", match))
    if self_check:
        most = min(deals or DEALS, SLOW_DEALS if side.slow else DEALS)
        match = self_check_match(spec, itself, deals=most, seed=seed, protocol=protocol, options=options)
        planned.append((f"{name} - itself", match))
    if has_bidding(spec, protocol, options):
        match = standard_match(deals=min(deals or DEALS, DEALS), seed=seed, options=options)
        planned.append(("the standard caller", match))
    check = standard = None
    with series(spec, [match for _, match in planned], workers=workers, cluster=cluster) as play_next:

        def play_shown(number: int) -> PlayedMatch:
            """Plays the next match, which has this number, and shows its progress."""
            what, match = planned[number]
            with open_count(what, match.deals) as count:
                return play_next(count)

        against_others = ((opponent, planned[number][1], play_shown(number)) for number, opponent in enumerate(opponents))
        results, forfeits = _results(spec, side, against_others, precision)
        if self_check:
            played = play_shown(len(opponents))
            if played.results is None and results:
                assert played.forfeit is not None
                forfeits.append(ForfeitedMatch(name, 0, Forfeited.by(played.forfeit)))
            else:
                check = judged(spec, match, played)
                if check.forfeit is not None:
                    forfeits.append(ForfeitedMatch(name, check.deals, check.forfeit))
        if results and has_bidding(spec, protocol, options):
            standard = standard_figures(play_shown(len(planned) - 1))
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


def _opponents(spec: GameSpec, name: str, against: Sequence[Player] | None) -> list[Player]:
    """The opponents of the policy ``name``: those given, with `ALL` among them spelt out, or those of `FIELD`."""
    everybody = [other for other in policy.default_names(spec) if other != name]
    if against is None:
        field = FIELD.get(spec.name, everybody)
        return [other for other in field if other != name]
    if ALL not in [other for other in against if isinstance(other, str)]:
        return list(against)
    beside = [other for other in against if not (isinstance(other, str) and (other == ALL or other in everybody))]
    return [*everybody, *beside]


def _results(
    spec: GameSpec, side: Side, matches: Iterable[tuple[Side, Match, PlayedMatch]], precision: float | None
) -> tuple[list[Evaluated], list[ForfeitedMatch]]:
    """Results of the matches of a side against opponents, and the matches that were forfeited.

    Raises:
        Forfeit: all were forfeited before a deal was finished; the first of them.
    """
    results: list[Evaluated] = []
    forfeits: list[ForfeitedMatch] = []
    first: Forfeit | None = None
    for opponent, match, played in matches:
        finished = 0
        if played.results is not None:
            results.append(evaluated(spec, (side, opponent), match, played, precision))
            finished = results[-1].match.deals if match.protocol == "duplicate" else results[-1].match.games
        if played.forfeit is not None:
            first = first or played.forfeit
            forfeits.append(ForfeitedMatch(opponent.name, finished, Forfeited.by(played.forfeit)))
    if first is not None and not results:
        raise first
    return results, forfeits


def _silent(what: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
    """Shows no progress: a `Counting` for when none is wanted."""
    return nullcontext(lambda done: None)


def _most_deals(given: int | None, protocol: str, precision: float | None, slow: bool) -> int:
    """Maximum number of deals (games) of a match."""
    if given is not None:
        return given
    if precision is not None:
        return MOST_SLOW_DEALS if slow else MOST_DEALS
    if slow:
        return SLOW_DEALS
    return DEALS if protocol == "duplicate" else PUBLISHED_GAMES
