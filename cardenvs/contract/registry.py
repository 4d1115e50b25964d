"""Games by name: installed, described in files, or registered."""

import copyreg
import functools
import operator
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from cardenvs.checks import short
from cardenvs.contract.entries import Registry
from cardenvs.contract.forms import Family
from cardenvs.contract.spec import GameSpec

GAMES: Registry[GameSpec | Family] = Registry("cardenvs.games")
"""Games that packages announce, or that were registered: an entry's name is the game's, its object the `GameSpec`; or the
name of a `Family`, its object."""
FILES: Registry[Callable[[str], GameSpec]] = Registry("cardenvs.game_files")
"""Games that stand in files: an entry's name is the file extension, such as ``rcy``, its object a function that returns the
`GameSpec` of a path."""
FOLDERS: Registry[str | os.PathLike[str]] = Registry("cardenvs.game_folders")
"""Folders of such files that packages bring: an entry's object is a path. Each file in it is a game with the file's name
without its extension; where an installed game has that name, with the extension."""

_FROM_FILES: dict[str, GameSpec] = {}


def _is_described(name: str) -> bool:
    return Path(name).suffix.removeprefix(".") in FILES


@functools.cache
def _shipped_files() -> dict[str, str]:
    """Returns the absolute paths of the files that packages bring, by their names without extensions."""
    folders = [os.path.abspath(entry.load()) for entry in FOLDERS.entries.values()]
    files = (Path(folder, name) for folder in folders for name in sorted(os.listdir(folder)))
    return {file.stem: str(file) for file in files if _is_described(file.name)}


def register_game(spec: GameSpec) -> GameSpec:
    """Makes a game known to `get_game` in this process, before any installed game of its name; returns the spec."""
    GAMES.register(spec.name, spec)
    return spec


def get_game(game: str | GameSpec) -> GameSpec:
    """Returns the spec of a game.

    Args:
        game: a name of `game_names` or `described_names`, in which underscores count as hyphens, possibly with parameters
            behind a colon, such as ``"hanabi:players=3"`` (`cardenvs.contract.forms.Family`); the file that describes a
            game, as `game_file` takes it, such as ``"games/hearts.rcy"``; or a spec, which is returned as it is.

    Raises:
        ValueError: no such game or form, with the known ones; or a file that describes no game, with the place and reason.
    """
    if isinstance(game, GameSpec):
        return game
    if not isinstance(game, str):
        raise ValueError(f"game must be a game's name, one of {_known_games()}, or its spec, not {short(game)}")
    made = None if _is_described(game) else _find_installed(game)
    if made is not None:
        return made
    file = game_file(game)
    if file is None:
        meant = GAMES.meant(game.partition(":")[0], described_names())
        raise ValueError(f"unknown game {game!r}: the games are {_known_games()}{meant}")
    described = FILES.find(Path(file).suffix.removeprefix("."))
    assert described is not None  # or the file would be none of a game
    spec = described(file)
    _FROM_FILES[spec.name] = spec
    return spec


def _find_installed(game: str) -> GameSpec | None:
    """Returns the announced or registered game of a name; None if there is none."""
    base, colon, chosen = game.partition(":")
    for name in (game, base.replace("_", "-")):
        made = GAMES.find(name)
        if isinstance(made, Family):
            return made.form(chosen if colon else None)
        if made is not None and (name == game or not colon):
            return made
    if colon and (made is not None or os.path.isfile(game_file(base) or "")):
        raise ValueError(f"{base} has no forms: its name stands alone, not as {short(game)}")
    return None


def family_of(spec: GameSpec) -> Family | None:
    """Returns the family of which a game is a form; None for a game without forms."""
    made = GAMES.find(spec.family)
    return made if isinstance(made, Family) else None


