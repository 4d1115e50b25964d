"""Worlds drawn for searches: renumbered cards, and deals as uniform as the games' own re-deals.

Each chi-square test would fail for one fresh seed in 10,000; the seeds are fixed, so none fails by chance.
"""

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chisquare

from cardenvs import testing
from cardenvs.baselines.search.trick import slots as worlds
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.jit import DISABLED, kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre, whist
from cardenvs.policy.replay import redeal_loop
from tests.helpers.hidden_cards import ENDINGS, POSITIONS, as_set, key_of, position
from tests.helpers.trick_positions import cards_of
from tests.naive import euchre as naive

EUCHRE, WHIST = ((game, worlds.slots_of(game.SPEC.trick_game), worlds.opening_in(game.SPEC)) for game in (euchre, whist))
GAMES = [EUCHRE, WHIST]


@pytest.mark.parametrize(("game", "slots", "_"), GAMES)
def test_slots_order_the_cards_as_the_game_does(game: Any, slots: worlds.Slots, _: Any) -> None:
    for trump in range(4):
        suit_of, strength = game.SUIT_OF[trump], game.STRENGTH[trump]
        numbers = slots.slot[trump].tolist()
        assert len(set(numbers)) == game.DECK.size
        assert [slots.card[trump, p] for p in numbers] == list(range(game.DECK.size))
        for a, p in enumerate(numbers):
            for b, q in enumerate(numbers):
                same_suit, same_rank = suit_of[a] == suit_of[b], strength[a] == strength[b]
                assert bool(slots.same_suit[p] >> q & 1) == same_suit
                assert bool(slots.same_rank[p] >> q & 1) == same_rank
                assert same_rank or (p < q) == (strength[a] < strength[b])
                assert (worlds.suit_of(p, slots.same_suit) == worlds.suit_of(q, slots.same_suit)) == same_suit
            assert (worlds.suit_of(p, slots.same_suit) == worlds.TRUMPS) == (suit_of[a] == trump)


