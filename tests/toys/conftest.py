"""The toy games are known by name while their tests run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cardenvs.contract.spec import GameSpec
from tests.helpers.toys import MARKED_TOYS, known_toys


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with known_toys():
        yield


@pytest.fixture(params=MARKED_TOYS, ids=lambda spec: spec.name)
def toy(request: pytest.FixtureRequest) -> GameSpec:
    """Each of the toy games."""
    return request.param
