"""Exported policies, and those that come with the package."""

from pathlib import Path

import numpy as np
import pytest

from cardenvs import get_game, policy
from cardenvs.baselines import play_match
from cardenvs.cli import main
from cardenvs.train import TrainedPolicy, Training, export, recipe
from cardenvs.train.config import Config, stored_config
from cardenvs.train.inference import exported as exported_files
from cardenvs.train.inference import shipped as shipped_module
from cardenvs.train.inference.exported import read_export
from cardenvs.train.inference.shipped import FOLDER, Learned, generations, shipped_files
from cardenvs.train.inference.starts import read_start
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.models.fingerprints import rules_hash
from tests.helpers.batches import played_on
from tests.helpers.command_line import figures_of

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    Training(Config("euchre", games=16, rollout=4, net=(16, 16), threads=1, seed=3), out)
    return out / "policy.zip"


@pytest.fixture
def exported(checkpoint: Path, tmp_path: Path) -> Path:
    export(checkpoint, tmp_path / "net.safetensors", commit="1a2b3c4")
    return tmp_path / "net.safetensors"


def test_an_exported_policy_plays_as_its_checkpoint(checkpoint: Path, exported: Path) -> None:
    batch = played_on("euchre", 64, 5)
    players = [policy.make("euchre", str(path)) for path in (checkpoint, exported)]
    chosen = [p.act(batch.observations, batch.action_masks) for p in players]
    assert (chosen[0] == chosen[1]).all()
    weights, record = read_export(exported)
    assert record["commit"] == "1a2b3c4" and record["seed"] == 3 and record["options"]["bidding"] == "full"
    assert all("policy_net" in name or "action_net" in name for name in weights)
    assert policy.make("euchre", f"{exported}:sample=yes").sample  # type: ignore[attr-defined]


