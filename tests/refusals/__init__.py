"""Calls with wrong arguments and the words of their errors, as tables: a module for each room, all run by one test.

A module has ``REFUSALS``, a list of `refuse` entries. An argument that takes time to make, or a folder, is a function of
nothing or of ``tmp_path``, which the test calls: nothing is computed where a table is read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Refusal:
    """A call that must raise an error of a class, in one line that has some words."""

    words: str
    call: Callable[..., Any]
    args: tuple[Any, ...]
    named: dict[str, Any]
    error: type[Exception]


def refuse(words: str, call: Callable[..., Any], *args: Any, error: type[Exception] = ValueError, **named: Any) -> Refusal:
    """An entry of a table.

    Args:
        words: the words, exactly as they stand in the message; ``…`` for any others.
        call: what is called, with the other arguments.
        error: the class of the error.
    """
    return Refusal(words, call, args, named, error)


def check_refused(
    words: str, call: Callable[..., Any], *args: Any, error: type[Exception] = ValueError, **named: Any
) -> None:
    """Checks that a call is refused with these words, where it takes a test to come to it; arguments as of `refuse`."""
    with pytest.raises(error, match=re.escape(words)):
        call(*args, **named)
