"""Checks of arguments (numbers, choices, batches of observations), and values as a person can read them.

Each check raises a ValueError that names the argument, what is allowed and the value.
"""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, TypeGuard

import numpy as np
import numpy.typing as npt


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """The end of a message on an unknown name: ``. Did you mean hybrid?``, or nothing if no known name is like it.

    Args:
        name: what was given; anything but text is like no name.
        known: the names that there are.
    """
    if not isinstance(name, str):
        return ""
    as_written = {known_name.lower().replace("_", "-"): known_name for known_name in known}
    near = difflib.get_close_matches(name.strip().lower().replace("_", "-"), as_written, n=1, cutoff=0.6)
    return f". Did you mean {as_written[near[0]]}?" if near else ""


def is_int(value: Any) -> TypeGuard[int]:
    """Whether a value is an int, Python's or NumPy's; a bool does not count as an int."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value is an int or a float, Python's or NumPy's, infinity and nan included; a bool does not count."""
    return is_int(value) or isinstance(value, (float, np.floating))


MOST_DRAWN = 1_000_000_000
"""Maximum number of worlds, samples or candidates that are drawn for one decision."""


def check_int(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Checks that an argument is an int within bounds; returns a Python int.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        least: the smallest int that is allowed.
        most: the greatest int that is allowed; None for 2**63 - 1, the greatest that kernels take.

    Raises:
        ValueError: the argument is no int, or out of bounds.
    """
    top = 2**63 - 1 if most is None else most
    if not is_int(value) or not least <= value <= top:
        wide = most in (None, MOST_DRAWN) and not (is_int(value) and value > top)  # so far a bound is told where it is met
        allowed = f"of at least {least}" if wide else f"from {least} to {'2**63 - 1' if most is None else most}"
        raise ValueError(f"{name} must be an int {allowed}, not {short(value)}")
    return int(value)


def check_number(name: str, value: Any, low: float = 0, high: float = math.inf, above: bool = False) -> float:
    """Checks that an argument is a finite number within bounds; returns a Python float.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        low: the smallest number that is allowed.
        high: the greatest number that is allowed; infinity for no bound.
        above: whether ``low`` itself is not allowed.

    Raises:
        ValueError: the argument is no number, not finite, or out of bounds.
    """
    # An int may be greater than any float.
    finite = is_number(value) and (abs(value) <= sys.float_info.max if isinstance(value, int) else math.isfinite(value))
    if not finite or not low <= value <= high or (above and value == low):
        allowed = f"above {low}" if above else f"of at least {low}"
        allowed += "" if high == math.inf else f" and at most {high}"
        raise ValueError(f"{name} must be a number {allowed}, not {short(value)}")
    return float(value)


SEED_BITS = 256
"""Maximum number of bits in a seed: more than anybody needs, as some seeds are numbered within others."""


def check_seed(value: Any, name: str = "seed", also: str = "") -> int:
    """Checks that an argument is a seed, an int from 0 to 2**256 - 1 of any integer type; returns a Python int.

    Args:
        value: the argument.
        name: the argument's name, for the message.
        also: what else is allowed, for the message.

    Raises:
        ValueError: the argument is no int, negative or too great: seeds do not wrap round.
    """
    if not is_int(value) or not 0 <= int(value) < 1 << SEED_BITS:
        raise ValueError(f"{name} must be an int from 0 to 2**{SEED_BITS} - 1{also}, not {short(value)}")
    return int(value)


def check_bool(name: str, value: Any) -> bool:
    """Checks that an argument is True or False, Python's or NumPy's; returns a Python bool.

    Raises:
        ValueError: the argument is something else.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, not {short(value)}")
    return bool(value)


def check_list(name: str, value: Any, of: str) -> list[Any]:
    """Checks that an argument is a list, a tuple or another sequence, but no text; returns its members in a new list.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        of: what its members are, for the message.

    Raises:
        ValueError: the argument is something else; for a text, the message shows the list of it.
    """
    if isinstance(value, str):
        raise ValueError(f"{name} must be a list of {of}, not the text {short(value)}: write [{short(value)}]")
    if not isinstance(value, Sequence):
        raise ValueError(f"{name} must be a list of {of}, not {short(value)}")
    return list(value)


def check_names(name: str, value: Any) -> list[str]:
    """Checks that an argument is a list, a tuple or another sequence of names of policies; returns them in a new list.

    Raises:
        ValueError: the argument is something else, or one of its members is no text.
    """
    names = check_list(name, value, "names of policies")
    for each in names:
        if not isinstance(each, str):
            raise ValueError(f"{name} must be a list of names of policies, and {short(each)} is no name")
    return names


def check_mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Checks that an argument is a dict, or another mapping, whose keys are text; returns the argument.

    Raises:
        ValueError: the argument is something else.
    """
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name} must be a dict with names as keys, not {short(value)}")
    return value


def short(value: Any) -> str:
    """An argument for a message, in one line and not longer than 80 characters; of an array its dtype and shape."""
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"an array of {value.dtype} of shape {value.shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:76]} ..."


def check_choice(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """Checks that an argument is one of the allowed values.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        allowed: the values that are allowed.

    Raises:
        ValueError: the argument is none of them.
    """
    choices = list(allowed)
    try:
        known = bool(value in choices)
    except Exception:  # arrays and records are compared with nothing
        known = False
    if not known:
        meant = did_you_mean(value, [choice for choice in choices if isinstance(choice, str)])
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {short(value)}{meant}")


def check_ints(name: str, value: Any, shape: tuple[int, ...] | None = None) -> npt.NDArray[np.int64]:
    """Checks that an argument is an array of ints, or a sequence of which one can be made.

    Args:
        name: the argument's name, for the message.
        value: the argument.
        shape: the shape that it must have; None for any number of ints in one dimension.

    Returns:
        A contiguous int64 array, the argument itself where it is one.

    Raises:
        ValueError: another shape, or entries that are no ints (floats and bools are none) or that int64 cannot hold.
    """
    array = as_array(name, value)
    if shape is None and array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not the shape {array.shape}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, not {array.shape}")
    if array.dtype.kind not in "iu" and (array.size or array.dtype != float):  # an empty list is an array of floats
        raise ValueError(f"{name} must be ints, not {array.dtype}")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and array.size and int(array.max()) >= 2**63:
        raise ValueError(f"{name} must be ints below 2**63, not {int(array.max())}")
    return np.ascontiguousarray(array, np.int64)


def as_array(name: str, value: Any) -> npt.NDArray[Any]:
    """An argument as a NumPy array.

    Raises:
        ValueError: no array can be made of the argument, such as of rows of different lengths.
    """
    try:
        return np.asarray(value)
    except Exception as error:  # an object may say in any way that it is no array
        raise ValueError(f"{name} must be an array, not {short(value)}: {error}") from None


def check_bits(name: str, game: str, value: Any, width: int, n: int | None = None) -> npt.NDArray[np.int8]:
    """Checks that an argument is rows of zeros and ones.

    Args:
        name: the argument's name, for the message.
        game: the game's name, for the message.
        value: the argument.
        width: the number of columns that it must have.
        n: the number of rows that it must have; None for any number.

    Returns:
        A contiguous, writable int8 array, for which kernels are compiled; the argument itself where it is one.

    Raises:
        ValueError: another shape than (n, width), or other numbers than 0 and 1.
    """
    array = as_array(name, value)
    if array.ndim != 2 or array.shape[1] != width or (n is not None and len(array) != n):
        raise ValueError(f"{name} of {game} have the shape (n, {width}), not {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} of {game} must be numbers, 0 or 1, not {array.dtype}")
    if array.dtype.kind != "b":
        wrong = (array != 0) & (array != 1)
        if wrong.any():
            row, column = (int(k) for k in np.argwhere(wrong)[0])
            raise ValueError(
                f"{name} of {game} must be zeros and ones: row {row} has {array[row, column]} in column {column}"
            )
    rows = np.ascontiguousarray(array, np.int8)
    return rows if rows.flags.writeable else rows.copy()


# --- values as a person can read them --------------------------------------------------------------------------------

_MANY = 6
"""Maximum number of entries that `brief` writes out; of more it gives the number alone."""


def brief(value: Any) -> str:
    """A short text for a value: floats to four digits, arrays as dtype and shape, long collections as their length."""
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} {value.shape}>"
    if isinstance(value, float):
        return f"{value:z.4g}"
    if isinstance(value, Mapping) and len(value) <= _MANY:
        return "{" + ", ".join(f"{key!r}: {brief(one)}" for key, one in value.items()) + "}"
    if type(value) in (list, tuple) and len(value) <= _MANY:
        inside = ", ".join(map(brief, value))
        return f"[{inside}]" if type(value) is list else f"({inside})"
    if isinstance(value, (Mapping, list, tuple)):
        return f"<{len(value)} entries>"
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:196]} ..."


def call_text(name: str, *arguments: Any, **named: Any) -> str:
    """A call as it would be written, such as ``Batch('euchre', n=4)``."""
    return f"{name}({', '.join([*map(brief, arguments), *(f'{key}={brief(value)}' for key, value in named.items())])})"


class Readable:
    """Mixed into dataclasses (``repr=False``) that hold more than a person wants to see: one line, or a line a field."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __repr__(self) -> str:
        return call_text(type(self).__name__, **{field.name: getattr(self, field.name) for field in fields(self)})

    def __str__(self) -> str:
        told = {field.name: brief(getattr(self, field.name)) for field in fields(self)}
        width = max(map(len, told))
        return "\n".join([type(self).__name__, *(f"  {name:<{width}}  {text}" for name, text in told.items())])
