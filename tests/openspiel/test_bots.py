"""OpenSpiel's bots here: the same positions and options there, move by move, and answers that are legal."""

from typing import Any

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.baselines.match import play_match
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.games import euchre
from cardenvs.openspiel import euchre as translation
from cardenvs.openspiel.bots import OpenSpielPolicy
from cardenvs.testing import random_positions

pytestmark = pytest.mark.compiled

pyspiel = pytest.importorskip("pyspiel")


def seen(spec: Any, games: Any, seat: int) -> tuple[Any, Any, Any]:
    """The view, the row and the mask of a seat."""
    views, rows = spec.new_games(1), np.zeros((1, spec.observation_size), np.int8)
    spec.kernels.view(games, 0, seat, views, 0)
    spec.kernels.observe(views, 0, rows, 0)
    return views, rows, spec.mask(spec.legal(games))[None]


def theirs(world: Any) -> Any:
    """OpenSpiel's state for a full state here."""
    state = translation.new_state(pyspiel.load_game(translation.game_name(bool(world["stick_the_dealer"]))), world)
    translation.replay_actions(state, world)
    return state


@pytest.mark.parametrize("stick", [True, False])
def test_the_same_positions_and_options(stick: bool) -> None:
    spec = get_game("euchre")
    compared = dict.fromkeys(range(4), 0)
    for games in random_positions(spec, 400, seed=3, stick_the_dealer=stick):
        world, phase = games[0], int(games[0]["phase"])
        if (
            world["over"] != RUNNING
            or compared[phase] > 600
            or (world["picked_up"] and world["discard"] == world["turned"])
        ):
            continue
        state = theirs(world)
        assert state.current_player() == world["to_act"]
        here = {action for action in range(spec.num_actions) if spec.legal(games) >> action & 1}
        there = set(state.legal_actions())
        if phase == euchre.PLAYING:
            assert {translation.our_card(action) for action in there} == here
        elif phase == euchre.DISCARDING:
            turned = int(world["turned"]).bit_length() - 1
            assert {translation.our_card(action) for action in there} == here - {turned}
        else:
            calls = {action - translation.THEIR_CALL for action in there if action != translation.THEIR_PASS}
            assert (translation.THEIR_PASS in there) == (euchre.PASS in here)
            if phase == euchre.CALLING:
                assert calls == {action - euchre.CALL for action in here if euchre.CALL <= action < euchre.CALL_ALONE}
        compared[phase] += 1
    assert min(compared.values()) > 3


def test_the_same_points() -> None:
    spec, compared = get_game("euchre"), 0
    for games in random_positions(spec, 60, seed=4):
        world = games[0]
        if world["over"] == RUNNING or not world["tricks"].sum() or world["discard"] == world["turned"]:
            continue
        points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, 4), np.int64)
        spec.kernels.outcome(games, 0, points, tricks)
        state = theirs(world)
        assert state.is_terminal() and state.returns()[0] == points[0, 0] - points[0, 1]
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("name", ["openspiel:ismcts,simulations=20", "openspiel:random"])
def test_bots_answer_with_legal_actions(name: str) -> None:
    player = policy.make("euchre", name)
    assert isinstance(player, OpenSpielPolicy)
    spec = player.game
    for games in random_positions(spec, 6, seed=5):
        if games[0]["over"] != RUNNING:
            continue
        _, rows, mask = seen(spec, games, int(games[0]["to_act"]))
        answers = [int(player.act(rows, mask, seed_streams(7, 1))[0]) for _ in range(2)]
        assert mask[0, answers].all()
        assert player.bot == "ismcts" or answers[0] == answers[1]  # OpenSpiel's search draws otherwise with one seed


@pytest.mark.parametrize("name", ["openspiel:ismcts,simulations=5", "openspiel:random"])
def test_a_position_that_only_the_game_here_has(name: str) -> None:
    """The dealer takes up the nine of spades, puts it away, and follows a spade with the ace of hearts."""
    cards = "hands=QcKcAc9hTh/TcTdJdQdKd/9cQhKhAhAd/TsJsQsKsAs turned=9s kitty=JcJh9d"
    start = f"euchre bidding=full stick_the_dealer=no episode=game target=10 score=3-4 dealer=2 {cards}"
    player = policy.make("euchre", name)
    spec = player.game
    games = spec.parse(f"{start} actions=order-up,9s,Ts,9h,Tc,Ad")
    assert games[0]["to_act"] == 3
    (views, rows, mask), worlds = seen(spec, games, 3), spec.new_games(1)
    for draw in range(20):
        spec.kernels.redeal(views, 0, seed_streams(draw, 1), 0, worlds, 0)
        assert not translation.is_allowed(worlds[0])
    assert mask[0, player.act(rows, mask, seed_streams(7, 1))].all()


def test_a_name_has_the_bot_first() -> None:
    assert policy.parse_name("openspiel:ismcts,simulations=10") == ("openspiel", {"bot": "ismcts", "simulations": 10})


def test_it_plays_with_the_order_of_play() -> None:
    assert play_match("euchre", "openspiel:simulations=2", "random", deals=1).deals == 1
