"""Finished parts of a long reproduction in a folder, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cardenvs.baselines.runs.resume import was_begun
from cardenvs.files import json_text, sweep_folder, write_whole

SETTINGS_FILE = "reproduction.json"  # in the folder


class Parts:
    """Finished parts of one run in a folder, a JSON file each.

    Args:
        settings: all that the results depend on, by the names of the command's options (with ``_`` for ``-``).

    Raises:
        ValueError: the folder holds a run with other settings; says which differ.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder

        def differences(stored: dict[str, Any]) -> list[str]:
            other = [name for name, value in settings.items() if stored[name] != value]
            return [f"--{name.replace('_', '-')} {stored[name]}, not {settings[name]}" for name in other]

        sweep_folder(folder, "*.json")
        if not was_begun(folder, SETTINGS_FILE, "reproduction", differences):
            write_whole(folder / SETTINGS_FILE, json_text(settings))

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """A part as JSON gives it back: read from the file of its name, or made by ``make`` and then kept in that file.

        Raises:
            ValueError: the part's file is damaged.
        """
        path = self.folder / f"{name}.json"
        if not path.is_file():
            write_whole(path, json.dumps(make()) + "\n")
        try:
            return json.loads(path.read_text())
        except json.JSONDecodeError:
            raise ValueError(f"{str(path)!r} is damaged: delete it and run the reproduction again") from None
