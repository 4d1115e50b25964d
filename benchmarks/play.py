"""How long a person at a table waits, and how much a page weighs.

    python benchmarks/play.py                # tables
    python benchmarks/play.py --json         # one JSON object

A server in a process of its own, with its tables on the disk as always, and clients on the loopback that send a legal
action as soon as it is their turn. A click's time runs from its sending until the state in which all opponents have
answered has been read: until it is the clicker's turn again, or the deal is over. There is no pause between moves.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import aiohttp
import click
from aiohttp import web
from measuring import count_option, hand_over

from cardenvs import cli
from cardenvs.baselines.reports import document
from cardenvs.play import HUMAN, Table
from cardenvs.play.web import Room, create_app
from cardenvs.play.web.app import STATIC

OPPONENTS = {"euchre": "hybrid", "whist": "hybrid", "five-o": "reflex3"}
"""By game, the policy that holds all seats but the person's."""


def serve(game: str, tables: int, seed: int, folder: str, parent: Connection) -> None:
    """Serves tables with a person and heuristic opponents each, until the parent sends something.

    Args:
        game: name of the game.
        tables: number of tables.
        seed: seed of the first table; each next table has the next seed.
        folder: folder in which the tables keep their games.
        parent: the connection to the parent, which is sent the server's port and the paths of the persons' seats.
    """

    async def run() -> None:
        rooms = []
        for k in range(tables):
            seats = [HUMAN] + [OPPONENTS[game]] * (1 if game == "five-o" else 3)
            rooms.append(Room(Table(game, seats, seed=seed + k), Path(folder), pause=0.0))
        runner = web.AppRunner(create_app(rooms), access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        parent.send((runner.addresses[0][1], [room.path(0) for room in rooms]))
        await asyncio.get_running_loop().run_in_executor(None, parent.recv)
        await runner.cleanup()

    asyncio.run(run())


class Client:
    """A page at a table, without a browser.

    Args:
        socket: the page's connection to the server.

    Attributes:
        size: bytes of the longest state so far.
        state: the last state that was read.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.size = 0
        self.state: dict[str, Any] = {}

    async def answer(self) -> None:
        """Reads until it is this page's turn or the deal is over."""
        while True:
            text = await self.socket.receive_str()
            message = json.loads(text)
            if message["type"] == "error":
                raise RuntimeError(message["message"])
            if message["type"] != "state":
                continue
            self.size = max(self.size, len(text))
            news = message["version"] > self.state.get("version", -1)
            self.state = message
            if news and (message["legal"] or message["deal_over"]):
                return

    async def click(self, choose: random.Random) -> float:
        """Plays a legal action, or asks for a new deal; returns the milliseconds until the answer, nan for a new deal."""
        begun = time.perf_counter()
        dealt = self.state["deal_over"]
        message = {"type": "new"} if dealt else {"type": "act", "action": choose.choice(self.state["legal"])["action"]}
        await self.socket.send_str(json.dumps(message | {"version": self.state["version"]}))
        await self.answer()
        return float("nan") if dealt else 1000 * (time.perf_counter() - begun)


async def clicks(port: int, paths: list[str], rounds: int, seed: int) -> tuple[list[float], int]:
    """Clicks at all tables at once, round after round.

    Args:
        port: port of the server.
        paths: paths of the persons' seats, one for each table.
        rounds: the number of rounds that are measured.
        seed: seed of the choice of actions.

    Returns:
        Milliseconds of each click but those for new deals, and the bytes of the longest state.
    """
    choose = random.Random(seed)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        clients = [Client(await session.ws_connect(f"http://127.0.0.1:{port}{path}/ws")) for path in paths]
        await asyncio.gather(*(client.answer() for client in clients))
        times: list[float] = []
        first = 20 if len(clients) > 10 else 100  # rounds not measured, in which all kernels are loaded
        for k in range(first + rounds):
            waited = await asyncio.gather(*(client.click(choose) for client in clients))
            if k >= first:
                times += [value for value in waited if value == value]
        for client in clients:
            await client.socket.close()
        return times, max(client.size for client in clients)


def measure(game: str, tables: int, rounds: int, seed: int) -> dict[str, float]:
    """For JSON, the figures of ``tables`` tables that are clicked at once, in ``rounds`` rounds."""
    context = multiprocessing.get_context("spawn")
    own_end, server_end = context.Pipe()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        server = context.Process(target=serve, args=(game, tables, seed, folder, server_end))
        server.start()
        try:
            port, paths = own_end.recv()
            times, size = asyncio.run(clicks(port, paths, rounds, seed))
        finally:
            own_end.send("end")
            server.join(30)
    times.sort()
    return {
        "tables": tables,
        "clicks": len(times),
        "median_ms": statistics.median(times),
        "p95_ms": times[int(0.95 * (len(times) - 1))],
        "max_ms": times[-1],
        "state_bytes": size,
    }


@click.command()
@count_option("--rounds", 200, "Clicks at a table by itself.")
@count_option("--tables", 100, "Tables at once.")
@cli.seed_option
@cli.json_option
def main(rounds: int, tables: int, seed: int, as_json: bool) -> None:
    """Measures tables in the browser: click to answer, many tables at once, bytes of the page."""
    figures: dict[str, Any] = {}
    for game in OPPONENTS:
        alone = measure(game, 1, rounds, seed)
        figures[game] = {"alone": alone, "at_once": measure(game, tables, max(rounds // 10, 1), seed)}
    figures["page_bytes"] = sum(path.stat().st_size for path in STATIC.iterdir() if path.is_file())
    rows = [
        [
            game, str(measured["tables"]), str(measured["clicks"]),
            *(f"{measured[key]:.1f}" for key in ("median_ms", "p95_ms", "max_ms")), f"{measured['state_bytes']:,}",
        ]
        for game in OPPONENTS
        for measured in figures[game].values()
    ]  # fmt: skip
    head = ["game", "tables at once", "clicks", "median, ms", "95%, ms", "longest, ms", "largest state, bytes"]
    page = document.Words(f"The page's files: {figures['page_bytes']:,} bytes.")
    told = document.Document("How long a person at a table waits", [document.Table(head, rows), page])
    hand_over(figures, told, None, as_json)


if __name__ == "__main__":
    main()
