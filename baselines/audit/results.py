"""The results of audits, each game in a process of its own, and their report."""

import os
import re
import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cardenvs.baselines.engine.executors import Processes, WorkerLost
from cardenvs.baselines.reports.columns import Column, Columns, Row, count_column, name_column
from cardenvs.baselines.reports.document import Command, Document, Heading, Name, Strong, Words, in_file
from cardenvs.baselines.reports.template import fill_report
from cardenvs.baselines.runs.progress import Count
from cardenvs.baselines.runs.store import Parts


def document(result: Row, command: str = "") -> Document:
    """The report of an `Audit`."""
    blocks: list[Any] = []
    for game in [game for game in result.games if game.findings]:
        blocks.append(Heading(Name(game.name), 3))
        for one in game.findings:
            blocks.append(Words((Strong(one["kind"]), f", {one['count']:,} times; {one['words']}.")))
            blocks.append(in_file(Command(one["example"])))
    path, games = Path(__file__).with_name("report.md"), Audited.table(result.games)
    return fill_report(path, result=result, command=command, games=games, findings=blocks, any=bool(blocks))


Audited = Columns(
    "Audited", name_column("name", "the game's name", "game"),
    count_column("positions", "number of positions looked at", "positions", default=0),
    Column("findings", "the findings: `kind`, `count`, `words`, the shortest `history`, and as `example` Python of which "
           "the last line fails", "findings", lambda found: ", ".join(one["kind"] for one in found) or "none"),
    Column("redeal", "whether it has re-deals: yes, no, or fails if some are wrong", "re-deal", default="no"),
    count_column("redeals", "number of re-deals", "re-deals", default=0),
    count_column("without_redeal", "number of times that there was none", "without", default=0),
    Column("microseconds_a_redeal", "mean time of one; None without", "µs each",
           lambda value: "" if value is None else f"{value:,.0f}", default=None),
)  # fmt: skip
"""The audit of a game."""

Audit = Columns(
    "Audit", Column("library", "the library and its version"), Column("seed", "the seed"),
    Column("positions", "the most positions of a game"), Column("seconds", "the most processor time for a game"),
    Column("games", "the games (`Audited`)"), document=document,
)  # fmt: skip
"""The audit of some games."""


def audit_quietly(audit: Callable[..., Any], name: str, seconds: float, **settings: Any) -> Any:
    """Audits in a process of its own, which ends if it takes 2 minutes more, and in which the library prints nothing."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds + 120)
    return audit(name, seconds=seconds, **settings)


def audit_apart(audit: Callable[..., Any], name: str, **settings: Any) -> Any:
    """The figures of a game; the end of its process, if that comes before them, is a finding."""
    pool = Processes(1)
    try:
        return pool.submit(partial(audit_quietly, audit, name, **settings)).result()
    except WorkerLost as error:
        ended = {"kind": "hangs" if "SIGPROF" in error.why else "crashes", "count": 1, "words": f"its process {error.why}"}
        return {"name": name, "findings": [ended | {"history": [], "example": ""}]}
    finally:
        pool.shutdown(cancel_futures=True)


def audit_games(
    audit: Callable[..., Any], library: str, names: Sequence[str], *, out: Path | None = None,
    progress: Count = lambda done, name: None, **settings: Any,
) -> Row:  # fmt: skip
    """Audits games, each in a process of its own, until some ``positions`` or ``seconds`` are over; returns an `Audit`.

    ``library`` is its name and version, ``out`` a folder for what is finished: ValueError if it holds another audit.
    """
    found = []
    with TemporaryDirectory() as unkept:
        parts = Parts(out or Path(unkept), {"library": library} | settings, "audit")
        for name in names:
            figures = parts.kept(re.sub(r"[^\w.=-]+", "-", name), partial(audit_apart, audit, name, **settings))
            found.append(Audited(**figures))
            progress(1, name)
    return Audit(library=library, games=found, **settings)
