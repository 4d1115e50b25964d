"""Pages without a browser at a server of tables, and the command that serves them, for tests."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager

import aiohttp
from aiohttp.test_utils import TestServer

from cardenvs.play import Table
from cardenvs.play.web import Room, create_app
from tests.helpers.tables import people


class Page:
    """A page without a browser: a WebSocket, the newest state, and all that came."""

    def __init__(self, socket):
        self.socket = socket
        self.raw = []
        self.state = None
        self.replies = []
        self.preparing = []
        self._news = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def _read(self):
        async for message in self.socket:
            self.raw.append(message.data)
            content = json.loads(message.data)
            if content["type"] == "state":
                self.state = content
            elif content["type"] == "preparing":  # which depends on what is compiled already
                self.preparing.append(content)
            else:
                self.replies.append(content)
            self._news.set()

    async def send(self, **message):
        await self.socket.send_str(json.dumps(message))

    async def until(self, condition, seconds=60.0):
        """Waits until the condition holds for this page."""
        async with asyncio.timeout(seconds):
            while not condition(self):
                self._news.clear()
                await self._news.wait()
        return self

    async def reply(self, kind, seconds=60.0):
        """Waits for a reply of that type and takes it."""
        await self.until(lambda page: any(reply["type"] == kind for reply in page.replies), seconds)
        reply = next(reply for reply in self.replies if reply["type"] == kind)
        self.replies.remove(reply)
        return reply

    async def ask(self, kind, seconds=60.0, /, **message):
        """Sends a message and takes the reply of a type."""
        await self.send(**message)
        return await self.reply(kind, seconds)

    async def refused(self, **message):
        """Sends a message that must be refused; what the table said."""
        return (await self.ask("error", **message))["message"]

    async def turn(self, seconds=60.0):
        """Waits until it is this page's turn."""
        return await self.until(lambda page: page.state is not None and page.state["legal"], seconds)

    async def play(self, choose):
        await self.turn()
        version, replies = self.state["version"], len(self.replies)
        await self.send(type="act", action=choose.choice(self.state["legal"])["action"], version=version)
        await self.until(lambda page: page.state["version"] > version or len(page.replies) > replies)

    async def finish(self, choose):
        """Plays until the deal is over."""
        while True:
            await self.until(lambda page: page.state["legal"] or page.state["deal_over"])
            if self.state["deal_over"]:
                return
            await self.play(choose)

    async def closed(self, seconds=60.0):
        """Waits until the table has closed the page; the code of the end, and the reason that the page was told."""
        async with asyncio.timeout(seconds):
            await self._reader
        return self.socket.close_code, next((reply["message"] for reply in self.replies if reply["type"] == "ended"), None)

    async def close(self):
        await self.socket.close()
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader


class House:
    """A server that runs, and pages at it."""

    def __init__(self, server, session, rooms):
        self.server, self.session, self.rooms = server, session, rooms

    def url(self, path):
        return str(self.server.make_url(path))

    async def page(self, seat, room=None):
        return await self.at((room or self.rooms[0]).path(seat))

    async def at(self, path):
        """A page at a link's path."""
        page = Page(await self.session.ws_connect(self.url(path + "/ws")))
        return await page.until(lambda page: page.state is not None)

    async def status(self, path):
        """The status with which a path is answered."""
        async with self.session.get(self.url(path)) as answer:
            return answer.status


@asynccontextmanager
async def serving(*rooms, **options):
    server = TestServer(create_app(rooms, **options), host="127.0.0.1")
    await server.start_server()
    try:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:
            yield House(server, session, rooms)
    finally:
        await server.close()


@asynccontextmanager
async def seated(room, *seats):
    """A server of a table with pages at some of its seats: the house, the room, and the pages."""
    async with serving(room) as house:
        yield house, room, *[await house.page(seat) for seat in seats]


def room_of(game, seats="", *, folder=None, seed=1, pause=0.0, **options):
    """A room with a table, whose seats are names one behind the other, or all people's."""
    return Room(Table(game, seats.split() or people(game), seed=seed, **options), folder, pause=pause)


def full_disk(*_):
    """What `os.fsync` does where nothing can be written."""
    raise OSError(28, "No space left on device")


def run(work):
    """Runs a test's coroutine, with a limit of its own."""

    async def limited():
        async with asyncio.timeout(240):
            return await work

    return asyncio.run(limited())


async def eventually(condition, seconds=60.0):
    """Waits until something holds that no page tells."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


class Command:
    """``cardenvs play`` in a process of its own."""

    def __init__(self, process):
        self.process = process
        text = ""
        while not text.endswith("\n}\n"):
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.communicate()[1])
            text += line
        self.links = json.loads(text)

    def end(self, how):
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


def begin_command(*arguments):
    """Starts ``cardenvs play`` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "cardenvs.cli", "play", *arguments, "--no-browser", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip


async def at(url, work):
    async with aiohttp.ClientSession() as session, session.ws_connect(url + "/ws") as socket:
        page = Page(socket)
        await page.until(lambda page: page.state is not None)
        result = await work(page)
        await page.close()
        return result


async def state_of(page):
    return page.state
