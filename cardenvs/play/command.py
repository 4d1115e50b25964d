"""The command ``cardenvs play``: a table in the browser, or in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import signal
import socket
import threading
import webbrowser
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import platformdirs
from aiohttp import web

from cardenvs import cli, policy
from cardenvs.envs.batch import Batch
from cardenvs.play.server import Room, check_pause, create_app, read_room
from cardenvs.play.table import HUMAN, Table
from cardenvs.record import read_record
from cardenvs.spec import GameSpec

PORT = 8765
_PORTS = 50  # tried from there on
_TABLES = 100  # of the newest that --resume opens again
_TEXT_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")


def default_folder() -> Path:
    """Where tables are kept if no folder is named."""
    return Path(platformdirs.user_state_dir("cardenvs")) / "tables"


def default_seats(game: GameSpec) -> list[str]:
    """A person and good quick opponents."""
    return [HUMAN] + ["rollout" if game.name == "five-o" else "hybrid"] * (game.seats - 1)


@click.command("play")
@cli.game_argument
@click.option("--seats", help="Who plays, in order: human, or policies by name. [human and good quick opponents]")
@cli.rule_option
@click.option("--seed", type=click.IntRange(min=0, max=2**64 - 1), help="Deal by this seed. [nobody can know]")
@click.option("--deal", "line", help="Deal by this line of text, with any actions played.")
@click.option("--load", "record", type=click.Path(dir_okay=False), help="Go on with the last deal of this record.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen at; others than this machine's own open it."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help=f"Port to listen at; 0 takes any. [{PORT} or the next free one]"
)
@click.option("--folder", type=click.Path(file_okay=False), help="Where tables are kept. [the user's state folder]")
@click.option("--resume", is_flag=True, help="Go on with the game's tables in the folder; their links work again.")
@click.option("--pause", type=float, help="Seconds between two moves. [0.7]")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--terminal", is_flag=True, help="Play here instead of in a browser.")
@cli.json_option
def play_command(
    game: GameSpec,
    seats: str | None,
    options: tuple[tuple[str, str], ...],
    seed: int | None,
    line: str | None,
    record: str | None,
    host: str,
    port: int | None,
    folder: str | None,
    resume: bool,
    pause: float | None,
    no_browser: bool,
    terminal: bool,
    as_json: bool,
) -> int:
    """Play GAME: a table in the browser for people and policies, one link a seat."""
    sources = [("--seed", seed), ("--deal", line), ("--load", record), ("--resume", resume or None)]
    given = [name for name, value in sources if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} cannot be given together")
    if resume and (seats or options):
        raise click.UsageError("--resume goes on with the seats and options that the tables have")
    if record and options:
        raise click.UsageError("--load takes the options of the record; -o cannot change them")
    for name, value in (("--resume", resume), ("--json", as_json), ("--folder", folder), ("--port", port)):
        if terminal and value:
            raise click.UsageError(f"--terminal does not go with {name}")
    seconds = None if pause is None else check_pause(pause)
    where = Path(folder) if folder else default_folder()
    if resume:
        rooms = _resumed(game, where, seconds)
    else:
        rules = cli.rule_options(game, options)
        table = _table(game, policy.split_list(seats) if seats else None, seed, line, record, rules)
        if terminal:
            pace = {} if seconds is None else {"pause": seconds}
            status: int = import_module("cardenvs.play.terminal").run_terminal(table, **pace)
            return status
        rooms = [Room(table, where, pause=0.7 if seconds is None else seconds)]
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    asyncio.run(_serve(rooms, host, port, where, resume, no_browser, as_json))
    return 0


def _table(
    game: GameSpec, seats: list[str] | None, seed: int | None, line: str | None, record: str | None, rules: dict[str, Any]
) -> Table:
    if record is None:
        return Table(game, seats or default_seats(game), seed=seed, line=line, **rules)
    deals = read_record(record)
    if deals and deals[-1].game.name != game.name:
        raise ValueError(f"{record!r} is a record of {deals[-1].game.name}, not of {game.name}")
    if seats is None:
        # A record of policies among themselves has no seat for whoever wants to play on.
        players = list(deals[-1].players) if deals else []
        seats = players if HUMAN in players else default_seats(game)
    return Table.from_text(Path(record).read_text("utf-8"), seats, source=repr(record))


def _resumed(game: GameSpec, folder: Path, pause: float | None) -> list[Room]:
    """The game's tables in a folder, the one that was played at last first.

    Raises:
        ValueError: there is none.
    """
    files = sorted(folder.glob(f"{game.name}-*.txt"), key=lambda path: path.stat().st_mtime, reverse=True)
    rooms = []
    for path in files[:_TABLES]:
        try:
            room = read_room(path)
        except (ValueError, OSError) as error:
            cli.stderr.print(f"cardenvs: passed over: {error}", markup=False, highlight=False, soft_wrap=True)
            continue
        if pause is not None:
            room.pause = pause
        rooms.append(room)
    if not rooms:
        raise ValueError(f"there is no table of {game.name} to resume in {str(folder)!r}")
    return rooms


# --- the server ----------------------------------------------------------------------------------------------------


def _address(host: str) -> str:
    """A host as links name it."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return socket.gethostname()
    return f"[{host}]" if address.version == 6 else host


