"""Objects by name, from installed packages and from this process."""

import functools
from collections.abc import Iterable
from importlib import metadata
from typing import Any, Generic, TypeVar

from cardenvs.checks import did_you_mean

T = TypeVar("T")


class Registry(Generic[T]):
    """Objects by name: entry points of installed packages, and objects that are registered at run time.

    Attributes:
        group: the entry-point group; an entry's name is the object's.
        made: objects registered in this process, by name; they precede installed ones.
    """

    def __init__(self, group: str) -> None:
        self.group = group
        self.made: dict[str, T] = {}
        self._loaded: dict[str, tuple[metadata.EntryPoint, T]] = {}

    @functools.cached_property
    def entries(self) -> dict[str, metadata.EntryPoint]:
        """The entry points by name; reading them loads nothing."""
        return {entry.name: entry for entry in metadata.entry_points(group=self.group)}

    def __contains__(self, name: str) -> bool:
        """Returns whether there is an object of a name; loads nothing."""
        return name in self.made or name in self.entries

    def register(self, name: str, made: T) -> T:
        """Registers an object under a name in this process; returns the object."""
        self.made[name] = made
        return made

    def find(self, name: str) -> T | None:
        """Returns the object of a name, loaded if need be; None if there is none."""
        if name in self.made or name not in self.entries:
            return self.made.get(name)
        entry = self.entries[name]
        if name not in self._loaded or self._loaded[name][0] is not entry:
            self._loaded[name] = entry, entry.load()
        return self._loaded[name][1]

    def names(self) -> list[str]:
        """Returns all names, sorted."""
        return sorted({*self.made, *self.entries})

    def meant(self, name: Any, others: Iterable[str] = ()) -> str:
        """Returns the end of a message on an unknown name (`cardenvs.checks.did_you_mean`); ``others`` are known, too."""
        return did_you_mean(name, [*self.names(), *others])
