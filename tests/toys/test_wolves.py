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
from tests.toys.wolves import SPEC, VILLAGE, WOLVES

DEALS = 3 if DISABLED else 150


def naive_of(games: Games) -> naive.Deal:
    """The slow version of a fresh deal."""
    fields = dict(word.split("=") for word in SPEC.text(games[0]).split()[1:])
    return naive.Deal({int(seat) for seat in fields["wolves"]}, int(fields["first"]))


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
            told = {(seat + k) % 5: bool(int(v["wolves"]) >> k & 1) for k in members_of(int(v["known"]))}
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
                wolves = sorted((seat + k) % 5 for k in members_of(int(dealt[0]["wolves"])))
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


def test_flaw_finds_what_is_changed() -> None:
    """Of records in which a bit was changed, only those pass that are other positions of the game: their lines are."""
    rng = random.Random(5)
    found = passed = 0
    for games, _ in random_deals(20, 6):
        for _ in range(20):
            other = games.view(np.ndarray).copy()
            octets = other.view(np.uint8).reshape(-1)
            octets[rng.randrange(len(octets))] ^= 1 << rng.randrange(8)
            if SPEC.kernels.flaw(other, 0, True) >= 0:
                found += 1
                continue
            other[0]["history"][int(other[0]["moves"]) :] = 0  # what stands behind the moves is not looked at
            if other[0] != games[0] and (other[0]["moves"] > 0 or games[0]["moves"] == 0):
                passed += 1
                assert SPEC.parse(SPEC.text(other[0]))[0] == other[0]
    assert found > 20 * passed


def test_lines_of_text_that_are_wrong() -> None:
    for line, message in (
        ("wolves", "has wolves="),
        ("wolves wolves=31", "in order"),
        ("wolves wolves=3", "two of the seats"),
        ("wolves wolves=13 first=5", "first=5"),
        ("wolves wolves=13 actions=left-1,left-5", "unknown action 'left-5'"),
        # Seat 1 is out after these votes, three of which are against it.
        ("wolves wolves=13 actions=left-1,left-1,left-4,left-3,left-1,left-1", "action 6, 'left-1', is illegal"),
    ):
        with pytest.raises(ValueError, match=message):
            SPEC.parse(line)


def test_drawings_show_what_may_be_seen() -> None:
    games = SPEC.parse("wolves wolves=13 first=2 actions=left-1,left-2")
    assert SPEC.drawing(games[0], None).splitlines() == [
        "Wolves: round 1",
        "  player_0  villager",
        "  player_1  wolf",
        "  player_2  villager votes left-1",
        "  player_3  wolf     votes left-2",
        "> player_4  villager",
    ]
    assert SPEC.drawing(games[0], 0).splitlines()[1:] == [
        "  player_0  villager",
        "  player_1  ?",
        "  player_2  ?",
        "  player_3  ?",
        "> player_4  ?",
    ]
    assert "?" not in SPEC.drawing(games[0], 1)
    assert SPEC.history(view_of(SPEC, games, 4)[0]) == ["?", "?"]
    assert SPEC.history(games[0]) == ["left-1", "left-2"]
