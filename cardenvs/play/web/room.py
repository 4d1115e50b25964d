"""A table in the browser: its links, the pages that are open at it, its file, and the policies' moves.

Policies think in threads of their own, so that no page ever waits for one, and every event is on the disk before it is
shown. A seat is sent the whole of its view each time, so that a slow reader misses steps but never the outcome.
"""

import asyncio
import contextlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from cardenvs.contract.loops import RUNNING
from cardenvs.contract.record import record_text
from cardenvs.contract.spec import GameSpec
from cardenvs.files import name_in_path, write_whole
from cardenvs.play.names import plain_policy
from cardenvs.play.players import HUMAN, PolicyFailed
from cardenvs.play.seatview import seat_view, trick_is_done
from cardenvs.play.table import Table
from cardenvs.play.table_record import check_shape, read_table
from cardenvs.play.table_setup import PAUSE, check_pause
from cardenvs.play.web.connection import Connection
from cardenvs.play.web.policy_names import ShownNames
from cardenvs.play.web.preparation import preparation_under_way, prepare_views
from cardenvs.play.web.server_log import report
from cardenvs.play.web.threads import run_in_thread

_THINKING = 4  # maximum number of computations of one table at once; all but one are for positions that it has left
_GATHER = 0.005  # seconds in which moves of quick policies, without a pause, are saved and shown together
_LOOK = 0.5  # seconds between two looks at the preparation under way
_TRICK_PAUSES = 2  # number of pauses for which a finished trick stays before a policy leads to the next
_LINKS: dict[str, Any] = {
    "table": (str,), "tokens": [(str,)], "port": (int,), "pause": (int, float), "trusted": [(str,)],
    "coming": [(int,)],
}  # fmt: skip
LINK_ENDED = "This seat has changed hands; this link to it has ended."  # message to the pages of a seat when its link ends


