"""What would take minutes to compile and seconds to run, without compiling."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FILES = [
    str(Path(__file__).parent / f"test_{name}.py")
    for name in ("deals", "knowledge", "numbered", "origins", "past", "scores", "tells")
]


def test_what_described_games_tell_as_plain_python() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "nojit", *FILES]
    run = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-4000:]
    assert " passed" in run.stdout
