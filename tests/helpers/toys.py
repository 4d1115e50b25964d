"""The toy games of `tests.toys`, made known for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cardenvs.contract.registry import GAMES, register_game
from cardenvs.contract.spec import GameSpec
from tests.toys import kuhn, ladder, wolves

TOYS = (kuhn.SPEC, ladder.SPEC, wolves.SPEC)
MARKED_TOYS = [pytest.param(spec, marks=pytest.mark.slow if spec is ladder.SPEC else ()) for spec in TOYS]
"""The same for parametrized tests: what is compiled for Ladder takes a minute, so it is for the slow tests."""


def toy(name: str) -> GameSpec:
    """The toy of a name; `get_game` knows it only within `known_toys`."""
    return next(spec for spec in TOYS if spec.name == name)


@contextmanager
def known_toys() -> Iterator[None]:
    """Registers the toys, which other tests are not to find in the list of games."""
    before = dict(GAMES.made)
    try:
        for spec in TOYS:
            register_game(spec)
        yield
    finally:
        GAMES.made.clear()
        GAMES.made.update(before)
