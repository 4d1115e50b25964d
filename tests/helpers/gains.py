"""Games that pay step by step: Hanabi with the obvious count of its points, and Whist that pays for tricks as they fall."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cardenvs.baselines.reproduce.openspiel.measure import well
from cardenvs.contract import Ints, kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.games import whist
from cardenvs.games.hanabi import hanabi

Choose = Callable[[Any, int], int]
"""An action by the states of some games and the number of a game."""


@kernel
def gained(games: Any, i: int, points: Ints, tricks: Ints) -> None:
    """A point for each trick above six."""
    g = games[i]
    for seat in range(4):
        tricks[i, seat] = g.tricks[seat]
    for side in range(2):
        points[i, side] = max(g.tricks[side] + g.tricks[side + 2] - 6, 0)


WHIST = replace(whist.SPEC, name="whist-by-tricks", kernels=replace(whist.SPEC.kernels, gained=gained))
"""Two sides, partners, and episodes of several deals."""


def small_hanabi(players: int) -> GameSpec:
    """A game of Hanabi with at most six points and one life."""
    return hanabi(players=players, colours=2, ranks=3, hand_size=2, information=3, lives=1)


def team_score(game: Any) -> int:
    """The points of a game of Hanabi as it stands."""
    return 0 if game["lives"] == 0 and game["score"] == 0 else int(sum(game["fireworks"]))


def playing_well(spec: GameSpec, seed: int) -> Choose:
    """Hanabi as by somebody who sees all cards, with slips by which some games are lost."""
    rng = random.Random(seed)

    def choose(games: Any, i: int) -> int:
        """The action."""
        legal = spec.legal(games, i)
        actions = [action for action in range(spec.num_actions) if legal >> action & 1]
        return rng.choice(actions) if rng.random() < 0.25 else well(spec, games[i : i + 1], actions, rng)

    return choose
