"""Callers in Euchre: problems with the literature's answer, legality, and what they are worth."""

import json

import numpy as np
import pytest

from cardenvs import Batch, cli, get_game, policy, testing
from cardenvs.baselines.heuristics.calling import CALLERS, DEFAULT_CALLER, caller_number, choose_call
from cardenvs.baselines.heuristics.standard_calling import choose_discard, hand_worth, lone_worth
from cardenvs.baselines.reproduce.calling.measure import PAIRINGS, break_even, play_callers
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import EUCHRE_DECK, members_of
from tests.helpers.positions import observation_of

pytestmark = pytest.mark.compiled

SPEC = get_game("euchre")
FIRST, PARTNER, THIRD, DEALER = 3, 2, 1, 0
"""Who deals when seat 0 is the dealer's left, its partner, its right and the dealer itself."""


def position(hand, turned, dealer, actions="", words=""):
    """A state in which seat 0 has ``hand``; the others have the rest of the deck."""
    taken = EUCHRE_DECK.parse_set(hand + turned)
    rest = members_of(EUCHRE_DECK.all & ~taken)
    hands = [EUCHRE_DECK.format(rest[5 * k : 5 * k + 5]) for k in range(3)]
    line = f"euchre {words} hands={hand}/{'/'.join(hands)} turned={turned} dealer={dealer} actions={actions}"
    return SPEC.parse(line)


def decide(state, name="standard"):
    """What a caller does in the seat to act, asked through an agent's observation."""
    return SPEC.actions[policy.make("euchre", "low", calling=name).act(observation_of(SPEC, state))]


def bid(hand, turned, dealer, second_round=False, words=""):
    """What ``standard`` bids on ``hand`` when nobody has bid before."""
    passes = (0 - dealer - 1) % 4 + 4 * second_round
    return decide(position(hand, turned, dealer, ",".join(["pass"] * passes), words))


# --- bids ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("dealer", [FIRST, PARTNER, THIRD, DEALER])
def test_three_top_trumps_are_called_anywhere_and_nothing_nowhere(dealer):
    assert bid("JsJcAs9dTd", "9s", dealer).startswith("order-up")
    assert bid("9cTd9hThQd", "9s", dealer) == "pass"


@pytest.mark.parametrize(
    ("hand", "turned", "dealer", "answer"),
    [
        # The dealer takes up a third trump, and a bower to a single one with aces.
        ("AsTs9d9hQc", "Ks", DEALER, "order-up"),
        ("9s9dAhTcKc", "Js", DEALER, "order-up"),
        ("9sTd9hThQc", "Qs", DEALER, "pass"),
        # Two trumps with an ace will do beside the dealer, but not against it.
        ("JsTsAd9hTc", "9s", PARTNER, "order-up"),
        ("JsTsAd9hTc", "9s", FIRST, "pass"),
        ("JsTsAd9hTc", "9s", THIRD, "pass"),
        # One trump is never enough to order up on.
        ("JsAdAh9cTc", "9s", FIRST, "pass"),
        ("As9dKh9cTc", "9s", PARTNER, "pass"),
        # Three good trumps and an ace order up a nine against the dealer, but not a bower.
        ("JcAsKsAd9h", "9s", FIRST, "order-up"),
        ("JcAsKsAd9h", "Js", FIRST, "pass"),
        ("JcAsKsAd9h", "Js", THIRD, "pass"),
        # Going alone takes winners.
        ("JsJcAsKsAd", "9s", FIRST, "order-up-alone"),
        ("JsJcAsKsAd", "9s", PARTNER, "order-up-alone"),
        ("JsJcAs9d9h", "Ks", DEALER, "order-up-alone"),  # four trumps with the turned card
        ("JsJcAs9dTh", "9s", FIRST, "order-up"),  # two losers
        ("JsQsTs9d9h", "9s", PARTNER, "order-up"),
        # In the second round next for the dealer's left: two trumps and an ace in the turned card's colour, in no other.
        ("JhTh9sAc9c", "9d", FIRST, "call-hearts"),
        ("JsTs9hAdTd", "9d", FIRST, "second pass"),
        # Reverse next for the dealer's partner.
        ("KsTsTdAhTc", "9d", PARTNER, "call-spades"),
        ("KhTh9sAcTd", "9d", PARTNER, "second pass"),
        # The better of two suits; alone with the best of hands.
        ("JhAh9hKc9c", "9d", FIRST, "call-hearts"),
        ("JcJsAcKcAh", "9d", FIRST, "call-clubs-alone"),
        ("9cTd9hThQd", "9s", FIRST, "second pass"),
        # Next is easier when its left bower lies turned down.
        ("AhTh9cKs9s", "Jd", FIRST, "call-hearts"),
        ("AhTh9cKs9s", "9d", FIRST, "second pass"),
        ("9cQcTdKd9h", "9s", DEALER, "second pass"),
    ],
)
def test_bids_by_position_and_turned_card(hand, turned, dealer, answer):
    assert bid(hand, turned, dealer, answer.startswith(("call", "second"))) == answer.removeprefix("second ")


