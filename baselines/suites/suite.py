"""Suites: frozen partners, each with the bound by which scores with it are divided, as data that ship."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.baselines.crossplay.results import ABOVE
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.match.side import game_for
from cardenvs.baselines.reports.columns import (
    Column,
    Columns,
    Row,
    computed_column,
    count_column,
    name_column,
    points_column,
)
from cardenvs.baselines.reports.document import Name
from cardenvs.baselines.reports.results import Result, plain
from cardenvs.baselines.reports.statistics import Interval
from cardenvs.baselines.runs.pairings import MOST_DEALS
from cardenvs.baselines.runs.plan import all_options
from cardenvs.baselines.suites import report
from cardenvs.checks import check_int, check_list, check_number, check_seed, short
from cardenvs.contract.registry import family_of, get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.files import json_text, name_in_path
from cardenvs.policy.contract import Policy, SeatMemory, ask
from cardenvs.policy.registry import path_of, runs_code, settled
from cardenvs.randomness import player_streams

FOLDER = Path(str(resources.files("cardenvs.baselines.suites"))) / "data"
"""The folder of the suites that ship, ``GAME--NUMBER.json``, and of the trained policies among their partners."""
SUFFIX = ".json"
"""The ending of a suite's file."""

GAMES, SLOW_GAMES = 64, 4
"""Numbers of games in which a policy is asked: any, and one that is slow."""
_EVERY = np.array([0, 8, 2, 1])
"""In the games number k, k + 4, k + 8 and so on one action in so many is a random one; 0: none is."""
_DIGITS = 16
_MOST_POINTS = 2.0**53
"""The most points of a game that does not say how many there can be."""
_ROUNDING = 1e-6
"""Error of points that have been rounded."""


def _sure_points(found: Row) -> float:
    points: Interval = found.points_margin
    return points.low if math.isfinite(points.low) else points.mean


Found = Columns(
    "Found",
    name_column("policy", "who plays with the partner: a policy, or a `response` to the partner"),
    count_column("deals", "number of deals that were played, each in both orders of the seats"),
    points_column("points_margin", ABOVE),
    computed_column("sure", _sure_points, meaning="the lower end of the points' interval; where it has none the points"),
)
"""A measured score with a partner."""


def _share_of_bound(member: Row, points: Any) -> Any:
    """Points, a number or an array, as a share of a partner's bound: 0 for ``least``, 1 for the bound."""
    return (points - member.least) / member.span


Member = Columns(
    "Member",
    name_column("policy", "its name with its parameters; the path of a trained policy begins in the folder of the file",
                "partner"),
    Column("checksum", "that of its decisions (`cardenvs.baselines.suites.suite.checksum_of`) when it was frozen"),
    Column("bound", "the best that was found with it (`Found`), which counts as 1: that with the highest `Found.sure`"),
    Column("floor", "what counts as 0, what ``random`` scores with it; none: 0 points, where a team cannot make less",
           optional=True, default=None),
    Column("tried", "what was tried beside the bound, the best (by `Found.sure`) first", optional=True, default=()),
    computed_column("bound_points", lambda member: member.bound.points_margin, title="bound"),
    computed_column("found_by", lambda member: member.bound.policy, title="by", cell=Name, spare=True),
    computed_column("found_in", lambda member: member.bound.deals, title="deals", cell="{:,}".format, spare=True),
    computed_column("floor_points", lambda member: member.floor and member.floor.points_margin, title="counts as 0"),
    computed_column("least", lambda member: 0.0 if member.floor is None else member.floor.points_margin.mean,
                    meaning="the points that count as 0"),
    computed_column("span", lambda member: member.bound.points_margin.mean - member.least,
                    meaning="the points from what counts as 0 to the bound"),
    computed_column("share", lambda member: functools.partial(_share_of_bound, member),
                    meaning="a function that gives points as a share of the bound"),
)  # fmt: skip
"""A partner of a suite."""


