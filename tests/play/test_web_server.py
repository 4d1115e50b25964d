"""Tables in the browser: links, traffic, wrong messages, policies that fail or hang, many pages, going on after a kill."""

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import threading
import time
import urllib.error
import urllib.request

import aiohttp
import numpy as np
import pytest

from cardenvs.cli import main
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.registry import get_game
from cardenvs.files import write_whole
from cardenvs.play import Table
from cardenvs.play.command import resume_rooms
from cardenvs.play.table_setup import default_seats, table_of_record
from cardenvs.play.web import Room, read_room
from cardenvs.play.web.app import host_allowed
from cardenvs.play.web.server import listen
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Explanation
from tests.helpers.pages import at, eventually, full_disk, room_of, run, seated, serving, state_of
from tests.helpers.players import NO_IDEA, maker
from tests.helpers.tables import HEURISTIC, cards_in, check_readouts, knows, old_text, people
from tests.refusals import check_refused


@pytest.fixture
def static(tmp_path):
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html><title>a table</title><script src=/static/play.js></script>")
    (folder / "play.js").write_text("'use strict';")
    (folder / ".hidden").write_text("not for all eyes")
    (tmp_path / "secret.txt").write_text("outside")
    return folder


async def test_links_give_one_seat_each_and_nothing_without_one(static):
    room, other = room_of("euchre"), room_of("euchre", seed=2)
    assert len({*room.tokens, *other.tokens}) == 10
    assert all(len(token) >= 22 for token in room.tokens)
    async with serving(room, other, static=static) as house:
        for path in (
            "/", "/t/", f"/t/{room.key}/", f"/t/{room.key}/wrong", f"/t/{room.key}/{room.tokens[0]}x", "/t/none/x/ws",
            f"/t/{other.key}/{room.tokens[0]}", f"/t/{room.key}/{room.tokens[0][:-1]}/ws", f"/t/{room.key}/%ff%fe",
            f"/t/{room.key}/{room.tokens[0]}/other",
        ):  # fmt: skip
            async with house.session.get(house.url("/") + path[1:]) as answer:
                assert answer.status == 403, path
        for seat in (0, 1, 2, 3, None):
            async with house.session.get(house.url(room.path(seat))) as answer:
                assert answer.status == 200 and "a table" in await answer.text()
            page = await house.page(seat)
            assert page.state["you"] == seat and (await page.reply("welcome"))["you"] == seat
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            await house.session.ws_connect(house.url(f"/t/{room.key}/{other.tokens[0]}/ws"))
        assert refusal.value.status == 403


async def test_files_of_the_pages_and_no_others(static):
    async with serving(room_of("whist"), static=static) as house:
        async with house.session.get(house.url("/static/play.js")) as answer:
            assert answer.status == 200 and "javascript" in answer.headers["Content-Type"]
        for name in ("none.js", ".hidden", "..%2fsecret.txt", "%2e%2e/secret.txt", "a%00b"):
            async with house.session.get(house.url("/").rstrip("/") + "/static/" + name) as answer:
                assert answer.status in (403, 404), name


async def test_a_file_that_the_browser_has_is_not_sent_again(static):
    """And the connection stays sound: what follows on it is an answer, not the rest of a file."""
    async with serving(room_of("whist"), static=static) as house:
        link = house.url("/static/play.js")
        async with house.session.get(link, headers={"Accept-Encoding": "gzip"}) as answer:
            assert answer.status == 200 and answer.headers["Content-Encoding"] == "gzip"
            tag, content = answer.headers["ETag"], await answer.read()
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        for closing in ("keep-alive", "close"):
            lines = ["GET /static/play.js HTTP/1.1", f"Host: 127.0.0.1:{house.server.port}", "Accept-Encoding: gzip"]
            writer.write("\r\n".join([*lines, f"If-None-Match: {tag}", f"Connection: {closing}", "", ""]).encode())
        answers = (await reader.read()).decode()
        writer.close()
        assert re.fullmatch(r"(HTTP/1\.1 304 Not Modified\r\n([^\r\n]+\r\n)+\r\n){2}", answers), answers
        async with house.session.get(link, headers={"If-None-Match": '"another"'}) as answer:
            assert answer.status == 200 and await answer.read() == content


async def test_every_answer_has_the_headers_that_keep_links_secret(static):
    room = room_of("whist")
    same = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}
    async with serving(room, static=static) as house:
        for path, status in ((room.path(0), 200), ("/static/play.js", 200), ("/t/x/y", 403), ("/nowhere", 404)):
            async with house.session.get(house.url(path)) as answer:
                assert answer.status == status and same.items() <= answer.headers.items()
                allowed = answer.headers["Content-Security-Policy"]
                assert "default-src 'self'" in allowed and "unsafe" not in allowed
                assert answer.headers["Cache-Control"] == ("no-cache" if "static" in path else "no-store")


