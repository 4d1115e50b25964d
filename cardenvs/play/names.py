"""Names of a table's seats: people by their own names, policies by the policy's name and the place of the seat."""

import re
import unicodedata
from collections.abc import Sequence

from cardenvs import policy
from cardenvs.play.players import HUMAN

NAME_LENGTH = 24  # maximum number of characters of a person's name

_PLACES = {2: ("across",), 4: ("left", "across", "right")}
_COMPASS = {2: ("south", "north"), 4: ("south", "west", "north", "east")}
_MARKS = 2  # maximum number of combining marks in a row: enough for every script; more would cover other lines
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that are drawn as nothing though Unicode does not count them as format characters."""


def check_name(text: str) -> str:
    """Returns a person's name in one line, with single blanks.

    Raises ValueError for an empty or too long name, control or invisible characters, or a name that stands for another
    seat.
    """
    if not isinstance(text, str):
        raise ValueError(f"a name must be text, not {type(text).__name__}")
    if len(text) > 40 * NAME_LENGTH:
        raise ValueError(f"a name has {NAME_LENGTH} characters at most, not {len(text)}")
    name = unicodedata.normalize("NFC", text).replace("\ufe0e", "").replace("\ufe0f", "")
    for character in name:
        if not _is_drawn(character):
            raise ValueError(f"a name has no control characters and none that are not drawn, as U+{ord(character):04X}")
    name = " ".join(name.split())
    if not any(unicodedata.category(character)[0] in "LNS" for character in name):
        raise ValueError("a name needs a letter")
    if len(name) > NAME_LENGTH:
        raise ValueError(f"a name has {NAME_LENGTH} characters at most, not {len(name)}")
    marks = "".join("m" if unicodedata.category(character)[0] == "M" else "." for character in name)
    if "m" * (_MARKS + 1) in marks:
        raise ValueError(f"a name has {_MARKS} accents at most on a letter")
    if name.isdigit():
        raise ValueError("a name must not be a number: seats have numbers")
    if re.fullmatch(r"you|player[ _]?\d*", name, re.IGNORECASE) or re.search(r"[()]", name):
        raise ValueError(f"{name!r} could be taken for another seat: a name is not you or player N, and has no brackets")
    return name


def split_names(text: str, seats: Sequence[str]) -> list[str | None]:
    """Returns the names in a text with commas between them, by seat: one for each seat, or one for each person.

    An empty name leaves its seat without one. Raises ValueError for another number of names or a name that is refused.
    """
    told = [part.strip() for part in re.split("[,;]", text)]
    people = [seat for seat, name in enumerate(seats) if name == HUMAN]
    if len(told) not in (len(seats), len(people)):
        there = f"{len(seats)} seats, {len(people)} of them people's"
        raise ValueError(f"{len(told)} names for {there}: a name for each seat or one for each person, with commas between")
    places = range(len(seats)) if len(told) == len(seats) else people
    names: list[str | None] = [None] * len(seats)
    for seat, name in zip(places, told, strict=True):
        if name:
            names[seat] = require_distinct(check_name(name), names)
    return names


def require_distinct(name: str, others: Sequence[str | None]) -> str:
    """Returns the name; raises ValueError if another seat has it, in any case or form of its letters."""
    if _fold_name(name) in [_fold_name(other) for other in others if other]:
        raise ValueError(f"two players have the same name, {name}")
    return name


def introduced_name(text: object, others: Sequence[str | None]) -> str | None:
    """Returns the name that a program gives itself (any object) as a table shows it; None if no usable name is left.

    Characters that no name has are dropped, the rest is cut to `NAME_LENGTH`; a number follows a name that is taken.
    """
    if not isinstance(text, str):
        return None
    drawn = [" " if one.isspace() else one for one in text[: 40 * NAME_LENGTH] if one.isspace() or _is_drawn(one)]
    name = " ".join("".join(one for one in drawn if one not in "()").split())[:NAME_LENGTH].rstrip()
    try:
        check_name(name)
    except ValueError:
        return None
    taken = {_fold_name(other) for other in others if other}
    endings = ("", *(f" {number}" for number in range(2, len(others) + 2)))
    numbered = (name[: NAME_LENGTH - len(ending)].rstrip() + ending for ending in endings)
    return next((one for one in numbered if _fold_name(one) not in taken), None)


def _is_drawn(character: str) -> bool:
    """Whether a character is visible and does not change the direction of writing."""
    kind = unicodedata.category(character)
    return not (kind.startswith("C") or kind in ("Zl", "Zp") or character in _UNSEEN)


def _fold_name(name: str) -> str:
    """Returns a name without differences that people overlook: case, and wide, narrow or styled letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def plain_policy(name: str) -> str:
    """Returns a policy's name with its parameters, its files without folders: ``policy.zip:sample=yes``."""
    path = policy.path_of(name) or ""
    head = re.split(r"[\\/]", path)[-1]
    rest = re.sub(r"[^:=,]*[\\/]", "", name[len(path) :])
    return "".join(character if character.isprintable() else "?" for character in head + rest)


def display_name(seats: Sequence[str], names: Sequence[str | None], seat: int, viewer: int | None) -> str:
    """Returns the name by which a viewer (a seat, or None for a spectator) calls a seat.

    ``You`` is a person's own seat; another person goes by name, else as ``player 1``. A policy's name has no parameters and
    its place, ``hybrid (left)``, for a spectator ``hybrid (west)`` with seat 0 in the south; with a name it is ``Ben
    (hybrid)``.
    """
    name = names[seat]
    if seats[seat] == HUMAN:
        return "You" if seat == viewer else name or f"player {seat}"
    what = plain_policy(seats[seat])
    short = what.partition(":")[0] or what
    if name is not None:
        return f"{name} ({short})"
    if seat == viewer:
        return f"{short} (your seat)"
    if len(seats) not in _PLACES:
        return f"{short} (seat {seat})"
    if viewer is None:
        return f"{short} ({_COMPASS[len(seats)][seat]})"
    return f"{short} ({_PLACES[len(seats)][(seat - viewer) % len(seats) - 1]})"
