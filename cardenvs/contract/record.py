"""Records of games as text files: the players at the seats, and each deal as one line.

A line is a deal as `GameSpec.text` writes it, actions included. A line ``# seats: hybrid; high; hybrid; high`` names the
players at the seats, in order, of the deals that follow; other lines that begin with ``#``, and empty ones, are remarks.
Saved games, matches (``cardenvs match --record``) and reviews share this format.
"""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from cardenvs.contract.fields import Games
from cardenvs.contract.lines import named_in
from cardenvs.contract.registry import game_file, game_names, get_game, named_game
from cardenvs.contract.spec import GameSpec

SEATS = "# seats:"
"""The beginning of a line that names the players."""


@dataclass(frozen=True)
class Deal:
    """A deal of a record.

    Attributes:
        game: the game.
        line: the deal's text, as `GameSpec.text` writes it.
        state: the deal with its actions played, shape (1,).
        players: the name of the player at each seat; empty if the record names none.
        number: the number of the deal's line in its file, from 1.
    """

    game: GameSpec
    line: str
    state: Games
    players: tuple[str, ...]
    number: int


def seats_line(players: Sequence[str]) -> str:
    """Returns the line of a record with the players of the seats; raises ValueError for a line end or ``;`` in a name."""
    for player in players:
        if ";" in player or len(f"{player}.".splitlines()) > 1:
            raise ValueError(f"the player {player!r} cannot stand in a record: no line end and no ';' may be in a name")
    return f"{SEATS} {'; '.join(players)}"


def parse_record(text: str, source: str = "record", known: Collection[GameSpec] = (), folder: str = "") -> list[Deal]:
    """Returns the deals of a record's text.

    Args:
        text: the whole text of the record.
        source: the name of the record in error messages.
        known: games that deals may be of, such as a described one. If given, all other deals must be of games that are
            written in Python, so that an untrusted text makes no file be read.
        folder: a folder, besides the current one, for files that describe the record's games.

    Raises:
        ValueError: a line is no deal, or does not name a player for each seat; says which line.
    """
    deals: list[Deal] = []
    players: tuple[str, ...] = ()
    games = {game.word: game for game in known}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith(SEATS):
            players = tuple(name.strip() for name in line.removeprefix(SEATS).split(";"))
        if not line or line.startswith("#"):
            continue
        try:
            word = line.split()[0]
            game = games[word] if word in games else _game_of_word(word, folder, bool(games))
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: a deal begins with the name of its game: {error}") from error
        if players and len(players) != game.seats:
            raise ValueError(f"{source}, line {number}: {game.name} has {game.seats} seats, not {len(players)}")
        try:
            deals.append(Deal(game, line, game.parse(line), players, number))
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from error
    return deals


def _game_of_word(word: str, folder: str, written: bool) -> GameSpec:
    """Returns the game that the first word of a line names; a file's name must have no folder. Games played in this process
    are known; other files are looked for in the current folder and in ``folder``."""
    name = named_in(word)
    if written and name.partition(":")[0] not in game_names():
        raise ValueError(f"{name!r} is not played here")
    if os.path.basename(name) != name:
        raise ValueError(f"{name!r} is no game's name, but a path")
    beside = os.path.join(folder, name)
    elsewhere = Path(name).suffix != "" and game_file(name) is not None and not os.path.lexists(name)
    if elsewhere and os.path.isfile(beside):
        return get_game(beside)
    try:
        return named_game(name)
    except ValueError:
        if elsewhere and game_file(name) == name:
            where = "is neither in this folder nor in that of the record"
            raise ValueError(f"the description {name!r} {where}") from None
        raise


def read_record(path: str | os.PathLike[str], known: Collection[GameSpec] = ()) -> list[Deal]:
    """Returns the deals of a record's file; files that describe its games are also looked for in the record's folder.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not text, or a line is no deal or does not name a player for each seat; says which.
    """
    name = os.fspath(path)
    return parse_record(record_text(name), repr(name), known, os.path.dirname(name))


def record_text(path: str | os.PathLike[str]) -> str:
    """Returns the text of a record's file; raises FileNotFoundError if there is none, ValueError if it is not text."""
    name = os.fspath(path)
    if not Path(name).is_file():
        raise FileNotFoundError(2, "no record there", name)
    try:
        return Path(name).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name!r} is no record of games: it is not text") from error
