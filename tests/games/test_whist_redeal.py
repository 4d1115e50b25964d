"""Re-deals of Whist against full enumeration: the same deals, each as often as the others.

Each chi-square test would fail for one fresh seed in 10,000; the seeds are fixed, so none fails by chance.
"""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import seed_streams
from cardenvs.games.whist import SPEC
from tests.helpers.hidden_cards import POSITIONS, as_set, position

pytestmark = pytest.mark.compiled


@kernel
def draw(views, games, streams, out):  # type: ignore[no-untyped-def]
    """Writes the other hands of ``len(out)`` re-deals of the view to ``out`` (n, 3)."""
    for n in range(len(out)):
        redeal(views, 0, streams, 0, games, 0)
        for k in range(3):
            out[n, k] = games[0].hands[k + 1]


redeal = SPEC.kernels.redeal


@pytest.mark.parametrize(("moves", "shown_held", "voids", "viewer_deals"), POSITIONS)
def test_w21_redeals_are_uniform(moves: int, shown_held: bool, voids: int, viewer_deals: bool) -> None:
    games, deal, seat, deals = position(moves, shown_held, voids, viewer_deals, seed=moves)
    views, dealt = SPEC.new_games(1), SPEC.new_games(1)
    SPEC.kernels.view(games, 0, seat, views, 0)
    out = np.zeros((20_000, 3), np.int64)
    draw(views, dealt, seed_streams(moves, 1), out)
    allowed = {tuple(as_set(hand) for hand in hands): 0 for hands in deals}
    drawn = Counter(map(tuple, out.tolist()))
    assert set(drawn) <= set(allowed), SPEC.text(games[0])
    assert tuple(as_set(deal.hands[(seat + k) % 4]) for k in (1, 2, 3)) in allowed
    frequencies = list((allowed | drawn).values())
    assert stats.chisquare(frequencies).pvalue > 1e-4, SPEC.text(games[0])


@pytest.mark.parametrize("voids", [0, 2])
@pytest.mark.parametrize("shown_held", [True, False])
def test_w21_redeals_are_consistent(shown_held: bool, voids: int) -> None:
    streams = seed_streams(7, 1)
    for seed in range(20):
        games, _, seat, deals = position(44, shown_held, voids, False, seed)
        allowed = {tuple(as_set(hand) for hand in hands) for hands in deals}
        views, dealt = SPEC.new_games(1), SPEC.new_games(1)
        SPEC.kernels.view(games, 0, seat, views, 0)
        for _ in range(20):
            SPEC.kernels.redeal(views, 0, streams, 0, dealt, 0)
            assert tuple(int(hand) for hand in dealt[0]["hands"][1:]) in allowed
            assert dealt[0]["hands"][0] == games[0]["hands"][seat]


def test_w21_first_trick() -> None:
    """With all cards out, each seat gets each unseen card as often as it should, the shown one only with the dealer."""
    n = 30_000
    for seat in range(4):
        games = SPEC.parse(SPEC.text(SPEC.deal(21 + seat)[0]))
        dealer = (int(games[0]["dealer"]) - seat) % 4
        shown = int(games[0]["shown"])
        views, dealt = SPEC.new_games(1), SPEC.new_games(1)
        SPEC.kernels.view(games, 0, seat, views, 0)
        out = np.zeros((n, 3), np.int64)
        draw(views, dealt, seed_streams(seat, 1), out)
        held = np.array([[(out[:, k] >> card & 1).sum() for card in range(52)] for k in range(3)])
        unseen = [card for card in range(52) if not int(games[0]["hands"][seat]) >> card & 1]
        if dealer:
            assert ((out[:, dealer - 1] & shown) == shown).all()
            unseen.remove(shown.bit_length() - 1)
        assert held[:, unseen].sum() == n * len(unseen)
        free = np.array([13 - (k + 1 == dealer) for k in range(3)])
        chance = free / len(unseen)
        # Each count is binomial; 117 or 114 of them at 5.5 standard deviations: about 4 false alarms in a million.
        deviation = np.abs(held[:, unseen] - n * chance[:, None]) / np.sqrt(n * chance * (1 - chance))[:, None]
        assert deviation.max() < 5.5
