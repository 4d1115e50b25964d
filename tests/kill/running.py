"""What the kill tests share: processes that end at random moments, folders that are looked at after each end."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def start(words: Sequence[str], **settings: Any) -> subprocess.Popen[str]:
    """``cardenvs`` in a process group of its own, its output as text in pipes."""
    command = [sys.executable, "-m", "cardenvs.cli", *words]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **settings
    )


def kill(process: subprocess.Popen[str]) -> None:
    """Kills a process and all that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def killed(words: Sequence[str], seconds: float) -> str | None:
    """Runs ``cardenvs`` for some seconds and kills it; what it printed if it ended before, None if it was killed.

    Raises:
        AssertionError: it failed by itself.
    """
    process = start(words)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process)
        return None
    assert process.returncode == 0, err
    return out


def timeless(value: Any) -> Any:
    """Figures of JSON without those that depend on the clock."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if not key.endswith(("_per_s", "seconds", "path"))}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def left_over(folder: Path) -> list[Path]:
    """Temporary files in a folder and in those within it."""
    return [path for path in folder.rglob(".*") if path.is_file()]


def resumable(words: Sequence[str], folder: Path, kills: int, rng: random.Random) -> int:
    """Kills a command that goes on in a folder where it was stopped, again and again, until the kills are spent.

    Args:
        words: the command without ``--out``; its results are printed as JSON.
        folder: an empty folder.
        kills: how many kills.
        rng: the moments.

    Returns:
        How often the command found something to go on with.

    Raises:
        AssertionError: something is lost, or the results are others than without a kill.
    """
    began = time.monotonic()
    text = killed([*words, "--out", str(folder / "whole"), "--json"], 3600)
    whole, expected = time.monotonic() - began, timeless(json.loads(text or ""))
    done, again, number = 0, 0, 0
    while done < kills:
        number += 1
        out, kept = folder / f"run-{number}", dict[Path, bytes]()
        text = None
        while text is None:
            again += bool(kept)
            limit = rng.uniform(0.1, 1.1) * whole if done < kills else 3600
            text = killed([*words, "--out", str(out), "--json"], limit)
            done += text is None
            now = {path: path.read_bytes() for path in out.rglob("chunks/*.npz")}
            assert all(now.get(path) == content for path, content in kept.items()), "a finished chunk is lost or changed"
            kept = now
        assert timeless(json.loads(text)) == expected, "other results than without a kill"
        assert not left_over(out), f"temporary files are left over: {left_over(out)}"
        assert (out / "report.md").read_text("utf-8")
    return again
