"""Described games by name: which names there are, which file a name stands for, and what is said of wrong ones."""

import pickle
from pathlib import Path

import pytest

import cardenvs
from cardenvs import described_names, game_names, get_game
from cardenvs.contract.record import parse_record
from cardenvs.contract.registry import address, game_file, named_game
from cardenvs.recycle import shipped_names
from cardenvs.recycle.game import find
from cardenvs.recycle.library import FOLDER, headline

KUHN = (FOLDER / "kuhn-poker.rcy").read_text()


def test_games_written_in_python_and_described_ones_are_apart() -> None:
    assert game_names() == ["euchre", "five-o", "hanabi", "whist"]
    assert described_names() == sorted({*shipped_names()} - {"euchre", "hanabi", "whist"})
    assert len(described_names()) == 25


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("kuhn-poker", "kuhn-poker"), ("kuhn_poker", "kuhn-poker"), ("kuhn-poker.rcy", "kuhn-poker"),
        (str(FOLDER / "kuhn-poker.rcy"), "kuhn-poker"), ("whist", "whist"), ("whist.rcy", "whist.rcy"),
    ],
)  # fmt: skip
def test_names_of_shipped_games(asked: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = get_game(asked)
    assert spec.name == address(spec) == name
    assert (spec.path is None) == (asked == "whist")
    assert get_game(name) is spec and pickle.loads(pickle.dumps(spec)) is spec
    assert game_names() == ["euchre", "five-o", "hanabi", "whist"]


def test_a_file_that_is_there_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert game_file("kuhn-poker.rcy") == str(FOLDER / "kuhn-poker.rcy")
    Path("kuhn-poker.rcy").write_text(KUHN + ";; mine")
    assert game_file("kuhn-poker.rcy") == "kuhn-poker.rcy"
    mine = get_game("kuhn-poker.rcy")
    assert (mine.name, address(mine), mine.path) == ("kuhn-poker.rcy", "kuhn-poker.rcy", str(tmp_path / "kuhn-poker.rcy"))
    assert mine.digest != get_game("kuhn-poker").digest
    assert game_file("sub/kuhn-poker.rcy") == "sub/kuhn-poker.rcy"
    assert game_file("kuhn-poker") == str(FOLDER / "kuhn-poker.rcy")
    assert game_file("poker.txt") is game_file("whisk") is None


def test_a_file_elsewhere_is_found_again_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, results and networks name a game by its file's name alone."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.rcy").write_text(KUHN)
    monkeypatch.chdir(tmp_path)
    spec = get_game("sub/mine.rcy")
    assert (spec.name, address(spec)) == ("mine.rcy", "sub/mine.rcy")
    assert named_game("mine.rcy") is spec
    monkeypatch.chdir(tmp_path / "sub")
    assert address(spec) == "mine.rcy"
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert address(spec) == spec.path == str(tmp_path / "sub" / "mine.rcy")
    assert named_game("euchre") is get_game("euchre")
    with pytest.raises(ValueError, match=r"mine\.rcy has 2 seats, not 3"):
        parse_record("# seats: a; b; c\nmine.rcy chance=0123456789abcdef actions=")
    known = [get_game("kuhn-poker"), get_game("five-o")]
    with pytest.raises(ValueError, match=r"kuhn-poker has 2 seats, not 3"):
        parse_record("# seats: a; b; c\nkuhn-poker chance=0123456789abcdef actions=", known=known)


def test_what_is_compiled_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.rcy").write_text(KUHN)
    one, other = (get_game(str(tmp_path / folder / "mine.rcy")) for folder in ("one", "other"))
    assert one is not other
    assert one.kernels.deal is other.kernels.deal


def test_a_pickled_game_does_not_become_another(tmp_path: Path) -> None:
    path = tmp_path / "mine.rcy"
    path.write_text(KUHN)
    packed = pickle.dumps(get_game(str(path)))
    path.write_text(KUHN.replace("Kuhn", "My"))
    with pytest.raises(ValueError, match=r"mine\.rcy: the description was changed since its game was pickled"):
        pickle.loads(packed)


def test_descriptions_are_found_by_name_too() -> None:
    """Where only descriptions count, a name means the description, of a game that is also written in Python, too."""
    assert find("whist").players == find("whist.rcy").players == 4


@pytest.mark.parametrize(
    ("first", "said"), [(";; A game.\n", "A game"), ("\ufeff;;  Two. Lines\n;; x\n", "Two. Lines"), ("\n;; late\n", "")]
)
def test_headlines(first: str, said: str) -> None:
    assert headline(first + KUHN[KUHN.index("(game") :]) == said


def test_the_room_is_public_and_reads_without_what_is_compiled() -> None:
    assert cardenvs.recycle.shipped_names() == shipped_names()
    assert callable(cardenvs.recycle.env) and "env" in dir(cardenvs.recycle)
