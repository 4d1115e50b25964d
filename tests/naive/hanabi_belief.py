"""What a hand in Hanabi can be under a policy of the others: every hand is tried, and the deal played anew with it."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cardenvs import GameSpec
from cardenvs.contract.loops import RUNNING
from cardenvs.games import hanabi

MakeBot = Callable[[int, Any], Any]
"""A naive agent of a seat in a state, such as `tests.naive.hanabi_smart.Bot`."""


class World(NamedTuple):
    """A hand that explains what was seen: its faces and weight, the position with it, and all bots there."""

    hand: tuple[int, ...]
    weight: int
    games: Any
    bots: list[Any]


def worlds(spec: GameSpec, games: Any, seat: int, make_bot: MakeBot) -> Iterator[World]:
    """All hands of a seat in ``games[0]`` with which the other seats, who are such bots, move as they have."""
    state = games[0]
    places = [int(place) - 1 for place in state["places"][seat][: int(state["sizes"][seat])]]
    deck = [int(card) for card in state["deck"][: int(state["drawn"])]]
    unseen = Counter(int(card) for card in state["deck"] if card)
    unseen -= Counter(card for k, card in enumerate(deck) if k not in places)
    for hand in itertools.product(unseen, repeat=len(places)):
        weight, left = 1, unseen.copy()
        for card in hand:
            weight *= max(left[card], 0)
            left[card] -= 1
        if weight > 0:
            world, told = games.copy(), games.copy()
            for one in (world, told):
                hanabi.open_deal(one, 0)
            for place, card in zip(places, hand, strict=True):
                world[0]["deck"][place] = card
            for k, card in enumerate((left).elements()):
                world[0]["deck"][int(state["drawn"]) + k] = card
            hanabi.open_deal(world, 0)
            bots = [make_bot(k, world[0]) for k in range(spec.seats)]
            if all(_follow(world, told, bots, seat, int(action)) for action in state["history"][: int(state["moves"])]):
                yield World(tuple(card - 1 for card in hand), weight, world, bots)


def _follow(world: Any, told: Any, bots: list[Any], seat: int, action: int) -> bool:
    """Makes a move in a world and in the true deal; whether it is what the bot would do, and tells the same."""
    actor = int(world[0]["to_act"])
    if not hanabi.legal(world, 0) >> action & 1 or (actor != seat and bots[actor].choose(world[0]) != action):
        return False
    for bot in bots:
        bot.learn(world[0], action)
    for one in (world, told):
        hanabi.step(one, 0, action)
    return bool(world[0]["last_touched"] == told[0]["last_touched"])


def value(world: World, action: int) -> int:
    """The points at the end of a deal, when the seat to act makes a move and all are bots from then on."""
    games = world.games
    while True:
        for bot in world.bots:
            bot.learn(games[0], action)
        hanabi.step(games, 0, action)
        if games[0]["over"] != RUNNING:
            return int(hanabi.points_of(games, 0))
        action = world.bots[int(games[0]["to_act"])].choose(games[0])
