"""A game of five kernels and nothing else: all shells, matches, training and the table play it."""

import pickle
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardenvs import policy, recycle, testing, worlds
from cardenvs.baselines.match import play_match
from cardenvs.baselines.search.any_game.flat import FlatMonteCarlo
from cardenvs.baselines.search.any_game.pipmc import Pipmc
from cardenvs.baselines.search.tree.ismcts import Ismcts
from cardenvs.baselines.warmup.steps import steps_for
from cardenvs.cli import main
from cardenvs.compiled.jit import kernel
from cardenvs.contract.registry import register_game
from cardenvs.contract.spec import GameSpec
from cardenvs.train.config import Config
from cardenvs.train.learning.self_play import train
from tests.fuzz.running import mutated_text, told
from tests.toys import climb, kuhn
from tests.toys.climb import SPEC


@pytest.fixture(autouse=True)
def _climb() -> None:
    register_game(SPEC)


def test_properties_hold_and_what_cannot_be_checked_is_said() -> None:
    left = testing.check_game(SPEC)
    assert [text.partition(":")[0] for text in left] == [
        "re-deals, and by them whether hidden cards show",
        "the order of play",
    ]


def test_a_mask_that_depends_on_hidden_cards_is_found() -> None:
    @kernel
    def leaking(games: Any, i: int, word: int = 0) -> int:
        """Above the cards of another seat alone."""
        return climb.legal(games, i, word) if games[i].hands[1] & 1 == 0 else np.int64(1) << 9

    spec = replace(SPEC, kernels=replace(SPEC.kernels, legal=leaking))
    with pytest.raises(AssertionError, match="the action mask leaks hidden cards"):
        testing.check_no_leak(spec)


def test_a_state_has_what_the_others_hold() -> None:
    games = SPEC.deal(5)
    for seat in range(3):
        told = SPEC.labels(SPEC.full_state(games, seat))
        hands = [set(told["hand"]), set(told["hand_seat+1"]), set(told["hand_seat+2"])]
        assert [len(hand) for hand in hands] == [3, 3, 3] and set.union(*hands) == set(climb.CARDS)
        assert hands[1] == set(SPEC.labels(SPEC.observation(games, (seat + 1) % 3))["hand"])


def test_a_line_deals_again() -> None:
    for seed in range(20):
        games = SPEC.deal(seed)
        assert SPEC.parse(SPEC.text(games[0]))[0] == games[0]


@pytest.mark.parametrize("spec", [SPEC, kuhn.SPEC], ids=lambda spec: spec.name)
def test_mutated_lines_are_deals_or_are_refused(spec: GameSpec) -> None:
    rng = random.Random(1)
    lines = [spec.text(games[0]) for games in testing.random_positions(spec, 5, 2)]
    parsed = refused = 0
    for _ in range(600):
        state = told(spec.parse, mutated_text(rng.choice(lines), rng))
        if state is None:
            refused += 1
            continue
        parsed += 1
        assert spec.parse(spec.text(state[0])).tobytes() == state.tobytes()
        for seat in range(spec.seats):
            spec.observation(state, seat)
            assert spec.drawing(state[0], seat)
    assert parsed > 10 and refused > 100


def test_the_stream_of_a_deal_is_in_no_view() -> None:
    games, views = SPEC.deal(1), SPEC.new_games(1)
    SPEC.kernels.view(games, 0, 0, views, 0)
    assert games[0]["deal_stream"] and not views[0]["deal_stream"]
    views[0]["deal_stream"] = games[0]["deal_stream"]
    with pytest.raises(ValueError, match="no part of an observation tells"):
        SPEC.check_state(views, whole=False)
    games[0]["deal_stream"] = 0
    with pytest.raises(ValueError, match="no part of an observation tells"):
        SPEC.check_state(games, whole=True)


