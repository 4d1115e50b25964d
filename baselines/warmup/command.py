"""The command ``cardenvs warmup``."""

import time
from collections.abc import Iterable, Sequence

import click
from rich.table import Column, Table

from cardenvs import cli
from cardenvs.baselines.warmup.steps import Step, steps_for, warm_up
from cardenvs.compiled import waiting as compiling
from cardenvs.compiled.cache import cache_home
from cardenvs.compiled.machine import cores
from cardenvs.contract.registry import game_names, get_game, short_name
from cardenvs.contract.spec import GameSpec
from cardenvs.printing import PlainConsole, remark, say


def _sum_totals(parts: Iterable[compiling.Totals]) -> compiling.Totals:
    return compiling.Totals(*map(sum, zip(*parts, strict=True)))


@click.command("warmup")
@click.argument("game", type=cli.GameType(), required=False)
@cli.seed_option
@cli.json_option
def warmup_command(game: GameSpec | None, seed: int, as_json: bool) -> int:
    """Compile everything that GAME needs in advance, instead of at first use.

    Without GAME this is done for all games written in Python; described games are compiled only if they are named.

    It compiles the environments, every named policy, matches, evaluations and reviews, with one process for each core. The
    compiled code is kept in the user's cache folder (or NUMBA_CACHE_DIR) until cardenvs, numba or Python change.
    """
    del seed  # every command takes one; nothing here depends on chance
    games = [game] if game is not None else [get_game(name) for name in game_names()]
    steps = [step for spec in games for step in steps_for(spec)]
    began = time.perf_counter()
    with cli.progress_bar("compiling", len(steps)) as count:

        def show_progress(finished: int, at_work: Sequence[Step]) -> None:
            names = ", ".join(f"{short_name(step.game)} {step.name}" for step in at_work)
            count(finished, f"compiling {names}" if names else None)

        came = warm_up(steps, show_progress, workers=cores())
    seconds = time.perf_counter() - began
    figures = {spec.name: {step.name: came[step].compiled for step in steps if step.game is spec} for spec in games}
    totals = {name: _sum_totals(parts.values()) for name, parts in figures.items()}
    whole, kept = _sum_totals(totals.values()), all(one.kept for one in came.values())
    if as_json:
        by_game = {
            name: {**totals[name]._asdict(), "parts": {part: one._asdict() for part, one in parts.items()}}
            for name, parts in figures.items()
        }
        cli.print_json({"games": by_game, **whole._asdict(), "folder": str(cache_home()) if kept else None, "ready": kept})
    else:
        if whole.kernels:
            table = Table(Column("game", overflow="fold"), "for", "kernels", "seconds")
            for step in steps:
                compiled = came[step].compiled
                if compiled.kernels:
                    table.add_row(short_name(step.game), step.name, str(compiled.kernels), f"{compiled.seconds:.1f}")
            PlainConsole().print(table)
        done = f"compiled {whole.kernels} kernel{'' if whole.kernels == 1 else 's'} in {seconds:.0f} s"
        if kept:
            say(f"{done if whole.kernels else 'nothing was left to compile'}: all is ready for {', '.join(figures)}")
    if not kept:
        remark("nothing could be kept: the next program compiles anew")
    return 0 if kept else 1
