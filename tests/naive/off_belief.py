"""Off-belief learning in Hanabi without learning: every hand and deck that a seat cannot tell apart, played to its end."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games import hanabi

Chances = Callable[[Any], dict[int, float]]
"""The probability of each action of the seat to act in the game ``games[0]``; those left out are not taken."""


def legal(games: Any) -> list[int]:
    """The legal actions of the seat to act in the game ``games[0]``."""
    actions = int(hanabi.legal(games, 0))
    return [k for k in range(actions.bit_length()) if actions >> k & 1]


def after(games: Any, action: int) -> Any:
    """The game behind an action."""
    there = games.copy()
    hanabi.step(there, 0, action)
    return there


def worlds(games: Any) -> Iterator[Any]:
    """All games that the seat to act in ``games[0]`` cannot tell from it by what it sees and was told; all as likely."""
    state = games[0]
    seat = int(state["to_act"])
    held = int(state["sizes"][seat])
    cards = int(np.count_nonzero(state["deck"]))
    places = [int(place) - 1 for place in state["places"][seat][:held]] + list(range(int(state["drawn"]), cards))
    for order in sorted(set(itertools.permutations(int(card) for card in state["deck"][places]))):
        colours, ranks = zip(*(divmod(card - 1, int(state["ranks"])) for card in order[:held]), strict=True)
        told = zip(colours, ranks, state["may_colours"][seat], state["may_ranks"][seat], strict=False)
        if all(int(of_colour) >> colour & 1 and int(of_rank) >> rank & 1 for colour, rank, of_colour, of_rank in told):
            world = games.copy()
            world[0]["deck"][places] = order
            world[0]["hands"][seat][:held] = order[:held]
            yield world


def likelihood(world: Any, below: Chances, doubt: float) -> float:
    """The chance of what the others have done in a world, who play ``below`` or, with the chance ``doubt``, anything."""
    me, games, chance = int(world[0]["to_act"]), world.copy(), 1.0
    hanabi.open_deal(games, 0)
    for action in world[0]["history"][: int(world[0]["moves"])]:
        if games[0]["to_act"] != me:
            chance *= (1 - doubt) * below(games).get(int(action), 0.0) + doubt / len(legal(games))
        hanabi.step(games, 0, int(action))
    return chance


class OffBelief:
    """What actions are worth where all go on by ``chances``, or as is best; all worlds count the same, or by ``weight``."""

    def __init__(
        self, spec: GameSpec, chances: Chances | None = None, weight: Callable[[Any], float] | None = None
    ) -> None:
        self.spec, self.weight = spec, weight
        self.chances = self.best if chances is None else chances
        self.known: dict[bytes, dict[int, float]] = {}
        self._ahead: dict[bytes, float] = {}

    def seen(self, games: Any) -> bytes:
        """The observation of the seat to act."""
        return bytes(self.spec.observation(games, int(games[0]["to_act"])).tobytes())

    def values(self, games: Any) -> dict[int, float]:
        """The points that the deal comes to on average, by the action of the seat to act."""
        seen = self.seen(games)
        if seen not in self.known:
            found = list(worlds(games))
            weights = np.array([1.0 if self.weight is None else self.weight(world) for world in found])
            self.known[seen] = {
                action: float(weights @ [self.ahead(after(world, action)) for world in found] / weights.sum())
                for action in legal(games)
            }
        return self.known[seen]

    def best(self, games: Any) -> dict[int, float]:
        """Any of the best actions of the seat to act, each as likely."""
        values = self.values(games)
        several = [action for action, value in values.items() if value > max(values.values()) - 1e-9]
        return dict.fromkeys(several, 1 / len(several))

    def ahead(self, games: Any) -> float:
        """The points that a deal comes to on average in the cards at hand."""
        if games[0]["over"] != RUNNING:
            return float(hanabi.points_of(games, 0))
        state = games[0]
        hidden = state["hands"][int(state["to_act"])].tobytes() + state["deck"][int(state["drawn"]) :].tobytes()
        whole = self.seen(games) + hidden
        if whole not in self._ahead:
            chances = self.chances(games).items()
            self._ahead[whole] = sum(chance * self.ahead(after(games, action)) for action, chance in chances)
        return self._ahead[whole]
