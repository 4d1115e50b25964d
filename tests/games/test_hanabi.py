"""Hanabi passes the checks that every game must pass; re-deals are uniform over the hands that `worlds` enumerates [H14].

Every chi-square check fails for one seed in ten thousand by chance; the seeds are fixed.
"""

import itertools
import random
from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest
from scipy import stats

from cardenvs import testing
from cardenvs.baselines.heuristics.hanabi_agents import ALL, start_memory
from cardenvs.baselines.heuristics.hanabi_smart import SmartBot
from cardenvs.compiled.jit import DISABLED, as_records
from cardenvs.compiled.streams import below, random_member, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games.hanabi import SPEC, deck_size, hanabi, legal, may_be, redeal, step, unseen_copies, view
from tests.helpers.positions import view_of

SMART = SmartBot.blueprint
TINY = {"colours": 1, "ranks": 2, "hand_size": 2, "information": 1, "lives": 1}
SMALL = {"colours": 2, "ranks": 3, "hand_size": 2, "information": 3, "lives": 2}
FORMS = [
    TINY,
    SMALL,
    {"players": 3, "colours": 1, "ranks": 1, "hand_size": 1, "information": 1, "lives": 1},
    pytest.param({"players": 5, "colours": 2, "hand_size": 2, "information": 2}, marks=pytest.mark.slow),
    pytest.param({}, marks=pytest.mark.slow),
    {"colours": 2, "ranks": 2, "hand_size": 4},  # no card is left after the deal
    {"colours": 1, "hand_size": 3, "information": 0},  # nothing but plays
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("recall", [False, True])
def test_checks(form: dict[str, int], recall: bool) -> None:
    spec = hanabi(**form).with_recall(recall)
    for check in (
        testing.check_ends, testing.check_text, testing.check_observations, testing.check_redeals, testing.check_no_leak,
        testing.check_flaws,
    ):  # fmt: skip
        check(spec, episodes=1 if DISABLED else 20, score="built")


def test_rewards() -> None:
    testing.check_rewards(hanabi(**SMALL), episodes=2 if DISABLED else 60)


def test_names_and_sizes() -> None:
    assert hanabi() is SPEC and hanabi(players=2, lives=3) is SPEC and SPEC.name == "hanabi"
    assert hanabi(ranks=3, players=4).name == "hanabi:players=4,ranks=3"
    sizes = [(hanabi(players=k).num_actions, hanabi(players=k).max_steps) for k in range(2, 6)]
    assert sizes == [(20, 89), (30, 80), (38, 79), (48, 72)]
    assert (
        SPEC.actions[4:6] == ("discard-5", "play-1") and SPEC.actions[10] == "tell-1-R" and SPEC.actions[19] == "tell-1-5"
    )


def test_a_loss_by_both_scores() -> None:
    """Red 1, then two of them that do not fit."""
    spec = hanabi(**SMALL)
    deck = "R1R1R1R2R2R3Y1Y1Y1Y2Y2Y3"
    for score, points in (("zero", 0), ("built", 1)):
        state = spec.parse(f"{spec.name} score={score} deck={deck} actions=play-1,play-1,play-1")
        assert state[0]["lives"] == 0 and spec.outcome(state).points == (points,)
        assert spec.outcome(state).winners == ()


def worlds(view: Games) -> Counter[tuple[int, ...]]:
    """The possible orders of the unseen cards, the own hand first, each with the number of orders of physical cards."""
    v = view[0]
    ranks = int(v["ranks"])
    copies = [3 if k % ranks == 0 else 1 if k % ranks == ranks - 1 else 2 for k in range(int(v["colours"]) * ranks)]
    for face in range(len(copies)):
        copies[face] -= int(v["discards"][face]) + int(v["fireworks"][face // ranks] > face % ranks)
    for card in v["hands"][1:].ravel():
        if card:
            copies[card - 1] -= 1
    cards = [face for face, many in enumerate(copies) for _ in range(many)]
    found: Counter[tuple[int, ...]] = Counter()
    for order in itertools.permutations(cards):
        fits = all(
            v["may_colours"][0][slot] >> order[slot] // ranks & 1 and v["may_ranks"][0][slot] >> order[slot] % ranks & 1
            for slot in range(int(v["sizes"][0]))
        )
        if fits:
            found[order] += 1
    return found


def late_positions(spec: GameSpec, seed: int, most: int) -> list[tuple[Games, int]]:
    """Positions of random games in which a seat has not seen at most so many cards, with the seat."""
    rng, found = random.Random(seed), []
    for games in testing.random_positions(spec, 40, seed):
        g = games[0]
        if g["over"] or rng.random() < 0.6:
            continue
        left = deck_size(games, 0) - int(g["drawn"]) + int(g["sizes"][0])
        if left <= most and (g["may_colours"][0] | g["may_ranks"][0]).any():
            found.append((games.copy(), rng.randrange(2)))
    return found


def as_often_as_enumerated(spec: GameSpec, view: Games, streams: Any, most: int) -> bool:
    """Compares re-deals, at most so many, with all worlds; whether there were enough to count them."""
    weights, dealt = worlds(view), spec.new_games(1)
    drawn, held = int(view[0]["drawn"]), int(view[0]["sizes"][0])
    times = min(most, 30 * len(weights))
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(times):
        spec.kernels.redeal(view, 0, streams, 0, dealt, 0)
        g = dealt[0]
        found[tuple(int(c) - 1 for c in (*g["hands"][0][:held], *g["deck"][drawn : deck_size(dealt, 0)]))] += 1
    assert set(found) <= set(weights)
    expected = np.array([weights[one] for one in weights], float) * times / weights.total()
    if len(weights) < 2 or (expected < 5).any():
        return False
    assert stats.chisquare([found[one] for one in weights], expected).pvalue > 1e-4
    return True


def test_redeals_are_all_that_fit_and_each_as_often() -> None:
    """In positions in which a seat has not seen up to six cards, compiled seven."""
    spec, streams = hanabi(**SMALL), seed_streams(5, 1)
    positions = late_positions(spec, 1, 6 if DISABLED else 7)[: 6 if DISABLED else 30]
    assert sum(as_often_as_enumerated(spec, view_of(spec, *one), streams, 3000) for one in positions) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("form", [SMALL, SMALL | {"players": 3}, {"colours": 3, "ranks": 2, "hand_size": 3}], ids=str)
def test_redeals_are_all_that_fit_and_each_as_often_in_many_positions(form: dict[str, int]) -> None:
    """In 30 positions in which a seat has not seen up to eight cards."""
    spec, streams = hanabi(**form), seed_streams(6, 1)
    positions = (one for seed in range(1, 9) for one in late_positions(spec, seed, 8))
    counted = itertools.islice(
        (one for one in positions if as_often_as_enumerated(spec, view_of(spec, *one), streams, 400_000)), 30
    )
    assert sum(1 for _ in counted) == 30


def test_the_hand_is_drawn_by_orders_of_cards() -> None:
    """A hand of two reds of which all are unseen: pairs of faces by the copies of both, drawn without one of another."""
    spec = hanabi(**SMALL)
    streams, dealt = seed_streams(9, 1), spec.new_games(1)
    state = spec.parse(f"{spec.name} deck=Y1Y2R1R2R1R1R2R3Y1Y1Y2Y3 actions=tell-1-R")
    view = view_of(spec, state, 1)
    found: Counter[tuple[int, ...]] = Counter()
    times = 1000 if DISABLED else 20_000
    for _ in range(times):
        spec.kernels.redeal(view, 0, streams, 0, dealt, 0)
        found[tuple(int(card) - 1 for card in dealt[0]["hands"][0][:2])] += 1
    copies = {0: 3, 1: 2, 2: 1}
    weights = {(a, b): many * (copies[b] - (a == b)) for a, many in copies.items() for b in copies if (a, b) != (2, 2)}
    assert set(found) == set(weights)
    total = sum(weights.values())
    assert stats.chisquare([found[p] for p in weights], [w * times / total for w in weights.values()]).pvalue > 1e-4


@pytest.mark.parametrize("recall", [False, True])
def test_the_true_deal_is_among_the_worlds(recall: bool) -> None:
    """What is told of own cards is so, in all positions; with recall worlds have a past that replays."""
    spec = hanabi(**SMALL).with_recall(recall)
    streams, dealt = seed_streams(3, 1), spec.new_games(1)
    for games in testing.random_positions(spec, 4 if DISABLED else 100, 4):
        g = games[0]
        for seat in range(2):
            for slot in range(int(g["sizes"][seat])):
                card = int(g["hands"][seat][slot]) - 1
                assert g["may_colours"][seat][slot] >> card // 3 & 1 and g["may_ranks"][seat][slot] >> card % 3 & 1
            view = view_of(spec, games, seat)
            spec.kernels.redeal(view, 0, streams, 0, dealt, 0)
            if recall:
                again = spec.parse(spec.text(dealt[0]))
                assert not testing.differing_fields(spec, dealt[0], again[0])


@numba.njit
def fits(views: Any, states: Any, me: int) -> bool:
    """Whether a full state is a world of a view, whose seat is number ``me`` there: by hints and by all cards."""
    s, left = states[0], np.empty(25, np.int64)
    unseen_copies(views, 0, left)
    for slot in range(s.sizes[me]):
        card = np.int64(s.hands[me, slot])
        left[card - 1] -= 1
        if not may_be(views, 0, 0, slot) >> (card - 1) & 1:
            return False
    for k in range(s.drawn, deck_size(states, 0)):
        left[np.int64(s.deck[k]) - 1] -= 1
    return bool((left[: s.colours * s.ranks] == 0).all())


@numba.njit
def no_worlds(games: Any, views: Any, dealt: Any, memories: Any, streams: Any, noise: int) -> tuple[int, int]:
    """Positions of a deal by SmartBot, one move in ``noise`` at random, and how often truth or re-deal was no world."""
    g, looked, wrong = games[0], 0, 0
    start_memory(memories, 0, games, 0)
    while g.over == RUNNING:
        looked += 1
        for seat in range(g.players):
            view(games, 0, seat, views, 0)
            redeal(views, 0, streams, 0, dealt, 0)
            wrong += not fits(views, games, seat)
            wrong += not fits(views, dealt, 0)
        SMART.before_move(memories, 0, games, 0)
        action = SMART.choose(memories, 0, games, 0)
        if below(streams, 0, noise) == 0:
            action = random_member(streams, 0, legal(games, 0))
        SMART.learn(memories, 0, games, 0, ALL, action)
        step(games, 0, action)
    return looked, wrong


@pytest.mark.slow
def test_the_true_deal_is_among_the_worlds_of_a_million_positions() -> None:
    """For every seat, in deals of two to five that are played well, badly and in between."""
    streams, memories = seed_streams(7, 1), as_records(np.zeros(1, SMART.memory))
    looked, seed = 0, 0
    while looked < 1_000_000:
        spec = hanabi(players=2 + seed % 4)
        games, views, dealt = (as_records(made) for made in (spec.deal(seed), spec.new_games(1), spec.new_games(1)))
        positions, wrong = no_worlds(games, views, dealt, memories, streams, (1, 5, 1_000_000)[seed % 3])
        assert wrong == 0
        looked, seed = looked + positions, seed + 1


@pytest.mark.parametrize("seed", range(4))
def test_a_history_that_does_not_lead_to_what_is_shown_is_refused(seed: int) -> None:
    """An action more, one less, or another one; hints leave no trace in the order of drawing, and are refused, too."""
    spec = hanabi(**SMALL).recalling
    rng = random.Random(seed)
    for games in testing.random_positions(spec, 4, seed):
        moves = int(games[0]["moves"])
        view = view_of(spec, games, moves % 2)
        spec.check_state(view, whole=False)
        if not moves or moves == spec.max_steps:
            continue
        k = rng.randrange(moves)
        for change in ("more", "less", "other"):
            wrong = view.copy()
            if change == "more":
                wrong[0]["history"][moves] = rng.randrange(spec.num_actions)
                wrong[0]["moves"] += 1
            elif change == "less":
                wrong[0]["history"][moves - 1] = 0
                wrong[0]["moves"] -= 1
            else:
                action = int(wrong[0]["history"][k])
                wrong[0]["history"][k] = (
                    0 if action >= 4 else (action + 2) % 4
                )  # a discard for a hint, a play for a discard
            with pytest.raises(ValueError, match="history"):
                spec.check_state(wrong, whole=False)
