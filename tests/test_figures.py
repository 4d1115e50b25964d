"""What is frozen in `tests.figures` is as it was when it was taken down, and nothing that can be frozen is left out."""

import pytest

from tests.figures.keeping import differences, now_or_error
from tests.figures.parts import DAILY, PARTS

KEPT = {part: kind.kept() for part, kind in PARTS.items()}
ITEMS = [(part, item) for part, items in KEPT.items() for item in items]


@pytest.mark.parametrize(
    ("part", "item"),
    [
        pytest.param(*one, id="/".join(one), marks=() if one in DAILY else (pytest.mark.slow, pytest.mark.compiled))
        for one in ITEMS
    ],
)
def test_figures_are_as_before(part: str, item: str) -> None:
    found = list(differences(KEPT[part][item], now_or_error(PARTS[part], item)))
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_all_that_there_is_is_kept(part: str) -> None:
    assert set(PARTS[part].names()) == KEPT[part].keys()
