"""Fuzzing of described games: each mutation of a description is a game that plays, or is refused with a position."""

import functools
import random
import re

from cardenvs.recycle import Description, RecycleError, load, parse, statics
from cardenvs.recycle.compiler.layout import Layout
from cardenvs.recycle.compiler.module import Module
from tests.fuzz.running import file_with, mutated_bytes, mutated_text, told
from tests.helpers.described import NAMES, described
from tests.naive.recycle import Game

PIECE = re.compile(r";;[^\n]*|\s+|'?[A-Za-z]+|\d+|\.\.|==|!=|<=|>=|//|.")
MOST_DECISIONS = 30
"""How far a mutated game is played."""


@functools.cache
def pieces(name: str) -> tuple[str, ...]:
    """A description in pieces."""
    return tuple(PIECE.findall(described(name).source))


def like(piece: str) -> str:
    """What sort of piece it is; one is put in the place of another of its sort."""
    if piece.isdigit():
        return "number"
    if piece.startswith("'"):
        return "variable"
    return "name" if piece.isupper() else "bracket" if piece in "()" else "word"


def mutated_pieces(name: str, rng: random.Random) -> str:
    """A description in which pieces were exchanged, left out, doubled or moved."""
    found = list(pieces(name))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        meant = [k for k, piece in enumerate(found) if piece.strip() and not piece.startswith(";;")]
        k, other = rng.choice(meant), rng.choice(meant)
        kind = rng.random()
        if kind < 0.6:
            alike = [one for one in meant if like(found[one]) == like(found[k])]
            found[k] = found[rng.choice(alike)]
        elif kind < 0.7:
            del found[k]
        elif kind < 0.8:
            found.insert(k, found[other])
        elif kind < 0.9:
            found[k], found[other] = found[other], found[k]
        else:
            found[k:k] = found[k : k + rng.randrange(1, 20)]
    return "".join(found)


def written(description: Description) -> str:
    """The module of a game."""
    return Module(Layout(description)).source_text()


def mutated_description(rng: random.Random) -> str:
    """The text of a description with something else in it."""
    name = rng.choice(NAMES)
    return mutated_text(described(name).source, rng) if rng.random() < 0.2 else mutated_pieces(name, rng)


def trial(rng: random.Random) -> str:
    """Mutates a description, reads it, writes the module that it is compiled into, and plays it for a while."""
    if rng.random() < 0.1:
        with file_with(mutated_bytes(described(rng.choice(NAMES)).source.encode(), rng), "mutated.rcy") as path:
            description = told(load, path)
    else:
        description = told(parse, mutated_description(rng))
    if description is None:
        return "refused"
    assert {place.owner for place in statics(description).places} <= {"game", "player"}
    module = told(written, description)
    if module is not None:
        compile(module, "module", "exec")
    try:
        game = Game(description, 0)
        while not game.over and game.decisions < MOST_DECISIONS:
            game.play(rng.randrange(len(game.options())))
    except RecycleError:
        return "stopped"
    return "over" if game.over else "played"
