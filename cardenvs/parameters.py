"""Types of command-line parameters that are checked before any work is done: files and folders to write, numbers, names."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from cardenvs.printing import remark
from cardenvs.randomness import DRAWN_BITS, RANDOM, drawn_seed


def split_names(text: str) -> list[str]:
    """The names in a text with commas between them; parameters stay with their policy, a command line is whole.

    Args:
        text: such as ``"pimc:worlds=30,solver=dds,learned"``, which has two names.

    Raises:
        ValueError: a name is empty.
    """
    names: list[str] = []
    for part in text.split(","):
        if names and ("exec:" in names[-1] or re.match(r"[\w-]+=", part) or Path(f"{names[-1]},{part}").is_file()):
            names[-1] += f",{part}"
        else:
            names.append(part)
    if not all(names):
        raise ValueError(f"{text!r} has an empty name between its commas")
    return names


class Several(click.ParamType):
    """Values of which one word of the command line may have several, with commas between; for `flat`.

    Args:
        kind: the type of each value.
    """

    def __init__(self, kind: click.ParamType = click.STRING) -> None:
        self.kind = kind
        self.name = kind.name

    def get_metavar(self, *args: Any, **named: Any) -> str | None:
        """What stands for a value in help: what its type says."""
        return self.kind.get_metavar(*args, **named)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        """The values in a word; an empty one, or one that the type refuses, is a usage error."""
        if isinstance(value, tuple):
            return value
        try:
            names = split_names(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return tuple(self.kind.convert(name, param, ctx) for name in names)


def flat(ctx: click.Context, param: click.Parameter, values: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """All values of words that may have several each (`Several`), as a click callback."""
    return tuple(one for word in values for one in word)


class OutFile(click.ParamType):
    """The path of a file to be written.

    Args:
        make: whether a folder that is not there will be made; if not, it must be there.
    """

    name = "file"

    def __init__(self, make: bool = False) -> None:
        self.make = make

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path; one that cannot be written is a usage error, which says why."""
        path = Path(value)
        shown = repr(os.fspath(value))
        try:
            if not str(value):
                self.fail(f"{shown} is no file's name", param, ctx)
            if path.is_dir():
                self.fail(f"{shown} is a directory", param, ctx)
            if path.exists() and not path.is_file():
                self.fail(f"{shown} is no plain file", param, ctx)
            folder = _nearest(path.parent) if self.make else path.parent
            _check_folder(self, folder, f"{shown}: ", param, ctx)
        except OSError as error:
            self.fail(f"{shown}: {error.strerror}", param, ctx)
        return path


class OutFolder(click.ParamType):
    """The path of a folder to be written to, which is made if it is not there."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path; one that is no folder and cannot be made into one is a usage error, which says why."""
        path = Path(value)
        shown = repr(os.fspath(value))
        try:
            if not str(value):
                self.fail(f"{shown} is no folder's name", param, ctx)
            if path.exists() and not path.is_dir():
                self.fail(f"{shown} is not a folder", param, ctx)
            _check_folder(self, _nearest(path), f"{shown}: ", param, ctx)
        except OSError as error:
            self.fail(f"{shown}: {error.strerror}", param, ctx)
        return path


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(each for each in (folder, *folder.absolute().parents) if each.exists())


def _check_folder(
    kind: click.ParamType, folder: Path, shown: str, param: click.Parameter | None, ctx: click.Context | None
) -> None:
    """Fails if a folder is not there, is none or cannot be written to."""
    if not folder.exists():
        kind.fail(f"{shown}there is no folder {str(folder)!r}", param, ctx)
    if not folder.is_dir():
        kind.fail(f"{shown}{str(folder)!r} is not a folder", param, ctx)
    if not os.access(folder, os.W_OK | os.X_OK):
        kind.fail(f"{shown}the folder {str(folder)!r} cannot be written to", param, ctx)


class Seed(click.ParamType):
    """A random seed; ``random`` draws one that nobody can guess, which is told when the command is over.

    Args:
        bits: how many bits it has at most that is drawn.
    """

    name = "seed"

    def __init__(self, bits: int = DRAWN_BITS) -> None:
        self.bits = bits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seed; anything else is a usage error."""
        if value != RANDOM:
            return int(click.IntRange(min=0, max=None).convert(value, param, ctx))
        seed = drawn_seed(self.bits)
        if ctx is not None:
            ctx.call_on_close(lambda: remark(f"the seed was {seed}: the same again with --seed {seed}"))
        return seed


class FiniteRange(click.FloatRange):
    """A number within bounds; nan and the infinities are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; anything else is a usage error, which names the bounds."""
        number = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number in the range {self._describe_range()}", param, ctx)
        return float(super().convert(value, param, ctx))
