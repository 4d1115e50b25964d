"""From an observation of a toy game to worlds, and on from there; the true deal is one of the re-deals."""

import dataclasses

import numpy as np
import pytest

from cardenvs import testing, worlds
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from tests.helpers.players import First
from tests.helpers.toys import TOYS
from tests.helpers.true_deals import check_true_deals
from tests.toys import kuhn


@pytest.mark.parametrize("recall", [False, True])
def test_worlds_are_played_on_and_out(toy: GameSpec, recall: bool) -> None:
    spec, rng = toy.with_recall(recall), np.random.default_rng(2)
    looked = 0
    for games in testing.random_positions(toy, 2, seed=3):
        seat = int(games[0]["to_act"])
        if seat < 0 or (toy.name == "ladder" and rng.random() < 0.8):
            continue
        states = worlds.redeal(spec, spec.observation(games, seat), 4, rng)
        legal = np.flatnonzero(spec.mask(spec.legal(games)))
        for _ in range(3):
            after = worlds.apply(spec, states, int(rng.choice(legal)))
            paid = worlds.playouts(spec, after, "random", rng)
            assert paid.shape == (4, toy.seats) and np.isfinite(paid).all()
            side = np.array([spec.sides_in(after[k : k + 1]) for k in range(4)])
            means = [np.ma.array(paid, mask=side != which).mean(1) for which in range(toy.num_sides)]
            assert np.allclose(np.sum(means, 0), 0)
            # And once more, from where part of the history stands behind none.
            masks = worlds.masks(spec, after)
            if masks.any(1).all():
                further = worlds.apply(spec, after, masks.argmax(1))
                assert (further["moves"] > 0).all()
        looked += 1
    assert looked > 2


def test_a_deal_has_no_more_actions_than_its_record_has_room_for() -> None:
    spec = dataclasses.replace(kuhn.SPEC, max_steps=1)
    dealt = spec.deal(3)
    after = worlds.apply(spec, dealt, spec.action("bet"))
    with pytest.raises(ValueError, match="has 1 actions, and no room for more"):
        worlds.apply(spec, after, spec.action("pass"))
    for player in ("random", First(spec)):
        assert not worlds.playouts(spec, after, player).any(), "cut off, so that nothing is paid"
        assert worlds.playouts(kuhn.SPEC, after, "random").any()


KNOWING = [spec for spec in (*TOYS, *map(get_game, ("euchre", "five-o", "whist"))) if spec.kernels.recall is not None]


def test_specs_can_be_keys() -> None:
    assert {spec: spec.name for spec in TOYS} == {spec: spec.name for spec in TOYS}


@pytest.mark.slow
@pytest.mark.parametrize("spec", KNOWING, ids=lambda spec: spec.name)
def test_the_true_deal_is_among_the_redeals_of_a_million_positions(spec: GameSpec) -> None:
    check_true_deals(spec, 10**6, seed=2)