def _read_found(stored: Mapping[str, Any]) -> Row:
    """Reads a `Found` from JSON; raises KeyError, TypeError or ValueError if that is something else."""
    mean = check_number("mean_points", stored["mean_points"], -math.inf)
    ends = check_list("mean_points_ci95", stored["mean_points_ci95"], "two numbers")
    if len(ends) != 2:
        raise ValueError(f"mean_points_ci95 must be two numbers, not {short(ends)}")
    low, high = (
        beyond if end is None else check_number("mean_points_ci95", end, -math.inf)
        for end, beyond in zip(ends, (-math.inf, math.inf), strict=True)
    )
    if not low <= mean <= high:
        raise ValueError(f"mean_points must lie in their interval, and {mean:g} does not from {low:g} to {high:g}")
    return Found(_read_text(stored["policy"]), check_int("deals", stored["deals"], 2), Interval(mean, low, high))


def _read_member(stored: Mapping[str, Any]) -> Row:
    """Reads a `Member` from JSON; raises KeyError, TypeError or ValueError if that is something else."""
    floor = stored.get("floor")
    member = Member(
        _read_text(stored["policy"]),
        _read_text(stored["checksum"]),
        _read_found(stored["bound"]),
        None if floor is None else _read_found(floor),
        [_read_found(one) for one in stored.get("tried", [])],
    )
    check_named(member.policy)
    return member


def check_named(name: str) -> None:
    """Checks that a partner is a policy by name or a trained one."""
    if runs_code(name):
        raise ValueError(f"partners must be policies by name or trained ones, and {short(name)} says what is run")


def _check_points(member: Row, most: Margins, games: int) -> None:
    """Raises ValueError for points that no game can end with, of so many games a deal, and for a bound of nothing."""
    high = min(most.points, _MOST_POINTS)
    low = max(most.least, -high)
    for found in filter(None, (member.bound, member.floor, *member.tried)):
        for value in (found.points_margin.mean, *filter(math.isfinite, found.points_margin.ci95)):
            if not low - _ROUNDING <= value <= high + _ROUNDING:
                allowed = f"must be from {low:g} to {high:g}, and {value:g} is not"
                raise ValueError(f"points with the partner {member.policy} {allowed}")
    if (member.floor is None) != (most.least == 0):
        wanted = "no floor" if member.floor else "a floor"
        raise ValueError(f"the partner {member.policy} must have {wanted}, by what the game's points can be")
    if member.span * games * max(one.deals for one in (member.bound, member.floor or member.bound)) < 1 - _ROUNDING:
        raise ValueError(
            f"the bound of {member.policy} must be above what counts as 0, by a point in all its games at least, and "
            f"{member.bound.points_margin.mean:g} is not above {member.least:g}"
        )


@dataclass(frozen=True, repr=False)
class Suite(Result):
    """A suite of partners: who they are, which deals are played with them, and how scores with them are normalised."""

    suite: int  # its number
    spec: GameSpec
    description: str  # the digits of the game's description (`GameSpec.digest`); empty for a game without one
    options: dict[str, Any]  # all rule options
    opponents: list[str]  # the sides that all partnerships play against; empty in a game of one side
    seed: int  # the seed of the deals
    deals: int  # deals of each partnership against each opponent, in each order of the seats
    bound_seed: int  # the seed of the deals of the bounds
    partners: list[Row]  # the partners (`Member`)
    folder: Path = FOLDER  # where the paths of trained partners begin

    @classmethod
    def of(cls, spec: GameSpec, told: Any, folder: Path = FOLDER) -> Suite:
        """The suite that was stored as JSON by `as_dict`.

        Raises:
            ValueError: it is none, or one for another game; says what is wrong.
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
                opponents=[_read_text(one) for one in check_list("opponents", told["opponents"], "names of policies")],
                seed=check_seed(told["seed"]),
                deals=check_int("deals", told["deals"], 2, MOST_DEALS),
                bound_seed=check_seed(told["bound_seed"], "bound_seed"),
                partners=[_read_member(one) for one in check_list("partners", told["partners"], "partners")],
                folder=folder,
            )
        except KeyError as error:
            raise ValueError(f"no suite, it has no {error.args[0]!r}") from None
        except (TypeError, AttributeError):
            raise ValueError("no suite, something in it is of another kind") from None
        if not made.partners:
            raise ValueError("no suite, it has no partners")
        if bool(made.opponents) == spec.one_sided:
            few = f"be none in {spec.name}, a game of one side," if spec.one_sided else "name at least one policy,"
            raise ValueError(f"opponents must {few} not {short(made.opponents)}")
        check_once("opponents", spec, made.opponents)
        check_once("partners", spec, [member.policy for member in made.partners])
        games = 2 * spec.num_sides * max(1, spec.num_sides - 1) * max(1, len(made.opponents))
        for member in made.partners:
            _check_points(member, Margins.of_game(spec, made.options), games)
        return made

    def figures(self) -> dict[str, Any]:
        """The figures as plain values by their keys."""
        return {"suite": self.suite, "game": self.spec.name} | {
            field.name: plain(getattr(self, field.name)) for field in fields(self)[2:] if field.name != "folder"
        }

    @functools.cached_property
    def checksum(self) -> str:
        """The checksum of the suite's JSON, by which results name it."""
        return hashlib.sha256(json_text(self.as_dict()).encode()).hexdigest()[:16]

    @property
    def names(self) -> list[str]:
        """The partners' names as they are played, the paths of trained ones from here."""
        return [move_path(member.policy, lambda path: os.fspath(self.folder / path)) for member in self.partners]

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
        first = meant.index(meant[k])
        if first < k:
            again = "" if names[first] == name else f", the first time as {short(names[first])}"
            raise ValueError(f"{what} must differ, and {short(name)} is given twice{again}")


