"""The start of a described game's deal as words of its line of text: its random stream, and fixed parts.

``zero`` is the seat that the description calls 0, ``orders`` the final order of each shuffle: numbers of cards from 1 on,
from the bottom to the top (``/`` between shuffles, nothing for a card that is left to chance), ``redrawn`` the actions
behind which the random stream changes.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardenvs.compiled.jit import as_records
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.recycle.running.dealing import forget_orders
from cardenvs.recycle.running.places import KEEP_ORDERS, NOTE_ORDERS
from cardenvs.recycle.running.tables import Kernel

_STREAM = re.compile("[0-9a-f]{16}")


class Deals:
    """A game's deals as text: starts and actions; ``rules`` is its module. Methods are functions of the `GameSpec`."""

    def __init__(self, name: str, dtype: np.dtype[Any], actions: Sequence[str], rules: Any, flaw: Kernel) -> None:
        self._name, self._dtype, self._actions, self._rules, self._flaw = name, dtype, actions, rules, flaw

    def start_fields(self, state: Any) -> dict[str, str]:
        """Returns the fields of a deal's start: its random stream; of an unfinished imagined deal the whole record."""
        if int(state["imagined"]) and int(state["over"]) == RUNNING:
            return {"position": np.asarray(state).tobytes().hex()}
        return start_words(state)

    def set_deal(self, games: Games, i: int, fields: Mapping[str, str]) -> None:
        """Sets a game to the start that `start_fields` wrote; a ValueError for wrong fields."""
        if set(fields) != {"position"}:
            forget_orders(games, i)
            self._rules.restart(games, i, set_start(games[i], fields, self._name))
            return
        octets = bytes.fromhex(fields["position"])
        if len(octets) != self._dtype.itemsize:
            raise ValueError(f"position= must have {2 * self._dtype.itemsize} hexadecimal digits")
        record = as_records(np.frombuffer(octets, self._dtype).copy())
        if self._flaw(record, 0, True) >= 0:
            raise ValueError(f"position= is no position of {self._name}")
        games.view(np.ndarray)[i] = record[0]
        games[i]["moves"] = 0
        games[i]["history"] = 0
        self._rules.resume(games, i)

    def permute_cards(self, state: Any, cards: Sequence[int]) -> Games:
        """Returns the start of a deal with other cards, by number, behind every shuffle, without its actions.

        All shuffles of the deal must have happened in ``state``.
        """
        games = as_records(np.zeros(1, self._dtype))
        games[0] = state
        chance, actions = np.uint64(state["chance"]), state["history"][: int(state["moves"])].tolist()
        games["ordering"] = NOTE_ORDERS
        self._rules.restart(games, 0, chance)
        for action in actions:
            self._rules.step(games, 0, action)
        games[0]["orders"] = np.array([0, *(card + 1 for card in cards)])[games[0]["orders"]]
        games["ordering"] = KEEP_ORDERS
        self._rules.restart(games, 0, chance)
        return games

    def action_names(self, state: Any) -> list[str]:
        if int(state["imagined"]):
            return []
        return [self._actions[int(code)] for code in state["history"][: int(state["moves"])]]


def start_words(state: Any) -> dict[str, str]:
    """Returns the words for the start of a state's deal, by their keys, without those at their default."""
    words = {"chance": f"{int(state['chance']):016x}"}
    if int(state["zero"]):
        words["zero"] = str(int(state["zero"]))
    if int(state["ordering"]) == KEEP_ORDERS:
        rows = [".".join(str(card or "") for card in order.tolist()).rstrip(".") for order in state["orders"]]
        redrawn = [f"{at}:{stream & (1 << 64) - 1:016x}" for at, stream in state["redrawn"].tolist() if at]
        words |= {"orders": "/".join(rows).rstrip("/")} | ({"redrawn": ",".join(redrawn)} if redrawn else {})
    return words


def set_start(game: Any, words: Mapping[str, str], name: str) -> np.uint64:
    """Sets what `start_words` tells in a fresh record; returns its random stream. A ValueError for wrong words."""
    if "chance" not in words or not set(words) <= {"chance", "zero", "orders", "redrawn"}:
        raise ValueError(f"a deal of {name} has chance=, not {' '.join(sorted(words)) or 'nothing'}")
    if not _STREAM.fullmatch(words["chance"]):
        raise ValueError(f"chance={words['chance']}: must be 16 hexadecimal digits")
    shuffles, cards = game["orders"].shape
    seats = int(game["known"].dtype.itemsize) * 8  # at least as many bits as seats
    game["zero"] = _parse_number("zero", words.get("zero", "0"), seats - 1)
    rows = words["orders"].split("/") if words.get("orders") else []
    if len(rows) > shuffles:
        raise ValueError(f"orders: {len(rows)} shuffles, where at most {shuffles} can be told")
    for j, row in enumerate(rows):
        order = [_parse_number("orders", card, cards) if card else 0 for card in row.split(".")]
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
        game["redrawn"][k] = _parse_number("redrawn", at, len(game["history"])), np.uint64(int(stream, 16)).astype(np.int64)
    game["ordering"] = KEEP_ORDERS if "orders" in words or changes else 0
    return np.uint64(int(words["chance"], 16))


def _parse_number(key: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        raise ValueError(f"{key}={text[:40]}: must be a number from 0 to {most}")
    return int(text)
