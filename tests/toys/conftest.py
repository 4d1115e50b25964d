"""The toy games are known by name while their tests run."""

import pytest

from cardenvs.contract.spec import GameSpec
from tests.helpers.toys import MARKED_TOYS


@pytest.fixture(autouse=True)
def _known(toys: None) -> None:
    """By the fixture of all tests."""


@pytest.fixture(params=MARKED_TOYS, ids=lambda spec: spec.name)
def toy(request: pytest.FixtureRequest) -> GameSpec:
    """Each of the toy games."""
    return request.param
