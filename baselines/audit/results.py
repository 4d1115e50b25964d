"""The results of audits, each in a process of its own, and their report."""

import os
import re
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from functools import partial
from pathlib import Path
from typing import Any

from cardenvs.baselines.engine.executors import Processes, WorkerLost
from cardenvs.baselines.reports.columns import Column, Columns, Row, count_column, name_column
from cardenvs.baselines.reports.document import Command, Document, Heading, Name, Strong, Words, in_file
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.runs.progress import Count
from cardenvs.baselines.runs.store import Parts

Auditor = Callable[[str, int, float, int], dict[str, Any]]
SPARE_SECONDS = 120
"""Processor time beyond that of a game after which its process is ended, as it hangs."""


def document(result: Row, command: str = "") -> Document:
    """The report of an `Audit`."""
    blocks: list[Any] = []
    for game in result.games:
        blocks += [Heading(Name(game.name), 3)] if game.findings else []
        for found in game.findings:
            blocks += [Words((Strong(found["kind"]), f", {found['count']:,} times; {found['words']}."))]
            blocks += [in_file(Command(found["example"]))]
    return fill_report(
        Path(__file__).with_name("report.md"), result=result, command=command, findings=blocks,
        games=Audited.table(result.games), any=any(game.findings for game in result.games),
    )  # fmt: skip


Audited = Columns(
    "Audited",
    name_column("name", "the game's name", "game"),
    count_column("positions", "number of positions looked at", "positions"),
    Column("findings", "the findings, each with `kind`, `count`, `words`, the shortest `history` that shows it, and as "
           "`example` lines of Python of which the last fails", "findings",
           lambda found: ", ".join(one["kind"] for one in found) or "none"),
    Column("redeal", "whether it has re-deals: yes, no, or fails if some contradict it", "re-deal"),
    count_column("redeals", "number of re-deals", "re-deals"),
    count_column("without_redeal", "number of times that there was none", "without"),
    Column("microseconds_a_redeal", "mean time of one; None without", "µs each",
           lambda value: "" if value is None else f"{value:,.0f}"),
    Column("channels", "the methods by which seats are told something"),
    Column("seconds", "processor time"),
)  # fmt: skip
"""The audit of a game."""

Audit = Columns(
    "Audit",
    Column("library", "the library and its version"),
    Column("seed", "the seed"),
    Column("positions", "the most positions of a game"),
    Column("seconds", "the most processor time for a game"),
    Column("games", "the games (`Audited`)"),
    document=document,
)
"""The audit of some games."""


def audit_quietly(audit: Auditor, name: str, positions: int, seconds: float, seed: int) -> dict[str, Any]:
    """Audits in a process of its own, which ends if it hangs, and in which the library prints nothing."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds + SPARE_SECONDS)
    return audit(name, positions, seconds, seed)


def audit_games(
    audit: Auditor, library: str, names: Sequence[str], *, positions: int, seconds: float, seed: int, workers: int = 1,
    out: Path | None = None, progress: Count | None = None,
) -> Row:  # fmt: skip
    """Audits games, each in a process of its own, and keeps what is finished in a folder; returns an `Audit`.

    Args:
        audit: `cardenvs.baselines.audit.audit_game` or `audit_module`.
        library: the library and its version.
        names: the games' names.
        positions: number of positions after which a game's audit ends.
        seconds: processor time after which it ends.
        workers: number of processes.

    Raises:
        ValueError: a game cannot be judged; the folder holds an audit with other settings.
    """
    settings = {"library": library, "positions": positions, "seconds": seconds, "seed": seed}
    parts = None if out is None else Parts(out, settings, "audit")
    tell, found, pool = progress or (lambda done, name: None), dict[str, Any](), Processes(workers)
    files = {name: re.sub(r"[^\w.=-]+", "-", name) for name in names}
    try:
        waiting = {}
        for name in names:
            if parts is not None and (parts.folder / f"{files[name]}.json").is_file():
                found[name] = parts.kept(files[name], dict)
                tell(1, name)
            else:
                waiting[pool.submit(audit_quietly, audit, name, positions, seconds, seed)] = name
        for future in as_completed(waiting):
            name = waiting[future]
            try:
                figures = future.result()
            except WorkerLost as error:
                kind = "hangs" if "SIGPROF" in error.why else "crashes"
                ended = {"kind": kind, "count": 1, "words": f"its process {error.why}", "history": [], "example": ""}
                figures = dict.fromkeys(Audited.by_key, 0) | {
                    "name": name, "findings": [ended], "redeal": "no", "microseconds_a_redeal": None, "channels": [],
                }  # fmt: skip
            found[name] = figures if parts is None else parts.kept(files[name], partial(dict, figures))
            tell(1, name)
    finally:
        pool.shutdown(cancel_futures=True)
    return Audit(library, seed, positions, seconds, [Audited(**found[name]) for name in names])