def test_a_stuck_dealer_calls_its_best_suit():
    assert bid("9cQcTdKd9h", "9s", DEALER, second_round=True, words="stick_the_dealer=yes") == "call-clubs"


# --- discarding ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "trump", "card"),
    [
        ("JsAsTs9dAhKh", "s", "9d"),  # a singleton, to be void
        ("JsAsTsKd9hTh", "s", "Kd"),  # even a king
        ("JsAsTsAd9hTh", "s", "9h"),  # but not an ace
        ("JsAsTsAdAhKh", "s", "Kh"),
        ("JsAs9dTd9hKh", "s", "9d"),  # without a singleton the lowest, but not from a guarded king
        ("JsAsTs9s9d9c", "s", "9d"),  # of two singletons not the one in the next suit
        ("JcAsTs9s9dAh", "s", "9d"),  # the left bower is no singleton club
        ("JsJcAsKsQsAd", "s", "Ad"),  # trumps before an ace
        ("JsJcAsKsQs9s", "s", "9s"),
        ("JsJcAsKsQsTs", "s", "Ts"),
    ],
)
def test_discards(hand, trump, card):
    assert EUCHRE_DECK.text(choose_discard(EUCHRE_DECK.parse_set(hand), "cdhs".index(trump))) == card


def test_the_dealer_discards_so_when_ordered_up():
    state = position("9hAhKh9dTd", "Js", DEALER, "order-up")
    assert decide(state) == "9d"
    assert decide(position("KcAhKhAdTd", "Js", DEALER, "order-up-alone")) == "Kc"


def test_the_counts_add_up():
    def points(count, hand):
        return count(EUCHRE_DECK.parse_set(hand), 3)

    assert points(hand_worth, "JsJcAsKd9h") == 10 + 7 + 6 + 1 + 6
    assert points(hand_worth, "JsJcAsTsAd") == 10 + 7 + 6 + 5 + 4 + 10
    assert points(hand_worth, "9cTd9hThQd") == 0
    assert points(lone_worth, "JsJcAsKsAd") == 10 + 8 + 7 + 6 - 5 + 5 + 4
    assert points(lone_worth, "JsQsTsAdKh") == 10 + 6 + 5 - 2 + 5 + 2 + 2


# --- the score -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "turned", "dealer", "score", "answer"),
    [
        # No lone hand when two points win; a single deal has no score.
        ("JsJcAsKsAd", "9s", FIRST, "episode=game score=0-0", "order-up-alone"),
        ("JsJcAsKsAd", "9s", FIRST, "episode=game score=7-0", "order-up-alone"),
        ("JsJcAsKsAd", "9s", FIRST, "episode=game score=8-0", "order-up"),
        ("JsJcAsKsAd", "9s", FIRST, "episode=game score=9-9", "order-up"),
        *(("JsJcAsKsAd", "9s", FIRST, f"score={score}", "order-up-alone") for score in ("0-0", "7-0", "8-0", "9-9")),
        # Donation.
        ("9cTd9hThQd", "Ks", FIRST, "episode=game score=9-6", "order-up"),
        ("9cTd9hThQd", "Ks", FIRST, "episode=game score=9-7", "order-up"),
        ("9cTd9hThQd", "Ks", THIRD, "episode=game score=9-7", "order-up"),
        ("9cTd9hThQd", "Ks", FIRST, "episode=game score=9-5", "pass"),
        ("9cTd9hThQd", "Ks", FIRST, "episode=game score=9-8", "pass"),
        ("9cTd9hThQd", "Ks", FIRST, "episode=game score=8-6", "pass"),
        ("9cTd9hThQd", "Ks", PARTNER, "episode=game score=9-7", "pass"),  # its own side deals
        ("JsTd9hThQd", "Ks", FIRST, "episode=game score=9-7", "pass"),  # the right bower stops a lone hand
        ("JcTd9hThQd", "Ks", FIRST, "episode=game score=9-6", "pass"),
        # A target of five has its end at five.
        ("9cTd9hThQd", "Ks", FIRST, "episode=game target=5 score=4-1", "order-up"),
        ("JsJcAsKsAd", "9s", FIRST, "episode=game target=5 score=3-0", "order-up"),
    ],
)
def test_bids_by_the_score(hand, turned, dealer, score, answer):
    assert bid(hand, turned, dealer, words=score) == answer


def test_requirements_follow_the_score():
    """Beside the dealer 17 points are needed; two more if the other side needs two, seven fewer at nine all."""
    for hand, answers in (("JcTsAdKhTc", ("order-up", "pass", "order-up")), ("KsTs9d9hTc", ("pass", "pass", "order-up"))):
        for score, answer in zip(("0-0", "0-8", "9-9"), answers, strict=True):
            points = hand_worth(EUCHRE_DECK.parse_set(hand), 3)
            needed = 17 + {"0-0": 0, "0-8": 2, "9-9": -7}[score]
            assert (points >= needed) == (answer == "order-up")
            assert bid(hand, "9s", PARTNER, words=f"episode=game score={score}") == answer


