"""Records of games: deals as lines, players above them."""

import pytest

from cardenvs.contract.record import read_record, seats_line
from cardenvs.contract.registry import game_names, get_game
from tests.refusals import check_refused


@pytest.mark.parametrize("game", game_names())
def test_what_was_written_is_read(game, tmp_path):
    spec = get_game(game)
    players = [f"pimc:worlds={k},depth=3" for k in range(spec.seats)]
    lines = []
    for seed in range(3):
        state = spec.deal(seed)
        for _ in range(5):
            legal = spec.legal(state)
            spec.kernels.step(state, 0, legal.bit_length() - 1)  # the first one loses Hanabi in three
        lines.append(spec.text(state[0]))
    path = tmp_path / "games.txt"
    path.write_text("\n".join(["# a remark", seats_line(players), *lines, ""]))
    deals = read_record(path)
    assert [deal.line for deal in deals] == lines
    assert [deal.number for deal in deals] == [3, 4, 5]
    assert all(deal.players == tuple(players) for deal in deals)
    assert all(spec.text(deal.state[0]) == deal.line for deal in deals)


def test_descriptions_of_games_lie_here_or_beside_the_record(tmp_path, monkeypatch):
    """What is wrong with a file tells which one is read; none is read for a path, which a record of others may name."""
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    record = tmp_path / "sub" / "games.txt"
    record.write_text("my%20game.rcy chance=0123456789abcdef actions=\n")
    with pytest.raises(ValueError, match=r"line 1: .*'my game\.rcy' is neither in this folder nor in that of the record"):
        read_record(record)
    (tmp_path / "sub" / "my game.rcy").write_text("(game)")
    with pytest.raises(ValueError, match=rf"line 1: .*{tmp_path}/sub/my game\.rcy:1:"):
        read_record(record)
    (tmp_path / "my game.rcy").write_text("(game")
    check_refused("its game: my game.rcy:1:", read_record, record)


def test_wrong_records_say_where(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_record(tmp_path / "none.txt")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    check_refused("it is not text", read_record, tmp_path / "binary")
