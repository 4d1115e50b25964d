"""With ``CARDENVS_TEST_TWINS`` set, every game that the tests of the language begin is compiled, too, and plays along."""

import os

import pytest


@pytest.fixture(autouse=True)
def _with_twins(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if os.environ.get("CARDENVS_TEST_TWINS"):
        from tests.helpers import descriptions, twin_games

        for module in (descriptions, request.module):
            if hasattr(module, "Game"):
                monkeypatch.setattr(module, "Game", twin_games.TwinGame)
        for module in (descriptions, request.module):
            if hasattr(module, "value_of"):
                monkeypatch.setattr(module, "value_of", twin_games.value_of)