@pytest.mark.parametrize(
    ("header", "bound", "allowed"),
    [
        ("127.0.0.1:8765", "127.0.0.1", True), ("localhost:1", "127.0.0.1", True), ("[::1]:8765", "127.0.0.1", True),
        ("evil.example:8765", "127.0.0.1", False), ("192.168.1.5:8765", "127.0.0.1", False), ("", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False), ("localhost.evil.example", "127.0.0.1", False),
        ("192.168.1.5:8765", "0.0.0.0", True), ("evil.example", "0.0.0.0", False), ("[", "0.0.0.0", False),
        ("cards.example:80", "cards.example", True), ("other.example:80", "cards.example", False),
    ],
)  # fmt: skip
def test_hosts(header, bound, allowed):
    assert host_allowed(header, bound) == allowed


async def test_other_sites_and_other_names_are_refused(static):
    room = room_of("whist")
    async with serving(room, static=static) as house:
        path, own = room.path(0) + "/ws", f"127.0.0.1:{house.server.port}"
        async with house.session.get(house.url(room.path(0)), headers={"Host": "evil.example"}) as answer:
            assert answer.status == 403
        for headers in (
            {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"},
            {"Origin": f"http://127.0.0.1:{house.server.port + 1}"}, {"Origin": ""},
            {"Host": "evil.example", "Origin": "http://evil.example"},
        ):  # fmt: skip
            with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
                await house.session.ws_connect(house.url(path), headers=headers)
            assert refusal.value.status == 403, headers
        socket = await house.session.ws_connect(house.url(path), headers={"Origin": f"http://{own}"})
        await socket.close()


@pytest.mark.parametrize(("game", "seed"), [("euchre", 3), ("five-o", 3), pytest.param("whist", 4, marks=pytest.mark.slow)])
async def test_no_message_names_a_card_that_its_seat_cannot_know(game, seed, monkeypatch):
    """All traffic of whole deals, with errors, hints, saving and loading in between, against the full state."""
    table, truth, choose = Table(game, people(game), seed=seed), {}, random.Random(seed)

    def noted(original):
        def call(*arguments, **named):
            original(*arguments, **named)
            truth[table.version] = Table(game, people(game), line=table.line)

        return call

    noted(lambda: None)()
    for name in ("act", "new_deal", "same_deal"):
        monkeypatch.setattr(table, name, noted(getattr(table, name)))
    room = Room(table, pause=0)
    async with serving(room) as house:
        pages = {seat: await house.page(seat) for seat in (*range(table.game.seats), None)}
        saved = None
        while table.to_act is not None:
            page = await pages[table.to_act].turn()
            if choose.random() < 0.3:
                await page.send(type="hint", policy=HEURISTIC[game])
                await page.until(lambda page: any(reply["type"] == "hint" for reply in page.replies))
            if choose.random() < 0.3:
                for other in pages.values():
                    await other.send(type="act", action=choose.choice([*table.game.actions, "9c9d", "?"]), version=-1)
                    await other.send(type="act", action="no such card")
                    await other.send(type="save")
                    await other.send(type="new", line=game)
                    await other.until(lambda page: len(page.replies) >= 4)
            if saved is None and len(table.events) == 5:
                saved = (await page.ask("saved", type="save"))["text"]
                version = table.version
                await page.send(type="same")
                await page.send(type="load", text=saved)
                for other in pages.values():
                    await other.until(lambda page, version=version: page.state["version"] == version + 2)
                continue
            await page.play(choose)
            if len(truth) > 30 and saved and len(truth) % 20 == 0:
                await pages[None].send(type="save")
        for page in pages.values():
            await page.until(lambda page: page.state["deal_over"])
        traffic = {seat: page.raw for seat, page in pages.items()}
    checked = 0
    for you, raw in traffic.items():
        version, states = min(truth), [n for n, text in enumerate(raw) if json.loads(text)["type"] == "state"]
        for n, text in enumerate(raw):
            assert not any(token in text for token in room.tokens)
            message = json.loads(text)
            kind = message["type"]
            if kind == "state":
                version = message["version"]
                position = truth[version]
                if position.over != RUNNING:
                    continue
                readouts = message.pop("readouts")
                assert (readouts is None) == (you is None)
                if you is not None:
                    check_readouts(position, you, readouts)
                checked += 1
            position = truth[message.get("version", version)]
            # Replies are sent first, and a state in place of one not sent yet: a reply is of the next state at the latest.
            following = next((json.loads(raw[k])["version"] for k in states if k > n), version)
            later = [truth[known] for known in sorted(truth) if version < known <= following]
            known = set().union(*(knows(at, you) for at in (position, *later)))
            # What the page itself wrote comes back in an error.
            if kind == "error":
                own = re.sub(r"unknown action '[^']*'|unknown policy '[^']*'|^(\S+) is illegal", "", message["message"])
                message["message"] = own.partition("the actions are")[0]  # which lists all, the same for everybody
            shown = json.dumps(message)
            assert cards_in(game, shown) <= known, (kind, you, text)
    assert checked > 30
    assert {json.loads(text)["type"] for raw in traffic.values() for text in raw} >= {"state", "error", "hint", "saved"}


async def test_saved_text_goes_on_where_it_was_and_spells_out_finished_deals_only(tmp_path):
    async with seated(room_of("euchre", "human hybrid hybrid hybrid", folder=tmp_path), 0) as (_, room, page):
        choose = random.Random(1)
        await page.play(choose)
        await page.until(lambda page: page.state["legal"] or page.state["deal_over"])
        assert not page.state["deal_over"]
        line = room.table.line
        saved = await page.ask("saved", type="save")
        assert saved["unfinished"] and "euchre bidding" not in saved["text"]
        await page.send(type="new", seed=5)
        await eventually(lambda: not room.table.line.startswith(line))
        await page.send(type="load", text=saved["text"])
        await eventually(lambda: room.table.line.startswith(line))
        await page.until(lambda page: page.state["version"] == room.table.version)
        while not page.state["deal_over"]:
            await page.play(choose)
            await page.until(lambda page: page.state["legal"] or page.state["deal_over"])
        saved = await page.ask("saved", type="save")
        assert not saved["unfinished"] and room.table.line in saved["text"]
        assert "load it there" in await page.refused(type="load", text="# left unfinished: other 1 0")
        version = room.table.version
        await page.send(type="new", line=page.state["text"])
        await page.until(lambda page: page.state["version"] > version)
        assert page.state["deal_over"]


async def test_what_is_wrong_is_refused_and_changes_nothing():
    room = room_of("euchre", "human human hybrid hybrid", seed=3)
    table = room.table
    async with seated(room, 0, 1, None) as (_, _, one, two, look):
        pages = {0: one, 1: two}
        await eventually(lambda: table.to_act in (0, 1))
        page, other = pages[table.to_act], pages[1 - table.to_act]
        await page.turn()
        before, version = table.to_text(), table.version
        for raw in ("", "no JSON", "[1, 2]", "3", "null", '{"type": 4}', '{"type": "fly"}', "[" * 50_000, '{"a":', "\x00"):
            await page.socket.send_str(raw)
            assert "message" in (await page.reply("error"))["message"], raw[:20]
        await page.socket.send_bytes(b"pass")
        assert "must be text" in (await page.reply("error"))["message"]
        for said, message in (
            ("needs 'action'", {"type": "act"}), ("needs 'action'", {"type": "act", "action": 3}),
            ("unknown action", {"type": "act", "action": "fly"}), ("illegal", {"type": "act", "action": "call-hearts"}),
            ("moved on", {"type": "act", "action": "pass", "version": version - 1}),
            ("whole number", {"type": "act", "action": "pass", "version": "1"}),
            ("whole number", {"type": "act", "action": "pass", "version": True}),
            ("seed must be", {"type": "new", "seed": -1}), ("seed must be", {"type": "new", "seed": "x"}),
            ("line must be text", {"type": "new", "line": 3}), ("begins with the word", {"type": "new", "line": "x"}),
            ("needs 'text'", {"type": "load"}), ("no deal in it", {"type": "load", "text": ""}),
            ("0 to 60 seconds", {"type": "speed", "seconds": -1}), ("0 to 60 seconds", {"type": "speed"}),
            ("0 to 60 seconds", {"type": "speed", "seconds": float("nan")}),
            ("true or false", {"type": "pause", "on": 1}), ("not over", {"type": "next"}),
            ("seats of euchre", {"type": "seat", "seat": 4, "policy": "high"}),
            ("seats of euchre", {"type": "seat", "seat": "2", "policy": "high"}),
            ("unknown policy", {"type": "seat", "seat": 2, "policy": "nobody"}),
            ("no policy by name", {"type": "seat", "seat": 2, "policy": "/etc/passwd"}),
            ("no policy by name", {"type": "seat", "seat": 2, "policy": "runs/x.zip"}),
            ("no policy by name", {"type": "seat", "seat": 2, "policy": "x.zip"}),
            ("no policy by name", {"type": "hint", "policy": "learned-search:network=elsewhere/x.zip"}),
            ("is at the table", {"type": "seat", "seat": other.state["you"], "policy": "high"}),
            ("person already", {"type": "seat", "seat": other.state["you"], "policy": "human"}),
            ("needs 'policy'", {"type": "hint"}), ("unknown policy", {"type": "hint", "policy": "nobody"}),
            ("no policy has failed", {"type": "retry"}),
        ):  # fmt: skip
            assert said in await page.refused(**message), message
        assert "it is the turn of" in await other.refused(type="act", action="pass")
        assert "it is the turn of" in await other.refused(type="hint", policy="high")
        for kind in ("new", "same", "next", "save", "load", "speed", "pause", "step", "seat", "retry", "name", "undo"):
            assert "looks on" in await look.refused(type=kind)
        assert "looks on" in await look.refused(type="act", action="pass")
        assert "looks on" in await look.refused(type="hint", policy="high")
        assert (table.to_text(), table.version) == (before, version)


async def test_a_frame_beyond_all_measure_ends_only_its_own_connection():
    async with seated(room_of("euchre"), 0, 1) as (house, _, page, other):
        with contextlib.suppress(ConnectionError):
            await page.socket.send_str("x" * 3_000_000)
        async with asyncio.timeout(20):
            while not page.socket.closed:
                await asyncio.sleep(0.01)
        await other.until(lambda page: not page.state["seats"][0]["connected"])
        again = await house.page(0)
        assert again.state["you"] == 0


async def test_the_last_move_is_what_stays_on_the_disk(tmp_path, monkeypatch):
    started, written, room = threading.Event(), [], room_of("whist", folder=tmp_path)

    def slow(path, text, mode):
        started.set()
        time.sleep(0.5 if not written else 0.0)
        written.append(text)
        write_whole(path, text, mode)

    monkeypatch.setattr("cardenvs.play.web.room.write_whole", slow)
    room.start()
    await eventually(started.is_set)
    room.table.act(room.table.to_act, room.table.legal()[0])
    await room.stop()
    assert len(written) == 2 and room.file.read_text() == room.file_text() == written[-1]


async def test_the_same_click_twice_is_one_action():
    room = room_of("whist")
    async with serving(room) as house:
        page = await house.page(room.table.to_act)
        action = page.state["legal"][0]["action"]
        for _ in range(5):
            await page.send(type="act", action=action, version=page.state["version"])
        for _ in range(4):
            assert "moved on" in (await page.reply("error"))["message"]
        assert room.table.game.history(room.table.state[0]) == [action]


def noise(choose, actions):
    """A message such as no page would send, or only by chance."""
    words = ["act", "hint", "new", "same", "next", "save", "load", "speed", "pause", "step", "seat", "retry", "x"]
    word = choose.choice([*words, "name", "undo", "replay", "review"])
    words_and_numbers = [None, True, -1, 0, 3, 1e300, 2**70, "", "x", "pass", "high", "human", [], {}, "whist"]
    values = [*words_and_numbers, *choose.sample(actions, 3)]
    keys = ["action", "version", "policy", "seed", "line", "text", "seconds", "on", "seat", "name"]
    message = {"type": word} | {key: choose.choice(values) for key in choose.sample(keys, choose.randrange(4))}
    text = json.dumps(message)
    return choose.choice([text] * 6 + [text[:-1], text[1:], choose.randbytes(20).decode("latin-1"), f"[{text}]"])


@pytest.mark.slow
async def test_ten_thousand_random_messages(tmp_path):
    room = room_of("whist", "human human high low", folder=tmp_path)
    choose = random.Random(5)
    async with serving(room) as house:
        pages = [await house.page(seat) for seat in (0, 1, None)]
        quiet = await house.page(None)

        async def send(page, count):
            for _ in range(count):
                text = noise(choose, room.table.game.actions)
                if '"hint"' in text and choose.random() < 0.9:
                    continue  # most of their cost is the policies'
                if '"type": "seat"' in text and '"seat": 0' in text:
                    continue  # it would end the link of the first page
                await page.socket.send_str(text)

        await asyncio.gather(*(send(page, 3800) for page in pages))
        for page in pages:
            await page.send(type="fly")
            await page.until(lambda page: any("'fly'" in reply.get("message", "") for reply in page.replies))
        table = room.table
        # It still plays: a fresh deal of two people and whoever sits with them, to its end.
        await pages[0].send(type="pause", on=False)
        await pages[0].send(type="speed", seconds=0)
        for seat in (2, 3):
            await pages[0].send(type="seat", seat=seat, policy="high")
        await pages[0].send(type="new", seed=9)
        shown = table.game.deal_text(table.game.deal(9)[0])
        await eventually(lambda: table.game.deal_text(table.state[0]) == shown)
        for page in pages:
            page.replies.clear()
        while not quiet.state["deal_over"]:
            for page in pages[:2]:
                if page.state["legal"] and page.state["version"] == table.version:
                    await page.send(type="act", action=page.state["legal"][0]["action"], version=page.state["version"])
                    await page.until(lambda page, version=page.state["version"]: page.state["version"] > version)
            await asyncio.sleep(0.001)
        assert len(quiet.state["last_trick"]["cards"]) == 4
        assert table.game.parse(table.line).tobytes() == table.state.tobytes()
    copy = read_room(room.file)
    assert copy.table.to_text() == table.to_text() and copy.tokens == room.tokens
    for deal in copy.table.earlier:
        copy.table.game.parse(deal.line)


async def test_a_policy_that_hangs_blocks_neither_its_page_nor_other_tables(hanging):
    make = maker(hangs=hanging)
    stuck = [room_of("euchre", "human hangs hangs hangs", seed=seed, make=make) for seed in range(12)]
    well = room_of("euchre", "human high low high")
    async with serving(*stuck, well) as house:
        pages = [await house.page(0, room) for room in stuck]
        for page, room in zip(pages, stuck, strict=True):
            if page.state["to_act"] == 0:
                await page.play(random.Random(1))
            await page.until(lambda page: page.state["to_act"] != 0)
            assert page.state["seats"][page.state["to_act"]]["thinking"] and room.table.failed == {}
            begun = time.monotonic()
            assert "it is the turn of" in await page.refused(type="act", action="pass")
            assert time.monotonic() - begun < 2
        page, choose = await house.page(0, well), random.Random(1)
        await page.finish(choose)
        # Seats of policies that hang can be given to others, and their late answers are not played.
        page, table = pages[0], stuck[0].table
        for seat in (1, 2, 3):
            await page.send(type="seat", seat=seat, policy="high")
        await page.until(lambda page: page.state["legal"] or page.state["deal_over"])
        line = table.line
        hanging.release.set()
        await asyncio.sleep(0.1)
        assert table.line == line


async def test_a_table_that_has_policies_hang_again_and_again_says_so(hanging):
    async with seated(room_of("euchre", "human hangs hangs hangs", make=maker(hangs=hanging)), 0) as (_, room, page):
        for _ in range(8):
            await page.send(type="new", line=re.sub(" dealer=.", " dealer=0", room.table.game.text(room.table.opening[0])))
            await asyncio.sleep(0.02)
        await page.until(lambda page: any(seat["failed"] for seat in page.state["seats"]))
        assert "still at work" in next(seat["failed"] for seat in page.state["seats"] if seat["failed"])
        hanging.release.set()
        await asyncio.sleep(0.2)
        await page.send(type="retry")
        await page.turn()


async def test_a_policy_that_fails_is_named_on_the_page_and_the_game_is_kept(capsys):
    async with seated(room_of("euchre", "human bad high high", seed=2, make=maker(bad=NO_IDEA)), 0) as (_, room, page):
        choose = random.Random(1)
        while not page.state["seats"][1]["failed"]:
            await page.until(lambda page: page.state["legal"] or page.state["seats"][1]["failed"])
            if page.state["legal"]:
                await page.play(choose)
        assert page.state["seats"][1]["failed"] == "bad failed: no idea at all"
        assert not page.state["seats"][1]["thinking"]
        line, version = room.table.line, page.state["version"]
        await page.send(type="retry")
        await page.until(lambda page: page.state["version"] >= version + 2)
        assert page.state["seats"][1]["failed"] and room.table.line == line
        assert "no idea at all" in await page.refused(type="hint", policy="bad") or room.table.to_act != 0
        await page.send(type="seat", seat=1, policy="high")
        await page.until(lambda page: page.state["legal"] or page.state["deal_over"])
        assert room.table.line.startswith(line)
    assert "Traceback" not in capsys.readouterr().err


async def test_hints_of_a_page():
    async with seated(room_of("whist", "human hybrid hybrid hybrid"), 0) as (_, _, page):
        await page.turn()
        hint = await page.ask("hint", type="hint", policy="poe:worlds=10")
        assert (hint["policy"], hint["kind"], hint["version"]) == ("poe:worlds=10", "percent", page.state["version"])
        legal = {action["action"]: action["label"] for action in page.state["legal"]}
        assert hint["bars"]
        for bar in hint["bars"]:
            assert legal[bar["action"]] == bar["label"]
            assert (bar["error"], bar["visits"], bar["tried"]) == (None, None, "")


@pytest.mark.slow  # compiles a search for it
async def test_a_hint_by_the_order_of_play():
    async with seated(room_of("whist", "human hybrid hybrid hybrid"), 0) as (_, _, page):
        await page.turn()
        hint = await page.ask("hint", 200, type="hint", policy="learned-search:worlds=5")
        assert all(bar["visits"] > 0 for bar in hint["bars"])


class Tried(Policy):
    """Knows what stands behind its numbers."""

    def choose(self, observations, action_masks, streams):
        return np.argmax(action_masks, 1)

    def explain(self, observation, rng=None):
        legal = np.flatnonzero(observation["action_mask"])
        pairs = tuple((self.game.actions[action], 1.0 - k) for k, action in enumerate(legal))
        return Explanation("value", pairs, (0.25,) * len(legal), tuple(range(100, 100 - len(legal), -1)))


async def test_a_hint_tells_a_page_what_stands_behind_its_numbers():
    room = room_of("whist", make=maker(tried=Tried))
    async with serving(room) as house:
        page = await house.page(room.table.to_act)
        bars = (await page.ask("hint", type="hint", policy="tried"))["bars"]
        assert [(bar["error"], bar["visits"]) for bar in bars] == [(0.25, 100 - k) for k in range(13)]
        assert bars[1]["tried"] == "±0.490, tried 99 times"


async def test_hints_that_hang_are_bounded(hanging):
    room = room_of("whist", make=maker(hangs=hanging))
    async with serving(room) as house:
        page = await house.page(room.table.to_act)
        for _ in range(2):
            await page.send(type="hint", policy="hangs")
        assert "still being computed" in await page.refused(type="hint", policy="hangs")
        await page.play(random.Random(1))
        hanging.release.set()
        assert (await page.reply("hint"))["version"] < page.state["version"]


async def test_a_table_without_people_plays_for_whoever_looks_on_and_stops_when_told():
    room = room_of("whist", "high low high low", pause=0.0)
    async with serving(room) as house:
        await asyncio.sleep(0.2)
        assert room.table.events == [], "nobody looks"
        page = await house.page(None)
        assert page.state["control"] and page.state["hands"]
        await page.until(lambda page: page.state["deal_over"])
        await page.send(type="pause", on=True)
        await page.send(type="new", seed=4)
        await page.until(lambda page: page.state["paused"] and not page.state["log"])
        await asyncio.sleep(0.1)
        assert room.table.events == []
        for moves in (1, 2, 3):
            await page.send(type="step")
            await page.until(lambda page, moves=moves: len(page.state["log"]) == moves)
        await asyncio.sleep(0.1)
        assert len(room.table.events) == 3
        await page.send(type="speed", seconds=0.15)
        await page.until(lambda page: page.state["pause"] == 0.15)
        begun = time.monotonic()
        await page.send(type="pause", on=False)
        await page.until(lambda page: len(page.state["log"]) >= 6)
        assert time.monotonic() - begun > 0.2
        await page.send(type="speed", seconds=0)
        await page.until(lambda page: page.state["deal_over"])


async def test_the_pause_is_between_moves_and_a_click_is_answered_at_once():
    async with seated(room_of("whist", "human high high high", pause=0.25), 0) as (_, room, page):
        choose = random.Random(1)
        await page.turn()
        trick = len(room.table.events) // 4
        begun, version = time.monotonic(), page.state["version"]
        await page.send(type="act", action=choose.choice(page.state["legal"])["action"], version=version)
        await page.until(lambda page: page.state["version"] > version)
        assert time.monotonic() - begun < 0.2, "the own move is shown at once"
        await page.until(lambda page: len(room.table.events) >= 4 * (trick + 1))
        versions = [json.loads(text)["version"] for text in page.raw if '"state"' in text]
        assert set(range(version, page.state["version"] + 1)) <= set(versions), "each move is seen"


async def test_two_hundred_pages_at_one_table(tmp_path):
    room = room_of("euchre", "human human high high", folder=tmp_path)
    async with serving(room) as house:
        pages = await asyncio.gather(*(house.page(seat) for seat in [0, 1] * 20 + [None] * 160))
        assert len(room.connections) == 200
        choose, table = random.Random(1), room.table
        while table.to_act is not None:
            if table.to_act in (0, 1):
                await pages[table.to_act].play(choose)
            await asyncio.sleep(0.001)
        for page in pages:
            await page.until(lambda page: page.state["deal_over"])
            assert page.state["text"] == table.line
        await asyncio.gather(*(page.close() for page in pages[2:]))
        await pages[0].until(lambda page: len(room.connections) == 2)


async def test_a_page_that_does_not_read_keeps_nobody_waiting():
    room = room_of("whist", "human high high high")
    async with serving(room) as house:
        path = room.path(0) + "/ws"
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port, limit=1024)
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert b"101" in await reader.readline()
        # It sends a thousand wrong messages and reads no answer; masked text frames of two characters.
        writer.write((b"\x81\x82" + b"\x00" * 4 + b"{}") * 1000)
        page, choose = await house.page(0), random.Random(1)
        for seed in range(2):
            await page.send(type="new", seed=seed)
            await page.until(lambda page: not page.state["deal_over"])
            await page.finish(choose)
        assert max(connection.num_waiting for connection in room.connections) < 1000
        writer.close()
        await page.until(lambda page: len(room.connections) == 1)


