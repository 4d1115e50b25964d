"""Ladder against the slow version in `naive.ladder`, on random deals.

Each chi-square test would fail for one fresh seed in 10,000; the seeds are fixed, so none fails by chance.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, EPISODE_OVER, RUNNING, TRUNCATED
from cardenvs.envs.batch import Batch
from cardenvs.policy.registry import make
from tests.helpers.positions import rows_of, view_of
from tests.helpers.twins import SplitMix
from tests.naive import ladder as naive
from tests.toys.ladder import ACTIONS, DRAW, MAX_STEPS, SPEC, members

pytestmark = pytest.mark.slow  # what is compiled for Ladder takes a minute

DEALS = 42


def naive_of(games: Games) -> naive.Deal:
    """The slow version of a fresh deal."""
    fields = dict(word.split("=") for word in SPEC.text(games[0]).split()[1:])
    deck = [int(card) for card in fields["deck"].split(",")]
    return naive.Deal(
        hands=[deck[6 * seat : 6 * seat + 6] for seat in range(3)],
        pile=[deck[18]],
        stock=deck[19:],
        first=int(fields.get("first", 0)),
        chance=SplitMix(int(fields["chance"])),
    )


def number_of(act: int | str) -> int:
    """The action of an act of the slow version."""
    return DRAW if isinstance(act, str) else act


def random_deals(deals: int, seed: int) -> Iterator[tuple[Games, naive.Deal]]:
    """Every position of random deals, in which draws are more or less common."""
    rng = random.Random(seed)
    for k in range(deals):
        draws = (0.0, 0.1, 0.3)[k % 3]
        games = SPEC.deal(1000 * seed + k)
        deal = naive_of(games)
        yield games, deal
        while not deal.over:
            act = naive.DRAW if rng.random() < draws else rng.choice(deal.legal)
            SPEC.kernels.step(games, 0, number_of(act))
            deal.do(act)
            yield games, deal


def test_random_deals_are_as_in_the_slow_version() -> None:
    ends: Counter[str] = Counter()
    for games, deal in random_deals(DEALS, 1):
        g = games[0]
        assert (g["over"] != RUNNING) == deal.over, SPEC.text(g)
        assert SPEC.legal_names(SPEC.legal(games)) == ", ".join(ACTIONS[number_of(act)] for act in deal.legal) or deal.over
        assert [members(hand) for hand in g["hands"]] == [sorted(hand) for hand in deal.hands]
        assert (members(g["stock"]), int(g["left"])) == (sorted(deal.stock), len(deal.stock))
        assert [*members(g["pile"]), int(g["top"])] == [*sorted(deal.pile[:-1]), deal.pile[-1]]
        if not deal.over:
            assert g["to_act"] == deal.seat
            continue
        ends["nobody" if deal.winner is None else f"{deal.refills} refills"] += 1
        outcome = SPEC.outcome(games)
        assert outcome.points == tuple(int(seat == deal.winner) for seat in range(3))
        assert outcome.winners == () and g["over"] == DEAL_OVER
    assert set(ends) == {"nobody", "0 refills", "1 refills", "2 refills"}


def test_views_are_what_the_slow_version_knows() -> None:
    for games, deal in random_deals(DEALS // 6 + 1, 2):
        for seat in range(3):
            v = view_of(SPEC.recalling, games, seat)[0]
            hand, pile, left, acts = deal.knows(seat)
            assert members(v["hands"][0]) == hand and not v["hands"][1:].any()
            assert [*members(v["pile"]), int(v["top"])] == [*sorted(pile[:-1]), pile[-1]]
            assert int(v["left"]) == left and not v["stock"].any() and not v["deck"].any()
            assert int(v["chance"]) == int(v["stream"]) == 0
            told = [
                ((int(v["first"]) + k + seat) % 3, "draw" if action == DRAW else int(action))
                for k, action in enumerate(v["history"][: int(v["moves"])])
            ]
            assert told == acts
            for other in range(3):
                held = [count for _, count in deal.could_hold(seat, (seat + other) % 3)]
                assert [int(count) for count in v["held"][other]] == held + [0] * (3 - len(held))
            if not deal.over and seat == deal.seat:
                assert SPEC.kernels.multiplicity(view_of(SPEC, games, seat), 0, DRAW) == deal.choices


def world_of(state: np.void) -> tuple[frozenset[int], ...]:
    """The hands of the next seats and the stock as `naive.Deal.worlds` has them, of a re-deal."""
    return tuple(frozenset(members(cards)) for cards in (state["hands"][1], state["hands"][2], state["stock"]))


def test_the_true_deal_and_all_redeals_are_possible() -> None:
    """By the counts of cards from the deal and from each refill."""
    streams, dealt = seed_streams(3, 1), SPEC.new_games(1)
    for games, deal in random_deals(DEALS // 6, 3):
        for seat in range(3):
            SPEC.kernels.redeal(view_of(SPEC, games, seat), 0, streams, 0, dealt, 0)
            *hands, stock = world_of(dealt[0])
            others = [(seat + k) % 3 for k in (1, 2)]
            true = [set(deal.hands[other]) for other in others]
            for held in (hands, true):
                for other, hand in zip(others, held, strict=True):
                    counts = [(len(hand & cards), count) for cards, count in deal.could_hold(seat, other)]
                    assert all(found == count for found, count in counts) and sum(map(max, counts)) == len(hand)
            last = list(deal.could_hold(seat, seat))[-1][0]
            assert stock <= last and set(deal.stock) <= last and len(stock) == len(deal.stock)
            assert dealt[0]["stream"] != 0 and dealt[0]["stream"] == dealt[0]["chance"]


def test_early_redeals_put_each_card_everywhere_as_often() -> None:
    n = 20_000
    games = SPEC.deal(12)
    for action in (DRAW, DRAW, DRAW, DRAW):
        SPEC.kernels.step(games, 0, action)
    views, dealt, streams = view_of(SPEC, games, 1), SPEC.new_games(n), seed_streams(1, 1)
    for k in range(n):
        SPEC.kernels.redeal(views, 0, streams, 0, dealt, k)
    hidden = [card for card in range(100) if card not in members(games[0]["hands"][1]) and card != games[0]["top"]]
    for k, other in ((0, 2), (1, 0)):
        held = np.array([(dealt["hands"][:, k + 1, card // 50] >> card % 50 & 1).sum() for card in hidden])
        size = int(games[0]["held"][other].sum())
        chance = size / len(hidden)
        assert held.sum() == n * size
        # Binomial counts, two hundred of them at 5.5 standard deviations: about 8 false alarms in a million.
        assert (np.abs(held - n * chance) / np.sqrt(n * chance * (1 - chance))).max() < 5.5


def test_the_line_of_text_replays_chance() -> None:
    refilled = 0
    for games, deal in random_deals(30, 5):
        if deal.refills and (deal.over or len(deal.acts) % 7 == 0):
            again = SPEC.parse(SPEC.text(games[0]))
            assert again[0] == games[0]
            refilled += 1
    assert refilled > 50


def test_chance_to_come_is_hidden_and_drawn_anew() -> None:
    """Of one position, re-deals go on in different ways, and nothing that is seen tells of the way that play goes on."""
    games, deal = next(
        (games, deal)
        for games, deal in random_deals(30, 6)
        if not deal.over and not deal.stock and len(deal.pile) > 3 and deal.refills < 2
    )
    views, dealt, streams = view_of(SPEC, games, deal.seat), SPEC.new_games(1), seed_streams(0, 1)
    taken = set()
    for _ in range(40):
        SPEC.kernels.redeal(views, 0, streams, 0, dealt, 0)
        SPEC.kernels.step(dealt, 0, DRAW)
        taken |= {*deal.pile[:-1]} - {*members(dealt[0]["stock"])}
    assert len(taken) > 1


def test_play_need_not_end() -> None:
    """Seats that only draw are never done: deals are nobody's, and the episode is cut off."""
    batch = Batch("ladder", 3, seed=0, max_decisions=95)
    for step in range(95):
        batch.step(np.full(3, DRAW))
        # The stock runs out after nine draws, and there is nothing to make it of.
        assert (batch.ended == (TRUNCATED if step == 94 else DEAL_OVER if step % 10 == 9 else RUNNING)).all()
        assert not batch.rewards.any()
    assert not batch.decisions.any()


