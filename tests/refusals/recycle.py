"""Described games: what is no name, no file and no text of a description, and wrong arguments of their environments."""

from collections.abc import Callable
from pathlib import Path

from cardenvs import Batch, get_game, recycle
from cardenvs.recycle import load, parse, shipped
from cardenvs.recycle.game import find
from cardenvs.recycle.language.reader import MOST_CHARACTERS
from tests.refusals import refuse


def file_of(content: bytes) -> Callable[[Path], Path]:
    """A file with some content, in the folder of a test."""

    def write(tmp_path: Path) -> Path:
        (tmp_path / "own.rcy").write_bytes(content)
        return tmp_path / "own.rcy"

    return write


FILES = [
    (b"", "1:1: there is no description"),
    (b"(game\n \xff)", "2:2: the file is not in UTF-8: the byte 0xff"),
    (b"\xef\xbb\xbf(\xff)", "1:2: the file is not in UTF-8"),
    ("(game\n '\u00e4)".encode(), "2:2: '"),
    (b"(game x)", "1:7: (setup ..) must stand here, not x"),
    (b" " * (4 * MOST_CHARACTERS + 1), "1:1: the file is too long"),
    (b"(" * (MOST_CHARACTERS + 1), "1:1: the text is too long"),
]
NAMES = [
    ("heart", "unknown game 'heart': the games are euchre, five-o, hanabi, whist; as descriptions agram, beacon-relay"),
    ("heart", "and files whose names end in .rcy. Did you mean hearts?"),
    ("whisk", "Did you mean whist?"),
    ("heart.rcy", "heart.rcy:1:1: the file cannot be read: No such file or directory. Did you mean hearts.rcy?"),
    (7, "game must be a game's name, one of euchre, five-o, hanabi, whist; as descriptions agram"),
]

REFUSALS = [
    *(refuse(f"own.rcy:{words}", load, file_of(content)) for content, words in FILES),
    refuse("missing.rcy:1:1: the file cannot be read: ", load, lambda tmp_path: f"{tmp_path}/missing.rcy"),
    refuse("/.:1:1: the file cannot be read: ", load, lambda tmp_path: f"{tmp_path}/."),
    refuse("a\0b:1:1: the file cannot be read: ", load, lambda tmp_path: f"{tmp_path}/a\0b"),
    *(refuse("text must be a str, not", parse, wrong) for wrong in (5, None, b"x")),
    *(refuse("path must be a path, not", load, wrong) for wrong in (5, None, b"x")),
    *(refuse(words, get_game, name) for name, words in NAMES),
    refuse("no described game is called 'heart'", shipped, "heart"),
    refuse("Did you mean hearts?", shipped, "heart"),
    refuse("no described game is called 'bridge': there are agram, ", shipped, "bridge"),
    refuse("no described game is called 3: there are", shipped, 3),
    refuse("hartz:1:1: ", find, "hartz"),
    refuse("Did you mean hearts?", find, "hartz"),
    refuse("reward must be one of 'points', 'win'", recycle.env, "kuhn-poker", reward="tricks"),
    refuse("Did you mean kuhn-poker.rcy?", recycle.env, "kuhn-pokr.rcy"),
    refuse("must be one of 'points', 'win', 'score', not 'scores'", Batch, "kuhn-poker", 1, reward="scores"),
]
