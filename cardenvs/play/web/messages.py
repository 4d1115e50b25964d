"""Messages from pages to a table: each is checked, then obeyed or refused with the reason.

A message is a JSON object with a ``"type"``. Every seat's page may send ``act`` and ``hint`` for its seat, and every page
the read-only ``replay`` and ``review``; all other types are for those who may change the table (`Room.may_change`).
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any

from cardenvs import policy
from cardenvs.contract.loops import RUNNING
from cardenvs.play.players import HUMAN, Snapshot
from cardenvs.play.seatview import action_label, replay_views
from cardenvs.play.table_setup import check_pause
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.network_guard.bounds import check_name
from cardenvs.play.web.network_guard.log import report
from cardenvs.play.web.reviews import Reviews
from cardenvs.play.web.room import Room
from cardenvs.play.web.workers import HINTS

MESSAGE_LIMIT = 64 * 1024  # maximum number of characters of a message from a page
HINT_SECONDS = 120.0  # limit for the hint of a policy without parameters; `confined_policy` bounds the others
_HINTS = 2  # maximum number of hints that are computed for one seat at once
_NOTICES = 100  # number of notices to all in a deal after which seats change hands no more in it
_UNREAD = 4  # maximum number of waiting replies with which a page may ask for a replay or a review


class Refused(ValueError):
    """A message from a page that is not obeyed; the error's text goes back to the page."""


