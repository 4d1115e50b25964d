"""Columns of results: each declared once, for attributes, JSON keys, tables in reports and the documentation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cardenvs.baselines.reports.document import Document, Estimate, Name, Table, Text, joined
from cardenvs.baselines.reports.results import KEYS, Result, plain
from cardenvs.baselines.reports.statistics import interval_fields

Cell = Callable[[Any], Text]
"""A function that writes a value, or a row, as the text of a table's cell."""


@dataclass(frozen=True)
class Column:
    """A column of a table of results; without a title it is in no table of a report."""

    key: str  # the attribute of rows, and the key in JSON unless there is another (`KEYS`)
    meaning: str = ""  # what a value is, its unit and range, for the documentation
    title: Text = ""  # the head in tables
    cell: Cell = str  # writes a value in tables
    interval: bool = False  # values are intervals or None: in JSON a mean and both ends
    json: str | None = None  # another key in JSON; empty: JSON lacks the column
    ends: str | None = None  # another key in JSON of an interval's ends; empty: JSON lacks them
    optional: bool = False  # JSON lacks values that are None or empty
    spread: bool = False  # JSON has the entries of the value, which is a result, a dict or None, in place of one of its own
    spare: bool = False  # a narrow terminal leaves the column out
    default: Any = ...  # the value of a row that is made without one; ... requires one
    compute: Callable[[Row], Any] | None = None  # computes the value from the row's other values

    def figures(self, value: Any) -> dict[str, Any]:
        """The entries of JSON for a value."""
        empty = value is None or (isinstance(value, (list, tuple, dict)) and not value)
        if self.json == "" or (self.optional and empty):
            return {}
        if self.spread:
            return {} if value is None else dict(plain(value))
        key = self.json or KEYS.get(self.key, self.key)
        if not self.interval:
            return {key: plain(value)}
        entries = interval_fields(key, value, self.ends or "")
        return {key: entries[key]} if self.ends == "" else entries


def points_column(key: str, meaning: str = "", title: str = "points a deal", **more: Any) -> Column:
    """A column of means of points with their intervals."""
    return Column(key, meaning, title, **dict[str, Any](cell=Estimate, interval=True) | more)


def share_column(key: str, meaning: str = "", title: str = "wins, %", **more: Any) -> Column:
    """A column of shares from 0 to 1 with their intervals, in percent in tables."""
    shown = dict[str, Any](cell=lambda value: Estimate(value, percent=True), interval=True)
    return Column(key, meaning, title, **shown | more)


def name_column(key: str, meaning: str = "", title: str = "", **more: Any) -> Column:
    """A column of names of policies or sides."""
    return Column(key, meaning, title, **{"cell": Name} | more)


def names_column(key: str, meaning: str = "", title: str = "", between: str = " + ", **more: Any) -> Column:
    """A column of lists of names, with a text between the names in tables."""
    return Column(key, meaning, title, **{"cell": lambda value: joined(map(Name, value), between)} | more)


def count_column(key: str, meaning: str = "", title: str = "", **more: Any) -> Column:
    """A column of whole numbers."""
    return Column(key, meaning, title, **{"cell": "{:,}".format} | more)


def computed_column(key: str, compute: Callable[[Row], Any], *, json: str | None = "", **more: Any) -> Column:
    """A column whose values follow from others of the row, in JSON only under a key that is given."""
    return Column(key, json=json, compute=compute, **more)


