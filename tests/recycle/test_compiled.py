"""Described games as they are compiled: step by step those of the naive interpreter, and games by the contract."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cardenvs import get_game, testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import EPISODE_OVER
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import parse, shipped, shipped_names
from cardenvs.recycle.game import compiled
from cardenvs.recycle.running.faults import GameError
from tests.helpers.described import exchanged_cards, file_of
from tests.helpers.positions import redealt, view_of
from tests.helpers.twins import Twins

DAILY = ("kuhn-poker",)
"""Those that are compiled in the daily tests; others take half a minute each."""


def game(name: str) -> GameSpec:
    return get_game(file_of(name))


@pytest.mark.parametrize(
    ("name", "games"),
    [*((name, 20) for name in DAILY), *(pytest.param(name, 100, marks=pytest.mark.slow) for name in shipped_names())],
)
def test_the_same_as_the_interpreter(name: str, games: int) -> None:
    """In a few games; `tests.fuzz.twins` plays as many as one likes."""
    assert Twins(shipped(name), game(name)).play(games, seed=3) >= games


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_names())
def test_the_contract(name: str) -> None:
    spec = game(name)
    for check in (
        testing.check_ends, testing.check_text, testing.check_observations, testing.check_redeals, testing.check_no_leak,
        testing.check_fresh_deals, testing.check_rewards, testing.check_flaws, testing.check_symmetries,
    ):  # fmt: skip
        check(spec, episodes=4)


def _fresh_faces(spec: GameSpec, views: Games, place: int, slot: int, deals: int) -> list[int]:
    """How often a slot of a place has each card in fresh deals of a view."""
    streams, dealt, counts = seed_streams(7, 1), spec.new_games(1), [0] * 52
    assert spec.kernels.fresh_deal is not None
    for _ in range(deals):
        spec.kernels.fresh_deal(views, 0, streams, 0, dealt, 0)
        counts[int(dealt[0]["cards"][place][slot]) - 1] += 1
    return counts


@pytest.mark.slow
def test_fresh_deals_keep_no_voids() -> None:
    """In Agram what is unseen lies anywhere, also where play has shown it cannot; false-alarm rate 1e-6."""
    spec = game("agram")
    views, deals = spec.new_games(1), 4000
    found = 0
    for games in testing.random_positions(spec, 4, 4):
        spec.kernels.view(games, 0, 0, views, 0)
        barred, cards, sizes = (views[0][field] for field in ("barred", "cards", "sizes"))
        hidden = [p for p in range(len(sizes)) if (cards[p][: sizes[p]] <= 0).any()]
        shown = [p for p in hidden if barred[p].any() and sizes[p] > 0]
        if games[0]["over"] or not shown:
            continue
        unseen = sorted(set(range(1, 36)) - set(cards[cards > 0].tolist()))
        counts = np.array(_fresh_faces(spec, views, shown[0], 0, deals))
        assert counts.sum() == counts[[card - 1 for card in unseen]].sum()
        assert stats.chisquare(counts[[card - 1 for card in unseen]]).pvalue > 1e-6
        found += 1
        if found == 3:
            return
    raise AssertionError("no void was shown")


REMEMBERED = """(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR, FIVE)))))
 (do ((shuffle (game iloc STOCK))
      (move (top (game iloc STOCK)) (top (game vloc SHOWN)))
      (move (top (game vloc SHOWN)) (top ((1 player) iloc HAND)))
      (all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND))))))
 (stage player (end (any player 'P (== (size ('P iloc HAND)) 0)))
  (choice ((any ((current player) iloc HAND) 'C (move 'C (top (game vloc SHOWN)))))))
 (scoring max (size ((current player) iloc HAND))))"""


@pytest.mark.slow
def test_fresh_deals_forget_what_was_seen() -> None:
    """A card that was seen to go into the other's hand lies in a re-deal there, in a fresh deal anywhere."""
    spec = compiled(parse(REMEMBERED), "remembered")
    games, streams = spec.new_games(1), seed_streams(3, 1)
    spec.kernels.deal(games, 0, streams, 0)
    views = view_of(spec, games, 0)
    (place,) = (p for p in range(len(views[0]["sizes"])) if views[0]["sizes"][p] == 2 and (views[0]["cards"][p] > 0).any())
    (seen,) = (int(card) for card in views[0]["cards"][place] if card > 0)
    assert all(seen in dealt[0]["cards"][place] for dealt in redealt(spec, views, streams, 50))
    counts = np.array(_fresh_faces(spec, views, place, 0, 4000))
    assert (counts > 0).sum() == 4  # all but the own card
    assert stats.chisquare(counts[counts > 0]).pvalue > 1e-6
    testing.check_game(spec)


