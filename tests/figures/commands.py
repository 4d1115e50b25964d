"""Commands with fixed seeds, and how what they print with ``--json`` is taken down."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.figures.keeping import FOLDER, ROOT

WRITTEN = ("euchre", "five-o", "hanabi", "whist")
"""The games that are written in Python."""
DESCRIBED = tuple(sorted(path.stem for path in (ROOT / "cardenvs/recycle/games").glob("*.rcy")))
"""The names of all descriptions that ship."""

TIMING = {"decisions_per_s", "seconds", "compiling_seconds", "compiling", "hours", "bytes", "sha256", "openspiel"}
"""Keys whose values depend on the clock or on a library that writes a file (``sha256`` is of a record with both): of these
the types are compared. Figures and ``weights_sha256`` of trainings hold for a version of torch and a kind of processor."""

TYPES_ALONE = {
    "bench": "speeds",
    "warmup": "what is compiled depends on what was compiled before",
}
"""Commands of whose figures the types alone are compared, and why; those of lists' first entries."""

_TRAIN = "--games 16 --rollout 16 --batch-size 64 --net 8,8 --threads 1 --device cpu --eval-deals 4 --quiet"
_SETS = "--set games=16 --set rollout=16 --set batch_size=64 --set net=8,8 --set eval_deals=4 --set device=cpu"

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
    "match-hanabi": "match hanabi smartbot piers --deals 40",
    "match-hanabi-form": "match hanabi:players=3 hat-information iggi --deals 20 -o score=built",
    "match-hanabi-search": "match hanabi:tiny search:rollouts=20 --deals 2",
    "match-hearts": "match hearts ismcts:simulations=20 random --deals 2",
    "match-beacon": "match beacon-relay-mini pimc:worlds=4 random --deals 10 -o beacons=3",
    "match-whist-described": "match whist.rcy pipmc:worlds=2 random --deals 2",
    "match-euchre-ismcts": "match euchre ismcts:simulations=50 poe:worlds=5 --deals 10 --seed 6",
    "match-exec": "match euchre 'exec:command={python} -m cardenvs.cli serve-policy euchre hybrid' low --deals 4",
    "evaluate-hanabi": "evaluate hanabi:mini piers --against random --against iggi --deals 20",
    "evaluate-hearts": "evaluate hearts monte-carlo:worlds=2 --against random --deals 2",
    "evaluate-kuhn-poker": "evaluate kuhn-poker pipmc:worlds=2 --against random --deals 50",
    "tournament-hanabi": "tournament hanabi:mini random piers iggi --deals 20 --out {folder}",
    "tournament-hearts": "tournament hearts random pipmc:worlds=2 --deals 2 --out {folder}",
    "tournament-goes-on": (
        "cp {here}/files/tournament {folder} && tournament euchre random low high --deals 100 --seed 3 --out {folder}"
    ),
    "tournament-ended": (
        "cp {here}/files/tournament-ended {folder} && tournament euchre random low --deals 10 --seed 3 --out {folder}"
    ),
    "crossplay-hanabi": "crossplay hanabi:mini iggi piers outer --deals 10 --out {folder}",
    "adhoc-hanabi": "adhoc hanabi piers --deals 4 --out {folder}",
    "adhoc-shipped-suite": "adhoc euchre hybrid --suite 1 --out {folder}",
    "adhoc-kept-suite": "adhoc euchre hybrid --suite {here}/files/suite.json --out {folder}",
    "adhoc-beacon": "adhoc beacon-relay-mini random --partners pimc:worlds=2 --deals 4 --out {folder}",
    "suite-euchre": (
        "suite euchre --partners low --partners hybrid --deals 10 --pool-deals 10 --out {folder}/suite"
        " && adhoc euchre high --suite {folder}/suite/suite.json --out {folder}/adhoc"
    ),
    "suite-hanabi": (
        "suite hanabi:mini --partners piers --partners iggi --deals 10 --pool-deals 10 --response-deals 4"
        " --response search:blueprint={{partner}},rollouts=20 --out {folder}"
    ),
    "ceiling-euchre": "ceiling euchre hybrid learned --deals 4",
    "ceiling-whist": "ceiling whist low --deals 4 --open-cards 4",
    "ceiling-beacon": "ceiling beacon-relay-mini random --deals 4",
    "exploit-euchre": f"exploit euchre low --steps 2048 --deals 10 --threads 1 --quiet {_SETS} --out {{folder}}",
    "exploit-kept": (
        "exploit euchre {here}/files/run/policy.zip --from both --steps 1024 --deals 10 --threads 1 --quiet"
        f" {_SETS} --out {{folder}}"
    ),
    "sweep-euchre": "sweep {here}/files/tiny.toml --out {folder}",
    "experiment-team-share": (
        "experiment team-share --bidding forced-spades --share 0 --share 1 --seeds 1 --steps 1024 --train games=16"
        " --train rollout=16 --train batch_size=64 --train net=8,8 --train eval_deals=4 --against low --deals 10"
        " --out {folder}"
    ),
    "train-euchre": (
        f"train euchre --steps 4096 --seed 7 {_TRAIN} --out {{folder}}/run"
        " && export {folder}/run/policy.zip {folder}/mine.safetensors --critic --belief 500 --card {folder}/card.md"
        " && match euchre {folder}/mine.safetensors {folder}/run/policy.zip:sample=yes --deals 20"
    ),
    "train-five-o": f"train five-o --steps 2048 {_TRAIN} --out {{folder}}/run",
    "train-hanabi": f"train hanabi:tiny --steps 2048 {_TRAIN} --out {{folder}}/run",
    "train-whist": f"train whist --recipe whist --steps 1024 {_TRAIN} --set imitate=none --out {{folder}}/run",
    "train-hearts": f"train hearts --steps 1024 {_TRAIN} --out {{folder}}/run",
    "train-goes-on": (
        "cp {here}/files/run {folder}/run && train euchre --resume --steps 2048 --quiet --out {folder}/run"
        " && match euchre {folder}/run/policy.zip low --deals 20"
    ),
    "export-kept": "export {here}/files/run/policy.zip {folder}/kept.safetensors",
    "match-kept-checkpoint": "match euchre {here}/files/run/policy.zip low --deals 20",
    "match-kept-export": "match euchre {here}/files/policy.safetensors learned --deals 20",
    "review-hanabi": (
        "match hanabi:tiny piers iggi --deals 1 --record {folder}.txt"
        " && review {folder}.txt --policy piers --worlds 5"
    ),
    "review-hearts": (
        "match hearts random random --deals 1 --record {folder}.txt && review {folder}.txt --deal 1 --worlds 2"
    ),
    "reproduce-calling": "reproduce calling --deals 20 --plays coop-high-low --caller learned",
    "reproduce-euchre": "reproduce euchre --games 4",
    "reproduce-euchre-pairing": "reproduce euchre --games 20 --pairing hybrid markov2+low",
    "reproduce-five-o": (
        "reproduce five-o --games 10 --search-games 4 --slow-games 4 --depth-games 4 --value-games 4 --positions 2"
        " --samples 50 --decks 2 --out {folder}"
    ),
    "reproduce-hanabi": "reproduce hanabi --games 4 --out {folder}",
    "reproduce-openspiel": "reproduce openspiel hanabi --games 20 --out {folder}",
    "reproduce-recycle": "reproduce recycle --game pairs --game agram --games 4 --out {folder}",
    "recycle-check-play": "recycle check {root}/cardenvs/recycle/games/pairs.rcy --play 5 --actions",
    "recycle-stats": "recycle stats agram --games 4",
    "recycle-stats-team": "recycle stats beacon-relay-mini --games 4",
    "recycle-stats-random": "recycle stats hearts --random-only --games 50",
    "render-euchre": "render euchre --seats hybrid --moves 9 --seed 2 --out {folder}.png",
    "render-hearts": "render hearts --moves 9 --seed 2 --out {folder}.gif",
    "advise-euchre": "advise euchre --seed 1 --resume {here}/files/session-euchre.txt --session {folder}.txt < {here}/files/typed.txt",
    "serve-policy-euchre": "serve-policy euchre hybrid < {here}/files/dialogue.txt",
    "warmup": "warmup kuhn-poker",
    "bench": "bench kuhn-poker whist --rounds 1 --seconds 0.01",
    **{f"prompt-{game}": f"prompt {game} --seed 3" for game in (*WRITTEN, "hearts", "lama", "euchre.rcy")},
    **{f"list-{game}": f"list {game}" for game in (*WRITTEN, "hanabi:tiny", *DESCRIBED)},
    **{f"observation-{game}": f"observation {game}" for game in (*WRITTEN, "hanabi:tiny", *DESCRIBED)},
    **{f"check-{game}": f"recycle check {{root}}/cardenvs/recycle/games/{game}.rcy --actions" for game in DESCRIBED},
}
"""Each prints JSON with ``--json``, or lines of it; ``{folder}`` is a path where nothing is yet, ``{here}`` this folder,
``{root}`` the checkout. Behind ``&&`` stands another command in the same folder, ``cp`` copies a folder."""


