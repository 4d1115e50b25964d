"""The clauses of docs/rules/whist.md: random deals against the slow version in `naive.whist`, and what these do not show.

Statistical checks pass with chance 1 - 1e-4 each under a fresh seed; their seeds are fixed, so they never fail by chance.
"""

import random
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING
from cardenvs.envs.batch import Batch
from cardenvs.games.whist import DECK, SPEC, could_hold
from cardenvs.testing import random_positions
from tests.naive import whist as naive

pytestmark = pytest.mark.compiled

CLUBS, DIAMONDS, HEARTS, SPADES = ("".join(rank + suit for rank in naive.RANKS) for suit in naive.SUITS)
ONE_SUIT_EACH = f"whist hands={CLUBS}/{DIAMONDS}/{HEARTS}/{SPADES}"

GOLDEN = (
    "whist episode=game target=7 score=4-5 dealer=0 "
    "hands=3c9c2d3d5d7dJdQd4hKhAh2s8s/4c5cTcQc6d9dKdAd2h8hTh5s6s/2c6cJcKcAc4d3h3s4s7sTsQsKs/7c8c8dTd5h6h7h9hJhQh9sJsAs "
    "shown=5d "
    "actions=6s,Qs,9s,2s,2c,8c,9c,Qc,Tc,6c,7c,3c,5s,Ts,Js,8s,6h,Ah,Th,3h,4h,8h,Ks,Qh,5h,Kh,2h,Kc,5d,9d,4d,8d,4c,Jc,7h,Jd,"
    "7d,6d,4s,Td,9h,2d,5c,Ac,3d,Ad,3s,Jh,Kd,7s,As,Qd"
)
"""A deal played at random, the last of `random_positions(SPEC, 1, seed=1901)` with the line's options."""


def names(cards: int) -> list[str]:
    return [DECK.text(card) for card in members_of(cards)]


def legal_names(games: Games) -> list[str]:
    return names(int(SPEC.kernels.legal(games, 0)))


def play(games: Games, *cards: str) -> None:
    for card in cards:
        assert card in legal_names(games)
        SPEC.kernels.step(games, 0, SPEC.action(card))


def naive_deal(state: Any) -> naive.Deal:
    """The slow version of a state at the start of its deal."""
    return naive.Deal([names(int(hand)) for hand in state["hands"]], int(state["dealer"]), names(int(state["shown"]))[0])


def outcome(games: Games) -> tuple[int, list[int], list[int]]:
    points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, 4), np.int64)
    winners = SPEC.kernels.outcome(games, 0, points, tricks)
    return winners, points[0].tolist(), tricks[0].tolist()


def compare(games: Games, deal: naive.Deal) -> None:
    """Fails unless kernel and slow version stand at the same position."""
    g = games[0]
    assert [names(int(hand)) for hand in g["hands"]] == [sorted(hand, key=naive.CARDS.index) for hand in deal.hands]
    assert g["tricks"].tolist() == deal.tricks
    assert {(seat, naive.SUITS[suit]) for seat in range(4) for suit in members_of(int(g["voids"][seat]))} == deal.shown_out
    trick = dict(deal.trick)
    assert [names(int(card)) for card in g["trick"]] == [[trick[seat]] if seat in trick else [] for seat in range(4)]
    assert g["winner"] == (deal.winner_so_far() if trick else -1)
    assert (g["over"] != RUNNING) == deal.over
    if not deal.over:
        assert g["to_act"] == deal.seat
        assert g["leader"] == (deal.trick[0][0] if trick else deal.seat)
        assert sorted(legal_names(games)) == sorted(deal.legal)


def play_against_naive(games: Games, rng: random.Random) -> naive.Deal:
    """Plays ``games[0]`` to the end of its deal, comparing every position."""
    deal = naive_deal(games[0])
    compare(games, deal)
    while not deal.over:
        card = rng.choice(deal.legal)
        deal.play(card)
        SPEC.kernels.step(games, 0, SPEC.action(card))
        compare(games, deal)
    return deal


def test_random_deals_against_naive() -> None:
    """[W1], [W2], [W5 to W11] and [W14]."""
    rng = random.Random(1)
    for seed in range(150):
        games = SPEC.deal(seed)
        deal = play_against_naive(games, rng)
        points = naive.points(deal.tricks)
        assert outcome(games) == (1 if points[0] else 2, points, deal.tricks)
        assert games[0]["score"].tolist() == points
        assert (games[0]["over"], games[0]["moves"]) == (EPISODE_OVER, 52)


