"""DDS, from the package endplay, against the project's own solver; and what is said where it is missing."""

import sys

import numpy as np
import pytest

from cardenvs import get_game, policy
from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.contract.cards import members_of
from cardenvs.contract.loops import RUNNING
from tests.helpers.trick_positions import cards_left, check_each_card, positions

INSTALLED = dds.is_available()
needs_dds = pytest.mark.skipif(not INSTALLED, reason="endplay is not installed: in a checkout: pip install '.[dds]'")


@pytest.fixture
def no_endplay(monkeypatch):
    """As on a machine where endplay is not installed."""
    monkeypatch.setitem(sys.modules, "endplay", None)
    monkeypatch.setitem(sys.modules, "endplay._dds", None)  # the one way to DDS's arrays that endplay has


def check_agreement(games):
    """Both solvers say the same of every game and every card."""
    tricks, cards = dds.solve(games), dds.solve_cards(games)
    assert tricks.dtype == cards.dtype == np.int64
    for i in np.flatnonzero((tricks != double_dummy.solve(games)).any(1)):
        pytest.fail(f"{tricks[i]}: {get_game('whist').text(games[i])}")
    for i in np.flatnonzero((cards != double_dummy.solve_cards(games)).any(1)):
        pytest.fail(f"{cards[i]}: {get_game('whist').text(games[i])}")


@needs_dds
def test_agrees_with_the_own_solver():
    """Up to nine cards a hand, tricks under way among them, and more games than DDS takes in one call."""
    games = positions("whist", 20, 1, range(1, 10))
    assert len(list(dds.split_calls(games))) > 3
    plays = np.bitwise_count(games["trick"]).sum(1)
    for left in range(1, 10):
        assert set(plays[cards_left(games) == left]) == {0, 1, 2, 3}
    assert set(games["trump"]) == set(games["to_act"]) == {0, 1, 2, 3}
    check_agreement(games)


@needs_dds
@pytest.mark.parametrize("solve", [dds.solve, dds.solve_cards])
def test_boards_that_dds_refuses_are_an_error(solve, monkeypatch, tmp_path):
    """Return codes other than success do not pass for answers."""

    # A private name: no states are refused by DDS that the checks before it let pass.
    def empty(games, deals):
        deals["hands"] = 0

    monkeypatch.setattr(dds, "_fill_boards", empty)
    monkeypatch.chdir(tmp_path)  # where DDS writes what it was asked
    with pytest.raises(RuntimeError, match="Zero cards"):
        solve(positions("whist", 1, 4, [5]))


@needs_dds
@pytest.mark.slow
def test_agrees_with_the_own_solver_in_many_more_deals():
    check_agreement(positions("whist", 100, 2, range(1, 9)))
    check_agreement(positions("whist", 12, 3, [9, 10], every=3))


@needs_dds
def test_whole_deals_are_consistent():
    """Full hands: all legal cards have a value, the best one's is what is promised, the other side has the rest."""
    spec = get_game("whist")
    games = positions("whist", 2, 4, [13])
    assert len(games) == 8
    tricks, cards = dds.solve(games), dds.solve_cards(games)
    assert (tricks.sum(1) == 13).all()
    for i, side in enumerate(games["to_act"] % 2):
        assert np.flatnonzero(cards[i] >= 0).tolist() == members_of(spec.kernels.legal(games, i))
        assert cards[i].max() == tricks[i, side]


@needs_dds
@pytest.mark.parametrize("left", [11, 12, 13])
def test_every_card_is_worth_what_it_leads_to(left):
    """Beyond the own solver's reach."""
    check_each_card("whist", positions("whist", 2, 5, [left], every=3), dds)


@needs_dds
def test_threads_and_company_do_not_matter():
    games = positions("whist", 3, 6, [1, 3, 7], every=2)
    tricks, cards = dds.solve(games), dds.solve_cards(games)
    assert (dds.solve(games, threads=2) == tricks).all() and (dds.solve_cards(games, threads=2) == cards).all()
    for i in range(0, len(games), 5):
        assert (dds.solve(games[i : i + 1])[0] == tricks[i]).all()
        assert (dds.solve_cards(games[i : i + 1])[0] == cards[i]).all()


