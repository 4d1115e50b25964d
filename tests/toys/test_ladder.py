"""What Ladder is for: chance in play, deals and episodes that nobody wins, actions that stand for several choices."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING, TRUNCATED
from cardenvs.envs.batch import Batch
from cardenvs.policy.registry import make
from tests.helpers.positions import redealt, rows_of, view_of
from tests.toys.ladder import DRAW, SPEC

pytestmark = pytest.mark.slow  # what is compiled for Ladder takes a minute


def random_deals(deals: int, seed: int) -> Iterator[Games]:
    """Every position of random deals, in which draws are more or less common."""
    rng = random.Random(seed)
    for k in range(deals):
        draws = (0.0, 0.1, 0.3)[k % 3]
        games = SPEC.deal(1000 * seed + k)
        yield games
        while games[0]["over"] == RUNNING:
            SPEC.kernels.step(games, 0, DRAW if rng.random() < draws else rng.choice(members_of(SPEC.legal(games))))
            yield games


def test_the_line_of_text_replays_chance() -> None:
    refilled = 0
    for games in random_deals(30, 5):
        if games[0]["refills"] and (games[0]["over"] != RUNNING or games[0]["moves"] % 7 == 0):
            assert SPEC.parse(SPEC.text(games[0]))[0] == games[0]
            refilled += 1
    assert refilled > 50


def test_chance_to_come_is_hidden_and_drawn_anew() -> None:
    """Of one position in which the stock is to be refilled, re-deals go on in different ways."""
    games = next(
        games
        for games in random_deals(30, 6)
        if games[0]["over"] == RUNNING and not games[0]["left"] and games[0]["pile"].any() and games[0]["refills"] < 2
    )
    views, stocks = view_of(SPEC, games, int(games[0]["to_act"])), set()
    assert int(views[0]["chance"]) == int(views[0]["stream"]) == 0
    for dealt in redealt(SPEC, views, seed_streams(0, 1), 40):
        assert dealt[0]["stream"] != 0 and dealt[0]["stream"] == dealt[0]["chance"]
        SPEC.kernels.step(dealt, 0, DRAW)
        stocks.add(dealt[0]["stock"].tobytes())
    assert len(stocks) > 1


def test_play_need_not_end() -> None:
    """Seats that only draw are never done: deals are nobody's, and the episode is cut off."""
    batch = Batch("ladder", 3, seed=0, max_decisions=95)
    for step in range(95):
        batch.step(np.full(3, DRAW))
        # The stock runs out after nine draws, and there is nothing to make it of.
        assert (batch.ended == (TRUNCATED if step == 94 else DEAL_OVER if step % 10 == 9 else RUNNING)).all()
        assert not batch.rewards.any()
    assert not batch.decisions.any()


def test_nobody_wins_an_episode_of_one_deal_that_is_nobodys() -> None:
    games = SPEC.deal(1, episode="deal")
    while games[0]["over"] == RUNNING:
        SPEC.kernels.step(games, 0, DRAW)
    assert games[0]["over"] == EPISODE_OVER
    assert SPEC.outcome(games).winners == (0, 1, 2)


def test_random_with_choices_draws_as_often_as_there_are_cards() -> None:
    games = SPEC.deal(3)
    rows, masks = rows_of(SPEC, games)
    plays = int(masks[0, :DRAW].sum())
    assert masks[0, DRAW] and plays
    n = 6000
    for choices, expected in ((False, 1 / (plays + 1)), (True, 9 / (plays + 9))):
        player = make("ladder", "random", choices=choices)
        actions = player.act(np.repeat(rows, n, 0), np.repeat(masks, n, 0), np.random.default_rng(1))
        draws = int((actions == DRAW).sum())
        assert abs(draws - n * expected) < 4.5 * np.sqrt(n * expected * (1 - expected))  # 7 false alarms in a million
    batch = Batch("ladder", 2, seed=3)
    counts = batch.multiplicities()
    assert (counts[:, DRAW] == 9).all() and (counts[:, :DRAW] == batch.action_masks[:, :DRAW]).all()
