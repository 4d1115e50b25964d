"""Files that were written once, in ``files/``: what is found in them when they are read.

Run folders, suites, sweeps and policies of files are also played with, by the commands of `tests.figures.commands`. In
``files/tournament``, which was stopped, the first pairing's chunk is of another seed, so that figures tell that it is read.
A new version of a format gets a file beside the old one: none of them is written anew.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs import policy
from cardenvs.baselines.suites import find_suite
from cardenvs.contract.record import read_record
from cardenvs.play import Adviser, seat_view
from cardenvs.play.advise.session import read_session
from cardenvs.play.web.room import read_room
from cardenvs.train.config import stored_config
from cardenvs.train.inference.exported import read_export
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.sweep.reading import read_sweep
from tests.figures.keeping import FOLDER
from tests.figures.rows import hash_of
from tests.helpers.batches import played_on

FILES = FOLDER / "files"


def told_of_weights(weights: dict[str, Any]) -> dict[str, Any]:
    """The shape and type of each array, and a hash of what is in it."""
    return {name: f"{array.dtype}{list(array.shape)} {hash_of(array)}" for name, array in sorted(weights.items())}


def choices_with(file: str) -> list[int]:
    """What the policy of a file chooses in some positions of Euchre."""
    batch = played_on("euchre", 40, 5)
    chosen = policy.make("euchre", str(FILES / file)).act(batch.observations, batch.action_masks, np.random.default_rng(1))
    return list(map(int, chosen))


def read_checkpoint_file() -> dict[str, Any]:
    """The checkpoint of a training run."""
    opened = read_checkpoint(FILES / "run/policy.zip")
    return {
        "config": str(stored_config(opened)),
        "weights": told_of_weights(opened.read_weights()),
        "arrays": told_of_weights(opened.read_resume_arrays()),
        "choices": choices_with("run/policy.zip"),
    }


def read_export_file() -> dict[str, Any]:
    """An exported policy."""
    weights, record = read_export(FILES / "policy.safetensors")
    return {"record": record, "weights": told_of_weights(weights), "choices": choices_with("policy.safetensors")}


def read_table_file(file: str) -> dict[str, Any]:
    """A table of ``cardenvs play``: how it is written again, and what it shows to everybody."""
    room = read_room(FILES / file)
    views = {str(seat): seat_view(room.table, seat) for seat in (None, *range(room.table.game.seats))}
    return {"text": room.file_text().splitlines(), "views": json.loads(json.dumps(views, default=str))}


def read_session_file(game: str) -> dict[str, Any]:
    """A session of the adviser."""
    line, earlier = read_session(str(FILES / f"session-{game}.txt"))
    adviser = Adviser.from_line(line)
    return {"line": adviser.line(), "earlier": earlier, "question": str(adviser.question()), **adviser.as_dict()}


def read_record_file(game: str) -> list[Any]:
    """The deals of a record: each line, whether it is written as it was read, the players, a hash of the state."""
    deals = read_record(FOLDER / f"records/{game}.txt")
    return [[deal.line, deal.game.text(deal.state) == deal.line, *deal.players, hash_of(deal.state)] for deal in deals]


READ: dict[str, Callable[[], Any]] = {
    "checkpoint": read_checkpoint_file,
    "export": read_export_file,
    "suite": lambda: find_suite("euchre", str(FILES / "suite.json")).as_dict(),
    "sweep": lambda: str(read_sweep(str(FILES / "tiny.toml"))),
    **{
        f"table of {game}": (lambda game=game: read_table_file(f"table-{game}.txt"))
        for game in ("euchre", "five-o", "hanabi", "hearts")
    },
    **{
        f"table of {game}, JSON": (lambda game=game: read_table_file(f"table-{game}.json")) for game in ("euchre", "hearts")
    },
    **{f"session of {game}": (lambda game=game: read_session_file(game)) for game in ("euchre", "five-o", "whist")},
    **{f"record of {game}": (lambda game=game: read_record_file(game)) for game in ("euchre", "five-o", "whist")},
}
"""What reads each sample."""