async def test_a_page_that_is_closed_in_mid_move_loses_nothing():
    room = room_of("whist", "human high high high")
    async with serving(room) as house:
        choose, count = random.Random(1), 0
        while True:
            page = await house.page(0)
            await page.until(lambda page: page.state["legal"] or page.state["deal_over"])
            if page.state["deal_over"]:
                break
            assert page.state["seats"][0]["connected"]
            await page.send(type="act", action=choose.choice(page.state["legal"])["action"])
            await page.close()
            count += 1
        assert count == 13 and len(room.table.game.history(room.table.state[0])) == 52


async def test_people_come_and_go_and_take_over_seats():
    async with seated(room_of("euchre", "human human high high", pause=60), 0) as (house, room, one):
        assert [seat["connected"] for seat in one.state["seats"]] == [True, False, None, None]
        two = await house.page(1)
        await one.until(lambda page: page.state["seats"][1]["connected"])
        assert [seat["name"] for seat in one.state["seats"]] == ["You", "player 1", "high (across)", "high (right)"]
        await two.close()
        await one.until(lambda page: not page.state["seats"][1]["connected"])
        # A person who left can be replaced, but the link to what is that person's hand is not handed out.
        await one.send(type="seat", seat=1, policy="low")
        await one.until(lambda page: page.state["seats"][1]["policy"] == "low")
        link = await one.ask("link", type="seat", seat=2, policy="human")
        assert link == {"type": "link", "seat": 2, "path": room.path(2)}
        three = await house.page(2)
        assert three.state["you"] is None, "who comes in the middle of a deal sits down with the next one"
        await one.send(type="new")
        await three.until(lambda page: page.state["you"] == 2)


