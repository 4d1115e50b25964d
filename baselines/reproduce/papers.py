"""Figures that the papers print, and the sentence in which a report names the command that writes it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from cardenvs.baselines.reports.document import Code, Words


def paper_data(name: str) -> dict[str, Any]:
    """The figures that a paper prints, from ``data/NAME.json``; notes on the data are in the file."""
    text = resources.files("cardenvs.baselines.reproduce").joinpath(f"data/{name}.json").read_text("utf-8")
    return dict(json.loads(text))


def written_by(command: str) -> Words:
    """The sentence in which a report names the command line that wrote it."""
    return Words(("Written by ", Code(f"{command} --report FILE"), "."))
