"""Beacon Relay: its descriptions beside the clauses of docs/rules/beacon_relay.md, and re-deals beside all that fit."""

import functools
import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from cardenvs import Batch, testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.policy.random import RandomPolicy
from cardenvs.recycle import shipped
from tests.helpers.beacon_relay import FORMS, Described, beacon_relay
from tests.helpers.pasts import check_pasts
from tests.helpers.paths import ROOT
from tests.helpers.positions import redealt
from tests.naive.beacon_relay import KEEP, Card, Relay, label_of

LARGE = [name for name in FORMS if not name.endswith("-mini")]
"""The forms for people."""


@pytest.mark.parametrize("name", FORMS)
def test_b1_to_b3_the_deal(name: str) -> None:
    game, cards = beacon_relay(name), FORMS[name]
    assert len(game.cards) == len(set(game.cards)) == cards * game.seats
    owners, drawn = Counter[int](), Counter[Card]()
    for seed in range(30):
        plain = game.plainly(game.spec.deal(seed, beacons=4))
        assert [len(hand) for hand in plain.hands] == [cards] * game.seats
        assert len({card for card, _ in plain.beacons}) == 4
        owners.update(owner for _, owner in plain.beacons)
        drawn.update(card for card, _ in plain.beacons)
    assert stats.chisquare([owners[seat] for seat in range(game.seats)]).pvalue > 1e-4
    assert stats.chisquare([drawn[card] for card in game.cards]).pvalue > 1e-4


def play(game: Described, seed: int, **options: int) -> Iterator[tuple[np.ndarray, Relay]]:
    """The positions of a random game, described and plain, in which the next action is done in both."""
    games, rng = game.spec.deal(seed, **options), random.Random(seed)
    plain = game.plainly(games)
    while True:
        yield games, plain
        if plain.over:
            return
        action = rng.choice(sorted(plain.legal(), key=str))
        plain.act(action)
        game.spec.kernels.step(games, 0, game.action(action))


