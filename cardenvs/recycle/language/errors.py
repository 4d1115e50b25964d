"""Positions in a description, and the error for what is wrong at one."""

from __future__ import annotations

from typing import NamedTuple


class Position(NamedTuple):
    """A position in a text; line and column count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class RecycleError(ValueError):
    """Error in a description, or in a game that follows it, with its position.

    As text it is ``LINE:COLUMN: what is wrong``, with the file's name and a colon in front where that is known.

    Attributes:
        message: what was wrong and what is allowed.
        at: the position.
        name: the name of the file, or None.
    """

    def __init__(self, message: str, at: Position, name: str | None = None) -> None:
        super().__init__(message, at, name)
        self.message = message
        self.at = Position(*at)
        self.name = name

    @property
    def line(self) -> int:
        return self.at.line

    @property
    def column(self) -> int:
        return self.at.column

    def named(self, name: str | None) -> RecycleError:
        """The same error with the name of the file."""
        return RecycleError(self.message, self.at, name)

    def __str__(self) -> str:
        where = f"{self.at}: {self.message}"
        return where if self.name is None else f"{self.name}:{where}"