def listen(host: str, port: int | None, noted: int = 0) -> socket.socket:
    """A socket that listens.

    Args:
        host: address or name.
        port: 0 takes any; None takes ``noted`` if there is one, else the first free one from `PORT` on.
        noted: the port that links name already.

    Raises:
        OSError: the port is taken, or the address is not this machine's.
    """
    wanted = [port] if port is not None else [noted] if noted else [*range(PORT, PORT + _PORTS), 0]
    for number in wanted:
        family, kind, protocol, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
            found.listen(256)
        except OSError as error:
            found.close()
            if error.errno == errno.EADDRINUSE and number != wanted[-1]:
                continue
            if error.errno == errno.EADDRINUSE and noted:
                raise OSError(f"port {number} is taken: does the table's server still run? --port names another") from error
            raise OSError(f"cannot listen at {host} port {number}: {error.strerror}") from error
        return found
    raise AssertionError("the last port is always tried")


def _warm_up(tables: Sequence[Table]) -> None:
    """Lets every policy decide once: what has to be compiled on a fresh installation is while the page opens."""
    for table in tables:
        batch = Batch(table.game, 1, seed=0, **table.options)
        for name in dict.fromkeys(table.seats):
            # What is wrong with a policy its table finds out and tells.
            with contextlib.suppress(Exception):
                if name != HUMAN:
                    policy.make(table.game, name).act(batch.observations, batch.action_masks)


def _open_browser(url: str) -> None:
    """Opens a browser if there is one with a window; one in the terminal would hide the links."""
    with contextlib.suppress(webbrowser.Error):
        browser = webbrowser.get()
        if getattr(browser, "name", "") not in _TEXT_BROWSERS:
            threading.Thread(target=browser.open, args=(url,), daemon=True).start()


def links(room: Room, base: str) -> dict[str, Any]:
    """A table's links: those of its people, and that for looking on."""
    table = room.table
    seats = [
        {"seat": seat, "name": f"player {seat}" if name == HUMAN else name, "kind": "human" if name == HUMAN else "policy",
         "url": base + room.path(seat) if name == HUMAN else None}
        for seat, name in enumerate(table.seats)
    ]  # fmt: skip
    return {
        "game": table.game.name, "url": base, "table": room.key, "seats": seats, "spectator": base + room.path(None),
        "folder": str(room.folder),
    }  # fmt: skip


def _tell(found: dict[str, Any], title: str) -> None:
    click.echo(f"{title} at {found['url']}")
    for seat in found["seats"]:
        click.echo(f"  {seat['name']:<12} {seat['url']}" if seat["url"] else f"  player {seat['seat']:<5} {seat['name']}")
    click.echo(f"  {'looking on':<12} {found['spectator']}")


async def _serve(
    rooms: Sequence[Room], host: str, port: int | None, folder: Path, resumed: bool, no_browser: bool, as_json: bool
) -> None:
    """Serves until it is interrupted."""
    listening = listen(host, port, rooms[0].port if resumed else 0)
    number = listening.getsockname()[1]
    if not ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback:
        warning = f"cardenvs: everybody who can reach {host} and has a link can play; links are sent unencrypted"
        cli.stderr.print(warning, markup=False, highlight=False, soft_wrap=True)
    base = f"http://{_address(host)}:{number}"
    for room in rooms:
        room.port = number
    runner = web.AppRunner(create_app(rooms, host=host), access_log=None)  # a log would have the tokens
    await runner.setup()
    try:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # Windows: KeyboardInterrupt ends it
                loop.add_signal_handler(name, ended.set)
        await web.SockSite(runner, listening, shutdown_timeout=2).start()
        found = links(rooms[0], base)
        if as_json:
            cli.print_json(found)
        else:
            _tell(found, rooms[0].table.game.title)
            cli.stderr.print("Ctrl-C ends the server; the game is kept.")
        threading.Thread(target=_warm_up, args=([room.table for room in rooms[:1]],), daemon=True).start()
        first = next((seat["url"] for seat in found["seats"] if seat["url"]), found["spectator"])
        if not no_browser:
            _open_browser(first)
        await ended.wait()
    finally:
        await runner.cleanup()
    again = f"cardenvs play {rooms[0].table.game.name} --resume"
    own = "" if folder == default_folder() else f" --folder {folder}"
    cli.stderr.print(f"\nkept in {folder}; go on with: {again}{own}", markup=False, highlight=False, soft_wrap=True)
