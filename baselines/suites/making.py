"""Making a suite: its partners are frozen, and the bound of each is measured.

A bound is the best of what was tried with a partner: the policies of a pool, the partner itself among them, and
*responses*, names of policies that depend on the partner: in ``search:blueprint={partner},seat={seat}`` the partner's name
is put in, and the number of the response's seat within its side. One that cannot be made for a partner is left out there;
one that answers a single partner, as a policy does that was trained with it, is tried with that one alone.
The best is that with the highest lower end of its interval, so that luck in a few deals makes no bound. A bound is a lower
one: whoever plays better with the partner scores above 1.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from cardenvs import policy
from cardenvs.baselines.crossplay.results import PlayedPartnerships
from cardenvs.baselines.crossplay.settings import CrossSettings, checked_settings, held_out
from cardenvs.baselines.match.side import largest_side
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.suites.suite import Found, Member, Suite, check_named, check_once, checksum_of, move_path
from cardenvs.checks import check_int, check_mapping, check_names, check_seed, short
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.policy.registry import default_names, split_names

PARTNER, SEAT = "{partner}", "{seat}"
"""Places in a response for the name of the partner and for the number of the response's seat."""
FLOOR = "random"
"""The policy whose score with a partner counts as 0, where points have no least value."""
_APART = 1 << 32
"""Offset of the seed of the bounds' deals from that of the suite: a bound is no luck of the suite's own deals."""


@dataclass(frozen=True, kw_only=True)
class ResponseSettings(CrossSettings):
    """The settings of the measurement of bounds, with responses among the policies."""

    fitting: dict[str, list[str]] = field(metadata={"differs": "other responses"})  # by partner, who can play with it

    kind: ClassVar[str] = "bounds"

    @property
    def partnerships(self) -> list[tuple[str, str]]:
        """Each policy with each partner that it fits, in both orders of the seats, every partnership once."""
        fitting = self.fitting
        return [(a, b) for a, b in super().partnerships if a in fitting.get(b, ()) or b in fitting.get(a, ())]

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: the partnerships, with the partner's name in each response, then the opponents."""
        last = largest_side(self.spec) - 1
        teams = [[response(a, b, 0), *[response(b, a, last)] * last] for a, b in self.partnerships]
        return [*teams, *map(split_names, self.opponents)]


def response(name: str, partner: str, seat: int) -> str:
    """A policy's name with the partner's name and the seat's number in their places."""
    return name.replace(PARTNER, partner).replace(SEAT, str(seat))


def _fitting(spec: GameSpec, names: Sequence[str], partners: Sequence[str]) -> dict[str, list[str]]:
    """The policies that can be made to play with each partner, by the partner's name; ValueError if one fits none."""
    fitting: dict[str, list[str]] = {partner: [] for partner in partners}
    for name in names:
        errors = []
        for partner, those in fitting.items():
            try:
                if PARTNER in name:
                    policy.make(spec.plain, response(name, partner, 0))
                those.append(name)
            except ValueError as error:
                errors.append(error)
        if errors and len(errors) == len(fitting):
            raise errors[-1]
    return fitting


class Making(NamedTuple):
    """The settings by which a suite is made, checked."""

    number: int  # the suite's number
    deals: int  # its deals
    seed: int  # their seed
    bounds: dict[str, ResponseSettings]  # play that measures bounds, by names of folders: the pool's, each response's