async def test_a_table_that_cannot_be_saved_says_so_and_goes_on(tmp_path, monkeypatch):
    folder = tmp_path / "tables"
    async with seated(room_of("whist", "human high high high", folder=folder), 0) as (_, room, page):
        await page.turn()
        assert room.file.stat().st_mode & 0o077 == 0, "it has the links and all cards"
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full_disk)
            await page.play(random.Random(1))
            await page.until(lambda page: "No space left" in (page.state["trouble"] or ""))
            await page.turn()
        await page.play(random.Random(1))
        await page.until(lambda page: page.state["trouble"] is None)
        await page.turn()
        assert read_room(room.file).table.line == room.table.line


def test_a_server_killed_in_mid_game_goes_on_with_the_same_links(start, tmp_path):
    folder, choose = str(tmp_path / "tables"), random.Random(1)
    words = f"euchre --seats human,high,low,human --seed 5 --pause 0 --folder {folder} --port 0"

    async def some(page):
        """Four moves of the two people."""

        async def both(other):
            for _ in range(4):
                await page.until(lambda page: page.state["to_act"] in (0, 3) or page.state["deal_over"])
                mover = page if page.state["to_act"] == 0 else other
                if not page.state["deal_over"]:
                    await mover.play(choose)
                    version = mover.state["version"]
                    await page.until(lambda page, version=version: page.state["version"] >= version)

        await at(other_url, both)

    first = start(*words.split())
    assert (first.links["game"], first.links["folder"]) == ("euchre", folder)
    assert [seat["kind"] for seat in first.links["seats"]] == ["human", "policy", "policy", "human"]
    assert first.links["seats"][1]["url"] is None
    url, other_url = first.links["seats"][0]["url"], first.links["seats"][3]["url"]
    run(at(url, some))
    # Killed while policies are at it: what anybody has been shown is there again.
    before = run(at(url, state_of))
    assert first.end(signal.SIGKILL)[0] == -signal.SIGKILL
    again = start("euchre", "--resume", "--folder", folder)
    assert again.links == first.links, "the same links, the same port"
    after = run(at(url, state_of))
    assert before["log"] and after["log"][: len(before["log"])] == before["log"]
    assert after["version"] >= before["version"] and after["turned"] == before["turned"]
    assert main(["play", "euchre", "--resume", "--folder", folder, "--no-browser"]) == 2, "its port is taken"
    check_refused("403", urllib.request.urlopen, first.links["url"], error=urllib.error.HTTPError, timeout=10)
    status, out, err = again.end(signal.SIGINT)
    assert (status, out) == (0, "") and "Traceback" not in err
    assert "go on with: cardenvs play euchre --resume --folder" in err
    assert read_room(next((tmp_path / "tables").glob("euchre-*.json"))).table.options["bidding"] == "full"


