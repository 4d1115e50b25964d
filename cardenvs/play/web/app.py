"""The server of some tables: pages and their files, WebSockets, and access.

A link ends in an unguessable token: one link for each seat's view, one for spectators. Requests under another host's name,
and WebSockets of other sites' pages, are refused.
"""

import asyncio
import hashlib
import ipaddress
import mimetypes
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from cardenvs.play.web.connection import Connection
from cardenvs.play.web.messages import Messages
from cardenvs.play.web.room import Room

STATIC = Path(__file__).parent / "static"  # folder of the pages' files

_FRAME_LIMIT = 320 * 1024  # maximum bytes of a WebSocket message; a longer one ends the connection

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


def is_loopback(name: str) -> bool:
    """Whether a host's name or address is this machine's own, which no other machine can reach."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def host_allowed(header: str, bound: str) -> bool:
    """Whether a request's header Host names this server, ``bound`` to an address or name: a guard against DNS rebinding.

    Another site can have its own host name resolve to this machine, but its pages cannot send an address as Host.
    """
    try:
        name = (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if is_loopback(name):
        return True
    if is_loopback(bound):
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return name in (bound.lower(), own, own.partition(".")[0], f"{own.partition('.')[0]}.local")
    return True


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    for name, value in _HEADERS.items():
        response.headers[name] = value
    response.headers["Cache-Control"] = "no-cache" if request.path.startswith("/static/") else "no-store"


def _file_response(request: web.Request, path: Path) -> web.StreamResponse:
    """Returns a file of the pages, or status 304 if the browser has it."""
    body = path.read_bytes()
    tag = hashlib.sha256(body).hexdigest()[:16]
    if any(known.value == tag for known in request.if_none_match or ()):
        response = web.Response(status=304)
    else:
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        response = web.Response(body=body, content_type=kind, charset="utf-8")
        response.enable_compression()  # if the browser takes it
    response.etag = tag
    return response


async def _forbid(request: web.Request) -> web.StreamResponse:
    raise web.HTTPForbidden(text="Seats are reached by their links.")


async def _serve_page(socket: web.WebSocketResponse, seat: int | None, room: Room, messages: Messages) -> None:
    """Sends a page its seat's view of a table and obeys its messages, until it is closed."""
    connection = Connection(seat, socket, room.names.hide_paths)
    sender = asyncio.create_task(connection.run_sender())
    messages.welcome(connection)
    room.add_page(connection)
    try:
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await messages.receive(connection, message.data)
            elif message.type is WSMsgType.BINARY:
                connection.reply(type="error", message="a message must be text")
            await connection.wait_until_read()
            await asyncio.sleep(0)  # other pages have their turn between two messages of a flood
    finally:
        room.remove_page(connection)
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)


def create_app(rooms: Iterable[Room], *, host: str = "127.0.0.1", static: Path = STATIC) -> web.Application:
    """Returns the server of some tables as an application for aiohttp; the tables play while it runs.

    It refuses requests for other hosts than ``host``, to which it will be bound. ``static`` is the folder of the pages'
    files.
    """
    by_key = {room.key: room for room in rooms}
    messages = {room.key: Messages(room) for room in by_key.values()}

    def find_seat(request: web.Request) -> tuple[Room, int | None]:
        """Returns the table and the seat (None: spectator) of a request's link; raises status 403 without one."""
        room = by_key.get(request.match_info["table"])
        if room is not None:
            known, seat = room.seat_of(request.match_info["token"])
            if known:
                return room, seat
        raise web.HTTPForbidden(text="No such table, or not a link to it. A seat's link ends when the seat changes hands.")

    @web.middleware
    async def guard(request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Any:
        """Refuses requests whose header Host does not name this server."""
        if not host_allowed(request.headers.get("Host", ""), host):
            raise web.HTTPForbidden(text="This server does not go by that name.")
        return await handler(request)

    async def seat_page(request: web.Request) -> web.StreamResponse:
        find_seat(request)
        return _file_response(request, static / "index.html")

    async def static_file(request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", name) or not (static / name).is_file():
            raise web.HTTPNotFound(text="There is no such file.")
        return _file_response(request, static / name)

    async def websocket(request: web.Request) -> web.StreamResponse:
        room, seat = find_seat(request)
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2].lower() != request.headers.get("Host", "").lower():
            raise web.HTTPForbidden(text="A page of another site has no business here.")
        reply = web.WebSocketResponse(max_msg_size=_FRAME_LIMIT, heartbeat=20.0, compress=False)
        await reply.prepare(request)
        await _serve_page(reply, seat, room, messages[room.key])
        return reply

    async def play_tables(_: web.Application) -> Any:
        for room in by_key.values():
            room.start()
        yield
        for room in by_key.values():
            await room.stop()

    async def close_sockets(_: web.Application) -> None:
        closing = [connection.close() for room in by_key.values() for connection in room.connections]
        await asyncio.wait_for(asyncio.gather(*closing, return_exceptions=True), 5)

    app = web.Application(middlewares=[guard])
    app.on_response_prepare.append(_add_headers)
    app.on_shutdown.append(close_sockets)
    app.cleanup_ctx.append(play_tables)
    app.router.add_get("/", _forbid)
    app.router.add_get("/t/{table}/{token}", seat_page)
    app.router.add_get("/t/{table}/{token}/ws", websocket)
    app.router.add_get("/t/{rest:.*}", _forbid)
    app.router.add_get("/static/{name}", static_file)
    return app
