"""Players of Hanabi that lead games into all their corners: at random, well, by an agent, and for as long as possible.

Each is a function of the game, its state ``games[0]``, the legal actions in order, and a source of random choices, which
returns an action. Those with a memory keep it as long as they make all moves of a game.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from cardenvs.baselines.heuristics import hanabi_smart
from cardenvs.baselines.heuristics.hanabi_agents import ALL, start_memory
from cardenvs.baselines.heuristics.hanabi_smart_memory import MEMORY, before_move, learn
from cardenvs.compiled.jit import as_records
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec

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
    cards = {slot: (int(g["hands"][seat][slot]) - 1) for slot in range(int(g["sizes"][seat]))}
    ahead = {slot: card % ranks - int(g["fireworks"][card // ranks]) for slot, card in cards.items()}
    good = [held + slot for slot, by in ahead.items() if by == 0]
    useless = [slot for slot, by in ahead.items() if by < 0 and slot in legal]
    hints = [action for action in legal if action >= 2 * held]
    some = good or useless or (hints if rng.random() < 0.7 else []) or [a for a in legal if a < held] or hints or legal
    return rng.choice(some)


def at_length(spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
    """Hints while there are tokens, which makes the longest games."""
    hints = [action for action in legal if action >= 2 * int(games[0]["hand_size"])]
    return rng.choice(hints) if hints else legal[0]


class BySmartBot:
    """SmartBot in all seats."""

    def __init__(self) -> None:
        self._memory = as_records(np.zeros(1, MEMORY))

    def __call__(self, spec: GameSpec, games: Games, legal: list[int], rng: random.Random) -> int:
        """SmartBot's action."""
        if games[0]["moves"] == 0:
            start_memory(self._memory, 0, games, 0)
        before_move(self._memory, 0, games, 0)
        action = int(hanabi_smart.choose(self._memory, 0, games, 0))
        learn(self._memory, 0, games, 0, ALL, action)
        return action


DRIVERS: dict[str, Callable[[], Driver]] = {
    "random": lambda: at_random,
    "well": lambda: well,
    "smartbot": BySmartBot,
    "longest": lambda: at_length,
}
"""By name what makes a driver."""


def can_drive(name: str, spec: GameSpec) -> bool:
    """Whether a driver plays a game: SmartBot needs a token and hands of two cards."""
    return name != "smartbot" or not hanabi_smart.SmartBot.unfit(spec)
