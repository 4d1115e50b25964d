"""Returns and advantages of every seat the obvious way: a list of decisions for each seat of one game, plain GAE on it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Move:
    """One step of one game: the mover, its number of legal actions, the critic's value there, and what all were paid."""

    seat: int
    choices: int
    value: float
    payoffs: Sequence[float]
    ended: bool


@dataclass
class Decision:
    """A decision of a seat, with what the seat was paid until its next one, and whether the episode ended before that."""

    step: int
    value: float
    reward: float = 0.0
    final: bool = False


def seat_advantages(
    moves: Sequence[Move], seats: int, gamma: float, gae_lambda: float, last_seat: int, last_value: float | None
) -> dict[int, float]:
    """The advantage of every decision, by its step; moves without a choice have none."""
    advantages: dict[int, float] = {}
    for seat in range(seats):
        decisions: list[Decision] = []
        for step, move in enumerate(moves):
            if move.seat == seat and move.choices > 1:
                decisions.append(Decision(step, move.value))
            if decisions and not decisions[-1].final:
                decisions[-1].reward += move.payoffs[seat]
                decisions[-1].final = move.ended
        following: Decision | None = None
        for decision in reversed(decisions):
            if decision.final:
                advantage = decision.reward - decision.value
            elif following is not None:
                error = decision.reward + gamma * following.value - decision.value
                advantage = error + gamma * gae_lambda * advantages[following.step]
            elif seat == last_seat and last_value is not None:
                advantage = decision.reward + gamma * last_value - decision.value
            else:
                advantage = 0.0
            advantages[decision.step] = advantage
            following = decision
    return advantages