class Columns:
    """The columns of a kind of results, in the order of JSON; called with values, by position or name, it makes a row.

    Args:
        kind: the name of the kind, which rows are shown with.
        columns: the columns; those of another kind can be among them.
        document: makes the report of a row and of the command line that makes it again; None: rows have no report.
        row: the class of its rows, where these have methods of their own; None: `Row`.
    """

    def __init__(
        self,
        kind: str,
        *columns: Column | Columns,
        document: Callable[..., Document] | None = None,
        row: type[Row] | None = None,
    ) -> None:
        self.kind, self.document, self.row = kind, document, row or Row
        self.__module__ = sys._getframe(1).f_globals["__name__"]  # where it has the name of its kind
        flat = (own for one in columns for own in ([one] if isinstance(one, Column) else one))
        self.by_key = {column.key: column for column in flat}

    def __reduce__(self) -> str:
        return self.kind

    def __repr__(self) -> str:
        return f"<columns of {self.kind}: {', '.join(self.by_key)}>"

    def __iter__(self) -> Iterator[Column]:
        return iter(self.by_key.values())

    def __instancecheck__(self, row: object) -> bool:
        return isinstance(row, Row) and row.columns.kind == self.kind

    def __call__(self, *values: Any, **named: Any) -> Row:
        """Makes a row; TypeError for a value that is missing, given twice, or of no column."""
        given = [column.key for column in self if column.compute is None]
        if len(values) > len(given) or not named.keys() <= set(given[len(values) :]):
            raise TypeError(f"{self.kind} has the columns {', '.join(given)}, not {', '.join(map(str, named))}")
        row = dict(zip(given, values, strict=False)) | named
        missing = [key for key in given if key not in row and self.by_key[key].default is ...]
        if missing:
            raise TypeError(f"{self.kind} lacks {', '.join(missing)}")
        return self.row(self, {key: row.get(key, self.by_key[key].default) for key in given})

    def of(self, source: Any, **named: Any) -> Row:
        """Makes a row whose values that are not named are the attributes of an object, such as a plan."""
        taken = {
            key: getattr(source, key)
            for key, column in self.by_key.items()
            if key not in named and column.compute is None and hasattr(source, key)
        }
        return self(**taken, **named)

    def table(
        self,
        rows: Iterable[Row],
        *,
        before: Sequence[Column] = (),
        after: Sequence[Column] = (),
        titles: Mapping[str, Text] = {},
        cells: Mapping[str, Cell] = {},
        left: int = 1,
    ) -> Table:
        """The rows as a table of the columns that have a title and a value that is not None.

        Args:
            before: columns put before the others, whose cells are given the row.
            after: such columns behind the others.
            titles: other titles, by the columns' keys; an empty one leaves the column out.
            cells: other functions that write cells, by the columns' keys.
            left: number of the first columns that hold text.
        """
        rows = list(rows)
        shown = [
            (titles.get(column.key, column.title), column)
            for column in self
            if titles.get(column.key, column.title) and not (rows and all(getattr(row, column.key) is None for row in rows))
        ]
        lines: list[Sequence[Text]] = [
            [
                *(column.cell(row) for column in before),
                *(cells.get(column.key, column.cell)(getattr(row, column.key)) for _, column in shown),
                *(column.cell(row) for column in after),
            ]
            for row in rows
        ]
        heads = [*((column.title, column) for column in before), *shown, *((column.title, column) for column in after)]
        return Table([title for title, _ in heads], lines, left, [str(title) for title, column in heads if column.spare])


class Row(Result):
    """A row of results: an attribute for each of its columns."""

    columns: Columns
    _values: Mapping[str, Any]

    def __init__(self, columns: Columns, values: Mapping[str, Any]) -> None:
        vars(self).update(columns=columns, _values=dict(values))

    def __getattr__(self, key: str) -> Any:
        columns = vars(self).get("columns")  # a row that is being copied has none yet
        if columns is None or key not in columns.by_key:
            raise AttributeError(f"{columns.kind if columns else 'Row'} has no {key!r}")
        compute = columns.by_key[key].compute
        return self._values[key] if compute is None else compute(self)

    def __setattr__(self, key: str, value: Any) -> None:
        raise AttributeError(f"{self.columns.kind} cannot be changed; `but` makes another one")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self.columns.kind == other.columns.kind and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def _readable(self) -> tuple[str, Mapping[str, Any]]:
        return self.columns.kind, self._values

    def but(self, **changed: Any) -> Row:
        """The same row with other values in some columns."""
        return self.columns(**{**self._values, **changed})

    def figures(self) -> dict[str, Any]:
        """The figures as plain values by their keys."""
        found: dict[str, Any] = {}
        for column in self.columns:
            found |= column.figures(getattr(self, column.key))
        return found

    def document(self, command: str = "", **more: Any) -> Document | None:
        """The report; None if rows of this kind have none. ``more`` is for reports that take more."""
        return None if self.columns.document is None else self.columns.document(self, command, **more)
