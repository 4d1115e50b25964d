"""Fuzzing of compiled games: mutated descriptions play as the naive interpreter plays them, the same errors included.

Each game is compiled anew, which numba takes seconds for: with ``NUMBA_DISABLE_JIT=1`` the same code runs as plain Python.
``NUMBA_CACHE_DIR`` says where the modules of all these games are kept.
"""

import random
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.spec import GameSpec
from cardenvs.recycle import Description, RecycleError, parse
from cardenvs.recycle.game import compiled
from tests.fuzz.descriptions import MOST_DECISIONS, mutated_description
from tests.fuzz.running import told
from tests.helpers.twins import SplitMix, Twins
from tests.naive import recycle as naive

Value = TypeVar("Value")


def outcome(call: Callable[[], Value]) -> tuple[Value | None, RecycleError | None]:
    """What a call returns, or how a game refuses it."""
    try:
        return call(), None
    except RecycleError as error:
        return None, error


def alike(one: RecycleError | None, two: RecycleError | None) -> bool:
    """Whether both went on; if both were refused, it must have been at the same position.

    Compiled code says the same in more general words, without numbers of the game.
    """
    both = f"compiled: {one}; interpreted: {two}"
    if one is None or two is None:
        assert one is two, both
        return True
    assert (one.line, one.column) == (two.line, two.column), both
    return False


def dealt(description: Description, seed: int) -> naive.Game:
    """An interpreted game, whose first options are known to be there."""
    game = naive.Game(description, SplitMix(seed))
    if not game.over:
        game.options()
    return game


def play_on(game: naive.Game, index: int) -> None:
    """Takes an option of an interpreted game; the next options are known to be there then."""
    game.play(index)
    if not game.over:
        game.options()


def play(description: Description, spec: GameSpec, rng: random.Random) -> str:
    """Plays a game of both for a while; returns in a word how it ended."""
    twins = Twins(description, spec)
    streams = seed_streams(rng.randrange(2**32), 1)
    _, wrong = outcome(lambda: spec.kernels.deal(twins.games, 0, streams, 0))

    twin, refused = outcome(partial(dealt, description, int(twins.games[0]["chance"])))
    if not alike(wrong, refused):
        return "stopped"
    assert twin is not None
    twins.compare(twin)
    while not twin.over and twin.decisions < min(MOST_DECISIONS, description.max_decisions):
        rows = twins.rows(twin)
        row = rng.choice(rows)
        _, wrong = outcome(partial(twins.take, rows, row))
        if not alike(wrong, outcome(partial(play_on, twin, rows.index(row)))[1]):
            return "stopped"
        twins.compare(twin)
    if twin.over:
        twins.compare_scores(twin)
        return "over"
    return "played"


def trial(rng: random.Random) -> str:
    """Mutates a description, compiles it, and plays it beside the interpreter."""
    text = mutated_description(rng)
    description = told(parse, text)
    if description is None:
        return "refused"
    spec = told(compiled, description, "mutated")
    return "not compiled" if spec is None else play(description, spec, rng)
