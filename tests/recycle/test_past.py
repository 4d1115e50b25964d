"""Described games with recall: a re-dealt world has a past that replays, in which its seat has seen what it saw."""

import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from cardenvs import worlds
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.information_audit import counts as audit
from cardenvs.recycle import load, parse, shipped
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.game import compiled
from cardenvs.recycle.running import past
from tests.helpers.described import exchanged_cards
from tests.helpers.judging import Judge
from tests.helpers.pasts import check_pasts

EXAMPLES = Path(__file__).parent / "examples"
DAILY = ("passing", "knock", "bidhand", "draw_discard")

LOWEST = """;;! private str ROLE
(game (setup (create players 3) (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F)))))
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

LAID = """(game (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E, F)))))
 (do ((shuffle (game iloc STOCK)) (all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (game sto N) 2)) (choice (
  (any (filter (subsets ((current player) iloc HAND)) 'T (> (size 'T) 1)) 'S
   (do ((inc (game sto N) 1) (all 'S 'C (move 'C (top (game vloc PILE))))))))))
 (scoring max (size ((current player) iloc HAND))))"""
"""Several cards are chosen, one behind the other."""

EQUALS = """(game (setup (create players 2) (repeat 4 (create deck (game iloc STOCK) (deck (RANK (A, B))))))
 (do ((set (game points V) (((RANK : A) 1) ((RANK : B) 2))) (shuffle (game iloc STOCK))
  (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (game sto N) 4))
  (choice ((any ((current player) iloc HAND) 'C (move 'C (top ((current player) vloc ROW))))))
  (do ((inc (game sto N) 1)
   ((== (game sto N) 2) (do ((move (min (union (all player 'P ('P vloc ROW))) using (game points V)) (top (game vloc OUT)))
    (all player 'P (repeat all (move (top ('P vloc ROW)) (top (game vloc OUT)))))))))))
 (scoring max (size ((current player) iloc HAND))))"""
"""Chance says from which of two rows one of equal cards goes first; then both rows go there."""


@pytest.mark.parametrize(
    ("text", "episodes"),
    [
        *((EXAMPLES / f"{name}.rcy", 1) for name in DAILY),
        (LOWEST, 1),  # what a script has worked out of hidden cards
        (LAID, 2),  # what the seat itself has chosen in parts is done part by part
    ],
)
def test_worlds_have_a_past_that_replays(text: Path | str, episodes: int) -> None:
    tried, unfit = check_pasts(compiled(load(text) if isinstance(text, Path) else parse(text), "past"), episodes, 1)
    assert tried > (2 if isinstance(text, Path) else 5) and unfit == 0


def counted(spec: GameSpec, seeds: Iterable[int]) -> audit.Count:
    """What is counted in games of some seeds."""
    count = audit.Count()
    for seed in seeds:
        count.merge(audit.count_past(spec, seed))
    return count


def test_the_row_that_chance_has_taken_a_card_from_is_that_in_worlds() -> None:
    count = counted(compiled(parse(EQUALS), "equals"), range(8))
    assert count.looked > 20 and count.wrong == 0, count.first


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_what_was_drawn_unseen_from_a_hand_is_drawn_again(seed: int) -> None:
    count = audit.count_past(compiled(load(EXAMPLES / "blind.rcy"), "blind"), seed)
    assert count.looked > 2 and count.wrong == count.unfound == 0, count.first


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seeds", "looked", "unfound"),
    [
        ("blind", range(100), 500, 0.0152),  # which card was drawn unseen is told later, if at all: labels are guesses then
        ("bluff", range(40), 30, 0.02), ("go_fish", range(40), 30, 0.02), ("old_maid", range(15), 30, 0.02),
        ("old_maid", (50_047, 50_084, 50_085), 30, 0.1),  # an opening with fewer pairs contradicts nothing that was seen
        ("lama-full", range(20), 200, 0.0204),  # sums of hidden cards are approached step by step
    ],
)  # fmt: skip
def test_cards_that_go_from_hand_to_hand(name: str, seeds: Iterable[int], looked: int, unfound: float) -> None:
    """Worlds fit whatever was seen and in its order, and are found although most goes on unseen."""
    description = shipped(name) if name == "lama-full" else load(EXAMPLES / f"{name}.rcy")
    count = counted(compiled(description, name), seeds)
    assert count.looked > looked and count.wrong == 0, count.first
    assert count.unfound < unfound * count.looked, count


@pytest.mark.parametrize("name", ["bluff", "go_fish", "old_maid", "passing"])
def test_what_is_said_for_certain_of_a_shuffle_was_so(name: str) -> None:
    """A face at a label that is no guess was put there, whatever has gone from hand to hand since."""
    description = load(EXAMPLES / f"{name}.rcy")
    spec, certain = compiled(description, name).recalling, 0
    faces, view = np.array([0, *(face + 1 for face in Layout(description).face_of)]), spec.new_games(1)
    for games in itertools.islice(audit.deal_positions(spec, 4), 1, 60, 12):
        was = faces[exchanged_cards(spec, games[0], 0, 0)[0]["orders"]]
        for seat in range(spec.seats):
            spec.kernels.view(games, 0, seat, view, 0)
            sure = (view[0]["pins"] > 0) & (view[0]["lies"] == 0)
            assert (view[0]["pins"] == was)[sure].all(), spec.text(games[0])
            certain += int(sure.sum())
    assert certain > 0


@pytest.mark.parametrize("name", ["bluff", "go_fish", "passing", "shedding"])
def test_no_label_is_two_cards_and_nothing_seen_at_one_changes(name: str) -> None:
    """Of labels, pins and lies, as every seat in turn knows them from the first shuffle on."""
    spec = compiled(load(EXAMPLES / f"{name}.rcy"), name)
    games, rng, pinned = spec.new_games(1), np.random.default_rng(4), 0
    for seat in range(spec.seats):
        for field in ("pins", "lies"):
            games[field] = 0
        games["watcher"] = seat + 1
        spec.kernels.deal(games, 0, seed_streams(seat, 1), 0)
        before = games.copy()
        for _ in range(60):
            labels = games[0]["labels"][games[0]["labels"] >= 0]
            assert len(set(labels.tolist())) == len(labels)
            seen, unclear = before[0]["pins"] != 0, before[0]["lies"] != 0
            assert (games[0]["pins"] == before[0]["pins"])[seen].all() and games[0]["lies"][unclear].all()
            if games[0]["over"] != RUNNING:
                break
            before = games.copy()
            spec.kernels.step(games, 0, int(rng.choice(np.flatnonzero(games[0]["counts"]))))
        pinned += int((games[0]["pins"] > 0).sum())
    assert pinned > 0


def test_which_of_like_cards_has_left_a_hand_shows_nowhere() -> None:
    """What a seat takes labels to be is the same in all deals in which it has seen the same."""
    description = load(EXAMPLES / "handed_on.rcy")
    judge = Judge(description, compiled(description, "handed_on"))
    for seed in (7, 10):
        judge.play(seed)
    assert judge.looked["secret"] > 30 and not judge.found["secret"], judge.first


def test_hands_keep_their_labels_when_cards_come_round_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short search finds a world at every position, though the same faces were seen at labels of many shuffles."""
    for name, most in (("STARTS", 1), ("REPLAYED", 300), ("DRAWN", 100)):
        monkeypatch.setattr(past, name, most)
    count = audit.count_past(compiled(load(EXAMPLES / "shedding.rcy"), "shedding"), 0)
    assert count.looked > 10 and count.wrong == count.unfound == 0, count.first


def test_worlds_of_an_observation_have_pasts_for_everybody() -> None:
    spec = compiled(parse(LOWEST), "lowest")
    games = spec.deal(3)
    for _ in range(2):
        spec.kernels.step(games, 0, int(np.flatnonzero(spec.mask(spec.legal(games)))[0]))
    found = worlds.redeal(spec.recalling, spec.recalling.observation(games, 1), 5, np.random.default_rng(1))
    assert len(found) == 5 and (found["moves"] == 2).all() and not found["imagined"].any()
    assert (worlds.apply(spec, found, worlds.masks(spec, found).argmax(1))["moves"] == 3).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["agram", "euchre", "hearts", "kuhn-poker", "pairs", "stealing-bundles", "whist"])
def test_shipped_games_have_worlds_with_pasts(name: str) -> None:
    tried, unfit = check_pasts(compiled(shipped(name), f"{name}.rcy"), 3)
    assert unfit == 0, f"{unfit} of {tried}"
