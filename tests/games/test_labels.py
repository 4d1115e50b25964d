"""Observations as Python values, and the fields of records as pages explain them."""

import numpy as np
import pytest

from cardenvs import get_game
from tests.helpers.paths import ROOT


def test_labels_are_every_part_with_what_is_set() -> None:
    game = get_game("euchre")
    state = game.deal(7)
    row = game.observation(state, 1)
    seen = game.labels(row)
    assert list(seen) == [part.name for part in game.parts]
    lit = [
        f"{part.name} {part.labels[k]}" for part in game.parts for k in np.flatnonzero(row[game.slices[part.name]]).tolist()
    ]
    assert [f"{name} {label}" for name, labels in seen.items() for label in labels] == lit
    assert len(seen["hand"]) == 5 and seen["trump"] == [] and seen["phase"] == ["ordering"]
    whole = game.labels(game.full_state(state, 1))
    assert {name: whole[name] for name in seen} == seen and len(whole["kitty"]) == 3
    assert get_game("kuhn-poker").labels(np.zeros(159))["site"] == []


@pytest.mark.parametrize("name", ["euchre", "whist", "five-o"])
def test_the_fields_of_a_record_are_explained(name: str) -> None:
    page = (ROOT / "docs" / "games" / f"{name}.md").read_text("utf-8")
    table = page.split(f"<!-- generated: fields {name} -->")[1].split("<!-- end -->")[0]
    told = {line.split("`")[1]: line.split("|")[-2].strip() for line in table.splitlines() if line.startswith("| `")}
    assert tuple(told) == get_game(name).dtype.names and all(told.values())
