"""Tables in the browser: a server of pages and WebSockets, one link a seat.

A link ends in a token that nobody can guess; it gives one seat's view or, the last one, that of somebody who looks on.
Policies think in threads of their own, so that no page ever waits for one, and what has happened at a table is on the
disk before anybody is shown it. All messages are JSON objects; a seat is sent the whole of what it may see each time, so
that a slow reader misses steps but never the outcome.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import ipaddress
import json
import math
import mimetypes
import queue
import re
import secrets
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from cardenvs import policy
from cardenvs.drivers import RUNNING
from cardenvs.files import write_whole
from cardenvs.play.seatview import action_label, seat_view
from cardenvs.play.table import HUMAN, PolicyFailed, Snapshot, Table

STATIC = Path(__file__).parent / "static"
"""The pages' files."""

MESSAGE_LIMIT = 64 * 1024
"""Most characters of a message from a page."""
_FRAME_LIMIT = 1024 * 1024  # what is longer still ends the connection
_CONNECTIONS = 4000
_REPLIES = 64  # that wait for a slow reader before its own messages are left unread
_THINKING = 4  # computations of one table at once; all but one are of positions that have passed
_HINTS = 2  # of one seat at once
_MAX_PAUSE = 60.0
_GATHER = 0.005  # seconds in which the moves of quick policies without a pause are gathered to be saved and shown as one

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self'; object-src 'none'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Server": "cardenvs",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Workers:
    """Threads for work of unknown length: as many as are needed, up to a limit.

    They are daemons, unlike those of `concurrent.futures`: a policy that never returns does not keep the program alive.

    Args:
        limit: most threads; more work waits.
        name: of the threads.
    """

    def __init__(self, limit: int, name: str) -> None:
        self._limit, self._name = limit, name
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._unfinished = 0

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        """Runs ``work`` in a thread."""
        future: Future[Any] = Future()
        with self._lock:
            self._unfinished += 1
            if self._unfinished > self._threads < self._limit:
                self._threads += 1
                threading.Thread(target=self._run, name=f"{self._name}-{self._threads}", daemon=True).start()
        self._work.put((future, work))
        return future

    def _run(self) -> None:
        while True:
            future, work = self._work.get()
            if future.set_running_or_notify_cancel():
                try:
                    result = work()
                except BaseException as error:  # whoever waits for it is told
                    future.set_exception(error)
                else:
                    future.set_result(result)
            with self._lock:
                self._unfinished -= 1


MOVES = Workers(256, "policy")
"""Where policies choose; a limit that only policies which hang at dozens of tables can reach."""
HINTS = Workers(64, "hint")
"""Where hints are computed, so that they never keep a policy waiting."""
_WRITERS = ThreadPoolExecutor(16, "writer")


class Refused(ValueError):
    """A message from a page that cannot be obeyed; its text goes back to the page."""


class Connection:
    """One page that is open at a table: what it is to be sent, and who it is.

    Attributes:
        seat: whose page it is; None for somebody who looks on.
    """

    def __init__(self, seat: int | None, socket: web.WebSocketResponse) -> None:
        self.seat = seat
        self._socket = socket
        self._state: str | None = None
        self._replies: deque[str] = deque()
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    def show(self, state: str) -> None:
        """Sends a state; one that has not been sent yet is replaced, for it is out of date."""
        self._state = state
        self._news.set()

    def say(self, **message: Any) -> None:
        """Sends a reply."""
        self._replies.append(json.dumps(message))
        self._news.set()

    async def ready(self) -> None:
        """Waits until the page has read most of its replies: who does not read is not listened to."""
        while len(self._replies) > _REPLIES:
            self._room.clear()
            await self._room.wait()

    async def send(self) -> None:
        """Sends what there is to send until the page is gone."""
        with contextlib.suppress(ConnectionError):
            while True:
                await self._news.wait()
                self._news.clear()
                while self._replies or self._state is not None:
                    if self._replies:
                        text = self._replies.popleft()
                        self._room.set()
                    else:
                        text, self._state = str(self._state), None
                    await self._socket.send_str(text)


