"""The ceiling: open cards against searches of every line in plain Python, bounds that must hold, luck, the command."""

import copy
import functools

import numpy as np
import pytest

from cardenvs import get_game
from cardenvs.baselines.ceiling import (
    ILLEGAL,
    all_seeing,
    best_margins,
    call_values,
    choose,
    luck_of,
    measure,
    play_all_seeing,
)
from cardenvs.baselines.match import DealResults, Side, match_deals, play_deals
from cardenvs.baselines.reports.statistics import Z95
from cardenvs.baselines.search.trick import dds
from cardenvs.baselines.search.trick.double_dummy import margins_with, solve_cards
from cardenvs.games import euchre
from tests.helpers.command_line import figures_of, run
from tests.helpers.players import First, Last
from tests.helpers.trick_positions import FORCED, STRONG, WEAK, positions
from tests.naive import double_dummy as naive_dummy
from tests.naive import euchre as naive_euchre
from tests.naive.poe import euchre_rules

pytestmark = pytest.mark.compiled

EUCHRE, WHIST = get_game("euchre"), get_game("whist")


# --- the bidding with open cards -----------------------------------------------------------------------------------


def after(deal, action):
    """A deal of the naive version after one more action."""
    deal = copy.copy(deal)
    for name, value in vars(deal).items():
        if isinstance(value, list):
            setattr(deal, name, [one.copy() if isinstance(one, list) else one for one in value])
    deal.play(action)
    return deal


@functools.cache
def under(trump):
    """The naive version's rules under a trump, and what is known of positions under it."""
    return naive_dummy.remembering(euchre_rules(trump)), {}


def naive_worth(deal):
    """The points of side 0 less side 1's if all see all cards and play perfectly, every auction and every card tried."""
    if deal.phase == "finished":
        return deal.points[0] - deal.points[1]
    if deal.phase == "playing":
        hands = tuple(frozenset(() if seat == deal.absent() else hand) for seat, hand in enumerate(deal.hands))
        position = naive_dummy.Position(hands, (), deal.to_act, deal.absent())
        tricks = naive_dummy.tricks_of_side_0(position, *under(deal.trump))
        side = deal.maker % 2
        made, lost = naive_euchre.points_of(tricks if side == 0 else 5 - tricks, deal.alone)
        return made - lost if side == 0 else lost - made
    best = max if deal.to_act % 2 == 0 else min
    return best(naive_worth(after(deal, action)) for action in deal.legal())


def check_call_values(games):
    """`call_values` of each game is what trying everything gives; `choose` takes the best, of equal calls the lowest."""
    values, chosen = call_values(games), choose(games)
    for game, row, action in zip(games, values, chosen, strict=True):
        deal = naive_euchre.read(EUCHRE.text(game))
        sign = 1 if deal.to_act % 2 == 0 else -1
        expected = {EUCHRE.actions.index(name): sign * naive_worth(after(deal, name)) for name in deal.legal()}
        assert {k: int(row[k]) for k in np.flatnonzero(row != ILLEGAL)} == expected
        best = [k for k, value in expected.items() if value == max(expected.values())]
        if deal.phase == "discarding":
            weakest = min(int(euchre.STRENGTH[game["trump"], k]) for k in best)
            best = [k for k in best if euchre.STRENGTH[game["trump"], k] == weakest]
        assert action == min(best)


def played_on(games, *actions):
    """Copies of deals, some actions on."""
    games = games.copy()
    for i in range(len(games)):
        for action in actions:
            euchre.step(games, i, action)
    return games


@pytest.mark.parametrize(
    ("rules", "seeds", "actions"),
    [
        ({"stick_the_dealer": False}, (5,), [euchre.PASS] * 7),
        ({"stick_the_dealer": True}, (8,), [euchre.PASS] * 7),
        pytest.param({}, (0, 3, 5), [euchre.PASS, euchre.ORDER_UP], marks=pytest.mark.slow),
    ],
)
def test_the_last_calls_and_discards_are_worth_what_trying_every_card_gives(rules, seeds, actions):
    deals = np.concatenate([match_deals(EUCHRE, 0, 1, seed, rules)[0] for seed in seeds])
    check_call_values(played_on(deals, *actions))


