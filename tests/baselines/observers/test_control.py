"""Control variates: the value of a deal by double-dummy play, what a fitted control is worth, and its bad input."""

import numpy as np
import pytest

from cardenvs import get_game
from cardenvs.baselines import Side, evaluate_against, play_deals, play_match
from cardenvs.baselines.observers.control import DEALER_VALUE, DoubleDummyControl, dealer_values, dealt, fit_out
from cardenvs.compiled.streams import seed_streams
from tests.helpers.matches import watch

pytestmark = pytest.mark.compiled

EUCHRE = get_game("euchre")


def error(values):
    """The standard error of the mean of some values."""
    return values.std(ddof=1) / np.sqrt(len(values))


def published(first, second, games, seed):
    """A published match: the wins, the margins and the control, a game each."""
    control = DoubleDummyControl()
    results = play_deals(EUCHRE, first, second, range(games), seed=seed, protocol="published", observer=control)
    return results.wins, results.points_margins, control.game_controls


def test_the_mean_value_of_a_deal():
    """4.5 standard errors: one false alarm in 150,000."""
    games = EUCHRE.new_games(40_000, bidding="forced-spades")
    streams = seed_streams(77, len(games))
    for i in range(len(games)):
        EUCHRE.kernels.deal(games, i, streams, i)
    values = dealer_values(games)
    assert abs(values.mean() - DEALER_VALUE) < 4.5 * error(values)


def test_finished_deals_are_valued_as_they_were_dealt():
    _, finished, _ = watch(play_match, EUCHRE, "low", "hybrid", deals=5, protocol="published")
    anew = EUCHRE.new_games(len(finished), bidding="forced-spades")
    for i, state in enumerate(finished):
        EUCHRE.set_deal(anew, i, EUCHRE.deal_text(state) | {"score": "0-0"})
    start = dealt(finished)
    assert (start["hands"] == anew["hands"]).all()
    assert (start["to_act"] == anew["to_act"]).all()
    assert (dealer_values(start) == dealer_values(anew)).all()


def test_the_control_has_one_value_a_game_whatever_the_batches():
    whole, parts = DoubleDummyControl(), DoubleDummyControl()
    for observer, size in ((whole, 2048), (parts, 7)):
        play_match(EUCHRE, "low", "hybrid", deals=30, seed=1, protocol="published", observer=observer, batch_size=size)
    assert len(whole.game_controls) == 30
    assert (whole.game_controls == parts.game_controls).all()


def test_the_control_is_unbiased_and_pays():
    """Over 40 seeds of 50 games between unequal sides: its mean is 0, and the results keep theirs.

    4.5 standard errors: one false alarm in 150,000 for each of three figures.
    """
    controls, shifts = [], []
    wins, margins = [], []
    for seed in range(40):
        won, points, control = published("hybrid", "random", 50, 1000 + seed)
        controls.append(control)
        wins.append(fit_out(won, control)[0])
        margins.append(fit_out(points, control)[0])
        shifts.append([wins[-1].mean() - won.mean(), margins[-1].mean() - points.mean()])
    control = np.concatenate(controls)
    assert abs(control.mean()) < 4.5 * error(control)
    for shift in np.array(shifts).T:
        assert abs(shift.mean()) < 4.5 * error(shift)
        assert shift.std() > 0
    # Against the kernel's 50,000 games without a control.
    long = play_match(EUCHRE, "hybrid", "random", deals=50_000, seed=5, protocol="published")
    clear = np.concatenate(margins)
    spread = np.hypot(error(clear), long.points_margin.half_width / 1.96)
    assert abs(clear.mean() - long.points_margin.mean) < 4.5 * spread


def test_fitting_on_other_games_does_not_bias():
    """A result that is the control's square: a multiple fitted on the same games is biased, one on the others is not."""
    rng = np.random.default_rng(2)
    crossed, fitted = [], []
    for _ in range(4000):
        control = rng.exponential(size=20) - 1
        values = control**2
        crossed.append(fit_out(values, control)[0].mean() - 1)
        multiple = control @ (values - values.mean()) / (control @ control)
        fitted.append((values - multiple * control).mean() - 1)
    assert abs(np.mean(crossed)) < 4.5 * error(np.array(crossed))
    assert abs(np.mean(fitted)) > 9 * error(np.array(fitted))
    few = np.ones(19)
    assert fit_out(few, few)[0] is few


def test_a_controlled_evaluation_says_what_it_is_worth():
    sides = Side(EUCHRE, "coop-high-low"), Side(EUCHRE, "high-low")
    evaluated = evaluate_against(EUCHRE, *sides, deals=500, protocol="published", control="double-dummy", cooperation=False)
    c, plain = evaluated.controlled, evaluated.match
    assert 0.35 < c.points_variance_ratio < 0.75  # 0.5 in 10,000 games
    assert c.games_without_points == pytest.approx(500 / c.points_variance_ratio, abs=1)
    assert c.games_without_win_rate > 500
    assert evaluated.as_dict()["half_width"] == pytest.approx(c.points_margin.half_width)
    assert evaluated.points_margin.half_width < plain.points_margin.half_width
    assert c.coefficient > 0
    assert c.control_mean.low < c.control_mean.mean < c.control_mean.high
