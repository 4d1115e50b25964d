"""Rule options of a game."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.checks import did_you_mean, short


@dataclass(frozen=True)
class Option:
    """A rule option, kept in the STATE field ``name``. Methods raise ValueError for what is none of the choices.

    Attributes:
        name: the field of the STATE, and the keyword argument of every environment.
        choices: the allowed values, the default first. The STATE holds booleans and ints as they are, strings by index.
        meaning: one line for people.
    """

    name: str
    choices: tuple[Any, ...]
    meaning: str

    @property
    def default(self) -> Any:
        """Value of the option where none is given."""
        return self.choices[0]

    def encode(self, value: Any) -> int:
        """Returns the int that the STATE holds for a value."""
        for k, choice in enumerate(self.choices):
            if type(choice) is type(value) and choice == value:
                return k if isinstance(choice, str) else int(choice)
        if isinstance(value, (np.bool_, np.integer)):
            return self.encode(value.item())
        allowed = ", ".join(repr(c) for c in self.choices)
        meant = did_you_mean(value, [choice for choice in self.choices if isinstance(choice, str)])
        raise ValueError(f"{self.name} must be one of {allowed}, not {value!r}{meant}")

    def decode(self, code: int) -> Any:
        """Returns the choice for an int of the STATE."""
        for choice in self.choices:
            if self.encode(choice) == code:
                return choice
        raise ValueError(f"{self.name} is none of its choices in this state, but {short(code)}")

    def parse(self, text: str) -> Any:
        """Returns the choice of a text, as `show` prints it."""
        for choice in self.choices:
            if isinstance(text, str) and text.lower() in (show(choice).lower(), str(choice).lower()):
                return choice
        shown = [show(choice) for choice in self.choices]
        meant = did_you_mean(text, shown)
        raise ValueError(f"{self.name} must be one of {', '.join(shown)}, not {text!r}{meant}")


def show(value: Any) -> str:
    """Returns an option's value in text: ``yes`` and ``no`` for booleans."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
