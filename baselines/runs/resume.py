"""Folders in which interrupted work goes on: a check of the settings kept there against those asked for now."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

OTHERWISE = "give another folder with out=..."
"""Advice in messages about a folder that has other settings."""


def was_begun(
    folder: Path, file: str, kind: str, differences: Callable[[dict[str, Any]], list[str]], otherwise: str = OTHERWISE
) -> bool:
    """Whether work with the same settings was begun in a folder, which need not exist.

    Args:
        file: the name of the JSON file in the folder that holds the settings.
        kind: the work in a word, for messages: ``"tournament"``.
        differences: returns how the settings of the file differ from those asked for now, a text for each difference.
        otherwise: what messages say can be done instead of going on with the same settings.

    Raises:
        ValueError: the folder is a file, the settings cannot be read, or they differ; says how.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is not a folder")
    path = folder / file
    if not path.is_file():
        return False
    try:
        changes = differences(json.loads(path.read_text()))
    except (KeyError, TypeError, json.JSONDecodeError):
        raise ValueError(f"{str(path)!r} does not hold the settings of a {kind}") from None
    if changes:
        raise ValueError(
            f"the {kind} in {str(folder)!r} was begun with {'; '.join(changes)}: "
            f"go on with the same settings, or {otherwise}"
        )
    return True
