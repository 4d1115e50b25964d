"""``pimc`` in games of one side: its scores beside all lines of play of a plain version, in the same worlds."""

import copy
import random

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.compiled.streams import seed_streams
from tests.helpers.beacon_relay import Described, beacon_relay
from tests.naive.beacon_relay import Relay

WORLDS = 3


@pytest.fixture
def game() -> Described:
    return beacon_relay("beacon-relay-mini")


def can_be_won(plain: Relay) -> bool:
    """Whether some line of play from a position on lights all beacons."""
    if plain.over:
        return plain.score == 1
    for action in plain.legal():
        after = copy.deepcopy(plain)
        after.act(action)
        if can_be_won(after):
            return True
    return False


def position(game: Described, seed: int, cards: int) -> tuple[np.ndarray, Relay] | None:
    """A position of a random game without lanterns in which a trick begins with so many cards a hand."""
    games, rng = game.spec.deal(seed, beacons=2, lanterns=False), random.Random(seed)
    plain = game.plainly(games)
    while not plain.over:
        if len(plain.hands[plain.to_act]) == cards and not plain.trick:
            return games, plain
        action = rng.choice(sorted(plain.legal(), key=str))
        plain.act(action)
        game.spec.kernels.step(games, 0, game.action(action))
    return None


def in_world(game: Described, plain: Relay, seat: int, dealt: np.ndarray) -> Relay:
    """A position with the hands of a world, in which the seat that looks is 0."""
    there = copy.deepcopy(plain)
    there.hands = list(map(set, game.hands(dealt[0], seat)))
    return there


def test_scores_are_the_share_of_worlds_that_can_still_be_won(game: Described) -> None:
    spec, compared, shares = game.spec, 0, set()
    player = policy.make(spec, "pimc", worlds=WORLDS)
    for seed in range(40):
        found = position(game, seed, 2)
        if found is None:
            continue
        games, plain = found
        seat = plain.to_act
        streams, same, dealt = seed_streams(seed, 1), seed_streams(seed, 1), spec.new_games(1)
        observation, mask = spec.observation(games, seat)[None], spec.mask(spec.legal(games))[None]
        scores, chosen = player.evaluate(observation, mask, streams, False)
        view, wins = spec.decode(observation), dict.fromkeys(plain.legal(), 0)
        for _ in range(WORLDS):
            spec.kernels.redealing(view, 0, same, 0, dealt, 0)
            for action in wins:
                after = in_world(game, plain, seat, dealt)
                after.act(action)
                wins[action] += can_be_won(after)
        told = {action: scores[0, game.action(action)] * WORLDS for action in wins}
        assert told == pytest.approx(wins), spec.text(games[0])
        assert wins[game.cards[chosen[0] - 1]] == max(wins.values())
        compared += 1
        shares |= set(wins.values())
    assert compared > 4 and {0, WORLDS} <= shares


def test_a_search_that_is_given_up_counts_nothing(game: Described) -> None:
    games = game.spec.deal(3, beacons=4)
    player = policy.make(game.spec, "pimc", worlds=1, positions=1)
    seat = int(games[0]["to_act"])
    scores = player.scores(game.spec.observation(games, seat)[None], game.spec.mask(game.spec.legal(games))[None])
    assert set(scores[~np.isnan(scores)]) == {0.0}
