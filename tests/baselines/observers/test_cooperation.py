"""Metrics of cooperation against a slow count from the deals' text, and what is known of some agents."""

import copy
import itertools

import numpy as np
import pytest

from cardenvs import get_game
from cardenvs.baselines.match import play_match
from cardenvs.baselines.observers import METRICS, CooperationObserver, double_dummy_cost
from tests.helpers.command_line import figures_of, run
from tests.helpers.reports import untimed
from tests.naive import euchre as naive_euchre
from tests.naive.taking import Keep, slow_count

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("sides", [("random", "coop-high-low"), ("high-low", "random+low")])
@pytest.mark.parametrize(
    ("game", "options", "deals"),
    [
        ("euchre", {}, 250),
        ("euchre", {"bidding": "forced-spades"}, 150),
        ("euchre", {"episode": "game", "target": 5}, 15),
        ("whist", {}, 40),
        ("whist", {"episode": "game"}, 5),
    ],
)
def test_counts_are_those_of_a_slow_count(game, options, deals, sides):
    spec = get_game(game)
    observer = CooperationObserver(game)
    keep = Keep(observer)
    play_match(game, *sides, deals=deals, seed=7, observer=keep, batch_size=64, **options)
    expected = {name: np.zeros((2, 2), int) for name in METRICS}
    for state, owner in keep.deals:
        for name, judged in slow_count(spec.text(state)).items():
            for seat, done in judged:
                expected[name][:, owner[seat]] += (done, 1)
    result = observer.result()
    assert result.deals == len(keep.deals)
    for name, metric in result.metrics.items():
        assert [metric.count, metric.opportunities] == expected[name].tolist(), name
        assert sum(metric.opportunities) > 0
    for side, kind in itertools.product((0, 1), ("count", "opportunities")):
        values = {name: getattr(metric, kind)[side] for name, metric in result.metrics.items()}
        assert values["ruffs"] <= values["overtakes"]
        assert values["void_leads"] == values["void_leads_ruffable"] + values["void_leads_unruffable"]


@pytest.mark.parametrize("game", ["euchre", "whist"])
def test_costs_are_asked_for_what_was_done(game):
    """The positions before the decisions, the cards played in them, and the sums over them."""
    spec = get_game(game)
    asked = []

    def cost(games, actions):
        lost = np.full((len(actions), 2), np.nan)
        for i, action in enumerate(actions):
            assert spec.legal(games, i) >> int(action) & 1
            seat, winner = int(games[i]["to_act"]), int(games[i]["winner"])
            assert winner in (-1, (seat + 2) % 4)
            asked.append(winner)
            if winner < 0:
                lost[i] = 0.5, 2.0
        return lost

    observer = CooperationObserver(game, cost)
    play_match(game, "random", "random", deals=60, seed=5, observer=observer, batch_size=50)
    metrics = observer.result().metrics
    done = {name: sum(metric.count) for name, metric in metrics.items()}
    assert len(asked) == done["overtakes"] + done["void_leads"]
    assert sum(winner >= 0 for winner in asked) == done["overtakes"]
    assert metrics["overtakes"].judged == [0, 0]
    assert metrics["overtakes"].points_lost == [None, None]
    led = metrics["void_leads"]
    assert led.judged == led.count
    assert led.tricks_lost == pytest.approx([0.5, 0.5])
    assert led.points_lost == pytest.approx([2.0, 2.0])
    assert led.points_lost_per_deal == pytest.approx([2.0 * count / 120 for count in led.count])


def best_and_played(deal):
    """Side 0's tricks of those left with best play of all, and after each card of the seat to act: by trying everything."""
    tricks = {}
    for card in deal.legal():
        after = copy.deepcopy(deal)
        after.play(card)
        tricks[card] = 0 if after.phase == "finished" else best_and_played(after)[0]
        if len(after.past_tricks) > len(deal.past_tricks):
            tricks[card] += naive_euchre.trick_winner(after.past_tricks[-1], deal.trump) % 2 == 0
    return (max if deal.to_act % 2 == 0 else min)(tricks.values()), tricks


def test_costs_are_those_of_trying_everything():
    """In Euchre with three cards a hand, and with two."""
    spec = get_game("euchre")
    keep = Keep(CooperationObserver("euchre", None))
    play_match("euchre", "random", "high-low", deals=30, seed=2, observer=keep)
    checked = 0
    for number, (state, _) in enumerate(keep.deals):
        start, _, actions = spec.text(state).partition("actions=")
        deal, taken = naive_euchre.read(start), []
        for action in actions.split(","):
            if deal.phase == "playing" and len(deal.hands[deal.to_act]) <= (3 if number < 2 else 2):
                best, tricks = best_and_played(deal)
                line = f"{start}actions={','.join(taken)}"
                lost = double_dummy_cost()(spec.parse(line), np.array([spec.action(action)]))
                assert lost[0, 0] == abs(best - tricks[action])
                assert lost[0, 1] == points_lost(deal, best, tricks[action])
                checked += lost[0, 0] > 0
            deal.play(action)
            taken.append(action)
    assert checked > 5


def points_lost(deal, best, played):
    """The same in points, from side 0's tricks still to come."""
    left = 5 - len(deal.past_tricks)
    leads = []
    for to_come in (best, played):
        even = deal.tricks[0] + deal.tricks[2] + to_come
        odd = deal.tricks[1] + deal.tricks[3] + left - to_come
        made, against = naive_euchre.points_of((even, odd)[deal.maker % 2], deal.alone)
        leads.append((made - against) * (1 if deal.to_act % 2 == deal.maker % 2 else -1))
    return leads[0] - leads[1]


def test_whist_is_judged_towards_the_end():
    observer = CooperationObserver("whist", double_dummy_cost(4))
    play_match("whist", "random", "random", deals=100, seed=5, observer=observer)
    for metric in (observer.result().metrics[name] for name in ("overtakes", "void_leads")):
        for side in (0, 1):
            assert 0 < metric.judged[side] < metric.count[side]
            # With four cards a hand, a trick more for one side is one less for the other: a point, or two at seven tricks.
            assert 0 <= metric.points_lost[side] <= 2 * metric.tricks_lost[side] < 2
        assert sum(metric.tricks_lost) > 0


def test_the_match_command_reports_cooperation(capsys):
    arguments = ["match", "euchre", "coop-high-low", "random", "--deals", "30"]
    plain, figures = (figures_of(capsys, *arguments, *more) for more in ((), ("--cooperation",)))
    cooperation = figures.pop("cooperation")
    assert untimed(figures) == untimed(plain)
    assert cooperation["deals"] == 60 and cooperation["overtakes"]["rate"][0] == 0
    assert "overtakes the partner" in run(capsys, *arguments, "--cooperation")[1]
    published = ["match", "euchre", "low", "random", "--protocol", "published", "--games", "3", "--cooperation"]
    figures = figures_of(capsys, *published)
    assert figures["cooperation"]["deals"] == figures["deals"]
