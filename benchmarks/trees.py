"""How fast two versions are beside each other: ``python benchmarks/trees.py BASE_FOLDER [--report FILE] [--json]``.

BASE_FOLDER is a checkout of another version of the project. All that is in `SECONDS` is done by both trees in turn, each
time in a fresh process; which is first changes with the round. Figures are processor time, warm, the least of some calls;
ratios are medians of each round's own. The first compilation is that of a process with an empty cache. What is timed uses
names that are public in both versions, and nothing else of this folder.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parents[1]
GAMES = ("whist", "euchre", "five-o", "hanabi", "hearts", "crazy-eights")
"""The games that are stepped."""


def step_environment(game: str, steps: int) -> Callable[[], Any]:
    """What steps a PettingZoo environment, the first legal action or the last in turn."""
    import numpy as np

    from cardenvs.envs.aec import CardEnv

    env = CardEnv(game)

    def play() -> None:
        env.reset(seed=1)
        for number in range(steps):
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                env.reset()
            else:
                env.step(int(np.flatnonzero(observation["action_mask"])[-(number % 2)]))

    return play


def step_batch(game: str, steps: int) -> Callable[[], Any]:
    """What steps 512 games at random."""
    from cardenvs import Batch, policy
    from cardenvs.compiled.streams import seed_streams

    batch, player, streams = Batch(game, 512, seed=0), policy.make(game, "random"), seed_streams(1, 512)

    def play() -> None:
        for _ in range(steps):
            batch.step(player.choose(batch.observations, batch.action_masks, streams))

    return play


def play_match_of(game: str, first: str, second: str, deals: int) -> Callable[[], Any]:
    """What plays a match."""
    from cardenvs.baselines import play_match

    return partial(play_match, game, first, second, deals=deals, seed=1)


def train_briefly(decisions: int) -> Callable[[], Any]:
    """What trains a policy for Euchre on so many decisions."""
    from cardenvs.train import Config, train

    config = Config("euchre", steps=decisions, games=64, rollout=32, net=(64, 32), threads=1, device="cpu", eval_deals=2)

    def learn() -> None:
        with tempfile.TemporaryDirectory() as folder:
            train(config, Path(folder, "run"))

    return learn


SECONDS: dict[str, Callable[[], Callable[[], Any]]] = {
    **{f"steps of an environment, {game}": partial(step_environment, game, 4000) for game in GAMES},
    **{f"steps of a batch, {game}": partial(step_batch, game, 2000) for game in GAMES},
    "match of random, hearts": partial(play_match_of, "hearts", "random", "random", 400),
    "match of ismcts, euchre": partial(play_match_of, "euchre", "ismcts:simulations=200", "hybrid", 40),
    "match of ismcts, hearts": partial(play_match_of, "hearts", "ismcts:simulations=50", "random", 4),
    "match of pimc, euchre": partial(play_match_of, "euchre", "pimc", "random", 20),
    "match of pimc, whist": partial(play_match_of, "whist", "pimc:worlds=5", "random", 6),
    "match of smartbot, hanabi": partial(play_match_of, "hanabi", "smartbot", "smartbot", 300),
    "match of learned, euchre": partial(play_match_of, "euchre", "learned", "hybrid", 300),
    "training, euchre": partial(train_briefly, 16384),
}
"""Makes what is timed, by its name."""
COMPILED = "first compilation, match of euchre"
"""What is timed apart: a command with nothing compiled."""


def least_seconds(name: str, calls: int) -> float:
    """Processor seconds of one of `SECONDS` in this process, the least of some calls behind a first one."""
    call = SECONDS[name]()
    call()
    spent = []
    for _ in range(calls):
        began = time.process_time()
        call()
        spent.append(time.process_time() - began)
    return min(spent)


def seconds_in(tree: Path, name: str, calls: int) -> float:
    """Processor seconds of what has a name, in a fresh process of a tree."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"PYTHONPATH": str(tree), "CARDENVS_QUIET": "1"}
        words = [sys.executable, __file__, str(tree), "--only", name, "--rounds", str(calls), "--here"]
        if name == COMPILED:
            environment["NUMBA_CACHE_DIR"] = cache
            words = [sys.executable, "-m", "cardenvs.cli", *["match", "euchre", "hybrid", "random", "--deals", "2"]]
        process = subprocess.Popen(words, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise click.ClickException(f"{name} failed in {tree}")
    return used.ru_utime + used.ru_stime if name == COMPILED else float(printed)


def measure(trees: tuple[Path, Path], names: list[str], rounds: int) -> dict[str, dict[str, Any]]:
    """By name, the seconds of the new and of the base tree, one for each round, and the ratios new/base."""
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        seconds: tuple[list[float], list[float]] = ([], [])
        for number in range(rounds):
            for which in (0, 1) if number % 2 else (1, 0):
                seconds[which].append(seconds_in(trees[which], name, 3))
        ratios = [new / base for new, base in zip(*seconds, strict=True)]
        found[name] = {"new_s": seconds[0], "base_s": seconds[1], "ratios": ratios, "ratio": statistics.median(ratios)}
        click.echo(f"{name}: {found[name]['ratio']:.3f}", err=True)
    return found


@click.command()
@click.argument("base", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Rounds of every measurement.")
@click.option("--only", multiple=True, metavar="NAME", help="Measure what has NAME in its name; may be repeated.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write a report to this Markdown file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--here", is_flag=True, hidden=True)
def main(base: Path, rounds: int, only: tuple[str, ...], report: Path | None, as_json: bool, here: bool) -> None:
    """How fast this version is beside that in BASE_FOLDER."""
    if here:  # a process of one of the trees
        click.echo(least_seconds(only[0], rounds))
        return
    from measuring import hand_over, machine, written_by

    from cardenvs.baselines.reports.document import Document, Table, said

    names = [name for name in (*SECONDS, COMPILED) if not only or any(word in name for word in only)]
    figures = measure((HERE, base.resolve()), names, rounds)
    rows = [
        [
            name, f"{statistics.median(told['new_s']):.3f}", f"{statistics.median(told['base_s']):.3f}",
            f"{told['ratio']:.3f}", f"{min(told['ratios']):.3f}", f"{max(told['ratios']):.3f}",
        ]
        for name, told in figures.items()
    ]  # fmt: skip
    words = said(
        f"""{written_by(__file__, rounds=rounds)} on {machine()["processor"]}, beside another version. Processor seconds of
        fresh processes, warm but for the first compilation, medians of {rounds} rounds in turn; ratios new/base of each
        round, below 1 where this version is faster."""
    )
    head = ["", "new, s", "base, s", "ratio", "lowest", "highest"]
    told = {**machine("numpy", "numba"), "figures": figures}
    hand_over(told, Document("Two versions beside each other", [words, Table(head, rows)]), report, as_json)


if __name__ == "__main__":
    main()