class Room:
    """A table, its links, the pages that are open at it, and its file.

    A table that is not open is opened in a thread when the work begins, and its pages wait. None as ``key`` or ``tokens``
    draws new ones, None as ``trusted``, policies that the server's owner has named, takes those at the seats.
    """

    def __init__(
        self,
        table: Table,
        folder: Path | None = None,
        *,
        pause: float = PAUSE,
        key: str | None = None,
        tokens: Sequence[str] | None = None,
        port: int = 0,
        coming: Collection[int] = (),
        trusted: Collection[str] | None = None,
    ) -> None:
        self.table = table
        self.folder = folder  # of the table's file; None keeps no file
        self.pause = check_pause(pause)  # seconds between two moves, the time for computing a move included
        self.key = key or secrets.token_hex(4)  # the table's name in links and on the disk
        # Of the seats in order, then for spectators.
        self.tokens = list(tokens or (_make_token() for _ in range(table.game.seats + 1)))
        self.coming = set(coming)  # seats at which people sit down with the next deal; they have links already
        # Pages' names of the policies that were named when the table was made.
        self.names = ShownNames(table.seats if trusted is None else trusted)
        self.port = port  # the port that the links name, 0 before there is one
        self.paused = False  # whether the policies are stopped
        self.trouble: str | None = None  # why the table could not be saved
        self.connections: set[Connection] = set()  # the pages that are open at the table
        self._steps = 0
        self._thinking: list[Future[Any]] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._player_news, self._saver_news = asyncio.Event(), asyncio.Event()
        self._saved = ""
        self._kept = ""
        self._writing: asyncio.Future[None] | None = None
        self._disk = asyncio.Lock()  # what is shown is on the disk, and seats change hands between two savings
        self.opened = asyncio.Event()  # set when the table is open, or cannot be opened
        self.failure: Exception | None = None  # why the table cannot be opened
        self._new = not tokens
        if table.is_open:
            self._note_open()

    def _note_open(self) -> None:
        if self._new:
            self.tell_origin()
        self.opened.set()

    # --- links ---

    def seat_of(self, token: str) -> tuple[bool, int | None]:
        """Returns whether a token is one of the table's, and the token's seat, None for a spectator."""
        sent = token.encode("utf-8", "replace")
        # All tokens are compared, so that the time taken tells nothing.
        matching = [k for k, known in enumerate(self.tokens) if hmac.compare_digest(sent, known.encode())]
        return bool(matching), matching[0] if matching and matching[0] < self.table.game.seats else None

    def path(self, seat: int | None) -> str:
        """Returns the path of a seat's page in links; with None, of the spectators' page."""
        return f"/t/{self.key}/{self.tokens[-1 if seat is None else seat]}"

    async def hand_over(self, seat: int, name: str, said: str, asker: Connection | None = None) -> None:
        """Gives a seat to a policy or a person with a new link, which ``asker`` gets; ends the old one, announces ``said``.

        ``name`` is ``"human"`` or one that `Table.check_player` has accepted. If the table cannot be saved, raises OSError,
        and nothing has changed.
        """
        await self._with_new_link(seat, lambda: self._change_seat(seat, name), said, asker)

    async def announce_newcomer(self, seat: int, said: str, asker: Connection) -> None:
        """Does as `hand_over` for a person who sits down at a policy's seat with the next deal."""
        await self._with_new_link(seat, lambda: self.coming.add(seat), said, asker)

    def _change_seat(self, seat: int, name: str) -> None:
        opened = self.table.over == RUNNING and not self.table.sat
        self.table.names[seat] = None  # it was another's
        self.table.set_seat(seat, name)
        self.coming.discard(seat)
        if name == HUMAN and opened:
            self.table.tell("until now the cards of this deal were open to everybody who looked on")

    async def _with_new_link(self, seat: int, change: Callable[[], None], said: str, asker: Connection | None) -> None:
        """Makes a change at a seat and a new link to it: on the disk first, then for the pages."""
        async with self._disk:
            tokens = list(self.tokens)
            tokens[seat] = _make_token()
            await self._write_file(self.file_text(tokens))
            if self.trouble is not None:
                raise OSError(f"{self.trouble}; the seat stays as it is")
            change()
            self.tokens = tokens
            self.table.tell(said)
            if asker is not None:
                asker.reply(type="link", seat=seat, path=self.path(seat))
            for connection in [one for one in self.connections if one.seat == seat]:
                connection.reply(type="ended", message=LINK_ENDED, path=self.path(None))
                connection.end_link(LINK_ENDED)
                self.connections.discard(connection)
            await self._write_file(self.file_text())
        self.notify_change()

    def seat_newcomers(self) -> None:
        """Seats the people who waited for another deal, unless some people have seen its cards before."""
        for seat in sorted(self.coming) if not self.table.again else ():
            self.coming.discard(seat)
            self.table.set_seat(seat, HUMAN)
            self.table.tell(f"a person sits down at seat {seat}")

    def tell_origin(self, asker: str = "") -> None:
        """Announces who may know the current deal's cards; ``asker`` is "" for the maker of the table."""
        table = self.table
        if not table.people and not self.coming:
            return
        if table.repeatable:
            table.tell("this table is repeatable: whoever knows or guesses its seed knows all cards, and all deals to come")
        by = f"{asker} asked for this deal" if asker else "this deal was asked for"
        if table.seen:
            table.tell("the same deal again: its cards are known")
        elif table.given == "seed" and not (table.repeatable and not asker):
            table.tell(f"{by} by its seed: whoever knows or guesses the seed can know all its cards")
        elif table.given == "line":
            table.tell(f"{by} as text: whoever has the text can know all its cards")

    # --- the file ---

    @property
    def file(self) -> Path | None:
        name = f"{name_in_path(self.table.game.word)}-{self.key}.json"
        return None if self.folder is None else self.folder / name

    def file_text(self, tokens: Sequence[str] | None = None) -> str:
        """Returns the text of the table's file, with these tokens: the table, and as its links what `read_room` needs."""
        links = {
            "table": self.key, "tokens": list(tokens or self.tokens), "port": self.port, "pause": self.pause,
            "trusted": sorted(self.names.trusted), "coming": sorted(self.coming),
        }  # fmt: skip
        return self.table.to_text(links=links)

    @property
    def loss_sentence(self) -> str:
        """A sentence on the loss if the program ends now; "" if all is saved."""
        if self.trouble is None:
            return ""
        kept = f"kept is {self._kept}, what came after is lost" if self._kept else "nothing of it is kept"
        return f"table {self.key}: {self.trouble}; {kept}"

    # --- at work ---

    def start(self) -> None:
        """Begins to play policies' moves, to save the table and to show it to its pages; runs in the event loop."""
        self.keep_task(asyncio.create_task(self._begin_work()))
        self.keep_task(asyncio.create_task(self._repeat(self._tell_preparing)))

    async def _begin_work(self) -> None:
        if not self.table.is_open:
            try:
                await asyncio.wrap_future(run_in_thread(lambda: prepare_views(self.table)))
            except Exception as error:  # the server ends with it
                self.failure = error
                for connection in self.connections:
                    connection.reply(type="ended", message=f"the table cannot be opened: {error}"[:300])
                self.opened.set()
                return
            self._note_open()
        for work in (self._play_move, self._save_and_show):
            self.keep_task(asyncio.create_task(self._repeat(work)))
        self.notify_change()

    async def _tell_preparing(self) -> None:
        """Sends the pages news of the preparation under way, and of its end."""
        news = preparation_under_way()
        what, seconds = news or ("" if self.opened.is_set() else "the table", None)
        for connection in self.connections:
            connection.reply_preparation(what, seconds)
        await asyncio.sleep(_LOOK)

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._writing is not None:  # the saver has ended, its thread may not have: an older state must not land last
            await asyncio.gather(self._writing, return_exceptions=True)
        if self.table.is_open:
            await self._write_file(self.file_text())

    def notify_change(self) -> None:
        """Has the table saved and shown, and its policies go on; follows each change."""
        self._player_news.set()
        self._saver_news.set()

    async def _repeat(self, work: Callable[[], Awaitable[None]]) -> None:
        """Repeats a piece of work, errors or not."""
        while True:
            try:
                await work()
            except Exception as error:  # a fault of ours must not end the table
                report(f"table {self.key}: {type(error).__name__}: {error}")
                await asyncio.sleep(0.5)

    async def _write_file(self, text: str) -> None:
        """Writes the file if it is out of date: one write at a time, under the lock, and the last one by `stop`."""
        if self.file is not None:
            kept = f"its deal {len(self.table.earlier) + 1} up to move {len(self.table.events)}"
            self._writing = asyncio.ensure_future(self._write_text(self.file, text, kept))
            await asyncio.shield(self._writing)  # it goes on where the saver is stopped meanwhile

    async def _write_text(self, file: Path, text: str, kept: str) -> None:
        if text != self._saved:
            try:
                await asyncio.to_thread(write_whole, file, text, 0o600)
            except OSError as error:
                self.trouble = f"the table cannot be saved: {error.strerror or type(error).__name__}"
                return
            self._saved, self._kept = text, kept
        self.trouble = None

    async def _save_and_show(self) -> None:
        """Saves the table as it stands, then shows it as it was saved."""
        await self._saver_news.wait()
        if not self.pause and self._is_playing() and self.table.policy_to_act is not None:
            await asyncio.sleep(_GATHER)
        self._saver_news.clear()
        async with self._disk:
            text = self.file_text()
            states = {seat: self._state_text(seat) for seat in {connection.seat for connection in self.connections}}
            trouble, midway = self.trouble, self.table.midway
            await self._write_file(text)
            if self.trouble != trouble:
                self._saver_news.set()  # so that the pages tell of the trouble
            for connection in self.connections:
                if connection.seat in states:
                    # Several messages would tell how many parts another seat's choice has.
                    connection.show_state(states[connection.seat], again=not midway)
                else:  # the page was opened while the file was being written
                    self._saver_news.set()

    def _state_text(self, seat: int | None) -> str:
        """Returns the message "state" as text for the pages of a seat, or of spectators (None).

        A person who waits for the next deal at a policy's seat is a spectator until then.
        """
        connected = {connection.seat for connection in self.connections if connection.seat is not None}
        busy = self.table.policy_to_act if self._is_playing() else None
        you = seat if seat in self.table.people else None
        state = seat_view(self.table, you, connected=connected, thinking=-1 if busy is None else busy)
        for shown, name in zip(state["seats"], self.table.seats, strict=True):
            if name != HUMAN:
                shown["policy"] = self.names.page_name(name)
        state |= {"pause": self.pause, "paused": self.paused, "control": self.may_change(seat), "trouble": self.trouble}
        state["waits"] = seat if seat in self.coming else None
        return json.dumps(state)

    def _is_playing(self) -> bool:
        """Whether policies are to move; a table without people waits for a spectator."""
        held = self.paused and not self._steps
        return not held and bool(self.table.people or self.connections)

    async def _play_move(self) -> None:
        """Plays one move of a policy, or waits until there is one to make."""
        table = self.table
        self._player_news.clear()
        if table.policy_to_act is None or not self._is_playing():
            await self._player_news.wait()
            return
        begun, version = time.monotonic(), table.version
        pause = 0.0 if table.midway else self.pause  # several pauses would tell how many parts a choice has
        pause *= _TRICK_PAUSES if pause and trick_is_done(table) else 1
        shot = table.snapshot()
        self._thinking = [future for future in self._thinking if not future.done()]
        if len(self._thinking) >= _THINKING:
            name = plain_policy(table.seats[shot.seat])
            table.note_failure(version, shot.seat, f"{name} is still at work on {_THINKING} earlier positions")
            self.notify_change()
            return
        thought = run_in_thread(lambda: table.policy_move(shot))
        self._thinking.append(thought)
        waiting = asyncio.wrap_future(thought)
        waiting.add_done_callback(self._note_thought)
        # A move is played when it has been computed, the pause is over and the table is not stopped.
        while table.version == version:
            left = begun + pause - time.monotonic()
            if waiting.done() and (left <= 0 or self._steps) and self._is_playing():
                break
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._player_news.wait(), left if waiting.done() and left > 0 else None)
            self._player_news.clear()
        if table.version != version:
            self._player_news.set()
            return
        try:
            table.apply(version, *waiting.result())
        except PolicyFailed:
            pass  # the table has noted it
        except Exception as error:
            table.note_failure(version, shot.seat, f"{plain_policy(table.seats[shot.seat])} failed: {error}")
        self._steps = max(self._steps - (not table.midway), 0)
        self.notify_change()

    def _note_thought(self, thought: asyncio.Future[Any]) -> None:
        """Goes on once a policy has chosen a move, in time or not; its failure changes the table."""
        if thought.exception() is None:
            self._player_news.set()
        else:
            self.notify_change()

    # --- pages ---

    def add_page(self, connection: Connection) -> None:
        self.connections.add(connection)
        self.notify_change()

    def remove_page(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self.notify_change()

    def may_change(self, seat: int | None) -> bool:
        """Whether a seat's page (None: a spectator's) may change the table: a person's, or any page if no person plays."""
        people = self.table.people
        return seat in people if people else True

    def set_paused(self, paused: bool, moves: int = 0) -> None:
        """Stops the policies, after so many ``moves``, or lets them go on."""
        self.paused, self._steps = paused, moves

    def keep_task(self, task: asyncio.Task[Any]) -> None:
        """Keeps a reference to a task, which `stop` cancels."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _make_token() -> str:
    return secrets.token_urlsafe(16)


def read_room(path: Path, game: GameSpec | None = None) -> Room:
    """Returns the table of a file that a room wrote, to go on with the same links; ``game`` may be one that has no name.

    Raises ValueError if the file is not of a table, or a policy can no longer be made, OSError if it cannot be read.
    """
    text, source = record_text(path), repr(str(path))
    table = Table.from_text(text, source=source, game=game)
    links = read_table(text, source, [table.game])[1]["links"]
    if links is None:
        raise ValueError(f"{source} is a record, but not of a table: it has no links; load it instead")
    check_shape(links, _LINKS, f"{source} is damaged: links")
    words = [links["table"], *links["tokens"]]
    if len(words) != table.game.seats + 2 or not all(re.fullmatch(r"[\w-]+", word, re.ASCII) for word in words):
        raise ValueError(f"{source} is damaged: a table has a link for each seat, and one for spectators")
    if not 0 <= links["port"] < 1 << 16:
        raise ValueError(f"{source} is damaged: port {links['port']}")
    coming = [seat for seat in range(table.game.seats) if seat in links["coming"]]
    return Room(
        table, path.parent, pause=links["pause"], key=links["table"], tokens=links["tokens"], port=links["port"],
        coming=coming, trusted=links["trusted"],
    )  # fmt: skip
