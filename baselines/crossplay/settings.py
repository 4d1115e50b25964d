"""The settings of cross-play and of the ad-hoc benchmark: all that results depend on, checked before anything is played."""

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.match.play import play_deals
from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.match.side import Side, largest_side
from cardenvs.baselines.observers.cooperation import CooperationObserver, CooperationSums, double_dummy_cost
from cardenvs.baselines.observers.taking import GAMES
from cardenvs.baselines.runs.pairings import PairingPlan, check_size, files_of
from cardenvs.baselines.runs.plan import all_options
from cardenvs.checks import check_names
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.plugins import Registry
from cardenvs.policy.registry import has, path_of, split_names
from cardenvs.randomness import given_seed

OPPONENTS = ("hybrid",)
"""The opponents of all partnerships by default: a strong and fast hand-coded agent that plays Euchre and Whist."""

PARTNERS: Registry[Sequence[str]] = Registry("cardenvs.partners")
"""The partners of the ad-hoc benchmark, the names of fast policies that need no file, by the family of the game."""


def held_out(game: str | GameSpec) -> tuple[str, ...]:
    """The fixed partners of the ad-hoc benchmark that play a game, or a form of it; empty where there is no fixed set.

    The set is held out only if a policy was neither trained beside these agents nor taught by them: that is for its
    trainer to see to.
    """
    spec = get_game(game)
    return tuple(name for name in PARTNERS.find(spec.family) or () if has(spec, name))


@dataclass(frozen=True)
class CountedResults(DealResults):
    """Results of deals, and the metrics of cooperation summed over these deals; all 0 in games in which none are known."""

    counts: npt.NDArray[np.int64]  # (2, metrics, 2), by side and metric, times done and times possible
    judged: npt.NDArray[np.int64]  # (2, metrics), by side and metric, times done whose cost is known
    lost: npt.NDArray[np.float64]  # (2, metrics, 2), by side and metric, tricks and points that the judged decisions cost


