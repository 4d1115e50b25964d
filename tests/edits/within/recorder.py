"""A plugin of pytest that runs chosen tests in a chosen order, within limits, and appends to a report what each did.

Its settings are in a file of JSON that the environment variable ``EDITS_SETTINGS`` names.
"""

import faulthandler
import importlib.util
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SETTINGS = json.loads(Path(os.environ["EDITS_SETTINGS"]).read_text("utf-8"))
HANGS_S = 10 * SETTINGS["test_s"]
"""Seconds after which a test ends the process, however little it has computed."""
COVERAGE: Any = None
if "COVERAGE_PROCESS_START" in os.environ:
    import coverage

    coverage.process_startup()
    COVERAGE = coverage.Coverage.current()

test: dict[str, Any] = {"number": 0}
"""The test that runs."""


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def tell(**what: Any) -> None:
    """Appends a line to the report."""
    with open(SETTINGS["report"], "a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


def soft_limit(what: int, most: float) -> None:
    """Sets a soft limit of this process and of those that it starts."""
    resource.setrlimit(what, (int(most), resource.getrlimit(what)[1]))


def too_long(*_: Any) -> None:
    """Fails the test that runs."""
    pytest.fail(f"more than {SETTINGS['test_s']} CPU s", pytrace=False)  # where it was may have no line


def pytest_configure() -> None:
    """Sets limits to what an endless loop takes."""
    faulthandler.dump_traceback_later(HANGS_S, exit=True, file=sys.__stderr__)
    soft_limit(resource.RLIMIT_DATA, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2)
    signal.signal(signal.SIGPROF, too_long)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps the chosen tests, in their order."""
    if SETTINGS["ids"] is not None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in SETTINGS["ids"] if name in found]


def pytest_collection_finish() -> None:
    """Makes sure that the copy is tested; for a map, that nothing is skipped or fails because it is not compiled."""
    found = importlib.util.find_spec("cardenvs")
    assert found is not None and found.origin is not None and Path(found.origin).is_relative_to(Path.cwd()), found
    if COVERAGE is not None and "tests.conftest" in sys.modules:
        vars(sys.modules["tests.conftest"]).update(DISABLED=False, DAILY_CPU_S=float("inf"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Begins a test, or leaves it out when all time is spent."""
    began_s = cpu_seconds()
    if began_s > SETTINGS["all_s"]:
        return True
    compiled = item.get_closest_marker("compiled") is not None
    test.update(id=item.nodeid, number=test["number"] + 1, compiled=compiled, passed=True, began_s=began_s)
    tell(began=item.nodeid)
    os.environ["EDITS_TEST"] = str(test["number"])  # for the lines of processes that the test starts
    if COVERAGE is not None:
        COVERAGE.switch_context(str(test["number"]))
    signal.setitimer(signal.ITIMER_PROF, SETTINGS["test_s"])
    faulthandler.dump_traceback_later(HANGS_S, exit=True, file=sys.__stderr__)
    soft_limit(resource.RLIMIT_CPU, time.process_time() + 2 * SETTINGS["test_s"] + 1)  # where no Python runs
    return None


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keeps whether all parts of the test have passed."""
    test["passed"] &= report.passed


def pytest_runtest_logfinish() -> None:
    """Ends a test."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    if COVERAGE is not None:
        COVERAGE.switch_context("")
    tell(**test, seconds=round(cpu_seconds() - test["began_s"], 3))


def pytest_sessionfinish() -> None:
    """Tells what all took."""
    tell(all_s=cpu_seconds())
