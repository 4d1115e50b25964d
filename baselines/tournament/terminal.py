"""Playing all pairings at the terminal under a progress bar, until they are finished or Ctrl-C stops them."""

from __future__ import annotations

import sys
from pathlib import Path

from cardenvs import cli
from cardenvs.baselines.tournament.settings import Settings
from cardenvs.baselines.tournament.store import Store
from cardenvs.baselines.tournament.workers import play_all


def play_or_stop(settings: Settings, folder: Path, workers: int | None, to_go_on: str) -> Store | None:
    """Plays the pairings of a tournament, or of cross-play, under a progress bar.

    Args:
        settings: the settings of the tournament or of the cross-play.
        folder: where finished chunks of deals are kept.
        workers: processes that play; None: one for each core.
        to_go_on: the command line that goes on where this one was stopped.

    Returns:
        The folder with all results; None if playing was interrupted, which is said on standard error with ``to_go_on``.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`.
    """
    played, total, pairings = 0, len(settings.pairs) * settings.deals, len(settings.pairs)
    with cli.counting(f"0/{pairings} pairings", total, "deals") as count:

        def progress(deals_done: int, pairings_done: int) -> None:
            """Moves the progress bar on."""
            nonlocal played
            count(deals_done - played, f"{pairings_done}/{pairings} pairings")
            played = deals_done

        try:
            return play_all(settings, folder, workers=workers, progress=progress)
        except KeyboardInterrupt:
            kept = f"interrupted after {played} of {total} deals, kept in {str(folder)!r}"
            print(f"cardenvs: {kept}; to go on: {to_go_on}", file=sys.stderr)
            return None
        except ValueError as error:
            if played:
                raise ValueError(f"{error}; finished results are kept in {str(folder)!r}") from error
            raise
