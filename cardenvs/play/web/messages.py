"""What pages ask of a table: each message is checked, then obeyed or refused with the reason.

A message is a JSON object with a ``"type"``. Every seat's page may send ``act`` and ``hint`` for its seat; all other
types are for those who may change the table (`Room.may_change`).
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any

from cardenvs import policy
from cardenvs.drivers import RUNNING
from cardenvs.play.players import HUMAN, Snapshot
from cardenvs.play.seatview import action_label
from cardenvs.play.start import check_pause
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.room import Room
from cardenvs.play.web.workers import HINTS
from cardenvs.printing import remark

MESSAGE_LIMIT = 64 * 1024
"""The most characters of a message from a page."""
_HINTS = 2
"""The most hints of one seat that are computed at once."""


class Refused(ValueError):
    """A message from a page that cannot be obeyed; the error's text goes back to the page."""


class Messages:
    """The messages of the pages at a table.

    Args:
        room: the table.
    """

    def __init__(self, room: Room) -> None:
        self._room, self._table = room, room.table
        self._trusted = set(room.table.seats)  # policies named when the table was made, files among them
        self._persons = set(room.table.people)  # the seats that people have held in this deal
        self._hints: dict[int, list[Future[Any]]] = {}
        self._kinds: dict[str, Callable[[Connection, Mapping[str, Any]], Awaitable[None]]] = {
            "new": self._new, "same": self._same, "next": self._next, "save": self._save, "load": self._load,
            "speed": self._speed, "pause": self._hold, "step": self._step, "seat": self._seat, "retry": self._retry,
        }  # fmt: skip

    def welcome(self, connection: Connection) -> None:
        """Tells a page that was opened its table and seat, and the policies that can be named there."""
        known = sorted({*policy.names(self._table.game), *self._trusted} - {HUMAN})
        connection.say(
            type="welcome", table=self._room.key, game=self._table.game.name, you=connection.seat, policies=known
        )

    async def receive(self, connection: Connection, text: str) -> None:
        """Obeys a page's message, or tells the page why not."""
        try:
            await self._obey(connection, text)
        except (ValueError, OSError) as error:
            message = " ".join(str(error).split()) or type(error).__name__
            connection.say(type="error", message=message[:500])
        except Exception as error:  # nothing that a page sends may end the connection's task
            remark(f"cardenvs: table {self._room.key}: {type(error).__name__}: {error}")
            connection.say(type="error", message=f"that failed: {type(error).__name__}")

    async def _obey(self, connection: Connection, text: str) -> None:
        """Obeys a message.

        Raises:
            Refused: the text is no message, or a message that this page may not send.
            ValueError: the table refuses.
            OSError: a policy's file cannot be read.
        """
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
        if kind not in self._kinds:
            raise Refused(f"unknown message {kind[:40]!r}: known are {', '.join(sorted(['act', 'hint', *self._kinds]))}")
        if not self._room.may_change(connection.seat):
            raise Refused("only those who sit at the table may do that; this page looks on")
        await self._kinds[kind](connection, message)
        self._room.changed()

    def _act(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``act``: plays the named action at the page's seat, if the table is at the version that the page has seen."""
        action, version, seat, table = _field(message, "action", str), message.get("version"), connection.seat, self._table
        if seat is None:
            raise Refused("this page looks on; it has no seat to play from")
        if table.seats[seat] != HUMAN:
            raise Refused(f"{table.seats[seat]} plays this seat")
        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise Refused("version must be a whole number")
        if version is not None and version != table.version:
            raise Refused(f"the table has moved on: it is at version {table.version}, not {version}")
        table.act(seat, action[:100])
        self._room.changed()

    def _hint(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``hint``: has a policy think of the position of the page's seat; the answer comes when it is ready."""
        name, seat, table = _field(message, "policy", str), connection.seat, self._table
        if seat is None:
            raise Refused("this page looks on; hints are for seats")
        self._check_name(name)
        shot = table.snapshot()
        if shot.seat != seat:
            raise Refused(f"it is the turn of player {shot.seat}, not of player {seat}")
        running = [future for future in self._hints.get(seat, []) if not future.done()]
        if len(running) >= _HINTS:
            raise Refused(f"{_HINTS} hints are still being computed")
        labels = {table.game.actions[action]: action_label(table, action)["label"] for action in table.legal()}
        thought = HINTS.submit(lambda: table.hint(seat, name, shot))
        self._hints[seat] = [*running, thought]
        self._room.keep(asyncio.create_task(self._answer(connection, name, shot, labels, thought)))

    async def _answer(
        self, connection: Connection, name: str, shot: Snapshot, labels: Mapping[str, str], thought: Future[Any]
    ) -> None:
        """Sends a hint as soon as it has been computed."""
        try:
            explained = await asyncio.wrap_future(thought)
        except Exception as error:  # a policy may raise whatever it likes
            said = " ".join(str(error).split()) or type(error).__name__
            connection.say(type="error", message=f"no hint from {name}: {said}"[:500])
            return
        bars = [
            {"action": action, "label": labels.get(action, action), "value": value if math.isfinite(value) else None}
            for action, value in explained
        ]
        connection.say(type="hint", version=shot.version, policy=name, kind=explained.kind, bars=bars)

    def _check_name(self, name: str) -> None:
        """Makes sure that a name from a page has the server read no file of the page's choice, which may hold code.

        Raises:
            Refused: neither a plain policy's name nor a name that was given when the table was made.
        """
        plain = re.fullmatch(r"[a-z][a-z0-9-]*(:[A-Za-z0-9_=,.+-]*)?", name) and len(name) <= 100
        if name not in self._trusted and (not plain or any(suffix in name for suffix in policy.suffixes())):
            raise Refused(f"{name[:100]!r} is no policy by name; files are named when the table is made")

    async def _new(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``new``: a new deal, by a seed or a line of text if the message has one."""
        line = message.get("line")
        if line is not None and not isinstance(line, str):
            raise Refused("line must be text")
        self._table.new_deal(seed=message.get("seed"), line=line)
        self._dealt()

    def _dealt(self) -> None:
        """Notes who sits at the table as another deal begins."""
        self._persons = set(self._table.people)
        self._room.hold(self._room.paused)

    async def _same(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``same``: the current deal again from its beginning."""
        self._table.same_deal()
        self._dealt()

    async def _next(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``next``: the next deal of a game."""
        self._table.next_deal()
        self._dealt()

    async def _save(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``save``: sends the record that a person may take home, which names no card of a deal that is not over."""
        table = self._table
        unfinished = bool(table.people) and table.over == RUNNING
        connection.say(type="saved", text=table.public_text(self._room.key), unfinished=unfinished)

    async def _load(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``load``: goes on with the last deal of a text."""
        self._table.load(_field(message, "text", str), key=self._room.key)
        self._dealt()

    async def _speed(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``speed``: another pause between two moves, in seconds."""
        self._room.pause = check_pause(message.get("seconds"))

    async def _hold(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``pause``: stops the policies, or lets them go on."""
        self._room.hold(_field(message, "on", bool))

    async def _step(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``step``: lets one policy make one move, then stops."""
        self._room.hold(True, moves=1)

    async def _seat(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``seat``: gives a seat to a policy or a person; the page that gives a seat to a person gets its link."""
        table, seat, name = self._table, message.get("seat"), _field(message, "policy", str)
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < table.game.seats:
            raise Refused(f"the seats of {table.game.name} are 0 to {table.game.seats - 1}")
        if name != HUMAN:
            self._check_name(name)
            connected = {one.seat for one in self._room.connections}
            if table.seats[seat] == HUMAN and seat in connected and seat != connection.seat:
                raise Refused(f"player {seat} is at the table")
            await asyncio.wrap_future(HINTS.submit(lambda: table.check_player(name)))
        elif table.seats[seat] == HUMAN:
            raise Refused(f"player {seat} is a person already")
        table.set_seat(seat, name)
        # The link to a seat that was another person's in this deal would show that person's cards.
        if name == HUMAN and (seat not in self._persons or seat == connection.seat):
            connection.say(type="link", seat=seat, path=self._room.path(seat))
        if name == HUMAN:
            self._persons.add(seat)

    async def _retry(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``retry``: lets the policies that have failed try again."""
        self._table.retry()


def _field(message: Mapping[str, Any], name: str, kind: type) -> Any:
    """A field of a message, which must be text or a truth value.

    Args:
        message: the message.
        name: the field's name.
        kind: ``str`` for text, ``bool`` for true or false.

    Raises:
        Refused: the field is missing or of another kind.
    """
    value = message.get(name)
    if not isinstance(value, kind):
        raise Refused(f"{message['type']!r} needs {name!r}, {'text' if kind is str else 'true or false'}")
    return value
