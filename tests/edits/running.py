"""Processes of pytest in copies of the repository, and files of results that grow line by line."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cardenvs.compiled.cache import VARIABLE, cache_home
from tests.edits.places import Edit


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of results; a last one that was not written whole is removed."""
    content = path.read_bytes() if path.exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        path.write_bytes(whole)
    return [json.loads(line) for line in whole.splitlines()]


def append(path: Path, line: dict[str, Any]) -> None:
    """Adds a line to a file of results."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


@contextlib.contextmanager
def copied(root: Path, edit: Edit | None = None) -> Iterator[Path]:
    """A copy of the repository in a temporary folder of its own; if it is edited, with a cache of kernels of its own."""
    with tempfile.TemporaryDirectory(prefix="edits-", ignore_cleanup_errors=True) as folder:
        tree, home = Path(folder).resolve() / "tree", cache_home()
        made = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__")
        shutil.copytree(root, tree, symlinks=True, ignore=made)
        for name in ("runs", "site", "build", "dist"):
            shutil.rmtree(tree / name, ignore_errors=True)
        if edit is not None:
            path = tree / edit.path
            path.write_bytes(edit.apply(path.read_bytes()))
            if home is not None:  # its files are replaced, never written to
                same_disk = home.stat().st_dev == tree.stat().st_dev
                shutil.copytree(home, tree.parent / "kernels", copy_function=os.link if same_disk else shutil.copy2)
        yield tree


def run(
    tree: Path, words: Sequence[str], *, compiled: bool, all_s: float = float("inf"), more: dict[str, str], **settings: Any
) -> tuple[int, list[dict[str, Any]]]:
    """Runs tests of a copy; returns pytest's status, negative if it was killed, and the report.

    After ``all_s`` CPU seconds no other test begins; ``more``: environment variables; ``settings``: ``ids``, the tests in
    order, None for all, and ``test_s``, CPU seconds after which a test fails.
    """
    report, file, temporary, kernels = (tree.parent / name for name in ("report", "settings", "temporary", "kernels"))
    report.unlink(missing_ok=True)
    temporary.mkdir(exist_ok=True)
    file.write_text(json.dumps({"report": str(report), "all_s": all_s, **settings}), "utf-8")
    others = ("COVERAGE_PROCESS_START", "NUMBA_DISABLE_JIT")
    variables = {name: value for name, value in os.environ.items() if name not in others} | more
    variables["PYTHONPATH"] = os.pathsep.join((str(tree), str(Path(__file__).parent / "within")))
    variables |= {"EDITS_SETTINGS": str(file), "TMPDIR": str(temporary)}
    variables |= {VARIABLE: str(kernels)} if kernels.exists() else {}
    variables |= {} if compiled else {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "recorder", "-p", "no:cacheprovider", "--rootdir=.", *words]
    with (tree.parent / "output").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=tree, env=variables, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status = process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):  # also what it has started
                os.killpg(process.pid, signal.SIGKILL)
    return status, read(report)
