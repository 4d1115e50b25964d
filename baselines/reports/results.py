"""Results: their figures for JSON, their text for people."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from cardenvs.baselines.reports.document import Document
from cardenvs.checks import Readable
from cardenvs.contract.spec import GameSpec
from cardenvs.files import finite

KEYS = {"spec": "game", "points_margin": "mean_points", "tricks_margin": "mean_tricks"}
"""The keys in JSON of what results call otherwise."""


class Result(Readable):
    """Figures for JSON, and a report if there is one: the base of all results."""

    def figures(self) -> dict[str, Any]:
        """The figures as plain values by their keys."""
        raise NotImplementedError

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
            raise TypeError(f"{self._readable()[0]} has no report of its own")
        return markdown(document, dict.fromkeys(document.pictures()))

    def __str__(self) -> str:
        from cardenvs.baselines.reports.terminal import text_of

        document = self.document()
        return super().__str__() if document is None else text_of(document)


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
