"""All deals of a small described game, with their exact probabilities.

The description must have one shuffle and nothing else that is random at the deal (`cardenvs.recycle.compiler.chance`). Then
all orders of the shuffled cards are equally likely, and random streams are tried until each order has come up. Ties after
the deal would be broken at random: a walk of the whole tree proves that there are none, and records its length and returns.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from cardenvs.compiled.bits import Streams
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle.compiler.chance import is_one_shuffle
from cardenvs.recycle.language.parser import load

MOST_CARDS = 6  # maximum number of shuffled cards in a game whose deals are listed: 720 orders
MOST_POSITIONS = 100_000  # maximum number of positions in the tree of such a game


@dataclass(frozen=True)
class Deals:
    """All deals of a game, with the returns and the length of its tree."""

    games: Games  # the dealt states, a structured array of shape (n,)
    probabilities: np.ndarray  # float64 (n,), their sum is 1
    least: float  # the minimum return of a seat
    most: float  # the maximum return of a seat
    sums: frozenset[float]  # the different sums of all seats' payoffs, rounded to nine places
    longest: int  # the maximum number of actions of a deal


def all_deals(spec: GameSpec, legal: Callable[[Games], list[int]], paid: Callable[[Games], list[float]]) -> Deals | None:
    """Returns the deals of a game; None where they may be many, or where play involves chance.

    Args:
        legal: ``(games)``, the legal actions in the first of some games.
        paid: ``(games)``, each seat's payoff in the first of some games, which is over.
    """
    if spec.path is None or spec.options or not is_one_shuffle(load(spec.path)):
        return None
    dealt = _deals_by_order(spec)
    if dealt is None:
        return None
    counts: dict[bytes, int] = {}
    firsts = []
    for games in dealt:
        bare = games.copy()
        bare["chance"] = bare["stream"] = 0
        if bare.tobytes() not in counts:
            firsts.append(games)
        counts[bare.tobytes()] = counts.get(bare.tobytes(), 0) + 1
    games = spec.new_games(len(firsts))
    for k, first in enumerate(firsts):
        games[k] = first[0]
    return _walk_tree(spec, games, np.array(list(counts.values())) / len(dealt), legal, paid)


def _deals_by_order(spec: GameSpec) -> list[Games] | None:
    """Returns a deal for each order of the shuffled cards; None for more than `MOST_CARDS` cards."""
    orders: dict[tuple[int, ...], Games] = {}
    cards = None
    for games in _random_deals(spec):
        chance = np.array([games[0]["chance"]], np.uint64)
        if cards is None:
            cards = _count_draws(chance.copy(), games[0]["stream"]) + 1
            if cards > MOST_CARDS:
                return None
        # A shuffle puts one of the first n cards, of n - 1 and so on in the last place, the last but one and so on.
        order = tuple(int(below(chance, 0, n)) for n in range(cards, 1, -1))
        if chance[0] != games[0]["stream"]:
            return None
        orders.setdefault(order, games)
        if len(orders) == math.factorial(cards):
            return list(orders.values())
    return None


def _random_deals(spec: GameSpec) -> Iterator[Games]:
    """Yields enough random deals to see every order with probability 1 - exp(-30)."""
    orders = math.factorial(MOST_CARDS)
    streams = seed_streams(0, 1)
    for _ in range(int(orders * (math.log(orders) + 30))):
        games = spec.new_games(1)
        spec.kernels.deal(games, 0, streams, 0)
        yield games


def _count_draws(stream: Streams, behind: np.uint64) -> int:
    """Returns the number of draws from a stream up to its state ``behind``; `MOST_CARDS` stands for any more."""
    for drawn in range(MOST_CARDS):
        if stream[0] == behind:
            return drawn
        below(stream, 0, 2)
    return MOST_CARDS


def _walk_tree(
    spec: GameSpec,
    games: Games,
    probabilities: np.ndarray,
    legal: Callable[[Games], list[int]],
    paid: Callable[[Games], list[float]],
) -> Deals | None:
    """Walks the tree of all deals; None if something is drawn in it, or if it is too large."""
    returns: list[list[float]] = []
    ahead = [(games[k : k + 1].copy(), 0) for k in range(len(games))]
    positions = longest = 0
    while ahead:
        position, actions = ahead.pop()
        positions, longest = positions + 1, max(longest, actions)
        if positions > MOST_POSITIONS or longest > spec.max_steps:
            return None
        stream = int(position[0]["stream"])
        if position[0]["over"] != RUNNING:
            returns.append(paid(position))
            if int(position[0]["stream"]) != stream:
                return None
            continue
        for action in legal(position):
            behind = position.copy()
            spec.kernels.step(behind, 0, action)
            if int(behind[0]["stream"]) != stream:
                return None
            ahead.append((behind, actions + 1))
    flat = [reward for each in returns for reward in each]
    return Deals(games, probabilities, min(flat), max(flat), frozenset(round(sum(each), 9) for each in returns), longest)
