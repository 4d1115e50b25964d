"""Killing the server of a table in mid-game: what anybody has been shown is there again, under the same links."""

import asyncio
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import aiohttp

from tests.kill.running import kill, left_over, start


def _serve(*words: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A server of tables, and the links that it tells."""
    process = start(["play", *words, "--no-browser", "--json"])
    text = ""
    assert process.stdout is not None
    while not text.endswith("\n}\n"):
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        text += line
    return process, json.loads(text)


async def _play(url: str, moves: int, choose: random.Random, to_kill: subprocess.Popen[str]) -> dict[str, Any]:
    """Plays a person's moves at a table, kills the server a moment after the last; the last state that was shown."""
    state: dict[str, Any] = {}
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{url}/ws") as socket:
        sent = -1
        async with asyncio.timeout(120):
            async for message in socket:
                content = json.loads(message.data)
                if content["type"] != "state":
                    continue
                state = content
                if moves <= 0 or state["deal_over"]:
                    break
                if state["legal"] and state["version"] > sent:
                    sent, moves = state["version"], moves - 1
                    action = choose.choice(state["legal"])["action"]
                    await socket.send_str(json.dumps({"type": "act", "action": action, "version": sent}))
                    if not moves:
                        break  # killed while the move is on its way
        await asyncio.sleep(choose.uniform(0, 0.05))
        kill(to_kill)
    return state


async def _look(url: str) -> dict[str, Any]:
    """What a table shows to somebody who opens a link."""
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{url}/ws") as socket, asyncio.timeout(60):
        async for message in socket:
            content: dict[str, Any] = json.loads(message.data)
            if content["type"] == "state":
                return content
    raise AssertionError("the table shows nothing")


def work(folder: Path, kills: int, rng: random.Random) -> int:
    """Kills the server of a table at which a person plays against policies."""
    done = again = number = 0
    while done < kills:
        number += 1
        tables = folder / f"tables-{number}"
        process, links = _serve(
            "whist", "--seats", "human,low,high,random", "--pause", "0", "--folder", str(tables), "--port", "0"
        )
        over = False
        while done < kills and not over:
            url = links["seats"][0]["url"]
            seen = asyncio.run(_play(url, rng.randrange(1, 6), rng, process))
            done += 1
            process, told = _serve("whist", "--resume", "--folder", str(tables))
            again += 1
            assert told == links, "other links than before"
            now = asyncio.run(_look(url))
            assert now["log"][: len(seen["log"])] == seen["log"], "what was shown is gone"
            assert now["version"] >= seen["version"]
            assert not left_over(tables), f"temporary files are left over: {left_over(tables)}"
            over = bool(now["deal_over"])
        kill(process)
    return again
