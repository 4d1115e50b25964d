"""The toy games of `tests.toys`."""

import pytest

from cardenvs.contract.spec import GameSpec
from tests.toys import kuhn, ladder, wolves

TOYS = (kuhn.SPEC, ladder.SPEC, wolves.SPEC)
MARKED_TOYS = [pytest.param(spec, marks=pytest.mark.slow if spec is ladder.SPEC else ()) for spec in TOYS]
"""The same for parametrized tests: what is compiled for Ladder takes a minute, so it is for the slow tests."""


def toy(name: str) -> GameSpec:
    """The toy of a name; `get_game` knows it only with the fixture ``toys``."""
    return next(spec for spec in TOYS if spec.name == name)
