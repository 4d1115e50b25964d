"""What pages and strangers may cost a server of tables: time, memory, connections, lines on the terminal."""

import asyncio
import contextlib
import inspect
import os
import signal
import socket
import sys
import time

import aiohttp
import numpy as np
import pytest

from cardenvs import policy
from cardenvs.cli import main
from cardenvs.contract.registry import get_game
from cardenvs.games import euchre
from cardenvs.play import Table
from cardenvs.play.web import messages, serve
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.network_guard import confined_policy, gate, log
from cardenvs.play.web.network_guard.bounds import LIMITS, check_name
from cardenvs.play.web.network_guard.confined_policy import Confined, Processes, TooLong
from cardenvs.policy.registry import policy_makers
from tests.helpers.pages import Page, at, eventually, full_disk, room_of, run, seated, serving, state_of
from tests.helpers.players import maker
from tests.helpers.tables import people, played
from tests.refusals import check_refused

# --- parameters ----------------------------------------------------------------------------------------------------


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
    async with seated(room_of("euchre", f"human {owned} high high", pause=60), 0) as (_, room, page):
        for kind in ({"type": "hint"}, {"type": "seat", "seat": 1}):
            assert "worlds may be 1000" in await page.refused(**kind, policy="learned-search:worlds=3000000")
            assert "worlds may be 1000" in await page.refused(**kind, policy="pimc:worlds=1e12")
        await page.send(type="seat", seat=2, policy=owned)
        await page.until(lambda page: page.state["seats"][2]["policy"] == owned)
        assert not isinstance(room.table._policies.borrow(owned, 0), Confined)
        await page.send(type="seat", seat=3, policy="pimc:worlds=3")
        await page.until(lambda page: page.state["seats"][3]["policy"] == "pimc:worlds=3")
        assert isinstance(room.table._policies.borrow("pimc:worlds=3", 0), Confined)


def position(game):
    spec = get_game(game)
    state = spec.deal(3)
    mask = spec.mask(spec.legal(state))
    return spec, {"observation": spec.observation(state, int(state["to_act"][0])), "action_mask": mask}


@pytest.fixture
def processes():
    made = []

    def make(*arguments):
        made.append(Processes(*arguments))
        return made[-1]

    yield make
    for one in made:
        one.kill_all()


def test_a_policy_in_a_process_of_its_own_plays_and_advises_as_it_does_here(processes):
    spec, observation = position("euchre")
    there = Confined(spec, "pimc:worlds=7", processes(1, 120))
    here = policy.make(spec, "pimc:worlds=7")
    assert there.slow == here.slow
    for seed in range(3):
        rngs = [np.random.default_rng(seed) for _ in range(4)]
        assert there.act(observation, rng=rngs[0]) == here.act(observation, rng=rngs[1])
        one, two = there.explain(observation, rngs[2]), here.explain(observation, rngs[3])
        assert (one.kind, dict(one)) == (two.kind, pytest.approx(dict(two)))
    check_refused("unknown parameter 'wrlds'", Confined, spec, "pimc:wrlds=7", processes(1, 120))


def test_what_stands_behind_numbers_comes_out_of_the_process(processes):
    spec, observation = position("euchre")
    name = "ismcts:simulations=20,paired=no"
    there, here = Confined(spec, name, processes(1, 120)), policy.make(spec, name)
    one, two = (player.explain(observation, np.random.default_rng(0)) for player in (there, here))
    assert one == two and sum(one.visits) == 20


def test_errors_come_out_of_the_process(monkeypatch):
    spec, observation = position("euchre")
    answer = {"kind": "value", "pairs": [["pass", 1], ["order-up", 0]], "errors": [0.5, 0.25], "visits": []}
    there = Confined(spec, "high-low", Processes(1))
    monkeypatch.setattr(there, "_request_row", lambda *_: answer)
    explained = there.explain(observation)
    assert (explained.errors, explained.visits) == ((0.5, 0.25), ())


