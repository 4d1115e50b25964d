"""Off-belief learning in a form of Hanabi so small that the policy it is to come to is known exactly."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import get_game, policy
from cardenvs.contract.loops import RUNNING
from cardenvs.games import hanabi
from cardenvs.policy.contract import Policy, ask_rows
from cardenvs.train import Config, train
from tests.naive.off_belief import OffBelief, after, legal

GAME = "hanabi:colours=1,ranks=3,hand_size=1,information=1,lives=1"
SMALL: dict[str, Any] = {
    "games": 128, "rollout": 32, "net": (64, 64), "threads": 1, "device": "cpu", "precision": "float32", "lr": 3e-3,
    "eval_deals": 2, "eval_every": 0,
}  # fmt: skip
LEVEL_1 = SMALL | {"off_belief": 1, "critic": "seat", "batch_size": 256, "ent_coef": 0.05, "steps": 400_000}
SELF_PLAY = SMALL | {
    "batch_size": 1024, "epochs": 4, "ent_coef": 0.05, "ent_coef_end": 0.002, "gae_lambda": 0.95, "steps": 1_000_000,
}  # fmt: skip


def deals() -> Iterator[Any]:
    """All orders of the deck, each as likely."""
    for deck in sorted(set(itertools.permutations(["R1", "R1", "R1", "R2", "R2", "R3"]))):
        yield get_game(GAME).parse(f"{GAME} deck={''.join(deck)}")


def chosen(player: Policy, games: Any) -> int:
    """What a policy does in the game ``games[0]``."""
    mask = np.zeros((1, player.game.num_actions), np.int8)
    mask[0, legal(games)] = 1
    shown = player.game.observation(games, int(games[0]["to_act"]))[None]
    return int(ask_rows(player, shown, mask, np.zeros(1, np.uint64))[0])


def play(games: Any, team: Sequence[Policy]) -> Iterator[tuple[Any, int]]:
    """The positions of a deal that a team plays, with what it does there."""
    while games[0]["over"] == RUNNING:
        action = chosen(team[int(games[0]["to_act"])], games)
        yield games, action
        games = after(games, action)


def score(*team: Policy) -> float:
    """The points of a team in all deals, on average."""
    ends = [after(*list(play(games, team))[-1]) for games in deals()]
    return float(np.mean([hanabi.points_of(end, 0) for end in ends]))


@pytest.mark.slow
def test_level_1_is_what_value_iteration_comes_to_and_seeds_get_on(tmp_path: Path) -> None:
    """The same actions wherever they matter; no more points than without agreements, with strangers as with itself.

    Plain self-play finds agreements that are worth more, and does worse with those who have found others.
    """
    exact = OffBelief(get_game(GAME))
    value = float(np.mean([exact.ahead(games) for games in deals()]))
    one, two = (
        policy.make(GAME, train(Config(GAME, seed=seed, **LEVEL_1), tmp_path / f"level-1-{seed}").policy) for seed in (0, 1)
    )
    for player in (one, two):
        for games in deals():
            for at, action in play(games, (player, player)):
                values = exact.values(at)
                assert values[action] > max(values.values()) - 0.01, player.game.drawing(at[0])
        assert abs(score(player, player) - value) < 0.05, "but for ties, in which it does the same each time"
    for team in ((one, two), (two, one)):
        assert abs(score(*team) - value) < 0.1
    conventional = policy.make(GAME, train(Config(GAME, **SELF_PLAY), tmp_path / "self-play").policy)
    assert score(conventional, conventional) > value + 0.15