# --- all callers ---------------------------------------------------------------------------------------------------

RULES = [{}, {"stick_the_dealer": True}, {"episode": "game", "target": 5}, {"episode": "game", "stick_the_dealer": True}]


@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_only_legal_actions(name, rules):
    batch = Batch("euchre", 150, seed=11, validate=True, **rules)
    player = policy.make("euchre", "high-low", calling=name)
    rng = np.random.default_rng(0)
    for _ in range(100):
        batch.step(player.act(batch.observations, batch.action_masks, rng))


@pytest.mark.parametrize("name", CALLERS)
def test_calls_from_the_observation_alone(name):
    testing.check_no_leak(SPEC, policy.make("euchre", "low", calling=name).act, episodes=10, seed=1)


@pytest.mark.parametrize("name", CALLERS)
def test_a_state_and_a_view_of_it_are_called_alike(name):
    batch = Batch("euchre", 200, seed=2, episode="game", target=5)
    views = SPEC.new_games(1)
    seen = 0
    for _ in range(60):
        actions = np.zeros(200, np.int64)
        for i in range(200):
            game = batch.games[i : i + 1]
            legal = SPEC.legal(game)
            if int(game[0]["phase"]) < 3:
                SPEC.kernels.view(game, 0, int(game[0]["to_act"]), views, 0)
                actions[i] = choose_call(caller_number(name), game, 0, legal, seed_streams(i, 1), 0)
                assert actions[i] == choose_call(caller_number(name), views, 0, legal, seed_streams(i, 1), 0)
                seen += 1
            else:
                actions[i] = legal.bit_length() - 1
        batch.step(actions)
    assert seen > 2000


def test_standard_is_the_default():
    assert DEFAULT_CALLER == "standard"


def test_random_calls_take_every_legal_bid_equally_often():
    state = np.repeat(position("9cTd9hThQd", "9s", FIRST), 9000)
    streams = seed_streams(0, 9000)
    legal = SPEC.legal(state)
    chosen = [choose_call(caller_number("random"), state, i, legal, streams, i) for i in range(9000)]
    # Three bids, 3,000 each; five standard deviations are 224.
    assert np.abs(np.bincount(chosen, minlength=27)[24:] - 3000).max() < 224


# --- what they are worth -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("callers", "at_least"), [(("standard", "three-trumps"), 0.05), (("standard", "random"), 0.6)])
def test_standard_wins_points(callers, at_least):
    """At 2,000 deals the intervals are ±0.03 and ±0.04 around 0.19 and 0.86: far from the bounds."""
    ((result,), _) = play_callers("coop-high-low", [callers], [], 2000, 5)
    assert result.points_margin.low > at_least


def test_figures_of_a_pairing_fit_together():
    ((result,), _) = play_callers("coop-high-low", [("standard", "random")], [], 500, 1)
    one, two = result.sides
    assert one.called + two.called + result.void == pytest.approx(1)
    assert one.points_per_deal - two.points_per_deal == pytest.approx(result.points_margin.mean)
    assert one.points_per_call * one.called - two.points_per_call * two.called == pytest.approx(result.points_margin.mean)
    assert 0 < one.euchred < two.euchred < 1


def test_break_even_turns_at_the_requirement():
    """Far below it calling loses, far above it wins, in the two calls that come up most."""
    followed = break_even("coop-high-low", 5000, 3)
    for seat in ("dealer's partner", "dealer"):
        below, *_, above = followed.gains["first round"][seat]
        assert below < -0.2 and above > 0.2
    assert break_even("random", 10, 0) is None


def test_reproduce_calling(tmp_path, capsys):
    report = tmp_path / "calling.md"
    words = ["reproduce", "calling", "--deals", "40", "--plays", "coop-high-low", "--caller", "monte-carlo:worlds=2"]
    assert cli.main([*words, "--json", "--report", str(report)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert [tuple(side["caller"] for side in pairing["sides"]) for pairing in figures["pairings"]] == [
        *PAIRINGS,
        ("standard", "monte-carlo:worlds=2"),
    ]
    assert set(figures["pairings"][0]["sides"][0]) > {"called", "euchred", "marches", "alone", "points_per_call"}
    assert len(figures["games"]) == 2
    text = report.read_text()
    assert "cardenvs reproduce calling --plays coop-high-low --caller monte-carlo:worlds=2 --deals 40 --seed 0" in text
    assert cli.main(["reproduce", "calling", "--plays", "nobody"]) == 2
    assert "unknown policy 'nobody'" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("plays", ["coop-high-low", "hybrid", "high-low-corrected"])
def test_standard_wins_whoever_plays_the_cards(plays):
    for other in ("three-trumps", "random"):
        ((result,), _) = play_callers(plays, [("standard", other)], [], 20_000, 7)
        assert result.points_margin.low > 0.1