def test_an_exported_critic_foretells_as_its_checkpoint(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "with critic.safetensors"
    assert main(["export", str(checkpoint), str(path), "--critic"]) == 0
    states = played_on("euchre", 64, 5).states()
    players = [policy.make("euchre", str(file)) for file in (checkpoint, path)]
    assert players[1].value_kind == "points"
    assert (players[0].values_of(states) == players[1].values_of(states)).all()


def test_the_command(checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "a.safetensors")
    printed = figures_of(capsys, "export", str(checkpoint), path, "--note", "commit=abc")
    card = tmp_path / "card.md"
    assert main(["export", str(checkpoint), path, "--note", "commit=abc", "--card", str(card)]) == 0
    capsys.readouterr()
    text = card.read_text()
    assert "abc" in text and printed["rules_hash"] in text and "`net` | 16,16" in text and "bidding full" in text
    assert (tmp_path / "card_curve.png").read_bytes().startswith(b"\x89PNG")
    assert printed["commit"] == "abc" and printed["bytes"] == (tmp_path / "a.safetensors").stat().st_size
    for arguments, message in (
        ((str(checkpoint), str(tmp_path / "a.zip")), "must end in .safetensors"),
        ((str(checkpoint), str(tmp_path / "b.safetensors"), "--note", "x"), "is not NAME=TEXT"),
        ((str(tmp_path / "no.zip"), str(tmp_path / "b.safetensors")), "no.zip"),
    ):
        assert main(["export", *arguments]) == 2
        printed = capsys.readouterr()
        assert message in printed.err and len(printed.err.splitlines()) == 1 and not printed.out


def test_weights_that_were_edited_are_refused(exported: Path) -> None:
    edited = bytearray(exported.read_bytes())
    edited[-100] ^= 1
    exported.write_bytes(edited)
    with pytest.raises(ValueError, match="its weights are not those that were exported"):
        policy.make("euchre", str(exported))


def test_another_game_rules_or_layout(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="plays euchre, not whist"):
        policy.make("whist", str(exported))
    player = policy.make("euchre", str(exported))
    other = played_on("euchre", 64, 5, bidding="forced-spades")
    with pytest.raises(ValueError, match=r"net.safetensors' was trained with bidding=full, stick_the_dealer=no"):
        player.act(other.observations, other.action_masks)
    monkeypatch.setattr(exported_files, "rules_hash", lambda *_: "0" * 16)
    with pytest.raises(ValueError, match="another set of rules of euchre"):
        policy.make("euchre", str(exported))
    monkeypatch.setattr(exported_files, "layout_hash", lambda *_: "0" * 16)
    with pytest.raises(ValueError, match="another observation or set of actions of euchre"):
        policy.make("euchre", str(exported))


def test_the_rules_hash_knows_the_rules() -> None:
    hashes = {
        rules_hash(game, options)
        for game, options in (
            ("euchre", {}),
            ("euchre", {"stick_the_dealer": True}),
            ("euchre", {"bidding": "forced-spades"}),
            ("whist", {}),
            ("five-o", {}),
            ("five-o", {"hidden_rows": 0}),
        )
    }
    assert len(hashes) == 6
    assert rules_hash("euchre", {}) == rules_hash("euchre", {"bidding": "full"})


# --- what comes with the package ---

PLAYED = [pytest.param(game, marks=[pytest.mark.slow] * (game == "beacon-relay")) for game in Learned.games]
"""The games of shipped policies; a described one takes a minute of compiling."""


@pytest.mark.parametrize("game", Learned.games)
def test_shipped_policies_are_small_and_sound(game: str) -> None:
    paths = shipped_files(game)
    assert paths
    for path in paths:
        recalls = read_export(path)[1]["config"].get("recall", False)
        assert path.stat().st_size < (9_000_000 if recalls else 3_000_000)  # an order of play has as many entries again
        _, record = read_export(path)
        assert record["game"] == game and {"seed", "steps", "hours", "curve", "config", "commit"} <= set(record)
        assert Config.from_dict(record["config"]).game == game
    assert {path.stem for path in FOLDER.glob("*/*")} >= {path.stem for path in paths}


def test_forms_that_no_network_comes_with_are_named() -> None:
    with pytest.raises(ValueError, match=r"^learned comes with no network for hanabi:players=3: train one"):
        policy.make("hanabi:players=3", "learned")
    assert "learned" not in policy.default_names("hanabi:tiny")
    assert policy.make("hanabi", "learned").game.recall


@pytest.mark.parametrize("game", PLAYED)
def test_shipped_policies_play_by_name(game: str) -> None:
    opponent = {"five-o": "reflex2", "hanabi": "random", "beacon-relay": "random"}.get(game, "hybrid")
    result = play_match(game, "learned", opponent, deals=200, seed=3)
    assert result.points_margin.high > 0
    assert isinstance(policy.make(game, "learned:sample=yes"), Learned)
    with pytest.raises(ValueError, match="sample must be yes or no"):
        policy.make(game, "learned:sample=5")


@pytest.mark.parametrize("game", PLAYED)
def test_generations_are_known_by_number(game: str) -> None:
    known = generations(game)
    assert known[0] == 1 and shipped_files(game) == shipped_files(game, known[-1])
    for number in known:
        folders = {path.parent.name for path in shipped_files(game, number)}
        assert f"generation-{number}" in folders <= {f"generation-{earlier}" for earlier in range(1, number + 1)}
        assert isinstance(policy.make(game, f"learned:generation={number}"), Learned)
        begun, latest = (
            read_start(get_game(game), {}, name).weights for name in (f"learned:generation={number}", "learned")
        )
        same = begun.keys() == latest.keys() and all(np.array_equal(begun[key], latest[key]) for key in begun)
        assert same == (number == known[-1])
    listed = ", ".join(map(str, known))
    with pytest.raises(ValueError, match=f"generation must be one of {listed} in {game}, not 99"):
        policy.make(game, "learned:generation=99")
    with pytest.raises(ValueError, match="generation must be an int of at least 1, not 0"):
        policy.make(game, "learned", generation=0)
    with pytest.raises(ValueError, match=f"generation must be one of {listed} in {game}, not 99"):
        read_start(get_game(game), {}, "learned:generation=99")


def test_rules_without_a_file_go_on_with_the_generation_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, names in enumerate((("euchre", "euchre--forced-spades", "whist"), ("euchre", "euchrelike")), 1):
        (tmp_path / f"generation-{number}").mkdir()
        for name in names:
            (tmp_path / f"generation-{number}" / f"{name}.safetensors").touch()
    monkeypatch.setattr(shipped_module, "FOLDER", tmp_path)
    assert (generations("euchre"), generations("whist"), generations("five-o")) == ([1, 2], [1], [])
    assert shipped_files("euchre") == [
        tmp_path / "generation-1" / "euchre--forced-spades.safetensors", tmp_path / "generation-2" / "euchre.safetensors"
    ]  # fmt: skip
    assert {path.parent.name for path in shipped_files("euchre", 1)} == {"generation-1"}


def test_a_search_follows_any_generation() -> None:
    old = policy.make("euchre", "learned-search:policy=learned:generation=1,worlds=5")
    assert play_match("euchre", old, "high", deals=3, seed=1).games == 6


def test_each_position_of_euchre_goes_to_the_network_of_its_rules() -> None:
    player = Learned("euchre")
    assert len(player.parts) == 2
    full, forced = played_on("euchre", 32, 5), played_on("euchre", 32, 5, bidding="forced-spades")
    rows = np.stack([full.observations, forced.observations], 1).reshape(64, -1)
    masks = np.stack([full.action_masks, forced.action_masks], 1).reshape(64, -1)
    expected = np.empty(64, np.int64)
    for part in player.parts:
        assert isinstance(part, TrainedPolicy)
        mine = part.plays(rows)
        assert mine.sum() == 32
        expected[mine] = part.act(rows[mine], masks[mine])
    assert (player.act(rows, masks) == expected).all()
    other = played_on("euchre", 8, 5, stick_the_dealer=True)
    with pytest.raises(ValueError, match="it does not play by other rules"):
        player.act(other.observations, other.action_masks)


def test_recipes_are_those_of_what_was_shipped() -> None:
    """A shipped policy says with which settings it was trained; its recipe says the same."""
    for path in FOLDER.glob("*/*.safetensors"):
        stored = Config.from_dict(read_export(path)[1]["config"])
        name = path.stem if path.parent.name == "generation-1" else f"{path.parent.name}/{path.stem}"
        assert not [line for line in recipe(name).differences(stored) if not line.startswith("seed")]
        assert recipe(name).steps == stored.steps


def test_train_by_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--games", "16", "--rollout", "4", "--steps", "64", "--eval-deals", "5", "--threads", "1"]
    few = ["--set", "imitate_decisions=100", "--set", "imitate_epochs=1", "--set", "net=8,8"]
    recipe = ["--recipe", "euchre--forced-spades"]
    assert figures_of(capsys, "train", "euchre", *recipe, *small, *few, "--out", str(tmp_path / "a"))["steps"] == 64
    stored = stored_config(read_checkpoint(tmp_path / "a" / "policy.zip"))
    assert (
        stored.options["bidding"] == "forced-spades" and stored.net == (8, 8) and stored.imitate == "monte-carlo:worlds=30"
    )
    for extra, message in (
        (["--recipe", "whist"], "its recipes are euchre, euchre--forced-spades"),
        (["--set", "color=red"], "unknown setting 'color': the settings are"),
        (["--set", "net=wide"], "net must be ints with commas between them, not 'wide'"),
        (["--set", "canonical_suits=perhaps"], "canonical_suits must be yes or no"),
        (["--set", "threads=many"], "threads must be an int or none"),
        (["--set", "clip"], "is not NAME=VALUE"),
        (["--out", str(tmp_path / "a"), "--resume", "--recipe", "euchre"], "--recipe cannot go with --resume"),
    ):
        assert main(["train", "euchre", *extra]) == 2
        printed = capsys.readouterr().err
        assert message in printed and len(printed.splitlines()) == 1, printed
