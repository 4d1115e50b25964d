"""Tables of forms of a game: the names of their files, and which of them are resumed."""

from __future__ import annotations

from pathlib import Path

from cardenvs import get_game
from cardenvs.play.command import _resume_rooms
from cardenvs.play.table import Table
from cardenvs.play.table_setup import default_seats
from cardenvs.play.web.room import Room


def test_tables_are_resume_rooms_as_the_form_that_was_played(tmp_path: Path) -> None:
    names = ("hanabi", "hanabi:players=3")
    for name in names:
        game = get_game(name)
        room = Room(Table(game, ["human", *["random"] * (game.seats - 1)], seed=1), tmp_path)
        assert room.file is not None
        room.file.write_text(room.file_text())
    assert sorted(path.name.rpartition("-")[0] for path in tmp_path.iterdir()) == ["hanabi", "hanabi-players-3"]
    for name in names:
        assert [room.table.game.name for room in _resume_rooms(get_game(name), tmp_path, None)] == [name]


def test_partners_play_every_form() -> None:
    for name in ("hanabi", "hanabi:players=5", "hanabi:hand_size=1,information=0"):
        table = Table(get_game(name), ["piers", *default_seats(get_game(name))[1:]], seed=1)
        for _ in range(5):
            table.act(*table.policy_move())
