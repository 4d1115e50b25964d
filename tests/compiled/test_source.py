"""What compiled functions may not say, since numba compiles seconds of its own library for it."""

import ast
from collections.abc import Iterator

import pytest

from tests.helpers.paths import ROOT

DECORATORS = {"kernel", "helper", "unrolled", "inlined", "closure", "_closure"}
ARRAYS = ("Ints", "Floats", "Bytes", "Streams", "NDArray")
"""Words in the annotations of arguments that are arrays."""
MAKERS = {"np.zeros", "np.empty", "np.ones", "np.full", "np.arange", "np.zeros_like", "np.empty_like"}


def is_compiled(function: ast.FunctionDef) -> bool:
    """Whether a function carries one of the decorators of `cardenvs.compiled.jit`."""
    named = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    return any((one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")) in DECORATORS for one in named)


def arrays_of(function: ast.FunctionDef) -> set[str]:
    """The names in a function that are known to be arrays."""
    names = {
        one.arg for one in function.args.args if one.annotation and any(w in ast.unparse(one.annotation) for w in ARRAYS)
    }
    for one in ast.walk(function):
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and ast.unparse(one.value.func) in MAKERS:
            names |= {target.id for target in one.targets if isinstance(target, ast.Name)}
    return names


def is_constant(value: ast.expr) -> bool:
    """Whether a value is a number that stands in the source, its sign or a type around it aside."""
    if isinstance(value, ast.UnaryOp):
        return is_constant(value.operand)
    if isinstance(value, ast.Call) and ast.unparse(value.func).startswith("np."):
        return all(map(is_constant, value.args))
    return isinstance(value, ast.Constant)


def whole_arrays(source: str) -> Iterator[str]:
    """The statements in compiled functions of a source that write a whole array from another."""
    for function in ast.walk(ast.parse(source)):
        if not (isinstance(function, ast.FunctionDef) and is_compiled(function)):
            continue
        arrays = arrays_of(function)
        for one in ast.walk(function):
            if not isinstance(one, (ast.Assign, ast.AugAssign)) or is_constant(one.value):
                continue
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                sliced = isinstance(target, ast.Subscript) and any(isinstance(k, ast.Slice) for k in ast.walk(target.slice))
                added = isinstance(one, ast.AugAssign) and isinstance(target, ast.Name) and target.id in arrays
                if sliced or added:
                    yield f"line {one.lineno}: {ast.unparse(one)}"


@pytest.mark.parametrize(
    "line", ["out[:] = rows", "out[1:3] = rows[0]", "out[0, :] = x", "out += rows", "here[:2] += rows", "out[:] = f(1)"]
)
def test_whole_arrays_are_found(line):
    assert [*whole_arrays(f"@kernel\ndef f(out: Ints, rows: Ints, x):\n    here = np.zeros(3)\n    {line}\n")]
    assert not [*whole_arrays(f"def f(out: Ints, rows: Ints, x):\n    {line}\n")]


@pytest.mark.parametrize("line", ["out[:] = -1", "out[0] = x", "x += 1", "out[0] += x", "out[:] = np.float32(0.0)"])
def test_numbers_and_single_entries_are_none(line):
    assert not [*whole_arrays(f"@helper\ndef f(out: Ints, rows: Ints, x):\n    {line}\n")]


@pytest.mark.parametrize("room", ["cardenvs", "baselines", "train"])
def test_no_compiled_function_writes_a_whole_array_from_another(room):
    found = [f"{path}: {line}" for path in (ROOT / room).rglob("*.py") for line in whole_arrays(path.read_text("utf-8"))]
    assert not found, "`cardenvs.compiled.bits.overwrite` does it entry by entry: " + "; ".join(found)