def short_name(spec: GameSpec) -> str:
    """Returns the name of a game for tables: that of a form by its preset if it has one, such as ``"hanabi:tiny"``."""
    family = family_of(spec)
    if family is None:
        return spec.name
    presets = (f"{family.name}:{preset}" for preset in family.presets if family.form(preset).name == spec.name)
    return next(presets, spec.name)


def full_title(spec: GameSpec) -> str:
    """Returns the title of a game for reports, with the short name of a form, such as ``"Hanabi (hanabi:tiny)"``."""
    return f"{spec.title} ({short_name(spec)})" if ":" in short_name(spec) else spec.title


def another_form(spec: GameSpec, **parameters: int) -> GameSpec:
    """Returns the form of a game of a family (`family_of`) with other parameters, and recall as the game has.

    Raises:
        ValueError: as `cardenvs.contract.forms.Family.form`.
    """
    family = family_of(spec)
    assert family is not None
    _, colon, chosen = spec.name.partition(":")
    return family.form(chosen if colon else None, **parameters).with_recall(spec.recall)


def named_game(name: str) -> GameSpec:
    """Returns the game of a spec's name, as settings, results and stored networks have it.

    A file's name means the latest of that name that `get_game` has loaded in this process; if there is none, ``name`` is
    taken as `get_game` takes it.
    """
    made = _FROM_FILES.get(name) if isinstance(name, str) else None
    return get_game(name) if made is None else made


def game_file(game: str) -> str | None:
    """Returns the path of the file that describes a game; None where ``game`` names none.

    Args:
        game: the path of a file with a known extension (`FILES`), which need not exist; the name of such a file without a
            folder, in the current folder if it is there, else one that ships with a package; or the name of a shipped file
            without its extension, in which underscores count as hyphens.

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
    """Returns the name of the game of a file's absolute path: without its extension if that is enough to load it."""
    name, stem = os.path.basename(path), Path(path).stem
    return stem if _shipped_files().get(stem) == path and stem not in game_names() else name


def game_names() -> list[str]:
    """Returns the names of all games that are written in Python, sorted: installed ones and those of `register_game`.

    Shipped descriptions are apart (`described_names`), as each takes a quarter of a minute to compile.
    """
    return GAMES.names()


def described_names() -> list[str]:
    """Returns the names of the games that ship as descriptions, sorted; each is read and compiled on first use.

    A description of a game that is also written in Python goes by its file's name instead (``"whist.rcy"``).
    """
    return sorted({*_shipped_files()} - {*game_names()})


def _known_games() -> str:
    endings = " or ".join(f".{name}" for name in FILES.names())
    described = ", ".join(described_names())
    return f"{', '.join(game_names())}; as descriptions {described}; and files whose names end in {endings}"


def address(spec: GameSpec) -> str:
    """Returns the address of a game for `get_game` and the command line: its name, or its file's path."""
    if spec.path is None or os.path.abspath(game_file(spec.name) or "") == spec.path:
        return spec.name
    seen_from_here = os.path.relpath(spec.path)
    return spec.path if seen_from_here.startswith(os.pardir) else seen_from_here


def _reduce_spec(spec: GameSpec) -> Any:
    """Pickles a spec: an installed game by its name, a described one by its file, another one by its fields."""
    if spec.recall:
        return operator.attrgetter("recalling"), (spec.plain,)
    if spec.family in GAMES.entries and _find_installed(spec.name) is spec:
        return get_game, (spec.name,)
    if spec.path is not None:
        return _described_alike, (spec.path, spec.digest)
    values = {name.name: getattr(spec, name.name) for name in fields(spec) if name.init}
    return functools.partial(GameSpec, **{name: getattr(value, "trusting", value) for name, value in values.items()}), ()


copyreg.pickle(GameSpec, _reduce_spec)


def _described_alike(path: str, digest: str) -> GameSpec:
    """Unpickles the game of a file; raises ValueError if the description has changed."""
    spec = get_game(path)
    if spec.digest != digest:
        raise ValueError(f"{path}: the description was changed since its game was pickled")
    return spec
