"""Wolves against the slow version in `naive.wolves`, on random deals.

Each chi-square test would fail for one fresh seed in 10,000; the seeds are fixed, so none fails by chance.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from cardenvs.compiled.jit import DISABLED
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from tests.helpers.positions import view_of
from tests.naive import wolves as naive
from tests.toys.wolves import SPEC, VILLAGE, WOLF, WOLVES

DEALS = 3 if DISABLED else 150


def naive_of(games: Games) -> naive.Deal:
    """The slow version of a fresh deal."""
    fields = dict(word.split("=") for word in SPEC.text(games[0]).split()[1:])
    return naive.Deal({seat for seat, who in enumerate(fields["who"]) if who == "w"}, int(fields.get("first", 0)))


def target_of(voter: int, action: int) -> int:
    """The seat that an action votes against."""
    return (voter + 1 + action) % 5


def random_deals(deals: int, seed: int) -> Iterator[tuple[Games, naive.Deal]]:
    """Every position of random deals; with a seat that many agree on now and then, so that fewer rounds are tied."""
    rng = random.Random(seed)
    for k in range(deals):
        games = SPEC.deal(1000 * seed + k)
        deal = naive_of(games)
        yield games, deal
        while not deal.over:
            against = max(deal.legal) if rng.random() < 0.4 else rng.choice(deal.legal)
            SPEC.kernels.step(games, 0, (against - deal.seat - 1) % 5)
            deal.vote(against)
            yield games, deal


def test_random_deals_are_as_in_the_slow_version() -> None:
    winners: Counter[str | None] = Counter()
    for games, deal in random_deals(DEALS, 1):
        assert (games[0]["over"] != RUNNING) == deal.over
        legal = SPEC.legal(games)
        if not deal.over:
            seat = int(games[0]["to_act"])
            assert seat == deal.seat
            assert sorted(target_of(seat, k) for k in range(4) if legal >> k & 1) == deal.legal
            continue
        winners[deal.winner] += 1
        assert legal == 0 and games[0]["to_act"] == -1
        outcome = SPEC.outcome(games)
        assert outcome.winner == (WOLVES if deal.winner == "wolves" else VILLAGE)
        assert list(outcome.points) == deal.sent
        assert list(outcome.tricks) == [deal.hits(seat) for seat in range(5)]
        assert SPEC.sides_in(games) == tuple(WOLVES if seat in deal.wolves else VILLAGE for seat in range(5))
    assert DISABLED or min(winners["wolves"], winners["village"]) > 10


def test_views_are_what_the_slow_version_knows() -> None:
    for games, deal in random_deals(DEALS // 3, 2):
        for seat in range(5):
            v = view_of(SPEC.recalling, games, seat)[0]
            known, rounds, now = deal.knows(seat)
            told = {(seat + k) % 5: who == WOLF for k, who in enumerate(v["who"]) if who}
            assert told == known
            assert sorted((seat + k) % 5 for k in members_of(int(v["out"]))) == sorted(deal.out)
            votes = [(voter, vote) for votes in [*rounds, now] for voter, vote in votes.items()]
            history = [int(action) for action in v["history"][: int(v["moves"])]]
            assert history == [-1 if vote is None else (vote - voter - 1) % 5 for voter, vote in votes]


def test_seen_is_what_the_history_of_a_view_then_shows() -> None:
    for games, deal in random_deals(DEALS // 5, 3):
        if deal.over:
            continue
        after = games.copy()
        action = (deal.legal[-1] - deal.seat - 1) % 5
        SPEC.kernels.step(after, 0, action)
        for seat in range(5):
            v = view_of(SPEC, after, seat)[0]
            assert SPEC.kernels.seen(games, 0, seat, action) == v["history"][int(v["moves"]) - 1]


@pytest.mark.slow
def test_redeals_are_what_is_possible_and_each_as_often() -> None:
    streams, dealt = seed_streams(7, 1), SPEC.new_games(1)
    tested = 0
    for n, (games, deal) in enumerate(random_deals(30, 4)):
        for seat in range(5):
            worlds = [(sorted(wolves), votes) for wolves, votes in deal.worlds(seat)]
            assert (sorted(deal.wolves), deal.now) in worlds
            views = view_of(SPEC.recalling, games, seat)
            many = n % 20 == 3 and len(worlds) <= 150
            drawn: Counter[str] = Counter()
            for _ in range(30 * len(worlds) if many else 2):
                SPEC.kernels.redeal(views, 0, streams, 0, dealt, 0)
                assert many or SPEC.parse(SPEC.text(dealt[0]))[0] == dealt[0]
                wolves = sorted((seat + k) % 5 for k in np.flatnonzero(dealt[0]["who"] == WOLF).tolist())
                votes = {voter: target_of(voter, int(dealt[0]["votes"][(voter - seat) % 5]) - 1) for voter in deal.now}
                assert (wolves, votes) in worlds
                drawn[str((wolves, votes))] += 1
            if many and len(worlds) > 1:
                frequencies = [drawn[str(world)] for world in worlds]
                assert stats.chisquare(frequencies).pvalue > 1e-4, SPEC.text(games[0])
                tested += 1
    assert tested > 20


@pytest.mark.parametrize("reward", ["points", "tricks"])
def test_the_worst_loss_is_the_worst(reward: str) -> None:
    lowest, highest = naive.extremes(reward, 2, 3, 3)
    assert SPEC.worst_loss({}, reward) == max(highest, -lowest)


def test_lines_of_text_that_are_wrong() -> None:
    for line, message in (
        ("wolves", "nothing is no deal of wolves: 'who' "),
        ("wolves who=wwwvv", "who=wwwvv is no deal of wolves: 'who' "),
        ("wolves who=wwvvv actions=left-1,left-5", "unknown action 'left-5'"),
        # Seat 1 is out after these votes, three of which are against it.
        ("wolves who=vwvwv actions=left-1,left-1,left-4,left-3,left-1,left-1", "action 6, 'left-1', is illegal"),
    ):
        with pytest.raises(ValueError, match=message):
            SPEC.parse(line)


def test_hidden_votes_have_no_names() -> None:
    games = SPEC.parse("wolves first=2 who=vwvwv actions=left-1,left-2")
    assert SPEC.history(view_of(SPEC, games, 4)[0]) == ["?", "?"]
    assert SPEC.history(games[0]) == ["left-1", "left-2"]
