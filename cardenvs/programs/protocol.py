"""The messages between a match and a program that plays: JSON objects, one a line, in UTF-8.

The match sends ``hello``, and the program answers ``ready``, possibly after messages ``preparing``; each ``decide`` is
answered by an ``action``; ``bye`` ends it. The page "Agents in any language" of the documentation has the details.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes
from cardenvs.contract.observed import prompt_of_row
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import printable

PROTOCOL = 1  # the version of the protocol
FORMS = ("parts", "text", "bits", "prompt", "prompt-no-legal")
"""Forms of observations: set labels by part, text for people, all bits, prompts with and without legal actions."""
LONGEST = 1 << 20  # maximum length of a line that a program may write, in bytes


class NoMessage(ValueError):
    """A line that is no JSON object."""


def encode_line(message: Mapping[str, Any]) -> bytes:
    """Returns a message as a line for the pipe."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode_line(text: bytes) -> dict[str, Any]:
    """Returns the message of a line; raises `NoMessage` if it is no JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NoMessage(f"a line that is no JSON object: {excerpt(text)}")
    return found


def excerpt(text: bytes) -> str:
    """Returns the beginning of a line, for error messages."""
    plain = printable(text[:400].decode("utf-8", "replace").strip())
    return repr(plain if len(plain) <= 80 else f"{plain[:77]}...")


class Wording:
    """Messages to a program about a game's positions."""

    def __init__(self, game: GameSpec) -> None:
        self.game = game
        self._places = [(part.name, label) for part in game.parts for label in part.labels]

    def hello_message(self, asked: Sequence[int] | None = None) -> dict[str, Any]:
        """Returns the first message; ``asked`` are the seats that the program decides for, None if they are not known."""
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            "game": self.game.name,
            "title": self.game.title,
            "seats": self.game.seats,
            "asked": None if asked is None else list(asked),
            "actions": list(self.game.actions),
            "parts": {part.name: list(part.labels) for part in self.game.parts},
            "forms": list(FORMS),
            "preparing": True,
        }

    def encode_observation(self, row: Bytes, mask: Bytes, form: str) -> Any:
        """Returns an observation, int8 (observation_size,), in one of `FORMS`; the mask is int8 (num_actions,)."""
        if form.startswith("prompt"):
            return prompt_of_row(self.game, row, mask, legal=form == "prompt")
        if form == "bits":
            return row.tolist()
        if form == "text":
            return self.game.describe(row)
        parts: dict[str, list[str]] = {}
        for column in np.flatnonzero(row).tolist():
            name, label = self._places[column]
            parts.setdefault(name, []).append(label)
        return parts

    def decide_message(
        self, number: int, row: Bytes, mask: Bytes, form: str, seed: int, seat: int | None = None, game: int | None = None
    ) -> dict[str, Any]:
        """Returns a question for a decision.

        Args:
            number: the number of the decision, from 1 on.
            row: int8 (observation_size,).
            mask: int8 (num_actions,).
            form: one of `FORMS`.
            seed: a random number of 64 bits for this decision.
            seat: the deciding seat; None if it is not known.
            game: the number of the game, from 1 on in the order of their first questions; None likewise.
        """
        actions = self.game.actions
        return {
            "type": "decide",
            "number": number,
            "seat": seat,
            "game": game,
            "legal": [actions[k] for k in np.flatnonzero(mask).tolist()],
            "observation": self.encode_observation(row, mask, form),
            "seed": seed,
        }
