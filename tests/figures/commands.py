"""The commands of ``tests/figures``, and how their figures are taken down.

``python -m tests.figures.commands`` writes the outputs anew, ``python -m tests.figures.commands NAME ...`` some of them.
That is right only when a change of figures is meant.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "outputs"

TIMING = {"decisions_per_s", "seconds"}
"""Keys of the machine's speed, which no seed fixes."""

COMMANDS = {
    "match-euchre": "match euchre coop-high-low high-low --deals 300 --seed 1",
    "match-euchre-cooperation": "match euchre learned hybrid --deals 200 --cooperation --seed 2",
    "match-euchre-searches": "match euchre pimc:worlds=10 monte-carlo:worlds=10 --deals 20",
    "match-euchre-learned-search": "match euchre learned-search:worlds=100 learned --deals 20 --seed 3",
    "match-euchre-stick": "match euchre markov hybrid2 --deals 100 -o stick_the_dealer=yes",
    "match-euchre-published": "match euchre hybrid card-counting --protocol published --games 400",
    "match-euchre-published-learned": "match euchre learned pimc:worlds=5 --protocol published --games 40",
    "match-whist": "match whist learned poe --deals 40 --seed 4",
    "match-whist-mixed": "match whist coop-high-low+random high-low --deals 50 -o episode=game",
    "match-whist-published": "match whist markov2 low --protocol published --games 30",
    "match-five-o": "match five-o rollout reflex3 --deals 20",
    "match-five-o-learned": "match five-o learned greedy2 --deals 100",
    "match-five-o-published": "match five-o learned reflex2 --protocol published --games 50",
    "match-five-o-one-deal": "match five-o random random --deals 1",
    "tournament-euchre": "tournament euchre random low hybrid learned low+hybrid --deals 60 --out {folder}",
    "tournament-whist": "tournament whist low coop-high-low --deals 20 --out {folder} --workers 1",
    "tournament-five-o": "tournament five-o random greedy2 reflex3 learned --deals 50 --out {folder}",
    "crossplay-euchre": "crossplay euchre learned hybrid low --deals 20 --costs --group all=hybrid,low --out {folder}",
    "crossplay-whist": "crossplay whist coop-high-low high --deals 20 --opponents hybrid --opponents low --out {folder}",
    "adhoc-euchre": "adhoc euchre learned low --deals 20 --out {folder}",
    "adhoc-whist": "adhoc whist hybrid --deals 10 --partners low --out {folder}",
    "evaluate-euchre": "evaluate euchre learned --against hybrid --against pimc:worlds=5 --deals 60",
    "evaluate-euchre-precision": "evaluate euchre hybrid --against low --against random --precision 0.2 --seed 5",
    "evaluate-euchre-control": (
        "evaluate euchre learned --against hybrid --protocol published --games 200 --control double-dummy"
    ),
    "evaluate-whist": "evaluate whist coop-high-low --against high-low --deals 50",
    "evaluate-five-o": "evaluate five-o learned --against reflex1 --against greedy1 --deals 50",
    "review-euchre": "review {here}/records/euchre.txt --policy learned --policy hybrid --worlds 50",
    "review-whist": "review {here}/records/whist.txt --deal 1 --policy poe --worlds 20",
    "review-five-o": "review {here}/records/five-o.txt --policy learned --worlds 100",
    "reproduce-poe": "reproduce poe --deals 20",
    "list": "list",
    "observation-euchre": "observation euchre",
}
"""Each prints one JSON object with ``--json``; ``{folder}`` is an empty folder, ``{here}`` this one."""


def without_timing(value: Any) -> Any:
    """Figures without those of the machine's speed."""
    if isinstance(value, dict):
        return {key: without_timing(item) for key, item in value.items() if key not in TIMING}
    return [without_timing(item) for item in value] if isinstance(value, list) else value


def figures(name: str) -> Any:
    """What a command prints now, timing left out.

    Raises:
        RuntimeError: the command failed; with what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = shlex.split(COMMANDS[name].format(folder=f"{folder}/out", here=Path(__file__).parent))
        command = [sys.executable, "-m", "cardenvs.cli", *words, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)}: {done.stderr}")
    return without_timing(json.loads(done.stdout))


def kept(name: str) -> Any:
    """What the command printed when its output was written down."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def main() -> None:
    """Writes outputs anew."""
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or COMMANDS:
        text = json.dumps(figures(name), indent=1) + "\n"
        (FOLDER / f"{name}.json").write_text(text)
        print(name, len(text), file=sys.stderr)


if __name__ == "__main__":
    main()
