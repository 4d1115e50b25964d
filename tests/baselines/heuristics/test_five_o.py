"""The reflex and greedy agents for Five-O: they choose what the naive versions find best."""

import numpy as np
import pytest

from cardenvs import get_game, policy, testing
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.cards import FULL_DECK
from cardenvs.contract.loops import RUNNING
from tests.helpers.positions import rows_of
from tests.naive import five_o_agents as naive

pytestmark = pytest.mark.compiled

SPEC = get_game("five-o")
AGENTS = ("reflex1", "reflex2", "reflex3", "greedy1", "greedy1-published", "greedy2", "fast-greedy2")


@pytest.mark.parametrize("name", AGENTS)
def test_chooses_what_the_naive_version_finds_best(name):
    player = policy.make("five-o", name)
    tried = 0
    for hidden_rows in (1, 0, 4):
        for games in testing.random_positions(SPEC, 2, seed=hidden_rows, hidden_rows=hidden_rows):
            if games[0]["over"] != RUNNING:
                continue
            row, mask = rows_of(SPEC, games)
            expected = naive.scores(name, naive.deal_of(games[0]))
            scores = player.scores(row, mask, seed_streams(0, 1))[0]
            assert sorted(expected) == np.flatnonzero(~np.isnan(scores)).tolist() == np.flatnonzero(mask[0]).tolist()
            for k, score in expected.items():
                assert scores[k] == pytest.approx(score, rel=1e-9, abs=1e-9), SPEC.text(games[0])
            chosen = int(player.act(row, mask, seed_streams(0, 1))[0])
            assert expected[chosen] >= max(expected.values()) - 1e-9, SPEC.text(games[0])
            tried += 1
    assert tried == 240


def position(own, other, card, hidden_rows=1):
    """The position in which player 0 is to place ``card`` on columns of equal length, which all lie in the order given."""
    sides = [[FULL_DECK.parse(column) for column in columns.split()] for columns in (own, other)]
    rows = len(sides[0][0])
    assert all(len(column) == rows for columns in sides for column in columns)
    cards = [column[0] for columns in sides for column in columns]
    cards += [columns[k][row] for row in range(1, rows) for k in range(5) for columns in sides]
    cards.append(FULL_DECK.card(card))
    cards += [k for k in range(52) if k not in cards]
    assert sorted(cards) == list(range(52))
    first = "/".join(FULL_DECK.format(cards[start : start + 5]) for start in (0, 5))
    actions = ",".join(f"column-{k + 1},column-{k + 1}" for _ in range(1, rows) for k in range(5))
    line = f"five-o hidden_rows={hidden_rows} columns={first} deck={FULL_DECK.format(cards[10:])}"
    return SPEC.parse(line + (f" actions={actions}" if actions else ""))


def choice(name, games):
    row, mask = rows_of(SPEC, games)
    return SPEC.actions[int(policy.make("five-o", name).act(row, mask, seed_streams(0, 1))[0])]


def test_greedy1_leaves_a_straight_for_a_pair():
    """A finished straight gains 0.4 in its count, a pair 4: the real values rank them the other way round."""
    games = position(
        "6c7d8hTs 2c4d9cKh 3c5dJhQs 2d6hJcKs 3h5s8dQd", "2h6dTdJs 2s7hQhAc 4c7cJdKd 3d5hTcAd 4h8sKcAh", "9s", hidden_rows=0
    )
    assert choice("greedy1", games) == "column-2"
    for name in ("reflex1", "reflex2", "reflex3", "greedy2", "fast-greedy2"):
        assert choice(name, games) == "column-1", name


def test_greedy1_as_published_does_not_see_pairs():
    """The king goes to the queen of its suit instead of to a king."""
    games = position("Kh Qd 7c 5s 2h", "Jc Js 9h 8h 4c", "Kd")
    assert choice("greedy1-published", games) == "column-2"
    for name in AGENTS:
        if name != "greedy1-published":
            assert choice(name, games) == "column-1", name


def test_reflex1_alone_minds_the_other_side():
    """It does not pair its king where the other has two aces."""
    games = position("Kh3c 7d2s 9c4d 8s5h Tc6h", "AcAs 2d4h 5c7c 3d6s Jd8h", "Kd")
    assert choice("reflex1", games) != "column-1"
    assert choice("reflex2", games) == choice("reflex3", games) == "column-1"


def test_equal_columns_are_chosen_among_at_random():
    """Two queens to pair with the third, nothing else between them."""
    games = position("Qc Qd 7h 5s 2h", "Jc Jd 9h 8h 4s", "Qs")
    row, mask = rows_of(SPEC, games)
    for name in ("reflex2", "reflex3", "greedy1", "greedy2", "fast-greedy2"):
        n = 2_000
        chosen = policy.make("five-o", name).act(np.repeat(row, n, 0), np.repeat(mask, n, 0), seed_streams(3, n))
        counts = np.bincount(chosen, minlength=5)
        # 1,000 each; five standard deviations are 112.
        assert abs(counts[:2] - 1_000).max() < 112 and counts.sum() == n, name


def test_explains_its_choice():
    games = position("Kh Qd 7c 5s 2h", "Jc Js 9h 8h 4c", "Kd")
    row, mask = rows_of(SPEC, games)
    observation = {"observation": row[0], "action_mask": mask[0]}
    explained = policy.make("five-o", "reflex2").explain(observation, np.random.default_rng(0))
    assert explained[0][0] == "column-1"
    worths = [score for _, score in explained]
    assert len(worths) == 5 and worths == sorted(worths, reverse=True) and worths[0] > 1_000


def test_plays_five_o_only():
    for name in AGENTS:
        assert name in policy.names("five-o")
        assert name not in policy.names("whist")
        cls = type(policy.make("five-o", name))
        with pytest.raises(ValueError, match="plays five-o, not whist"):
            cls("whist")
