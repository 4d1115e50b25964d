"""What the commands print for fixed seeds is what they printed when their outputs were taken down."""

from __future__ import annotations

import pytest

from tests.figures.commands import COMMANDS, figures, kept


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_figures_are_as_before(name: str) -> None:
    assert figures(name) == kept(name)
