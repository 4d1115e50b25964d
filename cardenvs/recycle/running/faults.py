"""Errors that stop a game that cannot go on, and their messages."""

from dataclasses import dataclass
from typing import Any

from cardenvs.compiled.bits import Ints
from cardenvs.recycle.language.errors import Position, RecycleError

MOST_LYING = 20  # the most places of which an error tells how many cards lay there


class GameError(RecycleError):
    """Error for an event in a game that the language does not allow, with its position in the description."""

    def __init__(self, message: str, line: int, column: int, name: str | None = None) -> None:
        super().__init__(message, Position(line, column), name or None)

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.line, self.column, self.name)


@dataclass(frozen=True)
class Faults:
    """The faults that the games of a description can have: events that the language does not allow."""

    name: str  # of the description's file, or the empty string
    faults: list[tuple[str, int, int]]  # by number: message, line and column in the description
    places: list[str]  # their names


FAULTS: dict[str, Faults] = {}  # by the name of a description's module, the faults whose numbers its kernels raise


class Fault(GameError):
    """A `GameError` as kernels raise it, by the name of the description's module and the fault's number."""

    def __init__(self, module: str, number: int, sizes: Ints) -> None:
        known = FAULTS[module]
        message, line, column = known.faults[number]
        lying = [f"{size} in {place}" for place, size in zip(known.places, sizes.tolist(), strict=False)]
        more = ["..."] if len(lying) > MOST_LYING else []
        said = f"; cards lie {', '.join(lying[:MOST_LYING] + more)}" if lying else ""
        super().__init__(f"{message}{said}", line, column, known.name)

    def __reduce__(self) -> Any:
        return GameError, (self.message, self.line, self.column, self.name)
