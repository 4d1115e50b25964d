"""What every search must find in Euchre, whichever it is; and that each, in other games, too, keeps to its budget."""

import time
from functools import partial

import pytest

from cardenvs import get_game, policy
from cardenvs.baselines.search.any_game.flat import FlatMonteCarlo
from cardenvs.compiled.streams import seed_streams
from cardenvs.games import euchre
from tests.helpers.positions import observation_of
from tests.helpers.trick_positions import STRONG, WEAK, observed

pytestmark = pytest.mark.compiled

DISCARDING = "dealer=3 hands=JcAcTcQc9d/TdJdQdKdAd/9hThJhQhKh/JsAsAh9c9s turned=Ks actions=pass,pass,pass,order-up"
"""The dealer is to discard: it holds four trumps with the turned card, an ace and the nine of clubs."""
FORCED_CARD = "bidding=forced-spades dealer=3 hands=9cTcJdQdKd/QcTdAd9hTh/JhQhKhAh9s/KcAcTsQsKs turned=Js actions=9c"
"""The seat to act has one legal card, the queen of clubs."""


@pytest.mark.parametrize("name", ["pimc:worlds=100", "monte-carlo:worlds=200", "ismcts:simulations=1500"])
def test_bids_what_it_is_worth(name):
    """A hand that takes all tricks is ordered up alone, for the very points; with one that takes none a search passes."""
    player = policy.make("euchre", name)
    explained = player.explain(observed("euchre", STRONG), seed_streams(0, 1))
    assert explained[0] == ("order-up-alone", 4.0) and dict(explained)["order-up"] == 2.0
    explained = player.explain(observed("euchre", WEAK), seed_streams(0, 1))
    assert explained[0][0] == "pass" and explained[-1][1] < -1


@pytest.mark.parametrize(
    "name", ["pimc:worlds=100", "pimc:worlds=100,goal=tricks", "monte-carlo:worlds=100", "ismcts:simulations=1500"]
)
def test_discards_what_it_needs_least(name):
    """The nine of clubs is the card to discard, a high trump the last."""
    explained = policy.make("euchre", name).explain(observed("euchre", DISCARDING), seed_streams(0, 1))
    assert explained[0][0] == "9c" and explained[-1][0] in ("As", "Js")
    assert not name.startswith("pimc") or all(-2 <= score <= 2 for _, score in explained)


FLAT = "the one for every game"
"""`FlatMonteCarlo`, which has no name in Euchre."""


@pytest.mark.parametrize(
    "name", ["pimc", "pimc:seconds=60", "monte-carlo", "monte-carlo:seconds=60", "ismcts", "pipmc", FLAT]
)
def test_a_forced_card_costs_nothing(name):
    """It is played without drawing a random number; its worth is told, as far as a search has it."""
    player = FlatMonteCarlo("euchre") if name == FLAT else policy.make("euchre", name)
    observation = observed("euchre", FORCED_CARD)
    rows, masks, streams = observation["observation"][None], observation["action_mask"][None], seed_streams(3, 1)
    assert masks.sum() == 1
    assert euchre.ACTIONS[player.choose(rows, masks, streams)[0]] == "Qc"
    assert streams == seed_streams(3, 1)
    if name in ("pimc", "monte-carlo"):
        ((action, score),) = player.explain(observation, streams)
        assert action == "Qc"
        assert name == "monte-carlo" or (-2 <= score <= 2 and streams != seed_streams(3, 1))


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("euchre", "pimc"), ("whist", "pimc"), ("whist", "monte-carlo"), ("euchre", "ismcts"), ("euchre", "pipmc"),
        ("euchre", FLAT), ("five-o", "monte-carlo"), ("five-o", "expectiminimax"), ("five-o", "rollout:row=2"),
    ],
)  # fmt: skip
def test_a_budget_in_seconds_is_kept(game, name):
    made = partial(FlatMonteCarlo, game) if name == FLAT else partial(policy.make, game, name)
    observation = observation_of(game, get_game(game).deal(1))
    made(seconds=1e-9).act(observation)
    began = time.perf_counter()
    action = made(seconds=0.1).act(observation)
    assert 0.1 <= time.perf_counter() - began < 5
    assert observation["action_mask"][action]
