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


def test_training_without_torch_names_the_extra(tmp_path: Path) -> None:
    commands = [
        ["train", "euchre", "--steps", "10", "--out", "run"],
        ["experiment", "team-share", "--steps", "10", "--out", "run"],
        ["sweep", "team-share", "--out", "run"],
    ]
    done = run_python(
        f"{HIDE}\nimport os\nos.chdir({str(tmp_path)!r})\nfrom cardenvs.cli import main\n"
        f"print([main(words) for words in {commands!r}])"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[2, 2, 2]\n"
    assert done.stderr == 3 * 'cardenvs: training: the package torch is missing; in a checkout: pip install ".[train]"\n'
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was made without matplotlib, by the command, as if no module of it had been imported."""
    out = tmp_path_factory.mktemp("run") / "small"
    small = ["--games", "16", "--rollout", "4", "--steps", "64", "--net", "8", "--eval-deals", "5", "--threads", "1"]
    arguments = ["train", "euchre", *small, "--out", str(out), "--json"]
    errors = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(errors):
        for name in {"matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))}:
            patch.setitem(sys.modules, name, None)
        assert main(arguments) == 0
    told = "cardenvs: curve.png, the picture of the learning curve, is left out: the package matplotlib is missing; "
    lines = [line for line in errors.getvalue().splitlines() if line.startswith("cardenvs:")]
    assert lines == [told + 'in a checkout: pip install ".[plots]"']
    return out


@pytest.mark.slow
def test_training_without_matplotlib_leaves_the_picture_out(small_run: Path) -> None:
    assert sorted(path.name for path in small_run.iterdir()) == ["curve.csv", "policy.zip", "tensorboard"]


def test_a_checkpoint_without_torch_names_the_extra(small_run: Path, tmp_path: Path) -> None:
    path = str(small_run / "policy.zip")
    commands = [["match", "euchre", path, "random", "--deals", "2"], ["export", path, str(tmp_path / "net.safetensors")]]
    done = run_python(f"{HIDE}\nfrom cardenvs.cli import main\nprint([main(words) for words in {commands!r}])")
    assert (done.returncode, done.stdout) == (0, "[2, 2]\n"), done.stderr
    told = f'cardenvs: the policy {path!r}: the package torch is missing; in a checkout: pip install ".[train]"\n'
    assert done.stderr == 2 * told
    assert not list(tmp_path.iterdir())
