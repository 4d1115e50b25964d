"""Worlds with a past, checked: what their seats saw in it."""

import random

import numpy as np

from cardenvs import GameSpec, testing
from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.streams import seed_streams


def check_pasts(spec: GameSpec, episodes: int, draws: int = 2) -> tuple[int, int]:
    """Plays random games and draws worlds for every seat; returns how many, and for how many none was found.

    Without compiling, where a world takes a tenth of a second, worlds are drawn for one seat of each position, by lot.
    In each world its seat has the view that it has, and at each of its decisions had the observation that it had.
    """
    game = spec.recalling
    views, decoded, dealt, again = (game.new_games(1) for _ in range(4))
    streams, rng, tried, unfit = seed_streams(11, 1), random.Random(11), 0, 0
    for episode in range(episodes):
        games = game.deal(episode)
        had: list[list[bytes]] = [[] for _ in range(game.seats)]
        while True:
            for seat in [rng.randrange(game.seats)] if DISABLED else range(game.seats):
                game.kernels.view(games, 0, seat, views, 0)
                game.kernels.decode(game.observation(games, seat)[None], 0, decoded, 0)
                assert not testing.differing_fields(game, views[0], decoded[0])
                for _ in range(draws):
                    game.kernels.redeal(decoded, 0, streams, 0, dealt, 0)
                    tried += 1
                    if not game.kernels.fits(dealt, 0):
                        unfit += 1
                        continue
                    line = spec.text(dealt[0])
                    assert not testing.differing_fields(spec, spec.parse(line)[0], dealt[0]), line
                    game.kernels.view(dealt, 0, 0, again, 0)
                    assert not testing.differing_fields(game, views[0], again[0]), line
                    assert seen_by_first(spec, line) == had[seat] + own_look(spec, games, seat), line
            if games[0]["over"]:
                break
            actor = int(games[0]["to_act"])
            had[actor].append(spec.observation(games, actor).tobytes())
            spec.kernels.step(games, 0, testing.random_action(spec, games, streams))
    return tried, unfit


def own_look(spec: GameSpec, games: np.ndarray, seat: int) -> list[bytes]:
    """What a seat observes if it is to act."""
    return [spec.observation(games, seat).tobytes()] if int(games[0]["to_act"]) == seat else []


def seen_by_first(spec: GameSpec, line: str) -> list[bytes]:
    """What seat 0 observes at each of its decisions in the deal of a line."""
    start, _, actions = line.partition("actions=")
    games = spec.parse(f"{start}actions=")
    found = own_look(spec, games, 0)
    for name in (name for name in actions.split(",") if name):
        spec.kernels.step(games, 0, spec.action(name))
        found += own_look(spec, games, 0)
    return found