def suite_making(
    game: str | GameSpec,
    number: int = 1,
    *,
    partners: Sequence[str] = (),
    responses: Sequence[str] = (),
    responses_for: Mapping[str, Sequence[str]] | None = None,
    opponents: Sequence[str] | None = None,
    deals: int = 1000,
    pool_deals: int = 1000,
    response_deals: int = 100,
    seed: int = 0,
    **options: Any,
) -> Making:
    """Checks and completes the settings by which a suite is made.

    Args:
        partners: the partners, policies by name or trained ones; none: those of the ad-hoc benchmark (`held_out`).
        responses: what is tried beside the pool, which is all fast policies that need no more than their names, and the
            partners; see `response`.
        responses_for: by the partner's name, responses that are tried with that partner alone.
        opponents: the sides that all partnerships play against; None: those of the ad-hoc benchmark.
        deals: the suite's deals.
        pool_deals: deals with each policy of the pool, at least 2.
        response_deals: deals with each response, at least 2.

    Raises:
        ValueError: as of `adhoc_settings`; a partner that says what is run; a response for one that is no partner.
        OSError: a policy's file that cannot be read.
    """
    spec, options = form_of(game, options, suite_making)
    frozen = check_names("partners", partners) or list(held_out(spec))
    if not frozen and spec.team:
        raise ValueError(f"partners must name at least one policy: {spec.name} has no fixed set of partners")
    for name in frozen:
        check_named(name)
    check_once("partners", spec, frozen)
    check_int("number", number, 1)
    check_int("deals", deals, 2)
    check_seed(seed)
    pool = [name for name in default_names(spec) if not policy.make(spec, name).slow] if spec.team else []

    def plan(policies: Sequence[str], those: Sequence[str], played: int, what: str) -> ResponseSettings:
        """The settings of play with some policies or responses, which are tried with ``those`` partners."""
        return checked_settings(
            ResponseSettings, spec, policies, frozen, opponents, check_int(what, played, 2), seed + _APART, False, options,
            fitting={name: [] for name in frozen} | _fitting(spec, policies, those),
        )  # fmt: skip

    tried = [(name, frozen) for name in check_names("responses", responses)]
    for partner, names in check_mapping("responses_for", {} if responses_for is None else responses_for).items():
        if partner not in frozen:
            raise ValueError(f"a response must be for one of the partners {', '.join(frozen)}, not for {short(partner)}")
        tried += [(name, [partner]) for name in check_names("responses_for", names)]
    bounds = {"pool": plan(list(dict.fromkeys([*pool, *frozen])), frozen, pool_deals, "pool_deals")}
    for name, those in tried:
        bounds[f"response-{len(bounds)}"] = plan([name], those, response_deals, "response_deals")
    return Making(number, deals, seed, bounds)


def make_suite(making: Making, play: Callable[[ResponseSettings, str], PairingStore | None], folder: Path) -> Suite | None:
    """Makes a suite; None if ``play`` was interrupted.

    Args:
        making: the settings, of `suite_making`.
        play: plays settings in a folder of a name; returns that with all deals finished, None if it was interrupted.
        folder: the folder of the suite's file, where the paths of trained partners begin.

    Raises:
        ValueError: a policy has forfeited; what was found with a partner is not above what counts as 0.
        OSError, RuntimeError: as of ``play``.
    """
    pool = making.bounds["pool"]
    found: dict[str, list[Row]] = {name: [] for name in pool.partners}
    frozen = {name: move_path(name, lambda path: Path(os.path.relpath(path, folder)).as_posix()) for name in pool.partners}
    for name, settings in making.bounds.items():
        store = play(settings, name)
        if store is None:
            return None
        for forfeit in store.forfeits.values():
            raise ValueError(f"the policy {forfeit.policy} has forfeited: {forfeit.why}")
        played = PlayedPartnerships(store)
        for partner, those in found.items():
            those += [
                Found(frozen.get(a, a), settings.deals, played.cell(a, partner).points_margin)
                for a in settings.fitting[partner]
            ]
    made = Suite(
        suite=making.number,
        spec=pool.spec,
        description=pool.description,
        options=pool.options,
        opponents=pool.opponents,
        seed=making.seed,
        deals=making.deals,
        bound_seed=pool.seed,
        partners=[_freeze_member(pool, partner, frozen[partner], those) for partner, those in found.items()],
    )
    return Suite.of(pool.spec, made.as_dict(), folder)  # as it will be read, and checked as that is


def _freeze_member(settings: ResponseSettings, partner: str, name: str, found: Sequence[Row]) -> Row:
    """A partner by its name in the suite, with its checksum and its bound; ValueError if nothing found is above 0."""
    spec = settings.spec
    best, *tried = sorted(found, key=lambda one: -one.sure)
    floor = None if settings.most.least == 0 else next(one for one in found if one.policy == FLOOR)
    frozen = checksum_of(spec, policy.make(spec.plain, partner), settings.options)
    member = Member(policy=name, checksum=frozen, bound=best, floor=floor, tried=tried)
    if best.sure <= member.least:
        found_best = f"the best that was found with it, {best.points_margin} points a deal by {best.policy}"
        raise ValueError(
            f"{partner} is no partner for a suite: {found_best}, is not above what counts as 0, {member.least:+z.3f}"
        )
    return member
