"""Rows and masks that no position shows, and other wrong arguments of policies."""

from typing import Any

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.envs.aec import CardEnv
from cardenvs.envs.batch import Batch
from tests.helpers.environments import first_legal
from tests.refusals import check_refused

pytestmark = pytest.mark.compiled

GAMES = ("euchre", "whist", "five-o")


@pytest.mark.parametrize("game", GAMES)
def test_observations_that_no_position_shows_are_refused_with_the_part(game: str) -> None:
    batch = Batch(game, 1, seed=3)
    for _ in range(9):
        batch.step(first_legal(batch.action_masks))
    spec, rng, player = batch.spec, np.random.default_rng(0), policy.make(game, "random")
    accepted = 0
    for part in spec.parts:
        for _ in range(4):
            row = batch.observations.copy()
            row[0, rng.integers(spec.slices[part.name].start, spec.slices[part.name].stop)] ^= 1
            fault = spec.flawed_row(row, batch.action_masks)
            if fault is None:
                accepted += 1
                continue
            with pytest.raises(ValueError, match=f"row 0 shows no position of {game}: what it says of"):
                player.act(row, batch.action_masks)
    assert accepted <= 12  # an option, or a score, may really be another
    for rows in (batch.observations * 0, rng.integers(0, 2, batch.observations.shape)):
        check_refused("shows no position", player.act, rows, batch.action_masks)


@pytest.mark.parametrize(
    ("observations", "masks", "message"),
    [
        (lambda rows: rows * 0.9, lambda masks: masks, "observations of euchre must be zeros and ones: row 0 has 0.9"),
        (lambda rows: rows * 2, lambda masks: masks, "must be zeros and ones"),
        (lambda rows: rows, lambda masks: -masks, "action_masks of euchre must be zeros and ones: row 0 has -1"),
        (lambda rows: rows, lambda masks: 1 - masks, r"row 0 has the action 0 \(9c\), which is illegal there"),
        (lambda rows: rows, lambda masks: masks * 0, "a row without a legal action"),
        (lambda rows: rows.astype(str), lambda masks: masks, "must be numbers, 0 or 1, not <U"),
        (lambda rows: rows.T, lambda masks: masks, r"have the shape \(n, \d+\)"),
        (lambda rows: None, lambda masks: masks, "have the shape"),
    ],
)
@pytest.mark.parametrize("name", ["random", "pimc:worlds=1", "monte-carlo:worlds=1", "split", "poe", "hybrid2", "learned"])
def test_policies_refuse_wrong_rows_and_masks(name: str, observations: Any, masks: Any, message: str) -> None:
    batch = Batch("euchre", 3, seed=0)
    with pytest.raises(ValueError, match=message):
        policy.make("euchre", name).act(observations(batch.observations), masks(batch.action_masks))


def test_policies_take_rows_of_every_dtype_and_masks_with_fewer_actions() -> None:
    batch = Batch("euchre", 3, seed=0)
    player = policy.make("euchre", "hybrid")
    actions = player.act(batch.observations, batch.action_masks)
    for kind in (bool, np.uint8, np.int64, np.float32):
        again = player.act(np.asfortranarray(batch.observations.astype(kind)), batch.action_masks.astype(kind).tolist())
        assert (again == actions).all()
    fewer = batch.action_masks * (np.arange(35) == 24)
    assert (policy.make("euchre", "random").act(batch.observations, fewer) == 24).all()


def test_a_seat_that_is_not_to_act_has_nothing_to_decide() -> None:
    env = CardEnv("euchre")
    env.reset(seed=0)
    waiting = next(agent for agent in env.agents if agent != env.agent_selection)
    shown = env.observe(waiting)
    check_refused("that seat is not to act", policy.make("euchre", "random").act, shown)
    with pytest.raises(ValueError, match="observations: row 0 is not what the seat to act sees"):
        policy.make("euchre", "random").act(shown | {"action_mask": env.observe(env.agent_selection)["action_mask"]})


@pytest.mark.parametrize(
    ("observation", "rng", "message"),
    [
        ({}, None, 'observation must be a dict with "observation" and "action_mask"'),
        ({"observation": 1, "action_mask": 2}, None, r"observation of euchre has the shape \(\d+,\), not \(\)"),
        (None, 3, "rng must be None, a NumPy generator such as numpy.random.default_rng"),
        (None, np.zeros(2, np.uint64), r"rng must be uint64 streams of shape \(1,\)"),
    ],
)
def test_arguments_of_act_are_named(observation: Any, rng: Any, message: str) -> None:
    env = CardEnv("euchre")
    env.reset(seed=0)
    player = policy.make("euchre", "hybrid")
    for call in (player.act, player.explain):
        with pytest.raises(ValueError, match=message):
            call(env.last()[0] if observation is None else observation, rng=rng)