def test_what_is_out_of_range_is_refused() -> None:
    for field, place, number, message in (
        ("sizes", 1, 4, "'sizes'"),
        ("top", None, 9, "'top'"),
        ("passes", None, 2, "'passes'"),
        ("to_act", None, 3, "'to_act'"),
        ("to_act", None, -1, "'to_act'"),
        ("over", None, 1, "'episode_over'"),
        ("played", None, 1 << 9, "'played'"),
        ("hands", 2, 1 << 9, "'hand'|no part of an observation tells"),
        ("hands", 0, 0, "'to_act'"),  # nothing is legal
        ("moves", None, 28, "its history does not fit"),
        ("moves", None, -1, "its history does not fit"),
    ):
        games = SPEC.deal(3)
        (games[field] if place is None else games[field][:, place])[0] = number
        with pytest.raises(ValueError, match=message):
            SPEC.check_state(games, whole=True)


def test_searches_refuse_and_are_not_listed() -> None:
    assert {"random"} <= set(policy.names(SPEC)) and not {"ismcts", "monte-carlo", "pipmc"} & set(policy.names(SPEC))
    assert not policy.has(SPEC, "ismcts") and policy.has("kuhn", "ismcts")
    for name in ("ismcts", "monte-carlo:worlds=3", "pipmc"):
        with pytest.raises(ValueError, match=r"draws worlds, and climb has no re-deals .*: the policies are .*random"):
            policy.make(SPEC, name)
    for made in (Ismcts, FlatMonteCarlo, Pipmc):
        with pytest.raises(ValueError, match="draws worlds, and climb has no re-deals"):
            made(SPEC)
    with pytest.raises(ValueError, match="no worlds can be drawn in climb, which brings no kernel redeal"):
        worlds.redeal(SPEC, SPEC.observation(SPEC.deal(1), 0))
    paid = worlds.playouts(SPEC, SPEC.deal(1), "random", np.random.default_rng(1))
    assert paid.shape == (1, 3) and abs(paid.sum()) < 1e-6


def test_it_is_listed_with_the_environments_that_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "climb"]) == 0
    printed = capsys.readouterr().out
    assert "climb: Climb, 3 seats" in printed and "from cardenvs import recycle: recycle.env('climb')" in printed
    assert recycle.env("climb").unwrapped.possible_agents == ["player_0", "player_1", "player_2"]


def test_a_match_is_played_and_duplicate() -> None:
    result = play_match("climb", "random", "random", deals=6, seed=2)
    assert result.games == 18


def test_what_is_compiled_ahead_needs_no_worlds() -> None:
    assert not {"worlds", "recall", "statistics", "ismcts"} & {step.name for step in steps_for(SPEC)}


@pytest.mark.slow
def test_it_is_compiled_ahead() -> None:
    for step in steps_for(SPEC):
        step.run()


def test_a_few_steps_of_training(tmp_path: Path) -> None:
    config = Config("climb", steps=2 * 16 * 32, games=16, rollout=32, batch_size=128, net=(16, 8), threads=1, eval_deals=6)
    train(config, tmp_path / "run")
    trained = policy.make(SPEC, str(tmp_path / "run" / "policy.zip"))
    assert play_match(SPEC, trained, "random", deals=2).games == 6


def test_drawings_show_a_seat_its_own_cards_alone() -> None:
    games, views = SPEC.deal(2), SPEC.new_games(1)
    hands = [SPEC.labels(SPEC.observation(games, seat))["hand"] for seat in range(3)]
    for seat in range(3):
        lines = [line.split() for line in SPEC.drawing(games[0], seat).splitlines()]
        assert [words[1:] for words in lines if words[0] == "hand"] == [hands[seat]]
        assert ["to_act", "player_0"] in lines
    everything = SPEC.drawing(games[0], None)
    assert all(f"player_{seat}: hand          {' '.join(hand)}" in everything for seat, hand in enumerate(hands))
    SPEC.kernels.view(games, 0, 1, views, 0)
    assert f"hand          {' '.join(hands[1])}" in SPEC.drawing(views[0], 0).splitlines()


@pytest.mark.compiled
def test_it_goes_to_other_processes_by_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    again = pickle.loads(pickle.dumps(replace(SPEC, name="climbing")))
    games = again.deal(4)
    assert (again.observation(games, 1) == SPEC.observation(SPEC.deal(4), 1)).all()
    assert again.parse(again.text(games[0]))[0] == games[0]
    assert again.drawing(games[0], 1) == SPEC.drawing(SPEC.deal(4)[0], 1)
