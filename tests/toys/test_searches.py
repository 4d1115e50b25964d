"""`ismcts` and `monte-carlo` in the toy games: many actions, chance in play, moves that are not seen, dealt sides."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import Batch, policy, testing
from cardenvs.baselines.search.flat import FlatMonteCarlo
from cardenvs.baselines.search.ismcts import Ismcts
from cardenvs.cards import members_of, seed_streams
from cardenvs.drivers import RUNNING
from tests.helpers.positions import rows_of
from tests.naive import ismcts as naive


@pytest.mark.parametrize("variant", ["single", "multiple"])
def test_counts_the_visits_of_the_naive_search(toy, variant):
    tried = 0
    for k, games in enumerate(testing.random_positions(toy, 4, 3)):
        if games[0]["over"] != RUNNING or k % 3 or tried >= 4 or len(members_of(toy.legal(games))) < 2:
            continue
        tried += 1
        rows, masks = rows_of(toy, games)
        streams, again = seed_streams(k, 1), seed_streams(k, 1)
        scores = Ismcts(toy, simulations=40, variant=variant, c=0.8, goal="points").scores(rows, masks, streams)[0]
        search = naive.Search(toy, toy.decode(rows), members_of(toy.legal(games)), again, 0.8, variant == "multiple")
        search.run(40, False)
        visits = search.visits()
        shares = {action: count / sum(visits.values()) for action, count in visits.items()}
        assert {action: scores[action] for action in visits} == pytest.approx(shares)
        assert streams == again
    assert tried


def test_searches_know_the_toys_by_name(toy):
    assert {"ismcts", "monte-carlo", "random"} <= set(policy.names(toy))
    batch = Batch(toy, 3, seed=1)
    for player in (Ismcts(toy, simulations=20), FlatMonteCarlo(toy, worlds=2)):
        for _ in range(4):
            actions = player.act(batch.observations, batch.action_masks, seed_streams(1, 3))
            assert batch.action_masks[np.arange(3), actions].all()
            batch.step(actions)
