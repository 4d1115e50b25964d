"""How a deal of a described game begins, as words of its line of text: its random stream, and what is fixed beside it.

``zero`` is the seat that the description calls 0, ``orders`` the cards by number, from 1 on, in which each shuffle ends,
from the bottom to the top (``/`` between shuffles, nothing for a card that is left to chance), ``redrawn`` the actions
behind which there is another random stream.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.recycle.running.places import KEEP_ORDERS

_STREAM = re.compile("[0-9a-f]{16}")


def start_words(state: Any) -> dict[str, str]:
    """The words for the start of a state's deal, by their keys; those that say nothing are left out."""
    words = {"chance": f"{int(state['chance']):016x}"}
    if int(state["zero"]):
        words["zero"] = str(int(state["zero"]))
    if int(state["ordering"]) == KEEP_ORDERS:
        rows = [".".join(str(card or "") for card in order.tolist()).rstrip(".") for order in state["orders"]]
        redrawn = [f"{at}:{stream & (1 << 64) - 1:016x}" for at, stream in state["redrawn"].tolist() if at]
        words |= {"orders": "/".join(rows).rstrip("/")} | ({"redrawn": ",".join(redrawn)} if redrawn else {})
    return words


def set_start(game: Any, words: Mapping[str, str], name: str) -> np.uint64:
    """Sets what `start_words` tells in a record from which a deal is to begin; returns its random stream.

    Args:
        game: the record, of a deal that nothing is told of yet.
        words: the words by their keys.
        name: the game's name.

    Raises:
        ValueError: other words, or one that tells nothing of the kind.
    """
    if "chance" not in words or not set(words) <= {"chance", "zero", "orders", "redrawn"}:
        raise ValueError(f"a deal of {name} has chance=, not {' '.join(sorted(words)) or 'nothing'}")
    if not _STREAM.fullmatch(words["chance"]):
        raise ValueError(f"chance={words['chance']}: must be 16 hexadecimal digits")
    shuffles, cards = game["orders"].shape
    seats = int(game["known"].dtype.itemsize) * 8  # at least as many bits as seats
    game["zero"] = _number("zero", words.get("zero", "0"), seats - 1)
    rows = words["orders"].split("/") if words.get("orders") else []
    if len(rows) > shuffles:
        raise ValueError(f"orders: {len(rows)} shuffles, where at most {shuffles} can be told")
    for j, row in enumerate(rows):
        order = [_number("orders", card, cards) if card else 0 for card in row.split(".")]
        told = [card for card in order if card]
        if len(order) > cards or len(set(told)) < len(told):
            raise ValueError(f"orders={row}: a shuffle has at most {cards} cards, each once")
        game["orders"][j, : len(order)] = order
    changes = words["redrawn"].split(",") if "redrawn" in words else []
    if len(changes) > len(game["redrawn"]):
        raise ValueError(f"redrawn: {len(changes)} random streams, where at most {len(game['redrawn'])} can be told")
    for k, change in enumerate(changes):
        at, _, stream = change.partition(":")
        if not _STREAM.fullmatch(stream):
            raise ValueError(f"redrawn={change}: must be the number of an action, a colon and 16 hexadecimal digits")
        game["redrawn"][k] = _number("redrawn", at, len(game["history"])), np.uint64(int(stream, 16)).astype(np.int64)
    game["ordering"] = KEEP_ORDERS if "orders" in words or changes else 0
    return np.uint64(int(words["chance"], 16))


def _number(key: str, text: str, most: int) -> int:
    """A number from 0 to ``most``.

    Raises:
        ValueError: another one, or none.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        raise ValueError(f"{key}={text[:40]}: must be a number from 0 to {most}")
    return int(text)