def test_the_command_ends_though_a_policy_is_at_work(start, tmp_path):
    seats = "monte-carlo:worlds=100000000,high,high,high"
    ended = start("whist", "--seats", seats, "--folder", str(tmp_path), "--port", "0")

    async def look(page):
        await page.until(lambda page: any(seat["thinking"] for seat in page.state["seats"]))
        await asyncio.sleep(0.3)

    run(at(ended.links["spectator"], look))
    begun = time.monotonic()
    status, _, err = ended.end(signal.SIGTERM)
    assert time.monotonic() - begun < 15 and (status, "Traceback" in err) == (0, False)


@pytest.mark.compiled  # Five-O's usual opponents begin with many play-outs
def test_the_terminal_gets_the_table(monkeypatch):
    given = []
    monkeypatch.setattr("cardenvs.play.command.run_terminal", lambda *table, pause=None: given.append((*table, pause)) or 5)
    assert main(["play", "five-o", "--terminal", "--seed", "3", "--seats", "human,reflex1", "-o", "hidden_rows=2"]) == 5
    assert main(["play", "five-o", "--terminal", "--pause", "2"]) == 5
    (table, pause), (other, slow) = given
    assert (table.seats, table.options["hidden_rows"], pause) == (["human", "reflex1"], 2, None)
    assert (other.seats, slow) == (default_seats(other.game), 2.0)