def _read_text(value: Any) -> str:
    """A text; raises TypeError for anything else or an empty one."""
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def move_path(name: str, moved: Callable[[str], str]) -> str:
    """The name of a policy whose path, if it has one, is replaced."""
    path = path_of(name)
    return name if path is None else name.replace(path, moved(path), 1)


def shipped_suites(game: str | GameSpec) -> list[int]:
    """The numbers of the suites of a game that ship, ascending."""
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
            allowed = f"the path of a {SUFFIX} file ({spec.name} has {', '.join(map(str, numbers)) or 'none'})"
            raise ValueError(f"suite must be the number of a suite or {allowed}, not {short(suite)}")
        path = FOLDER / f"{name_in_path(spec.name)}--{text}{SUFFIX}"
    if not path.is_file():
        raise FileNotFoundError(f"no suite file {text!r}")
    try:
        return Suite.of(spec, json.loads(path.read_text("utf-8")), path.parent)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"{text!r}: no suite, it is no JSON") from None
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None


def checksum_of(game: GameSpec, player: Policy, options: Mapping[str, Any]) -> str:
    """The checksum of a policy: 16 hexadecimal digits that change when its decisions change.

    They are a digest (SHA-256) of its answers in all positions of some games. It holds all seats there, but in three games
    of four some of the actions that are played are random ones instead, in one of these all: so it is asked, too, where it
    would not have come by itself.

    Raises:
        ValueError: the policy has answered with an illegal action.
        Forfeit: the policy cannot go on.
    """
    n, digest, moves = SLOW_GAMES if player.slow else GAMES, hashlib.sha256(), 0
    strayer = policy.make(game.plain, "random")
    batch = Batch(game_for(game, [player]), n, seed=0, restart=False, validate=False, **options)
    own, strays = (player_streams(0, purpose, n, game.seats) for purpose in ("suite", "suite strays"))
    every, memory = np.resize(_EVERY, n), SeatMemory(n)
    while len(rows := np.flatnonzero(batch.to_act >= 0)):
        actions, seats, moves = np.zeros(n, np.int64), batch.to_act[rows], moves + 1
        actions[rows] = ask(player, batch.observations, batch.action_masks, own, rows, seats, memory=memory)
        digest.update(np.stack([rows, actions[rows]]).astype("<i8").tobytes())
        strayed = (every[rows] > 0) & (moves % np.maximum(every[rows], 1) == 0)
        if strayed.any():
            rows, seats = rows[strayed], seats[strayed]
            actions[rows] = ask(strayer, batch.observations, batch.action_masks, strays, rows, seats)
        batch.step(actions)
    memory.forget()
    return digest.hexdigest()[:_DIGITS]


def check_frozen(suite: Suite) -> None:
    """Checks that a suite's partners decide as they did when they were frozen; ValueError names one that does not."""
    for member, name in zip(suite.partners, suite.names, strict=True):
        found = checksum_of(suite.spec, policy.make(suite.spec.plain, name), suite.options)
        if found != member.checksum:
            raise ValueError(
                f"the partner {member.policy} of suite {suite.suite} of {suite.spec.name} decides otherwise than when it "
                f"was frozen (checksum {found}, not {member.checksum}): scores would not compare"
            )
