"""The true deal is among the re-deals of every recalling observation: in the toy games, and in those that come with us."""

from __future__ import annotations

import pytest

from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from tests.helpers.toys import TOYS
from tests.helpers.true_deals import check_true_deals

KNOWING = [spec for spec in (*TOYS, *map(get_game, ("euchre", "five-o", "whist"))) if spec.kernels.recall is not None]


def test_specs_can_be_keys() -> None:
    assert {spec: spec.name for spec in TOYS} == {spec: spec.name for spec in TOYS}


@pytest.mark.slow
@pytest.mark.parametrize("spec", KNOWING, ids=lambda spec: spec.name)
def test_the_true_deal_is_among_the_redeals_of_a_million_positions(spec: GameSpec) -> None:
    check_true_deals(spec, 10**6, seed=2)
