"""Serves tables: a port, the links, a browser."""

import asyncio
import contextlib
import errno
import ipaddress
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from cardenvs import policy
from cardenvs.envs.batch import Batch
from cardenvs.play.players import HUMAN
from cardenvs.play.table import Table
from cardenvs.play.web.app import create_app
from cardenvs.play.web.room import Room
from cardenvs.play.web.server_log import report, server_logger
from cardenvs.printing import remark

PORT = 8765  # the first port that is tried by default
_PORTS = 50  # number of ports that are tried, from `PORT` on, before any free port is taken
_TEXT_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")


async def serve(
    rooms: Sequence[Room],
    host: str,
    port: int | None,
    *,
    resumed: bool = False,
    browser: bool = True,
    started: Callable[[dict[str, Any]], None] = lambda links: None,
) -> None:
    """Serves tables until the program is interrupted, and calls ``started`` with the `links` of the first at the beginning.

    ``port`` None takes a free one, or if ``resumed`` that of the tables' links. ``browser`` opens the first link. Raises
    OSError if the port is taken, or the address is not this machine's, and ValueError if a table cannot be opened.
    """
    listening = listen(host, port, rooms[0].port if resumed else 0)
    number = listening.getsockname()[1]
    if not ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback:
        remark(f"cardenvs: everybody who can reach {host} and has a link can play; links are sent unencrypted")
    for room in rooms:
        room.port = number
    # A log of requests would have the tokens.
    runner = web.AppRunner(create_app(rooms, host=host), access_log=None, logger=server_logger(), shutdown_timeout=2.0)
    await runner.setup()
    try:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: report(f"{context['message']}: {context.get('exception')!r}"))
        for name in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # Windows: KeyboardInterrupt ends it
                loop.add_signal_handler(name, ended.set)
        await web.SockSite(runner, listening, backlog=256).start()
        told = links(rooms[0], f"http://{_link_address(host)}:{number}")
        started(told)
        waiting = [loop.create_task(_once_open(room, ended)) for room in rooms]
        if browser:
            _open_browser(next((seat["url"] for seat in told["seats"] if seat["url"]), told["spectator"]))
        await ended.wait()
        for task in waiting:
            task.cancel()
    finally:
        await runner.cleanup()
    for room in rooms:
        if room.failure is not None:
            raise room.failure


async def _once_open(room: Room, ended: asyncio.Event) -> None:
    """Has a table's policies warm up when the table is open; ends the server if it cannot be opened."""
    await room.opened.wait()
    if room.failure is not None:
        ended.set()
    else:
        threading.Thread(target=_warm_up, args=(room.table,), daemon=True).start()


def listen(host: str, port: int | None, noted: int = 0) -> socket.socket:
    """Opens a listening socket at a port, 0 for any free one; None takes ``noted``, or if that is 0 one from `PORT` on.

    Raises OSError if the port is taken, or the address is not this machine's.
    """
    wanted = [port] if port is not None else [noted] if noted else [*range(PORT, PORT + _PORTS), 0]
    for number in wanted:
        family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        try:
            return socket.create_server(address, family=family, backlog=256, dualstack_ipv6=both)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and number != wanted[-1]:
                continue
            if error.errno == errno.EADDRINUSE and noted:
                raise OSError(f"port {number} is taken: does the table's server still run? Or name another port") from error
            raise OSError(f"cannot listen at {host} port {number}: {os.strerror(error.errno or 0)}") from error
    raise AssertionError("the last port is always tried")


def _link_address(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return _own_address()
    return f"[{host}]" if address.version == 6 else host


def _own_address() -> str:
    """Returns the address of this machine in its network, for a phone that does not know its name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked, contextlib.suppress(OSError):
        asked.connect(("192.0.2.1", 9))  # an address of documentation: nothing is sent, a way out is chosen
        return str(asked.getsockname()[0])
    return socket.gethostname()


def links(room: Room, base: str) -> dict[str, Any]:
    """Returns a table's links for JSON: one for each person, now or with the next deal, and one for spectators.

    A policy is ``called`` by its name and its place for the first person at the table. ``base`` is ``http://HOST:PORT``.
    """
    table = room.table
    persons = {*table.people, *room.coming}
    first = next(iter(table.people), None)
    seats = [
        {"seat": seat, "name": table.display_name(seat) if name == HUMAN else name,
         "called": table.display_name(seat, None if name == HUMAN else first),
         "kind": "human" if name == HUMAN else "policy",
         "url": base + room.path(seat) if seat in persons else None}
        for seat, name in enumerate(table.seats)
    ]  # fmt: skip
    return {
        "game": table.game.name, "url": base, "table": room.key, "seats": seats, "spectator": base + room.path(None),
        "folder": str(room.folder),
    }  # fmt: skip


def _warm_up(table: Table) -> None:
    """Has every policy decide once, so that a fresh installation compiles its kernels while the page opens."""
    for name in dict.fromkeys(table.seats):
        # A policy that fails here fails at its table, too, which reports it.
        with contextlib.suppress(Exception):
            if name != HUMAN:
                player = policy.make(table.game, name)
                batch = Batch(table.game, 1, seed=0, recall=player.game.recall, **table.options)
                player.act(batch.observations, batch.action_masks)


def _open_browser(url: str) -> None:
    """Opens a browser if there is one with a window; one in the terminal would hide the links."""
    with contextlib.suppress(webbrowser.Error):
        browser = webbrowser.get()
        if getattr(browser, "name", "") not in _TEXT_BROWSERS:
            threading.Thread(target=browser.open, args=(url,), daemon=True).start()
