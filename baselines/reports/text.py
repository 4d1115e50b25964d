"""Numbers, options and names as reports write them."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from cardenvs.baselines.reports.statistics import Interval
from cardenvs.contract.options import show
from cardenvs.policy.registry import path_of, split_called, split_names
from cardenvs.printing import printable


def plus_minus(value: Interval | None, digits: int = 3, percent: bool = False) -> str:
    """A mean with half the width of its 95% interval, such as ``+0.120 ±0.031``; empty for None.

    Of an interval without finite ends, or of width 0, only the mean is written; a width is at least one of the last digit.
    Shares are written in ``percent``, without a sign and with one digit: ``53.1 ±0.8``.
    """
    return "" if value is None else value.text(digits, percent)


def options_text(options: Mapping[str, Any]) -> str:
    """Rule options in words: ``bidding full, target 10``."""
    return ", ".join(f"{name} {show(value)}" for name, value in options.items())


def short_label(name: str) -> str:
    """A policy's name as a label of at most 32 characters for a picture; a longer name loses its beginning."""
    shown = printable(name)
    return (shown if len(shown) <= 32 else "…" + shown[-31:]).replace("$", r"\$")  # a bare one would begin a formula


def short_names(names: Iterable[str]) -> Callable[[str], str]:
    """Names of sides as tables in a terminal have them: a file by the part of its path that tells it from the others.

    That is what it is called (``mine=runs/a/policy.zip``), or its last part, without ``.safetensors``, or the last folder
    that no other of the files has, or the whole path. Names may be joined by ``+``; of another text that text is returned.
    """
    pieces = {name: split_names(name) for name in names}
    parts = list(dict.fromkeys(itertools.chain(*pieces.values())))
    paths = {part: path for part in parts if (path := path_of(part)) is not None}
    called = {part: split_called(part)[0] for part in parts}
    taken = Counter([*filter(None, called.values()), *(part for part in parts if part not in paths)])

    def short(part: str) -> str:
        if called[part] and taken[called[part]] == 1:
            return called[part]
        if part not in paths or called[part]:
            return part
        path = paths[part]
        own, others = Path(path).parts, [Path(other).parts for other in set(paths.values()) - {path}]
        for word in (*own[-1:], *own[-2::-1]):
            if word not in taken and not any(word in other for other in others):
                stem = word.removesuffix(".safetensors")
                return (word if stem in taken else stem) + part[len(path) :]
        return part

    shown = {name: "+".join(map(short, those)) for name, those in pieces.items()}
    return lambda name: shown.get(name, name)