BROKEN = """(game
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR)))))
 (stage player (end (== (size (game iloc STOCK)) 5))
  (choice ((move (top (game iloc STOCK)) (top ((current player) iloc HAND))))))
 (scoring max (size ((current player) iloc HAND))))"""


@pytest.mark.slow
def test_what_goes_wrong_in_a_game_is_told_with_its_position() -> None:
    spec = compiled(parse(BROKEN, "broken.rcy"), "broken")
    games = spec.new_games(1)
    spec.kernels.deal(games, 0, seed_streams(1, 1), 0)
    for _ in range(4):
        spec.kernels.step(games, 0, 0)
    views, worlds = spec.new_games(1), spec.new_games(1)
    spec.kernels.view(games, 0, 0, views, 0)
    spec.kernels.redeal(views, 0, seed_streams(2, 1), 0, worlds, 0)
    spec.kernels.step(worlds, 0, 0)
    assert worlds[0]["over"] == EPISODE_OVER and worlds[0]["to_act"] == -1  # an imagined game is given up
    with pytest.raises(GameError, match=r"^broken\.rcy:4:18: there is no card: the collection is empty; cards lie "):
        spec.kernels.step(games, 0, 0)


LINES = [
    ("orders=1.2.3.4.5/1.1", "a shuffle has at most"),
    ("orders=99", "must be a number from 0 to 55"),
    ("orders=" + "/".join(["1"] * 40), "40 shuffles, where at most 16 can be told"),
    ("redrawn=5", "must be the number of an action"),
    ("zero=x", "must be a number"),
]


@pytest.fixture(scope="module")
def pairs() -> GameSpec:
    """A game in which cards are shuffled again and again."""
    return compiled(shipped("pairs"), "pairs")


def test_a_deal_with_two_cards_exchanged_is_the_deal_with_these_two_exchanged(pairs: GameSpec) -> None:
    *_, games = (games.copy() for games in testing.random_positions(pairs, 1, seed=2))
    start = exchanged_cards(pairs, games[0], 3, 50)
    line = pairs.text(start[0])
    assert not testing.differing_fields(pairs, pairs.parse(line)[0], start[0])
    first = pairs.parse(pairs.text(games[0], actions=False))
    exchanged = first["cards"].copy()
    exchanged[first["cards"] == 4], exchanged[first["cards"] == 51] = 51, 4
    assert np.array_equal(start["cards"], exchanged)


def test_orders_by_numbers_repeat_a_game(pairs: GameSpec) -> None:
    *_, games = (games.copy() for games in testing.random_positions(pairs, 1, seed=5))
    again = exchanged_cards(pairs, games[0], 0, 0)
    for action in games[0]["history"][: games[0]["moves"]].tolist():
        pairs.kernels.step(again, 0, action)
    assert set(testing.differing_fields(pairs, games[0], again[0])) == {"ordering", "orders"}


@pytest.mark.parametrize(("words", "message"), LINES)
def test_wrong_orders_are_refused(pairs: GameSpec, words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pairs.parse(f"pairs chance=0123456789abcdef {words}")


FILES = ("test_values.py", "test_acts.py", "test_play.py")


@pytest.mark.slow
def test_the_tests_of_the_language_with_compiled_twins() -> None:
    here = Path(__file__).parent
    files = [str(here / name) for name in FILES]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "CARDENVS_TEST_TWINS": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-4000:]
    assert " passed" in run.stdout
