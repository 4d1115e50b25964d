"""The command ``cardenvs play``: a table in the browser, or in the terminal."""

from __future__ import annotations

import asyncio
import glob
import shlex
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cardenvs import cli, policy
from cardenvs.cli import Seed
from cardenvs.contract.registry import address
from cardenvs.contract.spec import GameSpec
from cardenvs.files import name_in_path
from cardenvs.play.folders import sweep_tables, tables_folder
from cardenvs.play.names import split_names
from cardenvs.play.table import Table
from cardenvs.play.table_setup import PAUSE, check_pause, default_seats, rules_of_play, table_of_record
from cardenvs.play.terminal import run_terminal
from cardenvs.printing import remark, say

if TYPE_CHECKING:
    from cardenvs.play.web import Room

_TABLES = 100  # maximum number of tables that --resume opens, the newest first


@click.command("play")
@cli.game_argument
@click.option(
    "--seats",
    help="Who plays, seat by seat: human or a policy's name, with commas between. [human and good quick policies]",
)
@click.option("--names", metavar="NAME,NAME,...", help="Names of the players: one for each person or each seat.")
@cli.rule_option
@click.option("--seed", type=Seed(), help="Seed of the first deal; only you know it. [drawn]")
@click.option("--repeatable", is_flag=True, help="All deals come from --seed, not only the first; all players get a note.")
@click.option("--deal", "line", help="Play this one deal, a line of text, after its actions.")
@click.option("--load", "record", type=click.Path(dir_okay=False), help="Continue the last deal of this record file.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen at; with an address other than this machine's own, other machines can reach the table.",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen at; 0 takes any. [8765 or the next free one]")
@click.option(
    "--folder", type=click.Path(file_okay=False), help="Folder in which tables are kept. [in the user's state folder]"
)
@click.option("--resume", is_flag=True, help="Continue the game's tables in the folder; their links work again.")
@click.option("--pause", type=float, help="Seconds between two moves. [0.7]")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--terminal", is_flag=True, help="Play in this terminal instead of in a browser.")
@cli.json_option
def play_command(
    game: GameSpec,
    seats: str | None,
    names: str | None,
    options: tuple[tuple[str, str], ...],
    seed: int | None,
    repeatable: bool,
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
    """Play GAME: a table in the browser for people and policies, one link a seat.

    Whist and Euchre are played as games of several deals, with a score sheet; `-o episode=deal` and
    `--deal` play single deals. In Five-O the table counts the deals won.

    GAME can be a file that describes a game, such as `hearts.rcy`: the page then shows its piles of
    cards, numbers and names, and the options as buttons and as cards to click.
    """
    sources = [("--seed", seed), ("--deal", line), ("--load", record), ("--resume", resume or None)]
    given = [name for name, value in sources if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} cannot be given together")
    if resume and (seats or names or options):
        raise click.UsageError("--resume goes on with the seats, names and options that the tables have")
    if record and options:
        raise click.UsageError("--load takes the options of the record; -o cannot change them")
    if repeatable and seed is None:
        raise click.UsageError("--repeatable needs --seed")
    for name, value in (("--resume", resume), ("--json", as_json), ("--folder", folder), ("--port", port)):
        if terminal and value:
            raise click.UsageError(f"--terminal does not go with {name}")
    seconds = None if pause is None else check_pause(pause)

    def make_table(deal: bool) -> Table:
        players = policy.split_list(seats) if seats else None
        rules = cli.rule_options(game, options)
        if record is not None:
            return table_of_record(game, record, players, names, exactly=terminal)
        players = players or default_seats(game)
        called = None if names is None else split_names(names, players)
        rules = rules_of_play(game, rules, line)
        return Table(game, players, seed=seed, repeatable=repeatable, line=line, names=called, deal=deal, **rules)

    if terminal:
        table = make_table(deal=True)
        return run_terminal(table) if seconds is None else run_terminal(table, pause=seconds)
    from cardenvs.play.web import Room  # imported here, because a table in the terminal does without its packages

    _check_host(host)
    where = Path(folder) if folder else tables_folder()
    sweep_tables(where)
    if resume:
        rooms = resume_rooms(game, where, seconds)
    else:
        table = make_table(deal=line is not None)  # the server deals the first one, unless a record has it
        rooms = [Room(table, where, pause=PAUSE if seconds is None else seconds)]
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _serve_rooms(game, rooms, host, port, resumed=resume, browser=not no_browser, as_json=as_json)


def _serve_rooms(
    game: GameSpec, rooms: list[Room], host: str, port: int | None, *, resumed: bool, browser: bool, as_json: bool
) -> int:
    """Serves tables until the program is interrupted, then tells how they go on; returns the exit status."""
    from cardenvs.play import web
    from cardenvs.play.web.app import is_loopback

    def announce_links(links: dict[str, Any]) -> None:
        if as_json:
            cli.print_json(links)
        else:
            _print_links(links, game.title)
            if not is_loopback(host):
                _show_codes(links)

    asyncio.run(web.serve(rooms, host, port, resumed=resumed, browser=browser, started=announce_links))
    folder = rooms[0].folder
    own = "" if folder == tables_folder() else f" --folder {folder}"
    remark("")
    lost = [room.loss_sentence for room in rooms if room.loss_sentence]
    for sentence in lost:
        remark(f"cardenvs: {sentence}")
    if any(room.file is not None and room.file.is_file() for room in rooms):
        kept = "what was kept is in" if lost else "kept in"
        remark(f"{kept} {folder}; go on with: cardenvs play {shlex.quote(address(game))} --resume{own}")
    return 1 if lost else 0


def _check_host(host: str) -> None:
    """Raises click.BadParameter for a host without an address, before anything is written."""
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise click.BadParameter(f"{host!r} is no address and no name of one: {said}", param_hint="--host") from None


def resume_rooms(game: GameSpec, folder: Path, pause: float | None) -> list[Room]:
    """Returns the game's tables in a folder, the one played last first."""
    from cardenvs.play.web import read_room

    name = glob.escape(name_in_path(game.word))
    # A table of an earlier version goes on in a new file, beside its old one.
    old = [path for path in folder.glob(f"{name}-*.txt") if not path.with_suffix(".json").exists()]
    files = sorted([*folder.glob(f"{name}-*.json"), *old], key=lambda path: path.stat().st_mtime, reverse=True)
    rooms = []
    for path in files[:_TABLES]:
        try:
            room = read_room(path, game)
        except (ValueError, OSError) as error:
            remark(f"cardenvs: passed over: {error}")
            continue
        if room.table.game.name != game.name:  # a name may begin as another one does
            continue
        if pause is not None:
            room.pause = pause
        rooms.append(room)
    if not rooms:
        raise ValueError(f"there is no table of {game.name} to resume in {str(folder)!r}")
    return rooms


def _print_links(links: dict[str, Any], title: str) -> None:
    say(f"{title} at {links['url']}")
    for seat in links["seats"]:
        say(f"  {seat['called']:<24} {seat['url'] or 'a policy'}")
    say(f"  {'looking on':<24} {links['spectator']}")
    remark("Ctrl-C ends the server; the game is kept.")


def _show_codes(links: dict[str, Any]) -> None:
    from cardenvs.play.web.qr import qr_text

    for seat in links["seats"]:
        if seat["url"]:
            say(f"\n{seat['called']}, by a phone in the same network:\n{qr_text(seat['url'])}")
