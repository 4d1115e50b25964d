"""Sources of described games' observation parts, written, read and checked like slow ones."""

import numpy as np
import pytest

from cardenvs.compiled.jit import as_records
from cardenvs.contract.fields import Part
from cardenvs.contract.layout import Layout
from cardenvs.contract.sources import FieldSource
from cardenvs.recycle.compiler.sources import Listed, Signed, Words

RECORD = np.dtype([("number", np.int64), ("words", np.int64, (2,))], align=True)
LONG = (*range(-40, 40), 100, 200, 201)


@pytest.mark.parametrize(
    ("source", "size", "shown", "wrong"),
    [
        (Signed("number"), 6, {5: [1, 0, 1, 0, 0, 0], 0: [0] * 6, -1: [1] * 6, -32: [0] * 5 + [1]}, [32, -33]),
        (Listed("number", values=(0, 3, 4, 9)), 4, {0: [1, 0, 0, 0], 4: [0, 0, 1, 0], 9: [0, 0, 0, 1]}, [1, -1, 10]),
        (Listed("number", values=(1, 3), none=0), 2, {0: [0, 0], 1: [1, 0], 3: [0, 1]}, [2, -1]),
        (Listed("number", values=LONG), 83, {value: [int(value == k) for k in LONG] for value in LONG}, [40, 202]),
        (Words("words", bits=63), 65, {(1 << 62, 2): [0] * 62 + [1, 0, 1], (1, 1): [1] + [0] * 62 + [1, 0]}, [(0, 4)]),
    ],
)
def test_numbers_are_shown_and_read(source: FieldSource, size: int, shown: dict, wrong: list) -> None:
    parts = (Part("rest", ("a",), "without a source"), Part("shown", tuple(map(str, range(size))), "", source=source))
    layout = Layout("shown", RECORD, parts, ranges=None)
    module = "tests.recycle.test_sources"
    observe, decode, bounds = layout.observe_kernel(module), layout.decode_kernel(module), layout.range_kernel(module)
    for value, entries in shown.items():
        games, again, rows = np.zeros(1, RECORD), np.zeros(1, RECORD), np.zeros((1, size + 1), np.int8)
        games[source.field] = value
        observe(as_records(games), 0, rows, 0)
        decode(rows, 0, as_records(again), 0)
        assert rows[0].tolist() == [0, *entries] and again[0] == games[0]
        assert bounds(as_records(games), 0, False) == -1
    for value in wrong:
        games[source.field] = value
        assert bounds(as_records(games), 0, False) == 1
