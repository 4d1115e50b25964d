"""Positions of Whist and Euchre in which a card is to be played, and what a seat observes in them."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import get_game, testing
from cardenvs.baselines.search.trick import double_dummy
from cardenvs.baselines.search.trick import slots as worlds
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre, whist
from tests.helpers.positions import observation_in
from tests.naive import poe as naive

GAMES: dict[str, Any] = {
    game.SPEC.name: (game, worlds.slots_of(game.SPEC.trick_game), worlds.opening_in(game.SPEC), rules)
    for game, rules in ((euchre, naive.euchre_rules), (whist, naive.whist_rules))
}
"""By name: the game's module, its cards renumbered for searches, what opens a position, the naive version's rules."""

FORCED = {"bidding": "forced-spades"}

STRONG = "dealer=3 hands=JcAsKsQsJs/9cTcQcKcAc/9dTdJdQdKd/9hThJhQhKh turned=9s"
WEAK = "dealer=3 hands=9cTd9hThQd/AsKsQsJsJc/TcQcKcAcAh/9dJdKdAdJh turned=9s"
"""Deals of Euchre in which the seat to act takes all five tricks with the turned suit as trump, and none."""


def observed(name: str, line: str) -> dict[str, npt.NDArray[np.int8]]:
    """What the seat to act observes in the position of a line, as a PettingZoo environment gives it."""
    return observation_in(f"{name} {line}")


def cards_of(slots: int, trump: int, renumbered: worlds.Slots) -> int:
    """The set of cards in a set of slots under a trump, as `worlds.to_slots` has put them there."""
    return sum(1 << int(renumbered.card[trump, slot]) for slot in members_of(int(slots)))


def positions_with_views(name: str, episodes: int, seed: int, **options: Any) -> Iterator[tuple[Games, Games]]:
    """Positions of random deals in which a card is to be played, with the view of the seat to act."""
    game = GAMES[name][0]
    views = game.SPEC.new_games(1)
    for games in testing.random_positions(game.SPEC, episodes, seed, **options):
        if games[0]["over"] == RUNNING and (name == "whist" or games[0]["phase"] == euchre.PLAYING):
            game.SPEC.kernels.view(games, 0, int(games[0]["to_act"]), views, 0)
            yield games, views


def in_play(name: str, games: Games) -> npt.NDArray[np.bool_]:
    """Whether a card is to be played in each game."""
    return (games["over"] == RUNNING) & (games["phase"] == euchre.PLAYING if name == "euchre" else True)


def cards_left(games: Games) -> npt.NDArray[np.int64]:
    """The tricks left, the current one included."""
    held = np.bitwise_count(games["hands"] | games["trick"])
    return held[np.arange(len(games)), games["leader"]].astype(int)


def positions(
    name: str, episodes: int, seed: int, sizes: Iterable[int] = range(1, 14), every: int = 1, **options: Any
) -> Games:
    """Positions of random deals in which a card is to be played, with so many tricks left: a structured array (n,)."""
    spec = get_game(name)
    every_one = testing.random_positions(spec, episodes, seed, **options)
    playing = np.concatenate([games.copy() for games in every_one if in_play(name, games)[0]])
    games = spec.new_games(len(playing))
    games[:] = playing
    return games[np.isin(cards_left(games), list(sizes))][::every].copy()


def check_each_card(name: str, games: Games, solver: Any = double_dummy) -> None:
    """After each legal card, what is left is worth what `solve_cards` said: a step from one position to the next."""
    spec = get_game(name)
    by_card, tricks = solver.solve_cards(games), solver.solve(games)
    after, said = [], []
    for i, game in enumerate(games):
        legal, side = members_of(spec.kernels.legal(games, i)), int(game["to_act"]) % 2
        assert np.flatnonzero(by_card[i] >= 0).tolist() == legal
        assert by_card[i].max() == tricks[i, side]
        for card in legal:
            one = games[i : i + 1].copy()
            spec.kernels.step(one, 0, card)
            after.append(one)
            said.append((side, int(by_card[i, card]) - int((one["tricks"] - game["tricks"])[0, side::2].sum())))
    reached = np.concatenate(after)
    going_on = in_play(name, reached)
    then = np.zeros((len(reached), 2), np.int64)
    then[going_on] = solver.solve(reached[going_on])
    for (side, left), tricks_left, one in zip(said, then, after, strict=True):
        assert left == tricks_left[side], spec.text(one[0])
