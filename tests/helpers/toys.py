"""The toy games of `tests.toys`, known by their names in this process, where they are."""

from __future__ import annotations

import pytest

from cardenvs.spec import GameSpec, register_game


def toy(name: str) -> GameSpec:
    """A toy game, registered; the tests that ask for it are skipped where it is missing."""
    return register_game(pytest.importorskip(f"tests.toys.{name}").SPEC)
