"""Networks for described games: the game that they were trained for, and the rule options."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from cardenvs import policy
from cardenvs.cli import main
from cardenvs.contract.registry import get_game
from cardenvs.envs.batch import Batch
from cardenvs.train.models.checkpoint import Checkpoint
from tests.helpers.documents import DOCS

GAME = "beacon-relay-mini"
NETWORK = str(DOCS / "results" / "seeds" / "relay-mini-seed-0.safetensors")
"""A network that was trained with one beacon."""


def test_a_network_plays_by_the_options_of_its_training() -> None:
    player = policy.make(get_game(GAME), NETWORK)
    one, two = (Batch(GAME, 2, seed=0, beacons=beacons) for beacons in (1, 2))
    assert one.action_masks[[0, 1], player.act(one.observations, one.action_masks)].all()
    mixed = np.concatenate([one.observations, two.observations])
    with pytest.raises(ValueError, match="was trained with beacons=1, ordered=no, lanterns=yes: it does not play by other"):
        player.act(mixed, np.concatenate([one.action_masks, two.action_masks]))


@pytest.mark.slow
def test_other_options_are_refused_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", GAME, NETWORK, "--deals", "2"]) == 2
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == 1 and "does not play by other rules" in printed[0]


def test_a_shipped_game_goes_by_its_name(tmp_path: Path) -> None:
    """A checkpoint that another installation wrote is of the same game, while a file of the user's is one of its own."""
    file = get_game(GAME).path
    assert file is not None
    theirs = shutil.copy(file, tmp_path)
    assert Checkpoint("policy.zip", {"game": GAME, "path": theirs}).trained_game is get_game(GAME)
    assert Checkpoint("policy.zip", {"game": f"{GAME}.rcy", "path": theirs}).trained_game.path == theirs
