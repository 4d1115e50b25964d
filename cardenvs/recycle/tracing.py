"""A described game as plain Python that traces all moved cards, for checks.

``tracks`` of a record has a row for each card that was moved or remembered since ``traced`` was set to 0: its number, where
it lay and where it, or its copy, went. Nothing is compiled: watching a few deals takes less time than compiling.
"""

from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from cardenvs.recycle.running import places
from cardenvs.recycle.running.faults import FAULTS, Faults

MOST_TRACED = 2048  # the most rows of a trace; what is moved after that is not in it
FIELDS = [("traced", np.int64), ("tracks", np.int16, (MOST_TRACED, 3))]
"""The fields of a record that keeps a trace, behind the STATE's."""
_TRACING = "\nfrom cardenvs.recycle.tracing import uncompiled as kernel, move_card, put_copy\n"
"""Import line behind a module's own imports, by which the module keeps a trace."""
_PLAIN: dict[int, dict[str, Any]] = {}
"""Namespaces of modules with plain Python for their kernels, by the ``id`` of the original namespace."""


def trace_module(text: str, faults: Faults) -> Any:
    """Returns the module of a game's text as plain Python that keeps a trace."""
    head, mark, rest = text.partition("\nMODULE = ")
    names: dict[str, Any] = {"__name__": "cardenvs.recycle.traced"}
    FAULTS[names["__name__"]] = faults
    exec(compile(f"{head}{_TRACING}{mark}{rest}", "<traced>", "exec"), names)
    names |= {name: _to_python(value) for name, value in names.items()}
    return SimpleNamespace(**names)


def uncompiled(function: Any) -> Any:
    return function


def _to_python(value: Any) -> Any:
    """Returns a kernel, or a module of kernels, as plain Python, with all that it calls; other values unchanged."""
    if isinstance(value, ModuleType) and value.__name__.startswith("cardenvs."):
        return SimpleNamespace(**_python_names(vars(value)))
    python = getattr(value, "py_func", None)
    if python is None:
        return value
    return FunctionType(python.__code__, _python_names(python.__globals__), python.__name__, python.__defaults__)


def _python_names(names: dict[str, Any]) -> dict[str, Any]:
    if id(names) not in _PLAIN:
        own = _PLAIN[id(names)] = dict(names)
        own |= {name: _to_python(value) for name, value in names.items() if hasattr(value, "py_func")}
    return _PLAIN[id(names)]


_moved, _copied = _to_python(places.move_card), _to_python(places.put_copy)


def _add_track(games: Any, i: Any, card: Any, home: Any, place: Any) -> None:
    g = games[i]
    if g.traced < len(g.tracks):
        g.tracks[g.traced] = card, home, place
    g.traced += 1


def move_card(games: Any, i: Any, card: Any, place: Any, *rest: Any) -> Any:
    _add_track(games, i, card, np.int64(games[i].where[card]), place)
    return _moved(games, i, card, place, *rest)


def put_copy(games: Any, i: Any, card: Any, place: Any, *rest: Any) -> Any:
    _add_track(games, i, card, np.int64(games[i].where[card]), place)
    return _copied(games, i, card, place, *rest)
