"""Suites: frozen partners, each with the bound by which scores with it are divided, as data that ship."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.reports.results import Result
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.runs.pairings import MOST_DEALS
from cardenvs.baselines.runs.plan import all_options
from cardenvs.baselines.suites import report
from cardenvs.baselines.suites.checksum import checksum
from cardenvs.checks import check_int, check_list, check_number, check_seed, short
from cardenvs.contract.registry import family_of, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.files import json_text, name_in_path
from cardenvs.policy.registry import path_of, runs_code, settled

FOLDER = Path(str(resources.files("cardenvs.baselines.suites"))) / "data"
"""The folder of the suites that ship, ``GAME--NUMBER.json``, and of the trained policies among their partners."""
SUFFIX = ".json"
"""The ending of a suite's file."""

_MOST_POINTS = 2.0**53
"""The most points of a game that does not say how many there can be."""
_ROUNDING = 1e-6
"""Error of points that have been rounded."""

Shares = TypeVar("Shares", float, npt.NDArray[np.float64])


@dataclass(frozen=True, repr=False)
class Found(Result):
    """A measured score with a partner.

    Attributes:
        policy: who plays with the partner: a policy, or a `response` to the partner.
        deals: how many deals were played, each in both orders of the seats.
        points_margin: points a deal above the opponents; in a game of one side the team's points a deal.
    """

    policy: str
    deals: int
    points_margin: Interval

    @property
    def sure(self) -> float:
        """The lower end of the interval of the points, or the points where that has no finite ends."""
        low = self.points_margin.low
        return low if math.isfinite(low) else self.points_margin.mean

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Found:
        """Reads what JSON tells of it; raises KeyError, TypeError or ValueError if that is something else."""
        mean = check_number("mean_points", told["mean_points"], -math.inf)
        ends = check_list("mean_points_ci95", told["mean_points_ci95"], "two numbers")
        if len(ends) != 2:
            raise ValueError(f"mean_points_ci95 must be two numbers, not {short(ends)}")
        low, high = (
            beyond if end is None else check_number("mean_points_ci95", end, -math.inf)
            for end, beyond in zip(ends, (-math.inf, math.inf), strict=True)
        )
        if not low <= mean <= high:
            raise ValueError(f"mean_points must lie in their interval, and {mean:g} does not from {low:g} to {high:g}")
        return cls(_text(told["policy"]), check_int("deals", told["deals"], 2), Interval(mean, low, high))


@dataclass(frozen=True, repr=False)
class Member(Result):
    """A partner of a suite.

    Attributes:
        policy: its name with its parameters; the path of a trained policy is one from the folder of the suite's file.
        checksum: that of its decisions (`cardenvs.baselines.suites.checksum`) when it was frozen.
        bound: the best that was found with it, which counts as 1: that with the highest `Found.sure`.
        floor: what counts as 0, what ``random`` scores with it; None: 0 points, where a team cannot make less.
        tried: what was tried beside the bound, the best (by `Found.sure`) first.
    """

    policy: str
    checksum: str
    bound: Found
    floor: Found | None = None
    tried: list[Found] = field(default_factory=list)

    OPTIONAL: ClassVar[tuple[str, ...]] = ("floor", "tried")

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Member:
        """Reads what JSON tells of it; raises KeyError, TypeError or ValueError if that is something else."""
        floor = told.get("floor")
        made = cls(
            _text(told["policy"]),
            _text(told["checksum"]),
            Found.of(told["bound"]),
            None if floor is None else Found.of(floor),
            [Found.of(one) for one in told.get("tried", [])],
        )
        if runs_code(made.policy):
            raise ValueError(
                f"partners must be policies by name or trained ones, and {short(made.policy)} says what is run"
            )
        return made

    def check(self, most: Margins, games: int) -> None:
        """Raises ValueError for points that no game can end with, of so many games a deal, and for a bound of nothing."""
        high = min(most.points, _MOST_POINTS)
        low = max(most.least, -high)
        for found in filter(None, (self.bound, self.floor, *self.tried)):
            for value in (found.points_margin.mean, *filter(math.isfinite, found.points_margin.ci95)):
                if not low - _ROUNDING <= value <= high + _ROUNDING:
                    raise ValueError(
                        f"points with the partner {self.policy} must be from {low:g} to {high:g}, and {value:g} is not"
                    )
        if (self.floor is None) != (most.least == 0):
            wanted = "no floor" if self.floor else "a floor"
            raise ValueError(f"the partner {self.policy} must have {wanted}, by what the game's points can be")
        if self.span * games * max(one.deals for one in (self.bound, self.floor or self.bound)) < 1 - _ROUNDING:
            raise ValueError(
                f"the bound of {self.policy} must be above what counts as 0, by a point in all its games at least, and "
                f"{self.bound.points_margin.mean:g} is not above {self.least:g}"
            )

    @property
    def least(self) -> float:
        """The points that count as 0."""
        return 0.0 if self.floor is None else self.floor.points_margin.mean

    @property
    def span(self) -> float:
        """The points from what counts as 0 to the bound."""
        return self.bound.points_margin.mean - self.least

    def share(self, points: Shares) -> Shares:
        """Points as a share of the bound: 0 for ``least``, 1 for the bound, and more above it."""
        return (points - self.least) / self.span

    def share_of(self, points: Interval) -> Interval:
        """The same of a mean with its interval; the bound is taken as it is."""
        return Interval(*(self.share(value) for value in (points.mean, points.low, points.high)))


