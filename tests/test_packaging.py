"""What an installation is: one top-level name, light, whole, and deaf to a user's own files of our packages' names."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from build import ProjectBuilder
from build.env import DefaultIsolatedEnv

from tests.helpers.paths import ROOT

HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib", "aiohttp", "pygame", "PIL", "pandas")
OURS = ("train", "baselines", "tests", "report")
"""Names of files that a user may have in the folder of a script."""

USE = """
import sys
for name in {blocked}:
    sys.modules[name] = None  # importing it fails
import gymnasium
import cardenvs
from cardenvs import euchre_v0, policy
environment = gymnasium.make("cardenvs/EuchreSeat-v0")
environment.reset(seed=1)
for game in ("euchre", "five-o", "whist"):
    assert "learned" in policy.names(game), game
for game in {learned}:
    policy.make(game, "learned")
assert cardenvs.get_game("hearts").seats == 4 and len(cardenvs.described_names()) == 25
player = policy.make("euchre", "hybrid")
raw = euchre_v0.raw_env()
raw.reset(seed=1)
assert raw.last()[0]["action_mask"][player.act(raw.last()[0])]
assert cardenvs.baselines.play_match and cardenvs.train.Config("euchre").net
assert not {{"train", "baselines", "tests", "report"}} & set(sys.modules)
print(cardenvs.__file__)
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist of a copy of the checkout, and the wheel that was made from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, tracked.split("\0")):
        source, target = ROOT / name, folder / "checkout" / name
        if source.is_symlink() or source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    with DefaultIsolatedEnv() as environment:  # one for both, which takes half as long as ``python -m build``
        builder = ProjectBuilder.from_isolated_env(environment, folder / "checkout")
        environment.install(builder.build_system_requires)
        environment.install(builder.get_requires_for_build("sdist"))
        sdist = Path(builder.build("sdist", folder))
        shutil.unpack_archive(sdist, folder)
        builder = ProjectBuilder.from_isolated_env(environment, folder / sdist.name.removesuffix(".tar.gz"))
        environment.install(builder.get_requires_for_build("wheel"))
        builder.build("wheel", folder)
    return folder


def new_environment(folder: Path, wheel: Path, *more: str) -> Path:
    """The interpreter of a fresh virtual environment with the wheel in it."""
    venv.create(folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", str(wheel), *more]
    subprocess.run(command, check=True, capture_output=True)
    return python


def installed_dependencies() -> list[str]:
    """The names of the distributions that the package needs, without those of its extras."""
    needed = metadata.requires("cardenvs") or []
    return [re.split(r"[^\w.-]", line)[0] for line in needed if "extra ==" not in line]


def a_user_s_folder(folder: Path) -> Path:
    """A folder with files that are called like packages and modules of ours, and end whoever imports them."""
    folder.mkdir()
    for name in OURS:
        (folder / f"{name}.py").write_text("raise SystemExit('imported')\n")
    return folder


def names_in(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


def test_the_wheel_has_one_top_level_name_and_every_module(dist: Path) -> None:
    names = names_in(next(dist.glob("*.whl")))
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"cardenvs"}
    for package in ("cardenvs", "cardenvs/baselines", "cardenvs/train"):
        for path in (ROOT / package).rglob("*"):
            part = path.relative_to(ROOT).as_posix()
            if path.is_file() and "__pycache__" not in part:
                assert part in names, part


def test_the_sdist_is_complete(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers()}
    documents = ("README.md", "LICENSE", "CHANGELOG.md", "docs/rules/whist.md")
    for name in (*documents, "constraints.txt", "Makefile", "tests/conftest.py"):
        assert members[name].isfile(), name
    assert members["cardenvs/baselines/__init__.py"].isfile()
    assert not any(member.issym() for member in members.values())


def test_a_user_s_files_of_our_names_are_left_alone(dist: Path, tmp_path: Path) -> None:
    """With the dependencies of this environment, of which the heavy ones cannot be imported; kernels as plain Python."""
    wheel = next(dist.glob("*.whl"))
    python = new_environment(tmp_path / "environment", wheel, "--no-deps")
    site = Path(subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
                               capture_output=True, text=True, check=True).stdout.strip())  # fmt: skip
    folders = dict.fromkeys(str(metadata.distribution(name).locate_file("")) for name in installed_dependencies())
    (site / "dependencies.pth").write_text("".join(f"{folder}\n" for folder in folders))
    folder = a_user_s_folder(tmp_path / "user")
    (folder / "script.py").write_text(USE.format(blocked=HEAVY, learned=()))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([python, "script.py"], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)
    done = subprocess.run(
        [python, "-m", "cardenvs.cli", "list", "--json"], cwd=folder, env=environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_fresh_installation_is_light_and_plays(dist: Path, tmp_path: Path) -> None:
    """All dependencies from the registry, none of the extras; kernels compiled."""
    constraints = str(ROOT / "constraints.txt")
    python = new_environment(tmp_path / "environment", next(dist.glob("*.whl")), "-c", constraints)
    folder = a_user_s_folder(tmp_path / "user")
    (folder / "script.py").write_text(USE.format(blocked=(), learned=("euchre", "whist", "five-o")))
    done = subprocess.run([python, "script.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in HEAVY:
        assert subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode, name
    command = [python, "-m", "cardenvs.cli", "match", "euchre", "learned", "hybrid", "--deals", "5", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["baselines", "train"])
def test_a_checkout_without_links_says_what_to_do(tmp_path: Path, name: str) -> None:
    """As Git checks links out where there are none: a file with the link's target in it."""
    package = tmp_path / "cardenvs"
    package.mkdir()
    for file in ("__init__.py", "__init__.pyi"):
        shutil.copy(ROOT / "cardenvs" / file, package)
    for other in ("baselines", "train"):
        if other == name:
            (package / other).write_text(f"../{other}")
        else:
            (package / other).mkdir()
    done = subprocess.run([sys.executable, "-c", "import cardenvs"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode
    assert f"cardenvs/{name} is no link" in done.stderr
    assert "core.symlinks" in done.stderr