@pytest.mark.parametrize("name", FORMS)
def test_b4_to_b13_random_games_go_as_the_clauses_say(name: str) -> None:
    game, scores, labels = beacon_relay(name), Counter[int](), set[str]()
    for seed in range(8):
        for games, plain in play(game, seed, beacons=1 + seed // 4, ordered=seed % 2 == 1, lanterns=seed != 2):
            state, text = games[0], functools.partial(game.spec.text, games[0])
            assert bool(state["over"]) == plain.over, text()
            played = [game.lying(state, "vloc", "TRICK", seat) for seat in range(game.seats)]
            assert played == [[card] if (card := dict(plain.trick).get(seat)) else [] for seat in range(game.seats)], text()
            assert plain.lost or game.lying(state, "mem", "DARK") == [card for card, _ in plain.dark], text()
            for seat, (card, label) in plain.shown.items():
                assert game.lying(state, "mem", "LANTERN", seat) == [card], text()
                assert game.text(state, "LABEL", seat).lower() == label, text()
                labels.add(label)
            if plain.over:
                assert game.spec.outcome(games).points == (plain.score,), text()
                scores[plain.score] += 1
            else:
                assert state["to_act"] == plain.to_act and game.legal(games) == plain.legal(), text()
    assert labels == {"only", "highest", "lowest"} and len(scores) == 2


def test_the_forms_differ_in_seats_and_cards_alone() -> None:
    first = shipped("beacon-relay").source
    cards = r"\(RANK \([A-Z, ]+\)\)|\(SUIT \([A-Z, ]+\)\)|\s+\(\(RANK : [A-Z]+\) \d+\)|\d+ cards.* \d each"
    numbers = r"players \d|\(0(, \d)+\)|0 \.\. \d|repeat \d|BEACONS \d( \d)+|A small|Beacon Relay|for (three|four|five)"

    def without(source: str) -> str:
        return re.sub(f"{cards}|{numbers}|[ \n]", "", source)

    for name in FORMS:
        assert without(shipped(name).source) == without(first), name


def test_every_clause_stands_in_the_rules_once() -> None:
    rules = (ROOT / "docs" / "rules" / "beacon_relay.md").read_text()
    assert re.findall(r"\*\*\[B(\d+)\]\*\*", rules) == [str(k) for k in range(1, 15)]


class Heard:
    """What all have heard in a game: the cards that were played, and what held of hands at some time."""

    def __init__(self, plain: Relay) -> None:
        self.played: list[list[Card]] = [[] for _ in plain.hands]
        self.facts: list[tuple[int, int, str, Card]] = []
        """A seat, how many cards it had played, and a label, or "void", with the card that it is about."""

    def hear(self, plain: Relay, action: Card | str) -> None:
        """Takes in an action of the seat to act, before it is done."""
        seat = plain.to_act
        if isinstance(action, str):
            return
        count, hand = len(self.played[seat]), plain.hands[seat]
        if plain.asks is not None:
            self.facts.append((seat, count, label_of(action, hand), action))
            return
        if plain.trick and action[1] != plain.trick[0][1][1]:
            self.facts.append((seat, count, "void", plain.trick[0][1]))
        self.played[seat].append(action)

    def fits(self, hands: list[set[Card]]) -> bool:
        """Whether some hands are such as was heard."""
        for seat, count, what, card in self.facts:
            then = hands[seat] | set(self.played[seat][count:])
            if what == "void" and any(other[1] == card[1] for other in then):
                return False
            if what != "void" and (card not in then or label_of(card, then) != what):
                return False
        return True


def hands_that_fit(plain: Relay, heard: Heard, seat: int) -> list[tuple[frozenset[Card], ...]]:
    """All hands that the others can have for a seat, in the order of the seats; the own one is among them."""
    others = [k for k in range(len(plain.hands)) if k != seat]
    unseen, found = set().union(*(plain.hands[k] for k in others)), []

    def deal(left: set[Card], hands: list[set[Card]]) -> None:
        if len(hands) == len(others):
            dealt = dict(zip(others, hands, strict=True)) | {seat: plain.hands[seat]}
            listed = [dealt[k] for k in range(len(plain.hands))]
            found.extend([tuple(map(frozenset, listed))] * heard.fits(listed))
            return
        for cards in itertools.combinations(sorted(left), len(plain.hands[others[len(hands)]])):
            deal(left - set(cards), [*hands, set(cards)])

    deal(unseen, [])
    return found


def positions(game: Described, seed: int) -> Iterator[tuple[np.ndarray, Relay, Heard]]:
    """Positions of a random game in which lanterns are laid open as often as not, with what was heard."""
    games, rng = game.spec.deal(seed, beacons=2), random.Random(seed)
    plain = game.plainly(games)
    heard = Heard(plain)
    while not plain.over:
        yield games, plain, heard
        legal = sorted(plain.legal() - {KEEP} if rng.random() < 0.5 else plain.legal(), key=str)
        action = rng.choice(legal)
        heard.hear(plain, action)
        plain.act(action)
        game.spec.kernels.step(games, 0, game.action(action))


def test_b14_redeals_are_drawn_uniformly_from_all_that_fits_what_was_public() -> None:
    """All hands that fit what was heard, against twenty re-deals of each; some of 16 positions fails once in 1,000."""
    game, tried, facts, streams = beacon_relay("beacon-relay-mini"), 0, Counter[str](), seed_streams(4, 1)
    for seed in range(60):
        for games, plain, heard in positions(game, seed):
            seat = (plain.to_act + seed) % 3
            if tried == 16 or not heard.facts or len(plain.hands[seat]) == 4:
                continue
            possible = hands_that_fit(plain, heard, seat)
            if not 2 <= len(possible) <= 12:
                continue
            view = game.spec.decode(game.spec.observation(games, seat)[None])
            drawn = Counter[tuple[frozenset[Card], ...]]()
            for dealt in redealt(game.spec, view, streams, 20 * len(possible)):
                drawn[game.hands(dealt[0], seat)] += 1
            line = game.spec.text(games[0])
            assert set(drawn) <= set(possible), line
            assert stats.chisquare([drawn[hands] for hands in possible]).pvalue > 1e-3 / 16, line
            facts.update(what for _, _, what, _ in heard.facts)
            tried += 1
    assert tried == 16 and set(facts) == {"void", "only", "highest", "lowest"}


def test_b14_worlds_with_a_past_were_heard_the_same() -> None:
    tried, unfit = check_pasts(beacon_relay("beacon-relay-mini").spec, 1, 1)
    assert tried > 4 and unfit == 0


@pytest.mark.slow
def test_nothing_that_is_told_is_false_or_leaks() -> None:
    spec = beacon_relay("beacon-relay-mini").spec
    assert testing.check_game(spec, beacons=1) == []


def rate(name: str, games: int, **options: int) -> float:
    """The share of games that random players win."""
    spec = beacon_relay(name).spec
    batch, player = Batch(spec, games, seed=3, restart=False, reward="score", **options), RandomPolicy(spec)
    streams, won = seed_streams(5, games), np.zeros(games)
    while not batch.finished.all():
        actions = player.choose(batch.observations, batch.action_masks, streams)
        batch.step(np.where(batch.finished, -1, actions))
        won += batch.rewards[:, 0]
    return float(won.mean())


@pytest.mark.parametrize("name", ["beacon-relay-mini", *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)])
def test_random_players_light_one_beacon_as_often_as_its_owner_wins_a_trick(name: str) -> None:
    """Each seat is as likely to win the trick; each form fails by chance once in 5,000."""
    games, share = 100, 1 / beacon_relay(name).seats
    assert abs(rate(name, games, beacons=1) - share) < 3.7 * math.sqrt(share * (1 - share) / games)
