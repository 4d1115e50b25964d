"""Links for a phone: an address that it finds, and codes that its camera reads."""

import ipaddress

import pytest

segno = pytest.importorskip("segno")

from cardenvs.cli import main  # noqa: E402
from cardenvs.play import web  # noqa: E402
from cardenvs.play.web import server  # noqa: E402
from cardenvs.play.web.qr import qr_text  # noqa: E402

LINK = "http://192.168.1.20:8765/table/8Yh2kq/seat/0/4f0f4d0a1b"
MODULES = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}


def modules(text):
    """The modules of a code that was drawn with blocks, without its margin."""
    pairs = [[MODULES[block] for block in line] for line in text.splitlines()]
    rows = [[pair[half] for pair in line] for line in pairs for half in (0, 1)]
    size = len(rows[0]) - 4
    assert not any(map(any, [*rows[:2], *rows[2 + size : 4 + size]]))
    assert not any(row[0] or row[1] or row[-1] or row[-2] for row in rows[: 4 + size])
    return [row[2:-2] for row in rows[2 : 2 + size]]


def test_a_code_has_the_link():
    assert modules(qr_text(LINK)) == [list(row) for row in segno.make(LINK, micro=False).matrix]
    assert modules(qr_text(LINK)) != modules(qr_text(LINK[:-1] + "c"))


def test_a_table_for_all_addresses_is_announced_by_one_that_a_phone_finds():
    assert not ipaddress.ip_address(server._link_address("0.0.0.0").strip("[]")).is_unspecified


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)])
def test_links_that_others_reach_are_shown_as_codes(host, shown, monkeypatch, tmp_path, capsys):
    async def serve(rooms, host, port, *, started, **settings):
        started(server.links(rooms[0], "http://192.168.1.20:8765"))

    monkeypatch.setattr(web, "serve", serve)
    words = ["play", "whist", "--seats", "human,low,human,low", "--host", host, "--folder", str(tmp_path)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.count("by a phone in the same network") == (2 if shown else 0)
    assert ("█" in out) == shown