def without_timing(value: Any, key: str = "") -> Any:
    """Figures in which those of `TIMING` are left to their types."""
    if key in TIMING:
        return types_of(value)
    if isinstance(value, dict):
        return {name: without_timing(item, name) for name, item in value.items()}
    return [without_timing(item) for item in value] if isinstance(value, list) else value


def types_of(value: Any) -> Any:
    """Keys and types of figures; of lists those of the first entry."""
    if isinstance(value, dict):
        return {name: types_of(item) for name, item in value.items()}
    return [types_of(item) for item in value[:1]] if isinstance(value, list) else f"<{type(value).__name__}>"


def figures(name: str) -> Any:
    """What a command prints now, timing left out; what all of several commands print, if one prepares the next.

    Raises:
        RuntimeError: a command failed; with what it said.
    """
    with tempfile.TemporaryDirectory() as place:
        names = {"folder": f"{place}/out", "here": str(FOLDER), "root": str(ROOT), "python": sys.executable}
        printed = []
        for command in COMMANDS[name].format(**names).split(" && "):
            if command.startswith("cp "):
                shutil.copytree(*command.split()[1:])
            else:
                printed += _printed(command, {place: "{place}"} | {path: f"{{{key}}}" for key, path in names.items()})
    out = printed[0] if len(printed) == 1 else printed
    return types_of(out) if name in TYPES_ALONE else without_timing(out)


def _printed(command: str, names: dict[str, str]) -> list[Any]:
    """The JSON that a command prints, line by line if it talks; paths are written by their names."""
    command, _, said = command.partition(" < ")
    talks = command.startswith("serve-policy")
    words = [sys.executable, "-m", "cardenvs.cli", *shlex.split(command), *([] if talks else ["--json"])]
    text = Path(said).read_text("utf-8") if said else ""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, input=text, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(words)}: {done.stderr}")
    for path, known in names.items():
        done.stdout = done.stdout.replace(path, known)
    return [json.loads(line) for line in done.stdout.splitlines()] if talks else [json.loads(done.stdout)]