@dataclass(frozen=True, repr=False)
class Suite(Result):
    """A suite of partners: who they are, which deals are played with them, and how scores with them are normalised.

    Attributes:
        suite: its number.
        spec: the game.
        description: the digits of the game's description (`GameSpec.digest`); empty for a game without one.
        options: all rule options.
        opponents: the sides that all partnerships play against; empty in a game of one side.
        seed: the seed of the deals.
        deals: deals of each partnership against each opponent, in each order of the seats.
        bound_seed: the seed of the deals of the bounds.
        partners: the partners.
        folder: the folder from which the paths of trained partners are told.
    """

    suite: int
    spec: GameSpec
    description: str
    options: dict[str, Any]
    opponents: list[str]
    seed: int
    deals: int
    bound_seed: int
    partners: list[Member]
    folder: Path = FOLDER

    HIDDEN = ("folder",)

    @classmethod
    def of(cls, spec: GameSpec, told: Any, folder: Path = FOLDER) -> Suite:
        """The suite that JSON tells of.

        Args:
            told: what `as_dict` has told.
            folder: the folder from which the paths of trained partners are told.

        Raises:
            ValueError: it tells of none, or of one for another game; says what is wrong.
        """
        try:
            if told["game"] != spec.name and not _is_form(told["game"], spec):
                raise ValueError(f"it is for {short(told['game'])}, not for {spec.name}")
            if told["description"] != spec.digest:
                raise ValueError(f"it is for another description of {spec.name}")
            made = cls(
                suite=check_int("suite", told["suite"], 1),
                spec=spec,
                description=told["description"],
                options=all_options(spec, dict(told["options"])),
                opponents=list(map(_text, check_list("opponents", told["opponents"], "names of policies"))),
                seed=check_seed(told["seed"]),
                deals=check_int("deals", told["deals"], 2, MOST_DEALS),
                bound_seed=check_seed(told["bound_seed"], "bound_seed"),
                partners=[Member.of(one) for one in check_list("partners", told["partners"], "partners")],
                folder=folder,
            )
        except KeyError as error:
            raise ValueError(f"no suite, it has no {error.args[0]!r}") from None
        except (TypeError, AttributeError):
            raise ValueError("no suite, something in it is of another kind") from None
        if not made.partners:
            raise ValueError("no suite, it has no partners")
        if bool(made.opponents) == spec.one_sided:
            few = (
                f"must be none in {spec.name}, a game of one side," if spec.one_sided else "must name at least one policy,"
            )
            raise ValueError(f"opponents {few} not {short(made.opponents)}")
        check_once("opponents", spec, made.opponents)
        check_once("partners", spec, [member.policy for member in made.partners])
        games = 2 * spec.num_sides * max(1, spec.num_sides - 1) * max(1, len(made.opponents))
        for member in made.partners:
            member.check(Margins.of_game(spec, made.options), games)
        return made

    @functools.cached_property
    def checksum(self) -> str:
        """The checksum of all that the suite says, by which results tell which one they are of."""
        return hashlib.sha256(json_text(self.as_dict()).encode()).hexdigest()[:16]

    @property
    def names(self) -> list[str]:
        """The partners' names as they are played: the paths of trained ones as they are from here."""
        return [_from_here(member.policy, self.folder) for member in self.partners]

    document = report.suite_document


