"""Games of one side as OpenSpiel's: payoffs are identical."""

import math
from pathlib import Path

import numpy as np
import pytest

from cardenvs.games.hanabi import hanabi
from tests.helpers.one_sided import DESCRIPTIONS, written

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import expected_game_score, generate_playthrough  # noqa: E402

from cardenvs.openspiel import load  # noqa: E402


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_openspiel_accepts_them(name: str, tmp_path: Path) -> None:
    game = load(written(name, tmp_path), seed=3)
    kind = game.get_type()
    assert kind.utility == pyspiel.GameType.Utility.IDENTICAL and game.utility_sum() is None
    bounds = (0, 4) if name == "trust" else (-math.inf, math.inf)
    assert (game.min_utility(), game.max_utility()) == bounds
    pyspiel.random_sim_test(game, num_sims=3, serialize=name == "trust", verbose=False)
    assert "IsTerminal() = True" in generate_playthrough.playthrough(str(game), None, seed=1)
    state, rng = game.new_initial_state(), np.random.default_rng(1)
    while not state.is_terminal():
        state.apply_action(0 if state.is_chance_node() else int(rng.choice(state.legal_actions())))
    returns = state.returns()
    assert len(set(returns)) == 1 and returns[0] > 0


def test_bounds_are_what_the_game_says() -> None:
    points, win = load(hanabi(), seed=1), load(hanabi(), seed=1, reward="win")
    assert (points.min_utility(), points.max_utility()) == (0, math.inf)
    assert (win.min_utility(), win.max_utility()) == (0, 1)
    assert points.get_type().utility == win.get_type().utility == pyspiel.GameType.Utility.IDENTICAL


def test_listed_deals_give_exact_values(tmp_path: Path) -> None:
    """Two partners at random: half of the time 3, else 2 in the mean."""
    from open_spiel.python.policy import UniformRandomPolicy

    game = load(written("trust", tmp_path))
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    uniform = UniformRandomPolicy(game)
    assert expected_game_score.policy_value(game.new_initial_state(), [uniform] * 2).tolist() == [2.5, 2.5]
