"""Plans are values, and a store takes nothing for a chunk that is none."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from cardenvs import policy
from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.match import batches, side
from cardenvs.baselines.runs.store import PairingStore
from cardenvs.baselines.tournament import play_tournament, settings_for
from cardenvs.randomness import hashed_streams
from tests.helpers.described import file_of
from tests.helpers.players import First


@pytest.mark.parametrize("game", ["euchre", "agram"])
def test_copies_of_a_plan_keep_its_game(game: str) -> None:
    settings = settings_for(game if game == "euchre" else file_of(game), ["random", "random:choices=yes"], deals=2)
    for again in (copy.copy(settings), copy.deepcopy(settings), pickle.loads(pickle.dumps(settings))):
        assert again.game == settings.game and again.as_dict() == settings.as_dict()


def test_a_pairing_begins_with_few_deals_and_a_side_is_warmed_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that takes long may not say so: what it has finished is to be kept soon."""
    warmed: list[Any] = []
    monkeypatch.setattr(side, "hashed_streams", lambda *of: warmed.append(of) or hashed_streams(*of))
    policy.register("first", First)
    monkeypatch.setattr(batches, "CHUNK_SECONDS", 0.0)
    play = settings_for("whist", ["first", "low", "high"], deals=500).begin()
    assert [play(Task(pairing, 0, 500)).size for pairing in (0, 1, 2)] == [2, 2, 2]
    assert len(warmed) == 3 * 2  # in each of a side's two seats


@pytest.mark.parametrize("name", ["000-002-0000000-0000004.npz", "notes-1.npz", "7.npz", "000-001-a-0000004.npz"])
def test_a_file_that_is_no_chunk_of_the_plan_is_named(name: str, tmp_path: Path) -> None:
    settings = settings_for("whist", ["low", "random"], deals=4)
    play_tournament(settings, tmp_path, workers=1)
    (tmp_path / "chunks" / name).write_bytes(b"")
    with pytest.raises(ValueError, match=rf"{name}' is no chunk of this tournament: move it elsewhere"):
        PairingStore(tmp_path, settings)


def test_a_chunk_with_any_byte_changed_is_the_same_or_told(tmp_path: Path) -> None:
    settings = settings_for("whist", ["low", "random"], deals=4)
    play_tournament(settings, tmp_path, workers=1)
    (path,) = (tmp_path / "chunks").iterdir()
    whole, told, same = path.read_bytes(), 0, 0
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :])
        try:
            PairingStore(tmp_path, settings).load()
        except ValueError as error:
            told += f"the chunk '{path}' is damaged: delete it and run the tournament again" in str(error)
        else:
            same += 1
    assert told > 10 and told + same == len(range(0, len(whole), 7))
