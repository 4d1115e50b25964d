"""Sweeps as files: TOML, by path or, for those that ship with the package, by name."""

import functools
import itertools
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from cardenvs.checks import check_int, check_list, did_you_mean, short
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import ALIKE, Config
from cardenvs.train.recipes import recipe
from cardenvs.train.sweep.settings import MOST_RUNS, Measure, Sweep, Variant, setting_text

T = TypeVar("T")
FOLDER = Path(__file__).parent / "files"  # the sweeps that ship with the package
SUFFIX = ".toml"  # the ending of the names of sweep files
# The general report of a sweep, that of the study of team rewards, or trained teams as strangers.
REPORTS = ("table", "team-share", "strangers")

# Fields of `Config` but for those that a file gives otherwise or not at all.
_FIELDS = [f.name for f in fields(Config) if f.name not in ("game", "options", "seed", "minutes")]
_OPTIONAL = {f.name for f in fields(Config) if str(f.type).endswith("| None")}
_TOP = ["game", "recipe", "seeds", "report", "options", "grid", "variant", "measure", *_FIELDS]
_VARIANT = ["name", "recipe", "options", *_FIELDS]
_GRID = ["options", *_FIELDS]
_MEASURE = [f.name for f in fields(Measure)]


@dataclass(frozen=True)
class SweepFile:
    """The content of a sweep file."""

    sweep: Sweep
    report: str  # the kind of report, one of `REPORTS`


def shipped_names() -> list[str]:
    """The names of the sweeps that ship with the package, in the order of the alphabet."""
    return sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))


def read_sweep(file: str) -> SweepFile:
    """Reads a sweep from the path of a file, or by the name of one that ships with the package. Raises ValueError, which
    names file and key, if there is no such file or something in it is wrong; OSError if it cannot be read."""
    names = shipped_names()
    path = FOLDER / f"{file}{SUFFIX}" if file in names else Path(file)
    if not path.exists():
        meant = did_you_mean(file, names)
        raise ValueError(f"no sweep {file!r}: it is no file, and those that ship are {', '.join(names)}{meant}")
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{file}: this is no text in UTF-8") from None
    return parse_sweep(text, path.name.removesuffix(SUFFIX), file)


def parse_sweep(text: str, name: str, file: str | None = None) -> SweepFile:
    """The sweep of some name that a text in TOML describes. Raises ValueError if something in it is wrong, which names the
    key and the text, by default by the sweep's name, as ``file``."""
    where = name if file is None else file
    try:
        top = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where}: {error}") from None
    except RecursionError:
        raise ValueError(f"{where}: too deep a nesting") from None
    return _Reader(where, top).read_file(name)


