"""Finished parts of a long reproduction in a folder, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cardenvs.baselines.runs.resume import was_begun
from cardenvs.files import json_text, sweep_folder, write_whole

SETTINGS_FILE = "reproduction.json"
"""The file in the folder that holds the settings of the run."""


class Parts:
    """Finished parts of one run, a JSON file each.

    Args:
        folder: folder of the run; made if there is none.
        settings: all that the results depend on, by the names of the command's options (with ``_`` for ``-``).

    Raises:
        ValueError: the folder holds a run with other settings; says which differ.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder

        def differences(stored: dict[str, Any]) -> list[str]:
            return [
                f"--{name.replace('_', '-')} {stored[name]}, not {value}"
                for name, value in settings.items()
                if stored[name] != value
            ]

        sweep_folder(folder, "*.json")
        if not was_begun(folder, SETTINGS_FILE, "reproduction", differences):
            write_whole(folder / SETTINGS_FILE, json_text(settings))

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """A part of the run by name: read from its file, or made by ``make`` and then kept in that file.

        Args:
            name: name of the part's file, without ``.json``.
            make: computes the part, as plain values for JSON.

        Returns:
            The part as JSON gives it back.

        Raises:
            ValueError: the part's file is damaged.
            OSError: the folder cannot be written.
        """
        path = self.folder / f"{name}.json"
        if path.is_file():
            try:
                return json.loads(path.read_text())
            except json.JSONDecodeError:
                raise ValueError(f"{str(path)!r} is damaged: delete it and run the reproduction again") from None
        text = json.dumps(make())
        write_whole(path, text + "\n")
        return json.loads(text)
