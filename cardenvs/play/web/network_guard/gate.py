"""Limits on connections and requests, in all and by address; a connection without a request is closed."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import time
from collections import Counter
from collections.abc import Callable
from typing import cast

from cardenvs.play.web.network_guard.log import report

HEADER_SECONDS = 10.0  # seconds in which a connection must have sent the header of its first request
IDLE_SECONDS = 15.0  # seconds from an answer to the next request; open pages are no requests
CONNECTIONS = 1000  # maximum number of connections, if the system allows as many open files
_FOR_ONE = 100  # maximum number of connections of one address, or of one network of IPv6
_FOR_THIS_MACHINE = 500  # the same of this machine, where a proxy may stand for many
_VISITS, _VISITS_HERE = 300, 3000  # requests in a row of one address, and of this machine; then a sixth of them each second
_PLACES = 10_000  # maximum number of addresses that are remembered
_FILES = 100  # number of open files reserved for all else
_HERE = "this machine"
_ENDS = (b"\r\n\r\n", b"\n\n", b"\n\r\n")  # ends of a request's header
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Gate:
    """Makes the protocol of each connection for `asyncio.loop.create_server`; that of ``server`` answers the requests."""

    def __init__(self, server: Callable[[], asyncio.Protocol]) -> None:
        self._server = server
        self._by_place: Counter[str] = Counter()
        self._most = min(CONNECTIONS, max(16, _open_files() - _FILES))

    def __call__(self) -> asyncio.Protocol:
        return _Guarded(self, self._server())

    def enter(self, place: str) -> bool:
        """Counts a connection of an address or network; returns False if there is no room for it."""
        most = _FOR_THIS_MACHINE if place == _HERE else _FOR_ONE
        if self._by_place.total() >= self._most or self._by_place[place] >= most:
            report(f"too many connections: one of {place} was refused")
            return False
        self._by_place[place] += 1
        return True

    def leave(self, place: str) -> None:
        self._by_place[place] -= 1
        if not self._by_place[place]:
            del self._by_place[place]


class Visits:
    """Counts requests by address, and limits them."""

    def __init__(self) -> None:
        self._budgets: dict[str, tuple[float, float]] = {}

    def is_within_limit(self, peer: object) -> bool:
        """Counts a request from ``peer``, of `asyncio.BaseTransport.get_extra_info`; returns whether it may be answered."""
        place, now = _origin_of(peer), time.monotonic()
        most = _VISITS_HERE if place == _HERE else _VISITS
        left, noted = self._budgets.pop(place, (float(most), now))
        left = min(float(most), left + (now - noted) * most / 6)
        if len(self._budgets) >= _PLACES:
            del self._budgets[next(iter(self._budgets))]
        self._budgets[place] = (max(left - 1, 0.0), now)
        return left >= 1


class _Guarded(asyncio.Protocol):
    """A connection that is closed unless it sends a request."""

    def __init__(self, gate: Gate, inner: asyncio.Protocol) -> None:
        self._gate, self._inner = gate, inner
        self._place: str | None = None
        self._head: bytes | None = b""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        connected = cast(asyncio.Transport, transport)
        place = _origin_of(connected.get_extra_info("peername"))
        if not self._gate.enter(place):
            connected.write(_FULL)
            connected.close()
            return
        self._place = place
        self._timer = asyncio.get_running_loop().call_later(HEADER_SECONDS, connected.abort)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Passes on the bytes received; the wait for a request ends with the end of its header."""
        if self._place is None:
            return
        if self._head is not None:
            # A few bytes of what came before, as the end may come in pieces.
            self._head = self._head[-3:] + data
            if any(end in self._head for end in _ENDS):
                self._head = None
                self._cancel_timer()
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return None if self._place is None else self._inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._cancel_timer()
        if self._place is not None:
            self._gate.leave(self._place)
            self._inner.connection_lost(error)

    def pause_writing(self) -> None:
        if self._place is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._place is not None:
            self._inner.resume_writing()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _origin_of(peer: object) -> str:
    """Returns the origin of a connection: an address, a network of IPv6, or this machine."""
    if not isinstance(peer, tuple) or not peer:
        return _HERE
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except ValueError:
        return str(peer[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return _HERE if address.is_loopback else str(ipaddress.ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return _HERE if address.is_loopback else str(address)


def _open_files() -> int:
    with contextlib.suppress(ImportError, OSError):
        import resource  # not on Windows

        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return soft if soft >= 0 else CONNECTIONS + _FILES
    return CONNECTIONS + _FILES