@dataclass(frozen=True)
class _Reader:
    """Makes a sweep of a parsed TOML file."""

    file: str
    top: dict[str, Any]

    def read_file(self, name: str) -> SweepFile:
        """The sweep and its kind of report."""
        top = self.top
        self._check_keys("", top, _TOP)
        report = top.get("report", REPORTS[0])
        if report not in REPORTS:
            meant = did_you_mean(report, REPORTS)
            raise self._error("", f"report must be one of {', '.join(REPORTS)}, not {short(report)}{meant}")
        game = self._game()
        given_seeds = self._checked("", check_list, "seeds", top.get("seeds", [0, 1, 2]), "ints")
        seeds = [self._checked("", check_int, "seeds", seed, 0) for seed in given_seeds]
        self._table("", "options", top.get("options", {}))
        grid = self._grid(len(seeds))
        points = [dict(zip(grid, point, strict=True)) for point in itertools.product(*grid.values())]
        variants = [self._variant(where, game, given, point) for where, given in list(self._given()) for point in points]
        sweep = self._checked("", Sweep, name, tuple(variants), tuple(seeds), self._measure(variants))
        return SweepFile(sweep, report)

    # --- parts of the file ---

    def _game(self) -> GameSpec:
        """The game, by its name or by that of a recipe."""
        top = self.top
        if ("game" in top) == ("recipe" in top):
            both = "only one of both" if "game" in top else "which is missing"
            raise self._error("", f"game or recipe says what is trained, {both}")
        name = self._text("", "game", top["game"]) if "game" in top else self._recipe("", top).game
        return self._checked("", get_game, name)

    def _recipe(self, where: str, table: Mapping[str, Any]) -> Config:
        """The settings of the recipe that a table names."""
        return self._checked(where, recipe, self._text(where, "recipe", table["recipe"]))

    def _given(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The tables of the variants, each with its name in messages; an empty one where there are none."""
        tables = self.top.get("variant", [{}])
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            raise self._error("", "variants are tables [[variant]], each with a name")
        for number, table in enumerate(tables, 1):
            where = f"[[variant]] {number}"
            if "variant" in self.top:
                self._check_keys(where, table, _VARIANT)
                if not self._text(where, "name", table.get("name", "")).strip():
                    raise self._error(where, "name is missing")
                self._table(where, "options", table.get("options", {}))
            yield where, table

    def _grid(self, seeds: int) -> dict[str, list[Any]]:
        """The lists of the grid, by the setting's name, that of a rule option behind ``options.``."""
        table = self._table("", "grid", self.top.get("grid", {}))
        self._check_keys("[grid]", table, _GRID)
        options = self._table("[grid]", "options", table.get("options", {}))
        lists = {name: values for name, values in table.items() if name != "options"}
        lists |= {f"options.{name}": values for name, values in options.items()}
        for name, values in lists.items():
            if not self._checked("[grid]", check_list, name, values, "values"):
                raise self._error("[grid]", f"{name} must have at least one value")
        number = math.prod(map(len, lists.values())) * seeds
        if number > MOST_RUNS:
            raise self._error("[grid]", f"a sweep has at most {MOST_RUNS} trainings, not {number}")
        return lists

    def _variant(self, where: str, game: GameSpec, given: Mapping[str, Any], point: Mapping[str, Any]) -> Variant:
        """The variant of the settings in its table and of a point of the grid."""
        words = [given["name"]] if "name" in given else []
        name = ", ".join([*words, *(setting_text(key, value) for key, value in point.items())]) or game.name
        recipes = [self._recipe(at, table) for at, table in ((where, given), ("", self.top)) if "recipe" in table]
        if recipes and recipes[0].spec.family != game.family:
            raise self._error(where, f"recipe {given['recipe']!r} is one of {recipes[0].game}, not of {game.name}")
        make = functools.partial(replace, recipes[0]) if recipes else Config
        settings, options = dict(ALIKE), dict(recipes[0].options) if recipes else {}
        for table in (self.top, given, point):
            own = {key: value for key, value in table.items() if key in _FIELDS}
            settings |= {key: None if key in _OPTIONAL and value == "none" else value for key, value in own.items()}
            options |= table.get("options", {})
        options |= {key.removeprefix("options."): value for key, value in point.items() if key.startswith("options.")}
        made = functools.partial(make, game=game.name, options=options, **settings)
        return Variant(name, self._checked(name if given or point else "", made))

    def _measure(self, variants: list[Variant]) -> Measure:
        """The opponents, deals, seed and reference of the measurement."""
        where = "[measure]"
        table = self._table("", "measure", self.top.get("measure", {}))
        self._check_keys(where, table, _MEASURE)
        given = dict(table)
        opponents = table.get("opponents", [variants[0].config.eval_opponent])
        names = self._checked(where, check_list, "opponents", opponents, "names of policies")
        given["opponents"] = tuple(self._text(where, "opponents", name) for name in names)
        for name, least in (("deals", 1), ("seed", 0)):
            if name in table:
                given[name] = self._checked(where, check_int, name, table[name], least)
        if "reference" in table:
            self._text(where, "reference", table["reference"])
        return Measure(**given)

    # --- checks ---

    def _error(self, where: str, what: object) -> ValueError:
        return ValueError(f"{self.file}{', ' if where else ''}{where}: {what}")

    def _check_keys(self, where: str, table: Mapping[str, Any], known: list[str]) -> None:
        """Checks that a table has no other keys than some."""
        for key in table:
            if key not in known:
                instead = {"seed": "; training seeds are the list seeds", "minutes": "; trainings have the same steps"}
                more = did_you_mean(key, known) if where == "[measure]" or key not in instead else instead[key]
                raise self._error(where, f"unknown key {key!r}: the keys are {', '.join(known)}{more}")

    def _table(self, where: str, name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._error(where, f"{name} must be a table, not {short(value)}")
        return value

    def _text(self, where: str, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self._error(where, f"{name} must be a text, not {short(value)}")
        return value

    def _checked(self, where: str, check: Callable[..., T], *given: Any) -> T:
        """Calls a function; its ValueError names the file and the part of it."""
        try:
            return check(*given)
        except ValueError as error:
            raise self._error(where, error) from None
