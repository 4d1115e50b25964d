"""What a page may ask of a server of tables, what waits for a slow page, and what the server tells its owner."""

import asyncio
import contextlib
import inspect
import os
import signal
import socket

import pytest

from cardenvs import policy
from cardenvs.cli import main
from cardenvs.contract.registry import get_game
from cardenvs.play import Table
from cardenvs.play.web import messages
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.policy_names import LIMITS, check_name
from cardenvs.play.web.server_log import report
from cardenvs.policy.registry import policy_makers
from tests.helpers.pages import at, eventually, full_disk, room_of, run, seated, serving, state_of
from tests.helpers.players import maker
from tests.helpers.tables import people


def test_every_number_that_makes_a_policy_slower_has_its_own_bound():
    known = {"threshold", "prior", "doubt", "row", "sample", "joint", "choices", "exploration"}
    for game in ("euchre", "whist", "five-o"):
        for name in policy.default_names(game):
            for key, parameter in inspect.signature(policy_makers(get_game(game))[name]).parameters.items():
                if isinstance(parameter.default, (int, float)) or key == "seconds":
                    assert key in LIMITS or key in known, (name, key)
    for name in ("pimc:worlds=1000,exact_cards=8", "hybrid:threshold=0.5", "split:calls=pimc,plays=hybrid", "high"):
        check_name(name)


async def test_what_a_page_may_not_ask_is_refused_and_what_the_owner_named_is_not():
    owned = "pimc:worlds=2000"
    async with seated(room_of("euchre", f"human {owned} high high", pause=60), 0) as (_, _, page):
        for kind in ({"type": "hint"}, {"type": "seat", "seat": 1}):
            assert "worlds may be 1000" in await page.refused(**kind, policy="learned-search:worlds=3000000")
            assert "worlds may be 1000" in await page.refused(**kind, policy="pimc:worlds=1e12")
        await page.send(type="seat", seat=2, policy=owned)
        await page.until(lambda page: page.state["seats"][2]["policy"] == owned)
        await page.send(type="seat", seat=3, policy="pimc:worlds=3")
        await page.until(lambda page: page.state["seats"][3]["policy"] == "pimc:worlds=3")


async def test_a_policy_that_hangs_on_a_hint_is_given_up(monkeypatch, hanging):
    monkeypatch.setattr(messages, "HINT_SECONDS", 0.3)
    room = room_of("whist", make=maker(hangs=hanging))
    async with serving(room) as house:
        page = await house.page(room.table.to_act)
        assert "longer than 0.3 s" in (await page.ask("error", type="hint", policy="hangs"))["message"]
        hanging.release.set()


class Socket:
    """A socket that keeps what is sent."""

    def __init__(self):
        self.sent = []

    async def send_str(self, data):
        self.sent.append(data)

    async def close(self, *, code, message): ...


async def test_a_page_that_does_not_read_its_replies_is_not_read_either():
    page = Connection(0, Socket())
    for _ in range(20):
        page.reply(type="error", message="no")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(page.wait_until_read(), 0.05)
    sending = asyncio.create_task(page.run_sender())
    await asyncio.wait_for(page.wait_until_read(), 10)
    sending.cancel()


async def test_a_state_that_a_page_has_is_sent_again_only_if_asked():
    page = Connection(0, socket := Socket())
    sending = asyncio.create_task(page.run_sender())
    for state, again in (("a", False), ("a", False), ("a", True), ("b", False), ("a", False)):
        page.show_state(state, again=again)
        await asyncio.sleep(0.01)
    sending.cancel()
    assert socket.sent == ["a", "a", "b", "a"]


def test_a_table_does_not_grow_without_end(monkeypatch):
    monkeypatch.setattr("cardenvs.play.table._EARLIER", 5)
    table = Table("five-o", people("five-o"), seed=1)
    for _ in range(9):
        table.act(table.to_act, table.legal()[0])
        table.new_deal()
    assert [deal.number for deal in table.earlier] == [5, 6, 7, 8, 9]


def test_malformed_requests_are_one_line_each_without_what_they_say(start, tmp_path):
    server = start("euchre", "--folder", str(tmp_path), "--port", "0")
    port = int(server.links["url"].rpartition(":")[2])
    token = server.links["seats"][0]["url"].rpartition("/")[2]
    for raw in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET /\x1b[31m HTTP/9.9\r\n\r\n",
                f"GET /t/x/{token} x y\r\n\r\n".encode(),
                b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"\x00" * 100 + b"\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500 + b"\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):  # fmt: skip
        with socket.create_connection(("127.0.0.1", port), 10) as one, contextlib.suppress(OSError):
            one.sendall(raw)
            one.shutdown(socket.SHUT_WR)
            while one.recv(4096):
                pass

    assert run(at(server.links["seats"][0]["url"], state_of))["you"] == 0
    status, out, err = server.end(signal.SIGINT)
    assert (status, out) == (0, "")
    assert "Traceback" not in err and "\x1b" not in err and token not in err
    lines = [line for line in err.splitlines() if line.startswith("cardenvs: ")]
    assert 1 <= len(lines) <= 8 and any("request" in line for line in lines)


def test_what_the_owner_is_told_is_one_short_line(capsys):
    report("a fault \x1b[31m\n" + "x" * 1000)
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "\x1b" not in err and len(err) < 400


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a way to fill a disk")
@pytest.mark.parametrize("before", [False, True])
def test_a_game_that_could_not_be_kept_is_not_said_to_be_kept(tmp_path, before, monkeypatch, capsys):
    real = os.fsync

    async def serve_a_little(rooms, *_, **__):
        rooms[0].start()
        await rooms[0].opened.wait()
        if before:
            await eventually(lambda: rooms[0].file.is_file())
        os.fsync = full_disk
        rooms[0].table.set_seat(0, "high")
        rooms[0].table.act(rooms[0].table.to_act, rooms[0].table.legal()[0])
        await rooms[0].stop()

    monkeypatch.setattr(os, "fsync", real if before else full_disk)
    monkeypatch.setattr("cardenvs.play.web.serve", serve_a_little)
    status = main(["play", "whist", "--folder", str(tmp_path), "--no-browser"])
    err = capsys.readouterr().err
    assert status == 1 and "No space left on device" in err
    assert ("nothing of it is kept" in err) != before and ("go on with" in err) == before
    assert ("what came after is lost" in err) == before