def test_a_computation_that_takes_too_long_is_killed_and_the_next_one_is_not(processes):
    spec, observation = position("whist")
    pool = processes(1, 2.0)
    endless = Confined(spec, "pimc:worlds=100000000", pool)
    check_refused("longer than 2 s", endless.explain, observation, error=TooLong)
    assert not pool._all, "the process has ended"
    quick = Confined(spec, "high:calling=standard", pool)
    assert observation["action_mask"][quick.act(observation)]


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is bounded on Linux")
def test_a_computation_that_takes_too_much_memory_fails_by_itself(processes):
    table = played("euchre", 3, moves=0)
    while table.state["phase"][0] != euchre.PLAYING:
        table.act(table.to_act, table.legal()[-1])
    slow = Confined(table.game, "learned-search:candidates=100000000", processes(1, 120))
    worlds_that_fit = r"memory|ended|n must be an int from 0 to"
    with pytest.raises((ValueError, TooLong), match=worlds_that_fit):
        slow.explain(table.snapshot().as_observation(slow))


def test_who_waits_too_long_for_a_process_is_told(processes):
    pool = processes(1, 0.2)
    assert pool._free.acquire(timeout=1)
    spec, observation = position("euchre")
    check_refused("busy", Confined(spec, "pimc:worlds=7", pool).act, observation, error=TooLong)
    pool._free.release()


@pytest.fixture
def impatient(monkeypatch):
    """Policies of pages have 1.5 s, and as many worlds as they want."""
    monkeypatch.setattr(confined_policy, "SECONDS", 1.5)
    monkeypatch.setitem(LIMITS, "worlds", 10**12)


async def test_a_hint_that_takes_too_long_is_told_and_stops_costing(impatient):
    room = room_of("whist", "human high high human", pause=0)
    async with serving(room) as house:
        pages = {seat: await house.page(seat) for seat in (0, 3)}
        await eventually(lambda: room.table.to_act in pages)
        page = await pages[room.table.to_act].turn()
        slow = await page.ask("error", 200, type="hint", policy="pimc:worlds=1000000000")
        assert "longer than 1.5 s" in slow["message"]
        assert not [one for one in confined_policy._HINTS._all if one.alive]
        assert (await page.ask("hint", 200, type="hint", policy="pimc:worlds=10"))["bars"]


async def test_a_policy_at_a_seat_that_takes_too_long_fails_and_can_be_replaced(impatient):
    async with seated(room_of("whist", "human high high high", pause=0), 0) as (_, _, page):
        await page.turn()
        await page.send(type="seat", seat=1, policy="pimc:worlds=1000000000")
        await page.until(lambda page: page.state["seats"][1]["name"].startswith("pimc"))
        await page.send(type="act", action=page.state["legal"][0]["action"])
        await page.until(lambda page: page.state["seats"][1]["failed"], 200)
        assert "longer than 1.5 s" in page.state["seats"][1]["failed"]
        await page.send(type="seat", seat=1, policy="high")
        await page.turn()


async def test_a_plain_policy_that_hangs_on_a_hint_is_given_up(monkeypatch, hanging):
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


async def test_a_page_that_floods_is_slowed_down():
    page = Connection(0, Socket())
    for _ in range(400):
        await page.limit_rate()
    assert page._budget < 100, "the first few hundred are not counted against anybody"
    slept = []
    page._budget = -50.0

    async def sleep(seconds):
        slept.append(seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "sleep", sleep)
        await page.limit_rate()
        assert 0.2 < slept[0] < 0.3
        await page.limit_rate(0.5)
        assert slept[1] > 2, "what keeps the server busy counts for more"


async def test_replies_that_are_not_read_are_bounded_by_their_size():
    page = Connection(0, Socket())
    for _ in range(5):
        page.reply(type="saved", text="x" * 1024 * 1024)
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


@contextlib.asynccontextmanager
async def served(room):
    """A server as the command runs it, in this process; its port."""
    begun = asyncio.get_running_loop().create_future()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    task = asyncio.create_task(serve([room], "127.0.0.1", port, browser=False, started=begun.set_result))
    done, _ = await asyncio.wait({task, begun}, return_when="FIRST_COMPLETED")
    if task in done:
        await task
    try:
        yield port
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        await task


async def closes(reader, seconds=20.0):
    """Waits until the server closes a connection."""
    async with asyncio.timeout(seconds):
        with contextlib.suppress(ConnectionError):
            return await reader.read()


