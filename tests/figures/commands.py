"""Commands with fixed seeds, and how what they print with ``--json`` is taken down."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from tests.figures.keeping import FOLDER, ROOT

WRITTEN = ("euchre", "five-o", "hanabi", "whist")
"""The games that are written in Python."""
DESCRIBED = tuple(sorted(path.stem for path in (ROOT / "cardenvs/recycle/games").glob("*.rcy")))
"""The names of all descriptions that ship."""

TIMING = {
    "decisions_per_s", "seconds", "compiling_seconds", "compiling", "hours", "ms_a_decision", "bytes", "sha256",
    "openspiel", "library", "microseconds_a_redeal",
    "exact_mean", "exact_largest", "sampled_1000", "sampled_10000", "sampled_100000",
}  # fmt: skip
"""Keys whose values depend on the clock or on a library that writes a file (``sha256`` is of a record with both): of these
the types are compared. Figures and ``weights_sha256`` of trainings hold for a version of torch and a kind of processor."""

TYPES_ALONE = {"bench": "speeds", "warmup": "what is compiled depends on what was compiled before"}
"""Commands of whose figures the types alone are compared, and why; those of lists' first entries."""

COMMANDS = {
    **tomllib.loads((FOLDER / "commands.toml").read_text("utf-8")),
    **{f"prompt-{game}": f"prompt {game} --seed 3" for game in (*WRITTEN, "hearts", "lama", "euchre.rcy")},
    **{
        f"{command}-{game.replace(':', '-')}": f"{command} {game}"
        for command in ("list", "observation")
        for game in (*WRITTEN, "hanabi:tiny", *DESCRIBED)
    },
    **{f"check-{game}": f"recycle check {{root}}/cardenvs/recycle/games/{game}.rcy --actions" for game in DESCRIBED},
}
"""By the names under which what they print is kept."""


def without_timing(value: Any, key: str = "") -> Any:
    """Figures in which those of `TIMING` are left to their types."""
    if key in TIMING:
        return types_of(value)
    if isinstance(value, dict):
        return {name: without_timing(item, name) for name, item in value.items()}
    return [without_timing(item) for item in value] if isinstance(value, list) else value


def types_of(value: Any) -> Any:
    """Keys and types of figures; of lists those of the first entry."""
    if isinstance(value, dict):
        return {name: types_of(item) for name, item in value.items()}
    return [types_of(item) for item in value[:1]] if isinstance(value, list) else f"<{type(value).__name__}>"


def figures(name: str) -> Any:
    """What a command prints now, timing left out; what all of several commands print, if one prepares the next."""
    with tempfile.TemporaryDirectory() as place:
        names = {"folder": f"{place}/out", "here": str(FOLDER), "python": sys.executable, "root": str(ROOT)}
        printed = []
        for command in COMMANDS[name].format(**names).split(" && "):
            if command.startswith("cp "):
                shutil.copytree(*command.split()[1:])
            else:
                printed += _printed(command, {place: "{place}"} | {path: f"{{{key}}}" for key, path in names.items()})
    out = printed[0] if len(printed) == 1 else printed
    return types_of(out) if name in TYPES_ALONE else without_timing(out)


def _printed(command: str, names: dict[str, str]) -> list[Any]:
    """The JSON that a command prints, line by line if it talks; paths are written by their names."""
    command, _, said = command.partition(" < ")
    talks = command.startswith("serve-policy")
    words = [sys.executable, "-m", "cardenvs.cli", *shlex.split(command), *([] if talks else ["--json"])]
    text = Path(said).read_text("utf-8") if said else ""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, input=text, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(words)}: {done.stderr}")
    for path, known in names.items():
        done.stdout = done.stdout.replace(path, known)
    return [json.loads(line) for line in done.stdout.splitlines()] if talks else [json.loads(done.stdout)]
