"""Kernels that call kernels: what is kept of a caller finds what it calls, or is compiled anew."""

import shutil
from pathlib import Path

import pytest

from cardenvs.compiled.linking import ENABLED
from tests.helpers.command_line import keeping_kernels, run_python

LAYERS = """
import sys
import numpy as np
from numba.core import event
from cardenvs.compiled import linking
from cardenvs.compiled.jit import closure, helper, kernel

linking.LINKED = 0  # short kernels stay apart, too

@kernel
def inner(x):
    return x * 3

@helper
def between(x):
    return inner(x) + 1

def made(call):
    @closure("layers:outer")
    def outer(x):
        return call(x) + inner(x)
    return outer

outer = made(between)
compiled = []

class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].__name__)
    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
"""
MAIN = "from layers import *; print(outer(7), *sorted(compiled))"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "layers.py").write_text(LAYERS, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a first process has compiled all."""
    place = tmp_path_factory.mktemp("first")
    (place / "layers.py").write_text(LAYERS, "utf-8")
    assert run(place) == ["43", "between", "inner", "outer"]
    return place


def run(place: Path, program: str = MAIN) -> list[str]:
    """The words that a program prints in a process that keeps its kernels in a folder beside it."""
    variables = keeping_kernels(place / "cache", PYTHONPATH=str(place), CARDENVS_QUIET="1")
    done = run_python(program, env=variables, cwd=place)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def kept(place: Path, name: str) -> list[Path]:
    """The files of a kernel."""
    return sorted((place / "cache" / "kernels").glob(f"layers.{name}-*"))


def test_a_caller_is_found_again_with_what_it_calls_which_is_compiled_if_it_is_gone_or_damaged(first, place):
    shutil.copytree(first, place, dirs_exist_ok=True)
    loads = "from layers import *; print(outer(7), *sorted(compiled), 'scipy.linalg' in sys.modules)"
    assert run(place, loads) == ["43", str(not ENABLED)]
    for spoil in (Path.unlink, lambda path: path.write_bytes(b"damaged")):
        for path in kept(place, "inner"):
            spoil(path)
        assert run(place) == ["43", "inner"]
    assert run(place) == ["43"]


def test_code_of_another_process_has_the_same_symbols(first, place):
    ours = {path.name: path.read_bytes() for path in kept(first, "outer")}
    run(place)
    for path in kept(place, "outer"):
        path.unlink()
    for name, content in ours.items():
        (place / "cache" / "kernels" / name).write_bytes(content)
    assert run(place) == ["43"]


def test_a_caller_of_other_code_than_is_kept_is_compiled_anew(place):
    unnamed = "import cardenvs.compiled.cache as cache; cache.name_next = lambda *_: None; "
    run(place, unnamed + MAIN)
    for path in kept(place, "inner"):
        path.unlink()
    assert run(place, unnamed + MAIN) == ["43", "between", "inner", "outer"]
    assert run(place) == ["43"]


def test_kernels_linked_by_another_rule_are_others(first, place):
    shutil.copytree(first, place, dirs_exist_ok=True)
    assert run(place, "from layers import *; linking.LINKED = 1000; print(outer(7), *sorted(compiled))") == (
        ["43", "between", "inner", "outer"] if ENABLED else ["43"]
    )


def test_a_kernel_that_has_become_short_is_still_found_by_those_that_call_it(first, place):
    shutil.copytree(first, place, dirs_exist_ok=True)
    program = (
        "import cardenvs.compiled.cache as cache; cache.stays_apart = lambda *_: None\n"
        "from layers import *\n"
        "@kernel\ndef third(x):\n    return outer(x) + 1\n"
        "result = third(7)\nprint(result, *compiled)"
    )
    (place / "becomes_short.py").write_text(program)
    assert run(place, "import becomes_short") == ["44", "third"]
    assert run(place, "import becomes_short") == ["44"]


def test_two_kernels_of_one_code_stand_beside_each_other(place):
    twins = "from layers import *; two = made(between); print(outer(7), two(8), *sorted(compiled))"
    assert run(place, twins) == ["43", "49", "between", "inner", "outer"]
    assert run(place, twins) == ["43", "49"]


def test_with_a_numba_that_is_not_known_all_is_linked_in(place):
    other = "import numba; numba.__version__ = '9.9.9'; from cardenvs.compiled import linking; assert not linking.ENABLED; "
    assert run(place, other + MAIN) == ["43", "between", "inner", "outer"]
    for path in kept(place, "inner"):
        path.unlink()
    assert run(place, other + MAIN) == ["43"]


def test_what_is_copied_into_callers_has_code_of_its_own_only_where_python_calls_it(place: Path) -> None:
    program = (
        "from layers import *; print(outer(7)); from cardenvs.compiled.linking import ENABLED\n"
        "(own,) = between.overloads.values(); print(own.library._compiled != ENABLED, between(7), *compiled)"
    )
    assert run(place, program) == ["43", "True", "22", "outer", "between", "inner", "between"]


def test_a_short_kernel_is_linked_in_and_what_it_calls_is_found_in_other_processes(place: Path) -> None:
    program = (
        "from layers import *; linking.LINKED = 0; inner(1); linking.LINKED = 1000\n"
        "@kernel\ndef short(x):\n    return inner(x) - 1\n"
        "@kernel\ndef {0}(x):\n    return short(x) + 3\n"
        "result = {0}(7)\n"
        "calls = linking.calls_of({0}.overloads[{0}.signatures[0]])\n"
        "print(result, *(one.py_func.__name__ for one, _, _ in calls), *compiled)"
    )
    (place / "first.py").write_text(program.format("one"))
    (place / "second.py").write_text(program.format("two"))
    calls = ["inner"] if ENABLED else []
    assert run(place, "import first") == ["23", *calls, "inner", "one", "short"]
    assert run(place, "import second") == ["23", *calls, "two", "short"]
    assert run(place, "import second") == ["23", *calls]
