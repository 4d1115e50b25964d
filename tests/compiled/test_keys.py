"""The key of a kernel: it changes with whatever is compiled in, and with nothing else."""

import ast
import enum
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from cardenvs import files, get_game
from cardenvs.compiled import jit
from cardenvs.compiled import keys as kernel_key
from cardenvs.compiled.keys import key_of, reach

pytestmark = pytest.mark.compiled

LOOPS = ("batch_step", "random_playouts")


def fresh(function: Any) -> str:
    """A function's key, whatever was known of it before."""
    kernel_key._own_digest.cache_clear()
    return key_of(function)


class Edited(ast.NodeTransformer):
    """The code of a file in which every function does something more, or, with ``words``, has another docstring."""

    def __init__(self, words: bool) -> None:
        self.words = words

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        if ast.get_docstring(node) is not None:
            first = ast.Expr(ast.Constant("Edited.")) if self.words else node.body[0]
            node.body = [first, *node.body[1:]]
        if not self.words:
            node.body = [*node.body[:1], *ast.parse("edited = 0").body, *node.body[1:]]
        return node


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """All functions' code in some code."""
    yield code
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            yield from codes(value)


def edited(path: str, words: bool) -> dict[str, types.CodeType]:
    """The code of the functions of a file, by qualified name, once it is edited and begins three lines further down."""
    tree = ast.fix_missing_locations(Edited(words).visit(ast.parse("\n\n\n" + Path(path).read_text("utf-8"))))
    return {code.co_qualname: code for code in codes(compile(tree, "elsewhere.py", "exec"))}


def of_file(functions: list[Any]) -> dict[str, list[Any]]:
    """Functions as Python has them, by their files; without those that are generated."""
    files: dict[str, list[Any]] = {}
    for function in functions:
        python = getattr(function, "py_func", function)
        if not python.__code__.co_filename.startswith("<"):
            files.setdefault(python.__code__.co_filename, []).append(python)
    return files


@pytest.fixture(scope="module", params=["euchre", "five-o"])
def kernels(request: pytest.FixtureRequest) -> list[Any]:
    """Loops over a game's kernels."""
    return [getattr(get_game(request.param).kernels, name) for name in LOOPS]


def test_an_edit_to_what_is_reached_changes_it_and_one_to_words_does_not(kernels: list[Any]) -> None:
    for kernel in kernels:
        before, tried, files = fresh(kernel), 0, of_file(reach(kernel))
        for path, functions in files.items():
            worded, changed = edited(path, words=True), edited(path, words=False)
            for function in functions:
                code = function.__code__
                if code.co_qualname not in changed or changed[code.co_qualname].co_freevars != code.co_freevars:
                    continue  # made by a function that has others in it
                try:
                    function.__code__ = worded[code.co_qualname]
                    assert fresh(kernel) == before, code.co_qualname
                    function.__code__ = changed[code.co_qualname]
                    assert fresh(kernel) != before, code.co_qualname
                finally:
                    function.__code__ = code
                tried += 1
        assert tried > 0.8 * sum(map(len, files.values())) > 9 and fresh(kernel) == before


def test_an_edit_to_a_number_that_is_used_changes_it(kernels: list[Any]) -> None:
    for kernel in kernels:
        before, numbers = fresh(kernel), 0
        for functions in of_file(reach(kernel)).values():
            for function in functions:
                names = function.__globals__
                for name, *_ in set(kernel_key._global_paths(function.__code__, names)):
                    value = names.get(name)
                    if type(value) is int:
                        names[name] = value + 1
                        assert fresh(kernel) != before, name
                        names[name] = value
                        numbers += 1
        assert numbers > 2 and fresh(kernel) == before


class Colour(enum.IntEnum):
    RED = 1


class Pair(NamedTuple):
    one: Any
    other: Any


def using(value: Any) -> Any:
    """A function that closes over a value."""

    def function() -> Any:
        return value

    return function


def test_values_are_told_apart() -> None:
    values = [
        1, 2, True, 1.0, np.int64(1), np.int32(1), "1", b"1", None, (1,), (1, 2), (1, (2,)), [1], frozenset({1}), Pair,
        Pair(1, 2), Colour.RED, Colour, np.arange(3), np.arange(4), np.arange(3.0), np.arange(6).reshape(2, 3),
        np.dtype("i8"),
        np.dtype([("a", "i1"), ("b", "i8")]), np.dtype([("a", "i1"), ("b", "i8")], align=True), np, np.int64, np.sum, len,
        {"a": 1}, {"a": 2}, using(1), using(2), jit.kernel(using(1)), jit.helper(using(1)), jit.unrolled(using(1)),
    ]  # fmt: skip
    keys = [key_of(using(value)) for value in values]
    assert len(set(keys)) == len(values)
    assert keys[18] == key_of(using(np.arange(3)))


def test_functions_that_call_each_other_have_keys() -> None:
    def one() -> Any:
        return other

    def other() -> Any:
        return one

    def third() -> Any:
        return one

    assert len({key_of(function) for function in (one, other, third)}) == 3


@pytest.mark.parametrize("value", [object(), np.array([object()]), {1: object()}])
def test_what_cannot_be_told_from_others_is_named(value: Any) -> None:
    with pytest.raises(
        TypeError, match=r"using.<locals>.function is compiled, and cannot be told from others by its value"
    ):
        key_of(using(value))


@numba.vectorize
def vectorized(value: Any) -> Any:
    return value + 1


class Odd:
    pass


@pytest.mark.parametrize("value", [vectorized, Odd, using(1)])
def test_others_code_that_numba_compiles_out_of_sight_is_named(value: Any) -> None:
    with pytest.raises(TypeError, match="is compiled, and cannot be told from others by its value: "):
        key_of(jit.kernel(using(value)))


def test_what_is_not_there_yet_is_left_to_numba() -> None:
    def kernel() -> Any:
        return later, np.no_such_thing, sys.no_such_thing, files.no_such_thing

    assert key_of(jit.kernel(kernel))
    later = 1
    assert later
