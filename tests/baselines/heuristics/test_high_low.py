"""The high-low agents' cards and the three-trumps caller's bids in single positions of Euchre."""

from __future__ import annotations

import pytest

from cardenvs import get_game, policy
from tests.helpers.positions import observation_in

FORCED = "euchre bidding=forced-spades hands=9c9dThJhQh/AcJsKdAdKh/TcJcJdQdAs/KcQcTd9hAh turned=9s dealer=3 actions="


@pytest.mark.parametrize(
    ("name", "actions", "card"),
    [
        ("high-low", "", "Qh"),  # leading: the best by number
        ("high-low", "9d", "Ad"),  # must follow, can win
        ("high-low", "9c,Ac", "Tc"),  # the jack of clubs is a trump: the ten must follow
        ("high-low", "Th,Kh", "Jc"),  # cannot follow: the left bower is the best card
        ("coop-high-low", "Th,Kh", "Jc"),  # the partner does not hold the trick
        ("high-low", "9d,Kd,Qd", "Td"),  # one diamond only
        ("low", "Qh", "Kh"),
        ("high", "", "Qh"),
    ],
)
def test_card_play_of_the_simple_agents(name, actions, card):
    spec = get_game("euchre")
    observation = observation_in(FORCED + actions)
    assert spec.actions[policy.make("euchre", name).act(observation)] == card


def test_high_low_compares_numbers_across_suits_as_published():
    """An ace that cannot follow counts as beating a nine: played, though it cannot win."""
    line = "euchre bidding=forced-spades hands=9cTcJcQcKc/9dTdJdAdKd/9hThJhQhKh/AcAhQsKsAs turned=9s dealer=3 actions=9c"
    chosen = policy.make("euchre", "high-low").act(observation_in(line))
    assert get_game("euchre").actions[chosen] == "Ad"


def test_coop_high_low_leaves_the_trick_to_its_partner():
    line = "euchre bidding=forced-spades hands=KcTcJc9h9d/9cTdJdAdQd/AcQcThJhQh/KdKhQsKsAs turned=9s dealer=3 actions=Kc,9c"
    for name, card in (("coop-high-low", "Qc"), ("high-low", "Ac")):
        assert get_game("euchre").actions[policy.make("euchre", name).act(observation_in(line))] == card


@pytest.mark.parametrize(
    ("hand", "dealer", "action"),
    [
        ("JsJcAs9d9h", 3, "order-up"),  # both bowers and the ace: three trumps
        ("JsAsKs9d9h", 3, "order-up"),
        ("JsAs9hTd9d", 3, "pass"),
        ("JsAs9hTd9d", 0, "order-up"),  # the dealer counts the turned card
        ("JcAhKh9d9h", 3, "pass"),
    ],
)
def test_simple_caller_orders_up_with_three_trumps(hand, dealer, action):
    spec = get_game("euchre")
    rest = [c for c in range(24) if c not in cards(hand + "Qs")]
    others = ["".join(spec.actions[c] for c in rest[5 * k : 5 * k + 5]) for k in range(3)]
    line = f"euchre hands={hand}/{'/'.join(others)} turned=Qs dealer={dealer}"
    line += " actions=pass,pass,pass" if dealer == 0 else ""
    assert spec.actions[policy.make("euchre", "high-low", calling="three-trumps").act(observation_in(line))] == action


def cards(text):
    """Card numbers of the Euchre deck."""
    spec = get_game("euchre")
    return [spec.actions.index(text[k : k + 2]) for k in range(0, len(text), 2)]


def test_simple_caller_in_the_second_round_and_stuck():
    deal = "hands=9cTcJcQc9d/TdJdQdKdAd/9hThJhQhKh/KcAcAh9sTs turned=Qs dealer=3"
    spec = get_game("euchre")
    player = policy.make("euchre", "coop-high-low", calling="three-trumps")
    first = observation_in(f"euchre {deal} actions=pass,pass,pass,pass")
    assert spec.actions[player.act(first)] == "call-clubs"
    second = observation_in(f"euchre {deal} actions=pass,pass,pass,pass,pass")
    assert spec.actions[player.act(second)] == "call-diamonds"
    stuck = observation_in(f"euchre stick_the_dealer=yes {deal} actions=pass,pass,pass,pass,pass,pass,pass")
    assert spec.actions[player.act(stuck)] == "call-clubs"
    free = observation_in(f"euchre {deal} actions=pass,pass,pass,pass,pass,pass,pass")
    assert spec.actions[player.act(free)] == "pass"


def test_simple_caller_discards_the_worst_card():
    line = "euchre hands=9cTcJcQcKc/TdJdQdKdAd/9hThJhQhKh/AcAhAs9sTs turned=Qs dealer=3 actions=order-up"
    chosen = policy.make("euchre", "high-low", calling="three-trumps").act(observation_in(line))
    assert get_game("euchre").actions[chosen] in ("Ac", "Ah")
