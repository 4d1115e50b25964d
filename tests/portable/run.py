"""The tests of this folder in fresh environments, with a wheel: `python -m tests.portable.run [--lowest | --here]`.

On each Python from 3.11 to 3.14 that uv finds on this machine, besides the one that runs this, with the versions of
``constraints.txt``; with ``--here`` on this one alone, with ``--lowest`` on this one with the lowest versions that
``pyproject.toml`` allows. It says which were to be had; the exit status is 1 if a test fails.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.helpers.paths import ROOT

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = ("llm", "play", "plots", "render")
"""What is small, of which the floors are tried, too."""


def uv(*words: str | Path) -> str:
    """What uv, which installs nothing but packages here, says."""
    command = [sys.executable, "-m", "uv", *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def found(version: str) -> str | None:
    """The interpreter of a version, where this machine has one."""
    command = [sys.executable, "-m", "uv", "python", "find", "--no-project", "--no-python-downloads", "--system", version]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def passes(interpreter: str, wheel: Path, folder: Path, lowest: bool) -> bool:
    """Whether the tests pass in a fresh environment of an interpreter, in a folder with none of the checkout's packages."""
    uv("venv", "-q", "--no-project", "--python", interpreter, folder / "environment")
    into = ("pip", "install", "-q", "--python", folder / "environment")
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    versions = ("--resolution", "lowest-direct") if lowest else ("--constraint", ROOT / "constraints.txt")
    uv(*into, *versions, "-r", ROOT / "pyproject.toml", *extras)
    uv(*into, "--no-deps", wheel)
    uv(*into, "--constraint", ROOT / "constraints.txt", "pytest")
    for name in ("__init__.py", "portable"):
        source = ROOT / "tests" / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / "tests" / name)
    python = folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    code = "import numpy, platform; print('Python', platform.python_version(), 'with NumPy', numpy.__version__, flush=True)"
    subprocess.run([python, "-c", code], check=True)
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}  # but for one match, since all would have to be compiled
    return subprocess.run([python, "-m", "pytest", "-q", "tests/portable"], cwd=folder, env=plain).returncode == 0


def main() -> int:
    """Runs them; returns the exit status."""
    lowest = "--lowest" in sys.argv[1:]
    here = f"3.{sys.version_info.minor}"
    alone = lowest or "--here" in sys.argv[1:]
    tried = {here: sys.executable} if alone else {one: path for one in PYTHONS if one != here and (path := found(one))}
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if tried:
            uv("build", "-q", "--out-dir", folder, ROOT)  # a wheel from the sdist, which leaves no folder in the checkout
        for version, interpreter in tried.items():
            (folder / version / "tests").mkdir(parents=True)
            if not passes(interpreter, next(folder.glob("*.whl")), folder / version, lowest):
                failed.append(version)
    absent = [] if alone else [version for version in PYTHONS if version not in (here, *tried)]
    print(f"passed on {[one for one in tried if one not in failed]}, failed on {failed}, not on this machine: {absent}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
