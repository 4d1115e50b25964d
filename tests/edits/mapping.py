"""Which tests execute which lines."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.edits.places import PACKAGES, digest
from tests.edits.running import append, copied, read, run

Lines = dict[str, int]
"""Executed lines by file: bit n stands for line n."""


def _traced(tree: Path, words: list[str], **settings: Any) -> tuple[list[dict[str, Any]], dict[str, Lines]]:
    """Runs tests under coverage: the report on each, and executed lines by the test's number, at import by ``""``."""
    import coverage

    rc, include = tree.parent / "rc", "".join(f"\n    {tree / package}/*" for package in PACKAGES)
    data = f"data_file = {tree.parent}/data\nparallel = true\ncontext = ${{EDITS_TEST-}}"
    rc.write_text(f"[run]\ncore = ctrace\n{data}\ninclude = {include}\n", "utf-8")
    status, report = run(tree, words, more={"COVERAGE_PROCESS_START": str(rc)}, **settings)
    if status not in (0, 1, 2, 5):
        raise RuntimeError(f"{words[0]}: pytest ended with {status}\n{(tree.parent / 'output').read_text('utf-8')[-3000:]}")
    measured, lines = coverage.Coverage(config_file=str(rc)), defaultdict[str, Lines](lambda: defaultdict(int))
    measured.combine()
    for path in measured.get_data().measured_files():
        for line, tests in measured.get_data().contexts_by_lineno(path).items():
            for test in tests:
                lines[test][Path(path).relative_to(tree).as_posix()] |= 1 << line
    measured.erase()
    return [line for line in report if "passed" in line], lines


def _mapped(tree: Path, words: list[str], all_compiled: bool, test_s: float) -> dict[str, Any]:
    """The tests of a file, each as it is to be run, with the lines that it executes in plain Python."""
    plain, lines = _traced(tree, words, compiled=False, ids=None, test_s=test_s)
    reached = {test["id"]: lines[str(test["number"])] for test in plain}
    tests = [test for test in plain if not (all_compiled or test["compiled"])]
    ids = [test["id"] for test in plain if all_compiled or test["compiled"]]
    if ids:
        compiled, more = _traced(tree, words, compiled=True, ids=ids, test_s=10 * test_s)
        tests += [test | {"compiled": True} for test in compiled]
        for test in compiled:
            for path, mask in more[str(test["number"])].items():
                reached[test["id"]][path] |= mask
    for test in tests:
        test["lines"] = {path: hex(mask) for path, mask in reached[test["id"]].items()}
    at_import = {path: hex(mask) for path, mask in lines[""].items()}
    return {
        "at_import": at_import,
        "tests": [test for test in tests if test["passed"]],
        "left_out": [test["id"] for test in tests if not test["passed"]],
    }


def make_map(root: Path, out: Path, paths: Iterable[str], marker: str, all_compiled: bool, test_s: float) -> None:
    """Adds to a map what it lacks, a line for each test file: those in some paths that a marker expression selects.

    A test ends after ``test_s`` CPU seconds in plain Python, and the lines that it reached count.
    """
    source, done = digest(root), {line["file"] for line in read(out)}
    found = {
        file for path in paths for file in ([root / path] if (root / path).is_file() else (root / path).rglob("test_*.py"))
    }
    with copied(root) as tree:
        for file in sorted({path.relative_to(root).as_posix() for path in found} - done):
            append(out, {"file": file, "source": source, **_mapped(tree, [file, "-m", marker], all_compiled, test_s)})
