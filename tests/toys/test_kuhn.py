"""Kuhn poker: all of it against the slow version in `naive.kuhn`, and its value."""

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from tests.helpers.positions import view_of
from tests.naive import kuhn as naive
from tests.toys.cfr import Solver
from tests.toys.kuhn import ACTIONS, CARDS, SPEC

DEALS = ["".join(cards) for cards in itertools.permutations(CARDS, 2)]
BETTING = ["", "p", "b", "pp", "bp", "bb", "pb", "pbp", "pbb"]
NAMES = {"p": "pass", "b": "bet"}


def positions() -> Iterator[tuple[Games, naive.Deal]]:
    """Every position of every deal."""
    for cards in DEALS:
        for betting in BETTING:
            actions = ",".join(NAMES[what] for what in betting)
            yield SPEC.parse(f"kuhn cards={cards} actions={actions}"), naive.Deal(list(cards), betting)


def test_every_position_is_as_in_the_slow_version() -> None:
    for games, deal in positions():
        assert bool(games[0]["over"] != RUNNING) == deal.over
        assert SPEC.legal_names(SPEC.legal(games)) == (", ".join(NAMES[what] for what in deal.legal) or "none")
        if deal.over:
            outcome = SPEC.outcome(games)
            assert outcome.points == tuple(max(gain, 0) for gain in deal.gains)
            assert outcome.winners == (deal.gains.index(max(deal.gains)),)
        else:
            assert games[0]["to_act"] == deal.seat
        for seat in (0, 1):
            v = view_of(SPEC.recalling, games, seat)[0]
            known = (
                CARDS[v["cards"][0] - 1],
                CARDS[v["cards"][1] - 1] if v["cards"][1] else "",
                "".join(ACTIONS[action][0] for action in v["history"][: v["moves"]]),
            )
            assert known == deal.knows(seat)
            assert v["first"] == seat


def test_redeals_are_all_deals_that_are_possible_and_each_as_often() -> None:
    """Each chi-square test would fail for one fresh seed in 10,000."""
    streams = seed_streams(5, 1)
    dealt = SPEC.new_games(1)
    for games, deal in positions():
        for seat in (0, 1):
            views = view_of(SPEC.recalling, games, seat)
            drawn: Counter[str] = Counter()
            for number in range(200):
                SPEC.kernels.redeal(views, 0, streams, 0, dealt, 0)
                drawn["".join(CARDS[dealt[0]["cards"][(k - seat) % 2] - 1] for k in (0, 1))] += 1
                assert number >= 10 or SPEC.parse(SPEC.text(dealt[0]))[0] == dealt[0]
            possible = ["".join(cards) for cards in deal.deals(seat)]
            assert "".join(deal.cards) in possible
            assert sorted(drawn) == sorted(possible)
            assert len(possible) == 1 or stats.chisquare(list(drawn.values())).pvalue > 1e-4


@pytest.mark.slow
def test_what_passes_flaw_is_what_can_be() -> None:
    """Of all records with small numbers, states and views pass, with their history or with none, and nothing else."""
    for whole in (True, False):
        possible = set()
        for games, _ in positions():
            for seat in (0, 1):
                # A state may have either seat as the first: re-deals for the second seat have.
                views = view_of(SPEC, games, seat)
                if whole:
                    views[0]["cards"][1] = games[0]["cards"][1 - seat]
                possible.add(views[0].tobytes())
                views[0]["moves"] = 0
                views[0]["history"] = 0
                possible.add(views[0].tobytes())
        ranges = {
            "first": [-1, 0, 1, 2],
            "own": [0, 1, 2, 3, 4],
            "other": [-1, 0, 1, 2, 3, 4],
            "mine": [0, 1, 2, 3],
            "theirs": [1, 2],
            "passed": [0, 1, 2],
            "to_act": [-2, -1, 0, 1, 2],
            "over": [0, 1, 2, 3],
            "acts": [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0), (2, 0, 1, 0), (2, 1, 1, 0), (2, 0, 0, 0), (2, 1, 0, 0),
                     (3, 0, 1, 0), (3, 0, 1, 1), (3, 1, 1, 1), (1, 2, 0, 0), (4, 0, 1, 1), (-1, 0, 0, 0), (1, 0, 1, 0),
                     (0, 1, 0, 0)],
        }  # fmt: skip
        combined = list(itertools.product(*ranges.values()))
        records = SPEC.new_games(len(combined))
        columns = [np.array(column) for column in zip(*combined, strict=True)]
        for name, column in zip(("first", "passed", "to_act", "over"), (columns[0], *columns[5:8]), strict=True):
            records[name] = column
        records["cards"] = np.stack(columns[1:3], 1)
        records["chips"] = np.stack(columns[3:5], 1)
        records["moves"], records["history"] = columns[8][:, 0], columns[8][:, 1:]
        passed = set()
        where = np.zeros(2, np.int64)
        start = 0
        while start < len(records):
            # What passes goes on to the next flaw.
            flawed = SPEC.kernels.first_flaw(records[start:], whole, where)
            stop = start + int(where[0]) if flawed else len(records)
            for k in range(start, stop):
                records[k]["history"][records[k]["moves"] :] = 0  # what stands behind the moves is not looked at
                passed.add(records[k].tobytes())
            start = stop + 1
        assert passed == possible


def test_the_value_of_kuhn_poker() -> None:
    """For the first seat -1/18; no strategy of either side gets much more than that against what is found."""
    solver = Solver(SPEC, [SPEC.parse(f"kuhn cards={cards}") for cards in DEALS])
    assert len(solver.known) == 12
    solver.run(400)
    assert solver.value() == pytest.approx(-1 / 18, abs=0.001)
    assert -1 / 18 - 1e-9 <= solver.best_response(0) < -1 / 18 + 0.01
    assert 1 / 18 - 1e-9 <= solver.best_response(1) < 1 / 18 + 0.01
    # A jack never calls a bet, a king always does.
    for (_, row), known in solver.known.items():
        observation = np.frombuffer(row, np.int8)
        lit = SPEC.recalling.describe(observation).splitlines()
        facing = any(line.split() == ["bet", "seat+1"] for line in lit)
        if facing and any(line.split() == ["card", "J"] for line in lit):
            assert known.average[1] < 1e-3
        if facing and any(line.split() == ["card", "K"] for line in lit):
            assert known.average[1] > 1 - 1e-3
