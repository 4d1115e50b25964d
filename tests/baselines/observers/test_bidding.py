"""Statistics of the bidding against a count from the deals' histories."""

import pytest

from cardenvs import get_game
from cardenvs.baselines import BiddingObserver, Side, evaluate, evaluate_against, play_match
from tests.helpers.matches import watch

pytestmark = pytest.mark.compiled

EUCHRE = get_game("euchre")


def test_bidding_statistics_are_those_of_the_histories():
    """Counted again from the text of every deal."""
    _, games, owners = watch(play_match, EUCHRE, "low:calling=random", "hybrid", deals=300, seed=6)
    observer = BiddingObserver()
    observer(games, owners)
    bidding = observer.result(("one", "two"))
    shares = ("first_round", "second_round", "alone", "euchred", "marches", "lone_marches", "lone_euchred")
    counts = {key: [0, 0] for key in ("calls", *shares)}
    points, won, void = [0, 0], [0, 0], 0
    for state, owner in zip(games, owners, strict=True):
        names = [name for name in EUCHRE.history_text(state) if name.startswith(("order", "call"))]
        if not names:
            void += 1
            continue
        side = owner[state["maker"]]
        tricks = sum(state["tricks"][seat] for seat in range(4) if owner[seat] == side)
        alone, first = names[0].endswith("alone"), names[0].startswith("order")
        outcome = -2 if tricks < 3 else 1 if tricks < 5 else 4 if alone else 2
        points[side] += outcome
        won[side if outcome > 0 else 1 - side] += abs(outcome)
        lost, march = tricks < 3, tricks == 5
        for counted, holds in zip(
            counts.values(), (True, first, not first, alone, lost, march, alone and march, alone and lost), strict=True
        ):
            counted[side] += holds
    assert bidding.deals == 600
    assert bidding.void == void / 600
    for side, figures in enumerate(bidding.sides):
        calls, alone = counts["calls"][side], counts["alone"][side]
        assert calls > 50 and alone > 5
        assert figures.calls == calls
        assert figures.called == pytest.approx(calls / 600)
        for share in shares:
            of = alone if share.startswith("lone_") else calls
            assert getattr(figures, share) == pytest.approx(counts[share][side] / of), share
        assert figures.points_per_call == pytest.approx(points[side] / calls)
        assert figures.points_per_deal == pytest.approx(won[side] / 600)


def test_bidding_is_counted_where_there_is_some():
    sides = Side(EUCHRE, "low"), Side(EUCHRE, "hybrid:calling=three-trumps")
    evaluated = evaluate_against(EUCHRE, *sides, deals=100)
    assert [figures.caller for figures in evaluated.bidding.sides] == ["low", "hybrid:calling=three-trumps"]
    assert evaluated.bidding.sides[1].alone == 0
    assert evaluated.cooperation.deals == 200
    standard = evaluate(EUCHRE, "low", ["random"], deals=100, self_check=False).standard_caller
    assert standard.calls == pytest.approx(100, abs=20)
    assert standard.alone > 0
    assert evaluate_against(EUCHRE, *sides, deals=20, bidding="forced-spades").bidding is None
