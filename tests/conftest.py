"""What all tests share: the games and option sets that the shells are tried with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

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


FIRST = ("tests/test_as_plain_python.py", "tests/test_policy.py", "tests/contract/test_prompts.py")
"""Files that workers are given first: a long one that compiles nothing, so that meanwhile the other compiles for both, and
the first that compiles a described game, which others then find."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests of `FIRST` in front; the order of the others stays."""
    items.sort(key=lambda item: (*FIRST, item.location[0]).index(item.location[0]))


def name_of(value: Any) -> str:
    """A test id."""
    game, options = value
    return "-".join([game, *(f"{key}={option}" for key, option in options.items())])


@pytest.fixture(params=OPTION_SETS, ids=name_of)
def game_and_options(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """A game's name and keyword arguments for its shells."""
    return request.param


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are called within a test play in its own process, unless they are given workers."""
    monkeypatch.setattr("cardenvs.baselines.commands.cores", lambda: 1)


@pytest.fixture
def toys() -> Iterator[None]:
    """The toy games of `tests.toys` are known by name while a test runs."""
    from tests.helpers.toys import known_toys

    with known_toys():
        yield
