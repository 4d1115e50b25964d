"""How long the first use takes: ``python benchmarks/first_use.py [NAME]... [--report FILE] [--json]``.

Commands as a newcomer types them, each in a fresh process with an empty kernel cache, and then once more. NAMEs are
measured alone, and the others' figures stay as the report's JSON file has them. ``make-demo`` and ``make-test``, in a
fresh clone whose set-up is timed apart, are measured only where they are named: they take many minutes, and need a
network for the set-up.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from measuring import hand_over, machine, tell

from cardenvs import cli
from cardenvs.baselines.reports.document import Code, Document, Table, said
from cardenvs.baselines.reports.files import write_document
from cardenvs.compiled.machine import cores

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "tutorials" / "describe_a_game.md"
COMMANDS = {
    "random": "match euchre random random --deals 100",
    "hybrid": "match euchre hybrid random --deals 2",
    "learned": "match euchre learned hybrid --deals 2",
    "pimc": "match euchre pimc random --deals 2",
    "ismcts": "match euchre ismcts hybrid --deals 2",
    "hanabi": "match hanabi smartbot --deals 2",
    "described": "match hearts random random --deals 2",
    "described-search": "match tussle.rcy ismcts:simulations=100 random --deals 50",
    "described-training": "train tussle.rcy --steps 130000 --out runs/tussle",
    "training": "train euchre --steps 130000 --out runs/euchre",
    "review": f"review {ROOT / 'tests' / 'figures' / 'records' / 'euchre.txt'} --deal 1",
    "warmup": "warmup",
}
"""What is used first, and the command that does so; ``tussle.rcy`` is the game of the tutorial on descriptions."""
CALIBRATION_S = 0.25
"""Processor seconds that the loop of `calibration` takes on the machine that others are compared with."""
TARGETS = {"make-demo": ("demo", ".venv/.trains"), "make-test": ("test", ".venv/.ready")}
"""Targets of the Makefile, and what sets the environment up for them."""


def timed(words: Sequence[str], folder: Path, cache: Path) -> dict[str, float]:
    """Wall time of a command and processor time of it and its processes, also by a fixed loop before and behind it, in s.

    Args:
        folder: the folder that the command runs in.
        cache: the folder of compiled kernels.

    Raises:
        RuntimeError: the command has failed.
    """
    tell(shlex.join(words))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "CARDENVS_QUIET": "1"}
    loops = calibration()
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"{shlex.join(words)} has failed:\n{output.read().decode()[-2000:]}")
    seconds, cpu = time.perf_counter() - began, used.ru_utime + used.ru_stime
    loops += calibration()
    return {"seconds": seconds, "cpu_seconds": cpu, "calibrated_seconds": cpu * 2 * CALIBRATION_S / loops}


def calibration() -> float:
    """Processor seconds of a fixed loop in Python."""
    began, total = time.process_time(), 0
    for k in range(6_900_000):
        total += k * k % 7
    return time.process_time() - began


def first_use(name: str) -> dict[str, Any]:
    """The times of a command of `COMMANDS`, with nothing compiled and once more."""
    command = [sys.executable, "-m", "cardenvs.cli", *shlex.split(COMMANDS[name])]
    figures = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                parts = re.findall(
                    r'^```lisp title="tussle.rcy"\n(.*?)^```', TUTORIAL.read_text("utf-8"), re.DOTALL | re.MULTILINE
                )
                Path(folder, "tussle.rcy").write_text("".join(parts), "utf-8")
                figures.append(timed(command, Path(folder), Path(cache)))
    first, again = figures
    command_line = f"cardenvs {COMMANDS[name].replace(f'{ROOT}/', '')}"
    return {"command": command_line, **first, **{f"again_{key}": seconds for key, seconds in again.items()}}


def made(name: str) -> dict[str, Any]:
    """The times of a target of the Makefile in a fresh clone, and of the set-up before it."""
    target, ready = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), folder], check=True)
        set_up = timed(["make", ready], Path(folder), Path(cache))
        return {
            "command": f"make {target}",
            **timed(["make", target], Path(folder), Path(cache)),
            "set_up_seconds": set_up["seconds"],
        }


def document(figures: dict[str, Any]) -> Document:
    """The report."""
    where = figures["machine"]
    meaning = said(
        f"""Written by `python benchmarks/first_use.py --report docs/results/first_use.md`, with `make-demo make-test`
        before `--report` for these. {where["processor"]}, {where["cores"]} cores; Python {where["python"]}, numba
        {where["numba"]}. Seconds of wall time with nothing compiled, and with the same command once more; the processor
        time is that of all processes of the first run, and calibrated it is divided by that of a fixed loop before and
        behind it, times {CALIBRATION_S} s, so that machines compare. The set-up of a fresh clone is timed apart."""
    )

    def cell(one: dict[str, Any], key: str) -> str:
        return f"{one[key]:,.1f}" if key in one else ""

    keys = ("seconds", "cpu_seconds", "calibrated_seconds", "again_seconds", "set_up_seconds")
    rows = [[Code(one["command"]), *(cell(one, key) for key in keys)] for one in figures["measured"].values()]
    heads = ["command", "nothing compiled, s", "processor, s", "calibrated, s", "once more, s", "set-up before, s"]
    return Document("The first use", [meaning, Table(heads, rows)])


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice([*COMMANDS, *TARGETS]))
@cli.report_option
@cli.json_option
def main(names: tuple[str, ...], report: Path | None, as_json: bool) -> None:
    """How long the first use takes, with nothing compiled; that of NAME alone, if it is given."""
    kept = report.with_suffix(".json") if report is not None else None
    measured = json.loads(kept.read_text("utf-8"))["measured"] if kept is not None and kept.exists() else {}
    figures: dict[str, Any] = {"measured": {}, "machine": {**machine("numba"), "cores": cores()}}
    for name in names or COMMANDS:
        measured[name] = made(name) if name in TARGETS else first_use(name)
        figures["measured"] = {name: measured[name] for name in (*COMMANDS, *TARGETS) if name in measured}
        if report is not None:  # at once: what was measured stays where a later command fails or is stopped
            write_document(document(figures), figures, None, report)
    hand_over(figures, document(figures), None, as_json)


if __name__ == "__main__":
    main()
