"""Checks of arguments (numbers, choices, batches of observations), and values as text for people.

Each check returns the argument, as a value of Python or NumPy, or raises a ValueError with the argument's name, the allowed
values and its value.
"""

import difflib
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, TypeGuard

import numpy as np
import numpy.typing as npt


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Returns the end of a message on an unknown name: ``. Did you mean hybrid?``, or nothing if none is similar."""
    if not isinstance(name, str):
        return ""
    as_written = {known_name.lower().replace("_", "-"): known_name for known_name in known}
    near = difflib.get_close_matches(name.strip().lower().replace("_", "-"), as_written, n=1, cutoff=0.6)
    return f". Did you mean {as_written[near[0]]}?" if near else ""


def is_int(value: Any) -> TypeGuard[int]:
    """Returns whether a value is an int, Python's or NumPy's, and no bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Returns whether a value is an int or a float, Python's or NumPy's, infinity and nan included, and no bool."""
    return is_int(value) or isinstance(value, (float, np.floating))


MOST_DRAWN = 1_000_000_000  # maximum number of worlds, samples or candidates that are drawn for one decision


def check_int(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Checks an int from ``least`` to ``most``; None stands for 2**63 - 1, the greatest that kernels take."""
    top = 2**63 - 1 if most is None else most
    if not is_int(value) or not least <= value <= top:
        # The upper bound is in the message only if it is exceeded.
        wide = most in (None, MOST_DRAWN) and not (is_int(value) and value > top)
        allowed = f"of at least {least}" if wide else f"from {least} to {'2**63 - 1' if most is None else most}"
        raise ValueError(f"{name} must be an int {allowed}, not {short(value)}")
    return int(value)


def check_number(name: str, value: Any, low: float = 0, high: float = math.inf, above: bool = False) -> float:
    """Checks a finite number from ``low`` to ``high``; ``above`` excludes ``low`` itself."""
    # An int may be greater than any float.
    finite = is_number(value) and (abs(value) <= sys.float_info.max if isinstance(value, int) else math.isfinite(value))
    if not finite or not low <= value <= high or (above and value == low):
        allowed = f"above {low}" if above else f"of at least {low}"
        allowed += "" if high == math.inf else f" and at most {high}"
        raise ValueError(f"{name} must be a number {allowed}, not {short(value)}")
    return float(value)


SEED_BITS = 256  # maximum number of bits in a seed; so many, because some seeds are numbered within others


def check_seed(value: Any, name: str = "seed", also: str = "") -> int:
    """Checks a seed, an int from 0 to 2**256 - 1: seeds do not wrap round. The message names ``also`` as allowed, too."""
    if not is_int(value) or not 0 <= int(value) < 1 << SEED_BITS:
        raise ValueError(f"{name} must be an int from 0 to 2**{SEED_BITS} - 1{also}, not {short(value)}")
    return int(value)


def check_bool(name: str, value: Any) -> bool:
    """Checks True or False, Python's or NumPy's."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, not {short(value)}")
    return bool(value)


def check_list(name: str, value: Any, of: str) -> list[Any]:
    """Checks a list, a tuple or another sequence of ``of`` (for the message), but no text; returns a new list."""
    if isinstance(value, str):
        raise ValueError(f"{name} must be a list of {of}, not the text {short(value)}: write [{short(value)}]")
    if not isinstance(value, Sequence):
        raise ValueError(f"{name} must be a list of {of}, not {short(value)}")
    return list(value)


def check_names(name: str, value: Any) -> list[str]:
    """Checks a sequence of names of policies; returns a new list."""
    names = check_list(name, value, "names of policies")
    for each in names:
        if not isinstance(each, str):
            raise ValueError(f"{name} must be a list of names of policies, and {short(each)} is no name")
    return names


def check_mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Checks a dict, or another mapping, whose keys are text."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name} must be a dict with names as keys, not {short(value)}")
    return value


def short(value: Any) -> str:
    """Returns an argument for a message, in one line of at most 80 characters; of an array its dtype and shape."""
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"an array of {value.dtype} of shape {value.shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:76]} ..."


def check_choice(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """Checks that an argument is one of the allowed values."""
    choices = list(allowed)
    try:
        known = bool(value in choices)
    except Exception:  # arrays and records are compared with nothing
        known = False
    if not known:
        meant = did_you_mean(value, [choice for choice in choices if isinstance(choice, str)])
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {short(value)}{meant}")


def check_ints(name: str, value: Any, shape: tuple[int, ...] | None = None) -> npt.NDArray[np.int64]:
    """Checks ints of a shape, None for any number in one dimension; returns contiguous int64, ``value`` if it is that.

    Floats, bools and ints that int64 cannot hold are refused.
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
    """Returns an argument as a NumPy array; ValueError if none can be made of it."""
    try:
        return np.asarray(value)
    except Exception as error:  # an object may say in any way that it is no array
        raise ValueError(f"{name} must be an array, not {short(value)}: {error}") from None


def check_bits(name: str, game: str, value: Any, width: int, n: int | None = None) -> npt.NDArray[np.int8]:
    """Checks ``n`` rows (None: any number) of ``width`` zeros and ones of a game.

    Returns a contiguous, writable int8 array, for which kernels are compiled; ``value`` itself if it is one.
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

_MANY = 6  # maximum number of entries that `brief` writes out; longer collections become their length


def brief(value: Any) -> str:
    """Returns a short text for a value: floats to four digits, arrays as dtype and shape, large collections as length."""
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
    """Returns a call as source text, such as ``Batch('euchre', n=4)``."""
    return f"{name}({', '.join([*map(brief, arguments), *(f'{key}={brief(value)}' for key, value in named.items())])})"


class Readable:
    """Mixin for large dataclasses (``repr=False``): a short text, in one line or in a line for each field."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def _readable(self) -> tuple[str, Mapping[str, Any]]:
        """The name and the values that both texts show."""
        return type(self).__name__, {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        kind, values = self._readable()
        return call_text(kind, **values)

    def __str__(self) -> str:
        kind, values = self._readable()
        width = max(map(len, values))
        return "\n".join([kind, *(f"  {name:<{width}}  {brief(value)}" for name, value in values.items())])
