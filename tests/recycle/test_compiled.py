"""Described games as they are compiled: step by step those of the naive interpreter, and games by the contract."""

from __future__ import annotations

import numpy as np
import pytest

from cardenvs import Batch, get_game, testing
from cardenvs.cards import seed_streams
from cardenvs.policy import RandomPolicy
from cardenvs.recycle import parse, shipped, shipped_names
from cardenvs.recycle.game import compiled
from cardenvs.recycle.runtime import GameError
from cardenvs.spec import GameSpec
from tests.helpers.described import file_of
from tests.helpers.twins import Twins

DAILY = ("kuhn-poker",)
"""Those that are compiled in the daily tests; others take half a minute each."""
NAMES = [name if name in DAILY else pytest.param(name, marks=pytest.mark.slow) for name in shipped_names()]


def game(name: str) -> GameSpec:
    return get_game(file_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_as_the_interpreter(name: str) -> None:
    twins = Twins(shipped(name), game(name))
    assert twins.play(20, seed=3) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_the_contract(name: str) -> None:
    spec = game(name)
    for check in (
        testing.check_ends, testing.check_text, testing.check_observations, testing.check_redeals, testing.check_no_leak,
        testing.check_rewards, testing.check_flaws,
    ):  # fmt: skip
        check(spec, episodes=4)


@pytest.mark.slow
def test_shown_voids_are_kept_by_redeals() -> None:
    """In Agram who does not follow has none of the suit, and none of it is dealt to its hand again."""
    spec = game("agram")
    streams, views, dealt = seed_streams(5, 1), spec.new_games(1), spec.new_games(1)
    shown = 0
    for games in testing.random_positions(spec, 12, 4):
        if games[0]["over"]:
            continue
        spec.kernels.view(games, 0, 0, views, 0)
        barred = views[0]["barred"].copy()
        shown += int((barred != 0).sum())
        for _ in range(3):
            spec.kernels.redeal(views, 0, streams, 0, dealt, 0)
            for place in range(len(barred)):
                for card in dealt[0]["cards"][place][: dealt[0]["sizes"][place]]:
                    face = int(card) - 1  # Agram has each face once
                    assert not int(barred[place][face // 63]) >> face % 63 & 1
    assert shown > 100


@pytest.mark.slow
def test_batches_of_many_games() -> None:
    spec = game("agram")
    batch = Batch(spec, 64, seed=1, restart=False)
    player, streams = RandomPolicy(spec), seed_streams(2, 64)
    steps = 0
    while not batch.finished.all():
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
        steps += 1
    assert steps == 24
    assert (batch.points.sum(1) == 1).all() and np.isclose(batch.rewards.sum(1), 0, atol=1e-5).all()


BROKEN = """(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR)))))
 (stage player (end (== (size (game iloc STOCK)) 5))
  (choice ((move (top (game iloc STOCK)) (top ((current player) iloc HAND))))))
 (scoring max (size ((current player) iloc HAND))))"""


def test_what_goes_wrong_in_a_game_is_told_with_its_position() -> None:
    spec = compiled(parse(BROKEN, "broken.rcy"), "broken")
    games = spec.new_games(1)
    spec.kernels.deal(games, 0, seed_streams(1, 1), 0)
    for _ in range(4):
        spec.kernels.step(games, 0, 0)
    with pytest.raises(GameError, match=r"^broken\.rcy:4:18: there is no card: the collection is empty$"):
        spec.kernels.step(games, 0, 0)
