"""Messages from pages to a table: each is checked, then obeyed or refused with the reason.

A message is a JSON object with a ``"type"``. Every seat's page may send ``act`` and ``hint`` for its seat, and every page
the read-only ``replay`` and ``review``; all other types are for those who may change the table (`Room.may_change`).
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from cardenvs import policy
from cardenvs.contract.loops import RUNNING
from cardenvs.play.players import HUMAN, Snapshot
from cardenvs.play.seatview import action_label, replay_views
from cardenvs.play.table_setup import check_pause
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.policy_names import check_name
from cardenvs.play.web.reviews import Reviews
from cardenvs.play.web.room import Room
from cardenvs.play.web.server_log import report
from cardenvs.play.web.threads import run_in_thread

HINT_SECONDS = 120.0  # time after which a page waits no longer for a hint
_HINTS = 2  # maximum number of hints that are computed for one seat at once
_OF_ONE_PAGE = ("act", "hint", "replay", "review")
_OF_THE_TABLE = ("new", "same", "next", "save", "load", "speed", "pause", "step", "seat", "retry", "name", "undo")


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

    def welcome(self, connection: Connection) -> None:
        """Sends an opened page its table and seat, the policies that it may name, and the game's rules."""
        game = self._table.game
        defaults = {*policy.default_names(game)} & {*policy.listed_names(game)}
        named = {name for name in defaults if not policy.runs_code(name)}
        known = sorted({*named, *self._room.names.trusted} - {HUMAN})
        own = {"table": self._room.key, "game": game.name, "you": connection.seat}
        connection.reply(type="welcome", **own, policies=known, rules=game.rules)

    async def receive(self, connection: Connection, text: str) -> None:
        """Obeys a page's message, or replies with the reason of its refusal; ignores a page whose link has ended."""
        if connection.ended:
            return
        try:
            await self._obey_message(connection, text)
        except (ValueError, OSError) as error:
            connection.reply(type="error", message=error_line(error)[:500])
        except Exception as error:  # nothing that a page sends may end the connection's task
            report(f"table {self._room.key}: {type(error).__name__}: {error}")
            connection.reply(type="error", message=f"that failed: {type(error).__name__}")

    async def _obey_message(self, connection: Connection, text: str) -> None:
        """Obeys a message; raises ValueError (`Refused`) or OSError if it cannot."""
        if not self._table.is_open:
            raise Refused("the table is still being prepared")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise Refused("a message must be JSON") from None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise Refused('a message must be an object with a "type"')
        kind = message["type"]
        if kind in _OF_ONE_PAGE:
            getattr(self, f"_handle_{kind}")(connection, message)
            return
        if kind not in _OF_THE_TABLE:
            known = sorted([*_OF_ONE_PAGE, *_OF_THE_TABLE])
            raise Refused(f"unknown message {kind[:40]!r}: known are {', '.join(known)}")
        if not self._room.may_change(connection.seat):
            raise Refused("only those who sit at the table may do that; this page looks on")
        await getattr(self, f"_handle_{kind}")(connection, message)
        self._reviews.stop_outdated()
        self._room.notify_change()

    def _handle_act(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``act``: plays the named action at the page's seat, if the table is at the page's version."""
        action = _require_field(message, "action", str)
        seat = self._seat_of_person(connection, "it has no seat to play from")
        self._check_version(connection, message.get("version"))
        self._table.act(seat, action[:100])
        self._room.notify_change()

    def _seat_of_person(self, connection: Connection, refusal: str) -> int:
        """Returns the seat of a person's page; refuses those of spectators and policies."""
        seat = connection.seat
        if seat is None:
            raise Refused(f"this page looks on; {refusal}")
        if self._table.seats[seat] != HUMAN:
            raise Refused(f"{self._table.display_name(seat, seat)} plays here")
        return seat

    def _check_version(self, connection: Connection, version: Any) -> None:
        """Refuses a message that names another version of the table than the page is shown."""
        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise Refused("version must be a whole number")
        shown = self._table.version_seen(connection.seat)
        if version is not None and version != shown:
            raise Refused(f"the table has moved on: it is at version {shown}, not {version}")

    def _handle_hint(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``hint``: has a policy explain the position of the page's seat; the answer comes when it is ready."""
        name, table = self._named_policy(message), self._table
        seat = self._seat_of_person(connection, "hints are for seats")
        shot = table.snapshot()
        if shot.seat != seat:
            raise Refused(f"it is the turn of {table.display_name(shot.seat, seat)}, not yours")
        running = [future for future in self._hints.get(seat, []) if not future.done()]
        if len(running) >= _HINTS:
            raise Refused(f"{_HINTS} hints are still being computed")
        labels = {table.game.actions[action]: action_label(table, action)["label"] for action in table.legal()}
        thought = run_in_thread(lambda: table.hint(seat, name, shot))
        self._hints[seat] = [*running, thought]
        self._room.keep_task(asyncio.create_task(self._send_hint(connection, name, shot, labels, thought)))

    async def _send_hint(
        self, connection: Connection, name: str, shot: Snapshot, labels: Mapping[str, str], thought: Future[Any]
    ) -> None:
        shown = self._room.names.page_name(name)
        try:
            explained = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(thought)), HINT_SECONDS)
        except TimeoutError:
            connection.reply(type="error", message=f"no hint from {shown}: it took longer than {HINT_SECONDS:g} s")
            return
        except Exception as error:  # a policy may raise whatever it likes
            connection.reply(type="error", message=f"no hint from {shown}: {error_line(error)}"[:500])
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
        connection.reply(type="hint", version=shot.version, policy=shown, kind=explained.kind, bars=bars)

    def _named_policy(self, message: Mapping[str, Any]) -> str:
        """Returns the policy that a message names: a trusted one, or one by a plain name."""
        name = self._room.names.policy_name(_require_field(message, "policy", str))
        if name not in self._room.names.trusted:
            check_name(name)
        return name

    async def _handle_new(self, connection: Connection, message: Mapping[str, Any]) -> None:
        line = message.get("line")
        if line is not None and not isinstance(line, str):
            raise Refused("line must be text")
        running = self._table.over == RUNNING and bool(self._table.events)
        self._table.new_deal(seed=message.get("seed"), line=line)
        if running and self._table.people:
            self._table.tell(f"{self._asker_words(connection)} began a new deal; the one before was not over")
        self._follow_up_deal(connection)

    def _follow_up_deal(self, connection: Connection) -> None:
        """Follows up a new deal: announces who may know its cards, and seats the people who waited for it."""
        self._room.tell_origin(self._asker_words(connection))
        self._room.seat_newcomers()
        self._room.set_paused(self._room.paused)

    async def _handle_same(self, connection: Connection, message: Mapping[str, Any]) -> None:
        table = self._table
        table.same_deal()
        if table.people and not table.seen:
            table.tell(f"{self._asker_words(connection)} began the same deal again: what was seen of it is known")
        self._follow_up_deal(connection)

    async def _handle_next(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self._table.next_deal()
        self._follow_up_deal(connection)

    async def _handle_save(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``save``: sends the record for a person, which names no card of an unfinished deal."""
        table = self._table
        unfinished = bool(table.sat) and table.over == RUNNING
        connection.reply(type="saved", text=table.public_text(self._room.key), unfinished=unfinished)

    async def _handle_load(self, connection: Connection, message: Mapping[str, Any]) -> None:
        table = self._table
        taken_up = table.load(_require_field(message, "text", str), key=self._room.key)
        if taken_up and table.people and not table.seen:
            what = f"took a deal of this table up again after {table.decisions} moves"
            table.tell(f"{self._asker_words(connection)} {what}: what was seen of it later is known")
        self._follow_up_deal(connection)

    async def _handle_speed(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``speed``: sets the seconds between two moves."""
        self._room.pause = check_pause(message.get("seconds"))

    async def _handle_pause(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``pause``: stops the policies, or lets them go on."""
        self._room.set_paused(_require_field(message, "on", bool))

    async def _handle_step(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``step``: lets one policy make one move, then stops."""
        self._room.set_paused(True, moves=1)

    def _asker_words(self, connection: Connection) -> str:
        return "somebody who looks on" if connection.seat is None else self._table.display_name(connection.seat)

    async def _handle_seat(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``seat``: gives a seat to a policy or a person; the page that gives a seat to a person gets its new link."""
        async with self._seating:
            if not self._room.may_change(connection.seat) or connection.ended:
                raise Refused("only those who sit at the table may do that; this page looks on")
            seat, name = message.get("seat"), self._named_policy(message)
            if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < self._table.game.seats:
                raise Refused(f"the seats of {self._table.game.name} are 0 to {self._table.game.seats - 1}")
            if name == HUMAN:
                await self._give_to_person(connection, seat)
            else:
                await self._give_to_policy(connection, seat, name)

    async def _give_to_policy(self, connection: Connection, seat: int, name: str) -> None:
        await asyncio.wrap_future(run_in_thread(lambda: self._table.check_player(name)))
        self._check_unoccupied(connection, seat)
        shown = self._room.names.page_name(name)
        await self._room.hand_over(seat, name, f"{self._asker_words(connection)} gave seat {seat} to {shown}")

    async def _give_to_person(self, connection: Connection, seat: int) -> None:
        """Gives a seat to a person, and the seat's new link to the page that asks; raises ValueError or OSError if refused.

        In the middle of a deal the link would show cards to a person who may have seen others: if another person has sat in
        the deal, the newcomer sits down with the next one.
        """
        table, room, who = self._table, self._room, self._asker_words(connection)
        if table.seats[seat] == HUMAN and seat != connection.seat:
            raise Refused(f"{table.display_name(seat)} is a person already")
        self._check_unoccupied(connection, seat)
        others = table.sat - {seat if connection.seat is None else connection.seat}
        if seat == connection.seat:
            said = f"{who} gave seat {seat} to another person"
        elif table.over == RUNNING and others:
            await room.announce_newcomer(
                seat, f"{who} gave seat {seat} to a person, who sits down with the next deal", connection
            )
            return
        else:
            said = f"{who} gave seat {seat} to a person"
        await room.hand_over(seat, HUMAN, said, connection)

    def _check_unoccupied(self, connection: Connection, seat: int) -> None:
        """Raises `Refused` if a person at a seat's page would lose the seat by another page."""
        persons = {*self._table.people, *self._room.coming}
        if seat in persons and seat != connection.seat and seat in {one.seat for one in self._room.connections}:
            raise Refused(f"{self._table.display_name(seat)} is at the table")

    async def _handle_undo(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``undo``: takes back the only person's last decision, if the table is at the page's version."""
        if connection.seat is None:
            raise Refused("this page looks on; it has nothing to take back")
        self._check_version(connection, message.get("version"))
        self._table.undo(connection.seat)

    def _handle_replay(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``replay``: sends the positions of the finished deal, with open hands."""
        version, seat = self._table.version, connection.seat if connection.seat in self._table.people else None
        if self._views_version != version:
            self._views, self._views_version = {}, version
        if seat not in self._views:
            self._views[seat] = replay_views(self._table, seat)
        connection.reply(type="replay", version=version, positions=self._views[seat])

    def _handle_review(self, connection: Connection, message: Mapping[str, Any]) -> None:
        """``review``: has the finished deal reviewed; the answer comes when it is ready."""
        if self._table.over == RUNNING:
            raise Refused("the deal is not over yet; then it can be reviewed")
        self._reviews.request(connection)

    async def _handle_name(self, connection: Connection, message: Mapping[str, Any]) -> None:
        name, seat = _require_field(message, "name", str), connection.seat
        if seat is None or self._table.seats[seat] != HUMAN:
            raise Refused("this page looks on; names are for people at the table")
        self._table.set_name(seat, name)

    async def _handle_retry(self, connection: Connection, message: Mapping[str, Any]) -> None:
        self._table.retry()


def error_line(error: BaseException) -> str:
    """Returns an error's message in one line, without the folders of files."""
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(said.split()) or type(error).__name__


def _require_field(message: Mapping[str, Any], name: str, kind: type) -> Any:
    value = message.get(name)
    if not isinstance(value, kind):
        raise Refused(f"{message['type']!r} needs {name!r}, {'text' if kind is str else 'true or false'}")
    return value
