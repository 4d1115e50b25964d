"""What the results of cross-play and of the ad-hoc benchmark depend on, checked and complete before anything is played."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from cardenvs.baselines.crossplay.counted import CountedResults, play_counted
from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.match.side import Side, split_names
from cardenvs.baselines.tournament.settings import Settings, all_options, check_size, files_of
from cardenvs.spec import GameSpec, get_game

OPPONENTS = ("hybrid",)
"""Whom all partnerships play against unless told otherwise: a strong and fast hand-coded agent of both games."""

HELD_OUT = dict.fromkeys(("euchre", "whist"), ("random", "high-low", "coop-high-low", "markov2", "card-counting", "poe"))
"""The partners of the ad-hoc benchmark, by game.

They differ in what a partner can count on, not in strength alone. ``random``: nothing. ``high-low``: wins what it can, from
its partner too. ``coop-high-low``: leaves the trick to the partner who holds it. ``markov2``: wins or throws away by the
strength of its own hand. ``card-counting``: plays to where its partner is strong. ``poe``: no rule, a sampling search.

All are fast, play both games and need no file, so that the score means the same everywhere. ``hybrid`` is not among them
because it is the opponent; variants of one agent (``markov2-published``, ``hybrid2``) are left out so that no style counts
twice. The set is held out only if a policy was neither trained beside these agents nor taught by them: that is for its
trainer to see to.
"""


@dataclass(frozen=True)
class CrossSettings(Settings):
    """What the results of cross-play depend on: what those of `cardenvs.baselines.tournament.Settings` do, and more.

    Attributes:
        policies: names or paths of the policies to be measured, single ones.
        deals: deals of each partnership against each opponent, each played twice.
        partners: names or paths of the policies that they are put with: in cross-play the same ones.
        opponents: the sides that all partnerships play against.
        costs: whether what the counted decisions cost is worked out, too.
    """

    partners: list[str] = field(default_factory=list)
    opponents: list[str] = field(default_factory=list)
    costs: bool = False

    kind: ClassVar[str] = "cross-play"
    results: ClassVar[type[DealResults]] = CountedResults

    @property
    def partnerships(self) -> list[tuple[str, str]]:
        """Each policy with each partner in both orders of the seats, every partnership once."""
        both = (pair for a in self.policies for b in self.partners for pair in ((a, b), (b, a)))
        return list(dict.fromkeys(both))

    @property
    def sides(self) -> list[list[str]]:
        """The policies of every side: the partnerships, then the opponents."""
        return [*map(list, self.partnerships), *map(split_names, self.opponents)]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairings, each as the numbers of its two sides: every partnership against every opponent."""
        n = len(self.partnerships)
        return list(itertools.product(range(n), range(n, n + len(self.opponents))))

    def differences(self, stored: dict[str, Any]) -> list[str]:
        """How these settings differ from ``stored`` ones, in words."""
        changes = super().differences(stored)
        for key in ("partners", "opponents"):
            one_list = key == "partners" and self.partners == self.policies and stored[key] == stored["policies"]
            if stored[key] != getattr(self, key) and not one_list:
                changes.append(f"the {key} {', '.join(stored[key])}, not {', '.join(getattr(self, key))}")
        if stored["costs"] != self.costs:
            changes.append("costs, not without" if stored["costs"] else "no costs, not with them")
        return changes

    def play(self, game: GameSpec, first: Side, second: Side, deals: range) -> DealResults:
        """Plays the deals of these numbers of a partnership against an opponent, counting."""
        return play_counted(game, first, second, deals, seed=self.seed, costs=self.costs, **self.options)


@dataclass(frozen=True)
class AdHocSettings(CrossSettings):
    """What the results of the ad-hoc benchmark depend on: the attributes of `CrossSettings`."""

    kind: ClassVar[str] = "benchmark"


SettingsKind = TypeVar("SettingsKind", bound=CrossSettings)


def _settings(
    kind: type[SettingsKind],
    game: str | GameSpec,
    policies: Sequence[str],
    partners: Sequence[str],
    opponents: Sequence[str],
    deals: int,
    seed: int,
    costs: bool,
    options: dict[str, Any],
) -> SettingsKind:
    """Checks and completes settings of either kind; the arguments are those of `crossplay_settings` and the partners."""
    spec = get_game(game)
    if not spec.team:
        raise ValueError(f"{spec.name} has no partners: {kind.kind} is for {' and '.join(HELD_OUT)}")
    values = all_options(spec, options)
    for what, names in (("policies", policies), ("partners", partners), ("opponents", opponents)):
        if not names:
            raise ValueError(f"{what} must name at least one policy")
        for name in names:
            if list(names).count(name) > 1:
                raise ValueError(f"{what} must differ, and {name!r} is given twice")
            if what != "opponents" and len(split_names(name)) > 1:
                raise ValueError(f"{what} are single policies, whose partners are to be others, not mixed sides: {name!r}")
    check_size(deals, seed)
    files = files_of(spec, [*policies, *partners, *opponents])
    lists = list(partners), list(opponents)
    return kind(spec.name, list(policies), deals, values, seed, files, *lists, costs)


def crossplay_settings(
    game: str | GameSpec,
    policies: Sequence[str],
    *,
    opponents: Sequence[str] = OPPONENTS,
    deals: int = 1000,
    seed: int = 0,
    costs: bool = False,
    **options: Any,
) -> CrossSettings:
    """Checks and completes the settings of cross-play.

    Args:
        game: name or spec of a game with partners.
        policies: names with parameters, or paths of trained policies; at least two.
        opponents: sides (a policy, or ``"high+low"``) that every partnership plays against; results are means over them.
        deals: deals of each partnership against each opponent, each played twice with the sides exchanged.
        seed: int >= 0.
        costs: also work out what the counted decisions cost with all cards open
            (`cardenvs.baselines.observers.double_dummy_cost`); quick in Euchre, slow in Whist.
        options: rule options.

    Raises:
        ValueError: a game without partners, unknown game, policy or option, fewer than two policies, one given twice or
            one that is a mixed side, no opponent, ``deals`` below 1.
        OSError: a policy's file that cannot be read.
    """
    if get_game(game).team and len(policies) < 2:
        raise ValueError(f"cross-play needs at least two policies, not {len(policies)}: {', '.join(policies) or 'none'}")
    return _settings(CrossSettings, game, policies, policies, opponents, deals, seed, costs, options)


def adhoc_settings(
    game: str | GameSpec,
    policies: Sequence[str],
    *,
    more_partners: Sequence[str] = (),
    opponents: Sequence[str] = OPPONENTS,
    deals: int = 1000,
    seed: int = 0,
    costs: bool = False,
    **options: Any,
) -> AdHocSettings:
    """Checks and completes the settings of the ad-hoc benchmark.

    Args:
        game: name or spec of a game with partners.
        policies: the policies to be judged.
        more_partners: partners beside those of `HELD_OUT`; the score is then another benchmark's.
        opponents: sides (a policy, or ``"high+low"``) that every partnership plays against; results are means over them.
        deals: deals of each partnership against each opponent, each played twice with the sides exchanged.
        seed: int >= 0.
        costs: also work out what the counted decisions cost with all cards open; quick in Euchre, slow in Whist.
        options: rule options.

    Raises:
        ValueError: as `crossplay_settings`; one policy is enough.
        OSError: a policy's file that cannot be read.
    """
    partners = [*HELD_OUT.get(get_game(game).name, ()), *more_partners]
    return _settings(AdHocSettings, game, policies, partners, opponents, deals, seed, costs, options)