@pytest.mark.slow
@pytest.mark.parametrize("line", [STRONG, WEAK])
def test_a_whole_auction_is_worth_what_trying_everything_gives(line):
    """In these deals little is to be chosen in the play, so that every auction can be tried."""
    game = EUCHRE.parse(f"euchre {line}")
    check_call_values(game if game.ndim else game[None])


def test_a_void_deal_is_worth_nothing():
    """[E10]"""
    deals, _ = match_deals(EUCHRE, 0, 20, 3, {})
    last = played_on(deals, *[euchre.PASS] * 7)
    assert (call_values(last)[:, euchre.PASS] == 0).all()


# --- cards ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["euchre", "whist"])
def test_the_card_takes_the_most_and_is_the_weakest_of_those(name):
    games = positions(name, 30, 3, range(1, 5))
    spec, tricks, chosen = get_game(name), solve_cards(games), choose(games)
    strength = euchre.STRENGTH if name == "euchre" else all_seeing.whist.STRENGTH
    assert len(games) > 50
    for i, (row, card) in enumerate(zip(tricks, chosen, strict=True)):
        assert spec.kernels.legal(games, i) >> int(card) & 1
        side = np.array([int(games[i]["to_act"]) & 1])
        cards = np.flatnonzero(row >= 0).tolist()
        margins = {k: int(margins_with(games[i : i + 1], row[k : k + 1], side)[0]) for k in cards}
        assert card == max(cards, key=lambda k: (margins[k], row[k], -strength[games[i]["trump"], k], -k))


# --- matches -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["random", "coop-high-low", "pimc:worlds=3"])
def test_who_sees_all_cards_loses_no_duplicate_deal(policy):
    """The value of a deal is won with one side at least, and lost with the other at most."""
    side = Side(EUCHRE, policy)
    seen = play_all_seeing(EUCHRE, side, range(8), seed=4, open_cards=5, options={})
    assert (seen.points_margins >= 0).all()
    most = best_margins(side, range(8), seed=4, options={})
    assert (most >= seen.point_leads).all()
    assert (most == best_margins(side, range(8), seed=4, options={}, at_least=seen.point_leads)).all()


@pytest.mark.parametrize("kind", [First, Last])
def test_nobody_wins_more_than_the_most(kind):
    """In no deal, where the policy draws no lots."""
    side = Side(EUCHRE, kind(EUCHRE))
    most = best_margins(side, range(15), seed=4, options={})
    for other in ("pimc:worlds=3", "high-low", "random"):
        assert (most >= play_deals("euchre", other, side, range(15), seed=4).point_leads).all()


def naive_most(deal, side, pick):
    """The most points above the other side's that a side can win if the other side answers by ``pick`` of legal actions."""
    if deal.phase == "finished":
        return deal.points[side] - deal.points[1 - side]
    legal = sorted(deal.legal(), key=EUCHRE.actions.index)
    if deal.to_act % 2 != side:
        return naive_most(after(deal, pick(legal)), side, pick)
    return max(naive_most(after(deal, action), side, pick) for action in legal)


@pytest.mark.parametrize(
    ("kind", "pick", "rules"),
    [(First, lambda legal: legal[0], FORCED), (Last, lambda legal: legal[-1], {})],
    ids=["cards alone", "calls, too"],
)
def test_the_most_is_what_trying_every_line_gives(kind, pick, rules):
    deals, _ = match_deals(EUCHRE, 2, 1, 11, rules)
    lines = [naive_euchre.read(EUCHRE.text(game)) for game in deals]
    expected = [[naive_most(deal, side, pick) for side in (0, 1)] for deal in lines]
    side = Side(EUCHRE, kind(EUCHRE))
    assert best_margins(side, range(2, 3), seed=11, options=rules).tolist() == expected


def test_results_do_not_depend_on_how_many_deals_are_played():
    side = Side(WHIST, "coop-high-low")
    whole = play_all_seeing(WHIST, side, range(6), seed=1, open_cards=6, options={})
    part = play_all_seeing(WHIST, side, range(4, 6), seed=1, open_cards=6, options={})
    assert (whole.points[4:] == part.points).all()
    assert (whole.tricks.sum(-1) == 13).all()


