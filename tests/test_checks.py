"""What Python passes in (ints, numbers in bounds), names that are nearly right, and what objects say of themselves."""

import copy
import math
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
import pytest

from cardenvs import Batch, SeatEnv, SeatVectorEnv, euchre_v0, get_game, policy
from cardenvs.baselines import evaluate, play_deals, play_match
from cardenvs.checks import (
    Readable,
    brief,
    call_text,
    check_choice,
    check_int,
    check_number,
    did_you_mean,
    is_int,
    is_number,
)
from cardenvs.contract.observed import check_rows


@pytest.mark.parametrize("value", [0, -3, np.int8(4), np.uint64(5)])
def test_ints(value: Any) -> None:
    assert is_int(value) and is_number(value)
    assert type(check_int("n", value, -3)) is int


@pytest.mark.parametrize("value", [1.0, np.float32(2), math.inf, math.nan])
def test_numbers_that_are_no_ints(value: Any) -> None:
    assert is_number(value) and not is_int(value)


@pytest.mark.parametrize("value", [True, np.True_, "1", None, [1]])
def test_neither(value: Any) -> None:
    assert not is_number(value) and not is_int(value)


@pytest.mark.parametrize(
    ("value", "least", "most", "message"),
    [
        (0, 1, None, "n must be an int of at least 1, not 0"),
        (True, 1, None, "n must be an int of at least 1, not True"),
        (1.0, 1, None, "n must be an int of at least 1, not 1.0"),
        (14, 0, 13, "n must be an int from 0 to 13, not 14"),
        ("2", 0, 13, "n must be an int from 0 to 13, not '2'"),
    ],
)
def test_ints_out_of_bounds(value: Any, least: int, most: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_int("n", value, least, most)


@pytest.mark.parametrize(
    ("value", "bounds", "message"),
    [
        (-0.5, {}, "x must be a number of at least 0, not -0.5"),
        (math.inf, {}, "x must be a number of at least 0, not inf"),
        (math.nan, {}, "x must be a number of at least 0, not nan"),
        (0, {"above": True}, "x must be a number above 0, not 0"),
        (1.5, {"high": 1}, "x must be a number of at least 0 and at most 1, not 1.5"),
        ("many", {}, "x must be a number of at least 0, not 'many'"),
    ],
)
def test_numbers_out_of_bounds(value: Any, bounds: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_number("x", value, **bounds)


def test_numbers_within_bounds_are_floats() -> None:
    assert type(check_number("x", 0)) is float
    assert check_number("x", np.float32(0.5), 0.25, 0.5) == 0.5


def test_choices() -> None:
    check_choice("how", "eval", {"eval": 0, "current": 1})
    with pytest.raises(ValueError, match="how must be one of 'eval', 'current', not 'by luck'"):
        check_choice("how", "by luck", ("eval", "current"))


def test_rows() -> None:
    game = get_game("euchre")
    batch = Batch(game, 1, seed=0)
    rows, masks = check_rows(game, batch.observations.tolist(), batch.action_masks.astype(float))
    assert rows.dtype == masks.dtype == np.int8 and (masks == batch.action_masks).all()


# --- names that are nearly right: the message says what was probably meant, at its end ---


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("hybird", ". Did you mean hybrid?"),
        ("Hybrid", ". Did you mean hybrid?"),
        ("monte_carlo", ". Did you mean monte-carlo?"),
        ("zzz", ""),
        ("", ""),
        (None, ""),
        (3, ""),
    ],
)
def test_the_nearest_name_is_told(name, meant):
    assert did_you_mean(name, ["hybrid", "random", "monte-carlo"]) == meant


# --- what objects say of themselves: in a line or in a few, without arrays and without numbers of sixteen digits ---


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
