"""Described games with recall: a re-dealt world has a past that replays, in which its seat has seen what it saw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardenvs import testing, worlds
from cardenvs.cards import seed_streams
from cardenvs.recycle import load, parse, shipped
from cardenvs.recycle.game import compiled
from cardenvs.spec import GameSpec

EXAMPLES = Path(__file__).parent / "examples"
plain = pytest.mark.nojit
"""Daily these run without compiling, by `test_as_plain_python`."""
pytestmark = pytest.mark.slow
DAILY = ("passing", "knock", "bidhand", "draw_discard")

LOWEST = """(game (setup (create players 3) (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F)))))
 (do ((set (game points N) (((RANK : B) 1) ((RANK : C) 2) ((RANK : D) 3) ((RANK : E) 4) ((RANK : F) 5)))
      (shuffle (game iloc STOCK)) (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))
      (cycle current (owner (min (union (all player 'P ('P iloc HAND))) using (game points N))))
      (all player 'P (set ('P str ROLE) (cardatt RANK (min ('P iloc HAND) using (game points N)))))))
 (stage player (end (== (game sto N) 3)) (choice (
  ((== (size ((current player) hloc AWAY)) 0)
   (any ((current player) iloc HAND) 'C (do ((move 'C (top ((current player) hloc AWAY))) (inc (game sto N) 1))))))))
 (do ((all player 'P (set ('P sto MORE) (sum ('P iloc HAND) using (game points N))))))
 (stage player (end (== (game sto N) 6)) (choice ((inc (game sto N) 1))))
 (scoring max ((current player) sto MORE)))"""
"""The lowest card begins, a word is copied from a hidden card, cards are put away unseen, and numbers show what is left."""


def lowest() -> GameSpec:
    return compiled(parse(";;! private str ROLE\n" + LOWEST), "lowest")


def check_pasts(spec: GameSpec, episodes: int, draws: int = 2) -> tuple[int, int]:
    """Plays random games and draws worlds for every seat; returns how many, and for how many none was found.

    In each world its seat has the view that it has, and at each of its decisions had the observation that it had.
    """
    game = spec.recalling
    views, decoded, dealt, again = (game.new_games(1) for _ in range(4))
    streams, tried, unfit = seed_streams(11, 1), 0, 0
    for episode in range(episodes):
        games = game.deal(episode)
        had: list[list[bytes]] = [[] for _ in range(game.seats)]
        while True:
            for seat in range(game.seats):
                game.kernels.view(games, 0, seat, views, 0)
                game.kernels.decode(game.observation(games, seat)[None], 0, decoded, 0)
                assert not testing.differing_fields(game, views[0], decoded[0])
                for _ in range(draws):
                    game.kernels.redeal(decoded, 0, streams, 0, dealt, 0)
                    tried += 1
                    if not game.kernels.fits(dealt, 0):
                        unfit += 1
                        continue
                    line = spec.text(dealt[0])
                    assert not testing.differing_fields(spec, spec.parse(line)[0], dealt[0]), line
                    game.kernels.view(dealt, 0, 0, again, 0)
                    assert not testing.differing_fields(game, views[0], again[0]), line
                    assert seen_by_first(spec, line) == had[seat] + own_look(spec, games, seat), line
            if games[0]["over"]:
                break
            actor = int(games[0]["to_act"])
            had[actor].append(spec.observation(games, actor).tobytes())
            spec.kernels.step(games, 0, testing.random_action(spec, games, streams))
    return tried, unfit


def own_look(spec: GameSpec, games: np.ndarray, seat: int) -> list[bytes]:
    """What a seat observes if it is to act."""
    return [spec.observation(games, seat).tobytes()] if int(games[0]["to_act"]) == seat else []


def seen_by_first(spec: GameSpec, line: str) -> list[bytes]:
    """What seat 0 observes at each of its decisions in the deal of a line."""
    start, _, actions = line.partition("actions=")
    games = spec.parse(f"{start}actions=")
    found = own_look(spec, games, 0)
    for name in (name for name in actions.split(",") if name):
        spec.kernels.step(games, 0, spec.action(name))
        found += own_look(spec, games, 0)
    return found


@plain
@pytest.mark.parametrize("name", DAILY)
def test_worlds_have_a_past_that_replays(name: str) -> None:
    tried, unfit = check_pasts(compiled(load(EXAMPLES / f"{name}.rcy"), name), 1, 1)
    assert tried > 5 and unfit == 0


@plain
def test_what_a_script_has_worked_out_of_hidden_cards_holds_in_worlds() -> None:
    tried, unfit = check_pasts(lowest(), 1, 1)
    assert tried > 5 and unfit == 0


@plain
def test_worlds_of_an_observation_have_pasts_for_everybody() -> None:
    spec = lowest()
    games = spec.deal(3)
    for _ in range(2):
        spec.kernels.step(games, 0, int(np.flatnonzero(spec.mask(spec.legal(games)))[0]))
    found = worlds.redeal(spec.recalling, spec.recalling.observation(games, 1), 5, np.random.default_rng(1))
    assert len(found) == 5 and (found["moves"] == 2).all() and not found["imagined"].any()
    assert (worlds.apply(spec, found, worlds.masks(spec, found).argmax(1))["moves"] == 3).all()


@pytest.mark.parametrize("name", ["agram", "euchre", "hearts", "kuhn-poker", "pairs", "stealing-bundles", "whist"])
def test_shipped_games_have_worlds_with_pasts(name: str) -> None:
    tried, unfit = check_pasts(compiled(shipped(name), f"{name}.rcy"), 3)
    assert unfit == 0, f"{unfit} of {tried}"
