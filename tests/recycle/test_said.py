"""What the latest step has told, which states keep for texts, is the same for all states that the same acts lead to."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import Batch, get_game
from cardenvs.compiled.streams import seed_streams
from cardenvs.policy.random import RandomPolicy

GAMES, STEPS = 3, 30


@pytest.mark.parametrize("name", ["beacon-relay-mini", "hanabi.rcy"])
def test_states_of_a_batch_are_those_that_their_texts_lead_to(name: str) -> None:
    """Those of deals that follow others in the same place, too: else no training goes on from its checkpoint."""
    spec = get_game(name)
    batch, player, streams = Batch(spec, GAMES, seed=1), RandomPolicy(spec), seed_streams(2, GAMES)
    told = ended = 0
    for _ in range(STEPS):
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
        ended += int(batch.ended.sum())
        for state in batch.games:
            told += int(state["sayings"])
            again = spec.parse(spec.text(state))[0]
            for field in spec.dtype.names or ():
                assert np.array_equal(again[field], state[field]), field
    assert told and (ended or name != "beacon-relay-mini")