def alike(rng, left, plies, n):
    """Games with the same cards in all hands, the same trump and leader: only the cards of the trick differ."""
    games = get_game("whist").new_games(n)
    games["over"] = RUNNING
    games["trump"] = rng.integers(4)
    leader = int(rng.integers(4))
    games["leader"] = games["winner"] = leader
    games["to_act"] = (leader + plies) % 4
    cards = rng.permutation(52).tolist()
    hands = [[cards.pop() for _ in range(left - (ply < plies))] for ply in range(4)]
    for game in games:
        while True:
            trick = rng.permutation(cards)[:plies].tolist()
            led = trick[0] // 13
            if all(trick[k] // 13 == led or all(card // 13 != led for card in hands[k]) for k in range(1, plies)):
                break
        for ply in range(4):
            game["hands"][(leader + ply) % 4] = sum(1 << card for card in hands[ply])
            if ply < plies:
                game["trick"][(leader + ply) % 4] = 1 << trick[ply]
    return games


@needs_dds
@pytest.mark.parametrize("plies", [1, 2, 3])
@pytest.mark.parametrize("left", [1, 2, 5])
def test_the_cards_on_the_table_count(left, plies):
    """Within one call, DDS takes boards for the same that differ in the trick alone; more of them than a call takes."""
    rng = np.random.default_rng(9)
    games = np.concatenate([alike(rng, left, plies, n) for n in (1, 2, 30, 30, 30, 30, 250)])
    check_agreement(games[rng.permutation(len(games))])
    # Repeated as they are, they may be solved together.
    again = np.concatenate([games[:3], games[:3]])
    assert len(list(dds.split_calls(again))) == 2
    assert sorted(np.concatenate(list(dds.split_calls(games)))) == list(range(len(games)))


@needs_dds
def test_no_games_are_no_trouble():
    none = get_game("whist").new_games(0)
    assert dds.solve(none).shape == (0, 2) and dds.solve_cards(none).shape == (0, 52)


@pytest.mark.parametrize("function", [dds.solve, dds.solve_cards])
def test_bad_input_is_named(function):
    games = positions("whist", 1, 7, [3])
    view = get_game("whist").new_games(1)
    get_game("whist").kernels.view(games, 0, 1, view, 0)
    for wrong, threads, message in (
        (positions("euchre", 4, 7, [3]), 1, "DDS solves whist, not euchre"),
        (get_game("five-o").deal(1), 1, "games must be states of euchre or whist, not "),
        (games.reshape(1, -1), 1, r"games must have the shape \(n,\), not \(1, "),
        (np.concatenate([games[:2], view]), 1, "game 2 of whist: its hands differ in size; a full state is needed"),
        (games, 0, "threads must be at least 1, not 0"),
    ):
        with pytest.raises(ValueError, match=message):
            function(wrong, threads=threads)


def test_says_what_to_install_where_it_is_missing(no_endplay):
    assert not dds.is_available()
    games = positions("whist", 1, 8, [3])
    for function in (dds.solve, dds.solve_cards):
        with pytest.raises(ImportError, match=r"package endplay, in a checkout: pip install '\.\[dds\]'"):
            function(games)


def test_a_search_that_needs_it_says_so(no_endplay):
    for name in ("pimc:solver=dds", "pimc:solver=dds,exact_cards=13"):
        with pytest.raises(
            ValueError, match=r"solver='dds' needs the package endplay, in a checkout: pip install '\.\[dds\]'"
        ):
            policy.make("whist", name)
    for exact in (11, 13):
        message = (
            rf"exact_cards must be at most 10 with the numba solver, not {exact}; .* in a checkout: pip install '\.\[dds\]'"
        )
        with pytest.raises(ValueError, match=message):
            policy.make("whist", "pimc", exact_cards=exact)
    assert policy.make("whist", "pimc", exact_cards=10).game.name == "whist"
    assert policy.make("euchre", "pimc:solver=dds").game.name == "euchre"


@needs_dds
def test_is_found_where_it_is_installed():
    assert dds.is_available()
    for name in ("pimc:solver=dds", "pimc:solver=dds,exact_cards=13", "pimc:exact_cards=13"):
        assert policy.make("whist", name).game.name == "whist"
