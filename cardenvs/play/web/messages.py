"""Messages from pages to a table: each is checked, then obeyed or refused with the reason.

A message is a JSON object with a ``"type"``, the name of a command (`cardenvs.play.commands`), and the command's fields.
"""

import asyncio
import json
import math
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from cardenvs import policy
from cardenvs.contract.loops import RUNNING
from cardenvs.play.commands import COMMANDS, Desk, Refused
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


class Messages(Desk[Connection]):
    """Receives the messages of the pages at a table."""

    def __init__(self, room: Room) -> None:
        super().__init__(room.table, room.key)
        self._room = room
        self._seating = asyncio.Lock()
        self._hints: dict[int, list[Future[Any]]] = {}
        self._reviews = Reviews(room)
        self._views: dict[int | None, list[dict[str, Any]]] = {}  # the replays of the deal, by who asked
        self._views_version = -1

    def welcome(self, connection: Connection) -> None:
        """Sends an opened page its table and seat, the policies that it may name, and the game's rules."""
        game = self.table.game
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
        if not self.table.is_open:
            raise Refused("the table is still being prepared")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise Refused("a message must be JSON") from None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise Refused('a message must be an object with a "type"')
        kind = message["type"]
        command = COMMANDS.get(kind)
        if command is None or command.fields is None:
            known = sorted(name for name, one in COMMANDS.items() if one.fields is not None)
            raise Refused(f"unknown message {kind[:40]!r}: known are {', '.join(known)}")
        if command.by == "table" and not self._room.may_change(connection.seat):
            raise Refused("only those who sit at the table may do that; this page looks on")
        if command.by == "person":
            self._seat_of_person(connection)
        done = getattr(self, f"do_{kind}")(connection, **command.read_fields(message))
        if done is not None:
            await done
        if command.by == "table":
            self._room.notify_change()

    def do_act(self, asker: Connection, action: str, version: Any) -> None:
        """Plays the named action at the page's seat, if the table is at the page's version."""
        self._check_version(asker, version)
        self.table.act(self._seat_of_person(asker), action[:100])
        self._room.notify_change()

    def _seat_of_person(self, asker: Connection) -> int:
        """Returns the seat of a person's page; refuses those of spectators and policies."""
        if asker.seat is None:
            raise Refused("this page looks on; it has no seat")
        if self.table.seats[asker.seat] != HUMAN:
            raise Refused(f"{self.table.display_name(asker.seat, asker.seat)} plays here")
        return asker.seat

    def _check_version(self, connection: Connection, version: Any) -> None:
        """Refuses a message that names another version of the table than the page is shown."""
        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise Refused("version must be a whole number")
        shown = self.table.version_seen(connection.seat)
        if version is not None and version != shown:
            raise Refused(f"the table has moved on: it is at version {shown}, not {version}")

    def do_hint(self, asker: Connection, policy: str) -> None:
        """Has a policy explain the position of the page's seat; the answer comes when it is ready."""
        name, table, seat = self._check_policy(policy), self.table, self._seat_of_person(asker)
        shot = table.snapshot()
        if shot.seat != seat:
            raise Refused(f"it is the turn of {table.display_name(shot.seat, seat)}, not yours")
        running = [future for future in self._hints.get(seat, []) if not future.done()]
        if len(running) >= _HINTS:
            raise Refused(f"{_HINTS} hints are still being computed")
        labels = {table.game.actions[action]: action_label(table, action)["label"] for action in table.legal()}
        thought = run_in_thread(lambda: table.hint(seat, name, shot))
        self._hints[seat] = [*running, thought]
        self._room.keep_task(asyncio.create_task(self._send_hint(asker, name, shot, labels, thought)))

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

    def _check_policy(self, shown: str) -> str:
        """Returns the policy that a message names: a trusted one, or one by a plain name."""
        name = self._room.names.policy_name(shown)
        if name not in self._room.names.trusted:
            check_name(name)
        return name

    def tell_all(self, asker: Connection, what: str) -> None:
        self.table.tell(f"{self._asker_words(asker)} {what}")

    def follow_up_deal(self, asker: Connection, sentence: str) -> None:
        """Announces who may know a new deal's cards, and seats the people who waited for it."""
        self._room.tell_origin(self._asker_words(asker))
        self._room.seat_newcomers()
        self._room.set_paused(self._room.paused)

    def do_save(self, asker: Connection) -> None:
        """Sends the record for a person, which names no card of an unfinished deal."""
        unfinished = bool(self.table.sat) and self.table.over == RUNNING
        asker.reply(type="saved", text=self.table.public_text(self.key), unfinished=unfinished)

    def do_speed(self, asker: Connection, seconds: Any) -> None:
        """Sets the seconds between two moves."""
        self._room.pause = check_pause(seconds)

    def do_pause(self, asker: Connection, on: bool) -> None:
        """Stops the policies, or lets them go on."""
        self._room.set_paused(on)

    def do_step(self, asker: Connection) -> None:
        """Lets one policy make one move, then stops."""
        self._room.set_paused(True, moves=1)

    def _asker_words(self, connection: Connection) -> str:
        return "somebody who looks on" if connection.seat is None else self.table.display_name(connection.seat)

    async def do_seat(self, asker: Connection, seat: Any, policy: str) -> None:
        """Gives a seat to a policy or a person; the page that gives a seat to a person gets its new link."""
        async with self._seating:
            if not self._room.may_change(asker.seat) or asker.ended:
                raise Refused("only those who sit at the table may do that; this page looks on")
            name = self._check_policy(policy)
            self.table.check_seat(seat)
            if name == HUMAN:
                await self._give_to_person(asker, seat)
            else:
                await self._give_to_policy(asker, seat, name)

    async def _give_to_policy(self, connection: Connection, seat: int, name: str) -> None:
        await asyncio.wrap_future(run_in_thread(lambda: self.table.check_player(name)))
        self._check_unoccupied(connection, seat)
        shown = self._room.names.page_name(name)
        await self._room.hand_over(seat, name, f"{self._asker_words(connection)} gave seat {seat} to {shown}")

    async def _give_to_person(self, connection: Connection, seat: int) -> None:
        """Gives a seat to a person, and the seat's new link to the page that asks; raises ValueError or OSError if refused.

        In the middle of a deal the link would show cards to a person who may have seen others: if another person has sat in
        the deal, the newcomer sits down with the next one.
        """
        table, own = self.table, seat == connection.seat
        if table.seats[seat] == HUMAN and not own:
            raise Refused(f"{table.display_name(seat)} is a person already")
        self._check_unoccupied(connection, seat)
        others = table.sat - {seat if connection.seat is None else connection.seat}
        later = not own and table.over == RUNNING and bool(others)
        to = "another person" if own else "a person"
        said = f"{self._asker_words(connection)} gave seat {seat} to {to}"
        if later:
            await self._room.announce_newcomer(seat, f"{said}, who sits down with the next deal", connection)
        else:
            await self._room.hand_over(seat, HUMAN, said, connection)

    def _check_unoccupied(self, connection: Connection, seat: int) -> None:
        """Raises `Refused` if a person at a seat's page would lose the seat by another page."""
        persons = {*self.table.people, *self._room.coming}
        if seat in persons and seat != connection.seat and seat in {one.seat for one in self._room.connections}:
            raise Refused(f"{self.table.display_name(seat)} is at the table")

    def do_undo(self, asker: Connection, version: Any = None) -> None:
        """Takes back the only person's last decision, if the table is at the page's version."""
        self._check_version(asker, version)
        super().do_undo(asker)

    def do_replay(self, asker: Connection) -> None:
        """Sends the positions of the finished deal, with open hands."""
        version, seat = self.table.version, asker.seat if asker.seat in self.table.people else None
        if self._views_version != version:
            self._views, self._views_version = {}, version
        if seat not in self._views:
            self._views[seat] = replay_views(self.table, seat)
        asker.reply(type="replay", version=version, positions=self._views[seat])

    def do_review(self, asker: Connection) -> None:
        """Has the finished deal reviewed; the answer comes when it is ready."""
        if self.table.over == RUNNING:
            raise Refused("the deal is not over yet; then it can be reviewed")
        self._reviews.request(asker)


def error_line(error: BaseException) -> str:
    """Returns an error's message in one line, without the folders of files."""
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(said.split()) or type(error).__name__
