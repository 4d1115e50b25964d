"""What every search must find in Euchre, whichever it is."""

from __future__ import annotations

from cardenvs.compiled.streams import seed_streams
from cardenvs.games import euchre
from cardenvs.policy.contract import ScoredPolicy
from cardenvs.policy.explanation import Explanation
from tests.helpers.trick_positions import STRONG, WEAK, observed

DISCARDING = "dealer=3 hands=JcAcTcQc9d/TdJdQdKdAd/9hThJhQhKh/JsAsAh9c9s turned=Ks actions=pass,pass,pass,order-up"
"""The dealer is to discard: it holds four trumps with the turned card, an ace and the nine of clubs."""

FORCED_CARD = "bidding=forced-spades dealer=3 hands=9cTcJdQdKd/QcTdAd9hTh/JhQhKhAh9s/KcAcTsQsKs turned=Js actions=9c"
"""The seat to act has one legal card, the queen of clubs."""


def check_bids(player: ScoredPolicy) -> None:
    """A hand that takes all tricks is ordered up alone, for the very points; with one that takes none a search passes."""
    explained = player.explain(observed("euchre", STRONG), seed_streams(0, 1))
    assert explained[0] == ("order-up-alone", 4.0)
    assert dict(explained)["order-up"] == 2.0
    explained = player.explain(observed("euchre", WEAK), seed_streams(0, 1))
    assert explained[0][0] == "pass"
    assert explained[-1][1] < -1


def check_discard(player: ScoredPolicy) -> Explanation:
    """The nine of clubs is the card to discard, a high trump the last; returns what the search makes of the cards."""
    explained = player.explain(observed("euchre", DISCARDING), seed_streams(0, 1))
    assert explained[0][0] == "9c"
    assert explained[-1][0] in ("As", "Js")
    return explained


def check_forced_card(player: ScoredPolicy) -> None:
    """A forced card is played without drawing a random number."""
    observation = observed("euchre", FORCED_CARD)
    rows, masks = observation["observation"][None], observation["action_mask"][None]
    assert masks.sum() == 1
    streams = seed_streams(3, 1)
    assert euchre.ACTIONS[player.choose(rows, masks, streams)[0]] == "Qc"
    assert streams == seed_streams(3, 1)