def _is_form(name: Any, spec: GameSpec) -> bool:
    """Whether a name is another one of the form of a game, such as that of its preset."""
    try:
        return bool(spec.family) and family_of(spec) is not None and get_game(name).name == spec.name
    except (ValueError, OSError):
        return False


def check_once(what: str, spec: GameSpec, names: Sequence[str]) -> None:
    """Raises ValueError if a policy of a game is named twice, however it is written (`settled`)."""
    meant = [settled(spec, name) for name in names]
    for k, name in enumerate(names):
        first = names[meant.index(meant[k])]
        if meant[k] in meant[:k]:
            again = "" if first == name else f", the first time as {short(first)}"
            raise ValueError(f"{what} must differ, and {short(name)} is given twice{again}")


def _text(value: Any) -> str:
    """A text; raises TypeError for anything else or nothing."""
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def _from_here(name: str, folder: Path) -> str:
    """The name of a policy whose path, if it has one, is told from a folder."""
    path = path_of(name)
    return name if path is None else name.replace(path, os.fspath(folder / path), 1)


def shipped_suites(game: str | GameSpec) -> list[int]:
    """The numbers of the suites of a game that ship, ascending.

    Raises:
        ValueError: no such game.
    """
    stem = f"{name_in_path(get_game(game).name)}--"
    numbers = (path.stem.removeprefix(stem) for path in FOLDER.glob(f"{stem}*{SUFFIX}"))
    return sorted(int(number) for number in numbers if number.isdecimal())


def find_suite(game: str | GameSpec, suite: int | str = 1) -> Suite:
    """A suite of a game.

    Args:
        suite: the number of one that ships, or the path of a suite's file (``cardenvs suite`` writes them).

    Raises:
        ValueError: no such suite; says which there are. Or the file holds none, or one for another game.
        OSError: a file that cannot be read.
    """
    spec, text = get_game(game), str(suite)
    path = Path(text)
    if not text.endswith(SUFFIX):
        numbers = shipped_suites(spec)
        if text not in map(str, numbers):
            have = f"{spec.name} has {', '.join(map(str, numbers)) or 'none'}"
            raise ValueError(
                f"suite must be the number of a suite or the path of a {SUFFIX} file ({have}), not {short(suite)}"
            )
        path = FOLDER / f"{name_in_path(spec.name)}--{text}{SUFFIX}"
    if not path.is_file():
        raise FileNotFoundError(f"no suite file {text!r}")
    try:
        return Suite.of(spec, json.loads(path.read_text("utf-8")), path.parent)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"{text!r}: no suite, it is no JSON") from None
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None


def check_frozen(suite: Suite) -> None:
    """Checks that the partners of a suite still decide as they did when they were frozen.

    Raises:
        ValueError: one does not, or is not to be had any more; names it.
        OSError: a trained partner that cannot be read.
    """
    for member, name in zip(suite.partners, suite.names, strict=True):
        found = checksum(suite.spec, policy.make(suite.spec.plain, name), suite.options)
        if found != member.checksum:
            raise ValueError(
                f"the partner {member.policy} of suite {suite.suite} of {suite.spec.name} decides otherwise than when it "
                f"was frozen (checksum {found}, not {member.checksum}): scores would not compare"
            )
