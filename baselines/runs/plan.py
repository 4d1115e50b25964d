"""Plans of studies: all that their results depend on, and the finished pieces of a study that workers hand over."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.reports.columns import Column, computed_column
from cardenvs.contract.options import show
from cardenvs.contract.spec import GameSpec
from cardenvs.files import finite
from cardenvs.policy.contract import Forfeit

OTHERWISE = "give another folder with out=..."
"""Advice in messages about a folder that has other settings."""
SETTINGS = (
    Column("spec", "the game"),
    Column("policies", "the policies' names"),
    Column("opponents", "the sides that all played against"),
    Column("deals", "deals of each pairing"),
    Column("options", "all rule options"),
    Column("seed", "the seed of the deals and of the policies' random choices"),
    computed_column("game", lambda row: row.spec.name, meaning="the game's name"),
)
"""The columns of a study's settings that most results begin with."""


class Rows(Protocol):
    """Finished pieces: an object of arrays, most of them with a row for each piece."""

    BY_PIECE: ClassVar[tuple[str, ...]]  # the names of the arrays with a row for each piece

    @property
    def size(self) -> int:
        """Number of pieces."""

    def sums(self) -> list[str]:
        """The names of the other arrays, which are sums over the pieces."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The pieces of several objects as one, in the order given."""


RowsType = TypeVar("RowsType", bound=Rows)


class Pieces:
    """Mixed into frozen dataclasses whose fields are arrays with a row for each piece, and that are `Rows` by it."""

    BY_PIECE: ClassVar[tuple[str, ...]]

    @property
    def size(self) -> int:
        """Number of pieces."""
        return len(getattr(self, self.BY_PIECE[0]))

    def sums(self) -> list[str]:
        """The names of the arrays that are sums over the pieces: none."""
        return []

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Pieces one behind the other; ints of any size as int64."""
        arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in cls.BY_PIECE)
        return cls(*(array.astype(np.int64) if array.dtype.kind == "i" else array for array in arrays))


@dataclass(frozen=True)
class Chunk(Generic[RowsType]):
    """The pieces with which a task begins, as many as a worker finished, and what stopped it, if anything did."""

    rows: RowsType | None  # the finished pieces; None if there are none
    error: Exception | None = None  # a ValueError for wrong input, a RuntimeError for a failure of the program
    forfeit: Forfeit | None = None  # how the unit was forfeited
    observer: Any = None  # what has seen the pieces
    seconds: float = 0.0  # wall time that the pieces took

    @property
    def size(self) -> int:
        """Number of finished pieces."""
        return 0 if self.rows is None else self.rows.size


@dataclass(frozen=True, kw_only=True)
class Plan(ABC):
    """The plan of a study.

    A field's ``metadata`` may have the phrase ``differs`` for messages about a folder in which it is another one.
    """

    spec: GameSpec
    options: dict[str, Any]  # all rule options
    seed: int
    files: dict[str, str] = field(default_factory=dict)  # SHA-256 hashes of the policies' files, by path

    kind: ClassVar[str]  # a word for what is played, such as "tournament"; also the stem of the plan's file in a folder
    otherwise: ClassVar[str] = OTHERWISE  # what can be done where a folder has another plan, besides going on with that
    piece: ClassVar[str] = "deal"  # the word for a piece
    rows: ClassVar[type[Any]]  # the class of what a chunk of finished pieces holds (`Rows`)

    @property
    @abstractmethod
    def units(self) -> list[str]:
        """A word for each unit that is played, such as a pairing, with which the names of its chunks' files begin."""

    @property
    @abstractmethod
    def pieces(self) -> int:
        """Number of pieces of each unit, such as deals."""

    @abstractmethod
    def begin(self) -> Callable[[Task[int]], Chunk[Any]]:
        """Makes, once in each worker, the function that works on tasks: runs of pieces of a unit.

        That returns the pieces with which a task begins, as many as it finished in some seconds.
        """

    @property
    def unit_names(self) -> list[str]:
        """The units' names, for people."""
        return self.units

    @property
    def game(self) -> str:
        """The game's name."""
        return self.spec.name

    def of(self, spec: GameSpec | None) -> Self:
        """The plan with a game; None: without one, as it is sent to workers, which get the game beside it."""
        return replace(self, spec=spec)  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, Any]:
        """The plan for JSON, the game by its name."""
        return {"game": self.game} | {one.name: getattr(self, one.name) for one in fields(self) if one.name != "spec"}

    def differences(self, stored: Mapping[str, Any]) -> list[str]:
        """The differences from the plan ``stored`` in a folder, a phrase for each; KeyError or TypeError if it is none."""
        changes = [] if stored["game"] == self.game else [f"game {stored['game']}, not {self.game}"]
        last = ("options", "files")
        for one in sorted(fields(self), key=lambda one: last.index(one.name) if one.name in last else -1):
            if one.name != "spec":
                changes += self._difference(one, stored)
        return changes

    def _difference(self, one: Field[Any], stored: Mapping[str, Any]) -> list[str]:
        mine, phrase = getattr(self, one.name), one.metadata.get("differs")
        then = stored[one.name] if one.name in stored or one.default is MISSING else one.default
        if one.name == "files":
            return [f"another content of {path}" for path in sorted({*then} & {*mine}) if then[path] != mine[path]]
        if one.name == "options":
            if stored["game"] != self.game:
                return []
            return [
                f"{name} {show(then.get(name))}, not {show(own)}" for name, own in mine.items() if then.get(name) != own
            ]
        if finite(then) == finite(mine):  # as JSON gives them back: tuples as lists
            return []
        if phrase is not None:
            return [phrase.format(game=self.game)] if stored["game"] == self.game else []
        if isinstance(mine, (list, tuple)):
            return [f"the {one.name} {', '.join(then)}, not {', '.join(mine)}"]
        return [f"{one.name} {show(then)}, not {show(mine)}"]


def all_options(spec: GameSpec, options: dict[str, Any]) -> dict[str, Any]:
    """All rule options of a game by name, defaults included; ValueError for an unknown option or value."""
    codes = spec.option_codes(options)
    return {option.name: option.decode(codes[option.name]) for option in spec.options}