def test_golden() -> None:
    games = SPEC.parse(GOLDEN)
    assert (games[0]["tricks"].tolist(), games[0]["score"].tolist()) == ([4, 5, 1, 3], [4, 7])
    assert games[0]["over"] == EPISODE_OVER and SPEC.text(games[0]) == GOLDEN
    deal = naive_deal(SPEC.parse(SPEC.text(games[0], actions=False))[0])
    for card in GOLDEN.partition("actions=")[2].split(","):
        deal.play(card)
    assert deal.over and deal.tricks == [4, 5, 1, 3]


def test_w1_partners() -> None:
    games = SPEC.parse(f"{ONE_SUIT_EACH} dealer=1 shown=2d")
    while games[0]["over"] == RUNNING:
        play(games, legal_names(games)[0])
    assert games[0]["tricks"].tolist() == [0, 13, 0, 0]
    batch = Batch(SPEC, 1, restart=False)
    batch.set_games(SPEC.parse(SPEC.text(games[0]).rpartition(",")[0]))
    batch.step(np.array([SPEC.action(legal_names(batch.games)[0])]))
    assert batch.rewards[0].tolist() == [-7, 7, -7, 7]


def test_w3_dealer() -> None:
    dealers = Batch(SPEC, 8000, seed=3).games["dealer"]
    assert stats.chisquare(np.bincount(dealers, minlength=4)).pvalue > 1e-4
    previous = -1
    for games in random_positions(SPEC, 4, seed=3, episode="game"):
        g = games[0]
        if g["moves"] == 0 and g["score"].any():
            assert g["dealer"] == (previous + 1) % 4
        previous = int(g["dealer"])


def test_w4_thirteen_cards_each() -> None:
    for seed in range(20):
        hands = [int(hand) for hand in SPEC.deal(seed)[0]["hands"]]
        assert [hand.bit_count() for hand in hands] == [13] * 4
        assert hands[0] | hands[1] | hands[2] | hands[3] == DECK.all


def test_w4_every_card_goes_anywhere() -> None:
    games = Batch(SPEC, 40_000, seed=4).games
    for seat in range(4):
        held = games["hands"][:, seat, None] >> np.arange(52) & 1
        # 13 of 52 cards without replacement: the 52 counts vary by 39/51 of what independent draws would.
        counts = held.sum(0)
        expected = len(games) / 4
        statistic = ((counts - expected) ** 2).sum() / (expected * 0.75) * 51 / 52
        assert stats.chi2.sf(statistic, 51) > 1e-4


