"""Names of a table's seats: people by their own names, policies by the policy's name and the place of the seat."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from cardenvs import policy
from cardenvs.play.players import HUMAN

NAME_LENGTH = 24
"""The most characters of a person's name."""

_PLACES = {2: ("across",), 4: ("left", "across", "right")}
_COMPASS = {2: ("south", "north"), 4: ("south", "west", "north", "east")}
_MARKS = 2
"""The most combining marks in a row: names in every script do with these, and more would run over the lines around."""
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that are drawn as nothing though Unicode does not count them as format characters."""


def check_name(text: str) -> str:
    """A person's name as it is kept: one line, blanks around it and double ones left out.

    Args:
        text: the name as it was typed.

    Raises:
        ValueError: the name is no text, empty, longer than `NAME_LENGTH` characters, has control characters or others that
            are not drawn or that turn the direction of writing, or could be taken for another seat; says why.
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
    """The names in a text with commas between them, by seat: one for each seat, or one for each person.

    Args:
        text: the names, clockwise from seat 0; an empty one leaves its seat without a name.
        seats: who plays each seat.

    Raises:
        ValueError: neither as many names as seats nor as many as people, or a name that cannot be taken; says why.
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
            names[seat] = distinct(check_name(name), names)
    return names


def distinct(name: str, others: Sequence[str | None]) -> str:
    """The name, if nobody else has it.

    Raises:
        ValueError: somebody has the name, in whatever case or form of its letters.
    """
    if _folded(name) in [_folded(other) for other in others if other]:
        raise ValueError(f"two players have the same name, {name}")
    return name


def introduced(text: object, others: Sequence[str | None]) -> str | None:
    """The name that a program gives itself, as a table shows it.

    Args:
        text: what it has said, which may be anything. Characters that no name has are left out, and it is cut to
            `NAME_LENGTH` characters; where somebody has the name, a number stands behind it.
        others: the names of the other seats.

    Returns:
        The name; None where nothing is left of it, or where it would be taken for another seat.
    """
    if not isinstance(text, str):
        return None
    drawn = [" " if one.isspace() else one for one in text[: 40 * NAME_LENGTH] if one.isspace() or _is_drawn(one)]
    name = " ".join("".join(one for one in drawn if one not in "()").split())[:NAME_LENGTH].rstrip()
    try:
        check_name(name)
    except ValueError:
        return None
    taken = {_folded(other) for other in others if other}
    endings = ("", *(f" {number}" for number in range(2, len(others) + 2)))
    numbered = (name[: NAME_LENGTH - len(ending)].rstrip() + ending for ending in endings)
    return next((one for one in numbered if _folded(one) not in taken), None)


def _is_drawn(character: str) -> bool:
    """Whether a character is drawn, and does not turn the direction of writing."""
    kind = unicodedata.category(character)
    return not (kind.startswith("C") or kind in ("Zl", "Zp") or character in _UNSEEN)


def _folded(name: str) -> str:
    """A name without differences that people do not notice: case, and wide, narrow or styled forms of letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def plain_policy(name: str) -> str:
    """A policy's name with its parameters, files without their folders: ``policy.zip:sample=yes``, for anybody's eyes."""
    path = policy.path_of(name) or ""
    head = re.split(r"[\\/]", path)[-1]
    rest = re.sub(r"[^:=,]*[\\/]", "", name[len(path) :])
    return "".join(character if character.isprintable() else "?" for character in head + rest)


def call(seats: Sequence[str], names: Sequence[str | None], seat: int, viewer: int | None) -> str:
    """Name by which somebody at a table calls a seat.

    Args:
        seats: who plays each seat: ``"human"`` or a policy's name.
        names: the names that people have told, by seat.
        seat: the seat.
        viewer: the seat that looks; None for somebody who looks on.

    Returns:
        ``You`` for a person's own seat, the name of another person (``player 1`` where none was told); a policy's name
        without its parameters and where it sits from there, as in ``hybrid (left)``: for somebody who looks on, seat 0 is
        in the south and seat 1 in the west. A policy that was given a name goes by both, as in ``Ben (hybrid)``.
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