class Room:
    """A table, its links, the pages that are open at it, and its file.

    Args:
        table: what is played.
        folder: where its file is kept; None: nowhere.
        pause: seconds between two moves, for people to follow; the computing of a move counts.
        key: the table's name in links and on the disk; None makes one.
        tokens: a token for each seat and one for looking on; None makes them.
        port: noted in the file, for the links.

    Attributes:
        key: as above.
        tokens: as above.
        trouble: why the table could not be saved, if it could not.
    """

    def __init__(
        self,
        table: Table,
        folder: Path | None = None,
        *,
        pause: float = 0.7,
        key: str | None = None,
        tokens: Sequence[str] | None = None,
        port: int = 0,
    ) -> None:
        self.table = table
        self.folder = folder
        self.pause = check_pause(pause)
        self.key = key or secrets.token_hex(4)
        self.tokens = list(tokens or (secrets.token_urlsafe(16) for _ in range(table.game.seats + 1)))
        self.port = port
        self.paused = False
        self.trouble: str | None = None
        self.connections: set[Connection] = set()
        self._trusted = set(table.seats)
        self._persons = set(table.people)  # who has sat at the table in this deal
        self._steps = 0
        self._thinking: list[Future[Any]] = []
        self._hints: dict[int, list[Future[Any]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._player_news, self._saver_news = asyncio.Event(), asyncio.Event()
        self._saved = ""
        self._writing: asyncio.Future[None] | None = None

    # --- links ---

    def seat_of(self, token: str) -> tuple[bool, int | None]:
        """Whether a token is one of the table's, and which seat it gives; None is looking on."""
        found: list[int] = []
        for k, known in enumerate(self.tokens):  # all of them, so that the time tells nothing
            if hmac.compare_digest(token.encode("utf-8", "replace"), known.encode()):
                found.append(k)
        if not found:
            return False, None
        return True, found[0] if found[0] < self.table.game.seats else None

    def path(self, seat: int | None) -> str:
        """The path of a seat's page, or of that for looking on."""
        return f"/t/{self.key}/{self.tokens[-1 if seat is None else seat]}"

    # --- the file ---

    @property
    def file(self) -> Path | None:
        """Where the table is kept."""
        return None if self.folder is None else self.folder / f"{self.table.game.name}-{self.key}.txt"

    def text(self) -> str:
        """The table's file: a record whose first remarks are for `read_room`."""
        head = (
            "# a table of cardenvs play; whoever can read this can see all cards and take every seat\n"
            f"# table: {self.key}\n# tokens: {' '.join(self.tokens)}\n# port: {self.port}\n# pause: {self.pause}\n"
        )
        return head + self.table.to_text()

    # --- at work ---

    def start(self) -> None:
        """Begins to play and save; to be called in the event loop."""
        for work in (self._play, self._save):
            self._keep(asyncio.create_task(self._forever(work)))
        self.changed()

    async def stop(self) -> None:
        """Ends the work; what has happened is saved."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._writing is not None:  # the saver has ended, its thread may not have: an older state must not land last
            await asyncio.gather(self._writing, return_exceptions=True)
        await self._write(self.text())

    def changed(self) -> None:
        """To be called after each change: saves it, shows it, lets the policies go on."""
        self._player_news.set()
        self._saver_news.set()

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forever(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except Exception as error:  # a fault of ours must not end the table
                print(f"cardenvs: table {self.key}: {type(error).__name__}: {error}", file=sys.stderr)
                await asyncio.sleep(0.5)

    async def _write(self, text: str) -> None:
        """Writes the file if it is out of date. Only one at a time: called by the saver, and at last by `stop`."""
        file = self.file
        if file is None or text == self._saved:
            return
        try:
            self._writing = asyncio.get_running_loop().run_in_executor(_WRITERS, write_whole, file, text, 0o600)
            await asyncio.shield(self._writing)
        except OSError as error:
            self.trouble = f"the table cannot be saved: {error.strerror or error}"
        else:
            self._saved, self.trouble = text, None

    async def _save(self) -> None:
        """Saves the table as it stands, then shows it as it was saved."""
        await self._saver_news.wait()
        if not self.pause and self._plays() and self.table.policy_to_act is not None:
            await asyncio.sleep(_GATHER)
        self._saver_news.clear()
        text = self.text()
        states = {seat: self._state(seat) for seat in {connection.seat for connection in self.connections}}
        trouble = self.trouble
        await self._write(text)
        if self.trouble != trouble:
            self._saver_news.set()  # the pages are to say so
        for connection in self.connections:
            if connection.seat in states:
                connection.show(states[connection.seat])
            else:  # it came while the file was being written
                self._saver_news.set()

    def _state(self, seat: int | None) -> str:
        there = {connection.seat for connection in self.connections if connection.seat is not None}
        busy = self.table.policy_to_act if self._plays() else None
        state = seat_view(self.table, seat, connected=there, thinking=-1 if busy is None else busy)
        state |= {"pause": self.pause, "paused": self.paused, "control": self._may(seat), "trouble": self.trouble}
        return json.dumps(state)

    def _plays(self) -> bool:
        """Whether policies are to move; a table without people waits until somebody looks."""
        held = self.paused and not self._steps
        return not held and bool(self.table.people or self.connections)

    async def _play(self) -> None:
        """One move of a policy, or a wait until there is one to make."""
        table = self.table
        self._player_news.clear()
        if table.policy_to_act is None or not self._plays():
            await self._player_news.wait()
            return
        begun, version = time.monotonic(), table.version
        shot = table.snapshot()
        self._thinking = [future for future in self._thinking if not future.done()]
        if len(self._thinking) >= _THINKING:
            table.fail(version, shot.seat, f"{table.seats[shot.seat]} is still at work on {_THINKING} earlier positions")
            self.changed()
            return
        thought = MOVES.submit(lambda: table.policy_move(shot))
        self._thinking.append(thought)
        waiting = asyncio.wrap_future(thought)
        # A move is played when it has been computed, the pause is over and nobody has stopped the table.
        while table.version == version:
            left = begun + self.pause - time.monotonic()
            if waiting.done() and (left <= 0 or self._steps) and self._plays():
                break
            news = asyncio.ensure_future(self._player_news.wait())
            timeout = left if waiting.done() and left > 0 else None
            await asyncio.wait(
                {news} if waiting.done() else {news, waiting}, timeout=timeout, return_when="FIRST_COMPLETED"
            )
            news.cancel()
            self._player_news.clear()
        if table.version != version:
            thought.cancel()  # if it has not begun
            if not waiting.done():
                waiting.add_done_callback(lambda late: late.cancelled() or late.exception())
            elif waiting.exception() is not None:
                self.changed()  # its failure is the change
            self._player_news.set()
            return
        try:
            table.apply(version, *waiting.result())
        except PolicyFailed:
            pass  # the table has noted it
        except Exception as error:
            table.fail(version, shot.seat, f"{table.seats[shot.seat]} failed: {error}")
        self._steps = max(self._steps - 1, 0)
        self.changed()

    # --- pages ---

    def join(self, connection: Connection) -> None:
        """A page was opened."""
        seat = connection.seat
        known = sorted({*policy.names(self.table.game), *self._trusted} - {HUMAN})
        connection.say(type="welcome", table=self.key, game=self.table.game.name, you=seat, policies=known)
        self.connections.add(connection)
        self.changed()

    def leave(self, connection: Connection) -> None:
        """A page was closed."""
        self.connections.discard(connection)
        self.changed()

    def _may(self, seat: int | None) -> bool:
        """Whether that page may deal, save, load, give seats away: people at the table, or anybody where there are none."""
        people = self.table.people
        return seat in people if people else True

    async def receive(self, connection: Connection, text: str) -> None:
        """Obeys a message, or says why not."""
        try:
            await self._obey(connection, text)
        except (ValueError, OSError) as error:
            message = " ".join(str(error).split()) or type(error).__name__
            connection.say(type="error", message=message[:500])
        except Exception as error:  # nothing that a page sends may end the connection's task
            print(f"cardenvs: table {self.key}: {type(error).__name__}: {error}", file=sys.stderr)
            connection.say(type="error", message=f"that failed: {type(error).__name__}")

    async def _obey(self, connection: Connection, text: str) -> None:
        if len(text) > MESSAGE_LIMIT:
            raise Refused(f"a message has {MESSAGE_LIMIT} characters at most, not {len(text)}")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise Refused("a message must be JSON") from None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise Refused('a message must be an object with a "type"')
        kind = message["type"]
        if kind == "act":
            self._act(connection, message)
            return
        if kind == "hint":
            self._hint(connection, message)
            return
        known: dict[str, Callable[[Connection, Mapping[str, Any]], Awaitable[None]]] = {
            "new": self._new, "same": self._same, "next": self._next, "save": self._save_as, "load": self._load,
            "speed": self._speed, "pause": self._hold, "step": self._step, "seat": self._seat, "retry": self._retry,
        }  # fmt: skip
        if kind not in known:
            raise Refused(f"unknown message {kind[:40]!r}: known are {', '.join(sorted(['act', 'hint', *known]))}")
        if not self._may(connection.seat):
            raise Refused("only those who sit at the table may do that; this page looks on")
        await known[kind](connection, message)
        self.changed()

    def _act(self, connection: Connection, message: Mapping[str, Any]) -> None:
        action, version, seat, table = _field(message, "action", str), message.get("version"), connection.seat, self.table
        if seat is None:
            raise Refused("this page looks on; it has no seat to play from")
        if table.seats[seat] != HUMAN:
            raise Refused(f"{table.seats[seat]} plays this seat")
        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise Refused("version must be a whole number")
        if version is not None and version != table.version:
            raise Refused(f"the table has moved on: it is at version {table.version}, not {version}")
        table.act(seat, action[:100])
        self.changed()

    def _hint(self, connection: Connection, message: Mapping[str, Any]) -> None:
        name, seat, table = _field(message, "policy", str), connection.seat, self.table
        if seat is None:
            raise Refused("this page looks on; hints are for seats")
        self._check_name(name)
        shot = table.snapshot()
        if shot.seat != seat:
            raise Refused(f"it is the turn of player {shot.seat}, not of player {seat}")
        running = [future for future in self._hints.get(seat, []) if not future.done()]
        if len(running) >= _HINTS:
            raise Refused(f"{_HINTS} hints are still being computed")
        labels = {table.game.actions[a]: action_label(table, table.game.actions[a])["label"] for a in table.legal()}
        thought = HINTS.submit(lambda: table.hint(seat, name, shot))
        self._hints[seat] = [*running, thought]
        self._keep(asyncio.create_task(self._answer(connection, name, shot, labels, thought)))

    async def _answer(
        self, connection: Connection, name: str, shot: Snapshot, labels: Mapping[str, str], thought: Future[Any]
    ) -> None:
        try:
            explained = await asyncio.wrap_future(thought)
        except Exception as error:  # a policy may raise whatever it likes
            said = " ".join(str(error).split()) or type(error).__name__
            connection.say(type="error", message=f"no hint from {name}: {said}"[:500])
            return
        told = [
            {"action": action, "label": labels.get(action, action), "value": value if math.isfinite(value) else None}
            for action, value in explained
        ]
        connection.say(type="hint", version=shot.version, policy=name, kind=explained.kind, bars=told)

    def _check_name(self, name: str) -> None:
        """A page may name policies, but not have the server read files of its choice, which may hold code.

        Raises:
            Refused: neither a plain policy's name nor one that was named when the table was made.
        """
        plain = re.fullmatch(r"[a-z][a-z0-9-]*(:[A-Za-z0-9_=,.+-]*)?", name) and len(name) <= 100
        if name not in self._trusted and (not plain or any(suffix in name for suffix in policy.suffixes())):
            raise Refused(f"{name[:100]!r} is no policy by name; files are named when the table is made")

    async def _new(self, connection: Connection, message: Mapping[str, Any]) -> None:
        line = message.get("line")
        if line is not None and not isinstance(line, str):
            raise Refused("line must be text")
        self.table.new_deal(seed=message.get("seed"), line=line)
        self._dealt()

    def _dealt(self) -> None:
        self._persons = set(self.table.people)
        self._steps = 0

    async def _same(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self.table.same_deal()
        self._dealt()

    async def _next(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self.table.next_deal()
        self._dealt()

    async def _save_as(self, connection: Connection, message: Mapping[str, Any]) -> None:
        table = self.table
        unfinished = bool(table.people) and table.over == RUNNING
        connection.say(type="saved", text=table.public_text(self.key), unfinished=unfinished)

    async def _load(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self.table.load(_field(message, "text", str), place=self.key)
        self._dealt()

    async def _speed(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self.pause = check_pause(message.get("seconds"))

    async def _hold(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self.paused = _field(message, "on", bool)
        self._steps = 0

    async def _step(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self.paused = True
        self._steps = 1

    async def _seat(self, connection: Connection, message: Mapping[str, Any]) -> None:
        table, seat, name = self.table, message.get("seat"), _field(message, "policy", str)
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < table.game.seats:
            raise Refused(f"the seats of {table.game.name} are 0 to {table.game.seats - 1}")
        if name != HUMAN:
            self._check_name(name)
            there = {one.seat for one in self.connections}
            if table.seats[seat] == HUMAN and seat in there and seat != connection.seat:
                raise Refused(f"player {seat} is at the table")
            await asyncio.wrap_future(HINTS.submit(lambda: table.check_player(name)))
        elif table.seats[seat] == HUMAN:
            raise Refused(f"player {seat} is a person already")
        table.set_seat(seat, name)
        # The link to a seat that was another person's in this deal would show that person's cards.
        if name == HUMAN and (seat not in self._persons or seat == connection.seat):
            connection.say(type="link", seat=seat, path=self.path(seat))
        if name == HUMAN:
            self._persons.add(seat)

    async def _retry(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self.table.retry()


def _field(message: Mapping[str, Any], name: str, kind: type) -> Any:
    value = message.get(name)
    if not isinstance(value, kind):
        raise Refused(f"{message['type']!r} needs {name!r}, {'text' if kind is str else 'true or false'}")
    return value


def check_pause(seconds: Any) -> float:
    """``seconds`` if it is a pause between moves: 0 to 60.

    Raises:
        ValueError: it is not.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds <= _MAX_PAUSE:
        raise ValueError(f"a pause has 0 to {_MAX_PAUSE:g} seconds, not {str(seconds)[:40]}")
    return float(seconds)


# --- files of tables -----------------------------------------------------------------------------------------------


def read_room(path: Path) -> Room:
    """The table of a file that a room wrote, to go on with the same links.

    Raises:
        ValueError: it is no such file, or a policy at the table is not to be had any more.
        OSError: it cannot be read.
    """
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} is no table: it is not text") from error
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        key, _, value = line.removeprefix("#").partition(":")
        found.setdefault(key.strip(), value.strip())
    table = Table.from_text(text, source=repr(str(path)))
    tokens = found.get("tokens", "").split()
    if len(tokens) != table.game.seats + 1 or not re.fullmatch(r"[\w-]+", found.get("table", "")):
        raise ValueError(f"{str(path)!r} is a record, but not of a table: it has no links; load it instead")
    port, pause = found.get("port", "0"), found.get("pause", "0.7")
    if not port.isdecimal() or not re.fullmatch(r"[0-9.]+", pause):
        raise ValueError(f"{str(path)!r} is damaged: port {port!r}, pause {pause!r}")
    return Room(table, path.parent, pause=float(pause), key=found["table"], tokens=tokens, port=int(port))


# --- the application -----------------------------------------------------------------------------------------------


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def host_allowed(header: str, bound: str) -> bool:
    """Whether a request with that Host is meant for a server bound to ``bound``, and not led here by another's name.

    A page elsewhere can have its own host name resolve to this machine; it cannot send an address as its Host.
    """
    try:
        name = (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if _is_loopback(name):
        return True
    if _is_loopback(bound):
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return name in (bound.lower(), own, own.partition(".")[0], f"{own.partition('.')[0]}.local")
    return True


def create_app(rooms: Iterable[Room], *, host: str = "127.0.0.1", static: Path = STATIC) -> web.Application:
    """The server of some tables.

    Args:
        rooms: the tables. They play while the application runs.
        host: the address that it will be bound to; requests for other hosts are refused.
        static: the folder of the pages' files.
    """
    by_key = {room.key: room for room in rooms}
    sockets: set[web.WebSocketResponse] = set()

    def find(request: web.Request) -> tuple[Room, int | None]:
        room = by_key.get(request.match_info["table"])
        if room is not None:
            known, seat = room.seat_of(request.match_info["token"])
            if known:
                return room, seat
        raise web.HTTPForbidden(text="No such table, or not a link to it.")

    @web.middleware
    async def guard(request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Any:
        if not host_allowed(request.headers.get("Host", ""), host):
            raise web.HTTPForbidden(text="This server does not go by that name.")
        return await handler(request)

    async def headers(request: web.Request, response: web.StreamResponse) -> None:
        for name, value in _HEADERS.items():
            response.headers[name] = value
        response.headers["Cache-Control"] = "no-cache" if request.path.startswith("/static/") else "no-store"

    def send(request: web.Request, name: str) -> web.StreamResponse:
        body = (static / name).read_bytes()
        tag = hashlib.sha256(body).hexdigest()[:16]
        if any(known.value == tag for known in request.if_none_match or ()):
            response = web.Response(status=304)
        else:
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            response = web.Response(body=body, content_type=kind, charset="utf-8")
            response.enable_compression()  # if the browser takes it
        response.etag = tag
        return response

    async def page(request: web.Request) -> web.StreamResponse:
        find(request)
        return send(request, "index.html")

    async def file(request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", name) or not (static / name).is_file():
            raise web.HTTPNotFound(text="There is no such file.")
        return send(request, name)

    async def closed(request: web.Request) -> web.StreamResponse:
        raise web.HTTPForbidden(text="Seats are reached by their links.")

    async def talk(request: web.Request) -> web.StreamResponse:
        room, seat = find(request)
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2].lower() != request.headers.get("Host", "").lower():
            raise web.HTTPForbidden(text="A page of another site has no business here.")
        if len(sockets) >= _CONNECTIONS:
            raise web.HTTPServiceUnavailable(text="Too many pages are open.")
        reply = web.WebSocketResponse(max_msg_size=_FRAME_LIMIT, heartbeat=20.0, compress=False)
        await reply.prepare(request)
        sockets.add(reply)
        connection = Connection(seat, reply)
        sender = asyncio.create_task(connection.send())
        room.join(connection)
        try:
            async for message in reply:
                if message.type is WSMsgType.TEXT:
                    await room.receive(connection, message.data)
                elif message.type is WSMsgType.BINARY:
                    connection.say(type="error", message="a message must be text")
                await connection.ready()
                await asyncio.sleep(0)  # others have their turn between two messages of a flood
        finally:
            sockets.discard(reply)
            room.leave(connection)
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)
        return reply

    async def run(_: web.Application) -> Any:
        for room in by_key.values():
            room.start()
        yield
        for room in by_key.values():
            await room.stop()

    async def shut(_: web.Application) -> None:
        closing = [reply.close(code=1001, message=b"the server ends") for reply in list(sockets)]
        await asyncio.wait_for(asyncio.gather(*closing, return_exceptions=True), 5)

    app = web.Application(middlewares=[guard])
    app.on_response_prepare.append(headers)
    app.on_shutdown.append(shut)
    app.cleanup_ctx.append(run)
    app.router.add_get("/", closed)
    app.router.add_get("/t/{table}/{token}", page)
    app.router.add_get("/t/{table}/{token}/ws", talk)
    app.router.add_get("/t/{rest:.*}", closed)
    app.router.add_get("/static/{name}", file)
    return app