@pytest.mark.parametrize(("game", "slots", "_"), GAMES)
def test_sets_turn_into_slots_and_back(game: Any, slots: worlds.Slots, _: Any) -> None:
    for trump in range(4):
        for cards in (0, 1, game.DECK.all, game.DECK.all // 3):
            there = worlds.to_slots(cards, trump, slots.slot)
            assert cards_of(there, trump, slots) == cards


@pytest.mark.parametrize(("game", "slots", "open_position"), GAMES)
def test_positions_say_what_the_views_say(game: Any, slots: worlds.Slots, open_position: Any) -> None:
    views, positions = game.SPEC.new_games(1), worlds.new_positions()
    for games in testing.random_positions(game.SPEC, 3 if DISABLED else 8, seed=2):
        if games[0]["over"] != RUNNING or (game is euchre and games[0]["phase"] != euchre.PLAYING):
            continue
        game.SPEC.kernels.view(games, 0, int(games[0]["to_act"]), views, 0)
        open_position(views, 0, positions, 0)
        v, t = views[0], positions[0]
        trump = int(v["trump"])
        lead = [int(card) for card in v["trick"] if card]
        assert cards_of(int(t["hands"][0]), trump, slots) == v["hands"][0]
        assert cards_of(int(t["best"]), trump, slots) == (v["trick"][v["winner"]] if lead else 0)
        assert t["winner"] == v["winner"]
        led = slots.slot[trump, int(v["trick"][v["leader"]]).bit_length() - 1]
        assert t["led"] == (slots.same_suit[led] if lead else -1)
        absent = (int(v["maker"]) + 2) % 4 if game is euchre and v["alone"] else -1
        assert t["absent"] == absent
        assert t["left"] == (3 if absent >= 0 else 4) - len(lead)
        assert t["tricks"] == int(v["hands"][0]).bit_count()
        assert t["taken"] == v["tricks"][0] + v["tricks"][2]


@kernel
def draw_many(positions: Any, ways: Ints, ways_discarded: Ints, streams: Streams, out: Ints) -> None:
    for n in range(len(out)):
        worlds.deal_hidden(positions, 0, ways, ways_discarded, streams, 0)
        for k in range(3):
            out[n, k] = positions[0].hands[k + 1]


def drawn(game: Any, slots: worlds.Slots, open_position: Any, views: Games, n: int, seed: int) -> npt.NDArray[np.int64]:
    """The three other hands in ``n`` worlds, as card sets: int64 (n, 3)."""
    positions = worlds.new_positions()
    out = np.zeros((n, 3), np.int64)
    draw_many(positions, *open_position(views, 0, positions, 0), seed_streams(seed, 1), out)
    cards = np.zeros_like(out)
    for slot, card in enumerate(slots.card[int(views[0]["trump"])].tolist()):
        cards |= (out >> slot & 1) << max(card, 0)
    return cards


def redealt(game: Any, views: Games, n: int, seed: int) -> npt.NDArray[np.int64]:
    """The three other hands in ``n`` re-deals of the game's own."""
    games = game.SPEC.new_games(n)
    redeal_loop(game.SPEC.kernels)(views, n, seed_streams(seed, 1), games, 0, n)
    return games["hands"][:, 1:]


@pytest.mark.compiled
@pytest.mark.parametrize("name", ENDINGS)
def test_euchre_deals_are_as_frequent_as_the_states_with_them(name: str) -> None:
    line, seat, number = ENDINGS[name]
    deal = naive.read(f"euchre {line}")
    states = Counter(key_of(state, seat)[:3] for state in naive.consistent_states(deal, seat))
    views = euchre.SPEC.new_games(1)
    euchre.SPEC.kernels.view(euchre.SPEC.parse(f"euchre {line}"), 0, seat, views, 0)
    n = 8 * number + 3_000
    frequency = Counter(map(tuple, drawn(*EUCHRE, views, n, 0).tolist()))
    assert set(frequency) <= set(states), "an impossible deal was drawn"
    expected = np.array(list(states.values())) * n / number
    if len(states) > 1:
        assert chisquare([frequency[key] for key in states], expected).pvalue > 1e-4


@pytest.mark.compiled
@pytest.mark.parametrize(("moves", "shown_held", "voids", "viewer_deals"), POSITIONS)
def test_whist_deals_are_equally_frequent(moves: int, shown_held: bool, voids: int, viewer_deals: bool) -> None:
    games, _, seat, deals = position(moves, shown_held, voids, viewer_deals, seed=moves)
    views = whist.SPEC.new_games(1)
    whist.SPEC.kernels.view(games, 0, seat, views, 0)
    frequency = Counter(map(tuple, drawn(*WHIST, views, 20_000, moves).tolist()))
    allowed = [tuple(as_set(hand) for hand in hands) for hands in deals]
    assert set(frequency) <= set(allowed), whist.SPEC.text(games[0])
    assert chisquare([frequency[key] for key in allowed]).pvalue > 1e-4, whist.SPEC.text(games[0])


@pytest.mark.compiled
@pytest.mark.parametrize(("game", "slots", "open_position"), GAMES)
@pytest.mark.parametrize("opening", [True, False])
def test_cards_lie_where_the_games_own_redeals_put_them(
    game: Any, slots: worlds.Slots, open_position: Any, opening: bool
) -> None:
    """Too many deals to list: how often each seat has each card, against as many re-deals.

    The differences have at most the variance of two binomials: each of fewer than 9,000 lies above 5.5 standard deviations
    with a chance below 4e-8, all together below 4e-4.
    """
    n = 4_000
    views = game.SPEC.new_games(1)
    tried = 0
    for k, games in enumerate(testing.random_positions(game.SPEC, 60 if opening else 12, seed=5)):
        playing = games[0]["over"] == RUNNING and (game is whist or games[0]["phase"] == euchre.PLAYING)
        if not playing or opening != bool(games[0]["played"].max() == 0) or (not opening and k % 4):
            continue
        game.SPEC.kernels.view(games, 0, int(games[0]["to_act"]), views, 0)
        hands = np.stack([drawn(game, slots, open_position, views, n, k), redealt(game, views, n, k)])
        counts = (hands[..., None] >> np.arange(game.DECK.size) & 1).sum(1)
        chance = counts.sum(0) / (2 * n)
        deviation = (counts[0] - counts[1]) / np.sqrt(np.maximum(2 * n * chance * (1 - chance), 1e-9))
        assert np.abs(deviation).max() < 5.5, game.SPEC.text(games[0])
        assert (counts.sum(2) % n == 0).all(), "hands of the right size"
        tried += 1
        if tried == 12:
            break
    assert tried == 12
