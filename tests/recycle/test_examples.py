"""Three short descriptions, as the page on the language has them, with the figures that must come out."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import pytest

from cardenvs.recycle import load, shipped
from tests.helpers.described import sample
from tests.naive.recycle import Game

EXAMPLES = Path(__file__).parent / "examples"
KUHN = [load(EXAMPLES / "kuhn_poker.rcy"), shipped("kuhn-poker")]
CHECK, BET, FOLD, CALL = range(4)


class Draws:
    """Chance that was decided beforehand."""

    def __init__(self, draws):
        self.draws = iter(draws)

    def below(self, n):
        draw = next(self.draws)
        assert 0 <= draw < n
        return draw

    def of_decision(self, number):
        return Draws(())


def deals(description):
    """Kuhn poker after each of the six shuffles of its three cards."""
    for draws in itertools.product(range(3), range(2)):
        yield Game(description, Draws(draws))


def value(game, strategy):
    """Seat 0's score, and the decisions still to come, when all follow a strategy."""
    if game.over:
        return Fraction(game.scores()[0]), Fraction(0)
    points, decisions = Fraction(0), Fraction(1)
    options = game.options()
    chances = strategy(game, [option.alternative for option in options])
    assert sum(chances) == 1
    for index, chance in enumerate(chances):
        after = game.copy()
        after.play(index)
        more_points, more_decisions = value(after, strategy)
        points += chance * more_points
        decisions += chance * more_decisions
    return points, decisions


def mean_value(description, strategy):
    """Its mean over all deals."""
    found = [value(game, strategy) for game in deals(description)]
    assert len(found) == 6
    return tuple(sum(column) / 6 for column in zip(*found, strict=True))


def uniform(game, alternatives):
    return [Fraction(1, len(alternatives))] * len(alternatives)


def equilibrium(alpha):
    """Both seats' strategy, by how often seat 0 bets a jack (Kuhn 1950)."""
    third = Fraction(1, 3)
    leading = {"JACK": alpha, "QUEEN": 0, "KING": 3 * alpha}
    calling = [{"JACK": 0, "QUEEN": alpha + third, "KING": 1}, {"JACK": 0, "QUEEN": third, "KING": 1}]
    after_check = {"JACK": third, "QUEEN": 0, "KING": 1}

    def strategy(game, alternatives):
        (card,) = (repr(card) for card in game.place(game.current, "iloc", "HAND"))
        if alternatives == [CHECK, BET]:
            bold = Fraction((leading if game.decisions == 0 else after_check)[card])
        else:
            assert alternatives == [FOLD, CALL]
            bold = Fraction(calling[game.current][card])
        return [1 - bold, bold]

    return strategy


@pytest.mark.parametrize("description", KUHN, ids=["page", "shipped"])
@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_kuhn_poker_is_worth_minus_an_eighteenth(description, alpha):
    assert mean_value(description, equilibrium(alpha))[0] == Fraction(-1, 18)


@pytest.mark.parametrize("description", KUHN, ids=["page", "shipped"])
def test_kuhn_poker_between_uniform_players(description):
    assert mean_value(description, uniform) == (Fraction(1, 8), Fraction(9, 4))


def test_high_card():
    """Two decisions of two options; each seat wins half: the first of 500 games within four standard errors."""
    found = list(sample(load(EXAMPLES / "high_card.rcy"), 500))
    assert all(one.options == [2, 2] and sum(one.game.scores()) == 1 for one in found)
    assert abs(sum(one.game.scores()[0] for one in found) - 250) < 4 * (500 / 4) ** 0.5


def test_agram():
    """24 decisions, 2.4 options, convergence .56: 60 games within five standard errors."""
    found = list(sample(load(EXAMPLES / "agram.rcy"), 60))
    assert all(len(one.options) == 24 and sum(one.game.scores()) == 1 for one in found)
    assert abs(sum(sum(one.options) for one in found) / (24 * 60) - 2.4) < 0.1
    assert abs(sum(one.convergence for one in found) / 60 - 0.564) < 0.01
