"""Families of games: forms of one game that parameters choose."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cardenvs.checks import check_int, did_you_mean
from cardenvs.contract.spec import GameSpec


@dataclass(frozen=True)
class Family:
    """Forms of one game, chosen by parameters: an object of the entry-point group of games.

    A form's name has the parameters behind a colon: ``"hanabi:players=3,ranks=4"``, or a preset, ``"hanabi:mini"``, which
    further parameters may follow. The family's name alone is the form without parameters.

    Attributes:
        name: the name of the family, and of the form without parameters.
        make: ``(**parameters) -> GameSpec``, of ints by name: returns the same object for the same form, with a name that
            `form` takes, this ``family`` and a value for every parameter; raises ValueError for an impossible combination.
        ranges: the least and the greatest value of each parameter, by name.
        presets: parameters by the name of the preset.
    """

    name: str
    make: Callable[..., GameSpec]
    ranges: Mapping[str, tuple[int, int]]
    presets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def form(self, chosen: str | None = None, **parameters: int) -> GameSpec:
        """Returns the game of some parameters.

        Args:
            chosen: text behind the colon of a form's name, in which hyphens count as underscores; None for nothing.
            parameters: ints by name, which override ``chosen``.

        Raises:
            ValueError: an unknown parameter or preset, a wrong value, a repeated parameter, or an impossible combination;
                says what is allowed.
        """
        given = ({} if chosen is None else self._parse_parameters(chosen)) | parameters
        for name, value in given.items():
            if name not in self.ranges:
                meant = did_you_mean(name, self.ranges)
                raise ValueError(
                    f"{self.name} has no parameter {name!r}: its parameters are {', '.join(self.ranges)}{meant}"
                )
            given[name] = check_int(f"{name} of {self.name}", value, *self.ranges[name])
        return self.make(**given)

    def _parse_parameters(self, chosen: str) -> dict[str, Any]:
        first, *rest = words = chosen.split(",")
        given: dict[str, Any] = {}
        if first in self.presets:
            given, words = dict(self.presets[first]), rest
        read: dict[str, Any] = {}
        for word in words:
            name, equals, value = word.partition("=")
            name = name.replace("-", "_")
            if not equals:
                meant = did_you_mean(word, [*self.presets, *(f"{one}=" for one in self.ranges)])
                raise ValueError(f"{self.name} has no form {word!r}: its forms are {self.told()}{meant}")
            if name in read:
                raise ValueError(f"{self.name}:{chosen} has {name} twice")
            read[name] = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value
        return given | read

    def told(self) -> str:
        """Returns the names of the presets, and the parameters with their ranges, for messages and lists."""
        return ", ".join([*self.presets, *(f"{name}={low}..{high}" for name, (low, high) in self.ranges.items())])
