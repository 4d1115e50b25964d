"""Default folders and files of tables and sessions, in the user's folder for the state of programs."""

from datetime import datetime
from pathlib import Path

import platformdirs

from cardenvs.files import name_in_path, sweep_folder


def tables_folder() -> Path:
    """Returns the folder of the tables that are played in the browser."""
    return Path(platformdirs.user_state_dir("cardenvs")) / "tables"


def sweep_tables(folder: Path) -> None:
    """Removes half-written files of killed servers from a folder of tables: they hold the tables' links."""
    sweep_folder(folder, "*-*.json", "*-*.txt")


def new_file(kind: str, game: str, ending: str = "txt") -> Path:
    """Returns the path of a new file, named by the game and the time; removes half-written files beside it.

    ``kind`` is the folder: ``"terminal"`` or ``"advise"``.
    """
    folder = Path(platformdirs.user_state_dir("cardenvs", appauthor=False), kind)
    sweep_folder(folder, f"*.{ending}")
    stem = f"{name_in_path(game)}-{datetime.now():%Y%m%d-%H%M%S}"
    tries = [folder / f"{stem}{more}.{ending}" for more in ("", *(f"-{k}" for k in range(2, 100)))]
    return next((path for path in tries if not path.exists()), tries[-1])