class Messages:
    """Receives the messages of the pages at a table."""

    def __init__(self, room: Room) -> None:
        self._room, self._table = room, room.table
        self._seating = asyncio.Lock()
        self._hints: dict[int, list[Future[Any]]] = {}
        self._reviews = Reviews(room)
        self._views: dict[int | None, list[dict[str, Any]]] = {}  # the replays of the deal, by who asked
        self._views_version = -1
        self._kinds: dict[str, Callable[[Connection, Mapping[str, Any]], Awaitable[None]]] = {
            "new": self._new, "same": self._same, "next": self._next, "save": self._save, "load": self._load,
            "speed": self._speed, "pause": self._hold, "step": self._step, "seat": self._seat, "retry": self._retry,
            "name": self._call, "undo": self._undo,
        }  # fmt: skip
        self._looks: dict[str, Callable[[Connection], None]] = {"replay": self._replay, "review": self._review}

    def welcome(self, connection: Connection) -> None:
        """Sends an opened page its table and seat, the policies that it may name, and the game's rules."""
        game = self._table.game
        defaults = {*policy.default_names(game)} & {*policy.listed_names(game)}
        named = {name for name in defaults if not policy.runs_code(name)}
        known = sorted({*named, *self._room.names.trusted} - {HUMAN})
        connection.say(
            type="welcome", table=self._room.key, game=self._table.game.name, you=connection.seat, policies=known,
            rules=self._table.game.rules,
        )  # fmt: skip

    async def receive(self, connection: Connection, text: str) -> None:
        """Obeys a page's message, or replies with the reason of its refusal; ignores a page whose link has ended."""
        if connection.ended:
            return
        try:
            await self._obey(connection, text)
        except (ValueError, OSError) as error:
            connection.say(type="error", message=_said(error)[:500])
        except Exception as error:  # nothing that a page sends may end the connection's task
            report(f"table {self._room.key}: {type(error).__name__}: {error}")
            connection.say(type="error", message=f"that failed: {type(error).__name__}")

    async def _obey(self, connection: Connection, text: str) -> None:
        """Obeys a message; raises ValueError (`Refused`) or OSError if it cannot."""
        if not self._table.is_open:
            raise Refused("the table is still being prepared")
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
        if kind in self._looks:
            self._looks[kind](connection)
            return
        if kind not in self._kinds:
            known = sorted(["act", "hint", *self._looks, *self._kinds])
            raise Refused(f"unknown message {kind[:40]!r}: known are {', '.join(known)}")
        if not self._room.may_change(connection.seat):
            raise Refused("only those who sit at the table may do that; this page looks on")
        await self._kinds[kind](connection, message)
        self._reviews.check()
        self._room.changed()

    def _act(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``act``: plays the named action at the page's seat, if the table is at the page's version."""
        action, version, seat, table = _field(message, "action", str), message.get("version"), connection.seat, self._table
        if seat is None:
            raise Refused("this page looks on; it has no seat to play from")
        if table.seats[seat] != HUMAN:
            raise Refused(f"{table.called(seat, seat)} plays here")
        self._check_version(connection, version)
        table.act(seat, action[:100])
        self._room.changed()

    def _check_version(self, connection: Connection, version: Any) -> None:
        """Refuses a message that names another version of the table than the page is shown."""
        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise Refused("version must be a whole number")
        shown = self._table.version_seen(connection.seat)
        if version is not None and version != shown:
            raise Refused(f"the table has moved on: it is at version {shown}, not {version}")

    def _hint(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``hint``: has a policy explain the position of the page's seat; the answer comes when it is ready."""
        name, seat, table = self._name(message), connection.seat, self._table
        if seat is None:
            raise Refused("this page looks on; hints are for seats")
        if table.seats[seat] != HUMAN:
            raise Refused(f"{table.called(seat, seat)} plays here")
        shot = table.snapshot()
        if shot.seat != seat:
            raise Refused(f"it is the turn of {table.called(shot.seat, seat)}, not yours")
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
            limit = None if ":" in name else HINT_SECONDS
            explained = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(thought)), limit)
        except TimeoutError:
            connection.say(
                type="error", message=f"no hint from {self._room.names.shown(name)}: it took longer than {HINT_SECONDS:g} s"
            )
            return
        except Exception as error:  # a policy may raise whatever it likes
            connection.say(type="error", message=f"no hint from {self._room.names.shown(name)}: {_said(error)}"[:500])
            return
        bars = [
            {
                "action": action,
                "label": labels.get(action, action),
                "value": value if math.isfinite(value) else None,
                "error": explained.errors[k] if explained.errors else None,
                "visits": explained.visits[k] if explained.visits else None,
                "tried": explained.tried(k),
            }
            for k, (action, value) in enumerate(explained)
        ]
        connection.say(
            type="hint", version=shot.version, policy=self._room.names.shown(name), kind=explained.kind, bars=bars
        )

    def _name(self, message: Mapping[str, Any]) -> str:
        """Returns the policy that a message names: a trusted one, or one by a plain name."""
        shown = _field(message, "policy", str)
        name = self._room.names.real(shown)
        if name in self._room.names.trusted:
            return name
        check_name(name)
        return name

    async def _new(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``new``: a new deal, by a seed or a line of text if the message has one."""
        line = message.get("line")
        if line is not None and not isinstance(line, str):
            raise Refused("line must be text")
        running = self._table.over == RUNNING and bool(self._table.events)
        self._table.new_deal(seed=message.get("seed"), line=line)
        if running and self._table.people:
            self._table.tell(f"{self._who(connection)} began a new deal; the one before was not over")
        self._dealt(connection)

    def _dealt(self, connection: Connection) -> None:
        """Follows up a new deal: announces who may know its cards, and seats the people who waited for it."""
        self._room.tell_origin(self._who(connection))
        self._room.seat_newcomers()
        self._room.hold(self._room.paused)

    async def _same(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``same``: the current deal again from its beginning."""
        table = self._table
        table.same_deal()
        if table.people and not table.seen:
            table.tell(f"{self._who(connection)} began the same deal again: what was seen of it is known")
        self._dealt(connection)

    async def _next(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``next``: the next deal of a game."""
        self._table.next_deal()
        self._dealt(connection)

    async def _save(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``save``: sends the record for a person, which names no card of an unfinished deal."""
        table = self._table
        unfinished = bool(table.sat) and table.over == RUNNING
        connection.say(type="saved", text=table.public_text(self._room.key), unfinished=unfinished)

    async def _load(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``load``: goes on with the last deal of a text."""
        table = self._table
        taken_up = table.load(_field(message, "text", str), key=self._room.key)
        if taken_up and table.people and not table.seen:
            what = f"took a deal of this table up again after {table.decisions} moves"
            table.tell(f"{self._who(connection)} {what}: what was seen of it later is known")
        self._dealt(connection)

    async def _speed(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``speed``: sets the seconds between two moves."""
        self._room.pause = check_pause(message.get("seconds"))

    async def _hold(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``pause``: stops the policies, or lets them go on."""
        self._room.hold(_field(message, "on", bool))

    async def _step(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``step``: lets one policy make one move, then stops."""
        self._room.hold(True, moves=1)

    def _who(self, connection: Connection) -> str:
        """Returns the person at a page, in words for everybody."""
        return "somebody who looks on" if connection.seat is None else self._table.called(connection.seat)

    def _viewer(self, connection: Connection) -> int | None:
        """Returns the seat from which a page sees the table; None for a spectator and for a policy's seat."""
        return connection.seat if connection.seat in self._table.people else None

    async def _seat(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``seat``: gives a seat to a policy or a person; the page that gives a seat to a person gets its new link."""
        async with self._seating:
            if not self._room.may_change(connection.seat) or connection.ended:
                raise Refused("only those who sit at the table may do that; this page looks on")
            seat, name = message.get("seat"), self._name(message)
            if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < self._table.game.seats:
                raise Refused(f"the seats of {self._table.game.name} are 0 to {self._table.game.seats - 1}")
            if len(self._table.told) >= _NOTICES:
                raise Refused("seats have changed hands too often in this deal; wait for the next one")
            if name == HUMAN:
                await self._to_person(connection, seat)
            else:
                await self._to_policy(connection, seat, name)

    async def _to_policy(self, connection: Connection, seat: int, name: str) -> None:
        """Gives a seat to a policy; raises ValueError or OSError if that is refused or fails."""
        table, room = self._table, self._room
        await asyncio.wrap_future(HINTS.submit(lambda: table.check_player(name)))
        self._spare(connection, seat)
        await room.hand_over(seat, name, f"{self._who(connection)} gave seat {seat} to {self._room.names.shown(name)}")

    async def _to_person(self, connection: Connection, seat: int) -> None:
        """Gives a seat to a person, and the seat's new link to the page that asks; raises ValueError or OSError if refused.

        In the middle of a deal the link would show cards to a person who may have seen others: if another person has sat in
        the deal, the newcomer sits down with the next one.
        """
        table, room, who = self._table, self._room, self._who(connection)
        if table.seats[seat] == HUMAN and seat != connection.seat:
            raise Refused(f"{table.called(seat)} is a person already")
        self._spare(connection, seat)
        others = table.sat - {seat if connection.seat is None else connection.seat}
        if seat == connection.seat:
            said = f"{who} gave seat {seat} to another person"
        elif table.over == RUNNING and others:
            await room.announce(seat, f"{who} gave seat {seat} to a person, who sits down with the next deal", connection)
            return
        else:
            said = f"{who} gave seat {seat} to a person"
        await room.hand_over(seat, HUMAN, said, connection)

    def _spare(self, connection: Connection, seat: int) -> None:
        """Raises `Refused` if a person at a seat's page would lose the seat by another page."""
        persons = {*self._table.people, *self._room.coming}
        if seat in persons and seat != connection.seat and seat in {one.seat for one in self._room.connections}:
            raise Refused(f"{self._table.called(seat)} is at the table")

    async def _undo(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``undo``: takes back the only person's last decision, if the table is at the page's version."""
        if connection.seat is None:
            raise Refused("this page looks on; it has nothing to take back")
        self._check_version(connection, message.get("version"))
        self._table.undo(connection.seat)

    def _replay(self, connection: Connection) -> None:
        """``replay``: sends the positions of the finished deal, with open hands."""
        if connection.waiting > _UNREAD:
            raise Refused("earlier answers have not been read yet")
        version, seat = self._table.version, self._viewer(connection)
        if self._views_version != version:
            self._views, self._views_version = {}, version
        if seat not in self._views:
            self._views[seat] = replay_views(self._table, seat)
        connection.say(type="replay", version=version, positions=self._views[seat])

    def _review(self, connection: Connection) -> None:
        """``review``: has the finished deal reviewed; the answer comes when it is ready."""
        if self._table.over == RUNNING:
            raise Refused("the deal is not over yet; then it can be reviewed")
        if connection.waiting > _UNREAD:
            raise Refused("earlier answers have not been read yet")
        self._reviews.ask(connection)

    async def _call(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``name``: sets the name of the person at the page's seat; an empty name removes it."""
        name, seat = _field(message, "name", str), connection.seat
        if seat is None or self._table.seats[seat] != HUMAN:
            raise Refused("this page looks on; names are for people at the table")
        self._table.set_name(seat, name)

    async def _retry(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``retry``: lets the policies that failed try again."""
        self._table.retry()


def _said(error: BaseException) -> str:
    """Returns an error's message in one line, without the folders of files."""
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(said.split()) or type(error).__name__


def _field(message: Mapping[str, Any], name: str, kind: type) -> Any:
    """Returns a field of a message, which must be text or a truth value."""
    value = message.get(name)
    if not isinstance(value, kind):
        raise Refused(f"{message['type']!r} needs {name!r}, {'text' if kind is str else 'true or false'}")
    return value