async def test_connections_that_ask_for_nothing_are_closed(monkeypatch):
    monkeypatch.setattr(gate, "HEADER_SECONDS", 0.5)
    monkeypatch.setattr("cardenvs.play.web.server.IDLE_SECONDS", 0.5)
    room = room_of("euchre", pause=60)
    async with served(room) as port:
        half = [await asyncio.open_connection("127.0.0.1", port) for _ in range(200)]
        for k, (_, writer) in enumerate(half):
            writer.write((b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b\r\n")[k % 2])
        idle = await asyncio.open_connection("127.0.0.1", port)
        idle[1].write(b"GET /static/play.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        async with aiohttp.ClientSession() as session:
            page = Page(await session.ws_connect(f"http://127.0.0.1:{port}{room.path(0)}/ws"))
            await page.until(lambda page: page.state is not None)
            await asyncio.gather(*(closes(reader) for reader, _ in half))
            assert b"200 OK" in await closes(idle[0])
            await page.ask("saved", type="save")
            await page.close()
        for _, writer in (*half, idle):
            writer.close()


async def test_connections_are_counted_in_all_and_for_each_address(monkeypatch, capsys):
    monkeypatch.setattr(log, "_REPORTER", log.Reporter())
    monkeypatch.setattr(gate, "_FOR_THIS_MACHINE", 3)
    async with served(room_of("euchre", pause=60)) as port:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        await asyncio.sleep(0.05)
        for _ in range(30):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert b"503" in await closes(reader)
            writer.close()
        held[0][1].close()
        await asyncio.sleep(0.2)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert b"403" in await closes(reader)
        for _, writer in held:
            writer.close()
    assert 1 <= capsys.readouterr().err.count("too many connections") < 15


@pytest.mark.parametrize(
    ("peer", "place"),
    [
        (("127.0.0.1", 1), "this machine"), (("::1", 1, 0, 0), "this machine"), (("10.1.2.3", 1), "10.1.2.3"),
        (("::ffff:10.1.2.3", 1, 0, 0), "10.1.2.3"), (("2001:db8::1:2", 1, 0, 0), "2001:db8::/64"),
        (("fe80::1%eth0", 1, 0, 2), "fe80::/64"), (None, "this machine"), ("", "this machine"),
    ],
)  # fmt: skip
def test_a_network_of_ipv6_is_one_address(peer, place):
    assert gate._origin_of(peer) == place


def test_no_connection_is_counted_for_ever():
    counted = gate.Gate(asyncio.Protocol)
    assert counted.enter("10.0.0.1") and counted.enter("10.0.0.1")
    counted.leave("10.0.0.1")
    counted.leave("10.0.0.1")
    assert not counted._by_place and sum(counted.enter("10.0.0.1") for _ in range(150)) == 100
    assert counted.enter("10.0.0.2")


def test_requests_of_one_address_are_counted(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    visits = gate.Visits()
    assert sum(visits.is_within_limit(("10.0.0.1", port)) for port in range(1000)) == 300
    assert visits.is_within_limit(("10.0.0.2", 1))
    now[0] += 1
    assert sum(visits.is_within_limit(("10.0.0.1", port)) for port in range(1000)) == 50
    for k in range(12_000):
        visits.is_within_limit((f"10.1.{k // 250}.{k % 250}", 1))
    assert len(visits._budgets) == 10_000


async def test_too_many_requests_are_refused(monkeypatch):
    monkeypatch.setattr(gate, "_VISITS_HERE", 5)
    room = room_of("euchre", pause=60)
    async with serving(room) as house:
        assert {await house.status("/static/play.js") for _ in range(5)} == {200}
        assert 429 in {await house.status(room.path(0)) for _ in range(5)}


def test_malformed_requests_are_one_line_each_and_few_in_all(start, tmp_path):
    server = start("euchre", "--folder", str(tmp_path), "--port", "0")
    port = int(server.links["url"].rpartition(":")[2])
    token = server.links["seats"][0]["url"].rpartition("/")[2]
    for raw in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET /\x1b[31m HTTP/9.9\r\n\r\n",
                f"GET /t/x/{token} x y\r\n\r\n".encode(),
                b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"\x00" * 100 + b"\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500 + b"\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):  # fmt: skip
        for _ in range(10):
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
    assert 1 <= len(lines) <= 20 and any("request" in line for line in lines)


def test_a_flood_of_lines_is_left_out_and_counted(capsys, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    reporter = log.Reporter()
    for k in range(500):
        reporter.report(f"line {k} \x1b[31m\n" + "x" * 1000)
    now[0] += 60
    reporter.report("the end")
    err = capsys.readouterr().err
    assert err.count("\n") == 11 and "\x1b" not in err and len(err) < 11 * 400
    assert "the end (490 more lines were left out)" in err


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
