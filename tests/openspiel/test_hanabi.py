"""Hanabi beside OpenSpiel's, move by move: legal actions, points, ends, and the canonical vectors of every seat."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.games.hanabi import PARAMETERS, canonical_size, hanabi
from tests.helpers.plain import PLAIN

pyspiel = pytest.importorskip("pyspiel")
pytestmark = PLAIN

SMALL = [
    (2, 1, 5, 2, 3, 1), (2, 2, 3, 2, 3, 2), (2, 2, 5, 2, 3, 1), (3, 3, 4, 3, 4, 2), (2, 3, 5, 5, 8, 3), (5, 2, 5, 2, 2, 3),
    (2, 1, 2, 2, 1, 1), (2, 5, 1, 1, 1, 1), (3, 1, 1, 1, 1, 1), (2, 5, 5, 8, 8, 3), (2, 5, 2, 5, 8, 3), (2, 2, 2, 4, 8, 3),
]  # fmt: skip
FORMS: list[dict[str, int]] = [
    *({"players": players} for players in range(2, 6)),
    *(dict(zip(PARAMETERS, numbers, strict=True)) for numbers in SMALL),
]
THEIRS = {
    "players": "players", "colours": "colors", "ranks": "ranks", "hand_size": "hand_size",
    "information": "max_information_tokens", "lives": "max_life_tokens",
}  # fmt: skip
"""OpenSpiel's names of the parameters."""
Driver = Callable[[GameSpec, Games, list[int], random.Random], int]


def at_random(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
    """Any action, which ends nearly all games by the last life."""
    return rng.choice(legal)


def well(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
    """As somebody who sees the own cards, with a slip now and then: many games are perfect, or end with the deck."""
    g = games[0]
    held, ranks, seat = int(g["hand_size"]), int(g["ranks"]), int(g["to_act"])
    if rng.random() < 0.05:
        return rng.choice(legal)
    heights = {slot: (int(g["hands"][seat][slot]) - 1) for slot in range(int(g["sizes"][seat]))}
    ahead = {slot: card % ranks - int(g["fireworks"][card // ranks]) for slot, card in heights.items()}
    good = [held + slot for slot, by in ahead.items() if by == 0]
    useless = [slot for slot, by in ahead.items() if by < 0 and slot in legal]
    hints = [action for action in legal if action >= 2 * held]
    some = good or useless or (hints if rng.random() < 0.7 else []) or [a for a in legal if a < held] or hints or legal
    return rng.choice(some)


def at_length(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
    """Hints while there are tokens, which makes the longest games."""
    hints = [action for action in legal if action >= 2 * int(games[0]["hand_size"])]
    return rng.choice(hints) if hints else legal[0]


def play(spec: GameSpec, theirs: Any, driver: Driver, count: int, seed: int) -> list[int]:
    """Plays games beside OpenSpiel's; returns how many moves each had."""
    rng, streams = random.Random(seed), seed_streams(seed, 1)
    games, views, row = spec.new_games(1), spec.new_games(1), np.zeros((1, spec.observation_size), np.int8)
    points, tricks, lengths = np.zeros((1, 1), np.int64), np.zeros((1, spec.seats), np.int64), []
    for _ in range(count):
        spec.kernels.deal(games, 0, streams, 0)
        state, drawn, moves = theirs.new_initial_state(), 0, 0
        while True:
            while state.is_chance_node():
                state.apply_action(int(games[0]["deck"][drawn]) - 1)
                drawn += 1
            line = spec.text(games[0])
            assert drawn == games[0]["drawn"], line
            for seat in range(spec.seats):
                spec.kernels.view(games, 0, seat, views, 0)
                spec.kernels.observe(views, 0, row, 0)
                vector = np.array(state.observation_tensor(seat))
                assert len(vector) == canonical_size(views, 0)
                assert (row[0, : len(vector)] == vector).all(), f"seat {seat} of {line}"
            spec.kernels.outcome(games, 0, points, tricks)
            assert state.returns() == [points[0, 0]] * spec.seats, line
            assert state.is_terminal() == bool(games[0]["over"]), line
            if state.is_terminal():
                break
            assert state.current_player() == games[0]["to_act"], line
            actions = int(spec.legal(games))
            legal = [action for action in range(spec.num_actions) if actions >> action & 1]
            assert legal == state.legal_actions(), line
            action = driver(spec, games, legal, rng)
            spec.kernels.step(games, 0, action)
            state.apply_action(action)
            moves += 1
        lengths.append(moves)
    return lengths


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_same_games(form: dict[str, int]) -> None:
    """A game by each driver, compiled 60."""
    spec = hanabi(**form)
    theirs = pyspiel.load_game("hanabi", {THEIRS[name]: value for name, value in form.items()})
    assert (spec.num_actions, spec.seats) == (theirs.num_distinct_actions(), theirs.num_players())
    for seed, driver in enumerate((at_random, well, at_length)):
        play(spec, theirs, driver, 1 if DISABLED else 60, seed)


def test_the_longest_game() -> None:
    theirs = pyspiel.load_game("hanabi")
    assert max(play(hanabi(), theirs, at_length, 1, 0)) == hanabi().max_steps == 89
