"""The decorators of kernels: what is compiled once, and found again in the next process."""

import subprocess
import sys
from pathlib import Path

import pytest

from cardenvs.compiled import cache as kernel_cache
from cardenvs.compiled import jit
from tests.helpers.command_line import keeping_kernels

pytestmark = pytest.mark.compiled


@jit.helper
def plus(value: int, more: int) -> int:
    return value + more


@jit.kernel
def sums(value: int) -> int:
    return plus(value, 1) + plus(value, 2) + plus(3, value)


@pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")
def test_helpers_are_compiled_once_whatever_constants_they_are_called_with() -> None:
    assert sums(10) == 36
    assert plus(1, 2) == 3
    assert len(plus.overloads) <= 1, "none where the kernel was loaded"  # type: ignore[attr-defined]


def printed(folder: Path, name: str, script: str, *words: str) -> list[str]:
    """The lines that a script prints, imported by a name, in a process that keeps its kernels in a folder."""
    (folder / f"{name}.py").write_text(script)
    command = [sys.executable, "-B", "-c", f"import {name}", *words]  # the source is edited within a second
    environment = keeping_kernels(folder / "kept", CARDENVS_QUIET="1")
    return subprocess.check_output(command, cwd=folder, env=environment, text=True).splitlines()


LONE = """
import sys
import numpy as np
from cardenvs.compiled.jit import closure, kernel

@kernel
def more(values, i):
    values[i] += AMOUNT

@kernel
def twice(values, i):
    values[i] *= 2

def changing(name, change, times):
    @closure(f"lone:{name}")
    def all_of_them(values):
        for _ in range(times):
            for i in range(len(values)):
                change(values, i)
    return all_of_them

loops = [changing("more", more, 1), changing("twice", twice, 1), changing("more thrice", more, 3)]
for loop in loops:
    values = np.arange(3)
    loop(values)
    print(values.tolist(), sum(loop.stats.cache_hits.values()))
"""


@pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")
def test_closures_are_found_again_by_what_they_close_over(tmp_path: Path) -> None:
    def run(amount: int) -> list[str]:
        return printed(tmp_path, "lone", LONE.replace("AMOUNT", str(amount)))

    assert run(5) == ["[5, 6, 7] 0", "[0, 2, 4] 0", "[15, 16, 17] 0"]
    assert run(5) == ["[5, 6, 7] 1", "[0, 2, 4] 1", "[15, 16, 17] 1"]
    assert [line.rpartition(" ")[0] for line in run(7)] == ["[7, 8, 9]", "[0, 2, 4]", "[21, 22, 23]"], "edited kernels"


RECORDS = """
import sys
import numpy as np
from cardenvs.compiled.jit import closure, kernel

@kernel
def change(games, i):
    for k in range(len(games)):
        games[k].points += 1
        if games[k].points > 100:
            games[i].points -= 1

for more in map(int, sys.argv[1:]):
    @closure(f"records:by {more}")
    def loop(games):
        change(games, 0)
        if games[0].points > 1000:
            change(games, 1)

    games = np.zeros(3, [(f"more {k}", "i8") for k in range(more)] + [("points", "i8")])
    loop(games)
    print(games["points"].tolist(), sum(loop.stats.cache_hits.values()))
"""


@pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")
def test_code_of_two_processes_is_kept_apart_where_its_records_differ_alone(tmp_path: Path) -> None:
    def run(*sizes: str) -> list[str]:
        return printed(tmp_path, "records", RECORDS, *sizes)

    assert [run("1"), run("2")] == [["[1, 1, 1] 0"]] * 2
    assert run("1", "2") == ["[1, 1, 1] 1"] * 2 == run("2", "1")


@pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")
def test_what_has_no_key_is_compiled_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_key(kernel: object) -> str:
        raise TypeError("it uses something odd")

    said: list[str] = []
    monkeypatch.setattr(kernel_cache, "say_once", said.append)
    monkeypatch.setattr(kernel_cache, "key_of", no_key)

    @jit.kernel
    def more(value: int) -> int:
        return value + 1

    assert more(1) == 2 and more(1.5) == 2.5 and not more._cache.is_kept  # type: ignore[attr-defined]
    assert said == ["a kernel is compiled in every process: it uses something odd"] * 2
