"""What all tests share: the games and option sets that the shells are tried with."""

import gc
import os
import re
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.waiting import totals
from cardenvs.contract.registry import GAMES, register_game
from cardenvs.policy.registry import POLICIES

gc.disable()  # while modules are loaded, of which nothing goes: a third of the time to collect the tests
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows of render_mode="human" open, where nobody sees them

OPTION_SETS: list[tuple[str, dict[str, Any]]] = [
    ("euchre", {}),
    ("euchre", {"bidding": "forced-spades"}),
    ("euchre", {"stick_the_dealer": True, "reward": "tricks"}),
    ("euchre", {"episode": "game", "target": 5, "reward": "win", "team_share": 0.5}),
    ("whist", {}),
    ("whist", {"episode": "game", "target": 5, "reward": "win"}),
    ("whist", {"reward": "tricks", "team_share": 0.0}),
    ("five-o", {}),
    ("five-o", {"hidden_rows": 0, "reward": "columns"}),
    ("five-o", {"hidden_rows": 3}),
    ("hanabi", {}),
    ("hanabi", {"score": "built"}),
]
"""Games with options, rewards included, as shells take them."""

DAILY_CPU_S = 20  # maximum CPU seconds of a test of `make test`, with child processes and what it compiles first


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files of which no test can be selected by the marks asked for, as each half of `make test` asks."""
    if collection_path.suffix != ".py":
        return None
    marks, text = config.option.markexpr.split(" and "), collection_path.read_text("utf-8")
    of_all = re.findall(r"^pytestmark = .*\bmark\.(compiled|slow)\b", text, re.MULTILINE)
    return any(f"not {mark}" in marks for mark in of_all) or ("compiled" in marks and "mark.compiled" not in text) or None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fails where a test module compiles at import, which all would wait for. No garbage is sought in what is loaded."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 1_000)  # what was compiled stays, too: to look through all of it takes a second
    gc.enable()
    assert not totals().kernels, "kernels are compiled while tests are collected"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what needs compiled kernels where nothing is compiled."""
    if DISABLED and item.get_closest_marker("compiled") is not None:
        pytest.skip("needs compiled kernels")


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fails a test that takes too long for every day, where only tests for every day are asked for."""
    began = cpu_seconds()
    yield
    spent = cpu_seconds() - began
    if "not slow" in item.config.option.markexpr and spent > DAILY_CPU_S:
        pytest.fail(f"took {spent:.0f} CPU s, more than {DAILY_CPU_S}: make it smaller, or mark it slow")


def name_of(value: Any) -> str:
    """A test id."""
    game, options = value
    return "-".join([game, *(f"{key}={option}" for key, option in options.items())])


@pytest.fixture(params=OPTION_SETS, ids=name_of)
def game_and_options(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """A game's name and keyword arguments for its shells."""
    return request.param


@pytest.fixture(autouse=True, scope="module")
def registries() -> Iterator[None]:
    """What the tests of a file register, the other files do not find."""
    before = [(registry, dict(registry.made)) for registry in (GAMES, POLICIES)]
    yield
    for registry, made in before:
        registry.made.clear()
        registry.made.update(made)


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are called within a test play in its own process, unless they are given workers."""
    monkeypatch.setattr("cardenvs.baselines.commands.cores", lambda: 1)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy games of `tests.toys` are known by name while a test runs."""
    from tests.helpers.toys import TOYS

    monkeypatch.setattr(GAMES, "made", dict(GAMES.made))
    for spec in TOYS:
        register_game(spec)
