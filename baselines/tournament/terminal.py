"""Playing all pairings at the terminal under a progress bar, until they are finished or stopped; then the reports."""

from __future__ import annotations

import functools
import shlex
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from rich.console import Console
from rich.table import Table

from cardenvs import cli
from cardenvs.baselines.commands import option_words, print_result, tell_left_out, tell_reports
from cardenvs.baselines.reporting import write_reports
from cardenvs.baselines.tournament.settings import TournamentSettings
from cardenvs.baselines.tournament.store import Store
from cardenvs.baselines.tournament.workers import play_all
from cardenvs.printing import remark


class Result(Protocol):
    """The results of play, as far as commands need to know them."""

    def as_dict(self) -> dict[str, Any]:
        """The results for JSON."""
        ...


AnyResult = TypeVar("AnyResult", bound=Result)


@dataclass(frozen=True)
class Presentation(Generic[AnyResult]):
    """Functions that make results of the deals played, and show them.

    Attributes:
        results: makes the results of a folder in which all is played.
        markdown: makes the report of the results, of the command line that makes them again, and of the file name of each
            picture (None for one that is left out).
        pictures: by name, ``.png`` left out, what draws the results as the content of a PNG file.
        tables: makes tables and lines of text for a console.
    """

    results: Callable[[Store], AnyResult]
    markdown: Callable[..., str]
    pictures: Mapping[str, Callable[[AnyResult], bytes]]
    tables: Callable[[AnyResult, Console], Iterable[Table | str]]


def play_and_report(
    settings: TournamentSettings,
    shown: Presentation[AnyResult],
    words: Sequence[str],
    *,
    out: Path | None,
    workers: int | None,
    cluster: str | None,
    report: Path | None,
    as_json: bool,
) -> int:
    """Plays a tournament, or other play of the same kind, writes its reports and prints its results.

    Args:
        settings: what is played.
        shown: how the results are shown.
        words: the command line that makes the results again, from ``cardenvs`` and the command's name on.
        out: where finished chunks of deals and the reports are kept; None: ``runs/COMMAND-GAME``.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        report: a Markdown file for a copy of the report; None: no copy.
        as_json: print one JSON object instead of tables.

    Returns:
        The exit status: 0; `cardenvs.cli.FORFEITED` if a pairing was forfeited, of which all else is reported; 130 if
        playing was interrupted.

    Raises:
        ValueError, OSError, RuntimeError: as `cardenvs.baselines.tournament.play_all`; a report cannot be written.
    """
    folder = out or Path("runs", f"{words[1]}-{settings.game}")
    given = {"--out": out, "--report": report, "--workers": workers, "--cluster": cluster}
    to_go_on = shlex.join([*words, *option_words(given)])
    store = play_or_stop(settings, folder, workers, cluster, to_go_on)
    if store is None:
        return 128 + signal.SIGINT
    result = shown.results(store)
    text = functools.partial(shown.markdown, result, shlex.join(words))
    pictures = {name: functools.partial(draw, result) for name, draw in shown.pictures.items()}
    written = write_reports(folder, report, result.as_dict(), text, pictures)
    print_result(result.as_dict(), lambda console: shown.tables(result, console), as_json)
    tell_left_out("the report's pictures are left out")
    tell_reports(written, report)
    return tell_forfeits(store)


def tell_forfeits(store: Store) -> int:
    """Says on standard error if pairings were forfeited, and how they are played on; returns the exit status."""
    if not store.forfeits:
        return 0
    count = len(store.forfeits)
    remark(f"cardenvs: {count} {'pairing was' if count == 1 else 'pairings were'} forfeited; {store.to_play_anew}")
    return cli.FORFEITED


def play_or_stop(
    settings: TournamentSettings, folder: Path, workers: int | None, cluster: str | None, to_go_on: str
) -> Store | None:
    """Plays the pairings of a tournament, or of cross-play, under a progress bar.

    Args:
        settings: the settings of the tournament or of the cross-play.
        folder: where finished chunks of deals are kept.
        workers: processes that play; None: one for each core.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
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
            return play_all(settings, folder, workers=workers, cluster=cluster, progress=progress)
        except KeyboardInterrupt:
            kept = f"interrupted after {played} of {total} deals, kept in {str(folder)!r}"
            remark(f"cardenvs: {kept}; to go on: {to_go_on}")
            return None
        except ValueError as error:
            if played:
                raise ValueError(f"{error}; finished results are kept in {str(folder)!r}") from error
            raise
