"""Names that a description treats alike, put in order: deals that differ in these alone look alike to a network."""

import numpy as np
import pytest

from cardenvs.contract.registry import get_game
from cardenvs.testing import random_positions
from cardenvs.train.inference.symmetry import SuitSymmetry
from tests.helpers.positions import rows_of

DESCRIBED = ("agram", "beacon-relay-mini")


@pytest.mark.parametrize("name", DESCRIBED)
def test_what_a_description_treats_alike_is_put_in_order(name: str) -> None:
    """A deal and the same under other names look alike in order, whole states too, and their actions are each other's."""
    spec = get_game(name)
    symmetry = SuitSymmetry(spec)
    known = symmetry.symmetry
    assert known is not None and known.dealt is not None
    actions, rng = known.places(spec.actions), np.random.default_rng(1)
    used, looked, alike = set(), 0, 0
    for games in random_positions(spec, 3, seed=5):
        if not games[0]["moves"]:
            number = int(rng.integers(len(known.permutations)))
            other = known.dealt(games[0], known.permutations[number])
        else:
            done = int(games[0]["history"][games[0]["moves"] - 1])
            spec.kernels.step(other, 0, int(actions[number, done]))
        if games[0]["to_act"] < 0:
            continue
        (one, mask, own), (two, legal, others) = (
            symmetry.rename_positions(*rows_of(spec, each)) for each in (games, other)
        )
        used.add(int(own[0]))
        looked, alike = looked + 1, alike + bool((one == two).all() and (mask == legal).all())
        state, _, by_state = symmetry.rename_positions(
            spec.full_state(games, int(games[0]["to_act"]))[None], rows_of(spec, games)[1]
        )
        assert by_state[0] == own[0] and (state[:, : spec.observation_size] == one).all()
        chosen = np.flatnonzero(mask[0])
        back, there = (symmetry.restore_actions(chosen, numbers.repeat(len(chosen))) for numbers in (own, others))
        assert sorted(back.tolist()) == np.flatnonzero(rows_of(spec, games)[1][0]).tolist()
        assert (symmetry.rename_actions(back, own) == chosen).all() and (
            symmetry.rename_actions(there, others) == chosen
        ).all()
    assert alike == looked and len(used) > 1


def test_names_that_are_not_alike_keep_theirs() -> None:
    """In Hearts the suits of hearts and of the queen of spades score: clubs and diamonds alone change places."""
    spec = get_game("hearts")
    symmetry = SuitSymmetry(spec)
    words = [label for part in spec.parts for label in part.labels]
    for moved in symmetry.naming.entries:
        for column, there in enumerate(moved[: spec.observation_size]):
            if there != column:
                assert {word for word in ("clubs", "diamonds") if word in words[column].lower()}, words[column]
    assert len(symmetry.permutations) == 2