def test_a_game_is_played_unless_a_deal_is_given(monkeypatch):
    tables = []
    monkeypatch.setattr("cardenvs.play.command.run_terminal", lambda table: tables.append(table) or 0)
    line = get_game("whist").text(get_game("whist").deal(3)[0])
    bare = " ".join(word for word in line.split() if not word.startswith(("episode=", "target=", "score=")))
    for arguments in (
        ("euchre",), ("whist", "-o", "target=7"), ("five-o",), ("euchre", "-o", "episode=deal"), ("euchre", "--seed", "7"),
        ("whist", "--deal", line), ("whist", "--deal", bare), ("whist", "--deal", line.replace("=deal", "=game")),
        ("whist", "--deal", bare, "-o", "episode=game"),
    ):  # fmt: skip
        assert main(["play", *arguments, "--terminal"]) == 0
    episodes = [table.options.get("episode") for table in tables]
    assert episodes == ["game", "game", None, "deal", "game", "deal", "deal", "game", "game"]
    assert [table.sheet is None for table in tables] == [False, False, False, True, False, True, True, False, False]
    assert tables[1].sheet.target == 7
    cards = get_game("euchre").deal_text(get_game("euchre").deal(7)[0])
    assert tables[4].game.deal_text(tables[4].state[0]) == cards, "the deal that every environment deals for the seed"


