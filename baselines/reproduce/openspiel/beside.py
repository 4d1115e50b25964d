"""Games of Hanabi beside OpenSpiel's: legal actions, points, rewards, ends, and the canonical vectors of every seat.

OpenSpiel is imported when its game is made.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from cardenvs.baselines.reproduce.openspiel.drivers import Driver
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.games.hanabi import PARAMETERS, canonical_size, hanabi
from cardenvs.plugins import require

SMALL = [
    (2, 1, 5, 2, 3, 1), (2, 2, 3, 2, 3, 2), (2, 2, 5, 2, 3, 1), (3, 3, 4, 3, 4, 2), (2, 3, 5, 5, 8, 3), (5, 2, 5, 2, 2, 3),
    (2, 1, 2, 2, 1, 1), (2, 5, 1, 1, 1, 1), (3, 1, 1, 1, 1, 1), (2, 5, 5, 8, 8, 3), (2, 5, 2, 5, 8, 3), (2, 2, 2, 4, 8, 3),
]  # fmt: skip
FORMS: list[dict[str, int]] = [
    *({"players": players} for players in range(2, 6)),
    *(dict(zip(PARAMETERS, numbers, strict=True)) for numbers in SMALL),
]
"""The forms that are compared: the standard ones of 2 to 5 players, and others, most of them small."""
THEIRS = {
    "players": "players", "colours": "colors", "ranks": "ranks", "hand_size": "hand_size",
    "information": "max_information_tokens", "lives": "max_life_tokens",
}  # fmt: skip
"""OpenSpiel's names of the parameters."""


def check_openspiel() -> None:
    """Raises MissingPackageError if OpenSpiel is not installed."""
    require("pyspiel", "openspiel", "games beside OpenSpiel's", package="open_spiel")


def both(form: dict[str, int]) -> tuple[GameSpec, Any]:
    """Returns a form of the game, here and as OpenSpiel's ``pyspiel.Game``."""
    check_openspiel()
    import pyspiel

    return hanabi(**form), pyspiel.load_game("hanabi", {THEIRS[name]: value for name, value in form.items()})


class Beside:
    """Plays games of one form here and in OpenSpiel at once, a driver making all moves.

    Raises:
        MissingPackageError: OpenSpiel is not installed.
        ValueError: the two games have other numbers of actions or players.
    """

    def __init__(self, form: dict[str, int], driver: Driver) -> None:
        self.spec, self.theirs = both(form)
        self.driver = driver
        sizes = (self.spec.num_actions, self.spec.seats)
        if sizes != (self.theirs.num_distinct_actions(), self.theirs.num_players()):
            raise ValueError(f"{self.spec.name} has {sizes[0]} actions of {sizes[1]} players, unlike OpenSpiel's")
        from open_spiel.python.observation import make_observation

        self.observation = make_observation(self.theirs)
        """OpenSpiel's observer, which writes an observation tensor of a seat to an array of its own."""
        self._batch, self._views = Batch(self.spec, 1, seed=0, restart=False), self.spec.new_games(1)
        self._row = np.zeros((1, self.spec.observation_size), np.int8)
        self._points, self._tricks = np.zeros((1, 1), np.int64), np.zeros((1, self.spec.seats), np.int64)

    def play(self, seed: int, number: int) -> tuple[int, str]:
        """Plays a game, whose cards and random moves follow from a seed and its number, to its end or first difference.

        Returns:
            The number of its moves, and the difference in words; empty if there is none.
        """
        spec, batch = self.spec, self._batch
        rng = random.Random(f"{seed} {number}")
        batch.deal_from(seed_streams(seed, 1, number))
        games, state, drawn, moves, what = batch.games, self.theirs.new_initial_state(), 0, 0, ""
        while True:
            while state.is_chance_node():
                state.apply_action(int(games[0]["deck"][drawn]) - 1)
                drawn += 1
            legal = np.flatnonzero(batch.action_masks[0]).tolist()
            what = what or self._difference(games, state, drawn, legal)
            if what or state.is_terminal():
                return moves, what and f"{what}: {spec.text(games[0])}"
            action = self.driver(spec, games, legal, rng)
            batch.step(np.array([action]))
            state.apply_action(action)
            if state.rewards() != batch.rewards[0].tolist():
                what = f"the rewards {state.rewards()} of move {moves}"
            moves += 1

    def _difference(self, games: Games, state: Any, drawn: int, legal: list[int]) -> str:
        """The difference in a position in words; empty if there is none."""
        spec, row = self.spec, self._row
        if drawn != games[0]["drawn"]:
            return f"{drawn} cards drawn"
        for seat in range(spec.seats):
            spec.kernels.view(games, 0, seat, self._views, 0)
            spec.kernels.observe(self._views, 0, row, 0)
            self.observation.set_from(state, seat)
            vector = self.observation.tensor
            if len(vector) != canonical_size(self._views, 0) or (row[0, : len(vector)] != vector).any():
                return f"the vector of seat {seat}"
        spec.kernels.outcome(games, 0, self._points, self._tricks)
        if state.returns() != [self._points[0, 0]] * spec.seats:
            return f"the points {state.returns()}"
        if state.is_terminal() != bool(games[0]["over"]):
            return "the end"
        if state.is_terminal():
            return ""
        if state.current_player() != games[0]["to_act"]:
            return f"the turn of {state.current_player()}"
        return "" if legal == state.legal_actions() else f"the legal actions {state.legal_actions()}"
