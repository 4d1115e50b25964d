"""`pipmc`: the naive search's estimates, the best option of merged ones, play-outs that are cut off."""

from dataclasses import replace

import numpy as np
import pytest

from cardenvs import policy, testing
from cardenvs.baselines.search.any_game.pipmc import Pipmc
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from tests.helpers.positions import observation_of, rows_of
from tests.helpers.toys import toy
from tests.naive import pipmc as naive
from tests.toys.kuhn import redeal

GAMES = [
    pytest.param("kuhn", {}),
    pytest.param("ladder", {}, marks=pytest.mark.slow),
    pytest.param("wolves", {}),
    ("euchre", {"bidding": "forced-spades"}),
    pytest.param("whist", {}, marks=pytest.mark.slow),
    pytest.param("five-o", {}, marks=pytest.mark.slow),
]


def spec_of(name):
    return toy(name) if name in ("kuhn", "ladder", "wolves") else get_game(name)


def decisions(spec, count, seed, **options):
    """Some positions in which a seat is to act, from the beginnings, the middles and the ends of deals."""
    found = [g.copy() for g in testing.random_positions(spec, 3, seed, **options) if g[0]["over"] == RUNNING]
    return found[:: max(1, len(found) // count)]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_estimates_are_those_of_the_naive_search(name, options):
    spec = spec_of(name)
    tried = 0
    for k, games in enumerate(decisions(spec, 8, 3, **options)):
        rows, masks = rows_of(spec, games)
        view = spec.decode(rows)
        streams, again, policys = (seed_streams(k, 1) for _ in range(3))
        expected = naive.estimates(spec, view, 3, streams, spec.max_decisions)
        player = Pipmc(spec, worlds=3)
        found = player.estimates(view, masks[0], again)
        assert again == streams
        assert found.options.tolist() == [action for action, _ in expected]
        assert found.means == pytest.approx(np.array([values for _, values in expected], float))
        assert found.worlds == 3
        own = [values[0] for _, values in expected]
        best = own.index(max(own))
        assert found.best_option == best
        scores, chosen = player.evaluate(rows, masks, policys, False)
        assert chosen[0] == expected[best][0]
        for action in range(spec.num_actions):
            of_action = [float(values[0]) for option, values in expected if option == action]
            assert (np.isnan(scores[0, action]) and not of_action) or scores[0, action] == pytest.approx(max(of_action))
        tried += len(expected) > 1
    assert tried > 2


@pytest.mark.slow
def test_each_choice_of_a_merged_action_is_tried():
    ladder = toy("ladder")
    games = ladder.deal(1)
    rows, masks = rows_of(ladder, games)
    found = Pipmc(ladder, worlds=50).estimates(ladder.decode(rows), masks[0], seed_streams(0, 1))
    draw = ladder.action("draw")
    assert (found.options == draw).sum() == ladder.kernels.multiplicity(games, 0, draw) > 5
    assert len(set(found.places[found.options == draw, 0].tolist())) > 1


@pytest.mark.slow
def test_what_is_cut_off_counts_a_half_for_all():
    short = replace(toy("ladder"), max_decisions=3)
    games = short.deal(1)
    rows, masks = rows_of(short, games)
    found = Pipmc(short, worlds=4).estimates(short.decode(rows), masks[0], seed_streams(0, 1))
    assert (found.means == 0.5).all()
    assert Pipmc(short).act(rows, masks, seed_streams(0, 1))[0] == found.options[0]


def test_partners_share_their_rank():
    whist = get_game("whist")
    rows, masks = rows_of(whist, whist.deal(1))
    values = Pipmc(whist).estimates(whist.decode(rows), masks[0], seed_streams(0, 1)).means
    assert (values[:, 0] == values[:, 2]).all()
    assert (values[:, 1] == values[:, 3]).all()
    assert values[:, 0] + values[:, 1] == pytest.approx(4 / 3)  # 1 for the winners, 1/3 for the others


def test_sees_a_win():
    """With the king Kuhn's second player calls a bet, and with the jack folds."""
    kuhn = toy("kuhn")
    for cards, better in (("JK", "bet"), ("KJ", "pass")):
        games = kuhn.parse(f"kuhn cards={cards} actions=bet")
        rows, masks = rows_of(kuhn, games)
        explained = Pipmc(kuhn).explain(observation_of(kuhn, games), seed_streams(0, 1))
        assert explained.kind == "value"
        if better == "bet":
            assert dict(explained) == {"bet": 1.0, "pass": 0.0}
        # A call with the jack loses as surely as a fold does: equal, and the first is taken.
        assert kuhn.actions[Pipmc(kuhn).act(rows, masks, seed_streams(0, 1))[0]] == better


@kernel
def _lowest(views, i, streams, s, games, j):
    """The other seat has the lowest card that it can have."""
    redeal(views, i, streams, s, games, j)
    games[j].cards[1] = 2 if games[j].cards[0] == 1 else 1


def test_forgets_where_a_game_has_fresh_deals():
    """With the queen a bet is called in vain if the other has the king, which the re-deal knows nothing of."""
    kuhn = toy("kuhn")
    rows, masks = rows_of(kuhn, kuhn.parse("kuhn cards=KQ actions=bet"))
    view, call = kuhn.decode(rows), kuhn.action("bet")
    known = Pipmc(kuhn, worlds=50).estimates(view, masks[0], seed_streams(0, 1))
    assert 0 < known.means[call, 0] < 1
    forgetful = replace(kuhn, kernels=replace(kuhn.kernels, fresh_deal=_lowest))
    assert Pipmc(forgetful, worlds=50).estimates(view, masks[0], seed_streams(0, 1)).means[call, 0] == 1


def test_is_known_by_name_in_every_game():
    for name in ("whist", "five-o", toy("wolves")):
        assert isinstance(policy.make(name, "pipmc:worlds=3"), Pipmc)
    assert policy.make("euchre", "pipmc:worlds=3").worlds == 3
