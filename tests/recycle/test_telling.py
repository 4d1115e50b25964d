"""What small described games tell of hidden cards: all that is told is so, and nothing is told that was not seen."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardenvs import cli
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.information_audit import counts as audit
from cardenvs.recycle import load, parse
from cardenvs.recycle.game import compiled
from tests.fuzz.grown import trial
from tests.fuzz.running import fuzz
from tests.helpers.judging import Judge

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent / "examples"
FILLING = """(game (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (A, B)))))
 (stage player (end (== (game sto DONE) 9))
  (choice ((remember (top (game iloc STOCK)) (top (game mem SEEN)))))
  (do ((inc (game sto DONE) 1))))
 (scoring max (game sto DONE)))"""
"""A game that remembers more cards than its ``mem`` has room for."""


@pytest.mark.parametrize(
    "name", ["leak", "in_parts", "draw_discard", "passing", "empty_pile", "knock", "bidhand", "secrets"]
)
def test_examples_tell_what_is_so_and_nothing_else(name: str) -> None:
    description = load(EXAMPLES / f"{name}.rcy")
    spec = compiled(description, name)
    for judge in (audit.count_false, audit.count_mask, audit.count_secrets, audit.count_past):
        count = judge(spec, 3)
        assert count.looked and not count.wrong, count.first
    if len(spec.sights().face_of) < 7:  # type: ignore[misc]
        judged = Judge(description, spec)
        judged.play(1)
        for fault in ("dies", "false", "secret", "mask", "recalled"):
            assert not judged.found[fault], judged.first


def test_check_tells_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["recycle", "check", str(EXAMPLES / "knock.rcy"), "--play", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    names = ["false", "mask", "secrets", "impossible", "impossible_without_recall"]
    assert [told[name] for name in names[:4]] == [0] * 4 and all(told["looked"][name] for name in names)


class Leak(audit.GameChannel):
    """A way that tells all cards behind the second action."""

    def information(self, seat: int) -> dict[str, Any]:
        return {"cards": self._games[0]["cards"].tolist() if self._games[0]["moves"] > 1 else []}


def test_complaints_have_the_line_of_the_position_at_which_they_come_again() -> None:
    spec, streams = compiled(load(EXAMPLES / "knock.rcy"), "knock"), seed_streams(5, 1)
    begun = spec.deal(0)[0]["sizes"].tobytes()
    kernels = replace(spec.kernels, fits=lambda dealt, k: dealt[k]["sizes"].tobytes() == begun)
    lost = replace(spec, kernels=kernels, untrue=lambda state, seat, _: "late" if state["moves"] > 2 and seat == 1 else "")
    lines = {spec.text(games[0]) for games in audit.deal_positions(spec, 0)}

    def first(count: audit.Count, said: str) -> tuple[Games, int]:
        found = re.fullmatch(f"{said}.*: seat ([0-9]) of (.*)", count.first)
        assert found and found[2] in lines and not found[2].endswith("actions="), count.first
        return spec.parse(found[2]), int(found[1])

    for count in (audit.count_mask(lost, 0), audit.count_past(lost, 0, recall=False)):
        games, seat = first(count, "no world is found")
        assert count.unfound and audit._find_world(lost, games, seat, streams) is None
        assert audit._find_world(spec, games, seat, streams) is not None
    games, seat = first(audit.count_false(lost, 0), "late")
    assert (games[0]["moves"], seat) == (3, 1)
    games, _ = first(audit.count_secrets(spec, 0, [Leak]), "told of what it has not seen")
    assert games[0]["moves"] > 1
    games, seat = first(audit.count_past(spec, 0, recall=False), "a re-deal")
    assert games[0]["to_act"] == seat


def test_worlds_without_recall_may_contradict_the_past() -> None:
    """A forced knock is nothing that an observation carries."""
    spec = compiled(load(EXAMPLES / "knock.rcy"), "knock")
    found = [audit.count_past(spec, seed, recall) for recall in (True, False) for seed in (0, 1)]
    assert [count.wrong > 0 for count in found] == [False, False, True, False]


def test_grown_games_tell_what_is_so_and_nothing_else() -> None:
    outcomes = fuzz(trial, 6, seed=5)
    assert set(outcomes) <= {"fine", "impossible"}, outcomes


def test_a_mem_that_is_full_is_no_fault_of_what_is_told() -> None:
    judge = Judge(parse(FILLING, "filling.rcy"), compiled(parse(FILLING, "filling.rcy"), "filling"))
    judge.play(1)
    assert judge.looked["dies"] == 3 and not judge.found["dies"], judge.first