def test_the_longest_deal_fits() -> None:
    """Seats that hold on to their last card for as long as they can."""
    longest = 0
    for seed in range(DEALS):
        games = SPEC.deal(seed)
        while games[0]["over"] == RUNNING:
            legal = SPEC.legal(games)
            hand = members(games[0]["hands"][int(games[0]["to_act"])])
            cards = [card for card in hand if legal >> card & 1]
            SPEC.kernels.step(games, 0, cards[0] if cards and len(hand) > 1 else DRAW)
        longest = max(longest, int(games[0]["moves"]))
        assert SPEC.kernels.flaw(games, 0, True) < 0
    assert 60 < longest <= MAX_STEPS


def test_nobody_wins_an_episode_of_one_deal_that_is_nobodys() -> None:
    games = SPEC.deal(1, episode="deal")
    while games[0]["over"] == RUNNING:
        SPEC.kernels.step(games, 0, DRAW)
    assert games[0]["over"] == EPISODE_OVER
    assert SPEC.outcome(games).winners == (0, 1, 2)


def test_the_worst_loss_is_the_worst() -> None:
    """Of all orders in which seats can win deals until one of them has two, or a single deal."""
    for episode, target in (("game", 2), ("deal", 1)):
        losses = []
        for winners in itertools.product(range(3), repeat=4):
            points = [0, 0, 0]
            for winner in winners:
                points[winner] += max(points) < target
            losses += [(sum(points) - own) / 2 - own for own in points]
        assert SPEC.worst_loss({"episode": episode}, "points") == max(losses)
        assert SPEC.worst_loss({"episode": episode}, "win") == 0.5


def test_random_with_choices_draws_as_often_as_there_are_cards() -> None:
    games = SPEC.deal(3)
    rows, masks = rows_of(SPEC, games)
    plays = int(masks[0, :DRAW].sum())
    assert masks[0, DRAW] and plays
    n = 6000
    for choices, expected in ((False, 1 / (plays + 1)), (True, 9 / (plays + 9))):
        player = make("ladder", "random", choices=choices)
        actions = player.act(np.repeat(rows, n, 0), np.repeat(masks, n, 0), np.random.default_rng(1))
        draws = int((actions == DRAW).sum())
        assert abs(draws - n * expected) < 4.5 * np.sqrt(n * expected * (1 - expected))  # 7 false alarms in a million
    batch = Batch("ladder", 2, seed=3)
    counts = batch.multiplicities()
    assert (counts[:, DRAW] == 9).all() and (counts[:, :DRAW] == batch.action_masks[:, :DRAW]).all()