@dataclass(frozen=True, kw_only=True)
class CrossSettings(PairingPlan):
    """The settings of cross-play: who plays with whom against whom."""

    policies: list[str]  # names or paths of the policies to be measured, none of them a mixed side
    partners: list[str]  # names or paths of the policies that these get as partners: in cross-play the same
    opponents: list[str]  # the sides that all partnerships play against; empty in a game of one side
    costs: bool = False  # whether the costs of the counted decisions are computed

    kind: ClassVar[str] = "cross-play"
    rows: ClassVar[type[DealResults]] = CountedResults

    @property
    def partnerships(self) -> list[tuple[str, str]]:
        """Each policy with each partner in both orders of the seats, every partnership once."""
        both = (pair for a in self.policies for b in self.partners for pair in ((a, b), (b, a)))
        return list(dict.fromkeys(both))

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: the partnerships, the policy at the first seat and its partner at all others, then
        the opponents."""
        others = largest_side(self.spec) - 1
        return [*([a, *[b] * others] for a, b in self.partnerships), *map(split_names, self.opponents)]

    @property
    def pairs(self) -> list[tuple[int, ...]]:
        """The pairings, each as the indices of its sides in `sides`: every partnership against every opponent if any."""
        n = len(self.partnerships)
        if self.spec.one_sided:
            return [(team,) for team in range(n)]
        return list(itertools.product(range(n), range(n, n + len(self.opponents))))

    def without(self, names: Collection[str]) -> Self:
        """The settings without some policies, as such and as partners, and without the opponents that they are part of."""
        return replace(
            self,
            policies=[name for name in self.policies if name not in names],
            partners=[name for name in self.partners if name not in names],
            opponents=[side for side in self.opponents if not set(split_names(side)) & set(names)],
        )

    def differences(self, stored: Mapping[str, Any]) -> list[str]:
        if self.partners == self.policies and stored["partners"] == stored["policies"]:
            stored = {**stored, "partners": self.partners}  # they are one list, named once
        return super().differences(stored)

    def play(self, first: Side, second: Side | None, deals: range) -> DealResults:
        """Plays some deals of a partnership against an opponent, and counts how often partners take from each other."""
        observer, sums = None, CooperationSums()
        if self.spec.name in GAMES:
            observer = CooperationObserver(self.spec, double_dummy_cost() if self.costs else None, sums)
        played = play_deals(self.spec, first, second, deals, seed=self.seed, observer=observer, **self.options)
        return CountedResults(**vars(played), counts=sums.counts, judged=sums.judged, lost=sums.lost)


@dataclass(frozen=True, kw_only=True)
class AdHocSettings(CrossSettings):
    """The settings of the ad-hoc benchmark."""

    kind: ClassVar[str] = "benchmark"


SettingsKind = TypeVar("SettingsKind", bound=CrossSettings)


def no_partners(game: GameSpec, kind: type[CrossSettings]) -> str:
    """The message that a game has no partners to be measured by settings of a class."""
    return f"{game.name} has no partners: {kind.kind} is for games of sides, such as {', '.join(PARTNERS.names())}"


def checked_settings(
    kind: type[SettingsKind],
    spec: GameSpec,
    policies: Sequence[str],
    partners: Sequence[str],
    opponents: Sequence[str] | None,
    deals: int,
    seed: int | str,
    costs: bool,
    options: dict[str, Any],
    **own: Any,
) -> SettingsKind:
    """Settings of a class, checked and completed; ``own`` are fields that it alone has; see `crossplay_settings`.

    Raises:
        ValueError, OSError: as of `crossplay_settings`.
    """
    if not spec.team:
        raise ValueError(no_partners(spec, kind))
    if costs and spec.name not in GAMES:
        raise ValueError(f"costs are computed for {' and '.join(GAMES)}, not for {spec.name}")
    values = all_options(spec, options)
    if spec.one_sided and opponents:
        raise ValueError(f"opponents must be left out: {spec.name} has one side, and nobody to play against")
    if opponents is None or spec.one_sided:
        known = all(has(spec, name) for name in OPPONENTS)
        opponents = () if spec.one_sided else OPPONENTS if known else ("random",)
    for what, names in (("policies", policies), ("partners", partners), ("opponents", opponents)):
        if not check_names(what, names) and (what != "opponents" or not spec.one_sided):
            raise ValueError(f"{what} must name at least one policy")
        for name in names:
            if list(names).count(name) > 1:
                raise ValueError(f"{what} must differ, and {name!r} is given twice")
            if what != "opponents" and len(split_names(name)) > 1:
                raise ValueError(f"{what} are single policies, not mixed sides such as {name!r}")
    seed = given_seed(seed)
    check_size(deals, seed)
    made = kind(
        spec=spec, options=values, seed=seed, deals=deals, description=spec.digest,
        policies=list(policies), partners=list(partners), opponents=list(opponents), costs=costs, **own,
    )  # fmt: skip
    return replace(made, files=files_of(spec, [*dict.fromkeys(itertools.chain(*made.sides)), *opponents]))


def crossplay_settings(
    game: str | GameSpec,
    policies: Sequence[str],
    *,
    opponents: Sequence[str] | None = None,
    deals: int = 1000,
    seed: int | str = 0,
    costs: bool = False,
    **options: Any,
) -> CrossSettings:
    """Checks and completes the settings of cross-play.

    Args:
        policies: names with parameters, or paths of trained policies; at least two.
        opponents: sides (a policy, or ``"high+low"``) that every partnership plays against; results are means over them.
            None: `OPPONENTS`, or ``random`` in a game that these do not play; none in a game of one side.
        deals: deals of each partnership against each opponent, each played on every side: with two sides twice.
        costs: also compute what the counted decisions cost with all cards open
            (`cardenvs.baselines.observers.double_dummy_cost`); quick in Euchre, slow in Whist.

    Raises:
        ValueError: a game without partners, unknown game, policy or option, too few policies, a policy given twice,
            a mixed side among the policies, no opponent, ``deals`` below 1.
        OSError: a policy's file that cannot be read.
    """
    policies = check_names("policies", policies)
    spec, options = form_of(game, options, crossplay_settings)
    if spec.team and len(policies) < 2:
        raise ValueError(f"cross-play needs at least two policies, not {len(policies)}: {', '.join(policies) or 'none'}")
    return checked_settings(CrossSettings, spec, policies, policies, opponents, deals, seed, costs, options)


def adhoc_settings(
    game: str | GameSpec,
    policies: Sequence[str],
    *,
    more_partners: Sequence[str] = (),
    opponents: Sequence[str] | None = None,
    deals: int = 1000,
    seed: int | str = 0,
    costs: bool = False,
    **options: Any,
) -> AdHocSettings:
    """Checks and completes the settings of the ad-hoc benchmark.

    Other arguments, and the errors, are those of `crossplay_settings`.

    Args:
        policies: names or paths of the policies to be judged, at least one.
        more_partners: partners beside those of `held_out`; scores with them do not compare with those of the fixed set.
    """
    more = check_names("more_partners", more_partners)
    spec, options = form_of(game, options, adhoc_settings)
    partners = [*held_out(spec), *more]
    if not partners and spec.team:
        raise ValueError(f"more_partners must name at least one policy: {spec.name} has no fixed set of partners")
    return checked_settings(AdHocSettings, spec, policies, partners, opponents, deals, seed, costs, options)


def seed_groups(policies: Sequence[str]) -> dict[str, list[str]]:
    """Groups the files whose paths differ in nothing but the number behind ``seed``: training seeds of one recipe.

    ``runs/a-seed-0/policy.zip`` and ``runs/a-seed-1/policy.zip`` are the group ``runs/a-seed-*/policy.zip``; a file that is
    alone is in no group.
    """
    groups: dict[str, list[str]] = {}
    for name in policies:
        if path_of(name) is not None:
            groups.setdefault(re.sub(r"(?<![a-z])seed([-_=]?)\d+", r"seed\1*", name), []).append(name)
    return {key: members for key, members in groups.items() if len(members) > 1}


def parse_group(text: str, policies: Sequence[str]) -> tuple[str, list[str]]:
    """The name and the policies in a text ``NAME=POLICY,POLICY``, which may name some ``policies``.

    Raises:
        ValueError: a text of another form, a policy that is not among ``policies``, or a policy given twice.
    """
    name, equals, listed = text.partition("=")
    if not equals or not name or not listed:
        raise ValueError(f"the group {text!r} is not NAME=POLICY,POLICY")
    members, so_far = [], ""
    for word in listed.split(","):
        # A policy's parameters may have commas in them, too.
        so_far = f"{so_far},{word}" if so_far else word
        if so_far in policies:
            members.append(so_far)
            so_far = ""
    if so_far:
        raise ValueError(f"the group {name!r} has {so_far!r}, which is not among the policies {', '.join(policies)}")
    if len(set(members)) < len(members):
        raise ValueError(f"the group {name!r} has a policy twice")
    return name, members
