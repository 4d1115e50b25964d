"""The search of Five-O's last row against a naive recursion over all cards that may come."""

import numpy as np
import pytest

from cardenvs.baselines.search.five_o import last_row as five_o_last_row
from cardenvs.baselines.search.five_o.last_row import fill_last_row

pytestmark = pytest.mark.compiled


def win(p: list[float]) -> float:
    won = [1.0]  # chances of 0, 1, ... columns
    for x in p:
        won = [a * (1 - x) + b * x for a, b in zip([*won, 0.0], [0.0, *won], strict=True)]
    return sum(won[3:])


def fill(chances: np.ndarray, card: int, cards: list[int], columns: list[int], p: list[float]) -> dict[int, float]:
    """Naive: the chance to win after ``card`` goes into each open column and the rest of ``cards`` come at random."""
    wins = {}
    for k in columns:
        after = [float(chances[card, k]) if j == k else p[j] for j in range(5)]
        left = [j for j in columns if j != k]
        if not left:
            wins[k] = win(after)
            continue
        each = [fill(chances, other, [c for c in cards if c != other], left, after) for other in cards]
        wins[k] = sum(max(ways.values()) for ways in each) / len(each)
    return wins


def searched(chances: np.ndarray, columns: list[int], p: list[float]) -> np.ndarray:
    wins = np.empty(5)
    fill_last_row(chances, len(chances), sum(1 << k for k in columns), np.array(p), wins)
    return wins


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_card_that_may_come_is_tried(size: int) -> None:
    generator = np.random.default_rng(size)
    for _ in range(20):
        chances = generator.random((6, 5))
        columns = sorted(int(k) for k in generator.permutation(5)[:size])
        p = [float(x) for x in generator.random(5)]
        wanted = fill(chances, 0, [1, 2, 3, 4, 5], columns, p)
        wins = searched(chances, columns, p)
        assert wins == pytest.approx([wanted.get(k, 0.0) for k in range(5)], abs=1e-9)


@pytest.mark.slow
def test_in_an_empty_row_some_cards_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(7)
    columns = [0, 1, 2, 3, 4]
    # Nothing can go wrong where all cards are alike.
    chances = np.tile(generator.random(5), (12, 1))
    chances[0] = generator.random(5)
    assert searched(chances, columns, [0.0] * 5) == pytest.approx(
        [fill(chances[:6], 0, [1, 2, 3, 4, 5], columns, [0.0] * 5)[k] for k in columns], abs=1e-9
    )
    # In order of their worth, a few come close to all of them, and mostly to the same choice.
    errors, same = [], 0
    for _ in range(12):
        chances = generator.random((7, 5))
        chances[1:] = chances[1 + np.argsort(chances[1:].sum(1))]
        wanted = fill(chances, 0, [1, 2, 3, 4, 5, 6], columns, [0.0] * 5)
        wins = searched(chances, columns, [0.0] * 5)
        errors.append(wins - [wanted[k] for k in columns])
        same += wins.argmax() == max(wanted, key=lambda k: wanted[k])
    assert five_o_last_row.TRIED < 6
    assert np.abs(np.mean(errors)) < 0.02 and np.std(errors) < 0.05
    assert same >= 8
