"""How fuzzing runs: tries by number, each with random numbers of its own, so that a failure can be made again alone."""

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")

Trial = Callable[[random.Random], str]
"""One try, from random numbers of its own; returns in a word what came of it. It raises for what must not be."""


def fuzz(trial: Trial, tries: int, seed: int, only: int | None = None, told: bool = False) -> Counter[str]:
    """Runs tries by number; returns how often each outcome came. An AssertionError names the try that failed."""
    outcomes: Counter[str] = Counter()
    for number in range(tries) if only is None else [only]:
        try:
            outcomes[trial(random.Random(f"{seed} {number}"))] += 1
        except Exception as error:
            raise AssertionError(f"try {number} of seed {seed} failed: {type(error).__name__}: {error!s:.500}") from error
        if told and (number + 1) % 1000 == 0:
            print(f"{number + 1:,} tries: {dict(outcomes)}", file=sys.stderr, flush=True)
    return outcomes


def told(call: Callable[..., Value], *arguments: Any) -> Value | None:
    """What a call returns; None if it raised a ValueError with a message, as wrong input must."""
    said: ValueError
    try:
        return call(*arguments)
    except ValueError as error:
        said = error
    assert not isinstance(said, UnicodeError), repr(said)
    assert 10 <= len(str(said)) < 5000, f"an error that says too little or too much: {said!r:.200}"
    return None


@contextmanager
def file_with(content: bytes, name: str) -> Iterator[Path]:
    """A file of a name with some content, in a folder that is removed behind it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        yield path


# --- mutations -----------------------------------------------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308, float("inf"), float("nan"), "",
    "0", "x", "euchre", "relu", "tanh", "a" * 5000, "[/b]\x1b[31m", "\udce9", "\x00", "../../x", [], [1], [None], [[]], {},
    {"": 0}, {"a": [1]}, "nan", "1e999",
)  # fmt: skip
"""Values of JSON where others are awaited."""


def mutated_value(value: Any, rng: random.Random) -> Any:
    """A value of JSON with something in it replaced, left out, doubled or added."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        copy = dict(value)
        kind = rng.random()
        if kind < 0.6:
            copy[key] = mutated_value(value[key], rng)
        elif kind < 0.75:
            del copy[key]
        elif kind < 0.9:
            copy[rng.choice([*value, "more", "", "seed", "sample"])] = rng.choice(VALUES)
        else:
            copy[key], other = copy[rng.choice(list(value))], copy[key]
            copy[rng.choice(list(value))] = other
        return copy
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        kind = rng.random()
        if kind < 0.6:
            return [*value[:place], mutated_value(value[place], rng), *value[place + 1 :]]
        return value[:place] + value[place + 1 :] if kind < 0.8 else [*value[:place], value[place], *value[place:]]
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.4:
        return rng.choice([-value, value + 1, value * 2, value * 1e9, float(value), str(value)])
    return rng.choice(VALUES)


def mutated_bytes(content: bytes, rng: random.Random, start: int = 0, stop: int | None = None) -> bytes:
    """Bytes with one to a few places between two of them flipped, replaced, cut out, doubled or added."""
    changed = bytearray(content)
    stop = len(content) if stop is None else min(stop, len(content))
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        place = rng.randrange(start, max(start + 1, min(stop, len(changed))))
        kind = rng.randrange(6)
        if kind == 0 and place < len(changed):
            changed[place] ^= 1 << rng.randrange(8)
        elif kind == 1 and place < len(changed):
            changed[place] = rng.randrange(256)
        elif kind == 2:
            del changed[place : place + rng.choice((1, 2, 8, 100))]
        elif kind == 3:
            changed[place:place] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 2, 8))))
        elif kind == 4:
            changed[place:place] = changed[place : place + rng.choice((1, 4, 50))]
        else:
            del changed[rng.randrange(len(changed) + 1) :]
    return bytes(changed)


_WORDS = (
    "\x1b[31m", "[/b]", "\u202e", "\r", "\n", "\t", " ", ",", ";", "=", "-", "0", "9" * 30, "-1", "\u0663", "\u00b2",
    "\x00", "\u2028",
)  # fmt: skip
"""Pieces of text that readers of text stumble over."""


def mutated_text(text: str, rng: random.Random) -> str:
    """A text with some characters, words or lines replaced, left out, doubled, swapped or added."""
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        kind = rng.randrange(7)
        place = rng.randrange(len(text) + 1)
        if kind == 0:
            text = text[:place] + text[place + rng.choice((1, 1, 2, 10)) :]
        elif kind == 1:
            text = text[:place] + rng.choice(_WORDS) + text[place:]
        elif kind == 2:
            text = text[:place] + chr(rng.choice((rng.randrange(128), rng.randrange(0x3000)))) + text[place + 1 :]
        elif kind == 3:
            words = text.split(" ")
            k, j = rng.randrange(len(words)), rng.randrange(len(words))
            words[k], words[j] = words[j], words[k]
            text = " ".join(words)
        elif kind == 4:
            lines = text.split("\n")
            k = rng.randrange(len(lines))
            lines[k : k + 1] = rng.choice(([], [lines[k], lines[k]], [rng.choice(lines), lines[k]]))
            text = "\n".join(lines)
        elif kind == 5:
            parts = text.split(",")
            k = rng.randrange(len(parts))
            parts[k : k + 1] = rng.choice(([], [parts[k], parts[k]], [rng.choice(parts)]))
            text = ",".join(parts)
        else:
            text = text[:place]
    return text