def test_w5_the_shown_card_is_the_dealers_and_sets_trump() -> None:
    games = Batch(SPEC, 40_000, seed=5).games
    shown, hands = games["shown"], games["hands"][np.arange(len(games)), games["dealer"]]
    assert (np.bitwise_count(shown) == 1).all()
    assert (shown & hands == shown).all()
    card = np.bitwise_count(shown - 1)
    assert (games["trump"] == card // 13).all()
    # Any card may be shown, and any of the dealer's thirteen.
    assert stats.chisquare(np.bincount(card, minlength=52)).pvalue > 1e-4
    rank = np.bitwise_count(hands & (shown - 1))
    assert stats.chisquare(np.bincount(rank, minlength=13)).pvalue > 1e-4


def test_w12_a_point_for_each_trick_above_six() -> None:
    games = SPEC.new_games(1)
    for made in range(14):
        games["tricks"] = [[made // 2, 13 - made, made - made // 2, 0]]
        expected = [max(made - 6, 0), max(7 - made, 0)]
        assert outcome(games)[1] == expected == naive.points(games[0]["tricks"].tolist())


@pytest.mark.parametrize("target", [5, 7, 10])
def test_w15_w16_a_game(target: int) -> None:
    rng = random.Random(target)
    streams = seed_streams(target, 1)
    deals = []
    for _ in range(30):
        games = SPEC.new_games(1, episode="game", target=target)
        SPEC.kernels.deal(games, 0, streams, 0)
        score, count = [0, 0], 0
        while True:
            assert games[0]["score"].tolist() == score
            points = naive.points(play_against_naive(games, rng).tricks)
            score = [score[0] + points[0], score[1] + points[1]]
            count += 1
            assert games[0]["score"].tolist() == score
            assert games[0]["over"] == (EPISODE_OVER if max(score) >= target else DEAL_OVER)
            assert outcome(games)[0] == (0 if max(score) < target else 1 << score.index(max(score)))
            if games[0]["over"] == EPISODE_OVER:
                break
            SPEC.kernels.deal(games, 0, streams, 0)
        deals.append(count)
        # A new episode starts from nothing.
        SPEC.kernels.deal(games, 0, streams, 0)
        assert games[0]["score"].tolist() == [0, 0]
    assert max(deals) > 2


def test_w17_w18_public_and_hidden() -> None:
    views = SPEC.new_games(1)
    for games in random_positions(SPEC, 2, seed=17):
        g = games[0]
        for seat in range(4):
            SPEC.kernels.view(games, 0, seat, views, 0)
            v = views[0]
            assert v["hands"].tolist() == [g["hands"][seat], 0, 0, 0]
            for name in ("played", "trick", "tricks", "voids"):
                assert v[name].tolist() == np.roll(g[name], -seat).tolist()
            for name in ("shown", "trump", "moves", "over", "episode", "target"):
                assert v[name] == g[name]
            for name in ("dealer", "to_act", "leader", "winner"):
                assert v[name] == (-1 if g[name] < 0 else (g[name] - seat) % 4)
            assert (v["history"] == g["history"]).all()
            assert v["score"].tolist() == (g["score"][::-1] if seat & 1 else g["score"]).tolist()


def test_w19_w20_who_could_hold_what() -> None:
    rng = random.Random(19)
    views = SPEC.new_games(1)
    sharper = 0
    for seed in range(10):
        games = SPEC.deal(seed)
        deal = naive_deal(games[0])
        while not deal.over:
            for seat in range(4):
                SPEC.kernels.view(games, 0, seat, views, 0)
                unseen = {card for other in range(4) if other != seat for card in deal.hands[other]}
                for k in (1, 2, 3):
                    other = (seat + k) % 4
                    expected = {card for card in unseen if (other, card[1]) not in deal.shown_out}
                    if other != deal.dealer:
                        expected -= {deal.shown}
                    if not deal.hands[other]:
                        expected = set()
                    possible = names(int(could_hold(views, 0, k, sum(1 << DECK.card(card) for card in unseen))))
                    assert set(possible) == expected >= set(deal.hands[other])
                    row = SPEC.observation(games, seat)[SPEC.slices[f"could_hold_{('left', 'partner', 'right')[k - 1]}"]]
                    assert [SPEC.actions[card] for card in np.flatnonzero(row)] == possible
                    sharper += expected != unseen
            card = rng.choice(deal.legal)
            deal.play(card)
            SPEC.kernels.step(games, 0, SPEC.action(card))
    assert sharper


def test_w22_what_may_be_left_out() -> None:
    games = SPEC.parse(f"{ONE_SUIT_EACH} shown=2c")
    assert SPEC.text(games[0]) == (
        f"whist episode=deal target=5 score=0-0 dealer=0 hands={CLUBS}/{DIAMONDS}/{HEARTS}/{SPADES} shown=2c actions="
    )
    assert SPEC.text(SPEC.parse(f"{ONE_SUIT_EACH} shown=10C", episode="game", target=10)[0]).startswith(
        "whist episode=game target=10 score=0-0 dealer=0 "
    )


@pytest.mark.parametrize("dealer", range(4))
def test_w23_another_dealer(dealer: int) -> None:
    games = SPEC.deal(23, episode="game")
    before = games.copy()[0]
    assert SPEC.set_dealer is not None
    SPEC.set_dealer(games, 0, dealer)
    g = games[0]
    assert g["dealer"] == dealer
    assert g["to_act"] == (dealer + 1) % 4
    assert g["shown"] == before["shown"] and g["trump"] == before["trump"]
    assert g["hands"][dealer] & g["shown"]
    turn = dealer - int(before["dealer"])
    assert g["hands"].tolist() == np.roll(before["hands"], turn).tolist()
    assert SPEC.text(SPEC.parse(SPEC.text(g))[0]) == SPEC.text(g)


def test_drawing_hides_the_other_hands() -> None:
    games = SPEC.parse(f"{ONE_SUIT_EACH} dealer=3 shown=9s actions=Tc,2d")
    everything, own = SPEC.drawing(games[0], None), SPEC.drawing(games[0], 2)
    assert "Whist: playing, trump ♠" in own
    assert "shown 9s (player_3 deals)" in own
    assert "Kd" in everything and "Kd" not in own and "Kh" in own
    assert " > player_2" in own