def test_a_port_that_is_taken_is_passed_over_unless_it_was_asked_for():
    one = listen("127.0.0.1", None)
    two = listen("127.0.0.1", None)
    try:
        taken = one.getsockname()[1]
        assert two.getsockname()[1] != taken
        check_refused(f"cannot listen at 127.0.0.1 port {taken}", listen, "127.0.0.1", taken, error=OSError)
        check_refused("does the table's server still run", listen, "127.0.0.1", None, taken, error=OSError)
    finally:
        one.close()
        two.close()


def test_a_record_is_played_on(tmp_path):
    table = Table("euchre", ["high", "high", "low", "low"], seed=3)
    for _ in range(4):
        table.apply(table.version, *table.policy_move())
    record = tmp_path / "record.txt"
    record.write_text(table.to_text())
    euchre = get_game("euchre")
    again = table_of_record(euchre, str(record))
    assert again.line == table.line and again.seats == default_seats(euchre)
    again.set_seat(1, "low")
    record.write_text(again.to_text())
    assert table_of_record(euchre, str(record)).seats == again.seats
    assert table_of_record(euchre, str(record), ["high"] * 4).seats == ["high"] * 4


async def test_a_table_of_an_earlier_version_goes_on_in_a_new_file(tmp_path):
    room = room_of("euchre", folder=tmp_path)
    old = room.file.with_suffix(".txt")
    old.write_text(kept := old_text(room.file_text()))
    [again] = resume_rooms(room.table.game, tmp_path, None)
    assert again.file_text() == room.file_text()
    again.table.act(again.table.to_act, "pass")
    again.start()
    await again.opened.wait()
    await again.stop()
    [later] = resume_rooms(room.table.game, tmp_path, 2.0)
    assert later.table.line == again.table.line and later.tokens == room.tokens and later.pause == 2.0
    assert old.read_text() == kept
