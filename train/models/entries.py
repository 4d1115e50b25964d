"""Checks of the entries of a policy's record, which is JSON from an untrusted file, and the errors of reading one."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cardenvs.checks import is_int, is_number
from cardenvs.printing import error_text

Check = Callable[[Any], bool]  # A function that says whether a value can be an entry's


def is_text(value: Any) -> bool:
    """Whether a value is a short text that can stand in a message."""
    return isinstance(value, str) and len(value) <= 80 and value.isprintable()


def is_string(longest: int) -> Check:
    """Returns a check that a value is a text of at most ``longest`` characters of any kind."""
    return lambda value: isinstance(value, str) and len(value) <= longest


def is_hex(digits: int) -> Check:
    """Returns a check that a value is a number of ``digits`` hexadecimal digits."""
    return lambda value: isinstance(value, str) and len(value) == digits and set(value) <= set("0123456789abcdef")


def is_count(value: Any) -> bool:
    """Whether a value is an int from 0 to 2**63 - 1."""
    return is_int(value) and 0 <= value < 1 << 63


def is_finite(value: Any) -> bool:
    """Whether a value is a finite number, and no int that a float cannot hold."""
    return is_number(value) and -1e300 < value < 1e300 and math.isfinite(value)


def is_time(value: Any) -> bool:
    return is_finite(value) and value >= 0


def is_a(kind: type) -> Check:
    """Returns a check that a value is of a type of JSON."""
    return lambda value: isinstance(value, kind)


def is_list(check: Check, fewest: int = 0) -> Check:
    """Returns a check that a value is a list of at least ``fewest`` values that pass another check."""
    return lambda value: isinstance(value, list) and len(value) >= fewest and all(map(check, value))


def is_record(checks: Mapping[str, Check]) -> Check:
    """Returns a check that a value is a dict of the entries in ``checks`` alone, each of which passes its own."""
    return lambda value: (
        isinstance(value, dict) and set(value) == set(checks) and all(checks[name](value[name]) for name in value)
    )


def is_layout(value: Any) -> bool:
    """Whether a value can be a result of `cardenvs.train.models.fingerprints.layout`."""
    if not isinstance(value, dict) or not is_list(is_name)(value.get("actions", [])):
        return False
    parts = value.get("observation", [])
    return is_list(is_a(list))(parts) and all(len(part) == 2 and is_name(part[0]) and is_count(part[1]) for part in parts)


is_file_name = is_string(255)  # whether a value can be a game's name, which may be that of a file
is_name = is_string(4096)  # of an action or a part of observations, which described games make of their words
is_path = is_string(4096)  # whether a value can be the path of a file, as long as systems allow
is_counts = is_list(is_count)
is_curve = is_list(
    is_record({
        "steps": is_count, "seconds": is_time, "mean": is_finite, "ci95": lambda half: half is None or is_time(half),
        "win_rate": is_finite, "deals": is_count,
    })
)  # fmt: skip
"""Whether a value is a list of measurements, as `cardenvs.train.curve.Point` has them."""
is_belief = is_record({"decisions": is_count, "nats": is_list(is_finite, 1)})
"""Whether a value records the fitting of a belief network: number of decisions, and loss after each epoch."""


def error_line(error: Exception) -> str:
    """Returns an error's message on one line and cut short, as it may quote the file's content."""
    text = error_text(error)
    return text if len(text) <= 400 else f"{text[:400]}..."


@contextmanager
def refused_as(what: str, kinds: tuple[type[Exception], ...] = (Exception,)) -> Iterator[None]:
    """Turns errors of some kinds into a ValueError on one line that begins with ``what``; a file that is missing or may
    not be read keeps its error."""
    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except kinds as error:
        raise ValueError(f"{what}: {error_line(error)}") from error


def check_entries(record: Mapping[str, Any], needed: Mapping[str, Check], optional: Mapping[str, Check]) -> None:
    """Checks ``needed`` and ``optional`` entries, ignoring others; ValueError names a missing or wrong one."""
    for name in needed:
        if name not in record:
            raise ValueError(f"its record has no {name!r}")
    for name, right in {**needed, **optional}.items():
        if name in record and not right(record[name]):
            shown = repr(record[name])
            raise ValueError(f"its record has a wrong {name!r}: {shown if len(shown) <= 60 else shown[:60] + '...'}")
