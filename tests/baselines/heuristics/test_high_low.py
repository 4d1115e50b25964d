"""The high-low agents' cards and the three-trumps caller's bids in single positions of Euchre."""

import pytest

from cardenvs import get_game, policy
from cardenvs.contract.cards import EUCHRE_DECK, members_of
from tests.helpers.positions import observation_in

FORCED = "hands=9c9dThJhQh/AcJsKdAdKh/TcJcJdQdAs/KcQcTd9hAh turned=9s dealer=3 actions="
LOSING_ACE = "hands=9cTcJcQcKc/9dTdJdAdKd/9hThJhQhKh/AcAhQsKsAs turned=9s dealer=3 actions=9c"
PARTNERS = "hands=KcTcJc9h9d/9cTdJdAdQd/AcQcThJhQh/KdKhQsKsAs turned=9s dealer=3 actions=Kc,9c"


def decide(line, name, **parameters):
    """What an agent does in the position of a line."""
    return get_game("euchre").actions[policy.make("euchre", name, **parameters).act(observation_in(f"euchre {line}"))]


@pytest.mark.parametrize(
    ("name", "line", "card"),
    [
        ("high-low", FORCED, "Qh"),  # leading: the best by number
        ("high-low", f"{FORCED}9d", "Ad"),  # must follow, can win
        ("high-low", f"{FORCED}9c,Ac", "Tc"),  # the jack of clubs is a trump: the ten must follow
        ("high-low", f"{FORCED}Th,Kh", "Jc"),  # cannot follow: the left bower is the best card
        ("coop-high-low", f"{FORCED}Th,Kh", "Jc"),  # the partner does not hold the trick
        ("high-low", f"{FORCED}9d,Kd,Qd", "Td"),  # one diamond only
        ("low", f"{FORCED}Qh", "Kh"),
        ("high", FORCED, "Qh"),
        ("high-low", LOSING_ACE, "Ad"),  # as published: an ace that cannot follow counts as beating a nine, and cannot win
        ("coop-high-low", PARTNERS, "Qc"),  # leaves the trick to its partner
        ("high-low", PARTNERS, "Ac"),
    ],
)
def test_card_play_of_the_simple_agents(name, line, card):
    assert decide(f"bidding=forced-spades {line}", name) == card


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
    rest = members_of(EUCHRE_DECK.all & ~EUCHRE_DECK.parse_set(hand + "Qs"))
    others = "/".join(EUCHRE_DECK.format(rest[5 * k : 5 * k + 5]) for k in range(3))
    line = f"hands={hand}/{others} turned=Qs dealer={dealer}" + (" actions=pass,pass,pass" if dealer == 0 else "")
    assert decide(line, "high-low", calling="three-trumps") == action


@pytest.mark.parametrize(
    ("words", "passes", "action"),
    [("", 4, "call-clubs"), ("", 5, "call-diamonds"), ("stick_the_dealer=yes ", 7, "call-clubs"), ("", 7, "pass")],
)
def test_simple_caller_in_the_second_round_and_stuck(words, passes, action):
    deal = "hands=9cTcJcQc9d/TdJdQdKdAd/9hThJhQhKh/KcAcAh9sTs turned=Qs dealer=3"
    line = f"{words}{deal} actions={','.join(['pass'] * passes)}"
    assert decide(line, "coop-high-low", calling="three-trumps") == action


def test_simple_caller_discards_the_worst_card():
    line = "hands=9cTcJcQcKc/TdJdQdKdAd/9hThJhQhKh/AcAhAs9sTs turned=Qs dealer=3 actions=order-up"
    assert decide(line, "high-low", calling="three-trumps") in ("Ac", "Ah")
