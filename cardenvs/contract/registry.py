"""Games by name: those that packages announce, those in files, and those that were registered."""

from __future__ import annotations

import copyreg
import functools
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from cardenvs.checks import short
from cardenvs.contract.spec import GameSpec
from cardenvs.plugins import Registry

GAMES: Registry[GameSpec] = Registry("cardenvs.games")
"""Games that packages announce, or that were registered: an entry's name is the game's, its object the `GameSpec`."""
FILES: Registry[Callable[[str], GameSpec]] = Registry("cardenvs.game_files")
"""Games that stand in files: an entry's name is the ending of their names, such as ``rcy``, its object a function that
makes the `GameSpec` of a path."""
FOLDERS: Registry[str | os.PathLike[str]] = Registry("cardenvs.game_folders")
"""Folders of such files that packages bring: an entry's object is a folder's path. Each file in it is a game that goes by
the file's name without its ending; where an installed game has that name, with the ending."""

_FROM_FILES: dict[str, GameSpec] = {}


def _is_described(name: str) -> bool:
    """Whether the ending of a file's name is one of files that describe games."""
    return Path(name).suffix.removeprefix(".") in FILES


@functools.cache
def _shipped_files() -> dict[str, str]:
    """The absolute paths of the files that packages bring, by their names without endings."""
    folders = [os.path.abspath(entry.load()) for entry in FOLDERS.entries.values()]
    files = (Path(folder, name) for folder in folders for name in sorted(os.listdir(folder)))
    return {file.stem: str(file) for file in files if _is_described(file.name)}


def register_game(spec: GameSpec) -> GameSpec:
    """Makes a game known to `get_game` in this process, before any installed game of its name; returns the spec."""
    return GAMES.register(spec.name, spec)


def get_game(game: str | GameSpec) -> GameSpec:
    """The spec of a game.

    Args:
        game: a name of `game_names` or `described_names`, in which underscores count as hyphens; the file that describes a
            game, as `game_file` takes it, such as ``"games/hearts.rcy"``; or a spec, which is returned as it is.

    Raises:
        ValueError: no such game; names the known games. Or the file describes none; says where and why.
    """
    if isinstance(game, GameSpec):
        return game
    if not isinstance(game, str):
        raise ValueError(f"game must be a game's name, one of {_known_games()}, or its spec, not {short(game)}")
    name = game.replace("_", "-")
    made = None if _is_described(game) else GAMES.find(name)
    if made is not None:
        return made
    file = game_file(game)
    if file is None:
        meant = GAMES.meant(game, described_names())
        raise ValueError(f"unknown game {game!r}: the games are {_known_games()}{meant}")
    described = FILES.find(Path(file).suffix.removeprefix("."))
    assert described is not None  # or the file would be none of a game
    spec = described(file)
    _FROM_FILES[spec.name] = spec
    return spec


def named_game(name: str) -> GameSpec:
    """The game of a spec's name, as settings, results and stored networks have it.

    Args:
        name: `GameSpec.name`. A file may lie anywhere: this is the one of that name that `get_game` was asked for last in
            this process; if it was asked for none, ``name`` is taken as `get_game` takes it.

    Raises:
        ValueError: no such game.
    """
    made = _FROM_FILES.get(name) if isinstance(name, str) else None
    return get_game(name) if made is None else made


def game_file(game: str) -> str | None:
    """The file that describes a game: a path; None where ``game`` names none.

    Args:
        game: the path of a file whose ending is known (`FILES`), which need not be there; the name of such a file
            without a folder, which is that in the current folder if there is one, else the one that ships with a package;
            or the name of a file that ships, without its ending, in which underscores count as hyphens.

    Raises:
        ValueError: ``game`` is no text.
    """
    if not isinstance(game, str):
        raise ValueError(f"game must be the name or the path of a described game, not {short(game)}")
    path = Path(game)
    if not _is_described(path.name):
        return _shipped_files().get(game.replace("_", "-"))
    shipped = _shipped_files().get(path.stem)
    if shipped is not None and os.path.basename(shipped) == game and not os.path.lexists(game):
        return shipped
    return game


def file_game_name(path: str) -> str:
    """The name of the game that a file describes: the file's name, without its ending where it can be had by that name.

    Args:
        path: the file's absolute path.
    """
    name, stem = os.path.basename(path), Path(path).stem
    return stem if _shipped_files().get(stem) == path and stem not in game_names() else name


def game_names() -> list[str]:
    """The names of all games that are written in Python, sorted: installed ones and those of `register_game`.

    These are what tests and commands mean by all games. Those that ship as descriptions are apart (`described_names`): a
    program that went through them, too, would first wait a quarter of a minute for each to be compiled.
    """
    return GAMES.names()


def described_names() -> list[str]:
    """The names of the games that ship as descriptions, sorted; each is read and compiled when it is first asked for.

    A description of a game that is also written in Python is not among them: it goes by its file's name
    (``"whist.rcy"``).
    """
    return sorted({*_shipped_files()} - {*game_names()})


def _known_games() -> str:
    """The possible names of a game, for messages."""
    endings = " or ".join(f".{name}" for name in FILES.names())
    described = ", ".join(described_names())
    return f"{', '.join(game_names())}; as descriptions {described}; and files whose names end in {endings}"


def address(spec: GameSpec) -> str:
    """The address of a game for `get_game` and the command line, in the current folder: its name, or its file's path."""
    if spec.path is None or os.path.abspath(game_file(spec.name) or "") == spec.path:
        return spec.name
    seen_from_here = os.path.relpath(spec.path)
    return spec.path if seen_from_here.startswith(os.pardir) else seen_from_here


def _reduced(spec: GameSpec) -> Any:
    """The pickled form of a spec: an installed game by its name, a described one by its file, another one by its fields."""
    if spec.recall:
        return _recalling, (spec.plain,)
    if spec.name in GAMES.entries and GAMES.find(spec.name) is spec:
        return get_game, (spec.name,)
    if spec.path is not None:
        return _described_alike, (spec.path, spec.digest)
    values = {name.name: getattr(spec, name.name) for name in fields(spec) if name.init}
    return _rebuilt, ({name: getattr(value, "trusting", value) for name, value in values.items()},)


copyreg.pickle(GameSpec, _reduced)


def _described_alike(path: str, digest: str) -> GameSpec:
    """The game that a file describes, as pickled.

    Raises:
        ValueError: the file describes no game any more, or another one than that which was pickled.
    """
    spec = get_game(path)
    if spec.digest != digest:
        raise ValueError(f"{path}: the description was changed since its game was pickled")
    return spec


def _recalling(spec: GameSpec) -> GameSpec:
    """The spec with recall."""
    return spec.recalling


def _rebuilt(values: dict[str, Any]) -> GameSpec:
    """A spec from its fields, as pickled."""
    return GameSpec(**values)
