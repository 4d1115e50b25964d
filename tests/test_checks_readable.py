"""What objects say of themselves: in a line or in a few, without arrays and without numbers of sixteen digits."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from cardenvs import Batch, SeatEnv, SeatVectorEnv, euchre_v0, get_game, policy
from cardenvs.baselines import Interval, evaluate, play_deals, play_match
from cardenvs.checks import Readable, brief, call_text


@dataclass(repr=False)
class Kept(Readable):
    share: float
    rows: Any = field(default_factory=lambda: np.zeros((3, 2), np.int8))
    names: tuple[str, ...] = tuple("abcdefgh")


def test_values_in_a_few_words() -> None:
    assert brief(1 / 3) == "0.3333" and brief([1, 2.0, "x"]) == "[1, 2, 'x']" and brief({"a": 0.25}) == "{'a': 0.25}"
    assert len(brief("x" * 500)) == 200
    assert call_text("Batch", "euchre", n=4) == "Batch('euchre', n=4)"
    assert repr(Kept(2 / 3)) == "Kept(share=0.6667, rows=<int8 (3, 2)>, names=<8 entries>)"
    assert str(Kept(2 / 3)) == "Kept\n  share  0.6667\n  rows   <int8 (3, 2)>\n  names  <8 entries>"


def test_intervals() -> None:
    one = Interval(0.94512345, 0.8203828, 1.0696171)
    assert f"{one}" == "+0.945 ±0.125" and repr(one) == "Interval(mean=0.9451, low=0.8204, high=1.07)"
    assert str(Interval(-0.5, -np.inf, np.inf)) == "-0.500"


def test_results() -> None:
    result = play_match("euchre", "high", "random", deals=20, seed=1)
    told = str(result).splitlines()
    assert told[0].startswith("Euchre, duplicate: 40 games, seed 1 (bidding full, ")
    assert told[2].replace("┃", "").split() == ["high", "random"]
    assert "57.5 ±15.0 │    42.5 ±15.0" in told[4] and "points a deal above the other (95%) │ +0.500 ±0.696" in told[8]
    assert repr(result).startswith(
        "MatchResult(games_won=[23, 17], win_rate=Interval(mean=0.575, low=0.425, high=0.7117), "
    )
    told = repr(play_deals("euchre", "high", "random", range(20)))
    assert told.startswith("DealResults(points=<int64 (20, 2, 2)>, ") and len(told) < 400
    evaluated = evaluate("euchre", "high", ["random", "low"], deals=10, seed=1, self_check=False)
    told = str(evaluated).splitlines()
    assert told[0] == "high in Euchre" and "opponent" in told[4]
    assert [line.split()[1:4:2] for line in told[6:8]] == [["random", "10"], ["low", "10"]]


def test_environments_policies_and_games() -> None:
    assert repr(Batch("euchre", 4, target=5)) == "Batch('euchre', n=4, target=5)"
    env = SeatEnv("euchre", seat=2, opponents=["high", "low"], target=5)
    assert repr(env) == str(env) == "SeatEnv('euchre', seat=2, others=['high', 'low'], target=5)"
    assert repr(copy.deepcopy(env)) == repr(env)
    assert "SeatEnv('euchre', seat=0" in repr(gymnasium.make("cardenvs/EuchreSeat-v0"))
    vector = SeatVectorEnv("euchre", 3)
    assert repr(vector) == "SeatVectorEnv('euchre', num_envs=3, autoreset_mode='SameStep', seat=0, others=['random'])"
    assert repr(euchre_v0.raw_env(target=5)) == "CardEnv('euchre', illegal='raise', target=5)"
    assert "euchre_v0" in str(euchre_v0.env()) and "euchre_v0" in str(euchre_v0.parallel_env())
    assert repr(policy.make("euchre", "split:calls=low")) == "<policy split:calls=low for euchre>"
    assert repr(get_game("euchre").recalling) == "GameSpec('euchre', seats=4, actions=35, observed=921, recall=True)"
