"""Copies of policies, in whatever state they are."""

import copy
import pickle

from cardenvs import Batch, policy
from cardenvs.compiled.streams import seed_streams
from tests.fuzz.calls import QUICK


def check_copies(game: str) -> None:
    """Fresh, after decisions, amid a deal and closed: a copy of each policy decides as the policy itself does."""
    for name in policy.default_names(game):
        few = QUICK.get(f"{game}/{name}", QUICK.get(name))
        player = policy.make(game, f"{name}:{few}" if few else name)
        batch = Batch(player.game, 1, seed=1)
        for stage in ("fresh", "acted", "amid", "closed"):
            twins = [copy.deepcopy(player), pickle.loads(pickle.dumps(player))]
            seen = batch.observations, batch.action_masks
            action = player.act(*seen, seed_streams(1, 1))
            for twin in twins:
                assert twin.name == player.name and (twin.act(*seen, seed_streams(1, 1)) == action).all(), (name, stage)
            if stage == "acted":
                batch.step(action)
            elif stage == "amid":
                player.close()