def test_before_the_cards_are_open_both_sides_play_as_the_policy():
    """With one card a hand nothing is left to choose, so the policy has met itself."""
    side = Side(WHIST, First(WHIST))
    seen = play_all_seeing(WHIST, side, range(8), seed=2, open_cards=1, options={})
    assert (seen.points == play_deals("whist", side, side, range(8), seed=2).points).all()
    assert seen.points_margins.tolist() == [0.0] * 8


# --- the luck of the deal ------------------------------------------------------------------------------------------


def results_with(leads):
    """Results with given leads of the first side, by deal and copy."""
    leads = np.array(leads)
    points = np.stack([np.maximum(leads, 0), np.maximum(-leads, 0)], -1)
    return DealResults(points, points, np.zeros(2, np.int64), np.zeros(2))


def test_the_luck_of_the_deal_by_hand():
    """Copies (2, 0) and (-2, 0) vary by 2 and by 2, their mean not at all; (2, 0) and (0, 2) as much in both."""
    cancelling = luck_of(["a", "b"], results_with([[2, -2], [0, 0]]), 0.5, 4)
    assert (cancelling.single_sd, cancelling.duplicate_sd) == (pytest.approx(2**0.5), 0)
    assert (cancelling.correlation, cancelling.taken) == (pytest.approx(-1), pytest.approx(1))
    assert (cancelling.single_games, cancelling.duplicate_games) == (int(np.ceil(2 * (Z95 / 0.5) ** 2)), 0)
    doubled = luck_of(["a", "b"], results_with([[2, 2], [0, 0]]), 0.5, 4)
    assert (doubled.correlation, doubled.taken) == (pytest.approx(1), pytest.approx(-1))
    assert doubled.duplicate_games == 2 * doubled.single_games
    still = luck_of(["a", "b"], results_with([[1, 0], [1, 0]]), 0.5, 4)
    assert (still.correlation, still.taken, still.margin.mean) == (None, None, 0.5)


def test_a_policy_without_chance_leaves_no_luck_against_itself():
    player = First(EUCHRE)
    luck = luck_of(["first"] * 2, play_deals("euchre", player, player, range(50), **FORCED), 0.05, 2)
    assert luck.duplicate_sd == 0
    assert luck.single_sd > 1
    assert luck.correlation == pytest.approx(-1)


# --- the command ---------------------------------------------------------------------------------------------------


def test_the_command_reports_bounds_matches_and_luck(capsys, tmp_path):
    report = tmp_path / "report.md"
    words = ["ceiling", "euchre", "coop-high-low", "random", "--deals", "6", "--seed", "3", "--report", str(report)]
    figures = figures_of(capsys, *words)
    assert (figures["deals"], figures["seed"], figures["options"]["bidding"]) == (6, 3, "full")
    assert [one["policy"] for one in figures["policies"]] == ["coop-high-low", "random"]
    assert all(0 <= one["points"] <= one["most"] <= 4 for one in figures["policies"])
    pairs = [match["sides"] for match in figures["matches"]]
    assert pairs == [["coop-high-low"] * 2, ["coop-high-low", "random"], ["random"] * 2]
    text = report.read_text()
    assert "Written by `cardenvs ceiling euchre coop-high-low random --deals 6 --seed 3 --report FILE`." in text
    margin = next(match["margin"] for match in figures["matches"] if match["sides"][1] == "random")
    assert f"{margin:+.3f}" in text
    assert f"{-margin:+.3f}" in text
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert "What open cards win, 6 duplicate deals" in out


def test_the_command_opens_cards_late_in_whist(capsys):
    figures = figures_of(capsys, "ceiling", "whist", "low", "--deals", "2", "--open-cards", "4")
    assert (figures["open_cards"], figures["policies"][0]["most"]) == (4, None)


def test_without_dds_fewer_cards_are_open(monkeypatch):
    monkeypatch.setattr(dds, "is_available", lambda: False)
    assert all_seeing.check_open_cards(WHIST, None) == 10
    with pytest.raises(ValueError, match="open_cards must be at most 10, not 11"):
        measure("whist", ["low"], open_cards=11)
