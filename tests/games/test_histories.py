"""Histories that do not fit their cards are refused; deals whose history is lost are played on all the same."""

from typing import Any

import numpy as np
import pytest

from cardenvs import get_game, testing
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games.euchre import HIDDEN_DISCARD

pytestmark = pytest.mark.compiled

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("whist", {}), ("euchre", {}), ("euchre", {"stick_the_dealer": True}), ("euchre", {"bidding": "forced-spades"}),
    ("five-o", {}), ("five-o", {"hidden_rows": 3}),
]  # fmt: skip
each_option = pytest.mark.parametrize(("name", "options"), OPTIONS, ids=str)


def fits(spec: GameSpec, records: Games, whole: bool) -> bool:
    return int(spec.kernels.flaw(records, 0, whole)) < 0


def played_in_order(spec: GameSpec, games: Games, codes: list[int]) -> bool:
    """Whether a deal's actions can be taken in another order, and then end in the same position."""
    g = games[0]
    names = [
        spec.actions[code] if code != HIDDEN_DISCARD else spec.actions[int(g["discard"]).bit_length() - 1] for code in codes
    ]
    try:
        other = spec.parse(spec.text(g, actions=False) + " actions=" + ",".join(names), **spec.options_of(g))
    except ValueError:
        return False
    return testing.differing_fields(spec, g, other[0]) in ([], ["history"])


@each_option
def test_another_action_in_the_history_is_refused(name: str, options: dict[str, Any]) -> None:
    spec, rng = get_game(name), np.random.default_rng(0)
    views = spec.new_games(1)
    tried = 0
    for games in testing.random_positions(spec, 6, seed=1, **options):
        made = int(games[0]["moves"])
        if made == 0 or rng.random() < 0.5:
            continue
        for records, whole in ((games, True), (views, False)):
            spec.kernels.view(games, 0, int(rng.integers(spec.seats)), views, 0)
            k, code = int(rng.integers(made)), int(rng.integers(-3, spec.num_actions + 2))
            tampered = records.copy().view(type(games))
            if tampered[0]["history"][k] == code:
                continue
            tampered[0]["history"][k] = code
            assert fits(spec, records, whole)
            assert not fits(spec, tampered, whole), f"{code} as action {k} of {spec.text(games[0])}"
            tried += 1
    assert tried > 50


@each_option
def test_a_history_in_another_order_fits_if_the_deal_can_be_played_so(name: str, options: dict[str, Any]) -> None:
    spec, rng = get_game(name), np.random.default_rng(1)
    found = {True: 0, False: 0}
    for games in testing.random_positions(spec, 12, seed=2, **options):
        made = int(games[0]["moves"])
        if made < 2 or rng.random() < 0.6:
            continue
        for distance in (1, 4, 8, int(rng.integers(1, made))):
            first = int(rng.integers(made))
            second = (first + distance) % made
            tampered = games.copy().view(type(games))
            history = tampered[0]["history"]
            history[first], history[second] = int(history[second]), int(history[first])
            expected = played_in_order(spec, games, [int(code) for code in history[:made]])
            assert fits(spec, tampered, True) == expected, f"{first} and {second} exchanged in {spec.text(games[0])}"
            found[expected] += 1
    assert found[False] > 20
    assert found[True] > 0


@each_option
def test_histories_that_are_too_long_are_refused(name: str, options: dict[str, Any]) -> None:
    spec = get_game(name)
    for games in testing.random_positions(spec, 3, seed=3, **options):
        for moves in (int(games[0]["moves"]) + 1, -1, 2**40, -(2**63)):
            tampered = games.copy().view(type(games))
            tampered[0]["moves"] = moves
            assert not fits(spec, tampered, True)


@each_option
def test_deals_from_observations_are_played_to_their_ends(name: str, options: dict[str, Any]) -> None:
    """An observation does not tell the order of play; a deal from one has a history that begins there."""
    spec, rng = get_game(name), np.random.default_rng(2)
    worlds, streams = spec.new_games(1), seed_streams(4, 1)
    views = spec.new_games(1)
    for games in testing.random_positions(spec, 8, seed=4, **options):
        if games[0]["over"] != RUNNING or rng.random() < 0.8:
            continue
        seat = int(rng.integers(spec.seats))
        decoded = spec.decode(spec.observation(games, seat)[None])
        spec.kernels.redeal(decoded, 0, streams, 0, worlds, 0)
        assert worlds[0]["moves"] == 0
        since = 0
        while worlds[0]["over"] == RUNNING:
            assert fits(spec, worlds, True)
            for viewer in range(spec.seats):
                spec.kernels.view(worlds, 0, viewer, views, 0)
                assert fits(spec, views, False)
            legal = [k for k in range(spec.num_actions) if spec.legal(worlds) >> k & 1]
            spec.kernels.step(worlds, 0, legal[int(below(streams, 0, len(legal)))])
            since += 1
            assert worlds[0]["moves"] == since
            wrong = worlds.copy().view(type(games))
            wrong[0]["history"][int(rng.integers(since))] = -2
            assert not fits(spec, wrong, True)
        assert fits(spec, worlds, True)
        assert worlds[0]["to_act"] == -1


@pytest.mark.parametrize("hidden_rows", [1, 4])
def test_an_order_of_drawing_that_does_not_fit_is_refused(hidden_rows: int) -> None:
    """Two cards exchanged in the deck that a seat of Five-O remembers, or a card more or less in it."""
    spec, rng = get_game("five-o").recalling, np.random.default_rng(3)
    views = spec.new_games(1)
    alike = 0
    for games in testing.random_positions(spec, 2, seed=6, hidden_rows=hidden_rows):
        for seat in range(2):
            spec.kernels.view(games, 0, seat, views, 0)
            assert fits(spec, views, False)
            v = views[0]
            first, second = (int(k) for k in rng.choice(52, 2, replace=False))
            a, b = int(v["deck"][first]), int(v["deck"][second])
            for new in ((b, a), (0, b), (53, 1), (-1, 1), (52, 52)):
                wrong = views.copy().view(type(views))
                wrong[0]["deck"][first], wrong[0]["deck"][second] = new
                if new == (a, b):
                    continue
                # Which of two cards fell into a column first can be told only if one of them lies face down.
                columns = [int(cards) for cards in v["columns"].ravel()]
                same = a > 0 < b and any(cards >> (a - 1) & cards >> (b - 1) & 1 for cards in columns)
                down = int(v["down"][0])
                expected = new == (b, a) and same and (down >> max(a - 1, 0) ^ down >> max(b - 1, 0)) & 1 == 0
                assert fits(spec, wrong, False) == expected, f"{first} {second} {new}, seat {seat}: {spec.text(games[0])}"
                alike += expected
    assert alike > 0
