"""Results as dataclasses: their figures for JSON, their text for people."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cardenvs.baselines.reports.statistics import Interval, interval_fields
from cardenvs.checks import Readable
from cardenvs.contract.spec import GameSpec
from cardenvs.files import finite

if TYPE_CHECKING:
    from cardenvs.baselines.reports.document import Document


class Result(Readable):
    """Mixed into frozen dataclasses (``repr=False``) that hold results.

    Class attributes say where the figures for JSON differ from the fields:

    Attributes:
        KEYS: the keys of fields that are called otherwise in JSON, by the fields' names.
        ENDS: the keys of intervals' ends that are not ``KEY_ci95``, by the fields' names.
        ALSO: properties that JSON has as well, after the fields.
        OPTIONAL: fields that JSON has only where they are neither None nor empty.
        HIDDEN: fields that JSON has not.
    """

    KEYS: ClassVar[Mapping[str, str]] = {
        "spec": "game", "points_margin": "mean_points", "tricks_margin": "mean_tricks",
    }  # fmt: skip
    ENDS: ClassVar[Mapping[str, str]] = {}
    ALSO: ClassVar[tuple[str, ...]] = ()
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    HIDDEN: ClassVar[tuple[str, ...]] = ()

    def figures(self) -> dict[str, Any]:
        """The figures as plain values by their keys; an `Interval` is two, its mean and ``KEY_ci95``."""
        own, names = inspect.get_annotations(type(self)), [field.name for field in fields(self)]
        names.sort(key=lambda name: name not in own)  # what a class adds says what its results are of
        found: dict[str, Any] = {}
        for name in (*names, *self.ALSO):
            value = getattr(self, name)
            empty = value is None or (isinstance(value, (list, tuple, dict)) and not value)
            if name not in self.HIDDEN and not (empty and name in self.OPTIONAL):
                key = self.KEYS.get(name, name)
                of_interval = _is_interval(self, name, value)
                found |= interval_fields(key, value, self.ENDS.get(name, "")) if of_interval else {key: plain(value)}
        return found

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; nan and the infinities become None."""
        return dict(finite(self.figures()))

    def document(self, command: str = "") -> Document | None:
        """The report of the results, which quotes the ``command`` that makes them again; None if they have none."""
        return None

    def markdown(self, command: str = "") -> str:
        """The report as Markdown, without its pictures; TypeError if these results have none."""
        from cardenvs.baselines.reports.markdown import markdown

        document = self.document(command)
        if document is None:
            raise TypeError(f"{type(self).__name__} has no report of its own")
        return markdown(document, dict.fromkeys(document.pictures()))

    def __str__(self) -> str:
        document = self.document()
        if document is None:
            return super().__str__()
        from cardenvs.baselines.reports.terminal import text_of

        return text_of(document)


def _is_interval(result: Result, name: str, value: Any) -> bool:
    if value is not None:
        return isinstance(value, Interval)
    field = next((field for field in fields(result) if field.name == name), None)
    return field is not None and str(field.type).startswith("Interval")


def plain(value: Any) -> Any:
    """A value as JSON has it: results by their figures, games by their names, other dataclasses by their fields."""
    if isinstance(value, Result):
        return value.figures()
    if isinstance(value, GameSpec):
        return value.name
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value
