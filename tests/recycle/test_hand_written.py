"""Described games beside the same games written by hand: the same deals, masks, winners and points, and the same value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.cards import EUCHRE_DECK, FULL_DECK, RANK_NAMES, Deck
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import shipped
from cardenvs.recycle.compiler.layout import Layout
from tests.helpers.described import file_of
from tests.toys.cfr import Solver

DEALS = 10_000
"""Deals that are played in both games."""


@dataclass(frozen=True)
class Pair:
    """A described game and the one written by hand, whose dealer is seat 3; ``shown`` is a key there and a place here."""

    game: str
    deck: Deck
    options: dict[str, Any]
    shown: tuple[str, str]


PAIRS = (
    Pair("whist", FULL_DECK, {}, ("shown", "SHOWN")),
    Pair("euchre", EUCHRE_DECK, {"bidding": "forced-spades"}, ("turned", "TURNED")),
)


class Both:
    """A described game and the one written by hand, each with one game in play."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.described, self.written = get_game(file_of(pair.game)), get_game(pair.game)
        self.layout = Layout(shipped(pair.game))
        self.places = {(one.name, number): place for place, (one, number) in enumerate(self.layout.places)}
        self.a, self.b = self.described.new_games(1), self.written.new_games(1, **pair.options)

    def card(self, number: int) -> int:
        """The card of the game written by hand that a described card is."""
        face = dict(self.layout.faces[self.layout.face_of[number]][1])
        rank = RANK_NAMES.index(face["RANK"].lower())
        return self.pair.deck.card(FULL_DECK.ranks[rank] + face["SUIT"][0].lower())

    def cards(self, place: int) -> list[int]:
        """The cards in a described place, from the bottom on."""
        return [self.card(int(card) - 1) for card in self.a[0]["cards"][place][: int(self.a[0]["sizes"][place])]]

    def deal(self, streams: Any) -> None:
        """Deals the described game, and the other one the same cards."""
        self.described.kernels.deal(self.a, 0, streams, 0)
        hands = [self.cards(self.places["HAND", seat]) for seat in range(4)]
        key, name = self.pair.shown
        shown = self.cards(self.places[name, 0])[-1:]
        fields = {"dealer": "3", "hands": "/".join(map(self.pair.deck.format, hands)), key: self.pair.deck.format(shown)}
        self.written.set_deal(self.b, 0, fields)

    @property
    def line(self) -> str:
        """The deal in text."""
        return self.written.text(self.b[0])

    def actions(self) -> dict[int, int]:
        """By each described action the one of the game written by hand, which plays the same card."""
        return {action: self.card(self.layout.face_of.index(action)) for action in range(self.described.num_actions)}


def outcome(spec: GameSpec, games: Games) -> tuple[int, list[int]]:
    """The winners of a deal, a bit each, and the points of the sides."""
    points, tricks = np.zeros((1, spec.num_sides), np.int64), np.zeros((1, spec.seats), np.int64)
    return int(spec.kernels.outcome(games, 0, points, tricks)), points[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.game)
def test_masks_winners_and_points_are_those_of_the_game_written_by_hand(pair: Pair) -> None:
    both = Both(pair)
    actions, streams = both.actions(), seed_streams(17, 1)
    assert sorted(actions.values()) == list(range(pair.deck.size))
    results = set()
    for _ in range(DEALS):
        both.deal(streams)
        while both.a[0]["over"] == RUNNING:
            legal = [action for action in actions if both.described.legal(both.a) >> action & 1]
            assert sum(1 << actions[action] for action in legal) == both.written.legal(both.b), both.line
            assert both.a[0]["to_act"] == both.b[0]["to_act"], both.line
            action = legal[int(below(streams, 0, len(legal)))]
            both.described.kernels.step(both.a, 0, action)
            both.written.kernels.step(both.b, 0, actions[action])
        assert both.b[0]["over"] != RUNNING
        results.add(str(outcome(both.described, both.a)))
        assert outcome(both.described, both.a) == outcome(both.written, both.b), both.line
    assert len(results) >= 3


def deals(spec: GameSpec, count: int, key: Callable[[Games], Any]) -> list[Games]:
    """So many different deals of a game, all that there are, each of shape (1,)."""
    streams = seed_streams(1, 1)
    found: dict[Any, Games] = {}
    for _ in range(100 * count):
        games = spec.new_games(1)
        spec.kernels.deal(games, 0, streams, 0)
        found.setdefault(key(games), games)
    assert len(found) == count
    return list(found.values())


@pytest.mark.slow
def test_the_value_of_described_kuhn_poker() -> None:
    """-1/18 for the first seat, found as in the toy that is written by hand; its observation tells all that was done."""
    spec = get_game(file_of("kuhn-poker"))
    solver = Solver(spec, deals(spec, 6, lambda games: games[0]["where"].tobytes()))
    assert len(solver.known) == 12
    solver.run(400)
    assert solver.value() / 2 == pytest.approx(-1 / 18, abs=0.001)
    assert -1 / 18 - 1e-9 <= solver.best_response(0) / 2 < -1 / 18 + 0.01
    assert 1 / 18 - 1e-9 <= solver.best_response(1) / 2 < 1 / 18 + 0.01
