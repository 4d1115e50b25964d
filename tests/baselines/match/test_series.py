"""Series of matches: the same as single ones, whatever the workers are."""

import threading

import pytest

from cardenvs import get_game, policy
from cardenvs.baselines.match import batches, play_match
from cardenvs.baselines.match.play import match_result
from cardenvs.baselines.match.side import as_side
from cardenvs.baselines.observers import BiddingObserver
from cardenvs.baselines.runs.series import Match, series
from cardenvs.policy.contract import Forfeit
from tests.helpers.players import First, quitting
from tests.helpers.reports import untimed

pytestmark = pytest.mark.compiled

EUCHRE = get_game("euchre")
HYBRID = policy.make("euchre", "hybrid")
MATCHES = [
    Match("low", "random", 50, 4, observing=BiddingObserver),
    Match(
        policy.make("euchre", "hybrid"),
        "low",
        1000,
        4,
        looks=(20, 60, 200),
        until=lambda results, observer: results.deals >= 60,
    ),
    Match("high+low", "high", 30, 4, "published"),
]


def figures(matches, **settings):
    """What comes of matches: their figures but for times, and how the bidding was."""
    told = []
    with series("euchre", matches, **settings) as play_next:
        for match in matches:
            counted = []
            played = play_next(counted.append)
            assert sum(counted) == played.finished().deals
            sides = [as_side(EUCHRE, who) for who in (match.first, match.second)]
            result = match_result(
                EUCHRE, sides, played.results, protocol=match.protocol, options={}, seed=4, seconds=played.seconds
            )
            told.append((untimed(result.as_dict()), played.observer and played.observer.result(("a", "b")).as_dict()))
    return told


def test_matches_in_a_row_are_those_played_alone_whoever_plays(monkeypatch):
    here = figures(MATCHES)
    bids = BiddingObserver()
    alone = play_match("euchre", "low", "random", deals=50, seed=4, observer=bids)
    assert here[0] == (untimed(alone.as_dict()), bids.result(("a", "b")).as_dict())
    assert here[1][0] == untimed(play_match("euchre", "hybrid", "low", deals=60, seed=4).as_dict())
    assert here[2][0] == untimed(play_match("euchre", "high+low", "high", deals=30, seed=4, protocol="published").as_dict())
    assert figures(MATCHES, workers=2) == here
    monkeypatch.setattr(batches, "CHUNK_SECONDS", 0.0)  # a batch a chunk
    assert figures(MATCHES) == here


def test_a_forfeited_match_keeps_its_deals_and_is_not_played_on():
    matches = [Match(quitting(after)(EUCHRE), "random", 20) for after in (0, 60)] + [Match(First(EUCHRE), "low", 4)]
    with series("euchre", matches) as play_next:
        with pytest.raises(Forfeit, match=r"^it has had enough$"):
            play_next(None).finished()
        played = play_next(None)
        assert played.forfeit is not None
        assert played.finished().deals == played.forfeit.deal > 0
        assert play_next(None).finished().deals == 4


class Unsendable(First):
    """Has what no other process can have."""

    def __init__(self, game):
        super().__init__(game)
        self.lock = threading.Lock()


def test_policies_that_cannot_be_sent_are_named_before_anything_is_played():
    match = Match(Unsendable(EUCHRE), "low", 4)
    with series("euchre", [match]) as play_next:
        assert play_next(None).finished().deals == 4
    message = (
        r"^with several workers policies are given by their names, or can be pickled; here one cannot: cannot pickle .*lock"
    )
    with pytest.raises(ValueError, match=message), series("euchre", [match], workers=2):
        pass
