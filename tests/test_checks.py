"""What Python passes in: which numbers are ints, which are within bounds, what the messages say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardenvs.checks import check_choice, check_int, check_number, is_int, is_number
from cardenvs.contract.observed import check_rows
from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch


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
    with pytest.raises(ValueError, match=r"observations of euchre have the shape \(n, \d+\), not \(1, 3\)"):
        check_rows(game, [[0] * 3], masks)
    with pytest.raises(ValueError, match=r"action_masks of euchre have the shape \(n, 35\), not \(2, 35\)"):
        check_rows(game, rows, np.repeat(masks, 2, axis=0))
    with pytest.raises(ValueError, match="a row without a legal action"):
        check_rows(game, rows, masks * 0)
