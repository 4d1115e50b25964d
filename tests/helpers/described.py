"""Games of the descriptions that ship with the package, played at random by the naive interpreter."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import Description, parse, shipped, shipped_names
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.game import compiled
from cardenvs.recycle.library import FOLDER, SUFFIX
from tests.naive.recycle import Game

NAMES = shipped_names()
"""The names of the descriptions."""


def file_of(name: str) -> str:
    """The path of a description that ships with the package; what is compiled of it is compiled once for all tests."""
    return str(FOLDER / f"{name}{SUFFIX}")


@cache
def described(name: str, players: int | None = None) -> Description:
    """A description that ships with the package, or the same with another number of players."""
    description = shipped(name)
    if players is None:
        return description
    changed, count = re.subn(r"\(create players \d+\)", f"(create players {players})", description.source)
    assert count == 1
    return parse(changed, name)


def exchanged_cards(spec: GameSpec, state: Any, one: int, other: int) -> Games:
    """The start of a described game's deal, without its actions, with two cards exchanged behind every shuffle."""
    cards = list(range(state["orders"].shape[-1]))
    cards[one], cards[other] = other, one
    deals = cast(Any, spec.deal_text).trusting.__self__
    return cast(Games, deals.permute_cards(state, cards))


@dataclass(frozen=True)
class Played:
    """A game that was played to its end or broken off: how many options each decision had, and who decided."""

    game: Game
    options: list[int]
    seats: list[int]

    @property
    def convergence(self) -> float:
        """1 - (s/2 + 1/2) of the least-squares slope s of the options over the number of the decision."""
        n = len(self.options)
        mean_x, mean_y = (n - 1) / 2, sum(self.options) / n
        above = sum((x - mean_x) * (y - mean_y) for x, y in enumerate(self.options))
        below = sum((x - mean_x) ** 2 for x in range(n))
        return 1 - (above / below / 2 + 0.5)


def played(description: Description, seed: int) -> Played:
    """A random game, broken off after the most decisions that the description allows."""
    game = Game(description, seed)
    stream = random.Random(seed)
    options: list[int] = []
    seats: list[int] = []
    while not game.over and game.decisions < description.max_decisions:
        options.append(len(game.options()))
        seats.append(game.current)
        game.play(stream.randrange(options[-1]))
    return Played(game, options, seats)


def sample(description: Description, games: int) -> Iterator[Played]:
    """Random games with the seeds 0, 1, 2 .."""
    return (played(description, seed) for seed in range(games))


Position = tuple[GameSpec, Layout, Games]
"""A compiled game, the numbers of what it speaks of, and a game in play."""


def position_after(setup: str, *acts: str) -> Position:
    """A position behind some acts, before a choice of player 0."""
    description = parse(f"(game {setup} (do ({' '.join(acts)})) (choice ((turn pass))) (scoring max 0))")
    spec = compiled(description, "acts")
    return spec, Layout(description), spec.deal(1)


def hands_after(kind: str, *acts: str) -> Position:
    """A position behind a deal to hands of a kind and some acts.

    As cards are not shuffled, seat 0 of three gets D, seat 1 C, seat 2 B, each in both suits, S below R; A is left.
    """
    setup = "(setup (create players 3) (create deck (game iloc STOCK) (deck (RANK (A, B, C, D)) (SUIT (R, S)))))"
    deal = f"(all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P {kind} HAND)))))"
    return position_after(setup, deal, *acts)


def place_of(layout: Layout, name: str, seat: int, owner: int) -> int:
    """The number of a place of the game, or of an owner, as a seat of three counts it."""
    places = enumerate(layout.places)
    return next(
        k for k, (one, whose) in places if one.name == name and (one.owner == "game" or whose == (owner - seat) % 3)
    )
