"""What plays needs no torch, and where training needs it, the extra that brings it is named."""

import contextlib
import io
import sys
from pathlib import Path

import pytest

from cardenvs.cli import main
from tests.helpers.command_line import run_python
from tests.helpers.imports import MODULES, imports

LEARNING_ONLY = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib")
"""What an installation without extras lacks."""

HIDE = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LEARNING_ONLY!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
import importlib.util
seen = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name.partition(".")[0] in {LEARNING_ONLY!r} else seen(name, *rest)
sys.meta_path.insert(0, Hidden())
"""
"""Python code after which these packages cannot be imported, as if they were not installed."""


def test_what_plays_knows_nothing_of_learning() -> None:
    files = {f"cardenvs.train.models.{name}" for name in ("checkpoint", "entries", "fingerprints", "weights")}
    beside = {"cardenvs.train", "cardenvs.train.config", *files}
    for name, others in imports().items():
        if name.startswith("cardenvs.train.inference"):
            outside = {other for other in others if other.startswith("cardenvs.train")} - beside
            outside = {other for other in outside if not other.startswith("cardenvs.train.inference")}
            assert not outside, f"{name} imports {sorted(outside)}"


TWO_KINDS = ("euchre", "five-o")
"""Games with networks of two kinds."""


@pytest.mark.compiled
@pytest.mark.parametrize("games", [TWO_KINDS, pytest.param(None, marks=pytest.mark.slow)], ids=["two kinds", "all"])
def test_playing_loads_no_torch(games: tuple[str, ...] | None) -> None:
    """Every module of what plays, the settings, the advantages, and a learned policy in these games; None: in each."""
    names = [name for name in MODULES if name.startswith("cardenvs.train.inference")]
    program = f"""
import importlib, sys
for name in {[*names, "cardenvs.train.config", "cardenvs.train.recipes", "cardenvs.train.command"]!r}:
    importlib.import_module(name)
import cardenvs.train
from cardenvs.baselines.match import play_match
cardenvs.train.Config("euchre"), cardenvs.train.recipe("whist")
cardenvs.train.per_seat_gae([[[0, 1]]], [[0], [0]], [[2]], [[0], [1]])
for game in {games!r} or cardenvs.train.Learned.games:
    play_match(game, "learned", "random", deals=2, seed=0)
print([name for name in {LEARNING_ONLY!r} if name in sys.modules])
"""
    done = run_python(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_without_torch_training_and_checkpoints_name_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without matplotlib, as if no module of it had been imported, leaves the picture out, not its checkpoint."""
    run, path = tmp_path / "small", str(tmp_path / "small" / "policy.zip")
    small = ["--games", "16", "--rollout", "4", "--steps", "64", "--net", "8", "--eval-deals", "5", "--threads", "1"]
    errors = io.StringIO()
    with monkeypatch.context() as patch, contextlib.redirect_stderr(errors):
        for name in {"matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))}:
            patch.setitem(sys.modules, name, None)
        assert main(["train", "euchre", *small, "--out", str(run), "--json"]) == 0
    told = "cardenvs: curve.png, the picture of the learning curve, is left out: the package matplotlib is missing; "
    lines = [line for line in errors.getvalue().splitlines() if line.startswith("cardenvs:")]
    assert lines == [told + 'in a checkout: pip install ".[plots]"']
    assert sorted(path.name for path in run.iterdir()) == ["curve.csv", "policy.zip", "tensorboard"]
    commands = [[*words, "--out", "run"] for words in (
        ["train", "euchre", "--steps", "10"], ["experiment", "team-share", "--steps", "10"], ["sweep", "team-share"],
    )]  # fmt: skip
    commands += [["match", "euchre", path, "random", "--deals", "2"], ["export", path, "net.safetensors"]]
    program = f"{HIDE}\nfrom cardenvs.cli import main\nprint([main(words) for words in {commands!r}])"
    done = run_python(program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "[2, 2, 2, 2, 2]\n"), done.stderr
    missing = 'the package torch is missing; in a checkout: pip install ".[train]"\n'
    assert done.stderr == 3 * f"cardenvs: training: {missing}" + 2 * f"cardenvs: the policy {path!r}: {missing}"
    assert list(tmp_path.iterdir()) == [run]
