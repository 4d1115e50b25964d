"""Names of policies as text: lists of them, and the parameters behind a colon."""

import inspect
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from cardenvs.checks import did_you_mean


def split_unquoted(text: str, separator: str) -> list[str]:
    """Splits a text at a separator character outside quotes, as a command's words may have them.

    ``"exec:agent --levels '1,2',seconds=3"`` has two parts at commas. A quote begins at the start of a word and ends at the
    next one of its kind; any other is an ordinary character, as in ``o'neil.zip``.
    """
    parts, start, quote = [], 0, ""
    for k, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"" and (k == 0 or text[k - 1] in f" \t:={separator}") and sign in text[k + 1 :]:
            quote = sign
        elif sign == separator:
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]]


def split_list(text: str) -> list[str]:
    """Returns the policies' names in a text with commas between names; a part ``key=value`` belongs to the name before it.

    ``"human,pimc:worlds=30,calling=random,low"`` has the names ``human``, ``pimc:worlds=30,calling=random`` and ``low``.
    Commas in quotes (`split_unquoted`) are part of a name.
    """
    listed: list[str] = []
    for part in split_unquoted(text, ","):
        key, equals, _ = part.partition("=")
        if equals and listed and ":" in listed[-1] and not set(key) & {":", "/", os.sep}:
            listed[-1] += f",{part}"
        else:
            listed.append(part.strip())
    return listed


def parse_parameters(name: str, text: str, factory: Callable[..., Any] | None) -> dict[str, Any]:
    """Returns the parameters of the policy ``name`` in ``key=value,key=value``; raises ValueError for another form.

    Args:
        factory: the object that makes the policy; None if unknown. Its attribute ``leading``, if any, is the key of a first
            value without a key, which is then text.
    """
    leading = getattr(factory, "leading", None)
    values: dict[str, Any] = {}
    for k, word in enumerate(split_unquoted(text, ",")):
        key, equals, value = word.partition("=")
        if k == 0 and leading is not None and not re.fullmatch("[A-Za-z_-]+=.*", word):
            values |= {leading: word} if word else {}
            continue
        if not equals or not key:
            raise ValueError(f"parameter {word!r} of policy {name!r}: write key=value, separated by commas")
        key = key.replace("-", "_")
        absent = value.lower() == "none" and factory is not None and _may_be_none(factory, key)
        values[key] = None if absent else _parse_value(value)
    return values


def _may_be_none(factory: Callable[..., Any], key: str) -> bool:
    parameter = inspect.signature(factory).parameters.get(key)
    return parameter is not None and parameter.default is None


def _parse_value(text: str) -> Any:
    """Returns a parameter's value from text: an int, a float, a bool (yes, no, true, false) or the text itself."""
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return {"yes": True, "no": False, "true": True, "false": False}.get(text.lower(), text)


def check_parameters(name: str, factory: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
    """Checks the parameters of the object that makes the policy ``name``; raises ValueError for unknown or missing ones."""
    signature = inspect.signature(factory)
    known = [p.name for p in signature.parameters.values()][1:]
    for key in () if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()) else parameters:
        if key not in known:
            allowed = f"its parameters are {', '.join(known)}" if known else "it has none"
            raise ValueError(f"unknown parameter {key!r} of policy {name!r}: {allowed}{did_you_mean(key, known)}")
    try:
        signature.bind(None, **parameters)  # the game
    except TypeError as error:
        raise ValueError(f"the policy {name!r} is made of a game and its parameters: {error}") from None
